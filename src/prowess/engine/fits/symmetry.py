"""Symmetry classes: players whom no result distinguishes, and an order that uses no names.

Two players are in one class if they have the same results against players of the same classes.
Classes are refined until nothing changes. To order all players without using their names, one
player of a class is put before the others and the classes are refined again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.tally import Tally

    Ids = NDArray[np.int64]


DIGITS = 9  # of sums of weights, which rounding may tell apart
MOST_SPLIT = 60  # players; in larger leagues symmetric players keep the order of the roster


class SymmetryClasses(NamedTuple):
    """`order`: the unknown players, [k]; `kind`: the class of every player, [players]."""

    order: Ids
    kind: Ids


def symmetry_classes(tally: Tally, known: Mapping[int, float]) -> SymmetryClasses:
    """Order all players who have results and no known rating."""
    rows: list[list[tuple[int, tuple[float, ...]]]] = [[] for _ in range(tally.players)]
    columns = (tally.a, tally.b, tally.side, tally.wins, tally.draws, tally.losses)
    for a, b, side, wins, draws, losses in zip(*(c.tolist() for c in columns), strict=True):
        w, d, v = round(wins, DIGITS), round(draws, DIGITS), round(losses, DIGITS)
        if a not in known:
            rows[a].append((b, (side, w, d, v)))
        if b not in known:
            rows[b].append((a, (-side, v, d, w)))
    levels = {rating: rank for rank, rating in enumerate(sorted(set(known.values())))}
    start = [1 + levels[known[i]] if i in known else 0 for i in range(tally.players)]
    kind = refine_classes(start, rows)
    unknown = [i for i in range(tally.players) if rows[i]]
    split = kind
    while len(unknown) <= MOST_SPLIT:
        here = [split[i] for i in unknown]
        tied = [k for k in here if here.count(k) > 1]
        if not tied:
            break
        ahead = min(i for i in unknown if split[i] == min(tied))
        split = refine_classes([2 * k - (i == ahead) for i, k in enumerate(split)], rows)
    unknown.sort(key=lambda i: (split[i], i))
    return SymmetryClasses(np.array(unknown, dtype=np.int64), np.array(kind, dtype=np.int64))


def refine_classes(kind: list[int], rows: list[list[tuple[int, tuple[float, ...]]]]) -> list[int]:
    """Classes of players with the same results against the same classes."""
    count = len(set(kind))
    while True:
        signs = [
            (kind[i], tuple(sorted((kind[other], *result) for other, result in rows[i])))
            for i in range(len(kind))
        ]
        number = {sign: k for k, sign in enumerate(sorted(set(signs)))}
        kind = [number[sign] for sign in signs]
        if len(number) == count:
            return kind
        count = len(number)
