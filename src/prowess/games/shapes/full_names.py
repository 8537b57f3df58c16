"""Players whose first and last names stand in columns of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prowess.games.columns import as_text
from prowess.games.shapes.derived_columns import DerivedColumn, derive_columns, name_column
from prowess.games.values import is_missing
from prowess.games.words import words_for

if TYPE_CHECKING:
    from prowess.games.columns import InputTable
    from prowess.games.roles.roles import LayoutFinder

FIRST, LAST = words_for("first_name"), words_for("last_name")


def join_full_names(table: InputTable, finder: LayoutFinder) -> InputTable | None:
    """The table of contests with a column of whole names; None where first or last names lack."""
    if finder.has_sides or "player" in finder.options.roles or finder.evidence is None:
        return None
    first = [name for form, name in finder.plain.items() if form in FIRST]
    last = [name for form, name in finder.plain.items() if form in LAST]
    if len(first) != 1 or len(last) != 1:
        return None

    def join(*cells: Any) -> str:
        return " ".join(as_text(cell) for cell in cells if not is_missing(cell))

    columns = first[0], last[0]
    whole = name_column(table, " ".join(columns))
    return derive_columns(table, {whole: DerivedColumn(columns, join)}, {"player": whole})
