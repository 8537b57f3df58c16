"""The logarithm of a posterior over all ratings at once, its slopes, and its information matrix.

Unknowns are one vector in points: the ratings of n players, then the advantage of the first
side, then the draw parameter. A row of the tally looks at them through

    x = r_a - r_b + side * advantage,   e = the row's vector (+1 at a, -1 at b, side, 0)

    H = sum of c e e' + d (e o' + o e') + f o o' + the prior's curvatures,  o = the draw parameter

with c, d, f minus the second derivatives of `likelihood.terms` by xx, xt, tt.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess import kernel
from prowess.engine.likelihood import Model, row_terms
from prowess.engine.priors import FLAT, Prior, lowest, prior_terms

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

    def at(self, unknown: Floats) -> Slopes:
        """Value, gradient and information at a point."""
        rows, n, m = self.tally, self.players, len(self.tally)
        known = (rows.a, rows.b, rows.side, rows.wins, rows.draws, rows.losses)
        sizes = (m, m * bool(self.free[n + 1]), n + 2, n + 2)
        if compiling(m):
            filled = [np.zeros(size) for size in sizes]
            value = _loops()[0](self.model, unknown, *known, *filled)
        else:
            lists = [[0.0] * size for size in sizes]
            plain = (column.tolist() for column in (unknown, *known))
            value = row_terms(self.model, *plain, *lists)
            filled = [np.array(numbers) for numbers in lists]
        c, d, gradient, diagonal = filled
        of_prior = np.zeros(n)
        if self.prior.kind != FLAT:
            believed, slope, of_prior = self._believed(unknown)
            value += believed
            gradient[:n] += slope
            diagonal[:n] += of_prior
        return Slopes(rows, bool(self.free[n:].any()), value, gradient, c, d, diagonal, of_prior)

    def _believed(self, unknown: Floats) -> tuple[float, Floats, Floats]:
        """The sum of log p, its slopes and minus its curvatures, [n]; of free players only."""
        n = self.players
        slope, curvature = np.zeros(n), np.zeros(n)
        if compiling(n):
            free = self.free[:n]
            return _loops()[2](self.prior, unknown, free, slope, curvature), slope, curvature
        lists = slope.tolist(), curvature.tolist()
        value = prior_rows(self.prior, unknown.tolist(), self.free[:n].tolist(), *lists)
        return value, np.array(lists[0]), np.array(lists[1])


@dataclass(frozen=True, eq=False)
class Slopes:
    """Value, gradient [n + 2] and information matrix of a posterior at one point."""

    tally: Tally
    bordered: bool  # whether the advantage or the draw parameter is unknown
    value: float
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
            _loops()[1](rows.a, rows.b, side, self.by_row, self.with_draw, v, out)
        else:
            x = v[rows.a] - v[rows.b] + rows.side * v[n]
            y = self.by_row * x
            if len(self.with_draw):
                y += self.with_draw * v[n + 1]
            out = spread(rows, y)
            out[n + 1] = self.with_draw @ x if len(self.with_draw) else 0.0
        out[n + 1] += self.diagonal[n + 1] * v[n + 1]
        out[:n] += self.of_prior * v[:n]
        return out


def spread(rows: Tally, by_row: Floats) -> Floats:
    """The sum of e times a number per row, [n + 2]."""
    n = rows.players
    total = np.zeros(n + 2)
    total[:n] = np.bincount(rows.a, by_row, n) - np.bincount(rows.b, by_row, n)
    total[n] = by_row @ rows.side
    return total


def compiling(rows: int) -> bool:
    """Whether so many rows are worth the compiler; few are if it is there already."""
    return kernel.available() and (rows >= COMPILED_FROM or "numba" in sys.modules)


@cache
def _loops() -> tuple[Any, Any, Any]:
    compiled = kernel.compiled
    return compiled(row_terms), compiled(row_products), compiled(prior_rows)


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


def prior_rows(prior: Prior, unknown: Any, free: Any, slope: Any, curvature: Any) -> float:
    """Fill the slopes and minus the curvatures of log p of the free players; the sum of log p."""
    value = 0.0
    for player in range(len(free)):
        if free[player]:
            believed, first, second = prior_terms(prior, unknown[player])
            value += believed
            slope[player], curvature[player] = first, -second
    return value
