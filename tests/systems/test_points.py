"""League tables: points, and who stands higher among equals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import prowess
from prowess.engine.fit import fit_table
from prowess.systems.points import POINTS
from tests.engine.tables import games

LEAGUES = Path(__file__).parent.parent.parent / "examples" / "league_football.csv.gz"

# The final tables as the leagues published them: points, won, drawn, lost, goals.
PREMIER_LEAGUE_2015_16 = [
    ("Leicester City", 81, 23, 12, 3, 68, 36),
    ("Arsenal FC", 71, 20, 11, 7, 65, 36),
    ("Tottenham Hotspur", 70, 19, 13, 6, 69, 35),
    ("Manchester City", 66, 19, 9, 10, 71, 41),
    ("Manchester United", 66, 19, 9, 10, 49, 35),
    ("Southampton FC", 63, 18, 9, 11, 59, 41),
]
# Relegation in Spain, 2014-15: three clubs with 35 points. Eibar has the best goal difference
# (34:55, Deportivo 35:60, Granada 29:64) and was 18th by the games among the three.
LA_LIGA_2014_15 = ["Deportivo La Coruña", "Granada CF", "SD Eibar", "UD Almería", "Córdoba CF"]


def season(league: str, year: str):
    """All games of a season."""
    return prowess.read_games(LEAGUES, where={"league": league, "season": year})


def with_goals(rows):
    """A table of (a, b, goals of a, goals of b)."""
    return games(
        [(a, b, float(np.sign(x - y)) / 2 + 0.5) for a, b, x, y in rows],
        points_a=[x for _, _, x, _ in rows],
        points_b=[y for _, _, _, y in rows],
    )


def order(table, **params):
    """Players from the first down, and their ranks."""
    board = fit_table(table, POINTS, params=params).leaderboard()
    return board.columns["player"], board.columns["rank"]


def test_premier_league():
    """The top of the table of 2015-16, goals and all, and its last."""
    rows = fit_table(season("Premier League", "2015-16"), POINTS).leaderboard().rows()
    names = "player", "points", "won", "drawn", "lost", "goals_for", "goals_against"
    assert [tuple(row[name] for name in names) for row in rows[:6]] == PREMIER_LEAGUE_2015_16
    assert (rows[-1]["player"], rows[-1]["points"]) == ("Aston Villa", 17)
    assert [row["rank"] for row in rows] == list(range(1, 21))


def test_la_liga_looks_at_the_games_among_the_tied():
    """Eibar went down in 2015 with the best goal difference of three."""
    table = season("La Liga", "2014-15")
    assert order(table, ties="head_to_head")[0][-5:] == LA_LIGA_2014_15
    assert order(table)[0][-5] == "SD Eibar"


def test_two_points_for_a_win():
    """A win and a draw are 4 points at three for a win, 3 at two."""
    rows = [("A", "B", 1, 0), ("C", "B", 1, 1), ("C", "Dan", 0, 0), ("C", "A", 0, 0)]
    rows += [("Dan", "A", 5, 0)]
    assert fit_table(with_goals(rows), POINTS, params={"win": 2})["A"].points == 3
    assert fit_table(with_goals(rows), POINTS)["A"].points == 4
    assert fit_table(with_goals(rows), POINTS, params={"win": 2})["C"].points == 3


@pytest.mark.parametrize(
    ("ties", "first"),
    [
        ("goals", "A"),
        ("fifa", "A"),
        ("head_to_head", "B"),
        ("uefa", "B"),
        ("wins", "A"),
    ],
)
def test_each_order_asks_its_own_question_first(ties, first):
    """Level on points: difference, or the game between the two."""
    rows = [
        ("A", "B", 0, 1),
        ("A", "C", 3, 0),
        ("A", "Dan", 0, 0),
        ("B", "C", 1, 1),
        ("B", "Dan", 0, 2),
    ]
    ratings = fit_table(with_goals(rows), POINTS)
    assert ratings["A"].points == ratings["B"].points == 4
    tied = [player for player in order(with_goals(rows), ties=ties)[0] if player in "AB"]
    assert tied[0] == first


def test_equals_share_a_rank():
    """Who cannot be told apart shares the better rank; none asks nothing at all."""
    rows = [("A", "B", 2, 2), ("A", "C", 1, 0), ("B", "C", 1, 0)]
    assert order(with_goals(rows)) == (["A", "B", "C"], [1, 1, 3])
    rows[1] = ("A", "C", 3, 0)
    assert order(with_goals(rows)) == (["A", "B", "C"], [1, 2, 3])
    assert order(with_goals(rows), ties="none") == (["A", "B", "C"], [1, 1, 3])


def test_three_level_are_judged_by_a_small_table_of_three():
    """A beats B 1-0, B beats C 1-0, C beats A 3-0: by difference among them C, B, A.

    Their games with Dan, who is left out of that small table, would say the opposite.
    """
    rows = [("A", "B", 1, 0), ("B", "C", 1, 0), ("C", "A", 3, 0)]
    rows += [("A", "Dan", 9, 0), ("B", "Dan", 5, 0), ("C", "Dan", 1, 0)]
    assert order(with_goals(rows), ties="head_to_head")[0] == ["C", "B", "A", "Dan"]
    assert order(with_goals(rows))[0] == ["A", "B", "C", "Dan"]


def test_uefa_asks_once_more_among_those_still_level():
    """When one of three is told apart, the other two are judged by their own game alone.

    A 2-1 B, B 1-0 C, C 1-0 A: all have 3 points and difference 0 among them, A and B two goals,
    C one. So C is third, and A is above B by their game, though B beat Dan by more.
    """
    rows = [("A", "B", 2, 1), ("B", "C", 1, 0), ("C", "A", 1, 0)]
    rows += [("A", "Dan", 1, 0), ("B", "Dan", 5, 0), ("C", "Dan", 3, 0)]
    assert order(with_goals(rows), ties="uefa")[0] == ["A", "B", "C", "Dan"]
    assert order(with_goals(rows), ties="head_to_head")[0] == ["B", "C", "A", "Dan"]


def test_sonneborn_berger():
    """Of two with 2 points the one who beat the stronger stands higher.

    Ada beat Ben (3/2) and Dan (1/2): 2. Cleo beat Ada (2) and Dan (1/2): 5/2.
    """
    rows = [("Ada", "Ben", 1.0), ("Ben", "Cleo", 1.0), ("Cleo", "Ada", 1.0)]
    rows += [("Ada", "Dan", 1.0), ("Ben", "Dan", 0.5), ("Cleo", "Dan", 1.0)]
    board = order(games(rows), win=1, draw=0.5, ties="berger")
    assert board == (["Cleo", "Ada", "Ben", "Dan"], [1, 2, 3, 4])
    assert order(games(rows), win=1, draw=0.5, ties="none")[1] == [1, 1, 3, 4]


def test_buchholz():
    """Of two with 1 point from 1 game the one whose opponent has more points stands higher."""
    rows = [("Ada", "Ben", 1.0), ("Cleo", "Dan", 1.0), ("Dan", "Eve", 1.0)]
    board = order(games(rows), win=1, draw=0.5, ties="buchholz")
    assert board == (["Cleo", "Dan", "Ada", "Ben", "Eve"], [1, 2, 3, 4, 4])


def test_without_goals_there_are_no_columns_of_goals():
    """A table of results alone has points and games won, and nothing is made up."""
    ratings = fit_table(games([("A", "B", 1.0), ("B", "C", 0.5)]), POINTS)
    assert ratings.fields == ("points", "played", "won", "drawn", "lost")
    assert ratings["B"].points == 1


def test_games_count_by_their_weight():
    """A game of weight 2 is two games."""
    table = games([("A", "B", 1.0), ("B", "A", 0.5)], weight=[2.0, 0.5])
    assert fit_table(table, POINTS)["A"].points == pytest.approx(6.5)
    assert fit_table(table, POINTS)["B"].played == pytest.approx(2.5)
