"""Points of a side with marks of thousands: 1.008 is 1008 where all points are so written."""

from __future__ import annotations

import re
from typing import Any

from prowess.games.cells.side_results import parse_side_points
from prowess.games.errors import MEND, InvalidValue, quote

THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+|\d{1,3}(?:,\d{3})+|\d{1,3}")
MARKS = str.maketrans("", "", ".,")


def are_thousands(cells: list[Any]) -> bool:
    """Whether all texts of a column may be whole numbers with marks of thousands."""
    texts = {cell.strip() for cell in cells if isinstance(cell, str)}
    return all(map(THOUSANDS.fullmatch, texts - {""}))


def find_marked(cells: list[Any]) -> str | None:
    """The first number with a mark of thousands, where the whole column is so written."""
    marked = (cell.strip() for cell in cells if isinstance(cell, str) and {*cell} & {".", ","})
    return next(marked, None) if are_thousands(cells) else None


def parse_whole_points(cell: Any) -> float:
    """The points of one side in such a column; raises InvalidValue for a text of another."""
    if not isinstance(cell, str) or not cell.strip():
        return parse_side_points(cell)
    if not THOUSANDS.fullmatch(cell.strip()):
        raise InvalidValue(f"{quote(cell)} is no whole number", MEND, code="not_a_whole_number")
    return parse_side_points(cell.translate(MARKS))
