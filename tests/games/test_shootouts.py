"""Shoot-outs that a column tells without saying who won them."""

from __future__ import annotations

from prowess.games import BadData, read_games
from tests.refusals import refused

FLAGGED = {
    "home": ["Ann", "Ben", "Cleo", "Ann"],
    "away": ["Ben", "Cleo", "Ann", "Cleo"],
    "score": ["1-1", "2-0", "0-1", "2-2"],
    "pens": ["yes", "no", "no", "no"],
}


def test_a_shoot_out_without_a_winner_is_asked_about():
    """A level game that kicks decided is no draw, and nothing tells who won it."""
    with refused(BadData, "shoot_out_open") as caught:
        read_games(FLAGGED)
    assert "winner=" in str(caught.value)
    left = read_games(FLAGGED, exclude={"pens": "yes"})
    assert left.score.tolist() == [1.0, 0.0, 0.5]


def test_penalties_within_games_are_no_shoot_out():
    """A flag that stands beside decided games tells of kicks during the game."""
    table = {**FLAGGED, "pens": ["yes", "yes", "no", "no"]}
    assert read_games(table).score.tolist() == [0.5, 1.0, 0.0, 0.5]


def test_states_count_where_the_caller_names_the_result():
    """A game that is being played does not count, whoever names the columns."""
    table = {**FLAGGED, "pens": ["", "", "", ""], "status": ["FT", "FT", "HT", "FT"]}
    games = read_games(table, result="score")
    assert games.score.tolist() == [0.5, 1.0, 0.5]
