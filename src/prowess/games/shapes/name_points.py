"""Names with their points in brackets: `Spirit (13)`, `Ann (87)`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from prowess.games.errors import MEND, InvalidValue, quote
from prowess.games.patterns import lazy_pattern
from prowess.games.shapes.derived_columns import DerivedColumn, derive_columns, name_column
from prowess.games.values import is_missing

if TYPE_CHECKING:
    from prowess.games.columns import InputTable
    from prowess.games.roles.roles import LayoutFinder

NAME_POINTS = lazy_pattern(
    r"(?P<name>.*[^\W\d_].*?)\s*[\[(]\s*(?P<points>[-−]?\d{1,3}(?:[.,]\d{1,2})?)\s*[\])]"
)


RATINGS = 300.0  # numbers from here on may be ratings


def parse_name_points(cell: Any) -> tuple[str, str]:
    """The name and the points of a cell; raises InvalidValue.

    >>> parse_name_points("Spirit (13)")
    ('Spirit', '13')
    """
    found = NAME_POINTS.fullmatch(str(cell).strip())
    if found is None:
        raise InvalidValue(
            f"{quote(cell)} is no name with points in brackets", MEND, code="not_a_name_with_points"
        )
    return found["name"].strip(), found["points"].replace("−", "-")


def hold_points(columns: Sequence[Sequence[Any]]) -> bool:
    """Whether all cells of columns are names with numbers that vary, as seeds do not, and are
    no ratings.
    """
    pairs = set()
    for cell in chain(*columns):
        if is_missing(cell):
            continue
        if NAME_POINTS.fullmatch(text := str(cell).strip()) is None:
            return False
        pairs.add(parse_name_points(text))
    if not pairs or min(float(points.replace(",", ".")) for _, points in pairs) >= RATINGS:
        return False
    return 2 * len(pairs) >= 3 * len({name for name, _ in pairs})


def split_name_points(table: InputTable, finder: LayoutFinder) -> InputTable | None:
    """The table with columns for the names and the points of both sides; None for others."""
    if finder.evidence is None or not finder.guessed.keys().isdisjoint({"result", "winner"}):
        return None
    if len(finder.pairs) != 1:
        return None
    pair = finder.pairs[0]
    if not hold_points([finder.evidence.rows[name] for name in pair]) or finder.has_result(*pair):
        return None
    derived: dict[str, DerivedColumn] = {}
    roles: dict[str, str] = {}
    for side, heading in zip("ab", pair, strict=True):
        name, points = (name_column(table, f"{heading}, {what}") for what in ("name", "points"))
        derived[name] = DerivedColumn((heading,), lambda cell: parse_name_points(cell)[0])
        derived[points] = DerivedColumn((heading,), lambda cell: parse_name_points(cell)[1])
        roles |= {f"player_{side}": name, f"score_{side}": points}
    shown = " and ".join(map(quote, pair))
    note = f"columns {shown} hold names with their points in brackets"
    return derive_columns(table, derived, roles, notes=[note])
