"""Render panels as SVG: layers in the units of the axes as marks in pixels.

Nothing is drawn outside a panel: lines are cut at its edges, bands, bars and intervals end there,
dots beyond it are left out. Coordinates are finite and rounded to a tenth of a pixel, so the same
chart gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import singledispatch
from itertools import pairwise
from math import inf, isfinite
from typing import TYPE_CHECKING

import numpy as np

from prowess.present.layers import (  # fmt: skip
    SERIES,
    Axis,
    Band,
    Bars,
    CellLayer,
    Dots,
    Label,
    Layer,
    Line,
    NameAxis,
    Panel,
    Rule,
    Scale,
    Text,
    thin_points,
)
from prowess.present.svg import (
    SIZE,
    box,
    dot,
    line,
    polyline,
    shorten_text,
    text_mark,
    text_width,
)  # fmt: skip

if TYPE_CHECKING:
    from prowess.present.layers import Values

PER_TICK = 66.0  # pixels across
UP_TICK = 44.0  # pixels upward
RIGHT = 14.0  # pixels right of a panel
BOLD = 1.12  # the width of bold letters to that of plain ones
AXIS_LABEL_GAP = 4.0  # pixels between the labels of an axis
NAMES_SHARE = 0.42  # of the width that names take at most

Point = tuple[float, float]


@dataclass(frozen=True)
class Drawing:
    """Marks as SVG text and the size in pixels that they need."""

    width: float
    height: float
    marks: str


def hollow_style(style: str) -> str:
    """The class of a hollow dot in the colour of a line."""
    return f"hollow {style.split()[1]}" if style.startswith("curve ") else "hollow"


@dataclass(frozen=True)
class Frame:
    """The rectangle of a panel's data in pixels, with the scales of both axes."""

    panel: Panel
    styles: dict[str, str]
    left: float
    top: float
    right: float
    bottom: float
    x: Scale
    y: Scale

    def point(self, x: float, y: float) -> Point:
        """Position of a point in pixels; nan where it has none."""
        return self.x(_place(self.panel.x, x)), self.y(_place(self.panel.y, y))

    def contains(self, at: Point) -> bool:
        """Whether a position lies within the panel."""
        return (
            self.left - 0.01 <= at[0] <= self.right + 0.01
            and self.top - 0.01 <= at[1] <= self.bottom + 0.01
        )

    def clamp(self, at: Point) -> Point:
        """The nearest position within the panel."""
        return min(max(at[0], self.left), self.right), min(max(at[1], self.top), self.bottom)

    def style(self, layer: Line | Dots) -> str:
        """The class of a layer: its own, or that of its name."""
        return self.styles[layer.name] if layer.style == SERIES and layer.name else layer.style


def _place(axis: Axis | NameAxis, value: float) -> float:
    return axis.place(value) if isinstance(axis, Axis) else value


def render_panel(panel: Panel, x: float, y: float, width: float, styles: dict[str, str]) -> Drawing:
    """A panel with its axes from (x, y) on; its height is that of the drawing."""
    if isinstance(panel.y, NameAxis):
        frame, axes = _named_frame(panel, panel.y, x, y, width, styles)
        below = 42.0 if isinstance(panel.x, Axis) else 4.0
    else:
        frame, axes = _plain_frame(panel, panel.y, x, y, width, styles)
        below = y + panel.height - frame.bottom
    layers = "".join(mark for layer in panel.layers for mark in render_layer(layer, frame))
    return Drawing(width, frame.bottom + below - y, axes + layers)


