"""What stands in the cells of a workbook in a zip archive (xlsx, xlsm, xlsb, ods), before it is
opened.

The package that reads workbooks keeps all cells between the corners of a sheet, so that one cell
far away takes all memory, and gives "" for errors and for formulas that were never computed. This
pass over the parts of the file finds the corners and those cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

import numpy as np

from prowess.games.errors import BadData, quote
from prowess.games.formats.grids import NoValue
from prowess.games.limits import SHEET_CELLS

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAVE_AS_CSV = "save the sheet as CSV"
NOT_COMPUTED = NoValue(
    "a formula that was never computed", "open and save the file once in a spreadsheet program"
)
ERRORS = re.compile(r"#(?:N/A|DIV/0!|VALUE!|REF!|NAME\?|NUM!|NULL!|SPILL!|CALC!)|Err:\d{3}")
BLANKS_IN_TEXT = 10_000  # that one mark of ods may stand for
DIGITS = "0123456789"
CELL_TAGS = frozenset({"table:table-cell", "table:covered-table-cell"})


@dataclass
class SheetCells:
    """The last row and column of a sheet that hold a value, and the cells without one."""

    rows: int = 0
    columns: int = 0
    faults: dict[tuple[int, int], NoValue] = field(default_factory=dict)  # by row and column from 0

    def reach(self, row: int, column: int) -> None:
        """Take note of a cell with a value, counted from 1."""
        self.rows = max(self.rows, row)
        self.columns = max(self.columns, column)


def error_value(text: str) -> NoValue:
    """A cell that holds an error such as #N/A."""
    return NoValue(text, "correct the cell, or clear it where no game was played")


def check_corners(name: str, sheets: list[SheetCells]) -> None:
    """Refuse a workbook of more cells than memory holds; raises BadData."""
    if sum(each.rows * each.columns for each in sheets) <= SHEET_CELLS:
        return
    widest = max(sheets, key=lambda each: each.rows * each.columns)
    corner = f"{column_letters(widest.columns)}{widest.rows}"
    raise cells_error(name, f"a sheet reaches to cell {corner}")


def cells_error(name: str, what: str) -> BadData:
    """The error of a workbook with too many cells."""
    return BadData(
        f"the workbook has more than {SHEET_CELLS // 10**6} million cells, and {what}",
        file=name,
        remedy=f"clear cells far from the table, or {SAVE_AS_CSV}",
        code="too_many_cells",
    )


def column_letters(column: int) -> str:
    """The letters of a column that is counted from 1.

    >>> column_letters(1), column_letters(28), column_letters(16384)
    ('A', 'AB', 'XFD')
    """
    letters = ""
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def column_number(letters: str) -> int:
    """The number of a column, from 1; raises ExpatError."""
    column = 0
    if not re.fullmatch("[A-Za-z]{1,7}", letters):
        raise expat.ExpatError(f"a cell stands at {quote(letters)}")
    for letter in letters.upper():
        column = 26 * column + ord(letter) - ord("A") + 1
    return column


MOST_HELD = 64  # pieces of a part that are held at once
BEFORE_PLACE = b'<c r="'  # what stands before the place of a cell
ODD = [  # that no plain sheet holds: declarations, formulas, errors, tags with a prefix
    *map(re.compile, (rb":[fc]", rb'"e"', rb"'e'", rb"\0", rb"document-content"))
]
ODD_TAGS = (b"<!", b"<f")


def scan_plain_sheet(content: bytes) -> SheetCells | None:
    """The corners of a sheet of xlsx that says where each cell stands, has no errors, formulas or
    declarations and is small; None for another part, which is to be parsed.

    Cells without a value count here as well, so the corners may lie beyond those of values.
    """
    odd_tags = (len(_find_pairs(content, tag)) for tag in ODD_TAGS)
    if any(mark.search(content) for mark in ODD) or any(odd_tags):
        return None
    data = np.frombuffer(content, np.uint8)
    cells = _find_pairs(content, b"<c")
    cells = cells[data.take(cells + 2, mode="clip") != ord("o")]  # no column
    if not len(cells):
        return None
    for at, letter in enumerate(BEFORE_PLACE):
        if (data.take(cells + at, mode="clip") != letter).any():
            return None
    ends = cells + len(BEFORE_PLACE)
    columns = _read_numbers(data, ends, "A", 26, 3)
    rows = _read_numbers(data, ends, "0", 10, 7)
    if (data.take(ends, mode="clip") != ord('"')).any() or not (columns.all() and rows.all()):
        return None
    corners = SheetCells(int(rows.max()), int(columns.max()))
    return corners if corners.rows * corners.columns <= SHEET_CELLS else None


