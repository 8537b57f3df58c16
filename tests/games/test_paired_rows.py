"""Games that stand in two rows, one for each side, with home and away or with who won."""

from __future__ import annotations

import pytest

import prowess
from prowess.games.errors import BadData, DataWarning
from tests.refusals import refused

ROWS = [
    (1, "A", "home", "True", 2), (1, "B", "away", "False", 2),
    (2, "A", "away", "True", 3), (2, "C", "home", "False", 1),
    (3, "B", "home", "True", 4), (3, "C", "away", "False", 0),
]  # fmt: skip
NAMES = ("game_id", "team", "HoA", "won", "goals")


def read(
    rows: list[tuple[object, ...]], names: tuple[str, ...] = NAMES, left: str = ""
) -> prowess.Games:
    """The games of these rows without one column."""
    table = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    table.pop(left, None)
    return prowess.read_games(table)


def test_home_sides_points_and_winners():
    """The side at home comes first; the winner of a shoot-out wins with equal goals."""
    games = read(ROWS)
    players = [(games.players[a], games.players[b]) for a, b in zip(games.a, games.b, strict=True)]
    assert players == [("A", "B"), ("C", "A"), ("B", "C")]
    assert list(games.score) == [1.0, 0.0, 1.0]
    assert list(games.points_a) == [2.0, 1.0, 4.0]
    assert list(games.points_b) == [2.0, 3.0, 0.0]
    assert list(games.side) == [1.0, 1.0, 1.0]


def test_winners_with_fewer_points():
    """Where the winner has fewer points in every game the results decide, with a warning."""
    rows = [(1, "A", "W", 70), (1, "B", "L", 72), (2, "C", "W", 68), (2, "A", "L", 75),
            (3, "B", "L", 71), (3, "C", "W", 69)]  # fmt: skip
    with pytest.warns(DataWarning):
        games = read(rows, ("match", "player", "result", "points"))
    assert list(games.score) == [1.0, 1.0, 0.0]
    assert games.points_a is None


def test_fewer_strokes_are_better():
    """Where the winner of every match has less of what may be counted so, its rows are contests."""
    rows = [(1, "A", "W", 70), (1, "B", "L", 72), (2, "C", "W", 68), (2, "A", "L", 75),
            (3, "B", "L", 71), (3, "C", "W", 69)]  # fmt: skip
    games = read(rows, ("match", "player", "result", "strokes"))
    assert not games.pairwise
    assert list(games.place) == [1.0, 2.0, 1.0, 2.0, 2.0, 1.0]


def test_goals_alone_and_no_side():
    """Without winners equal goals are a draw; without home and away nobody has the advantage."""
    assert list(read(ROWS, left="won").score) == [0.5, 0.0, 1.0]
    assert read(ROWS, left="HoA").side is None


def test_letters_flags_and_neutral_ground():
    """Home and away as H, A and N, or as a flag."""
    letters = [(*row[:2], "N" if row[0] == 3 else row[2][0].upper(), *row[3:]) for row in ROWS]
    assert list(read(letters, ("game_id", "team", "location", "won", "goals")).side) == [1, 1, 0]
    flags = [(*row[:2], int(row[2] == "home"), *row[3:]) for row in ROWS]
    assert list(read(flags, ("game_id", "team", "is_home", "won", "goals")).side) == [1, 1, 1]


@pytest.mark.parametrize(
    ("more", "code", "row"),
    [
        ([(4, "A", "home", "True", 2), (4, "B", "away", "True", 1)], "results_contradict", 7),
        ([(4, "A", "home", "True", 2), (4, "B", "away", "False", 5)], "margin_contradicts", 7),
        ([(4, "A", "home", "True", 2)], "row_without_partner", 7),
    ],
)
def test_rows_that_do_not_fit_are_refused(more, code, row):
    """The row is named."""
    with refused(BadData, code, row=row):
        read([*ROWS, *more])


def test_games_without_a_result_are_left_out():
    """Empty cells are no defeat."""
    games = read([*ROWS, (4, "A", "home", "", ""), (4, "B", "away", "", "")])
    assert (len(games), games.left_out) == (3, 1)
