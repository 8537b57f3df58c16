"""Layers and axes of charts as plain values, in the units of the axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, log10, nan
from typing import TYPE_CHECKING, Any, Literal

from prowess.present.scales import Tick, count_ticks, day_ticks, ticks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = Sequence[float] | NDArray[Any]

Kind = Literal["number", "percent", "count", "day", "log"]
SERIES = ""  # the style of a named layer: the next free colour and dash


@dataclass(frozen=True)
class Axis:
    """A quantity from `low` to `high`; days are counted from 1970, 0.5 percent is written 50%.

    `marks` are the values that get a tick, where they are not round ones.
    """

    name: str
    low: float
    high: float
    kind: Kind = "number"
    marks: tuple[Tick, ...] = ()

    def place(self, value: float) -> float:
        """Position of a value on a linear scale: its logarithm on a log axis, nan where none."""
        if self.kind != "log":
            return value
        return log10(value) if 0.0 < value < inf else nan

    def ticks(self, count: int) -> list[Tick]:
        """About `count` ticks at their positions."""
        low, high = self.place(self.low), self.place(self.high)
        if self.marks:
            return [Tick(self.place(one.value), one.text) for one in self.marks]
        if self.kind == "log":
            return _log_ticks(low, high, count)
        if self.kind == "day":
            return day_ticks(low, high, count)
        if self.kind == "count":
            return [one for one in count_ticks(int(high), count) if one.value <= high]
        return ticks(low, high, count, percent=self.kind == "percent")


@dataclass(frozen=True)
class Label:
    """The name of a row or column; `beneath` is a second line, `rank` stands before it."""

    text: str
    beneath: str = ""
    rank: str = ""
    value: str = ""  # at the right edge of the panel


@dataclass(frozen=True)
class NameAxis:
    """An axis of named rows (from the top) or columns: number k reaches from k to k + 1.

    Columns narrower than `least` pixels are left out, the last first, and their rows with them.
    """

    labels: tuple[Label, ...]
    size: float = 26.0  # pixels of a row; the most of a column
    least: float = 0.0


@dataclass(frozen=True, eq=False)
class Line:
    """A line through points; nan interrupts it. `density` is how many points a pixel may have."""

    x: Values
    y: Values
    style: str = SERIES
    name: str = ""
    density: float = 1.0

    @property
    def points(self) -> list[tuple[float, float]]:
        """The points as pairs."""
        return list(zip(map(float, self.x), map(float, self.y), strict=True))


@dataclass(frozen=True, eq=False)
class Band:
    """The area between two lines."""

    x: Values
    low: Values
    high: Values
    style: str = "band"


@dataclass(frozen=True, eq=False)
class Dots:
    """Dots with intervals (`reach`, None for none), along y, or along x with `across`.

    `hints` are shown to a pointer. A `tick` is an upright mark in place of a dot.
    """

    x: Values
    y: Values
    reach: Sequence[tuple[float, float] | None] = ()
    hints: Sequence[str] = ()
    style: str = "dot"
    name: str = ""
    radius: float = 3.5
    across: bool = False
    tick: bool = False

    @property
    def points(self) -> list[tuple[float, float]]:
        """The dots as pairs."""
        return list(zip(map(float, self.x), map(float, self.y), strict=True))


@dataclass(frozen=True, eq=False)
class Bars:
    """Bars from 0 to `value` over [start, end]; horizontal ones with `across`."""

    start: Values
    end: Values
    value: Values
    hints: Sequence[str] = ()
    style: str = "bar"
    across: bool = False


@dataclass(frozen=True)
class Cell:
    """A square of a table with a `NameAxis`; `strength` is the opacity of its ground."""

    row: int
    column: int
    text: str = ""
    style: str = "empty"
    strength: float | None = None
    hint: str = ""


@dataclass(frozen=True, eq=False)
class CellLayer:
    """The squares of a table."""

    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Rule:
    """A line across the whole panel at a value of one axis, with a label."""

    value: float
    along: Literal["x", "y"]
    style: str = "edge"
    label: str = ""


@dataclass(frozen=True)
class Text:
    """Words at a point; `anchor` is None (begin here), middle or end."""

    x: float
    y: float
    text: str
    anchor: str | None = None


Layer = Line | Band | Dots | Bars | CellLayer | Rule | Text


@dataclass(frozen=True, eq=False)
class Panel:
    """Layers on a pair of axes, the first at the bottom; `height` is in pixels, for an `Axis` y."""

    x: Axis | NameAxis
    y: Axis | NameAxis
    layers: tuple[Layer, ...]
    height: float = 280.0
    heading: str = ""
    aside: str = ""  # at the right of the heading

    @property
    def lines(self) -> list[Line]:
        """The lines among the layers."""
        return [one for one in self.layers if isinstance(one, Line)]

    @property
    def dots(self) -> list[Dots]:
        """The dots among the layers."""
        return [one for one in self.layers if isinstance(one, Dots)]


def _log_ticks(low: float, high: float, count: int) -> list[Tick]:
    """Powers of ten between two exponents; where there are few, also 2 and 5 times them."""
    first, last = floor(low), ceil(high)
    step = ceil((last - first) / count)
    digits = (1.0,) if high - low > 2.5 else (1.0, 2.0, 5.0)
    found = [
        Tick(power + log10(digit), _format_round(digit * 10.0**power))
        for power in range(first, last + 1, step)
        for digit in digits
    ]
    return [tick for tick in found if low - 1e-9 <= tick.value <= high + 1e-9]


def _format_round(value: float) -> str:
    """A round value of a log axis."""
    return f"{value:,.0f}" if value >= 1.0 else f"{value:g}".replace("e-0", "e-")