def _find_pairs(content: bytes, pair: bytes) -> NDArray[np.int64]:
    """The places of two bytes, in no order."""
    (wanted,) = np.frombuffer(pair, np.uint16)
    starts = (0, 1)  # of the pairs at even and at odd places
    counts = [(len(content) - start) // 2 for start in starts]
    pairs = map(np.frombuffer, [content] * 2, [np.uint16] * 2, counts, starts)
    found = [2 * np.flatnonzero(each == wanted) for each in pairs]
    return np.concatenate((found[0], found[1] + 1))


def _read_numbers(
    data: NDArray[np.uint8], at: NDArray[np.int64], first: str, base: int, most: int
) -> NDArray[np.int64]:
    """The numbers of at most so many digits that begin at some places, which move behind them; 0
    where there is none. Letters are digits from 1 on.
    """
    found = np.zeros(len(at), np.int64)
    for _ in range(most):
        digit = data.take(at, mode="clip") - np.uint8(ord(first))
        more = digit < base
        found = np.where(more, base * found + digit + first.isalpha(), found)
        at += more
    return found


def scan_xml(pieces: Iterator[bytes]) -> dict[str, SheetCells]:
    """The sheets of one part of a workbook by name ("" in xlsx); raises ExpatError.

    The reader of workbooks asks for no root, so any part may be a sheet of xlsx.
    """
    held = [*islice(pieces, MOST_HELD)]
    more = [*islice(pieces, 1)]
    if not more and (plain := scan_plain_sheet(b"".join(held))) is not None:
        return {"": plain}
    parser = expat.ParserCreate()
    parser.buffer_text = True
    found: dict[str, SheetCells] = {}

    def begin(tag: str, attributes: dict[str, str]) -> None:
        if tag.endswith(":document-content"):
            OdsScan(parser, found)
        else:
            found[""] = SheetCells()
            XlsxScan(parser, found[""]).begin(tag, attributes)

    def refuse_types(*_: Any) -> None:
        raise expat.ExpatError("it declares a type of document")

    parser.StartElementHandler = begin
    parser.StartDoctypeDeclHandler = refuse_types
    for piece in chain(held, more, pieces):
        parser.Parse(piece, False)
    parser.Parse(b"", True)
    return found


class XlsxScan:
    """Handlers of expat for a sheet of xlsx."""

    def __init__(self, parser: Any, sheet: SheetCells) -> None:
        self.parser, self.sheet = parser, sheet
        self.row = self.column = 0
        self.letters: dict[str, int] = {}
        self.kind: str | None = None  # the type of the cell
        self.text: list[str] = []  # of a formula's value or an error
        parser.StartElementHandler = self.begin

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        """Note where a cell stands, and gather the value of a formula or an error."""
        if ":" in tag:
            tag = tag.rpartition(":")[2]
        if tag == "c":
            place = attributes.get("r")
            if place is None:
                self.column += 1
            else:
                letters = place.rstrip(DIGITS)
                column = self.letters.get(letters)
                if column is None:
                    column = self.letters[letters] = column_number(letters)
                self.column = column
                self.row = int(place[len(letters) :] or 0)
            self.kind = attributes.get("t")
            if self.kind == "e":
                self.watch()
        elif tag in {"v", "is"}:
            self.sheet.reach(self.row, self.column)
        elif tag == "f":
            if self.kind not in {"e", "str"}:  # a formula may well give an empty text
                self.watch()
        elif tag == "row":
            given = attributes.get("r", "")
            self.row = int(given) if given.isdigit() else self.row + 1
            self.column = 0

    def watch(self) -> None:
        """Gather the texts of a cell until it ends."""
        self.text.clear()
        self.parser.CharacterDataHandler = self.text.append
        self.parser.EndElementHandler = self.end

    def end(self, tag: str) -> None:
        """Decide what a cell holds whose texts were gathered."""
        tag = tag.rpartition(":")[2]
        if tag == "f":
            self.text.clear()
        elif tag == "c":
            text = "".join(self.text).strip()
            if self.kind == "e" or not text:
                self.sheet.reach(self.row, self.column)
                fault = error_value(text or "#N/A") if self.kind == "e" else NOT_COMPUTED
                self.sheet.faults[self.row - 1, self.column - 1] = fault
            self.parser.CharacterDataHandler = self.parser.EndElementHandler = None


class OdsScan:
    """Handlers of expat for the sheets of ods."""

    def __init__(self, parser: Any, sheets: dict[str, SheetCells]) -> None:
        self.parser, self.sheets = parser, sheets
        self.sheet = SheetCells()
        self.row = self.column = 0  # how many are before the one that is read
        self.rows = self.columns = 1  # how often that stands
        self.valued = self.wrong = False
        self.text: list[str] = []  # of an error
        parser.StartElementHandler = self.begin
        parser.EndElementHandler = self.end

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        """Note the kind of value of a cell and how often it stands."""
        if tag in CELL_TAGS:
            self.columns = parse_count(attributes.get("table:number-columns-repeated"))
            kind = attributes.get("calcext:value-type") or attributes.get("office:value-type")
            self.valued = kind is not None or "table:formula" in attributes
            self.wrong = kind == "error" or (self.valued and kind is None)
            if self.wrong:
                self.text.clear()
                self.parser.CharacterDataHandler = self.text.append
        elif tag == "table:table-row":
            self.rows = parse_count(attributes.get("table:number-rows-repeated"))
            self.column = 0
        elif tag == "table:table":
            self.sheet = self.sheets.setdefault(attributes.get("table:name", ""), SheetCells())
            self.row = 0
        elif tag == "text:s" and parse_count(attributes.get("text:c")) > BLANKS_IN_TEXT:
            raise expat.ExpatError("a text is blank")

    def end(self, tag: str) -> None:
        """End a cell or a row."""
        if tag == "table:table-row":
            self.row += self.rows
        elif tag in CELL_TAGS:
            if self.valued:
                self.sheet.reach(self.row + self.rows, self.column + self.columns)
            if self.wrong and self.rows * self.columns <= SHEET_CELLS:
                text = "".join(self.text).strip()
                fault = error_value(text) if text else NOT_COMPUTED
                for row in range(self.row, self.row + self.rows):
                    for column in range(self.column, self.column + self.columns):
                        self.sheet.faults[row, column] = fault
            self.parser.CharacterDataHandler = None
            self.column += self.columns


def parse_count(text: str | None) -> int:
    """How often a row or a cell stands; raises ExpatError."""
    if text is None:
        return 1
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise expat.ExpatError(f"a number of repetitions is {quote(text)}")
    return int(text)
