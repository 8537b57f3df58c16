"""Ranked pairs: majorities are locked in, the strongest first, unless they close a circle.

Formula   majorities A over B in descending order of their strength;
          lock each, unless locked ones already lead from B to A
          A is above B if locked majorities lead from A to B
          level = 1 for those whom nobody is above, then again without them
Source    T. N. Tideman, "Independence of clones as a criterion for voting rules", Social Choice
          and Welfare 4 (1987); on the pairing scores of a league:
          "Darkcanuck/RRServer/Ratings", RoboWiki.
Units     level: places, 1 is best; above, below: players; strengths: ballots, or for games the
          pairing score; time: not used.
Differs   majorities of equal strength are taken in the order of the winner's name, then of the
          loser's, where Tideman looks at all orders; by votes for or against, or their ratio,
          instead of margins if so asked. Who is not ordered by locked majorities shares a level.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from prowess.engine.pairs.levels import levels, told
from prowess.engine.pairs.paths import Locked, locked
from prowess.engine.pairs.preferences import (
    BELOW,
    SHARE,
    WINNING_VOTES,
    Preferences,
    Strength,
    Tally,
    Unranked,
    preferences,
)
from prowess.engine.whole_table import BALLOTS, GAMES, Fit, WholeTable
from prowess.games.games import Games


class Params(NamedTuple):
    strength: Strength = WINNING_VOTES
    tally: Tally = SHARE
    unranked: Unranked = BELOW


class Model(NamedTuple):
    """What the levels came from: `ratings.fit.model`."""

    preferences: Preferences
    locked: Locked  # majorities in their order, and which were skipped


def fit(p: Params, table: Games, anchors: Mapping[int, float]) -> Fit:
    """Levels of the order that the locked majorities make."""
    votes = preferences(table, p.tally, p.unranked)
    pairs = locked(votes, votes.strength(p.strength))
    level = levels(pairs.above, votes.standing)
    columns = {
        "level": level,
        "above": pairs.above.sum(axis=1),
        "below": pairs.above.sum(axis=0),
    }
    skipped = int(pairs.skipped.sum())
    figures = {"majorities": float(len(pairs.skipped)), "skipped": float(skipped)}
    return Fit(columns, told(votes, level == 1), figures, model=Model(votes, pairs))


RANKED_PAIRS = WholeTable(
    name="ranked_pairs",
    family="votes",
    params=Params(),
    columns=("level", "above", "below"),
    fit=fit,
    reads=(GAMES, BALLOTS),
    lowest_first=True,
    breaks=MappingProxyType(
        {"names": "the specification breaks ties of equal majorities by the players' names"}
    ),
)
