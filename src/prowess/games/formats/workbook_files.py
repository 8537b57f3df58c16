"""Workbooks in zip archives (xlsx, xlsm, xlsb, ods), checked before a package opens them: what
they unpack to, what they are, and what stands in their cells.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import unpack_from
from typing import Any
from xml.etree import ElementTree as ET
from xml.parsers import expat
from zipfile import ZipFile

from prowess.games.errors import BadData
from prowess.games.formats.archives import ZIP_ERRORS, member_pieces
from prowess.games.formats.byte_streams import damage_error
from prowess.games.formats.sheet_cells import (
    AS_CSV,
    SheetCells,
    check_corners,
    error_value,
    scan_xml,
)
from prowess.games.limits import MB, MEMBERS, SHEET_UNPACKED, check_ratio

ERROR_CODES = {
    0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?",
    0x24: "#NUM!", 0x2A: "#N/A", 0x2B: "#GETTING_DATA",
}  # fmt: skip
XLSB_ROW, XLSB_ERROR, XLSB_FORMULA_ERROR, XLSB_SHEET = 0, 3, 11, 156  # kinds of records
XLSB_BEGIN = b"\x81\x01"  # the first record of a sheet
XLSB_NO_TEXT = 0xFFFFFFFF  # the length of one
SAVE_AGAIN = f"save it again, or {AS_CSV}"
MACROS = "the macros of the workbook are not run"
OTHERS = {
    "word/document.xml": "a Word document", "ppt/presentation.xml": "a PowerPoint presentation",
    "Index/Document.iwa": "a document of Numbers or Pages",
}  # fmt: skip


@dataclass
class WorkbookFile:
    """What is known of a workbook before it is opened."""

    sheets: dict[str, SheetCells] = field(default_factory=dict)  # by name
    notes: tuple[str, ...] = ()


def foreign_error(name: str, what: str) -> BadData:
    """The error of a document of another program."""
    return BadData(
        f"the file is {what}, not a table",
        file=name,
        remedy="export it as CSV",
        code="not_a_table",
    )


def encryption_error(name: str) -> BadData:
    """The error of a workbook that only a password opens."""
    return BadData(
        "the workbook is encrypted",
        file=name,
        remedy="save it without a password",
        code="encrypted",
    )


def scan_workbook(name: str, content: bytes) -> WorkbookFile:
    """Check a workbook and find the cells without a value; raises BadData."""
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            return scan_archive(name, archive, len(content))
    except BadData:
        raise
    except (struct.error, IndexError, *ZIP_ERRORS, expat.ExpatError) as error:
        raise damage_error(name, "workbook", error, SAVE_AGAIN) from None


def scan_archive(name: str, archive: ZipFile, size: int) -> WorkbookFile:
    """As `scan_workbook`, of xlsx, xlsm, xlsb and ods; `size` is that of the file."""
    members = archive.infolist()
    names = {member.filename for member in members}
    for inner, what in OTHERS.items():
        if inner in names:
            raise foreign_error(name, what)
    unpacked = sum(member.file_size for member in members)
    check_ratio(size, unpacked, name)
    if unpacked > SHEET_UNPACKED or len(members) > 20 * MEMBERS:
        raise BadData(
            f"the workbook unpacks to more than {SHEET_UNPACKED // MB} MB",
            file=name,
            remedy=AS_CSV,
            code="unpacks_too_large",
        )
    if any(member.flag_bits & 1 for member in members) or (
        "META-INF/manifest.xml" in names
        and b"encryption-data" in b"".join(member_pieces(archive, "META-INF/manifest.xml"))
    ):
        raise encryption_error(name)
    paths = sheet_paths(archive) if "_rels/.rels" in names else {}
    ends = {path.rpartition("/")[2] for path in paths.values()}
    parts: dict[str, dict[str, SheetCells]] = {}
    cells: list[SheetCells] = []
    for member in members:
        last = member.filename.rpartition("/")[2]
        pieces = member_pieces(archive, member)
        if last.lower().endswith(".bin"):
            found = scan_xlsb(pieces)
        elif last.lower().endswith(".xml") or last in ends:
            found = scan_xml(pieces)
        else:
            found = {}
            for _ in pieces:  # unpacked to see how long it is
                pass
        cells += found.values()
        check_corners(name, cells)
        parts[member.filename] = found
    sheets = dict(parts.get("content.xml") or {})
    sheets |= {title: parts[path][""] for title, path in paths.items() if parts.get(path)}
    macros = any("vbaProject" in each for each in names)
    return WorkbookFile(sheets, (MACROS,) if macros else ())


def sheet_paths(archive: ZipFile) -> dict[str, str]:
    """The files of the sheets of an xlsx or xlsb workbook by name of the sheet."""
    book = next(iter(link_targets(archive, "", "").values()), "")
    folder, _, last = book.rpartition("/")
    if last.endswith(".bin"):
        keys = xlsb_sheet_keys(b"".join(member_pieces(archive, book)))
    else:
        keys = {
            element.get("name", ""): next(
                (each for at, each in element.items() if at.endswith("}id")), ""
            )
            for element in parse_part(archive, book)
            if element.tag.endswith("}sheet")
        }
    targets = link_targets(archive, folder, last)
    return {name: targets[key] for name, key in keys.items()}


def link_targets(archive: ZipFile, folder: str, file: str) -> dict[str, str]:
    """The files to which keys such as rId1 of a file point; of no file, only the book."""
    links = f"{folder}/_rels/{file}.rels".removeprefix("/")
    found = {}
    for element in parse_part(archive, links):
        if folder or element.get("Type", "").endswith("/officeDocument"):
            target = element.get("Target", "")
            found[element.get("Id", "")] = (
                target[1:] if target.startswith("/") else f"{folder}/{target}".removeprefix("/")
            )
    return found


def parse_part(archive: ZipFile, path: str) -> Iterator[Any]:
    """The elements of a small part of a workbook; raises ExpatError and ZIP_ERRORS."""
    try:
        yield from ET.fromstring(b"".join(member_pieces(archive, path))).iter()
    except ET.ParseError as error:
        raise expat.ExpatError(f"{path}: {error}") from None


# The records of xlsb


def scan_xlsb(pieces: Iterator[bytes]) -> dict[str, SheetCells]:
    """The sheet of one part of an xlsb workbook; none if it is no sheet."""
    content = b"".join(pieces)
    if not content.startswith(XLSB_BEGIN):
        return {}
    cells, row = SheetCells(), 0
    for kind, data in xlsb_records(content):
        if kind == XLSB_ROW:
            row = unpack_from("<I", data)[0]
        elif 2 <= kind <= XLSB_FORMULA_ERROR:
            column = unpack_from("<I", data)[0]
            cells.reach(row + 1, column + 1)
            if kind in {XLSB_ERROR, XLSB_FORMULA_ERROR}:
                cells.faults[row, column] = error_value(ERROR_CODES.get(data[8], "#N/A"))
    return {"": cells}


def xlsb_records(content: bytes) -> Iterator[tuple[int, bytes]]:
    """The records of a part of an xlsb workbook, each its kind and content."""
    at = 0
    while at < len(content):
        kind, at = _number(content, at, 2)
        length, at = _number(content, at, 4)
        yield kind, content[at : at + length]
        at += length


def _number(content: bytes, at: int, most: int) -> tuple[int, int]:
    """A number of 7 bits a byte, and the place behind it."""
    number = 0
    for shift in range(0, 7 * most, 7):
        if at >= len(content):
            raise EOFError("it ends too early")
        byte = content[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
    return number, at


def xlsb_sheet_keys(book: bytes) -> dict[str, str]:
    """The keys such as rId1 of the sheets of an xlsb workbook, by name of the sheet."""
    keys = {}
    for kind, data in xlsb_records(book):
        if kind == XLSB_SHEET:
            key, at = _wide_text(data, 8)
            keys[_wide_text(data, at)[0]] = key
    return keys


def _wide_text(data: bytes, at: int) -> tuple[str, int]:
    length = unpack_from("<I", data, at)[0]
    length = 0 if length == XLSB_NO_TEXT else length
    end = at + 4 + 2 * length
    return data[at + 4 : end].decode("utf-16-le", "replace"), end
