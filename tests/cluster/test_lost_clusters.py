"""Clusters that end, or are something else, while they are used: an error that says what to do."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from prowess.engine.cluster import dask
from prowess.engine.cluster.dask import Dask
from prowess.engine.cluster.machine import BadCluster
from prowess.engine.cluster.workers import workers_of
from tests.cluster.tasks import slow_sum

TABLE = np.random.default_rng(1).normal(size=20_000)


@pytest.fixture
def brief() -> Iterator[Any]:
    """A client of a cluster of one worker in this process, which a test may end."""
    distributed = pytest.importorskip("distributed")
    settings = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    with (
        distributed.LocalCluster(**settings, dashboard_address=None) as cluster,
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
    with pytest.raises(BadCluster, match="start the cluster again: the scheduler ended"):
        list(results)


def test_a_program_that_says_nothing_is_not_waited_for(monkeypatch):
    """An address where another program listens is refused as soon as one where none does."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(dask, "ANSWER", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        began = time.perf_counter()
        with (
            pytest.raises(BadCluster, match=f"name another address.*{address}"),
            workers_of(address),
        ):
            pass
        assert time.perf_counter() - began < 5
