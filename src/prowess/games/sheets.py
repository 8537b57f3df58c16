"""Spreadsheets: xlsx, xlsm, xlsb, xls and ods, read as they stand in the file.

Cells hold the values that the program stored. Macros are not run, formulas are not computed.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Any
from zipfile import BadZipFile, ZipFile

from prowess.games.byte_streams import ByteStream
from prowess.games.choice import Candidate, choose_table
from prowess.games.columns import InputTable
from prowess.games.errors import BadData, quote
from prowess.games.grids import Grid, NoValue, grid_table
from prowess.games.limits import (
    ARCHIVE,
    MB,
    MEMBERS,
    SHEET_CELLS,
    SHEET_UNPACKED,
    check_size,
)
from prowess.games.sources import ReaderSettings

RECOMPUTE = "open it in a spreadsheet program and save it, which computes all cells"
AS_CSV = "save the sheet as CSV"
MACROS = "the macros of the workbook are not run"
ERRORS = re.compile(r"#(?:N/A|DIV/0!|VALUE!|REF!|NAME\?|NUM!|NULL!|SPILL!|CALC!)")
DAY_ZERO = (1899, 1900)  # the years of cells that hold a time alone
ZERO = date(1899, 12, 31)
NOT_COMPUTED = NoValue("a formula that was never computed", RECOMPUTE)
FORMULA = re.compile(
    rb"<c\b(?P<attributes>[^>]*)>\s*<f\b[^>]*(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>"
)
PLACE = re.compile(rb'\br="([A-Z]{1,3})([0-9]+)"')


def read_sheet(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The sheet of a workbook that holds games; raises BadData."""
    import python_calamine as calamine

    name = stream.name
    check_size("the workbook", stream.size(), ARCHIVE, name, AS_CSV)
    content = stream.readall()
    notes, formulas = _check_archive(name, content)
    try:
        workbook = calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        sheets = [
            each
            for each in workbook.sheets_metadata
            if each.typ == calamine.SheetTypeEnum.WorkSheet
        ]
    except calamine.PasswordError:
        raise BadData(
            "the workbook is encrypted", file=name, remedy="save it without a password"
        ) from None
    except Exception as error:  # of any kind: the reader of workbooks is not ours
        raise damage_error(name, error) from None
    if len(sheets) > MEMBERS:
        raise BadData(f"more than {MEMBERS} sheets", file=name, remedy="save fewer sheets")

    def open_sheet(at: int, sheet: str) -> InputTable:
        try:
            cells = workbook.get_sheet_by_name(sheet)
            if cells.total_height * cells.total_width > SHEET_CELLS:
                raise BadData(
                    f"the sheet has more than {SHEET_CELLS // 10**6} million cells",
                    file=name,
                    remedy=AS_CSV,
                )
            rows: list[list[Any]] = [*map(list, cells.to_python(skip_empty_area=False))]
            merged = cells.merged_cell_ranges or []
        except BadData:
            raise
        except Exception as error:  # of any kind, as above
            raise damage_error(name, error) from None
        _fill_merged(rows, merged)
        for row, column in formulas.get(at, ()):
            if row < len(rows) and column < len(rows[row]) and rows[row][column] in ("", None):
                rows[row][column] = NOT_COMPUTED
        return grid_table(Grid(
            name, [[_plain(cell) for cell in row] for row in rows], range(1, len(rows) + 1),
            unit="row", sheet=sheet if len(sheets) > 1 else None, notes=notes,
        ))  # fmt: skip

    return choose_table(
        name,
        "sheet",
        [
            Candidate(
                sheet.name,
                partial(open_sheet, at, sheet.name),
                sheet.visible != calamine.SheetVisibleEnum.Visible,
            )
            for at, sheet in enumerate(sheets)
        ],
        settings,
    )


def damage_error(name: str, error: Exception) -> BadData:
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return BadData(
        f"the workbook is damaged ({reason})", file=name, remedy=f"save it again, or {AS_CSV}"
    )


def _check_archive(
    name: str, content: bytes
) -> tuple[tuple[str, ...], dict[int, list[tuple[int, int]]]]:
    """What is noted of a workbook, and its formulas without a value by number of the sheet.

    Raises BadData for one that unpacks to more than a workbook of games does.
    """
    if not content.startswith(b"PK"):
        return (), {}
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            size = sum(member.file_size for member in members)
            if size > SHEET_UNPACKED or len(members) > 20 * MEMBERS:
                raise BadData(
                    f"the workbook unpacks to more than {SHEET_UNPACKED // MB} MB",
                    file=name,
                    remedy=AS_CSV,
                )
            names = {member.filename for member in members}
            notes = (MACROS,) if any("vbaProject" in each for each in names) else ()
            paths = _sheet_paths(archive) if "xl/workbook.xml" in names else []
            formulas = {
                at: list(_formula_places(archive.read(path)))
                for at, path in enumerate(paths)
                if path in names
            }
    except BadData:
        raise
    except Exception as error:  # whatever a damaged archive raises
        if isinstance(error, MemoryError):
            raise
        if isinstance(error, BadZipFile):
            raise damage_error(name, error) from None
        return (), {}
    return notes, formulas


def _sheet_paths(archive: ZipFile) -> list[str]:
    """The files of the sheets of an xlsx workbook, in their order."""
    book = archive.read("xl/workbook.xml")
    links = archive.read("xl/_rels/workbook.xml.rels")
    targets = {}
    for link in re.findall(rb"<Relationship\b[^>]*>", links):
        key, target = re.search(rb'\bId="([^"]*)"', link), re.search(rb'\bTarget="([^"]*)"', link)
        if key and target:
            targets[key[1]] = target[1].decode("utf-8", "replace").lstrip("/").removeprefix("xl/")
    paths = []
    for sheet in re.findall(rb"<(?:\w+:)?sheet\b[^>]*>", book):
        key = re.search(rb'\b\w+:id="([^"]*)"', sheet)
        if key and key[1] in targets and "worksheets" in targets[key[1]]:
            paths.append(f"xl/{targets[key[1]]}")
    return paths


def _formula_places(sheet: bytes) -> Iterator[tuple[int, int]]:
    """Row and column, from 0, of each formula without a value."""
    for found in FORMULA.finditer(sheet):
        attributes = found["attributes"]
        place = PLACE.search(attributes)
        if place and b't="str"' not in attributes:
            column = 0
            for letter in place[1]:
                column = 26 * column + letter - ord("A") + 1
            yield int(place[2]) - 1, column - 1


def _fill_merged(rows: list[list[Any]], merged: Any) -> None:
    """Write the value of a cell that reaches over several rows into all of them."""
    for (top, left), (bottom, _) in merged:
        if bottom > top < len(rows) and left < len(rows[top]):
            value = rows[top][left]
            for row in rows[top + 1 : bottom + 1]:
                if left < len(row) and row[left] in ("", None):
                    row[left] = value


def _plain(cell: Any) -> Any:
    """A cell as tables have it: whole numbers, times of the day and scores as text."""
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() and abs(cell) < 2**53 else cell
    if isinstance(cell, str):
        if ERRORS.fullmatch(cell):
            return NoValue(f"the error {quote(cell)}", "correct the cell")
        return cell
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
    if isinstance(cell, bool | int | date) or cell is None:
        return cell
    return str(cell)


def _clock(past: timedelta) -> str:
    """A time of the day, or 3:01 which is what a sheet makes of a score of 3:1."""
    seconds = round(past.total_seconds())
    hours, rest = divmod(seconds, 3600)
    minutes, second = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{second:02d}" if second else f"{hours}:{minutes:02d}"
