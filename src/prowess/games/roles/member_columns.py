"""Columns of the members of sides, by their headings: a1, a2, b1, b2, or winner1, winner2, loser1.

And columns that say something of each side, such as car_a and car_b, by what they have in common.
"""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from prowess.games.cells.validation import RowError, RowValidation
from prowess.games.columns import BLANKS
from prowess.games.errors import InvalidValue, quote
from prowess.games.layout import Layout
from prowess.games.names import is_bye
from prowess.games.reading import join_columns
from prowess.games.roles.candidates import turn_to_players
from prowess.games.roles.evidence import MOST_FIT, TableEvidence, is_of_official
from prowess.games.roles.headings import AT_HOME, NEUTRAL_PAIRS
from prowess.games.roles.lineups import as_values
from prowess.games.values import DASHES, NUMBER, is_blank, is_missing, plain_form
from prowess.games.vocabulary import (
    FAMILIES,
    SIDED,
    WEAK,
    fold_letters,
    known_words,
    marks_of_twins,
    pairs_for,
    read_heading,
    split_heading,
    words_for,
)

STRONG_SIDES = {  # words that name a side, whatever stands beside them
    word: known.sides
    for word, known in known_words().items()
    if len(known.sides) == 1 and not known.sides & WEAK
}
WINNERS = (("winner", "loser"), ("w", "l"))
MEMBER_STEMS = (
    *sorted(AT_HOME), *sorted(NEUTRAL_PAIRS), ("a", "b"), ("aplayer", "bplayer"),
    ("sidea", "sideb"), ("team1player", "team2player"), ("teamaplayer", "teambplayer"), *WINNERS,
)  # fmt: skip
SHARE_SUFFIX = "share"
BEHIND = ("", "name")  # the number
SIDE_STEMS = (*pairs_for("pair_of_sides"), ("player", "opponent"), ("team", "opponent"))


class MemberColumns(NamedTuple):
    """The columns of the members of both sides, and what their headings say of the sides."""

    sides: tuple[tuple[str, ...], tuple[str, ...]]
    sided: bool  # the first side has White or is at home
    won: bool  # the first side has won
    marked: bool = False  # by a word of the side in headings that are alike in all else


def member_columns(headings: Mapping[str, str]) -> list[MemberColumns]:
    """The columns that may hold members, at least two of one side; `headings` by plain form."""
    found = []
    for stems in MEMBER_STEMS:
        for behind in BEHIND:
            if not all(f"{stem}1{behind}" in headings for stem in stems):
                continue
            first, second = (tuple(_numbered_headings(headings, stem, behind)) for stem in stems)
            sides = first, second
            if len(first) + len(second) > 2 or share_columns(headings, sides):
                found.append(MemberColumns(sides, stems in AT_HOME, stems in WINNERS))
    return found


TEAMS = words_for("team") | {"t"}
MEMBER_WORDS = words_for("member")
POSITIONS = words_for("position_in_team")  # of the players of a team
FIRST_OR_SECOND = {"1": "first", "a": "first", "2": "second", "b": "second"}


def members_by_words(names: Sequence[str]) -> list[MemberColumns]:
    """The columns of members by the words of their headings, at least two of one side: `Team 1
    Spieler 2`, `player2_team1`, `blue_2`, `Heim Spieler 2`.
    """
    groups: dict[tuple[str, ...], dict[str, dict[int, str]]] = {}
    for name in names:
        if found := _member_of(split_heading(name)):
            kind, side, number = found
            groups.setdefault(kind, {}).setdefault(side, {}).setdefault(number, name)
    found_columns = []
    for kind, sides in groups.items():
        pair = next((pair for pair in FAMILIES if {*pair} == {*sides}), None)
        numbered = all([*sorted(side)] == [*range(1, len(side) + 1)] for side in sides.values())
        if kind == ("position",):
            numbered = len({tuple(sorted(side)) for side in sides.values()}) == 1
        if pair is None or not numbered or sum(map(len, sides.values())) < 3:
            continue
        if pair[0] in {"blue", "red"}:  # in the order of the table
            pair = tuple(sides)  # type: ignore[assignment]
        first, second = (tuple(sides[side][n] for n in sorted(sides[side])) for side in pair)
        found_columns.append(
            MemberColumns((first, second), pair in SIDED, pair == ("winner", "loser"))
        )
    return found_columns


