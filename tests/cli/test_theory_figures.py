"""`prowess theory ... --plot`, and the figures of the documents."""

from __future__ import annotations

import re
import shlex
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from pytest import approx

from prowess.present.chart import Chart
from prowess.present.layers import Axis, Line, Panel
from prowess.theory.markov import MODELS
from prowess.theory.noise import PlayerLife
from prowess.theory.wp import find_curve
from tests.cli.command import ROOT, answered, prowess, refused

PAGES = sorted((ROOT / "docs").glob("theory_*.md"))
SHOWN = re.compile(r"!\[([^\]]+)\]\(figures/(\w+\.svg)\)\n\n    prowess (.+)\n")
FIGURES = {
    name: (alt, shlex.split(command))
    for page in PAGES
    for alt, name, command in SHOWN.findall(page.read_text(encoding="utf-8"))
}
SVG = "{http://www.w3.org/2000/svg}"


def test_every_figure_has_its_command():
    """Each image of the pages on theory stands above the command that makes it, and is used."""
    images = [name for page in PAGES for name in re.findall(r"!\[.*\((.+)\)", page.read_text())]
    assert sorted(images) == sorted(f"figures/{name}" for name in FIGURES)
    files = {path.name for path in (ROOT / "docs" / "figures").glob("theory_*.svg")}
    assert files == set(FIGURES)
    words = {command[1] for _, command in FIGURES.values()}
    assert words == {
        "wp", "bounds", "noise", "best-step", "population", "development", "tables", "markov"
    }  # fmt: skip


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_figures_are_fresh(name, tmp_path):
    """The command below an image makes that very file, byte by byte, and tells what it shows."""
    alt, command = FIGURES[name]
    place = command.index("--plot") + 1
    assert command[place] == f"docs/figures/{name}"
    file = tmp_path / name
    done = prowess(*command[:place], file, *command[place + 1 :])
    assert done.returncode == 0, done.stderr
    assert file.read_bytes() == (ROOT / "docs" / "figures" / name).read_bytes()
    svg = ET.parse(file).getroot()
    title, told = svg.findtext(f"{SVG}title"), svg.findtext(f"{SVG}desc")
    assert None not in (title, told)
    assert f"{title}. {told}" in done.stderr
    assert len(alt) > 80
    assert "prefers-color-scheme:dark" in file.read_text(encoding="utf-8")


def points(chart: Chart, panel: int, name: str) -> list[tuple[float, float]]:
    """The points of a line."""
    return [p for one in chart.panels[panel].lines if one.name == name for p in one.points]


def test_chances():
    """400 points are odds of ten to one on the logistic curve; the tail of tennis is 15 e^(4 x)."""
    from prowess.engine.numeric import LN10
    from prowess.present.theory import game_chart, win_probability_chart

    chart = win_probability_chart(
        {"logistic": find_curve("logistic", LN10 / 400.0)}, 160.0, "points"
    )
    seen = dict(points(chart, 0, "logistic"))
    assert seen[0.0] == 0.5
    assert seen[400.0] == approx(10 / 11)
    assert dict(points(chart, 1, "logistic"))[400.0] == approx(1 / 11)
    tennis = game_chart(MODELS["tennis_game"](), 1.0, "natural units")
    (tail,) = (one for one in tennis.panels[1].lines if "tail" in one.name)
    game = dict(points(tennis, 1, "tennis_game"))
    assert tail.points[-1][1] / game[15.0] == approx(1.0, abs=1e-4)  # Theorem 7


def test_errors():
    """The dots stand where section 7 has them: 28.3 at h = 53 as published for lives of 35."""
    from prowess.present.theory import error_chart

    chart = error_chart(PlayerLife(35.0, 324.0), 64.0)
    (dot,) = (one.points[0] for one in chart.panels[0].dots if one.name == "published")
    assert dot == approx((53.0, 28.3), abs=0.05)
    curve = points(chart, 0, "published")[:-1]
    assert dot[1] <= min(error for _, error in curve)


def test_densities_are_of_one():
    """Each curve of the population figure holds all players: its area is 1."""
    from prowess.present.theory import density_chart
    from prowess.theory.learning import Gompertz

    (panel,) = density_chart(Gompertz(0.02, 1.0 / 174.0, 1000.0)).panels
    for one in panel.lines:
        area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(one.points))
        assert area / 100.0 == approx(1.0, abs=0.002), one.name


def test_file_of_ratings(tmp_path):
    """A list of ratings is drawn as bars of its counts."""
    table, file = tmp_path / "ratings.csv", tmp_path / "figure.svg"
    table.write_text("rating\n" + "1010\n" * 9 + "1120\n" * 4 + "1230\n" * 2)
    answered("theory", "population", table, "--plot", file)
    bars = [bar for bar in ET.parse(file).iter(f"{SVG}rect") if bar.get("class") == "bar"]
    heights = [float(bar.get("height", 0)) for bar in bars]
    assert heights == approx([heights[0], heights[0] * 4 / 9, heights[0] * 2 / 9], abs=0.1)


def test_logarithmic_axis():
    """A logarithmic axis writes powers of ten, and 2 and 5 times them where there are few."""
    assert [t.text for t in Axis("n", 1.0, 1e6, kind="log").ticks(4)] == [
        "1",
        "100",
        "10,000",
        "1,000,000",
    ]
    assert [t.text for t in Axis("n", 3.0, 70.0, kind="log").ticks(5)] == ["5", "10", "20", "50"]


def test_narrow_figures():
    """Panels stand below one another where the figure is narrow, and no line is lost."""
    line = Line((0.0, 1.0), (0.0, 1.0), name="a")
    flat = Panel(Axis("x", 0.0, 1.0), Axis("y", 0.0, 1.0), (line,), 300.0)
    chart = Chart("t", "d", (flat, flat))
    wide, narrow = chart.layout(720.0), chart.layout(340.0)
    assert narrow.height > 1.8 * (wide.height - 30.0)
    assert wide.marks.count('class="curve"') == narrow.marks.count('class="curve"')


def test_refusals(tmp_path):
    """Another suffix, or a folder that is not there, is refused with what to do."""
    assert ".svg or .png" in refused(2, "theory", "wp", "--plot", tmp_path / "x.pdf")
    done = prowess("theory", "wp", "--plot", tmp_path / "none" / "x.svg")
    assert done.returncode != 0
    assert "make the folder" in done.stderr
