"""A run of one table on one state: its games as arguments of the loops, plain or compiled.

Compiled, a loop works on the matrices of the state; as plain Python it works on lists that hold
only the players of the rounds to be played.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.compile.worth import is_worth_compiling
from prowess.engine.bank import PARTIAL, round_mixer, vectorises, work_of
from prowess.engine.large_contest import large_contests
from prowess.engine.loops import NO_NUMBERS, NO_ROWS, Flags, Snapshots, Sums
from prowess.engine.params import Bank, parameters
from prowess.engine.periods import Rounds
from prowess.engine.rows import (
    LISTS,
    MATRICES,
    StateLayout,
    game_rules,
    tuples_as_rows,
    width_kept,
)
from prowess.engine.state import (
    State,
    factor_of,
    number_roles,
    parameter_matrix,
    parameters_of,
)
from prowess.engine.system import Dynamic
from prowess.games.games import PLAYER, Games
from prowess.games.runs import as_unsigned, repeat_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

CACHED_STATE = 512 * 1024  # bytes of ratings, which stay in cache: prefetching does not pay
AHEAD = 32  # games between asking for a row and using it; 16 to 128 measured alike
NO_OFFSETS = np.zeros(1, dtype=np.int64)
NO_ROLES = np.zeros(1, dtype=np.uint8)
NO_ROUND = np.uint64(2**64 - 1)
NO_MEMORY = Snapshots(NO_ROWS, NO_ROWS)
NO_LEAGUE = Sums(np.zeros((1, 1)), np.zeros((1, 2), dtype=np.int64), np.zeros(1))


def plays_abreast(system: Dynamic, table: Games, rounds: Rounds) -> bool:
    """Whether the loop over all settings at once plays this table, contest by contest."""
    each_alone = not table.pairwise or rounds.bounds is None
    judged_by_pairs = system.league is None and vars(system)["evidence"] is not None
    return each_alone and judged_by_pairs and vectorises(system)


class TableRun:
    """One table on one state, what is wanted of it, and the loop that plays it."""

    def __init__(
        self,
        state: State,
        table: Games,
        rounds: Rounds,
        forecasts: Floats | None,
        draws: Floats | None,
        watch: Watch | None,
        own: tuple[int, int] | None = None,
    ) -> None:
        self.own = own  # the players that move, a range; None: all
        self.laid: Any = None  # what the loop of a bank has laid out
        self.state, self.table, self.rounds = state, table, rounds
        self.forecasts, self.draws, self.watch = forecasts, draws, watch
        system, lanes = state.system, state.lanes
        duels = uses_duel_loops(system, state.p, table)
        repeats = not duels and table.repeats
        company = system.common is not None and bool(system.common.company) and table.pairwise
        # the keys of the roles that have parameters of their own, company the last
        role: NDArray[np.uint8] | None = None
        self.role_keys: tuple[str | int, ...] = (PLAYER,)
        if table.role is not None:
            self.role_keys, role = number_roles(system, table)
        if company and system.common is not None:
            self.role_keys = (*self.role_keys, system.common.company)
        self.flags = Flags(
            timed=system.drift is not None and rounds.clock is not None,
            weighted=table.weight is not None,
            forecasts=forecasts is not None or lanes > 1,
            watched=watch is not None,
            followed=watch is not None and len(watch.memory.after) > 0,
            foreseen=watch is not None and not watch.paired and len(watch.memory.expected) > 0,
            credited=watch is not None and len(watch.memory.credit) > 0,
            learnt=watch is not None and watch.learnt,
            league=system.league is not None,
            draws=system.chances is not None
            and table.pairwise
            and (draws is not None or lanes > 1),
            losses=draws is not None and not table.pairwise,
            lanes=lanes,
            mixed=state.logs is not None,
            roles=len(self.role_keys),
            others=1 if role is None else len(table.roles),
            counted=system.drift is not None and rounds.clock is None and system.untimed > 0.0,
            steered=system.common is not None and system.common.factor is not None,
            company=company,
            owned=own is not None,
            pairwise=table.pairwise,
            pooled=repeats or (not duels and table.pairwise and rounds.bounds is not None),
            repeats=repeats,
        )
        if duels:
            self.kind = "games" if rounds.bounds is None else "rounds"
        elif lanes > 1 and plays_abreast(system, table, rounds):
            self.kind, self.flags = "bank", self.flags_of_bank()
        else:
            self.kind = "sides"
        self.large = (
            () if table.pairwise else large_contests(system, table, self.flags, self.kind).tolist()
        )
        # the number of each member's role, where there are several
        self.role = NO_ROLES
        if self.flags.roles > 1:
            self.role = np.zeros(len(table.players), np.uint8) if role is None else role
        self.rounds_total = rounds.count(table)
        # the moments of rounds: of a league 0 where no time passes, else no loop reads them
        self.clock = np.zeros(self.rounds_total if self.flags.league else 0)
        if rounds.clock is not None:
            self.clock = rounds.clock
        large = state.rating.nbytes > CACHED_STATE
        ahead = self.kind == "bank" or (large and self.kind != "sides")
        self.compiled_as = self.kind, system, self.flags, ahead  # the key of the compiled loop

    def flags_of_bank(self) -> Flags:
        """The flags of the loop over all settings at once."""
        state, table = self.state, self.table
        return replace(
            self.flags,
            watched=False,  # the memory says it: one loop, compiled once, for all
            followed=False,
            learnt=False,
            pooled=False,
            single=table.single and (table.share is None or bool((table.share == 1.0).all())),
            known=tuple(
                name in table.columns or name in table.facts
                for name in game_rules(state.system.game).columns.values()
            ),
            **find_alike(state.system, state.p, self.role_keys),
        )

    def contests(self, low: int, high: int) -> tuple[int, int]:
        """The contests of some rounds."""
        bounds = self.rounds.bounds
        if bounds is None or not self.table.pairwise:
            return low, high
        return int(bounds[low]), int(bounds[high])

    def select(self, first: int, last: int) -> Games:
        """A table of these contests alone."""
        if (first, last) == (0, len(self.table)):
            return self.table
        return self.table.select(slice(first, last))

    def players(self, low: int, high: int) -> NDArray[np.uint32]:
        """The members of the contests of some rounds, by number."""
        table, (first, last) = self.table, self.contests(low, high)
        if table.duels:
            return np.concatenate((table.a[first:last], table.b[first:last]))
        return table.player[slice(*table.ends[table.start[[first, last]]])]

    def pairs(self, low: int, high: int) -> int:
        """How many pairings some rounds hold, under every setting: the work."""
        first, last = self.contests(low, high)
        if self.table.pairwise:
            return (last - first) * self.flags.lanes
        size = np.diff(self.table.start[first : last + 1])
        return int((size * (size - 1) // 2).sum()) * self.flags.lanes


class PlayersHeld:
    """The players of some contests as a loop works on them: the state, or lists of them alone."""

    def __init__(self, state: State, layout: StateLayout, *members: NDArray[Any]) -> None:
        self.state, self.listed, self.lanes = state, layout.listed, state.lanes
        self.players, self.members = number_players(layout, *members)
        self.rating = layout.hold(state.system.rating, state.rating[self.players], self.lanes)
        self.seen = layout.give(state.seen[self.players])

    def make_pool(self, layout: StateLayout, players: int) -> tuple[Any, ...]:
        """What a round of many games works on: evidence, rounds and numbers of so many players."""
        return (
            layout.blank(players, (players, len(self.state.system.evidence_zero))),
            *layout.give((np.full(players, NO_ROUND), np.zeros(players, dtype=np.uint32))),
        )

    def put_back(self) -> None:
        """Put what a loop has made of the lists into the state."""
        if self.listed:
            self.state.rating[self.players] = tuples_as_rows(self.rating, self.lanes)
            self.state.seen[self.players] = self.seen


def number_players(layout: StateLayout, *members: NDArray[Any]) -> tuple[Any, list[Any]]:
    """The players of some contests, and where members are among these; on matrices all players."""
    if not layout.listed:
        return slice(None), list(members)
    players, number = np.unique(np.concatenate(members), return_inverse=True)
    return players, number.reshape(len(members), -1).tolist()


def play_duels(
    run: TableRun, loop: Callable[..., None], low: int, high: int, layout: StateLayout
) -> None:
    """Play rounds `low:high` of duels, as a table of these games alone."""
    state, bounds, count = run.state, run.rounds.bounds, layout.count
    first, last = run.contests(low, high)
    table, watch = run.select(first, last), run.watch
    held = PlayersHeld(state, layout, table.a, table.b)
    start = (state.p, held.rating, held.seen, state.league or NO_LEAGUE)
    games = (*held.members, layout.games(table, state.system.game))
    shared = (
        *layout.give((run.clock[low:high], NO_NUMBERS if table.weight is None else table.weight)),
        NO_NUMBERS if run.forecasts is None else run.forecasts[first:last],
        NO_NUMBERS if run.draws is None else run.draws[first:last],
        layout.give(NO_OFFSETS if watch is None else watch.slots[first:last]),
        NO_MEMORY if watch is None else watch.memory,
        count(0), count(high - low), count(AHEAD),
    )  # fmt: skip
    if bounds is None:
        loop(*start, *games, *shared)
    else:
        own: Any = run.own or (0, len(held.rating))
        if layout.listed and run.own:
            own = np.searchsorted(held.players, own)
        pool = held.make_pool(layout, len(held.rating))
        cuts = layout.give(as_unsigned(bounds[low : high + 1] - first))
        loop(*start, *pool, *games, cuts, *shared, *map(count, own))
    held.put_back()


@lru_cache(maxsize=32)
def find_alike(system: Dynamic, p: Any, keys: tuple[str | int, ...]) -> dict[str, Any]:
    """The flags that say what is the same in several settings, of every role: `alike` which
    parameters that `prepare` sets, in all; `fours` the first step of `fading`, in each four.
    """
    known, rows = parameters_of(system, p, keys), parameter_matrix(system, p, keys)
    same = (rows.reshape(-1, len(keys), rows.shape[1]) == rows[: len(keys)]).all(axis=(0, 1))
    given, names = parameters(system), system.params._fields
    alike = tuple(bool(one) and name not in given for name, one in zip(names, same, strict=True))
    if system.fading is None or len(known) % (PARTIAL * len(keys)):
        return {"alike": alike}
    fades = np.array([system.fading[0](one, 1.0) for one in known]).reshape(-1, 4, len(keys))
    return {"alike": alike, "fours": bool((fades == fades[:, :1]).all())}


def play_sides(
    run: TableRun, loop: Callable[..., None], low: int, high: int, layout: StateLayout
) -> None:
    """Rounds `low:high` through offsets, as a table of these contests alone."""
    state, flags, system, watch = run.state, run.flags, run.state.system, run.watch
    first, last = run.contests(low, high)
    entries = slice(first, last) if run.table.pairwise else slice(*run.table.start[[first, last]])
    members = slice(*run.table.ends[run.table.start[[first, last]]])
    table = run.select(first, last)
    bounds = np.arange(last - first + 1, dtype=np.int64)
    if table.pairwise and run.rounds.bounds is not None:
        bounds = run.rounds.bounds[low : high + 1] - first
    count = len(table) if table.pairwise else int(table.start[-1])
    by_setting = np.full((count if flags.forecasts else 1, flags.lanes), np.nan)
    rows_drawn = count if flags.draws else len(table) if flags.losses else 1
    draws = np.full((rows_drawn, flags.lanes), np.nan)
    held = PlayersHeld(state, layout, table.player)
    role = run.role[held.players] if len(run.role) > 1 else run.role
    p: Any = state.p
    if flags.lanes > 1 or flags.roles > 1:
        p = layout.hold(system.params, parameter_matrix(system, state.p, run.role_keys), 1)
    carried: Any = NO_ROWS
    if system.passes > 1:
        carried = layout.hold(system.rating, state.rating[held.players].copy(), flags.lanes)
    common: Any = NO_ROWS
    if state.common is not None and system.common is not None:
        common = layout.hold(system.common.row, state.common, flags.lanes)
    most = int(np.diff(table.start).max(initial=2))
    most_members = int(np.diff(table.ends[table.start]).max(initial=most))
    pooled = len(held.rating) if flags.pooled else 1
    room = [one._make(map(np.array, one)) for one in system.make_room(most)] or [NO_NUMBERS]
    give = layout.give
    loop(
        p, give(role), held.rating, held.seen, state.league or NO_LEAGUE,
        *held.make_pool(layout, pooled),
        carried, layout.blank(most, (len(system.side_shape), most)),
        layout.blank(most_members, (len(system.evidence_zero), most_members)),
        give(np.zeros(most)), give(room[0]), *held.members,
        give(np.ones(len(table.player)) if table.share is None else table.share),
        give(as_unsigned(table.ends)), give(as_unsigned(table.start)),
        give(NO_NUMBERS if table.pairwise else table.place),
        layout.games(table, system.game) if table.pairwise else (NO_NUMBERS,),
        give(as_unsigned(bounds)), give(run.clock[low:high]),
        give(NO_NUMBERS if table.weight is None else table.weight),
        common, give(factor_places(system, state.p, run.role_keys, flags)),
        give(np.full(flags.roles, np.nan)), by_setting, draws,
        give(NO_OFFSETS if watch is None else watch.slots[members]),
        NO_MEMORY if watch is None else watch.memory,
        layout.count(0), layout.count(len(bounds) - 1),
    )  # fmt: skip
    held.put_back()
    if layout.listed and state.common is not None:
        state.common[:] = tuples_as_rows(common, flags.lanes)
    if flags.losses and run.draws is not None and flags.lanes == 1:
        run.draws[first:last] = draws[:, 0]
    _note_forecasts(run, table, bounds, entries, members, by_setting, draws)


@lru_cache(maxsize=32)
def factor_places(system: Dynamic, p: Any, keys: tuple[str | int, ...], flags: Flags) -> Ids:
    """The row of the factor of each role, -1 for none; then the first role that has the same one.

    Two roles of one factor learn it together. The places are not to be written.
    """
    if not flags.steered:
        return np.full(2, -1)
    rows = [factor_of(system, one) for one in parameters_of(system, p, keys)[: flags.roles]]
    return np.array([*rows, *map(rows.index, rows)])


def _note_forecasts(
    run: TableRun,
    table: Games,
    bounds: Ids,
    entries: slice,
    members: slice,
    by_setting: Floats,
    draws: Floats,
) -> None:
    """Keep the forecasts; of a bank mix them, and learn the weights of its settings."""
    state, lanes = run.state, run.flags.lanes
    expected, drawn = by_setting[:, 0], draws[:, 0]
    if state.logs is not None:
        rounds = bounds if table.pairwise else table.start
        counts = np.ones(len(by_setting)) if table.weight is None else table.weight.copy()
        if not table.pairwise:
            size = np.diff(table.start)
            counts = repeat_rows((1.0 if table.weight is None else table.weight) / size, size)
        alone = np.isnan(table.outcome)  # in a contest: nothing was foreseen
        by_setting[alone], counts[alone] = 0.5, 0.0
        expected, drawn = np.empty(len(by_setting)), np.empty(len(by_setting))
        before = np.empty((len(rounds) - 1, lanes))
        large = is_worth_compiling(len(by_setting) * lanes)
        layout, shape = MATRICES if large else LISTS, work_of(lanes)
        logs = slice(shape.logs, shape.logs + lanes)
        work = np.zeros(shape.end)
        work[logs] = state.logs
        work = layout.give(work)
        round_mixer(lanes, run.flags.draws, large)(
            work, by_setting, draws, np.where(alone, 0.5, table.outcome), counts, rounds,
            expected, drawn, before, *map(layout.count, (lanes, PARTIAL)),
        )  # fmt: skip
        state.logs[:] = work[logs]
        if run.watch is not None:
            slots = run.watch.slots[members]
            contest = table.contest_of_member
            number = np.searchsorted(bounds, contest, side="right") - 1
            chosen = slots >= 0
            both = np.concatenate((before, np.append(before[1:], state.logs[None], 0)), axis=1)
            sums = run.watch.memory.sums
            sums[slots[chosen], : 2 * lanes] = both[number[chosen], : sums.shape[1]]
        expected[alone] = np.nan
    if run.forecasts is not None:
        run.forecasts[entries] = expected
    if run.draws is not None and run.flags.draws:
        run.draws[entries] = drawn


# --- what a run is to keep: the ratings before chosen contests, and what became of them -----------


@dataclass(eq=False)
class Watch:
    """Where the ratings before a contest are kept, and those ratings.

    `slots` has an entry a member (-1: nothing is kept), or, where `paired`, an entry a game, whose
    slot s has the rows 2 s and 2 s + 1 of its two players.
    """

    slots: Ids
    memory: Snapshots
    learnt: bool = False  # whether what a game read of the numbers that all share is kept
    paired: bool = False

    def rows(self, members: Ids) -> Ids:
        """The rows of these members, by number in the table, in `memory.rating`."""
        if not self.paired:
            return self.slots[members]
        found: Ids = 2 * self.slots[members // 2] + members % 2
        return found

    def sums(self, rows: Ids) -> Floats:
        """What is kept of the league, of a bank, of learnt numbers beside these rows."""
        found: Floats = self.memory.sums[rows // 2 if self.paired else rows]
        return found


def uses_duel_loops(system: Dynamic, p: Any, table: Games) -> bool:
    """Whether the loops of duels play this table, and not the one over sides."""
    alone = system.passes == 1 and system.common is None and system.evidence is not None
    return table.duels and alone and not isinstance(p, Bank)


def keeps_own_forecasts(system: Dynamic, p: Any, table: Games) -> bool:
    """Whether a loop can keep what each member was expected to score, beside their rating.

    Elsewhere the forecast of a side is known, or of a game that of its first side.
    """
    by_pairs = not table.pairwise and system.contest is None and system.common is None
    plain = table.single and table.role is None and not isinstance(p, Bank)
    return uses_duel_loops(system, p, table) or (by_pairs and plain)


def choose_slots(
    system: Dynamic, p: Any, table: Games, chosen: Truths,
    members: Truths | None = None,
) -> Ids:  # fmt: skip
    """The slots of a `Watch` of these contests alone; where a member has a slot, of `members`."""
    if not uses_duel_loops(system, p, table):
        chosen = chosen[table.contest_of_member]
        if members is not None:
            chosen &= members
    return np.where(chosen, np.cumsum(chosen, dtype=np.int64) - 1, -1)


def watch_for(
    system: Dynamic, p: Any, table: Games, slots: Ids | None = None,
    *, follow: bool = False, credit: bool = False, learnt: bool = True,
) -> Watch:  # fmt: skip
    """What keeps the ratings before the contests of a table, of all or in these slots.

    `follow` keeps the ratings after them too, and what each member was expected to score where a
    loop can; `credit` what each game of a round of duels brought; `learnt` what the contests read
    of the numbers that all share, as explanations need it.
    """
    paired, lanes = uses_duel_loops(system, p, table), len(p.rows) if isinstance(p, Bank) else 1
    if slots is None:
        slots = np.arange(len(table) if paired else len(table.player), dtype=np.int64)
    width = lanes * (1 + (follow or learnt)) if system.league is None else len(system.league.empty)
    count, learnt = int(slots.max(initial=-1)) + 1, learnt and system.common is not None
    rating = np.zeros((2 * count if paired else count, len(system.rating) * lanes))
    own = follow and keeps_own_forecasts(system, p, table)
    credit = credit and paired and system.credit is not None
    memory = Snapshots(
        rating,
        np.zeros((count, width + (width_kept(system, lanes) if learnt else 0))),
        np.full(rating.shape, np.nan) if follow else NO_ROWS,
        np.zeros(len(rating)) if own else NO_NUMBERS,
        np.zeros(len(rating)) if credit else NO_NUMBERS,
        np.zeros((count, lanes)) if learnt and system.common and system.common.factor else NO_ROWS,
        rating.copy() if system.passes > 1 else NO_ROWS,
    )
    return Watch(slots, memory, learnt, paired)
