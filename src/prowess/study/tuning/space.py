"""The search space of tuning, and its screening.

A range that spans a decade or more above 0 is searched by its logarithm, any other linearly.

Screening moves each parameter alone. A parameter that moves no forecast keeps its value. One that
moves them only as others together could is a matter of units: with k, scale and advantage in
points, twice as many points give the same forecasts. Parameters called `scale` or `base` come last,
so that they are the ones to keep their value; a given parameter keeps its value too, but its
directions count.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.params import BadSetting, HasParams, Parameter, parameters, settings
from prowess.engine.system import Range
from prowess.study.tuning.evaluation import Evaluations

DECADE = 10.0


@dataclass(frozen=True)
class Dimension:
    """One parameter and the range in which it is searched."""

    name: str
    low: float
    high: float
    declared: Range

    @property
    def logarithmic(self) -> bool:
        """Whether equal steps are equal factors."""
        return self.low > 0.0 and self.high >= DECADE * self.low

    def value(self, place: float) -> float:
        """Return the value at a place from 0 (low end) to 1 (high end); both ends exactly."""
        if place <= 0.0 or place >= 1.0:
            return self.low if place <= 0.0 else self.high
        if self.logarithmic:
            return exp(log(self.low) + place * log(self.high / self.low))
        return self.low + place * (self.high - self.low)

    def place(self, value: float) -> float:
        """Return the place of a value, 0 to 1; a value outside the range is at its end."""
        value = min(max(value, self.low), self.high)
        if self.logarithmic:
            return log(value / self.low) / log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Space:
    """The parameters that are searched; points are places in the order of `dimensions`."""

    dimensions: tuple[Dimension, ...]

    def __len__(self) -> int:
        return len(self.dimensions)

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters."""
        return tuple(one.name for one in self.dimensions)

    def setting(self, point: Floats) -> dict[str, float]:
        """Return the values at a point."""
        places = zip(self.dimensions, point.tolist(), strict=True)
        return {one.name: one.value(place) for one, place in places}

    def point(self, setting: Mapping[str, float]) -> Floats:
        """Return the point of values."""
        return np.array([one.place(setting[one.name]) for one in self.dimensions])

    def only(self, names: Sequence[str]) -> Space:
        """Return the space of fewer parameters."""
        return Space(tuple(one for one in self.dimensions if one.name in names))


def starting_values(system: HasParams, given: Mapping[str, Any]) -> dict[str, float]:
    """Return the value of every numeric parameter before the search; raises BadSetting."""
    p = settings(system, given)
    return {
        name: float(getattr(p, name))
        for name, one in parameters(system).items()
        if isinstance(one.domain, Range)
    }


def select_parameters(system: HasParams, over: Mapping[str, Any]) -> Space:
    """Return the named parameters, each in the given range, (low, high), or in its own, None;
    raises BadSetting.
    """
    known = parameters(system)
    found = []
    for name, given in over.items():
        if name not in known:
            settings(system, {name: 0.0})  # refuses it and names the nearest
        one = known[name]
        if not isinstance(one.domain, Range):
            raise BadSetting.of("words_not_searched", name=name, parameter=one.describe())
        if given is None and is_switched_off(one):
            raise BadSetting.of("zero_switches_off", name=name, parameter=one.describe())
        if given is not None and not (isinstance(given, tuple | list) and len(given) == 2):
            raise BadSetting.of("not_a_range", name=name, given=given)
        low, high = (one.domain.low, one.domain.high) if given is None else given
        for end in (low, high):
            one.parse(end)
        if not low < high:
            raise BadSetting.of("range_upside_down.space", name=name, low=low, high=high)
        found.append(Dimension(name, float(low), float(high), one.domain))
    return Space(tuple(found))


def is_switched_off(one: Parameter) -> bool:
    """Whether 0 switches a parameter off and is its default: no end of a range to search."""
    return isinstance(one.domain, Range) and "0:" in one.domain.unit and one.default == 0.0


def all_parameters(system: HasParams) -> tuple[Space, dict[str, str]]:
    """Return all numeric parameters, and by name why the others keep their values."""
    stays: dict[str, str] = {}
    found: dict[str, None] = {}
    for name, one in parameters(system).items():
        if not isinstance(one.domain, Range):
            stays[name] = "a word, not a number"
        elif is_switched_off(one):
            stays[name] = "a switch that is off"
        else:
            found[name] = None
    return select_parameters(system, found), stays


UNIT_NAMES = ("scale", "base")  # points of odds of ten to one
PROBES = (-0.3, -0.05, 0.05, 0.3)  # of the range
PROBE_STEP = 1e-3  # of the range, for derivatives
EQUAL_LOSS = 1e-9  # losses that differ by less are equal
MIN_OWN_SHARE = 1e-2  # of a direction; what remains of it beside others is rounding and curvature

MOVES_NOTHING = "no forecast depends on it while the others are as they are"
MOVES_IN_JUMPS = "forecasts change in jumps or not at all near its value"
GIVEN_REASON = "given"
MOVES_AS_OTHERS = "others together do the same: it is a matter of units"


def screen_parameters(
    space: Space, start: dict[str, float], tried: Evaluations, given: Container[str] = ()
) -> dict[str, str]:
    """Return why parameters keep their values, by name; the others are worth a search."""
    point = space.point(start)
    base = tried.losses([start])[0]
    stays: dict[str, str] = {}
    slopes: list[Floats] = []
    for name in sorted(space.names, key=lambda name: (name in UNIT_NAMES, name not in given)):
        axis = space.names.index(name)
        probes = sorted({min(1.0, max(0.0, point[axis] + move)) for move in PROBES})
        near = [max(0.0, point[axis] - PROBE_STEP), min(1.0, point[axis] + PROBE_STEP)]
        *far, below, above = tried.losses(
            [
                {**start, name: space.dimensions[axis].value(float(place))}
                for place in (*probes, *near)
            ]
        )
        if all(is_unchanged(losses, base) for losses in far):
            stays[name] = MOVES_NOTHING
        elif len(below) != len(base) or len(above) != len(base):
            pass  # numbers are lost nearby: a search has to find its way
        elif is_unchanged(below, base) and is_unchanged(above, base):
            stays[name] = MOVES_IN_JUMPS
        else:
            slope = (above - below) / (near[1] - near[0])
            if unexplained_share(slope, slopes) < MIN_OWN_SHARE:
                stays[name] = MOVES_AS_OTHERS
            else:
                slopes.append(slope)
        if name in given:
            stays[name] = GIVEN_REASON
    return {name: stays[name] for name in space.names if name in stays}


def is_unchanged(losses: Floats, base: Floats) -> bool:
    """Return whether no loss differs."""
    return len(losses) == len(base) and bool(np.nanmax(np.abs(losses - base)) < EQUAL_LOSS)


def unexplained_share(slope: Floats, others: list[Floats]) -> float:
    """Return the share of a direction outside the span of others."""
    length = float(np.linalg.norm(slope))
    if not others or length == 0.0:
        return 1.0
    known = np.stack(others, axis=1)
    mixture, *_ = np.linalg.lstsq(known, slope, rcond=None)
    return float(np.linalg.norm(slope - known @ mixture)) / length
