"""What a stream says of its files is what `read_games` says of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from prowess.games.read import read_games
from prowess.games.stream import NOT_SOUGHT, GameStream, open_stream


def write_games(path: Path, *rows: str) -> str:
    """A file of these rows, the first of which are headings."""
    path.write_text("\n".join([*rows, ""]))
    return str(path)


def read_stream(source: Any, **options: Any) -> GameStream:
    """A stream of which all pieces are read."""
    stream = open_stream(source, **options)
    for _ in stream.pieces():
        pass
    return stream


def check_reading(source: Any, **options: Any) -> GameStream:
    """The reading of a stream is that of the table, but for what a stream does not seek."""
    stream = read_stream(source, **options)
    table = read_games(source, warn=False, **options)
    for name in ("kind", "columns", "unused", "games", "players", "first", "last", "left_out"):
        assert getattr(stream.reading, name) == getattr(table.reading, name), name
    assert [*stream.notes] == [*table.notes, NOT_SOUGHT]
    return stream


def test_a_category_that_tells_nothing_apart_is_not_used(tmp_path: Path):
    """Three surfaces in five games are a column that is not used; in fifty they are a context."""
    for games, unused in ((5, ("surface",)), (50, ())):
        rows = [f"p{at % 3},q{at % 4},1,{'ABC'[at % 3]},{1900 + at}-01-01" for at in range(games)]
        stream = check_reading(write_games(tmp_path / "g.csv", "a,b,score,surface,date", *rows))
        assert stream.reading.unused == unused
        assert any(each.role == "context" for each in stream.reading.columns) == (not unused)
