"""Charts on axes of matplotlib: `prowess.plot.history(r, ax=ax)`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from prowess.games.arguments import refuse
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
from prowess.present.svg import PALETTE, style_properties

INK = PALETTE["ink"][0]


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
