"""The fold: a state, a table of results, and the state after it.

A table is played by the plain loop or the compiled one; both give the same bits, so the choice
is only a matter of time: small tables never pay for a compiler, large ones run at C's speed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess import kernel
from prowess.engine.league import Sums, append
from prowess.engine.loops import Flags, Memory, ageing_loop, contest_loop, game_loop, round_loop
from prowess.engine.rounds import Rounds
from prowess.engine.rows import LISTS, MATRICES, columns_of_game
from prowess.engine.system import Dynamic
from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

COMPILING = 0.6  # seconds; what importing the compiler and a cached loop cost, measured
LOADED = 0.02  # seconds; what a loop pays that was compiled or loaded in this process before
SAMPLE = 3_000  # pairs played plainly to learn how long the rest would take
PLAIN_AT_MOST = 500_000  # pairs; above it the compiled loop wins for the cheapest system
PLAIN_AGEING = 200_000  # players; above it compiling pays
LOADED_AGEING = 2_000  # players; above it compiling pays where the compiler is loaded
AHEAD = 32  # games between asking for a row and using it; 16 to 128 measured alike
CACHED_STATE = 512 * 1024  # bytes of ratings; so few stay in cache and asking ahead would not pay


class Unratable(ValueError):
    """A table that a system cannot rate, or ratings that left the numbers."""


def newcomer(system: Dynamic, p: Any) -> Any:
    """The rating of a player nobody has seen yet, all fields as floats."""
    fresh = system.newcomer(p) if system.newcomer else system.rating
    return type(fresh)(*map(float, fresh))


@dataclass(eq=False)
class State:
    """All that has to be remembered between two tables; rows are players."""

    system: Dynamic
    p: Any
    rating: Floats = field(default_factory=lambda: np.empty((0, 0)))  # [players, fields]
    seen: Floats = field(default_factory=lambda: np.empty(0))  # clock when last seen; nan: never
    league: Sums | None = None

    @classmethod
    def empty(cls, system: Dynamic, p: Any) -> State:
        """A state that knows nobody."""
        state = cls(system, p, np.empty((0, len(system.rating))), np.empty(0))
        if system.league is not None:
            totals = np.array([system.league.empty], dtype=np.float64)
            state.league = Sums(totals, np.zeros((1, 2), dtype=np.int64), np.empty(0))
        return state

    def grown(self, players: int) -> State:
        """The same state with newcomers up to this many players."""
        more = players - len(self.rating)
        if more <= 0:
            return self
        fresh = np.array(newcomer(self.system, self.p), dtype=np.float64)
        rating = np.empty((players, len(fresh)))
        rating[: len(self.rating)] = self.rating
        rating[len(self.rating) :] = fresh
        seen = np.concatenate((self.seen, np.full(more, np.nan)))
        league = self.league
        if league is not None:
            ring = np.concatenate((league.ring, np.full((more, 2), -1, dtype=np.int64)))
            last = np.concatenate((league.last, np.zeros(more)))
            league = Sums(league.totals.copy(), ring, last)
        return State(self.system, self.p, rating, seen, league)

    def copied(self) -> State:
        """A copy that can be played on without touching this one."""
        league = self.league
        if league is not None:
            league = Sums(*(array.copy() for array in league))
        return State(self.system, self.p, self.rating.copy(), self.seen.copy(), league)

    def started(self, player: int, values: dict[str, float]) -> None:
        """Let a player begin with these values instead of a newcomer's."""
        fields = self.system.rating._fields
        before = self.system.rating._make(self.rating[player].tolist())
        for name, value in values.items():
            self.rating[player, fields.index(name)] = value
        if self.league is not None and self.system.league is not None:
            now = self.system.rating._make(self.rating[player].tolist())
            standing = self.system.league.standing
            self.league.totals[0] += np.subtract(standing(self.p, now), standing(self.p, before))
            if self.system.league.active_days and self.league.ring[player + 1, 0] < 0:
                append(self.league.ring, player + 1)
                self.league.last[player] = -np.inf  # not seen: counts where nobody falls idle

    def player(self, index: int) -> Any:
        """The rating of one player as the system's own tuple."""
        return self.system.rating._make(self.rating[index].tolist())


