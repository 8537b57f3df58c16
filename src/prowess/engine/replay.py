"""The fold: a state, a table of results, and the state after it.

A table is played by the plain loop or the compiled one; both give the same bits, so the choice
is only a matter of time: small tables never pay for a compiler, large ones run at C's speed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess import kernel
from prowess.engine.bank import Bank, mixture, rows_of, weights_of
from prowess.engine.bank_loop import bank_loop, bank_substitutes
from prowess.engine.float_bits import compiled_forms
from prowess.engine.league import Sums, append
from prowess.engine.learnt import common_at, first_rows
from prowess.engine.loops import Flags, Memory, ageing_loop, game_loop, judges_whole, round_loop
from prowess.engine.mixing import PARTIAL, Work, mixing_of_rounds
from prowess.engine.rounds import Rounds
from prowess.engine.rows import LISTS, MATRICES, Layout, columns_of_game, game_rules
from prowess.engine.side_loop import side_loop
from prowess.engine.system import Dynamic
from prowess.games.games import PLAYER, Games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

COMPILING = 0.6  # seconds; what importing the compiler and a cached loop cost, measured
LOADED = 0.02  # seconds; what a loop pays that was compiled or loaded in this process before
SAMPLE = 3_000  # pairs played plainly to learn how long the rest would take
PLAIN_AT_MOST = 500_000  # pairs; above it the compiled loop wins for the cheapest system
PLAIN_AGEING = 200_000  # players; above it compiling pays
LOADED_AGEING = 2_000  # players; above it compiling pays where the compiler is loaded
MIXED_AT_ONCE = 4_000_000  # forecasts of a bank that are held before they are mixed: 32 MB
MIXED_PLAINLY = 30_000  # forecasts of a bank; above it compiling pays
AHEAD = 32  # games between asking for a row and using it; 16 to 128 measured alike
CACHED_STATE = 512 * 1024  # bytes of ratings; so few stay in cache and asking ahead would not pay


class Unratable(ValueError):
    """A table that a system cannot rate, or ratings that left the numbers."""


def newcomer(system: Dynamic, p: Any) -> Any:
    """The rating of a player who has not played yet, all fields as floats; of a bank the mean."""
    if isinstance(p, Bank):
        row = newcomer_row(system, p)[None]
        return system.rating._make(mixture(system.rating._fields, row, even(p))[0].tolist())
    if system.newcomer is None:
        fresh = system.rating
    elif system.common is None:
        fresh = system.newcomer(p)
    else:
        rows, game = first_rows(system, (p,)), game_rules(system.game).pair(0.5)
        assert rows is not None
        fresh = system.newcomer(p, *common_at(system, p, rows, game))
    return type(fresh)(*map(float, fresh))


def newcomer_row(system: Dynamic, p: Any) -> Floats:
    """A newcomer's row of the state: each field under every setting."""
    rows = [newcomer(system, row) for row in rows_of(p)]
    return np.array(rows, dtype=np.float64).T.ravel()


def even(bank: Bank) -> Floats:
    """The weights of a bank before the first game."""
    return np.full(bank.lanes, 1.0 / bank.lanes)


def parameters_of(system: Dynamic, p: Any, roles: Sequence[str]) -> tuple[Any, ...]:
    """The parameters of each role under each setting, setting by setting."""
    known = [system.roles.get(role) for role in roles]
    return tuple(row if made is None else made(row) for row in rows_of(p) for made in known)


