"""Charts: panels of layers on two axes, with a title, a description and numbers.

    from prowess.present.figures import histories

    chart = histories(ratings, ["Ada", "Ben"])
    chart.data, chart.to_svg(), chart.to_png()

A chart is a plain value. It is drawn when asked for, by one engine at any width.
Layers of one `name` share colour and dashes in all panels and have one entry in the legend.
Other programs draw it as well: `prowess.plot.history(r, ax=ax)` on axes of matplotlib.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from itertools import pairwise
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.tabular import Columns, Tabular
from prowess.games.arguments import BadArgument
from prowess.games.whole_files import replace_file
from prowess.present.layers import (
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
    SUBTITLE,
    TITLE,
    Theme,
    Undrawable,
    box,
    dot,
    element,
    escape_text,
    fit_sentences,
    line,
    paper,
    polyline,
    render_png,
    shorten_text,
    style_sheet,
    text_mark,
    text_width,
    wrap_text,
)  # fmt: skip

if TYPE_CHECKING:
    from prowess.present.layers import Values

Rows = list[dict[str, Any]]
WIDTH_PX = 720.0  # of a screen; a phone takes about 340
MARGIN = 24.0  # pixels around a chart in a file
PANEL_GAP = 24.0  # pixels
LEGEND_LINE = 26.0  # pixels
CURVE_CLASSES = ("curve", "curve second", "curve third")
DASH_CLASSES = ("", " dash", " dots")


@dataclass(frozen=True, eq=False, repr=False)
class Chart(Tabular):
    """Panels side by side, or below one another where the chart is narrow.

    `says` is what there is to see, `reading` how to read it; both make the `description`. In files
    `subtitle` stands below the title in place of `says`, and `source` names source and licence of
    the data.
    """

    title: str
    says: str
    panels: tuple[Panel, ...]
    numbers: Rows | Callable[[], Rows] = field(default_factory=list)
    reading: str = ""
    caption: str = ""  # above all panels, such as the name of their common axis
    least: float = 300.0  # pixels of a panel beside another
    widest: float = inf  # pixels of a panel
    source: str = ""
    subtitle: str = ""

    @property
    def description(self) -> str:
        """A text alternative: what the chart shows and how to read it."""
        return f"{self.says} {self.reading}".strip()

    @property
    def data(self) -> Rows:
        """The numbers behind the chart at full precision, one dict a mark."""
        return self.numbers() if callable(self.numbers) else self.numbers

    def layout(self, width: float = WIDTH_PX) -> Drawing:
        """All marks at a width in pixels: caption, legend, and the panels in columns that fit."""
        styles = series_styles(self)
        marks, top = render_legend(self, styles, width)
        if self.caption:
            marks += text_mark(self.caption, 0.0, top + 14.0)
            top += 28.0
        columns = max(1, min(len(self.panels), 2, int(width / self.least)))
        wide = min((width - PANEL_GAP * (columns - 1)) / columns, self.widest)
        for first in range(0, len(self.panels), columns):
            row = [
                render_panel(panel, (wide + PANEL_GAP) * k, top, wide, styles)
                for k, panel in enumerate(self.panels[first : first + columns])
            ]
            marks += "".join(one.marks for one in row)
            top += max(one.height for one in row)
        return Drawing(width, top, marks)

    def sheet(self, width: float = WIDTH_PX) -> Drawing:
        """The drawing with title, subtitle, source and margins, of this width in all."""
        margin = MARGIN if width >= 480.0 else MARGIN / 2.0
        room, y, marks = width - 2.0 * margin, margin, ""
        for lines, size, class_ in (
            (wrap_text(self.title, TITLE, room, 2), TITLE, "title"),
            (fit_sentences(self.subtitle or self.says, SUBTITLE, room, 3), SUBTITLE, "subtitle"),
        ):
            for one in lines:
                y += 1.35 * size
                marks += text_mark(one, margin, y - 0.3 * size, class_=class_)
            y += 6.0
        drawing = self.layout(room)
        marks += element("g", drawing.marks, transform=f"translate({margin:g} {y:g})")
        y += drawing.height
        if self.source:
            y += 1.8 * SIZE
            source = shorten_text(f"Data: {self.source}", SIZE, room)
            marks += text_mark(source, margin, y - 0.3 * SIZE)
        return Drawing(width, y + margin, marks)

    def picture(self, width: float = WIDTH_PX, class_: str = "figure") -> str:
        """SVG for a page that has the style sheet and shows the description beside it."""
        drawing = self.layout(width)
        return element(
            "svg", drawing.marks, class_=class_, role="img", aria_label=self.title,
            viewBox=f"0 0 {drawing.width:g} {drawing.height:g}",
            width=drawing.width, height=drawing.height,
        )  # fmt: skip

    def to_svg(self, width: float = WIDTH_PX, theme: Theme = "both") -> str:
        """The chart as an SVG file; `both` follows light or dark of the reader's device.

        The title, what there is to see and the source stand around the drawing.
        """
        drawing = self.sheet(width)
        ground = element("rect", width="100%", height="100%", fill=paper("light"), class_="ground")
        return element(
            "svg",
            element("title", escape_text(self.title)),
            element("desc", escape_text(self.description)),
            f"<style>{style_sheet(theme)}.figure .ground{{fill:{paper(theme)}}}</style>",
            ground,
            drawing.marks,
            xmlns="http://www.w3.org/2000/svg", class_="figure", role="img",
            aria_label=f"{self.title}. {self.description}",
            viewBox=f"0 0 {drawing.width:g} {drawing.height:g}",
            width=drawing.width, height=drawing.height,
        )  # fmt: skip

    def to_png(self, width: float = WIDTH_PX, scale: float = 2.0, theme: Theme = "light") -> bytes:
        """The chart as a PNG image of `scale` dots a pixel; needs the extra `report`.

        Raises ModuleNotFoundError without it.
        """
        return render_png(self.to_svg(width, "light" if theme == "both" else theme), scale)

    @property
    def headline(self) -> str:
        """The title and what there is to see."""
        return f"{self.title}. {self.says}"

    def to_columns(self) -> Columns:
        """The numbers behind the chart, a column each."""
        rows = self.data
        names = dict.fromkeys(name for row in rows for name in row)
        return {name: [row.get(name) for row in rows] for name in names}

    def plot(self, *, ax: Any = None, **options: Any) -> Chart:
        """The chart itself, drawn on axes of matplotlib where these are given: one, or one a panel.

        Raises BadArgument for other axes.
        """
        if ax is not None:
            from prowess.present.other_charts import draw_axes

            draw_axes(self.panels, series_styles(self), self.title, ax)
        return self

    def save(self, path: str | Path, width: float = WIDTH_PX) -> None:
        """Write the chart as SVG or PNG, by the end of the name; raises Undrawable for another."""
        if not isinstance(path, str | Path):
            raise BadArgument.of("not_a_file.chart", path=path)
        file = Path(path)
        if not file.parent.is_dir():
            raise Undrawable.of("no_such_folder.chart", folder=str(file.parent))
        if file.suffix.lower() == ".svg":
            content = self.to_svg(width).encode()
        elif file.suffix.lower() == ".png":
            content = self.to_png(width)
        else:
            raise Undrawable.of("wrong_suffix.chart", suffix=file.suffix)
        with replace_file(file) as part:
            part.write_bytes(content)

    def to_vega(self) -> dict[str, Any]:
        """The chart as a Vega-Lite specification, for notebooks and pages: zoom, hints, legend."""
        from prowess.present.other_charts import vega_lite

        return vega_lite(
            self.panels, series_styles(self), title=self.title, caption=self.caption,
            description=self.description,
        )  # fmt: skip

    def _repr_mimebundle_(self, **kinds: Any) -> dict[str, Any]:
        """For notebooks: Vega-Lite, an image, SVG and the words of the chart."""
        from prowess.present.other_charts import MIME

        return {
            MIME: self.to_vega(),
            "text/html": self._repr_html_(),
            "image/svg+xml": self.to_svg(),
            "text/plain": f"{self.title}. {self.description}",
        }

    def _repr_html_(self) -> str:
        """For notebooks: an image, so that styles of the notebook and the chart do not mix."""
        image = b64encode(self.to_svg().encode()).decode()
        alt = f"{self.title}. {self.description}"
        return element("img", src=f"data:image/svg+xml;base64,{image}", alt=alt)


def series_styles(chart: Chart) -> dict[str, str]:
    """The style of each name; nine names look different."""
    layers = [one for panel in chart.panels for one in panel.layers]
    names = dict.fromkeys(one.name for one in layers if isinstance(one, Line | Dots) and one.name)
    return {name: CURVE_CLASSES[k % 3] + DASH_CLASSES[k // 3 % 3] for k, name in enumerate(names)}


def render_legend(chart: Chart, styles: dict[str, str], width: float) -> tuple[str, float]:
    """The entries of the legend in as many rows as needed, and the height of that."""
    layers = [one for panel in chart.panels for one in panel.layers]
    beside = {one.text for one in layers if isinstance(one, Text)}  # named where they end
    styles = {name: style for name, style in styles.items() if name not in beside}
    if not styles:
        return "", 0.0
    lines = {one.name for panel in chart.panels for one in panel.lines}
    dots = {one.name for panel in chart.panels for one in panel.dots}
    x, y, marks = 0.0, 16.0, ""
    for name, style in styles.items():
        needed = LEGEND_LINE + 6.0 + text_width(name, SIZE)
        if x and x + needed > width:
            x, y = 0.0, y + 20.0
        if name in lines:
            marks += line(x, y - 4.0, x + LEGEND_LINE, y - 4.0, style)
        if name in dots:
            marks += dot(x + 0.5 * LEGEND_LINE, y - 4.0, 3.5, hollow_style(style))
        marks += text_mark(name, x + LEGEND_LINE + 6.0, y, class_="ink")
        x += needed + 10.0
    return marks, y + 10.0


# Panels as SVG: layers in the units of the axes as marks in pixels.
#
# Nothing is drawn outside a panel: lines are cut at its edges, bands, bars and intervals end there,
# dots beyond it are left out. Coordinates are finite and rounded to a tenth of a pixel, so the same
# chart gives the same bytes.


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
