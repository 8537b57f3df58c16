"""Replay: play a table of results onto a state.

The plain loop and the compiled one give the same bits; the faster is chosen. Small tables are
played before a compiler would have started, large ones run at the speed of C.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess import code_cache, kernel
from prowess.engine.bank import bank_substitutes, vectorises
from prowess.engine.bank_loop import bank_loop, play_bank
from prowess.engine.loops import Flags, game_loop, round_loop
from prowess.engine.params import Bank
from prowess.engine.periods import Rounds, rounds_of
from prowess.engine.rows import LISTS, MATRICES
from prowess.engine.run import TableRun, play_duels, play_sides, plays_abreast
from prowess.engine.side_loop import side_loop
from prowess.engine.state import State, initial_state
from prowess.engine.system import Dynamic
from prowess.engine.watch import Watch
from prowess.games.games import Games
from prowess.intrinsics import prefetch, row_sizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

COMPILING = 0.15  # seconds that linking a cached loop costs, measured
FIRST = 2.0  # the same for a loop that is not cached: it takes up to 6 seconds, but only once
LOADED = 0.02  # seconds for a loop that was compiled or loaded in this process before
SAMPLE = 3_000  # pairs played plainly to learn how long the rest would take
SAMPLING = 0.05  # seconds after which the sample ends all the same
PLAIN_AT_MOST = 500_000  # pairs; above it the compiled loop wins for the cheapest system
MIXED_AT_ONCE = 4_000_000  # forecasts of a bank that are held before they are mixed: 32 MB
CACHED_STATE = (
    512 * 1024
)  # bytes of ratings; below it ratings stay in cache and prefetching does not pay

_LOOPS = {"games": game_loop, "rounds": round_loop, "bank": bank_loop, "sides": side_loop}
_PLAY = {"games": play_duels, "rounds": play_duels, "bank": play_bank, "sides": play_sides}
_LOADED: set[tuple[str, Dynamic, Flags, bool]] = set()  # loops that have run compiled here


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
    own: tuple[int, int] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Play rounds `span` of a table (default: all) onto a state, in place.

    `forecasts` receives the expected scores before each round: of a pairwise table that of the
    first side of each game, else the mean against the field of each side. `draws` receives the
    chances of a draw in the games of a pairwise table, of another the mean log loss of the pairs of
    each contest. `compiled` None chooses by measuring a
    small sample. `own` is a range of players, of whose duels the table has all, in periods: only
    they move, as they would in the table of all players.
    """
    run = _Replay(state, table, rounds, forecasts, draws, watch, own)
    low, high = span or (0, run.rounds_total)
    if compiled is None:
        low = run.play_sample(low, high)
        compiled = low < high and run.worth_compiling(low, high)
    elif compiled and not kernel.available():
        raise ModuleNotFoundError("pip install 'prowess[fast]': compiled=True needs Numba")
    step = high - low if progress is None else max(1, (high - low) // 50)
    if state.logs is not None:
        step = min(step, max(1, MIXED_AT_ONCE // (state.lanes * run.entries_a_round)))
    while low < high:
        stop = min(high, low + max(1, step))
        (run.play_compiled if compiled else run.play_plain)(low, stop)
        low = stop
        if progress is not None:
            progress(low, run.rounds_total)


def empty_forecasts(
    system: Dynamic, table: Games, wanted: bool
) -> tuple[Floats | None, Floats | None]:
    """The columns `forecasts` and `draws` of `play` before it fills them; None where none are."""
    if not wanted:
        return None, None
    draws = system.chances is not None or not table.pairwise
    return np.full(len(table.outcome), np.nan), np.full(len(table), np.nan) if draws else None


def is_loaded(state: State, table: Games, rounds: Rounds, watch: Watch | None = None) -> bool:
    """Whether the compiled loop that would play a table has run in this process."""
    return _Replay(state, table, rounds, None, None, watch).compiled_as() in _LOADED


def is_kept(state: State, table: Games, rounds: Rounds, watch: Watch | None = None) -> bool:
    """Whether that loop was compiled on this machine, so that it needs only to be linked."""
    return _Replay(state, table, rounds, None, None, watch).known_seconds is not None


class _Replay(TableRun):
    """A run that chooses between the plain loop and the compiled one, and calls it."""

    seconds_a_pair: float | None = None  # plainly; None: not measured

    def play_sample(self, low: int, high: int) -> int:
        """Play a few rounds plainly and time them, unless known; returns the next round."""
        if kernel.available():
            if kernel.is_worth_compiling(self.pairs(low, high), PLAIN_AT_MOST):
                return low
            self.seconds_a_pair = self.known_seconds
            if self.seconds_a_pair is not None and self.worth_compiling(low, high):
                return low
        step = SAMPLE if self.kind == "games" else 1 + (high - low) // 256
        began, stop, fastest = perf_counter(), low, math.inf  # the first rounds also build the loop
        while stop < high and self.pairs(low, stop) < SAMPLE and perf_counter() - began < SAMPLING:
            first, stop, at = stop, min(high, stop + step), perf_counter()
            self.play_plain(first, stop)
            fastest = min(fastest, (perf_counter() - at) / max(1, self.pairs(first, stop)))
        self.seconds_a_pair = fastest
        return stop

    def worth_compiling(self, low: int, high: int) -> bool:
        """Whether the rest would take longer plainly than compiling does."""
        if not kernel.available():
            return False
        if self.seconds_a_pair is None:
            return True
        if self.compiled_as() in _LOADED:
            price = LOADED
        else:
            price = FIRST if self.known_seconds is None else COMPILING
        return self.seconds_a_pair * self.pairs(low, high) > price

    @cached_property
    def known_seconds(self) -> float | None:
        """What an earlier process noted of this run's loop: see `code_cache.compiled_before`."""
        return code_cache.compiled_before(self.mark())

    def mark(self) -> str:
        """The name of this run's compiled loop in the cache."""
        kind, system, flags, ahead = self.compiled_as()
        return f"{kind} {system.name} {flags} {ahead}"

    def compiled_as(self) -> tuple[str, Dynamic, Flags, bool]:
        """The key of this run's compiled loop."""
        ahead = self.kind != "sides" and self.state.rating.nbytes > CACHED_STATE
        return self.kind, self.state.system, self.flags, ahead

    def play_compiled(self, low: int, high: int) -> None:
        """The loop, compiled, on the matrices."""
        loop = self.compiled_as()
        system = self.state.system
        try:
            _PLAY[self.kind](self, compiled_loop(*loop), low, high, MATRICES)
            if loop not in _LOADED:
                _LOADED.add(loop)
                code_cache.mark_compiled(self.mark(), self.seconds_a_pair or math.nan)
        except Exception as error:
            if not kernel.is_compile_error(error):
                raise
            raise kernel.Uncompilable(
                "use numbers, math, functions of your own, and tuples with every field given, or "
                f"run it as plain Python (PROWESS_COMPILE=never): {system.name} cannot be "
                f"compiled: {_compile_reason(error)}",
                code="not_compilable",
            ) from error

    def play_plain(self, low: int, high: int) -> None:
        """The loop as plain Python over lists, holding only the players of these rounds."""
        # sums over all players need them all at hand
        layout = MATRICES if self.flags.league else LISTS
        loop = plain_loop(self.kind, self.state.system, self.flags, layout.listed)
        _PLAY[self.kind](self, loop, low, high, layout)


@cache
def plain_loop(kind: str, system: Dynamic, flags: Flags, on_lists: bool) -> Callable[..., None]:
    """The loop of a system as plain Python."""
    loop = _LOOPS[kind](system, flags, LISTS if on_lists else MATRICES)
    if flags.lanes == 1:
        return loop
    return kernel.rebuild(loop, bank_substitutes(system, compiled=False))


@cache
def compiled_loop(kind: str, system: Dynamic, flags: Flags, ahead: bool) -> Callable[..., None]:
    """The loop of a system, compiled (or taken from the cache) at its first call."""
    width = len(system.rating) * flags.lanes if flags.lanes > 1 else 0
    ask = prefetch(width) if ahead else None
    layout = MATRICES._replace(sized=row_sizer, ask=ask)
    loop = _LOOPS[kind](system, flags, layout)
    if flags.lanes == 1:
        compiled = kernel.compile_function(loop)
    else:
        compiled = kernel.compile_function(loop, bank_substitutes(system, compiled=True))
    takes = "about 15 s" if flags.lanes > 1 else "some seconds"
    compiled.announced = f"Compiling {system.name} for this kind of table (once, {takes}) ..."
    return compiled


def _compile_reason(error: Exception) -> str:
    """The first telling line of a compiler's error, and where in the source it points."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    where = [line for line in lines if line.startswith("File ") and "prowess/engine" not in line]
    reasons = [
        line for line in lines if not line.startswith(("Failed in", "During", "File", ">>>"))
    ]
    return ", ".join((*reasons[:1], *where[:1])) or type(error).__name__


# --- many settings in one pass --------------------------------------------------------------------


TOGETHER = 8  # settings in one pass; a loop is compiled for this many


def pays_apart(system: Dynamic, table: Games, period: str | None) -> bool:
    """Whether several settings in one pass take less time than one pass for each."""
    if period is not None or table.role is not None or not vectorises(system):
        return False
    return plays_abreast(system, table, Rounds(None, None, None))


def forecast_apart(table: Games, system: Dynamic, settings: Sequence[Any]) -> Floats:
    """The expected scores before each game under every setting, [entries, settings].

    A column is that of a run of its own to 1e-9, and nan where the ratings were not finite.
    """
    count = len(table.outcome)
    found = np.empty((count, len(settings)))
    rounds = rounds_of(system, table, None)
    for first in range(0, len(settings), TOGETHER):
        some = tuple(settings[first : first + TOGETHER])
        lanes = (*some, *some[:1] * (TOGETHER - len(some)))  # the last ones are not looked at
        state = initial_state(system, Bank((), lanes, len(lanes)), len(table.players), {}, table)
        state.logs = None  # nothing is mixed
        expected = np.empty((count, TOGETHER))
        with np.errstate(all="ignore"):
            play(state, table, rounds, forecasts=expected, compiled=True)
        by_lane = state.rating.reshape(len(state.rating), -1, TOGETHER)
        expected[:, ~np.isfinite(by_lane).all(axis=(0, 1))] = np.nan
        found[:, first : first + len(some)] = expected[:, : len(some)]
    return found


# --- forecasts without learning -------------------------------------------------------------------


def forecast_frozen(state: State, table: Games) -> tuple[Floats, Floats | None]:
    """The expected scores of contests and chances of a draw from a state that learns nothing.

    Expected scores are those of `play`: [contests] of a pairwise table, else [sides]; chances of a
    draw are None where the system has no model of them. Every contest is played by copies of its
    members as they stand: no time passes, and what all players share stays as it is.
    """
    if state.common is not None:
        state = replace(state, system=_without_learning(state.system), common=state.common.copy())
    table = table.replace(time=None)
    if state.logs is not None:  # games of weight 0 leave the weights of the settings as they are
        state = replace(state, logs=state.logs.copy())
        table = table.replace(weight=np.zeros(len(table)))
    expected = np.full(len(table.outcome), np.nan)
    draws = None
    if state.system.chances is not None and table.pairwise:
        draws = np.full(len(table), np.nan)
    if state.league is None:
        _play_copies(state, table, expected, draws)
        return expected, draws
    at = 0
    for row in range(len(table)):  # the sum over all players would change from game to game
        part = table.select(slice(row, row + 1))
        entries = slice(at, at + len(part.outcome))
        _play_row(state.copy(), part, expected[entries], None if draws is None else draws[entries])
        at = entries.stop
    return expected, draws


@cache
def _without_learning(system: Dynamic) -> Dynamic:
    """The system with shared numbers that no game teaches."""
    assert system.common is not None
    return replace(system, common=replace(system.common, learn=_keep_row), prepare=None)


def _keep_row(p: Any, which: Any, row: Any, below: Any, above: Any, total: Any, sides: Any) -> Any:
    return row


def _play_row(state: State, table: Games, expected: Floats, draws: Floats | None) -> None:
    """Play a table in which no contest is to learn from another."""
    bounds = None if table.pairwise else table.start
    if table.pairwise and state.system.rounds == "period":
        bounds = np.array([0, len(table)])
    with np.errstate(all="ignore"):
        play(state, table, Rounds(None, bounds, None), forecasts=expected, draws=draws)


def _play_copies(state: State, table: Games, expected: Floats, draws: Floats | None) -> None:
    """Play a table in which every member of a contest is a copy of the player."""
    who = table.player.astype(np.int64)
    number = np.arange(len(who), dtype=np.uint32)
    columns: dict[str, Any] = {"players": range(len(who))}
    columns["role"] = None if table.role is None else table.role[who]
    if table.duels:
        columns |= {"a": number[0::2].copy(), "b": number[1::2].copy()}
    else:
        columns["player"] = number
    copies = replace(
        state,
        rating=state.rating[who],
        seen=state.seen[who],
        role=None if state.role is None else state.role[who],
    )
    _play_row(copies, table.replace(**columns), expected, draws)
