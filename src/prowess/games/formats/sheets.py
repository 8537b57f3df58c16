"""Spreadsheets: xlsx, xlsm, xlsb, xls and ods, read as they stand in the file.

Cells hold the values that the program stored. Macros are not run, formulas are not computed.

The package that reads workbooks keeps all cells between the corners of a sheet, so that one cell
far away takes all memory, and gives "" for errors and for formulas that were never computed. A
pass over the parts of a zip archive (xlsx, xlsm, xlsb, ods) finds the corners and those cells
before it is opened.
"""

from __future__ import annotations

import io
import re
import struct
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from functools import cache, partial
from itertools import chain, islice
from struct import unpack_from
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET
from xml.parsers import expat
from zipfile import ZipFile

from prowess.games.columns import InputTable
from prowess.games.errors import BadData, quote
from prowess.games.formats.byte_streams import ByteStream, damage_error, unpacking_errors
from prowess.games.formats.grids import Grid, NoValue, grid_table
from prowess.games.formats.opened_tables import (
    ZIP_ERRORS,
    Candidate,
    check_tables,
    choose_table,
    member_pieces,
)
from prowess.games.formats.sources import ReaderSettings
from prowess.games.limits import (
    ARCHIVE,
    MB,
    MEMBER_LIMIT,
    SHEET_CELLS,
    SHEET_UNPACKED,
    check_ratio,
    check_size,
)

SAVE_AS_CSV = "save the sheet as CSV"
NOT_COMPUTED = NoValue(
    "a formula that was never computed", "open and save the file once in a spreadsheet program"
)
ERRORS = re.compile(r"#(?:N/A|DIV/0!|VALUE!|REF!|NAME\?|NUM!|NULL!|SPILL!|CALC!)|Err:\d{3}")
BLANKS_IN_TEXT = 10_000  # that one mark of ods may stand for
ROW_DIGITS = "0123456789"
WORKBOOK_ERRORS: tuple[type[Exception], ...] = (
    struct.error, IndexError, expat.ExpatError, *ZIP_ERRORS,
)  # fmt: skip
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
    return BadData.of("too_many_cells.workbook", file=name, limit=SHEET_CELLS // 10**6, what=what)


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
CELL_PLACE = re.compile(rb'<c r="([A-Z]{1,3})([1-9][0-9]{0,6})"')
ODD = (b"<!", b"<f", b":f", b":c", b'"e"', b"'e'", b"\0", b"document-content")  # in no plain sheet


def scan_plain_sheet(content: bytes) -> SheetCells | None:
    """The corners of a sheet of xlsx that says where each cell stands, has no errors, formulas or
    declarations and is small; None for another part, which is to be parsed.

    Cells without a value count here as well, so the corners may lie beyond those of values.
    """
    places = () if any(mark in content for mark in ODD) else CELL_PLACE.findall(content)
    if not places or len(places) < content.count(b"<c") - content.count(b"<co"):  # no columns
        return None
    columns = (column_number(letters.decode()) for letters in {letters for letters, _ in places})
    corners = SheetCells(max(map(int, {row for _, row in places})), max(columns))
    return corners if corners.rows * corners.columns <= SHEET_CELLS else None


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
                letters = place.rstrip(ROW_DIGITS)
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


ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)  # in formats of hours beyond a day
DAY_ZERO = (1899, 1900)  # the years of cells that hold a time alone
ZERO = date(1899, 12, 31)


class Sheet(NamedTuple):
    """A sheet of a workbook; `read` gives its rows, and the first and last cell of merged ones."""

    name: str
    hidden: bool
    read: Callable[[], tuple[list[list[Any]], Sequence[Any]]]


