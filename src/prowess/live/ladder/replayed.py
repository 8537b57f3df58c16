"""The ladder of a dynamic system: new results are played on, corrections are played again."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from itertools import takewhile
from math import isfinite
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.rate import moment
from prowess.engine.replay import State, Unratable
from prowess.engine.replayed import Replayed
from prowess.engine.table import appearances
from prowess.live.ladder.block import Block
from prowess.live.ladder.checkpoints import SPACING, Checkpoint, thinned
from prowess.live.ladder.course import Course
from prowess.live.ladder.ladder import Ladder, Preview
from prowess.live.ladder.movers import Standings, previewed
from prowess.live.ladder.packing import packed
from prowess.live.ladder.position import Method, Position, rows_of
from prowess.live.ladder.turn import Turn, planned, played

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.live.facts import Changes

DAYS_KEPT = 8  # ratings as of other days that are kept for the next who asks


class Undo(NamedTuple):
    """How to take a turn back: the position before it, and what it overwrites."""

    position: Position
    touched: NDArray[np.int64] | None  # None: nothing was overwritten
    rows: dict[str, NDArray[Any]]


class ReplayedLadder(Ladder):
    """Results in order of play and the state after the last; see Ladder."""

    def __init__(self, method: Method, position: Position, revision: int = 0) -> None:
        self.method, self.revision = method, revision
        self._position = self._published = position
        self._undo: list[Undo] = []  # of what is applied and not published
        self._frozen: Position | None = None
        self._ratings: Replayed | None = None
        self._days: OrderedDict[float, Replayed] = OrderedDict()
        self._lock = RLock()  # held for moments: while memory that others copy is written

    def __len__(self) -> int:
        return len(self._published.log)

    # -- changing --

    def apply(self, changes: Changes) -> None:
        """See Ladder."""
        turn = planned(self.method, self._position, changes)
        if turn is None:
            return
        with self._lock:
            before = self._position
            touched = turn.touched
            if touched is not None:
                touched = touched[touched < before.players.count]
            rows = {} if touched is None else _rows(before.players, touched)
            self._undo.append(Undo(before, touched, rows))
            self._position = turn.taken(before)
            self._keep_checkpoint()

    def undo(self) -> None:
        """See Ladder."""
        with self._lock:
            last = self._undo.pop()
            self._position = last.position
            _write(last.position.players, last)

    def publish(self, revision: int) -> None:
        """See Ladder."""
        with self._lock:
            self.revision = revision
            if self._undo:
                self._published, self._undo = self._position, []
                self._frozen = self._ratings = None
                self._days.clear()

    def _keep_checkpoint(self) -> None:
        """Keep the state now and then, seldom enough that it costs a result next to nothing."""
        position = self._position
        if self.method.period is not None:
            return  # the state in a period that goes on is no beginning of a round
        count, players = len(position.log), position.players.count
        last = position.checkpoints[-1].row if position.checkpoints else 0
        if count - last >= max(2 * SPACING, players):
            now = Checkpoint(count, position.state(self.method).copied())
            kept = thinned((*position.checkpoints, now), count)
            self._position = replace(position, checkpoints=kept)

    # -- reading --

    def ratings(self) -> Replayed:
        """See Ladder; without results they are empty."""
        with self._lock:
            if self._ratings is None:
                self._ratings = self._still().ratings(self.method)
            return self._ratings

    def _still(self) -> Position:
        """The published position, in memory that nobody writes to."""
        with self._lock:
            if self._frozen is None:
                players = self._published.players.copied()
                for undo in reversed(list(takewhile(_overwrote, self._undo))):
                    _write(players, undo)
                self._frozen = replace(self._published, players=players)
            return self._frozen

    def _applied(self) -> tuple[Position, Replayed]:
        """The position on which changes build, in memory that nobody writes to."""
        with self._lock:
            if not self._undo:
                return self._still(), self.ratings()
            position = replace(self._position, players=self._position.players.copied())
            return position, position.ratings(self.method)

    def preview(self, changes: Changes) -> Preview:
        """See Ladder."""
        position, before = self._applied()
        turn = planned(self.method, position, changes)
        old = Standings.of(before, position.roster.ids)
        count = len(position.log)
        if turn is None:
            return previewed(old, old, count, count, 0)
        after = _after(before, turn, position)
        ids = np.concatenate((position.roster.ids, np.array(turn.edit.newcomers, dtype=np.int64)))
        later = count + turn.edit.splice.growth
        return previewed(old, Standings.of(after, ids), count, later, turn.replayed)

    def as_of(self, day: float) -> Replayed:
        """See Ladder; before the first result they are empty. Raises Unratable for no day."""
        if not isfinite(day):
            raise Unratable(f"as of {day}: not a day")
        with self._lock:
            position = self._still()
            if day in self._days:
                self._days.move_to_end(day)
                return self._days[day]
        ratings = as_of(self.method, position, day)
        with self._lock:
            if position is self._frozen:
                self._days[day] = ratings
                while len(self._days) > DAYS_KEPT:
                    self._days.popitem(last=False)
        return ratings

    def checkpoint(self) -> bytes:
        """See Ladder."""
        return packed(self.method, self._still())

    @property
    def ids(self) -> NDArray[np.int64]:
        """See Ladder; a row once given stays."""
        return self._published.roster.ids

    def row_of(self, player: int) -> int | None:
        """See Ladder."""
        return self._published.roster.row(player)


def _overwrote(undo: Undo) -> bool:
    return undo.touched is not None


def _rows(players: Block, touched: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    return {name: column[touched] for name, column in players.held.items()}


def _write(players: Block, undo: Undo) -> None:
    """Put back what a turn overwrote."""
    if undo.touched is None:
        return
    there = undo.touched < players.count
    for name, rows in undo.rows.items():
        players.held[name][undo.touched[there]] = rows[there]


def _after(before: Replayed, turn: Turn, position: Position) -> Replayed:
    """The ratings that a turn leads to, with the table of those before it."""
    players = Block(turn.players, len(turn.players["games"]))
    if turn.touched is not None:
        fresh = len(turn.edit.newcomers)
        players = position.players.copied()
        if fresh:
            players = players.extended({n: v[-fresh:] for n, v in turn.players.items()})
        for name, values in turn.players.items():
            players.held[name][turn.touched] = values
    state = State(before.system, before.p, players["rating"], players["seen"])
    games, last = players["games"], players["last"]
    return replace(before, state=state, games=games, last=last, now=turn.now, day=turn.day)


def as_of(method: Method, position: Position, day: float) -> Replayed:
    """The ratings after the results up to a day, played from the nearest checkpoint."""
    log, names = position.log, position.names(method)
    count = int(log.time.searchsorted(day, side="right"))
    table = log.table(names, 0, count)
    begin = Checkpoint(0, State.empty(method.system, method.p))
    if position.course is None or not count:
        table, rounds = method.rounds(table)
        from_there, ahead = table, rounds
    else:
        course = Course.of(method.system, method.period, table)
        rounds = course.whole(table)
        limit = count
        if method.period is not None:
            limit = course.row(course.rounds.count - 1)
        begin = max(
            (begin, *(one for one in position.checkpoints if one.row <= limit)),
            key=lambda one: one.row,
        )
        from_there = log.table(names, begin.row, count)
        ahead = Course.of(method.system, method.period, from_there).whole(from_there)
    state = begin.state.copied().grown(len(names))
    if len(from_there):
        played(state, from_there, ahead, begin.row)
    games, last = appearances(table)
    players = Block(rows_of(state, games, last), len(names)) if last is not None else None
    assert players is not None
    now, moment_day = None, day
    if count:
        now, moment_day = moment(method.system, table, rounds, method.period, day)
    cut = replace(position, players=players, league=state.league, now=now, day=moment_day)
    return replace(cut.ratings(method), table=table, rounds=rounds)
