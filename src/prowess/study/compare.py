"""Compare systems by a score on the same games, with intervals; calibration of their forecasts.

Scores and their differences have intervals (`scores.py`).

Calibration: forecasts against results, bin by bin. The expected calibration error is the mean
distance between forecast and result over bins of equal numbers of games (M. P. Naeini and others,
AAAI 2015), weighted by games. It is above 0 even for perfect forecasts, because results scatter:
`by_chance` is its mean for perfect forecasts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isnan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.engine.tabular import Columns, Tabular, list_rows
from prowess.engine.whole_table import two_sided_quantile
from prowess.games.arguments import BadArgument
from prowess.games.reading import format_count
from prowess.games.runs import repeat_rows
from prowess.study.backtest import Backtest
from prowess.study.log_odds import log_odds
from prowess.study.scores import (
    MOST_PLACED,
    MeanInterval,
    column_of_entries,
    default_metric,
    fields_of_size,
    foresee_places,
    mean_interval,
    note_large_contests,
    reach_places,
    weighted_mean,
    wilson_interval,
)

if TYPE_CHECKING:
    from prowess.study.folds import Folds


BLOCK_COUNT = 60  # of consecutive games; fewer games than this: one block each
MIN_BLOCKS = 10  # fewer do not measure the scatter of a mean
FEWEST_VALUES = 3  # of the column by which a cross-validation deals folds


@dataclass(frozen=True)
class ComparedSystem:
    """One system in a comparison; a group differs from its first by no clear margin.

    `slope` is the factor on the log odds of its forecasts that would have served best (below 1:
    they were too sure), with its deviation.
    """

    test: Backtest
    scores: dict[str, float]
    intervals: dict[str, MeanInterval]  # of the scores
    slope: tuple[float, float]
    lags: dict[str, MeanInterval]  # by how much each score is worse than that of the reference
    behind: MeanInterval  # that of the score that decides
    group: int


@dataclass(frozen=True, repr=False)
class Comparison(Tabular):
    """Systems by the mean of one score on the same games, the best first.

    `reference` is the test from which the distances of all are measured; empty: the best one.
    `interrupted` says that the comparison was ended (Ctrl-C) before all systems were judged,
    `refused` which systems refused the table, with the reasons.
    """

    metric: str
    count: int
    blocks: int
    level: float
    entries: tuple[ComparedSystem, ...]
    notes: tuple[str, ...] = ()
    folds: Folds | None = None  # of a cross-validation
    interrupted: bool = False
    refused: Mapping[str, str] = field(default_factory=dict)
    reference: str = ""

    @property
    def headline(self) -> str:
        """How many forecasts were judged, and by what."""
        return f"{format_count(self.count, 'forecast')} judged by {self.metric.replace('_', ' ')}"

    def to_columns(self) -> Columns:
        """See Tabular: one row a system, the numbers of `rows` that every system has."""
        rows = self.rows()
        names = dict.fromkeys(name for row in rows for name in row)
        plain = [name for name in names if name not in ("params", "period", "notes")]
        return {name: [row.get(name) for row in rows] for name in plain}

    def shows(self, name: str) -> bool:
        """See Tabular: the printed table leaves out the ends of intervals of other scores."""
        plain = ("system", "group", self.metric, "slope", "seconds")
        return name in plain or name.startswith("behind")

    def __iter__(self) -> Any:
        return iter(self.entries)

    @property
    def origin(self) -> ComparedSystem:
        """The system from which distances are measured."""
        return next((e for e in self.entries if e.test.name == self.reference), self.entries[0])

    @property
    def target(self) -> str:
        """What the intervals are about."""
        if self.folds is not None:
            return self.folds.about
        return (
            "other games of the same players, forecast from the ratings as they stood "
            f"(scatter of games, or of {self.blocks} blocks where larger), not other leagues"
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one dict a system, at full precision."""
        return [
            {
                "system": entry.test.name,
                "group": entry.group,
                **{name: finite_or_none(score) for name, score in entry.scores.items()},
                **{
                    f"{name}_{end}": finite_or_none(value)
                    for name, one in entry.intervals.items()
                    for end, value in (("low", one.low), ("high", one.high))
                },
                "slope": finite_or_none(entry.slope[0]),
                "slope_deviation": finite_or_none(entry.slope[1]),
                "behind": entry.behind.mean,
                "behind_low": entry.behind.low,
                "behind_high": entry.behind.high,
                **{
                    f"{name}_behind{end}": finite_or_none(value)
                    for name, lag in (entry.lags if self.reference else {}).items()
                    for end, value in (("", lag.mean), ("_low", lag.low), ("_high", lag.high))
                },
                **({} if isnan(entry.test.seconds) else {"seconds": entry.test.seconds}),
                "params": entry.test.params,
                "period": entry.test.period,
                "notes": list(entry.test.notes),
            }
            for entry in self.entries
        ]


