"""LadderState: a log of results and all that follows from it: ratings, rounds, saved states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.periods import BY_LABEL, Rounds, rounds_of
from prowess.engine.rate import moment, rating_notes
from prowess.engine.state import State
from prowess.engine.system import Dynamic
from prowess.engine.table import appearances
from prowess.games.games import Games
from prowess.live.ladder.columns import ColumnBuffer
from prowess.live.ladder.log import NO_ROWS, ResultLog
from prowess.live.ladder.prior import LadderRatings, PriorRatings
from prowess.live.ladder.replay import RoundIndex, SavedState
from prowess.live.ladder.roster import LadderRoster, Names, Players

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class RatingMethod:
    """The rating method of a ladder: system, parameters and period."""

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
        return State.empty(self.system, self.p).with_players(players)

    def arrange(self, table: Games) -> tuple[Games, Rounds]:
        """A table in the order in which it is played, and its rounds; raises BadRounds."""
        rounds = rounds_of(self.system, table, self.period)
        if rounds.order is not None:
            table = table.select(rounds.order)
        return table, rounds

    def moment(
        self, table: Games, rounds: Rounds, day: float | None = None
    ) -> tuple[float | None, float | None]:
        """The moment up to which idle players age, by the system's clock and in days."""
        if not len(table):
            return None, day
        return moment(self.system, table, rounds, self.period, day)

    def build_ratings(
        self,
        table: Games,
        rounds: Rounds,
        state: State,
        counts: tuple[NDArray[np.int64], NDArray[np.float64]],
        when: tuple[float | None, float | None],
        prior: PriorRatings,
        results: NDArray[np.int64],
    ) -> LadderRatings:
        """The ratings that a state holds after a table; `counts` as `count_games` gives them.

        `results` are the numbers of the results of the log, of which the table is an arrangement.
        """
        if rounds.order is not None:
            results = results[rounds.order]
        return LadderRatings(
            system=self.system, p=self.p, players=table.players, state=state,
            game_counts=counts[0], last=counts[1], table=table, rounds=rounds, period=self.period,
            now=when[0], day=when[1], prior=prior, results=results,
            notes=rating_notes(self.system, table, self.period) if len(table) else (),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class PlayerTable:
    """A row for every player: rating, seen, games, last.

    `values` are those of `rows` (ascending), which the buffer does not have yet: readers may
    still use its present values.
    """

    buffer: ColumnBuffer
    rows: NDArray[np.int64] = field(default_factory=lambda: NO_ROWS)
    values: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, columns: Mapping[str, NDArray[Any]]) -> PlayerTable:
        """The table with these columns."""
        return cls(ColumnBuffer(columns, len(columns["games"])))

    def __len__(self) -> int:
        return self.buffer.count

    def columns(self) -> dict[str, NDArray[Any]]:
        """All rows, in memory of their own where some are not in the buffer yet."""
        if not len(self.rows):
            return self.buffer.part(0, len(self))
        return self.copy().part(0)

    def copy(self) -> ColumnBuffer:
        """All rows in memory of their own."""
        copy = self.buffer.copy()
        for name, column in self.values.items():
            copy.held[name][self.rows] = column
        return copy

    def at(self, rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Some rows, as a copy."""
        found = {name: column[rows] for name, column in self.buffer.held.items()}
        if len(self.rows):
            place = np.minimum(self.rows.searchsorted(rows), len(self.rows) - 1)
            changed = self.rows[place] == rows
            for name, column in self.values.items():
                found[name][changed] = column[place[changed]]
        return found

    def update(
        self, rows: NDArray[np.int64], values: Mapping[str, NDArray[Any]], newcomers: int
    ) -> PlayerTable:
        """With other values of some players; the last of them are so many newcomers."""
        buffer = self.buffer
        if newcomers:
            buffer = buffer.extend({name: one[-newcomers:] for name, one in values.items()})
            rows = rows[:-newcomers]
            values = {name: one[: len(rows)] for name, one in values.items()}
        if not len(self.rows):
            return PlayerTable(buffer, rows, values)
        stays = ~np.isin(self.rows, rows)
        union = np.concatenate((self.rows[stays], rows))
        order = np.argsort(union)
        merged = {
            name: np.concatenate((self.values[name][stays], one))[order]
            for name, one in values.items()
        }
        return PlayerTable(buffer, union[order], merged)

    def write_values(self) -> PlayerTable:
        """The same with all values in the buffer; earlier tables that share it change too."""
        for name, column in self.values.items():
            self.buffer.held[name][self.rows] = column
        return PlayerTable(self.buffer)


@dataclass(frozen=True, eq=False)
class LadderState:
    """A log of results and what follows from it; `when` is the moment of the last result."""

    roster: LadderRoster
    log: ResultLog
    prior: PriorRatings  # of the log in order of play
    rounds: RoundIndex | None  # None: rounds by label
    players: PlayerTable
    shared: State  # what all players share: an engine state without players
    saved: tuple[SavedState, ...]
    when: tuple[float | None, float | None]  # by the system's clock, in days

    @classmethod
    def of(
        cls,
        method: RatingMethod,
        roster: LadderRoster,
        log: ResultLog,
        engine: State,
        prior: PriorRatings,
        saved: tuple[SavedState, ...],
    ) -> LadderState:
        """The state of a log that has been played."""
        table = log.table(Players(roster.ids, method.names))
        index = None if method.by_label else RoundIndex.of(method.system, method.period, table)
        arranged, rounds = method.arrange(table)
        players = PlayerTable.of(player_rows(engine, *count_games(table)))
        when = method.moment(arranged, rounds)
        return cls(roster, log, prior, index, players, shared_of(engine), saved, when)

    def engine_state(self) -> State:
        """The engine state that the loop continues from."""
        players = self.players.columns()
        return replace(self.shared, rating=players["rating"], seen=players["seen"])

    def saved_before(self, row: int, method: RatingMethod) -> SavedState:
        """The last saved state that is not behind a row; that of no results where there is none."""
        usable = [one for one in self.saved if one.row <= row]
        return usable[-1] if usable else SavedState(0, method.fresh(0))

    def names(self, method: RatingMethod) -> Players:
        """The names of the players, looked up when they are asked for."""
        return Players(self.roster.ids, method.names)

    def freeze(self) -> LadderState:
        """The same with players in memory that nothing writes to."""
        return replace(self, players=PlayerTable(self.players.copy()))

    def ratings(self, method: RatingMethod, *, with_table: bool = True) -> LadderRatings | None:
        """The ratings of a frozen state; None without results.

        Without the table there are no histories, only values, ranks and counts.
        """
        if not len(self.log):
            return None
        names, prior, results = self.names(method), self.prior, self.log.results["id"]
        if with_table:
            table = self.log.table(names)
            if self.rounds is None:
                table, rounds = method.arrange(table)
            else:
                rounds = self.rounds.from_row(0, table)
        else:
            table, rounds = self.log.table(names, 0, 0), Rounds(None, None, None)
            prior, results = prior.first_rows(0), results[:0]
        players = self.players.columns()
        counts = players["games"], players["last"]
        engine = self.engine_state()
        return method.build_ratings(table, rounds, engine, counts, self.when, prior, results)


def shared_of(state: State) -> State:
    """The engine state without its players."""
    return replace(state, rating=state.rating[:0], seen=state.seen[:0])


def count_games(table: Games) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Per player the number of games and the day of the last one (nan: none)."""
    games, last = appearances(table)
    assert last is not None  # all results have times
    return games, last


def player_rows(
    state: State, games: NDArray[np.int64], last: NDArray[np.float64]
) -> dict[str, NDArray[Any]]:
    """The columns of a PlayerTable."""
    return {"rating": state.rating, "seen": state.seen, "games": games, "last": last}
