"""A column beside two players that names the one of them who was at home, or had white."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prowess.games.columns import as_name
from prowess.games.errors import BadData, InvalidValue, quote
from prowess.games.shapes.derived_columns import DerivedColumn, derive_columns, name_column
from prowess.games.values import is_blank, plain_form
from prowess.games.vocabulary import read_heading
from prowess.games.words import words_for

if TYPE_CHECKING:
    from prowess.games.columns import InputTable
    from prowess.games.roles.roles import LayoutFinder

SIDES = frozenset({"home", "white"})
HOSTS = words_for("host")
NOWHERE = words_for("neutral") | {"none", "n"}


def name_hosts(table: InputTable, finder: LayoutFinder) -> InputTable | None:
    """The table with the side that a column names as the one at home; None for another table."""
    named = [name for name in finder.names if _may_name_hosts(name)]
    if not named or finder.evidence is None or table.side or finder.options.side:
        return None
    try:
        layout = finder.find_layout()
    except BadData:
        return None  # said where the table is read
    used = {*layout.columns()} - {*layout.leftover}
    if layout.kind != "games" or layout.sided or layout.side:
        return None
    rows = finder.evidence.rows
    players = [*zip(rows[layout.a], rows[layout.b], strict=True)]
    for name in named:
        if name in used or not finder.evidence[name].filled:
            continue
        try:
            sides = [_side_of(cell, *who) for cell, who in zip(rows[name], players, strict=True)]
        except InvalidValue:
            continue
        if not any(sides):
            continue
        side = name_column(table, f"{name}, side")
        derived = {side: DerivedColumn((name, layout.a, layout.b), _side_of)}
        note = f"column {quote(name)} names the side that has the advantage"
        return derive_columns(table, derived, {}, side=side, notes=[note])
    return None


def _may_name_hosts(name: str) -> bool:
    heading = read_heading(name)
    return bool(heading.sides & SIDES or {*heading.words} & HOSTS) and not heading.spoiled


def _side_of(cell: Any, a: Any, b: Any) -> int:
    """1 where a cell names the first player, -1 the second, 0 neither; raises InvalidValue."""
    if is_blank(cell) or plain_form(str(cell)) in NOWHERE:
        return 0
    who, one, other = (as_name(each).casefold() for each in (cell, a, b))
    if who not in {one, other}:
        raise InvalidValue(
            f"{quote(cell)} is neither of the two players",
            'say side="none"',
            code="host_not_a_player",
        )
    return 1 if who == one else -1
