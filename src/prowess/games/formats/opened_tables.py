"""The tables of a source: files, folders, archives, addresses, frames and Python values."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from typing import Any

from prowess.games.columns import InputTable
from prowess.games.errors import BadData
from prowess.games.formats.byte_streams import ByteStream
from prowess.games.formats.partitions import add_partitions
from prowess.games.formats.records import column_table, columns_of_tuples, record_table
from prowess.games.formats.sources import (
    FORMATS,
    PACKED,
    STDIN,
    ReaderSettings,
    file_name,
    find_format,
    is_of_files,
    open_bytes,
    stream_position,
)
from prowess.games.layout import Options
from prowess.games.patterns import lazy_pattern


def open_tables(source: Any, settings: ReaderSettings, files: ExitStack) -> Iterator[InputTable]:
    """The tables of a source, opened one after the other; `files` closes their files."""
    if isinstance(source, str) and source.lower().startswith(("http://", "https://")):
        from prowess.games.formats.addresses import fetch

        source = fetch(source)
    elif isinstance(source, str) and "://" in source:
        from prowess.games.formats.file_systems import list_paths, open_source

        for path in list_paths(source):
            yield from open_file(open_source(path), settings, files)
        return
    if file_name(source) is not None:
        if is_of_files(source):
            from prowess.games.formats.archives import expand_source

            if (found := expand_source(source)) is not None:
                for each in found:
                    yield from open_file(each, settings, files)
                return
        yield from open_file(source, settings, files)
    elif isinstance(source, Mapping):
        yield column_table(source)
    elif isinstance(source, Sequence | Iterator):
        parts = list(source)
        if parts and all(file_name(part) is not None for part in parts):
            for part in parts:
                yield from open_tables(part, settings, files)
        elif parts and isinstance(parts[0], list | tuple):
            yield column_table(columns_of_tuples(parts))
        elif parts:
            yield record_table("", parts, None)
    else:
        from prowess.games.formats.frames import frame_table

        yield frame_table(source)


def open_file(given: Any, settings: ReaderSettings, files: ExitStack) -> Iterator[InputTable]:
    """The tables of a file or an open stream, of which only a zip archive may have several."""
    if hasattr(given, "read") or given == STDIN:
        settings.streams.append((given, stream_position(given)))
    stream = open_bytes(given)
    files.callback(stream.close)
    if find_table_format(stream, settings) == "zip":
        from prowess.games.formats.archives import read_archive

        yield from read_archive(stream, settings, files, open_stream)
    else:
        table = open_stream(stream, settings)
        yield add_partitions(table, stream.name, settings.options)


def open_stream(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The table of a file that holds one; raises BadData."""
    form = find_table_format(stream, settings)
    if not FORMATS[form].reader:
        what = "ballots stand beside a table" if form == "ballots" else "an archive in an archive"
        remedy = "read the ballots alone" if form == "ballots" else "unpack it first"
        code = "ballots_beside_table" if form == "ballots" else "nested_archive"
        raise BadData(what, file=stream.name, remedy=remedy, code=code)
    module, _, reader = FORMATS[form].reader.partition(".")
    table: InputTable = getattr(import_module(f"prowess.games.formats.{module}"), reader)(
        stream, settings
    )
    named = find_format(stream.name)
    if settings.format is None and named is not None and form != named:
        return replace(table, notes=(f"the file holds {form}, not what its name says",
                                     *table.notes))  # fmt: skip
    return table


def find_table_format(stream: ByteStream, settings: ReaderSettings) -> str:
    """The format of a file: as the caller says, as its first bytes or its name tell."""
    if settings.format is not None:
        return settings.format
    head = stream.look(HEAD)
    named = find_format(stream.name)
    if (binary := sniff_binary(stream.name, named, head)) is not None:
        return binary
    if named is not None and not FORMATS[named].is_text:
        if not head:
            raise BadData(
                "the file is empty", file=stream.name, remedy="save it again", code="empty_file"
            )
        if LINES.search(head) and not CONTROL.search(head):
            return sniff_format(head)  # such as a page or TSV that is called xls
    if PAGE.match(head) and named not in {None, "markdown"}:
        return "html"
    return named or sniff_format(head)


