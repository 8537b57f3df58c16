"""Cells that are the texts of lists of members."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import prowess
from prowess.games.errors import BadData
from tests.refusals import refused

ROWS = [(["Ben", "Cleo"], ["Dev", "Ann"]), (["Finn", "Ann"], ["Eve", "Dev"]),
        (["Eve", "Ben"], ["Dev", "Cleo"])]  # fmt: skip
FORMS: dict[str, Callable[[list[str]], str]] = {
    "JSON": json.dumps,
    "Python": str,
    "NumPy": lambda names: "[" + " ".join(map(repr, names)) + "]",
    "PostgreSQL": lambda names: "{" + ",".join(names) + "}",
}


@pytest.mark.parametrize("form", FORMS)
def test_texts_of_lists_are_members(form, tmp_path):
    """Also where the winner is such a text, and in a file whose first row is all lists."""
    write = FORMS[form]
    lines = ["team1;team2;winner"]
    lines += [f"{write(a)};{write(b)};{write(a)}" for a, b in ROWS]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines))
    games = prowess.read_games(path)
    assert set(games.players) == {"Ann", "Ben", "Cleo", "Dev", "Eve", "Finn"}
    assert list(games.score) == [1.0, 1.0, 1.0]


def test_a_list_that_is_not_closed_is_refused():
    """The row is named."""
    table = {"team1": [*(str(a) for a, _ in ROWS), "['Ben', 'Cleo"], "team2": ["X"] * 4}
    with refused(BadData, "not_a_list_of_names"):
        prowess.read_games({**table, "score1": [1, 2, 3, 4], "score2": [0] * 4})


def test_tags_and_verdicts_are_no_lists():
    """`[XY]` may be the tag of a clan."""
    table = {"player_a": ["[XY]", "[Z]"], "player_b": ["[Z]", "[XY]"], "winner": ["[[A]]", "[[B]]"]}
    games = prowess.read_games(table)
    assert list(games.players) == ["[XY]", "[Z]"]
    assert list(games.score) == [1.0, 0.0]
