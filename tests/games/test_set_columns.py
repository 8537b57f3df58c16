"""Sets in columns of their own, and results that look like something else."""

from __future__ import annotations

import pytest

from prowess import BadData, read_games
from tests.refusals import refused

PLAYERS = {"Spieler A": ["Ann", "Ben"], "Spieler B": ["Ben", "Cleo"]}


@pytest.mark.parametrize(
    "headings", [("1. Satz", "2. Satz", "3. Satz"), ("Set 1", "Set 2", "Set 3"), ("S1", "S2", "S3")]
)
def test_sets_make_the_result(headings):
    """Who won more sets won the game."""
    sets = (["11:5", "6-11"], ["9:11", "8-11"], ["11:8", None])
    games = read_games(PLAYERS | dict(zip(headings, sets, strict=True)), warn=False)
    assert (games.points_a.tolist(), games.points_b.tolist()) == ([2.0, 0.0], [1.0, 2.0])


@pytest.mark.parametrize(
    ("headings", "second"),
    [
        (("1. Satz", "2. Satz"), ["9:11", "11:8"]),  # as many for both
        (("1. Satz", "3. Satz"), ["11:8", "11:8"]),  # one is missing
        (("Halbzeit 1", "Halbzeit 2"), ["11:8", "11:8"]),  # no sets
    ],
)
def test_columns_that_decide_no_match_are_refused(headings, second):
    """Columns that decide no match are refused."""
    with pytest.raises(BadData):
        read_games({**PLAYERS, headings[0]: ["11:5", "11:7"], headings[1]: second})


def test_scores_that_a_spreadsheet_made_times_of():
    """Scores that a spreadsheet has turned into times of day are read as scores."""
    games = read_games({**PLAYERS, "Sätze": ["03:02:00", "00:03:00"]}, warn=False)
    assert (games.points_a.tolist(), games.points_b.tolist()) == ([3.0, 0.0], [2.0, 3.0])


@pytest.mark.parametrize("heading", ["Zeit", "Beginn"])
def test_times_under_a_heading_of_times_are_no_scores(heading):
    """Times under a heading of times are no scores."""
    with pytest.raises(BadData):
        read_games({**PLAYERS, heading: ["03:02:00", "00:03:00"]})


BOTS = {"player 1": ["X", "L", "W"], "player 2": ["W", "D", "D"]}


def test_names_that_are_words_for_results():
    """Every winner is one of the two players, and X is nothing else than a name."""
    games = read_games({**BOTS, "winner": ["X", "D", "D"]}, warn=False)
    assert games.score.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "winners",
    [
        ["D", "D", "W"],  # nobody called D plays the first game: a draw
        ["draw", "D", "W"],  # D may be a draw as well
    ],
)
def test_names_that_may_be_words_are_refused(winners):
    """Names that may be words are refused."""
    with refused(BadData, "name_is_a_word"):
        read_games({**BOTS, "winner": winners})


def test_a_verb_before_the_side_that_won():
    """A verb before the side that won is no part of its name."""
    table = {"Blancas": ["Ann", "Ben", "Cleo"], "Negras": ["Ben", "Cleo", "Ann"]}
    games = read_games(
        {**table, "Resultado": ["Ganan blancas", "Tablas", "Ganan las negras"]}, warn=False
    )
    assert games.score.tolist() == [1.0, 0.5, 0.0]


def test_lines_of_games_below_lines_of_days(tmp_path):
    """Lines of games below lines of days."""
    path = tmp_path / "games.txt"
    path.write_text("Monday 6 May 2024\nAnn def. Ben 2-0\n\nMonday 13 May 2024\nBen beat Ann 2-1\n")
    games = read_games(path, warn=False)
    assert games.score.tolist() == [1.0, 1.0]
    assert games.time is not None
    assert games.time.tolist() == [19849.0, 19856.0]  # days since 1970, by `date -d`
    path.write_text("Monday 6 May 2024\nAnn and Ben\nMonday 13 May 2024\nBen and Ann again\n")
    with pytest.raises(BadData):
        read_games(path)


def test_games_of_mixed_doubles():
    """A man and a lady of each side, and a column of points for each game of the match."""
    teams = [
        ("Rob", "Liz", "Tim", "Kay"),
        ("Sam", "Meg", "Rob", "Liz"),
        ("Tim", "Meg", "Sam", "Liz"),
    ]
    points = [("21-15", "21-18", ""), ("15-21", "21-19", "21-17"), ("21-10", "17-21", "14-21")]
    heads = "Man 1", "Lady 1", "Man 2", "Lady 2", "Game 1", "Game 2", "Game 3"
    rows = [
        dict(zip(heads, (*team, *told), strict=True))
        for team, told in zip(teams, points, strict=True)
    ]
    games = read_games(rows, warn=False)
    assert games.score.tolist() == [1.0, 1.0, 0.0]
    assert games.points_b is not None
    assert games.points_b.tolist() == [0.0, 1.0, 2.0]
