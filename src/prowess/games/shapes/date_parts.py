"""Dates whose year, month and day stand in columns of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prowess.games.dates import is_year
from prowess.games.errors import MEND, InvalidValue, quote
from prowess.games.shapes.derived_columns import DerivedColumn, derive_columns, name_column
from prowess.games.values import fold_text, is_missing
from prowess.games.vocabulary import read_heading

if TYPE_CHECKING:
    from prowess.games.columns import InputTable
    from prowess.games.roles.roles import LayoutFinder

PARTS = ("year", "month", "day")


def join_dates(table: InputTable, finder: LayoutFinder) -> InputTable | None:
    """The table with a column of dates made of those of years and months, and of days if there
    are some; None for others.
    """
    if finder.evidence is None or {"time"} & finder.options.roles.keys():
        return None
    if finder.guessed.keys() & {"date", "maybe date"}:
        return None
    found: dict[str, str] = {}
    for part in PARTS:
        named = [
            name for name in finder.names
            if part in read_heading(name).subjects and len(read_heading(name).words) == 1
            and finder.evidence[name].filled and finder.evidence[name].share(TESTS[part]) == 1.0
        ]  # fmt: skip
        if len(named) == 1:
            found[part] = named[0]
    if not found.keys() >= {"year", "month"}:
        return None
    columns = tuple(found.values())
    date = name_column(table, "-".join(columns))

    def join(*cells: Any) -> str:
        parts = [*map(_number, cells)]
        if None in parts:
            shown = " ".join(str(cell) for cell in cells if not is_missing(cell))
            raise InvalidValue(f"{quote(shown)} is no date", MEND, code="not_a_date")
        return "-".join(f"{part:02d}" for part in parts)

    return derive_columns(table, {date: DerivedColumn(columns, join)}, {"time": date})


def _number(cell: Any) -> int | None:
    """The number of a year, a day or a month, which may be a name."""
    text = "" if is_missing(cell) else str(cell).strip().removesuffix(".0")
    if text.isdigit():
        return int(text)
    from prowess.games.cells.date_words import MONTHS

    return MONTHS.get(fold_text(text).rstrip("."))


TESTS = {
    "year": is_year,
    "month": lambda cell: 1 <= (_number(cell) or 0) <= 12,
    "day": lambda cell: 1 <= (_number(cell) or 0) <= 31,
}
