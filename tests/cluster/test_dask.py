"""Tasks on a cluster of two processes: the numbers of one process, also when a worker is killed."""

from __future__ import annotations

import os
import signal
from itertools import islice

import numpy as np
import pytest

import prowess
from prowess.engine.cluster import dask, machine
from prowess.engine.cluster.dask import Dask
from prowess.engine.cluster.machine import BadCluster, describe_machine
from prowess.engine.cluster.workers import Serial, workers_of
from prowess.engine.fit import fit_table
from prowess.study.simulation.league import simulate
from prowess.study.simulation.settings import league_settings
from prowess.systems.catalogue import find
from tests.cluster.tasks import draw_sum, refuse_five, slow_sum
from tests.refusals import refused

TABLE = np.random.default_rng(1).normal(size=300_000)  # 2.4 MB


def test_workers_keep_the_memory_of_arrays(client):
    """The C library of a worker has the limits that it would find by itself, not those of Dask."""
    limits = client.run(os.environ.get, "MALLOC_TRIM_THRESHOLD_")
    assert set(limits.values()) == {str(64 << 20)}


def test_the_same_bits(client):
    """Serial and Dask give the same to the last bit, however items are grouped."""
    expected = list(Serial().map(draw_sum, range(20), shared=TABLE))
    with workers_of(client) as workers:
        for group in (1, 7):
            assert list(workers.map(draw_sum, range(20), shared=TABLE, group=group)) == expected


def test_a_client_beside_a_newer_one(client, monkeypatch):
    """What is computed by a client does not wait in the thread of another that was made later."""

    def refuse():
        raise AssertionError("another client was asked for")

    monkeypatch.setattr("distributed.client.default_client", refuse)
    assert list(Dask(client).map(draw_sum, range(3), shared=TABLE)) == list(
        Serial().map(draw_sum, range(3), shared=TABLE)
    )


def test_the_first_error_is_raised_in_its_place(client):
    """What comes before an error arrives."""
    with workers_of(client) as workers:
        results = workers.map(refuse_five, range(9), group=4)
        assert list(islice(results, 5)) == [0, 1, 2, 3, 4]
        with pytest.raises(ValueError, match="no five"):
            next(results)


def test_a_killed_worker_changes_nothing(client):
    """A worker that is killed between results, with what was shared: the same bits."""
    expected = list(Serial().map(draw_sum, range(40), shared=TABLE))
    with workers_of(client) as workers:
        results = workers.map(slow_sum, range(40), shared=TABLE)
        first = list(islice(results, 5))
        assert isinstance(workers, Dask)
        assert workers.sent is not None
        holder = next(iter(client.who_has([workers.sent[1]]).values()))[0]
        os.kill(client.run(os.getpid)[holder], signal.SIGKILL)
        assert first + list(results) == expected
    client.wait_for_workers(2, timeout=300)  # the nanny starts another in a few seconds


def test_verbs_give_the_same_bits(client):
    """Settings, systems, folds and resamplings on a cluster are those of one process."""
    games = simulate(league_settings(players=8, games=400, draws=0.2), seed=1).games
    ratings = fit_table(games, find("bradley_terry"))

    def all_verbs(cluster):
        how = {"cluster": cluster, "progress": False}
        tuned = prowess.tune(games, "elo", over=["k"], starts=1, **how)
        folded = prowess.compare(games, ["elo", "bradley_terry"], folds=2, **how)
        judged = prowess.compare(games, ["elo"], **how)
        again = ratings.bootstrap(30, seed=2, cluster=cluster)
        return (
            tuned,
            [(one.test.name, one.test.expected.tobytes()) for one in (*folded, *judged)],
            again.column("low").tobytes(),
        )

    with workers_of(client) as workers:
        assert all_verbs(workers) == all_verbs(None)


def test_a_worker_of_another_kind_is_refused(client):
    """A worker with another version does not compute."""
    client.run(pretend_another_version)
    try:
        with refused(BadCluster, "other_version", about="1.0"):
            Dask(client)
    finally:
        client.run(end_pretending)


def pretend_another_version() -> None:
    """Let this process describe itself with another NumPy."""
    described = dict(machine.describe_machine()) | {"numpy": "1.0"}
    setattr(machine, "describe_machine", lambda: tuple(described.items()))  # noqa: B010


def end_pretending() -> None:
    """Let this process describe itself as it is."""
    machine.describe_machine = describe_machine


def test_no_cluster_there():
    """An address where nobody answers is named."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dask, "ANSWER", 0.2)
        with (
            refused(BadCluster, "no_scheduler", about="127.0.0.1:9"),
            workers_of("tcp://127.0.0.1:9"),
        ):
            pass
