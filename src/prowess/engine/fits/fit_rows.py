"""What a fit asks of its rows, the rows that are merged by pair, and the loops over any rows.

Sums over rows are vectors [n + 2]: of the ratings of n players, the advantage, the draw parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from prowess.compile import kernel, worth
from prowess.compile.numbers import Floats, Ids
from prowess.compile.worth import as_lists, compiled_once
from prowess.engine.fits.connectivity import PointGraph, SideForest, add_tally
from prowess.engine.fits.likelihood import FITTED_DRAWS, OutcomeModel, slopes_of_model, term_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.tally import Tally

    Chosen = NDArray[np.bool_]

LEAST_GAMES = 1 << 20  # fewer are merged by pair whatever their pairs are
MERGED_PLAYERS = 2_000  # fewer make few pairs
SAMPLE = 1 << 17  # games


@dataclass(frozen=True, eq=False)
class Outline:
    """What is looked at before a fit: whether rows determine all that is to be fitted."""

    graph: PointGraph
    sides: SideForest | None  # None: sides were not asked for

    @classmethod
    def of(cls, players: int, *, sides: bool) -> Outline:
        """That of no rows."""
        return cls(PointGraph(players), SideForest(players) if sides else None)

    def join(self, other: Outline) -> None:
        """Add the rows of another outline of the same players."""
        self.graph.join(other.graph)
        if self.sides is not None and other.sides is not None:
            self.sides.join(other.sides)


class RowCurvature(Protocol):
    """The rows' part of an information matrix H at one point."""

    def times(self, v: Floats) -> Floats:
        """H v, [n + 2], without what the draw parameter has by itself."""

    def matrix(self) -> Floats:
        """H, [n + 2, n + 2], without its diagonal; only of rows that are merged."""

    def sum_pairs(self, own: Floats, moving: Chosen, group: Ids, count: int) -> PairSums:
        """Sums over pairs of players, h being the c of all their games together.

        `own` [n] is the diagonal of the information, `moving` [n] says who is not held, `group`
        [n] is one of `count` numbers.
        """


class PairSums(NamedTuple):
    """Sums over the opponents of a player, and over the pairs of two groups."""

    squares: Floats  # [n]: of h^2 / own, of opponents who are not held
    between: Floats  # [groups, groups]: of h, a in the first and b in the second; none is held


class PointSums(NamedTuple):
    """Gradient and diagonal of the information at a point, each [n + 2], and the rest of it."""

    gradient: Floats
    diagonal: Floats
    curvature: RowCurvature


class FitRows(Protocol):
    """The rows of a fit, wherever they are kept."""

    @property
    def players(self) -> int:
        """How many."""

    def outline(self, *, sides: bool) -> Outline:
        """What is looked at before a fit; `sides`: also who had the advantage."""

    def totals(self) -> Floats:
        """The draws and the games, [2], by weight."""

    def select(self, place: Ids) -> FitRows:
        """The rows of these players, numbered anew; the others have no games."""

    def at(self, model: OutcomeModel, unknown: Floats) -> PointSums:
        """The sums at a point, [n + 2]."""

    def value(self, model: OutcomeModel, unknown: Floats) -> float:
        """The log-likelihood at a point, [n + 2]."""

    def resampler(self, model: OutcomeModel, unknown: Floats) -> Callable[[int, int], Floats]:
        """(seed, k) -> the gradient [n + 2] of the k-th resampling of the results."""


