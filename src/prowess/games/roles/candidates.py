"""Columns that may have a role, by the words of their headings and by what their cells are; points.

Where the exact headings of `headings.py` leave a role open, the best candidate takes it: a heading
that is understood word by word goes before one with words of no known meaning, and a column whose
cells do not fit the role is none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import NamedTuple

from prowess.games.errors import quote
from prowess.games.roles.evidence import (
    MOST_FIT,
    ColumnEvidence,
    TableEvidence,
    choose_only,
    has_digit,
    is_first,
    is_marked,
    is_moment,
    is_of_official,
    is_outcome,
    is_scoreline,
    names_a_side,
    tells_sides,
)
from prowess.games.values import parse_decimal, parse_or_none, plain_form
from prowess.games.vocabulary import (
    FAMILIES,
    LETTER_OF,
    SIDE_WORDS,
    SPOILERS,
    SUBJECT_WORDS,
    TOTALS,
    WEAK,
    HeadingMeaning,
    is_numbered,
    is_spoiled,
    marks_of_twins,
    pairs_for,
    read_heading,
    words_for,
)

# Headings of the points of both sides: exact ones in plain form, and by their words.


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
    """What a heading such as HG, `Goles L` and `Bramki gosp.` holds beside a word or letter for
    points: perhaps the beginning of a side's name.
    """
    plain = "".join(heading.words)
    if len(plain) == 1 or (heading.spoiled and len(heading.words) > 1):
        return [plain] if len(plain) == 1 else []
    of_points = {word for subject in OF_POINTS for word in SUBJECT_WORDS[subject]}
    parts = ((plain.removeprefix(word), plain.removesuffix(word))
             for word in (LETTERS_OF_POINTS if len(plain) == 2 else of_points))  # fmt: skip
    return [rest for both in parts for rest in both if rest and rest != plain]


# Columns that may have a role, the best of them first.


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
    return share_of_results(column) >= MOST_FIT


def fits_points(column: ColumnEvidence) -> bool:
    """Whether the cells may be points of a side."""
    return column.points >= MOST_FIT


def fits_date(column: ColumnEvidence) -> bool:
    """Whether the cells are dates, or numbers that may be moments."""
    return column.share(is_moment) >= MOST_FIT


def fits_round(column: ColumnEvidence) -> bool:
    """Whether the cells may number or name rounds: they are not dates."""
    return column.filled > 0 and column.dates < 1.0 - MOST_FIT


def fits_names(column: ColumnEvidence) -> bool:
    """Whether the cells may be names of players."""
    return column.may_be_names


def fits_short(column: ColumnEvidence) -> bool:
    """Whether the cells are no whole sentences."""
    return sum(map(len, column.texts)) <= LONGEST * column.filled


def fits_players(column: ColumnEvidence) -> bool:
    """Whether the cells are words, of which there are many: names, not marks."""
    return column.words >= MOST_FIT and len(column.names) > FEW_WORDS


def fits_place(column: ColumnEvidence) -> bool:
    """Whether a cell may be a place or points: the position `top` is a role."""
    return not column.filled or column.share(has_digit) > 0.0


def fits_first_place(column: ColumnEvidence) -> bool:
    """Whether a cell may be the first place."""
    return not column.filled or column.share(is_first) > 0.0


def fits_marks(column: ColumnEvidence) -> bool:
    """Whether the cells are marks: yes or no, 1 or 0, x or empty."""
    return all(is_marked(cell) is not None for cell in column.cells)


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
            if side == "own":
                return each.is_of(subject) and not each.sides
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
                plain &= self.evidence[each.name].words >= MOST_FIT
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
        for may_be in (self._share_names, self._are_no_marks, self._are_no_occasions):
            pairs = [*filter(may_be, pairs)] or pairs if len(pairs) > 1 else pairs
        return pairs

    def _share_names(self, pair: PlayerPair) -> bool:
        return self.evidence.share_names(pair.a, pair.b)

    def _are_no_marks(self, pair: PlayerPair) -> bool:
        return not all(fits_marks(self.evidence[name]) for name in pair[:2])

    def _are_no_occasions(self, pair: PlayerPair) -> bool:
        return not any("occasion" in read_heading(name).subjects for name in pair[:2])

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


# The points of both sides: which columns hold them, by headings and by cells.


SPREAD_OF_POINTS = 0.95  # of the points of a player, the least to the most
MOST_KINDS_OF_POINTS = 10  # of points of one side
MOST_WEIGHT = 10.0  # of goals within points


class PointsColumns(Candidates):
    """Finds the columns of the points of both sides of a table."""

    def points(self, a: str, b: str, winners: bool) -> list[tuple[str, str]]:
        """The points of both sides whose players stand in columns a and b, in the order of these.

        Sets go before points where there are both.
        """
        return [turn_to_players(a, b, pair) for pair in self._find_points(a, b, winners)]

    def _find_points(self, a: str, b: str, winners: bool) -> list[tuple[str, str]]:
        if sum(each.name not in {a, b} for each in self.headings) < 2:
            return []
        own = OWN if "opponent" in read_heading(b).sides and not winners else None
        families = (side_family(a, b), own, ("first", "second"))
        for family, subject in product(
            [("winner", "loser")] if winners else filter(None, families),
            (*OF_POINTS, "result", "overall", "verdict"),
        ):
            first, second = (self.of_side(side, subject) for side in family)
            if first and second:
                return choose_twins([(x, y) for x in first for y in second if x != y])
        found = self._of_initials(a, b)
        if own and not found:
            found = points_for_and_against(self.headings, self._fits_points)
        if found or winners:
            return found
        fitting = [each for each in self.headings if self._fits_points(each.name)]
        return points_by_marks(fitting, a, b) or self._twins(a, b) or self._between(a, b)

    def _take_as_points(
        self, a: str, b: str, may_hold: Callable[[ColumnEvidence], bool]
    ) -> list[tuple[str, str]]:
        """The points of both sides among columns that do not fit by their cells."""
        names = [each.name for each in self.headings if may_hold(self.evidence[each.name])]
        columns = PointsColumns([a, b, *names], self.evidence, any_cells=True)
        return columns.points(a, b, winners=False)

    def empty_points(self, a: str, b: str) -> tuple[str, str] | None:
        """The two columns of points of a table in which no game was played yet."""
        return choose_only(self._take_as_points(a, b, lambda column: not column.filled))

    def large_points(self, a: str, b: str) -> list[tuple[str, str]]:
        """The two columns of points of thousands, as in games of cards: those of a player differ
        from game to game, which ratings hardly do.
        """
        found = self._take_as_points(
            a, b, lambda column: column.numbers >= MOST_FIT and not fits_points(column)
        )
        return [pair for pair in found if self._differ((a, b), pair)]

    def _differ(self, players: tuple[str, str], points: tuple[str, str]) -> bool:
        """Whether the points of half of the players differ by a twentieth or more."""
        held: dict[str, list[float]] = {}
        for who, what in zip(players, points, strict=True):
            rows = self.evidence.rows
            for name, cell in zip(rows[who], rows[what], strict=True):
                if (value := parse_or_none(parse_decimal, cell)) is not None:
                    held.setdefault(str(name), []).append(value)
        several = [values for values in held.values() if len(values) > 1]
        differing = [values for values in several if min(values) < SPREAD_OF_POINTS * max(values)]
        return 2 * len(differing) >= len(several) > 0

    def find_total(self, pair: tuple[str, str]) -> tuple[tuple[str, str], str] | None:
        """The points of both sides of which these are a part, as a total of `6 goals + behinds`
        is, and how that is said: as every game proves it, or "" where a heading alone says it.
        None where there are none.
        """
        sides = marks_of_twins(*map(read_heading, pair))
        if sides is None:
            return None
        kinds: dict[tuple[str, ...], dict[int, str]] = {}
        for each in self.headings:
            for at, side in enumerate(sides):
                if side in each.words and not each.spoiled:
                    rest = tuple(word for word in each.words if word != side)
                    kinds.setdefault(rest, {}).setdefault(at, each.name)
        pairs = [(both[0], both[1]) for both in kinds.values() if len(both) == 2]
        if pair not in pairs or not 1 < len(pairs) <= MOST_KINDS_OF_POINTS:
            return None
        pairs = [each for each in pairs if all(fits_points(self.evidence[name]) for name in each)]
        totals = [(both[0], both[1]) for rest, both in kinds.items()
                  if len(both) == 2 and {*rest} <= TOTALS and rest]  # fmt: skip
        rows = [self._whole_rows(each) for each in pairs]
        found = []
        for at, total in enumerate(pairs):
            others = [other for other in range(len(pairs)) if other != at]
            for weights in _weigh(rows[at], [rows[other] for other in others]):
                parts = {pairs[others[k]]: weight for k, weight in weights.items()}
                if pair in parts:
                    found.append((total, parts))
        if len({total for total, _ in found}) != 1:
            named = [each for each in totals if each in pairs and each != pair]
            return (named[0], "") if len(named) == 1 else None
        total, parts = min(found, key=lambda each: len(each[1]))
        told = " + ".join(
            f"{weight} {quote(name)}" if weight > 1 else quote(name)
            for (name, _), weight in parts.items()
        )
        return total, f"column {quote(total[0])} is {told}: the total decides"

    def _whole_rows(self, pair: tuple[str, str]) -> list[float | None]:
        """The numbers of both columns, one below the other."""
        cells = [cell for name in pair for cell in self.evidence.rows[name]]
        return [parse_or_none(parse_decimal, cell) for cell in cells]

    def _of_initials(self, a: str, b: str) -> list[tuple[str, str]]:
        """The points of both sides under headings that shorten those of the players: HG and AG
        beside Home and Away, GC and GF beside Casa and Fora, `Goles L` beside Local, H and A, S1
        and S2 beside `Player 1` and `Player 2`.
        """
        found: dict[str, list[str]] = {a: [], b: []}
        players = {name: [*read_heading(name).words] for name in (a, b)}
        for name in (a, b):  # HG and VG beside Home and Away
            players[name] += ["away", "visitor"] if "away" in read_heading(name).sides else []
        letters = [each.name for each in self.headings if len(each.name.strip()) == 1]
        for each in self.headings:
            if each.name in players or not self.evidence[each.name].filled:
                continue
            if each.name in letters and len(letters) != 2:
                continue  # H, D and A are odds
            starts = sides_shortened(each)
            sides = [
                name for name, words in players.items()
                if any(word.startswith(start) and (word != start or len(words) > 1)
                       for word in (*words, "".join(word[0] for word in words)) for start in starts)
            ]  # fmt: skip
            if len(sides) == 1 and fits_points(self.evidence[each.name]):
                found[sides[0]].append(each.name)
        pairs = [*product(found[a], found[b])]
        return pairs if len(pairs) == 1 else []

    def _fits_points(self, name: str) -> bool:
        return self.any_cells or fits_points(self.evidence[name])

    def _between(self, a: str, b: str) -> list[tuple[str, str]]:
        """Two columns of points between those of the players: Ann | 3 | vs | 0 | Ben."""
        names = [each.name for each in self.headings]
        if not {a, b} <= {*names} or names.index(a) > names.index(b):
            return []
        within = names[names.index(a) + 1 : names.index(b)]
        numbers = [
            name
            for name in within
            if fits_points(self.evidence[name])
            and (name.startswith(UNNAMED) or read_heading(name).subjects & {*OF_POINTS})
        ]
        others = [name for name in within if name not in numbers]
        if len(numbers) == 2 and all(len(self.evidence[name].names) <= 1 for name in others):
            return [(numbers[0], numbers[1])]
        return []

    def _twins(self, a: str, b: str) -> list[tuple[str, str]]:
        """Two columns of points of one heading, such as PTS and PTS.1, in the order of a and b."""
        for subject in OF_POINTS:
            found = [
                each
                for each in self.headings
                if each.is_of(subject) and each.sides <= WEAK and self._fits_points(each.name)
            ]
            bare = [[word for word in each.words if not word.isdigit()] for each in found]
            if len(found) == 2 and bare[0] == bare[1]:
                names = [each.name for each in found]
                order = [each.name for each in self.headings if each.name in {a, b}]
                return [(names[0], names[1]) if order == [a, b] else (names[1], names[0])]
        return []


def _weigh(
    total: Sequence[float | None], parts: Sequence[Sequence[float | None]]
) -> Iterator[dict[int, int]]:
    """The whole weights above 0 of two to four of the parts that sum up to the total in all rows,
    at least twice as many as parts.
    """
    import numpy as np

    for size in range(2, min(len(parts), 4) + 1):
        for chosen in combinations(range(len(parts)), size):
            rows = [row for row in zip(total, *(parts[at] for at in chosen), strict=True)
                    if None not in row]  # fmt: skip
            if len(rows) < 2 * size + 2:
                continue
            known = np.array(rows, float)
            weights, _, rank, _ = np.linalg.lstsq(known[:, 1:], known[:, 0], rcond=None)
            whole = np.rint(weights)
            exact = np.array_equal(known[:, 1:] @ whole, known[:, 0])
            if rank == size and exact and whole.min() > 0.0 and whole.max() <= MOST_WEIGHT:
                yield {at: int(weight) for at, weight in zip(chosen, whole, strict=True)}