HEAD = 512  # bytes in which the format of a file shows
CONTROL = lazy_pattern(rb"\A(?!\xff\xfe|\xfe\xff).*?[\x00-\x08\x0e-\x1a]", re.DOTALL)
LINES = lazy_pattern(rb"[^\r\n][\r\n]|\A\s*<")
PAGE = lazy_pattern(rb"(?i)(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body|table)\b")
PICTURE, CSV, ARCHIVE, UNPACK = "a picture", "export it as CSV", "an archive", "unpack it first"
FOREIGN = {
    b"%PDF": ("a PDF", CSV), b"\x89PNG": (PICTURE, CSV), b"\xff\xd8\xff": (PICTURE, CSV),
    b"GIF8": (PICTURE, CSV), b"7z\xbc\xaf\x27\x1c": (ARCHIVE, UNPACK), b"Rar!": (ARCHIVE, UNPACK),
    **dict.fromkeys(PACKED, ("packed twice", UNPACK)),
}  # fmt: skip
SHEETS = (b"xl/", b"[Content_Types].xml", b"mimetypeapplication/vnd.oasis", b"_rels/")


def sniff_binary(name: str, named: str | None, head: bytes) -> str | None:
    """The format of a file that is no text, by its first bytes; raises BadData for a picture."""
    for mark, (what, remedy) in FOREIGN.items():
        if head.startswith(mark):
            raise BadData(
                f"the file is {what}, not a table", file=name, remedy=remedy, code="not_a_table"
            )
    if head[257:262] == b"ustar":
        raise BadData(
            "the file is an archive (tar), not a table",
            file=name,
            remedy=UNPACK,
            code="not_a_table",
        )
    if head.startswith(b"PK\x03\x04"):
        if named == "sheet" or head[30:].startswith(SHEETS):
            return "sheet"
        return "sheet" if named != "zip" and any(mark in head for mark in SHEETS) else "zip"
    if head.startswith(b"PK\x05\x06"):
        return "zip"
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return "sheet"
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1", b"FEA1")):
        return "arrow"
    if head.startswith(b"SQLite format 3\x00"):
        return "sqlite"
    return "duckdb" if head[8:12] == b"DUCK" else None


TEXTS = {  # how texts begin that are told by no single character
    "trf": lazy_pattern(
        rb"\A(?:\xef\xbb\xbf)?\s*(?:(?:0[1-9]2|1[0-9]2|001|###) [^\r\n]*[\r\n]+){2}"
    ),
    "cutechess": lazy_pattern(rb"(?s).*?(?:Started|Finished) game \d+ (?:of \d+ )?\(.+? vs "),
    "football": lazy_pattern(rb"(?:\xef\xbb\xbf)?\s*=+ [^=\r\n]*(?:19|20)\d\d[^=\r\n]*[\r\n]"),
    "logfmt": lazy_pattern(
        rb"(?:[^\r\n,;\t=]*\s)?(?:[A-Za-z_][\w.-]*=(?:\"[^\"\r\n]*\"|[^\s\"]+)[ \t]+){2}"
        rb"[A-Za-z_][\w.-]*="
    ),
}


def sniff_format(head: bytes) -> str:
    """The format of a text whose name does not say it."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"{"):
        return "jsonl"
    if start.startswith(b"[") and not TEXTS["logfmt"].match(start):
        return "jsonl" if start[1:].lstrip()[:1] in {b"{", b"]"} else "pgn"
    if start[:1] == b"<":
        return "html"
    if marked := next((form for form, mark in TEXTS.items() if mark.match(head)), None):
        return marked
    if start.startswith((b"|", b"#")) or b"\n|" in start:
        from prowess.games.formats.pages import is_markdown

        if is_markdown(start.decode("utf-8", "replace")):
            return "markdown"
    return "pgn" if start.startswith((b"%", b";")) else "csv"


def read_cells(path: str | os.PathLike[str]) -> tuple[list[str], list[list[Any]], list[int], str]:
    """A small table of any format: headings, rows of cells, lines, and the name of the file."""
    rows: list[list[Any]] = []
    lines: list[int] = []
    with ExitStack() as files:
        table = next(open_tables(path, ReaderSettings(Options()), files))
        for chunk in table.chunks(table.names):
            cells = [chunk.columns[name].cell for name in table.names]
            rows += [[cell(row) for cell in cells] for row in range(chunk.count)]
            lines += [chunk.line(row) for row in range(chunk.count)]
    return list(table.names), rows, lines, table.file
