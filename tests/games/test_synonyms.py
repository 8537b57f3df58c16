"""Synonyms: several names of one player."""

from __future__ import annotations

import pytest

from prowess.games import BadData, read_games
from tests.refusals import refused

TABLE = {"a": ["Robert", "Bob", "Cy"], "b": ["Ann", "Cy", "bob.k"], "score": [1, 0, 0]}


def test_names_of_one_player():
    """The names of a dict are replaced, and the games of one player are counted together."""
    games = read_games(TABLE, names={"Robert": "Bob", "bob.k": "Bob"}, warn=False)
    assert games.players == ["Bob", "Ann", "Cy"]
    assert games.a.tolist() == [0, 0, 2]
    assert games.b.tolist() == [1, 2, 0]
    assert "2 names replaced by synonyms" in games.notes


@pytest.mark.parametrize(
    "text", ["name,also\nBob,Robert\nBob,bob.k\n", "x,y\nRobert,Bob\nbob.k,Bob\n"]
)
def test_a_file_of_names(tmp_path, text):
    """A heading tells which name stands in the table, else the names themselves do."""
    file = tmp_path / "names.csv"
    file.write_text(text)
    table = TABLE if "also" in text else {**TABLE, "a": ["Robert", "Robert", "Cy"]}
    assert read_games(table, names=file, warn=False).players == ["Bob", "Ann", "Cy"]


def test_what_cannot_be():
    """Contradictions, circles and players who would meet themselves are refused."""
    with refused(BadData, "synonym_circle"):
        read_games(TABLE, names={"Robert": "Bob", "Bob": "Robert"}, warn=False)
    with refused(BadData, "synonyms_play"):
        read_games(TABLE, names={"Robert": "Ann"}, warn=False)


def test_a_row_of_another_length_is_no_pair(tmp_path):
    """A name too many in a row is refused with its line, and not left out unseen."""
    file = tmp_path / "names.csv"
    file.write_text("name,also\nBob,Robert\nBob,bob.k,Rob\n")
    with refused(BadData, "ragged_row", file=str(file), line=3):
        read_games(TABLE, names=file, warn=False)
