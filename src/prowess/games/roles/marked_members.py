"""Columns of the members of sides that have a word of their side and are alike in all else:
`blue_p1`, `blue_p2`, `orange_p1`, `orange_p2`, or `Blue Top`, `Blue Mid`, `Red Top`, `Red Mid`.

The word of a side is a colour or another known side, or one under which the points of the sides
stand, or from which the winners are told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from prowess.games.roles.evidence import MOST
from prowess.games.roles.member_columns import (
    MEMBERS,
    PARTNERS,
    POSITIONS,
    STRONG_SIDES,
    TEAMS,
    MemberColumns,
)
from prowess.games.roles.named_players import is_of_official
from prowess.games.twin_headings import marks_of_twins
from prowess.games.vocabulary import SIDED, fold_letters, read_heading
from prowess.games.words import words_for

if TYPE_CHECKING:
    from prowess.games.roles.evidence import TableEvidence

ROLES = POSITIONS | words_for("role_in_team")  # of the members of a side
COLOURS = words_for("colour")  # of sides that have no advantage
OF_OTHERS = words_for("playing_place", "no_member")
OF_GAMES = frozenset({"round", "match", "games", "league", "season", "occasion", "result"})
FEWEST = 4  # columns of two sides
OF_ALL = ROLES | TEAMS | MEMBERS | frozenset(PARTNERS)  # words that members of both sides have
DECIDED = frozenset(word for word, sides in STRONG_SIDES.items() if sides & {"winner", "loser"})
Words = tuple[str, ...]


def members_by_marks(names: Sequence[str], evidence: TableEvidence) -> list[MemberColumns]:
    """The columns of members whose headings differ by the word of their side, at least two of
    each side; none where two pairs of words may be those of sides.
    """
    if sum(len(read_heading(name).words) > 1 for name in names) < FEWEST:
        return []
    by_word: dict[str, dict[Words, str]] = defaultdict(dict)
    others = []
    for name in names:
        words = read_heading(name).words
        if len(words) < 2 or not evidence[name].filled or evidence[name].words < MOST:
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
            found.append(MemberColumns((first, second), sided, won=False))
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
        if heading.spoiled or heading.subjects & OF_GAMES or words & OF_OTHERS:
            continue
        if "id" in heading.subjects and own.keys() - {rest}:  # team_a_key beside team_a
            continue
        numbered = [word for word in words if word.isdigit() or word in ROLES]
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
    by_role = all(rest & ROLES and rest <= OF_ALL for rest in bare)  # t1_top, t2_top
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
    if all(MEMBERS & {*rest} for rest in rests):  # north_player1 beside south_player1
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
        if name in taken or len(heading.words) < 2 or evidence[name].words < MOST:
            continue
        if is_of_official(heading):
            continue
        if not any(evidence.share_names(each, name) for each in twins):
            continue
        rows = zip(evidence.rows[name], *(evidence.rows[each] for each in taken), strict=True)
        inside = sum(cell in players for cell, *players in rows)
        if 2 * inside < evidence[name].filled:
            yield name
