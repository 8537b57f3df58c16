"""Are some of the names teams of players, such as `Ann & Bob`?

A team may be a name, as of a club ("Brighton & Hove Albion") or of a model ("maker/model"). It is
not one where its members change: the same two stand in both orders, or members stand first in one
name and second in another. Each name would be rated as a player of its own, which is hardly meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from prowess.games.refusal import BadData, quoted
from prowess.games.roster import Roster

BETWEEN = re.compile(  # the stroke of w/o, a word for a bye, stands between no names
    r"\s*(?:[&+;]|(?<!\bw)/|/(?!o\b))\s*|\s+(?:and|und|et|y|e)\s+", re.IGNORECASE
)
MARKS = (b"&", b"/", b"+", b";", b" and ", b" AND ", b" und ", b" et ", b" y ", b" e ")
JOINED_BY = '& / + ; or "and"'
MARK = re.compile(b"|".join(map(re.escape, MARKS)))
MOST = 100_000  # names with a mark between; more are no teams of people, and take seconds
TWO_PLACES = 2  # members that stand in different places, before names are taken for teams
TEAMS = ("names", "members")
REMEDY = (
    'say teams="members" (--teams members) to rate each player of a team, or teams="names" '
    "(--teams names) to rate each name as one player as it stands"
)


def checked_teams(chosen: str | None) -> str | None:
    """What the caller says of names that look like teams; raises BadData."""
    if chosen is not None and chosen not in TEAMS:
        raise BadData(f'teams is "members", "names" or left out, not {quoted(chosen)}')
    return chosen


def doubles(roster: Sequence[str]) -> str | None:
    """A note on names that may be teams, None if there is none; raises BadData where they are."""
    teams = {name: members for name in _marked(roster) if (members := _members(name))}
    spelt = ""
    for name, same in _alike(teams):
        one, other = quoted(same), quoted(name)
        if teams[name] != teams[same]:
            raise BadData(f"{one} and {other} are one team and would be two players", remedy=REMEDY)
        spelt = f"{one} and {other} are alike and are rated as two players"
    places: dict[str, dict[int, str]] = {}  # of each member: a name by the place it has there
    for name, members in teams.items():
        for place, member in enumerate(members):
            places.setdefault(member, {}).setdefault(place, name)
    moving = [found for found in places.values() if len(found) > 1]
    if len(moving) >= TWO_PLACES:
        one, other = map(quoted, list(moving[0].values())[:2])
        raise BadData(
            f"the names are teams of changing players: {one} and {other} have one in common",
            remedy=REMEDY,
        )
    shared = _sharing({name: members for name, members in teams.items() if "/" not in name})
    if not spelt and (moving or shared):
        one, other = map(quoted, shared or list(moving[0].values())[:2])
        return f"{one} and {other} share a part and are rated as two players"
    return spelt or None


def members_in(text: str) -> tuple[str, ...]:
    """The names that a text such as `Ann & Bob` joins, empty where nothing stands beside a mark."""
    return tuple(part.strip() for part in BETWEEN.split(text))


def split_notes(joined: bool, roster: Sequence[str]) -> Iterator[str]:
    """What is to be said where names were to be split: that none was, and names with a comma.

    `joined` says whether a cell held several names.
    """
    assert isinstance(roster, Roster)
    if not joined:
        yield f'teams="members" (--teams members) splits no name: names are joined by {JOINED_BY}'
    if b"," not in roster.buffer:
        return
    first, *more = (name for name in roster if "," in name)
    if more:
        names = (
            f"{len(more) + 1:,} names such as {quoted(first)} hold a comma and are one player each"
        )
    else:
        names = f"{quoted(first)} holds a comma and is one player"
    yield f"{names}: names are joined by {JOINED_BY}, not by commas"


def _marked(roster: Sequence[str]) -> list[str]:
    """The names with a mark that may stand between the members of a team."""
    assert isinstance(roster, Roster)
    if not any(mark in roster.buffer for mark in MARKS):  # this is quick, to find them is not
        return []
    at = np.fromiter((found.start() for found in MARK.finditer(roster.buffer)), np.int64)
    rows = np.unique(np.searchsorted(roster.ends, at, side="right"))
    return [] if len(rows) > MOST else [roster[int(row)] for row in rows]


def _members(name: str) -> tuple[str, ...]:
    """The members of a team without regard to case, empty where the name is none."""
    parts = tuple(map(str.casefold, members_in(name)))
    several = len(parts) > 1 and len(set(parts)) == len(parts)
    return parts if several and all(any(map(str.isalpha, part)) for part in parts) else ()


def _alike(teams: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Names of the same members, in whatever order, each with the first such name."""
    seen: dict[frozenset[str], str] = {}
    for name, members in teams.items():
        first = seen.setdefault(frozenset(members), name)
        if first != name:
            yield name, first


def _sharing(teams: dict[str, tuple[str, ...]]) -> list[str]:
    """Two names that have one member in common."""
    seen: dict[str, str] = {}
    for name, members in teams.items():
        for member in members:
            if (first := seen.setdefault(member, name)) != name:
                return [first, name]
    return []
