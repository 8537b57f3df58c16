"""Scalar functions that do not overflow, each with its formula.

Only `math` and arithmetic, so that a function gives the same bits compiled and as plain Python.
Write `x * x`, not `x**2` (the C library's pow rounds differently from a product).

The normal law: phi(x) = e^(-x^2 / 2) / sqrt(2 pi) is its density, Phi(x) = erfc(-x / sqrt 2) / 2
the chance of being below x. Far below 0 both underflow, and what is wanted is their ratio:

    Phi(-y) / phi(-y) = 1 / (y + 1 / (y + 2 / (y + 3 / (y + ...))))        y > 0

Quantile: the middle is the rational function PPND16 of M. J. Wichura, algorithm AS 241, Applied
Statistics 37 (1988); the tails are found by Newton's method on log Phi.
"""

from __future__ import annotations

from collections.abc import Callable
from math import erfc, exp, floor, log, log1p, log10, pi, sqrt
from typing import Any, NamedTuple

__all__ = [  # what systems of users may rely on, beside `math`
    "Truncated", "log_logistic", "log_normal_below", "logistic", "normal_below", "normal_density",
    "normal_quantile", "truncated_above", "truncated_between", "truncated_by_score",
]  # fmt: skip

LN10 = log(10.0)
SQRT2 = sqrt(2.0)
SQRT_2PI = sqrt(2.0 * pi)
FRACTION_FROM = 5.0  # standard deviations from which the fraction is used
FRACTION_TERMS = 60  # of the fraction: at 5 standard deviations the rest is below 1e-16
UNDERFLOW = 37.0  # standard deviations beyond which Phi is no longer a full number
NARROW = 2e-4  # half a width, in standard deviations, that is all but a point
MIN_SHARE = 1e-16  # how near to 0 and 1 the share of variance lost may come
MIDDLE = 0.425  # about 1/2; AS 241's range of the first function
TAIL_STEPS = 60


def logistic(z: float) -> float:
    """1 / (1 + e^-z). Both signs share one exponential, so a mirrored call costs nothing."""
    t = exp(-abs(z))
    return (1.0 if z >= 0.0 else t) / (1.0 + t)


def both_logistic(z: float) -> tuple[float, float]:
    """1 / (1 + e^-z) and 1 / (1 + e^z), both to full precision by one division."""
    t = exp(-abs(z))
    large = 1.0 / (1.0 + t)
    small = t * large
    return (large if z >= 0.0 else small), (small if z >= 0.0 else large)


def score_by_points(gap: float, scale: float) -> float:
    """The expected score of a side rated `gap` higher: odds of ten to one at `scale` points."""
    return logistic(LN10 / scale * gap)


def log_logistic(z: float) -> float:
    """log(1 / (1 + e^-z)) = min(z, 0) - log(1 + e^-|z|)."""
    return min(z, 0.0) - log1p(exp(-abs(z)))


def pair_loss(score: float, expected: float) -> float:
    """-(S ln E + (1 - S) ln(1 - E)), with E between 1e-15 and 1 - 1e-15."""
    chance = min(max(expected, 1e-15), 1.0 - 1e-15)
    return -(score * log(chance) + (1.0 - score) * log1p(-chance))


def normal_density(x: float) -> float:
    """phi(x) = e^(-x^2 / 2) / sqrt(2 pi)."""
    return exp(-0.5 * x * x) / SQRT_2PI


def normal_below(x: float) -> float:
    """Phi(x) = erfc(-x / sqrt 2) / 2."""
    return 0.5 * erfc(-x / SQRT2)


def log_normal_below(x: float) -> float:
    """log Phi(x), finite however far x is below 0."""
    if x > -UNDERFLOW:
        return log(normal_below(x))
    return log(tail_ratio(-x) / SQRT_2PI) - 0.5 * x * x


def tail_fraction(y: float) -> float:
    """1 / (y + 2 / (y + 3 / (y + ...))) for y >= FRACTION_FROM."""
    rest = y
    for k in range(FRACTION_TERMS):
        rest = y + (FRACTION_TERMS + 1 - k) / rest
    return 1.0 / rest


def tail_ratio(y: float) -> float:
    """Phi(-y) / phi(y), as a fraction far out."""
    if y < FRACTION_FROM:
        return normal_below(-y) / normal_density(y)
    return 1.0 / (y + tail_fraction(y))


def normal_quantile(p: float) -> float:
    """The x with Phi(x) = p, for p strictly between 0 and 1."""
    q = p - 0.5
    if abs(q) <= MIDDLE:
        r = MIDDLE * MIDDLE - q * q
        return q * _numerator(r) / _denominator(r)
    tail = p if q < 0.0 else 1.0 - p
    wanted = log(tail)
    x = -sqrt(-2.0 * wanted)  # too low, and log Phi is concave: each step stops short of the root
    for _ in range(TAIL_STEPS):
        step = (wanted - log_normal_below(x)) * tail_ratio(-x)
        x += step
        if abs(step) < 1e-15 * abs(x):
            break
    return x if q < 0.0 else -x


