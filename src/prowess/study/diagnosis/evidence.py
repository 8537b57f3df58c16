"""Evidence of a diagnosis: estimates with deviations, tails of chance, and fitted win curves.

Formula   P(s = 1) = wp(z),  z = sum of theta_k x_k
          d log-likelihood / d theta = sum of x_k (s - wp) wp' / (wp (1 - wp))
          solved by Fisher's scoring; scores between 0 and 1 enter the same sum (quasi-likelihood)
          deviations: of the influences H^-1 x (s - wp) wp' / (wp (1 - wp)), summed over blocks of
          games close in time, so that neither draws nor form makes them too small
Source    R. W. M. Wedderburn, "Quasi-likelihood functions", Biometrika 61 (1974); P. J. Huber,
          "The behavior of maximum likelihood estimates under nonstandard conditions" (1967).
Units     z: natural units, in which every curve has nearly the logistic slope at 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb, sqrt
from typing import NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.engine.numeric import LN10
from prowess.engine.win_probability import log_win_probability, steepness

BLOCK_COUNT = 60  # of consecutive games, as in comparisons of systems


TILTS = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.5)  # t of the Chernoff bound


class Estimate(NamedTuple):
    """A number, its standard deviation, and the number of independent parts behind it."""

    value: float
    deviation: float
    parts: int

    @property
    def p(self) -> float:
        """The two-sided p-value against 0."""
        return student_p(self.value, self.deviation, self.parts - 1)

    @property
    def ends(self) -> dict[str, float]:
        """Its 95 % interval, by name."""
        low, high = self.interval()
        return {"low": low, "high": high}

    def interval(self, z: float = 1.96) -> tuple[float, float]:
        """Value -+ z deviations."""
        return self.value - z * self.deviation, self.value + z * self.deviation


def student_p(value: float, deviation: float, freedom: int) -> float:
    """Return the two-sided p of value / deviation under Student's t distribution."""
    from scipy.special import stdtr

    if not deviation > 0.0 or freedom < 1:
        return 1.0
    return 2.0 * float(stdtr(freedom, -abs(value) / deviation))


def blocks_of(count: int, blocks: int = BLOCK_COUNT) -> Ids:
    """Return the block of each of `count` consecutive entries; blocks have equal sizes."""
    return np.arange(count, dtype=np.int64) * min(blocks, max(count, 1)) // max(count, 1)


def estimate_by_parts(value: float, influence: Floats, part: Ids) -> Estimate:
    """Return a value with its deviation from the influences of entries, [n], on it.

    Entries of one part count as one observation. The deviation is that of the bootstrap which
    draws whole parts (players, or blocks of games), in its linear form:
    sqrt(B / (B - 1) sum over parts of (sum of centred influence)^2).
    """
    seen = np.bincount(part) > 0
    total = np.bincount(part, influence)[seen]
    count = len(total)
    if count < 2:
        return Estimate(value, 0.0, count)
    centred = total - total.mean()
    return Estimate(value, sqrt(count / (count - 1) * float((centred * centred).sum())), count)


def mean_by_parts(value: Floats, weight: Floats | None = None, part: Ids | None = None) -> Estimate:
    """Return the weighted mean of values [n], deviation over parts (None: each entry its own)."""
    weight = np.ones(len(value)) if weight is None else weight
    part = np.arange(len(value), dtype=np.int64) if part is None else part
    total = float(weight.sum())
    mean = float((value * weight).sum()) / total
    return estimate_by_parts(mean, (value - mean) * weight / total, part)


def best_of(p: float, tries: int) -> float:
    """Return the Bonferroni bound for the smallest of `tries` p-values."""
    return min(1.0, p * tries)


def holm(p: Sequence[float] | Floats) -> list[float]:
    """Return Holm's p-values: the k-th smallest of n times n - k + 1, never falling, at most 1."""
    given = np.asarray(p, dtype=np.float64)
    order = np.argsort(given, kind="stable")
    adjusted = np.empty(len(given))
    raised = (len(given) - np.arange(len(given), dtype=np.int64)) * given[order]
    adjusted[order] = np.maximum.accumulate(np.minimum(raised, 1.0))
    found: list[float] = adjusted.tolist()
    return found