def read_sheet(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The sheet of a workbook that holds games; raises BadData."""
    name = stream.name
    check_size("the workbook", stream.size(), ARCHIVE, name, SAVE_AS_CSV)
    content = stream.readall()
    sheets, notes = open_archive(name, content) if content[:2] == b"PK" else open_xls(name, content)
    check_tables(len(sheets), "sheet", name)

    def open_sheet(sheet: Sheet) -> InputTable:
        with blame_workbook(name):
            rows, merged = sheet.read()
        _fill_merged(rows, merged)
        return grid_table(Grid(
            name, _plain_rows(rows), range(1, len(rows) + 1),
            unit="row", sheet=sheet.name if len(sheets) > 1 else None, notes=notes,
        ))  # fmt: skip

    found = [Candidate(each.name, partial(open_sheet, each), each.hidden) for each in sheets]
    return choose_table(name, "sheet", found, settings)


def open_archive(name: str, content: bytes) -> tuple[list[Sheet], tuple[str, ...]]:
    """The sheets of xlsx, xlsm, xlsb and ods, and notes on the workbook; raises BadData."""
    import python_calamine as calamine

    known = scan_workbook(name, content)
    with blame_workbook(name):
        workbook = calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        metadata = workbook.sheets_metadata

    def read_rows(sheet: str) -> tuple[list[list[Any]], Sequence[Any]]:
        cells = workbook.get_sheet_by_name(sheet)
        rows: list[list[Any]] = cells.to_python(skip_empty_area=False)
        if sheet in known.sheets:
            _set_faults(rows, known.sheets[sheet].faults)
        return rows, cells.merged_cell_ranges or []

    shown, whole = calamine.SheetVisibleEnum.Visible, calamine.SheetTypeEnum.WorkSheet
    sheets = [each for each in metadata if each.typ == whole]
    return [
        Sheet(each.name, each.visible != shown, partial(read_rows, each.name)) for each in sheets
    ], known.notes


ENCRYPTED = "encrypted"
FOREIGN_STREAMS = {  # streams of a compound file that is no workbook
    "EncryptedPackage": ENCRYPTED, "WordDocument": "a Word document",
    "PowerPoint Document": "a presentation",
}  # fmt: skip


def open_xls(name: str, content: bytes) -> tuple[list[Sheet], tuple[str, ...]]:
    """The sheets of xls; raises BadData.

    Its package is written in Python: whatever a file holds, it takes time and memory by its length
    alone, and it tells errors from empty cells.
    """
    import xlrd

    with blame_workbook(name):
        try:
            book = xlrd.open_workbook(
                file_contents=content, logfile=io.StringIO(), on_demand=True, ragged_rows=True,
                formatting_info=True,
            )  # fmt: skip
        except xlrd.XLRDError as error:
            held = [
                what
                for each, what in FOREIGN_STREAMS.items()
                if each.encode("utf-16-le") in content
            ]
            if ENCRYPTED in held or "encrypted" in str(error):
                raise BadData.of("encrypted.workbook", file=name) from None
            if held:
                raise BadData.of("not_a_table.workbook", file=name, what=held[0]) from None
            raise
        hidden = book._sheet_visibility  # a sheet that is not read yet tells it nowhere else
        forms = [book.format_map[each.format_key].format_str for each in book.xf_list]
    counts: list[int] = []  # of cells in the sheets that were read
    parse = cache(lambda kind, value, xf: parse_xls_cell(kind, value, forms[xf], book.datemode))

    def read_rows(at: int) -> tuple[list[list[Any]], Sequence[Any]]:
        sheet = book.sheet_by_index(at)
        counts.append(sum(map(sheet.row_len, range(sheet.nrows))))
        if sum(counts) > SHEET_CELLS:  # the sheets may all be one
            raise cells_error(name, f"{len(counts)} of its sheets hold them")
        rows = [sheet.row_values(row) for row in range(sheet.nrows)]
        for row, cells in enumerate(rows):
            for column, kind in enumerate(sheet.row_types(row)):
                if kind not in PLAIN_KINDS:
                    form = sheet.cell_xf_index(row, column) if kind == xlrd.XL_CELL_DATE else 0
                    cells[column] = parse(kind, cells[column], form)
        merged = [
            ((top, left), (end - 1, right - 1)) for top, end, left, right in sheet.merged_cells
        ]
        book.unload_sheet(at)
        return rows, merged

    return [
        Sheet(title, bool(hidden[at]), partial(read_rows, at))
        for at, title in enumerate(book.sheet_names())
    ], ()


PLAIN_KINDS = frozenset({0, 1, 2, 6})  # of cells of xls: nothing, a text, a number, a format


def parse_xls_cell(kind: int, value: Any, form: str, datemode: int) -> Any:
    """An error, a truth value, or a date or a time of a format, of xls."""
    import xlrd

    if kind == xlrd.XL_CELL_ERROR:
        return error_value(xlrd.error_text_from_code.get(value, "#N/A"))
    if kind == xlrd.XL_CELL_BOOLEAN:
        return bool(value)
    with suppress(xlrd.xldate.XLDateError, OverflowError):  # it stays a number
        if ELAPSED.search(form):
            return timedelta(value)
        moment = xlrd.xldate_as_datetime(value, datemode)
        return moment.date() if value >= 1 and value.is_integer() else moment
    return value


@contextmanager
def blame_workbook(name: str) -> Iterator[None]:
    """Turn whatever the package that reads workbooks raises into BadData."""
    try:
        yield
    except (BadData, KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:  # its panics are no Exception
        if type(error).__name__ == "PasswordError":
            raise BadData.of("encrypted.workbook", file=name) from None
        raise damage_error(name, "workbook", error, SAVE_AGAIN) from None


def _set_faults(rows: list[list[Any]], faults: dict[tuple[int, int], NoValue]) -> None:
    """Put errors and formulas that were never computed where the package gives empty cells."""
    for (row, column), fault in faults.items():
        rows += [[] for _ in range(row + 1 - len(rows))]
        cells = rows[row]
        cells += [None] * (column + 1 - len(cells))
        if cells[column] in ("", None):
            cells[column] = fault


def _fill_merged(rows: list[list[Any]], merged: Any) -> None:
    """Write the value of a cell that reaches over several rows into all of them."""
    for (top, left), (bottom, _) in merged:
        if bottom > top < len(rows) and left < len(rows[top]):
            value = rows[top][left]
            for row in rows[top + 1 : bottom + 1]:
                if left < len(row) and row[left] in ("", None):
                    row[left] = value


class PlainCells(dict[Any, Any]):
    """Plain cells by the cells of one type; each different cell is looked at and kept once."""

    def __missing__(self, cell: Any) -> Any:
        self[cell] = plain = _plain(cell)
        return plain


def _plain_rows(rows: list[list[Any]]) -> list[list[Any]]:
    """The rows with plain cells."""
    known: defaultdict[type, PlainCells] = defaultdict(PlainCells)  # 1.0 and True are one key
    return [[known[type(cell)][cell] for cell in row] for row in rows]


def _plain(cell: Any) -> Any:
    """A cell as tables have it: whole numbers, times of the day and scores as text."""
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() and abs(cell) < 2**53 else cell
    if isinstance(cell, str):
        return error_value(cell) if ERRORS.fullmatch(cell) else cell
    if isinstance(cell, datetime):
        if cell.year in DAY_ZERO:
            days = max((cell.date() - ZERO).days, 0)
            return _clock(timedelta(days, 60 * (60 * cell.hour + cell.minute) + cell.second))
        if cell.time() == time(0):
            return cell.date()
        return cell
    if isinstance(cell, time):
        return _clock(timedelta(hours=cell.hour, minutes=cell.minute, seconds=cell.second))
    if isinstance(cell, timedelta):
        return _clock(cell)
    if isinstance(cell, bool | int | date | NoValue) or cell is None:
        return cell
    return str(cell)


def _clock(past: timedelta) -> str:
    """A time of the day, or 3:01 which is what a sheet makes of a score of 3:1."""
    seconds = round(past.total_seconds())
    hours, rest = divmod(seconds, 3600)
    minutes, second = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{second:02d}" if second else f"{hours}:{minutes:02d}"


# Workbooks in zip archives (xlsx, xlsm, xlsb, ods), checked before a package opens them: what
# they unpack to, what they are, and what stands in their cells.


ERROR_CODES = {
    0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?",
    0x24: "#NUM!", 0x2A: "#N/A", 0x2B: "#GETTING_DATA",
}  # fmt: skip
XLSB_ROW, XLSB_ERROR, XLSB_FORMULA_ERROR, XLSB_SHEET = 0, 3, 11, 156  # kinds of records
XLSB_BEGIN = b"\x81\x01"  # the first record of a sheet
XLSB_NO_TEXT = 0xFFFFFFFF  # the length of one
SAVE_AGAIN = f"save it again, or {SAVE_AS_CSV}"
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


def scan_workbook(name: str, content: bytes) -> WorkbookFile:
    """Check a workbook and find the cells without a value; raises BadData."""
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            return scan_archive(name, archive, len(content))
    except BadData:
        raise
    except (*WORKBOOK_ERRORS, *unpacking_errors()) as error:
        raise damage_error(name, "workbook", error, SAVE_AGAIN) from None


def scan_archive(name: str, archive: ZipFile, size: int) -> WorkbookFile:
    """As `scan_workbook`, of xlsx, xlsm, xlsb and ods; `size` is that of the file."""
    members = archive.infolist()
    names = {member.filename for member in members}
    for inner, what in OTHERS.items():
        if inner in names:
            raise BadData.of("not_a_table.workbook", file=name, what=what)
    unpacked = sum(member.file_size for member in members)
    check_ratio(size, unpacked, name)
    if unpacked > SHEET_UNPACKED or len(members) > 20 * MEMBER_LIMIT:
        raise BadData.of("unpacks_too_large.workbook", file=name, limit=SHEET_UNPACKED // MB)
    if any(member.flag_bits & 1 for member in members) or (
        "META-INF/manifest.xml" in names
        and b"encryption-data" in b"".join(member_pieces(archive, "META-INF/manifest.xml"))
    ):
        raise BadData.of("encrypted.workbook", file=name)
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
