"""Pieces of a stream as `prowess` plays them: classes of results, and members beside the players.

A first pass finds what a whole table tells: whether games have sides and draws, and the classes of
the opening games. The members that the second pass puts on sides are those of `members_of_games`,
numbered as they come, and brought into the order of a whole table at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
from prowess.games.game_members import has_single_players
from prowess.games.games import CATEGORIES, PLAYER, Games
from prowess.games.result_classes import ClassFinder, ClassRule
from prowess.games.role_members import name_members, place_members
from prowess.games.totals import extend_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.int64]

SIDE, OWN, REST, CONTEXT = "side", "own side", "rest", "context"  # roles, in their order
PLAYERS = 0xFFFFFFFF  # the part of a key that is a player
KEPT = ("player", "own", "side", "played", "role")  # arrays of PreparedPieces
MOST_SIZES = 10_000_000  # distinct margins of the opening


class WholeTableFacts(NamedTuple):
    """What a whole table tells, found before it is played."""

    pairwise: bool
    sided: bool  # some game has a side with the advantage
    single: bool  # every side is one player
    kinds: int  # of games; 0: the table does not say
    rule: ClassRule

    def __str__(self) -> str:
        """All of it, to the last digit."""
        return repr((*self[:-1], [np.array(one).tolist() for one in self.rule]))


def prepare_pieces(
    p: Any, pieces: Callable[[], Iterator[Games]], planned: int | None
) -> PreparedPieces:
    """What prepares the pieces of a stream, which is read once more to find out how.

    `planned` is the number of games, where it is known. Raises Unratable.
    """
    return PreparedPieces(p, survey_games(pieces, p, planned))


def survey_games(
    pieces: Callable[[], Iterator[Games]], p: Any, planned: int | None
) -> WholeTableFacts:
    """Look at all games once, and at the opening ones again where their number was not known."""
    opening = opening_of(p, planned or 0) if planned or opening_of(p, 0) > 1 else 0
    finder, pairwise, sided, single, kinds = ClassFinder(opening), True, False, True, 0
    told: tuple[bool, ...] = ()  # whether games have each category
    for games in pieces():
        pairwise = games.pairwise
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
        single = single and has_single_players(games)
        kinds = max(kinds, kinds_of(games))
        if len(finder.sizes) > MOST_SIZES:
            raise Unratable(
                "give opening, such as --set opening=1000000: the first games have more than "
                f"{MOST_SIZES:,} different margins",
                code="too_many_margins",
            )
    if pairwise and opening_of(p, finder.games) != opening:
        finder = _look_again(pieces, finder, opening_of(p, finder.games))
    return WholeTableFacts(pairwise, sided, single, kinds, finder.rule())


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

    def __init__(self, p: Any, survey: WholeTableFacts) -> None:
        self.survey = survey
        if survey.pairwise:
            self.p = set_games(p, survey.rule, survey.kinds, False)
        else:
            self.p = set_contests(p, False)
        self.members = 0  # all that have a number, players too
        self.room: dict[str, NDArray[Any]] = {}
        none = np.zeros(0, np.int64)
        self.player, self.own, self.side = none, none, none  # numbers of players, leagues
        self.played = np.zeros(0)  # the day of each player's last game
        self.rest = -1
        self.contexts: dict[int, int] = {}  # word * 2^32 + player -> number
        self.role = np.zeros(0, np.uint8)  # of each member
        self.roles: tuple[str, ...] = ()  # decided by the first piece
        self.leagues = self.rested = False

    def prepare(self, table: Games) -> Games:
        """A piece as it is played."""
        if table.role is not None:
            raise Unratable(
                f"leave members by role out, or {IN_MEMORY}: a stream has none here",
                code="roles_not_streamed",
            )
        if not table.pairwise:
            return table
        played = grade_games(table, self.survey.rule)
        self._begin(table)
        self._number_players(len(table.players))
        added: list[tuple[Ids, Ids, Any]] = []  # numbers, sides, shares
        if self.survey.sided and table.side is not None:
            added += self._side_members(table)
            if self.survey.single and table.time is not None:
                added += self._rest_members(table)
        if "context" in table.facts:
            added.append(self._context_members(table))
        if len(self.roles) == 1:
            return played
        columns = place_members(played, self.player[table.player], added)
        return self.number_members(played.replace(**columns))

    def number_members(self, table: Games) -> Games:
        """The table with a roster of all members so far, who have no names yet."""
        kinds = tuple(kind_of_role(role) for role in self.roles)
        return table.replace(
            players=range(self.members), role=self.role, roles=self.roles, role_kinds=kinds
        )

    def _begin(self, table: Games) -> None:
        """Decide which roles there are, by the first piece and what was found before."""
        if self.roles:
            return
        self.leagues = "league" in table.facts
        roles = [PLAYER]
        if self.survey.sided:
            roles.append(SIDE)
            if self.survey.single:
                roles.append(OWN)
                if table.time is not None:
                    roles.append(REST)
        if "context" in table.facts and self.survey.pairwise:
            roles.append(CONTEXT)
        self.roles = tuple(roles)

    def _extend(self, name: str, count: int, value: float) -> Any:
        rows = getattr(self, name)
        if count > len(rows):
            self.room[name] = room = extend_rows(rows, count, self.room.get(name))
            room[len(rows) : count] = value
            setattr(self, name, room[:count])
        return getattr(self, name)

    def _add_members(self, count: int, role: str) -> Ids:
        """The numbers of so many new members."""
        first = self.members
        self.members += count
        self._extend("role", self.members, self.roles.index(role))
        return np.arange(first, self.members)

    def _number_players(self, players: int) -> None:
        known = len(self.player)
        if players > known:
            self._extend("player", players, -1)[known:] = self._add_members(players - known, PLAYER)

    def _side_members(self, table: Games) -> list[tuple[Ids, Ids, Any]]:
        assert table.side is not None
        sided = np.flatnonzero(table.side)
        sides = 2 * sided + (table.side[sided] < 0.0)
        which = np.zeros(len(sided), np.int64)
        if self.leagues:
            which = table.facts["league"][sided].astype(np.int64)
        found = [(self._intern("side", which, SIDE), sides, np.ones(len(sides)))]
        if self.survey.single:
            player = table.player[table.ends[sides]].astype(np.int64)
            found.append((self._intern("own", player, OWN), sides, np.ones(len(sides))))
        return found

    def _intern(self, name: str, keys: Ids, role: str) -> Ids:
        """The numbers of members that keys stand for."""
        known = self._extend(name, int(keys.max(initial=-1)) + 1, -1)
        fresh = np.unique(keys[known[keys] < 0])
        known[fresh] = self._add_members(len(fresh), role)
        numbers: Ids = known[keys]
        return numbers

    def _rest_members(self, table: Games) -> list[tuple[Ids, Ids, Any]]:
        """See `rest_members`: who played the day before, also in an earlier piece."""
        assert table.time is not None
        played = self._extend("played", len(table.players), -np.inf)
        player = table.player[table.ends[:-1]]
        day = np.repeat(np.floor(table.time), 2)
        order = np.argsort(player, kind="stable")
        before = played[player[order]]
        same = np.append(False, player[order][1:] == player[order][:-1])[: len(order)]
        before[1:] = np.where(same[1:], day[order][:-1], before[1:])
        tired = np.empty(len(order), np.bool_)
        tired[order] = day[order] - before == 1.0
        played[player] = day  # ascending, so the last is written last
        fresh = np.flatnonzero(tired[1::2].astype(np.int64) - tired[0::2])
        sides = 2 * fresh + tired[0::2][fresh]
        share = np.ones(len(sides))
        if self.rest < 0:  # its clock begins with the table
            self.rest = int(self._add_members(1, REST)[0])
            if not len(fresh) or fresh[0] > 0:
                sides, share = np.append(0, sides), np.append(0.0, share)
        self.rested = self.rested or len(fresh) > 0
        return [(np.full(len(sides), self.rest), sides, share)]

    def _context_members(self, table: Games) -> tuple[Ids, Ids, Any]:
        word = table.facts["context"].astype(np.int64)[table.contest_of_member]
        keys = (word << 32) + table.player
        pairs, first, which = np.unique(keys, return_index=True, return_inverse=True)
        known = self.contexts
        fresh = [at for at in np.argsort(first).tolist() if int(pairs[at]) not in known]
        numbers = self._add_members(len(fresh), CONTEXT).tolist()
        known.update(zip((int(pairs[at]) for at in fresh), numbers, strict=True))
        found = np.array([known[pair] for pair in pairs.tolist()], np.int64)[which]
        share = np.ones(len(keys)) if table.share is None else table.share
        return found, table.side_of_member, share

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint keeps of it."""
        found = {name: getattr(self, name) for name in KEPT}
        found["numbers"] = np.array([self.members, self.rest, self.rested])
        found["context_keys"] = np.array(list(self.contexts), np.int64)
        found["context_numbers"] = np.array(list(self.contexts.values()), np.int64)
        return found

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Bring it to where another was."""
        for name in KEPT:
            setattr(self, name, arrays[name])
        self.members, self.rest, rested = arrays["numbers"].tolist()
        self.rested = bool(rested)
        keys, numbers = (arrays[f"context_{name}"].tolist() for name in ("keys", "numbers"))
        self.contexts = dict(zip(keys, numbers, strict=True))

    def collect(self, read: Games) -> tuple[Ids | None, Games]:
        """The numbers of all members in the order of a whole table, and that table without games.

        `read` is the table that was read, without games. No numbers: they are in that order.
        """
        survey, used = self.survey, [] if self.survey.pairwise else ["places"]
        self._begin(read)
        self._number_players(len(read.players))
        order, added = [self.player], list[tuple[str, str, Sequence[str]]]()
        if SIDE in self.roles:
            leagues = list(read.labels["league"]) if self.leagues else []
            order.append(self._intern("side", np.arange(len(leagues) or 1), SIDE))
            names = [f"side advantage: {one}" for one in leagues] or ["side advantage"]
            added.append((SIDE, SIDE, names))
            used.append(f"side advantage{' of each league' * self.leagues}")
        if OWN in self.roles:
            known = np.flatnonzero(self.own >= 0)
            order.append(self.own[known])
            names = [f"{read.players[each]}, own side advantage" for each in known.tolist()]
            added.append((OWN, OWN, names))
        if REST in self.roles and self.rested:
            order.append(np.array([self.rest]))
            added.append((REST, REST, ["rest"]))
            used.append("rest")
        if CONTEXT in self.roles:
            words = read.labels["context"]
            order.append(np.array(list(self.contexts.values()), np.int64))
            names = [
                f"{read.players[pair & PLAYERS]}@{words[pair >> 32]}" for pair in self.contexts
            ]
            added.append((CONTEXT, "per", names))
            used.append("context")
        used += words_of(survey.rule, survey.kinds) if survey.pairwise else []
        table = note_uses(read, used)
        if not added:
            return None, table
        table, _ = name_members(table, added)
        columns = {"player": np.zeros(0, np.uint32), "ends": np.zeros(1, np.int64)}
        return np.concatenate(order), table.replace(a=None, b=None, **columns)


def kind_of_role(role: str) -> str:
    """The kind of a role."""
    return {PLAYER: "player", CONTEXT: "per"}.get(role, role)
