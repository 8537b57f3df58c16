"""Rows without a place whose reason stands in another column: `DQ` under Mark, `R` in a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from prowess.games.columns import InputTable, as_text
from prowess.games.errors import quote
from prowess.games.roles.contestants import find_contestant
from prowess.games.shapes.derived_columns import DerivedColumn, derive_columns, name_column
from prowess.games.values import is_missing

if TYPE_CHECKING:
    from prowess.games.roles.roles import LayoutFinder

UNPLACED = "DNF"


def fill_places(table: InputTable, finder: LayoutFinder) -> InputTable | None:
    """The table with words such as DNF in place of missing places, where another column has them;
    None where no place is missing or nothing says why.
    """
    place, evidence = finder.guessed.get("place"), finder.evidence
    if place is None or evidence is None or finder.has_sides:
        return None
    places = evidence.rows[place]
    without = [row for row, cell in enumerate(places) if is_missing(cell)]
    if not without or len(without) == len(places) or not find_contestant(finder):
        return None
    for name in finder.names:
        cells = evidence.rows[name]
        if name != place and (_tells(cells, without) or _repeats(cells, places, without)):
            filled = name_column(table, place)
            shown = ", ".join(sorted({quote(cells[row]) for row in without}))
            note = (
                f"rows without {quote(place)} are unplaced: column {quote(name)} has {shown} there"
            )
            derived = {filled: DerivedColumn((place, name), _fill)}
            return derive_columns(table, derived, {"place": filled}, notes=[note])
    return None


def _tells(cells: Sequence[Any], without: Sequence[int]) -> bool:
    """Whether the cells of all rows without a place are words for that."""
    from prowess.games.cells.places import is_unplaced

    return all(is_unplaced(cells[row]) for row in without)


def _repeats(cells: Sequence[Any], places: Sequence[Any], without: Sequence[int]) -> bool:
    """Whether the cells repeat the places, and hold letters where there is none."""
    missing = {*without}
    return all(
        as_text(cell).isalpha() if row in missing else as_text(cell) == as_text(places[row])
        for row, cell in enumerate(cells)
    )


def _fill(place: Any, code: Any) -> Any:
    if not is_missing(place):
        return place
    from prowess.games.cells.places import is_unplaced

    return code if is_unplaced(code) or is_missing(code) else UNPLACED
