"""Dates that stand only in the first row of each day, as merged cells leave them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from prowess.games.columns import ParsedColumn
from prowess.games.errors import InvalidValue, quote
from prowess.games.values import is_missing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.columns import InputColumn

    Floats = NDArray[np.float64]

FILLED = 0.3  # of the rows have an empty date there
FEWEST_DAYS = 2  # dates that have to be given


def fill_dates(
    name: str,
    column: InputColumn,
    values: Floats,
    wrong: Mapping[int, InvalidValue],
    notes: list[str],
) -> ParsedColumn:
    """The dates of a column with those of rows below the first of each day, as a note says.

    Nothing is filled in where a date may just be missing: each date that is given must begin a
    later day than the one before, or an earlier one in all rows.
    """
    empty = [row for row in wrong if is_missing(column.cell(row))]
    given = values[~np.isnan(values)]
    step = np.diff(given)
    if (
        len(empty) < max(1.0, FILLED * len(values))
        or empty[0] == 0
        or len(given) < FEWEST_DAYS
        or len(empty) + len(given) < len(values)
        or not (np.all(step > 0) or np.all(step < 0))
    ):
        return ParsedColumn(values, wrong)
    above = np.maximum.accumulate(np.where(np.isnan(values), 0, np.arange(len(values))))
    note = f"empty cells of column {quote(name)} have the date above them"
    if note not in notes:
        notes.append(note)
    return ParsedColumn(values[above], {})
