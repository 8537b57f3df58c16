"""Results of a search as numbers and sentences, and the uncertainty of the optimum.

The uncertainty is the curvature of the loss at the optimum, and its scatter by blocks:

    V = H^-1 (sum over blocks of g g') H^-1

H is the Hessian of the mean loss, g the gradient of the part that a block of consecutive games
contributes (the sandwich: P. J. Huber, Proceedings of the Fifth Berkeley Symposium 1, 1967; H.
White, Econometrica 50, 1982). It needs no true model, only nearly independent blocks of games.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from itertools import combinations
from math import inf, isfinite
from typing import Any

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.engine.tabular import Columns, Tabular, json_value
from prowess.engine.whole_table import two_sided_quantile
from prowess.study.backtest import Backtest
from prowess.study.compare import consecutive_blocks, games_of_entries
from prowess.study.scores import MeanInterval, mean_interval
from prowess.study.tuning.evaluation import Evaluations
from prowess.study.tuning.search import (
    Quadratic,
    SearchEnd,
    describe_valleys,
    fit_symmetric_quadratic,
    star,
)
from prowess.study.tuning.space import Space


@dataclass(frozen=True)
class TunedParameter:
    """The best value of one parameter.

    `low` to `high` is its interval. From `serves_low` to `serves_high` losses are not certainly
    higher, the other parameters responding. `range_low` to `range_high` was searched. `edge` is
    `low` or `high` where the best value is at an end of that range; `declared` says whether that
    end is the system's own.
    """

    name: str
    value: float
    default: float
    low: float
    high: float
    serves_low: float
    serves_high: float
    range_low: float
    range_high: float
    unit: str = ""
    edge: str | None = None
    declared: bool = True

    @property
    def undetermined(self) -> bool:
        """Whether every value in the range is as good."""
        return self.serves_low <= self.range_low and self.serves_high >= self.range_high


@dataclass(frozen=True)
class LaterGames:
    """Games after the search: how many, the mean loss tuned and before, and the gain.

    The gain is the loss before minus the loss tuned, above 0 where tuning helped.
    """

    judged: int
    score: float
    score_before: float
    gain: MeanInterval


@dataclass(frozen=True, repr=False)
class TuningResult(Tabular):
    """The best setting of a search, judged on later games.

    `searched` games decided it with the mean loss `score` (`score_before` with the values before
    the search); `later` are games that the search never saw, None where no game was kept.
    `correlated` are pairs of parameters and the correlation of their errors, `flat` groups that
    can move together at no cost, `stays` has the reasons why other parameters keep their values.
    """

    system: str
    period: str | None
    metric: str
    given: dict[str, Any]
    parameters: tuple[TunedParameter, ...]
    searched: int
    score: float
    score_before: float
    later: LaterGames | None
    level: float
    correlated: tuple[tuple[str, str, float], ...]
    flat: tuple[tuple[str, ...], ...]
    stays: dict[str, str]
    evaluations: int
    finished: bool
    searches: tuple[SearchEnd, ...] = ()
    seed: int = 0
    reused: int = field(default=0, compare=False)  # settings that an earlier search evaluated

    @property
    def headline(self) -> str:
        """The system, what was tried, and the score."""
        return (
            f"{self.system}: {self.evaluations:,} settings tried, {self.metric} "
            f"{self.score_before:.5f} before, {self.score:.5f} now"
        )

    def to_columns(self) -> Columns:
        """See Tabular: a row a parameter."""
        names = ("name", "value", "default", "low", "high", "serves_low", "serves_high", "unit")
        return {name: [getattr(one, name) for one in self.parameters] for name in names}

    @property
    def setting(self) -> dict[str, float]:
        """The best values by name, rounded to what the games can tell."""
        return {one.name: one.value for one in self.parameters}

    def line(self) -> str:
        """Return the setting as options of the command line."""
        return " ".join(f"--set {name}={value!r}" for name, value in self.setting.items())

    @property
    def better(self) -> bool:
        """Whether later games, or where none were kept those searched, are forecast better."""
        return self.score < self.score_before if self.later is None else self.later.gain.mean > 0.0

    def plain(self) -> dict[str, Any]:
        """Return plain data; None for numbers that are not finite."""
        data = {**asdict(self), "setting": self.setting, "line": self.line()}
        del data["reused"]  # a search that goes on gives the same answer
        return json_value(data)  # type: ignore[no-any-return]

    def sentences(self) -> list[str]:
        """Describe the result in sentences."""
        sentences = [self._worth()]
        for one in self.parameters:
            sentences += _describe(one)
        for first, second, together in self.correlated:
            way = "in the same direction" if together > 0.0 else "in opposite directions"
            sentences.append(
                f"{first} and {second} are known together, not apart: their errors go {way} "
                f"(correlation {together:.2f})."
            )
        for group in self.flat:
            sentences.append(
                f"{' and '.join(group)} can be moved together at no cost: fix one with --set."
                if len(group) > 1
                else f"{group[0]} has little effect near its best value."
            )
        sentences += describe_valleys(self.searches, self.metric, self.searched, self.seed)
        if not self.finished:
            sentences.append(
                f"The search was stopped after {self.evaluations:,} settings, before it had "
                "settled: allow more with --budget."
            )
        return sentences

    def _worth(self) -> str:
        name = self.metric.replace("_", " ")
        if self.later is None:
            return (
                f"No later games were kept to judge it: {name} {self.score:.5f} in place of "
                f"{self.score_before:.5f} on the {self.searched:,} games that chose it flatters it."
            )
        gain = self.later.gain
        head = (
            f"On {self.later.judged:,} later games {name} {self.later.score:.5f} in place of "
            f"{self.later.score_before:.5f}: "
        )
        interval = f"({self.level:.0%}: {gain.low:.5f} to {gain.high:.5f})"
        if gain.low > 0.0:
            return f"{head}better by {gain.mean:.5f} {interval}."
        if not self.better:
            return f"{head}worse by {-gain.mean:.5f} {interval}: keep the values there were."
        return f"{head}a gain of {gain.mean:.5f} {interval}, which is not certain to be one."


def _describe(one: TunedParameter) -> list[str]:
    """Describe the values that serve as well, and whether the best is at an end of its range."""
    span = f"from {format_value(one.serves_low, one)} to {format_value(one.serves_high, one)}"
    serves = f"{one.name} anywhere {span} serves as well."
    if one.undetermined:
        serves = f"{one.name}: these games cannot tell any value {span} from the best."
    if one.edge is None:
        return [serves]
    side, end = ("lower", one.range_low) if one.edge == "low" else ("upper", one.range_high)
    where = f"the range searched, {end:g}: the best value may lie outside; widen --over."
    if one.declared:
        where = f"what the system takes, {end:g}."
    return [f"{one.name} stands at the {side} end of {where}", serves]


def format_value(value: float, one: TunedParameter) -> str:
    """Format a value with three figures of the width of its interval, or of its own."""
    places = 0
    for size in ((one.serves_high - one.serves_low) / 10.0, abs(value) / 100.0):
        while 0.0 < size < 10.0**-places and places < 9:
            places += 1
        if places:
            break
    return f"{value:.{places}f}" if abs(value) < 1e6 else f"{value:g}"


def round_to_deviation(value: float, deviation: float) -> float:
    """Round a value to the first decimal place below a tenth of its deviation."""
    if not isfinite(deviation) or deviation <= 0.0:
        return float(f"{value:.3g}") if deviation == inf else value
    places = 0
    while 10.0**-places > deviation / 5.0 and places < 15:
        places += 1
    return round(value, places)


LEAST_STEP = 1e-6
FLAT_LOSS = 2.0  # of the noise; half the cube along a flat direction costs less
LOOSE = 0.05  # share in a flat direction from which a parameter is undetermined
DOUBLINGS, HALVINGS = 8, 6  # in the search for the ends of a serving interval


@dataclass(frozen=True, eq=False)
class Curvature:
    """The neighbourhood of an optimum in the unit cube.

    `free` are the axes that are not at an end of their range. `covariance` and `flat` are about
    those: flat directions have one row each, and a parameter in one has an infinite variance.
    """

    model: Quadratic
    free: Ids
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
    # half a step: along a curved valley a whole one climbs its sides, which looks like curvature
    step = np.maximum(np.minimum(0.5 * step[free], room), LEAST_STEP)

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
    flat = axes[:, size / 8.0 < FLAT_LOSS * noise].T
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
    least = two_sided_quantile(level) ** 2 / 2.0 * noise
    blocks = consecutive_blocks(test)
    base = tried.losses([space.setting(optimum)])[0]
    d = len(space)
    deviation = found.deviations(d)

    def dearer(losses: Floats) -> bool:
        if len(losses) != len(base):
            return True
        cost = mean_interval(losses - base, test.weight, blocks, level, games_of_entries(test))
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
    ways = {
        side: _first_distance(deviation[side[0]], ends(side)) for side in sides if ends(side) > 0.0
    }
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


def _first_distance(deviation: float, end: float) -> float:
    """Return the first distance: where a correct model begins to cost, at most to the end."""
    return min(3.0 * deviation, end) if 0.0 < deviation < np.inf else min(0.1, end)