def log_chernoff(cumulants: Floats, surplus: Floats) -> Floats:
    """Return the log of a bound on the chance that sums of scores exceed expectation so far, [n].

    cumulants: [tilts, n], sums of log E exp(t (s - E)) over the games of each sum, as from
    `log_cumulants`; surplus: [n], the sums of s - E. A score in [0, 1] with mean E spreads no
    more than a win with chance E, so draws make the bound conservative
    (H. Chernoff, Annals of Mathematical Statistics 23, 1952).
    """
    tilts = np.array(TILTS)[:, None]
    bound: Floats = np.minimum((cumulants - tilts * surplus).min(axis=0), 0.0)
    return np.where(surplus > 0.0, bound, 0.0)


def log_cumulants(expected: Floats) -> Floats:
    """Return log(1 + E (e^t - 1)) - t E of a win of chance E, [tilts, n]."""
    tilts = np.array(TILTS)[:, None]
    found: Floats = np.log1p(expected * np.expm1(tilts)) - tilts * expected
    return found


def sum_by_group(values: Floats, group: Ids, groups: int) -> Floats:
    """Sum [tilts, n] over the groups of the columns, [tilts, groups]."""
    return np.stack([np.bincount(group, row, groups) for row in values])


def poisson_tail(count: int, mean: float) -> float:
    """Return P(N >= count) of a Poisson number N."""
    from scipy.special import pdtrc

    return 1.0 if count <= 0 else float(pdtrc(count - 1, mean))


def runs_tail(first: int, second: int, runs: int) -> float:
    """Return P(at least `runs` runs) in a random order of `first` wins and `second` losses.

    A. Wald and J. Wolfowitz, "On a test whether two samples are from the same population",
    Annals of Mathematical Statistics 11 (1940).
    """

    def ways(wins: int, losses: int) -> int:
        """Count the orders in which the wins fall into `wins` runs, the losses into `losses`."""
        return comb(first - 1, wins - 1) * comb(second - 1, losses - 1) if wins and losses else 0

    total = 0
    for count in range(runs, first + second + 1):
        half, odd = divmod(count, 2)
        total += ways(half + odd, half) + ways(half, half + odd)
    return total / comb(first + second, first)


TABLE_END = 30.0  # natural units


TABLE_NODES = 6001  # linear interpolation, errors of 1e-6 of the log odds


MAX_CURVE_STEPS = 60


@dataclass(frozen=True, eq=False)
class CurveFit:
    """A curve with its best constants; `expected`, `loss` (nats) have one entry a game."""

    curve: int
    theta: Floats
    expected: Floats
    loss: Floats
    influence: Floats  # [n, k] of theta

    def estimate(self, k: int, part: Ids) -> Estimate:
        """Return one constant with its deviation over parts of the games."""
        return estimate_by_parts(float(self.theta[k]), self.influence[:, k], part)


@cache
def _table(curve: int) -> tuple[Floats, Floats, Floats]:
    """Return (z, log odds of wp, their slope)."""
    z = np.linspace(-TABLE_END, TABLE_END, TABLE_NODES)
    q = steepness(curve, LN10)
    logs = np.array([log_win_probability(curve, x, q) for x in z.tolist()])
    odds: Floats = logs - logs[::-1]
    return z, odds, np.gradient(odds, z)


def expected_on_curve(curve: int, z: Floats) -> Floats:
    """Return wp(z) by interpolation; constant beyond the ends of the table."""
    nodes, odds, _ = _table(curve)
    chance: Floats = 1.0 / (1.0 + np.exp(-np.interp(z, nodes, odds)))
    return chance


def fit_curve(curve: int, features: Floats, score: Floats, weight: Floats) -> CurveFit:
    """Fit theta to features [n, k]; the first constant starts at 1, the others at 0."""
    nodes, odds, slopes = _table(curve)
    theta = np.zeros(features.shape[1])
    theta[0] = 1.0
    last = np.inf
    step = np.zeros_like(theta)
    for _ in range(MAX_CURVE_STEPS):
        z = features @ theta
        log_odds, slope = np.interp(z, nodes, odds), np.interp(z, nodes, slopes)
        chance = 1.0 / (1.0 + np.exp(-log_odds))
        loss = np.logaddexp(0.0, -log_odds) + (1.0 - score) * log_odds
        total = float((weight * loss).sum())
        if total > last + 1e-9:  # scoring overshot
            step = 0.5 * step
            theta = theta - step
            continue
        gradient = features * (weight * (score - chance) * slope)[:, None]
        curvature = (features * (weight * slope * slope * chance * (1.0 - chance))[:, None]).T
        inverse = np.linalg.pinv(curvature @ features)
        last, step = total, inverse @ gradient.sum(axis=0)
        if float(np.abs(step).max()) < 1e-9:
            break
        theta = theta + step
    return CurveFit(curve, theta, chance, loss, gradient @ inverse)
