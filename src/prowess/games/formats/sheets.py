"""Spreadsheets: xlsx, xlsm, xlsb, xls and ods, read as they stand in the file.

Cells hold the values that the program stored. Macros are not run, formulas are not computed.
"""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Any

from prowess.games.columns import InputTable
from prowess.games.errors import BadData
from prowess.games.formats.binary_sheets import encryption_error
from prowess.games.formats.byte_streams import ByteStream
from prowess.games.formats.choice import Candidate, choose_table
from prowess.games.formats.grids import Grid, NoValue, grid_table
from prowess.games.formats.sheet_cells import AS_CSV, ERRORS, error_value
from prowess.games.formats.sources import ReaderSettings
from prowess.games.formats.workbook_files import damage_error, scan_workbook
from prowess.games.limits import ARCHIVE, MEMBERS, check_size

DAY_ZERO = (1899, 1900)  # the years of cells that hold a time alone
ZERO = date(1899, 12, 31)


def read_sheet(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The sheet of a workbook that holds games; raises BadData."""
    import python_calamine as calamine

    name = stream.name
    check_size("the workbook", stream.size(), ARCHIVE, name, AS_CSV)
    content = stream.readall()
    found = scan_workbook(name, content)
    with blame_workbook(name):
        workbook = calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        sheets = [
            each
            for each in workbook.sheets_metadata
            if each.typ == calamine.SheetTypeEnum.WorkSheet
        ]
    if len(sheets) > MEMBERS:
        raise BadData(
            f"more than {MEMBERS} sheets",
            file=name,
            remedy="save fewer sheets",
            code="too_many_tables",
        )

    def open_sheet(sheet: str) -> InputTable:
        with blame_workbook(name):
            cells = workbook.get_sheet_by_name(sheet)
            rows: list[list[Any]] = cells.to_python(skip_empty_area=False)
            merged = cells.merged_cell_ranges or []
        if sheet in found.sheets:
            _set_faults(rows, found.sheets[sheet].faults)
        _fill_merged(rows, merged)
        return grid_table(Grid(
            name, _plain_rows(rows), range(1, len(rows) + 1),
            unit="row", sheet=sheet if len(sheets) > 1 else None, notes=found.notes,
        ))  # fmt: skip

    return choose_table(
        name,
        "sheet",
        [
            Candidate(
                sheet.name,
                partial(open_sheet, sheet.name),
                sheet.visible != calamine.SheetVisibleEnum.Visible,
            )
            for sheet in sheets
        ],
        settings,
    )


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
        raise damage_error(name, error) from None


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
