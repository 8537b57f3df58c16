"""A scoreline beside a column that says who won: they agree, or the row is refused."""

from __future__ import annotations

import pytest

from prowess.games import BadData, read_games
from tests.refusals import refused

SIDES = {
    "Home": ["Ann", "Ben", "Cleo", "Ann", "Ben"], "Away": ["Ben", "Cleo", "Ann", "Cleo", "Ann"],
}  # fmt: skip
LINES = ["2-1", "0-3", "1-1", "1-4", "5-0"]
TOLD = {
    "Result": ["W", "L", "D", "L", "W"],
    "Winner": ["Ann", "Cleo", "draw", "Cleo", "Ben"],
    "Outcome": ["home", "away", "draw", "away", "home"],
}


@pytest.mark.parametrize("heading", TOLD)
def test_where_both_agree_the_points_are_kept(heading):
    """Score and result say the same of each row, and the points and margins are those of both."""
    games = read_games({**SIDES, "Score": LINES, heading: TOLD[heading]}, warn=False)
    assert games.score.tolist() == [1.0, 0.0, 0.5, 0.0, 1.0]
    assert games.points_a is not None
    assert games.points_a.tolist() == [2, 0, 1, 1, 5]
    assert games.margin is not None
    assert games.margin.tolist() == [1, -3, 0, -3, 5]


@pytest.mark.parametrize("heading", TOLD)
@pytest.mark.parametrize(("row", "line"), [(0, "1-2"), (2, "2-1"), (3, "1-1")])
def test_a_row_in_which_they_differ_is_refused(heading, row, line):
    """One slip of the pen is named with its row, and the remedy takes the result alone."""
    lines = [line if at == row else each for at, each in enumerate(LINES)]
    table = {**SIDES, "Score": lines, heading: TOLD[heading]}
    with refused(
        BadData,
        "points_contradict",
        about=("none", "score_a=", str(row + 1), str(line)),
        column="Score",
    ):
        read_games(table)
    assert read_games(table, score_a="none").score.tolist() == [1.0, 0.0, 0.5, 0.0, 1.0]


def test_a_level_score_may_be_decided_by_kicks():
    """A heading that speaks of penalties says how a level game was decided."""
    table = {**SIDES, "Score": ["2-1", "0-3", "1-1", "1-1", "5-0"], "Result": TOLD["Result"],
             "Pens": ["", "", "", "3-4", ""]}  # fmt: skip
    assert read_games(table).score.tolist() == [1.0, 0.0, 0.5, 0.0, 1.0]


def test_the_points_of_the_winner_may_stand_first():
    """All rows that are decided begin with the greater number: the winner's points are first."""
    lines = ["2-1", "3-0", "1-1", "4-1", "5-0"]
    games = read_games({**SIDES, "Score": lines, "Result": TOLD["Result"]}, warn=False)
    assert games.points_a is not None
    assert games.points_a.tolist() == [2, 0, 1, 1, 5]
    assert any("winner first" in note for note in games.notes)


def test_a_result_of_the_second_side_is_asked_about():
    """`Visitor result` W is no win of the home side; both readings are shown, and both work."""
    table = {"Home": ["Ann", "Ben"], "Visitor": ["Ben", "Ann"], "Visitor result": ["W", "L"]}
    with refused(BadData, "result_of_second", about=("Visitor result", "player_a=")):
        read_games(table)
    turned = read_games(table, player_a="Visitor", player_b="Home")
    assert turned.score.tolist() == [1.0, 0.0]
    assert turned.players[int(turned.a[0])] == "Ben"
    assert read_games(table, result="Visitor result").score.tolist() == [1.0, 0.0]


AWAY_FIRST = {"Away": ["Reds", "Cubs", "Mets"], "Home": ["Cubs", "Mets", "Reds"]}


def test_scores_behind_the_away_side_are_asked_about():
    """`Away, Home, Score` may mean either order; both readings are shown, and both work."""
    table = {**AWAY_FIRST, "Score": ["4-6", "2-7", "5-3"]}
    with refused(BadData, "points_order_ambiguous", about=("Away", "Home", "player_b=")):
        read_games(table)
    assert read_games(table, player_a="Home", player_b="Away").score.tolist() == [0.0, 0.0, 1.0]
    assert read_games(table, player_a="Away", player_b="Home").score.tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("winners", "points"),
    [(["Cubs", "Mets", "Mets"], [6, 7, 3]), (["Reds", "Cubs", "Reds"], [4, 2, 5])],
)
def test_winners_tell_the_order_of_scores(winners, points):
    """A winner beside them tells whether the scores have the away or the home side first."""
    games = read_games(
        {**AWAY_FIRST, "Score": ["4-6", "2-7", "5-3"], "Winner": winners}, warn=False
    )
    assert games.points_a is not None
    assert games.points_a.tolist() == points
    assert [games.players[int(a)] for a in games.a] == AWAY_FIRST["Home"]
