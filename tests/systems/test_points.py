"""League tables: points, and who stands higher among equals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import prowess
from prowess.engine.fit import fit_table
from prowess.systems.points import POINTS, buchholz, sides
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


# The exercise of the FIDE Technical Commission on the Tie-Break Regulations of 2023 ("Tie-break
# exercise", tec.fide.com, 18 March 2024): five rounds of 16 players. `=BYE` is a half-point bye,
# `+BYE` a full one, `F` a forfeit, `--` a round without a game.
EXERCISE = """
1 +W9 =B13 =W2 +B15 =W4
2 +B10 +W7 =B1 +W16 =B3
3 =W11 +B6 +W8 =B4 =W2
4 +B12 =BYE +W13 =W3 =B1
5 -W13 -B15 +W11 =B7 +W10
6 -B14 -W3 +BYE +W10 +B8
7 +W15 -B2 -B16 =W5 -B11
8 =B16 +W14 -B3 +W13 -W6
9 -B1 -W10 =BYE -F11 +BYE
10 -W2 +B9 -W15 -B6 -B5
11 =B3 -W16 -B5 +F9 +W7
12 -W4 +BYE +F14 -- --
13 +B5 =W1 -B4 -B8 -W14
14 +W6 -B8 -F12 -- +B13
15 -B7 +W5 +B10 -W1 -B16
16 =W8 +B11 +W7 -B2 +W15
"""
BUCHHOLZ = {  # of its solution
    "2": 13.0, "1": 12.5, "3": 15.5, "5": 8.5, "8": 13.5, "11": 13.5, "16": 12.5, "4": 15.0,
}  # fmt: skip


def exercise():
    """The table of the exercise as rows of a file: round, players and result."""
    won = {"+": "1-0", "=": "1/2-1/2", "-": "0-1"}
    forfeit = {"+": "+/-", "-": "-/+"}
    rows = {}
    for line in EXERCISE.split("\n")[1:-1]:
        player, *cells = line.split()
        for number, cell in enumerate(cells, 1):
            if cell == "--":
                continue
            opponent = cell[1:] if cell[1:] == "BYE" else f"P{cell[2:]}"
            if (number, opponent, f"P{player}") not in rows:
                result = (forfeit if cell[1] == "F" else won)[cell[0]]
                rows[number, f"P{player}", opponent] = result
    return [(*key, result) for key, result in sorted(rows.items())]


def read_swiss(rows):
    """Rounds with byes and forfeits, all of them kept."""
    columns = dict(zip(("round", "white", "black", "result"), zip(*rows, strict=True), strict=True))
    return prowess.read_games(columns, byes="wins", walkovers="wins")


def test_buchholz_with_unplayed_rounds():
    """The solution of the exercise, to the half point."""
    table = read_swiss(exercise())
    all_games = sides(table, 1.0, 0.5, 0.0)
    (found,) = buchholz(all_games, np.arange(0))
    assert {name: found[table.players.index(f"P{name}")] for name in BUCHHOLZ} == BUCHHOLZ
    assert fit_table(table, POINTS).leaderboard().columns["player"].count("BYE") == 0


def test_swiss_table():
    """Byes and a forfeit are points, and nobody is called bye.

    Points: Ann 1 + 1/2 + 1, Cid 1 + 1/2 + 1 (Dee did not come), Eve 1 (bye) + 1 + 0, Dee 0 + 1
    (bye) + 0, Bob 0 + 0 + 1 (bye). Buchholz, where an own unplayed round counts with the own
    points: Cid 1 (Dee) + 2.5 (Ann) + 2.5 = 6 is above Ann 1 + 2.5 + 2 = 5.5; Bob 2.5 + 2 + 1 = 5.5
    is above Dee 2.5 + 1 + 1 = 4.5.
    """
    rows = [
        (1, "Ann", "Bob", "1-0"), (1, "Cid", "Dee", "1-0"), (1, "Eve", "bye", "1-0"),
        (2, "Ann", "Cid", "1/2-1/2"), (2, "Eve", "Bob", "1-0"), (2, "Dee", "bye", "1-0"),
        (3, "Eve", "Ann", "0-1"), (3, "Cid", "Dee", "+/-"), (3, "Bob", "bye", "1-0"),
    ]  # fmt: skip
    board = fit_table(
        read_swiss(rows), POINTS, params={"win": 1, "draw": 0.5, "ties": "buchholz"}
    ).leaderboard()
    found = dict(zip(board.columns["player"], board.columns["points"], strict=True))
    assert list(found.items()) == [
        ("Cid", 2.5), ("Ann", 2.5), ("Eve", 2.0), ("Bob", 1.0), ("Dee", 1.0),
    ]  # fmt: skip


def test_byes_up_to_the_end_are_draws_for_opponents():
    """Ann (1 point) left after round 1, Ben (0) after round 2, Cy (2) has two half-point byes.

    For opponents Ann has 1 + 1/2 + 1/2 = 2, Ben 0 + 0 + 1/2 and Cy 1/2 + 1 + 1/2 = 2; a round
    without an opponent is one against a dummy with the own points.
    """
    rows = [
        (1, "Ann", "Ben", "1-0"), (1, "bye", "Cy", "1/2-1/2"), (2, "Cy", "Ben", "1-0"),
        (3, "Cy", "bye", "1/2-1/2"),
    ]  # fmt: skip
    table = read_swiss(rows)
    all_games = sides(table, 1.0, 0.5, 0.0)
    (found,) = buchholz(all_games, np.arange(0))
    names = dict(zip(table.players, found.tolist(), strict=True))
    expected = {"Ann": 0.5 + 1.0 + 1.0, "Ben": 2.0 + 2.0 + 0.0, "Cy": 2.0 + 0.5 + 2.0}
    assert {name: names[name] for name in expected} == expected
