"""Rating periods on a cluster: the bits of one process, whatever happens to a worker."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
import pytest

import prowess
from prowess.engine.cluster import dask
from prowess.engine.cluster.dask import Dask
from prowess.engine.streams.owners import rate_shards
from prowess.engine.system import Unratable
from prowess.games.shards import Shards, cut_pieces, shard_table, write_shards
from prowess.systems.catalogue import find
from tests.cluster.dying import DyingPart
from tests.engine.leagues import league
from tests.engine.tables import START
from tests.refusals import refused

TABLE = league(60, 2400, seed=5)
TABLE = TABLE.replace(
    time=START + np.sort(np.random.default_rng(2).random(len(TABLE))) * 200, side=None
)


def rated(shards: Shards, workers: Any = None, resume: Path | None = None) -> bytes:
    """The bits of the ratings by weeks; a checkpoint is saved each time that rows are gathered."""
    found = rate_shards(
        shards, find("glicko2"), period="7d", workers=workers, compiled=False, resume=resume,
        every=0.0,
    )  # fmt: skip
    return found.state.rating.tobytes()


@pytest.fixture(scope="module")
def bits() -> bytes:
    """The bits of one process."""
    return rated(shard_table(TABLE, 1))


def test_a_cluster_gives_the_same_bits(client, bits, tmp_path, monkeypatch):
    """From files and from memory, with and without a task that joins: the bits of one process."""
    workers = Dask(client)
    files = write_shards(cut_pieces(TABLE), tmp_path / "out", 3)
    assert rated(files, workers) == bits
    assert rated(shard_table(TABLE, 2), workers) == bits
    monkeypatch.setattr(dask, "MOST_EDGES", 1)
    assert rated(files, workers, resume=tmp_path / "run") == bits
    gathered = sorted((tmp_path / "run").glob("checkpoint-*"))
    rmtree(gathered[-1])  # as if the run had been killed before
    assert rated(files, workers, resume=tmp_path / "run") == bits


def test_rate_takes_a_cluster(client):
    """`prowess.rate` with a client or an executor: the values of one process, by name."""
    whole = prowess.rate(TABLE, "elo", period="7d")
    with ThreadPoolExecutor(2) as threads:
        for cluster in (client, threads):
            found = prowess.rate(TABLE, "elo", period="7d", cluster=cluster, compiled=False)
            assert found.leaderboard().cells() == whole.leaderboard().cells()
    with refused(Unratable, "not_shareable", about="every"):
        prowess.rate(TABLE, "elo", cluster=client)


def test_a_killed_worker_changes_nothing(client, bits, tmp_path):
    """A worker that dies in the middle of a period: the bits of one process."""
    shards = shard_table(TABLE, 3)
    mark = tmp_path / "killed"
    first = shards.parts[0].load()
    dying = replace(shards, parts=[DyingPart(first, mark, len(first) // 2), *shards.parts[1:]])
    assert rated(dying, Dask(client)) == bits
    assert mark.exists()
