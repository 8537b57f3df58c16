"""Fit a win curve to the results of a league: scale and side advantage by likelihood.

Formula   P(s = 1) = wp(z),  z = sum of theta_k x_k
          d log-likelihood / d theta = sum of x_k (s - wp) wp' / (wp (1 - wp))
          solved by Fisher's scoring; scores between 0 and 1 enter the same sum (quasi-likelihood)
          deviations: of the influences H^-1 x (s - wp) wp' / (wp (1 - wp)), summed over blocks of
          games close in time, so that neither draws nor form makes them too small
Source    R. W. M. Wedderburn, "Quasi-likelihood functions", Biometrika 61 (1974); P. J. Huber,
          "The behavior of maximum likelihood estimates under nonstandard conditions" (1967).
Units     z: natural units, in which every curve has nearly the logistic slope at 0.

A calibrated curve is the system's own curve with the scale that fits the games of established
players best. Ratings have errors, so a gap of 400 points is worth less than the curve says. Other
checks (jumps, farming, draws) use the calibrated curve, so that noise of ratings is not reported
as a fault of a player.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.numeric import LN10
from prowess.engine.win_probability import (
    CURVES,
    log_win_probability,
    steepness,
)
from prowess.study.diagnosis.findings import Estimate, sum_by_parts
from prowess.study.diagnosis.history import LeagueHistory

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]


FARTHEST = 30.0  # natural units; end of the table
NODES = 6001  # of the table: linear interpolation, errors of 1e-6 of the log odds
STEPS = 60


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
        around = sum_by_parts(self.influence[:, k], part)
        return Estimate(float(self.theta[k]), around.deviation, around.parts)


@cache
def _table(curve: int) -> tuple[Floats, Floats, Floats]:
    """Return (z, log odds of wp, their slope)."""
    z = np.linspace(-FARTHEST, FARTHEST, NODES)
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
    for _ in range(STEPS):
        z = features @ theta
        chance = 1.0 / (1.0 + np.exp(-np.interp(z, nodes, odds)))
        slope = np.interp(z, nodes, slopes)
        loss = _loss(score, np.interp(z, nodes, odds))
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


def _loss(score: Floats, odds: Floats) -> Floats:
    """Return -(s log p + (1 - s) log(1 - p)) from the log odds of p."""
    found: Floats = np.logaddexp(0.0, -odds) + (1.0 - score) * odds
    return found


def name_of(curve: int) -> str:
    """Return the name of a curve."""
    return CURVES[curve]


LEAST_JUDGED = 300  # judged games


class TooFew(ValueError):
    """The table has too few games (or other data) for a check."""


@dataclass(frozen=True, eq=False)
class CalibratedCurve:
    """The curve fitted to the judged games; `expected` is its forecast of every game, [n]."""

    fit: CurveFit
    expected: Floats
    surplus: Floats  # score of a - expected

    @property
    def scale(self) -> float:
        """Below 1: gaps are worth less than the system says."""
        return float(self.fit.theta[0])


def features(history: LeagueHistory) -> Floats:
    """Return (gap, side) in natural units, [n, 2]."""
    return np.stack((history.gap / history.unit, history.side), axis=1)


def calibrate(history: LeagueHistory) -> CalibratedCurve:
    """Fit the system's curve to its judged games. Raises TooFew."""
    rows = history.judged
    if int(rows.sum()) < LEAST_JUDGED:
        raise TooFew(
            f"{int(rows.sum()):,} games of two established players, {LEAST_JUDGED} are needed"
        )
    x = features(history)
    fit = fit_curve(history.curve, x[rows], history.games.score[rows], history.weight[rows])
    chance = expected_on_curve(history.curve, x @ fit.theta)
    return CalibratedCurve(fit, chance, history.games.score - chance)
