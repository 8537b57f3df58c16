"""What the engine does with tables of results as such: cut, join, reorder and count them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.replay import Unratable
from prowess.games.games import Contests, Games, columns_of
from prowess.games.roster import Roster

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.system import Dynamic
    from prowess.engine.whole_table import WholeTable


def up_to(table: Games | Contests, day: float | None) -> Games | Contests:
    """The table up to a day (days since 1970, inclusive); None: all of it.

    Raises Unratable where the table has no dates, or nothing is left.
    """
    if day is not None:
        if table.time is None:
            raise Unratable("as_of needs dates, and the table has none")
        if not isfinite(day):
            raise Unratable(f"as_of = {day} is no day")
        table = table.before(day)
    if not len(table):
        raise Unratable("no games are left to rate")
    return table


def refuse_weights(system: Dynamic | WholeTable, table: Games | Contests) -> None:
    """Raise Unratable where games have weights and the system counts whole games only."""
    if table.weight is not None and not system.weights:
        raise Unratable(
            f"{system.name} counts whole games and cannot use the weights of this table; "
            'weight="none" (--weight none) leaves them out'
        )


def assumptions(system: Dynamic | WholeTable, table: Games | Contests) -> tuple[str, ...]:
    """What a system takes for granted of this table, in sentences for the reader."""
    if not isinstance(table, Games):
        return ()
    absent = [name for name in system.uses if getattr(table, name, None) is None]
    notes = [f"the table has no {name}: {system.name} takes its default" for name in absent]
    if table.weight is not None:
        notes.append(
            f"games count by the table's weight, from {table.weight.min():g} to "
            f"{table.weight.max():g} (--weight none leaves it out)"
        )
    return tuple(notes)


DEFAULTS = {"weight": 1.0}  # what a table that lacks a column says by its silence; 0 elsewhere


def joined(first: Any, second: Any) -> Any:
    """Two tables of one kind as one, the second after the first; players keep their numbers.

    Raises Unratable where the second begins before the first ends, or only one has dates.
    """
    if type(first) is not type(second):
        raise Unratable("games and contests cannot be joined")
    if (first.time is None) != (second.time is None):
        raise Unratable("one table has dates and the other has none")
    if first.time is not None and len(second) and second.time[0] < first.time[-1]:
        raise Unratable("these games begin before the last one rated: rate the whole table again")
    players, renumbered = _roster(first.players, second.players)
    columns: dict[str, Any] = {}
    for name in dict.fromkeys((*columns_of(first), *columns_of(second))):
        one, other = getattr(first, name), getattr(second, name)
        if name in ("a", "b", "player"):
            other = renumbered[other]
        elif name == "start":
            other = other[1:] + one[-1]
        elif name == "round" and one is not None and other is not None and len(one):
            other = other + one.max() + 1
        fill = DEFAULTS.get(name, 0.0)
        one = np.full(_length(first, name), fill) if one is None else one
        other = np.full(_length(second, name), fill) if other is None else other
        columns[name] = np.concatenate((one, other))
    notes = tuple(dict.fromkeys((*first.notes, *second.notes)))
    left_out = first.left_out + second.left_out
    return type(first)(players=players, notes=notes, left_out=left_out, **columns)


def _roster(
    first: Sequence[str], second: Sequence[str]
) -> tuple[Sequence[str], NDArray[np.uint32]]:
    """The first roster with the newcomers of the second, and where each of the second is in it.

    Without newcomers it is the first itself, of whatever kind it is.
    """
    if second is first:
        return first, np.arange(len(first), dtype=np.uint32)
    number = {name: index for index, name in enumerate(first)}
    renumbered = [number.setdefault(name, len(number)) for name in second]
    players = first if len(number) == len(first) else Roster(number)
    return players, np.array(renumbered, dtype=np.uint32)


def _length(table: Any, column: str) -> int:
    return len(table.player) if column == "points" and isinstance(table, Contests) else len(table)


def appearances(table: Games | Contests) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """Per player the number of games (or contests) and the day of the last one."""
    players = len(table.players)
    time = table.time
    if isinstance(table, Contests):
        sides = (table.player,)
        if time is not None:
            time = np.repeat(time, np.diff(table.start))
    else:
        sides = (table.a, table.b)  # type: ignore[assignment]
    count = np.zeros(players, dtype=np.int64)
    last = None if time is None else np.full(players, np.nan)
    for side in sides:
        count += np.bincount(side, minlength=players)
        if last is not None and time is not None:
            latest = np.full(players, np.nan)
            latest[side] = time  # ascending, so the latest is written last
            last = np.fmax(last, latest)
    return count, last
