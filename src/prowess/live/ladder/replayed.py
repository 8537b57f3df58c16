"""The ladder of a dynamic system: new results are played on, corrections are played again."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from itertools import takewhile
from math import isfinite
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.periods import Rounds
from prowess.engine.system import Unratable
from prowess.live.ladder.checkpoints import Checkpoint, due, thinned
from prowess.live.ladder.edit import NO_ROWS
from prowess.live.ladder.ladder import Ladder
from prowess.live.ladder.packing import packed
from prowess.live.ladder.passage import load_compiled
from prowess.live.ladder.past import as_of
from prowess.live.ladder.position import shared_of
from prowess.live.ladder.preview import Preview, Standings, previewed
from prowess.live.ladder.turn import Ahead, Turn, planned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.rate import DynamicRatings
    from prowess.games.games import Games
    from prowess.live.facts import Changes
    from prowess.live.ladder.block import Block
    from prowess.live.ladder.position import Method, Position

    Table = Games

DAYS_KEPT = 8  # ratings as of other days that are kept for the next who asks


class Undo(NamedTuple):
    """How to take a turn back: the position before it, and the rows that it overwrites."""

    position: Position
    touched: NDArray[np.int64] | None  # None: nothing is overwritten
    rows: dict[str, NDArray[Any]]

    @classmethod
    def of(cls, position: Position, turn: Turn) -> Undo:
        """What has to be remembered before a turn is taken."""
        if turn.touched is None:
            return cls(position, None, {})
        known = turn.touched[turn.touched < position.players.count]
        held = position.players.held
        return cls(position, known, {name: column[known] for name, column in held.items()})

    def written(self, players: Block) -> None:
        """Put the rows back."""
        if self.touched is not None:
            there = self.touched < players.count
            for name, rows in self.rows.items():
                players.held[name][self.touched[there]] = rows[there]


class ReplayedLadder(Ladder):
    """Results in order of play and the state after the last; see Ladder."""

    def __init__(self, method: Method, position: Position, revision: int = 0) -> None:
        self.method, self.revision = method, revision
        self._position = self._published = position
        self._undo: list[Undo] = []  # of what is applied and not published
        self._still: Position | None = None  # what is published, in memory nobody writes to
        self._ratings: DynamicRatings | None = None
        self._days: OrderedDict[float, DynamicRatings | None] = OrderedDict()
        self._lock = RLock()  # held for moments: while memory is written that others copy

    def __len__(self) -> int:
        return len(self._published.log)

    # -- changing --

    def apply(self, changes: Changes) -> None:
        """See Ladder."""
        turn = planned(self.method, self._position, changes)
        with self._lock:
            if turn is None:
                self._undo.append(Undo(self._position, NO_ROWS, {}))
                return
            self._undo.append(Undo.of(self._position, turn))
            self._position = self._checkpointed(turn.taken(self._position))

    def undo(self) -> None:
        """See Ladder."""
        with self._lock:
            last = self._undo.pop()
            last.written(last.position.players)
            self._position = last.position

    def publish(self, revision: int, renamed: bool = False) -> None:
        """See Ladder."""
        with self._lock:
            if renamed:
                position = self._position
                self._position = replace(position, trail=position.trail.end_lineage())
            self.revision = revision
            self._ratings = None  # names may have changed, and nothing else
            self._days.clear()
            if self._position is not self._published:
                self._published, self._still = self._position, None
            self._undo.clear()

    def _checkpointed(self, position: Position) -> Position:
        """With the state of now as a checkpoint, where one is due and a round may begin."""
        count, known = len(position.log), position.checkpoints
        if self.method.period is not None or not due(known, count, position.players.count):
            return position
        here = Checkpoint(count, position.state().copied())
        return replace(position, checkpoints=thinned((*known, here), count))

    def load_compiled(self) -> None:
        """See Ladder."""
        ratings = self.ratings()
        if ratings is not None:
            load_compiled(ratings.state, ratings.table, ratings.rounds)
            _ = ratings.values  # idle players age: compiled at the first call

    # -- reading --

    def ratings(self) -> DynamicRatings | None:
        """See Ladder."""
        with self._lock:
            if self._ratings is None:
                self._ratings = self._seen().ratings(self.method)
            return self._ratings

    def _seen(self) -> Position:
        """What is published, in memory that nobody writes to."""
        with self._lock:
            if self._still is None:
                players = self._published.players.copied()
                overwriting = takewhile(lambda undo: undo.touched is not None, self._undo)
                for undo in reversed(list(overwriting)):
                    undo.written(players)
                self._still = replace(self._published, players=players)
            return self._still

    def preview(self, changes: Changes) -> Preview:
        """See Ladder."""
        position = self._applied()
        turn = planned(self.method, position, changes)
        before, ids, count = position.ratings(self.method), position.roster.ids, len(position.log)
        old = Standings.of(before, ids)
        if turn is None:
            return previewed(old, old, count, count, 0)
        after = after_turn(self.method, position, turn)
        ids = np.concatenate((ids, np.array(turn.edit.newcomers, dtype=np.int64)))
        growth = turn.edit.splice.growth
        return previewed(old, Standings.of(after, ids), count, count + growth, turn.replayed)

    def _applied(self) -> Position:
        """What is applied, in memory that nobody writes to."""
        with self._lock:
            if self._position is self._published:
                return self._seen()
            return replace(self._position, players=self._position.players.copied())

    def news(self, changes: Changes) -> Table:
        """The results that changes bring, as a table."""
        position = self._applied()
        log, edit = position.log, position.log.edited(changes, position.roster)
        if edit is None:
            return log.table(position.names(self.method), len(log))
        return log.table_on(len(log), edit, position.names(self.method))

    def table(self, changes: Changes) -> Table:
        """The results that would count after changes, as a table."""
        position = self._applied()
        edit = position.log.edited(changes, position.roster)
        if edit is None:
            return position.log.table(position.names(self.method))
        return Ahead(self.method, position, edit).rows(0)

    def as_of(self, day: float) -> DynamicRatings | None:
        """See Ladder."""
        if not isfinite(day):
            raise Unratable(f"as of {day}: not a day")
        with self._lock:
            position = self._seen()
            if day in self._days:
                self._days.move_to_end(day)
                return self._days[day]
        ratings = as_of(self.method, position, day)
        with self._lock:
            if position is self._still:
                self._days[day] = ratings
                while len(self._days) > DAYS_KEPT:
                    self._days.popitem(last=False)
        return ratings

    def checkpoint(self) -> bytes:
        """See Ladder."""
        return packed(self.method, self._seen())

    @property
    def ids(self) -> NDArray[np.int64]:
        """See Ladder; a row once given stays."""
        return self._published.roster.ids

    def row_of(self, player: int) -> int | None:
        """See Ladder."""
        return self._published.roster.row(player)


def after_turn(method: Method, position: Position, turn: Turn) -> DynamicRatings | None:
    """The ratings that a turn leads to, without their table; None without results."""
    if not len(position.log) + turn.edit.splice.growth:
        return None
    players = turn.players(position.players.copied())
    later = replace(position, players=players, shared=shared_of(turn.state))
    nothing, rounds = position.log.table(position.names(method), 0, 0), Rounds(None, None, None)
    counts = players["games"], players["last"]
    trail = position.trail.first_rows(0)
    return method.rated(nothing, rounds, later.state(), counts, turn.when, trail, NO_ROWS)
