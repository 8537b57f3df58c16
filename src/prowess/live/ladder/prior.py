"""PriorRatings: the ratings of each player before each result, kept beside the log.

Histories and explanations of changes are read from them; nothing is played again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.loops import Snapshots
from prowess.engine.periods import Rounds
from prowess.engine.rate import DynamicRatings
from prowess.engine.run import Watch, plays_straight
from prowess.engine.state import State
from prowess.engine.system import Dynamic
from prowess.games.games import Games
from prowess.live.ladder.columns import ColumnBuffer, runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.explain import Step

    Arrays = Mapping[str, NDArray[Any]]


class Lineage:
    """The identity of prior ratings to which results were only appended.

    What was computed from a player's results stays true within it, until that player has another.
    """


@dataclass(frozen=True, eq=False)
class PriorRatings:
    """Ratings before each result, a row for each member of its sides in the table's order.

    `rows` has the column rating, [rows, values], and the column sums where players share something:
    the sums of a league, the weights of a bank, the numbers that all games teach.
    """

    rows: ColumnBuffer
    lineage: Lineage = field(default_factory=Lineage)

    @classmethod
    def of(cls, columns: Arrays) -> PriorRatings:
        """Prior ratings with these columns."""
        return cls(ColumnBuffer(columns, len(columns["rating"])))

    def first_rows(self, count: int) -> PriorRatings:
        """Those of the first results, in the same memory."""
        return PriorRatings(ColumnBuffer(self.rows.held, count))

    def end_lineage(self) -> PriorRatings:
        """The same under another identity: players may have other names."""
        return PriorRatings(self.rows)

    def replace_from(self, first: int, more: Arrays, appends: bool = False) -> PriorRatings:
        """The same with `more` as the rows from `first` on.

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
        return PriorRatings(self.rows.replace_tail(first + same, rest), lineage)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LadderRatings(DynamicRatings):
    """Ratings with the prior ratings of their table, and the number of the result of each row."""

    prior: PriorRatings
    results: NDArray[np.int64]

    @property
    def lineage(self) -> Lineage:
        """What these ratings share with those before and after further results."""
        return self.prior.lineage

    @cached_property
    def watch(self) -> Watch:
        """The ratings (and sums) before every result, in the memory of `prior`."""
        rows, step = self.prior.rows, members_a_slot(self.system, self.p, self.table)
        slots = np.arange(rows.count // step)
        sums = rows["sums"][::step] if "sums" in rows else np.broadcast_to(0.0, (len(slots), 1))
        return Watch(slots, Snapshots(rows["rating"], sums))

    def results_of(self, k: int) -> list[int]:
        """The numbers of the results of player k in order of play."""
        found: list[int] = self.results[contests_of(self.table, k)].tolist()
        return found

    def play_again(self, watch: Watch, forecasts: Any = None, draws: Any = None) -> None:
        """See PlayedTable; the ratings before each result are read, not computed again."""
        if forecasts is not None or draws is not None:
            super().play_again(watch, forecasts, draws)
            return
        chosen = np.flatnonzero(watch.slots >= 0)
        slots, known = watch.slots[chosen], self.watch.memory
        step = members_a_slot(self.system, self.p, self.table)
        for member in range(step):
            watch.memory.rating[step * slots + member] = known.rating[step * chosen + member]
        if "sums" in self.prior.rows:
            watch.memory.sums[slots] = known.sums[chosen]

    def extend_steps(self, k: int, earlier: Sequence[Step]) -> tuple[Step, ...]:
        """All steps of player k; `earlier` are those of ratings of this lineage, before this."""
        table, bounds = self.table, self.rounds.bounds
        starts = [n for n in range(len(earlier)) if n and earlier[n].round != earlier[n - 1].round]
        if not table.pairwise or len(starts) < 2:
            return self.histories((k,))[0].steps
        # The last round may have grown; the one before it has the rating to go on from.
        before = starts[-1] - starts[-2]
        rows = contests_of(table, k)
        rows = rows[rows >= earlier[starts[-2]].row]
        numbers = rows
        if bounds is not None:
            numbers = bounds.searchsorted(rows, side="right") - 1
            bounds = np.append(np.flatnonzero(np.diff(numbers, prepend=-1)), len(rows))
        members = runs(table.ends[table.start], rows)
        columns = {name: self.prior.rows[name][members] for name in self.prior.rows.held}
        part = replace(
            self,
            table=table.select(rows),
            rounds=Rounds(None, bounds, None),
            prior=PriorRatings.of(columns),
            results=self.results[rows],
        )
        fresh = (
            step._replace(row=int(rows[step.row]), round=int(numbers[step.row]))
            for step in part.histories((k,))[0].steps[before:]
        )
        return (*earlier[: starts[-1]], *fresh)


def contests_of(table: Games, k: int) -> NDArray[np.int64]:
    """The rows of a table in which player k takes part."""
    if table.duels:
        return np.flatnonzero((table.a == k) | (table.b == k))
    side = table.ends.searchsorted(np.flatnonzero(table.player == k), side="right") - 1
    return table.start.searchsorted(side, side="right") - 1


def columns_of(state: State, table: Games, watch: Watch) -> Arrays:
    """What was kept of all results of a table, as columns of PriorRatings."""
    columns = {"rating": watch.memory.rating}
    if any(shared is not None for shared in (state.league, state.logs, state.common)):
        step = members_a_slot(state.system, state.p, table)
        columns["sums"] = np.repeat(watch.memory.sums, step, axis=0)
    return columns


def members_a_slot(system: Dynamic, p: Any, table: Games) -> int:
    """How many members a slot of a Watch stands for: both of a game in the loops of duels."""
    return 2 if plays_straight(system, p, table) else 1


def count_same(one: NDArray[Any], other: NDArray[Any]) -> int:
    """How many of the first rows hold the same bits."""
    bits, others = (np.ascontiguousarray(rows).view(np.uint64) for rows in (one, other))
    differs: NDArray[np.bool_] = np.any(bits != others, axis=1)
    return int(differs.argmax()) if differs.any() else len(differs)
