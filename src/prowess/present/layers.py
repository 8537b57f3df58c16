"""Layers and axes of charts as plain values, in the units of the axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import ceil, floor, inf, log10, nan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.numeric import round_step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = Sequence[float] | NDArray[Any]


Kind = Literal["number", "percent", "count", "day", "log"]
MONTH_NAMES = ("January", "February", "March", "April", "May", "June", "July", "August",
               "September", "October", "November", "December")  # fmt: skip
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


# Linear scales from values to pixels, and the ticks of axes.


EPOCH = date(1970, 1, 1).toordinal()
YEAR_DAYS = 365.2425
MONTH_DAYS = YEAR_DAYS / 12.0
YEAR_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500)
MONTH_STEPS = (1, 2, 3, 6)
DAY_STEPS = (1, 2, 7, 14)


@dataclass(frozen=True)
class Scale:
    """A straight line from values to pixels: `low` stands at `start`, `high` at `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The pixel of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


@dataclass(frozen=True)
class Tick:
    """A value that is marked, and how it is written."""

    value: float
    text: str


def bounds(low: float, high: float, count: int = 5) -> tuple[float, float]:
    """Round numbers around an extent; one of no width is widened."""
    if not high > low:
        reach = max(abs(low) * 0.05, 1e-3) if low else 1.0
        low, high = low - reach, high + reach
    by = round_step(high - low, count)
    return floor(low / by + 1e-9) * by, ceil(high / by - 1e-9) * by


def count_ticks(top: int, count: int = 4) -> list[Tick]:
    """Round whole numbers from 0 to just above a count."""
    by = max(1, round(round_step(max(top, 1), count)))
    return [Tick(float(k), f"{k:,}") for k in range(0, top + by, by)]


def ticks(low: float, high: float, count: int = 5, percent: bool = False) -> list[Tick]:
    """Round values within an extent, written with as many decimals as tell them apart."""
    by = round_step(high - low, count)
    places = max(0, -floor(log10(by * (100.0 if percent else 1.0)) + 1e-9))
    first, last = ceil(low / by - 1e-9), floor(high / by + 1e-9)
    values = [k * by for k in range(first, last + 1)]
    if percent:
        return [Tick(v, f"{v * 100:.{places}f}%") for v in values]
    mark = "," if max(abs(low), abs(high)) >= 10_000.0 else ""
    return [Tick(v, f"{v:{mark}.{places}f}") for v in values]


def day_ticks(low: float, high: float, count: int) -> list[Tick]:
    """Beginnings of years, months or days between two days since 1970, at most about `count`.

    The first has its year, and so has a January: May 2025, Sep, Jan 2026.
    """
    extent = high - low
    if extent >= 2.0 * YEAR_DAYS or extent / MONTH_DAYS > 6 * count:
        by = next((k for k in YEAR_STEPS if extent / YEAR_DAYS / k <= count), YEAR_STEPS[-1])
        first, last = _date(low).year // by, _date(high).year // by + 1
        dates = [(date(k * by, 1, 1), f"{k * by}") for k in range(first, last + 1) if k * by >= 1]
    elif extent >= 2.0 * MONTH_DAYS:
        by = next((k for k in MONTH_STEPS if extent / MONTH_DAYS / k <= count), MONTH_STEPS[-1])
        first, last = (12 * _date(day).year + _date(day).month - 1 for day in (low, high))
        months = [divmod(k * by, 12) for k in range(first // by, last // by + 2)]
        dates = [(date(y, m + 1, 1), MONTH_NAMES[m][:3]) for y, m in months]
    else:
        by = next((k for k in DAY_STEPS if extent / k <= count), DAY_STEPS[-1])
        days = [k * by for k in range(floor(low / by), floor(high / by) + 2)]
        dates = [(day, f"{day.day} {MONTH_NAMES[day.month - 1][:3]}") for day in map(_date, days)]
    found, year = list[Tick](), None
    for day, text in dates:
        value = float(day.toordinal() - EPOCH)
        if low <= value <= high:
            whole = text if text.isdecimal() or day.year == year else f"{text} {day.year}"
            found.append(Tick(value, whole))
            year = day.year
    return found


def count_decimals(values: Floats) -> int:
    """How many decimals tell values apart: none of hundreds, up to four of fractions."""
    finite = values[np.isfinite(values)]
    extent = float(np.ptp(finite)) if len(finite) else 0.0
    return min(4, max(0, 2 - floor(log10(extent)))) if extent > 0.0 else 1


def _date(day: float) -> date:
    return date.fromordinal(EPOCH + floor(day))


# Fewer points with the same picture: per column of pixels the first, last, lowest and highest.
#
# U. Jugel, Z. Jerzak, G. Hackenbroich and V. Markl, "M4: A visualization-oriented time series data
# aggregation", Proceedings of the VLDB Endowment 7 (2014): a line through these points covers the
# same pixels as the line through all, so no peak is lost.


def thin_points(x: Floats, y: Floats, columns: int) -> NDArray[np.int64]:
    """Which points to keep, ascending; `x` ascends and is cut into so many equal columns."""
    if len(x) <= 4 * columns:
        return np.arange(len(x), dtype=np.int64)
    extent = float(x[-1] - x[0])
    place = (x - x[0]) * (columns / extent) if extent > 0.0 else np.zeros(len(x))
    column = np.minimum(place.astype(np.int64), columns - 1)
    first = np.flatnonzero(np.append(True, column[1:] != column[:-1]))
    last = np.append(first[1:], len(x)) - 1
    by_value = np.lexsort((y, column))  # columns stay in order, so runs begin at the same places
    return np.unique(np.concatenate((first, last, by_value[first], by_value[last])))
