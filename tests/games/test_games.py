"""Tables of games as they stand behind the door."""

from __future__ import annotations

import io
import sys

import pytest

from prowess.compile import kernel
from prowess.games import BadData, Games, read_games
from prowess.games.errors import quote
from tests.refusals import refused

DATED = {
    "white": ["Ann", "Bob", "Cy"],
    "black": ["Bob", "Cy", "Ann"],
    "result": ["1-0", "1/2-1/2", "0-1"],
    "date": ["2020-01-03", "1900-01-01", "2020-01-01 12:00"],
}


def games(columns) -> Games:
    """A table of columns."""
    table = read_games(columns, warn=False)
    assert table.duels
    return table


def test_before_a_day():
    """`before` keeps the games up to a day, with that day, and the whole roster."""
    table = games(DATED)
    before = table.before(18262.5)
    assert before.score.tolist() == [0.5, 0.0]
    assert before.players == table.players
    assert before.side is not None
    assert len(before.side) == 2
    assert len(table.before(18262.0)) == 1
    assert len(table.before(-1e6)) == 0


def test_before_without_dates():
    """A table without dates is as it was at any day."""
    table = games({name: column for name, column in DATED.items() if name != "date"})
    assert table.before(0.0) is table


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (DATED, "<Games: 3 games, 3 players, 1900-01-01 to 2020-01-03, with side>"),
        ({"a": ["A"], "b": ["B"], "score": [1], "weight": [2]},
         "<Games: 1 game, 2 players, no dates, with weight>"),
    ],
)  # fmt: skip
def test_a_table_says_what_it_is(columns, shown):
    """A table is shown in a line: how many games and players, from when to when, what is known."""
    assert repr(games(columns)) == shown


def test_messages_fit_on_a_line():
    """What a message quotes is cut short, and what cannot be shown is escaped."""
    assert quote("a" * 100) == '"' + "a" * 57 + '..."'
    assert quote("a\nb\x00") == '"a\\nb\\x00"'
    assert quote(1.5) == "1.5"
    assert str(BadData("bad\nthing", file="a\rb.csv", line=3)) == r"bad\nthing (a\rb.csv, line 3)"


@pytest.mark.parametrize(
    ("a", "b", "share"),
    [
        (351, 356, 351 / 707),  # the first battle of a rumble
        (1e308, 1.5e308, 0.4),  # their sum is beyond the numbers
        (5e-324, 0, 1.0),  # the smallest number there is
    ],
)
def test_shares_of_any_size(a, b, share):
    """The share of the points is right to the last bit, however large or small they are."""
    columns = {"bot_a": ["A"], "bot_b": ["B"], "score_a": [a], "score_b": [b]}
    table = read_games(columns, score="share")
    assert table.duels
    assert table.score.tolist() == [share]


@pytest.mark.parametrize(
    ("package", "name", "content"),
    [
        ("pyarrow", "results.parquet", b"PAR1 and so on"),
        ("zstandard", "results.csv.zst", b"\x28\xb5\x2f\xfd and so on"),
    ],
)
def test_what_an_extra_is_needed_for(tmp_path, monkeypatch, package, name, content):
    """Without an optional package its files are refused with the extra that brings it."""
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    path = tmp_path / name
    path.write_bytes(content)
    with refused(BadData, "package_missing", about="prowess"):
        read_games(path)


@pytest.mark.skipif(not kernel.available(), reason="no compiler")
def test_streams_that_cannot_be_read_twice():
    """A large stream that only the careful reader can judge must be one that can go back."""

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    text = b"left,right,winner\nleft,Ann,left\nAnn,left,left\n"
    with refused(BadData, "stream_not_rewound"):
        read_games(Pipe(text), format="csv", compiled=True)


def test_the_compiled_reader_needs_a_compiler(monkeypatch):
    """Who asks for the compiled reader where there is no compiler is told which extra brings it."""
    monkeypatch.setattr(kernel, "available", lambda: False)
    with refused(BadData, "no_compiler", about="prowess"):
        read_games(io.BytesIO(b"a,b,score\nA,B,1\n"), compiled=True)
