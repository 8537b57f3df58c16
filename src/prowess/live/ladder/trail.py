"""The trail of a log: the ratings that everybody brought into each result, kept beside it.

Whoever asks why a rating moved finds them here: nothing is played again for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.loops import Memory
from prowess.engine.replay import Watch
from prowess.engine.replayed import Replayed
from prowess.engine.system import Dynamic
from prowess.games.games import Contests, Games
from prowess.live.ladder.block import Block

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[Any]]

NO_SUMS = np.zeros((1, 1))


@dataclass(frozen=True, eq=False)
class Trail:
    """Ratings before each result: a row a game with those of both sides, or a row a placing.

    `rows` has the column rating, [rows, values], and for a system with a league its sums.
    """

    rows: Block

    @classmethod
    def of(cls, columns: Arrays) -> Trail:
        """The trail with these columns."""
        return cls(Block(columns, len(columns["rating"])))

    def first_rows(self, count: int) -> Trail:
        """The trail of the first results, in the same memory."""
        return Trail(Block(self.rows.held, count))

    def replace_from(self, first: int, more: Arrays) -> Trail:
        """The trail in which `more` are the rows from `first` on.

        Rows that were played again and came out the same are not written: results behind the
        others are appended in place, also where an open period is played again.
        """
        count = min(self.rows.count - first, len(more["rating"]))
        same = min(
            (
                count_same(self.rows[name][first : first + count], column[:count])
                for name, column in more.items()
            ),
            default=count,
        )
        rest = {name: column[same:] for name, column in more.items()}
        return Trail(self.rows.headed(first + same, rest))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Followed(Replayed):
    """Ratings with the trail of their table."""

    trail: Trail

    def replayed(self, watch: Watch) -> None:
        """See Replayed; the ratings are read, not played."""
        chosen = np.flatnonzero(watch.slots >= 0)
        slots, rows = watch.slots[chosen], self.trail.rows
        rating = rows["rating"][chosen]
        if isinstance(self.table, Contests):
            watch.memory.rating[slots] = rating
        else:
            width = rating.shape[1] // 2
            watch.memory.rating[2 * slots] = rating[:, :width]
            watch.memory.rating[2 * slots + 1] = rating[:, width:]
        if "sums" in rows:
            watch.memory.sums[slots] = rows["sums"][chosen]


def watch_all(system: Dynamic, table: Games | Contests) -> Watch:
    """What keeps the ratings before all results of a table that is about to be played."""
    count = len(table.player) if isinstance(table, Contests) else len(table)
    sums = NO_SUMS if system.league is None else np.zeros((count, len(system.league.empty)))
    memory = Memory(np.zeros((sides(table) * count, len(system.rating))), sums)
    return Watch(np.arange(count), memory)


def columns_of(system: Dynamic, table: Games | Contests, watch: Watch) -> Arrays:
    """What was kept, as columns of a trail."""
    rating = watch.memory.rating.reshape(len(watch.slots), sides(table) * len(system.rating))
    if system.league is None:
        return {"rating": rating}
    return {"rating": rating, "sums": watch.memory.sums}


def sides(table: Games | Contests) -> int:
    """How many ratings a row of the trail holds."""
    return 1 if isinstance(table, Contests) else 2


def count_same(one: NDArray[Any], other: NDArray[Any]) -> int:
    """How many of the first rows hold the same bits."""
    bits = (np.ascontiguousarray(rows).view(np.uint64) for rows in (one, other))
    differs = np.not_equal(*bits).any(axis=1)
    return int(differs.argmax()) if differs.any() else len(differs)
