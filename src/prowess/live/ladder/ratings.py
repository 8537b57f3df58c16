"""LadderRatings: ratings that know those before each result, so a player page replays nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.contest_steps import separate_meetings
from prowess.engine.loops import Snapshots
from prowess.engine.periods import Rounds
from prowess.engine.rate import DynamicRatings
from prowess.engine.state import State
from prowess.engine.watch import Watch, plays_straight
from prowess.games.games import Games, gather_runs
from prowess.live.ladder.log import ColumnBuffer, Columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.steps import Step


class Lineage:
    """The identity of a log to which results were only appended.

    What was computed from a player's results stays true within it, until that player has another.
    """


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LadderRatings(DynamicRatings):
    """Ratings with those before each result, and the number of the result of each row.

    `prior` has a row for each member of the sides of the table; it is empty where the system
    prepares its table, which is replayed for a page. Its columns are rating,
    [rows, values], and sums where players share something: the sums of a league, the weights of a
    bank, the numbers that all games teach.
    """

    prior: ColumnBuffer
    lineage: Lineage  # shared with the ratings before and after further results
    results: NDArray[np.int64]

    @cached_property
    def watch(self) -> Watch:
        """The ratings (and sums) before every result, in the memory of `prior`."""
        if not self.prior.held:
            return super().watch
        step = members_a_slot(self.state, self.table)
        slots, kept = np.arange(self.prior.count // step), self.prior.held
        sums = self.prior["sums"][::step] if "sums" in kept else np.zeros((len(slots), 1))
        return Watch(slots, Snapshots(self.prior["rating"], sums))

    def results_of(self, k: int) -> list[int]:
        """The numbers of the results of player k in order of play."""
        found: list[int] = self.results[find_contests(self.table, k)].tolist()
        return found

    def play_again(self, watch: Watch, forecasts: Any = None, draws: Any = None) -> None:
        """See PlayedTable; the ratings before each result are read, not computed again."""
        if forecasts is not None or draws is not None or not self.prior.held:
            super().play_again(watch, forecasts, draws)
            return
        chosen = np.flatnonzero(watch.slots >= 0)
        slots, known = watch.slots[chosen], self.watch.memory
        step = members_a_slot(self.state, self.table)
        for member in range(step):
            watch.memory.rating[step * slots + member] = known.rating[step * chosen + member]
        if "sums" in self.prior.held:
            watch.memory.sums[slots] = known.sums[chosen, : watch.memory.sums.shape[1]]

    def extend_steps(self, k: int, earlier: Sequence[Step]) -> tuple[Step, ...]:
        """All steps of player k; `earlier` are those of ratings of this lineage, before this."""
        table, bounds = self.table, self.rounds.bounds
        starts = [n for n in range(len(earlier)) if n and earlier[n].round != earlier[n - 1].round]
        if not table.pairwise or len(starts) < 2 or not self.prior.held:
            return separate_meetings(self.histories((k,))[0].steps)
        # The last round may have grown; the one before it has the rating to go on from.
        before = starts[-1] - starts[-2]
        rows = find_contests(table, k)
        rows = rows[rows >= earlier[starts[-2]].row]
        numbers = rows
        if bounds is not None:
            numbers = bounds.searchsorted(rows, side="right") - 1
            bounds = np.append(np.flatnonzero(np.diff(numbers, prepend=-1)), len(rows))
        members, _ = gather_runs(table.ends[table.start], rows)
        part = replace(
            self,
            table=table.select(rows),
            rounds=Rounds(None, bounds, None),
            prior=ColumnBuffer(
                {name: column[members] for name, column in self.prior.held.items()}, len(members)
            ),
            results=self.results[rows],
        )
        fresh = (
            step._replace(row=int(rows[step.row]), round=int(numbers[step.row]))
            for step in part.histories((k,))[0].steps[before:]
        )
        return (*earlier[: starts[-1]], *fresh)


def find_contests(table: Games, k: int) -> NDArray[np.int64]:
    """The rows of a table in which player k takes part."""
    if table.duels:
        return np.flatnonzero((table.a == k) | (table.b == k))
    side = table.ends.searchsorted(np.flatnonzero(table.player == k), side="right") - 1
    return table.start.searchsorted(side, side="right") - 1


def prior_columns(state: State, table: Games, watch: Watch) -> Columns:
    """What was kept of all results of a table, as columns of `LadderRatings.prior`."""
    columns = {"rating": watch.memory.rating}
    if any(shared is not None for shared in (state.league, state.logs, state.common)):
        columns["sums"] = np.repeat(watch.memory.sums, members_a_slot(state, table), axis=0)
    return columns


def members_a_slot(state: State, table: Games) -> int:
    """How many members a slot of a Watch stands for: both of a game in the loops of duels."""
    return 2 if plays_straight(state.system, state.p, table) else 1
