"""The chart engine: marks stay inside, coordinates are finite, text is text, same in same out."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from math import inf, isfinite, nan

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from pytest import approx

from prowess.present.chart import Chart
from prowess.present.figures import STRONGEST
from prowess.present.layers import (
    EPOCH,
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
    bounds,
    count_ticks,
    day_ticks,
    thin_points,
    ticks,
)
from prowess.present.svg import PALETTE

SVG = "{http://www.w3.org/2000/svg}"
NUMBERS = st.sampled_from([-inf, inf, nan, 0.0, -3.0, 1e-9, 0.5, 12.0, 1e7]) | st.floats(-50, 50)
LISTS = st.lists(NUMBERS, max_size=6)
WORDS = st.text(max_size=12) | st.sampled_from(["<b>&'\"]]>", "\x00\ud83e", "\u202e\u0645"])


@st.composite
def layers(draw):
    """A layer of any kind with values inside and outside of the panel."""
    xs = draw(LISTS)
    ys, zs = (draw(st.lists(NUMBERS, min_size=len(xs), max_size=len(xs))) for _ in "ab")
    words = draw(WORDS)
    reach = [None if not isfinite(y) else (y, z) for y, z in zip(ys, zs, strict=True)]
    cell = Cell(draw(st.integers(0, 4)), draw(st.integers(0, 4)), words, "high", 0.3, words)
    return draw(
        st.sampled_from(
            [
                Line(xs, ys, name=words),
                Line(xs, ys, "curve"),
                Band(xs, ys, zs),
                Dots(xs, ys, reach, [words] * len(xs), name=words),
                Dots(xs, ys, reach, across=True, tick=True, style="low"),
                Bars(xs, ys, zs),
                Bars(xs, ys, zs, across=True),
                Rule(draw(NUMBERS), draw(st.sampled_from(["x", "y"])), label=words),
                Text(draw(NUMBERS), draw(NUMBERS), words),
                CellLayer((cell,)),
            ]
        )
    )


@st.composite
def charts(draw):
    """Charts of one to three panels, with numeric, logarithmic, day and named axes."""
    found = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["number", "percent", "day", "log"]))
        x = Axis(draw(WORDS), 0.5, draw(st.floats(1.0, 90.0)), kind)
        y: Axis | NameAxis = Axis(draw(WORDS), 0.25, draw(st.floats(1.0, 60.0)))
        some = draw(st.lists(layers(), max_size=4))
        if draw(st.booleans()):
            y = NameAxis(tuple(Label(word, word) for word in draw(st.lists(WORDS, max_size=4))))
        else:
            some = [one for one in some if not isinstance(one, CellLayer)]
        found.append(Panel(x, y, tuple(some), heading=draw(WORDS), aside=draw(WORDS)))
    return Chart(draw(WORDS), draw(WORDS), tuple(found), caption=draw(WORDS))


def positions(svg):
    """All coordinates of marks that carry data or axes, as (x, y)."""
    for path in svg.iter(SVG + "path"):
        for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", path.get("d")):
            yield float(x), float(y)
    for dot in svg.iter(SVG + "circle"):
        yield float(dot.get("cx")), float(dot.get("cy"))


@settings(max_examples=120, deadline=None)
@given(charts(), st.sampled_from([240.0, 336.0, 720.0]))
def test_charts_are_sound(chart, width):
    """Whatever the values and words: well-formed, finite, inside, escaped, and deterministic."""
    text = chart.to_svg(width)
    assert text == chart.to_svg(width)
    text.encode()
    svg = ET.fromstring(text)
    assert "nan" not in re.sub(r">[^<]*<|\"[^\"]*\"", "", text)
    height = float(svg.get("height"))
    for x, y in positions(svg):
        assert -0.1 <= x <= width + 0.1
        assert -0.1 <= y <= height + 0.1
    assert svg.find(f".//{SVG}script") is None
    assert not [one for one in svg.iter() if one.get("href") or one.get("onload")]


def test_lines_end_at_the_edge():
    """A line is cut where it crosses the edge of a panel, and goes on where it comes back."""
    x, y = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0), (0.5, 1.5, 0.5, nan, 0.0, 1.0)
    panel = Panel(Axis("", 0.0, 5.0), Axis("", 0.0, 1.0), (Line(x, y, "curve"),))
    svg = ET.fromstring(Chart("", "", (panel,)).to_svg())
    runs = [one.get("d") for one in svg.iter(SVG + "path") if one.get("class") == "curve"]
    found = [[tuple(map(float, p)) for p in re.findall(r"([\d.]+) ([\d.]+)", d)] for d in runs]
    assert [len(run) for run in found] == [2, 2, 2]
    top, left = found[0][1][1], found[0][0][0]
    unit = (found[2][1][0] - left) / 5.0
    assert [(one[0][0] - left) / unit for one in found] == approx([0.0, 1.5, 4.0], abs=0.01)
    assert found[1][0][1] == found[2][1][1] == top


def test_empty_charts_are_drawn():
    """Axes without layers, layers without values, and names without rows give a drawing."""
    axis = Axis("a", 0.0, 1.0)
    panels = (Panel(axis, axis, ()), Panel(axis, NameAxis(()), (Dots((), ()), Bars((), (), ()))))
    assert ET.fromstring(Chart("t", "d", panels).to_svg()).get("width") == "720"
    assert Chart("t", "d", ()).data == []


def test_thinning_loses_no_extreme():
    """In every column of pixels the first, last, lowest and highest value stay, as found slowly."""
    rng = np.random.default_rng(4)
    x, y = np.sort(rng.uniform(0.0, 10.0, 5000)), rng.normal(size=5000).cumsum()
    keep = thin_points(x, y, 40)
    assert len(keep) <= 4 * 40
    kept = set(keep.tolist())
    edges = [x[0] + (x[-1] - x[0]) * k / 40 for k in range(41)]
    for k, (low, high) in enumerate(pairwise(edges)):
        column = [i for i in range(5000) if low <= x[i] and (x[i] < high or k == 39)]
        for chosen in (column[0], column[-1]):
            assert chosen in kept
        values = [y[i] for i in column]
        assert {min(values), max(values)} <= {y[i] for i in column if i in kept}


def test_short_lines_are_kept_count_ticks():
    """What fits is not thinned."""
    assert thin_points(np.arange(20.0), np.ones(20), 5).tolist() == list(range(20))


@pytest.mark.parametrize("extent", [(0.0, 1.0), (1337.2, 1861.9), (-0.004, 0.019), (0.0, 48000.0)])
def test_ticks_are_round_and_inside(extent):
    """Ticks are 1, 2 or 5 times a power of ten apart, within the extent, and read as they are."""
    low, high = bounds(*extent)
    assert low <= extent[0] < extent[1] <= high
    found = ticks(low, high, 5)
    assert 2 <= len(found) <= 7
    gaps = {round((b.value - a.value) / 10 ** np.floor(np.log10(b.value - a.value) + 1e-9), 6)
            for a, b in pairwise(found)}  # fmt: skip
    assert gaps in ({1.0}, {2.0}, {5.0})
    for tick in found:
        assert float(tick.text.replace(",", "")) == approx(tick.value, abs=1e-9)


def test_bounds_of_one_value():
    """An extent of no width is widened around its value."""
    low, high = bounds(1500.0, 1500.0)
    assert low < 1500.0 < high


def test_counts_have_whole_ticks():
    """Nobody counts half a player."""
    for most in (1, 2, 3, 7, 19, 1231):
        found = count_ticks(most)
        assert all(tick.value == int(tick.value) for tick in found)
        assert found[-1].value >= most


def test_day_ticks_begin_what_they_name():
    """A tick named by a year, month or day stands on its first moment."""
    from datetime import date

    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    start = date(1872, 11, 30).toordinal() - EPOCH
    for days in (9.0, 200.0, 1500.0, 56000.0):
        found = day_ticks(start, start + days, 5)
        assert 1 <= len(found) <= 12
        year = 0
        for tick in found:  # 1890; Nov 1872, Jan 1873, Mar; 8 Mar 1873, 9 Mar
            parts = tick.text.split()
            year = int(parts.pop()) if len(parts[-1]) == 4 else year
            month = months.index(parts.pop()) + 1 if parts else 1
            named = date(year, month, int(parts.pop()) if parts else 1)
            assert tick.value == named.toordinal() - EPOCH


def test_what_xml_forbids_is_replaced():
    """Halves of characters and control characters never reach a file."""
    from prowess.present.svg import REPLACED, escape_text

    assert escape_text("a\ud83eb\x00c\x1bd<") == f"a{REPLACED}b{REPLACED}c{REPLACED}d&lt;"


@pytest.mark.parametrize("k", [0, 1], ids=["light", "dark"])
def test_contrast(k):
    """Words have a contrast of 4.5 to the ground, data of 3 (WCAG 2.2, 1.4.3 and 1.4.11)."""

    def luminance(colour):
        linear = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(a, b):
        high, low = sorted((luminance(a), luminance(b)), reverse=True)
        return (high + 0.05) / (low + 0.05)

    def mixed(colour, ground, part):
        pairs = ((int(one[i : i + 2], 16) for one in (colour, ground)) for i in (1, 3, 5))
        return "#" + "".join(f"{round(a * part + b * (1 - part)):02x}" for a, b in pairs)

    ground = PALETTE["paper"][k]
    for name in ("data", "more"):  # the strongest cells of the pairing table, and words on them
        assert contrast(PALETTE["ink"][k], mixed(PALETTE[name][k], ground, STRONGEST)) >= 4.5
    assert min(contrast(PALETTE[name][k], ground) for name in ("ink", "soft")) >= 4.5
    assert min(contrast(PALETTE[name][k], ground) for name in ("data", "more", "edge")) >= 3.0
