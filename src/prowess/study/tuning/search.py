"""Searches of the unit cube for the lowest loss: exploration, then local searches.

Explored are the values before the search, a Latin hypercube (M. D. McKay, R. J. Beckman and W. J.
Conover, Technometrics 21, 1979) and a coarse grid, or what Optuna proposes. From the values before
and the defaults of the system (with small steps first), and from explored points, good and far
apart, local searches go down by quadratics whose steps shrink until a step costs as much as chance
does. They advance together, so that a generation of points is evaluated at once. Of two searches
that come close to each other the worse one ends. The lowest place of all wins.

A quadratic goes through the losses of a star of points. The star of d dimensions is the centre, a
step to either side along each axis and one corner for each pair of axes: the (d + 1)(d + 2) / 2
points that determine a quadratic exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from prowess.compile.numbers import Floats

if TYPE_CHECKING:
    Evaluate = Callable[[list[Floats]], list[float]]  # the losses of a generation of points


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


# --- searches -------------------------------------------------------------------------------------


STARTS = 5  # local searches
MIN_START_DISTANCE = 0.3  # of a range, between the beginnings of two searches
HYPERCUBE_POINTS = 4  # for each dimension
GRID_PLACES = (1.0 / 6.0, 0.5, 5.0 / 6.0)  # along each axis
LARGEST_GRID = 27  # points; with more dimensions there is no grid
FIRST_STEP = 0.2
NEAR_STEP = 0.02  # from values before and defaults: to the nearest valley, narrow ones too
LARGEST, SMALLEST = 0.25, 1e-6  # steps
SEARCH_ROUNDS = 20
LAST_GAIN = 1e-3  # of the noise: a smaller gain ends a search
MAX_FALSE_PROMISE = 0.05  # of the noise
REACHES = (1.0, 3.0, 9.0)  # steps within which the lowest place of a quadratic is tried
SAME_PLACE_DISTANCE = 0.05  # two searches this close are going to the same place
PROPOSED_POINTS = 8  # by Optuna at a time


def latin_hypercube(dimensions: int, seed: int) -> list[Floats]:
    """Draw one point in each row and column of the cube, 4 d + 4 points."""
    rng = np.random.default_rng(seed)
    count = HYPERCUBE_POINTS * dimensions + HYPERCUBE_POINTS
    rows = np.stack([rng.permutation(count) for _ in range(dimensions)], axis=1)
    return list((rows + rng.random(rows.shape)) / count)


def coarse_grid(dimensions: int) -> list[Floats]:
    """Return the middles of the thirds along all axes; nothing above three dimensions."""
    if len(GRID_PLACES) ** dimensions > LARGEST_GRID:
        return []
    return [np.array(point) for point in product(GRID_PLACES, repeat=dimensions)]


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
    for done in range(0, trials, PROPOSED_POINTS):
        asked = [study.ask() for _ in range(min(PROPOSED_POINTS, trials - done))]
        points = [np.array([one.suggest_float(n, 0.0, 1.0) for n in names]) for one in asked]
        for trial, loss in zip(asked, evaluate(points), strict=True):
            if np.isfinite(loss):
                study.tell(trial, loss)
            else:
                study.tell(trial, state=library.trial.TrialState.FAIL)


def local_searches(starts: Sequence[Floats], near: int) -> list[LocalSearch]:
    """Begin a search at each place, at the first ones, so many, with small steps."""
    return [
        LocalSearch(start, np.full(len(start), NEAR_STEP if at < near else FIRST_STEP))
        for at, start in enumerate(starts)
    ]


@dataclass(eq=False)
class LocalSearch:
    """One local search: where it began, and its lowest place so far.

    `step` holds the steps that cost about the noise, [dimensions]; `joined` is the search to which
    it came close, and which was lower.
    """

    start: Floats
    step: Floats
    place: Floats = field(init=False)
    loss: float = np.inf
    joined: LocalSearch | None = None

    def __post_init__(self) -> None:
        self.place = self.start

    @property
    def end(self) -> LocalSearch:
        """The search whose lowest place it came to: itself, or the one that it joined."""
        return self if self.joined is None else self.joined.end


def descend(search: LocalSearch, noise: float) -> Generator[list[Floats], list[float], None]:
    """Descend from the start of a search: yields points, is sent their losses."""
    step = search.step
    for _ in range(SEARCH_ROUNDS):
        middle = np.clip(search.place, step, 1.0 - step)
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
        gain, promised = search.loss - losses[best], search.loss - model.at(tried[0])
        if gain > 0.0:
            search.loss, search.place = float(losses[best]), points[best]
        bend = np.diag(model.bend)
        with np.errstate(divide="ignore", invalid="ignore"):
            wanted = np.where(bend > 0.0, np.sqrt(2.0 * noise / bend), 2.0 * step)
        wanted = np.clip(wanted, SMALLEST, LARGEST)
        if gain < LAST_GAIN * noise:
            if promised > MAX_FALSE_PROMISE * noise:  # the quadratic does not hold at this distance
                wanted = np.minimum(wanted, step / 3.0)
                if (step <= SMALLEST).all():
                    return
            elif (step < 3.0 * wanted).all():
                search.step = wanted
                return
        search.step = step = np.clip(wanted, step / 5.0, 2.0 * step)


def search_together(searches: Sequence[LocalSearch], noise: float, evaluate: Evaluate) -> None:
    """Advance local searches until all have ended or joined another."""
    under_way = {search: descend(search, noise) for search in searches}
    wanted = {search: next(steps) for search, steps in under_way.items()}
    while wanted:
        losses = iter(evaluate([point for points in wanted.values() for point in points]))
        answers = {search: [next(losses) for _ in points] for search, points in wanted.items()}
        wanted = {}
        for search, answer in answers.items():
            with suppress(StopIteration):
                wanted[search] = under_way[search].send(answer)
        for search in list(wanted):
            lower = [one for one in searches if is_below(one, search)]
            if lower:
                search.joined = min(lower, key=lambda one: one.loss)
                del wanted[search]


def is_below(one: LocalSearch, other: LocalSearch) -> bool:
    """Return whether a search is close to another and lower; equal ones by their order."""
    close = bool(np.abs(one.place - other.place).max() < SAME_PLACE_DISTANCE)
    return one is not other and one.joined is None and close and one.loss <= other.loss


def choose_starts(given: Sequence[Floats], explored: Sequence[Floats], count: int) -> list[Floats]:
    """Return so many places where searches begin: those given, then good ones, then far ones.

    `explored` are ranked, the best first. After the given places up to half are the best ones that
    are far from all before, the rest those of the better half that are farthest from all before.
    """
    starts = list(given[:count])

    def distance(point: Floats) -> float:
        return min(float(np.abs(point - other).max()) for other in starts)

    for point in explored:
        if len(starts) > max(len(given), count // 2):
            break
        if distance(point) > MIN_START_DISTANCE:
            starts.append(point)
    rest = list(explored[: len(explored) // 2])
    while len(starts) < count and rest:
        farthest = max(range(len(rest)), key=lambda at: distance(rest[at]))
        starts.append(rest.pop(farthest))
    return starts[:count]


# --- what became of them --------------------------------------------------------------------------


ALIKE = 0.1  # of a game's worth of chance: losses of all games that differ by less are equal


@dataclass(frozen=True)
class SearchEnd:
    """One local search: where it began, its lowest setting, and the mean loss there.

    `joined` says that it came close to another search, whose end this is.
    """

    start: dict[str, float]
    setting: dict[str, float]
    score: float
    joined: bool


def describe_valleys(
    searches: Sequence[SearchEnd], metric: str, games: int, seed: int
) -> list[str]:
    """Describe in a sentence how many searches ended at how good a loss of so many games."""
    name = metric.replace("_", " ")
    if len(searches) < 2:
        return [
            f"One search, from {_format_setting(one.start)}, ended at {name} {one.score:.5f}: take "
            "more --starts to find out whether there is a better valley."
            for one in searches
        ]
    groups: list[list[SearchEnd]] = []
    for one in sorted(searches, key=lambda one: one.score):
        if groups and one.score - groups[-1][0].score < ALIKE / games:
            groups[-1].append(one)
        else:
            groups.append([one])
    best, *worse = groups
    head = f"{len(searches)} searches began far apart (seed {seed})"
    if not worse:
        return [f"{head}, and all ended at {name} {best[0].score:.5f}."]
    others = "; ".join(
        f"{len(group)} at {group[0].score:.5f} ({_format_setting(group[0].setting)})"
        for group in worse
    )
    return [f"{head}: {len(best)} ended at {name} {best[0].score:.5f}; {others}."]


def _format_setting(setting: dict[str, float]) -> str:
    return " ".join(f"{name}={value:.4g}" for name, value in setting.items())
