"""What changes would lead to, worked out without touching anything: a turn that may be taken."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess import kernel
from prowess.engine.rate import moment
from prowess.engine.replay import State, Unratable, play
from prowess.engine.rounds import BadRounds, Rounds
from prowess.engine.table import appearances, refuse_weights
from prowess.games.games import Contests, Games
from prowess.live.ladder.block import Block
from prowess.live.ladder.checkpoints import Checkpoint, stations, thinned
from prowess.live.ladder.players import Players
from prowess.live.ladder.position import rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.live.facts import Changes
    from prowess.live.ladder.contest_log import ContestLog
    from prowess.live.ladder.course import Course, Detour
    from prowess.live.ladder.edit import Edit
    from prowess.live.ladder.game_log import GameLog
    from prowess.live.ladder.position import Method, Position

    Table = Games | Contests
    Rows = NDArray[np.int64]

COMPILED_FROM = 5_000  # pairs, where the compiler is loaded already
WORTH_LOADING = 50_000  # pairs, where it is not


@dataclass(frozen=True, eq=False)
class Turn:
    """The way from a position to the next: new values of the players whose rows are `touched`."""

    edit: Edit
    log: GameLog | ContestLog | None  # None: the old one with the new results behind it
    detour: Detour | None
    touched: Rows | None  # None: everybody
    players: Mapping[str, NDArray[Any]]
    state: State  # of the touched
    checkpoints: tuple[Checkpoint, ...]
    now: float | None
    day: float | None
    replayed: int

    def taken(self, position: Position) -> Position:
        """The position after the turn; the touched rows of the one before are overwritten."""
        roster, players, course = position.roster, position.players, position.course
        fresh = len(self.edit.newcomers)
        if fresh:
            roster = roster.extended(self.edit.newcomers)
        if self.touched is None:
            players = Block(self.players, len(roster))
        else:
            if fresh:
                players = players.extended({n: v[-fresh:] for n, v in self.players.items()})
            for name, values in self.players.items():
                players.held[name][self.touched] = values
        if course is not None and self.detour is not None:
            course = course.taken(self.detour)
        return replace(
            position,
            roster=roster,
            log=self.log or position.log.changed(self.edit),
            course=course,
            players=players,
            league=self.state.league,
            checkpoints=self.checkpoints,
            now=self.now,
            day=self.day,
        )


class Ahead:
    """A log as an edit would leave it."""

    def __init__(self, method: Method, position: Position, edit: Edit) -> None:
        self.log, self.edit = position.log, edit
        self.appends = edit.appends(len(self.log))
        self.later = None if self.appends else self.log.changed(edit)
        self.count = len(self.log) + edit.splice.growth
        ids = position.roster.ids
        if edit.newcomers:
            ids = np.concatenate((ids, np.array(edit.newcomers, dtype=np.int64)))
        self.players = Players(ids, method.names)

    def rows(self, first: int) -> Table:
        """The results from a row on."""
        if self.later is None:
            return self.log.table_on(first, self.edit, self.players)
        return self.later.table(self.players, first)

    def appearances(self, position: Position) -> tuple[Rows, NDArray[np.float64]]:
        """Games and day of the last one of every player."""
        table = self.rows(len(self.log) if self.appends else 0)
        games, last = appearances(table)
        assert last is not None
        if self.appends:
            known = position.players.count
            games[:known] += position.players["games"]
            last[:known] = np.fmax(last[:known], position.players["last"])
        return games, last


def planned(method: Method, position: Position, changes: Changes) -> Turn | None:
    """The turn that makes changes; None: they change nothing. Raises Unratable."""
    edit = position.log.edited(changes, position.roster)
    if edit is None:
        return None
    ahead = Ahead(method, position, edit)
    try:
        if position.course is None:
            return _anew(method, position, ahead)
        detour = position.course.detour(edit.splice.first, ahead.rows)
    except BadRounds as error:
        raise Unratable(str(error)) from None
    limit = edit.splice.first
    if method.period is not None:
        limit = min(limit, position.course.row(detour.first)) if detour.first else 0
    onto_end = ahead.appends and limit == len(position.log)
    if onto_end and position.league is None:
        return _onto_end(method, position, ahead, detour)
    usable = [one for one in position.checkpoints if one.row <= limit]
    if onto_end:
        begin = Checkpoint(limit, position.state(method))
    else:
        begin = usable[-1] if usable else Checkpoint(0, State.empty(method.system, method.p))
    table = ahead.rows(begin.row)
    rounds = position.course.from_row(begin.row, detour, table)
    state = begin.state.copied().grown(len(ahead.players))
    passed = played(state, table, rounds, begin.row)
    refuse_lost(state, ahead.players)
    now, day = _moment(method, position.course, detour, ahead)
    return Turn(
        edit=edit,
        log=ahead.later,
        detour=detour,
        touched=None,
        players=rows_of(state, *ahead.appearances(position)),
        state=state,
        checkpoints=thinned((*usable, *passed), ahead.count),
        now=now,
        day=day,
        replayed=len(table),
    )


def _onto_end(method: Method, position: Position, ahead: Ahead, detour: Detour) -> Turn:
    """New results that are rounds of their own: only who took part is looked at."""
    assert position.course is not None
    table = ahead.rows(len(position.log))
    touched, local = renumbered(table)
    known = touched[touched < position.players.count]
    held = {name: column[known] for name, column in position.players.held.items()}
    state = State(method.system, method.p, held["rating"], held["seen"]).grown(len(touched))
    rounds = position.course.from_row(len(position.log), detour, local)
    played(state, local, rounds, 0)
    refuse_lost(state, ahead.players, touched)
    games, last = appearances(local)
    assert last is not None
    games[: len(known)] += held["games"]
    last[: len(known)] = np.fmax(last[: len(known)], held["last"])
    now, day = _moment(method, position.course, detour, ahead)
    return Turn(
        edit=ahead.edit,
        log=None,
        detour=detour,
        touched=touched,
        players=rows_of(state, games, last),
        state=state,
        checkpoints=position.checkpoints,
        now=now,
        day=day,
        replayed=len(table),
    )


def _anew(method: Method, position: Position, ahead: Ahead) -> Turn:
    """All results from the first on, in rounds by label."""
    table, rounds = method.rounds(ahead.rows(0))
    state = State.empty(method.system, method.p).grown(len(ahead.players))
    played(state, table, rounds, 0)
    refuse_lost(state, ahead.players)
    now = day = None
    if len(table):
        now, day = moment(method.system, table, rounds, method.period, None)
    return Turn(
        edit=ahead.edit,
        log=ahead.later,
        detour=None,
        touched=None,
        players=rows_of(state, *ahead.appearances(position)),
        state=state,
        checkpoints=(),
        now=now,
        day=day,
        replayed=len(table),
    )


def played(state: State, table: Table, rounds: Rounds, row: int) -> list[Checkpoint]:
    """Play a table whose first row is `row` of the log; the states worth keeping on the way.

    Raises Unratable for weights that the system cannot use.
    """
    refuse_weights(state.system, table)
    count = len(table) if rounds.bounds is None else len(rounds.bounds) - 1
    stops = _stops(table, rounds, row)
    passed, low = [], 0
    compiled = worth_compiling(table)
    with np.errstate(all="ignore"):  # what leaves the numbers is reported by name
        for stop in (*stops, count):
            play(state, table, rounds, span=(low, stop), compiled=compiled)
            low = stop
            if stop < count:
                first = stop if _single(table, rounds) else int(_bounds(rounds)[stop])
                passed.append(Checkpoint(row + first, state.copied()))
    return passed


def _stops(table: Table, rounds: Rounds, row: int) -> list[int]:
    """The rounds before which a state is kept: some on the way, and where a period is open."""
    rows = [station - row for station in stations(row, row + len(table))]
    if _single(table, rounds):
        return rows
    bounds = _bounds(rounds)
    stops = {int(bounds.searchsorted(first, side="right")) - 1 for first in rows}
    return sorted(stops | {len(bounds) - 2} - {0, -1})


def _single(table: Table, rounds: Rounds) -> bool:
    """Whether every result is a round."""
    return isinstance(table, Contests) or rounds.bounds is None


def _bounds(rounds: Rounds) -> Rows:
    assert rounds.bounds is not None
    return rounds.bounds


def worth_compiling(table: Table) -> bool:
    """Whether so many results are played sooner by compiled code."""
    if isinstance(table, Contests):
        size = np.diff(table.start)
        pairs = int((size * (size - 1) // 2).sum())
    else:
        pairs = len(table)
    enough = COMPILED_FROM if "numba" in sys.modules else WORTH_LOADING
    return pairs >= enough and kernel.available()


def renumbered(table: Table) -> tuple[Rows, Any]:
    """Who takes part, ascending, and the table with them alone."""
    if isinstance(table, Contests):
        touched, number = np.unique(table.player, return_inverse=True)
        names = touched.tolist()
        return touched.astype(np.int64), replace(
            table, players=names, player=number.astype(np.uint32)
        )
    touched, number = np.unique(np.concatenate((table.a, table.b)), return_inverse=True)
    number = number.astype(np.uint32)
    a, b = number[: len(table)], number[len(table) :]
    return touched.astype(np.int64), replace(table, players=touched.tolist(), a=a, b=b)


def refuse_lost(state: State, players: Players, rows: Rows | None = None) -> None:
    """Raise Unratable, naming the player, if a rating is no longer a finite number."""
    finite = np.isfinite(state.rating).all(axis=1)
    if finite.all():
        return
    at = int(np.flatnonzero(~finite)[0])
    name = players[at if rows is None else int(rows[at])]
    reason = state.system.breaks.get("finite", "try shorter periods or smaller constants")
    raise Unratable(
        f"{state.system.name}: the rating of {name!r} would be no finite number: {reason}"
    )


def _moment(
    method: Method, course: Course, detour: Detour, ahead: Ahead
) -> tuple[float | None, float | None]:
    """The moment of the last result, on the system's clock and in days."""
    if not ahead.count:
        return None, None
    last = ahead.rows(len(ahead.log) if ahead.appends else ahead.count - 1)
    clock = detour.last("clock", course)
    return moment(method.system, last, Rounds(None, None, clock), method.period, None)
