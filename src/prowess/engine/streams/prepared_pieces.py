"""Pieces of a stream as `prowess` plays them: classes of results, and members beside the players.

A first pass finds what a whole table tells: whether games have sides and draws, and the classes of
the opening games. The members that the second pass puts on sides are those of `members_of_games`,
numbered as they come, and brought into the order of a whole table at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids
from prowess.engine.graded_games import (
    grade_games,
    kinds_of,
    note_uses,
    opening_of,
    set_contests,
    set_games,
)
from prowess.engine.system import Unratable
from prowess.games.game_members import KIND_OF_ROLE, GameMembers, Told, mean_shares
from prowess.games.games import CATEGORIES, PLAYER, Games
from prowess.games.result_classes import ClassFinder, ClassRule
from prowess.games.role_members import name_members, place_members
from prowess.games.totals import extend_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray


MOST_SIZES = 10_000_000  # distinct margins of the opening


class WholeTableFacts(NamedTuple):
    """What a whole table tells, found before it is played."""

    told: Told
    kinds: int  # of games; 0: the table does not say
    rule: ClassRule

    def __str__(self) -> str:
        """All of it, to the last digit."""
        return repr((*self[:-1], [np.array(one).tolist() for one in self.rule]))


def prepare_pieces(
    p: Any, bank: tuple[Any, ...], pieces: Callable[[], Iterator[Games]], planned: int | None
) -> PreparedPieces:
    """What prepares the pieces of a stream, which is read once more to find out how.

    `bank` are the settings for contests. `planned` is the number of games, where it is known.
    Raises Unratable.
    """
    return PreparedPieces(p, bank, survey_games(pieces, p, planned))


class TableSurvey:
    """A look at all games, piece by piece, for what the whole table tells."""

    def __init__(self, finder: ClassFinder) -> None:
        self.finder = finder
        self.pairwise, self.sided, self.dated, self.kinds = True, False, False, 0
        self.has: tuple[bool, ...] = ()  # whether games have each category

    def add(self, games: Games) -> None:
        """Look at further games; raises Unratable."""
        self.pairwise, self.dated = games.pairwise, games.time is not None
        if not self.pairwise:
            return
        self.finder.add(games)
        self.has = self.has or tuple(name in games.facts for name in CATEGORIES)
        for name, before in zip(CATEGORIES, self.has, strict=True):
            if (name in games.facts) != before:
                raise Unratable.of("column_of_some_files", name=name)
        self.sided = self.sided or (games.side is not None and bool(games.side.any()))
        self.kinds = max(self.kinds, kinds_of(games))
        if len(self.finder.sizes) > MOST_SIZES:
            raise Unratable.of("too_many_margins", most=MOST_SIZES)

    def repeats(self, before: TableSurvey) -> bool:
        """Whether the games since another look, behind the opening, tell nothing new."""
        if self.finder.sizes is not before.finder.sizes:
            return False
        told = [{**vars(one.finder), **vars(one), "finder": None} for one in (before, self)]
        return told[0] | {"games": 0} == told[1] | {"games": 0}

    def facts(self) -> WholeTableFacts:
        """What the games tell."""
        names = tuple(name for name, has in zip(CATEGORIES, self.has, strict=False) if has)
        rule = self.finder.rule()
        told = Told(self.dated, self.sided, rule.draws, self.pairwise, names)
        return WholeTableFacts(told, self.kinds, rule)


def survey_games(pieces: Callable[[], Iterator[Games]], p: Any, planned: int | None) -> TableSurvey:
    """Look at all games once, and at the opening ones again where their number was not known."""
    opening = opening_of(p, planned or 0) if planned or opening_of(p, 0) > 1 else 0
    survey = TableSurvey(ClassFinder(opening))
    for games in pieces():
        survey.add(games)
        if not survey.pairwise:
            return survey
    if opening_of(p, survey.finder.games) != opening:
        survey.finder = _look_again(pieces, survey.finder, opening_of(p, survey.finder.games))
    return survey


def _look_again(
    pieces: Callable[[], Iterator[Games]], all_games: ClassFinder, opening: int
) -> ClassFinder:
    """What the opening games say, beside what all have said."""
    finder = ClassFinder(opening)
    for games in pieces():
        finder.add(games)
        if finder.games >= opening:
            break
    for name in ("games", "draws", "has_margins", "whole", "largest"):
        setattr(finder, name, getattr(all_games, name))
    return finder


class PreparedPieces:
    """Prepares the pieces of a stream, in order."""

    def __init__(self, p: Any, bank: tuple[Any, ...], looked: TableSurvey) -> None:
        self.asked, self.looked, self.survey = p, looked, looked.facts()
        self.survey_text = str(self.survey)
        survey, told = self.survey, self.survey.told
        if told.pairwise:
            self.p = set_games(p, survey.rule, survey.kinds, told.dated, False)
        else:
            self.p = set_contests(p, bank, told.dated, False)
        self.added = GameMembers(told)
        self.members = 0  # all that have a number, players too
        self.room: dict[str, AnyArray] = {}
        self.roles = (PLAYER, *self.added.roles)
        # of each role the numbers of its members in the roster, by their number in the role
        self.numbers = {role: np.zeros(0, np.int64) for role in self.roles}
        self.role = np.zeros(0, np.uint8)  # of each member
        self.place = np.zeros(0, np.int64)  # of each member, the number in the role

    def copy(self, apart: bool) -> PreparedPieces:
        """The same, to prepare pieces; `apart`: other ones than those to come."""
        other = copy(self)
        other.added, other.numbers = self.added.copy(apart), dict(self.numbers)
        other.room = {} if apart else dict(self.room)
        return other

    def goes_on(self, more: Games) -> bool:
        """Whether the whole table tells the same with further games, of which it is asked once."""
        looked = copy(self.looked)
        looked.finder = copy(looked.finder)
        looked.add(more)
        finder = looked.finder
        if looked.pairwise and opening_of(self.asked, finder.games) != finder.opening:
            return False
        before, self.looked = self.looked, looked
        return looked.repeats(before) or self.tells_the_same(looked.facts())

    def tells_the_same(self, facts: WholeTableFacts) -> bool:
        """Whether another table tells the same."""
        return str(facts) == self.survey_text

    def prepare(self, table: Games, span: Floats | None = None) -> tuple[Games, Games]:
        """A piece as it is played, and as its games are foreseen, see `GameMembers.add`."""
        if table.role is not None:
            raise Unratable.of("roles_not_streamed")
        played = grade_games(table, self.survey.rule) if table.pairwise else table
        if not table.duels:
            played = played.replace(share=mean_shares(played))
        players = self._number(PLAYER, len(table.players))[table.player]
        found = self.added.add(played, span=span)
        pieces = []
        for entries in found if span is not None else found[:1]:
            numbers = [
                self._number(one.role, int(one.which.max(initial=-1)) + 1)[one.which]
                for one in entries
            ]
            placed = [
                (number, one.sides, one.share) for number, one in zip(numbers, entries, strict=True)
            ]
            pieces.append(played.replace(**place_members(played, players, placed)))
        pieces = [self.number_members(piece) for piece in pieces]  # with all members of both
        return pieces[0], pieces[-1]

    def number_members(self, table: Games) -> Games:
        """The table with a roster of all members so far, who have no names yet."""
        return self.some_members(table, slice(None))

    def some_members(self, table: Games, numbers: Ids | slice) -> Games:
        """The table with a roster of these members, who have no names yet."""
        role, crew = self.role[numbers], self._crew()
        return table.replace(
            players=range(len(role)), role=role, roles=self.roles,
            role_kinds=tuple(KIND_OF_ROLE.get(name, name) for name in self.roles),
            crew=None if crew is None else crew[numbers],
        )  # fmt: skip

    def _crew(self) -> NDArray[np.uint8] | None:
        """The crews of players, by number in the roster."""
        known = self.added.crew_of(len(self.added.crew))
        if known is None:
            return None
        found = np.zeros(self.members, np.uint8)
        found[self.numbers[PLAYER][: len(known)]] = known
        return found

    def _number(self, role: str, count: int) -> Ids:
        """The numbers in the roster of the first so many members of a role."""
        known = self.numbers[role]
        if count > len(known):
            fresh = np.arange(self.members, self.members + count - len(known), dtype=np.int64)
            self.numbers[role] = known = self._extend(role, known, fresh)
            added = np.full(len(fresh), self.roles.index(role), np.uint8)
            self.role = self._extend("role", self.role, added)
            places = np.arange(len(known) - len(fresh), len(known), dtype=np.int64)
            self.place = self._extend("place", self.place, places)
            self.members += len(fresh)
        return known

    def _extend(self, name: str, rows: AnyArray, more: AnyArray) -> AnyArray:
        count = len(rows) + len(more)
        self.room[name] = room = extend_rows(rows, count, self.room.get(name))
        room[len(rows) : count] = more
        return room[:count]

    def arrays(self) -> dict[str, AnyArray]:
        """What a checkpoint keeps of it."""
        numbers = {f"numbers of {role}": one for role, one in self.numbers.items()}
        return {**self.added.arrays(), **numbers, "role": self.role}

    def restore(self, arrays: Mapping[str, AnyArray]) -> None:
        """Bring it to where another was."""
        self.added.restore(arrays)
        self.numbers = {role: arrays[f"numbers of {role}"] for role in self.roles}
        self.role = arrays["role"]
        self.members = len(self.role)
        self.place = np.empty(self.members, np.int64)
        for numbers in self.numbers.values():
            self.place[numbers] = np.arange(len(numbers), dtype=np.int64)

    def collect(self, read: Games) -> tuple[Ids | None, Games]:
        """The numbers of all members in the order of a whole table, and that table without games.

        `read` is the table that was read, without games. No numbers: they are in that order.
        """
        table = self.name_members(read)
        self._number(PLAYER, len(read.players))
        columns = {"player": np.zeros(0, np.uint32), "ends": np.zeros(1, np.int64)}
        crew = self.added.crew_of(len(table.players))
        return self.order(), table.replace(a=None, b=None, crew=crew, **columns)

    def order(self) -> Ids:
        """The numbers of all members in the order of a whole table."""
        return np.concatenate([self.numbers[role] for role in self.roles])

    def name_members(self, read: Games) -> Games:
        """A table with the names of all members and a note on what is used."""
        added = [(one.role, one.kind, one.names) for one in self.added.names(read)]
        return name_members(self.note_uses(read), added)[0]

    def note_uses(self, read: Games) -> Games:
        """A table with a note on what is used."""
        survey = self.survey
        return note_uses(read, survey.told, survey.rule, survey.kinds)
