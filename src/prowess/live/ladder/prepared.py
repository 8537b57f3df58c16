"""Ladders of a system that prepares its table: a stream that goes on with every result.

Such a system takes settings from the table and puts further members, such as a side advantage,
beside the players. Members, and what the system has to know of the games before, are added game by
game. What is played stays while the whole table tells the same, see `prepared_pieces.TableSurvey`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.engine.graded_games import grade_games
from prowess.engine.state import State
from prowess.engine.streams.prepared_pieces import PreparedPieces
from prowess.games.games import PLAYER, Games
from prowess.live.ladder.log import ColumnBuffer, Columns
from prowess.live.ladder.players import Players

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Rows = NDArray[np.int64]

ROWS_A_PAGE = 4  # few, as saved states share the pages that no game touched
NO_GAMES = Games([], start=np.zeros(1, np.int64))


class MemberRows(NamedTuple):
    """Rows of numbers in pages that are never written to: a change copies the pages it touches."""

    pages: NDArray[np.object_] = np.empty(0, object)

    def read(self, rows: Rows, width: int) -> Floats:
        """Some rows, [rows, width]; nan where nothing was written."""
        found, there = np.full((len(rows), width), np.nan), rows < ROWS_A_PAGE * len(self.pages)
        touched, place = np.unique(rows[there] // ROWS_A_PAGE, return_inverse=True)
        if len(touched):
            held = np.concatenate(self.pages[touched].tolist())
            found[there] = held[place * ROWS_A_PAGE + rows[there] % ROWS_A_PAGE]
        return found

    def write(self, rows: Rows, values: Floats) -> MemberRows:
        """The same with other values in some rows."""
        touched, place = np.unique(rows // ROWS_A_PAGE, return_inverse=True)
        whole = (touched[:, None] * ROWS_A_PAGE + np.arange(ROWS_A_PAGE, dtype=np.int64)).ravel()
        held = self.read(whole, values.shape[1])
        held[place * ROWS_A_PAGE + rows % ROWS_A_PAGE] = values
        pages = self.pages.copy()
        if (missing := int(touched.max(initial=-1)) + 1 - len(pages)) > 0:
            empty = np.empty(missing, object)
            empty.fill(np.full((ROWS_A_PAGE, values.shape[1]), np.nan))
            pages = np.append(pages, empty)
        by_page = held.reshape(len(touched), ROWS_A_PAGE, values.shape[1])
        for page, some in zip(touched.tolist(), by_page, strict=True):
            pages[page] = some.copy()  # a view would keep the others
        return MemberRows(pages)


class KnownMembers(NamedTuple):
    """The members of the games that were played, numbered as they came, and their ratings.

    `rows` has the rating of each and, last, the clock when they were last seen.
    """

    pieces: PreparedPieces
    rows: MemberRows = MemberRows()

    def copy(self, apart: bool) -> KnownMembers:
        """The same, to prepare further games; `apart`: other ones than those to come."""
        return self._replace(pieces=self.pieces.copy(apart))

    def state(self, engine: State, roster: Games, numbers: Rows) -> State:
        """The state of some members, who are the roster of a table; `numbers` are theirs here.

        `engine` has what all games share.
        """
        found = engine.without_players()
        found.grow(len(numbers), roster)
        held = self.rows.read(numbers, found.rating.shape[1] + 1)
        known = ~np.isnan(held[:, 0])
        found.rating[known], found.seen[known] = held[known, :-1], held[known, -1]
        return found

    def state_of_players(self, engine: State, count: int) -> State:
        """The state of the first players alone."""
        numbers = self.pieces.numbers[PLAYER][:count]
        return self.state(engine, self.pieces.some_members(NO_GAMES, numbers), numbers)

    def name(self, number: int, table: Games) -> str:
        """The name of a member."""
        at = int(np.flatnonzero(self.pieces.order() == number)[0])
        return self.pieces.name_members(table).players[at]

    def roster(self, players: Players, table: Games) -> Players:
        """The players and, behind them, the members by role, who have numbers below 0."""
        called, count, pieces = players.names, len(players), self.pieces
        further = np.arange(-1, count - len(pieces.role) - 1, -1, dtype=np.int64)
        ids = np.concatenate((players.ids, further))

        @cache
        def name_members() -> Sequence[str]:
            return pieces.name_members(table).players

        def name(one: int) -> str:
            return name_members()[count - 1 - one] if one < 0 else called(one)

        return Players(ids, name, players.rows)


@dataclass(frozen=True, eq=False)
class PlayedLog:
    """A log as its system plays it; never written to.

    `ends` has the column of that name of a table, `members` its columns `player` and `share`.
    """

    known: KnownMembers  # after the last result
    ends: ColumnBuffer
    members: ColumnBuffer

    @classmethod
    def begin(cls, pieces: PreparedPieces) -> PlayedLog:
        """The log before its first result."""
        none: Columns = {"player": np.empty(0, np.uint32), "share": np.empty(0)}
        ends = {"ends": np.zeros(1, np.int64)}
        return cls(KnownMembers(pieces), ColumnBuffer(ends, 1), ColumnBuffer(none, 0))

    def first_sides(self, count: int, known: KnownMembers) -> PlayedLog:
        """The log before the later sides; what is added to it goes into memory of its own."""
        last = int(self.ends["ends"][count])
        ends, members = self.ends.part(0, count + 1), self.members.part(0, last)
        return PlayedLog(known, ColumnBuffer(ends, count + 1), ColumnBuffer(members, last))

    def apart(self) -> PlayedLog:
        """The same log; what is added to it goes into memory of its own."""
        return self.first_sides(self.ends.count - 1, self.known.copy(apart=True))

    def add(self, known: KnownMembers, played: Games) -> PlayedLog:
        """With further games, after which members are known so."""
        share = np.ones(len(played.player)) if played.share is None else played.share
        members: Columns = {"player": played.player, "share": share}
        ends = {"ends": played.ends[1:] + self.ends["ends"][-1]}
        return replace(
            self,
            known=known,
            ends=self.ends.replace_tail(self.ends.count, ends),
            members=self.members.replace_tail(self.members.count, members),
        )

    def whole(self, engine: State, table: Games) -> tuple[Games, State]:
        """The table of this log as it is played, and the state of all its members.

        They stand behind the players, in the order of a table that is prepared at once, and have
        no names.
        """
        pieces = self.known.pieces
        order, place = pieces.order(), np.empty(len(pieces.role), np.uint32)
        place[order] = np.arange(len(order), dtype=np.int64)
        graded = grade_games(table, pieces.survey.rule) if table.pairwise else table
        played = pieces.some_members(graded, order).replace(
            a=None, b=None, ends=self.ends["ends"], player=place[self.members["player"]],
            share=self.members["share"],
        )  # fmt: skip
        return played, self.known.state(engine, played, order)
