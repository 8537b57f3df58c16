"""Charts: panels of layers on two axes, with a title, a description and numbers.

    from prowess.present.figures import histories

    chart = histories(ratings, ["Ada", "Ben"])
    chart.data, chart.to_svg(), chart.to_png()

A chart is a plain value. It is drawn when asked for, by one engine at any width (`panels.py`).
Layers of one `name` share colour and dashes in all panels and have one entry in the legend.
`draw_axes` draws panels on axes of matplotlib: `prowess.plot.history(r, ax=ax)`.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from prowess.engine.tabular import Columns, Tabular
from prowess.games.arguments import refuse
from prowess.games.whole_files import replace_file
from prowess.present.layers import (
    Axis,
    Band,
    Bars,
    CellLayer,
    Dots,
    Layer,
    Line,
    NameAxis,
    Panel,
    Rule,
    Text,
)
from prowess.present.panels import Drawing, hollow_style, render_panel
from prowess.present.svg import (
    PALETTE,
    SIZE,
    SUBTITLE,
    TITLE,
    Theme,
    Undrawable,
    dot,
    element,
    escape_text,
    fit_sentences,
    line,
    paper,
    render_png,
    shorten_text,
    style_properties,
    style_sheet,
    text_mark,
    text_width,
    wrap_text,
)  # fmt: skip

Rows = list[dict[str, Any]]
WIDTH_PX = 720.0  # of a screen; a phone takes about 340
MARGIN = 24.0  # pixels around a chart in a file
PANEL_GAP = 24.0  # pixels
LEGEND_LINE = 26.0  # pixels
CURVE_CLASSES = ("curve", "curve second", "curve third")
DASH_CLASSES = ("", " dash", " dots")
INK = PALETTE["ink"][0]


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
            draw_axes(self.panels, series_styles(self), self.title, ax)
        return self

    def save(self, path: str | Path, width: float = WIDTH_PX) -> None:
        """Write the chart as SVG or PNG, by the end of the name; raises Undrawable for another."""
        if not isinstance(path, str | Path):
            raise refuse('name a file such as "chart.svg"', path, code="not_a_file")
        file = Path(path)
        if not file.parent.is_dir():
            raise Undrawable(
                f"make the folder {str(file.parent)!r} first, or name another",
                code="no_such_folder",
            )
        if file.suffix.lower() == ".svg":
            content = self.to_svg(width).encode()
        elif file.suffix.lower() == ".png":
            content = self.to_png(width)
        else:
            raise Undrawable(
                f"end the name in .svg or .png, not {file.suffix!r}", code="wrong_suffix"
            )
        with replace_file(file) as part:
            part.write_bytes(content)

    def to_vega(self) -> dict[str, Any]:
        """The chart as a Vega-Lite specification, for notebooks and pages: zoom, hints, legend."""
        from prowess.present.vega import vega_lite

        return vega_lite(
            self.panels, series_styles(self), title=self.title, caption=self.caption,
            description=self.description,
        )  # fmt: skip

    def _repr_mimebundle_(self, **kinds: Any) -> dict[str, Any]:
        """For notebooks: Vega-Lite, an image, SVG and the words of the chart."""
        from prowess.present.vega import MIME

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


def draw_axes(panels: Sequence[Panel], styles: dict[str, str], title: str, ax: Any) -> None:
    """Draw panels on axes of matplotlib: one, or a list; `title` is that of one panel alone.

    `styles` are those of named layers. Raises BadArgument for other axes.
    """
    places = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(places) != len(panels) or not all(hasattr(one, "plot") for one in places):
        count = len(panels)
        what = "axes of matplotlib" if count == 1 else f"a list of {count} axes, one a panel"
        raise refuse(f"give ax as {what}", ax, code="not_axes")
    for place, panel in zip(places, panels, strict=True):
        draw_panel(panel, place, styles)
    if len(places) == 1:
        places[0].set_title(title, loc="left", fontsize="medium")
    if styles:
        places[0].legend(frameon=False, fontsize="small")


def draw_panel(panel: Panel, ax: Any, styles: dict[str, str]) -> None:
    """Draw the layers and the axes of a panel."""
    for layer in panel.layers:
        draw_layer(layer, panel, ax, styles)
    for axis, which in ((panel.x, "x"), (panel.y, "y")):
        draw_axis(axis, ax, which)
    if panel.heading:
        ax.set_title(f"{panel.heading} {panel.aside}".strip(), loc="left", fontsize="medium")


def draw_axis(axis: Axis | NameAxis, ax: Any, which: str) -> None:
    """Set limits, ticks and the name of an axis."""
    limit, label = getattr(ax, f"set_{which}lim"), getattr(ax, f"set_{which}label")
    marks = getattr(ax, f"set_{which}ticks")
    if isinstance(axis, NameAxis):
        names = [" ".join(filter(None, (one.rank, one.text))) for one in axis.labels]
        marks([k + 0.5 for k in range(len(names))], names)
        count = max(len(names), 1)
        limit(*((count, 0) if which == "y" else (0, count)))
        return
    if axis.kind == "log":
        getattr(ax, f"set_{which}scale")("log")
    limit(*(position(axis, np.array([axis.low, axis.high]))))
    label(axis.name)
    if axis.marks:
        marks(position(axis, np.array([one.value for one in axis.marks])),
              [one.text for one in axis.marks])  # fmt: skip
    elif axis.kind == "percent":
        getattr(ax, f"{which}axis").set_major_formatter(lambda value, _: f"{100.0 * value:g}%")


def position(axis: Axis | NameAxis, values: Any) -> Any:
    """Values as matplotlib places them: days as moments."""
    numbers = np.asarray(values, dtype=np.float64)
    if isinstance(axis, NameAxis) or axis.kind != "day":
        return numbers
    return (numbers * 86_400_000.0).astype("datetime64[ms]")


def look(style: str, *, filled: bool = False) -> dict[str, Any]:
    """The colour, the width and the dashes of a style as matplotlib names them."""
    drawn = style_properties(style)
    colour = drawn.get("fill" if filled else "stroke") or drawn.get("stroke") or drawn.get("fill")
    found: dict[str, Any] = {"color": INK if colour in (None, "none") else colour}
    if filled:
        return found | {"alpha": float(drawn.get("fill-opacity", 1.0)), "linewidth": 0}
    dashes = drawn.get("stroke-dasharray")
    found["linewidth"] = float(drawn.get("stroke-width", 1.0))
    return found | ({"linestyle": (0, [float(k) for k in dashes.split()])} if dashes else {})


@singledispatch
def draw_layer(layer: Layer, panel: Panel, ax: Any, styles: dict[str, str]) -> None:
    """Draw one layer."""
    raise TypeError(f"{type(layer).__name__} is no layer of a chart")


@draw_layer.register
def _(layer: Line, panel: Panel, ax: Any, styles: dict[str, str]) -> None:
    style = styles[layer.name] if layer.name else layer.style
    ax.plot(position(panel.x, layer.x), position(panel.y, layer.y), label=layer.name or None,
            **look(style))  # fmt: skip


@draw_layer.register
def _(layer: Band, panel: Panel, ax: Any, styles: dict[str, str]) -> None:
    ends = (position(panel.y, one) for one in (layer.low, layer.high))
    ax.fill_between(position(panel.x, layer.x), *ends, **look(layer.style, filled=True))


@draw_layer.register
def _(layer: Dots, panel: Panel, ax: Any, styles: dict[str, str]) -> None:
    style = styles[layer.name] if layer.name else layer.style
    for (x, y), reach in zip(layer.points, layer.reach, strict=False):
        if reach is not None:
            xs, ys = (reach, (y, y)) if layer.across else ((x, x), reach)
            bar = look(style if layer.name else "reach")
            ax.plot(position(panel.x, xs), position(panel.y, ys), **bar)
    mark = {"marker": "|" if layer.tick else "o", "markersize": 2.0 * layer.radius}
    colour = look(style, filled=not layer.name)["color"]
    ax.plot(position(panel.x, layer.x), position(panel.y, layer.y), linestyle="", color=colour,
            **mark)  # fmt: skip


@draw_layer.register
def _(layer: Bars, panel: Panel, ax: Any, styles: dict[str, str]) -> None:
    axis = panel.y if layer.across else panel.x
    start, end = position(axis, layer.start), position(axis, layer.end)
    along = ("height" if layer.across else "width", end - start)
    draw = ax.barh if layer.across else ax.bar
    style = look(layer.style, filled=True)
    draw(start, np.asarray(layer.value), **{along[0]: along[1]}, align="edge", **style)


@draw_layer.register
def _(layer: CellLayer, panel: Panel, ax: Any, styles: dict[str, str]) -> None:
    from matplotlib.patches import Rectangle

    for one in layer.cells:
        style = look(one.style, filled=True)
        alpha = 1.0 if one.strength is None else one.strength
        square = Rectangle((one.column, one.row), 1, 1, facecolor=style["color"], alpha=alpha)
        ax.add_patch(square)
        if one.text:
            ax.text(one.column + 0.5, one.row + 0.5, one.text, ha="center", va="center")


@draw_layer.register
def _(layer: Rule, panel: Panel, ax: Any, styles: dict[str, str]) -> None:
    axis, draw = (panel.x, ax.axvline) if layer.along == "x" else (panel.y, ax.axhline)
    at = position(axis, [layer.value])[0]
    draw(at, **look(layer.style))
    if layer.label and layer.along == "x":
        ax.annotate(f" {layer.label}", (at, 1.0), xycoords=("data", "axes fraction"), va="top")


@draw_layer.register
def _(layer: Text, panel: Panel, ax: Any, styles: dict[str, str]) -> None:
    side = {None: "left", "middle": "center", "end": "right"}[layer.anchor]
    ax.text(position(panel.x, [layer.x])[0], layer.y, layer.text, ha=side, va="top")
