"""Columns of the members of sides, by their headings: a1, a2, b1, b2, or winner1, winner2, loser1.

And columns that say something of each side, such as car_a and car_b, by what they have in common.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, count, takewhile
from typing import NamedTuple

from prowess.games.layout import Layout
from prowess.games.reading import format_option
from prowess.games.roles.candidates import turn_to_players
from prowess.games.roles.evidence import MOST_FIT, TableEvidence, is_of_official
from prowess.games.roles.headings import NEUTRAL_PAIRS
from prowess.games.values import plain_form
from prowess.games.vocabulary import (
    FAMILIES,
    KNOWN_WORDS,
    SIDED,
    WEAK,
    marks_of_twins,
    pairs_for,
    read_heading,
    split_heading,
    words_for,
)

STRONG_SIDES = {  # words that name a side, whatever stands beside them
    word: known.sides
    for word, known in KNOWN_WORDS.items()
    if len(known.sides) == 1 and not known.sides & WEAK
}
WINNERS = (("winner", "loser"), ("w", "l"))
SHARE_SUFFIX = "share"
SIDE_STEMS = (*pairs_for("pair_of_sides"), ("player", "opponent"), ("team", "opponent"))


Words = tuple[str, ...]


class MemberColumns(NamedTuple):
    """The columns of the members of both sides, and what their headings say of the sides."""

    sides: tuple[tuple[str, ...], tuple[str, ...]]
    sided: bool  # the first side has White or is at home
    won: bool  # the first side has won


TEAMS = words_for("team") | {"t"}
MEMBER_WORDS = words_for("member")
PARTNERS = frozenset({"partner", "teammate"})
COLOURS = words_for("colour")  # of sides that have no advantage
ROLES_IN_TEAM = words_for("position_in_team", "role_in_team") | PARTNERS
FIRST_OR_SECOND = {"1": "first", "a": "first", "left": "first",
                   "2": "second", "b": "second", "right": "second"}  # fmt: skip
OF_ROWS = ("own", "opponent")  # player1, player2, opponent1, opponent2
KINDS_OF_WORDS = {  # letters that stand for the words of a heading in `MEMBER_FORMS`
    "s": STRONG_SIDES.keys() | COLOURS, "t": TEAMS, "r": ROLES_IN_TEAM, "p": {"player"},
    "1": frozenset("12"), "a": frozenset("ab"), "c": frozenset("cd"),
    "l": {word for word in FIRST_OR_SECOND if len(word) > 1},
    "m": MEMBER_WORDS | {a[:-1] for a, b in NEUTRAL_PAIRS if a[:-1] == b[:-1]},
}  # fmt: skip
MEMBER_FORMS = [  # where the word of the side stands, and that of the member
    re.compile(form.replace("SIDE", "(?P<side>[1a])").replace("NUMBER", "(?P<member>[19ac])"))
    for form in (
        r"[tmpr]*(?P<side>s)[tmpr]*NUMBER[tmp]*",  # Heim Spieler 1, winner1_name
        r"[tmpr]*NUMBER[tmp]*(?P<side>s)[tmp]*",
        r"[tmp]*(?P<side>s)[tmp]*(?P<member>r)[tmp]*",  # Red Defense
        r"[tmp]*(?P<member>r)[tmp]*(?P<side>s)[tmp]*",
        r"tSIDE[mpr]NUMBER",  # Team 1 Spieler 2
        r"[mpr]NUMBERtSIDE",
        r"t?SIDE(?P<member>r)",  # t1_top
        r"(?P<member>[pr])SIDE",  # Attack 1; player_a, partner_a
        r"[tmp]*(?P<side>[1al])[tmp]*(?P<member>[19])m?",  # a1, player_a_1, p1_1
    )
]


def members_by_words(headings: Mapping[str, str]) -> list[MemberColumns]:
    """The columns of members by the words of their headings, at least two of one side, or one that
    has a share: `a1`, `Team 1 Spieler 2`, `player2_team1`, `Red Defense`; `headings` by plain form.
    """
    groups: dict[Words, dict[str, dict[int | str, str]]] = defaultdict(lambda: defaultdict(dict))
    for name in headings.values():
        for kind, side, member in _read_member(split_heading(name)):
            groups[kind][side].setdefault(member, name)
    found = []
    for sides in groups.values():
        pair = next((pair for pair in (*FAMILIES, OF_ROWS) if {*pair} == {*sides}), None)
        if len(sides) == 2 and (COLOURS | {"blue", "red", "orange"}) & sides.keys():
            pair = tuple(sides)  # type: ignore[assignment]  # in the order of the table
        if pair is None:
            continue
        alike = sides[pair[0]].keys() == sides[pair[1]].keys()
        first, second = (
            [held[n] for n in takewhile(held.__contains__, count(1))]
            or [held[n] for n in sides[pair[0]] if alike and isinstance(n, str)]
            for held in map(sides.__getitem__, pair)
        )
        several = len(first + second) > 2 or share_columns(headings, (first, second))
        if first and second and several:
            both = tuple(first), tuple(second)
            found.append(MemberColumns(both, pair in SIDED, pair == ("winner", "loser")))
    return found


def _read_member(words: Sequence[str]) -> Iterator[tuple[Words, str, int | str]]:
    """Of a heading its other words, the side, and which member of it, by number or position, in
    every way in which it may be read.
    """
    kinds = "".join(
        next(
            (kind for kind, known in KINDS_OF_WORDS.items() if word in known),
            "9" if word.isdigit() else "-",
        )
        for word in words
    )
    if found := next(filter(None, (form.fullmatch(kinds) for form in MEMBER_FORMS)), None):
        at, of = found.start("side"), found.start("member")
        side, member = words[at], words[of]
        (side,) = STRONG_SIDES.get(side) or [FIRST_OR_SECOND.get(side, side)]
        others = tuple(word for n, word in enumerate(words) if n not in {at, of})
        if kinds[of] in "19ac":
            yield others, side, " abcd".find(member) if member.isalpha() else int(member)
        else:
            yield ("role",), side, member
    if len(kinds) == 2 and kinds[0] in "tmp" and kinds[1] in "19":
        yield (), OF_ROWS[0], int(words[1])
        if words[1][0] in FIRST_OR_SECOND and len(words[1]) == 2:  # player12
            yield (words[0],), FIRST_OR_SECOND[words[1][0]], int(words[1][1])


def share_columns(
    headings: Mapping[str, str], sides: Sequence[Sequence[str]]
) -> tuple[tuple[str | None, ...], ...]:
    """The columns that say how much members took part, such as a1_share; empty without any.

    A member has None where no column says it: the member took part in all of it.
    """
    found = tuple(
        tuple(
            headings.get(plain_form(name) + SHARE_SUFFIX)
            or headings.get(SHARE_SUFFIX + plain_form(name))
            for name in side
        )
        for side in sides
    )
    return found if any(name for side in found for name in side) else ()


def pairs_of(
    name: str, headings: Mapping[str, str], a: str, b: str, winners: bool
) -> list[tuple[str, str]]:
    """Two columns that may say `name` of the sides whose players stand in columns a and b."""
    base, found = plain_form(name), []
    for first, second in WINNERS if winners else SIDE_STEMS:
        for one, other in ((first + base, second + base), (base + first, base + second)):
            if one in headings and other in headings:
                found.append(turn_to_players(a, b, (headings[one], headings[other])))
    return list(dict.fromkeys(found))


# Columns of players whom a guess of the sides leaves over: player3, c1, a4 after a2, partner_a.
#
# Such a table is refused where one of these columns holds a name: a player would vanish without a
# word. Nothing is sought where the caller names the columns of the sides.


Sides = Sequence[Sequence[str]]


class Mark(NamedTuple):
    """Of a heading its words without `name`, its single letters and its numbers."""

    words: Words
    letters: Words
    numbers: tuple[int, ...]

    def follows(self, side: Mark, known: Collection[Mark]) -> bool:
        """Whether a heading counts on from that of a side, such as `a4` and `c1` from `a1`, and
        `home2` from `home`; letters are counted without a gap.
        """
        if self.words != side.words or not any(side):
            return False
        if self.letters == side.letters:
            numbers = side.numbers or (1,)
            return self.numbers > numbers and len(self.numbers) == len(numbers)
        alike = len(self.letters) == len(side.letters) and len(self.numbers) == len(side.numbers)
        return alike and all(
            self._replace(letters=tuple(each if x == letter else x for x in self.letters)) in known
            for letter in {*self.letters} - {*side.letters, "a", "b"}
            for each in map(chr, range(ord("b"), ord(letter)))
        )


def read_mark(name: str) -> Mark:
    """The words and the marks of a heading."""
    words = [word for word in split_heading(name) if word != "name"]
    letters = [word for word in words if len(word) == 1 and not word.isdigit()]
    numbers = [int(word[:9]) for word in words if word.isdigit()]
    rest = (word for word in words if word not in letters and not word.isdigit())
    return Mark(tuple(rest), tuple(letters), tuple(numbers))


def leftover_columns(rest: Sequence[str], sides: Sides, names: Sequence[str]) -> list[str]:
    """The columns of `rest`, which have no role, that look like those of further players: their
    headings count on from those of the sides, or say whose partner they hold.

    `sides` are the columns that were guessed.
    """
    known, taken = {*map(read_mark, names)}, {read_mark(name) for side in sides for name in side}
    owners = PARTNERS | {"player", "team"}.union(*(mark.words for mark in taken))
    found = []
    for name in rest:
        mark = read_mark(name)
        partner = len(sides) > 1 and PARTNERS & {*mark.words} and owners >= {*mark.words}
        if partner or (mark not in taken and any(mark.follows(side, known) for side in taken)):
            found.append(name)
    return found


def players_of(layout: Layout) -> tuple[str, ...]:
    return (layout.player,) if layout.kind == "contests" else (layout.a, layout.b)


def name_left_over(layout: Layout) -> str:
    """The option that names the members of all sides, as far as headings tell."""
    given = [list(side) for side in layout.sides] or [[name] for name in players_of(layout)]
    if layout.kind == "contests":
        every = [*given[0], *layout.leftover]
        return f"name the columns of all members with {format_option('player', every)}"
    winners = layout.form == "winner and loser"
    roles = ("winner", "loser") if winners else ("player_a", "player_b")
    known = [*map(format_option, roles, _shared_out(given, layout.leftover))]
    told = known or [f"{role}= (--{role.replace('_', '-')})" for role in roles]
    return f"name the columns of both sides with {' and '.join(told)}"


def _shared_out(given: list[list[str]], leftover: Sequence[str]) -> list[list[str]]:
    """The sides with what is left over, by the words that tell them apart, or of player1 to player4
    by halves; empty where headings do not tell it.
    """
    first, second = ({*split_heading(side[0])} for side in given)
    own, found = (first - second, second - first), [list(side) for side in given]
    for name in leftover:
        of_first, of_second = (bool(words & {*split_heading(name)}) for words in own)
        if of_first is of_second:
            every = [*given[0], *given[1], *leftover]
            numbered = len({read_mark(name)[:2] for name in every}) == 1
            half = len(every) // 2
            return [every[:half], every[half:]] if numbered and len(every) == 2 * half else []
        found[of_second].append(name)
    return found


# Columns of members whose headings have a word of their side and are alike in all else, and whose
# names stand under several of them: `cat rider`, `cat gunner`, `owl rider`, `owl gunner`.
#
# The word of a side is a colour or another known side, or one under which the points of the sides
# stand, or from which the winners are told.


NO_MEMBERS = words_for("playing_place", "no_member")
SUBJECTS_OF_GAMES = frozenset({"round", "match", "games", "league", "season", "occasion", "result"})
FEWEST_MEMBER_COLUMNS = 4  # columns of two sides
OF_ALL = ROLES_IN_TEAM | TEAMS | MEMBER_WORDS  # words that members of both sides have
DECIDED = frozenset(word for word, sides in STRONG_SIDES.items() if sides & {"winner", "loser"})


def members_by_marks(names: Sequence[str], evidence: TableEvidence) -> list[MemberColumns]:
    """The columns of members whose headings differ by the word of their side, at least two of
    each side; none where two pairs of words may be those of sides.
    """
    if sum(len(read_heading(name).words) > 1 for name in names) < FEWEST_MEMBER_COLUMNS:
        return []
    by_word: dict[str, dict[Words, str]] = defaultdict(dict)
    others = []
    for name in names:
        words = read_heading(name).words
        if len(words) < 2 or not evidence[name].filled or evidence[name].words < MOST_FIT:
            others.append(name)
            continue
        for at, word in enumerate(words):
            by_word[word][(*words[:at], "", *words[at + 1 :])] = name
    marks = (marks_of_twins(read_heading(x), read_heading(y)) for x, y in combinations(others, 2))
    told = [{*each} for each in marks if each] + [evidence[name].names for name in others]
    known = STRONG_SIDES.keys() | COLOURS
    found = []
    for pair in combinations(by_word, 2):
        one, other = map(by_word.__getitem__, pair)
        rests, others_rests = (
            [rest for rest in own if _holds_members(rest, own, (one, other), evidence)]
            for own in (one, other)
        )
        if len(rests) < 2 or {*rests} != {*others_rests}:
            continue
        if DECIDED & {*pair} or any(map(str.isdigit, pair)):
            continue
        if not {*pair} <= known and (OF_ALL & {*pair} or not (
            any({*pair} <= each for each in told) or all(MEMBER_WORDS & {*rest} for rest in rests)
        )):  # fmt: skip
            continue
        first, second = (tuple(side[rest] for rest in rests) for side in (one, other))
        sided = (*STRONG_SIDES.get(pair[0], ()), *STRONG_SIDES.get(pair[1], ())) in SIDED
        found.append(MemberColumns((first, second), sided, won=False))
    return found if len(found) == 1 else []


def _holds_members(
    rest: Words,
    own: Mapping[Words, str],
    sides: Sequence[Mapping[Words, str]],
    evidence: TableEvidence,
) -> bool:
    """Whether a column of a side holds members: its names stand under another heading of the
    sides as well, as countries and clubs of the players do not.
    """
    heading = read_heading(" ".join(filter(None, rest)))
    of_games = heading.spoiled or heading.subjects & SUBJECTS_OF_GAMES or {*rest} & NO_MEMBERS
    if of_games or ("id" in heading.subjects and len(own) > 1):  # team_a_key beside team_a
        return False
    return any(
        evidence.share_names(own[rest], name)
        for columns in sides for of, name in columns.items() if of != rest
    )  # fmt: skip


def leftover_twins(
    names: Sequence[str], sides: Sequence[Sequence[str]], evidence: TableEvidence
) -> Iterator[str]:
    """Columns that hold players on neither side: one word of the heading is another than in that
    of a column of a side, and most of their names are not those of the row.
    """
    taken = [name for side in sides for name in side]
    for name in names:
        heading = read_heading(name)
        twins = [each for each in taken if marks_of_twins(read_heading(each), heading)]
        if name in taken or len(heading.words) < 2 or evidence[name].words < MOST_FIT:
            continue
        if is_of_official(heading):
            continue
        if not any(evidence.share_names(each, name) for each in twins):
            continue
        rows = zip(evidence.rows[name], *(evidence.rows[each] for each in taken), strict=True)
        inside = sum(cell in players for cell, *players in rows)
        if 2 * inside < evidence[name].filled:
            yield name
