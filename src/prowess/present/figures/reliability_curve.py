"""Does 70 % mean 70 %? Forecasts against what happened, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from prowess.present.figures.axes import Frame, bottom_axis, left_axis, room_for
from prowess.present.figures.figure import Drawing, Figure
from prowess.present.figures.marks import dot, isolated, line, words
from prowess.present.figures.refusal import Undrawable
from prowess.present.figures.scales import bounds, ticks
from prowess.study.backtest import Backtest
from prowess.study.calibration import BINS, Calibration, calibration


@dataclass(frozen=True, eq=False)
class Reliability(Figure):
    """A calibration with the probability of its intervals."""

    calibration: Calibration
    level: float

    @property
    def title(self) -> str:
        """See Figure."""
        return f"Calibration of {isolated(self.calibration.name)}"

    @property
    def description(self) -> str:
        """See Figure."""
        one = self.calibration
        off = [row for row in one.rows() if not row["low"] <= row["forecast"] <= row["high"]]
        return (
            f"Each dot is about {int(one.games.mean()):,} forecasts: what was expected of the "
            f"favourite, and what he scored, with its {self.level:.0%} interval. On the diagonal "
            f"forecasts mean what they say; {len(off)} of {len(one.games)} intervals miss it. Mean "
            f"distance {one.error:.2%}, of which chance alone would make {one.by_chance:.2%}."
        )

    @property
    def data(self) -> list[dict[str, Any]]:
        """See Figure."""
        return list(self.calibration.rows())

    def drawn(self, width: float) -> Drawing:
        """See Figure."""
        rows = self.calibration.rows()
        low = min(0.5, *(min(row["forecast"], row["low"]) for row in rows))
        high = max(row[name] for row in rows for name in ("forecast", "high"))
        low, high = (min(1.0, max(0.0, end)) for end in bounds(low, max(high, low + 0.1), 5))
        across = ticks(low, high, 5, percent=True)
        left = room_for(across)
        size = min(width - left - 14.0, 380.0)
        frame = Frame(left, 30.0, left + size, 30.0 + 0.78 * size)
        x, y = frame.x(low, high), frame.y(low, high)
        marks = [
            left_axis(frame, y, across, "score of the favourite"),
            bottom_axis(frame, x, across, "expected score of the favourite"),
            line(x(low), y(low), x(high), y(high), "dashed"),
        ]
        if width > left + size + 120.0:
            beside = frame.right + 10.0
            marks.append(words("dashed: forecasts that", beside, y(high) + 4.0))
            marks.append(words("mean what they say", beside, y(high) + 20.0))
        for row in rows:
            at = x(row["forecast"])
            marks.append(line(at, y(row["low"]), at, y(row["high"]), "reach"))
            hint = (
                f"expected {row['forecast']:.1%}, scored {row['score']:.1%}, {row['games']:,} games"
            )
            marks.append(dot(at, y(row["score"]), 3.0, "dot", hint))
        return Drawing(width, frame.bottom + 42.0, "".join(marks))


def reliability(test: Backtest, *, bins: int = BINS, level: float = 0.95) -> Reliability:
    """The calibration of a backtest; raises Undrawable where too few games are judged."""
    try:
        return Reliability(calibration(test, bins, level), level)
    except ValueError as error:
        raise Undrawable(str(error)) from None