@dataclass(frozen=True, eq=False)
class MergedRows:
    """A tally as rows of a fit; sums are made in the order of its rows."""

    tally: Tally

    @property
    def players(self) -> int:
        """How many."""
        return self.tally.players

    @property
    def columns(self) -> tuple[Any, ...]:
        """The tally as the loops take it."""
        rows = self.tally
        return rows.a, rows.b, sides_of(rows), (rows.wins, rows.draws, rows.losses)

    def outline(self, *, sides: bool) -> Outline:
        """See FitRows."""
        rows, outline = self.tally, Outline.of(self.players, sides=sides)
        add_tally(outline.graph, rows)
        if outline.sides is not None:
            outline.sides.add(rows.a, rows.b, rows.side)
        return outline

    def totals(self) -> Floats:
        """See FitRows."""
        return np.array([self.tally.draws.sum(), self.tally.games.sum()])

    def select(self, place: Ids) -> MergedRows:
        """See FitRows."""
        rows = self.tally
        if len(place) == rows.players:
            return self
        number = np.zeros(rows.players, dtype=np.uint32)
        number[place] = np.arange(len(place), dtype=np.int64)
        return MergedRows(replace(rows, players=len(place), a=number[rows.a], b=number[rows.b]))

    def loops(self, model: OutcomeModel) -> RowLoops:
        """The loops for these rows."""
        compiled = is_worth_compiling(len(self.tally))
        return make_row_loops(counts_of_row, model.curve, model.draws, compiled)

    def value(self, model: OutcomeModel, unknown: Floats) -> float:
        """See FitRows."""
        compiled = is_worth_compiling(len(self.tally))
        columns = unknown, *self.columns
        return float(
            self.loops(model).values(model.q, *(columns if compiled else as_lists(columns)))
        )

    def at(self, model: OutcomeModel, unknown: Floats) -> PointSums:
        """See FitRows."""
        n, m = self.players, len(self.tally)
        sizes = (m, m * (model.draws in FITTED_DRAWS), n + 2, n + 2)
        if is_worth_compiling(m):
            filled = [np.zeros(size) for size in sizes]
            self.loops(model).slopes(model.q, unknown, *self.columns, *filled)
        else:
            lists = [[0.0] * size for size in sizes]
            self.loops(model).slopes(model.q, *as_lists((unknown, *self.columns)), *lists)
            filled = [np.array(numbers) for numbers in lists]
        c, d, gradient, diagonal = filled
        return PointSums(gradient, diagonal, MergedCurvature(self.tally, c, d))

    def resampler(self, model: OutcomeModel, unknown: Floats) -> Callable[[int, int], Floats]:
        """See FitRows."""
        by_x, by_t = self.outcome_slopes(model, unknown)

        def gradient(seed: int, k: int) -> Floats:
            counts = resample_counts(self.tally, seed, k)
            found = sum_by_player(self.tally, (by_x * counts).sum(axis=0))
            found[-1] = (by_t * counts).sum()
            return found

        return gradient

    def outcome_slopes(self, model: OutcomeModel, unknown: Floats) -> tuple[Floats, Floats]:
        """Slopes by x and t of one win, one draw, one loss in every row, each [3, rows]."""
        rows = self.tally
        by_x, by_t = np.zeros((3, len(rows))), np.zeros((3, len(rows)))
        fill = self.loops(model).outcomes
        fill(model.q, unknown, rows.a, rows.b, rows.side, by_x, by_t)
        return by_x, by_t


@dataclass(frozen=True, eq=False)
class MergedCurvature:
    """The curvatures of the rows of a tally at one point, whatever point is looked at later."""

    tally: Tally
    by_row: Floats  # c, [rows]
    with_draw: Floats  # d, [rows]; empty where draws have no parameter

    def matrix(self) -> Floats:
        """See RowCurvature."""
        rows, n = self.tally, self.tally.players
        h = np.zeros((n + 2, n + 2))
        pair = rows.a.astype(np.int64) * n + rows.b
        upper = np.bincount(pair, self.by_row, n * n).reshape(n, n)
        h[:n, :n] = -upper - upper.T
        h[n, :] = h[:, n] = sum_by_player(rows, self.by_row * rows.side)
        if len(self.with_draw):
            h[n + 1, :] = h[:, n + 1] = sum_by_player(rows, self.with_draw)
        return h

    def times(self, v: Floats) -> Floats:
        """See RowCurvature."""
        rows, n = self.tally, self.tally.players
        if is_worth_compiling(len(rows)):
            out = np.zeros(n + 2)
            columns = rows.a, rows.b, sides_of(rows)
            compiled_once(add_products)(*columns, self.by_row, self.with_draw, v, out)
            return out
        x = v[rows.a] - v[rows.b] + rows.side * v[n]
        y = self.by_row * x
        if len(self.with_draw):
            y += self.with_draw * v[n + 1]
        out = sum_by_player(rows, y)
        out[n + 1] = inner_product(self.with_draw, x) if len(self.with_draw) else 0.0
        return out

    def sum_pairs(self, own: Floats, moving: Chosen, group: Ids, count: int) -> PairSums:
        """See RowCurvature."""
        n = self.tally.players
        a, b, joint = self._pairs()
        square = joint * joint
        squares = np.bincount(a, square * moving[b] / own[b], n).astype(np.float64)
        squares += np.bincount(b, square * moving[a] / own[a], n)
        both = moving[a] & moving[b]
        cell = group[a[both]] * count + group[b[both]]
        between = np.bincount(cell, joint[both], count * count).reshape(count, count)
        return PairSums(squares, between.astype(np.float64))

    def _pairs(self) -> tuple[Ids, Ids, Floats]:
        """Rows of one pair as one."""
        rows, n = self.tally, self.tally.players
        a, b = rows.a.astype(np.int64), rows.b.astype(np.int64)
        if not rows.side.any():
            return a, b, self.by_row
        pair, row = np.unique(a * n + b, return_inverse=True)
        return pair // n, pair % n, np.bincount(row, self.by_row).astype(np.float64)


