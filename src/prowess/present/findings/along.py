"""Estimates with their intervals along a scale or the time, with lines for what they should be."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import Any, Literal, NamedTuple

from prowess.engine.periods import date_text
from prowess.present.figures.axes import Frame, bottom_axis, left_axis, room_for
from prowess.present.figures.figure import Drawing
from prowess.present.figures.marks import box, dot, line, polyline, words
from prowess.present.figures.refusal import Undrawable
from prowess.present.figures.scales import Scale, Tick, bounds, day_ticks, ticks
from prowess.present.findings.told import Told

HEIGHT = 280.0
PIXELS, DAYS = 75.0, 62.0  # between ticks of numbers, and of dates
Rows = list[dict[str, Any]]
Kind = Literal["number", "percent", "day", "doubling"]


class Axis(NamedTuple):
    """What runs along an edge, and how it is written; doublings are as far apart as each other."""

    name: str
    kind: Kind = "number"


class Estimate(NamedTuple):
    """A dot; the interval is left out where both ends are None."""

    x: float
    y: float
    low: float | None
    high: float | None
    hint: str


class Bar(NamedTuple):
    """A bar from 0 up, between two values."""

    low: float
    high: float
    y: float
    hint: str


class Line(NamedTuple):
    """Points joined; named where the words of the figure name it."""

    points: tuple[tuple[float, float], ...]
    class_: str = "dashed"


@dataclass(frozen=True, eq=False)
class Along(Told):
    """Estimates, bars and lines over two axes; `level` is a value that is marked across."""

    across: Axis
    up: Axis
    estimates: tuple[Estimate, ...] = ()
    bars: tuple[Bar, ...] = ()
    lines: tuple[Line, ...] = ()
    level: float | None = None
    upright: tuple[float, str] | None = None  # a marked value of the axis across, and its name

    def drawn(self, width: float) -> Drawing:
        """See Figure."""
        low, high = bounds(*self._reach(), 5)
        left = ticks(low, high, 5, percent=self.up.kind == "percent")
        wide = 6.0 if self.up.kind == "percent" else 0.0  # a percent sign is
        frame = Frame(room_for(left) + wide, 30.0, width - 14.0, HEIGHT - 46.0)
        x, y = self._scale(frame), frame.y(low, high)
        marks = [
            left_axis(frame, y, left, self.up.name),
            bottom_axis(frame, x, self._ticks(frame, x), self.across.name),
        ]
        if self.level is not None:
            marks.append(line(frame.left, y(self.level), frame.right, y(self.level), "edge"))
        if self.upright is not None:
            at = x(self._placed(self.upright[0]))
            marks.append(line(at, frame.top, at, frame.bottom, "dashed"))
            marks.append(words(self.upright[1], at + 4.0, frame.top + 10.0))
        for bar in self.bars:
            start, end = x(bar.low) + 0.5, x(bar.high) - 0.5
            if bar.y > 0.0:
                marks.append(box(start, y(bar.y), end - start, y(0.0) - y(bar.y), "bin", bar.hint))
        for one in self.lines:
            points = [(x(self._placed(a)), y(b)) for a, b in one.points]
            marks.append(polyline(points, one.class_))
        for seen in self.estimates:
            at = x(self._placed(seen.x))
            if seen.low is not None and seen.high is not None:
                marks.append(line(at, y(seen.low), at, y(seen.high), "reach"))
            marks.append(dot(at, y(seen.y), 3.5, "dot", seen.hint))
        return Drawing(width, HEIGHT, "".join(marks))

    def _reach(self) -> tuple[float, float]:
        """The lowest and the highest value that is drawn."""
        values = [one.y for one in self.estimates] + [bar.y for bar in self.bars]
        values += [end for one in self.estimates for end in (one.low, one.high) if end is not None]
        values += [value for one in self.lines for _, value in one.points]
        values += [0.0] if self.bars else []
        values += [] if self.level is None else [self.level]
        return min(values), max(values)

    def _placed(self, value: float) -> float:
        """Where a value stands on the scale across."""
        return log2(value) if self.across.kind == "doubling" else value

    def _scale(self, frame: Frame) -> Scale:
        values = [self._placed(one.x) for one in self.estimates]
        values += [end for bar in self.bars for end in (bar.low, bar.high)]
        values += [] if self.upright is None else [self._placed(self.upright[0])]
        low, high = min(values), max(values)
        margin = 0.0 if self.bars else 0.03 * (high - low) or 0.5
        return frame.x(low - margin, high + margin)

    def _ticks(self, frame: Frame, x: Scale) -> list[Tick]:
        count = max(2, int((frame.right - frame.left) / PIXELS))
        if self.across.kind == "doubling":
            return [Tick(log2(one.x), f"{one.x:.3g}") for one in self.estimates]
        if self.across.kind == "day":
            return day_ticks(x.low, x.high, max(2, int((frame.right - frame.left) / DAYS)))
        return ticks(x.low, x.high, count, percent=self.across.kind == "percent")


def over_time(
    says: str, rows: Rows, value: str, heading: str, unit: str, reading: str,
    lines: tuple[Line, ...], level: float | None = None,
) -> Along:  # fmt: skip
    """Estimates by day, or by the number of the game where there are no dates."""
    if not rows:
        raise Undrawable("no part of the time has enough games")
    key = moment(rows)
    told = [
        {("date" if name == "day" else name): (date_text(cell)[:10] if name == "day" else cell)
         for name, cell in row.items()}
        for row in rows
    ]  # fmt: skip
    axis = Axis("", "day") if key == "day" else Axis("game of the table")
    seen = tuple(
        Estimate(row[key], row[value], row["low"], row["high"],
                 f"{told[k].get('date', '')} {row[value]:.4g} {unit}".strip())
        for k, row in enumerate(rows)
    )  # fmt: skip
    return Along(
        heading, says, reading, told, axis, Axis(unit), seen,
        lines=lines, level=level,
    )  # fmt: skip


def moment(rows: Rows) -> str:
    """The column that says when."""
    return "day" if rows and "day" in rows[0] else "game"


def points(rows: Rows, x: str, y: str) -> tuple[tuple[float, float], ...]:
    """Two columns as points."""
    return tuple((row[x], row[y]) for row in rows)


def estimates(rows: Rows, x: str, y: str, unit: str) -> tuple[Estimate, ...]:
    """Two columns as dots, with the intervals that stand beside them."""
    return tuple(
        Estimate(row[x], row[y], row["low"], row["high"], f"{row[x]:.4g}: {row[y]:.4g} {unit}")
        for row in rows
    )
