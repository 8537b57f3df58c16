"""Input bytes: files, standard input and streams, compressed or not."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from prowess.games.errors import BadData, quote
from prowess.games.formats.byte_streams import PACKED_SUFFIXES, ByteStream
from prowess.games.layout import Options

PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")  # how such files begin
STDIN = "-"
MANY = 300_000  # rows; longer tables are read by compiled code, where there is a compiler


class FileFormat(NamedTuple):
    """A format of files of results: how their names end, and what reads them."""

    suffixes: tuple[str, ...]
    reader: str  # a function of a module of this package: takes a ByteStream and ReaderSettings
    is_text: bool = True  # so that its size is that of what it holds


FORMATS = {
    "csv": FileFormat((".csv",), "delimited.read_csv"),
    "tsv": FileFormat((".tsv", ".tab"), "delimited.read_tsv"),
    "jsonl": FileFormat((".jsonl", ".ndjson", ".json"), "documents.read_json"),
    "json": FileFormat((), "documents.read_json"),
    "pgn": FileFormat((".pgn",), "records.read_pgn"),
    "parquet": FileFormat((".parquet", ".pq"), "parquet.read_parquet", is_text=False),
    "sheet": FileFormat(
        (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "sheets.read_sheet", is_text=False
    ),
    "arrow": FileFormat((".feather", ".arrow", ".ipc"), "frames.read_arrow", is_text=False),
    "sqlite": FileFormat((".sqlite", ".sqlite3", ".db"), "databases.read_sqlite", is_text=False),
    "duckdb": FileFormat((".duckdb", ".ddb"), "databases.read_duckdb", is_text=False),
    "html": FileFormat((".html", ".htm"), "pages.read_html"),
    "markdown": FileFormat((".md", ".markdown"), "pages.read_markdown"),
    "trf": FileFormat((".trf", ".trfx"), "trf.read_trf"),
    "cutechess": FileFormat((), "transcripts.read_engine_log"),
    "football": FileFormat((), "transcripts.read_football"),
    "logfmt": FileFormat((), "event_logs.read_logfmt"),
    "zip": FileFormat((".zip",), "", is_text=False),  # of files: `open_tables` reads them
    "ballots": FileFormat(
        (".ballots", ".soc", ".soi", ".toc", ".toi"), ""
    ),  # not of columns: `read_games` reads them
}
ANY_TEXT = ".txt"  # may be of any format
TEXT_SUFFIXES = (
    *(suffix for form in FORMATS.values() if form.is_text for suffix in form.suffixes), ANY_TEXT,
)  # fmt: skip


def file_name(given: Any) -> str | None:
    """The name of a path, `-` or an open stream; None for what is no file."""
    if isinstance(given, str | os.PathLike):
        return "standard input" if given == STDIN else os.fsdecode(given)
    if not hasattr(given, "read"):
        return None
    name = getattr(given, "name", None)
    return name if isinstance(name, str) else "the stream"


def find_format(name: str) -> str | None:
    """The format that the name of a file suggests, packed or not."""
    stem, suffix = os.path.splitext(name.lower())  # noqa: PTH122 - a path takes ten times as long
    if suffix in PACKED_SUFFIXES:
        suffix = os.path.splitext(stem)[1]  # noqa: PTH122
    return next((form for form, each in FORMATS.items() if suffix in each.suffixes), None)


LONGEST_NAME = 4096  # characters


@dataclass
class ReaderSettings:
    """The caller's settings for reading, and the streams that were opened."""

    options: Options
    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    compiled: bool | None = None
    table: str | None = None  # the name of the sheet, table or file that is meant
    sql: str | None = None  # a query of a database
    rename: Callable[[Any], Any] | None = None  # gives the players of a table one name each
    long: bool = False  # whether all files together are worth compiled code, if each is short
    table_used: bool = False  # whether there was a choice of tables
    streams: list[tuple[Any, int | None]] = field(default_factory=list)  # and where they began
    said: list[str] = field(default_factory=list)  # why it is read once more, for notes

    @property
    def can_rewind(self) -> bool:
        """Whether the streams can be read by the slow reader as well, and have not been."""
        return self.compiled is not False and all(start is not None for _, start in self.streams)

    def rewind_streams(self) -> None:
        """Go back to where the streams began, for the slow reader; raises BadData where that
        cannot be done.
        """
        self.compiled = False
        for stream, start in self.streams:
            if start is None:
                raise BadData(
                    "a stream that cannot go back has to be read a second time",
                    remedy="save it as a file first",
                    code="stream_not_rewound",
                )
            stream.seek(start)
        self.streams.clear()


def open_bytes(given: Any) -> ByteStream:
    """Open a path, `-` or an open stream, and unpack it; raises BadData, also while it is read."""
    name = file_name(given) or ""
    path = Path(name) if isinstance(given, str | os.PathLike) and given != STDIN else None
    stream = ByteStream(name, path, None)
    with stream.blame():
        if path is not None:
            if "\n" in name or len(name) > LONGEST_NAME:
                lines = name.count("\n") + 1
                raise BadData(
                    f"a text of {lines:,} line{'s'[: lines != 1]} is no name of a file",
                    remedy="give a path, or the text itself as io.StringIO(text)",
                    code="text_not_a_file",
                )
            try:
                stream.file = path.open("rb")
            except ValueError as error:  # a name with a NUL in it
                raise BadData(
                    f"{quote(name)} is no name of a file: {error}", code="text_not_a_file"
                ) from None
        else:
            stream.file = sys.stdin.buffer if given == STDIN else _as_binary(name, given)
    stream.stream = stream.file
    try:
        return unpack_stream(stream)
    except BadData:
        stream.close()
        raise


def unpack_stream(stream: ByteStream) -> ByteStream:
    """A stream as it is, or what it unpacks to; raises BadData."""
    if not stream.look(16).startswith(PACKED):
        return stream
    from prowess.games.formats.packing import unpack

    return unpack(stream)


def _as_binary(name: str, stream: Any) -> Any:
    """An open stream of bytes, or the text of one in UTF-8."""
    try:
        if isinstance(stream.read(0), str):
            return io.BytesIO(stream.read().encode("utf-8", "surrogatepass"))
    except UnicodeDecodeError:
        raise BadData(
            "the file is not UTF-8", file=name, remedy="open it in mode rb", code="not_utf_8"
        ) from None
    return stream


def stream_position(stream: Any) -> int | None:
    """The position of an open stream, None if it cannot go back there."""
    try:
        return stream.tell() if stream.seekable() else None
    except (AttributeError, OSError, ValueError):
        return None


def is_of_files(source: Any) -> bool:
    """Whether a source may be a folder or a pattern: it has no suffix of a file, or a wildcard."""
    if not isinstance(source, str | os.PathLike) or source == STDIN:
        return False
    name = os.fsdecode(source)
    return any(mark in name for mark in "*?[") or find_format(name) is None
