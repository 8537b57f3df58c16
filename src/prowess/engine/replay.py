"""Replay: play a table of results onto a state.

The plain loop and the compiled one give the same bits; the faster is chosen. Small tables are
played before a compiler would have started, large ones run at the speed of C.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from prowess.compile import Uncompilable, kernel
from prowess.compile.cache import compile_ahead
from prowess.compile.intrinsics import isolator, prefetch, row_sizer
from prowess.compile.numbers import Floats
from prowess.compile.tree import rebuild
from prowess.compile.worth import MIN_TURNS_TO_COMPILE, is_worth_compiling
from prowess.engine.bank import bank_substitutes, vectorises
from prowess.engine.bank_loop import bank_loop, play_bank
from prowess.engine.bank_steps import Contests, Held, Noted
from prowess.engine.before_rounds import NOTHING_BEFORE
from prowess.engine.large_contest import play_large, sum_pairs
from prowess.engine.loops import Flags, game_loop, round_loop
from prowess.engine.params import Bank
from prowess.engine.periods import Rounds, rounds_of
from prowess.engine.rows import LISTS, MATRICES
from prowess.engine.run import TableRun, Watch, play_duels, play_sides, plays_abreast
from prowess.engine.side_loop import side_loop
from prowess.engine.state import State, initial_state
from prowess.engine.system import Dynamic
from prowess.games.game_members import MOST_IN_CREW
from prowess.games.games import Games

MIXED_AT_ONCE = 4_000_000  # forecasts of a bank that are held before they are mixed: 32 MB

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
    each contest. `compiled` None chooses by the number of pairs.
    `own` is a range of players, of whose duels the table has all, in periods: only
    they move, as they would in the table of all players.
    """
    run = Replay(state, table, rounds, forecasts, draws, watch, own)
    run.play_rounds(span, compiled=compiled, progress=progress)


def empty_forecasts(system: Dynamic, table: Games) -> tuple[Floats, Floats | None]:
    """The columns `forecasts` and `draws` of `play` before it fills them; None where none are."""
    draws = system.chances is not None or not table.pairwise
    return np.full(len(table.outcome), np.nan), np.full(len(table), np.nan) if draws else None


