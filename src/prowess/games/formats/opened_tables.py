"""The tables of a source: files, folders, archives, addresses, frames and Python values; one of
several that stand in one file.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from copy import copy
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import IO, Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from prowess.games.columns import Chunk, InputTable, Values
from prowess.games.errors import BadData, quote
from prowess.games.formats.byte_streams import (
    BUFFER,
    ByteStream,
    damage_error,
    package_error,
    unpack,
    unpacking_errors,
)
from prowess.games.formats.records import value_table
from prowess.games.formats.sources import (
    FORMATS,
    STDIN,
    ReaderSettings,
    file_name,
    find_format,
    is_of_files,
    is_table_file,
    open_bytes,
    recognize_format,
    stream_position,
    take_format,
)
from prowess.games.layout import Options
from prowess.games.limits import ARCHIVE, MB, MEMBER_LIMIT, check_ratio
from prowess.games.reading import list_some
from prowess.games.roles.roles import find_layout


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
        yield from read_archive(stream, settings, files)
    else:
        table = open_stream(stream, settings)
        parted = "=" in stream.name
        yield add_partitions(table, stream.name, settings.options) if parted else table


def open_stream(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The table of a file that holds one; raises BadData."""
    name = recognize_format(stream, settings)
    reader = (FORMATS.get(name) or take_format(name)).reader
    if not reader:
        why = "ballots_beside_table" if name == "ballots" else "nested_archive"
        raise BadData.of(why, file=stream.name)
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
            raise BadData.of("nothing_to_read")
        held = table.gather_rows(table.names)
    for row, refusal in sorted(held.refused.items())[:1]:
        raise BadData(
            refusal.what, file=table.file or None, line=held.lines[row], remedy="correct the row",
            code=refusal.code,
        )  # fmt: skip
    rows = [*map(list, zip(*held.cells.values(), strict=True))]
    return list(table.names), rows, held.lines, table.file


# One table of several: the sheets of a workbook, the tables of a database, the files of a zip.


TABLES_SHOWN = 12  # tables that a message names


class Candidate(NamedTuple):
    """A table that may be meant."""

    name: str
    open: Callable[[], InputTable]
    hidden: bool = False


def choose_table(
    file: str, word: str, candidates: Sequence[Candidate], settings: ReaderSettings
) -> InputTable:
    """The table that the caller names, or the only one that holds games; raises BadData.

    Args:
        file: for messages.
        word: what a table is called there: sheet, table or file.
        candidates: all tables, in their order.
        settings: `table` names one.
    """
    if settings.table is not None:
        settings.table_used = True
        return _named_table(file, word, candidates, settings.table).open()
    if len(candidates) == 1:
        return candidates[0].open()
    found: list[tuple[str, InputTable]] = []
    for candidate in candidates:
        if candidate.hidden:
            continue
        try:
            table = candidate.open()
            if holds_games(table, settings.options):
                found.append((candidate.name, table))
        except BadData:
            continue  # not a table of games
    if len(found) == 1:
        name, table = found[0]
        others = ", ".join(quote(each.name) for each in candidates if each.name != name)
        return replace(table, notes=(*table.notes, f"{word} {quote(name)} is read, not {others}"))
    known = [name for name, _ in found] or [each.name for each in candidates]
    names = list_some([*map(quote, known)], TABLES_SHOWN)
    if found:
        raise BadData.of(
            "several_tables.named",
            file=file,
            count=len(found),
            word=word,
            names=names,
            first=found[0][0],
        )
    raise BadData.of("no_table_of_games", file=file, word=word, names=names)


def check_tables(count: int, word: str, file: str) -> None:
    """Refuse a file of more tables than anybody looks through; raises BadData."""
    if count > MEMBER_LIMIT:
        raise BadData.of("too_many_tables", file=file, limit=MEMBER_LIMIT, word=word)


def _named_table(file: str, word: str, candidates: Sequence[Candidate], name: str) -> Candidate:
    plain = name.strip().casefold()
    found = [each for each in candidates if each.name == name]
    found = found or [each for each in candidates if each.name.casefold() == plain]
    if found:
        return found[0]
    names = list_some([quote(each.name) for each in candidates], TABLES_SHOWN)
    raise BadData.of("no_such_table", file=file, word=word, name=name, names=names)


