"""Integrals by Gauss-Legendre points on panels.

A panel's rule of 16 points is exact for polynomials up to degree 31, so a function that is smooth
on every panel is integrated to the last digits; where it jumps or has a kink, a panel must end.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Curve = Callable[[Floats], Floats]  # any shape in, the same shape out

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(16)  # on [-1, 1]


def points(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """(points, weights) on the intervals from `low` to `high`: their shape and one axis more."""
    half = 0.5 * (high - low)[..., None]
    middle = 0.5 * (high + low)[..., None]
    return middle + half * POINTS, half * WEIGHTS


def integrals(function: Curve, low: Floats, high: Floats) -> Floats:
    """The integral of `function` over each interval, one panel each."""
    x, weights = points(low, high)
    result: Floats = (function(x) * weights).sum(axis=-1)
    return result


def integral(function: Curve, edges: Floats) -> float:
    """The integral of `function` from the first edge to the last, a panel between neighbours."""
    return float(integrals(function, edges[:-1], edges[1:]).sum())
