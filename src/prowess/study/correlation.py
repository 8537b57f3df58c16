"""How alike two rankings of the same players are, ties respected.

Kendall's tau-b: M. G. Kendall, "The Treatment of Ties in Ranking Problems", Biometrika 33 (1945).
Spearman's rho: the correlation of mean ranks, C. Spearman, American Journal of Psychology 15
(1904).
"""

from __future__ import annotations

from math import nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Numbers = NDArray[Any]


def kendall(x: Numbers, y: Numbers) -> float:
    """tau-b = (C - D) / sqrt((C + D + X)(C + D + Y)), X and Y the pairs tied in one column only.

    Each [n]; nan where one of them has all players level.
    """
    agreeing = untied_x = untied_y = 0
    for k in range(len(x) - 1):
        one, other = np.sign(x[k + 1 :] - x[k]), np.sign(y[k + 1 :] - y[k])
        agreeing += int(one @ other)
        untied_x += int(np.count_nonzero(one))
        untied_y += int(np.count_nonzero(other))
    if not untied_x or not untied_y:
        return nan
    return agreeing / sqrt(untied_x * untied_y)


def spearman(x: Numbers, y: Numbers) -> float:
    """The correlation of mean ranks, each column [n]; nan where one has all players level."""
    one, other = mean_ranks(x), mean_ranks(y)
    one, other = one - one.mean(), other - other.mean()
    scale = sqrt((one @ one) * (other @ other))
    return float(one @ other) / scale if scale else nan


def mean_ranks(x: Numbers) -> Floats:
    """The place of each value from below, [n], from 1; equal ones share the mean of theirs."""
    _, where, count = np.unique(x, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    ranks: Floats = (last - 0.5 * (count - 1))[where]
    return ranks
