"""Searches of the unit cube as generators, and the quadratics they use.

A search yields a generation of points and receives their losses, so that a generation can be
evaluated at once. `spread` (a Latin hypercube: M. D. McKay, R. J. Beckman and W. J. Conover,
Technometrics 21, 1979) and `optuna` search globally, `descent` goes down from one point by
quadratics whose steps shrink until a step costs as much as chance does.

The star of d dimensions is the centre, a step to either side along each axis and one corner for
each pair of axes: the (d + 1)(d + 2) / 2 points that determine a quadratic exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


R = TypeVar("R")
Search = Generator[list[Any], list[float], R]

SPREAD = 4  # points of the hypercube for each dimension
FIRST_STEP = 0.2
LARGEST, SMALLEST = 0.25, 1e-6  # steps
ROUNDS = 20  # of one descent
SETTLED = 1e-3  # of the noise: a smaller gain ends a descent
WRONG = 0.05  # of the noise: a larger promise that is not kept
REACHES = (1.0, 3.0, 9.0)  # steps within which the lowest place of a quadratic is tried
CLOSE = 0.05  # two descents this close are going to the same place
TOGETHER = 8  # points that Optuna proposes at a time


def run_search(search: Search[R], evaluated: Callable[[list[Any]], list[float]]) -> R:
    """Run a search to its end and return its result."""
    try:
        points = next(search)
        while True:
            points = search.send(evaluated(points))
    except StopIteration as end:
        result: R = end.value
        return result


def spread(start: Floats, seed: int) -> Search[None]:
    """Yield the start, and one point in each row and column of the cube."""
    rng = np.random.default_rng(seed)
    count = SPREAD * len(start) + SPREAD
    rows = np.stack([rng.permutation(count) for _ in start], axis=1)
    yield [start, *((rows + rng.random(rows.shape)) / count)]


def optuna(start: Floats, seed: int, trials: int) -> Search[None]:
    """Yield points of Optuna's tree-structured Parzen estimator, in generations of eight."""
    try:
        import optuna as library
    except ModuleNotFoundError:
        raise ModuleNotFoundError("pip install 'prowess[tune]': this search needs Optuna") from None
    names = [str(axis) for axis in range(len(start))]
    library.logging.set_verbosity(library.logging.WARNING)
    study = library.create_study(sampler=library.samplers.TPESampler(seed=seed))
    study.enqueue_trial(dict(zip(names, start.tolist(), strict=True)))
    for done in range(0, trials, TOGETHER):
        asked = [study.ask() for _ in range(min(TOGETHER, trials - done))]
        points = [np.array([one.suggest_float(n, 0.0, 1.0) for n in names]) for one in asked]
        losses = yield points
        for trial, loss in zip(asked, losses, strict=True):
            if np.isfinite(loss):
                study.tell(trial, loss)
            else:
                study.tell(trial, state=library.trial.TrialState.FAIL)


def descent(start: Floats, noise: float, known: Floats | None = None) -> Search[Floats]:
    """Descend from a point; return the steps that cost about `noise`, [dimensions].

    It ends near a place that is `known`.
    """
    centre, step = start, np.full(len(start), FIRST_STEP)
    lowest = np.inf
    for _ in range(ROUNDS):
        middle = np.clip(centre, step, 1.0 - step)
        points = star(middle, step)
        losses = np.array((yield points))
        model = fit_quadratic(middle, step, losses)
        tried = [
            model.lowest(np.maximum(middle - k * step, 0.0), np.minimum(middle + k * step, 1.0))
            for k in REACHES
        ]
        losses = np.concatenate((losses, (yield tried)))
        points += tried
        best = int(np.argmin(losses))
        gain, promised = lowest - losses[best], lowest - model.at(tried[0])
        if gain > 0.0:
            lowest, centre = float(losses[best]), points[best]
        bend = np.diag(model.bend)
        with np.errstate(divide="ignore", invalid="ignore"):
            wanted = np.where(bend > 0.0, np.sqrt(2.0 * noise / bend), 2.0 * step)
        wanted = np.clip(wanted, SMALLEST, LARGEST)
        if gain < SETTLED * noise:
            if promised > WRONG * noise:  # the quadratic does not hold at this distance
                wanted = np.minimum(wanted, step / 3.0)
                if (step <= SMALLEST).all():
                    break
            elif (step < 3.0 * wanted).all():
                step = wanted
                break
        step = np.clip(wanted, step / 5.0, 2.0 * step)
        if known is not None and np.abs(centre - known).max() < CLOSE:
            break
    return step


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
    swapped = np.arange(len(back))
    swapped[1 : 2 * d : 2], swapped[2 : 2 * d + 1 : 2] = (
        np.arange(2, 2 * d + 1, 2),
        np.arange(1, 2 * d, 2),
    )
    one, other = fit_quadratic(centre, step, ahead), fit_quadratic(centre, -step, back[swapped])
    return Quadratic(centre, one.level, one.slope, (one.bend + other.bend) / 2.0)
