"""Matches whose sets stand in columns of their own: `1. Satz`, `2. Satz`, ..., each 11:8."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from prowess.games.derived_columns import DerivedColumn, derive_columns, name_column
from prowess.games.evidence import MOST
from prowess.games.reading import join_columns
from prowess.games.values import is_missing
from prowess.games.vocabulary import SUBJECTS, split_heading

if TYPE_CHECKING:
    from prowess.games.columns import InputTable
    from prowess.games.roles import LayoutFinder

OF_SETS = frozenset([*SUBJECTS["sets"].split(), "s"])


def join_sets(table: InputTable, finder: LayoutFinder) -> InputTable | None:
    """The table with a column of all sets of each match; None where no columns hold sets."""
    if len(finder.pairs) != 1 or finder.evidence is None or finder.has_result:
        return None
    if finder.result_by_cells(*finder.pairs[0]):
        return None
    numbered: dict[str, dict[int, str]] = defaultdict(dict)
    for name in finder.names:
        words = split_heading(name)
        numbers = [word for word in words if word.isdigit()]
        rest = [word for word in words if not word.isdigit()]
        of_set = len(numbers) == len(rest) == 1 and {*rest} <= OF_SETS
        if of_set and finder.evidence[name].scorelines >= MOST:
            numbered[rest[0]][int(numbers[0])] = name
    found = [each for each in numbered.values() if sorted(each) == [*range(1, len(each) + 1)]]
    if len(found) != 1 or len(found[0]) < 2:
        return None
    columns = tuple(found[0][number] for number in sorted(found[0]))
    result = name_column(table, f"sets of {join_columns(columns)}")

    def join(*cells: Any) -> str:
        return " ".join(str(cell).strip() for cell in cells if not is_missing(cell))

    note = f"columns {join_columns(columns)} are the sets of a match"
    derived = {result: DerivedColumn(columns, join)}
    return derive_columns(table, derived, {"result": result}, notes=[note])
