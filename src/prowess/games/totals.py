"""Totals of a table whose pieces come one after the other: games of players, ends of columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile import kernel
from prowess.compile.intrinsics import prefetch
from prowess.compile.worth import LIGHT, is_worth_compiling
from prowess.games.games import Games
from prowess.games.runs import repeat_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

Ends = dict[str, tuple[float, float]]  # of some columns the least and the greatest number
# appearances at a time, because counting copies them as wider numbers
APPEARANCES_AT_A_TIME = 1 << 22
AHEAD = 32  # appearances between asking for a row and using it


@dataclass(eq=False)
class PlayerCounts:
    """The contests of each player and the day of the last one, side by side in memory."""

    # contests, and the day of the last one; nan: none yet
    rows: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 2)))
    room: NDArray[np.float64] | None = None
    dated: bool = False
    appearances: int = 0  # that were counted

    @classmethod
    def of(cls, table: Games) -> PlayerCounts:
        """Those of one table."""
        counts = cls()
        counts.add(table)
        return counts

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def games(self) -> NDArray[np.int64]:
        """The contests of each player, [players]."""
        return self.rows[:, 0].astype(np.int64)

    @property
    def last(self) -> NDArray[np.float64] | None:
        """The day of each player's last contest, [players]; None without dates."""
        return self.rows[:, 1].copy() if self.dated else None

    def replace(self, games: NDArray[Any], last: NDArray[np.float64] | None) -> None:
        """Count on from these numbers."""
        self.dated = last is not None
        days = np.full(len(games), np.nan) if last is None else last
        self.rows = np.stack((games, days), axis=1, dtype=np.float64)

    def grow(self, players: int, *, dated: bool) -> None:
        """Add players who have no contest yet."""
        self.dated = self.dated or dated
        before = len(self.rows)
        self.room = extend_rows(self.rows, players, self.room)
        self.rows = self.room[:players]
        self.rows[before:] = 0.0, np.nan

    def add(self, table: Games) -> None:
        """Count the contests of a table, later than those counted; it may bring new players."""
        self.grow(len(table.players), dated=table.time is not None)
        columns, time = (table.a, table.b) if table.duels else (table.player,), table.time
        if time is not None and not table.duels:
            time = repeat_rows(time, np.diff(table.ends[table.start]))
        self.appearances += sum(map(len, columns))
        if is_worth_compiling(self.appearances / LIGHT):
            for player in columns:
                _counting()(player, np.zeros(0) if time is None else time, self.rows)
            return
        games, last = self.rows.T
        for player in columns:
            for at in range(0, len(player), APPEARANCES_AT_A_TIME):
                games += np.bincount(
                    player[at : at + APPEARANCES_AT_A_TIME], minlength=len(self.rows)
                )
            if time is not None:
                latest = np.full(len(self.rows), np.nan)
                latest[player] = time  # ascending, so the latest is written last
                last[:] = np.fmax(last, latest)


@cache
def _counting() -> Any:
    return kernel.compile_if_possible(make_count_loop(prefetch()))


def make_count_loop(ask: Any) -> Any:
    """The loop that counts appearances."""

    def count_appearances(player: Any, time: Any, rows: Any) -> None:
        """Count each appearance and keep the latest time, where there are times."""
        dated = len(time) > 0
        end = len(player) - 1
        for k in range(len(player)):
            ask(rows, player[min(k + AHEAD, end)])
            who = player[k]
            rows[who, 0] += 1.0
            if dated and not rows[who, 1] >= time[k]:
                rows[who, 1] = time[k]

    return count_appearances


def extend_rows(rows: NDArray[Any], count: int, room: NDArray[Any] | None) -> NDArray[Any]:
    """A buffer that begins with these rows and has `count` at least; twice as many if it is new.

    `room` is the buffer that the rows stand in, if there is one.
    """
    if room is not None and rows.base is room and len(room) >= count:
        return room
    room = np.empty((max(count, 2 * len(rows)), *rows.shape[1:]), rows.dtype)
    room[: len(rows)] = rows
    return room


def widen_ends(ends: Ends, table: Games) -> None:
    """Widen the ends of times, weights and sides by those of a piece; times ascend."""
    for name in ("time", "weight", "side"):
        column = table.columns.get(name)
        if column is not None and len(column):
            low, high = ends.get(name, (np.inf, -np.inf))
            few = column[[0, -1]] if name == "time" else column
            ends[name] = min(low, float(few.min())), max(high, float(few.max()))
