"""Who meets whom in one round of a Swiss tournament, by the rule that `swiss` states.

A search, one player after the other: each takes the nearest to his first choice whom he has not
met; where somebody is left without an opponent, the one before tries his next choice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.scalar_loops import run_loop

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

PATIENCE = 5_000  # choices for one round of one run before two may meet again


def paired(points: Floats, met: NDArray[np.bool_], waiting: NDArray[np.bool_]) -> tuple[Ids, Ids]:
    """Who meets whom, [runs, pairs] each, as numbers in the standing.

    points [runs, n] descend, met [runs, n, n] says who has met, `waiting` who is to be paired, an
    even number in every run.
    """
    runs, n = points.shape
    pairs = int(waiting[0].sum()) // 2
    higher, lower = (np.zeros(runs * pairs, dtype=np.int64) for _ in range(2))
    known = (met.ravel().astype(np.int64), waiting.ravel().astype(np.int64))
    run_loop(pairing_loop, runs * n * n / 4, n, pairs, points.ravel(), *known, higher, lower)
    return higher.reshape(runs, pairs), lower.reshape(runs, pairs)


def pairing_loop(
    n: int, pairs: int, points: Any, met: Any, waiting: Any, higher: Any, lower: Any
) -> None:
    """Pair every run; all arrays are flat."""
    for one in range(len(points) // n):
        if not search(n, pairs, one, points, met, waiting, higher, lower, True):
            search(n, pairs, one, points, met, waiting, higher, lower, False)


def search(
    n: int,
    pairs: int,
    one: int,
    points: Any,
    met: Any,
    waiting: Any,
    higher: Any,
    lower: Any,
    strict: bool,
) -> bool:
    """Pair one run; `strict` lets nobody meet twice. Whether that was done."""
    free = [waiting[one * n + k] for k in range(n)]
    tried = [-1 for _ in range(pairs)]  # the distance of the choice that stands
    depth, choices = 0, 0
    while depth < pairs:
        first = 0
        while free[first] == 0:
            first += 1
        free[first] = 0
        second, distance = next_choice(n, one, points, met, free, first, tried[depth], strict)
        choices += 1
        if second >= 0:
            free[second] = 0
            higher[one * pairs + depth], lower[one * pairs + depth] = first, second
            tried[depth] = distance
            depth += 1
        else:
            free[first] = 1
            tried[depth] = -1
            depth -= 1
            if depth < 0 or choices > PATIENCE:
                return False
            free[higher[one * pairs + depth]] = 1
            free[lower[one * pairs + depth]] = 1
    return True


def next_choice(
    n: int, one: int, points: Any, met: Any, free: Any, first: int, beyond: int, strict: bool
) -> tuple[int, int]:
    """The nearest to the first choice of `first` that is further than `beyond`; -1: nobody."""
    own = points[one * n + first]
    size = 1
    for k in range(first + 1, n):
        if free[k] == 1 and points[one * n + k] == own:
            size += 1
    half, place = size // 2, 0
    best, least = -1, 4 * n
    for k in range(first + 1, n):
        if free[k] == 0:
            continue
        distance = n + k
        if points[one * n + k] == own:
            place += 1
            distance = place - half if place >= half else size - place
        if beyond < distance < least and not (strict and met[(one * n + first) * n + k] == 1):
            best, least = k, distance
    return best, least
