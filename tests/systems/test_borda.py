"""Borda: ballots counted name by name, and both readings for a league."""

from __future__ import annotations

import pytest
from hypothesis import given

import prowess
from prowess.systems.borda import BORDA, BORDA_TALLY
from tests.engine.tables import games
from tests.systems.elections import CANDIDATES, counted, election, some_elections, some_leagues


@given(table=some_elections())
def test_points_name_by_name(table):
    """A point for everybody placed below and half a point for everybody placed equal."""
    votes = counted(table)
    cast = table.weight.sum()
    ratings = prowess.rate(table, BORDA)
    for k, a in enumerate(table.players):
        others = [b for b in table.players if b != a]
        # votes for, and half of the ballots that prefer neither
        by_hand = sum(votes[a, b] + 0.5 * (cast - votes[a, b] - votes[b, a]) for b in others)
        assert ratings.column("points")[k] == pytest.approx(by_hand, rel=1e-12)


@given(table=some_elections())
def test_tally_is_all_votes(table):
    """The other reading adds up the votes over each of the others."""
    votes = counted(table)
    ratings = prowess.rate(table, BORDA_TALLY)
    for k, a in enumerate(table.players):
        by_hand = sum(votes[a, b] for b in table.players if b != a)
        assert ratings.column("points")[k] == pytest.approx(by_hand, rel=1e-12)


@given(table=some_leagues())
def test_every_player_is_a_ballot(table):
    """In a league everybody ranks all others by their score against him."""
    score = {}
    for a, b, s in zip(table.a, table.b, table.score, strict=True):
        score[table.players[a], table.players[b]] = s
        score[table.players[b], table.players[a]] = round(1.0 - s, 9)
    points = dict.fromkeys(table.players, 0.0)
    for voter in table.players:
        others = [name for name in table.players if name != voter]
        for a in others:
            for b in others:
                if a != b:
                    lead = score[a, voter] - score[b, voter]
                    points[a] += 1.0 if lead > 1e-9 else 0.5 if lead > -1e-9 else 0.0
    ratings = prowess.rate(table, BORDA)
    assert dict(zip(table.players, ratings.column("points"), strict=True)) == points


def test_unranked():
    """The unranked share what is left below the ranked, or get nothing."""
    table = election([(2, [["Ada"], ["Ben"]])], CANDIDATES[:4])
    shared = prowess.rate(table, BORDA).column("points")
    assert shared.tolist() == [6.0, 4.0, 1.0, 1.0]  # 2 * (3, 2, and 1/2 each of the 1 left)
    nothing = prowess.rate(table, BORDA, unranked="ignored").column("points")
    assert nothing.tolist()[:2] == [6.0, 4.0]


def test_who_never_met_is_not_ranked():
    """A player says nothing about those he never met."""
    table = games([("Ada", "Ben", 1.0), ("Ada", "Cleo", 0.0), ("Dan", "Eve", 1.0)])
    # only Ada has met two: on her ballot Cleo, who beat her, is above Ben
    assert prowess.rate(table, BORDA).column("points").tolist() == [0.0, 0.0, 1.0, 0.0, 0.0]