def holds_games(table: InputTable, options: Options) -> bool:
    """Whether a table can be read as games or contests and has rows."""
    from prowess.games.shapes.shapes import shape_table

    try:
        shaped, headings = shape_table(table, options)
        find_layout(headings)
    except BadData:
        return False
    return bool(shaped.names) and any(chunk.count for chunk in table.chunks(table.names[:1]))


# Zip archives, whose files are one table or several.


BYTES_ASKED = 1 << 12  # unpacked ones, where packed ones may be read all at once
ZIP_ERRORS: tuple[type[Exception], ...] = (
    NotImplementedError, OSError, EOFError, ValueError, KeyError, RuntimeError,
)  # fmt: skip


def read_archive(
    stream: ByteStream, settings: ReaderSettings, files: ExitStack
) -> Iterator[InputTable]:
    """The tables of a zip archive: the one that is named, the only one, or all that are alike.

    Raises BadData.
    """
    name = stream.name
    if settings.format == "zip":
        settings.format = None  # of the archive, not of the files in it
    try:
        archive = files.enter_context(ZipFile(io.BytesIO(stream.readall())))
        members = [each for each in archive.infolist() if not each.filename.endswith("/")]
    except (BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise damage_error(name, "archive", error, "pack it again", "damaged_archive") from None
    _check_members(name, members)
    tables = [each for each in members if is_table_file(each.filename)]
    if not tables:
        held = ", ".join(quote(each.filename) for each in members[:5])
        raise BadData.of("no_table.archive", file=name, held=held)

    def open_member(member: ZipInfo) -> InputTable:
        inner = f"{name}/{member.filename}"
        if find_format(member.filename) == "zip":
            raise BadData.of("nested_archive", file=inner)
        content = _read_member(archive, member, inner)
        return open_stream(unpack(ByteStream(inner, None, content)), settings)

    candidates = [Candidate(each.filename, partial(open_member, each)) for each in tables]
    if settings.table is None and len(tables) > 1:
        opened = [each.open() for each in candidates]
        fitting = [table for table in opened if holds_games(table, settings.options)]
        if len(fitting) > 1 and len({tuple(table.names) for table in fitting}) == 1:
            yield from fitting
            return
        pairs = zip(tables, opened, strict=True)
        candidates = [Candidate(each.filename, partial(replace, table)) for each, table in pairs]
    yield choose_table(name, "file", candidates, settings)


def _check_members(name: str, members: list[ZipInfo]) -> None:
    size = sum(each.file_size for each in members)
    packed = sum(each.compress_size for each in members)
    if len(members) > MEMBER_LIMIT:
        raise BadData.of("too_many_files.archive", file=name, limit=MEMBER_LIMIT)
    check_ratio(packed, size, name)
    if size > ARCHIVE:
        raise BadData.of("unpacks_too_large.archive", file=name, limit=ARCHIVE // MB)
    if any(each.flag_bits & 1 for each in members):
        raise BadData.of("encrypted.archive", file=name)


def _read_member(archive: ZipFile, member: ZipInfo, inner: str) -> IO[bytes]:
    try:
        return io.BytesIO(b"".join(member_pieces(archive, member)))
    except (*ZIP_ERRORS, *unpacking_errors()) as error:
        raise damage_error(inner, "archive", error, "pack it again", "damaged_archive") from None


def member_pieces(archive: ZipFile, member: ZipInfo | str) -> Iterator[bytes]:
    """The content of a file of an archive, piece by piece and in little memory.

    Raises one of ZIP_ERRORS or `unpacking_errors`, also where the file is longer or shorter than
    the archive says.
    """
    found = archive.getinfo(member) if isinstance(member, str) else member
    whole = copy(found)
    whole.file_size = 1 << 62  # so that all is unpacked, whatever the archive says
    size, piece = 0, BUFFER if found.compress_type in {ZIP_STORED, ZIP_DEFLATED} else BYTES_ASKED
    with archive.open(whole) as file:
        while content := file.read(piece):
            size += len(content)
            if size > found.file_size:
                break
            yield content
    if size != found.file_size:
        raise BadZipFile(f"{quote(found.filename)} is not as long as the archive says")
