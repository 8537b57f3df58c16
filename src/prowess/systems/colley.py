"""Colley: the share of wins by Laplace's rule, corrected for the strength of schedule.

Formula   (2 + n_i) r_i - sum_j n_ij r_j = 1 + (w_i - l_i) / 2
Source    W. N. Colley, "Colley's Bias Free College Football Ranking Method: The Colley Matrix
          Explained" (2002), equations 19 and 20.
Units     rating: around 1/2, the mean of all players; 1/2 is also a player without a game.
Differs   a draw is half a win and half a loss, which adds nothing to the right side; a score
          between 0 and 1 likewise. Players who never met, even through others, are compared
          through the common start at 1/2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from prowess.engine.pairings import as_column, balance, pairings
from prowess.engine.whole_table import Fit, WholeTable
from prowess.games.games import Games


class Params(NamedTuple):
    """No parameters."""


def fit(p: Params, table: Games, anchors: Mapping[int, float]) -> Fit:
    """The solution of Colley's equations, which always exists."""
    count = len(table.players)
    pairs = pairings(table, by_points=False)
    players = np.flatnonzero(pairs.met.any(axis=1))
    met = pairs.battles[np.ix_(players, players)]
    surplus = balance(table, table.score - 0.5)  # (wins - losses) / 2
    matrix = np.diag(2.0 + met.sum(axis=1)) - met
    # rounded, so that players with equal results share a rank
    rating = np.linalg.solve(matrix, 1.0 + surplus[players]).round(12)
    return Fit({"rating": as_column(rating, players, count)})


COLLEY = WholeTable(name="colley", family="tables", params=Params(), columns=("rating",), fit=fit)
