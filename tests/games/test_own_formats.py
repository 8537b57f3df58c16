"""Formats of other packages: an entry point adds one, as the documents show."""

from __future__ import annotations

import gzip
import io
import re
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from prowess.games import BadData, FileFormat, read_games
from prowess.games.formats.sources import FORMATS, all_formats
from tests.refusals import refused

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "own_format.md"
SHOWN = dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", PAGE.read_text(), re.DOTALL))
MODULE, ENTRY = SHOWN  # in the order of the page
LINES = b"Ann beat Bob\nBob beat Cid\nAnn beat Cid\n"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package of the page, installed as pip does it; its folder."""
    entries = tomllib.loads(SHOWN[ENTRY])["project"]["entry-points"]
    about = tmp_path / "beat_lines-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: beat-lines\nVersion: 1.0\n")
    lines = [
        line
        for group, named in entries.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in named.items()))
    ]
    (about / "entry_points.txt").write_text("\n".join(lines))
    (tmp_path / MODULE).write_text(SHOWN[MODULE])
    monkeypatch.syspath_prepend(tmp_path)
    all_formats.cache_clear()
    yield tmp_path
    all_formats.cache_clear()


def list_winners(source: object, **options: object) -> list[tuple[str, str]]:
    """The winner and the loser of each game."""
    games = read_games(source, warn=False, **options)
    pairs = zip(games.a.tolist(), games.b.tolist(), games.score.tolist(), strict=True)
    names = games.players
    return [(names[a], names[b]) if score == 1.0 else (names[b], names[a]) for a, b, score in pairs]


PAIRS = [("Ann", "Bob"), ("Bob", "Cid"), ("Ann", "Cid")]


@pytest.mark.parametrize("name", ["a.beat", "a.beat.gz", "a.zip", "a.txt"])
def test_files_of_another_package_are_read(install, name):
    """By their suffix, also packed and in an archive, and by how they begin."""
    content = gzip.compress(LINES) if name.endswith(".gz") else LINES
    if name == "a.zip":
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("games.beat", LINES)
        content = file.getvalue()
    (install / name).write_bytes(content)
    assert list_winners(install / name) == PAIRS


def test_a_format_of_another_package_is_named(install):
    """`format=` takes its name, and its errors name the file."""
    assert list_winners(io.BytesIO(LINES), format="beat") == PAIRS
    (install / "b.beat").write_bytes(b"Ann beat Ann\n")
    with refused(BadData, "self_play", about="b.beat"):
        read_games(install / "b.beat")
    with refused(BadData, "unknown_option_value", about="beat"):
        read_games(io.BytesIO(LINES), format="beet")


def test_formats_of_prowess_stay(install):
    """A package cannot take over a format, and no package is looked for where none is needed."""
    with (install / "beat_lines-1.0.dist-info" / "entry_points.txt").open("a") as entries:
        entries.write("\ncsv = beat_lines:BEAT\n")
    assert all_formats()["csv"] is FORMATS["csv"]
    all_formats.cache_clear()
    (install / "a.csv").write_text("winner,loser\nAnn,Bob\n")
    assert list_winners(install / "a.csv") == [("Ann", "Bob")]
    assert all_formats.cache_info().currsize == 0


@pytest.mark.parametrize("text", ["raise RuntimeError('old')", "BEAT = 'a text'"])
def test_a_package_that_fails_is_named(install, monkeypatch, text):
    """What a package raises, or a value that is no row, becomes one line with its name."""
    monkeypatch.delitem(__import__("sys").modules, "beat_lines", raising=False)
    (install / MODULE).write_text(text)
    (install / "a.beat").write_bytes(LINES)
    with refused(BadData, "format_not_loaded", about="beat-lines"):
        read_games(install / "a.beat")


def test_a_format_that_begins_with_bytes_of_its_own(install, monkeypatch):
    """Bytes at a place tell a format whatever the name of the file is."""

    def read_pairs(stream, settings):
        names = stream.read()[8:].decode().split(";")
        return [{"winner": names[0], "loser": names[1]}]

    row = FileFormat((".pair",), read_pairs, is_text=False, begins=(b"PAIR",), at=4)
    monkeypatch.setitem(FORMATS, "pair", row)
    for name in ("a.pair", "a.csv"):
        (install / name).write_bytes(b"\0\1\2\3PAIRAnn;Bob")
        assert list_winners(install / name) == [("Ann", "Bob")]