def compare(
    tests: Sequence[Backtest],
    *,
    metric: str | None = None,
    level: float = 0.95,
    reference: str = "",
) -> Comparison:
    """Order backtests of one table by a score (`log_loss`; in contests `brier`).

    Every score, and its difference from that of the `reference` (the name of a test; empty: the
    best one), gets an interval of probability `level`. Only games that every system forecasts are
    judged. Raises BadArgument for tests of different tables, without common games, or without the
    requested score.
    """
    if not tests:
        raise BadArgument.of("no_systems.compare")
    table = tests[0].table
    if any(test.table is not table for test in tests):
        raise BadArgument.of("tables_differ.compare")
    if any(test.folds is not tests[0].folds for test in tests):
        raise BadArgument.of("folds_differ")
    metric = metric or default_metric(table)
    common = np.logical_and.reduce([test.judged for test in tests])
    if not common.any():
        raise BadArgument.of("no_common_game")
    notes = []
    some = np.logical_or.reduce([test.judged for test in tests])
    if count := int((some & ~common).sum()):
        lacking = ((test.name, int((some & ~test.judged).sum())) for test in tests)
        who = ", ".join(f"{name} {lacks:,}" for name, lacks in lacking if lacks)
        games = format_count(count, tests[0].table.unit)
        notes.append(
            f"{games} {'is' if count == 1 else 'are'} left out for all: without a forecast by {who}"
        )
    tests = [test.only(common) for test in tests]
    parts, folds = len(np.unique(consecutive_blocks(tests[0]))), tests[0].folds
    if folds is not None and parts < FEWEST_VALUES:
        raise BadArgument.of("too_few_values", fewest=FEWEST_VALUES, parts=parts)
    if folds is None and parts < MIN_BLOCKS:
        raise BadArgument.of(
            "too_few_games.compare", unit=table.unit, fewest=MIN_BLOCKS, parts=parts
        )
    if not table.pairwise:
        notes += note_large_contests(table, np.unique(table.contest_of_side[common]))
    for test in tests:
        if metric not in test.losses:
            raise BadArgument.of("no_such_score", losses=test.losses, test=test.name, metric=metric)
        if not np.isfinite(test.scores[metric]):
            why = "".join(f" ({note})" for note in notes if metric in note)
            raise BadArgument.of("no_score", unit=table.unit, metric=metric, why=why)
    sign = -1.0 if metric == "accuracy" else 1.0
    tests = sorted(tests, key=lambda test: sign * test.scores[metric])
    beside = {"": tests[0], **{test.name: test for test in tests}}.get(reference)
    if beside is None:
        names = ", ".join(test.name for test in tests)
        raise BadArgument.of("unknown_reference", names=names, reference=reference)
    blocks = consecutive_blocks(tests[0])
    entries: list[ComparedSystem] = []
    group, leader = 1, tests[0]
    for test in tests:
        if lag_behind(test, leader, metric, level).told_apart:
            group, leader = group + 1, test
        lags = {
            name: lag_behind(test, beside, name, level)
            for name in test.losses
            if name in beside.losses
        }
        entries.append(
            ComparedSystem(
                test=test,
                scores=test.scores,
                intervals=score_intervals(test, blocks, level),
                slope=calibration_slope(test),
                lags=lags,
                behind=lags[metric],
                group=group,
            )
        )
    count = int(common.sum())
    return Comparison(
        metric, count, int(blocks.max()) + 1, level, tuple(entries), tuple(notes), tests[0].folds,
        reference=reference,
    )  # fmt: skip


