"""What changes would lead to, worked out without touching anything: a turn that may be taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.periods import BadRounds, Rounds
from prowess.engine.state import State
from prowess.engine.system import Unratable
from prowess.games.games import Games
from prowess.live.ladder.block import Block
from prowess.live.ladder.checkpoints import Checkpoint, thinned
from prowess.live.ladder.passage import of_touched, played, refuse_lost
from prowess.live.ladder.players import Players
from prowess.live.ladder.position import counted, rows_of, shared_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.live.facts import Changes
    from prowess.live.ladder.course import Course, Detour
    from prowess.live.ladder.edit import Edit
    from prowess.live.ladder.log import Log
    from prowess.live.ladder.position import Method, Position

    Table = Games
    Rows = NDArray[np.int64]
    Counts = tuple[Rows, NDArray[np.float64]]


RECOUNTED = 16  # players whose games are looked up one by one; for more all are counted


@dataclass(frozen=True, eq=False)
class Turn:
    """The way from a position to the next: new values of the players whose rows are `touched`."""

    edit: Edit
    log: Log | None  # None: the old one with the new results behind it
    detour: Detour | None
    touched: Rows | None  # None: everybody
    values: Mapping[str, NDArray[Any]]  # rating, seen, games, last
    state: State  # of the touched
    checkpoints: tuple[Checkpoint, ...]
    when: tuple[float | None, float | None]
    replayed: int
    trail_from: int  # the row of the trail that `trail` begins with
    trail: Mapping[str, NDArray[Any]]

    def players(self, before: Block) -> Block:
        """What is known of every player; the rows of those before are overwritten."""
        if self.touched is None:
            return Block(self.values, len(self.values["games"]))
        players, fresh = before, len(self.edit.newcomers)
        if fresh:
            players = before.extended({name: rows[-fresh:] for name, rows in self.values.items()})
        for name, rows in self.values.items():
            players.held[name][self.touched] = rows
        return players

    def taken(self, position: Position) -> Position:
        """The position after the turn; nobody but its ladder may still read the one before."""
        roster, course = position.roster, position.course
        if self.edit.newcomers:
            roster = roster.extended(self.edit.newcomers)
        if course is not None and self.detour is not None:
            course = course.taken(self.detour)
        return replace(
            position,
            roster=roster,
            log=position.log.changed(self.edit) if self.log is None else self.log,
            trail=position.trail.replace_from(
                self.trail_from, self.trail, self.log is None and course is not None
            ),
            course=course,
            players=self.players(position.players),
            shared=shared_of(self.state),
            checkpoints=self.checkpoints,
            when=self.when,
        )


class Ahead:
    """A log as an edit would leave it."""

    def __init__(self, method: Method, position: Position, edit: Edit) -> None:
        self.method, self.position, self.edit = method, position, edit
        self.log = position.log
        self.appends = self.log.appends(edit)
        self.later = None if self.appends else self.log.changed(edit)
        self.count = len(self.log) + edit.splice.growth
        ids = position.roster.ids
        if edit.newcomers:
            ids = np.concatenate((ids, np.array(edit.newcomers, dtype=np.int64)))
        self.players = Players(ids, method.names)

    @property
    def reformed(self) -> bool:
        """Whether all is played again, in another form of table: the first team came in."""
        return self.later is not None and self.later.form != self.log.form

    def rows(self, first: int) -> Table:
        """The results from a row on."""
        if self.later is None:
            return self.log.table_on(first, self.edit, self.players)
        return self.later.table(self.players, first)

    def counts(self) -> Counts:
        """Games and day of the last one of every player."""
        known = self.position.players.part(0)
        came = self.log.table_on(len(self.log), self.edit, self.players)
        if self.later is None:
            return _more(known, counted(came))
        changed = np.unique(np.concatenate((self.log.who(self.edit.splice.gone), came.player)))
        if len(changed) > RECOUNTED:
            return counted(self.rows(0))
        games, last = np.zeros(len(self.players), np.int64), np.full(len(self.players), np.nan)
        games[: len(known["games"])], last[: len(known["last"])] = known["games"], known["last"]
        for player in changed.tolist():
            rows = self.later.rows_with(player)
            games[player] = len(rows)
            last[player] = self.later.time[rows[-1]] if len(rows) else np.nan
        return games, last

    def when(self, course: Course, detour: Detour) -> tuple[float | None, float | None]:
        """The moment of the last result."""
        last = self.rows(len(self.log) if self.appends else max(0, self.count - 1))
        clock = detour.last("clock", course)
        return self.method.moment(last, Rounds(None, None, clock))


def planned(method: Method, position: Position, changes: Changes) -> Turn | None:
    """The turn that makes changes; None: they change nothing. Raises Unratable."""
    edit = position.log.edited(changes, position.roster)
    if edit is None:
        return None
    ahead = Ahead(method, position, edit)
    course = position.course
    try:
        if course is None:
            return _anew(ahead)
        detour = course.detour(edit.splice.first, ahead.rows)
    except BadRounds as error:
        raise Unratable(str(error)) from None
    limit = edit.splice.first
    if method.period is not None:
        limit = course.row(detour.first) if detour.first else 0
    if ahead.appends and limit == len(position.log):
        if position.shared.league is None:
            return _onto_end(ahead, course, detour)
        return _onwards(ahead, course, detour, Checkpoint(limit, position.state()))
    if ahead.reformed:
        limit = 0
    usable = [one for one in position.checkpoints if one.row <= limit]
    return _onwards(ahead, course, detour, usable[-1] if usable else Checkpoint(0, method.fresh(0)))


def _onwards(ahead: Ahead, course: Course, detour: Detour, begin: Checkpoint) -> Turn:
    """Play from a state on the way to the end."""
    table = ahead.rows(begin.row)
    state = begin.state.copied().grown(len(ahead.players))
    passed, trail = played(state, table, course.from_row(begin.row, detour, table), begin.row)
    refuse_lost(state, ahead.players)
    kept = (one for one in ahead.position.checkpoints if one.row <= begin.row)
    return Turn(
        edit=ahead.edit,
        log=ahead.later,
        detour=detour,
        touched=None,
        values=rows_of(state, *ahead.counts()),
        state=state,
        checkpoints=thinned((*kept, *passed), ahead.count),
        when=ahead.when(course, detour),
        replayed=len(table),
        trail_from=ahead.log.trail_row(begin.row),
        trail=trail,
    )


def _onto_end(ahead: Ahead, course: Course, detour: Detour) -> Turn:
    """New results that are rounds of their own: only who takes part is looked at."""
    position, end = ahead.position, len(ahead.log)
    table = ahead.rows(end)
    touched, table = of_touched(table)
    known = touched[touched < position.players.count]
    held = {name: column[known] for name, column in position.players.held.items()}
    state = replace(position.shared.copied(), rating=held["rating"], seen=held["seen"])
    state = state.grown(len(touched))
    trail = played(state, table, course.from_row(end, detour, table), end).trail
    refuse_lost(state, ahead.players, touched)
    return Turn(
        edit=ahead.edit,
        log=None,
        detour=detour,
        touched=touched,
        values=rows_of(state, *_more(held, counted(table))),
        state=state,
        checkpoints=position.checkpoints,
        when=ahead.when(course, detour),
        replayed=len(table),
        trail_from=ahead.log.trail_row(end),
        trail=trail,
    )


def _anew(ahead: Ahead) -> Turn:
    """All results from the first on, in rounds by label."""
    table, rounds = ahead.method.arranged(ahead.rows(0))
    state = ahead.method.fresh(len(ahead.players))
    trail = played(state, table, rounds, 0).trail
    refuse_lost(state, ahead.players)
    return Turn(
        edit=ahead.edit,
        log=ahead.later,
        detour=None,
        touched=None,
        values=rows_of(state, *ahead.counts()),
        state=state,
        checkpoints=(),
        when=ahead.method.moment(table, rounds),
        replayed=len(table),
        trail_from=0,
        trail=trail,
    )


def _more(known: Mapping[str, NDArray[Any]], more: Counts) -> Counts:
    """Games and last days of players with those of further results; newcomers stand last."""
    games, last = more
    old = len(known["games"])
    games[:old] += known["games"]
    last[:old] = np.fmax(last[:old], known["last"])
    return games, last
