"""The trail of a log: the ratings that everybody brought into each result, kept beside it.

Whoever asks why a rating moved finds them here: nothing is played again for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.loops import Memory
from prowess.engine.replay import Watch
from prowess.engine.replayed import Replayed
from prowess.engine.rounds import Rounds
from prowess.engine.system import Dynamic
from prowess.games.games import Games
from prowess.live.ladder.block import Block

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.explain import Step

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

    def end_lineage(self) -> Trail:
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
class TrailedRatings(Replayed):
    """Ratings with the trail of their table, and the number of the result of each row."""

    trail: Trail
    results: NDArray[np.int64]

    @property
    def lineage(self) -> Lineage:
        """What these ratings share with those before and after further results."""
        return self.trail.lineage

    @cached_property
    def watch(self) -> Watch:
        """The ratings (and league sums) before every result, in the memory of the trail."""
        rows, width = self.trail.rows, len(self.system.rating)
        sums = NO_SUMS if self.system.league is None else rows["sums"]
        return Watch(np.arange(rows.count), Memory(rows["rating"].reshape(-1, width), sums))

    def results_of(self, k: int) -> list[int]:
        """The numbers of the results of player k in order of play."""
        table = self.table
        if not table.pairwise:
            places = np.flatnonzero(table.player == k)
            rows = table.start.searchsorted(places, side="right") - 1
        else:
            rows = np.flatnonzero((table.a == k) | (table.b == k))
        found: list[int] = self.results[rows].tolist()
        return found

    def replayed(self, watch: Watch) -> None:
        """See Replayed; the ratings are read, not played."""
        chosen = np.flatnonzero(watch.slots >= 0)
        slots, known, count = watch.slots[chosen], self.watch.memory, sides(self.table)
        for side in range(count):
            watch.memory.rating[count * slots + side] = known.rating[count * chosen + side]
        if self.system.league is not None:
            watch.memory.sums[slots] = known.sums[chosen]

    def extend_steps(self, k: int, earlier: Sequence[Step]) -> tuple[Step, ...]:
        """All steps of player k; `earlier` are those of ratings of this lineage, before this."""
        table, bounds = self.table, self.rounds.bounds
        starts = [n for n in range(len(earlier)) if n and earlier[n].round != earlier[n - 1].round]
        if not table.pairwise or len(starts) < 2:
            return self.histories((k,))[0].steps
        # The last round may have grown; the one before it has the rating to go on from.
        before = starts[-1] - starts[-2]
        rows = np.flatnonzero((table.a == k) | (table.b == k))
        rows = rows[rows >= earlier[starts[-2]].row]
        numbers = rows
        if bounds is not None:
            numbers = bounds.searchsorted(rows, side="right") - 1
            bounds = np.append(np.flatnonzero(np.diff(numbers, prepend=-1)), len(rows))
        columns = {name: self.trail.rows[name][rows] for name in self.trail.rows.held}
        part = replace(
            self,
            table=table.select(rows),
            rounds=Rounds(None, bounds, None),
            trail=Trail.of(columns),
            results=self.results[rows],
        )
        fresh = (
            step._replace(row=int(rows[step.row]), round=int(numbers[step.row]))
            for step in part.histories((k,))[0].steps[before:]
        )
        return (*earlier[: starts[-1]], *fresh)


def watch_all(system: Dynamic, table: Games) -> Watch:
    """What keeps the ratings before all results of a table that is about to be played."""
    count = len(table.player) if not table.pairwise else len(table)
    sums = NO_SUMS if system.league is None else np.zeros((count, len(system.league.empty)))
    memory = Memory(np.zeros((sides(table) * count, len(system.rating))), sums)
    return Watch(np.arange(count), memory)


def columns_of(system: Dynamic, table: Games, watch: Watch) -> Arrays:
    """What was kept, as columns of a trail."""
    rating = watch.memory.rating.reshape(len(watch.slots), sides(table) * len(system.rating))
    if system.league is None:
        return {"rating": rating}
    return {"rating": rating, "sums": watch.memory.sums}


def sides(table: Games) -> int:
    """How many ratings a row of the trail holds."""
    return 1 if not table.pairwise else 2


def count_same(one: NDArray[Any], other: NDArray[Any]) -> int:
    """How many of the first rows hold the same bits."""
    bits, others = (np.ascontiguousarray(rows).view(np.uint64) for rows in (one, other))
    differs: NDArray[np.bool_] = np.any(bits != others, axis=1)
    return int(differs.argmax()) if differs.any() else len(differs)
