"""Pieces of a stream as `prowess` plays them: classes of results, and members beside the players.

A first pass finds what a whole table tells: whether games have sides and draws, and the classes of
the opening games. The members that the second pass puts on sides are those of `members_of_games`,
numbered as they come, and brought into the order of a whole table at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.graded_games import (
    grade_games,
    kinds_of,
    note_uses,
    opening_of,
    set_contests,
    set_games,
    words_of,
)
from prowess.engine.system import Unratable
from prowess.games.errors import IN_MEMORY
from prowess.games.game_members import KIND_OF_ROLE, GameMembers, Told, mean_shares
from prowess.games.games import CATEGORIES, PLAYER, Games
from prowess.games.result_classes import ClassFinder, ClassRule
from prowess.games.role_members import name_members, place_members
from prowess.games.totals import extend_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.int64]

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


def survey_games(
    pieces: Callable[[], Iterator[Games]], p: Any, planned: int | None
) -> WholeTableFacts:
    """Look at all games once, and at the opening ones again where their number was not known."""
    opening = opening_of(p, planned or 0) if planned or opening_of(p, 0) > 1 else 0
    finder, pairwise, sided, dated, kinds = ClassFinder(opening), True, False, False, 0
    told: tuple[bool, ...] = ()  # whether games have each category
    for games in pieces():
        pairwise, dated = games.pairwise, games.time is not None
        if not pairwise:
            break
        finder.add(games)
        told = told or tuple(name in games.facts for name in CATEGORIES)
        for name, before in zip(CATEGORIES, told, strict=True):
            if (name in games.facts) != before:
                raise Unratable(
                    f'say {name}="none" (--{name} none), or {IN_MEMORY}: some of the files tell '
                    f"no {name}",
                    code="column_of_some_files",
                )
        sided = sided or (games.side is not None and bool(games.side.any()))
        kinds = max(kinds, kinds_of(games))
        if len(finder.sizes) > MOST_SIZES:
            raise Unratable(
                "give opening, such as --set opening=1000000: the first games have more than "
                f"{MOST_SIZES:,} different margins",
                code="too_many_margins",
            )
    if pairwise and opening_of(p, finder.games) != opening:
        finder = _look_again(pieces, finder, opening_of(p, finder.games))
    names = tuple(name for name, has in zip(CATEGORIES, told, strict=False) if has)
    rule = finder.rule()
    return WholeTableFacts(Told(dated, sided, rule.draws, pairwise, names), kinds, rule)


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

    def __init__(self, p: Any, bank: tuple[Any, ...], survey: WholeTableFacts) -> None:
        self.survey, told = survey, survey.told
        if told.pairwise:
            self.p = set_games(p, survey.rule, survey.kinds, told.dated, False)
        else:
            self.p = set_contests(p, bank, told.dated, False)
        self.added = GameMembers(told)
        self.members = 0  # all that have a number, players too
        self.room: dict[str, NDArray[Any]] = {}
        self.roles = (PLAYER, *self.added.roles)
        # of each role the numbers of its members in the roster, by their number in the role
        self.numbers = {role: np.zeros(0, np.int64) for role in self.roles}
        self.role = np.zeros(0, np.uint8)  # of each member

    def prepare(self, table: Games) -> Games:
        """A piece as it is played."""
        if table.role is not None:
            raise Unratable(
                f"leave members by role out, or {IN_MEMORY}: a stream has none here",
                code="roles_not_streamed",
            )
        played = grade_games(table, self.survey.rule) if table.pairwise else table
        if not table.duels:
            played = played.replace(share=mean_shares(played))
        players = self._number(PLAYER, len(table.players))
        entries = [
            (
                self._number(one.role, int(one.which.max(initial=-1)) + 1)[one.which],
                one.sides,
                one.share,
            )
            for one in self.added.add(played)
        ]
        columns = place_members(played, players[table.player], entries)
        return self.number_members(played.replace(**columns))

    def number_members(self, table: Games) -> Games:
        """The table with a roster of all members so far, who have no names yet."""
        return table.replace(
            players=range(self.members), role=self.role, roles=self.roles,
            role_kinds=tuple(KIND_OF_ROLE.get(role, role) for role in self.roles),
            crew=self._crew(),
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
            fresh = np.arange(self.members, self.members + count - len(known))
            self.numbers[role] = known = self._extend(role, known, fresh)
            added = np.full(len(fresh), self.roles.index(role), np.uint8)
            self.role = self._extend("role", self.role, added)
            self.members += len(fresh)
        return known

    def _extend(self, name: str, rows: NDArray[Any], more: NDArray[Any]) -> NDArray[Any]:
        count = len(rows) + len(more)
        self.room[name] = room = extend_rows(rows, count, self.room.get(name))
        room[len(rows) : count] = more
        return room[:count]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint keeps of it."""
        numbers = {f"numbers of {role}": one for role, one in self.numbers.items()}
        return {**self.added.arrays(), **numbers, "role": self.role}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Bring it to where another was."""
        self.added.restore(arrays)
        self.numbers = {role: arrays[f"numbers of {role}"] for role in self.roles}
        self.role = arrays["role"]
        self.members = len(self.role)

    def collect(self, read: Games) -> tuple[Ids | None, Games]:
        """The numbers of all members in the order of a whole table, and that table without games.

        `read` is the table that was read, without games. No numbers: they are in that order.
        """
        survey = self.survey
        words = words_of(survey.rule, survey.kinds) if survey.told.pairwise else []
        table = note_uses(read, [*survey.told.words(), *words])
        added = [(one.role, one.kind, one.names) for one in self.added.names(read)]
        order = [self._number(PLAYER, len(read.players))]
        order += [self._number(role, len(names))[: len(names)] for role, _, names in added]
        table, _ = name_members(table, added)
        columns = {"player": np.zeros(0, np.uint32), "ends": np.zeros(1, np.int64)}
        crew = self.added.crew_of(len(table.players))
        return np.concatenate(order), table.replace(a=None, b=None, crew=crew, **columns)
