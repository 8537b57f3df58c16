"""Rating periods: spans of time such as 7d, 2w, 1mo, 1y, and which of them a day falls in.

Weeks start on Monday, months and years on their first day, all in UTC; a span of n weeks or
months is counted from the first week or month of 1970, so that a table cut short at either end
gives the same periods.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.arguments import brief

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNITS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "mo": 30.436875, "y": 365.2425}  # mean Gregorian days
WORDS = {"h": "hour", "d": "day", "w": "week", "mo": "month", "y": "year"}
MONDAY = 4.0  # 1970-01-05, in days since 1970-01-01


class BadPeriod(ValueError):
    """A span of time that cannot be read."""


@dataclass(frozen=True)
class Period:
    """A span of time: a count of hours, days, weeks, months or years."""

    count: int
    unit: str

    @property
    def days(self) -> float:
        """Its mean length in days."""
        return self.count * UNITS[self.unit]

    def number(self, time: NDArray[np.float64]) -> NDArray[np.int64]:
        """For each time in days since 1970 the number of the period it falls in."""
        if self.unit in ("mo", "y"):
            months = 12 if self.unit == "y" else 1
            day = np.floor(time).astype("datetime64[D]")
            month = day.astype("datetime64[M]").astype(np.int64)
            number: Any = month // (months * self.count)
        else:
            origin = MONDAY if self.days % 7 == 0 else 0.0
            number = np.floor((time - origin) / self.days).astype(np.int64)
        return number  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return f"{self.count}{self.unit}"

    @property
    def words(self) -> str:
        """As a person says it: `30 days`, `1 month`."""
        return f"{self.count} {WORDS[self.unit]}{'' if self.count == 1 else 's'}"


def period_of(text: str) -> Period:
    """Read `7d`, `12h`, `2w`, `1mo`, `1y`; raises BadPeriod for anything else."""
    if not isinstance(text, str):
        raise BadPeriod(f"give a period as text such as 7d, 1mo or round, not {brief(text)}")
    match = re.fullmatch(r"\s*(\d+)\s*(h|d|w|mo|y)\s*", text)
    if not match or int(match[1]) == 0:
        raise BadPeriod(
            f"period {brief(text)}: give a count and a unit, such as 7d, 2w, 1mo, 1y or 12h"
        )
    return Period(int(match[1]), match[2])
