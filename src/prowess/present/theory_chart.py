"""A chart of curves: panels with named axes, straight or logarithmic, and one key for all.

Lines that have one name share colour and dashes in all panels, so nothing depends on colour alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, inf, isfinite, log10
from typing import Any

from prowess.present.figures.axes import Frame, bottom_axis, left_axis, room_for
from prowess.present.figures.figure import Drawing, Figure
from prowess.present.figures.marks import box, breadth, dot, element, line, polyline, words
from prowess.present.figures.scales import Scale, Tick, ticks
from prowess.present.figures.theme import SIZE

HEIGHT = 300.0  # of a panel
NARROWEST = 300.0  # of panels that stand side by side
GAP = 24.0
SAMPLE = 26.0  # the line in the key
COLOURS = ("curve", "curve second", "curve third")
DASHES = ("", " dash", " dots")

Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """What is measured, from where to where; `percent` writes 0.5 as 50%."""

    name: str
    low: float
    high: float
    log: bool = False
    percent: bool = False

    def place(self, value: float) -> float:
        """Where a value stands: the value or its logarithm, nan where it has none."""
        if not self.log:
            return value
        return log10(value) if 0.0 < value < inf else float("nan")

    def ticks(self, count: int) -> list[Tick]:
        """The values that are written, at their places."""
        low, high = self.place(self.low), self.place(self.high)
        if not self.log:
            return ticks(low, high, count, self.percent)
        first, last = floor(low), ceil(high)
        by = ceil((last - first) / count)
        within = (1.0,) if high - low > 2.5 else (1.0, 2.0, 5.0)
        found = [(k, m) for k in range(first, last + 1, by) for m in within]
        marks = [Tick(k + log10(m), self.written(m, k)) for k, m in found]
        return [tick for tick in marks if low - 1e-9 <= tick.value <= high + 1e-9]

    def written(self, digit: float, power: int) -> str:
        """A round value of a logarithmic axis."""
        value = digit * 10.0**power
        if self.percent and value >= 1e-5:
            return f"{100.0 * value:g}%"
        return f"{value:,.0f}" if value >= 1.0 else f"{value:g}".replace("e-0", "e-")


@dataclass(frozen=True)
class Line:
    """A curve through points (x, y) in the units of the axes; `dots` marks the points alone."""

    name: str
    points: tuple[Point, ...]
    dots: bool = False
    reach: tuple[Point, ...] = ()  # (low, high) of each point: its interval


@dataclass(frozen=True)
class Panel:
    """Curves on one pair of axes; bars are (from, to, value)."""

    x: Axis
    y: Axis
    lines: tuple[Line, ...]
    bars: tuple[tuple[float, float, float], ...] = ()
    upright: tuple[float, str] | None = None  # a value of x that is marked, and its name


@dataclass(frozen=True)
class Chart(Figure):
    """Panels side by side, below one another where that is too narrow."""

    name: str
    says: str
    panels: tuple[Panel, ...]

    @property
    def title(self) -> str:
        """See Figure."""
        return self.name

    @property
    def description(self) -> str:
        """See Figure."""
        return self.says

    @property
    def data(self) -> list[dict[str, Any]]:
        """See Figure."""
        return [
            {"panel": number, "line": one.name, panel.x.name: x, panel.y.name: y}
            for number, panel in enumerate(self.panels)
            for one in panel.lines
            for x, y in one.points
        ] + [
            {"panel": number, "low": low, "high": high, panel.y.name: value}
            for number, panel in enumerate(self.panels)
            for low, high, value in panel.bars
        ]

    def drawn(self, width: float) -> Drawing:
        """See Figure."""
        lines = [one for panel in self.panels for one in panel.lines]
        names = dict.fromkeys(one.name for one in lines)
        kinds = {
            name: COLOURS[k % 3] + DASHES[k // 3 % 3] for k, name in enumerate(names)
        }  # of nine lines no two look alike
        marks, top = key(kinds, lines, width)
        count = len(self.panels)
        columns = count if width >= NARROWEST * count else 1
        wide = (width - GAP * (columns - 1)) / columns
        for k, panel in enumerate(self.panels):
            at = ((wide + GAP) * (k % columns), top + HEIGHT * (k // columns))
            move = f"translate({at[0]:.1f} {at[1]:.1f})"
            marks += element("g", panel_marks(panel, kinds, wide), transform=move)
        return Drawing(width, top + HEIGHT * ceil(count / columns), marks)


def key(kinds: dict[str, str], lines: Sequence[Line], width: float) -> tuple[str, float]:
    """Which line is which, in as many rows as needed, and the height of that."""
    x, y, marks = 0.0, 16.0, ""
    shown = {(one.name, one.dots) for one in lines}
    for name, kind in kinds.items():
        needed = SAMPLE + 6.0 + breadth(name, SIZE)
        if x and x + needed > width:
            x, y = 0.0, y + 20.0
        if (name, False) in shown:
            marks += line(x, y - 4.0, x + SAMPLE, y - 4.0, kind)
        if (name, True) in shown:
            marks += dot(x + 0.5 * SAMPLE, y - 4.0, 3.5, hollow(kind))
        marks += words(name, x + SAMPLE + 6.0, y, class_="ink")
        x += needed + 10.0
    return marks, y + 14.0


def panel_marks(panel: Panel, kinds: dict[str, str], width: float) -> str:
    """A panel from (0, 0) on."""
    up = panel.y.ticks(5)
    frame = Frame(room_for(up) + 6.0, 34.0, width - 12.0, HEIGHT - 48.0)
    x = frame.x(panel.x.place(panel.x.low), panel.x.place(panel.x.high))
    y = frame.y(panel.y.place(panel.y.low), panel.y.place(panel.y.high))
    along = panel.x.ticks(max(2, int((frame.right - frame.left) / 62.0)))
    marks = [left_axis(frame, y, up, panel.y.name)]
    for low, high, value in panel.bars:
        left, right, over = x(low) + 0.5, x(high) - 0.5, y(value)
        hint = f"{low:g} to {high:g}: {value:g}"
        marks.append(box(left, over, right - left, frame.bottom - over, "bar", hint))
    marks.append(bottom_axis(frame, x, along, panel.x.name))
    if panel.upright is not None:
        value, name = panel.upright
        at = x(panel.x.place(value))
        end = at + 6.0 + breadth(name, SIZE) > frame.right
        marks.append(line(at, frame.top, at, frame.bottom, "dashed"))
        anchor = "end" if end else None
        marks.append(words(name, at + (-6.0 if end else 6.0), frame.top + 12.0, anchor=anchor))
    for one in panel.lines:
        marks.extend(line_marks(one, panel, x, y, kinds[one.name]))
    return "".join(marks)


def line_marks(one: Line, panel: Panel, x: Scale, y: Scale, kind: str) -> Iterator[str]:
    """A curve, cut where it leaves the panel, or dots with their intervals."""
    points = [(panel.x.place(a), panel.y.place(b)) for a, b in one.points]
    if not one.dots:
        for run in runs(points, y.low, y.high):
            yield polyline([(x(a), y(b)) for a, b in run], kind)
        return
    for (low, high), (a, _) in zip(one.reach, points, strict=False):
        ends = panel.y.place(low), panel.y.place(high)
        yield line(x(a), y.held(ends[0]), x(a), y.held(ends[1]), kind)
    for (a, b), (at, value) in zip(points, one.points, strict=True):
        if y.low <= b <= y.high:
            yield dot(x(a), y(b), 3.5, hollow(kind), f"{one.name}: {value:.4g} at {at:.4g}")


def hollow(kind: str) -> str:
    """The class of a dot in the colour of a line."""
    return f"hollow {kind.split()[1]}" if kind.startswith("curve ") else "hollow"


def runs(points: Sequence[Point], low: float, high: float) -> Iterator[list[Point]]:
    """The parts of a line that lie between two heights, ended where it crosses them."""
    run: list[Point] = []
    for one, other in pairwise(points):
        apart = max(one[1], other[1]) < low or min(one[1], other[1]) > high
        if apart or not all(map(isfinite, (*one, *other))):
            if run:
                yield run
            run = []
            continue
        begin, end = held(one, other, low, high), held(other, one, low, high)
        if run and run[-1] != begin:
            yield run
            run = []
        run += [end] if run else [begin, end]
    if run:
        yield run


def held(one: Point, other: Point, low: float, high: float) -> Point:
    """A point, or where the way to the other comes in between two heights."""
    height = min(max(one[1], low), high)
    if height == one[1]:
        return one
    part = (height - one[1]) / (other[1] - one[1])
    return one[0] + part * (other[0] - one[0]), height
