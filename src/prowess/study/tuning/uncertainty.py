"""Uncertainty of an optimum: the curvature of the loss there, and its scatter by blocks.

    V = H^-1 (sum over blocks of g g') H^-1

H is the Hessian of the mean loss, g the gradient of the part that a block of consecutive games
contributes (the sandwich: P. J. Huber, Proceedings of the Fifth Berkeley Symposium 1, 1967; H.
White, Econometrica 50, 1982). It needs neither a true model nor independent games, only nearly
independent blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.whole_table import normal_quantile
from prowess.study.backtest import Backtest
from prowess.study.compare import RESAMPLINGS, LossDifference, consecutive_blocks, difference
from prowess.study.tuning.evaluation import Evaluations
from prowess.study.tuning.search import Quadratic, fit_symmetric_quadratic, star
from prowess.study.tuning.space import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEAST_STEP = 1e-6
FLAT = 2.0  # of the noise; half the cube along a flat direction costs less
LOOSE = 0.05  # share in a flat direction from which a parameter is undetermined
DOUBLINGS, HALVINGS = 8, 6  # in the search for the ends of a serving interval


@dataclass(frozen=True, eq=False)
class Curvature:
    """The neighbourhood of an optimum in the unit cube.

    `free` are the axes that are not at an end of their range. `covariance` and `flat` are about
    those: flat directions have one row each, and a parameter in one has an infinite variance.
    """

    model: Quadratic
    free: NDArray[np.int64]
    covariance: Floats
    flat: Floats

    def deviations(self, dimensions: int) -> Floats:
        """Return the deviation of each dimension; 0 at an end of the range, infinite if unknown."""
        found = np.zeros(dimensions)
        found[self.free] = np.sqrt(np.diag(self.covariance))
        return found

    def direction(self, axis: int, dimensions: int) -> Floats:
        """Return how the others respond, by the curvature, when one parameter moves by 1."""
        line = np.zeros(dimensions)
        line[axis] = 1.0
        places = np.flatnonzero(self.free == axis)
        if not len(places):
            return line
        own = int(places[0])
        if len(self.flat) and (share := np.abs(self.flat[:, own])).max() > LOOSE:
            row = self.flat[int(share.argmax())]
            line[self.free] = row / row[own]
            return line
        inverse = _inverse(self.model.bend, self.flat)
        if inverse[own, own] > 0.0:
            line[self.free] = inverse[:, own] / inverse[own, own]
        return line

    def correlated_pairs(self, least: float) -> list[tuple[int, int, float]]:
        """Return pairs of axes with correlated errors, and the correlation."""
        found = []
        for i, j in combinations(range(len(self.free)), 2):
            both = self.covariance[i, i] * self.covariance[j, j]
            if np.isfinite(both) and both > 0.0:
                together = float(self.covariance[i, j] / np.sqrt(both))
                if abs(together) >= least:
                    found.append((int(self.free[i]), int(self.free[j]), together))
        return found


def curvature(
    space: Space, optimum: Floats, step: Floats, tried: Evaluations, test: Backtest, noise: float
) -> Curvature:
    """Measure Hessian and scatter of the losses at an optimum; `test` has the judged games."""
    free = np.flatnonzero((optimum > 0.0) & (optimum < 1.0))
    room = np.minimum(optimum, 1.0 - optimum)[free]
    step = np.maximum(np.minimum(step[free], room), LEAST_STEP)

    def whole(part: Floats) -> Floats:
        point = optimum.copy()
        point[free] = part
        return point

    d = len(free)
    places = star(optimum[free], step) + star(optimum[free], -step)[2 * d + 1 :]
    losses = np.stack(_fill_losses(tried.losses([space.setting(whole(part)) for part in places])))
    weight = test.weight
    total = weight.sum()
    model = fit_symmetric_quadratic(optimum[free], step, losses @ weight / total)
    slopes = (losses[2 : 2 * d + 1 : 2] - losses[1 : 2 * d : 2]) / (2.0 * step[:, None])
    blocks = consecutive_blocks(test)
    count = int(blocks.max()) + 1
    parts = (
        np.stack([np.bincount(blocks, slope * weight, count) / total for slope in slopes], axis=1)
        if d
        else np.zeros((count, 0))
    )
    parts -= parts.mean(axis=0)
    scatter = parts.T @ parts * (count / max(1, count - max(1, d)))
    size, axes = np.linalg.eigh(model.bend)
    flat = axes[:, size / 8.0 < FLAT * noise].T
    inverse = _inverse(model.bend, flat)
    covariance = inverse @ scatter @ inverse
    loose = (flat**2).sum(axis=0) > LOOSE**2
    covariance[loose, loose] = np.inf
    return Curvature(model, free, covariance, flat)


def _inverse(bend: Floats, flat: Floats) -> Floats:
    """Return the inverse of a Hessian on all directions but the flat ones."""
    size, axes = np.linalg.eigh(bend)
    rest = axes[:, len(flat) :]  # the flat ones have the least bend, so they come first
    inverse: Floats = (rest / size[len(flat) :]) @ rest.T
    return inverse


def _fill_losses(losses: list[Floats]) -> list[Floats]:
    """Replace losses of settings without finite ratings by the worst loss of any game."""
    length = max(map(len, losses))
    worst = max(float(one.max()) for one in losses if len(one) == length)
    return [one if len(one) == length else np.full(length, worst) for one in losses]


def serving_intervals(
    space: Space,
    optimum: Floats,
    found: Curvature,
    tried: Evaluations,
    test: Backtest,
    level: float,
    noise: float,
) -> list[tuple[float, float]]:
    """Return per dimension the interval without certain cost, the others responding.

    The cost is certain when the interval of the paired difference of losses excludes 0, and
    counts when all games together lose more than z^2 / 2 by it: at an end of a range, where the
    losses have a slope, the smallest step would be certain to cost a little. All ends are searched
    at the same time.
    """
    least = normal_quantile(level) ** 2 / 2.0 * noise
    blocks = consecutive_blocks(test)
    count = int(blocks.max()) + 1
    picks = np.random.default_rng(0).integers(0, count, (RESAMPLINGS, count))
    base = tried.losses([space.setting(optimum)])[0]
    d = len(space)
    deviation = found.deviations(d)

    def dearer(losses: Floats) -> bool:
        if len(losses) != len(base):
            return True
        cost: LossDifference = difference(losses, base, test.weight, blocks, picks, level)
        return cost.low > 0.0 and cost.mean > least

    sides = [(axis, sign) for axis in range(d) for sign in (-1.0, 1.0)]
    lines = {axis: found.direction(axis, d) for axis in range(d)}

    def at(side: tuple[int, float], way: float) -> Floats:
        axis, sign = side
        return np.clip(optimum + sign * way * lines[axis], 0.0, 1.0)

    def ends(side: tuple[int, float]) -> float:
        axis, sign = side
        return float(1.0 - optimum[axis] if sign > 0.0 else optimum[axis])

    def dear(ways: dict[tuple[int, float], float]) -> dict[tuple[int, float], bool]:
        losses = tried.losses([space.setting(at(side, way)) for side, way in ways.items()])
        return dict(zip(ways, map(dearer, losses), strict=True))

    good = dict.fromkeys(sides, 0.0)
    bad: dict[tuple[int, float], float] = {}
    ways = {side: _first(deviation[side[0]], ends(side)) for side in sides if ends(side) > 0.0}
    for _ in range(DOUBLINGS):
        for side, is_dear in dear(ways).items():
            (bad if is_dear else good)[side] = ways[side]
        ways = {
            side: min(2.0 * way, ends(side))
            for side, way in ways.items()
            if side not in bad and way < ends(side)
        }
        if not ways:
            break
    for _ in range(HALVINGS):
        ways = {side: 0.5 * (good[side] + bad[side]) for side in bad}
        for side, is_dear in dear(ways).items():
            (bad if is_dear else good)[side] = ways[side]
    return [
        (
            float(at((axis, -1.0), good[axis, -1.0])[axis]),
            float(at((axis, 1.0), good[axis, 1.0])[axis]),
        )
        for axis in range(d)
    ]


def _first(deviation: float, end: float) -> float:
    """Return the first distance: where a correct model begins to cost, at most to the end."""
    return min(3.0 * deviation, end) if 0.0 < deviation < np.inf else min(0.1, end)