@dataclass(frozen=True, eq=False)
class SquaredScores:
    """The sums over games of the squares of their slopes, which vary as results do."""

    tally: Tally
    by_row: Floats  # [rows]

    @classmethod
    def of(cls, rows: MergedRows, model: OutcomeModel, unknown: Floats) -> SquaredScores:
        """Those of a tally at a point, [n + 2]."""
        tally = rows.tally
        by_x, _ = rows.outcome_slopes(model, unknown)
        counts = np.stack((tally.wins, tally.draws, tally.losses))
        return cls(tally, (by_x * by_x * counts).sum(axis=0))

    def matrix(self) -> Floats:
        """The sums of the products of the slopes of two unknowns, [n + 2, n + 2]."""
        rows, n = self.tally, self.tally.players
        whole = MergedCurvature(rows, self.by_row, np.zeros(0)).matrix()
        own = np.bincount(rows.a, self.by_row, n) + np.bincount(rows.b, self.by_row, n)
        whole[np.arange(n, dtype=np.int64), np.arange(n, dtype=np.int64)] = own
        whole[n, n] = inner_product(self.by_row, rows.side * rows.side)
        return whole

    def times(self, v: Floats) -> Floats:
        """The matrix times a vector, [n + 2]."""
        return MergedCurvature(self.tally, self.by_row, np.zeros(0)).times(v)

    def part_of(self, own: Floats) -> Floats:
        """How much they are of the information of each rating, `own` [n] being its diagonal."""
        rows, n = self.tally, self.tally.players
        squares = np.bincount(rows.a, self.by_row, n) + np.bincount(rows.b, self.by_row, n)
        return np.asarray(squares / np.where(own > 0.0, own, 1.0), dtype=np.float64)


def sides_of(rows: Tally) -> Floats:
    """The column of sides; empty where no row has one."""
    return rows.side if rows.side.any() else rows.side[:0]


def sum_by_player(rows: Tally, by_row: Floats) -> Floats:
    """The sum of e times a number per row, [n + 2]."""
    n = rows.players
    total = np.zeros(n + 2)
    total[:n] = np.bincount(rows.a, by_row, n) - np.bincount(rows.b, by_row, n)
    total[n] = inner_product(by_row, rows.side)
    return total


def inner_product(one: Floats, other: Floats) -> float:
    """The sum of products, added up in one order whatever number of processors there is.

    NumPy's `@` shares long vectors among threads, which wait for one another on a busy machine.
    """
    return float((one * other).sum())


def is_worth_compiling(rows: int) -> bool:
    """Whether so many rows are worth the compiler; few are if it is there already."""
    return worth.is_worth_compiling(rows, linked=kernel.loaded())


def is_worth_merging(players: int, a: NDArray[np.uint32], b: NDArray[np.uint32]) -> bool:
    """Whether games are merged by pair: where they are few, or four times as many as pairs.

    The number of pairs is estimated by the repetitions in a sample of SAMPLE games, as if all
    pairs met equally often.
    """
    games = len(a)
    if games < LEAST_GAMES or players <= MERGED_PLAYERS or not kernel.available():
        return True
    step = games // SAMPLE
    one, other = a[::step][:SAMPLE], b[::step][:SAMPLE]
    pair = np.minimum(one, other).astype(np.int64) * players + np.maximum(one, other)
    repeated = len(pair) - len(np.unique(pair))
    return 2 * len(pair) ** 2 < repeated * games  # pairs are len^2 / (2 repeated)


def counts_of_row(wins: float, draws: float, losses: float) -> tuple[float, float, float]:
    """Wins, draws and losses of a row of a tally."""
    return wins, draws, losses


# --- resampled results ----------------------------------------------------------------------------


POISSON_FROM = 100_000  # games; above, cells are drawn one by one, and the sum varies by 0.3 %


def resample_counts(rows: Tally, seed: int, k: int) -> Floats:
    """The k-th resampling of wins, draws and losses of every row, [3, rows]."""
    cells = np.stack((rows.wins, rows.draws, rows.losses))
    seen = np.flatnonzero(cells.ravel())
    known = cells.ravel()[seen]
    total = float(known.sum())
    games = max(round(total), 1)
    random = np.random.default_rng([seed, k])
    again = np.zeros(cells.size)
    if games < POISSON_FROM:
        again[seen] = random.multinomial(games, known / total) * (total / games)
    else:
        again[seen] = random.poisson(known)
    return again.reshape(cells.shape)


