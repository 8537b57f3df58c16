"""Dates that stand only in the first row of each day, as merged cells leave them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prowess.games.columns import ParsedColumn
from prowess.games.errors import quote
from prowess.games.values import is_missing

if TYPE_CHECKING:
    from prowess.games.columns import InputColumn

FILLED = 0.3  # of the rows have an empty date there
FEWEST_DAYS = 2  # dates that have to be given


@dataclass
class MergedDates:
    """Whether empty cells of a column have the date above them, as far as its rows were read."""

    one_a_day: bool | None = None  # whether each date of the first rows begins another day
    above: bool = False  # whether empty cells of the first rows may have the date above them

    @property
    def is_open(self) -> bool:
        """Whether rows count that have no empty cell, too."""
        return self.above or self.one_a_day is None

    def fill_dates(
        self, name: str, column: InputColumn, parsed: ParsedColumn, notes: list[str]
    ) -> ParsedColumn:
        """The dates of the first rows with those of rows below the first of each day, as a note
        says. Nothing is filled in where a date may just be missing.
        """
        values, wrong = parsed
        self.one_a_day = begin_days(column, parsed)
        self.above = self.one_a_day and are_many(parsed) and 0 not in wrong
        if not self.above or len(values) - len(wrong) < FEWEST_DAYS:
            return parsed
        above = np.maximum.accumulate(np.where(np.isnan(values), 0, np.arange(len(values))))
        note = f"empty cells of column {quote(name)} have the date above them"
        if note not in notes:
            notes.append(note)
        return ParsedColumn(values[above], {})

    def needs_all_rows(self, column: InputColumn, parsed: ParsedColumn) -> bool:
        """Whether all rows together may be read otherwise than further rows alone."""
        if self.above:
            return True
        return self.one_a_day is not False and are_many(parsed) and begin_days(column, parsed)


def begin_days(column: InputColumn, parsed: ParsedColumn) -> bool:
    """Whether each date that is given begins a later day than the one before, or an earlier one in
    all rows, and all other cells are empty.
    """
    step = np.diff(parsed.values[~np.isnan(parsed.values)])
    one_way = bool(np.all(step > 0) or np.all(step < 0))
    return one_way and all(is_missing(column.cell(row)) for row in parsed.wrong)


def are_many(parsed: ParsedColumn) -> bool:
    """Whether so many dates are not given that they may be those above."""
    return len(parsed.wrong) >= max(1.0, FILLED * len(parsed.values))
