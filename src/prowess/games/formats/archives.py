"""Zip archives, whose files are one table or several."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import ExitStack
from copy import copy
from dataclasses import replace
from functools import partial
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from prowess.games.columns import InputTable
from prowess.games.errors import BadData, quote
from prowess.games.formats.byte_streams import (
    BUFFER,
    ByteStream,
    damage_error,
    unpack,
    unpacking_errors,
)
from prowess.games.formats.choice import Candidate, choose_table, holds_games
from prowess.games.formats.sources import (
    ReaderSettings,
    find_format,
    is_table_file,
)
from prowess.games.limits import ARCHIVE, MB, MEMBER_LIMIT, check_ratio

BYTES_ASKED = 1 << 12  # unpacked ones, where packed ones may be read all at once
ZIP_ERRORS: tuple[type[Exception], ...] = (
    NotImplementedError, OSError, EOFError, ValueError, KeyError, RuntimeError,
    *unpacking_errors(),
)  # fmt: skip


def read_archive(
    stream: ByteStream, settings: ReaderSettings, files: ExitStack, open_stream: Any
) -> Iterator[InputTable]:
    """The tables of a zip archive: the one that is named, the only one, or all that are alike.

    `open_stream(stream, settings)` gives the table of one member. Raises BadData.
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
        raise BadData(
            f"the archive holds no table: {held}",
            file=name,
            remedy="unpack it first",
            code="no_table",
        )

    def open_member(member: ZipInfo) -> InputTable:
        inner = f"{name}/{member.filename}"
        if find_format(member.filename) == "zip":
            raise BadData(
                "an archive in an archive",
                file=inner,
                remedy="unpack it first",
                code="nested_archive",
            )
        content = _read_member(archive, member, inner)
        table: InputTable = open_stream(unpack(ByteStream(inner, None, content)), settings)
        return table

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
        raise BadData(
            f"more than {MEMBER_LIMIT} files",
            file=name,
            remedy="unpack it first",
            code="too_many_files",
        )
    check_ratio(packed, size, name)
    if size > ARCHIVE:
        raise BadData(
            f"the archive unpacks to more than {ARCHIVE // MB} MB",
            file=name,
            remedy="unpack it first, if you trust it",
            code="unpacks_too_large",
        )
    if any(each.flag_bits & 1 for each in members):
        raise BadData(
            "the archive is encrypted", file=name, remedy="unpack it first", code="encrypted"
        )


def _read_member(archive: ZipFile, member: ZipInfo, inner: str) -> IO[bytes]:
    try:
        return io.BytesIO(b"".join(member_pieces(archive, member)))
    except ZIP_ERRORS as error:
        raise damage_error(inner, "archive", error, "pack it again", "damaged_archive") from None


def member_pieces(archive: ZipFile, member: ZipInfo | str) -> Iterator[bytes]:
    """The content of a file of an archive, piece by piece and in little memory.

    Raises one of ZIP_ERRORS, also where the file is longer or shorter than the archive says.
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
