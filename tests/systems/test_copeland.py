"""Copeland: pairings won and even."""

from __future__ import annotations

from hypothesis import given

import prowess
from prowess.systems.copeland import COPELAND
from tests.engine.tables import games
from tests.systems.elections import counted, some_elections, some_leagues


@given(table=some_elections())
def test_points_by_hand(table):
    """1 for everybody beaten, 1/2 for everybody even."""
    votes = counted(table)
    ratings = prowess.rate(table, COPELAND)
    for k, a in enumerate(table.players):
        leads = [votes[a, b] - votes[b, a] for b in table.players if b != a]
        won, lost = sum(lead > 0 for lead in leads), sum(lead < 0 for lead in leads)
        assert ratings.column("points")[k] == won + 0.5 * (len(leads) - won - lost)
        assert ratings.column("balance")[k] == won - lost


@given(table=some_leagues())
def test_pl_is_copeland(table):
    """PL (2 for a pairing won, 1 for an even one) is twice Copeland's points (claim 10)."""
    pl = dict.fromkeys(table.players, 0)
    for a, b, score in zip(table.a, table.b, table.score, strict=True):
        pl[table.players[a]] += 2 if score > 0.5 else 1 if score == 0.5 else 0
        pl[table.players[b]] += 2 if score < 0.5 else 1 if score == 0.5 else 0
    points = 2 * prowess.rate(table, COPELAND).column("points")
    assert dict(zip(table.players, points.tolist(), strict=True)) == pl


def test_tally_of_points_or_of_results():
    """A pairing can be won by the points and lost by the games."""
    table = games(
        [("Ada", "Ben", 1.0), ("Ada", "Ben", 0.0), ("Ada", "Ben", 0.0)],
        points_a=[9, 2, 2],
        points_b=[1, 3, 3],
    )  # shares 0.9, 0.4, 0.4; one win of three
    assert prowess.rate(table, COPELAND).column("won").tolist() == [1, 0]
    assert prowess.rate(table, COPELAND, tally="result").column("won").tolist() == [0, 1]


def test_never_compared():
    """Who never met gives no point to either."""
    ratings = prowess.rate(games([("Ada", "Ben", 1.0), ("Cleo", "Dan", 0.5)]), COPELAND)
    assert ratings.column("points").tolist() == [1.0, 0.0, 0.5, 0.5]
