"""Rows that do not count, as a column of theirs says."""

from __future__ import annotations

import pytest

from prowess.games import read_games

GAMES = {"a": ["Ann", "Ben", "Ann"], "b": ["Ben", "Cleo", "Cleo"], "result": ["1-0", "0-1", "1-0"]}


@pytest.mark.parametrize(
    ("heading", "cells"),
    [
        ("is_deleted", ["false", "true", "false"]),
        ("deleted_at", ["", "2024-03-09 10:00", ""]),
        ("deleted_by", [None, "admin", None]),
        ("Storniert", ["nein", "ja", "nein"]),
        ("annulé", ["", "oui", ""]),
        ("Void?", ["", "x", ""]),
        ("cancelled", ["", "rain", ""]),
        ("valid", ["yes", "no", "yes"]),
        ("gültig", ["ja", "nein", "ja"]),
        ("Counted", [1, 0, 1]),
        ("finished", [True, False, True]),
    ],
)
def test_a_row_that_does_not_count_is_left_out(heading, cells):
    """The second row is deleted, cancelled or not valid: it is left out, counted and said."""
    games = read_games({**GAMES, heading: cells})
    assert len(games) == 2
    assert games.left_out == 1
    assert "Ben" not in {games.players[index] for index in games.a.tolist()}
    assert f"{heading} = rows that count" in str(games.reading)


def test_a_row_of_a_contest_that_is_void_is_left_out():
    """So it is in tables of contests, where an unfinished race is a place without a number."""
    rows = {"race": [1, 1, 1, 2, 2], "player": ["Ann", "Ben", "Ben", "Ann", "Ben"],
            "place": [1, 3, 2, 2, 1]}  # fmt: skip
    games = read_games({**rows, "void": ["", "x", "", "", ""]}, warn=False)
    assert games.place.tolist() == [1, 2, 2, 1]
    games = read_games({**rows, "race": [1, 1, 2, 2, 3], "finished": [1, 0, 1, 1, 1]}, warn=False)
    assert games.left_out == 0


@pytest.mark.parametrize(
    ("heading", "cells"),
    [("rated", ["yes", "no", "yes"]), ("Friendly", [0, 1, 0]), ("confirmed", ["1", "0", "1"])],
)
def test_a_row_that_may_not_count_is_pointed_out(heading, cells):
    """A game that is not rated counts, a warning says how to leave it out, and that works."""
    table = {**GAMES, heading: cells}
    games = read_games(table, warn=False)
    assert len(games) == 3
    assert any("--exclude" in note for note in games.reading.briefs)
    kept = read_games(table, exclude={heading: str(cells[1])})
    assert len(kept) == 2
    assert not kept.reading.briefs


def test_columns_of_other_things_leave_no_row_out():
    """Numbers and names under such a heading tell nothing, and a named filter decides."""
    for heading, cells in {"valid": ["A", "B", "A"], "played": [3, 4, 5]}.items():
        assert read_games({**GAMES, heading: cells}, warn=False).left_out == 0
    deleted = {**GAMES, "deleted": ["no", "yes", "no"]}
    assert len(read_games(deleted, where={"deleted": ["no", "yes"]})) == 3