def _plain_frame(
    panel: Panel, up: Axis, x: float, y: float, width: float, styles: dict[str, str]
) -> tuple[Frame, str]:
    """Frame and axes of a panel with a numeric y axis."""
    assert isinstance(panel.x, Axis)
    top, bottom = y + 32.0, y + panel.height - (46.0 if panel.x.name else 30.0)
    found = up.ticks(max(3, round((bottom - top) / UP_TICK)))
    left = x + max((text_width(tick.text, SIZE) for tick in found), default=0.0) + 12.0
    right = x + width - RIGHT
    frame = _frame(panel, styles, left, top, right, bottom, Scale(
        up.place(up.low), up.place(up.high), bottom, top
    ))  # fmt: skip
    marks = [line(left, frame.y(t.value), right, frame.y(t.value), "rule") for t in found]
    marks += [text_mark(t.text, left - 6.0, frame.y(t.value) + 4.0, anchor="end") for t in found]
    if up.name:
        marks.append(text_mark(up.name, x, top - 14.0))
    if panel.heading:
        room = right - left - text_width(panel.aside, SIZE) - 8.0
        short = shorten_text(panel.heading, BOLD * SIZE, room)
        marks.append(text_mark(short, left, top - 8.0, class_="strong", full=panel.heading))
    if panel.aside:
        marks.append(text_mark(panel.aside, right, top - 8.0, anchor="end"))
    return frame, "".join(marks) + _bottom_axis(frame, panel.x)


def _named_frame(
    panel: Panel, up: NameAxis, x: float, y: float, width: float, styles: dict[str, str]
) -> tuple[Frame, str]:
    """Frame and axes of a panel with named rows."""
    labels = up.labels
    rank = max((text_width(one.rank, SIZE) for one in labels), default=0.0)
    rank += 8.0 if rank else 0.0
    widest = max((max(text_width(t, SIZE) for t in (o.text, o.beneath)) for o in labels), default=0)
    room = min(NAMES_SHARE * width, rank + widest + 4.0)
    value = max((text_width(one.value, SIZE) for one in labels), default=0.0)
    left, right = x + room + 10.0, x + width - (value + 10.0 if value else RIGHT)
    top, columns = y + 8.0, None
    if isinstance(panel.x, NameAxis):
        top, right = y + 22.0, x + width - 2.0
        count = min(len(panel.x.labels), max(2, int((right - left) / panel.x.least)))
        right = min(right, left + panel.x.size * count)
        columns, labels = panel.x.labels[:count], labels[:count]
    bottom = top + up.size * len(labels)
    frame = _frame(panel, styles, left, top, right, bottom, Scale(0.0, max(len(labels), 1), top,
                   max(bottom, top + 1.0)), len(columns or ()))  # fmt: skip
    marks = "".join(
        mark for k, one in enumerate(labels) for mark in _row(one, k, frame, x, rank, room, width)
    )
    if columns is not None:
        for k, one in enumerate(columns):
            marks += text_mark(one.text, frame.x(k + 0.5), top - 7.0, anchor="middle")
        return frame, marks
    assert isinstance(panel.x, Axis)
    return frame, _bottom_axis(frame, panel.x, grid=True) + marks


def _frame(
    panel: Panel, styles: dict[str, str], left: float, top: float, right: float, bottom: float,
    y: Scale, columns: int = 0,
) -> Frame:  # fmt: skip
    """A frame with the scale of its x axis."""
    if isinstance(panel.x, Axis):
        x = Scale(panel.x.place(panel.x.low), panel.x.place(panel.x.high), left, right)
    else:
        x = Scale(0.0, columns, left, right)
    return Frame(panel, styles, left, top, right, bottom, x, y)


def _row(
    one: Label, k: int, frame: Frame, x: float, rank: float, room: float, width: float
) -> Iterator[str]:
    """The words of a named row."""
    y = frame.y(k + 0.5)
    lift = 4.0 if one.beneath else -4.0
    if one.rank:
        yield text_mark(one.rank, x + rank - 8.0, y + 4.0, anchor="end")
    for text, at, class_ in ((one.text, y - lift, "ink"), (one.beneath, y + 12.0, None)):
        if text:
            short = shorten_text(text, SIZE, room - rank)
            yield text_mark(short, x + rank, at, class_=class_, full=text)
    if one.value:
        yield text_mark(one.value, x + width, y + 4.0, anchor="end", class_="ink")


