"""Sets in two columns each, and sets beside legs."""

from __future__ import annotations

import pytest

from prowess.games import BadData, read_games
from tests.refusals import refused

TEAMS = {"Home Team": ["A", "B", "C", "A"], "Away Team": ["B", "C", "A", "C"]}
SETS = [[25, 25, 20, 25], [20, 23, 25, 9], [25, 25, 25, 14], [19, 17, 23, 25], [None, None, 15, 15],
        [None, None, 9, 10]]  # fmt: skip
HEADINGS = ["{}1 {}", "{}1 {}", "{}2 {}", "{}2 {}", "{}3 {}", "{}3 {}"]


@pytest.mark.parametrize(
    "words", [("S", "H", "A"), ("Set ", "Home", "Away"), ("Satz ", "home", "away")]
)
def test_two_columns_for_each_set(words):
    """The sets won decide, and not the points of the first set."""
    names = [form.format(words[0], words[1 + at % 2]) for at, form in enumerate(HEADINGS)]
    table = read_games(TEAMS | dict(zip(names, SETS, strict=True)))
    assert table.score.tolist() == [1.0, 1.0, 1.0, 1.0]
    assert table.points_a.tolist() == [2.0, 2.0, 2.0, 2.0]
    assert table.points_b.tolist() == [0.0, 0.0, 1.0, 1.0]


def test_columns_that_are_no_pairs_of_sets():
    """A set that one side lacks is no set of two columns."""
    names = ["S1 H", "S1 A", "S2 H"]
    with pytest.raises(BadData):
        read_games(TEAMS | dict(zip(names, SETS, strict=False)))


def test_sets_go_before_legs():
    """Headings of a pair differ by the side alone; sets decide, whoever won more legs."""
    rows = {"Spieler 1": ["Ann", "Ben"], "Spieler 2": ["Ben", "Ann"], "Sätze 1": [2, 3],
            "Sätze 2": [3, 1], "Legs 1": [12, 9], "Legs 2": [9, 6]}  # fmt: skip
    assert read_games(rows).score.tolist() == [0.0, 1.0]
    del rows["Sätze 1"], rows["Sätze 2"]
    assert read_games(rows).score.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("counted", ["Games", "Played", "matches"])
def test_lists_of_ratings(counted):
    """Ratings beside counts of games are standings; with a date they may be contests."""
    rows = {"Rank Name": ["1 Ann", "2 Ben"], "Elo": [2000, 1900], counted: [30, 20]}
    with refused(BadData, "standings"):
        read_games(rows)
