"""Charts in other programs: Vega-Lite, which notebooks show with zoom, hints and a legend to click,
and axes of matplotlib.

Source: https://vega.github.io/vega-lite/docs/ (version 5, the one that JupyterLab brings).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import singledispatch
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import Floats
from prowess.games.arguments import BadArgument
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
    thin_points,
)
from prowess.present.svg import PALETTE, SIZE, style_properties

if TYPE_CHECKING:
    from prowess.present.layers import Values


Spec = dict[str, Any]
MIME = "application/vnd.vegalite.v5+json"
VEGA_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
WIDE, NARROW = 560.0, 320.0  # pixels of a panel alone, and of one beside another
DAY_MILLISECONDS = 86_400_000.0
LINE_COLUMNS = 160  # four points of each are kept, so that no peak is lost
SIG_FIGS = 9  # of a position: a screen shows no more, `data` has the numbers
INK = PALETTE["ink"][0]
SEEN = 0.0  # opacity of the points of a line, which only answer to a pointer


def vega_lite(
    panels: Sequence[Panel], styles: dict[str, str], *, title: str, caption: str, description: str
) -> Spec:
    """Panels as a Vega-Lite specification; `styles` are those of named layers."""
    width = WIDE if len(panels) == 1 else NARROW
    drawn = [panel_spec(panel, width, styles, k) for k, panel in enumerate(panels)]
    colours = {name: colour[0] for name, colour in PALETTE.items()}
    beneath = [caption] if caption else []
    if len(drawn) == 1:
        beneath += drawn[0].pop("title", {}).get("text", "").splitlines()
    return {
        "$schema": VEGA_SCHEMA,
        "description": description,
        "title": {"text": title, "subtitle": beneath, "anchor": "start"},
        "background": colours["paper"],
        "config": {
            "axis": {"gridColor": colours["rule"], "labelColor": colours["soft"], "labelLimit": 240,
                     "titleColor": colours["soft"], "titleFontWeight": "normal"},
            "legend": {"orient": "top", "title": None, "labelColor": colours["ink"],
                       "labelLimit": 240, "symbolType": "stroke"},
            "view": {"stroke": None},
        },
    } | (drawn[0] if len(drawn) == 1 else {"concat": drawn, "columns": 2})  # fmt: skip


def panel_spec(panel: Panel, width: float, styles: dict[str, str], number: int) -> Spec:
    """A panel: its layers on shared axes, to move and zoom where both are numbers."""
    frame = {"x": axis_spec(panel.x, "x"), "y": axis_spec(panel.y, "y")}
    layers = [one for layer in panel.layers for one in layer_specs(layer, panel, frame, styles)]
    layers = layers or [{"data": {"values": []}, "mark": "point", "encoding": frame}]
    if isinstance(panel.x, Axis) and isinstance(panel.y, Axis):
        layers[0]["params"] = [{"name": f"zoom{number}", "select": "interval", "bind": "scales"}]
    height = panel.height - 60.0
    if isinstance(panel.y, NameAxis):
        height = panel.y.size * len(panel.y.labels)
    if isinstance(panel.x, NameAxis):
        width = panel.x.size * len(panel.x.labels)
    title = " ".join(filter(None, (panel.heading, panel.aside)))
    spec: Spec = {"layer": layers, "width": width, "height": height}
    return spec | ({"title": {"text": title, "anchor": "start"}} if title else {})


def axis_spec(axis: Axis | NameAxis, channel: str) -> Spec:
    """The scale and the axis of a channel; names stand at the middles of their rows."""
    if isinstance(axis, NameAxis):
        count = len(axis.labels)
        texts = json.dumps([" ".join(filter(None, (o.rank, o.text))) for o in axis.labels])
        return {
            "type": "quantitative",
            "scale": {"domain": [0, count], "nice": False, "zero": False,
                      "reverse": channel == "y"},
            "axis": {"values": [k + 0.5 for k in range(count)], "title": None, "grid": False,
                     "labelExpr": f"{texts}[floor(datum.value)]", "ticks": False, "domain": False,
                     "labelOverlap": False, "orient": "top" if channel == "x" else "left"},
        }  # fmt: skip
    to_value = DAY_MILLISECONDS if axis.kind == "day" else 1.0
    scale: Spec = {"domain": [axis.low * to_value, axis.high * to_value], "nice": False}
    look: Spec = {"title": axis.name or None, "grid": channel == "y"}
    if axis.kind == "day":
        scale["type"] = "utc"
    elif axis.kind == "log":
        scale["type"] = "log"
    else:
        scale["zero"] = False
    if axis.kind == "percent":
        look["format"] = "~%"
    elif axis.kind == "count":
        look |= {"format": ",d", "tickMinStep": 1}
    if axis.marks:
        values = [one.value * to_value for one in axis.marks]
        texts = json.dumps([one.text for one in axis.marks])
        look |= {"values": values,
                 "labelExpr": f"{texts}[indexof({json.dumps(values)}, +datum.value)]"}  # fmt: skip
    kind = "temporal" if axis.kind == "day" else "quantitative"
    return {"type": kind, "scale": scale, "axis": look}


@singledispatch
def layer_specs(layer: Layer, panel: Panel, frame: Spec, styles: dict[str, str]) -> list[Spec]:
    """The Vega-Lite layers of a layer."""
    raise TypeError(f"{type(layer).__name__} is no layer of a chart")


@layer_specs.register
def _(layer: Line, panel: Panel, frame: Spec, styles: dict[str, str]) -> list[Spec]:
    values = rows(panel, **thin(layer.density, x=layer.x, y=layer.y))
    return [marks(values, frame, named_look(layer.name, layer.style, styles), mark={
        "type": "line", "clip": True, "point": {"opacity": SEEN, "size": 80, "filled": True},
    }, tooltip=hint_spec(panel))]  # fmt: skip


@layer_specs.register
def _(layer: Band, panel: Panel, frame: Spec, styles: dict[str, str]) -> list[Spec]:
    values = rows(panel, **thin(0.5, x=layer.x, y=layer.low, y2=layer.high))
    return [marks(values, frame, plain_look(layer.style), mark={"type": "area", "clip": True},
                  ends=("y2",))]  # fmt: skip


@layer_specs.register
def _(layer: Dots, panel: Panel, frame: Spec, styles: dict[str, str]) -> list[Spec]:
    count = len(layer.x)
    hints = list(layer.hints) or [""] * count
    values = rows(panel, x=layer.x, y=layer.y, hint=hints)
    end = "x" if layer.across else "y"
    reach = [(one, *pair) for one, pair in zip(values, layer.reach, strict=False) if pair]
    found = []
    if reach:
        scale = unit_factor(panel, end)
        bars = [one | {end: low * scale, f"{end}2": high * scale} for one, low, high in reach]
        look = named_look(layer.name, layer.style, styles) if layer.name else plain_look("reach")
        found.append(marks(bars, frame, look, mark={"type": "rule", "clip": True, "strokeWidth": 2},
                           ends=(f"{end}2",)))  # fmt: skip
    shape: Spec = {"type": "point", "filled": True, "opacity": 1, "clip": True,
                   "size": 4.0 * layer.radius * layer.radius}  # fmt: skip
    if layer.tick:
        shape = {"type": "tick", "thickness": 3, "size": 22, "clip": True,
                 "orient": "vertical"}  # fmt: skip
    found.append(marks(values, frame, named_look(layer.name, layer.style, styles), mark=shape,
                       tooltip=hint_spec(panel, bool(layer.hints))))  # fmt: skip
    return found


@layer_specs.register
def _(layer: Bars, panel: Panel, frame: Spec, styles: dict[str, str]) -> list[Spec]:
    hints = list(layer.hints) or [""] * len(layer.start)
    zero = np.zeros(len(layer.start))
    along, up = ("y", "x") if layer.across else ("x", "y")
    values = rows(panel, **{
        along: layer.start, f"{along}2": layer.end, up: zero, f"{up}2": layer.value, "hint": hints
    })  # fmt: skip
    tooltip = [{"field": "hint"}] if layer.hints else []
    return [marks(values, frame, plain_look(layer.style), mark={"type": "rect", "clip": True},
                  ends=("x2", "y2"), tooltip=tooltip)]  # fmt: skip


@layer_specs.register
def _(layer: CellLayer, panel: Panel, frame: Spec, styles: dict[str, str]) -> list[Spec]:
    found = []
    for style in dict.fromkeys(one.style for one in layer.cells):
        cells = [one for one in layer.cells if one.style == style]
        values = [
            {"x": one.column, "x2": one.column + 1, "y": one.row, "y2": one.row + 1,
             "hint": one.hint, "strength": 1.0 if one.strength is None else one.strength}
            for one in cells
        ]  # fmt: skip
        look = plain_look(style) | {"opacity": {"field": "strength", "type": "quantitative",
                                                "scale": None}}  # fmt: skip
        found.append(marks(values, frame, look, mark={"type": "rect", "stroke": "white"},
                           ends=("x2", "y2"), tooltip=[{"field": "hint"}]))  # fmt: skip
    texts = [{"x": one.column + 0.5, "y": one.row + 0.5, "text": one.text}
             for one in layer.cells if one.text]  # fmt: skip
    if texts:
        look = {"text": {"field": "text"}, "color": {"value": INK}}
        found.append(marks(texts, frame, look, mark={"type": "text", "fontSize": SIZE - 1.0}))
    return found


@layer_specs.register
def _(layer: Rule, panel: Panel, frame: Spec, styles: dict[str, str]) -> list[Spec]:
    value = layer.value * unit_factor(panel, layer.along)
    values = [{layer.along: value, "text": layer.label}]
    axis: Spec = {layer.along: frame[layer.along]}
    found = [marks(values, axis, plain_look(layer.style), mark={"type": "rule", "clip": True})]
    if layer.label and layer.along == "x":
        look = {
            "text": {"field": "text"},
            "color": {"value": PALETTE["soft"][0]},
            "y": {"value": 8},
        }
        mark = {"type": "text", "align": "left", "dx": 6}
        found.append(marks(values, axis, look, mark=mark))
    return found


@layer_specs.register
def _(layer: Text, panel: Panel, frame: Spec, styles: dict[str, str]) -> list[Spec]:
    values = rows(panel, x=[layer.x], y=[layer.y], text=[layer.text])
    align = {None: "left", "middle": "center", "end": "right"}[layer.anchor]
    look = {"text": {"field": "text"}, "color": {"value": PALETTE["soft"][0]}}
    return [marks(values, frame, look, mark={"type": "text", "align": align, "dy": 8})]


def marks(
    values: list[Spec],
    frame: Spec,
    look: Spec,
    *,
    mark: Spec,
    ends: tuple[str, ...] = (),
    tooltip: list[Spec] | None = None,
) -> Spec:
    """One Vega-Lite layer: rows, a mark, and the channels on the axes of the panel."""
    encoding: Spec = {name: {"field": name, **axis} for name, axis in frame.items()}
    encoding |= {name: {"field": name} for name in ends} | look
    shown = tooltip if tooltip is not None and "text" not in look else []
    encoding["tooltip"] = [{"type": "nominal"} | one for one in shown] or {"value": None}
    return {"data": {"values": values}, "mark": mark, "encoding": encoding}


def unit_factor(panel: Panel, channel: str) -> float:
    """What a value of a channel is multiplied with: days become milliseconds."""
    axis = panel.x if channel == "x" else panel.y
    return DAY_MILLISECONDS if isinstance(axis, Axis) and axis.kind == "day" else 1.0


def rows(panel: Panel, **columns: Any) -> list[Spec]:
    """Rows of plain values by channel; no number is None."""
    plain: dict[str, list[Any]] = {}
    for name, column in columns.items():
        if name in ("hint", "text"):
            plain[name] = list(column)
            continue
        values = np.asarray(column, dtype=np.float64) * unit_factor(panel, name[0])
        plain[name] = [float(f"{v:.{SIG_FIGS}g}") if isfinite(v) else None for v in values.tolist()]
    return [dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True)]


def thin(density: float, x: Values, **columns: Values) -> dict[str, Floats]:
    """The points that show; where a number is missing, which breaks a line, all of them."""
    found = {name: np.asarray(one, dtype=np.float64) for name, one in {"x": x, **columns}.items()}
    if not all(np.isfinite(one).all() for one in found.values()):
        return found
    count = max(1, int(LINE_COLUMNS * density))
    kept = [thin_points(found["x"], found[name], count) for name in columns]
    keep = np.unique(np.concatenate(kept))
    return {name: one[keep] for name, one in found.items()}


def plain_look(style: str) -> Spec:
    """Colours and dashes of a style, as values of channels."""
    drawn = style_properties(style)
    look: Spec = {}
    colour = drawn.get("stroke", drawn.get("fill"))
    if colour not in (None, "none"):
        look["color"] = {"value": colour}
    if "stroke-width" in drawn:
        look["strokeWidth"] = {"value": float(drawn["stroke-width"])}
    if "fill-opacity" in drawn:
        look["opacity"] = {"value": float(drawn["fill-opacity"])}
    if "stroke-dasharray" in drawn:
        look["strokeDash"] = {"value": dash(drawn["stroke-dasharray"])}
    return look


def named_look(name: str, style: str, styles: dict[str, str]) -> Spec:
    """The look of a layer: a named one has its entry in the legend of all panels."""
    if not name:
        return plain_look(style)
    drawn = [style_properties(one) for one in styles.values()]
    dashes = [dash(one.get("stroke-dasharray", "1 0")) for one in drawn]
    names = list(styles)
    return {
        "color": {"datum": name, "type": "nominal",
                  "scale": {"domain": names, "range": [one["stroke"] for one in drawn]}},
        "strokeDash": {"datum": name, "type": "nominal",
                       "scale": {"domain": names, "range": dashes}},
        "strokeWidth": {"value": 1.6},
    }  # fmt: skip


def dash(text: str) -> list[float]:
    """The lengths of strokes and gaps."""
    return [float(one) for one in text.split()]


def hint_spec(panel: Panel, hints: bool = False) -> list[Spec]:
    """What a pointer is shown: what stands on the axes, and a hint of its own."""
    found: list[Spec] = []
    for channel, axis in (("x", panel.x), ("y", panel.y)):
        if isinstance(axis, NameAxis):
            continue
        one: Spec = {"field": channel, "title": axis.name or channel}
        if axis.kind == "day":
            one |= {"type": "temporal", "timeUnit": "utcyearmonthdate"}
        else:
            one |= {"type": "quantitative", "format": ".1%" if axis.kind == "percent" else ".4~g"}
        found.append(one)
    return [*found, *([{"field": "hint", "title": "\u200b"}] if hints else [])]


# On axes of matplotlib.


def draw_axes(panels: Sequence[Panel], styles: dict[str, str], title: str, ax: Any) -> None:
    """Draw panels on axes of matplotlib: one, or a list; `title` is that of one panel alone.

    `styles` are those of named layers. Raises BadArgument for other axes.
    """
    places = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(places) != len(panels) or not all(hasattr(one, "plot") for one in places):
        sentence = "not_axes.one" if len(panels) == 1 else "not_axes.several"
        raise BadArgument.of(sentence, count=len(panels), ax=ax)
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
    return (numbers * DAY_MILLISECONDS).astype("datetime64[ms]")


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