def _numerator(r: float) -> float:
    """The polynomial A of AS 241."""
    y = r * 2509.0809287301226727 + 33430.575583588128105
    y = r * y + 67265.770927008700853
    y = r * y + 45921.953931549871457
    y = r * y + 13731.693765509461125
    y = r * y + 1971.5909503065514427
    y = r * y + 133.14166789178437745
    return r * y + 3.387132872796366608


def _denominator(r: float) -> float:
    """The polynomial B of AS 241."""
    y = r * 5226.495278852854561 + 28729.085735721942674
    y = r * y + 39307.89580009271061
    y = r * y + 21213.794301586595867
    y = r * y + 5394.1960214247511077
    y = r * y + 687.1870074920579083
    y = r * y + 42.313330701600911252
    return r * y + 1.0


class Truncated(NamedTuple):
    """What is left of a normal law of variance 1 once its value is known to lie in a range."""

    shift: float  # of the mean: V
    lost: float  # part of the variance that is gone: W, between 0 and 1


def truncated_above(x: float) -> Truncated:
    """A normal value around x is known to be above 0: V = phi(x) / Phi(x), W = V (V + x)."""
    if x > -FRACTION_FROM:
        v = normal_density(x) / normal_below(x)
        w = v * (v + x)
    else:
        beyond = tail_fraction(-x)
        v = beyond - x
        w = v * beyond
    return Truncated(v, min(max(w, MIN_SHARE), 1.0 - MIN_SHARE))


def truncated_between(t: float, e: float) -> Truncated:
    """A normal value around t is known to lie within e of 0.

    With Z = Phi(e - t) - Phi(-e - t):

        V = (phi(-e - t) - phi(e - t)) / Z
        W = V^2 + ((e - t) phi(e - t) + (e + t) phi(e + t)) / Z

    All of it is symmetric in t, so both ends are taken in the lower tail. For e near 0 the limit
    is V = -t (1 - e^2 / 3), W = 1 - e^2 / 3.
    """
    u = abs(t)
    if e < NARROW:
        v, w = -u * (1.0 - e * e / 3.0), 1.0 - e * e / 3.0
    else:
        high, low = e - u, -e - u
        if high > -FRACTION_FROM:
            top, bottom = normal_density(high), normal_density(low)
            z = normal_below(high) - normal_below(low)
        else:  # everything divided by the density at the upper end
            top, bottom = 1.0, exp(-2.0 * e * u)
            z = tail_ratio(-high) - bottom * tail_ratio(-low)
        v = (bottom - top) / z
        w = v * v + (high * top - low * bottom) / z
    return Truncated(v if t >= 0.0 else -v, min(max(w, MIN_SHARE), 1.0 - MIN_SHARE))


def truncated_by_score(t: float, e: float, score: float) -> Truncated:
    """A normal value around t: above e (won), below -e (lost) or between (drawn)."""
    if score == 0.5:
        return truncated_between(t, e)
    sign = 1.0 if score > 0.5 else -1.0
    decided = truncated_above(sign * t - e)
    return Truncated(sign * decided.shift, decided.lost)


def round_step(extent: float, count: int) -> float:
    """1, 2 or 5 times a power of ten that cuts the extent into at most about `count` parts."""
    rough = extent / max(count, 1)
    power = float(10.0 ** floor(log10(rough)))
    return next(power * k for k in (1.0, 2.0, 5.0, 10.0) if power * k >= rough * 0.999)


# --- scalar loops, plain or compiled: the numbers are equal ---------------------------------------


def merge_sort(before: Callable[..., bool]) -> Callable[..., None]:
    """A function (p, sides, place, order, spare) that sorts the sides of a contest.

    `order` is filled with their numbers, those first that stand `before(p, sides, place, i, j)` the
    others; sides of which neither does keep the order of rows. A merge sort, O(n log n); `spare`
    has as much room.
    """

    def sort(p: Any, sides: Any, place: Any, order: Any, spare: Any) -> None:
        count, width = len(place), 1
        for k in range(count):
            order[k] = k
        while width < count:
            low = 0
            while low < count:
                middle, high = min(low + width, count), min(low + 2 * width, count)
                left, right = low, middle
                for at in range(low, high):
                    later = left >= middle
                    if not later and right < high:
                        later = before(p, sides, place, int(order[right]), int(order[left]))
                    if later:
                        spare[at] = order[right]
                        right += 1
                    else:
                        spare[at] = order[left]
                        left += 1
                low = high
            for k in range(count):
                order[k] = spare[k]
            width *= 2

    return sort
