"""One kind of work on a Dask cluster of this machine, or in one process.

    python benchmarks/large/cluster.py WORK FOLDER WORKERS [KILL_AFTER]

WORK is periods (FOLDER was written by `prowess shard`), fit, tune, resample or swiss; 0 workers is
one process. KILL_AFTER seconds a worker is killed with SIGKILL. What the work is done on is read or
fitted before the clock starts, and a small part of the work is done once before it, so that every
process has compiled its loops. Prints the seconds, the processor seconds of this process and of all
workers, and the digest of the result.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from make import Population, make_table

import prowess
from prowess.engine.cluster.dask import start_local

PERIOD = "7d"
GAMES, PLAYERS = 1_000_000, 1_000  # of the table that is resampled
RESAMPLINGS = 1_000
RUNS, ROUNDS, FIELD = 20_000, 9, 60  # of the Swiss tournament that is simulated

Work = Callable[[Any], Any]  # what is done on a cluster, or on None; the result


def rate_periods(folder: Path) -> tuple[Work, Work]:
    """Glicko-2 by weeks."""
    small = make_few(1_000)
    return (
        lambda cluster: prowess.rate(small, "glicko2", period=PERIOD, cluster=cluster),
        lambda cluster: prowess.rate(folder, "glicko2", period=PERIOD, cluster=cluster),
    )


def fit(folder: Path) -> tuple[Work, Work]:
    """Bradley-Terry with a prior: every player has a rating, however few their games."""
    small, games = make_few(20_000, 100_000), prowess.read_games(folder)
    return (
        lambda cluster: prowess.rate(small, "map", cluster=cluster),
        lambda cluster: prowess.rate(games, "map", cluster=cluster),
    )


def tune(folder: Path) -> tuple[Work, Work]:
    """Glicko-2's tau by weeks: a task is a setting."""

    def search(games: Any, cluster: Any) -> Any:
        how = {"period": PERIOD, "over": {"tau": (0.2, 1.2)}, "starts": 3}
        return prowess.tune(games, "glicko2", progress=False, cluster=cluster, **how).setting

    small, games = make_few(10_000), prowess.read_games(folder)
    return lambda cluster: search(small, cluster), lambda cluster: search(games, cluster)


def resample(folder: Path) -> tuple[Work, Work]:
    """Intervals of Bradley-Terry ratings from resamplings of a table of its own."""
    ratings = prowess.rate(make_few(GAMES), "bradley_terry")
    return (
        lambda cluster: ratings.bootstrap(10, cluster=cluster),
        lambda cluster: ratings.bootstrap(RESAMPLINGS, cluster=cluster),
    )


def swiss(folder: Path) -> tuple[Work, Work]:
    """A Swiss tournament of the best players, whose strengths are sampled."""
    ratings = prowess.rate(make_few(100_000), "glicko2")

    def simulate(runs: int, cluster: Any) -> Any:
        return prowess.swiss(ratings, ROUNDS, best=FIELD, runs=runs, cluster=cluster)

    return lambda cluster: simulate(2_000, cluster), lambda cluster: simulate(RUNS, cluster)


def make_few(games: int, players: int = PLAYERS) -> Any:
    """A table of few players, who have many games each, so that all ratings exist."""
    return prowess.read_games(make_table(Population(players, 7, ids=False), 7, 0, games))


WORK = {"periods": rate_periods, "fit": fit, "tune": tune, "resample": resample, "swiss": swiss}


def digest_result(result: Any) -> str:
    """The first digits of SHA-256 of a leaderboard, of another table, or of a setting."""
    if isinstance(result, dict):
        return hashlib.sha256(repr(result).encode()).hexdigest()[:16]
    digest = hashlib.sha256()
    table = result.leaderboard() if hasattr(result, "leaderboard") else result
    for name, column in sorted(table.to_columns().items()):
        values = np.asarray(column)
        whole = "\n".join(column).encode() if values.dtype.kind in "OUT" else values.tobytes()
        digest.update(name.encode() + whole)
    return digest.hexdigest()[:16]


def kill_worker(client: Any, after: float) -> None:
    """Kill one worker in a while; its nanny starts another."""
    process = min(client.run(os.getpid).values())
    threading.Timer(after, os.kill, (process, signal.SIGKILL)).start()


def busy_seconds(client: Any) -> dict[str, float]:
    """The processor seconds of every worker."""
    return dict(client.run(time.process_time, on_error="ignore")) if client else {}


def main(name: str, folder: str, workers: str, kill_after: str = "") -> None:
    """Do the work once."""
    small, work = WORK[name](Path(folder))
    with start_local(int(workers)) if int(workers) else nullcontext() as client:
        small(client)
        before, own = busy_seconds(client), time.process_time()
        if kill_after:
            kill_worker(client, float(kill_after))
        began = time.perf_counter()
        result = work(client)
        seconds, own = time.perf_counter() - began, time.process_time() - own
        busy = sum(after - before.get(who, 0.0) for who, after in busy_seconds(client).items())
        print(f"{seconds:.3f} {own:.3f} {busy:.3f} {digest_result(result)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
