"""Columns that may have a role, by the words of their headings and by what their cells are; points.

Where the exact headings of `headings.py` leave a role open, the best candidate takes it: a heading
that is understood word by word goes before one with words of no known meaning, and a column whose
cells do not fit the role is none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import combinations, permutations, product

from prowess.games.errors import quote
from prowess.games.roles.evidence import (
    MOST_FIT,
    ColumnEvidence,
    TableEvidence,
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


def join_points(*sides: tuple[str, str]) -> set[tuple[str, str]]:
    """Whole headings of points of both sides: `homescore` and `awayscore`, `goalshome`, ..."""
    kinds = ("score", "goals", "points", "runs")
    before = {(what + x, what + y) for x, y in sides for what in kinds}
    return before | {(x + what, y + what) for x, y in sides for what in kinds}


POINTS_OF_BOTH = join_points(*pairs_for("pair_of_sides")) | {*pairs_for("pair_of_points")}
POINTS_OF_WINNERS = join_points(("winner", "loser")) | {*pairs_for("pair_of_points_won")}
SETS_OF_WINNERS = ("wsets", "lsets")  # beside them WPts are points of a ranking
POINTS_OF_OWN = pairs_for("pair_of_points_for")  # of the team of a row and of its opponent


def turn_to_players(
    a: str, b: str, points: tuple[str, str], b_first: bool = False
) -> tuple[str, str]:
    """Two columns of points in the order of the players in columns a and b: a score belongs to the
    side that its heading names, wherever the columns stand. With `b_first` columns that are only
    numbered, as the players are not, belong to the players in the order of the table.

    >>> turn_to_players("Team B", "Team A", ("Score A", "Score B"))
    ('Score B', 'Score A')
    """
    first, second, one, other = map(read_heading, (a, b, *points))
    marks, own = marks_of_twins(one, other), marks_of_twins(first, second)
    numbered = b_first and all(each.sides and each.sides <= WEAK for each in (one, other))
    turned = numbered or bool(
        one.sides & (second.sides - first.sides) and other.sides & (first.sides - second.sides)
    )
    if marks and own and {*marks} == {*own}:
        turned = marks != own
    return points[::-1] if turned else points


def says_result(heading: HeadingMeaning) -> bool:
    """Whether nothing in a heading such as `final score` speaks of other scores."""
    return not (heading.unknown or heading.spoiled) and OF_MERGES.isdisjoint(heading.words)


# Columns that may have a role, the best of them first.


Family = tuple[str, str]
Pairs = list[tuple[str, str]]
OWN = ("own", "opponent")  # a player, and the opponent in the same row
VERBS = {"winner": ({"won"}, {"gewonnen"}), "loser": ({"lost"}, {"verloren"})}  # `Who won?`
PLAYER_WORDS = SUBJECT_WORDS["player"]
UNNAMED = "column "  # how a column without a heading is called
LONGEST = 40  # letters of a name, on average
FEW_WORDS = 3  # different ones; a column of results has as many: won, drawn, lost
SPREAD_OF_POINTS = 0.95  # of the points of a player, the least to the most
MOST_KINDS_OF_POINTS = 10  # of points of one side
MOST_WEIGHT = 10.0  # of goals within points
WORDS_OF_POINTS = frozenset().union(*map(SUBJECT_WORDS.__getitem__, OF_POINTS))
WORDS_OF_SIDES = frozenset().union(*SIDE_WORDS.values())
FOR, AGAINST = words_for("own"), words_for("against", "contra")


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


def fits_large_numbers(column: ColumnEvidence) -> bool:
    """Whether the cells are numbers too large for points of most games."""
    return column.numbers >= MOST_FIT and not fits_points(column)


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
    """The columns of a table that may have a role; `taken` have one already."""

    def __init__(
        self,
        names: Sequence[str],
        evidence: TableEvidence,
        taken: Collection[str] = (),
        holds_points: Callable[[ColumnEvidence], bool] = fits_points,
    ) -> None:
        self.evidence, self.holds_points = evidence, holds_points
        self.headings = [read_heading(name) for name in names if name and name not in taken]

    def best(
        self, found: Iterable[HeadingMeaning], fits: Callable[[ColumnEvidence], bool] = fits_all
    ) -> list[str]:
        """The headings that are understood best, of columns whose cells fit."""
        if fits is not fits_all:
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

        fits = fits_names if subject == "player" else self.holds_points
        return self.best(filter(is_meant, self.headings), fits)

    def players(self) -> Pairs:
        """The two columns of players, as words suggest them; several where that is open."""
        order = [each.name for each in self.headings]
        for family in FAMILIES:
            first, second = (self.of_side(side, "player") for side in family)
            pairs = self.match_players(first, second) if family[0] != "winner" else []
            if family[0] in LETTER_OF:  # in the order of the table
                pairs = [(a, b) for a, b in pairs if order.index(a) < order.index(b)]
            if pairs:
                return pairs
        own = [
            each for each in self.headings
            if (each.is_of("player") or is_numbered(each.words, "player")) and not each.sides
        ]  # fmt: skip
        merged = [
            (x.name, y.name) for x, y in permutations(own, 2) if marks_of_twins(x, y) == ("x", "y")
        ]
        if len(merged) == 1:
            return merged
        return self.match_players(self.best(own, fits_names), self.of_side("opponent", "player"))

    def match_players(self, *sides: Sequence[str]) -> Pairs:
        """The pairs of columns of both sides, each column that repeats another left out; of several
        those that share names, that are no marks, and that name no occasion.
        """
        evidence = self.evidence
        different = (
            {tuple(evidence[name].texts): name for name in reversed(side)}.values()
            for side in sides
        )
        pairs = [(a, b) for a, b in product(*different) if a != b]
        tests: tuple[Callable[[str, str], bool], ...] = (
            evidence.share_names,
            lambda a, b: not (fits_marks(evidence[a]) and fits_marks(evidence[b])),
            lambda a, b: "occasion" not in read_heading(a).subjects | read_heading(b).subjects,
        )
        for test in tests if len(pairs) > 1 else ():
            pairs = [pair for pair in pairs if test(*pair)] or pairs
        return pairs

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

    def points(self, a: str, b: str, winners: bool) -> Pairs:
        """The points of both sides whose players stand in columns a and b, in the order of these;
        several where that is open. Sets go before points where there are both.

        Headings tell them by words for sides, else by words of the headings of the players, else
        not at all, where two are called alike or stand between those of the players.
        """
        own = OWN if "opponent" in read_heading(b).sides and not winners else None
        families = side_family(a, b), own, ("first", "second")
        found = self._by_sides([("winner", "loser")] if winners else [*filter(None, families)])
        found = found or self._by_words(a, b, bool(own))
        if not (found or winners):
            found = self._alike(a, b)
        return [turn_to_players(a, b, pair) for pair in found]

    def _by_sides(self, families: Sequence[Family]) -> Pairs:
        """The points under words for sides; of several those that are called alike but for them."""
        for family, subject in product(families, (*OF_POINTS, "result", "overall", "verdict")):
            first, second = (self.of_side(side, subject) for side in family)
            if pairs := [(x, y) for x in first for y in second if x != y]:
                kinds = {x: {*read_heading(x).words} - WORDS_OF_SIDES for x in (*first, *second)}
                pairs = [(x, y) for x, y in pairs if kinds[x] == kinds[y]] or pairs
                of_sets = [pair for pair in pairs if kinds[pair[0]] & OF_SETS]  # before legs
                return of_sets if len(of_sets) == 1 else pairs
        return []

    def _by_words(self, a: str, b: str, own: bool) -> Pairs:
        """The points under what the headings of the players begin with: HG and AG beside Home and
        Away; else under words of them, such as `north points`, words such as `for` and `against`,
        or the _x and _y of a merge.
        """
        players = read_heading(a), read_heading(b)
        letters = [each.name for each in self.headings if len(each.name.strip()) == 1]
        begun = [
            [*each.words, "".join(word[0] for word in each.words),
             *(["visitor", "away"] if "away" in each.sides else [])]  # HG and VG
            for each in players
        ]  # fmt: skip
        said = [{*each.words} - {*other.words} for each, other in permutations(players)]

        def begin(each: HeadingMeaning) -> Iterator[bool]:
            starts = list_starts(each) if each.name not in letters or len(letters) == 2 else []
            return (any(word.startswith(start) for word in of for start in starts) for of in begun)

        def say(each: HeadingMeaning) -> Iterator[bool]:
            words = {*each.words}
            if own and words & (FOR | AGAINST):
                return (bool(words & told) for told in (FOR, AGAINST))
            rest = words - said[0] - said[1] - {*players[0].words}
            told = said if words & (said[0] | said[1]) else [{"x"}, {"y"}]
            counted = words & WORDS_OF_POINTS and not rest & SPOILERS
            return (bool(counted and words & mine) for mine in told)

        for tell in (begin, say):
            held: tuple[list[str], list[str]] = [], []
            for each in self.headings:
                first, second = tell(each)
                other = each.name in {a, b} or "place" in each.subjects  # rank points
                if first is not second and not other and self._fits(each.name):
                    held[second].append(each.name)
            pairs = [*product(*held)]
            if tell is say:
                pairs = [pair for pair in pairs if marks_of_twins(*map(read_heading, pair))]
            if len(pairs) == 1 or (pairs and tell is say):
                return pairs
        plain = {plain_form(each.name): each.name for each in self.headings if own}
        known = [(plain[x], plain[y]) for x, y in POINTS_OF_OWN if {x, y} <= plain.keys()]
        return [pair for pair in known if all(map(self._fits, pair))]

    def _fits(self, name: str) -> bool:
        return self.holds_points(self.evidence[name])

    def _alike(self, a: str, b: str) -> Pairs:
        """Two columns of points without a side, in the order of a and b: PTS and PTS.1, or between
        those of the players: Ann | 3 | vs | 0 | Ben.
        """
        names = [each.name for each in self.headings]
        points = [
            each for each in self.headings
            if (each.subjects & {*OF_POINTS} or each.name.startswith(UNNAMED))
            and each.sides <= WEAK and self._fits(each.name)
        ]  # fmt: skip
        for subject in OF_POINTS:
            found = [each for each in points if each.is_of(subject)]
            bare = [[word for word in each.words if not word.isdigit()] for each in found]
            if len(found) == 2 and bare[0] == bare[1]:
                order = [name for name in self.evidence.rows if name in {a, b}]
                pair = found[0].name, found[1].name
                return [pair if order[0] == a else pair[::-1]]
        within = names[names.index(a) + 1 : names.index(b)] if {a, b} <= {*names} else []
        inside = [each.name for each in points if each.name in within]
        others = (self.evidence[name].names for name in within if name not in inside)
        if len(inside) == 2 and all(len(held) <= 1 for held in others):
            return [(inside[0], inside[1])]
        return []

    def take_as_points(self, a: str, b: str, fits: Callable[[ColumnEvidence], bool]) -> Pairs:
        """The points of both sides among columns that are told by another test of their cells."""
        names = [each.name for each in self.headings]
        return Candidates(names, self.evidence, holds_points=fits).points(a, b, winners=False)

    def large_points(self, a: str, b: str) -> Pairs:
        """The two columns of points of thousands, as in games of cards: those of half of the
        players differ by a twentieth or more from game to game, which ratings hardly do.
        """
        rows, found = self.evidence.rows, list[tuple[str, str]]()
        for pair in self.take_as_points(a, b, fits_large_numbers):
            held = defaultdict[str, list[float]](list)
            cells = zip((*rows[a], *rows[b]), (*rows[pair[0]], *rows[pair[1]]), strict=True)
            for who, what in cells:
                if (value := parse_or_none(parse_decimal, what)) is not None:
                    held[str(who)].append(value)
            several = [values for values in held.values() if len(values) > 1]
            differing = [each for each in several if min(each) < SPREAD_OF_POINTS * max(each)]
            if 2 * len(differing) >= len(several) > 0:
                found.append(pair)
        return found

    def find_total(self, pair: tuple[str, str]) -> tuple[tuple[str, str], str] | None:
        """The points of both sides of which these are a part, as a total of `6 goals + behinds`
        is, and how that is said: as every game proves it, or "" where a heading alone says it.
        None where there are none.
        """
        sides = marks_of_twins(*map(read_heading, pair))
        known = [each for each in self.headings if not each.spoiled]
        twins = {(x.name, y.name): {*x.words} - {*sides} for x, y in permutations(known, 2)
                 if marks_of_twins(x, y) == sides} if sides else {}  # fmt: skip
        if pair not in twins or not 1 < len(twins) <= MOST_KINDS_OF_POINTS:
            return None
        fit = [each for each in twins if all(fits_points(self.evidence[name]) for name in each)]
        if fit == [pair]:
            return None
        rows = {
            each: [parse_or_none(parse_decimal, cell) for name in each
                   for cell in self.evidence.rows[name]]
            for each in fit
        }  # fmt: skip
        proven: dict[tuple[str, str], dict[tuple[str, str], int]] = {}
        for total, sums in rows.items():
            others = [each for each in rows if each != total]
            for weights in _weigh(sums, [rows[each] for each in others]):
                parts = {others[at]: weight for at, weight in weights.items()}
                if pair in parts and len(parts) < len(proven.get(total, rows)):
                    proven[total] = parts
        if len(proven) != 1:
            named = [
                each for each in rows if twins[each] and twins[each] <= TOTALS and each != pair
            ]
            return (named[0], "") if len(named) == 1 else None
        ((total, parts),) = proven.items()
        told = " + ".join(
            f"{weight} {quote(name)}" if weight > 1 else quote(name)
            for (name, _), weight in parts.items()
        )
        return total, f"column {quote(total[0])} is {told}: the total decides"


def list_starts(heading: HeadingMeaning) -> list[str]:
    """What a heading such as HG, `Goles L` and `Bramki gosp.` holds beside a word or letter for
    points: perhaps the beginning of a side's name.
    """
    plain = "".join(heading.words)
    if len(plain) == 1 or (heading.spoiled and len(heading.words) > 1):
        return [plain] if len(plain) == 1 else []
    words = LETTERS_OF_POINTS if len(plain) == 2 else WORDS_OF_POINTS
    parts = ((plain.removeprefix(word), plain.removesuffix(word)) for word in words)
    return [rest for both in parts for rest in both if rest and rest != plain]


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