def _member_of(words: Sequence[str]) -> tuple[tuple[str, ...], str, int] | None:
    """Of a heading its other words, the side, and which member of it by number or by the name of
    a position; None for no member.
    """
    named = [side for word in words for side in STRONG_SIDES.get(word, ())]
    others = [word for word in words if word not in STRONG_SIDES]
    if len(named) == 1:
        numbers = [number for word in others if (number := _number_member(word))]
        rest = [word for word in others if not _number_member(word)]
        positions = [word for word in rest if word in POSITIONS]
        if not numbers and len(positions) == 1 and {*rest} - POSITIONS <= TEAMS | MEMBER_WORDS:
            return ("position",), named[0], sorted(POSITIONS).index(positions[0])
        if len(numbers) == 1 and {*rest} <= TEAMS | MEMBER_WORDS:
            return tuple(rest), named[0], numbers[0]
        return None
    if named or len(words) != 4:
        return None
    by_word = dict(zip(words[::2], words[1::2], strict=True))
    team = next((by_word[word] for word in by_word if word in TEAMS), "")
    member = next((by_word[word] for word in by_word if word in MEMBER_WORDS), "")
    if len(by_word) == 2 and team in FIRST_OR_SECOND and (number := _number_member(member)):
        return tuple(words[::2]), FIRST_OR_SECOND[team], number
    return None


def _number_member(word: str) -> int:
    """Which member of a side a number or a letter from a to d says, 0 for another word."""
    return int(word) if word.isdigit() else " abcd".find(word) if len(word) == 1 else 0


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


def _numbered_headings(headings: Mapping[str, str], stem: str, behind: str) -> Iterator[str]:
    """The headings stem1, stem2, ..."""
    number = 1
    while (name := f"{stem}{number}{behind}") in headings:
        yield headings[name]
        number += 1


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


PARTNERS = frozenset({"partner", "teammate"})
MEMBERS_SHOWN = 8  # columns of a side that a remedy names
Words = tuple[str, ...]
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


def refuse_leftover(rows: RowValidation, layout: Layout, byes: bool) -> None:
    """Refuse a table in which a column that is left over holds a name; raises BadData.

    A number is none where the player of its row has no number for a name; nor is a dash, nor a bye
    where `byes` are left out.
    """
    player = as_values(rows.columns[layout.sides[0][0] if layout.sides else _players(layout)[0]])
    for name in layout.leftover:
        for row, cell in enumerate(as_values(rows.columns[name]).values):
            if is_missing(cell) or (isinstance(cell, str) and cell.strip(BLANKS) in DASHES):
                continue
            if byes and (is_bye(cell) or is_blank(cell)):
                continue
            if _is_number(cell) and not _is_number(player.values[row]):
                continue
            many = len(layout.leftover) > 1
            fault = InvalidValue(
                f"{quote(cell)} would be left out: column{'s' * many} "
                f"{join_columns(layout.leftover)} {'are' if many else 'is'} on neither side",
                _remedy(layout),
                code="members_left_out",
            )
            raise rows.bad(rows.chunk.line(row), RowError(name, fault))


def _is_number(cell: Any) -> bool:
    return NUMBER.fullmatch(str(cell).strip(" \t")) is not None


def _players(layout: Layout) -> tuple[str, ...]:
    return (layout.player,) if layout.kind == "contests" else (layout.a, layout.b)


def _remedy(layout: Layout) -> str:
    """The option that names the members of all sides, as far as headings tell."""
    given = [list(side) for side in layout.sides] or [[name] for name in _players(layout)]
    if layout.kind == "contests":
        named = shlex.quote(",".join([*given[0], *layout.leftover]))
        return f"name the columns of all members with player= (--player {named})"
    winners = layout.form == "winner and loser"
    roles = ("winner", "loser") if winners else ("player_a", "player_b")
    options = [f"--{role.replace('_', '-')}" for role in roles]
    sides = _shared_out(given, layout.leftover)
    shown = [
        f"{option} {shlex.quote(','.join(side))}" if len(side) <= MEMBERS_SHOWN else option
        for option, side in zip(options, sides or ([], []), strict=True)
        if side
    ]
    return (
        f"name the columns of both sides with {roles[0]}= and {roles[1]}= "
        f"({' '.join(shown) or ', '.join(options)})"
    )


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


