"""Keener: the Perron eigenvector of the shares of points between players.

Formula   a_ij = h((S_ij + k) / (S_ij + S_ji + 2k)) / n_i,   S_ij points of i against j, n_i games
          h(x) = 1/2 + 1/2 sgn(x - 1/2) sqrt |2x - 1|
          A r  = lambda r,  the largest lambda;  sum r = 1
Source    J. P. Keener, "The Perron-Frobenius Theorem and the Ranking of Football Teams", SIAM
          Review 35 (1993), equations 2.3 to 2.6, the linear method with smoothed shares.
Units     rating: a share of the whole league's strength, the sum is 1; smoothing k: points.
Differs   without points in the table the scores (1, 1/2, 0) replace them. skew = none leaves h
          out. The eigenvector is found by power iteration on A + lambda' I, which has the same
          one and cannot oscillate; it must converge, and the players must be linked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.pairings import as_column, linked_players, pair_sums, pairings, power_iteration
from prowess.engine.system import Choice, Range
from prowess.engine.whole_table import Fit, Points, WholeTable
from prowess.games.games import Games

SQUARE_ROOT = 0


class Params(NamedTuple):
    smoothing: Annotated[float, Range(0.01, 1000, "points"), "points added to both of a pair"] = 1.0
    skew: Annotated[int, Choice("square_root", "none"), "the weight of one-sided results"] = (
        SQUARE_ROOT
    )


def fit(p: Params, table: Games, anchors: Mapping[int, float]) -> Fit:
    """The Perron vector of the table of shares."""
    pairs = pairings(table, by_points=False)
    players = linked_players(pairs, "keener")
    rows = np.ix_(players, players)
    battles, taken = pairs.battles[rows], _points(table)[rows]
    share = (taken + p.smoothing) / (taken + taken.T + 2.0 * p.smoothing)
    if p.skew == SQUARE_ROOT:
        share = 0.5 + 0.5 * np.sign(share - 0.5) * np.sqrt(np.abs(2.0 * share - 1.0))
    strength = np.where(battles > 0.0, share, 0.0) / battles.sum(axis=1, keepdims=True)
    own = strength.sum(axis=1).max()  # at least lambda; keeps the iteration from oscillating
    rating = power_iteration(lambda r: strength @ r + own * r, len(players), "keener")
    return Fit({"rating": as_column(rating, players, len(table.players))})


def _points(table: Games) -> Floats:
    """Points of each player against each other one in all their games, [n, n]."""
    mine, theirs = table.points_a, table.points_b
    if mine is None or theirs is None:
        mine, theirs = table.score, 1.0 - table.score
    return pair_sums(table, mine, theirs)


KEENER = WholeTable(
    name="keener",
    family="tables",
    params=Params(),
    columns=("rating",),
    fit=fit,
    points=Points(),
    breaks={
        "monotone": "beating a player makes that player weaker, and also those who draw their "
        "strength from the shares they take from that player"
    },
)
