"""Spreadsheets: xlsx, xlsm, xlsb, xls and ods, read as they stand in the file.

Cells hold the values that the program stored. Macros are not run, formulas are not computed.
"""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime, time, timedelta
from functools import cache, partial
from typing import Any, NamedTuple

from prowess.games.columns import InputTable
from prowess.games.errors import BadData
from prowess.games.formats.byte_streams import ByteStream, damage_error
from prowess.games.formats.choice import Candidate, check_tables, choose_table
from prowess.games.formats.grids import Grid, NoValue, grid_table
from prowess.games.formats.sheet_cells import AS_CSV, ERRORS, cells_error, error_value
from prowess.games.formats.sources import ReaderSettings
from prowess.games.formats.workbook_files import (
    SAVE_AGAIN,
    encryption_error,
    foreign_error,
    scan_workbook,
)
from prowess.games.limits import ARCHIVE, SHEET_CELLS, check_size

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
    check_size("the workbook", stream.size(), ARCHIVE, name, AS_CSV)
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
                raise encryption_error(name) from None
            if held:
                raise foreign_error(name, held[0]) from None
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
            raise encryption_error(name) from None
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
