"""Places and what decides contests without places, as tables write them: 3, 3rd, T3, DNF, 1:02.5.

A word such as DNF stands for a place that a player did not get. What becomes of the row is for the
caller to say: `last` puts all such players of a contest together behind the others, `skip` leaves
them out. Who did not start is left out in both cases.
"""

from __future__ import annotations

import re
from math import inf
from typing import Any

from prowess.games.numbers import NUMBER, decimal, number
from prowess.games.outcomes import plain
from prowess.games.refusal import SKIP, BadData, Refusal, quoted

LAST, OUT = inf, -inf  # the place of a row that shares the last place, or is left out
NOT_STARTED = frozenset({"dns", "dnq", "dnpq", "dnp", "didnotstart", "notstarted"})
NOT_PLACED = frozenset({
    "dnf", "dsq", "dq", "disq", "disqualified", "ret", "retired", "nc", "ex", "exc", "otl", "hd",
    "didnotfinish", "abd", "wd", "withdrawn", "unplaced",
})  # fmt: skip
UNPLACED = ("last", "skip")
ORDINAL = re.compile(
    r"[T=]?\s*([0-9]+)\s*(?:st|nd|rd|th|er|e|ème|º|ª|°|\.)?\s*[T=]?", re.IGNORECASE
)
DURATION = re.compile(r"(?:([0-9]+):(?=[0-9]{2}:))?([0-9]+):([0-5][0-9](?:[.,][0-9]+)?)")
FROM_ONE = Refusal("places begin with 1", f"add 1 to places that begin with 0, or {SKIP}")


def checked_unplaced(chosen: str | None) -> str | None:
    """What the caller says of rows without a place; raises BadData."""
    if chosen is not None and chosen not in UNPLACED:
        raise BadData(f'unplaced is "last" or "skip", not {quoted(chosen)}')
    return chosen


class Places:
    """What the cells of a column of places mean, and of one of points."""

    def __init__(self, unplaced: str | None) -> None:
        self.unplaced = unplaced

    def place(self, value: Any) -> float:
        """A place from 1 on, LAST or OUT."""
        if isinstance(value, str):
            if (without := self._without(value)) is not None:
                return without
            if not NUMBER.fullmatch(value.strip()) and (found := ORDINAL.fullmatch(value.strip())):
                value = found[1]
        parsed = number(value)
        if parsed < 1.0:
            raise FROM_ONE
        return parsed

    def points(self, value: Any) -> float:
        """Points, LAST or OUT."""
        without = self._without(value) if isinstance(value, str) else None
        return decimal(value) if without is None else without

    def amount(self, value: Any) -> float:
        """Points, or a time in seconds, LAST or OUT."""
        if isinstance(value, str) and (found := DURATION.fullmatch(value.strip())):
            hours, minutes, seconds = found[1] or "0", found[2], found[3].replace(",", ".")
            return 3600.0 * int(hours) + 60.0 * int(minutes) + float(seconds)
        return self.points(value)

    def _without(self, value: str) -> float | None:
        """LAST or OUT where a word stands for no place."""
        word = plain(value).replace(".", "")
        if word not in NOT_PLACED and word not in NOT_STARTED:
            return None
        if self.unplaced is None:
            raise Refusal(
                f"{quoted(value)} is no place",
                'say unplaced="last" (all of these share the last place) or unplaced="skip" '
                "(--unplaced last, --unplaced skip)",
            )
        return OUT if self.unplaced == "skip" or word in NOT_STARTED else LAST
