"""Find names that look alike, and names that may be teams.

Two names look alike where they differ by case, accents, characters that show nothing or the order
of their words only, or by one letter that one has and the other has not, or has otherwise. Not so
names whose digits differ (Player 1, Player 2) or whose differing letter stands first (Zambia,
Gambia) or alone (Team A, Team B), names of fewer than five letters that differ by a letter, names
with more than two such neighbours (a series), and pairs that met in a game or a contest: those are
two players. Names that differ by marks at their ends only ([1] Ana, Ana (WC)) look alike as well.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from prowess.games.errors import BadData, ChangingTeams, Suspicion, quote
from prowess.games.games import Games, players_of
from prowess.games.names import Roster

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


MOST_NAMES = 50_000  # of a roster in which such names are sought; 0.2 s
SHOWN = 5  # pairs that a note names
LOOKED_AT = 200  # pairs of which it is found out whether they met
LEAST_LETTERS = 5  # of names that differ by a letter
MOST_TWINS = 2  # of one name; names with more are a series
PARTS = re.compile(r"[^\s,]+")
JOINS = re.compile(
    r"[&+/;@]| (?:and|und|u|et|y|ed?|og|och|oraz|i|en|vs?)\.? "
)  # in teams and the like the order may count
BASE = 0x9E3779B97F4A7C15  # odd, so that it can be divided by among numbers of 64 bits
INVERSE = pow(BASE, -1, 1 << 64)


def look_alike_note(table: Games) -> Suspicion | None:
    """The note about names of a table that look alike; None where there are none."""
    players, names = players_of(table), table.players
    pairs, own = look_alikes(players), len(players)
    if own < len(names):  # `Nadal@clay` beside `Nadall@clay` says no more than their players do
        others = [(a + own, b + own) for a, b in look_alikes(names[own:])]
        pairs += [
            (a, b) for a, b in others
            if "@" not in names[a] or names[a].split("@")[-1] != names[b].split("@")[-1]
        ]  # fmt: skip
    pairs = [*_never_met(table, pairs), *_pairs_by_marks(table, players)]
    if not (pairs := sorted({*pairs})):
        return None
    shown = ", ".join(f"{quote(names[a])}/{quote(names[b])}" for a, b in pairs[:SHOWN])
    more = f" and {len(pairs) - SHOWN:,} more" if len(pairs) > SHOWN else ""
    return Suspicion(
        f"these names look alike and count as different players: {shown}{more}",
        f"{shown}{more} look alike",
    )


def _pairs_by_marks(table: Games, players: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of names that differ by marks such as `[1]` and `(WC)`, of players who never met."""
    if len(players) > MOST_NAMES:
        return []
    found = []
    for group in differ_by_marks(players)[:LOOKED_AT]:
        first, *others = group
        pairs = [(first, other) for other in others]
        near = [*pairs, *pairwise(others)][:LOOKED_AT]
        if len(_never_met(table, near)) == len(near):
            found += pairs
    return found


