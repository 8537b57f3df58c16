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


@pytest.mark.parametrize(("winner", "loser", "points_first"), [
    ("W 3-1", "L 3-1", "the winner's points"), ("W 3-1", "L 1-3", "the row's own side"),
])  # fmt: skip
@pytest.mark.parametrize("winners", [(0,), (0, 1), (1,)])  # games whose winner has the first row
def test_whose_points_stand_first_is_noted_once(winner, loser, points_first, winners):
    """Also where the rows that tell it are those that are left out."""
    cells = [[winner, loser] if game in winners else [loser, winner] for game in (0, 1)]
    games = prowess.read_games({
        "date": ["2024-01-01"] * 2 + ["2024-01-02"] * 2,
        "player": ["Ann", "Ben", "Ann", "Cid"], "opponent": ["Ben", "Ann", "Cid", "Ann"],
        "result": [cell for game in cells for cell in game],
    })  # fmt: skip
    assert games.score.tolist() == [float(game in winners) for game in (0, 1)]
    assert [points_first in note for note in games.notes].count(True) == 1


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
