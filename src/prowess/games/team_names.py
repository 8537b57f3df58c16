"""Names such as `Ann & Bob` may be teams or names of clubs ("Brighton & Hove Albion") and models
("maker/model").

They are teams where members change: the same two stand in both orders, members stand first in one
name and second in another, everybody has several partners, or each member is a player elsewhere.
Names joined by commas (`Ann, Bob`) are teams where members change places, as last and first names
do not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from prowess.games.errors import BadData, ChangingTeams, Suspicion, quote
from prowess.games.names import Roster, WordFinder
from prowess.games.values import lazy_pattern
from prowess.games.vocabulary import alternatives, words_for

STROKE = re.compile(r"[/+]")  # also between a maker and a model, an engine and its options
_AND, _LOWER = alternatives("and"), alternatives("and_in_lower_case")
BETWEEN = lazy_pattern(  # the stroke of w/o, a word for a bye, stands between no names
    rf"\s*(?:[&+;]|(?<!\bw)/|/(?!o\b))\s*|\s+(?:{_AND}|(?-i:{_LOWER}))\s+|\s+(?-i:u)\.\s*",
    re.IGNORECASE,
)
COMMA_BETWEEN = lazy_pattern(rf",(?:\s*(?:&|{_AND})(?=\s))?", re.IGNORECASE)
TEAM_MARKS = WordFinder((
    b"&", b"/", b"+", b";", b" u.", b" AND ",
    *(f" {word} ".encode() for word in sorted(words_for("and", "and_in_lower_case"))),
))  # fmt: skip
JOINED_BY = '& / + ; or "and"'
# names with a mark between; more are no teams of people, and take seconds
MOST_TEAM_NAMES = 100_000
TWO_PLACES = 2  # members that stand in different places, before names are taken for teams


def team_name_note(roster: Sequence[str], file: str = "") -> str | None:
    """A note on names that may be teams, None if there is none.

    Raises ChangingTeams where all are, of partners who change, and BadData where most may be.
    """
    assert isinstance(roster, Roster)
    if b"," in roster.buffer:
        _refuse_lineups(roster, file)
    if not (marks := TEAM_MARKS.find_places(roster.buffer)):
        return None
    rows = dict.fromkeys(np.searchsorted(roster.ends, marks, side="right").tolist())
    marked = [roster[row] for row in rows] if len(rows) <= MOST_TEAM_NAMES else []
    teams = {name: members for name in marked if (members := _members(name))}
    if not teams:
        return None
    places: dict[str, dict[int, str]] = {}  # of each member: a name by the place it has there
    for name, members in teams.items():
        for place, member in enumerate(members):
            places.setdefault(member, {}).setdefault(place, name)
    moving = [found for found in places.values() if len(found) > 1]
    known = {name.casefold() for name in roster if name not in teams}
    changing = _partners_change(teams) if not known else _are_players(teams, known)
    alike = list(_alike(teams))
    turned = next((pair for pair in alike if teams[pair[0]] != teams[pair[1]]), None)
    sure = known or turned or len(moving) >= TWO_PLACES or not any(map(STROKE.search, teams))
    if changing and sure:
        raise ChangingTeams(_teams_note(teams), "members")
    if turned:
        name, same = map(quote, turned)
        raise BadData.of("changing_teams.alike", file=file, same=same, name=name)
    if len(moving) >= TWO_PLACES:
        one, other = map(quote, list(moving[0].values())[:2])
        raise BadData.of("changing_teams", file=file, one=one, other=other)
    spelt = ""
    if alike:
        name, same = map(quote, alike[-1])
        spelt = f"{same} and {name} are alike and are rated as two players"
    shared = _sharing({name: members for name, members in teams.items() if "/" not in name})
    if not spelt and (moving or shared):
        one, other = map(quote, shared or list(moving[0].values())[:2])
        return f"{one} and {other} share a part and are rated as two players"
    return spelt or None


def _refuse_lineups(roster: Sequence[str], file: str) -> None:
    """Raise ChangingTeams where all names are lists of members with commas, who change places;
    BadData where they may be.
    """
    if len(roster) > MOST_TEAM_NAMES:
        return
    teams = {name: _lineup(name) for name in roster}
    if min(map(len, teams.values())) < 2 or not all(map(all, teams.values())):
        return
    places: dict[str, set[int]] = {}
    for members in teams.values():
        for place, member in enumerate(members):
            places.setdefault(member, set()).add(place)
    moving = sum(len(each) > 1 for each in places.values())
    if not _partners_change(teams) or moving < TWO_PLACES:
        return
    if 2 * moving >= len(places):
        raise ChangingTeams(_teams_note(teams), "commas")
    raise BadData.of("teams_or_members", file=file, name=next(iter(teams)))


def _lineup(name: str) -> tuple[str, ...]:
    """The members of a list with commas, of which `and` may stand before the last."""
    *before, last = COMMA_BETWEEN.split(name)
    parts = [*before, *(BETWEEN.split(last) if before else [last])]
    return tuple(part.strip().casefold() for part in parts)


def refuse_texts(
    players: Sequence[str],
    games: int,
    columns: tuple[str, str] | None,
    teams: str | None,
    file: str,
) -> None:
    """Refuse players that are sentences, of both columns of games, or pages; raises BadData, and
    ChangingTeams where they are lists of members.
    """
    alone = 1 < games <= len(players) / 2  # each name stands once
    if columns and teams != "names" and alone and _are_texts(players, games):
        listed = 2 * sum("," in name for name in players) > len(players)
        if listed and teams is None:
            _refuse_lineups(players, file)
        lists = ', or say teams="commas" (--teams commas) if they are lists of members'
        raise BadData.of(
            "texts_not_players", file=file, one=columns[0], other=columns[1], lists=lists * listed
        )
    if (longest := max(map(len, players))) > LONGEST_TEAM_NAME:
        raise BadData.of("names_too_long", file=file, longest=longest)


def _are_texts(players: Sequence[str], games: int) -> bool:
    """Whether the names of a table are sentences."""
    if sum(name.count(" ") for name in players) < BLANKS_EACH * len(players):
        return False
    sentences = sum(name.endswith((".", "!", "?")) and name.count(" ") > 2 for name in players)
    return games >= FEWEST_TEXTS or 4 * sentences >= len(players)


FEWEST_TEXTS, BLANKS_EACH = 10, 3  # games without full stops, and blanks in a text on average
LONGEST_TEAM_NAME = 200  # characters; a side of a thousand members is a list, not a text


def _teams_note(teams: Mapping[str, tuple[str, ...]]) -> str:
    return (
        f"names such as {quote(next(iter(teams)))} are teams of changing partners: each player is "
        'rated; teams="names" (--teams names) rates each name as one player'
    )


def _are_players(teams: Mapping[str, tuple[str, ...]], known: Collection[str]) -> bool:
    """Whether the members of all teams are players elsewhere in the table."""
    return all(member in known for members in teams.values() for member in members)


def _partners_change(teams: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether all teams are of one size, or of three and more members, and at least half of the
    members have several teams.
    """
    of_member: dict[str, set[frozenset[str]]] = {}
    for members in teams.values():
        for member in members:
            of_member.setdefault(member, set()).add(frozenset(members))
    changing = sum(len(each) > 1 for each in of_member.values())
    sizes = {*map(len, teams.values())}
    return (len(sizes) == 1 or min(sizes) > 2) and changing * 2 >= len(of_member)


