"""Calibration: forecasts against results, bin by bin, and their recalibration.

The expected calibration error is the mean distance between forecast and result over bins of
equal numbers of games (M. P. Naeini and others, AAAI 2015), weighted by games. It is above 0 even
for perfect forecasts, because results scatter: `by_chance` is its mean for perfect forecasts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.whole_table import normal_quantile
from prowess.study.backtest import Backtest
from prowess.study.scores import wilson_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BINS = 10
REFITS = 20  # fits of the scale in a recalibration
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
    games: NDArray[np.int64]
    error: float
    by_chance: float
    scale: float
    scale_deviation: float

    def rows(self) -> list[dict[str, float]]:
        """Return one dict a bin."""
        return [
            {"forecast": f, "score": s, "low": low, "high": high, "games": n}
            for f, s, low, high, n in zip(
                self.forecast.tolist(),
                self.score.tolist(),
                self.low.tolist(),
                self.high.tolist(),
                self.games.tolist(),
                strict=True,
            )
        ]


def calibration(test: Backtest, bins: int = BINS, level: float = 0.95) -> Calibration:
    """Return the reliability curve of the judged forecasts, seen from the favourite.

    Games are turned so that every forecast is at least 1/2; bins hold equal numbers of games.
    Intervals are mean -+ z standard errors, with at least the width of a binomial share
    (E. B. Wilson, 1927) where all scores of a bin are equal. Raises ValueError for fewer games
    than bins.
    """
    expected, score = test.expected[test.judged], test.outcome[test.judged]
    if len(expected) < bins:
        raise ValueError(
            f"take fewer bins: {len(expected)} judged forecasts are too few for {bins}"
        )
    turned = expected < 0.5
    expected = np.where(turned, 1.0 - expected, expected)
    score = np.where(turned, 1.0 - score, score)
    weight = test.weight
    order = np.argsort(expected, kind="stable")
    z = normal_quantile(level)
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
    scale, deviation = best_scale(test.expected[test.judged], test.outcome[test.judged], weight)
    forecast, mean_score, low, high, games = (
        np.array(column) for column in zip(*found, strict=True)
    )
    return Calibration(
        name=test.name,
        forecast=forecast,
        score=mean_score,
        low=low,
        high=high,
        games=games.astype(np.int64),
        error=distance,
        by_chance=chance,
        scale=scale,
        scale_deviation=deviation,
    )


def best_scale(
    expected: Floats, score: Floats, weight: Floats | None = None
) -> tuple[float, float]:
    """Return the c that minimises the log loss of logistic(c logit E), and its deviation.

    Newton's method; the log loss is convex in c. (1, inf) where no forecast differs from 1/2.
    """
    odds = _log_odds(expected)
    w = np.ones(len(odds)) if weight is None else weight
    if not (odds != 0.0).any():
        return 1.0, float("inf")
    c = 1.0
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-c * odds))
        information = float((w * odds * odds * chance * (1.0 - chance)).sum())
        step = float((w * odds * (score - chance)).sum()) / information
        step = min(1.0, max(-1.0, step))
        c += step
        if abs(step) < 1e-12:
            break
    residual = w * odds * (score - chance)
    return c, sqrt(float((residual * residual).sum())) / information


def recalibrate(test: Backtest) -> Backtest:
    """Scale the log odds of forecasts, the scale fitted on earlier judged games.

    The scale is fitted anew at every twentieth of the judged games. A chance of a draw is left
    out: it belongs to the forecasts as they were.
    """
    expected = test.expected.copy()
    rows = np.flatnonzero(test.judged)
    cuts = np.linspace(0, len(rows), REFITS + 1).astype(np.int64).tolist()
    for first, last in pairwise(cuts):
        if first < ENOUGH:
            continue
        known = rows[:first]
        scale, _ = best_scale(test.expected[known], test.outcome[known], test.weight[:first])
        part = rows[first:last]
        expected[part] = 1.0 / (1.0 + np.exp(-scale * _log_odds(test.expected[part])))
    return replace(test, name=f"{test.name}, recalibrated", expected=expected, draw=None)


def _log_odds(expected: Floats) -> Floats:
    chance = np.clip(expected, 1e-12, 1.0 - 1e-12)
    odds: Floats = np.log(chance) - np.log1p(-chance)
    return odds