def _bottom_axis(frame: Frame, axis: Axis, *, grid: bool = False) -> str:
    """The line below the data, its ticks, and the name of the axis; end labels move inward."""
    count = max(2, int((frame.right - frame.left) / PER_TICK))
    marks = [line(frame.left, frame.bottom, frame.right, frame.bottom, "edge")]
    last, end = 0, -inf  # the mark of the label before, and where it ends
    for tick in axis.ticks(count):
        at = frame.x(tick.value)
        if grid:
            marks.append(line(at, frame.top, at, frame.bottom, "rule"))
        marks.append(line(at, frame.bottom, at, frame.bottom + 4.0, "edge"))
        half = 0.5 * text_width(tick.text, SIZE)
        middle = min(max(at, frame.left + half - 20.0), frame.right - half + 6.0)
        if end + AXIS_LABEL_GAP > middle - half:
            marks[last] = ""  # the later one is the end of the axis, or a power of ten
        last, end = len(marks), middle + half
        marks.append(text_mark(tick.text, middle, frame.bottom + 17.0, anchor="middle"))
    if axis.name:
        marks.append(text_mark(axis.name, frame.right, frame.bottom + 34.0, anchor="end"))
    return "".join(marks)


@singledispatch
def render_layer(layer: Layer, frame: Frame) -> Iterator[str]:
    """The marks of a layer within a frame."""
    raise TypeError(f"{type(layer).__name__} is no layer of a chart")


@render_layer.register
def _(layer: Line, frame: Frame) -> Iterator[str]:
    style = frame.style(layer)
    for run in clip_line(_thin(layer.x, layer.y, frame, layer.density), frame):
        yield polyline(run, style)


@render_layer.register
def _(layer: Band, frame: Frame) -> Iterator[str]:
    ends = [
        [frame.clamp(at) for at in _thin(layer.x, values, frame, 0.5) if _is_finite(at)]
        for values in (layer.low, layer.high)
    ]
    yield polyline([*ends[1], *reversed(ends[0])], layer.style, closed=True)


@render_layer.register
def _(layer: Dots, frame: Frame) -> Iterator[str]:
    style = frame.style(layer)
    points = [frame.point(x, y) for x, y in layer.points]
    for reach, (x, y), at in zip(layer.reach, layer.points, points, strict=False):
        if reach is None:
            continue
        ends = [frame.point(e, y) if layer.across else frame.point(x, e) for e in reach]
        if all(map(_is_finite, ends)) and frame.contains(frame.clamp(at)):
            (x1, y1), (x2, y2) = map(frame.clamp, ends)
            yield line(x1, y1, x2, y2, style if layer.name else "reach")
    for k, at in enumerate(points):
        if not _is_finite(at) or not frame.contains(at):
            continue
        hint = layer.hints[k] if layer.hints else ""
        if layer.tick:  # on a ground of its own, so that it shows on a bar too
            yield box(at[0] - 2.5, at[1] - 11.0, 5.0, 22.0, "ground")
            yield box(at[0] - 1.5, at[1] - 11.0, 3.0, 22.0, style, hint)
        else:
            yield dot(*at, layer.radius, hollow_style(style) if layer.name else style, hint)


@render_layer.register
def _(layer: Bars, frame: Frame) -> Iterator[str]:
    for k, (start, end, value) in enumerate(zip(layer.start, layer.end, layer.value, strict=True)):
        ends = ((0.0, start), (value, end)) if layer.across else ((start, 0.0), (end, value))
        corners = [frame.point(*corner) for corner in ends]
        if value == 0.0 or not all(map(_is_finite, corners)):
            continue
        (x1, x2), (y1, y2) = (sorted(pair) for pair in zip(*map(frame.clamp, corners), strict=True))
        gap = 0.0 if layer.across else min(0.5, 0.1 * (x2 - x1))
        wide = max(x2 - x1 - 2.0 * gap, 1.0 if layer.across else 0.0)
        hint = layer.hints[k] if layer.hints else ""
        yield box(x1 + gap, y1, wide, y2 - y1, layer.style, hint)