class Replay(TableRun):
    """A run that chooses between the plain loop and the compiled one, and calls it."""

    def play_rounds(
        self,
        span: tuple[int, int] | None = None,
        *,
        compiled: bool | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Play rounds `span`, see `play`; those of a run follow one another."""
        state, table, rounds = self.state, self.table, self.rounds
        low, high = span or (0, self.rounds_total)
        needed = compiled is True
        if compiled is None:
            linked = self.compiled_as in _LOADED
            compiled = not state.plain and is_worth_compiling(self.pairs(low, high), linked=linked)
        elif compiled and not kernel.available():
            raise ModuleNotFoundError("pip install 'prowess[fast]': compiled=True needs llvmlite")
        if self.pairs(low, high) < MIN_TURNS_TO_COMPILE:
            progress = None  # it takes a moment
        before = rounds.before or NOTHING_BEFORE
        step = high - low if progress is None else max(1, (high - low) // 50)
        if state.logs is not None:
            entries = len(table) if table.pairwise else int(table.start[-1])
            of_round = max(1, entries // max(1, self.rounds_total))  # about
            step = min(step, max(1, MIXED_AT_ONCE // (state.lanes * of_round)))
        while low < high:
            change = bisect_left(before.at, low)
            if before.at[change : change + 1] == [low]:
                state.begin_round(before, low)
                change += 1
            stop = min([high, low + max(1, step), *before.at[change : change + 1]])
            large = bisect_left(self.large, low)
            if large < len(self.large):  # alone, and what is before it
                stop = min(stop, max(self.large[large], low + 1))
            alone = large < len(self.large) and self.large[large] == low
            if not (alone and self.play_large(low, compiled, needed)):
                if compiled:
                    compiled = self.play_compiled(low, stop, needed)
                if not compiled:
                    self.play_plain(low, stop)
            if before.season is not None:
                state.note_players(self.players(low, stop))
            low = stop
            if progress is not None:
                progress(low, self.rounds_total)

    def play_compiled(self, low: int, high: int, needed: bool) -> bool:
        """Play the loop, compiled, on the matrices; returns whether it was.

        Raises Uncompilable where that is `needed`; else why it is not is kept for a note.
        """
        try:
            _PLAY[self.kind](self, compiled_loop(*self.compiled_as), low, high, MATRICES)
        except Uncompilable as error:
            self.stay_plain(error, needed)
            return False
        _LOADED.add(self.compiled_as)
        return True

    def stay_plain(self, error: Uncompilable, needed: bool) -> None:
        """Keep why the system is not compiled; raises Uncompilable where that is `needed`."""
        name = self.state.system.name
        if needed:
            raise Uncompilable(
                f"run {name} as plain Python (PROWESS_COMPILE=never), or {error}", code=error.code
            ) from error
        self.state.plain = f"{name} runs as plain Python, which takes longer: {error}"

    def play_large(self, contest: int, compiled: bool, needed: bool) -> bool:
        """Play one contest of many sides by sums over the field; returns whether it was."""
        if compiled:
            try:
                return self.play_field(contest, True)
            except Uncompilable as error:  # of the first of its loops: nothing has run
                self.stay_plain(error, needed)
        return self.play_field(contest, False)

    def play_field(self, contest: int, compiled: bool) -> bool:
        """The same, by loops that are compiled or not."""
        run, system, layout = self, self.state.system, MATRICES if compiled else LISTS
        if self.kind != "bank":
            if system.common is None:
                return play_large(self, contest, compiled)
            run = copy(self)  # one setting is a bank of one
            run.flags = replace(self.flags_of_bank(), mixed=True)
        loops = []
        for phase in ("sides", "pairs", "members"):
            flags = replace(run.flags, phase=phase)
            made = compiled_loop if compiled else plain_loop
            loops.append(made("bank", system, flags, compiled or layout.listed))
        sides, pairs, members = loops

        def loop(held: Held, table: Contests, kept: Noted, *span: Any) -> None:
            sides(held, table, kept, *span)
            if not sum_pairs(system, run.flags, compiled, held, table, kept):
                pairs(held, table, kept, *span)
            members(held, table, kept, *span)

        play_bank(run, loop, contest, contest + 1, layout, alone=True)
        return True

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
    if kind != "bank" and flags.lanes == 1:
        return loop
    return rebuild(loop, bank_substitutes(system, compiled=False))


@cache
def compiled_loop(kind: str, system: Dynamic, flags: Flags, ahead: bool) -> Callable[..., None]:
    """The loop of a system, compiled (or taken from the cache) at its first call."""
    width = len(system.rating) * flags.lanes if flags.lanes > 1 else 0
    ask = prefetch(width) if ahead else None
    layout = MATRICES._replace(sized=row_sizer, ask=ask, isolate=isolator())
    loop = _LOOPS[kind](system, flags, layout)
    if kind != "bank" and flags.lanes == 1:
        return kernel.compile_function(loop)
    return kernel.compile_function(loop, bank_substitutes(system, compiled=True))


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
        with compile_ahead(), np.errstate(all="ignore"):
            play(state, table, rounds, forecasts=expected)
        by_lane = state.rating.reshape(len(state.rating), -1, TOGETHER)
        expected[:, ~np.isfinite(by_lane).all(axis=(0, 1))] = np.nan
        found[:, first : first + len(some)] = expected[:, : len(some)]
    return found


# --- forecasts without learning -------------------------------------------------------------------


def forecast_frozen(
    state: State, table: Games, clock: Floats | None = None, *, losses: bool = False
) -> tuple[Floats, Floats | None]:
    """The expected scores of contests and chances of a draw from a state that learns nothing.

    Expected scores are those of `play`: [contests] of a pairwise table, else [sides]; chances of a
    draw are None where the system has no model of them. Every contest is played by copies of its
    members as they stand, and what all players share stays as it is. Time passes until the `clock`
    of each contest, [contests]; with None none does. With `losses` of contests of many their mean
    log losses are in the place of chances of a draw, as of `play`.
    """
    state = replace(state, system=_without_learning(state.system))
    if state.common is not None:
        state = replace(state, common=state.common.copy())
    table = table.replace(time=None)
    if state.logs is not None:  # games of weight 0 leave the weights of the settings as they are
        state = replace(state, logs=state.logs.copy())
        table = table.replace(weight=np.zeros(len(table)))
    expected = np.full(len(table.outcome), np.nan)
    draws = None
    if (state.system.chances is not None) if table.pairwise else losses:
        draws = np.full(len(table), np.nan)
    if state.league is None and not table.repeats:
        _play_copies(state, table, expected, draws, clock)
        return expected, draws
    at = 0
    for row in range(len(table)):  # the sum over all players would change from game to game
        part = enter_newcomers(state, table.select(slice(row, row + 1)))
        entries = slice(at, at + len(part.outcome))
        drawn = None if draws is None else draws[row : row + 1]
        now = None if clock is None else clock[row : row + 1]
        _play_row(state.copy(), part, expected[entries], drawn, now)
        at = entries.stop
    return expected, draws


@cache
def _without_learning(system: Dynamic) -> Dynamic:
    """The system with shared numbers that no game teaches, and games that are no clock."""
    if system.common is None:
        return replace(system, untimed=0.0) if system.untimed else system
    common = replace(system.common, learn=_keep_row, learn_factor=_keep_factor)
    return replace(system, common=common, prepare=None, untimed=0.0)


def _keep_factor(p: Any, row: Any, total: float) -> Any:
    return row


def _keep_row(p: Any, which: Any, row: Any, below: Any, above: Any, total: Any, sides: Any) -> Any:
    return row


def _play_row(
    state: State, table: Games, expected: Floats, draws: Floats | None, clock: Floats | None
) -> None:
    """Play a table in which no contest is to learn from another."""
    bounds = None if table.pairwise else table.start
    if table.pairwise and state.system.rounds == "period":
        bounds = np.array([0, len(table)])
    with np.errstate(all="ignore"):
        play(state, table, Rounds(None, bounds, clock), forecasts=expected, draws=draws)


def _play_copies(
    state: State, table: Games, expected: Floats, draws: Floats | None, clock: Floats | None
) -> None:
    """Play a table in which every member of a contest is a copy of the player."""
    who = table.player.astype(np.int64)
    copies = replace(
        state,
        rating=state.rating[who],
        seen=state.seen[who],
        role=None if state.role is None else state.role[who],
    )
    table = enter_newcomers(copies, separate_members(table))
    _play_row(copies, table, expected, draws, clock)


def enter_newcomers(state: State, table: Games) -> Games:
    """A table of next games, in which newcomers have the crew of the side on which they stand."""
    if table.role is None or state.system.crew is None:
        return table
    is_player = table.role[table.player] == 0
    fresh = is_player & np.isnan(state.seen[table.player])
    if not fresh.any():
        return table
    size = np.bincount(table.side_of_member, is_player, len(table.ends) - 1)
    if table.crew is None and size.max() < 2:
        return table
    sizes = np.minimum(size, MOST_IN_CREW)[table.side_of_member]
    crew = np.zeros(len(table.players), np.uint8) if table.crew is None else table.crew.copy()
    crew[table.player[fresh]] = sizes[fresh]
    return table.replace(crew=crew)


def separate_members(table: Games) -> Games:
    """The table in which every member of every contest is another player, in order."""
    who = table.player.astype(np.int64)
    number = np.arange(len(who), dtype=np.uint32)
    columns: dict[str, Any] = {"players": range(len(who))}
    columns["role"] = None if table.role is None else table.role[who]
    columns["crew"] = None if table.crew is None else table.crew[who]
    if table.duels:
        columns |= {"a": number[0::2].copy(), "b": number[1::2].copy()}
    else:
        columns["player"] = number
    return table.replace(**columns)
