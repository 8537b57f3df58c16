"""Rounds of shards on a cluster of dask.distributed: one task a shard and round.

A task takes the rows of all players and returns those of its own; the rows go from worker to
worker and not through the client. When a worker is lost, the cluster makes its rows again from
those before them, and these from theirs. So that this does not go back to the first round, rows
are gathered now and then, and the next rounds begin with what was gathered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.cluster.dask import (
    RETRIES,
    Dask,
    allow_large_values,
    name_losses,
    watch_workers,
)
from prowess.engine.cluster.machine import Machine, check_worker, describe_machine
from prowess.engine.cluster.tasks import return_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MOST_EDGES = 16  # shards; where there are more, one task puts the rows of all in a row
MOST_ROUNDS_APART = 10  # between two gatherings
GATHERING_PAUSE = 30.0  # seconds between two gatherings, about


def play_graph(
    workers: Dask,
    step: Callable[[Floats, Any], Floats],
    tasks_of: Callable[[int], Iterable[Any]],
    whole: Floats,
    bounds: Sequence[int],
    rounds: int,
    done: int = 0,
) -> Iterator[tuple[int, Floats]]:
    """Play so many rounds, of which some are `done`; each time that rows are gathered, how many
    are played and the rows.

    `step(rows of all, task)` gives the rows of one shard, which stand between two `bounds`;
    `tasks_of(round)` has a task for each shard, in order. Raises BadCluster.
    """
    client, options = workers.client, {"pure": False, "retries": RETRIES}
    machine, block = describe_machine(), 1
    while done < rounds:
        began, stop = perf_counter(), min(rounds, done + block)
        with allow_large_values(), name_losses(client):
            parts = [
                client.submit(return_value, part, **options)
                for part in np.split(whole, bounds[1:-1])
            ]
            for number in range(done, stop):
                if len(parts) > MOST_EDGES:
                    parts = [client.submit(join_rows, *parts, **options)]
                parts = [
                    client.submit(step_of_parts, machine, step, task, *parts, **options)
                    for task in tasks_of(number)
                ]
            with watch_workers(client, parts):
                whole = join_rows(*client.gather(parts))
        seconds_each = (perf_counter() - began) / (stop - done)
        block = max(1, min(MOST_ROUNDS_APART, 2 * block, int(GATHERING_PAUSE / seconds_each)))
        done = stop
        yield done, whole


def join_rows(*parts: Floats) -> Floats:
    """The rows of all shards in a row."""
    return np.concatenate(parts)


def step_of_parts(
    machine: Machine, step: Callable[[Floats, Any], Floats], task: Any, *parts: Floats
) -> Floats:
    """A step, of the rows of each shard; here is where a worker begins, of the same `machine`."""
    check_worker(machine)
    return step(parts[0] if len(parts) == 1 else join_rows(*parts), task)
