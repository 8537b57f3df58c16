"""Winners that stand as ids, `winner_id`, beside players that stand by id and by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prowess.games.errors import quote
from prowess.games.roles.evidence import MOST
from prowess.games.shapes.derived_columns import DerivedColumn, derive_columns, name_column
from prowess.games.values import is_missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from prowess.games.columns import InputTable
    from prowess.games.roles.roles import LayoutFinder


def name_winners(table: InputTable, finder: LayoutFinder) -> InputTable | None:
    """The table with the names of winners in place of their ids; None for another table."""
    winner = finder.guessed.get("winner")
    if winner is None or "result" in finder.guessed or len(finder.pairs) != 1:
        return None
    if finder.evidence is None:
        return None
    rows = finder.evidence.rows
    a, b = finder.pairs[0]
    named = zip(rows[winner], rows[a], rows[b], strict=True)
    if any(_same(cell, one) or _same(cell, other) for cell, one, other in named):
        return None
    others = [name for name in finder.names if name not in {a, b, winner}]
    found = [
        (x, y)
        for at, x in enumerate(others)
        for y in others[at + 1 :]
        if _share_named(rows[winner], rows[x], rows[y]) >= MOST
    ]
    if len(found) != 1:
        return None
    x, y = found[0]
    if not (_is_id_of(rows[x], rows[a]) and _is_id_of(rows[y], rows[b])):
        x, y = y, x
        if not (_is_id_of(rows[x], rows[a]) and _is_id_of(rows[y], rows[b])):
            return None
    name = name_column(table, f"{winner}, name")

    def name_of(cell: Any, one: Any, other: Any, first: Any, second: Any) -> Any:
        if is_missing(cell):
            return None
        return first if _same(cell, one) else second if _same(cell, other) else cell

    note = f"column {quote(winner)} holds what stands in {quote(x)} and {quote(y)}"
    derived = {name: DerivedColumn((winner, x, y, a, b), name_of)}
    return derive_columns(table, derived, {"winner": name}, notes=[note])


def _same(one: Any, other: Any) -> bool:
    return str(one).strip().removesuffix(".0") == str(other).strip().removesuffix(".0")


def _share_named(cells: Sequence[Any], one: Sequence[Any], other: Sequence[Any]) -> float:
    """The share of cells that stand in one of two columns, 0.0 where one of them is never named."""
    told = [row for row in zip(cells, one, other, strict=True) if not is_missing(row[0])]
    firsts = sum(_same(cell, x) and not _same(x, y) for cell, x, y in told)
    seconds = sum(_same(cell, y) and not _same(x, y) for cell, x, y in told)
    return (firsts + seconds) / len(told) if firsts and seconds else 0.0


def _is_id_of(ids: Sequence[Any], names: Sequence[Any]) -> bool:
    """Whether each id stands for one name, and each name has one id."""
    pairs = {(str(one), str(name)) for one, name in zip(ids, names, strict=True)}
    return len({one for one, _ in pairs}) == len(pairs) == len({name for _, name in pairs})