# Columns of the members of sides that have a word of their side and are alike in all else:
# `blue_p1`, `blue_p2`, `orange_p1`, `orange_p2`, or `Blue Top`, `Blue Mid`, `Red Top`, `Red Mid`.
#
# The word of a side is a colour or another known side, or one under which the points of the sides
# stand, or from which the winners are told.


ROLES_IN_TEAM = POSITIONS | words_for("role_in_team")  # of the members of a side
COLOURS = words_for("colour")  # of sides that have no advantage
OF_OTHERS = words_for("playing_place", "no_member")
SUBJECTS_OF_GAMES = frozenset({"round", "match", "games", "league", "season", "occasion", "result"})
FEWEST_MEMBER_COLUMNS = 4  # columns of two sides
# words that members of both sides have
OF_ALL = ROLES_IN_TEAM | TEAMS | MEMBER_WORDS | PARTNERS
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
    found = []
    for one, other in combinations(by_word, 2):
        rests = _find_members(by_word[one], by_word[other], evidence)
        if len(rests) < 2 or {*rests} != {*_find_members(by_word[other], by_word[one], evidence)}:
            continue
        if _are_numbers_of_sides(one, other, rests) or _are_sides(
            one, other, rests, others, evidence
        ):
            first, second = (tuple(by_word[word][rest] for rest in rests) for word in (one, other))
            sided = {(*STRONG_SIDES.get(one, ()), *STRONG_SIDES.get(other, ()))} <= SIDED
            found.append(MemberColumns((first, second), sided, won=False, marked=True))
    return found if len(found) == 1 else []


def _find_members(
    own: Mapping[Words, str], others: Mapping[Words, str], evidence: TableEvidence
) -> list[Words]:
    """The columns of one side that hold members: by a number or a position, or because their names
    stand under another heading as well, as countries and clubs of the players do not.
    """
    found = []
    for rest, name in own.items():
        words = {*rest} - {""}
        heading = read_heading(" ".join(words))
        if heading.spoiled or heading.subjects & SUBJECTS_OF_GAMES or words & OF_OTHERS:
            continue
        if "id" in heading.subjects and own.keys() - {rest}:  # team_a_key beside team_a
            continue
        numbered = [word for word in words if word.isdigit() or word in ROLES_IN_TEAM]
        known = all(word.isdigit() or word in OF_ALL for word in words)
        if (known and numbered) or any(
            evidence.share_names(name, each)
            for columns in (own, others) for of, each in columns.items() if of != rest
        ):  # fmt: skip
            found.append(rest)
    return found


def _are_numbers_of_sides(one: str, other: str, rests: Sequence[Words]) -> bool:
    """Whether 1 and 2 are the sides of `Attack 1`, `Defense 1`, `Attack 2`, ..."""
    of_places, bare = POSITIONS | {"player", *PARTNERS}, [{*rest} - {""} for rest in rests]
    by_role = all(rest & ROLES_IN_TEAM and rest <= OF_ALL for rest in bare)  # t1_top, t2_top
    known = by_role or all(rest <= of_places for rest in bare)
    return (one, other) in {("1", "2"), ("a", "b")} and known


def _are_sides(
    one: str, other: str, rests: Sequence[Words], others: Sequence[str], evidence: TableEvidence
) -> bool:
    """Whether two words name the sides."""
    if {one, other} & OF_ALL and not {one, other} <= STRONG_SIDES.keys():
        return False
    if one.isdigit() or other.isdigit() or {one, other} & DECIDED:
        return False
    if {one, other} == {"a", "b"} and any(
        word.isdigit() for rest in rests for word in rest[: rest.index("")]
    ):
        return False  # of `Player 1A` 1 may be the side
    if all(fold_letters(word) in COLOURS or word in STRONG_SIDES for word in (one, other)):
        return True
    if all(MEMBER_WORDS & {*rest} for rest in rests):  # north_player1 beside south_player1
        return True
    told = (marks_of_twins(read_heading(x), read_heading(y)) for x, y in combinations(others, 2))
    if any({*marks} == {one, other} for marks in told if marks):
        return True
    return any({one, other} <= evidence[name].names for name in others)


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
