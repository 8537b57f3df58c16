"""Names that a spreadsheet would run: guarded in CSV, and read back as they were meant."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, strategies as some

from prowess.games import read_games
from prowess.games.names import guard_cell, is_bare, unguard_cell, unguard_names

RISKY = ('=HYPERLINK("http://x","y")', "+x", "-x", "@SUM(1)", "'=x", "''-x", "\tx", "\rx")
SAFE = ("Ada", "'Ada", "", "'", "O'Brien", "-5", "+1.5e3", "a=b")


def test_what_is_guarded():
    """What a spreadsheet could run gets a quote in front; plain texts, numbers and values stay."""
    assert [guard_cell(text) for text in RISKY] == [f"'{text}" for text in RISKY]
    for cell in (*SAFE, -5.0, None, 3):
        assert guard_cell(cell) is cell


@given(some.lists(some.text(some.sampled_from("'=+-@\t\ra5."), max_size=5), unique=True))
def test_there_and_back(names):
    """Any names come back, and no two become one."""
    guarded = [guard_cell(name) for name in names]
    assert not any(is_bare(name) for name in guarded)
    assert [unguard_cell(name) for name in guarded] == names
    assert (unguard_names(guarded) or guarded) == names


@pytest.mark.parametrize("compiled", [False, True])
def test_a_table_that_was_written_so(compiled):
    """Its names come back, with a note; ids and games stay."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["player_a", "player_b", "score"])
    names = ["=x", "'=x", "Ada", "'Ben"]
    for k, name in enumerate(names):
        writer.writerow([guard_cell(name), guard_cell(names[k - 1]), 1])
    if compiled:
        pytest.importorskip("llvmlite")
    table = read_games(io.BytesIO(text.getvalue().encode()), format="csv", compiled=compiled)
    assert set(table.players) == set(names)
    assert any("spreadsheets" in note for note in table.notes)


def test_other_tables_stay_as_they_are(tmp_path):
    """Names stay where one of them begins bare, and always where the table is no CSV."""
    bare = tmp_path / "games.csv"
    bare.write_text("player_a,player_b,score\n'=x,=x,1\nAda,'-y,0\n", encoding="utf-8")
    table = read_games(bare, time="none")
    assert set(table.players) == {"'=x", "=x", "Ada", "'-y"}
    assert table.notes == ()
    rows = [{"player_a": "'=x", "player_b": "Ada", "score": 1}]
    assert set(read_games(rows).players) == {"'=x", "Ada"}
