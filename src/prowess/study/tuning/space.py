"""What is searched: some parameters of a system, each in a range, as the unit cube.

A range that spans a decade or more above 0 is searched by its logarithm, any other as it stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.params import BadSetting, HasParams, parameters, settings
from prowess.engine.system import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Point = NDArray[np.float64]  # in the unit cube, [dimensions]

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
        """The value at a place from 0 (the low end) to 1 (the high end); both ends exactly."""
        if place <= 0.0 or place >= 1.0:
            return self.low if place <= 0.0 else self.high
        if self.logarithmic:
            return exp(log(self.low) + place * log(self.high / self.low))
        return self.low + place * (self.high - self.low)

    def place(self, value: float) -> float:
        """Where a value stands, from 0 to 1; a value outside stands at the end."""
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

    def setting(self, point: Point) -> dict[str, float]:
        """The values at a point."""
        places = zip(self.dimensions, point.tolist(), strict=True)
        return {one.name: one.value(place) for one, place in places}

    def point(self, setting: Mapping[str, float]) -> Point:
        """Where values stand."""
        return np.array([one.place(setting[one.name]) for one in self.dimensions])

    def only(self, names: Sequence[str]) -> Space:
        """The same, of fewer parameters."""
        return Space(tuple(one for one in self.dimensions if one.name in names))


def starting_values(system: HasParams, given: Mapping[str, Any]) -> dict[str, float]:
    """The value of every numeric parameter before the search; raises BadSetting."""
    p = settings(system, given)
    return {
        name: float(getattr(p, name))
        for name, one in parameters(system).items()
        if isinstance(one.domain, Range)
    }


def named(system: HasParams, over: Mapping[str, tuple[float, float] | None]) -> Space:
    """The parameters named, each in its own or the given range; raises BadSetting."""
    known = parameters(system)
    found = []
    for name, given in over.items():
        if name not in known:
            settings(system, {name: 0.0})  # refuses it and names the nearest
        one = known[name]
        if not isinstance(one.domain, Range):
            raise BadSetting(
                f"{name} is a word ({one.described()}), which is not searched: "
                "tune once for each and compare"
            )
        low, high = given or (one.domain.low, one.domain.high)
        for end in (low, high):
            one.parse(end)
        if not low < high:
            raise BadSetting(f"{name} = {low:g}:{high:g}: the first end is not below the second")
        found.append(Dimension(name, float(low), float(high), one.domain))
    return Space(tuple(found))


def everything(system: HasParams) -> tuple[Space, dict[str, str]]:
    """All numeric parameters, and by name why others stay as they are."""
    stays: dict[str, str] = {}
    found: dict[str, None] = {}
    for name, one in parameters(system).items():
        if not isinstance(one.domain, Range):
            stays[name] = "a word, not a number"
        elif "0:" in one.domain.unit and one.default == 0.0:
            stays[name] = "a switch that is off"
        else:
            found[name] = None
    return named(system, found), stays
