"""The trail of a log: the ratings that everybody brought into each result, kept beside it.

Whoever asks why a rating moved finds them here: nothing is played again for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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


class Lineage:
    """Shared by the trails of a log as long as results only come in behind the others.

    So what was worked out of the results of a player stays true until this player has another.
    """


@dataclass(frozen=True, eq=False)
class Trail:
    """Ratings before each result: a row a game with those of both sides, or a row a placing.

    `rows` has the column rating, [rows, values], and for a system with a league its sums.
    """

    rows: Block
    lineage: Lineage = field(default_factory=Lineage)

    @classmethod
    def of(cls, columns: Arrays) -> Trail:
        """The trail with these columns."""
        return cls(Block(columns, len(columns["rating"])))

    def first_rows(self, count: int) -> Trail:
        """The trail of the first results, in the same memory."""
        return Trail(Block(self.rows.held, count))

    def renamed(self) -> Trail:
        """The same trail of players whose names may be others."""
        return Trail(self.rows)

    def replace_from(self, first: int, more: Arrays, appends: bool = False) -> Trail:
        """The trail in which `more` are the rows from `first` on.

        Rows that were played again and came out the same are not written: results behind the
        others are appended in place, also where an open period is played again. `appends` says
        that the results before them are those that were there.
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
        follows = appends and first + same == self.rows.count
        lineage = self.lineage if follows else Lineage()
        return Trail(self.rows.headed(first + same, rest), lineage)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Followed(Replayed):
    """Ratings with the trail of their table, and the number of the result of each row."""

    trail: Trail
    results: NDArray[np.int64]

    @property
    def lineage(self) -> Lineage:
        """What these ratings share with those before and after further results."""
        return self.trail.lineage

    def results_of(self, k: int) -> list[int]:
        """The numbers of the results of player k in order of play."""
        table = self.table
        if isinstance(table, Contests):
            places = np.flatnonzero(table.player == k)
            rows = table.start.searchsorted(places, side="right") - 1
        else:
            rows = np.flatnonzero((table.a == k) | (table.b == k))
        found: list[int] = self.results[rows].tolist()
        return found

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
    bits, others = (np.ascontiguousarray(rows).view(np.uint64) for rows in (one, other))
    differs: NDArray[np.bool_] = np.any(bits != others, axis=1)
    return int(differs.argmax()) if differs.any() else len(differs)
