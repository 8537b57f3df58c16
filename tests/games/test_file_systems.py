"""Files of stores: they are read as local ones are, and what goes wrong there is said."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from prowess.games.errors import BadData
from prowess.games.read import read_games
from prowess.games.stream import open_stream
from tests.games.test_stream import ROWS, read_pieces, write_files
from tests.refusals import refused

fsspec = pytest.importorskip("fsspec")


def test_addresses_of_stores_are_read(tmp_path: Path):
    """By fsspec: a folder, a pattern and a file, with the numbers of the local files."""
    store = fsspec.filesystem("memory")
    paths = write_files(tmp_path)
    for path in paths:
        store.pipe_file(f"/stream/{Path(path).name}", Path(path).read_bytes())
    local = read_pieces(open_stream(paths))
    for source in ("memory://stream", "memory://stream/games-*.parquet"):
        assert read_pieces(open_stream(source)) == local
        assert read_games(source).time.tolist() == read_games(paths).time.tolist()
    one = open_stream("memory://stream/games-0.parquet")
    assert sum(len(piece.games) for piece in one.pieces()) == ROWS // 3
    with refused(BadData, "no_table"):
        open_stream("memory://empty/*.parquet")
    assert read_pieces(open_stream(f"file://{tmp_path}")) == local


class FailingFile(io.BytesIO):
    """A file of which the beginning or the end can be read, and then no more."""

    reads = 0

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer once."""
        self.reads += 1
        if self.reads > 1:
            fail()
        return int(super().readinto(buffer))


def fail(*_: Any) -> Any:
    """Raise an error of a kind that no interface promises."""
    raise RuntimeError("no credentials")


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize("read", [read_games, lambda source: read_pieces(open_stream(source))])
def test_a_store_that_fails_is_named(tmp_path: Path, monkeypatch, suffix, read):
    """Libraries of stores raise errors of their own kinds: when they list, open and read."""
    store = fsspec.filesystem("memory")
    content = b"player_a,player_b,score,date\n" + b"Ann,Bob,1,2020-01-01\n" * 60_000
    if suffix == "parquet":
        content = Path(write_files(tmp_path)[0]).read_bytes()
    store.pipe_file(f"/failing-{suffix}/games.{suffix}", content)
    ways = (("open", lambda *_: FailingFile(content)), ("open", fail), ("isdir", fail))
    for name, way in ways:
        monkeypatch.setattr(type(store), name, way)
        with refused(BadData, "unreadable_file", about="your"):
            read(f"memory://failing-{suffix}/")
