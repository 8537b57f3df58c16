"""One table on one state, and its games laid out for the loops over duels, plain or compiled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.bank import Bank
from prowess.engine.league import Sums
from prowess.engine.loops import Flags, Memory, judges_whole
from prowess.engine.mixing import PARTIAL, Work
from prowess.engine.rounds import Rounds
from prowess.engine.rows import LISTS, Layout, game_columns, game_list
from prowess.engine.state import State
from prowess.engine.system import Dynamic
from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

AHEAD = 32  # games between asking for a row and using it; 16 to 128 measured alike
NOTHING = np.zeros(1)
NO_ROUND = np.uint64(2**64 - 1)
NO_MEMORY = Memory(np.zeros((1, 1)), np.zeros((1, 1)))
NO_LEAGUE = Sums(np.zeros((1, 1)), np.zeros((1, 2), dtype=np.int64), np.zeros(1))


@dataclass(eq=False)
class Watch:
    """Which games (or rows of contests) to remember the ratings before, and those ratings."""

    slots: NDArray[np.int64]  # per game, or per row of a contest: where to keep, -1 nowhere
    memory: Memory


def plays_straight(system: Dynamic, p: Any, table: Games) -> bool:
    """Whether the loops of duels play this table, and not the one over sides."""
    if not table.duels or isinstance(p, Bank) or system.common is not None:
        return False
    return not judges_whole(system, pairwise=True)


def plays_abreast(system: Dynamic, table: Games, rounds: Rounds) -> bool:
    """Whether the loop of duels over several settings plays this table, game by game."""
    if not table.duels or rounds.bounds is not None or system.league or system.common is not None:
        return False
    return not judges_whole(system, pairwise=True)


class Run:
    """One table on one state, what is wanted of it, and the loop that plays it."""

    def __init__(
        self,
        state: State,
        table: Games,
        rounds: Rounds,
        forecasts: Floats | None,
        draws: Floats | None,
        watch: Watch | None,
    ) -> None:
        self.state, self.table, self.rounds = state, table, rounds
        self.forecasts, self.draws, self.watch = forecasts, draws, watch
        system, lanes = state.system, state.lanes
        has_roles = table.role is not None and bool(system.roles)
        self.flags = Flags(
            timed=system.drift is not None and rounds.clock is not None,
            weighted=table.weight is not None,
            forecasts=forecasts is not None or lanes > 1,
            watched=watch is not None,
            league=system.league is not None,
            draws=system.chances is not None
            and table.pairwise
            and (draws is not None or lanes > 1),
            lanes=lanes,
            mixed=state.logs is not None,
            roles=len(table.roles) if has_roles else 1,
        )
        if plays_straight(system, state.p, table):
            self.kind = "games" if rounds.bounds is None else "rounds"
        elif lanes > 1 and not has_roles and plays_abreast(system, table, rounds):
            self.kind = "bank"
        else:
            self.kind = "sides"
            pooled = (table.pairwise and rounds.bounds is not None) or table.repeats
            self.flags = replace(self.flags, pairwise=table.pairwise, pooled=pooled)
        self.rounds_total = len(table) if rounds.bounds is None else len(rounds.bounds) - 1

    @property
    def entries_a_round(self) -> int:
        """How many forecasts a round has, about."""
        entries = len(self.table) if self.table.pairwise else int(self.table.start[-1])
        return max(1, entries // max(1, self.rounds_total))

    def contests(self, low: int, high: int) -> tuple[int, int]:
        """The contests of some rounds."""
        bounds = self.rounds.bounds
        if bounds is None or not self.table.pairwise:
            return low, high
        return int(bounds[low]), int(bounds[high])

    def pairs(self, low: int, high: int) -> int:
        """How many pairings some rounds hold, under every setting: the work."""
        first, last = self.contests(low, high)
        if self.table.pairwise:
            return (last - first) * self.flags.lanes
        size = np.diff(self.table.start[first : last + 1])
        return int((size * (size - 1) // 2).sum()) * self.flags.lanes


def play_duels_compiled(run: Run, loop: Callable[..., None], low: int, high: int) -> None:
    """Play rounds `low:high` on the matrices."""
    state, table = run.state, run.table
    game = state.system.game
    clock = run.rounds.clock
    if clock is None:
        clock = np.zeros(run.rounds_total if run.flags.league else 1)
    shared = (
        clock,
        NOTHING if table.weight is None else table.weight,
        NOTHING if run.forecasts is None else run.forecasts,
        NOTHING if run.draws is None else run.draws,
        np.zeros(1, dtype=np.int64) if run.watch is None else run.watch.slots,
        NO_MEMORY if run.watch is None else run.watch.memory,
        np.uint64(low),  # unsigned: no test for negative indices
        np.uint64(high),
    )
    league = state.league or NO_LEAGUE
    start = (state.p, state.rating, state.seen, league)
    width = len(state.system.evidence_zero)
    bounds = run.rounds.bounds
    if bounds is None:
        loop(*start, table.a, table.b, game_columns(table, game), *shared, np.uint64(AHEAD))
    else:
        players = len(state.rating)
        pool, stamp = np.zeros((players, width)), np.full(players, NO_ROUND)
        widest = int(np.diff(bounds[low : high + 1]).max(initial=0))
        present = np.zeros(min(2 * widest, players), dtype=np.uint32)
        rows = (table.a, table.b, game_columns(table, game), bounds.view(np.uint64))
        loop(*start, pool, stamp, present, *rows, *shared, np.uint64(AHEAD))


def play_duels_plain(run: Run, loop: Callable[..., None], low: int, high: int) -> None:
    """Play rounds `low:high` on lists that hold only the players of these rounds."""
    state, table, bounds = run.state, run.table, run.rounds.bounds
    first, last = run.contests(low, high)
    players, local = np.unique(
        np.concatenate((table.a[first:last], table.b[first:last])), return_inverse=True
    )
    ids = local.tolist()
    rating = list(map(state.system.rating._make, state.rating[players].tolist()))
    seen = state.seen[players].tolist()
    start = (state.p, rating, seen, None)
    shared = (
        _slice_of(run.rounds.clock, low, high),
        _slice_of(table.weight, first, last),
        None if run.forecasts is None else run.forecasts[first:last],
        None if run.draws is None else run.draws[first:last],
        None if run.watch is None else run.watch.slots[first:last].tolist(),
        None if run.watch is None else run.watch.memory,
        0,
        high - low,
    )
    a, b = ids[: last - first], ids[last - first :]
    games = game_list(table, state.system.game, first, last)
    if bounds is None:
        loop(*start, a, b, games, *shared, AHEAD)
    else:
        pool: list[Any] = [None] * len(ids)
        stamp, present = [-1] * len(players), [0] * len(players)
        cuts = (bounds[low : high + 1] - first).tolist()
        loop(*start, pool, stamp, present, a, b, games, cuts, *shared, AHEAD)
    state.rating[players] = np.array(rating).reshape(len(players), -1)
    state.seen[players] = seen


def play_abreast(run: Run, loop: Callable[..., None], low: int, high: int, layout: Layout) -> None:
    """Duels `low:high` under every setting at once."""
    state, table, system = run.state, run.table, run.state.system
    work = Work(run.flags.lanes, len(system.params))
    numbers = work.filled(state.p.rows, state.logs)
    weights = NOTHING if table.weight is None else table.weight
    clock = NOTHING if run.rounds.clock is None else run.rounds.clock
    forecasts, draws = run.forecasts, run.draws
    if forecasts is None:
        forecasts = np.empty(len(table))
    if draws is None or not run.flags.draws:
        draws = np.empty(len(table))
    slots = np.zeros(1, np.int64) if run.watch is None else run.watch.slots
    memory = NO_MEMORY if run.watch is None else run.watch.memory
    if layout is not LISTS:
        loop(
            0.0, state.rating, state.seen, numbers, table.a, table.b,
            game_columns(table, system.game), clock, weights, forecasts, draws, slots, memory,
            np.uint64(low), np.uint64(high), *lane_counts(run.flags.lanes, True),
        )  # fmt: skip
    else:
        players, local = np.unique(
            np.concatenate((table.a[low:high], table.b[low:high])), return_inverse=True
        )
        ids, many, make = local.tolist(), len(players), system.rating._make
        held = state.rating[players].reshape(many, len(system.rating), state.lanes)
        rating = [list(map(make, lane)) for lane in held.transpose(0, 2, 1).tolist()]
        p = [row._make(map(float, row)) for row in state.p.rows]
        listed, seen = numbers.tolist(), state.seen[players].tolist()
        loop(
            p, rating, seen, listed, ids[: high - low], ids[high - low :],
            game_list(table, system.game, low, high), clock[low:high].tolist(),
            weights[low:high].tolist(), forecasts[low:high], draws[low:high],
            slots[2 * low : 2 * high].tolist(), memory, 0, high - low,
            *lane_counts(run.flags.lanes, False),
        )  # fmt: skip
        values = np.array(rating, dtype=np.float64).reshape(many, state.lanes, -1)
        state.rating[players] = values.transpose(0, 2, 1).reshape(many, -1)
        state.seen[players] = seen
        numbers = np.array(listed)
    if state.logs is not None:
        state.logs[:] = work.logs(numbers)


def lane_counts(lanes: int, compiled: bool) -> tuple[Any, Any]:
    """The number of settings, and 8: given to loops, which else would be written out."""
    number: Callable[[int], Any] = np.uint64 if compiled else int
    return number(lanes), number(PARTIAL)


def _slice_of(column: Any, low: int, high: int) -> Any:
    return None if column is None else column[low:high].tolist()
