"""Tables as text: how they fit a width, and what they never lose."""

from __future__ import annotations

import io

from hypothesis import given, strategies as st

from prowess.cli.output import has_color
from prowess.engine.text_table import (
    NARROWEST,
    display_width,
    fit_table,
    format_table,
    table_width,
)

BOARD = [
    ["rank", "player", "rating", "deviation", "volatility", "games", "side"],
    ["1", "Magdalena Ostrowska-Fitzgerald", "1812.4", "41.0", "0.0600", "120", ""],
    ["2", "Bob", "1790.1", "40.0", "0.0599", "118", ""],
]
NAMES = st.sampled_from(["player", "rating", "#", "elo", "with", "games", "low", "volatility"])
CELL = st.text(alphabet="aé界1 ", max_size=30)


@st.composite
def tables(draw):
    """A header and rows of as many cells."""
    names = draw(st.lists(NAMES, min_size=1, max_size=8))
    row = st.lists(CELL, min_size=len(names), max_size=len(names))
    return [names, *draw(st.lists(row, max_size=4))]


def test_what_goes_first():
    """An empty column goes first, then names are cut, then the columns least needed go."""
    fitted, gone = fit_table(BOARD, 75)
    assert (fitted[0], gone) == (BOARD[0][:-1], [])
    fitted, gone = fit_table(BOARD, 65)
    assert gone == []
    assert fitted[1][1].endswith("…")
    fitted, gone = fit_table(BOARD, 40)
    assert fitted[0] == ["rank", "player", "rating", "games"]
    assert gone == ["deviation", "volatility"]
    assert fit_table(BOARD, 20)[0][0] == ["player"]


def test_a_rank_goes_with_its_column():
    """A column # is the rank in the column to its right: both stay or go."""
    rows = [["player", "#", "elo", "#", "glicko2"], ["Ann", "1", "1516.0", "2", "1612.0"]]
    assert fit_table(rows, 20) == ([["player", "#", "elo"], ["Ann", "1", "1516.0"]], ["glicko2"])


@given(tables(), st.integers(20, 90))
def test_a_fitted_table_is_no_wider_and_keeps_every_row(rows, columns):
    """The table is as wide as asked or less, and only a lone column of numbers may be wider."""
    fitted, _ = fit_table(rows, columns)
    assert len(fitted) == len(rows)
    assert fitted[0]
    widest = max(display_width(line) for line in format_table(fitted).split("\n"))
    assert widest <= max(columns, NARROWEST) or len(fitted[0]) == 1
    assert widest <= table_width(fitted)


def test_colours_only_on_a_terminal(monkeypatch):
    """A pipe, NO_COLOR and a dumb terminal get no colours."""
    terminal = io.StringIO()
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert not has_color(terminal)
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    assert has_color(terminal)
    monkeypatch.setenv("TERM", "dumb")
    assert not has_color(terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not has_color(terminal)
