"""Charts as Vega-Lite and on axes of matplotlib: the same marks at the same places."""

from __future__ import annotations

import json
import re
from datetime import date

import numpy as np

import prowess
from prowess.errors import BadArgument
from prowess.present import svg
from prowess.present.chart import Chart, series_styles
from prowess.present.layers import (
    Axis,
    Band,
    Bars,
    Cell,
    CellLayer,
    Dots,
    Label,
    Line,
    NameAxis,
    Panel,
    Rule,
    Text,
)
from tests.refusals import refused

DAY = 86_400_000
NAN = float("nan")
CURVES = Panel(
    Axis("", 0.0, 10.0, "day"),
    Axis("share", 0.0, 1.0, "percent"),
    (
        Band([0.0, 10.0], [0.1, 0.2], [0.3, 0.4]),
        Line([0.0, 5.0, 10.0], [0.1, NAN, 0.3], name="one"),
        Dots([2.0], [0.5], [(0.4, 0.6)], ["a hint"]),
        Rule(4.0, "x", label="here"),
        Text(1.0, 0.9, "words"),
    ),
)
TABLE = Panel(
    NameAxis((Label("1"), Label("2"))),
    NameAxis((Label("Ann"), Label('B"ob'))),
    (CellLayer((Cell(0, 1, "60", "high", 0.2, "Ann against Bob"),)),),
)
ROWS = Panel(
    Axis("points", 0.0, 5.0),
    NameAxis((Label("Ann", rank="1"), Label("Bob", rank="2"))),
    (Bars([0.1, 1.1], [0.9, 1.9], [3.0, 4.0], across=True), Rule(2.0, "x", "dashed")),
)
CHART = Chart("Title", "What it says.", (CURVES, TABLE, ROWS), [{"x": 1}], "How to read it.")


def layers(spec, kind):
    return [one for one in spec["layer"] if one["mark"]["type"] == kind]


def test_every_layer_stands_where_it_was():
    """Marks have the values of the layers: days as milliseconds, nan as nothing."""
    curves, table, rows = json.loads(json.dumps(CHART.to_vega(), allow_nan=False))["concat"]
    (line,) = layers(curves, "line")
    points = [(one["x"], one["y"]) for one in line["data"]["values"]]
    assert points == [(0, 0.1), (5 * DAY, None), (10 * DAY, 0.3)]
    assert line["encoding"]["color"]["datum"] == "one"
    assert line["encoding"]["x"]["scale"] == {"domain": [0, 10 * DAY], "nice": False, "type": "utc"}
    (band,) = layers(curves, "area")
    assert [(one["y"], one["y2"]) for one in band["data"]["values"]] == [(0.1, 0.3), (0.2, 0.4)]
    reach, here = layers(curves, "rule")
    assert reach["data"]["values"][0] | {"hint": ""} == {
        "x": 2 * DAY, "y": 0.4, "y2": 0.6, "hint": ""
    }  # fmt: skip
    assert here["data"]["values"][0]["x"] == 4 * DAY
    assert [one["data"]["values"][0]["text"] for one in layers(curves, "text")] == ["here", "words"]
    (cells,) = layers(table, "rect")
    assert cells["data"]["values"][0]["x"] == 1
    assert cells["data"]["values"][0]["y2"] == 1
    labels = table["layer"][0]["encoding"]["y"]["axis"]["labelExpr"]
    assert labels == '["Ann", "B\\"ob"][floor(datum.value)]'
    (bars,) = layers(rows, "rect")
    assert bars["data"]["values"][1] == {"x": 0, "x2": 4, "y": 1.1, "y2": 1.9, "hint": ""}
    assert curves["layer"][0]["params"][0]["bind"] == "scales"


def test_axes_have_the_same_places():
    """On axes of matplotlib lines, bars, squares and words stand at the values of the layers."""
    from matplotlib.dates import date2num
    from matplotlib.figure import Figure

    curves, table, rows = Figure().subplots(1, 3)
    assert CHART.plot(ax=[curves, table, rows]) is CHART
    lines = {line.get_label(): line for line in curves.lines}
    days = date2num(lines["one"].get_xdata())
    assert days.tolist() == [0.0, 5.0, 10.0]
    assert lines["one"].get_ydata()[2] == 0.3
    assert np.array_equal(date2num(curves.lines[1].get_xdata()), [2.0, 2.0])
    assert [one.get_text() for one in table.texts] == ["60"]
    assert table.patches[0].get_xy() == (1, 0)
    assert [one.get_text() for one in rows.get_yticklabels()] == ["1 Ann", "2 Bob"]
    assert [bar.get_width() for bar in rows.patches] == [3.0, 4.0]
    assert rows.get_ylim() == (2.0, 0.0)


def test_other_axes_are_refused():
    """A wrong number of axes, and what is none, is refused with the number that is needed."""
    from matplotlib.figure import Figure

    with refused(BadArgument, "not_axes", about="list"):
        CHART.plot(ax=Figure().subplots())
    with refused(BadArgument, "not_axes", about="matplotlib"):
        Chart("One", "", (CURVES,)).plot(ax=3)


def test_colours_come_from_the_style_sheet():
    """Every class of the style sheet gives its colour, later classes over earlier ones."""
    for name, kind, colour in re.findall(
        r"\.figure \.(\w+)[^}]*?\{(?:[^}]*;)?(stroke|fill):var\(--(\w+)\)", svg.FIGURE_STYLE
    ):
        assert svg.style_properties(name)[kind] == svg.PALETTE[colour][0]
    assert svg.style_properties("curve second")["stroke"] == svg.PALETTE["more"][0]
    assert svg.style_properties("curve dash")["stroke-dasharray"] == "7 3"


def test_a_long_line_is_thinned_and_keeps_its_peak():
    """A line of 100,000 points becomes a small picture with its highest point."""
    x = np.arange(100_000.0)
    y = np.where(x == 54_321, 9.0, np.sin(x))
    panel = Panel(Axis("", 0, 1e5), Axis("", -1, 9), (Line(x, y),))
    text = json.dumps(Chart("Long", "", (panel,)).to_vega())
    assert len(text) < 60_000
    assert '"y": 9.0' in text
    assert series_styles(Chart("Long", "", (panel,))) == {}


def test_every_result_has_its_figure():
    """What a verb returns is shown by `plot()`, with the kind for notebooks that know it."""
    rows = [("Ann", "Bob", 1, date(2026, 1, 1)), ("Bob", "Cleo", 1, date(2026, 1, 2))]
    ratings = prowess.rate(rows, "elo")
    found = [ratings, ratings.history("Bob"), prowess.season(ratings, best=3, runs=50),
             prowess.report(ratings)]  # fmt: skip
    for one in found:
        bundle = one.plot()._repr_mimebundle_()
        assert bundle["application/vnd.vegalite.v5+json"]["$schema"].endswith("v5.json")
        assert one._repr_html_().startswith("<")
    career = ratings.history("Bob").plot()
    assert [row["rating"] for row in career.data] == [
        row["rating"] for row in prowess.plot.history(ratings, ["Bob"]).data
    ]
