"""Rounds of a player: whom they met, and the ratings of all sides before each round.

A player meets sides: in a game the other side, in a contest every other side. A bank gives
everything once for each setting.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.engine.loops import judges_whole
from prowess.engine.played import PlayedTable, find_contests, find_members, shares_rounds
from prowess.engine.rows import game_list, game_rules, make_difference, rows_as_tuples, sum_parts
from prowess.engine.run import Watch
from prowess.engine.state import parameters_of

if TYPE_CHECKING:
    from prowess.games.games import Games


class MeetingMember(NamedTuple):
    """A member of a side in one contest; ratings and parameters have one entry a setting."""

    player: int
    share: float
    shares: tuple[float, ...]  # the same with the factor of the role, one entry a setting
    is_player: bool
    ratings: tuple[Any, ...]
    parameters: tuple[Any, ...]  # of the member's role
    rating: float  # as displayed


class Meeting(NamedTuple):
    """A side that a player met in a round; `mine` and `theirs` have one entry a setting."""

    row: int  # of the table: a game, or a member of a contest
    at: int  # which side of the contest is the player's
    me: MeetingMember
    partners: list[MeetingMember]  # the other players of the own side
    beside: list[MeetingMember]  # those of the own side who are no players; none for one of these
    opponents: list[MeetingMember]  # the other side's players; of a side without one its members
    mine: tuple[Any, ...]  # the sides as the system adds them
    theirs: tuple[Any, ...]
    carried: tuple[Any, ...]  # the other side as the last pass over a period saw it
    game: Any
    weight: float
    time: float | None  # days since 1970
    margin: float | None  # by how much the player won a game, where the table says
    derived: bool  # seen from the second side, whose evidence is made of the first side's

    @property
    def opponent_rating(self) -> float:
        """The mean of the opponents by their shares."""
        members = self.opponents
        if len(members) == 1:
            return members[0].rating
        total = sum(member.share for member in members)
        return sum(member.share * member.rating for member in members) / total


class Round(NamedTuple):
    """A round of a player, with one meeting or more."""

    number: int
    meetings: list[Meeting]
    sums: Floats  # what is kept beside the ratings, see `Snapshots`
    field: tuple[list[float], list[Any]] | None  # of a contest judged at once: places, sides


def number_contests(ratings: PlayedTable, player: int) -> tuple[Ids, Ids]:
    """The contests of a player with another side, in order of play, and the round of each."""
    table = ratings.played_table
    contests = np.unique(find_contests(table, player))
    if not table.pairwise:
        contests = contests[np.diff(table.start)[contests] > 1]
    if not shares_rounds(ratings):
        return contests, contests
    assert ratings.rounds.bounds is not None
    return contests, ratings.rounds.bounds.searchsorted(contests, side="right") - 1


def find_rounds(
    ratings: PlayedTable,
    player: int,
    seen: Watch,
    last: int | None = None,
    until: int | None = None,
) -> Iterator[Round]:
    """The rounds of a player in order of play, or the `last` of them up to that of a contest of
    theirs, `until`; `seen` has watched their games.
    """
    table, (contests, numbers) = ratings.played_table, number_contests(ratings, player)
    if until is not None:
        chosen = numbers <= numbers[contests.searchsorted(until)]
        contests, numbers = contests[chosen], numbers[chosen]
    if last is not None and len(numbers):
        first = numbers.searchsorted(np.unique(numbers)[-last:][0])
        contests, numbers = contests[first:], numbers[first:]
    places = find_members(table, contests)
    part = _Part(ratings, table.select(contests), seen, seen.rows(places))
    mine = np.flatnonzero(part.table.player == player)
    side = part.table.side_of_member[mine]
    contest = part.table.contest_of_side[side]
    number, row = numbers[contest], contests[contest] if table.pairwise else places[mine]
    is_last = np.append(number[1:] != number[:-1], True)[: len(number)]
    meetings: list[Meeting] = []
    columns = (mine, row, contest, side, number, is_last)
    for member, at_row, c, at_side, of_round, ends in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        meetings += part.find_meetings(member, at_row, c, at_side)
        if ends:
            yield Round(of_round, meetings, part.sums[member], part.find_field(c))
            meetings = []


class _Part:
    """The contests of a player as they stood before their rounds."""

    def __init__(self, ratings: PlayedTable, table: Games, seen: Watch, rows: Ids) -> None:
        self.table, self.system = table, ratings.system
        self.sums, self.rules = seen.sums(rows), game_rules(self.system.game)
        self.whole = judges_whole(self.system, table.pairwise)
        shares = seen.memory.share
        shares = shares[rows] if len(shares) else None
        self.members = _read_members(ratings, table, seen.memory.rating[rows], self.sums, shares)
        self.sides = self._split_members(self.members)
        self.added = list(map(self._add_members, self.sides))
        if self.system.passes > 1:
            shown = _read_members(ratings, table, seen.memory.carried[rows], self.sums, shares)
            self.carried = list(map(self._add_members, self._split_members(shown)))
        self.players = self.sides
        if table.role is not None:
            self.players = [[one for one in members if one.is_player] for members in self.sides]
        self.start, self.place = table.start.tolist(), table.place.tolist()
        self.repeats, none = table.repeats, [None] * len(table)
        self.games = game_list(table, self.system.game) if table.pairwise else none
        self.time, self.margin, self.weight = (
            none if column is None else column.tolist()
            for column in (table.time, table.margin if table.pairwise else None, table.weight)
        )

    def find_meetings(self, member: int, row: int, contest: int, side: int) -> Iterator[Meeting]:
        """The meetings of a member with the other sides of a contest, in order."""
        first, last, me = self.start[contest], self.start[contest + 1], self.members[member]
        partners, beside = [one for one in self.players[side] if one.player != me.player], []
        if me.is_player and self.players is not self.sides:
            beside = [one for one in self.sides[side] if not one.is_player]
        weight, margin, game = self.weight[contest], self.margin[contest], self.games[contest]
        weight = 1.0 if weight is None else weight
        if not (self.whole or self.table.pairwise):
            weight *= self.system.pair_weight(float(last - first))
        if margin is not None:
            margin = None if isnan(margin) else -margin if side > first else margin
        for other in range(first, last):
            if other == side:
                continue
            if not self.table.pairwise:
                here, there = self.place[side], self.place[other]
                game = self.rules.pair(0.5 if here == there else 1.0 if here < there else 0.0)
            elif side > other:
                game = self.rules.mirror(game)
            mine, theirs = self.added[side], self.added[other]
            if self.repeats:
                mine, theirs = self._without_shared(side, other), self._without_shared(other, side)
            carried = self.carried[other] if self.system.passes > 1 else theirs
            yield Meeting(
                row, side - first, me, partners, beside, self.players[other] or self.sides[other],
                mine, theirs, carried, game, weight, self.time[contest], margin,
                self.system.mirrors is not None and self.system.passes == 1 and other < side,
            )  # fmt: skip

    def find_field(self, contest: int) -> tuple[list[float], list[Any]] | None:
        """The places and sides of a contest that the system judges at once."""
        held = slice(self.start[contest], self.start[contest + 1])
        return (self.place[held], self.added[held]) if self.whole else None

    def _split_members(self, members: list[MeetingMember]) -> list[list[MeetingMember]]:
        return [members[low:high] for low, high in pairwise(self.table.ends.tolist())]

    def _add_members(self, members: list[MeetingMember]) -> tuple[Any, ...]:
        """A side, by setting, of its members."""
        part = self.system.part
        if part is None:
            return members[0].ratings
        parts = [tuple(map(part, m.parameters, m.ratings, m.shares)) for m in members]
        return parts[0] if len(parts) == 1 else tuple(map(sum_parts, zip(*parts, strict=True)))

    def _without_shared(self, side: int, other: int) -> tuple[Any, ...]:
        """A side, by setting, without the members that another has equally."""
        sums, part = self.added[side], self.system.part
        others = {(member.player, member.share) for member in self.sides[other]}
        for m in self.sides[side]:
            if (m.player, m.share) in others and part is not None:
                parts = map(part, m.parameters, m.ratings, m.shares)
                sums = tuple(map(make_difference(sums[0]), sums, parts))
        return sums


def _read_members(
    ratings: PlayedTable, table: Games, values: Floats, sums: Floats, shares: Floats | None
) -> list[MeetingMember]:
    """All members of some contests, with their ratings under each setting."""
    system, state = ratings.system, ratings.state
    player, count = table.player, len(table.player)
    share = [1.0] * count if table.share is None else table.share.tolist()
    is_player = [True] * count if table.role is None else (table.role[player] == 0).tolist()
    role = [0] * count if state.role is None else state.role[player].tolist()
    parameters = parameters_of(system, ratings.p, state.roles)
    by_role = [parameters[k :: len(state.roles)] for k in range(len(state.roles))]
    by_setting = rows_as_tuples(system.rating, values, state.lanes)
    if state.lanes == 1:
        held = [(rating,) for rating in by_setting]
    else:
        held = list(map(tuple, by_setting))
    logs = None if state.logs is None else sums[:, : state.lanes]
    shown = state.mix(rating=values, logs=logs)[:, 0].tolist()
    by_setting = [(one,) * state.lanes for one in share]
    if shares is not None:
        by_setting = list(map(tuple, shares.tolist()))
    columns = (
        player.tolist(), share, by_setting, is_player, held, map(by_role.__getitem__, role), shown
    )  # fmt: skip
    return list(map(MeetingMember._make, zip(*columns, strict=True)))
