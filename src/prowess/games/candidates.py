"""Columns that may have a role, by the words of their headings and by what their cells are.

Where the exact headings of `headings.py` leave a role open, the best candidate takes it: a heading
that is understood word by word goes before one with words of no known meaning, and a column whose
cells do not fit the role is none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from prowess.games.evidence import (
    MOST,
    ColumnEvidence,
    TableEvidence,
    is_moment,
    is_outcome,
    is_scoreline,
)
from prowess.games.vocabulary import (
    FAMILIES,
    WEAK,
    HeadingMeaning,
    read_heading,
)

Family = tuple[str, str]
OWN = ("own", "opponent")  # a player, and the opponent in the same row
OF_POINTS = ("sets", "points")  # the first decides where a table has both


class PlayerPair(NamedTuple):
    """Two columns, one for each side, and the names of the two sides."""

    a: str
    b: str
    family: Family


def side_family(a: str, b: str) -> Family | None:
    """The sides that two headings name, such as home and away."""
    one, other = read_heading(a).sides, read_heading(b).sides
    return next((pair for pair in FAMILIES if pair[0] in one and pair[1] in other), None)


def fits_result(column: ColumnEvidence) -> bool:
    """Whether the cells tell results: scorelines, words, shares of a point."""
    return column.played.share(lambda cell: is_scoreline(cell) or is_outcome(cell)) >= MOST


def fits_points(column: ColumnEvidence) -> bool:
    """Whether the cells may be points of a side."""
    return column.points >= MOST


def fits_date(column: ColumnEvidence) -> bool:
    """Whether the cells are dates, or numbers that may be moments."""
    return column.share(is_moment) >= MOST


def fits_round(column: ColumnEvidence) -> bool:
    """Whether the cells may number or name rounds: they are not dates."""
    return column.filled > 0 and column.dates < 1.0 - MOST


def fits_names(column: ColumnEvidence) -> bool:
    """Whether the cells may be names of players."""
    return column.may_be_names


def fits_all(column: ColumnEvidence) -> bool:
    """Any cells fit."""
    return True


ALONE: dict[str, Callable[[ColumnEvidence], bool]] = {  # subjects of headings without a side
    "result": fits_result, "date": fits_date, "round": fits_round, "draw": fits_all,
    "neutral": fits_all, "weight": fits_points, "place": fits_all, "points": fits_all,
    "player": fits_names,
}  # fmt: skip


class Candidates:
    """The columns of a table that may have a role; `taken` have one already."""

    def __init__(
        self, names: Sequence[str], evidence: TableEvidence | None, taken: Collection[str] = ()
    ) -> None:
        self.evidence = evidence
        self.headings = [read_heading(name) for name in names if name and name not in taken]

    def best(
        self, found: Iterable[HeadingMeaning], fits: Callable[[ColumnEvidence], bool] = fits_all
    ) -> list[str]:
        """The headings that are understood best, of columns whose cells fit."""
        known = [
            each
            for each in found
            if self.evidence is None or fits is fits_all or fits(self.evidence[each.name])
        ]
        least = min((each.vague for each in known), default=0)
        return [each.name for each in known if each.vague == least]

    def alone(self, subject: str) -> list[str]:
        """The columns of a subject that belong to no side."""
        return self.best(
            (
                each
                for each in self.headings
                if each.is_of(subject) and not each.sides and not each.unknown
            ),
            ALONE[subject],
        )

    def of_side(self, side: str, subject: str) -> list[str]:
        """The columns of one side for a subject; a side alone means its player."""

        def is_meant(each: HeadingMeaning) -> bool:
            if each.spoiled or side not in each.sides or {"rank", "ranking"} & {*each.words}:
                return False
            if subject != "player":
                return subject in each.subjects
            plain = not each.subjects or each.subjects <= {"id", "short"}
            return "player" in each.subjects or (
                plain and not each.sides <= WEAK and max(map(len, each.words)) > 1
            )

        fits = fits_names if subject == "player" else fits_points
        return self.best(filter(is_meant, self.headings), fits)

    def players(self) -> list[PlayerPair]:
        """The two columns of players, as words suggest them; several where that is open."""
        for family in FAMILIES:
            if family[0] == "winner":
                continue
            first, second = (self.of_side(side, "player") for side in family)
            if pairs := self.match_columns(first, second, family):
                return pairs
        own = [each.name for each in self.headings if each.is_of("player") and not each.sides]
        others = self.of_side("opponent", "player")
        named = self.best(map(read_heading, own), fits_names)
        return self.match_columns(named, others, OWN)

    def match_columns(
        self, first: Sequence[str], second: Sequence[str], family: Family
    ) -> list[PlayerPair]:
        """The pairs of these columns, those that share names if there are several."""
        pairs = [PlayerPair(a, b, family) for a in first for b in second if a != b]
        if len(pairs) > 1 and self.evidence is not None:
            alike = [pair for pair in pairs if self.evidence.share_names(pair.a, pair.b)]
            return alike or pairs
        return pairs

    def winners(self, side: str) -> list[str]:
        """The columns that name the winner, or the loser."""
        return self.best(
            each
            for each in self.headings
            if side in each.sides
            and not each.spoiled
            and not each.unknown
            and each.subjects <= {"player", "id", "short", "match"}
            and (len(each.words) > 1 or len(each.words[0]) > 1)
        )

    def points(self, a: str, b: str, winners: bool) -> list[tuple[str, str]]:
        """The points of both sides whose players stand in columns a and b, in the order of these.

        Sets go before points where there are both.
        """
        family = side_family(a, b)
        families = [family] if family else []
        families += [OWN] if "opponent" in read_heading(b).sides else []
        if winners:
            families = [("winner", "loser")]
        else:
            families += [("first", "second")]
        for one, other in families:
            for subject in OF_POINTS:
                first = self._own_points(subject) if one == "own" else self.of_side(one, subject)
                second = self.of_side(other, subject)
                if first and second:
                    return [(x, y) for x in first for y in second if x != y]
        return [] if winners else self._twins(a, b)

    def _own_points(self, subject: str) -> list[str]:
        """The points of the player of a row, beside those of the opponent."""
        return self.best(
            (each for each in self.headings if each.is_of(subject) and not each.sides), fits_points
        )

    def _twins(self, a: str, b: str) -> list[tuple[str, str]]:
        """Two columns of points of one heading, such as PTS and PTS.1, in the order of a and b."""
        for subject in OF_POINTS:
            found = [
                each
                for each in self.headings
                if each.is_of(subject)
                and each.sides <= WEAK
                and (self.evidence is None or fits_points(self.evidence[each.name]))
            ]
            bare = [[word for word in each.words if not word.isdigit()] for each in found]
            if len(found) == 2 and bare[0] == bare[1]:
                names = [each.name for each in found]
                order = [each.name for each in self.headings if each.name in {a, b}]
                return [(names[0], names[1]) if order == [a, b] else (names[1], names[0])]
        return []
