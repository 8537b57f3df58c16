"""Schulze: players are ordered by the strongest paths of majorities between them.

Formula   s(A, B) = the strength of the majority for A over B, 0 if there is none
          p(A, B) = max over paths A, ..., B of the min of s along the path
          A is above B if p(A, B) > p(B, A); equal: neither is
          level   = 1 for those with none above, then again without them
Source    M. Schulze, "The Schulze Method of Voting", arXiv:1804.02973, sections 2.2 and 2.3;
          on the pairing scores of a league: "Darkcanuck/RRServer/Ratings", RoboWiki.
Units     level: places, 1 is best; above, below: players; strengths: ballots, or for games the
          pairing score; time: not used.
Differs   strength is a number and not the paper's pair of votes for and against: majorities that
          are equal by it (winning_votes: as many votes for) are equal. losing_votes are all
          ballots less those against; ratio takes all majorities without a vote against as equal.
          Players who never met have strength 0 both ways.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.votes import ORDER_COLUMNS, MajorityParams, Preferences, preferences, rank_order
from prowess.engine.whole_table import BALLOTS, GAMES, Fit, WholeTable
from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SchulzeModel(NamedTuple):
    """What the levels derive from, [n, n] in roster order: `ratings.fit.model`."""

    preferences: Preferences
    strength: NDArray[np.float64]  # of each majority
    path: NDArray[np.float64]  # of the strongest path


def fit(p: MajorityParams, table: Games, anchors: Mapping[int, float]) -> Fit:
    """Levels of the order by strongest paths."""
    votes = preferences(table, p.tally, p.unranked)
    strength = votes.strength(p.strength)
    path = widest_paths(strength)
    return rank_order(votes, path > path.T, model=SchulzeModel(votes, strength, path))


SCHULZE = WholeTable(
    name="schulze",
    family="votes",
    params=MajorityParams(),
    columns=ORDER_COLUMNS,
    fit=fit,
    reads=(GAMES, BALLOTS),
    lowest_first=True,
)


def widest_paths(strength: Floats) -> Floats:
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
