"""Columns that may have a role, by the words of their headings and by what their cells are.

Where the exact headings of `headings.py` leave a role open, the best candidate takes it: a heading
that is understood word by word goes before one with words of no known meaning, and a column whose
cells do not fit the role is none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from prowess.games.roles.evidence import (
    MOST,
    ColumnEvidence,
    TableEvidence,
    has_digit,
    is_first,
    is_marked,
    is_moment,
    is_outcome,
    is_scoreline,
    names_a_side,
    tells_sides,
)
from prowess.games.roles.named_players import is_of_official
from prowess.games.roles.points_headings import OF_MERGES
from prowess.games.twin_headings import marks_of_twins
from prowess.games.vocabulary import (
    FAMILIES,
    LETTER_OF,
    SUBJECT_WORDS,
    WEAK,
    HeadingMeaning,
    is_numbered,
    is_spoiled,
    read_heading,
)

Family = tuple[str, str]
OWN = ("own", "opponent")  # a player, and the opponent in the same row
VERBS = {"winner": ({"won"}, {"gewonnen"}), "loser": ({"lost"}, {"verloren"})}  # `Who won?`
PLAYER_WORDS = SUBJECT_WORDS["player"]
UNNAMED = "column "  # how a column without a heading is called
LONGEST = 40  # letters of a name, on average
FEW_WORDS = 3  # different ones; a column of results has as many: won, drawn, lost


class PlayerPair(NamedTuple):
    """Two columns, one for each side, and the names of the two sides."""

    a: str
    b: str
    family: Family


def side_family(a: str, b: str) -> Family | None:
    """The sides that two headings name, such as home and away."""
    one, other = read_heading(a), read_heading(b)
    if is_twin(one, other):
        return "home", "away"
    return next(
        (pair for pair in FAMILIES if names_side(one, pair[0]) and names_side(other, pair[1])), None
    )


def is_twin(home: HeadingMeaning, away: HeadingMeaning) -> bool:
    """Whether headings differ only in the letters of the sides: `h_title` and `a_title`."""
    return "h" in home.words and away.words == tuple(
        "a" if word == "h" else word for word in home.words
    )


def names_side(heading: HeadingMeaning, side: str) -> bool:
    """Whether a heading names a side, by a word or by its letter."""
    return side in heading.sides or LETTER_OF.get(side) in heading.words


def share_of_results(column: ColumnEvidence) -> float:
    """The share of results: scorelines, words, shares of a point."""
    return column.results_only.share(lambda cell: is_scoreline(cell) or is_outcome(cell))


def fits_result(column: ColumnEvidence) -> bool:
    """Whether the cells tell results."""
    return share_of_results(column) >= MOST


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


def fits_short(column: ColumnEvidence) -> bool:
    """Whether the cells are no whole sentences."""
    return sum(map(len, column.texts)) <= LONGEST * column.filled


def fits_players(column: ColumnEvidence) -> bool:
    """Whether the cells are words, of which there are many: names, not marks."""
    return column.words >= MOST and len(column.names) > FEW_WORDS


def fits_place(column: ColumnEvidence) -> bool:
    """Whether a cell may be a place or points: the position `top` is a role."""
    return not column.filled or column.share(has_digit) > 0.0


def fits_first_place(column: ColumnEvidence) -> bool:
    """Whether a cell may be the first place."""
    return not column.filled or column.share(is_first) > 0.0


def fits_all(column: ColumnEvidence) -> bool:
    """Any cells fit."""
    return True


class Candidates:
    """The columns of a table that may have a role; `taken` have one already.

    With `any_cells` headings alone tell the points.
    """

    def __init__(
        self,
        names: Sequence[str],
        evidence: TableEvidence,
        taken: Collection[str] = (),
        any_cells: bool = False,
    ) -> None:
        self.evidence, self.any_cells = evidence, any_cells
        self.headings = [read_heading(name) for name in names if name and name not in taken]

    def best(
        self, found: Iterable[HeadingMeaning], fits: Callable[[ColumnEvidence], bool] = fits_all
    ) -> list[str]:
        """The headings that are understood best, of columns whose cells fit."""
        if not (self.any_cells or fits is fits_all):
            found = [each for each in found if fits(self.evidence[each.name])]
        known = [*found]
        least = min((each.vague for each in known), default=0)
        return [each.name for each in known if each.vague == least]

    def alone(self, subject: str, fits: Callable[[ColumnEvidence], bool]) -> list[str]:
        """The columns of a subject that belong to no side."""
        return self.best(
            (
                each
                for each in self.headings
                if (each.is_of(subject) or is_numbered(each.words, subject))
                and not each.sides
                and not each.unknown
                and max(map(len, each.words)) > 1
                and (subject != "result" or OF_MERGES.isdisjoint(each.words))
            ),
            fits,
        )

    def of_side(self, side: str, subject: str) -> list[str]:
        """The columns of one side for a subject; a side alone means its player."""

        def is_meant(each: HeadingMeaning) -> bool:
            if {"rank", "ranking"} & {*each.words} or is_of_official(each):
                return False
            if is_spoiled(each) if "player" in each.subjects else each.spoiled:
                return False
            twin = side == "away" and any(is_twin(home, each) for home in self.headings)
            if not names_side(each, side) and not twin:
                return False
            if subject != "player":
                return subject in each.subjects
            named = not PLAYER_WORDS.isdisjoint(each.words)  # player1_id
            weak = each.sides <= WEAK and not twin and not named
            plain = each.subjects <= {"id", "short", "neutral", "match", "games"}
            if each.subjects & {"match", "games"}:
                plain &= self.evidence[each.name].words >= MOST
            return "player" in each.subjects or (
                plain and not weak and max(map(len, each.words)) > 1
            )

        fits = fits_names if subject == "player" else fits_points
        return self.best(filter(is_meant, self.headings), fits)

    def players(self) -> list[PlayerPair]:
        """The two columns of players, as words suggest them; several where that is open."""
        for family in FAMILIES:
            if family[0] == "winner":
                continue
            first, second = (self.of_side(side, "player") for side in family)
            pairs = self.match_columns(first, second, family)
            if family[0] in LETTER_OF:  # in the order of the table
                order = [each.name for each in self.headings]
                pairs = [pair for pair in pairs if order.index(pair.a) < order.index(pair.b)]
            if pairs:
                return pairs
        own = [
            each.name for each in self.headings
            if (each.is_of("player") or is_numbered(each.words, "player")) and not each.sides
        ]  # fmt: skip
        merged = [
            (x, y) for x in own for y in own
            if marks_of_twins(read_heading(x), read_heading(y)) == ("x", "y")
        ]  # fmt: skip
        if len(merged) == 1:
            return [PlayerPair(*merged[0], ("first", "second"))]
        others = self.of_side("opponent", "player")
        named = self.best(map(read_heading, own), fits_names)
        return self.match_columns(named, others, OWN)

    def match_columns(
        self, first: Sequence[str], second: Sequence[str], family: Family
    ) -> list[PlayerPair]:
        """The pairs of these columns, those that share names if there are several."""
        first, second = self._different(first), self._different(second)
        pairs = [PlayerPair(a, b, family) for a in first for b in second if a != b]
        if len(pairs) > 1:
            alike = [pair for pair in pairs if self.evidence.share_names(pair.a, pair.b)]
            alike = [pair for pair in alike if not self._hold_flags(pair)] or alike
            plain = [
                pair for pair in alike
                if not any("occasion" in read_heading(name).subjects for name in pair[:2])
            ]  # fmt: skip
            return plain or alike or pairs
        return pairs

    def _hold_flags(self, pair: PlayerPair) -> bool:
        """Whether two columns hold 0 and 1, or yes and no, which are no names beside others."""
        columns = [self.evidence[name] for name in pair[:2]]
        return all(is_marked(cell) is not None for column in columns for cell in column.cells)

    def _different(self, names: Sequence[str]) -> list[str]:
        """The columns but those that hold the same cells as an earlier one."""
        if len(names) < 2:
            return [*names]
        seen: dict[tuple[str, ...], str] = {}
        for name in names:
            seen.setdefault(tuple(self.evidence[name].texts), name)
        return [*seen.values()]

    def winners(self, side: str) -> list[str]:
        """The columns that name the winner, or the loser: `chosen_model` rather than `chosen`."""
        found = self.best(
            (
                each
                for each in self.headings
                if side in each.sides
                and not each.sides >= {"winner", "loser"}  # W/L
                and not each.spoiled
                and not each.unknown
                and each.subjects <= {"player", "id", "short", "match", "draw"}
                and (len(each.words) > 1 or len(each.words[0]) > 1)
            ),
            fits_short,
        ) or self.best(
            (each for each in self.headings if {*each.words} - {"who", "wer"} in VERBS[side]),
            fits_players,
        )
        players = [name for name in found if "player" in read_heading(name).subjects]
        return players if len(players) == 1 else found

    def verdicts(self) -> list[str]:
        """The columns of judgments, or of winners, whose cells name sides: A, B, tie."""
        told = [
            each
            for each in self.headings
            if ("verdict" in each.subjects or "winner" in each.sides)
            and not is_spoiled(each)
            and "id" not in each.subjects
        ]
        found = self.best(told, tells_sides)
        columns = {each.name: self.evidence[each.name] for each in told if found}
        one_side = [name for name, column in columns.items() if name not in found and column.filled]
        return found + [name for name in one_side if columns[name].share(names_a_side) == 1.0]