def lag_behind(test: Backtest, best: Backtest, metric: str, level: float) -> MeanInterval:
    """Return by how much a backtest is worse than another of the same judged entries."""
    sign = -1.0 if metric == "accuracy" else 1.0
    apart = sign * (test.losses[metric] - best.losses[metric])
    blocks = consecutive_blocks(test)
    return mean_interval(apart, test.weight, blocks, level, games_of_entries(test))


def finite_or_none(score: float) -> float | None:
    """Return the score, or None if it is not finite."""
    return score if np.isfinite(score) else None


def score_intervals(test: Backtest, blocks: Ids, level: float) -> dict[str, MeanInterval]:
    """Return every score of a backtest with its interval; `blocks` are those of its entries."""
    games = games_of_entries(test)
    found = {
        name: mean_interval(loss, test.weight, blocks, level, games)
        for name, loss in test.losses.items()
    }
    if not test.table.pairwise:
        contests, first = np.unique(test.table.contest_of_side[test.judged], return_index=True)
        ordered = test.ordered[contests]
        found["concordance"] = mean_interval(ordered, np.ones(len(ordered)), blocks[first], level)
    return found


def games_of_entries(test: Backtest) -> Ids:
    """Return the number of the game (or contest) of each judged entry.

    Of a cross-validation it is the part of its folds that varies as one, such as a voter's rows.
    """
    if test.folds is not None:
        return column_of_entries(test.table, test.folds.block)[test.judged]
    return column_of_entries(test.table, np.arange(len(test.table), dtype=np.int64))[test.judged]


def consecutive_blocks(test: Backtest) -> Ids:
    """Return the block of each judged entry: equally many consecutive games (or contests).

    Of a cross-validation they are the blocks of its folds.
    """
    if test.folds is not None:
        return np.unique(games_of_entries(test), return_inverse=True)[1]
    contest = games_of_entries(test)
    rows = np.cumsum(np.append(False, contest[1:] != contest[:-1]), dtype=np.int64)
    count = int(rows.max()) + 1
    return (rows * min(BLOCK_COUNT, count)) // count


BINS = 10  # of a reliability curve; fewer where a bin would have few games
FEWEST_OF_BIN, FEWEST_BINS = 10, 3  # games of a bin, bins of a curve: fewer say nothing
SCALE_REFITS = 20  # in a recalibration
CHANCE_MARGIN = 1e-12  # chances are held this far from 0 and 1 before their log odds are taken
ENOUGH = 100  # judged games before the first fit; until then forecasts stay unchanged


@dataclass(frozen=True, eq=False)
class Calibration:
    """A reliability curve: per bin the mean forecast, mean score and the interval of the latter.

    All columns have one entry a bin. `error` is the expected calibration error, `by_chance` its
    mean for perfect forecasts of the same games, `scale` the factor on the log odds of the
    forecasts that would have served best (below 1: forecasts were too sure).
    """

    name: str
    forecast: Floats
    score: Floats
    low: Floats
    high: Floats
    games: Ids
    error: float
    by_chance: float
    scale: float
    scale_deviation: float

    @classmethod
    def of_bins(
        cls, name: str, bins: Sequence[tuple[float, float, float, float, int]], *measured: float
    ) -> Calibration:
        """The curve of bins, each with its entries of the columns; `measured` are the rest."""
        forecast, score, low, high, games = (np.array(one) for one in zip(*bins, strict=True))
        return cls(name, forecast, score, low, high, games.astype(np.int64), *measured)

    def rows(self) -> list[dict[str, float]]:
        """Return one dict a bin."""
        names = ("forecast", "score", "low", "high", "games")
        return list_rows({name: getattr(self, name) for name in names})

    def as_dict(self) -> dict[str, Any]:
        """The measures, None where one is not finite, and the bins, as plain data."""
        names = ("error", "by_chance", "scale", "scale_deviation")
        return {n: finite_or_none(getattr(self, n)) for n in names} | {"bins": self.rows()}


