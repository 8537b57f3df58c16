"""The logarithm of a posterior over all ratings at once, its slopes, and its information matrix.

Unknowns are one vector in points: the ratings of n players, then the advantage of the first
side, then the draw parameter. A row of the tally looks at them through

    x = r_a - r_b + side * advantage,   e = the row's vector (+1 at a, -1 at b, side, 0)

    H = sum of c e e' + d (e o' + o e') + f o o' + the prior's curvatures,  o = the draw parameter

with c, d, f minus the second derivatives of `likelihood.terms` by xx, xt, tt.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess import kernel
from prowess.engine.fits.likelihood import Model, row_terms, row_values
from prowess.engine.fits.priors import FLAT, Prior, lowest, prior_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.tally import Tally

    Floats = NDArray[np.float64]

COMPILED_FROM = 20_000  # rows; below, loading the compiler takes longer than all steps together


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is to be maximised. `free` [n + 2] says which unknowns may move."""

    tally: Tally
    model: Model
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
            slope, of_prior = self._believed(unknown)
            gradient[:n] += slope
            diagonal[:n] += of_prior
        bordered = bool(self.free[n:].any())
        return Slopes(self.tally, bordered, gradient, c, d, diagonal, of_prior)

    def _believed(self, unknown: Floats) -> tuple[Floats, Floats]:
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
    return tuple(map(_compiled, (row_values, row_terms, row_products, prior_rows)))


def _compiled(loop: Any) -> Any:
    return kernel.compiled(loop)


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
