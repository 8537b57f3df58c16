"""Paths of majorities: the strongest from one player to another, and those that close no circle."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.pairs.preferences import Preferences

    Floats = NDArray[np.float64]
    Truths = NDArray[np.bool_]
    Integers = NDArray[np.int64]


def widest(strength: Floats) -> Floats:
    """p[a, b]: the strength of the weakest link of the strongest path from a to b, [n, n].

    `strength` [n, n] of the links is 0 where there is none. After step k paths may go through
    the first k players (R. W. Floyd, "Algorithm 97: Shortest Path", Communications of the ACM 5
    (1962), with max and min for min and +). The diagonal is 0.
    """
    path = strength.copy()
    through = np.empty_like(path)
    for k in range(len(path)):
        np.minimum(path[:, k, None], path[k], out=through)
        np.maximum(path, through, out=path)
    np.fill_diagonal(path, 0.0)
    return path


class Locked(NamedTuple):
    """Majorities in their order, which of them were skipped, and what follows from the rest."""

    winner: Integers  # [m], strongest majority first
    loser: Integers  # [m]
    skipped: Truths  # [m]
    above: Truths  # [n, n]: a path of locked majorities leads from the row's to the column's


def locked(preferences: Preferences, strength: Floats) -> Locked:
    """Lock each majority, the strongest first, unless it would close a circle.

    Equal ones go by the names of winner and loser. What can be reached is kept up to date, so a
    majority that says nothing new costs nothing.
    """
    winner, loser = np.nonzero(preferences.beats)
    name = np.empty(len(preferences.players), dtype=np.int64)
    players = list(preferences.players)
    name[sorted(range(len(players)), key=players.__getitem__)] = np.arange(len(players))
    order = np.lexsort((name[loser], name[winner], -strength[winner, loser]))
    winner, loser = winner[order], loser[order]
    above = np.zeros(preferences.votes.shape, dtype=np.bool_)
    skipped = np.zeros(len(order), dtype=np.bool_)
    for row, (a, b) in enumerate(zip(winner.tolist(), loser.tolist(), strict=True)):
        if above[b, a]:
            skipped[row] = True
        elif not above[a, b]:
            reaching = above[:, a] & ~above[:, b]
            reaching[a] = True
            reached = above[b].copy()
            reached[b] = True
            above[reaching] |= reached
    return Locked(winner, loser, skipped, above)