def split_members(text: str, commas: bool = False) -> tuple[str, ...]:
    """The names that a text such as `Ann & Bob` joins, empty where nothing stands beside a mark."""
    parts = COMMA_BETWEEN.split(text) if commas else [text]
    return tuple(name.strip() for part in parts for name in BETWEEN.split(part))


def split_notes(joined: bool, roster: Sequence[str]) -> Iterator[str]:
    """Notes on names that were to be split: that none was, and that some have a comma.

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
            f"{len(more) + 1:,} names such as {quote(first)} hold a comma and are one player each"
        )
    else:
        names = f"{quote(first)} holds a comma and is one player"
    yield f'{names}: teams="commas" (--teams commas) splits them'


def _members(name: str) -> tuple[str, ...]:
    """The members of a team without regard to case, empty where the name is none."""
    parts = tuple(map(str.casefold, split_members(name)))
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


# Names that stand for whoever played: several people as one player.


MOST_NAMES = 50_000  # of a roster in which names are looked at
STAND_INS = words_for("stand_in")


def stand_in_note(players: Sequence[str]) -> Suspicion | None:
    """The note on names that may stand for several people; None where there are none."""
    if len(players) > MOST_NAMES:
        return None
    found = [name for name in players if name.casefold() in STAND_INS]
    if not found:
        return None
    shown = ", ".join(map(quote, found))
    return Suspicion(
        f"{shown} may stand for several people and is one player: exclude= (--exclude) leaves "
        "the rows out",
        f"{shown} may be several people",
    )