class RowLoops(NamedTuple):
    """The loops for rows of one form and one model."""

    values: Callable[..., float]
    slopes: Callable[..., None]
    outcomes: Callable[..., None]


Counts = Callable[[float, float, float], tuple[float, float, float]]


@cache
def make_row_loops(counts: Counts, curve: int, draws: int, compiled: bool) -> RowLoops:
    """Loops over rows whose wins, draws and losses `counts` makes of three columns of results.

    They add up value, slopes and products in the order of the rows. `unknown`, `gradient` and
    `diagonal` [n + 2] are of the ratings, the advantage and the draw parameter; c and d [rows] are
    minus the second derivatives xx and xt. Where `side` is empty no row has one, where d is empty
    nothing is asked about the draw parameter.

    The second number is 1 where its column is empty, the third 0. (`counts` is given numbers:
    arrays that are passed on at every row would be counted as owned, and given up, at every row.)

    Each model has loops of its own, which need not ask at every row what the model is; compiled
    ones give the same numbers to the last bit.
    """
    if compiled:
        return RowLoops(
            *map(kernel.compile_if_possible, make_row_loops(counts, curve, draws, False))
        )

    slopes_of = slopes_of_model(draws)

    def add_values(q: float, unknown: Any, a: Any, b: Any, side: Any, results: Any) -> float:
        """The log-likelihood of all rows at a point."""
        model = OutcomeModel(curve, draws, q)
        one, two, three = results
        value = 0.0
        advantage, t = unknown[len(unknown) - 2], unknown[len(unknown) - 1]
        for row in range(len(a)):
            x = unknown[a[row]] - unknown[b[row]]
            if len(side) > 0:
                x += advantage * side[row]
            second = two[row] if len(two) > 0 else 1.0
            third = three[row] if len(three) > 0 else 0.0
            value += term_value(model, x, t, *counts(one[row], second, third))
        return value

    def add_slopes(
        q: float, unknown: Any, a: Any, b: Any, side: Any, results: Any, c: Any, d: Any,
        gradient: Any, diagonal: Any,
    ) -> None:  # fmt: skip
        """Add up the slopes of all rows at a point and fill c and d; without their value."""
        model = OutcomeModel(curve, draws, q)
        one, two, three = results
        n = len(gradient) - 2
        advantage, t = unknown[n], unknown[n + 1]
        for row in range(len(a)):
            i, j = a[row], b[row]
            x = unknown[i] - unknown[j]
            if len(side) > 0:
                x += advantage * side[row]
            second = two[row] if len(two) > 0 else 1.0
            third = three[row] if len(three) > 0 else 0.0
            slopes = slopes_of(model, x, t, *counts(one[row], second, third))
            c[row] = -slopes.xx
            gradient[i] += slopes.x
            gradient[j] -= slopes.x
            diagonal[i] -= slopes.xx
            diagonal[j] -= slopes.xx
            if len(side) > 0:
                gradient[n] += side[row] * slopes.x
                diagonal[n] -= side[row] * side[row] * slopes.xx
            if len(d) > 0:
                d[row] = -slopes.xt
                gradient[n + 1] += slopes.t
                diagonal[n + 1] -= slopes.tt

    def fill_outcome_slopes(
        q: float, unknown: Any, a: Any, b: Any, side: Any, by_x: Any, by_t: Any
    ) -> None:
        """Fill the slopes of one win, one draw and one loss in every row, each [3][rows]."""
        model = OutcomeModel(curve, draws, q)
        advantage, t = unknown[len(unknown) - 2], unknown[len(unknown) - 1]
        for row in range(len(a)):
            x = unknown[a[row]] - unknown[b[row]] + advantage * side[row]
            for k in range(3):
                win, draw = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0
                one = slopes_of(model, x, t, win, draw, 1.0 - win - draw)
                by_x[k][row], by_t[k][row] = one.x, one.t

    return RowLoops(add_values, add_slopes, fill_outcome_slopes)


def add_products(a: Any, b: Any, side: Any, c: Any, d: Any, v: Any, out: Any) -> None:
    """Add the rows' part of H v to `out`, without what the draw parameter has by itself."""
    n = len(v) - 2
    for row in range(len(a)):
        x = v[a[row]] - v[b[row]]
        if len(side) > 0:
            x += side[row] * v[n]
        y = c[row] * x
        if len(d) > 0:
            y += d[row] * v[n + 1]
            out[n + 1] += d[row] * x
        if len(side) > 0:
            out[n] += side[row] * y
        out[a[row]] += y
        out[b[row]] -= y
