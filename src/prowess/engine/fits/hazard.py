"""How fast the logarithm of a win probability changes: what maximising a likelihood asks for.

    hazard  h(x)  = (log wp)'  = wp' / wp
            h'(x) = (log wp)'' = h (b - h),  with the bend  b = (log wp')' = wp'' / wp'

All is found in logarithms, so nothing underflows however far x is in a tail. For every curve here
h falls: log wp is concave. Curves as in `win_probability`; the bend of a Stob curve follows from
wp'(kappa z) = S_n'(wp(z)) wp'(z) / kappa (EQ 38 to 40 of W. D. Smith, "Rating systems for
gameplayers, and learning", technical report 93-104-3-0058-5, 1994), differentiated once more.
"""

from __future__ import annotations

from math import exp, log, log1p
from typing import NamedTuple

from prowess.engine.win_probability import (
    LN2,
    LOGISTIC,
    NORMAL,
    SQRT_PI,
    STOB_SERIES,
    TERMS,
    TIMESHARING,
    first_to_magnification,
    log_normal_tail,
    lost_points,
    series,
    series_slope,
    shrunk,
)

LN4 = 2.0 * LN2
LOG_LN2 = log(LN2)
LOG_NORMAL_TOP = -log(2.0 * SQRT_PI)  # of the normal curve's slope at 0


class Both(NamedTuple):
    """log wp(x) and log wp(-x) with their first and second derivatives by their own argument."""

    won: float
    won_slope: float
    won_bend: float
    lost: float
    lost_slope: float
    lost_bend: float


def both_terms(curve: int, x: float, q: float) -> Both:
    """What a win and a loss say about a difference of x points, per point."""
    if curve == LOGISTIC:  # one exponential and one logarithm serve all six
        z = q * x
        t = exp(-abs(z))
        part = 1.0 / (1.0 + t)
        up, down = (part, t * part) if z >= 0.0 else (t * part, part)
        log_sum, bend = log1p(t), -q * q * t * part * part
        return Both(min(z, 0.0) - log_sum, q * down, bend, min(-z, 0.0) - log_sum, q * up, bend)
    won, won_slope, won_bend = win_terms(curve, x, q)
    lost, lost_slope, lost_bend = win_terms(curve, -x, q)
    return Both(won, won_slope, won_bend, lost, lost_slope, lost_bend)


def win_terms(curve: int, x: float, q: float) -> tuple[float, float, float]:
    """(log wp, its first, its second derivative) at x points, per point."""
    log_win, log_slope, bend = curve_terms(curve, x, q)
    hazard = exp(log_slope - log_win)
    return log_win, hazard, hazard * min(bend - hazard, 0.0)


def curve_terms(curve: int, x: float, q: float) -> tuple[float, float, float]:
    """(log wp, log wp', (log wp')') at x points, per point."""
    z = q * x
    far = abs(z)
    if curve == LOGISTIC:
        t = exp(-far)
        log_slope = -far - 2.0 * log1p(t)
        bend = (t - 1.0) / (t + 1.0)
        log_loss = -far - log1p(t)
    elif curve == NORMAL:
        log_loss, log_slope, bend = log_normal_tail(far), LOG_NORMAL_TOP - 0.25 * z * z, -0.5 * far
    elif curve == TIMESHARING:
        log_loss = -LN2 * (far + 1.0)
        log_slope, bend = LOG_LN2 + log_loss, -LN2
    else:
        log_loss, log_slope, bend = stob_terms(curve, far)
    if z < 0.0:
        return log_loss, log_slope + log(q), -q * bend
    return log1p(-exp(log_loss)), log_slope + log(q), q * bend


def stob_terms(curve: int, z: float) -> tuple[float, float, float]:
    """(log wp(-z), log wp'(z), (log wp')'(z)) for z >= 0 and slope 1 at 0.

    Close to 0 by the series, then one match after another outwards; with l = wp(-z)

        b(kappa z) = [ b(z) - (n - 1) (1 - 2 l) / (1 - l)  wp'(z) / l ] / kappa
    """
    n, steps, near = shrunk(curve, z)
    kappa = first_to_magnification(n)
    log_loss = log(0.5 - series(n, near))
    log_slope = log(series_slope(n, near))
    bend = _series_bend(n, near)
    for _ in range(steps):
        loss = exp(log_loss)
        hazard = exp(log_slope - log_loss)
        bend = (bend - (n - 1.0) * (1.0 - 2.0 * loss) / (1.0 - loss) * hazard) / kappa
        log_slope += (n - 1.0) * (LN4 + log_loss + log1p(-loss))
        log_loss = n * log_loss + log(lost_points(loss, n))
    return log_loss, log_slope, bend


def _series_bend(n: int, z: float) -> float:
    """wp'' / wp' close to 0."""
    total = 0.0
    for k in range(TERMS - 1):
        m = TERMS - 1 - k
        total = total * z * z + (2 * m + 1) * (2 * m) * STOB_SERIES[n - 2][m]
    return total * z / series_slope(n, z)
