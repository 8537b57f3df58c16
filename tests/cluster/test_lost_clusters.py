"""Clusters that end, or are something else, while they are used: an error that says what to do."""

from __future__ import annotations

import importlib
import socket
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import prowess
from prowess.engine.cluster import dask
from prowess.engine.cluster.dask import Dask, connect, play_graph
from prowess.engine.cluster.machine import BadCluster
from prowess.engine.cluster.workers import workers_of
from prowess.engine.fits import leaves, strengths
from prowess.engine.fits.leaves import Leaf, LeafParts
from tests.cli.command import environment
from tests.cluster.tasks import end_at_three, refuse_five, slow_sum
from tests.engine.leagues import league
from tests.refusals import refused

TABLE = np.random.default_rng(1).normal(size=20_000)


@pytest.fixture
def brief() -> Iterator[Any]:
    """A client of a cluster of one worker in this process, which a test may end."""
    distributed = pytest.importorskip("distributed")
    settings = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    with (
        distributed.LocalCluster(**settings, dashboard_address="127.0.0.1:0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.parametrize("taken", [0, 1])
def test_a_scheduler_that_ends_is_named(brief, taken):
    """Tasks whose scheduler ends before or after a first result."""
    results = Dask(brief).map(slow_sum, range(200), shared=TABLE)
    for _ in range(taken):
        next(results)
    brief.cluster.close()
    with refused(BadCluster, "cluster_ended"):
        list(results)


def test_a_program_that_says_nothing_is_not_waited_for(monkeypatch):
    """An address where another program listens is refused as soon as one where none does."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(dask, "ANSWER", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        began = time.perf_counter()
        with (
            refused(BadCluster, "no_scheduler", about=str(address)),
            workers_of(address),
        ):
            pass
        assert time.perf_counter() - began < 5


@pytest.mark.parametrize("kind", ["worker", "greeting", "tls"])
def test_an_address_of_no_scheduler_is_refused(kind):
    """A worker, a program of another protocol, and tls without certificates."""
    distributed = pytest.importorskip("distributed")
    settings = {"n_workers": 1, "processes": False, "protocol": "tcp", "dashboard_address": None}
    with (
        distributed.LocalCluster(**settings) as cluster,
        socketserver.TCPServer(("127.0.0.1", 0), Greeting) as server,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = {
            "worker": cluster.workers[0].address,
            "greeting": f"tcp://127.0.0.1:{server.server_address[1]}",
            "tls": cluster.scheduler_address.replace("tcp:", "tls:"),
        }[kind]
        with refused(BadCluster, "bad_scheduler", about=address):
            connect(address).__enter__()
        server.shutdown()


class Greeting(socketserver.BaseRequestHandler):
    """Greets as no scheduler does, and ends."""

    def handle(self) -> None:
        """See BaseRequestHandler."""
        self.request.sendall(b"SSH-2.0-OpenSSH_9.0 ready\r\n")


@pytest.mark.parametrize("end", ["scheduler", "client"])
def test_a_fit_whose_cluster_ends_is_named(brief, monkeypatch, end):
    """The scheduler of a fit ends, or its client is closed, between two products."""
    monkeypatch.setattr(leaves, "leaf_size", lambda players: 64)
    monkeypatch.setattr(strengths, "is_worth_merging", lambda players, a, b: False)
    add_up = LeafParts.add_up

    def end_at_products(parts, method, *given):
        if method is Leaf.times and brief.status == "running":
            parts.parts[0] = None  # as if its worker had been lost
            (brief if end == "client" else brief.cluster).close()
        return add_up(parts, method, *given)

    monkeypatch.setattr(LeafParts, "add_up", end_at_products)
    with refused(BadCluster, "cluster_ended"):
        prowess.rate(league(50, 900, seed=8), "bradley_terry", cluster=brief)


@pytest.mark.parametrize("what", ["tasks", "shards"])
def test_a_cluster_without_workers_is_not_waited_for(brief, monkeypatch, what):
    """All workers leave before the work, and no other comes."""
    workers = Dask(brief)
    brief.cluster.scale(0)
    while brief.scheduler_info(n_workers=-1)["workers"]:
        time.sleep(0.05)
    monkeypatch.setattr(dask, "ARRIVAL", 0.4)
    computed = {
        "tasks": workers.map(slow_sum, range(3), shared=TABLE),
        "shards": play_graph(workers, divmod, lambda _: range(2), np.zeros(4), [0, 2, 4], 3),
    }
    with refused(BadCluster, "workers_lost"):
        list(computed[what])


def test_a_client_that_was_closed_is_refused(brief):
    """A closed client, and the executor of one."""
    executor = brief.get_executor()
    brief.close()
    with refused(BadCluster, "client_closed"), workers_of(brief):
        pass
    with (
        refused(BadCluster, "cluster_ended"),
        workers_of(executor) as workers,
    ):
        list(workers.map(slow_sum, [1], shared=TABLE))


@pytest.mark.parametrize("how", ["client", "executor"])
def test_a_task_that_kills_workers_is_named(how):
    """By a client and by its executor: more memory is what it may need."""
    pytest.importorskip("distributed")
    with (
        dask.start_local(2) as client,
        refused(BadCluster, "worker_out_of_memory"),
        workers_of(client if how == "client" else client.get_executor()) as workers,
    ):
        list(workers.map(end_at_three, [3]))


def test_an_executor_that_is_shut_down_is_named():
    """Before the tasks, and in the middle of them."""
    with ThreadPoolExecutor(1) as executor:
        pass
    with (
        refused(BadCluster, "executor_closed", about="shutdown"),
        workers_of(executor) as workers,
    ):
        list(workers.map(slow_sum, [1], shared=TABLE))
    with ThreadPoolExecutor(1) as executor, workers_of(executor) as workers:
        results = workers.map(slow_sum, range(100), shared=TABLE)
        next(results)
        executor.shutdown(wait=False, cancel_futures=True)
        with refused(BadCluster, "executor_closed", about="keep"):
            list(results)


def test_what_a_scheduler_cannot_load_is_named(client):
    """An item that imports a module which is only here."""
    with (
        refused(BadCluster, "system_not_loaded"),
        workers_of(client) as workers,
    ):
        list(workers.map(refuse_five, [Lacking()]))


class Lacking:
    """Imports a module where it is loaded."""

    def __reduce__(self) -> tuple[Any, ...]:
        """See pickle."""
        return importlib.import_module, ("neighbour",)


def test_a_program_without_a_guard_is_named(tmp_path):
    """Where processes begin by running the program, a pool that ends at once says what it lacks."""
    script = tmp_path / "unguarded.py"
    script.write_text(UNGUARDED)
    run = subprocess.run(
        [sys.executable, script], env=environment(), capture_output=True, timeout=60, check=False
    )
    assert b'BadCluster: put the call under `if __name__ == "__main__":`' in run.stderr


UNGUARDED = """
import multiprocessing
from prowess.engine.cluster.workers import workers_of
multiprocessing.set_start_method("spawn", force=True)
with workers_of(2) as workers:
    print(list(workers.map(divmod, [3, 4], shared=10)))
"""
