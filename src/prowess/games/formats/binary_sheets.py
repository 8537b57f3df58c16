"""Workbooks made of records, checked before a package opens them: xls, and the sheets of xlsb."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from struct import unpack_from
from typing import NamedTuple

from prowess.compile.refusals import ProwessError
from prowess.games.errors import BadData
from prowess.games.formats.sheet_cells import SheetCells, check_corners, error_value

ERROR_CODES = {
    0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?",
    0x24: "#NUM!", 0x2A: "#N/A", 0x2B: "#GETTING_DATA",
}  # fmt: skip
END, FREE = 0xFFFFFFFE, 0xFFFFFFFF  # of a chain of sectors; no sector
CUTOFF, SMALL = 4096, 64  # bytes of a stream that is kept in small sectors, and of those
STREAM, ROOT = 2, 5  # kinds of entries of a directory
FOREIGN = {"WordDocument": "a Word document", "PowerPoint Document": "a presentation"}
ROWS, COLUMNS = 65536, 256  # of a sheet of xls
NUMBER, LABEL, TRUTH_OR_ERROR, RK, LABEL_SST, RICH, MANY_RK, FORMULA = VALUES = (
    0x0203, 0x0204, 0x0205, 0x027E, 0x00FD, 0x00D6, 0x00BD, 0x0006,
)  # fmt: skip
DIMENSIONS, TEXTS, SHEET, PASSWORD, LAST = 0x0200, 0x00FC, 0x0085, 0x002F, 0x000A
XLSB_ROW, XLSB_ERROR, XLSB_FORMULA_ERROR, XLSB_SHEET = 0, 3, 11, 156
XLSB_BEGIN = b"\x81\x01"  # the first record of a sheet


class Damage(ProwessError, ValueError):
    """What is wrong with a file of records."""


class Entry(NamedTuple):
    """A stream of a compound file."""

    kind: int
    start: int
    size: int


class CompoundFile:
    """The streams of a compound file (xls, doc, an encrypted xlsx); raises Damage."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        shift = unpack_from("<H", content, 30)[0]
        if shift not in {9, 12}:
            raise Damage("the size of sectors")
        self.sector = 1 << shift
        self.count = len(content) // self.sector + 1
        lengths = [unpack_from("<I", content, at)[0] for at in (40, 44, 64, 72)]
        if max(lengths) > self.count:
            raise Damage("the number of sectors")
        places = [*unpack_from("<109I", content, 76)]
        at, more = unpack_from("<I", content, 68)[0], 0
        while at not in {END, FREE}:
            *found, at = self.numbers(at)
            places += found
            more += 1
            if more > self.count:
                raise Damage("a chain without an end")
        self.next = [number for at in places if at != FREE for number in self.numbers(at)]
        self.entries = self.read_directory(unpack_from("<I", content, 48)[0])
        root = next((each for each in self.entries.values() if each.kind == ROOT), None)
        if root is None:
            raise Damage("no directory")
        self.small = self.join(root.start)[: root.size]
        self.next_small = [
            number
            for at in self.follow(unpack_from("<I", content, 60)[0], self.next)
            for number in self.numbers(at)
        ]
        for entry in self.entries.values():
            if entry.size > len(content):
                raise Damage("a stream larger than the file")
            if entry.kind == STREAM:
                self.places(entry)

    def bytes_at(self, at: int) -> bytes:
        """The content of a sector."""
        start = (at + 1) * self.sector
        if start >= len(self.content):
            raise Damage("it ends too early")
        return self.content[start : start + self.sector]

    def numbers(self, at: int) -> tuple[int, ...]:
        """The numbers in a sector."""
        content = self.bytes_at(at)
        return unpack_from(f"<{len(content) // 4}I", content)

    def follow(self, at: int, next_of: list[int]) -> list[int]:
        """The sectors of a chain."""
        found: list[int] = []
        while at not in {END, FREE}:
            if at >= len(next_of) or len(found) > len(next_of):
                raise Damage("a chain without an end")
            found.append(at)
            at = next_of[at]
        return found

    def join(self, at: int) -> bytes:
        """The content of a chain of sectors."""
        return b"".join(map(self.bytes_at, self.follow(at, self.next)))

    def read_directory(self, at: int) -> dict[str, Entry]:
        """The streams by name."""
        content = self.join(at)
        found = {}
        if len(content) % 128:
            raise Damage("it ends too early")
        for place in range(0, len(content), 128):
            length, kind = unpack_from("<HB", content, place + 64)
            start, size = unpack_from("<IQ", content, place + 116)
            name = content[place : place + min(max(length - 2, 0), 64)]
            if kind in {STREAM, ROOT}:
                size = size if self.sector > 512 else size & 0xFFFFFFFF
                found[name.decode("utf-16-le", "replace")] = Entry(kind, start, size)
        return found

    def places(self, entry: Entry) -> list[int]:
        """The sectors of a stream, small ones for a small stream."""
        return self.follow(entry.start, self.next if entry.size >= CUTOFF else self.next_small)

    def read_entry(self, entry: Entry) -> bytes:
        """The content of a stream."""
        places = self.places(entry)
        if entry.size >= CUTOFF:
            return b"".join(map(self.bytes_at, places))[: entry.size]
        parts = [self.small[SMALL * at : SMALL * (at + 1)] for at in places]
        return b"".join(parts)[: entry.size]


