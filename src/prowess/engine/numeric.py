"""Scalar mathematics that overflows nowhere, the formula beside each function.

Only `math` and arithmetic, so that a function gives the same bits compiled and as plain Python.
Write `x * x`, not `x**2` (the C library's pow rounds differently from a product).
"""

from __future__ import annotations

from math import exp, log, log1p

LN10 = log(10.0)


def logistic(z: float) -> float:
    """1 / (1 + e^-z). Both signs share one exponential, so a mirrored call costs nothing."""
    t = exp(-abs(z))
    return (1.0 if z >= 0.0 else t) / (1.0 + t)


def log_logistic(z: float) -> float:
    """log(1 / (1 + e^-z)) = min(z, 0) - log(1 + e^-|z|)."""
    return min(z, 0.0) - log1p(exp(-abs(z)))
