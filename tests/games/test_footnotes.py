"""Marks behind results that a note below the table explains."""

from __future__ import annotations

import pytest

from prowess import BadData, read_games
from tests.refusals import refused

ROWS = (
    "Datum;Heim;Gast;Ergebnis\n1.3.2024;Ann;Ben;3:1\n8.3.2024;Ben;Cleo;{}\n15.3.2024;Cleo;Ann;2:2\n"
)


def read(tmp_path, result, note):
    path = tmp_path / "games.csv"
    path.write_text(ROWS.format(result) + note, encoding="utf-8")
    return read_games(path, warn=False)


@pytest.mark.parametrize(
    ("result", "note"),
    [
        ("2:0*", "* Gegner nicht angetreten\n"),
        ("2:0 *", "\n* kampflos gewertet\n"),
        ("2:0²", "² w/o\n"),
        ("2:0**", "* n.V.\n** abgesagt\n"),
    ],
)
def test_a_game_that_its_note_calls_not_played_is_left_out(tmp_path, result, note):
    """A game that its note calls not played is left out."""
    games = read(tmp_path, result, note)
    assert (len(games), games.left_out) == (2, 1)


@pytest.mark.parametrize("note", ["* nach Verlängerung\n", "* gra na wyjeździe\n", "* Halle 2\n"])
def test_a_result_with_another_note_counts_as_it_stands(tmp_path, note):
    """A result with another note counts as it stands."""
    games = read(tmp_path, "2:0*", note)
    assert games.score.tolist() == [1.0, 1.0, 0.5]
    assert any("2:0*" in said for said in games.notes)


@pytest.mark.parametrize(("result", "note"), [("2:0*", ""), ("2:0*", "** kampflos\n")])
def test_a_mark_without_its_note_is_refused(tmp_path, result, note):
    """A mark without its note is refused."""
    with refused(BadData, "unknown_outcome", about="2:0"):
        read(tmp_path, result, note)