def calibration(test: Backtest, bins: int | None = None, level: float = 0.95) -> Calibration:
    """Return the reliability curve of the judged forecasts, seen from the favourite.

    Games are turned so that every forecast is at least 1/2; bins hold equal numbers of games. None
    makes ten bins, of fewer than 100 games one for ten games, and refuses fewer than 30.
    Intervals are mean -+ z standard errors, with at least the width of a binomial share
    (E. B. Wilson, 1927) where all scores of a bin are equal. Raises BadArgument for fewer games
    than bins.
    """
    expected, score = test.expected[test.judged], test.outcome[test.judged]
    if bins is None:
        bins = min(BINS, len(expected) // FEWEST_OF_BIN)
        if bins < FEWEST_BINS:
            fewest, verb = FEWEST_OF_BIN * FEWEST_BINS, "is" if len(expected) == 1 else "are"
            raise BadArgument.of(
                "too_few_forecasts.games", fewest=fewest, verb=verb, count=len(expected)
            )
    if len(expected) < bins:
        raise BadArgument.of("too_many_bins", expected=len(expected), bins=bins)
    turned = expected < 0.5
    expected = np.where(turned, 1.0 - expected, expected)
    score = np.where(turned, 1.0 - score, score)
    weight = test.weight
    order = np.argsort(expected, kind="stable")
    z = two_sided_quantile(level)
    found = []
    distance = chance = 0.0
    for part in np.array_split(order, bins):
        n, w = len(part), weight[part] / weight[part].sum()
        f, s = float(w @ expected[part]), float(w @ score[part])
        bounds = wilson_interval(s, n, level)
        worth = 1.0 / float(w @ w)  # the effective number of games
        if n > 1 and (spread := sqrt(float(w @ (score[part] - s) ** 2) / (worth - 1.0))) > 0.0:
            bounds = max(0.0, s - z * spread), min(1.0, s + z * spread)
        found.append((f, s, *bounds, n))
        share = float(weight[part].sum() / weight.sum())
        distance += share * abs(f - s)
        # the mean of |N(0, v / n)| with v as the scores of this bin scatter about their forecasts
        v = float(w @ (score[part] - expected[part]) ** 2)
        chance += share * sqrt(2.0 / np.pi * v / worth)
    return Calibration.of_bins(test.name, found, distance, chance, *calibration_slope(test))


def calibration_of_places(test: Backtest, level: float = 0.95) -> Calibration:
    """Return the reliability curve of the chances of places in contests.

    A forecast is the chance of a side to take place k or a better one, for every side and k < n.
    Those of one contest vary together, so intervals and deviations are by contests, each of which
    counts once. Raises BadArgument where fewer than 30 contests are judged, or games of two.
    """
    table = test.table
    if table.pairwise:
        raise BadArgument.of("contests_needed")
    expected = np.where(test.judged, test.expected, np.nan)
    parts: list[tuple[Any, Any, Any, Any]] = []
    for contests, place, strength in fields_of_size(table, expected):
        n = place.shape[1]
        if n <= MOST_PLACED:
            whole = np.ones(len(table)) if table.weight is None else table.weight
            each = repeat_rows(whole[contests] / (n * (n - 1)), n * (n - 1))
            forecast, reached = foresee_places(strength).ravel(), reach_places(place).ravel()
            parts.append((repeat_rows(contests, n * (n - 1)), forecast, reached, each))
    if sum(len(np.unique(one[0])) for one in parts) < FEWEST_OF_BIN * FEWEST_BINS:
        raise BadArgument.of(
            "too_few_forecasts.places", fewest=FEWEST_OF_BIN * FEWEST_BINS, most=MOST_PLACED
        )
    contest, forecast, reached, weight = map(np.concatenate, zip(*parts, strict=True))
    order = np.argsort(forecast, kind="stable")
    found, distance, chance = [], 0.0, 0.0
    for part in np.array_split(order, BINS):
        w, here = weight[part], contest[part]
        own = mean_interval(reached[part], w, here, level)
        gap = mean_interval(reached[part] - forecast[part], w, here, level)
        bounds = max(0.0, own.low), min(1.0, own.high)
        found.append((weighted_mean(forecast[part], w), own.mean, *bounds, len(np.unique(here))))
        share = float(w.sum() / weight.sum())
        distance += share * abs(gap.mean)
        chance += share * sqrt(2.0 / np.pi) * gap.deviation
    slope = best_scale(forecast, reached, weight, contest)
    return Calibration.of_bins(test.name, found, distance, chance, *slope)


def find_calibration(
    test: Backtest, measure: Callable[..., Calibration] = calibration, **how: Any
) -> tuple[Calibration | None, str]:
    """Return the reliability curve by one of the measures above; None, and why there is none."""
    try:
        return measure(test, **how), ""
    except BadArgument as reason:
        return None, str(reason)


def calibration_slope(test: Backtest) -> tuple[float, float]:
    """Return the best scale of the log odds of the judged forecasts, and its deviation."""
    return best_scale(test.expected[test.judged], test.outcome[test.judged], test.weight)


def best_scale(
    expected: Floats,
    score: Floats,
    weight: Floats | None = None,
    games: Ids | None = None,
) -> tuple[float, float]:
    """Return the c that minimises the log loss of logistic(c logit E), and its deviation.

    `games` numbers the game of each entry, where several belong to one.

    Newton's method; the log loss is convex in c. (1, inf) where no forecast differs from 1/2;
    the deviation is also inf where no finite c is best.
    """
    odds = log_odds(expected, CHANCE_MARGIN)
    w = np.ones(len(odds)) if weight is None else weight
    if not (odds != 0.0).any():
        return 1.0, float("inf")
    c = 1.0
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-c * odds))
        information = float((w * odds * odds * chance * (1.0 - chance)).sum())
        if information == 0.0:  # every forecast came true on its side: no finite scale is best
            return c, float("inf")
        step = float((w * odds * (score - chance)).sum()) / information
        step = min(1.0, max(-1.0, step))
        c += step
        if abs(step) < 1e-12:
            break
    residual: Floats = w * odds * (score - chance)
    if games is not None:
        residual = np.bincount(games, residual).astype(np.float64)
    return c, sqrt(float((residual * residual).sum())) / information


def recalibrate(test: Backtest) -> Backtest:
    """Scale the log odds of forecasts, the scale fitted on earlier judged games.

    The scale is fitted anew at every twentieth of the judged games. A chance of a draw is left
    out: it belongs to the forecasts as they were.
    """
    expected = test.expected.copy()
    rows = np.flatnonzero(test.judged)
    cuts = np.linspace(0, len(rows), SCALE_REFITS + 1).astype(np.int64).tolist()
    for first, last in pairwise(cuts):
        if first < ENOUGH:
            continue
        known = rows[:first]
        scale, _ = best_scale(test.expected[known], test.outcome[known], test.weight[:first])
        part = rows[first:last]
        expected[part] = 1.0 / (1.0 + np.exp(-scale * log_odds(test.expected[part], CHANCE_MARGIN)))
    return replace(test, name=f"{test.name}, recalibrated", expected=expected, draw=None)