@dataclass(eq=False)
class State:
    """All that has to be remembered between two tables; rows are players."""

    system: Dynamic
    p: Any
    # [players, fields]; of a bank [players, fields * settings], the settings of a field together
    rating: Floats = field(default_factory=lambda: np.empty((0, 0)))
    seen: Floats = field(default_factory=lambda: np.empty(0))  # clock when last seen; nan: never
    league: Sums | None = None
    logs: Floats | None = None  # [settings] of a bank, the logarithms of their weights
    role: NDArray[np.uint8] | None = None  # [players] where the system tells roles apart
    roles: tuple[str, ...] = (PLAYER,)
    common: Floats | None = None  # [rows, fields * settings]: what all games share and teach

    @classmethod
    def empty(cls, system: Dynamic, p: Any) -> State:
        """A state without players."""
        lanes = len(rows_of(p))
        state = cls(system, p, np.empty((0, len(system.rating) * lanes)), np.empty(0))
        if isinstance(p, Bank):
            state.logs = np.zeros(lanes)
        state.common = first_rows(system, rows_of(p))
        if system.league is not None:
            totals = np.array([system.league.empty], dtype=np.float64)
            state.league = Sums(totals, np.zeros((1, 2), dtype=np.int64), np.empty(0))
        return state

    @property
    def lanes(self) -> int:
        """The settings that are played at once: 1, or those of a bank."""
        return len(rows_of(self.p))

    def grown(self, players: int, table: Games | None = None) -> State:
        """The same state with newcomers up to this many players, who have roles in the table."""
        more = players - len(self.rating)
        if more <= 0:
            return self
        fresh = newcomer_row(self.system, self.p)
        rating = np.empty((players, len(fresh)))
        rating[: len(self.rating)] = self.rating
        rating[len(self.rating) :] = fresh
        role, roles = self.role, self.roles
        if table is not None and table.role is not None and self.system.roles:
            role, roles = table.role[:players], table.roles
            rows = parameters_of(self.system, self.p, roles)
            fresh_role = role[len(self.rating) :]
            for number in np.unique(fresh_role).tolist():
                of_role = [newcomer(self.system, row) for row in rows[number :: len(roles)]]
                rating[len(self.rating) :][fresh_role == number] = np.array(of_role).T.ravel()
        seen = np.concatenate((self.seen, np.full(more, np.nan)))
        league = self.league
        if league is not None:
            ring = np.concatenate((league.ring, np.full((more, 2), -1, dtype=np.int64)))
            last = np.concatenate((league.last, np.zeros(more)))
            league = Sums(league.totals.copy(), ring, last)
        return State(self.system, self.p, rating, seen, league, self.logs, role, roles, self.common)

    def copied(self) -> State:
        """A copy that can be played on without touching this one."""
        league = self.league
        if league is not None:
            league = Sums(*(array.copy() for array in league))
        logs = None if self.logs is None else self.logs.copy()
        rating, seen = self.rating.copy(), self.seen.copy()
        common = None if self.common is None else self.common.copy()
        known = (self.role, self.roles, common)
        return State(self.system, self.p, rating, seen, league, logs, *known)

    def started(self, player: int, values: dict[str, float]) -> None:
        """Let a player begin with these values instead of a newcomer's."""
        before = self.system.rating._make(self.rating[player, : len(self.system.rating)].tolist())
        fields, lanes = self.system.rating._fields, self.lanes
        for name, value in values.items():
            at = fields.index(name) * lanes
            self.rating[player, at : at + lanes] = value
        if self.league is not None and self.system.league is not None:
            now = self.system.rating._make(self.rating[player].tolist())
            standing = self.system.league.standing
            self.league.totals[0] += np.subtract(standing(self.p, now), standing(self.p, before))
            if self.system.league.active_days and self.league.ring[player + 1, 0] < 0:
                append(self.league.ring, player + 1)
                self.league.last[player] = -np.inf  # not seen: counts where nobody falls idle

    def player(self, index: int) -> Any:
        """The rating of one player as the system's own tuple."""
        return self.system.rating._make(self.mixed(slice(index, index + 1))[0].tolist())

    def mixed(
        self,
        who: slice = slice(None),
        rating: Floats | None = None,
        logs: Floats | None = None,
    ) -> Floats:
        """Ratings, [players, fields]: those of a bank mixed by the weights of its settings.

        `rating` and `logs` take the place of the state's own rows and weights.
        """
        values = self.rating[who] if rating is None else rating
        if self.logs is None:
            return values
        weights = weights_of(self.logs if logs is None else logs)
        return mixture(self.system.rating._fields, values, weights)


def begun(
    system: Dynamic,
    p: Any,
    players: int,
    start: Mapping[int, Mapping[str, float]],
    table: Games | None = None,
) -> State:
    """The state before the first game; raises Unratable for a value the system does not have.

    `table` says which roles its members have.
    """
    state = State.empty(system, p).grown(players, table)
    for player, values in start.items():
        unknown = set(values) - set(system.rating._fields)
        if unknown:
            raise Unratable(
                f"{system.name} cannot start players with {', '.join(sorted(unknown))}; "
                f"it has {', '.join(system.rating._fields)}"
            )
        state.started(player, dict(values))
    return state


