"""Chances of every place in a contest of many sides whose performances are independent.

Formula   a side performs as a random number, f its density, F its distribution; the best is first
          P(i takes place k) = integral of f_i(x) P(exactly k - 1 of the others are above x) dx
          The number above x is a sum of independent 0/1 variables with chances 1 - F_j(x); the law
          of all of them is built side by side, and each side is taken out of it again.
          Gumbel: F(x) = exp(-e^(m - x)); P(i before j) = 1 / (1 + e^(m_j - m_i)), and P(i first)
          = e^m_i / sum of e^m (Bradley-Terry, Plackett-Luce). Normal: F(x) = Phi((x - m) / d).
          m from pairs: the mean over all n sides j of logit P(i before j); of the normal law
          of Phi^-1, with d = 1 / sqrt 2
Source    R. L. Plackett, Applied Statistics 24 (1975) 193; L. L. Thurstone, Psychological Review
          34 (1927) 273.

The integral is a sum over panels of Gauss-Legendre nodes. A panel is as wide as the law of the
number above changes by few of its own deviations, so their number grows as the root of the sides.
The work is O(n^2) a node, of the sides that may be on either side of it; of the law only the
counts that may occur are kept. Places are exact to 1e-9, however many sides there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.engine.system import Chances, Unratable
from prowess.engine.tabular import ResultTable
from prowess.games.arguments import BadArgument, check_number
from prowess.games.games import BETWEEN_MEMBERS

MOST_SIDES = 2_000  # of which places are worked out
PANEL_NODES = 32
PANEL_WIDTH = 10.0  # deviations of the number above, or of a performance
NUMBERS_A_STEP = 15_000  # numbers of a step: they stay in the cache
GUMBEL_REACH = (-4.0, -2.0, 0.0, 2.0, 4.0, 8.0, 16.0, 41.0)
NORMAL_REACH = (-9.0, -5.0, -2.5, 0.0, 2.5, 5.0, 9.0)
LIGHT_REACH = (-3.5, 16.0)  # beyond it Gumbel's law has 4e-15 and 1e-7
STRAIGHT = 4.0  # from there on a Gumbel density is all but exponential
PANEL_POINTS = 2_000  # between which panels are laid
FAINTEST = 1e-300  # of a chance of which a logarithm is taken


@dataclass(frozen=True, eq=False)
class Performances:
    """What the sides of a contest will show: means and deviations, [n], of one law."""

    mean: Floats
    deviation: Floats
    normal: bool  # else Gumbel's law, whose deviation is its scale

    def beats(self) -> Floats:
        """The chance of each side to come in before each other one, [n, n]; 1/2 on the diagonal."""
        apart = self.mean[:, None] - self.mean[None, :]
        if not self.normal:
            with np.errstate(over="ignore"):
                return np.asarray(1.0 / (1.0 + np.exp(-apart)))
        from scipy.special import ndtr

        square = self.deviation**2
        return np.asarray(ndtr(apart / np.sqrt(square[:, None] + square[None, :])))

    def laws(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Densities, and the chances of being below and above, each [points, n]."""
        z = (x[:, None] - self.mean) / self.deviation
        if self.normal:
            from scipy.special import ndtr

            density = np.exp(-0.5 * z * z) / (np.sqrt(2.0 * np.pi) * self.deviation)
            return density, ndtr(z), ndtr(-z)
        rate = np.exp(np.minimum(-z, 700.0))
        below = np.exp(-rate)
        return rate * below / self.deviation, below, -np.expm1(-rate)

    def panels(self) -> tuple[Floats, Floats]:
        """The ends of the panels, low and high, without gaps where no density is above 0."""
        reach = np.array(NORMAL_REACH if self.normal else GUMBEL_REACH)
        x = np.unique(self.mean + reach[:, None] * self.deviation)
        x = x[np.unique(np.linspace(0, len(x) - 1, PANEL_POINTS).astype(np.int64))]
        density, below, above = self.laws(0.5 * (x[1:] + x[:-1]))
        spread = (density * density / np.maximum(below * above, FAINTEST)).sum(axis=1)
        z = (x[:, None] - self.mean) / self.deviation
        curved = 1.0 if self.normal else np.where(z[:-1] >= STRAIGHT, 0.4, 1.0)
        near = (z[1:] > reach[0]) & (z[:-1] < reach[-1])
        own = np.where(near, curved / self.deviation, 0.0).max(axis=1)
        rate = np.where(own > 0.0, np.sqrt(spread + own * own), np.inf)
        lows, highs, steepest = [float(x[0])], [float(x[0])], 0.0
        for end, steep in zip(x[1:].tolist(), rate.tolist(), strict=True):
            if steep == np.inf or (end - lows[-1]) * max(steep, steepest) > PANEL_WIDTH:
                start, steepest = highs[-1], 0.0
                count = 1 if steep == np.inf else int((end - start) * steep / PANEL_WIDTH) + 1
                ends = np.linspace(start, end, count + 1).tolist()
                lows += [end] if steep == np.inf else ends[:-1]
                highs += ends[1:]
            highs[-1], steepest = end, 0.0 if steep == np.inf else max(steep, steepest)
        return np.array(lows), np.array(highs)

    def places(self) -> Floats:
        """The chance of each side to take each place, [n, n]; place 1 is column 0."""
        nodes, weights = np.polynomial.legendre.leggauss(PANEL_NODES)
        (low, high), n = self.panels(), len(self.mean)
        half = 0.5 * (high - low)
        x = (low[:, None] + half[:, None] * (nodes + 1.0)).ravel()
        weight = (half[:, None] * weights).ravel()
        found = np.zeros((n, n))
        step = max(PANEL_NODES, NUMBERS_A_STEP // n)
        reach = NORMAL_REACH if self.normal else GUMBEL_REACH
        order = np.arange(n, dtype=np.int64)
        for at in range(0, len(x), step):
            points = x[at : at + step]
            better = (points[-1] - self.mean) / self.deviation < reach[0]  # than all points
            worse = (points[0] - self.mean) / self.deviation > reach[-1]
            open_sides = np.flatnonzero(~(better | worse))
            if not len(open_sides):
                continue
            first = int(better.sum())
            block = np.ix_(open_sides, order[first : first + len(open_sides)])
            places = found[block][None]
            density, below, above = self.of(open_sides).laws(points)
            density *= weight[at : at + step, None]
            add_places(places, density, below, above)
            found[block] = places[0]
        return np.asarray(np.maximum(found, 0.0))

    def of(self, sides: Ids) -> Performances:
        """Those of some sides."""
        return Performances(self.mean[sides], self.deviation[sides], self.normal)


def places_by_strength(strength: Floats) -> Floats:
    """The chance of each side to take each place, [contests, n, n], of contests of Gumbel's law.

    `strength` are the means, [contests, n]. They are exact to 1e-6: the integral is a sum over
    points at equal distances, of which smooth functions that fall off need few.
    """
    count, n = strength.shape
    low, high = strength.min() + LIGHT_REACH[0], strength.max() + LIGHT_REACH[1]
    nodes = int((high - low) * (2.0 + 0.7 * np.sqrt(n))) + 2
    found, step = np.zeros((count, n, n)), max(1, 8 * NUMBERS_A_STEP // (nodes * n))
    x = np.linspace(low, high, nodes)
    for at in range(0, count, step):
        rate = np.exp(strength[at : at + step, None, :] - x[:, None]).reshape(-1, n)
        below = np.exp(-rate)
        density = rate * below * (x[1] - x[0])
        add_places(found[at : at + step], density, below, -np.expm1(-rate))
    return found


def add_places(found: Floats, density: Floats, below: Floats, above: Floats) -> None:
    """Add the parts of some nodes to the chances of places, [contests, n, n].

    The others are [contests x nodes, n], as many nodes of each contest.
    """
    first, law = law_of_number(below, above)
    end, n = first + len(law), found.shape[-1]
    by_contest = (len(found), -1, n)
    # Side i is taken out of the law P of all: P_k = (1 - q) R_k + q R_(k-1). Solved for R from
    # below where q is at most 1/2, from above elsewhere, errors do not grow.
    rare = above <= 0.5
    up, down = np.zeros_like(above), np.zeros_like(above)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        up_whole, up_ratio = np.where(rare, [density / below, above / below], 0.0)
        down_whole, down_ratio = np.where(rare, 0.0, [density / above, below / above])
    part = np.empty_like(above)
    for k in range(first, min(end, n)):
        np.multiply(law[k - first, :, None], up_whole, out=part)
        up *= up_ratio
        np.subtract(part, up, out=up)
        found[:, :, k] += up.reshape(by_contest).sum(axis=1)
    for k in range(min(end, n + 1) - 1, max(first, 1) - 1, -1):
        np.multiply(law[k - first, :, None], down_whole, out=part)
        down *= down_ratio
        np.subtract(part, down, out=down)
        found[:, :, k - 1] += down.reshape(by_contest).sum(axis=1)


def law_of_number(below: Floats, above: Floats) -> tuple[int, Floats]:
    """The law of the number of sides above each node: the least count that may occur, and
    chances from it on, [counts, nodes].

    Counts are left out whose chance is below 1e-17, by Bernstein's inequality.
    """
    mean = np.cumsum(above, axis=1, dtype=np.float64)
    reach = 26.0 + 8.9 * np.sqrt(np.cumsum(above * below, axis=1, dtype=np.float64))
    lows = np.maximum(0, (mean - reach).min(axis=0)).astype(np.int64)
    highs = np.minimum(
        np.arange(1, above.shape[1] + 1, dtype=np.int64), (mean + reach).max(axis=0) + 1.0
    )
    law = np.zeros((above.shape[1] + 1, len(above)))
    law[0] = 1.0
    low = 0
    bounds = zip(lows.tolist(), highs.astype(np.int64).tolist(), strict=True)
    for side, (least, high) in enumerate(bounds):
        q, p = above[:, side], below[:, side]
        moved = law[low:high] * q
        law[low : high + 1] *= p
        law[low + 1 : high + 1] += moved
        low = least
    return low, law[low : int(highs[-1]) + 1]


NEARLY_SURE = 0.999  # a chance


def performances_by_pairs(
    expect: Callable[[Ids, Ids], Floats], count: int, normal: bool
) -> Performances:
    """The performances of so many sides, of which `expect` gives expected scores, [pairs]."""
    first, second = np.tril_indices(count, -1)
    expected = np.zeros((count, count))  # the diagonal is not read
    expected[first, second] = chance = expect(first, second)
    expected[second, first] = 1.0 - chance
    sure = np.flatnonzero(chance > NEARLY_SURE)  # of 1 - chance too few digits would be left
    if len(sure):
        expected[second[sure], first[sure]] = expect(second[sure], first[sure])
    return performances_of_pairs(expected, normal)


def refuse_infinite(expected: Floats) -> None:
    """Raise Unratable for expected scores that are not finite."""
    if not np.isfinite(expected).all():
        raise Unratable.of("no_finite_score")


def performances_of_pairs(expected: Floats, normal: bool) -> Performances:
    """The performances at which sides beat one another as pairs say, on the mean over the field.

    `expected` [n, n] is the chance of each before each other; both sides of a pair are
    read, so that the smaller chance has all its digits. The diagonal is not read.
    """
    refuse_infinite(expected)
    chance = np.maximum(expected, FAINTEST)
    if normal:
        from scipy.special import ndtri

        gap = np.where(chance < chance.T, ndtri(chance), -ndtri(chance.T))
    else:
        gap = np.log(chance) - np.log(chance.T)
    np.fill_diagonal(gap, 0.0)
    mean = gap.mean(axis=1)
    return Performances(mean, np.full(len(mean), np.sqrt(0.5) if normal else 1.0), normal)


def quality_of(chances: Sequence[float]) -> float:
    """How even a contest is by each side's chance to win: 1 for equal chances, 0 if decided.

    1 - the largest distance of a chance from 1/n, as a share of the largest possible, 1 - 1/n.

    >>> quality_of([0.5, 0.5]), quality_of([0.75, 0.25]), quality_of([1.0, 0.0, 0.0])
    (1.0, 0.5, 0.0)
    """
    even = 1.0 / len(chances)
    return 1.0 - max(abs(chance - even) for chance in chances) / (1.0 - even)


class Total(NamedTuple):
    """The chances that the goals of a game are more than a line, just as many, and fewer."""

    over: float
    level: float
    under: float


@dataclass(frozen=True, eq=False)
class Scores:
    """The chance of every score of a game of two sides: `grid` [goals of a, goals of b].

    `note` says what was changed to make it a law; empty where nothing was.

    >>> even = Scores(np.full((2, 2), 0.25))
    >>> even.chances, even.totals(0.5), even.both_score, even.goals
    (Chances(win=0.25, draw=0.5), Total(over=0.75, level=0.0, under=0.25), 0.25, (0.5, 0.5))
    """

    grid: Floats
    note: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scores) and (self.note, self.grid.shape, self.grid.tobytes()) == (
            other.note, other.grid.shape, other.grid.tobytes()
        )  # fmt: skip

    def __hash__(self) -> int:
        return hash((self.note, self.grid.tobytes()))

    def __repr__(self) -> str:
        return f"<Scores: {', '.join(f'{a}:{b} {p:.3f}' for a, b, p in self.likeliest(3))}>"

    @cached_property
    def chances(self) -> Chances:
        """The chances of a win of a and of a draw."""
        win = min(1.0, float(np.tril(self.grid, -1).sum()))  # sums are rounded
        return Chances(win, min(1.0 - win, float(np.trace(self.grid))))

    @property
    def goals(self) -> tuple[float, float]:
        """The mean goals of a and of b."""
        mine, theirs = map(np.arange, self.grid.shape)
        return float(mine @ self.grid.sum(axis=1)), float(theirs @ self.grid.sum(axis=0))

    @property
    def both_score(self) -> float:
        """The chance that both sides score."""
        return float(self.grid[1:, 1:].sum())

    @property
    def line(self) -> float:
        """The number of goals and a half that is nearest to what both sides score."""
        return float(np.floor(sum(self.goals))) + 0.5

    def totals(self, line: float) -> Total:
        """The chances of more goals than `line` in all, of just so many, and of fewer."""
        line = check_number("line", line, "a number of goals, such as 2.5")
        goals = np.add.outer(*map(np.arange, self.grid.shape))
        level = goals == line
        over, at = float(self.grid[goals > line].sum()), float(self.grid[level].sum())
        return Total(over, at, float(self.grid[goals < line].sum()))

    def likeliest(self, count: int) -> list[tuple[int, int, float]]:
        """The scores that are most likely, goals of a and of b and the chance, in that order."""
        order = np.argsort(-self.grid, axis=None, kind="stable")[:count]
        at = np.stack(np.unravel_index(order, self.grid.shape), axis=1).tolist()
        return [(a, b, float(self.grid[a, b])) for a, b in at]


def columns_of_scores(scores: Sequence[Scores]) -> dict[str, list[float]]:
    """Of each game the mean goals, and the chances that both score and that a line is exceeded."""
    return {
        "goals_a": [one.goals[0] for one in scores],
        "goals_b": [one.goals[1] for one in scores],
        "both_score": [one.both_score for one in scores],
        "line": [one.line for one in scores],
        "over": [one.totals(one.line).over for one in scores],
    }


@dataclass(frozen=True, eq=False)
class ContestForecast:
    """The forecast of a contest of two or more sides.

    `win` [n] is the chance of each side to win, `places` [n, n] that of every place (column 0 is
    the first), `beats` [n, n] the chance of each side to come in before each other one, 1/2 on the
    diagonal, and `expected_place` [n] the mean place: 1 + the chances of the others to be before.
    In a game of two a draw counts half a place to each; a chance to win is nan if it is not known.
    `scores` are those of a game of two under a system that foresees scores, else None.
    """

    sides: tuple[Any, ...]  # a name, or a tuple of names
    win: Floats
    places: Floats
    beats: Floats
    scores: Scores | None = None

    @cached_property
    def expected_place(self) -> Floats:
        """The mean place of each side, [n]."""
        found: Floats = 0.5 + self.beats.sum(axis=0)
        return found

    @classmethod
    def of_many(cls, sides: tuple[Any, ...], shown: Performances) -> ContestForecast:
        """The forecast of three or more sides."""
        places = shown.places()
        return cls(sides, places[:, 0], places, shown.beats())

    @classmethod
    def of_two(
        cls, sides: tuple[Any, ...], first: float, win: float | None, loss: float | None,
        scores: Scores | None = None,
    ) -> ContestForecast:  # fmt: skip
        """The forecast of a game of two sides, from the expected score of the first."""
        places = np.array([[first, 1.0 - first], [1.0 - first, first]])
        beats = np.array([[0.5, first], [1.0 - first, 0.5]])
        return cls(sides, np.array([win, loss], dtype=np.float64), places, beats, scores)

    def members(self, side: int) -> list[str]:
        """The names of the members of a side, by its number."""
        one = self.sides[side]
        return [one] if isinstance(one, str) else [m if isinstance(m, str) else m[0] for m in one]

    @property
    def names(self) -> list[str]:
        """The names of the sides, `Ann & Bob (0.5)` for members with their shares."""
        return [
            side
            if isinstance(side, str)
            else BETWEEN_MEMBERS.join(
                one if isinstance(one, str) else f"{one[0]} ({one[1]:g})" for one in side
            )
            for side in self.sides
        ]


PLACES_SHOWN = 8  # of a printed table
DIGITS_SHOWN = {
    "place_": 3, "expected_place": 2, "goals_a": 2, "goals_b": 2, "both_score": 3, "over": 3
}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Forecasts(ResultTable):
    """Forecasts of games and contests: a table, and each of them by number, `forecasts[0]`.

    `win`, `places`, `expected_place` and `beats` are those of the only game; see `ContestForecast`.
    So are `scores`, `totals` and `both_score`, where the system foresees scores; see `Scores`.
    Games of two sides are a row each; where one has more, every side is a row.
    """

    contests: tuple[ContestForecast, ...] = ()
    new: tuple[str, ...] = ()  # players who are not in the table, foreseen as newcomers

    @property
    def headline(self) -> str:
        """See Tabular; with the newcomers."""
        return "; ".join(filter(None, (super().headline, self.note)))

    @property
    def note(self) -> str:
        """The newcomers in words, and what was changed to make scores a law; empty for neither."""
        new = f"new, with a newcomer's rating: {', '.join(self.new)}" if self.new else ""
        of_scores = (one.scores.note for one in self.contests if one.scores is not None)
        return "; ".join(filter(None, dict.fromkeys((new, *of_scores))))

    @classmethod
    def of_contests(
        cls, contests: tuple[ContestForecast, ...], title: str, new: tuple[str, ...] = ()
    ) -> Forecasts:
        """A row a side: its chance to win, its mean place, and the chance of every place."""
        most = max(len(one.sides) for one in contests)
        sides = [(one, k) for one in contests for k in range(len(one.sides))]
        columns: dict[str, Any] = {}
        if len(contests) > 1:
            columns["game"] = [at for at, one in enumerate(contests, 1) for _ in one.sides]
        columns["side"] = [one.names[k] for one, k in sides]
        columns["win"] = [known_number(one.win[k]) for one, k in sides]
        columns["expected_place"] = [float(one.expected_place[k]) for one, k in sides]
        for place in range(most):
            columns[f"place_{place + 1}"] = [
                float(one.places[k, place]) if place < len(one.sides) else None for one, k in sides
            ]
        if new:
            columns["new"] = [any(name in new for name in one.members(k)) for one, k in sides]
        return cls(columns, title, contests, new)

    def __getitem__(self, name: Any) -> Any:
        if isinstance(name, int):
            if not -len(self.contests) <= name < len(self.contests):
                raise IndexError(f"give a number below {len(self.contests)}, not {name}")
            return self.contests[name]
        return super().__getitem__(name)

    @property
    def only(self) -> ContestForecast:
        """The only game; raises BadArgument where there are several."""
        if len(self.contests) != 1:
            raise BadArgument.of("several_games", contests=len(self.contests))
        return self.contests[0]

    @property
    def win(self) -> Floats:
        """The chance of each side of the only game to win, [n]."""
        return self.only.win

    @property
    def places(self) -> Floats:
        """The chance of each side of the only game to take each place, [n, n]."""
        return self.only.places

    @property
    def expected_place(self) -> Floats:
        """The mean place of each side of the only game, [n]."""
        return self.only.expected_place

    @property
    def beats(self) -> Floats:
        """The chance of each side of the only game to come in before each other one, [n, n]."""
        return self.only.beats

    @property
    def scores(self) -> Scores:
        """The scores of the only game; raises Unratable where the system foresees none."""
        if self.only.scores is None:
            raise Unratable.of("no_scores")
        return self.only.scores

    @property
    def both_score(self) -> float:
        """The chance that both sides of the only game score."""
        return self.scores.both_score

    def totals(self, line: float) -> Total:
        """The chances that the only game has more goals than `line`, just so many, and fewer."""
        return self.scores.totals(line)

    def shows(self, name: str) -> bool:
        """Whether a printed table has this column: not those of many places."""
        _, mark, place = name.partition("place_")
        return not (mark and place.isdecimal() and int(place) > PLACES_SHOWN)

    def format_cell(self, name: str, value: Any) -> str:
        """See Tabular."""
        if isinstance(value, float) and (digits := DIGITS_SHOWN.get(name.rstrip("0123456789"))):
            return f"{value:.{digits}f}"
        return super().format_cell(name, value)


def known_number(value: Any) -> float | None:
    """A number; None for one that is not known."""
    return None if np.isnan(value) else float(value)
