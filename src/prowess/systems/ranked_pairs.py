"""Ranked pairs: majorities are locked, the strongest first, unless they close a cycle.

Formula   majorities A over B in descending order of their strength;
          lock each, unless locked ones already lead from B to A
          A is above B if locked majorities lead from A to B
          level = 1 for those with none above, then again without them
Source    T. N. Tideman, "Independence of clones as a criterion for voting rules", Social Choice
          and Welfare 4 (1987); on the pairing scores of a league:
          "Darkcanuck/RRServer/Ratings", RoboWiki.
Units     level: places, 1 is best; above, below: players; strengths: ballots, or for games the
          pairing score; time: not used.
Differs   majorities of equal strength are taken in the order of the winner's name, then of the
          loser's, where Tideman looks at all orders; by votes for or against, or their ratio,
          instead of margins if so set. Players not ordered by locked majorities share a level.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Truths
from prowess.engine.votes import ORDER_COLUMNS, MajorityParams, Preferences, preferences, rank_order
from prowess.engine.whole_table import BALLOTS, GAMES, Fit, WholeTable
from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


class RankedPairsModel(NamedTuple):
    """The preferences and locked majorities behind the levels: `ratings.fit.model`."""

    preferences: Preferences
    locked: LockedMajorities  # majorities in their order, and which were skipped


def fit(p: MajorityParams, table: Games, anchors: Mapping[int, float]) -> Fit:
    """Levels of the order that the locked majorities make."""
    votes = preferences(table, p.tally, p.unranked)
    pairs = lock_majorities(votes, votes.strength(p.strength))
    skipped = float(pairs.skipped.sum())
    figures = {"majorities": float(len(pairs.skipped)), "skipped": skipped}
    return rank_order(votes, pairs.above, figures, model=RankedPairsModel(votes, pairs))


RANKED_PAIRS = WholeTable(
    name="ranked_pairs",
    family="votes",
    params=MajorityParams(),
    columns=ORDER_COLUMNS,
    fit=fit,
    reads=(GAMES, BALLOTS),
    lowest_first=True,
    breaks=MappingProxyType(
        {"names": "the specification breaks ties of equal majorities by the players' names"}
    ),
)


# Paths of majorities: the strongest from one player to another, and those that close no cycle.


class LockedMajorities(NamedTuple):
    """Majorities in their order, which of them were skipped, and what follows from the rest."""

    winner: Integers  # [m], strongest majority first
    loser: Integers  # [m]
    skipped: Truths  # [m]
    above: Truths  # [n, n]: a path of locked majorities leads from the row's to the column's


def lock_majorities(preferences: Preferences, strength: Floats) -> LockedMajorities:
    """Lock each majority, the strongest first, unless it would close a cycle.

    Equal ones go by the names of winner and loser. What can be reached is kept up to date, so a
    majority that says nothing new costs nothing.
    """
    winner, loser = np.nonzero(preferences.beats)
    name = np.empty(len(preferences.players), dtype=np.int64)
    players = list(preferences.players)
    name[sorted(range(len(players)), key=players.__getitem__)] = np.arange(
        len(players), dtype=np.int64
    )
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
    return LockedMajorities(winner, loser, skipped, above)
