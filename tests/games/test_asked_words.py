"""A refusal of a cell asks about all words of its column, and says how the table was read."""

from __future__ import annotations

import ast
import io
import re
import shlex
from itertools import pairwise

import pytest

from prowess import BadData, read_games
from prowess.cli.output import name_options
from tests.refusals import refused

TABLE = {
    "a": ["Ann", "Bob", "Cid", "Cid", "Dan"],
    "b": ["Bob", "Cid", "Ann", "Ann", "Ann"],
    "result": ["1-0", "xyz", "2-1 so what", "xyz", "it's (5)"],
    "hall": ["x", "y", "x", "y", "x"],
}


def refusal_of(table, **options):
    """The refusal of this table."""
    with pytest.raises(BadData) as caught:
        read_games(table, **options)
    return caught.value


@pytest.mark.parametrize("column", ["result", "winner"])
def test_all_words_of_a_column_are_asked_at_once(column):
    """The remedy holds each unknown word of the column, and obeyed it leaves none."""
    table = {name: cells for name, cells in TABLE.items() if name != "result"}
    table[column] = [*(["1-0"] if column == "result" else ["Ann"]), *TABLE["result"][1:]]
    with refused(BadData, f"unknown_{'outcome' if column == 'result' else 'winner'}", row=2):
        read_games(table)
    (told,) = re.findall(r"outcomes=(\{.*?\})", str(refusal_of(table).remedy))
    asked = ast.literal_eval(told)
    assert asked == {"xyz": None, "2-1 so what": None, "it's (5)": None}
    assert len(read_games(table, outcomes=asked, warn=False)) == 1


def test_the_options_of_the_words_can_be_pasted():
    """On the command line each word is one option, quoted for the shell."""
    shown = shlex.split(name_options(str(refusal_of(TABLE))).partition(", where")[0])
    given = [word for before, word in pairwise(shown) if before == "--outcome"]
    assert given == ["xyz=none", "2-1 so what=none", "it's (5)=none"]


def test_a_refused_cell_says_how_the_table_was_read():
    """The reading that was tried is a note of the error, with the columns that are not used."""
    (told,) = refusal_of(TABLE).__notes__
    assert [line.split(maxsplit=2)[-1] for line in told.splitlines()] == [
        "games between two", "= player_a   b = player_b   result", "hall"
    ]  # fmt: skip


def test_rows_left_out_have_an_example():
    """Of each reason the first row is named by its place, with the cell that tells it."""
    told = io.StringIO(
        "winner,loser,score\nAnn,Bob,6-1 6-1\nBob,Cid,W/O\nCid,Ann,6-1 ABD\nAnn,bye,\n"
    )
    reading = read_games(told, warn=False).reading
    assert reading.left_out == {"bye": 1, "walkover": 1, "not played": 1}
    assert reading.examples == {
        "bye": "line 5", "walkover": 'line 3 "W/O"', "not played": 'line 4 "6-1 ABD"',
    }  # fmt: skip
    assert all(text in reading.look_at[-1] for text in reading.examples.values())
