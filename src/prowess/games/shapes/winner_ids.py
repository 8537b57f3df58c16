"""Winners that stand as ids, `winner_id`, beside players that stand by id and by name, or as the
marks before the names: `A` where Ada is written `A: Ada`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prowess.games.errors import quote
from prowess.games.roles.evidence import MOST, SHARED
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


def name_marked_winners(table: InputTable, finder: LayoutFinder) -> InputTable | None:
    """The table with the names of winners in place of the marks before them; None for another."""
    winner = finder.guessed.get("winner") or finder.guessed.get("result")
    if winner is None or finder.evidence is None or len(finder.pairs) != 1:
        return None
    rows = finder.evidence.rows
    a, b = finder.pairs[0]
    marks = [[find_mark(cell) for cell in rows[name]] for name in (a, b)]
    if not all(map(all, marks)) or _share_named(rows[winner], *marks) < SHARED:
        return None
    name = name_column(table, f"{winner}, name")

    def name_of(cell: Any, first: Any, second: Any) -> Any:
        text, one, other = str(cell).strip(), find_mark(first), find_mark(second)
        if not text or one == other:
            return cell
        if text in {f"{one}{other}", f"{other}{one}"}:
            return "draw"
        return first if text == one else second if text == other else cell

    note = f"column {quote(winner)} holds what stands before the colon of the winner, both: a draw"
    derived = {name: DerivedColumn((winner, a, b), name_of)}
    return derive_columns(table, derived, {"winner": name}, notes=[note])


def find_mark(cell: Any) -> str:
    """What stands before the colon of a name such as `A: Ada`; empty for another."""
    mark, colon, name = str(cell).partition(":")
    return mark.strip() if colon and name.strip() else ""


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
