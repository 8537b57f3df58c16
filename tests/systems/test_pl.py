"""PL by hand and on a real table."""

from __future__ import annotations

from statistics import mean

import pytest

import prowess
from prowess.engine.fit import fit_table
from prowess.systems.aps import PL
from tests.engine.tables import games
from tests.systems.rumble_table import TABLE, shares


def test_two_points_one_point_none():
    """A pairing won is worth 2, an even one 1, a lost one nothing, by whatever share."""
    rows = [("Ada", "Ben", 0.51), ("Ada", "Cleo", 0.5), ("Ben", "Cleo", 1.0)]
    ratings = fit_table(games(rows), PL)
    table = [ratings.column(name).tolist() for name in ("points", "won", "tied", "lost")]
    assert table == [[3, 2, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]]


@pytest.mark.parametrize(("scores", "points"), [("share", [2, 0]), ("result", [0, 2])])
def test_shares_or_results(scores, points):
    """A pairing is won by the share of the points, or by battles with scores = result."""
    rows = [("Ada", "Ben", 1.0), ("Ada", "Ben", 0.0), ("Ada", "Ben", 0.0)]
    table = games(rows, points_a=[90.0, 45.0, 45.0], points_b=[10.0, 55.0, 55.0])
    ratings = fit_table(table, PL, params={"scores": scores})
    assert ratings.column("points").tolist() == points


def test_a_real_table():
    """On 3,968 battles of 32 bots, points are what a plain count of pairings gives."""
    ratings = prowess.rate(TABLE, "pl")
    for bot, against in shares().items():
        pairings = list(map(mean, against.values()))
        won = sum(score > 0.5 + 1e-12 for score in pairings)
        tied = sum(abs(score - 0.5) <= 1e-12 for score in pairings)
        assert ratings[bot].points == 2 * won + tied
    assert sum(ratings.column("points")) == 32 * 31  # two points a pairing
