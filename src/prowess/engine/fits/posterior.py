"""The log posterior of all ratings at once: priors, gradient and information matrix.

Unknowns are one vector in points: the ratings of n players, then the advantage of the first
side, then the draw parameter. A row of the tally sees them through

    x = r_a - r_b + side * advantage,   e = the row's vector (+1 at a, -1 at b, side, 0)

    H = sum of c e e' + d (e o' + o e') + f o o' + the prior's curvatures,  o = the draw parameter

with c, d, f minus the second derivatives of `likelihood.terms` by xx, xt, tt.

Priors    normal          p = exp(-(x - mean)^2 / (2 sd^2)) / (sd sqrt(2 pi))
          extreme_value   p = q c8 exp(c8 + y - c8 e^y),  y = q (x - birth) >= 0     (EQ 60)
          histogram       p proportional to the players of a bin, x one of the bins' mid-points
          flat            p = 1
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5, 28 July 1994, sections 4 and 5, footnote 10; the histogram is the
          population table of section 7.
Units     x, mean, sd, birth: points; q: 1 / points; c8: none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import exp, inf, log, nan, pi
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prowess import kernel
from prowess.engine.fits.likelihood import OutcomeModel, row_terms, row_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.tally import Tally

    Floats = NDArray[np.float64]


COMPILED_FROM = 20_000  # rows; below, loading the compiler takes longer than all steps together


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is to be maximised. `free` [n + 2] says which unknowns may move."""

    tally: Tally
    model: OutcomeModel
    prior: Prior
    free: NDArray[np.bool_]

    @property
    def players(self) -> int:
        """How many."""
        return self.tally.players

    @property
    def floating(self) -> bool:
        """Whether only differences of ratings are known."""
        return self.prior.kind == FLAT and bool(self.free[: self.players].all())

    @property
    def lowest(self) -> Floats:
        """The least each unknown may be, [n + 2]."""
        bound = np.full(self.players + 2, -np.inf)
        bound[:-2] = np.where(self.free[:-2], lowest(self.prior), -np.inf)
        return bound

    @property
    def columns(self) -> tuple[Any, ...]:
        """The tally as the loops take it."""
        rows = self.tally
        return rows.a, rows.b, rows.side, rows.wins, rows.draws, rows.losses

    def value(self, unknown: Floats) -> float:
        """The logarithm of likelihood and prior."""
        if compiling(len(self.tally)):
            value = float(_loops()[0](self.model, unknown, *self.columns))
        else:
            plain = (column.tolist() for column in (unknown, *self.columns))
            value = row_values(self.model, *plain)
        free = unknown[:-2][self.free[:-2]].tolist()
        return value + sum(prior_terms(self.prior, rating)[0] for rating in free)

    def at(self, unknown: Floats) -> Slopes:
        """Gradient and information at a point."""
        n, m = self.players, len(self.tally)
        sizes = (m, m * bool(self.free[n + 1]), n + 2, n + 2)
        if compiling(m):
            filled = [np.zeros(size) for size in sizes]
            _loops()[1](self.model, unknown, *self.columns, *filled)
        else:
            lists = [[0.0] * size for size in sizes]
            row_terms(self.model, *(column.tolist() for column in (unknown, *self.columns)), *lists)
            filled = [np.array(numbers) for numbers in lists]
        c, d, gradient, diagonal = filled
        of_prior = np.zeros(n)
        if self.prior.kind != FLAT:
            slope, of_prior = self._prior_slopes(unknown)
            gradient[:n] += slope
            diagonal[:n] += of_prior
        bordered = bool(self.free[n:].any())
        return Slopes(self.tally, bordered, gradient, c, d, diagonal, of_prior)

    def _prior_slopes(self, unknown: Floats) -> tuple[Floats, Floats]:
        """Slopes and minus the curvatures of log p, [n]; 0 for players who are held."""
        n = self.players
        slope, curvature = np.zeros(n), np.zeros(n)
        fill = _loops()[3] if compiling(n) else prior_rows
        fill(self.prior, unknown, self.free[:n], slope, curvature)
        return slope, curvature


@dataclass(frozen=True, eq=False)
class Slopes:
    """Gradient [n + 2] and information matrix of a posterior at one point."""

    tally: Tally
    bordered: bool  # whether the advantage or the draw parameter is unknown
    gradient: Floats
    by_row: Floats  # c, [rows]
    with_draw: Floats  # d, [rows]; empty where draws have no parameter
    diagonal: Floats  # of the information matrix, [n + 2]
    of_prior: Floats  # the prior's part of it, [n]

    def matrix(self) -> Floats:
        """The information matrix, [n + 2, n + 2]."""
        rows, n = self.tally, self.tally.players
        h = np.zeros((n + 2, n + 2))
        pair = rows.a.astype(np.intp) * n + rows.b
        upper = np.bincount(pair, self.by_row, n * n).reshape(n, n)
        h[:n, :n] = -upper - upper.T
        h[n, :] = h[:, n] = spread(rows, self.by_row * rows.side)
        if len(self.with_draw):
            h[n + 1, :] = h[:, n + 1] = spread(rows, self.with_draw)
        np.fill_diagonal(h, self.diagonal)
        return h

    def times(self, v: Floats) -> Floats:
        """The information matrix times a vector [n + 2], straight from the rows."""
        rows, n = self.tally, self.tally.players
        if compiling(len(rows)):
            out = np.zeros(n + 2)
            side = rows.side if self.bordered else np.empty(0)
            _loops()[2](rows.a, rows.b, side, self.by_row, self.with_draw, v, out)
        else:
            x = v[rows.a] - v[rows.b] + rows.side * v[n]
            y = self.by_row * x
            if len(self.with_draw):
                y += self.with_draw * v[n + 1]
            out = spread(rows, y)
            out[n + 1] = inner(self.with_draw, x) if len(self.with_draw) else 0.0
        out[n + 1] += self.diagonal[n + 1] * v[n + 1]
        out[:n] += self.of_prior * v[:n]
        return out


