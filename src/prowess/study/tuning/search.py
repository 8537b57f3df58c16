"""The search space of tuning, its screening, and searches of the unit cube.

A range that spans a decade or more above 0 is searched by its logarithm, any other linearly.

Screening moves each parameter alone. A parameter that moves no forecast keeps its value. One that
moves them only as others together could is a matter of units: with k, scale and advantage in
points, twice as many points give the same forecasts. Parameters called `scale` or `base` come last,
so that they are the ones to keep their value; a given parameter keeps its value too, but its
directions count.

A search evaluates a generation of points at once. `spread` (a Latin hypercube: M. D. McKay, R. J.
Beckman and W. J. Conover, Technometrics 21, 1979) and `optuna` search globally, `descent` goes down
from one point by quadratics whose steps shrink until a step costs as much as chance does.

The star of d dimensions is the centre, a step to either side along each axis and one corner for
each pair of axes: the (d + 1)(d + 2) / 2 points that determine a quadratic exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.params import BadSetting, HasParams, Parameter, parameters, settings
from prowess.engine.system import Range
from prowess.study.tuning.evaluation import Evaluations

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Evaluate = Callable[[list[Floats]], list[float]]  # the losses of a generation of points


DECADE = 10.0


@dataclass(frozen=True)
class Dimension:
    """One parameter and the range in which it is searched."""

    name: str
    low: float
    high: float
    declared: Range

    @property
    def logarithmic(self) -> bool:
        """Whether equal steps are equal factors."""
        return self.low > 0.0 and self.high >= DECADE * self.low

    def value(self, place: float) -> float:
        """Return the value at a place from 0 (low end) to 1 (high end); both ends exactly."""
        if place <= 0.0 or place >= 1.0:
            return self.low if place <= 0.0 else self.high
        if self.logarithmic:
            return exp(log(self.low) + place * log(self.high / self.low))
        return self.low + place * (self.high - self.low)

    def place(self, value: float) -> float:
        """Return the place of a value, 0 to 1; a value outside the range is at its end."""
        value = min(max(value, self.low), self.high)
        if self.logarithmic:
            return log(value / self.low) / log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Space:
    """The parameters that are searched; points are places in the order of `dimensions`."""

    dimensions: tuple[Dimension, ...]

    def __len__(self) -> int:
        return len(self.dimensions)

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters."""
        return tuple(one.name for one in self.dimensions)

    def setting(self, point: Floats) -> dict[str, float]:
        """Return the values at a point."""
        places = zip(self.dimensions, point.tolist(), strict=True)
        return {one.name: one.value(place) for one, place in places}

    def point(self, setting: Mapping[str, float]) -> Floats:
        """Return the point of values."""
        return np.array([one.place(setting[one.name]) for one in self.dimensions])

    def only(self, names: Sequence[str]) -> Space:
        """Return the space of fewer parameters."""
        return Space(tuple(one for one in self.dimensions if one.name in names))


def starting_values(system: HasParams, given: Mapping[str, Any]) -> dict[str, float]:
    """Return the value of every numeric parameter before the search; raises BadSetting."""
    p = settings(system, given)
    return {
        name: float(getattr(p, name))
        for name, one in parameters(system).items()
        if isinstance(one.domain, Range)
    }


def select_parameters(system: HasParams, over: Mapping[str, tuple[float, float] | None]) -> Space:
    """Return the named parameters, each in its own or the given range; raises BadSetting."""
    known = parameters(system)
    found = []
    for name, given in over.items():
        if name not in known:
            settings(system, {name: 0.0})  # refuses it and names the nearest
        one = known[name]
        if not isinstance(one.domain, Range):
            raise BadSetting(
                f"tune once for each word of {name} and compare: words are not searched "
                f"({one.describe()})"
            )
        if given is None and is_switched_off(one):
            raise BadSetting(
                f"give {name} a range, as in {name}=LOW:HIGH: 0 switches it off ({one.describe()})"
            )
        low, high = given or (one.domain.low, one.domain.high)
        for end in (low, high):
            one.parse(end)
        if not low < high:
            raise BadSetting(f"give {name} a lower end below the upper: {low:g}:{high:g}")
        found.append(Dimension(name, float(low), float(high), one.domain))
    return Space(tuple(found))


def is_switched_off(one: Parameter) -> bool:
    """Whether 0 switches a parameter off and is its default: no end of a range to search."""
    return isinstance(one.domain, Range) and "0:" in one.domain.unit and one.default == 0.0


def all_parameters(system: HasParams) -> tuple[Space, dict[str, str]]:
    """Return all numeric parameters, and by name why the others keep their values."""
    stays: dict[str, str] = {}
    found: dict[str, None] = {}
    for name, one in parameters(system).items():
        if not isinstance(one.domain, Range):
            stays[name] = "a word, not a number"
        elif is_switched_off(one):
            stays[name] = "a switch that is off"
        else:
            found[name] = None
    return select_parameters(system, found), stays


