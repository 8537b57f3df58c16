"""Find rows that repeat other rows.

A game stands twice where the same two players have the same result at the same moment, and whatever
else the table says of it is the same too. Some leagues let a pair play several games on one day and
write the day only: where meetings of several different games are usual, equal rows are no surprise.
Without dates a pair may meet again with the same result: there only whole runs of rows that come
again count, and tables in which every game stands once from each side.

Rows are compared by 64 bits of a hash, whose fixed keys keep the answer the same in every run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.games.dates import format_day
from prowess.games.errors import Suspicion
from prowess.games.games import Games, side_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]
    Rows = NDArray[np.int64]

MOST = 500_000  # rows that are compared whenever a table is read; more take noticeable time
USUAL = 0.02  # of all meetings of a pair at one moment have several games: then it is usual
RUN = 20  # rows without dates that come again in a row, before it is no chance
FEWEST = 10  # rows, before a table can be all repetition
MANY = 0.01  # of the rows repeat others: then it is hardly meant so
NEARLY = 0.9  # of the games stand a second time: a table that holds every game twice
EXAMPLES = 3  # rows that a note names


class Repeated(NamedTuple):
    """Rows of a table of games with dates that repeat an earlier row."""

    rows: Rows  # in ascending order
    first: Rows  # of each of them, the row that said it first
    several: float  # share of the meetings of a pair at one moment with several different games
    whole: bool  # every game stands so often: twice, or four times, ...

    @property
    def usual(self) -> bool:
        """Whether several games of a pair at one moment are usual, so that nothing follows."""
        return self.several > USUAL and not self.whole


def find_repeated_rows(games: Games) -> Repeated:
    """The rows that repeat another one; the games have dates."""
    assert games.time is not None
    sides = _sides(games)
    meeting = _hash_rows([games.time, *_pair(sides)])
    same = _hash_rows([meeting, *_fact_columns(games, sides)])
    none = np.empty(0, np.int64)
    if not _any_equal(same):
        return Repeated(none, none, 0.0, False)
    _, first, which, times = np.unique(
        same, return_index=True, return_inverse=True, return_counts=True
    )
    different = np.unique(meeting[first], return_counts=True)[1]
    rows = np.flatnonzero(first[which] != np.arange(len(same)))
    whole = len(same) >= FEWEST and not (times % 2).any()
    return Repeated(rows, first[which[rows]], float((different > 1).mean()), whole)


def repetition_note(table: Games, files: Sequence[tuple[str, int]]) -> str | None:
    """A note on rows that stand twice, None without; a Suspicion where they are many.

    `files` are the names of the files of a table and how many rows of it were known after each.
    """
    if not table.pairwise:
        return _of_contests(table) if len(table.player) <= MOST else None
    if not 1 < len(table) <= MOST:
        return None
    return _without_dates(table, files) if table.time is None else _with_dates(table)


def _with_dates(games: Games) -> str | None:
    found = find_repeated_rows(games)
    count = len(found.rows)
    if not count or found.usual:
        return None
    a, b = _sides(games)
    turned = (a[found.rows] == b[found.first]) & (a[found.rows] != a[found.first])
    if turned.sum() >= NEARLY * len(games) / 2 and len(games) >= FEWEST:
        return _from_each_side(games, int(found.first[turned][0]), int(found.rows[turned][0]))
    shown = "; ".join(_describe_game(games, row) for row in found.rows[:EXAMPLES].tolist())
    more = ", ..." if count > EXAMPLES else ""
    rows = "1 row repeats" if count == 1 else f"{count:,} rows repeat"
    note = f"{rows} another row ({shown}{more}); every row is rated"
    twice = "1 row stands twice" if count == 1 else f"{count:,} rows stand twice"
    return Suspicion(note, twice) if count >= MANY * len(games) else note


def _without_dates(games: Games, files: Sequence[tuple[str, int]]) -> str | None:
    sides = _sides(games)
    same = _hash_rows([*_pair(sides), *_fact_columns(games, sides)])
    for name, (low, high), before, (start, end) in _couples(files):
        if high - low == end - start > 1 and np.array_equal(same[low:high], same[start:end]):
            brief = f"{name} repeats {before} row by row"
            return Suspicion(f"{brief}; every row is rated", brief)
    if len(games) >= FEWEST and games.side is None and (rows := _find_mirrored(games)):
        return _from_each_side(games, *rows)
    again, length = _run(same)
    if length:
        brief = f"rows {again + 1:,} to {again + length:,} repeat rows 1 to {length:,}"
        return Suspicion(f"{brief}; every row is rated", brief)
    return None


def _find_mirrored(games: Games) -> tuple[int, int] | None:
    """A game and the row that tells it from the other side, where all games stand so."""
    columns = [games.score, games.margin, games.points_a, games.points_b]
    mirror = [1.0 - games.score, _negative(games.margin), games.points_b, games.points_a]
    a, b = _sides(games)
    seen_by_a = _hash_rows([a, b, *_present([*columns, games.round])])
    seen_by_b = _hash_rows([b, a, *_present([*mirror, games.round])])
    if not np.array_equal(np.sort(seen_by_a), np.sort(seen_by_b)):
        return None
    return 0, int(np.argmax(seen_by_a == seen_by_b[0]))


def _of_contests(table: Games) -> str | None:
    sizes = np.diff(table.start)
    of_sides = _hash_rows([_lineups(table), table.place, *_present([table.points])])
    same = np.zeros(len(table), np.uint64)
    np.add.at(same, table.contest_of_side, of_sides)  # the order of the sides does not matter
    countable = sizes > 1 if table.time is not None else sizes > 2
    same = _hash_rows([same, *_present([table.time, table.weight])])[countable]
    first, times = np.unique(same, return_index=True, return_counts=True)[1:]
    again = len(same) - len(first)
    if not again or (table.time is None and (times % 2).any()):
        return None
    say = "1 contest repeats" if again == 1 else f"{again:,} contests repeat"
    note = f"{say} another one player by player; every contest is rated"
    return Suspicion(note, say) if again >= MANY * len(table) else note


def _from_each_side(games: Games, row: int, other: int) -> Suspicion:
    """A note on a table in which every game stands twice."""
    examples = f"{_describe_game(games, row)}; {_describe_game(games, other)}"
    return Suspicion(
        f"nearly every game stands twice, it seems, once from each side ({examples}), "
        "and is rated twice; if so, keep one row a game, such as with "
        "where= (--where) and a column that says who was at home",
        "every game stands twice, once from each side",
    )


def _describe_game(games: Games, row: int) -> str:
    a, b = (side_name(games, side) for side in (2 * row, 2 * row + 1))
    if games.points_a is None or games.points_b is None:
        result = f"{games.score[row]:g}"
    else:
        result = f"{games.points_a[row]:.15g}:{games.points_b[row]:.15g}"
    when = "" if games.time is None else f" on {format_day(games.time[row])}"
    return f"{a} - {b} {result}{when}"


def _lineups(table: Games) -> Hashes:
    """For each side a number that only sides of the same members have, whatever their order."""
    of_members = _hash_rows([table.player, *_present([table.share])])
    return np.add.reduceat(of_members, table.ends[:-1])


def _sides(games: Games) -> tuple[Any, Any]:
    """For each game a number of each of its two sides."""
    if games.duels:
        return games.a, games.b
    sides = _lineups(games)
    return sides[::2], sides[1::2]


def _pair(sides: tuple[Any, Any]) -> list[Any]:
    return [np.minimum(*sides), np.maximum(*sides)]


def _fact_columns(games: Games, sides: tuple[Any, Any]) -> list[Any]:
    """All that the table says of a game, seen from the side with the lower number."""
    turned = sides[0] > sides[1]
    columns = [np.where(turned, 1.0 - games.score, games.score)]
    columns += [
        np.where(turned, -column, column) for column in _present([games.side, games.margin])
    ]
    if games.points_a is not None and games.points_b is not None:
        columns.append(np.where(turned, games.points_b, games.points_a))
        columns.append(np.where(turned, games.points_a, games.points_b))
    return [*columns, *_present([games.length, games.round]), *games.facts.values()]


def _present(columns: list[Any]) -> list[Any]:
    return [column for column in columns if column is not None]


def _negative(column: Any) -> Any:
    return None if column is None else -column


def _hash_rows(columns: list[Any]) -> Hashes:
    """64 bits for each row."""
    hashes = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        if column.dtype == np.uint64:
            bits = column
        else:
            bits = (column.astype(np.float64) + 0.0).view(np.uint64)  # one zero, not two
        hashes ^= bits
        hashes *= np.uint64(0x9E3779B97F4A7C15)  # the constants of SplitMix64
        hashes ^= hashes >> np.uint64(30)
        hashes *= np.uint64(0xBF58476D1CE4E5B9)
        hashes ^= hashes >> np.uint64(27)
    return hashes


def _any_equal(hashes: Hashes) -> bool:
    in_order = np.sort(hashes)
    return bool((in_order[1:] == in_order[:-1]).any())


def _couples(files: Sequence[tuple[str, int]]) -> Any:
    """Every two of the files: the later one, its rows, the earlier one, its rows."""
    ends = [0, *(end for _, end in files)]
    spans = list(pairwise(ends))
    for later in range(1, len(files)):
        for before in range(later):
            yield files[later][0], spans[later], files[before][0], spans[before]


def _run(same: Hashes) -> tuple[int, int]:
    """The row at which the beginning of a table comes again, and the number of rows."""
    count = len(same)
    if count < 2 * RUN or 2 * len(np.unique(same[:RUN])) < RUN:
        return 0, 0
    at = np.arange(RUN, count - RUN + 1)
    for step in range(RUN):
        at = at[same[at + step] == same[step]]
    if not len(at):
        return 0, 0
    start = int(at[0])
    differs = np.flatnonzero(same[start : 2 * start] != same[:start][: count - start])
    return start, int(differs[0]) if len(differs) else min(start, count - start)


def count_repeated(old: Games, new: Games) -> int:
    """How many games of `new` are in `old` too: same sides, result and date.

    Without dates only the last of the old games are looked at, as many as there are new ones.
    """
    first = len(old) - len(new)
    if old.time is not None and new.time is not None:
        first = int(old.time.searchsorted(new.time.min()))

    def games(table: Games, start: int) -> Counter[tuple[object, ...]]:
        return Counter(
            (
                None if table.time is None else float(table.time[at]),
                tuple(
                    (side_name(table, side), float(table.place[side]))
                    for side in range(int(table.start[at]), int(table.start[at + 1]))
                ),
                float(table.score[at]) if table.pairwise else None,
            )
            for at in range(max(0, start), len(table))
        )

    return (games(old, first) & games(new, 0)).total()
