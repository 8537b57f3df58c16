"""How many peaks does a function have? For posteriors that may have more than one.

With a prior that is not log-concave the report's remark in brackets at Theorem 9 fails: a prior of
one peak and a concave log likelihood can make a posterior of two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

HALVINGS = 100


class Stationary(NamedTuple):
    """A place where a function neither rises nor falls."""

    x: float
    kind: str  # max | min


def stationary_points(
    slope: Callable[[float], float], low: float, high: float, cells: int = 4000
) -> list[Stationary]:
    """Where the slope of a function changes its sign between low and high, in order.

    Two such places within one of the cells are missed. Raises ValueError for an empty interval.
    """
    if not low < high:
        raise ValueError(f"between {low:g} and {high:g} there is nothing")
    xs = [low + (high - low) * k / cells for k in range(cells + 1)]
    found: list[Stationary] = []
    before, rise = low, 0.0
    for x in xs:
        after = slope(x)
        if rise * after < 0.0:
            kind = "max" if rise > 0.0 else "min"
            found.append(Stationary(_crossing(slope, before, x, rise), kind))
        if after != 0.0:  # a slope of 0 on the way says nothing of what comes behind it
            before, rise = x, after
    return found


def _crossing(slope: Callable[[float], float], a: float, b: float, rise: float) -> float:
    for _ in range(HALVINGS):
        x = (a + b) / 2.0
        if slope(x) * rise > 0.0:
            a = x
        else:
            b = x
    return (a + b) / 2.0
