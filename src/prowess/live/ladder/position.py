"""Where a ladder stands: its results, their rounds, and what they made of every player."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.league import Sums
from prowess.engine.rate import remarks
from prowess.engine.replay import State
from prowess.engine.replayed import Replayed
from prowess.engine.rounds import BY_LABEL, Rounds, rounds_of
from prowess.engine.system import Dynamic
from prowess.engine.table import reordered
from prowess.games.games import Contests, Games
from prowess.live.ladder.block import Block
from prowess.live.ladder.checkpoints import Checkpoint
from prowess.live.ladder.contest_log import ContestLog
from prowess.live.ladder.course import Course
from prowess.live.ladder.game_log import GameLog
from prowess.live.ladder.players import Names, Players, Roster

if TYPE_CHECKING:
    from numpy.typing import NDArray


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

    def rounds(self, table: Games | Contests) -> tuple[Games | Contests, Rounds]:
        """A table in the order in which it is played, and its rounds."""
        rounds = rounds_of(self.system, table, self.period)
        if rounds.order is not None and isinstance(table, Games):
            table = reordered(table, rounds.order)
        return table, rounds


@dataclass(frozen=True, eq=False)
class Position:
    """Results and what follows from them; `now` and `day` are the moment of the last one."""

    roster: Roster
    log: GameLog | ContestLog
    course: Course | None  # None: rounds by label
    players: Block  # rating, seen, games, last
    league: Sums | None
    checkpoints: tuple[Checkpoint, ...]
    now: float | None = None
    day: float | None = None

    def state(self, method: Method) -> State:
        """What the loop plays on."""
        players = self.players
        return State(method.system, method.p, players["rating"], players["seen"], self.league)

    def names(self, method: Method) -> Players:
        """The names of the players, looked up when they are asked for."""
        return Players(self.roster.ids, method.names)

    def ratings(self, method: Method) -> Replayed:
        """The ratings of a position that nobody writes to any more."""
        table: Games | Contests = self.log.table(self.names(method))
        if self.course is None:
            table, rounds = method.rounds(table)
        else:
            rounds = self.course.whole(table)
        return Replayed(
            system=method.system,
            p=method.p,
            players=table.players,
            state=self.state(method),
            games=self.players["games"],
            last=self.players["last"],
            table=table,
            rounds=rounds,
            period=method.period,
            now=self.now,
            day=self.day,
            notes=remarks(method.system, table, method.period) if len(table) else (),
        )


def rows_of(
    state: State, games: NDArray[np.int64], last: NDArray[np.float64]
) -> Mapping[str, NDArray[Any]]:
    """What a position keeps of every player."""
    return {"rating": state.rating, "seen": state.seen, "games": games, "last": last}
