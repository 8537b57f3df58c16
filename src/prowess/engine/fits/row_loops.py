"""Loops over rows of results: value, slopes and products, added up in the order of the rows.

A row has two players, a side and results: sums of wins, draws and losses, which `counts` takes
from however they are kept. `unknown`, `gradient` and `diagonal` [n + 2] are of the ratings, the
advantage and the draw parameter; c and d [rows] are minus the second derivatives xx and xt. Where
`side` is empty no row has one, where d is empty nothing is asked about the draw parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from prowess.compile import kernel
from prowess.engine.fits.likelihood import OutcomeModel, slopes_of_model, term_value


class RowLoops(NamedTuple):
    """The loops for rows of one form and one model."""

    values: Callable[..., float]
    slopes: Callable[..., None]
    outcomes: Callable[..., None]


Counts = Callable[[float, float, float], tuple[float, float, float]]


@cache
def make_row_loops(counts: Counts, curve: int, draws: int, compiled: bool) -> RowLoops:
    """Loops over rows whose wins, draws and losses `counts` makes of three columns of results.

    The second is 1 where its column is empty, the third 0. (`counts` is given numbers: arrays that
    are passed on at every row would be counted as owned, and given up, at every row.)

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
