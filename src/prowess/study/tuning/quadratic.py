"""Quadratics through the losses of a star of points.

The star of d dimensions is the centre, a step to either side along each axis and one corner for
each pair of axes: the (d + 1)(d + 2) / 2 points that determine a quadratic exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


SWEEPS = 200  # over all axes, at most
STILL = 1e-12


@dataclass(frozen=True, eq=False)
class Quadratic:
    """q(x) = level + slope . (x - centre) + (x - centre)' bend (x - centre) / 2."""

    centre: Floats
    level: float
    slope: Floats
    bend: Floats

    def at(self, point: Floats) -> float:
        """Return its value at a point."""
        away = point - self.centre
        return float(self.level + self.slope @ away + 0.5 * away @ self.bend @ away)

    def lowest(self, low: Floats, high: Floats) -> Floats:
        """Return its minimum between two corners: Newton's point, or axis by axis from there."""
        point = np.clip(self.centre, low, high)
        try:
            np.linalg.cholesky(self.bend)
        except np.linalg.LinAlgError:
            pass
        else:
            point = self.centre - np.linalg.solve(self.bend, self.slope)
            if ((point >= low) & (point <= high)).all():
                return point
            point = np.clip(point, low, high)
        for _ in range(SWEEPS):
            before = point.copy()
            for axis in range(len(point)):
                point[axis] = self._lowest_along(axis, point, low[axis], high[axis])
            if np.abs(point - before).max() < STILL:
                break
        return point

    def _lowest_along(self, axis: int, point: Floats, low: float, high: float) -> float:
        away = point - self.centre
        slope = float(self.slope[axis] + self.bend[axis] @ away)
        bend = float(self.bend[axis, axis])
        here = float(point[axis])
        if bend > 0.0:
            return min(max(here - slope / bend, low), high)
        rise = {end: slope * (end - here) + 0.5 * bend * (end - here) ** 2 for end in (low, high)}
        return min(rise, key=rise.__getitem__)


def star(centre: Floats, step: Floats) -> list[Floats]:
    """Return the centre, - and + a step along each axis, then + + for each pair of axes."""
    along = np.diag(step)
    points = [centre]
    for axis in range(len(centre)):
        points += [centre - along[axis], centre + along[axis]]
    points += [centre + along[i] + along[j] for i, j in combinations(range(len(centre)), 2)]
    return points


def fit_quadratic(centre: Floats, step: Floats, losses: Floats) -> Quadratic:
    """Fit the quadratic with these losses on the star; losses that are not finite count as high."""
    finite = losses[np.isfinite(losses)]
    worst = 2.0 * finite.max() - finite.min() if len(finite) else 0.0
    losses = np.where(np.isfinite(losses), losses, worst)
    d = len(centre)
    middle, below, above = losses[0], losses[1 : 2 * d : 2], losses[2 : 2 * d + 1 : 2]
    bend = np.diag((above + below - 2.0 * middle) / step**2)
    for corner, (i, j) in zip(losses[2 * d + 1 :], combinations(range(d), 2), strict=True):
        bend[i, j] = bend[j, i] = (corner - above[i] - above[j] + middle) / (step[i] * step[j])
    return Quadratic(centre, float(middle), (above - below) / (2.0 * step), bend)


def fit_symmetric_quadratic(centre: Floats, step: Floats, losses: Floats) -> Quadratic:
    """Return the mean of two quadratics: of the star, and of the same with the corners - -.

    The losses are those of the star and then of the other corners. Odd terms
    cancel, so that a curved valley still has a flat floor.
    """
    d = len(centre)
    pairs = d * (d - 1) // 2
    ahead = losses[: 2 * d + 1 + pairs]
    back = np.concatenate((losses[:1], losses[1 : 2 * d + 1], losses[2 * d + 1 + pairs :]))
    swapped = np.arange(len(back), dtype=np.int64)
    swapped[1 : 2 * d : 2], swapped[2 : 2 * d + 1 : 2] = (
        np.arange(2, 2 * d + 1, 2, dtype=np.int64),
        np.arange(1, 2 * d, 2, dtype=np.int64),
    )
    one, other = fit_quadratic(centre, step, ahead), fit_quadratic(centre, -step, back[swapped])
    return Quadratic(centre, one.level, one.slope, (one.bend + other.bend) / 2.0)
