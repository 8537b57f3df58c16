"""Where to look next: searches of the unit cube as generators.

A search yields a generation of points and is sent their losses, so that whoever drives it may
evaluate a generation at once. `spread` (a Latin hypercube: M. D. McKay, R. J. Beckman and W. J.
Conover, Technometrics 21, 1979) and `optuna` look everywhere, `descent` goes down from one point
by quadratics whose steps shrink until a step costs as much as chance does.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from prowess.study.tuning.quadratic import star, through

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


def driven(search: Search[R], evaluated: Callable[[list[Any]], list[float]]) -> R:
    """Run a search to its end."""
    try:
        points = next(search)
        while True:
            points = search.send(evaluated(points))
    except StopIteration as end:
        result: R = end.value
        return result


def spread(start: Floats, seed: int) -> Search[None]:
    """The start, and one point in each row and column of the cube."""
    rng = np.random.default_rng(seed)
    count = SPREAD * len(start) + SPREAD
    rows = np.stack([rng.permutation(count) for _ in start], axis=1)
    yield [start, *((rows + rng.random(rows.shape)) / count)]


def optuna(start: Floats, seed: int, trials: int) -> Search[None]:
    """Optuna's tree-structured Parzen estimator, by generations of eight."""
    try:
        import optuna as library
    except ModuleNotFoundError:
        raise ModuleNotFoundError("this search needs Optuna: pip install 'prowess[tune]'") from None
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
    """Down from a point; returns the steps that cost about `noise`, [dimensions].

    Where it comes close to a place that is `known` it ends.
    """
    centre, step = start, np.full(len(start), FIRST_STEP)
    lowest = np.inf
    for _ in range(ROUNDS):
        middle = np.clip(centre, step, 1.0 - step)
        points = star(middle, step)
        losses = np.array((yield points))
        model = through(middle, step, losses)
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
