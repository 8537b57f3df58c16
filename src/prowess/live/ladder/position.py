"""Where a ladder stands: its results, their rounds, and what they made of every player."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.periods import BY_LABEL, Rounds, rounds_of
from prowess.engine.rate import moment, rating_notes
from prowess.engine.state import State
from prowess.engine.system import Dynamic
from prowess.engine.table import appearances
from prowess.games.games import Games
from prowess.live.ladder.block import Block
from prowess.live.ladder.checkpoints import Checkpoint
from prowess.live.ladder.course import Course
from prowess.live.ladder.log import Log
from prowess.live.ladder.players import Names, Players, Roster
from prowess.live.ladder.trail import Trail, TrailedRatings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Table = Games


@dataclass(frozen=True, eq=False)
class Method:
    """How results are rated."""

    system: Dynamic
    p: Any
    period: str | None
    names: Names

    @property
    def by_label(self) -> bool:
        """Whether rounds are those that the results name: then all is played for every change."""
        return self.period == BY_LABEL

    def fresh(self, players: int) -> State:
        """The state before the first result."""
        return State.empty(self.system, self.p).grown(players)

    def arranged(self, table: Table) -> tuple[Table, Rounds]:
        """A table in the order in which it is played, and its rounds; raises BadRounds."""
        rounds = rounds_of(self.system, table, self.period)
        if rounds.order is not None:
            table = table.select(rounds.order)
        return table, rounds

    def moment(
        self, table: Table, rounds: Rounds, day: float | None = None
    ) -> tuple[float | None, float | None]:
        """Until when idle players age, on the system's clock and in days; of nothing never."""
        if not len(table):
            return None, day
        return moment(self.system, table, rounds, self.period, day)

    def rated(
        self,
        table: Table,
        rounds: Rounds,
        state: State,
        counts: tuple[NDArray[np.int64], NDArray[np.float64]],
        when: tuple[float | None, float | None],
        trail: Trail,
        results: NDArray[np.int64],
    ) -> TrailedRatings:
        """The ratings that a state holds after a table; `counts` as `counted` gives them.

        `results` are the numbers of the results of the log, of which the table is an arrangement.
        """
        if rounds.order is not None:
            results = results[rounds.order]
        return TrailedRatings(
            system=self.system, p=self.p, players=table.players, state=state,
            game_counts=counts[0], last=counts[1], table=table, rounds=rounds, period=self.period,
            now=when[0], day=when[1], trail=trail, results=results,
            notes=rating_notes(self.system, table, self.period) if len(table) else (),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Position:
    """Results and what follows from them; `now` and `day` are the moment of the last one."""

    roster: Roster
    log: Log
    trail: Trail  # of the log in order of play
    course: Course | None  # None: rounds by label
    players: Block  # rating, seen, games, last
    shared: State  # what all players share: a state without players
    checkpoints: tuple[Checkpoint, ...]
    when: tuple[float | None, float | None]

    @classmethod
    def of(
        cls,
        method: Method,
        roster: Roster,
        log: Log,
        state: State,
        trail: Trail,
        checkpoints: tuple[Checkpoint, ...],
    ) -> Position:
        """The position whose log has been played."""
        table = log.table(Players(roster.ids, method.names))
        course = None if method.by_label else Course.of(method.system, method.period, table)
        arranged, rounds = method.arranged(table)
        players = Block(rows_of(state, *counted(table)), len(roster))
        when = method.moment(arranged, rounds)
        return cls(roster, log, trail, course, players, shared_of(state), checkpoints, when)

    def state(self) -> State:
        """What the loop plays on."""
        return replace(self.shared, rating=self.players["rating"], seen=self.players["seen"])

    def names(self, method: Method) -> Players:
        """The names of the players, looked up when they are asked for."""
        return Players(self.roster.ids, method.names)

    def ratings(self, method: Method) -> TrailedRatings | None:
        """The ratings of a position that nobody writes to any more; None without results."""
        if not len(self.log):
            return None
        table: Table = self.log.table(self.names(method))
        if self.course is None:
            table, rounds = method.arranged(table)
        else:
            rounds = self.course.whole(table)
        counts = self.players["games"], self.players["last"]
        state, results = self.state(), self.log.results["id"]
        return method.rated(table, rounds, state, counts, self.when, self.trail, results)


def shared_of(state: State) -> State:
    """The state without its players."""
    return replace(state, rating=state.rating[:0], seen=state.seen[:0])


def counted(table: Table) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Per player the number of games and the day of the last one (nan: none)."""
    games, last = appearances(table)
    assert last is not None  # all results have times
    return games, last


def rows_of(
    state: State, games: NDArray[np.int64], last: NDArray[np.float64]
) -> Mapping[str, NDArray[Any]]:
    """What a position keeps of every player."""
    return {"rating": state.rating, "seen": state.seen, "games": games, "last": last}
