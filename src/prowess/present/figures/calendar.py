"""How many games were played when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from prowess.games.games import Games
from prowess.present.figures.axes import Frame, bottom_axis, left_axis, room_for
from prowess.present.figures.figure import Drawing, Figure
from prowess.present.figures.marks import box
from prowess.present.figures.refusal import Undrawable
from prowess.present.figures.scales import EPOCH, YEAR, day_ticks, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

HEIGHT = 190.0
MONTHLY, DAILY = 3.0 * YEAR, 60.0  # days: shorter tables are counted by month, by day


@dataclass(frozen=True, eq=False)
class Activity(Figure):
    """Games a year, month or day: `starts` are days since 1970, [bars + 1], `games` [bars]."""

    unit: Literal["year", "month", "day"]
    what: str  # games, contests
    starts: NDArray[np.float64]
    games: NDArray[np.int64]

    @property
    def title(self) -> str:
        """See Figure."""
        return f"{self.what.capitalize()} a {self.unit}"

    @property
    def description(self) -> str:
        """See Figure."""
        most = int(self.games.argmax())
        none = int((self.games == 0).sum())
        pauses = f"; none at all in {none:,} of {len(self.games):,} {self.unit}s" if none else ""
        return (
            f"From {self._named(0)} to {self._named(-1)}; most in {self._named(most)}, "
            f"{self.games[most]:,}{pauses}. The first and the last {self.unit} may be incomplete."
        )

    def _named(self, k: int) -> str:
        day = date.fromordinal(EPOCH + int(self.starts[:-1][k])).isoformat()
        return day[: {"year": 4, "month": 7, "day": 10}[self.unit]]

    @property
    def data(self) -> list[dict[str, Any]]:
        """See Figure."""
        return [
            {self.unit: self._named(k), self.what: count}
            for k, count in enumerate(self.games.tolist())
        ]

    def drawn(self, width: float) -> Drawing:
        """See Figure."""
        up = whole(int(self.games.max()), 3)
        frame = Frame(room_for(up), 30.0, width - 10.0, HEIGHT - 28.0)
        x, y = frame.x(float(self.starts[0]), float(self.starts[-1])), frame.y(0.0, up[-1].value)
        along = day_ticks(x.low, x.high, max(2, int((frame.right - frame.left) / 75.0)))
        bars = []
        for k, count in enumerate(self.games.tolist()):
            left, right = x(float(self.starts[k])), x(float(self.starts[k + 1]))
            gap = min(1.0, 0.2 * (right - left))
            hint = f"{self._named(k)}: {count:,} {self.what}"
            if count:
                wide, tall = right - left - gap, frame.bottom - y(count)
                bars.append(box(left, y(count), wide, tall, "bar", hint))
        marks = [left_axis(frame, y, up, self.title.lower()), *bars, bottom_axis(frame, x, along)]
        return Drawing(width, HEIGHT, "".join(marks))


def activity(table: Games) -> Activity:
    """Games (contests) by year, of short tables by month or day; Undrawable without dates."""
    if table.time is None or not len(table.time):
        raise Undrawable("this table has no dates: when its games were played is not known")
    days = np.floor(table.time).astype("datetime64[D]")
    extent = float(table.time[-1] - table.time[0])
    unit: Literal["year", "month", "day"] = (
        "year" if extent > MONTHLY else "month" if extent > DAILY else "day"
    )
    number = days.astype(f"datetime64[{unit[0].upper()}]").astype(np.int64)
    games = np.bincount(number - number[0])
    starts = np.arange(number[0], number[0] + len(games) + 1)
    firsts = starts.astype(f"datetime64[{unit[0].upper()}]").astype("datetime64[D]")
    return Activity(unit, f"{table.unit}s", firsts.astype(np.int64).astype(np.float64), games)