@dataclass(eq=False)
class Watch:
    """Which games (or rows of contests) to remember the ratings before, and those ratings."""

    slots: NDArray[np.int64]  # per game, or per row of a contest: where to keep, -1 nowhere
    memory: Memory


def play(
    state: State,
    table: Games,
    rounds: Rounds,
    *,
    forecasts: Floats | None = None,
    draws: Floats | None = None,
    watch: Watch | None = None,
    compiled: bool | None = None,
    span: tuple[int, int] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Play rounds `span` of a table (default: all) onto a state, in place.

    `forecasts` receives the expected scores before each round: of a pairwise table that of the
    first side of each game, else the mean against the field of each side. `draws` receives the
    chances of a draw in the games of a pairwise table. `compiled` None chooses by measuring a
    small sample.
    """
    run = _Run(state, table, rounds, forecasts, draws, watch)
    low, high = span or (0, run.rounds_total)
    if compiled is None:
        low = run.play_sample(low, high)
        compiled = low < high and run.worth_compiling(low, high)
    elif compiled and not kernel.available():
        raise ModuleNotFoundError("compiled=True needs Numba: pip install 'prowess[fast]'")
    step = high - low if progress is None else max(1, (high - low) // 50)
    if state.logs is not None:
        step = min(step, max(1, MIXED_AT_ONCE // (state.lanes * run.entries_a_round)))
    while low < high:
        stop = min(high, low + max(1, step))
        (run.play_compiled if compiled else run.play_plain)(low, stop)
        low = stop
        if progress is not None:
            progress(low, run.rounds_total)


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


class _Run:
    """One table on one state: arranges memory for either loop and calls it."""

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
        self.seconds_a_pair: float | None = None  # plainly; None: not measured

    @property
    def entries_a_round(self) -> int:
        """How many forecasts a round has, about."""
        entries = len(self.table) if self.table.pairwise else int(self.table.start[-1])
        return max(1, entries // max(1, self.rounds_total))

    # -- choosing a loop --

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

    def play_sample(self, low: int, high: int) -> int:
        """Play a few rounds plainly and time them; returns the next round."""
        if kernel.available() and self.pairs(low, high) > PLAIN_AT_MOST:
            return low
        stop = min(high, low + SAMPLE)
        if self.kind != "games":
            stop = low
            while stop < high and self.pairs(low, stop) < SAMPLE:
                stop = min(high, stop + 1 + (high - low) // 64)
        began = perf_counter()
        self.play_plain(low, stop)
        self.seconds_a_pair = (perf_counter() - began) / max(1, self.pairs(low, stop))
        return stop

    def worth_compiling(self, low: int, high: int) -> bool:
        """Whether the rest would take longer plainly than compiling does."""
        if not kernel.available():
            return False
        if self.seconds_a_pair is None:
            return True
        price = LOADED if self._compiled_as() in _LOADED else COMPILING
        return self.seconds_a_pair * self.pairs(low, high) > price

    def _compiled_as(self) -> tuple[str, Dynamic, Flags, bool]:
        """What tells this run's compiled loop from others."""
        ahead = self.kind in ("games", "rounds") and self.state.rating.nbytes > CACHED_STATE
        return self.kind, self.state.system, self.flags, ahead

    # -- the compiled loop --

    def play_compiled(self, low: int, high: int) -> None:
        """The loop, compiled, on the matrices."""
        loop = self._compiled_as()
        system = self.state.system
        try:
            self._play_matrices(compiled_loop(*loop), low, high)
            _LOADED.add(loop)
        except Exception as error:
            if not kernel.blames(error):
                raise
            raise kernel.Uncompilable(
                f"{system.name} cannot be compiled: {kernel.reason(error)}. Use numbers, math, "
                "functions of your own, and tuples with every field given; PROWESS_COMPILE=never "
                "runs it as plain Python"
            ) from error

    def _play_matrices(self, loop: Callable[..., None], low: int, high: int) -> None:
        if self.kind == "sides":
            self._play_sides(loop, low, high, MATRICES)
            return
        if self.kind == "bank":
            self._play_bank(loop, low, high, MATRICES)
            return
        state, table = self.state, self.table
        nothing, game = np.zeros(1), state.system.game
        clock = self.rounds.clock
        if clock is None:
            clock = np.zeros(self.rounds_total if self.flags.league else 1)
        shared = (
            clock,
            nothing if table.weight is None else table.weight,
            nothing if self.forecasts is None else self.forecasts,
            nothing if self.draws is None else self.draws,
            np.zeros(1, dtype=np.int64) if self.watch is None else self.watch.slots,
            _NO_MEMORY if self.watch is None else self.watch.memory,
            np.uint64(low),  # unsigned: no test for negative indices
            np.uint64(high),
        )
        league = state.league or _NO_LEAGUE
        start = (state.p, state.rating, state.seen, league)
        width = len(state.system.evidence_zero)
        bounds = self.rounds.bounds
        if bounds is None:
            loop(*start, table.a, table.b, columns(table, game), *shared, np.uint64(AHEAD))
        else:
            players = len(state.rating)
            pool, stamp = np.zeros((players, width)), np.full(players, _NO_ROUND)
            widest = int(np.diff(bounds[low : high + 1]).max(initial=0))
            present = np.zeros(min(2 * widest, players), dtype=np.uint32)
            rows = (table.a, table.b, columns(table, game), bounds.view(np.uint64))
            loop(*start, pool, stamp, present, *rows, *shared, np.uint64(AHEAD))

    # -- the plain loop --

    def play_plain(self, low: int, high: int) -> None:
        """The loop as plain Python over lists, holding only the players of these rounds."""
        if self.flags.league:  # sums over all players need them all at hand
            self._play_matrices(
                plain_loop(self.kind, self.state.system, self.flags, on_lists=False), low, high
            )
            return
        loop = plain_loop(self.kind, self.state.system, self.flags, on_lists=True)
        if self.kind == "sides":
            self._play_sides(loop, low, high, LISTS)
            return
        if self.kind == "bank":
            self._play_bank(loop, low, high, LISTS)
            return
        state, table, bounds = self.state, self.table, self.rounds.bounds
        first, last = self.contests(low, high)
        players, local = np.unique(
            np.concatenate((table.a[first:last], table.b[first:last])), return_inverse=True
        )
        ids = local.tolist()
        rating = list(map(state.system.rating._make, state.rating[players].tolist()))
        seen = state.seen[players].tolist()
        start = (state.p, rating, seen, None)
        shared = (
            _listed(self.rounds.clock, low, high),
            _listed(table.weight, first, last),
            None if self.forecasts is None else self.forecasts[first:last],
            None if self.draws is None else self.draws[first:last],
            None if self.watch is None else self.watch.slots[first:last].tolist(),
            None if self.watch is None else self.watch.memory,
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

    # -- the loop over the settings of a bank, compiled or plain --

    def _play_bank(self, loop: Callable[..., None], low: int, high: int, layout: Layout) -> None:
        """Duels `low:high` under every setting at once."""
        state, table, system = self.state, self.table, self.state.system
        work = Work(self.flags.lanes, len(system.params))
        numbers = work.filled(state.p.rows, state.logs)
        weights = _NOTHING if table.weight is None else table.weight
        clock = _NOTHING if self.rounds.clock is None else self.rounds.clock
        forecasts, draws = self.forecasts, self.draws
        if forecasts is None:
            forecasts = np.empty(len(table))
        if draws is None or not self.flags.draws:
            draws = np.empty(len(table))
        slots = np.zeros(1, np.int64) if self.watch is None else self.watch.slots
        memory = _NO_MEMORY if self.watch is None else self.watch.memory
        if layout is not LISTS:
            loop(
                0.0, state.rating, state.seen, numbers, table.a, table.b,
                columns(table, system.game), clock, weights, forecasts, draws, slots, memory,
                np.uint64(low), np.uint64(high), *_counted(self.flags.lanes, True),
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
                *_counted(self.flags.lanes, False),
            )  # fmt: skip
            values = np.array(rating, dtype=np.float64).reshape(many, state.lanes, -1)
            state.rating[players] = values.transpose(0, 2, 1).reshape(many, -1)
            state.seen[players] = seen
            numbers = np.array(listed)
        if state.logs is not None:
            state.logs[:] = work.logs(numbers)

    # -- the loop over sides, compiled or plain --

    def _play_sides(self, loop: Callable[..., None], low: int, high: int, layout: Layout) -> None:
        """Rounds `low:high` through offsets, as a table of these contests alone."""
        state, flags = self.state, self.flags
        first, last = self.contests(low, high)
        table = self.table
        entries = slice(first, last) if table.pairwise else slice(*table.start[[first, last]])
        members = slice(*table.ends[table.start[[first, last]]])
        if (first, last) != (0, len(table)):
            table = table.select(slice(first, last))
        bounds = np.arange(last - first + 1)
        if self.table.pairwise and self.rounds.bounds is not None:
            bounds = self.rounds.bounds[low : high + 1] - first
        count = len(table) if table.pairwise else int(table.start[-1])
        by_setting = np.full((count if flags.forecasts else 1, flags.lanes), np.nan)
        draws = np.full((count if flags.draws else 1, flags.lanes), np.nan)
        clock = self.rounds.clock
        if clock is None:
            clock = np.zeros(high if flags.league else 1)
        rounds = (
            bounds,
            clock[low:high],
            _NOTHING if table.weight is None else table.weight,
            _NO_ROWS if state.common is None else state.common,
            by_setting,
            draws,
            np.zeros(1, np.int64) if self.watch is None else self.watch.slots[members],
            _NO_MEMORY if self.watch is None else self.watch.memory,
        )
        held = _SidesHeld(state, table, flags)
        (held.play_listed if layout is LISTS else held.play_compiled)(loop, rounds)
        self._note_forecasts(table, bounds, entries, members, by_setting, draws)

    def _note_forecasts(
        self,
        table: Games,
        bounds: NDArray[np.int64],
        entries: slice,
        members: slice,
        by_setting: Floats,
        draws: Floats,
    ) -> None:
        """Keep the forecasts; of a bank mix them, and learn the weights of its settings."""
        state, lanes = self.state, self.flags.lanes
        expected, drawn = by_setting[:, 0], draws[:, 0]
        if state.logs is not None:
            rounds = bounds if table.pairwise else table.start
            counts = np.ones(len(by_setting)) if table.weight is None else table.weight.copy()
            if not table.pairwise:
                size = np.diff(table.start)
                counts = np.repeat((1.0 if table.weight is None else table.weight) / size, size)
            alone = np.isnan(table.outcome)  # in a contest: nothing was foreseen
            by_setting[alone], counts[alone] = 0.5, 0.0
            expected, drawn = np.empty(len(by_setting)), np.empty(len(by_setting))
            before = np.empty((len(rounds) - 1, lanes))
            large = len(by_setting) * lanes > MIXED_PLAINLY and kernel.available()
            shape = Work(lanes, 0)
            numbers = shape.filled((), state.logs)
            work = numbers if large else numbers.tolist()
            _mixing(lanes, self.flags.draws, large)(
                work, by_setting, draws, np.where(alone, 0.5, table.outcome), counts, rounds,
                expected, drawn, before, *_counted(lanes, large),
            )  # fmt: skip
            state.logs[:] = shape.logs(np.array(work))
            if self.watch is not None:
                slots = self.watch.slots[members]
                contest = table.contest_of_member
                number = np.searchsorted(bounds, contest, side="right") - 1
                chosen = slots >= 0
                self.watch.memory.sums[slots[chosen], :lanes] = before[number[chosen]]
            expected[alone] = np.nan
        if self.forecasts is not None:
            self.forecasts[entries] = expected
        if self.draws is not None and self.flags.draws:
            self.draws[entries] = drawn


class _SidesHeld:
    """What the loop over sides works on: the contests of a table, and the ratings of players."""

    def __init__(self, state: State, table: Games, flags: Flags) -> None:
        self.state, self.table, self.flags = state, table, flags
        self.side = state.system.rating if state.system.side is None else state.system.side
        self.most = int(np.diff(table.start).max(initial=2))
        self.most_members = int(np.diff(table.ends[table.start]).max(initial=self.most))
        self.parameters: Any = state.p
        if flags.lanes > 1 or flags.roles > 1:
            roles = table.roles if flags.roles > 1 else table.roles[:1]
            self.parameters = parameters_of(state.system, state.p, roles)
        self.share = np.ones(len(table.player)) if table.share is None else table.share
        self.role = _NO_ROLES if table.role is None else table.role

    def play_compiled(self, loop: Callable[..., None], rounds: tuple[Any, ...]) -> None:
        """Play on the matrices."""
        state, table, system = self.state, self.table, self.state.system
        p = self.parameters
        if self.flags.lanes > 1 or self.flags.roles > 1:
            p = np.array([list(map(float, row)) for row in p])
        width, players = len(system.evidence_zero), len(state.rating) if self.flags.pooled else 1
        bounds, *rest = rounds
        games: tuple[Any, ...] = (_NOTHING,)
        if table.pairwise:
            games = columns(table, system.game)
        loop(
            p, self.role, state.rating, state.seen, state.league or _NO_LEAGUE,
            np.zeros((players, width)), np.full(players, _NO_ROUND),
            np.zeros(players, dtype=np.uint32),
            np.zeros((len(self.side), self.most)), np.zeros((width, self.most_members)),
            np.zeros(self.most), table.player, self.share, table.ends.view(np.uint64),
            table.start.view(np.uint64), _NOTHING if table.pairwise else table.place, games,
            bounds.view(np.uint64), *rest, np.uint64(0), np.uint64(len(bounds) - 1),
        )  # fmt: skip

    def common_listed(self) -> list[Any]:
        """The rows that all games share, as lists of tuples."""
        state, lanes = self.state, self.flags.lanes
        if state.common is None or state.system.common is None:
            return []
        make = state.system.common.row._make
        by_lane = state.common.reshape(len(state.common), -1, lanes).transpose(0, 2, 1).tolist()
        return [make(lane[0]) if lanes == 1 else list(map(make, lane)) for lane in by_lane]

    def play_listed(self, loop: Callable[..., None], rounds: tuple[Any, ...]) -> None:
        """Play on lists that hold only the players of these contests."""
        state, table, system = self.state, self.table, self.state.system
        lanes, make = self.flags.lanes, system.rating._make
        players, local = np.unique(table.player, return_inverse=True)
        held = state.rating[players].reshape(len(players), len(system.rating), lanes)
        by_lane = held.transpose(0, 2, 1).tolist()
        rating: list[Any] = [
            make(lane[0]) if lanes == 1 else list(map(make, lane)) for lane in by_lane
        ]
        seen = state.seen[players].tolist()
        p: Any = self.parameters
        if self.flags.lanes > 1 or self.flags.roles > 1:
            p = [row._make(map(float, row)) for row in p]
        bounds, clock, weights, common, by_setting, draws, slots, memory = rounds
        common = self.common_listed()
        pooled = len(players) if self.flags.pooled else 1
        role = self.role[players].tolist() if len(self.role) > 1 else self.role.tolist()
        loop(
            p, role, rating, seen, None, [None] * pooled, [-1] * pooled, [0] * pooled,
            [None] * self.most, [None] * self.most_members, [0.0] * self.most, local.tolist(),
            self.share.tolist(), table.ends.tolist(), table.start.tolist(),
            None if table.pairwise else table.place.tolist(),
            game_list(table, system.game, 0, len(table)) if table.pairwise else None,
            bounds.tolist(), clock.tolist(), weights.tolist(), common, by_setting, draws,
            slots.tolist(), memory, 0, len(bounds) - 1,
        )  # fmt: skip
        if state.common is not None:
            learnt = np.array(common, dtype=np.float64).reshape(len(common), lanes, -1)
            state.common[:] = learnt.transpose(0, 2, 1).reshape(len(common), -1)
        values = np.array(rating, dtype=np.float64).reshape(len(players), lanes, -1)
        state.rating[players] = values.transpose(0, 2, 1).reshape(len(players), -1)
        state.seen[players] = seen


def aged(state: State, now: float, who: slice = slice(None)) -> Floats:
    """The ratings of players as they are at `now` on the system's clock, mixed where in a bank."""
    return state.mixed(rating=drifted(state, now, who))


def drifted(state: State, now: float, who: slice = slice(None)) -> Floats:
    """The rows of the state as they are at `now`."""
    if state.system.drift is None:
        return state.rating[who]
    later, seen, lanes = state.rating[who].copy(), state.seen[who], state.lanes
    enough = LOADED_AGEING if kernel.loaded() else PLAIN_AGEING
    large = len(later) > enough or state.system in _compiled_ageing
    loop = ageing(state.system, large and kernel.available())
    if lanes == 1 and state.role is None:
        loop(state.p, later, seen, float(now), len(later))
        return later
    rows = parameters_of(state.system, state.p, state.roles)
    for at, p in enumerate(rows):
        lane, number = divmod(at, len(state.roles))
        chosen = np.arange(len(later))
        if state.role is not None:
            chosen = np.flatnonzero(state.role[who] == number)
        part = np.ascontiguousarray(later[chosen, lane::lanes])
        loop(p, part, seen[chosen], float(now), len(part))
        later[chosen, lane::lanes] = part
    return later


_LOADED: set[tuple[str, Dynamic, Flags, bool]] = set()  # loops that have run compiled here
_NOTHING = np.zeros(1)
_NO_ROLES = np.zeros(1, dtype=np.uint8)
_NO_ROWS = np.zeros((1, 1))
_NO_ROUND = np.uint64(2**64 - 1)
_NO_MEMORY = Memory(np.zeros((1, 1)), np.zeros((1, 1)))
_NO_LEAGUE = Sums(np.zeros((1, 1)), np.zeros((1, 2), dtype=np.int64), np.zeros(1))


_compiled_ageing: set[Dynamic] = set()  # there already: from now on the faster one for any number

_LOOPS = {"games": game_loop, "rounds": round_loop, "bank": bank_loop, "sides": side_loop}


@cache
def plain_loop(kind: str, system: Dynamic, flags: Flags, on_lists: bool) -> Callable[..., None]:
    """The loop of a system as plain Python."""
    loop = _LOOPS[kind](system, flags, LISTS if on_lists else MATRICES)
    if flags.lanes == 1:
        return loop
    return kernel.rebuilt(loop, bank_substitutes(system, compiled=False))


@cache
def compiled_loop(kind: str, system: Dynamic, flags: Flags, ahead: bool) -> Callable[..., None]:
    """The loop of a system, compiled (or taken from the cache) at its first call."""
    ask = kernel.prefetch() if ahead else None
    layout = MATRICES._replace(sized=kernel.sized, ask=ask)
    loop = _LOOPS[kind](system, flags, layout)
    if flags.lanes == 1:
        return kernel.compiled(loop)
    return kernel.compiled(loop, bank_substitutes(system, compiled=True))


@cache
def _mixing(lanes: int, drawing: bool, large: bool) -> Callable[..., None]:
    """What mixes the forecasts of rounds, compiled where there is much to do."""
    mix = mixing_of_rounds(Work(lanes, 0), drawing, np.uint64 if large else int)
    return kernel.compiled(mix, compiled_forms()) if large else mix


def _counted(lanes: int, compiled: bool) -> tuple[Any, Any]:
    """The number of settings, and 8: given to loops, which else would be written out."""
    number: Callable[[int], Any] = np.uint64 if compiled else int
    return number(lanes), number(PARTIAL)


@cache
def ageing(system: Dynamic, compiled: bool) -> Callable[..., None]:
    """The loop that lets time pass for everybody."""
    loop = ageing_loop(system)
    if not compiled:
        return loop
    _compiled_ageing.add(system)
    return kernel.compiled(loop)


def columns(games: Games, shape: Any) -> tuple[Any, ...]:
    """Games as compiled code reads them; a missing column is one zero with step 0."""
    given = [_fact(games, name) for name in columns_of_game(shape).values()]
    zero = np.zeros(1)
    return (
        *(zero if column is None else column for column in given),
        *(np.uint64(column is not None) for column in given),
    )


def game_list(games: Games, shape: Any, first: int, last: int) -> list[Any]:
    """Rows `first:last` as a list of Game."""
    given = [_fact(games, name) for name in columns_of_game(shape).values()]
    rows = (
        [0.0] * (last - first) if column is None else column[first:last].tolist()
        for column in given
    )
    return list(map(shape._make, zip(*rows, strict=True)))


def _fact(games: Games, name: str) -> Any:
    """A column of a table, or a further fact of that name."""
    return games.columns.get(name, games.facts.get(name))


def _listed(column: Any, low: int, high: int) -> Any:
    return None if column is None else column[low:high].tolist()
