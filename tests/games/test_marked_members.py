"""Columns of members that have a word of their side, and what looks like such columns."""

from __future__ import annotations

from itertools import pairwise

import pytest

import prowess
from prowess.games.errors import BadData

ROWS = [
    ("Ann", "Ben", "Cleo", "Dev", 3, 1),
    ("Cleo", "Ann", "Dev", "Ben", 0, 1),
    ("Dev", "Ann", "Ben", "Cleo", 2, 4),
    ("Ben", "Dev", "Ann", "Cleo", 1, 0),
]


def read(*headings: str) -> prowess.Games:
    """The games of the rows above under these headings."""
    return prowess.read_games(dict(zip(headings, map(list, zip(*ROWS, strict=True)), strict=True)))


def sides(games: prowess.Games, game: int) -> list[list[str]]:
    """The members of both sides of a game."""
    ends = games.ends[2 * game : 2 * game + 3]
    return [[games.players[p] for p in games.player[x:y]] for x, y in pairwise(ends)]


@pytest.mark.parametrize(
    "headings",
    [
        ("blue_p1", "blue_p2", "orange_p1", "orange_p2", "blue_score", "orange_score"),
        ("p1_yellow", "p2_yellow", "p1_green", "p2_green", "score_yellow", "score_green"),
        ("Gelb Vorne", "Gelb Hinten", "Blau Vorne", "Blau Hinten", "Tore Gelb", "Tore Blau"),
        ("Red Top", "Red Jng", "Blue Top", "Blue Jng", "Red Score", "Blue Score"),
        ("Attack 1", "Defense 1", "Attack 2", "Defense 2", "Goals 1", "Goals 2"),
        ("cat rider", "cat gunner", "owl rider", "owl gunner", "cat points", "owl points"),
    ],
)
def test_words_of_sides_tell_the_sides(headings):
    """The word of a side goes before numbers and positions."""
    games = read(*headings)
    assert sides(games, 0) == [["Ann", "Ben"], ["Cleo", "Dev"]]
    assert list(games.score) == [1.0, 0.0, 0.0, 1.0]
    assert list(games.points_b) == [1.0, 1.0, 4.0, 0.0]


@pytest.mark.parametrize(
    "headings",
    [
        ("setter 1", "libero 1", "setter 2", "libero 2", "score_1", "score_2"),  # either is a side
        ("Round 1 White", "Round 1 Black", "Round 2 White", "Round 2 Black", "a", "b"),
        ("player_1", "player_2", "scout_1", "scout_2", "score_1", "score_2"),
    ],
)
def test_open_sides_are_refused(headings):
    """No player vanishes without a word."""
    with pytest.raises(BadData):
        read(*headings)


def test_what_is_said_of_players_makes_no_members():
    """Stances and countries share no names with the fighters."""
    rows = [("Ann", "left", "Ben", "right"), ("Ben", "right", "Cleo", "left")] * 2
    names = ("red_fighter", "red_stance", "blue_fighter", "blue_stance")
    table = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    games = prowess.read_games(table | {"winner": ["red", "blue", "red", "red"]})
    assert list(games.players) == ["Ann", "Ben", "Cleo"]


def test_members_stand_in_any_order_of_the_columns():
    """The second side may stand first."""
    games = read("Man 2", "Lady 2", "Man 1", "Lady 1", "Goals 2", "Goals 1")
    assert sides(games, 0) == [["Cleo", "Dev"], ["Ann", "Ben"]]
    assert games.score.tolist() == [0.0, 1.0, 1.0, 0.0]
