"""Headings of the points of both sides: exact ones in plain form, and by their words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prowess.games.values import plain_form
from prowess.games.vocabulary import (
    SHORTEST,
    SIDE_WORDS,
    SPOILERS,
    SUBJECT_WORDS,
    HeadingMeaning,
    marks_of_twins,
    read_heading,
)
from prowess.games.words import pairs_for, words_for

LETTERS_OF_POINTS = frozenset("gpstbr")  # goals, points, score or sets, Tore, bramki, reti
OF_SETS = words_for("set_column")  # before legs
OF_POINTS = ("sets", "games", "points")  # the first decides where a table has several
OF_MERGES = frozenset({"x", "y"})  # the marks of the two tables that pandas has merged

POINTS_OF_BOTH = {
    pair
    for first, second in (*pairs_for("pair_of_sides"), ("winner", "loser"))
    for what in ("score", "goals", "points", "runs")
    for pair in ((first + what, second + what), (what + first, what + second))
} | {*pairs_for("pair_of_points")}
SETS_OF_WINNERS = ("wsets", "lsets")
POINTS_OF_WINNERS = {SETS_OF_WINNERS, *pairs_for("pair_of_points_won")}
POINTS_OF_OWN = pairs_for("pair_of_points_for")  # of the team of a row and of its opponent


_FOR, _AGAINST = words_for("own"), words_for("against") | {"con"}  # short for contra


def points_for_and_against(
    headings: Sequence[HeadingMeaning], fits: Callable[[str], bool]
) -> list[tuple[str, str]]:
    """The points of a row's own side and of the other, such as GF and GC, `Shots for` and
    `Shots agst`.
    """
    plain = {plain_form(each.name): each.name for each in headings}
    exact = [
        (plain[own], plain[other])
        for own, other in POINTS_OF_OWN
        if own in plain and other in plain and fits(plain[own]) and fits(plain[other])
    ]
    return exact or [
        (x.name, y.name) for x in headings for y in headings
        if (marks := marks_of_twins(x, y)) and marks[0] in _FOR and marks[1] in _AGAINST
        and fits(x.name) and fits(y.name)
    ]  # fmt: skip


def points_by_marks(headings: Sequence[HeadingMeaning], a: str, b: str) -> list[tuple[str, str]]:
    """Points under headings with the words that tell those of the players apart, such as `north`
    and `south`, or with the `_x` and `_y` of a merge.
    """
    first, second = ({*read_heading(name).words} for name in (a, b))
    words = {word for subject in (*OF_POINTS, "result") for word in SUBJECT_WORDS[subject]}
    known = [each for each in headings if words & {*each.words}]
    told = [
        (x.name, y.name, marks) for x in known for y in known
        if (marks := marks_of_twins(x, y))
        and not {*x.words} - {*marks} - (first & second) & SPOILERS
    ]  # fmt: skip
    own, others = first - second, second - first
    found = [(x, y) for x, y, (one, other) in told if one in own and other in others]
    return found or [(x, y) for x, y, marks in told if marks == ("x", "y")]


def turn_to_players(a: str, b: str, points: tuple[str, str]) -> tuple[str, str]:
    """Two columns of points in the order of the players in columns a and b: a score belongs to the
    side that its heading names, wherever the columns stand.

    >>> turn_to_players("Team B", "Team A", ("Score A", "Score B"))
    ('Score B', 'Score A')
    """
    first, second, one, other = map(read_heading, (a, b, *points))
    marks, own = marks_of_twins(one, other), marks_of_twins(first, second)
    by_sides = bool(
        one.sides & (second.sides - first.sides) and other.sides & (first.sides - second.sides)
    )
    against = marks is not None and own is not None and marks == own[::-1]
    return points[::-1] if against or by_sides else points


def says_result(heading: HeadingMeaning) -> bool:
    """Whether nothing in a heading such as `final score` speaks of other scores."""
    return not (heading.unknown or heading.spoiled) and OF_MERGES.isdisjoint(heading.words)


def choose_twins(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Of several pairs those whose headings differ by the side alone; sets go before legs."""
    if len(pairs) < 2:
        return pairs
    sides = {word for words in SIDE_WORDS.values() for word in words}
    words = {name: {*read_heading(name).words} - sides for pair in pairs for name in pair}
    alike = [(x, y) for x, y in pairs if words[x] == words[y]] or pairs
    of_sets = [(x, y) for x, y in alike if words[x] & OF_SETS]
    return of_sets if len(of_sets) == 1 else alike


def sides_shortened(heading: HeadingMeaning) -> list[str]:
    """The beginnings of a side's name in headings such as HG, `Goles L` and `Bramki gosp.`."""
    of_points = {word for subject in OF_POINTS for word in SUBJECT_WORDS[subject]}
    words = heading.words
    if len(words) == 1 and len(words[0]) == 1:
        return [words[0]]
    if len(words) == 2 and words[0] in LETTERS_OF_POINTS and words[1].isdigit():
        return [words[1]]
    if len(words) == 3 and words[0] in of_points and len(words[1]) == 1 and words[2].isdigit():
        return [words[2]]  # `Juegos P1`
    if len(words) == 2 and not heading.spoiled:
        return [words[1 - at] for at in range(2) if words[at] in of_points]
    if len(words) == 1 and len(words[0]) > SHORTEST and words[0][1:] in of_points:
        return [words[0][0]]
    if len(words) == 1 and len(words[0]) == 2:
        first, second = words[0][0], words[0][1]
        return [*([second] if first in LETTERS_OF_POINTS else []),
                *([first] if second in LETTERS_OF_POINTS else [])]  # fmt: skip
    return []
