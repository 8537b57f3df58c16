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

RATINGS_A_PAGE = 4  # few, as saved states share the pages that no game touched
CLOCKS_A_PAGE = 128
PAGES_COMPARED = 4_096  # pages, by which those that are shared are counted
NO_GAMES = Games([], start=np.zeros(1, np.int64))


def begin_runs(number: Rows) -> NDArray[np.bool_]:
    """Whether each number differs from the one before it."""
    found = np.ones(len(number), bool)
    np.not_equal(number[1:], number[:-1], out=found[1:])
    return found


class MemberRows(NamedTuple):
    """Rows of numbers in pages that are never written to: a change puts others in their place."""

    height: int  # rows a page
    pages: NDArray[np.object_] = np.empty(0, object)

    def count_known(self, rows: Rows) -> int:
        """How many of ascending rows are in pages that are there."""
        return int(rows.searchsorted(self.height * len(self.pages)))

    def read(self, rows: Rows, width: int) -> Floats:
        """Some rows, which ascend, [rows, width]; nan where nothing was written."""
        known = self.count_known(rows)
        page, place = np.divmod(rows[:known], self.height)
        begins = begin_runs(page)
        held = np.concatenate([np.empty((0, width)), *self.pages[page[begins]].tolist()])
        found: Floats = held[(np.cumsum(begins, dtype=np.int64) - 1) * self.height + place]
        if known == len(rows):
            return found
        return np.concatenate((found, np.full((len(rows) - known, width), np.nan)))

    def write(self, rows: Rows, values: Floats) -> MemberRows:
        """The same with other values in some rows, which ascend; `values` are kept, not copied."""
        page, place = np.divmod(rows, self.height)
        first = np.flatnonzero(begin_runs(page))
        ends = np.append(first[1:], len(rows))
        touched, whole = page[first], ends - first == self.height
        pages = self.pages.copy()
        if (missing := int(touched.max(initial=-1)) + 1 - len(pages)) > 0:
            empty = np.empty(missing, object)
            empty.fill(np.full((self.height, values.shape[1]), np.nan))
            pages = np.append(pages, empty)
        for number, low in zip(touched[whole].tolist(), first[whole].tolist(), strict=True):
            pages[number] = values[low : low + self.height]
        bounds = zip(touched[~whole].tolist(), first[~whole], ends[~whole], strict=True)
        for number, low, end in bounds:
            pages[number] = some = pages[number].copy()
            some[place[low:end]] = values[low:end]
        return MemberRows(self.height, pages)

    def bytes_beside(self, later: MemberRows) -> int:
        """About how many bytes of pages it has that a later one has not."""
        count = min(len(self.pages), len(later.pages))
        step = 1 + count // PAGES_COMPARED
        pairs = zip(self.pages[:count:step], later.pages[:count:step], strict=True)
        return step * int(sum(one.nbytes for one, other in pairs if one is not other))


class KnownMembers(NamedTuple):
    """The members of the games that were played, numbered as they came, and their ratings.

    `ratings` has the rating of each, `seen` the clock when they were last seen.
    """

    pieces: PreparedPieces
    ratings: MemberRows = MemberRows(RATINGS_A_PAGE)
    seen: MemberRows = MemberRows(CLOCKS_A_PAGE)

    def copy(self, apart: bool) -> KnownMembers:
        """The same, to prepare further games; `apart`: other ones than those to come."""
        return self._replace(pieces=self.pieces.copy(apart))

    def state(self, engine: State, roster: Games, numbers: Rows) -> State:
        """The state of some members, who are the roster of a table; `numbers` are theirs here.

        `engine` has what all games share, and no players.
        """
        found = engine.copy()
        found.grow(len(numbers), roster)
        order = None if np.all(numbers[1:] > numbers[:-1]) else np.argsort(numbers)
        rows = numbers if order is None else numbers[order]
        rows = rows[: self.ratings.count_known(rows)]
        held = self.ratings.read(rows, found.rating.shape[1])
        known = np.flatnonzero(~np.isnan(held[:, 0]))
        at = known if order is None else order[known]
        found.rating[at] = held[known]
        found.seen[at] = self.seen.read(rows[known], 1)[:, 0]
        return found

    def with_played(self, numbers: Rows, played: State) -> KnownMembers:
        """The members after games of some, whose numbers ascend; the state is kept, not copied."""
        ratings = self.ratings.write(numbers, played.rating)
        return self._replace(ratings=ratings, seen=self.seen.write(numbers, played.seen[:, None]))

    def state_of_players(self, engine: State, rows: Rows | slice) -> State:
        """The state of some players alone."""
        numbers = self.pieces.numbers[PLAYER][rows]
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
