"""The points of both sides: which columns hold them, by headings and by cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import combinations

from prowess.games.errors import InvalidValue, quote
from prowess.games.roles.candidates import (
    OWN,
    UNNAMED,
    Candidates,
    fits_points,
    side_family,
)
from prowess.games.roles.contest_words import TOTALS
from prowess.games.roles.evidence import MOST
from prowess.games.roles.points_headings import (
    OF_POINTS,
    choose_twins,
    points_by_marks,
    points_for_and_against,
    sides_shortened,
    turn_to_players,
)
from prowess.games.twin_headings import marks_of_twins
from prowess.games.values import parse_decimal
from prowess.games.vocabulary import (
    WEAK,
    read_heading,
)

SPREAD = 0.95  # of the points of a player, the least to the most
MOST_KINDS = 10  # of points of one side
MOST_WEIGHT = 10.0  # of goals within points


class PointsColumns(Candidates):
    """Finds the columns of the points of both sides of a table."""

    def points(self, a: str, b: str, winners: bool) -> list[tuple[str, str]]:
        """The points of both sides whose players stand in columns a and b, in the order of these.

        Sets go before points where there are both.
        """
        return [turn_to_players(a, b, pair) for pair in self._find_points(a, b, winners)]

    def _find_points(self, a: str, b: str, winners: bool) -> list[tuple[str, str]]:
        family = side_family(a, b)
        families = [family] if family else []
        families += [OWN] if "opponent" in read_heading(b).sides else []
        if winners:
            families = [("winner", "loser")]
        else:
            families += [("first", "second")]
        for one, other in families:
            for subject in (*OF_POINTS, "result", "overall", "verdict"):
                first = self._own_points(subject) if one == "own" else self.of_side(one, subject)
                second = self.of_side(other, subject)
                if first and second:
                    return choose_twins([(x, y) for x in first for y in second if x != y])
        found = self._of_initials(a, b)
        if OWN in families and not found:
            found = points_for_and_against(self.headings, self._fits_points)
        if found or winners:
            return found
        fitting = [each for each in self.headings if self._fits_points(each.name)]
        return points_by_marks(fitting, a, b) or self._twins(a, b) or self._between(a, b)

    def empty_points(self, a: str, b: str) -> tuple[str, str] | None:
        """The two columns of points of a table in which no game was played yet."""
        empty = [each.name for each in self.headings if not self.evidence[each.name].filled]
        found = PointsColumns([a, b, *empty], self.evidence, any_cells=True).points(
            a, b, winners=False
        )
        return found[0] if len(found) == 1 else None

    def large_points(self, a: str, b: str) -> list[tuple[str, str]]:
        """The two columns of points of thousands, as in games of cards: those of a player differ
        from game to game, which ratings hardly do.
        """
        names = [each.name for each in self.headings]
        large = [
            name for name in names
            if self.evidence[name].numbers >= MOST and not fits_points(self.evidence[name])
        ]  # fmt: skip
        found = PointsColumns([a, b, *large], self.evidence, any_cells=True).points(
            a, b, winners=False
        )
        return [pair for pair in found if self._differ((a, b), pair)]

    def _differ(self, players: tuple[str, str], points: tuple[str, str]) -> bool:
        """Whether the points of half of the players differ by a twentieth or more."""
        held: dict[str, list[float]] = {}
        for who, what in zip(players, points, strict=True):
            rows = self.evidence.rows
            for name, cell in zip(rows[who], rows[what], strict=True):
                with suppress(InvalidValue):
                    held.setdefault(str(name), []).append(parse_decimal(cell))
        several = [values for values in held.values() if len(values) > 1]
        differing = [values for values in several if min(values) < SPREAD * max(values)]
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
        if pair not in pairs or not 1 < len(pairs) <= MOST_KINDS:
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
        return [_decimal(cell) for cell in cells]

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
            for start in sides_shortened(each):
                sides = [
                    name
                    for name, words in players.items()
                    if any(
                        word.startswith(start) and (word != start or len(words) > 1)
                        for word in words
                    )
                ]
                if len(sides) == 1 and fits_points(self.evidence[each.name]):
                    found[sides[0]].append(each.name)
        pairs = [(x, y) for x in dict.fromkeys(found[a]) for y in dict.fromkeys(found[b])]
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
                if each.is_of(subject) and each.sides <= WEAK and self._fits_points(each.name)
            ]
            bare = [[word for word in each.words if not word.isdigit()] for each in found]
            if len(found) == 2 and bare[0] == bare[1]:
                names = [each.name for each in found]
                order = [each.name for each in self.headings if each.name in {a, b}]
                return [(names[0], names[1]) if order == [a, b] else (names[1], names[0])]
        return []


def _decimal(cell: object) -> float | None:
    try:
        return parse_decimal(cell)
    except InvalidValue:
        return None


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
