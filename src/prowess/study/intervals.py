"""Intervals of mean scores, and of the difference of two, game by game.

A score is a mean of losses, and the difference of two systems one of paired differences of losses,
game by game. The intervals are about other games of the same players, forecast from the ratings as
they stood. What a system loses beyond that expectation cannot be foreseen from the past: it is a
martingale difference, so that the scatter of single games measures the sum (P. Hall and C. C.
Heyde, Martingale Limit Theory and Its Application, 1980, section 3.2). Games close in time may
share more, such as an event between weak players, so that the scatter of blocks of consecutive
games is taken where it is larger (H. R. Kuensch, "The jackknife and the bootstrap for general
stationary observations", Annals of Statistics 17, 1989).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from prowess.study.backtest import weighted_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MeanInterval:
    """The mean of a score, or of the difference of two, with its interval and its deviation."""

    mean: float
    low: float
    high: float
    deviation: float

    @property
    def told_apart(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0.0 or self.high < 0.0


def mean_interval(
    values: Floats,
    weight: Floats,
    blocks: NDArray[np.int64],
    level: float,
    games: NDArray[np.int64] | None = None,
) -> MeanInterval:
    """Return the weighted mean of the finite values with its interval, [entries] each.

    `games` numbers the game (contest) of each entry; None: each is one. The variance of the mean
    is that of games or of `blocks`, whichever is larger. The interval is the mean -+ t deviations,
    t of Student's distribution with one degree of freedom less than there are blocks. Without two
    blocks it is unbounded.
    """
    from scipy.special import stdtrit

    mean = weighted_mean(values, weight)
    known = np.isfinite(values)
    size = len(np.unique(blocks[known]))
    if size < 2:
        return MeanInterval(mean, -np.inf, np.inf, np.inf)
    single = np.arange(len(values), dtype=np.int64) if games is None else games
    surplus, known_weight = ((values - mean) * weight)[known], weight[known]
    variance = max(_variance_of_mean(surplus, known_weight, by[known]) for by in (single, blocks))
    reach = float(stdtrit(size - 1, 0.5 + 0.5 * level)) * sqrt(variance)
    return MeanInterval(mean, mean - reach, mean + reach, sqrt(variance))


def _variance_of_mean(surplus: Floats, weight: Floats, group: NDArray[np.int64]) -> float:
    """Return G / (G - 1) sum over groups of (their sum of w (v - m))^2, over (sum w)^2."""
    total = np.bincount(_number_groups(group), surplus)
    count = len(total)
    scatter = float(total @ total) * count / (count - 1)
    return scatter / float(weight.sum()) ** 2


def _number_groups(group: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the groups of entries from 0 in ascending order; ascending ones without sorting."""
    steps = np.diff(group)
    if (steps >= 0).all():
        return np.concatenate((np.zeros(1, np.int64), np.cumsum(steps != 0, dtype=np.int64)))
    return np.unique(group, return_inverse=True)[1]
