"""Play rows of a log onto an engine state: rounds, compiled or plain, states saved on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess import kernel
from prowess.engine.meetings import watch_for
from prowess.engine.periods import Rounds, rounds_of
from prowess.engine.replay import play
from prowess.engine.state import State, ageing
from prowess.engine.system import Dynamic, Unratable
from prowess.engine.table import refuse_unratable
from prowess.games.games import Games
from prowess.live.ladder.columns import ColumnBuffer
from prowess.live.ladder.prior import columns_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]

MOST = 32  # saved states of a log
BYTES = 64 * 1024 * 1024  # of all of them
SPACING = 512  # results; fewer are played as quickly as a state is copied
COMPILED_FROM = 5_000  # pairs, where the compiler is loaded already
WORTH_LOADING = 50_000  # pairs, where it is not


# -- states saved on the way --


class SavedState(NamedTuple):
    """The engine state before a row of the log, with which a round begins; never written to."""

    row: int
    state: State

    @property
    def bytes(self) -> int:
        """How much memory it takes."""
        state = self.state
        league = sum(array.nbytes for array in state.league) if state.league else 0
        return int(state.rating.nbytes + state.seen.nbytes + league)


def thin_states(saved: Sequence[SavedState], count: int) -> tuple[SavedState, ...]:
    """Few enough saved states for a log of `count` results, dense near its end.

    Playing from a saved state to the end should take little longer than from a row that lies
    between it and the next, so the one goes whose neighbours' distances from the end differ least.
    The last stays.
    """
    kept = list(saved)
    while len(kept) > 1 and (len(kept) > MOST or sum(one.bytes for one in kept) > BYTES):
        distance = [count - one.row + 1 for one in (SavedState(0, kept[0].state), *kept)]
        ratio = [distance[k] / distance[k + 2] for k in range(len(kept) - 1)]
        del kept[ratio.index(min(ratio))]
    return tuple(kept)


def rows_to_save(first: int, count: int) -> list[int]:
    """Rows between `first` and the end where a state is worth saving: half way, and so on."""
    rows, left = [], count - first
    while left > 2 * SPACING:
        left //= 2
        rows.append(count - left)
    return rows


def is_due(saved: Sequence[SavedState], count: int, players: int) -> bool:
    """Whether a state is worth copying: so seldom that it costs a result next to nothing."""
    last = saved[-1].row if saved else 0
    return count - last >= max(2 * SPACING, players)


# -- playing --


class Played(NamedTuple):
    """What is kept of playing a part of a log."""

    saved: list[SavedState]
    prior: Mapping[str, NDArray[Any]]  # columns of PriorRatings, of that part


def play_rows(state: State, table: Games, rounds: Rounds, row: int) -> Played:
    """Play a table whose first row is `row` of the log onto `state`, which is changed.

    Raises Unratable for teams or weights that the system cannot use.
    """
    refuse_unratable(state.system, table)
    count = len(table) if rounds.bounds is None else len(rounds.bounds) - 1
    saved: list[SavedState] = []
    watch = watch_for(state.system, state.p, table)
    low, compiled = 0, is_worth_compiling(table)
    periods = table.pairwise and rounds.bounds is not None
    with np.errstate(all="ignore"):  # what leaves the numbers is reported by name
        for stop in (*_stops(table, rounds, row), count):
            play(state, table, rounds, watch=watch, span=(low, stop), compiled=compiled)
            if stop < count:
                first = int(_bounds(rounds)[stop]) if periods else stop
                saved.append(SavedState(row + first, state.copy()))
            low = stop
    return Played(saved, columns_of(state, table, watch))


def load_compiled(state: State, table: Games, rounds: Rounds) -> None:
    """Compile the loop that plays such a table (or take it from the cache), where it pays."""
    if is_worth_compiling(table):
        watch = watch_for(state.system, state.p, table)
        play(state.copy(), table, rounds, watch=watch, span=(0, 1), compiled=True)
        if state.system.drift is not None:
            ageing(state.system, compiled=True)


def is_worth_compiling(table: Games) -> bool:
    """Whether so many results are played sooner by compiled code."""
    pairs = len(table)
    if not table.pairwise:
        size = np.diff(table.start)
        pairs = int((size * (size - 1) // 2).sum())
    enough = COMPILED_FROM if kernel.loaded() else WORTH_LOADING
    return pairs >= enough and kernel.available()


def select_participants(table: Games) -> tuple[Rows, Games]:
    """The players who take part, ascending, and the table with them alone."""
    players, number = np.unique(table.player, return_inverse=True)
    alone = renumber_players(table, [""] * len(players), number.astype(np.uint32))
    return players.astype(np.int64), alone


def renumber_players(table: Games, players: Sequence[str], number: NDArray[np.uint32]) -> Games:
    """The table of another roster; `number` is the player of every member there."""
    if table.duels:
        return table.replace(players=players, a=number[0::2].copy(), b=number[1::2].copy())
    return table.replace(players=players, player=number)


def check_finite(state: State, players: Sequence[str], rows: Rows | None = None) -> None:
    """Raise Unratable, naming the player, if a rating is no longer a finite number.

    `rows` are the rows of `players` that the state holds, None all of them.
    """
    finite = np.isfinite(state.rating)
    if finite.all():
        return
    at = int(np.flatnonzero(~finite.all(axis=1))[0])
    name = players[at if rows is None else int(rows[at])]
    reason = state.system.breaks.get("finite", "try shorter periods or smaller constants")
    raise Unratable(
        f"{state.system.name}: the rating of {name!r} would be no finite number: {reason}"
    )


def _stops(table: Games, rounds: Rounds, row: int) -> list[int]:
    """The rounds before which a state is saved: some on the way, and where a period is open."""
    rows = [one - row for one in rows_to_save(row, row + len(table))]
    if not table.pairwise or rounds.bounds is None:
        return rows  # every result is a round
    bounds = _bounds(rounds)
    stops = {int(bounds.searchsorted(first, side="right")) - 1 for first in rows}
    return sorted(stops | {len(bounds) - 2} - {0, -1})


def _bounds(rounds: Rounds) -> Rows:
    assert rounds.bounds is not None
    return rounds.bounds


# -- rounds --


@dataclass(frozen=True, eq=False)
class RoundIndex:
    """The rounds in which a log is played, kept up to date from the first result that changed.

    `rounds` has the column `start`, the first row of each round, where there is a period (without
    one every result is a round), and the column `clock`, what the system's clock shows at each
    round, where the system has a clock.
    """

    system: Dynamic
    period: str | None
    rounds: ColumnBuffer

    @classmethod
    def of(cls, system: Dynamic, period: str | None, table: Games) -> RoundIndex:
        """The rounds of a whole table; raises BadRounds, BadPeriod."""
        columns = _round_columns(rounds_of(system, table, period), period)
        count = len(next(iter(columns.values()))) if columns else 0
        return cls(system, period, ColumnBuffer(columns, count))

    def replace_from(self, first: int, rows: Callable[[int], Games]) -> tuple[RoundIndex, int]:
        """The rounds when rows changed from `first` on, and the row from which to play again.

        `rows(k)` is the table of the rows from k on. That row is the first of a round.
        """
        if self.period is None:
            if not self.rounds.held:
                return self, first
            more = _round_columns(rounds_of(self.system, rows(first), None), None)
            return self._followed_by(first, more), first
        # The round of the row before may go on, or have ended here.
        before = max(first - 1, 0)
        more = _round_columns(rounds_of(self.system, rows(before), self.period), self.period)
        if not first:
            return self._followed_by(0, more), 0
        kept = int(self.rounds["start"].searchsorted(first))
        more = {name: column[1:] for name, column in more.items()}
        more["start"] = more["start"] + before
        return self._followed_by(kept, more), int(self.rounds["start"][kept - 1])

    def _followed_by(self, kept: int, more: Mapping[str, NDArray[Any]]) -> RoundIndex:
        return RoundIndex(self.system, self.period, self.rounds.replace_tail(kept, more))

    def from_row(self, row: int, table: Games) -> Rounds:
        """The rounds of a table that begins at a row, the first of a round."""
        number = row if self.period is None else int(self.rounds["start"].searchsorted(row))
        columns = self.rounds.part(number, self.rounds.count)
        bounds = None
        if not table.pairwise:
            bounds = table.start
        elif "start" in columns:
            bounds = np.append(columns["start"] - row, len(table))
        return Rounds(None, bounds, columns.get("clock"))

    def last_clock(self) -> Rounds:
        """The last round, with its clock alone."""
        return Rounds(None, None, self.rounds["clock"][-1:] if "clock" in self.rounds else None)


def _round_columns(rounds: Rounds, period: str | None) -> dict[str, NDArray[Any]]:
    columns: dict[str, NDArray[Any]] = {}
    if period is not None:
        assert rounds.bounds is not None
        columns["start"] = rounds.bounds[:-1]
    if rounds.clock is not None:
        columns["clock"] = rounds.clock
    return columns
