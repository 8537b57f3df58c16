"""Which parameters do the forecasts depend on at all? Found by trying, not by knowing systems.

Each parameter is moved alone, the others as they are. One that moves no forecast is left as it
is. One that moves them only as others together could is a matter of units: with k, scale and
advantage in points, twice as many points are the same forecasts. Parameters called `scale` or
`base` are taken last, so that they are the ones to stay; a parameter that is given stays too, but
what it could do counts.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

import numpy as np

from prowess.study.tuning.evaluation import Evaluations
from prowess.study.tuning.space import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

UNITS = ("scale", "base")  # what says how many points are odds of ten to one
PROBES = (-0.3, -0.05, 0.05, 0.3)  # of the range
NEAR = 1e-3  # of the range, for derivatives
NOTHING = 1e-9  # losses that differ by less are equal
SAME = 1e-2  # of a direction; what remains of it beside others is rounding and curvature

MOVES_NOTHING = "no forecast depends on it while the others are as they are"
MOVES_IN_JUMPS = "forecasts change in jumps or not at all near its value"
GIVEN = "given"
MOVES_AS_OTHERS = "others together do the same: it is a matter of units"


def screened(
    space: Space, start: dict[str, float], tried: Evaluations, given: Container[str] = ()
) -> dict[str, str]:
    """Why some parameters stay as they are, by name; the others are worth a search."""
    point = space.point(start)
    base = tried.losses([start])[0]
    stays: dict[str, str] = {}
    slopes: list[Floats] = []
    for name in sorted(space.names, key=lambda name: (name in UNITS, name not in given)):
        axis = space.names.index(name)
        probes = sorted({min(1.0, max(0.0, point[axis] + move)) for move in PROBES})
        near = [max(0.0, point[axis] - NEAR), min(1.0, point[axis] + NEAR)]
        *far, below, above = tried.losses(
            [moved(space, start, name, axis, place) for place in (*probes, *near)]
        )
        if all(unchanged(losses, base) for losses in far):
            stays[name] = MOVES_NOTHING
        elif len(below) != len(base) or len(above) != len(base):
            pass  # numbers are lost nearby: a search has to find its way
        elif unchanged(below, base) and unchanged(above, base):
            stays[name] = MOVES_IN_JUMPS
        else:
            slope = (above - below) / (near[1] - near[0])
            if beside(slope, slopes) < SAME:
                stays[name] = MOVES_AS_OTHERS
            else:
                slopes.append(slope)
        if name in given:
            stays[name] = GIVEN
    return {name: stays[name] for name in space.names if name in stays}


def moved(
    space: Space, start: dict[str, float], name: str, axis: int, place: float
) -> dict[str, float]:
    """The start with one parameter elsewhere in its range."""
    return {**start, name: space.dimensions[axis].value(float(place))}


def unchanged(losses: Floats, base: Floats) -> bool:
    """Whether no loss differs."""
    return len(losses) == len(base) and bool(np.nanmax(np.abs(losses - base)) < NOTHING)


def beside(slope: Floats, others: list[Floats]) -> float:
    """The share of a direction that no mixture of others can make."""
    length = float(np.linalg.norm(slope))
    if not others or length == 0.0:
        return 1.0
    known = np.stack(others, axis=1)
    mixture, *_ = np.linalg.lstsq(known, slope, rcond=None)
    return float(np.linalg.norm(slope - known @ mixture)) / length
