"""Massey: least-squares ratings whose differences match the margins of the games.

Formula   minimise  sum over games  (margin - (r_a - r_b) - h side)^2,   sum r = 0
          M r = p - h c,  M_ii = games of i,  M_ij = - games of i and j,
          p_i = sum of margins of i,  c_i = home games - away games of i
Source    K. Massey, "Statistical Models Applied to the Rating of Sports Teams", honors
          project, Bluefield College (1997), chapters 2 to 4; A. N. Langville and C. D. Meyer,
          "Who's #1?" (2012), chapter 2.
Units     rating, home, advantage: goals or points of a game; the mean rating is 0.
Differs   the sum of the ratings is held at 0 by adding 1 to every entry of M, which leaves no
          equation out. home = fitted estimates one advantage h of the side for the league; the
          default ignores it. cap cuts larger margins to that many points; 0 cuts none.
          A margin is no chance of winning: there is no forecast.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NamedTuple

import numpy as np

from prowess.engine.pairings import as_column, balance, linked_players, pairings
from prowess.engine.system import Choice, Range, Unratable
from prowess.engine.whole_table import Fit, WholeTable
from prowess.games.games import Games

IGNORED, FITTED = 0, 1
BLURRED = 1e-9  # of the games that have a side; less says nothing about the advantage


class Params(NamedTuple):
    home: Annotated[int, Choice("ignored", "fitted"), "whether home advantage is fitted"] = IGNORED
    cap: Annotated[float, Range(0, 1e6, "points; 0: none"), "greatest margin that counts"] = 0.0


def fit(p: Params, table: Games, anchors: Mapping[int, float]) -> Fit:
    """The least squares solution."""
    pairs = pairings(table, by_points=False)
    players = linked_players(pairs, "massey")
    count = len(table.players)
    assert table.margin is not None  # `needs` says so
    weight = np.ones(len(table)) if table.weight is None else table.weight
    margin = np.clip(table.margin, -p.cap, p.cap) if p.cap > 0.0 else table.margin

    met = pairs.battles[np.ix_(players, players)]
    matrix = np.diag(met.sum(axis=1)) - met + 1.0  # any multiple of "sum r = 0" may be added
    margins = np.linalg.solve(matrix, balance(table, margin)[players])
    if p.home == IGNORED or table.side is None:
        notes = ("the table has no sides: no home advantage is fitted",) * p.home
        return Fit({"rating": as_column(margins - margins.mean(), players, count)}, notes)
    venues = balance(table, table.side)[players]
    shift = np.linalg.solve(matrix, venues)
    known = float(weight @ table.side**2)
    seen = known - float(venues @ shift)
    if seen <= BLURRED * known:
        raise Unratable.of("sides_not_separable.massey")
    home = (float(weight @ (table.side * margin)) - float(venues @ margins)) / seen
    rating = margins - home * shift
    rating -= rating.mean()
    return Fit({"rating": as_column(rating, players, count)}, figures={"home": home})


MASSEY = WholeTable(
    name="massey",
    family="tables",
    params=Params(),
    columns=("rating",),
    fit=fit,
    needs=("margin",),
    narrow=True,
)
