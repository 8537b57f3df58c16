"""Linear scales from values to pixels, and the ticks of axes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from math import ceil, floor, log10
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.numeric import round_step
from prowess.games.dates import format_day

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


EPOCH = date(1970, 1, 1).toordinal()
YEAR = 365.2425  # days
MONTH = YEAR / 12.0
YEARS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500)
MONTHS = (1, 2, 3, 6)
DAYS = (1, 2, 7, 14)


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
    """Beginnings of years, months or days between two days since 1970, at most about `count`."""
    extent = high - low
    if extent >= 2.0 * YEAR or extent / MONTH > 6 * count:
        by = next((k for k in YEARS if extent / YEAR / k <= count), YEARS[-1])
        first, last = _date(low).year // by, _date(high).year // by + 1
        dates = [(date(k * by, 1, 1), f"{k * by}") for k in range(first, last + 1) if k * by >= 1]
    elif extent >= 2.0 * MONTH:
        by = next((k for k in MONTHS if extent / MONTH / k <= count), MONTHS[-1])
        first, last = (12 * _date(day).year + _date(day).month - 1 for day in (low, high))
        months = [divmod(k * by, 12) for k in range(first // by, last // by + 2)]
        dates = [(date(y, m + 1, 1), f"{y}-{m + 1:02d}") for y, m in months]
    else:
        by = next((k for k in DAYS if extent / k <= count), DAYS[-1])
        days = [k * by for k in range(floor(low / by), floor(high / by) + 2)]
        dates = [(_date(day), format_day(day)) for day in days]
    found = [Tick(float(day.toordinal() - EPOCH), text) for day, text in dates]
    return [tick for tick in found if low <= tick.value <= high]


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
        return np.arange(len(x))
    extent = float(x[-1] - x[0])
    place = (x - x[0]) * (columns / extent) if extent > 0.0 else np.zeros(len(x))
    column = np.minimum(place.astype(np.int64), columns - 1)
    first = np.flatnonzero(np.append(True, column[1:] != column[:-1]))
    last = np.append(first[1:], len(x)) - 1
    by_value = np.lexsort((y, column))  # columns stay in order, so runs begin at the same places
    return np.unique(np.concatenate((first, last, by_value[first], by_value[last])))
