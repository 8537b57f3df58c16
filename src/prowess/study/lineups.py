"""Line-ups: the sides of a game by name, and the check for games between two players.

`Ann & Bob` are two members, unless that is the name of a player. Names may contain the mark: `R&D &
Bob` are two members where `R&D` is a player. A member may be of any role: `Nadal & Nadal@clay`,
`Hamilton & Mercedes`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.leaderboard import find_player
from prowess.engine.system import Unratable
from prowess.games.games import BETWEEN_MEMBERS, side_name
from prowess.games.team_names import BETWEEN as TEAM_MARKS

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.games.games import Games


BETWEEN_MARK = re.compile(re.escape(BETWEEN_MEMBERS))
AMPERSAND = re.compile("&")
Side = str | Sequence[str]  # a text that may join the names of several members, or their names


def side_text(side: Side) -> str:
    """Return the name of a side: its text, or its members' names joined."""
    return side if isinstance(side, str) else BETWEEN_MEMBERS.join(side)


def members_of(players: Sequence[str], side: Side) -> tuple[int, ...]:
    """Return the members of a side, as numbers; raises UnknownPlayer, Unratable."""
    parts = names_in(players, side)
    twice = next((part for part in parts if parts.count(part) > 1), None)
    if twice is not None:
        raise Unratable.of("player_twice.lineups", twice=twice, side=side_text(side))
    return tuple(find_player(players, part) for part in parts)


def names_in(players: Container[str], side: Side) -> tuple[str, ...]:
    """Return the members' names of a side: the text itself if it is a player, or joins none.

    A text is cut so that as many parts as possible are players, the first as long as possible: at
    ` & `, else at `&`, else at any mark (see `doubles`) if all parts are players.
    """
    if not isinstance(side, str):
        return tuple(side)
    if side in players:
        return (side,)
    cuts = [_cut(players, side, mark) for mark in (BETWEEN_MARK, AMPERSAND, TEAM_MARKS)]
    for parts in cuts:
        if all(part in players for part in parts):
            return parts
    apart, close, _ = cuts
    if len(apart) > 1 and all(apart):
        return apart
    return close if all(close) and any(part in players for part in close) else (side,)


def _cut(players: Container[str], text: str, mark: re.Pattern[str]) -> tuple[str, ...]:
    """Cut a text at marks: fewest unknown parts, which have no mark inside; first parts long."""
    found = [match.span() for match in mark.finditer(text)]
    starts, ends = [0, *(end for _, end in found)], [*(start for start, _ in found), len(text)]
    best: list[tuple[int, tuple[str, ...]]] = [(0, ())]  # of the rest from each start, last first
    for first in range(len(starts) - 1, -1, -1):
        choices = []
        for last in range(len(starts) - 1, first - 1, -1):
            part = text[starts[first] : ends[last]].strip()
            known = part in players
            if known or last == first:
                unknown, rest = best[len(starts) - 1 - last]
                choices.append((unknown + (not known), (part, *rest)))
        best.append(min(choices, key=lambda choice: choice[0]))
    return best[-1][1]


def lineups(ratings: Ratings, names: Sequence[Side]) -> list[tuple[int, ...]]:
    """Return the members of the sides that are to meet; no member is on two of them.

    Of two sides a member of another role on both (the car that two drivers have) is left out, as
    by the reader: it does not affect the result. Raises UnknownPlayer, and Unratable for a
    player on two sides and for several members under a system without teams.
    """
    sides = [members_of(ratings.players, name) for name in names]
    if len(sides) == 2:
        both = {k for k in set(sides[0]) & set(sides[1]) if not _is_player(ratings.table, k)}
        without = [tuple(k for k in side if k not in both) for side in sides]
        sides = without if all(without) else sides
    where: dict[int, str] = {}
    for name, side in zip(map(side_text, names), sides, strict=True):
        if len(side) > 1 and not getattr(ratings.system, "teams", False):
            raise Unratable.of("no_teams.lineups", system=ratings.system.name, name=name)
        for member in side:
            if where.get(member) == name:
                raise Unratable.of("player_twice.name", name=name)
            if member in where:
                one = ratings.players[member]
                raise Unratable.of("player_on_both_sides", player=one, a=where[member], b=name)
            where[member] = name
    return sides


def side_names(games: Games) -> list[str]:
    """Return the names of all sides of a table."""
    if games.single:
        players = games.players
        return [players[member] for member in games.player.tolist()]
    return [side_name(games, side) for side in range(len(games.ends) - 1)]


def sides_played(games: Games) -> list[tuple[str, ...]]:
    """Return the players' names of the sides that have played, each side once."""
    first: dict[frozenset[int], list[int]] = {}
    for side in _sides(games):
        if side:
            first.setdefault(frozenset(side), side)
    return [tuple(games.players[member] for member in side) for side in first.values()]


def sides_entered(games: Games, names: Sequence[Side]) -> list[tuple[int, int]]:
    """Return which of the named sides met in each game, by number, -1 for another; in order.

    A side is identified by its players: members of other roles do not count.
    """
    place = {name: member for member, name in enumerate(games.players)}
    number: dict[frozenset[int], int] = {}
    for k, name in enumerate(names):
        parts = names_in(place, name)
        if all(part in place for part in parts):
            number[frozenset(m for part in parts if _is_player(games, m := place[part]))] = k
    if games.single:
        of_player = [number.get(frozenset((member,)), -1) for member in range(len(place))]
        each = np.array(of_player, dtype=np.int64)[games.player].tolist()
    else:
        each = [number.get(frozenset(side), -1) for side in _sides(games)]
    return list(zip(each[::2], each[1::2], strict=True))


def _sides(games: Games) -> list[list[int]]:
    """Return the players of every side, [sides]."""
    player = games.player.tolist()
    return [
        [member for member in player[first:end] if _is_player(games, member)]
        for first, end in pairwise(games.ends.tolist())
    ]


def _is_player(games: Games, member: int) -> bool:
    return games.role is None or not games.role[member]


# What is said of pairs of players needs games between two players.


def explain_missing_pairs(table: Games) -> str:
    """Return why a table has no pairs of players; empty for games between two players."""
    if table.duels:
        return ""
    if table.pairwise:
        return "here sides have several members"
    return "these are contests of many"


def check_duels(table: Games, what: str) -> None:
    """Raise Unratable, naming `what`, unless all games are between two players."""
    if reason := explain_missing_pairs(table):
        raise Unratable.of("no_duels", what=what, reason=reason)