def spread(rows: Tally, by_row: Floats) -> Floats:
    """The sum of e times a number per row, [n + 2]."""
    n = rows.players
    total = np.zeros(n + 2)
    total[:n] = np.bincount(rows.a, by_row, n) - np.bincount(rows.b, by_row, n)
    total[n] = inner(by_row, rows.side)
    return total


def inner(one: Floats, other: Floats) -> float:
    """The sum of products, added up in one order whatever number of processors there is.

    NumPy's `@` shares long vectors among threads, which wait for one another on a busy machine.
    """
    return float((one * other).sum())


def compiling(rows: int) -> bool:
    """Whether so many rows are worth the compiler; few are if it is there already."""
    return kernel.available() and (rows >= COMPILED_FROM or kernel.loaded())


@cache
def _loops() -> tuple[Any, ...]:
    return tuple(
        kernel.compile_function(loop) for loop in (row_values, row_terms, row_products, prior_rows)
    )


def row_products(a: Any, b: Any, side: Any, by_row: Any, with_draw: Any, v: Any, out: Any) -> None:
    """Add the rows' part of H v to `out`, without f; no sides: without advantage and draws."""
    n = len(v) - 2
    for row in range(len(a)):
        x = v[a[row]] - v[b[row]]
        y = by_row[row] * x
        if len(side) > 0:
            x += side[row] * v[n]
            y = by_row[row] * x
            if len(with_draw) > 0:
                y += with_draw[row] * v[n + 1]
                out[n + 1] += with_draw[row] * x
            out[n] += side[row] * y
        out[a[row]] += y
        out[b[row]] -= y


def prior_rows(prior: Prior, unknown: Any, free: Any, slope: Any, curvature: Any) -> None:
    """Fill the slopes and minus the curvatures of log p of the free players."""
    for player in range(len(free)):
        if free[player]:
            _, first, second = prior_terms(prior, unknown[player])
            slope[player], curvature[player] = first, -second


# --- priors of one rating -------------------------------------------------------------------------


PRIORS = ("normal", "extreme_value", "histogram", "flat")
NORMAL, EXTREME_VALUE, HISTOGRAM, FLAT = range(len(PRIORS))

BIN = 100.0  # points between the mid-points of the histogram
LOWEST_BIN = 950.0  # points: the mid-point of 900 to 999
BIN_PLAYERS = (16, 72, 195, 440, 614, 844, 869, 837, 850, 686, 535, 466, 281, 176, 82, 42, 10, 15)
HIGHEST = 700.0  # natural units above birth; e^y is finite below, and p is 0 long before


class Prior(NamedTuple):
    """A prior of one kind; the fields of other kinds are not looked at."""

    kind: int = NORMAL
    mean: float = 0.0
    sd: float = 1.0
    birth: float = 0.0
    c8: float = 0.5
    q: float = 1.0


def prior_terms(prior: Prior, x: float) -> tuple[float, float, float]:
    """log p(x) and its first and second derivatives, per point.

    -inf below the birth rating; nan for a histogram, which has no density.
    """
    if prior.kind == FLAT:
        return 0.0, 0.0, 0.0
    if prior.kind == NORMAL:
        z = (x - prior.mean) / prior.sd
        density = -0.5 * z * z - log(prior.sd) - 0.5 * log(2.0 * pi)
        return density, -z / prior.sd, -1.0 / (prior.sd * prior.sd)
    if prior.kind == EXTREME_VALUE:
        y = min(prior.q * (x - prior.birth), HIGHEST)
        if y < 0.0:
            return -inf, nan, nan
        growth = prior.c8 * exp(y)
        density = log(prior.c8 * prior.q) + prior.c8 + y - growth
        return density, prior.q * (1.0 - growth), -prior.q * prior.q * growth
    return nan, nan, nan


def lowest(prior: Prior) -> float:
    """The lowest rating there can be, in points; -inf where there is none."""
    return prior.birth if prior.kind == EXTREME_VALUE else -inf


def report_bins() -> tuple[Floats, Floats]:
    """Mid-points of the report's histogram in points, and the share of the players in each."""
    players = np.array(BIN_PLAYERS, dtype=np.float64)
    mids = np.arange(len(players), dtype=np.float64) * BIN + LOWEST_BIN
    return mids, players / players.sum()


def bins_of(rating: Floats) -> tuple[Floats, Floats]:
    """The same of a league's own ratings, [n] in points: bins of 100 points, empty ones too."""
    number = np.floor(rating / BIN).astype(np.int64)
    players = np.bincount(number - number.min())
    mids = (np.arange(len(players), dtype=np.float64) + number.min() + 0.5) * BIN
    return mids, players / players.sum()