@render_layer.register
def _(layer: CellLayer, frame: Frame) -> Iterator[str]:
    for one in layer.cells:
        if one.row >= frame.y.high or one.column >= frame.x.high:
            continue
        corners = [frame.point(one.column + k, one.row + k) for k in (0.0, 1.0)]
        if not all(map(_is_finite, corners)):
            continue
        (left, top), (right, bottom) = corners
        inside = left + 0.75, top + 0.75, right - left - 1.5, bottom - top - 1.5
        yield box(*inside, one.style, one.hint, one.strength)
        if one.text:
            middle = 0.5 * (left + right), 0.5 * (top + bottom) + 4.0
            yield text_mark(one.text, *middle, class_="cell")


@render_layer.register
def _(layer: Rule, frame: Frame) -> Iterator[str]:
    if layer.along == "y":
        at = frame.y(_place(frame.panel.y, layer.value))
        if isfinite(at) and frame.top <= at <= frame.bottom:
            yield line(frame.left, at, frame.right, at, layer.style)
        return
    at = frame.x(_place(frame.panel.x, layer.value))
    if not isfinite(at) or not frame.left <= at <= frame.right:
        return
    yield line(at, frame.top, at, frame.bottom, layer.style)
    if layer.label:
        ends = at + 6.0 + text_width(layer.label, SIZE) > frame.right
        place, anchor = (at - 6.0, "end") if ends else (at + 6.0, None)
        yield text_mark(layer.label, place, frame.top + 12.0, anchor=anchor)


@render_layer.register
def _(layer: Text, frame: Frame) -> Iterator[str]:
    at = frame.point(layer.x, layer.y)
    if _is_finite(at) and frame.contains(at):
        yield text_mark(layer.text, at[0], at[1] + 12.0, anchor=layer.anchor)


def _thin(xs: Values, ys: Values, frame: Frame, density: float) -> list[Point]:
    """Positions in pixels of as many points as are distinct at this size."""
    columns = max(1, int((frame.right - frame.left) * density))
    if len(xs) > 4 * columns:
        x, y = np.asarray(xs, dtype=np.float64), np.asarray(ys, dtype=np.float64)
        if np.isfinite(x).all() and np.isfinite(y).all():
            keep = thin_points(x, y, columns)
            xs, ys = x[keep].tolist(), y[keep].tolist()
    return [frame.point(float(x), float(y)) for x, y in zip(xs, ys, strict=True)]


def _is_finite(at: Point) -> bool:
    return isfinite(at[0]) and isfinite(at[1])


def clip_line(points: Sequence[Point], frame: Frame) -> Iterator[list[Point]]:
    """The parts of a line within a frame, ended where it crosses an edge; nan interrupts it.

    Each piece is cut by the algorithm of Y.-D. Liang and B. A. Barsky, "A new concept and method
    for line clipping", ACM Transactions on Graphics 3 (1984).
    """
    run: list[Point] = []
    for one, other in pairwise(points):
        piece = _clip_piece(one, other, frame) if _is_finite(one) and _is_finite(other) else None
        if piece is None or (run and run[-1] != piece[0]):
            if run:
                yield run
            run = []
        if piece is not None:
            run += [piece[1]] if run else piece
    if run:
        yield run


def _clip_piece(one: Point, other: Point, frame: Frame) -> tuple[Point, Point] | None:
    """The part of a straight line within a frame, None where there is none."""
    if frame.contains(one) and frame.contains(other):
        return one, other
    (x, y), dx, dy = one, other[0] - one[0], other[1] - one[1]
    first, last = 0.0, 1.0
    for towards, room in (
        (-dx, x - frame.left), (dx, frame.right - x), (-dy, y - frame.top), (dy, frame.bottom - y)
    ):  # fmt: skip
        if towards == 0.0:
            if room < 0.0:
                return None
        elif towards < 0.0:
            first = max(first, room / towards)
        else:
            last = min(last, room / towards)
    if first >= last:
        return None
    return (
        one if first == 0.0 else (x + first * dx, y + first * dy),
        other if last == 1.0 else (x + last * dx, y + last * dy),
    )