UNITS = ("scale", "base")  # points of odds of ten to one
PROBES = (-0.3, -0.05, 0.05, 0.3)  # of the range
PROBE_STEP = 1e-3  # of the range, for derivatives
NOTHING = 1e-9  # losses that differ by less are equal
SAME = 1e-2  # of a direction; what remains of it beside others is rounding and curvature

MOVES_NOTHING = "no forecast depends on it while the others are as they are"
MOVES_IN_JUMPS = "forecasts change in jumps or not at all near its value"
GIVEN = "given"
MOVES_AS_OTHERS = "others together do the same: it is a matter of units"


def screen_parameters(
    space: Space, start: dict[str, float], tried: Evaluations, given: Container[str] = ()
) -> dict[str, str]:
    """Return why parameters keep their values, by name; the others are worth a search."""
    point = space.point(start)
    base = tried.losses([start])[0]
    stays: dict[str, str] = {}
    slopes: list[Floats] = []
    for name in sorted(space.names, key=lambda name: (name in UNITS, name not in given)):
        axis = space.names.index(name)
        probes = sorted({min(1.0, max(0.0, point[axis] + move)) for move in PROBES})
        near = [max(0.0, point[axis] - PROBE_STEP), min(1.0, point[axis] + PROBE_STEP)]
        *far, below, above = tried.losses(
            [
                {**start, name: space.dimensions[axis].value(float(place))}
                for place in (*probes, *near)
            ]
        )
        if all(is_unchanged(losses, base) for losses in far):
            stays[name] = MOVES_NOTHING
        elif len(below) != len(base) or len(above) != len(base):
            pass  # numbers are lost nearby: a search has to find its way
        elif is_unchanged(below, base) and is_unchanged(above, base):
            stays[name] = MOVES_IN_JUMPS
        else:
            slope = (above - below) / (near[1] - near[0])
            if unexplained_share(slope, slopes) < SAME:
                stays[name] = MOVES_AS_OTHERS
            else:
                slopes.append(slope)
        if name in given:
            stays[name] = GIVEN
    return {name: stays[name] for name in space.names if name in stays}


def is_unchanged(losses: Floats, base: Floats) -> bool:
    """Return whether no loss differs."""
    return len(losses) == len(base) and bool(np.nanmax(np.abs(losses - base)) < NOTHING)


def unexplained_share(slope: Floats, others: list[Floats]) -> float:
    """Return the share of a direction outside the span of others."""
    length = float(np.linalg.norm(slope))
    if not others or length == 0.0:
        return 1.0
    known = np.stack(others, axis=1)
    mixture, *_ = np.linalg.lstsq(known, slope, rcond=None)
    return float(np.linalg.norm(slope - known @ mixture)) / length


SPREAD = 4  # points of the hypercube for each dimension
FIRST_STEP = 0.2
LARGEST, SMALLEST = 0.25, 1e-6  # steps
ROUNDS = 20  # of one descent
SETTLED = 1e-3  # of the noise: a smaller gain ends a descent
WRONG = 0.05  # of the noise: a larger promise that is not kept
REACHES = (1.0, 3.0, 9.0)  # steps within which the lowest place of a quadratic is tried
CLOSE = 0.05  # two descents this close are going to the same place
TOGETHER = 8  # points that Optuna proposes at a time


def spread(start: Floats, seed: int, evaluate: Evaluate) -> None:
    """Evaluate the start, and one point in each row and column of the cube."""
    rng = np.random.default_rng(seed)
    count = SPREAD * len(start) + SPREAD
    rows = np.stack([rng.permutation(count) for _ in start], axis=1)
    evaluate([start, *((rows + rng.random(rows.shape)) / count)])


def optuna(start: Floats, seed: int, trials: int, evaluate: Evaluate) -> None:
    """Evaluate points of Optuna's tree-structured Parzen estimator, in generations of eight."""
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
        for trial, loss in zip(asked, evaluate(points), strict=True):
            if np.isfinite(loss):
                study.tell(trial, loss)
            else:
                study.tell(trial, state=library.trial.TrialState.FAIL)


def descent(start: Floats, noise: float, evaluate: Evaluate, known: Floats | None = None) -> Floats:
    """Descend from a point; return the steps that cost about `noise`, [dimensions].

    It ends near a place that is `known`.
    """
    centre, step = start, np.full(len(start), FIRST_STEP)
    lowest = np.inf
    for _ in range(ROUNDS):
        middle = np.clip(centre, step, 1.0 - step)
        points = star(middle, step)
        losses = np.array(evaluate(points))
        model = fit_quadratic(middle, step, losses)
        tried = [
            model.lowest(np.maximum(middle - k * step, 0.0), np.minimum(middle + k * step, 1.0))
            for k in REACHES
        ]
        losses = np.concatenate((losses, evaluate(tried)))
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
