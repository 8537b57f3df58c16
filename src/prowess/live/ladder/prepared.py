"""Ladders of a system that prepares its table: a stream that goes on with every result.

Such a system takes settings from the table and puts further members, such as a side advantage,
beside the players. Members, and what the system has to know of the games before, are added game by
game. What is played stays while the whole table tells the same, see `prepared_pieces.TableSurvey`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.engine.bank_loop import settings_of_roles
from prowess.engine.graded_games import grade_games
from prowess.engine.params import Bank
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
    RolePlaces = tuple[int, Rows, Rows]  # a role, who of some have it, their numbers within it

ROWS_A_PAGE = 32  # saved states share pages that no game touched; a game copies the list of all
ROWS_READ_AT_ONCE = 2_048  # few, as memory that is freed at once is at hand again
PAGES_COMPARED = 512  # pages, by which those that are shared are counted
NO_GAMES = Games([], start=np.zeros(1, np.int64))


def begin_runs(number: Rows) -> NDArray[np.bool_]:
    """Whether each number differs from the one before it."""
    found = np.ones(len(number), bool)
    np.not_equal(number[1:], number[:-1], out=found[1:])
    return found


def as_slice(rows: Rows) -> Rows | slice:
    """The same rows, as a slice where each is the one after the row before it."""
    if len(rows) and np.all(rows[1:] - rows[:-1] == 1):
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows


class MemberRows(NamedTuple):
    """Rows of numbers in pages that are never written to: a change puts others in their place."""

    height: int = ROWS_A_PAGE  # rows a page
    pages: NDArray[np.object_] = np.empty(0, object)

    def count_known(self, rows: Rows) -> int:
        """How many of ascending rows are in pages that are there."""
        return int(rows.searchsorted(self.height * len(self.pages)))

    def read(self, rows: Rows) -> Floats:
        """Some rows, which ascend, of pages that are there; nan where nothing was written."""
        page, place = np.divmod(rows, self.height)
        begins = begin_runs(page)
        held: Floats = np.concatenate(self.pages[page[begins]].tolist())
        if len(held) == len(rows):
            return held  # whole pages
        return held[(np.cumsum(begins, dtype=np.int64) - 1) * self.height + place]

    def write(self, rows: Rows, values: Floats) -> MemberRows:
        """The same with other values in some rows, which ascend; `values` are kept, not copied."""
        page, place = np.divmod(rows, self.height)
        known, first = len(self.pages), np.flatnonzero(begin_runs(page))
        pages = np.empty(max(known, int(page.max(initial=-1)) + 1), object)
        pages[:known] = self.pages
        if len(pages) > known:
            pages[known:].fill(np.full((self.height, values.shape[1]), np.nan))
        cuts = pairwise((*first.tolist(), len(rows)))
        for number, (low, end) in zip(page[first].tolist(), cuts, strict=True):
            some = values[low:end]
            if len(some) < self.height:
                some = pages[number].copy()
                some[place[low:end]] = values[low:end]
            pages[number] = some
        return MemberRows(self.height, pages)

    def bytes_beside(self, later: MemberRows) -> int:
        """About how many bytes of pages it has that a later one has not."""
        count = min(len(self.pages), len(later.pages))
        step = 1 + count // PAGES_COMPARED
        pairs = zip(self.pages[:count:step], later.pages[:count:step], strict=True)
        return step * int(sum(one.nbytes for one, other in pairs if one is not other))


class KnownMembers(NamedTuple):
    """The members of the games that were played, numbered as they came, and their ratings.

    `rows` has, of each role by the numbers within it, the clock when a member was last seen, and
    the fields of the rating under the settings in which the role takes part.
    """

    pieces: PreparedPieces
    rows: tuple[MemberRows, ...]

    @classmethod
    def begin(cls, pieces: PreparedPieces) -> KnownMembers:
        """The members before the first game: none."""
        return cls(pieces, (MemberRows(),) * len(pieces.roles))

    def copy(self, apart: bool) -> KnownMembers:
        """The same, to prepare further games; `apart`: other ones than those to come."""
        return self._replace(pieces=self.pieces.copy(apart))

    def state(self, engine: State, roster: Games, numbers: Rows) -> State:
        """The state of some members, who are the roster of a table; `numbers` are theirs here.

        `engine` has what all games share; its players are left out.
        """
        found = engine.copy()
        found.drop_players()
        self.enter(found, roster, find_places(self.pieces, numbers))
        return found

    def enter(self, found: State, roster: Games, places: Sequence[RolePlaces]) -> None:
        """The same in place, in a state without players."""
        found.grow(len(roster.players), roster)
        for role, at, place in places:
            ratings = select_settings(found, role)
            known = self.rows[role].count_known(place)
            for low in range(0, known, ROWS_READ_AT_ONCE):
                part = slice(low, min(known, low + ROWS_READ_AT_ONCE))
                held, some = self.rows[role].read(place[part]), at[part]
                seen = ~np.isnan(held[:, 0])
                if not seen.all():  # the others are as newcomers are
                    some, held = some[seen], held[seen]
                where = as_slice(some)
                found.seen[where] = held[:, 0]
                ratings[where] = held[:, 1:].reshape(len(held), *ratings.shape[1:])

    def with_played(self, places: Sequence[RolePlaces], played: State) -> KnownMembers:
        """The members after games of some."""
        rows = list(self.rows)
        for role, at, place in places:
            ratings = select_settings(played, role)[as_slice(at)]
            held = np.empty((len(at), 1 + ratings[0].size))
            held[:, 0] = played.seen[at]
            held[:, 1:].reshape(ratings.shape)[:] = ratings
            rows[role] = rows[role].write(place, held)
        return self._replace(rows=tuple(rows))

    def state_of_players(self, engine: State, rows: Rows | slice) -> State:
        """The state of some players alone."""
        numbers = self.pieces.numbers[PLAYER][rows]
        return self.state(engine, self.pieces.some_members(NO_GAMES, numbers), numbers)

    def bytes_beside(self, later: KnownMembers) -> int:
        """About how many bytes of rows they have that later ones have not."""
        pairs = zip(self.rows, later.rows, strict=True)
        return sum(one.bytes_beside(other) for one, other in pairs)

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


def find_places(pieces: PreparedPieces, numbers: Rows) -> list[RolePlaces]:
    """The members with these numbers, role by role."""
    found: list[RolePlaces] = []
    roles, places = pieces.role[numbers], pieces.place[numbers]
    for role in np.flatnonzero(np.bincount(roles)).tolist():
        at = np.flatnonzero(roles == role)
        if not np.all(places[at][1:] > places[at][:-1]):
            at = at[np.argsort(places[at])]
        found.append((role, at, places[at]))
    return found


def select_settings(state: State, role: int) -> Floats:
    """The ratings of a state under the settings in which a role takes part, [members, fields,
    settings].
    """
    low, _ = settings_of_roles(state.system, state.p, state.roles)
    settings = state.p.count if isinstance(state.p, Bank) else 1  # without what fills an eight
    ratings = state.rating.reshape(len(state.seen), len(state.system.rating), state.lanes)
    return ratings[:, :, low[role] : settings]


def prepare_games(pieces: PreparedPieces, table: Games) -> tuple[Games, Rows]:
    """Further games as played, with a roster of their members alone, and the numbers of these,
    ascending.
    """
    played, _ = pieces.prepare(table)
    numbers, member = number_ascending(played.player, len(pieces.role))
    return pieces.some_members(played, numbers).replace(player=member), numbers


def number_ascending(players: NDArray[np.uint32], count: int) -> tuple[Rows, NDArray[np.uint32]]:
    """Those of `count` players who are there, ascending, and the place of each that is given."""
    if len(players) < count // 8:
        few, place = np.unique(players, return_inverse=True)
        return few.astype(np.int64), place.astype(np.uint32)
    there = np.zeros(count, bool)
    there[players] = True
    found = np.flatnonzero(there)
    places = np.empty(count, np.uint32)
    places[found] = np.arange(len(found), dtype=np.int64)
    return found, places[players]


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
        return cls(KnownMembers.begin(pieces), ColumnBuffer(ends, 1), ColumnBuffer(none, 0))

    def first_sides(self, count: int, known: KnownMembers) -> PlayedLog:
        """The log before the later sides; what is added to it goes into memory of its own."""
        last = int(self.ends["ends"][count])
        ends, members = self.ends.part(0, count + 1), self.members.part(0, last)
        return PlayedLog(known, ColumnBuffer(ends, count + 1), ColumnBuffer(members, last))

    def apart(self) -> PlayedLog:
        """The same log; what is added to it goes into memory of its own."""
        return self.first_sides(self.ends.count - 1, self.known.copy(apart=True))

    def add(self, ends: Rows, members: Columns) -> PlayedLog:
        """With further games, after which members are known as before."""
        further = {"ends": ends[1:] + self.ends["ends"][-1]}
        return PlayedLog(
            self.known,
            self.ends.replace_tail(self.ends.count, further),
            self.members.replace_tail(self.members.count, members),
        )

    def whole(self, table: Games) -> Games:
        """The table of this log as it is played.

        Members stand behind the players, in the order of a table that is prepared at once, and have
        no names.
        """
        pieces = self.known.pieces
        order, place = pieces.order(), np.empty(len(pieces.role), np.uint32)
        place[order] = np.arange(len(order), dtype=np.int64)
        graded = grade_games(table, pieces.survey.rule) if table.pairwise else table
        return pieces.some_members(graded, order).replace(
            a=None, b=None, ends=self.ends["ends"], player=place[self.members["player"]],
            share=self.members["share"],
        )  # fmt: skip
