"""PageRank: every loser votes for the winners, and strong voters count more.

Formula   r_i = (1 - d) / n + d sum_j r_j v_ji / v_j,   v_ji = what j lost to i, v_j = all j lost
Source    L. Page, S. Brin, R. Motwani and T. Winograd, "The PageRank Citation Ranking: Bringing
          Order to the Web", Stanford InfoLab 1999-66 (1999); for teams: A. Y. Govan, C. D.
          Meyer and R. Albright, "Generalizing Google's PageRank to Rank National Football
          League Teams", SAS Global Forum 2008, paper 151.
Units     rating: a share of all votes, the sum is 1; damping d: a probability.
Differs   a game is one vote: the share of the score goes to each side, so a draw is half a vote
          each way. votes = margins weighs a game by its margin, as Govan et al. do. Players without
          a loss vote for all alike, also for themselves. Votes are counted, not averaged: a
          player with more games can collect more, so all should play about as often.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.pairings import as_column, pair_sums, pairings, power_iteration
from prowess.engine.system import Choice, Range, Unratable
from prowess.engine.whole_table import Fit, WholeTable
from prowess.games.games import Games

GAMES, MARGINS = 0, 1


class Params(NamedTuple):
    damping: Annotated[float, Range(0, 0.99, "probability"), "chance that a vote is passed on"] = (
        0.85
    )
    votes: Annotated[int, Choice("games", "margins"), "votes of a loss"] = GAMES


def fit(p: Params, table: Games, anchors: Mapping[int, float]) -> Fit:
    """The stationary distribution of a walk along the votes."""
    pairs = pairings(table, by_points=False)
    players = np.flatnonzero(pairs.met.any(axis=1))
    votes = _votes(p, table)[np.ix_(players, players)]  # row j: what j gave to whom
    given = votes.sum(axis=1)
    silent = given == 0.0
    chances = votes / np.where(silent, 1.0, given)[:, None]
    count = len(players)

    def step(r: Floats) -> Floats:
        everywhere = (1.0 - p.damping + p.damping * r[silent].sum()) / count
        after: Floats = everywhere + p.damping * (r @ chances)
        return after

    rating = power_iteration(step, count, "pagerank")
    return Fit({"rating": as_column(rating, players, len(table.players))})


def _votes(p: Params, table: Games) -> Floats:
    """What each player (row) lost to each other, [n, n]."""
    to_a, to_b = table.score, 1.0 - table.score
    if p.votes == MARGINS:
        if table.margin is None:
            raise Unratable.of("no_margins")
        to_a, to_b = np.maximum(table.margin, 0.0), np.maximum(-table.margin, 0.0)
    return pair_sums(table, to_b, to_a)


PAGERANK = WholeTable(
    name="pagerank",
    family="tables",
    params=Params(),
    columns=("rating",),
    fit=fit,
    breaks={
        "monotone": "a player who no longer loses to one opponent gives more votes to the others, "
        "who may gain more than that player does"
    },
)