def begun(system: Dynamic, p: Any, players: int, start: Mapping[int, Mapping[str, float]]) -> State:
    """The state before the first game; raises Unratable for a value the system does not have."""
    state = State.empty(system, p).grown(players)
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
    watch: Watch | None = None,
    compiled: bool | None = None,
    span: tuple[int, int] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Play rounds `span` of a table (default: all) onto a state, in place.

    `forecasts` (one per game, or per row of a contest) receives the expected scores before each
    round. `compiled` None chooses by measuring a small sample.
    """
    run = _Run(state, table, rounds, forecasts, watch)
    low, high = span or (0, run.rounds_total)
    if compiled is None:
        low = run.play_sample(low, high)
        compiled = low < high and run.worth_compiling(low, high)
    elif compiled and not kernel.available():
        raise ModuleNotFoundError("compiled=True needs Numba: pip install 'prowess[fast]'")
    step = high - low if progress is None else max(1, (high - low) // 50)
    while low < high:
        stop = min(high, low + max(1, step))
        (run.play_compiled if compiled else run.play_plain)(low, stop)
        low = stop
        if progress is not None:
            progress(low, run.rounds_total)


class _Run:
    """One table on one state: arranges memory for either loop and calls it."""

    def __init__(
        self,
        state: State,
        table: Games,
        rounds: Rounds,
        forecasts: Floats | None,
        watch: Watch | None,
    ) -> None:
        self.state, self.table, self.rounds = state, table, rounds
        self.forecasts, self.watch = forecasts, watch
        system = state.system
        self.flags = Flags(
            timed=system.drift is not None and rounds.clock is not None,
            weighted=table.weight is not None,
            forecasts=forecasts is not None,
            watched=watch is not None,
            league=system.league is not None,
        )
        if not table.pairwise:
            self.kind = "contests"
        else:
            self.kind = "games" if rounds.bounds is None else "rounds"
        self.rounds_total = len(table) if rounds.bounds is None else len(rounds.bounds) - 1
        self.seconds_a_pair: float | None = None  # plainly; None: not measured

    # -- choosing a loop --

    def pairs(self, low: int, high: int) -> int:
        """How many pairings some rounds hold: the work."""
        if self.rounds.bounds is None:
            return high - low
        size = np.diff(self.rounds.bounds[low : high + 1])
        return int((size * (size - 1) // 2).sum() if self.kind == "contests" else size.sum())

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
        ahead = self.kind != "contests" and self.state.rating.nbytes > CACHED_STATE
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
        state, table = self.state, self.table
        nothing, game = np.zeros(1), state.system.game
        clock = self.rounds.clock
        if clock is None:
            clock = np.zeros(self.rounds_total if self.flags.league else 1)
        shared = (
            clock,
            nothing if table.weight is None else table.weight,
            nothing if self.forecasts is None else self.forecasts,
            np.zeros(1, dtype=np.int64) if self.watch is None else self.watch.slots,
            _NO_MEMORY if self.watch is None else self.watch.memory,
            np.uint64(low),  # unsigned: no test for negative indices
            np.uint64(high),
        )
        league = state.league or _NO_LEAGUE
        start = (state.p, state.rating, state.seen, league)
        width = len(state.system.evidence_zero)
        bounds = self.rounds.bounds
        if not table.pairwise:
            assert bounds is not None
            widest = int(np.diff(bounds[low : high + 1]).max(initial=0))
            pool = np.zeros((widest, width))
            loop(*start, pool, table.player, table.place, bounds, *shared)
        elif bounds is None:
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
        state, table, bounds = self.state, self.table, self.rounds.bounds
        first, last = (low, high) if bounds is None else (int(bounds[low]), int(bounds[high]))
        if not table.pairwise:
            sides = [table.player[first:last]]
        else:
            sides = [table.a[first:last], table.b[first:last]]
        players, local = np.unique(np.concatenate(sides), return_inverse=True)
        ids = local.tolist()
        rating = list(map(state.system.rating._make, state.rating[players].tolist()))
        seen = state.seen[players].tolist()
        start = (state.p, rating, seen, None)
        shared = (
            _listed(self.rounds.clock, low, high),
            _listed(table.weight, *((low, high) if self.kind == "contests" else (first, last))),
            None if self.forecasts is None else self.forecasts[first:last],
            None if self.watch is None else self.watch.slots[first:last].tolist(),
            None if self.watch is None else self.watch.memory,
            0,
            high - low,
        )
        cuts = None if bounds is None else (bounds[low : high + 1] - first).tolist()
        loop = plain_loop(self.kind, state.system, self.flags, on_lists=True)
        pool: list[Any] = [None] * len(ids)
        if not table.pairwise:
            loop(*start, pool, ids, table.place[first:last].tolist(), cuts, *shared)
        else:
            a, b = ids[: last - first], ids[last - first :]
            games = game_list(table, state.system.game, first, last)
            if cuts is None:
                loop(*start, a, b, games, *shared, AHEAD)
            else:
                stamp, present = [-1] * len(players), [0] * len(players)
                loop(*start, pool, stamp, present, a, b, games, cuts, *shared, AHEAD)
        state.rating[players] = np.array(rating).reshape(len(players), -1)
        state.seen[players] = seen


def aged(state: State, now: float, who: slice = slice(None)) -> Floats:
    """The ratings of players as they are at `now` on the system's clock, [players, fields]."""
    if state.system.drift is None:
        return state.rating[who]
    later = state.rating[who].copy()
    enough = LOADED_AGEING if kernel.loaded() else PLAIN_AGEING
    large = len(later) > enough or state.system in _compiled_ageing
    ageing(state.system, large and kernel.available())(
        state.p, later, state.seen[who], float(now), len(later)
    )
    return later


_LOADED: set[tuple[str, Dynamic, Flags, bool]] = set()  # loops that have run compiled here
_NO_ROUND = np.uint64(2**64 - 1)
_NO_MEMORY = Memory(np.zeros((1, 1)), np.zeros((1, 1)))
_NO_LEAGUE = Sums(np.zeros((1, 1)), np.zeros((1, 2), dtype=np.int64), np.zeros(1))


_compiled_ageing: set[Dynamic] = set()  # there already: from now on the faster one for any number

_LOOPS = {"games": game_loop, "rounds": round_loop, "contests": contest_loop}


@cache
def plain_loop(kind: str, system: Dynamic, flags: Flags, on_lists: bool) -> Callable[..., None]:
    """The loop of a system as plain Python."""
    return _LOOPS[kind](system, flags, LISTS if on_lists else MATRICES)


@cache
def compiled_loop(kind: str, system: Dynamic, flags: Flags, ahead: bool) -> Callable[..., None]:
    """The loop of a system, compiled (or taken from the cache) at its first call."""
    ask = kernel.prefetch() if ahead else None
    layout = MATRICES._replace(sized=kernel.sized, ask=ask)
    return kernel.compiled(_LOOPS[kind](system, flags, layout))


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