def scan_xls(name: str, content: bytes) -> dict[str, SheetCells]:
    """The sheets of an xls workbook by name; raises BadData, Damage and struct.error."""
    file = CompoundFile(content)
    for stream, what in FOREIGN.items():
        if stream in file.entries:
            raise BadData(
                f"the file is {what}, not a table",
                file=name,
                remedy="export it as CSV",
                code="not_a_table",
            )
    if "EncryptedPackage" in file.entries:
        raise encryption_error(name)
    entry = file.entries.get("Workbook") or file.entries.get("Book")
    if entry is None:
        raise Damage("it holds no workbook")
    book = file.read_entry(entry)
    sheets: dict[str, SheetCells] = {}
    for kind, data in xls_records(book, 0):
        if kind == PASSWORD and any(data[:2]):
            raise encryption_error(name)
        if kind == TEXTS and unpack_from("<I", data, 4)[0] * 3 > len(book):
            raise Damage("more texts than bytes")
        if kind == SHEET:
            start, _, _, length, wide = unpack_from("<I4B", data)
            text = data[8 : 8 + length * (1 + (wide & 1))]
            title = text.decode("utf-16-le" if wide & 1 else "latin-1", "replace")
            sheets[title] = scan_xls_sheet(book, start)
    check_corners(name, [*sheets.values()])
    return sheets


def encryption_error(name: str) -> BadData:
    """The error of a workbook that only a password opens."""
    return BadData(
        "the workbook is encrypted",
        file=name,
        remedy="save it without a password",
        code="encrypted",
    )


def xls_records(book: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """The records of a part of an xls workbook, each its kind and content."""
    while at + 4 <= len(book):
        kind, length = unpack_from("<HH", book, at)
        if kind == LAST:
            return
        yield kind, book[at + 4 : at + 4 + length]
        at += 4 + length


def scan_xls_sheet(book: bytes, start: int) -> SheetCells:
    """The corner and the errors of a sheet."""
    cells = SheetCells()
    for kind, data in xls_records(book, start):
        if kind == DIMENSIONS:
            long = len(data) >= 14
            top, bottom, left, right = unpack_from("<IIHH" if long else "<4H", data)
            if not (top <= bottom <= ROWS and left <= right <= COLUMNS):
                raise Damage("the size of a sheet")
        elif kind in VALUES:
            row, column = unpack_from("<HH", data)
            if kind == MANY_RK:
                column = unpack_from("<H", data, len(data) - 2)[0]
            if column >= COLUMNS:
                raise Damage("a cell beyond the last column")
            cells.reach(row + 1, column + 1)
            code = None
            if kind == TRUTH_OR_ERROR and data[7:8] == b"\x01":
                code = data[6]
            elif kind == FORMULA and data[12:14] == b"\xff\xff" and data[6] == 2:
                code = data[8]
            if code is not None:
                cells.faults[row, column] = error_value(ERROR_CODES.get(code, "#N/A"))
    return cells


def scan_xlsb(pieces: Iterator[bytes]) -> dict[str, SheetCells]:
    """The sheet of one part of an xlsb workbook; none if it is no sheet. Raises RECORD_ERRORS."""
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
            raise Damage("it ends too early")
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
    length = 0 if length == FREE else length
    end = at + 4 + 2 * length
    return data[at + 4 : end].decode("utf-16-le", "replace"), end


RECORD_ERRORS = (Damage, struct.error, IndexError)  # of a file of records that is damaged