def look_alikes(names: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of names that look alike, by their ids; none of a roster of more than 50,000."""
    if not 1 < len(names) <= MOST_NAMES:
        return []
    text = "\0".join(names).casefold()
    if not text.isascii():
        text = "".join(
            letter
            for letter in unicodedata.normalize("NFKD", text)
            if not unicodedata.combining(letter) and unicodedata.category(letter) != "Cf"
        )  # Cf: characters that show nothing, such as a zero-width space
    folded = text.split("\0")  # without case and accents
    if len(folded) != len(names):  # a name holds the separator
        folded = list(names)
    pairs = []
    number: dict[str, int] = {}
    for at, name in enumerate(folded):
        if (first := number.setdefault(name, at)) != at:
            pairs.append((first, at))
    turned: dict[str, int] = {}
    for name, at in number.items():
        if len(parts := PARTS.findall(name)) > 1 and not JOINS.search(name):
            same = turned.setdefault(" ".join(sorted(parts)), at)
            if same != at and min(map(len, parts)) > 1:
                pairs.append((same, at))
    del text, folded, turned  # memory counts here, beside the columns of a long table
    number = {name: at for name, at in number.items() if len(name) >= LEAST_LETTERS}
    if len(number) > 1:
        ids = list(number.values())
        near = [(ids[a], ids[b]) for a, b in _one_letter_apart(list(number))]
        pairs += [(min(pair), max(pair)) for pair in near]
    return sorted(pairs)


def _one_letter_apart(names: list[str]) -> list[tuple[int, int]]:
    """Pairs of different names that differ by one letter.

    Each name is looked up without each of its letters in turn, by a polynomial of the others:
    two names that agree so differ in that letter, and a name that agrees with a whole one has one
    letter more.
    """
    length = np.array([len(name) for name in names], np.int64)
    text = "".join(names)
    code = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    letters, kind = np.unique(code, return_inverse=True)
    digit = np.array([chr(letter).isdigit() for letter in letters.tolist()], np.bool_)[kind]
    of_word = np.array([chr(letter).isalnum() for letter in letters.tolist()], np.bool_)[kind]
    end = np.cumsum(length)
    start = end - length
    name = np.repeat(np.arange(len(names)), length)
    place = np.arange(len(code)) - start[name]
    joins_left, joins_right = np.zeros((2, len(code)), np.bool_)
    joins_left[1:] = of_word[1:] & of_word[:-1] & (place[1:] > 0)
    joins_right[:-1] = joins_left[1:]
    counted = of_word & ~digit
    count = np.bincount(name[counted], minlength=len(names))
    alone = of_word & ~joins_left & ~joins_right
    power = np.cumprod(np.full(int(length.max(initial=0)), BASE, np.uint64))
    term = (code.astype(np.uint64) + np.uint64(1)) * power[place]
    total = np.concatenate((np.zeros(1, np.uint64), np.cumsum(term)))
    whole = total[end] - total[start]
    at = np.flatnonzero((place > 0) & ~digit & ~alone & (count[name] >= LEAST_LETTERS))
    before = total[at] - total[start[name[at]]]
    after = total[end[name[at]]] - total[at + 1]
    without = before + after * np.uint64(INVERSE)

    mixed = without * np.uint64(BASE) + place[at].astype(np.uint64)
    mixed = mixed * np.uint64(BASE) + length[name[at]].astype(np.uint64)
    order = np.argsort(mixed, kind="stable")
    group = np.concatenate(([0], np.cumsum(mixed[order][1:] != mixed[order][:-1])))
    size = np.bincount(group) if len(order) else np.zeros(0, np.int64)
    pairs = []
    for first in np.flatnonzero((size > 1) & (size <= 1 + MOST_TWINS)).tolist():
        low, high = np.searchsorted(group, [first, first + 1]).tolist()
        several = name[at[order[low:high]]].tolist()
        pairs += [(a, b) for k, a in enumerate(several) for b in several[k + 1 :]]
    by_whole = np.argsort(whole, kind="stable")
    found = np.minimum(np.searchsorted(whole[by_whole], without), len(names) - 1)
    shorter = by_whole[found]
    agrees = (
        (whole[shorter] == without)
        & (length[shorter] == length[name[at]] - 1)
        & (count[shorter] >= LEAST_LETTERS)
    )
    pairs += zip(shorter[agrees].tolist(), name[at[agrees]].tolist(), strict=True)
    pairs = [(a, b) for a, b in dict.fromkeys(pairs) if a != b]
    twins = np.bincount(np.array(pairs, np.int64).ravel(), minlength=len(names))
    return [(a, b) for a, b in pairs if max(twins[a], twins[b]) <= MOST_TWINS]


def _never_met(table: Games, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pairs, of the first of them, that met in no game and no contest."""
    pairs = pairs[:LOOKED_AT]
    if not pairs:
        return []
    if table.duels:
        a, b = table.a.astype(np.int64), table.b.astype(np.int64)
        met = np.minimum(a, b) * len(table.players) + np.maximum(a, b)
        wanted = np.array([min(pair) * len(table.players) + max(pair) for pair in pairs])
        fresh = ~np.isin(wanted, met)
        return [pair for pair, never in zip(pairs, fresh.tolist(), strict=True) if never]
    contest = table.contest_of_member
    return [
        (a, b)
        for a, b in pairs
        if not len(np.intersect1d(contest[table.player == a], contest[table.player == b]))
    ]


# Names that differ by a mark only: `[1] Ana` and `[2] Ana`, `Cleo (WC)`, `GM Alder`.


TITLE = re.compile(
    r"(?:w?[gifcn]m|a[gifc]m|dr|prof|mr|mrs|ms|herr|frau|sir)\.?\s+(?=\S{2})", re.IGNORECASE
)
IN_FRONT = re.compile(r"[\[(](?P<mark>[^\[\]()]{1,12})[\])]\s*|#\s?(?P<number>\d{1,3})\s+")
BEHIND = re.compile(r"\s*[\[(](?P<mark>[^\[\]()]{1,12})[\])]$|\s*[*†‡]+$")
ENTRIES = frozenset(
    ["wc", "q", "ll", "pr", "alt", "se", "sr", "c", "cap", "h", "host", "ret"]
)  # how a player came in
MARKED = re.compile(rf"[\[(#*†‡]|(?:^|\0){TITLE.pattern}", re.IGNORECASE)


def differ_by_marks(names: Sequence[str]) -> list[list[int]]:
    """Groups of names that are the same without marks at their ends, by their ids.

    Two names of different words in brackets, (Berlin) and (Wien), are two players.
    """
    if not MARKED.search("\0".join(names)):
        return []
    groups: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for at, name in enumerate(names):
        bare, mark = _split_mark(name)
        groups[bare.casefold()].append((at, mark.casefold()))
    found = []
    for group in groups.values():
        words = {mark for _, mark in group if mark and _is_of_player(mark)}
        ids = [at for at, mark in group if not (len(words) > 1 and mark in words)]
        if len(ids) > 1:
            found.append(ids)
    return found


def _is_of_player(mark: str) -> bool:
    """Whether a mark may tell two players of one name apart: a town, a club, a size (13B)."""
    return mark not in ENTRIES and any(map(str.isalpha, mark)) and len(mark) > 1


def _split_mark(name: str) -> tuple[str, str]:
    """A name without marks at its ends, and the last of them."""
    bare, mark = TITLE.sub("", name, count=1) if TITLE.match(name) else name, ""
    for form in (IN_FRONT, BEHIND):
        found = form.match(bare) if form is IN_FRONT else form.search(bare)
        if found is None:
            continue
        rest = bare[found.end() :] if form is IN_FRONT else bare[: found.start()]
        if any(map(str.isalpha, rest)):
            bare, mark = rest, next(filter(None, found.groupdict().values()), "*")
    return bare.strip(), mark.strip()


# Names such as `Ann & Bob` may be teams or names of clubs ("Brighton & Hove Albion") and models
# ("maker/model"). They are teams where members change: the same two stand in both orders, or
# members stand first in one name and second in another.

BETWEEN = re.compile(  # the stroke of w/o, a word for a bye, stands between no names
    r"\s*(?:[&+;]|(?<!\bw)/|/(?!o\b))\s*|\s+(?:and|und|et|y|e|og|och|oraz|(?-i:i|en|u|ed))\s+|"
    r"\s+(?-i:u)\.\s*",
    re.IGNORECASE,
)
MARKS = (
    b"&", b"/", b"+", b";", b" and ", b" AND ", b" und ", b" u.", b" u ", b" et ", b" y ",
    b" e ", b" ed ", b" og ", b" och ", b" i ", b" oraz ", b" en ",
)  # fmt: skip
JOINED_BY = '& / + ; or "and"'
MARK = re.compile(b"|".join(map(re.escape, MARKS)))
MOST = 100_000  # names with a mark between; more are no teams of people, and take seconds
TWO_PLACES = 2  # members that stand in different places, before names are taken for teams
REMEDY = (
    'say teams="members" (--teams members) to rate each player of a team, or teams="names" '
    "(--teams names) to rate each name as one player as it stands"
)


def team_name_note(roster: Sequence[str], file: str = "") -> str | None:
    """A note on names that may be teams, None if there is none.

    Raises ChangingTeams where all are, of partners who change, and BadData where most may be.
    """
    assert isinstance(roster, Roster)
    if not any(mark in roster.buffer for mark in MARKS):  # this is quick, to find them is not
        return None
    teams = {name: members for name in _names_with_mark(roster) if (members := _members(name))}
    if not teams:
        return None
    spelt = ""
    for name, same in _alike(teams):
        one, other = quote(same), quote(name)
        if teams[name] != teams[same]:
            what = f"{one} and {other} are one team and would be two players"
            raise BadData(what, file=file or None, remedy=REMEDY)
        spelt = f"{one} and {other} are alike and are rated as two players"
    places: dict[str, dict[int, str]] = {}  # of each member: a name by the place it has there
    for name, members in teams.items():
        for place, member in enumerate(members):
            places.setdefault(member, {}).setdefault(place, name)
    moving = [found for found in places.values() if len(found) > 1]
    if len(moving) >= TWO_PLACES:
        if len(teams) == len(roster) and _partners_change(teams):
            raise ChangingTeams(
                f"names such as {quote(next(iter(teams)))} are teams of changing partners: each "
                'player is rated; teams="names" (--teams names) rates each name as one player'
            )
        one, other = map(quote, list(moving[0].values())[:2])
        raise BadData(
            f"the names are teams of changing players: {one} and {other} have one in common",
            file=file or None,
            remedy=REMEDY,
        )
    shared = _sharing({name: members for name, members in teams.items() if "/" not in name})
    if not spelt and (moving or shared):
        one, other = map(quote, shared or list(moving[0].values())[:2])
        return f"{one} and {other} share a part and are rated as two players"
    return spelt or None


def _partners_change(teams: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether all teams are of one size, and at least half of the members have several teams."""
    of_member: dict[str, set[frozenset[str]]] = {}
    for members in teams.values():
        for member in members:
            of_member.setdefault(member, set()).add(frozenset(members))
    changing = sum(len(each) > 1 for each in of_member.values())
    return len({*map(len, teams.values())}) == 1 and changing * 2 >= len(of_member)


def split_members(text: str) -> tuple[str, ...]:
    """The names that a text such as `Ann & Bob` joins, empty where nothing stands beside a mark."""
    return tuple(part.strip() for part in BETWEEN.split(text))


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
    yield f"{names}: names are joined by {JOINED_BY}, not by commas"


def _names_with_mark(roster: Roster) -> list[str]:
    """The names with a mark that may stand between the members of a team."""
    at = np.fromiter((found.start() for found in MARK.finditer(roster.buffer)), np.int64)
    rows = np.unique(np.searchsorted(roster.ends, at, side="right"))
    return [] if len(rows) > MOST else [roster[int(row)] for row in rows]


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
