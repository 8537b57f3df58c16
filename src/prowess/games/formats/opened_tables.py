"""The tables of a source: files, folders, archives, addresses, frames and Python values."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from typing import Any

from prowess.games.columns import Chunk, InputTable, Values
from prowess.games.errors import BadData
from prowess.games.formats.byte_streams import ByteStream, package_error
from prowess.games.formats.records import value_table
from prowess.games.formats.sources import (
    FORMATS,
    STDIN,
    ReaderSettings,
    file_name,
    find_format,
    is_of_files,
    open_bytes,
    recognize_format,
    stream_position,
    take_format,
)
from prowess.games.layout import Options


def open_tables(source: Any, settings: ReaderSettings, files: ExitStack) -> Iterator[InputTable]:
    """The tables of a source, opened one after the other; `files` closes their files."""
    if file_name(source) is not None:
        if is_of_files(source) or (isinstance(source, str) and "://" in source):
            from prowess.games.formats.locations import find_files

            for each in find_files(source):
                yield from open_file(each, settings, files)
        else:
            yield from open_file(source, settings, files)
        return
    if isinstance(source, Sequence | Iterator):
        source = list(source)
        if all(file_name(part) is not None for part in source):
            for part in source:
                yield from open_tables(part, settings, files)
            return
    yield value_table(source)


def open_file(given: Any, settings: ReaderSettings, files: ExitStack) -> Iterator[InputTable]:
    """The tables of a file or an open stream, of which only a zip archive may have several."""
    if hasattr(given, "read") or given == STDIN:
        settings.streams.append((given, stream_position(given)))
    stream = open_bytes(given)
    files.callback(stream.close)
    if recognize_format(stream, settings) == "zip":
        from prowess.games.formats.archives import read_archive

        yield from read_archive(stream, settings, files, open_stream)
    else:
        table = open_stream(stream, settings)
        parted = "=" in stream.name
        yield add_partitions(table, stream.name, settings.options) if parted else table


def open_stream(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The table of a file that holds one; raises BadData."""
    name = recognize_format(stream, settings)
    reader = (FORMATS.get(name) or take_format(name)).reader
    if not reader:
        what = "ballots stand beside a table" if name == "ballots" else "an archive in an archive"
        remedy = "read the ballots alone" if name == "ballots" else "unpack it first"
        code = "ballots_beside_table" if name == "ballots" else "nested_archive"
        raise BadData(what, file=stream.name, remedy=remedy, code=code)
    if isinstance(reader, str):
        module, _, function = reader.partition(".")
        reader = getattr(import_module(f"prowess.games.formats.{module}"), function)
    try:
        table = reader(stream, settings)
    except ModuleNotFoundError:  # also of Python's own modules: a browser has no sqlite3
        raise package_error(stream.name, f"reads {name} files") from None
    if not isinstance(table, InputTable):
        table = replace(value_table(table), file=stream.name)
    said = find_format(stream.name)
    if settings.format is None and said is not None and name != said:
        return replace(table, notes=(f"the file holds {name}, not what its name says",
                                     *table.notes))  # fmt: skip
    return table


# Columns that folders such as year=2024 tell of the files in them


def find_partitions(path: str) -> Mapping[str, str]:
    """The columns that folders such as year=2024 tell."""
    pairs = [part.split("=", 1) for part in path.replace("\\", "/").split("/")[:-1] if "=" in part]
    from urllib.parse import unquote

    return {unquote(key): unquote(value) for key, value in pairs}


def add_partitions(table: InputTable, path: str, options: Options) -> InputTable:
    """The table with those columns of its folders, such as year=2024, that the caller names."""
    told = find_partitions(path)
    found = {
        name: told[name] for name in sorted(options.named_columns() & told.keys() - {*table.names})
    }
    if not found:
        return table

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        for chunk in table.chunks([name for name in wanted if name not in found]):
            constant = {name: Values([found[name]] * chunk.count) for name in found}
            yield replace(chunk, columns={**chunk.columns, **constant})

    return replace(table, names=[*table.names, *found], chunks=chunks)


def read_cells(path: str | os.PathLike[str]) -> tuple[list[str], list[list[Any]], list[int], str]:
    """A small table of any format: headings, rows of cells, lines, and the name of the file.

    Raises BadData, also for a row that is none, such as one of more cells than there are headings.
    """
    with ExitStack() as files:
        table = next(open_tables(path, ReaderSettings(Options()), files), None)
        if table is None:
            raise BadData("there is nothing to read", remedy="name a file", code="nothing_to_read")
        held = table.gather_rows(table.names)
    for row, refusal in sorted(held.refused.items())[:1]:
        raise BadData(
            refusal.what, file=table.file or None, line=held.lines[row], remedy="correct the row",
            code=refusal.code,
        )  # fmt: skip
    rows = [*map(list, zip(*held.cells.values(), strict=True))]
    return list(table.names), rows, held.lines, table.file
