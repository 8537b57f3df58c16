"""Logs that hold each game once for each side, with the points of the row's own side alone."""

from __future__ import annotations

import pytest

import prowess


def test_points_come_from_both_rows():
    """Each row has its own points; the game has those of both rows, and who was at home."""
    games = prowess.read_games({
        "TEAM": ["LAL", "NYK", "BOS", "LAL"], "GAME_ID": ["G1", "G1", "G2", "G2"],
        "MATCHUP": ["LAL @ NYK", "NYK vs. LAL", "BOS vs. LAL", "LAL @ BOS"],
        "WL": ["W", "L", "W", "L"], "PTS": [110, 108, 120, 99],
    })  # fmt: skip
    pairs = [(games.players[a], games.players[b]) for a, b in zip(games.a, games.b, strict=True)]
    assert pairs == [("NYK", "LAL"), ("BOS", "LAL")]
    assert games.points_a.tolist() == [108.0, 120.0]
    assert games.points_b.tolist() == [110.0, 99.0]
    assert games.side.tolist() == [1.0, 1.0]


def test_the_first_sentence_is_no_heading():
    """A column of sentences without a heading loses no game to it."""
    games = prowess.read_games({"Ann beat Ben": ["Ben beat Ann in 3", "Ann drew with Ben"]})
    assert games.score.tolist() == [1.0, 1.0, 0.5]


@pytest.mark.parametrize(
    ("where", "own", "other"),
    [(("C", "F"), "GF", "GC"), (("C", "T"), "GF", "GS"), (("T", "U"), "DV", "DT")],
)
def test_letters_of_home_and_away(where, own, other):
    """The letters of one language tell who was at home; points for and against make the score."""
    games = prowess.read_games({
        "Team": ["Lugo", "Soria"], "Date": ["2024-09-07", "2024-09-14"], "/".join(where): where,
        "Opponent": ["Soria", "Lugo"], own: [3, 0], other: [0, 1],
    })  # fmt: skip
    assert games.side.tolist() == [1.0, -1.0]
    assert (games.points_a.tolist(), games.points_b.tolist()) == ([3.0, 0.0], [0.0, 1.0])


def test_letters_of_results_are_no_grounds():
    """D and E may be a defeat and a draw."""
    games = prowess.read_games({
        "Team": ["Lugo", "Soria"], "Opponent": ["Soria", "Lugo"], "Result": ["D", "E"],
        "GF": [0, 1], "GC": [2, 1],
    }, outcomes={"D": 0, "E": 0.5})  # fmt: skip
    assert games.side is None
