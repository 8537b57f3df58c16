"""The figures of a diagnosis: marks where the numbers say, numbers that plain counting gives."""

from __future__ import annotations

import base64
import hashlib
import re
import xml.etree.ElementTree as ET
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from pytest import approx

import prowess
from prowess.games.names import Roster
from prowess.present.finding_charts import FINDING_CHARTS, finding_chart
from prowess.present.report import render_diagnosis
from prowess.present.svg import Undrawable
from prowess.study.diagnosis.history import ESTABLISHED, replay_league
from prowess.systems.catalogue import find
from tests.cli.command import FOOTBALL, ROOT, answered, refused
from tests.present.test_figures import SVG, ends, marks, parsed, reading
from tests.present.test_report import Page
from tests.study.diagnosis_leagues import ADVANTAGE, agreed, diagnosed, fed, league, two_pools

HOSTILE = {"Ada": "<script>alert(1)</script> \u202egniht", "Ben": "\"' onload=x & ]]> null\x00"}
SHOT = ROOT / "docs" / "figures" / "diagnose_side_advantage.svg"


@pytest.fixture(scope="module")
def table():
    """Players come and go, draws, sides, and two with hostile names who agree on draws."""
    games = agreed(1)
    return games.replace(players=Roster([HOSTILE.get(name, name) for name in games.players]))


@pytest.fixture(scope="module")
def found(table):
    """Its diagnosis."""
    return diagnosed(table, advantage=ADVANTAGE)


def drawable(found):
    """All figures there are."""
    shown = []
    for one in found:
        try:
            shown.append(finding_chart(one))
        except Undrawable:
            continue
    return shown


def test_every_finding_has_a_figure(found):
    """Only rows that stand twice are told and not drawn, and only of what is there."""
    drawn = {one.name for one in found if one.name in FINDING_CHARTS}
    assert {one.name for one in found} - drawn == {"duplicated rows"}
    assert len(drawable(found)) >= len(drawn) - 1  # it may be that nobody wins by turns
    assert len(drawn) >= 14


@pytest.mark.parametrize("width", [720.0, 336.0])
def test_everything_is_within_the_drawing(found, width):
    """Of every figure all marks are inside at both widths, it is XML, and it says what it shows."""
    for figure in drawable(found):
        svg = parsed(figure, width)
        height = float(svg.get("height"))
        assert svg.get("aria-label").startswith(figure.title)
        assert len(figure.description) > 40
        assert figure.data
        for path in svg.iter(SVG + "path"):
            for x, y in ends(path):
                assert -0.1 <= x <= width + 0.1
                assert -0.1 <= y <= height + 0.1
        for one in (*svg.iter(SVG + "circle"), *svg.iter(SVG + "text")):
            x = float(one.get("cx") or one.get("x"))
            assert -0.1 <= x <= width + 0.1


def test_dots_and_bars_lie_where_the_numbers_say(found):
    """Heights of dots and both ends of intervals are the numbers, read off the axis."""
    for name, value in (("side advantage over time", "points"), ("learning by rating", "gain")):
        figure = finding_chart(found[name])
        svg = parsed(figure)
        height = reading(svg, 1)
        dots = [height(float(one.get("cy"))) for one in marks(svg, "circle", "dot")]
        reaches = [tuple(height(y) for _, y in ends(one)) for one in marks(svg, "path", "reach")]
        near = abs(height(0.0) - height(0.2))  # a fifth of a pixel
        assert dots == approx([row[value] for row in figure.data], abs=near)
        expected = [(row["low"], row["high"]) for row in figure.data]
        assert np.array(reaches) == approx(np.array(expected), abs=near)


def test_bars_of_pairs_are_as_long_as_the_numbers(found):
    """The bar of a pair ends at what was counted, its mark stands at what was expected."""
    figure = finding_chart(found["draws of a pair"])
    svg = parsed(figure)
    along = reading(svg, 0)
    near = abs(along(0.0) - along(0.2))
    lengths = [
        along(float(one.get("x")) + float(one.get("width"))) for one in marks(svg, "rect", "bar")
    ]
    placed = [along(float(one.get("x")) + 1.5) for one in marks(svg, "rect", "low")]
    assert lengths == approx([row["draws"] for row in figure.data], abs=near)
    assert placed == approx([row["expected"] for row in figure.data], abs=near)


def test_means_by_span_are_plain_means(table, found):
    """A dot of the inflation is the mean last rating of whoever played as an old hand then."""
    system = find("elo")
    ratings = prowess.rate(table, system, advantage=ADVANTAGE)
    start, width = float(table.time[0]), float(np.ptp(table.time))
    last: dict[int, dict[str, float]] = defaultdict(dict)
    for name in table.players:
        for age, one in enumerate(ratings.history(name)):
            if age >= ESTABLISHED:
                span = min(int(16 * (table.time[one.row] - start) / width), 15)
                last[span][name] = one.after
    for row in found["inflation"].numbers["means"]:
        here = list(last[round(16 * (row["day"] - start) / width - 0.5)].values())
        assert row["players"] == len(here)
        assert row["rating"] == approx(np.mean(here))
        assert row["high"] - row["rating"] == approx(1.96 * np.std(here, ddof=1) / len(here) ** 0.5)


def test_bins_hold_everybody(table, found):
    """Bins of draws hold all judged games, those of the distribution all established players."""
    whole = replay_league(table, find("elo"), params={"advantage": ADVANTAGE})
    bins = found["draws by rating"].numbers["bins"]
    assert sum(row["games"] for row in bins) == int(whole.judged.sum())
    mean = sum(row["games"] * row["draws"] for row in bins) / int(whole.judged.sum())
    assert mean == approx((table.score[whole.judged] == 0.5).mean())
    bars = found["distribution"].numbers["bins"]
    old = whole.final[whole.established]
    for row in bars:
        assert row["players"] == ((old >= row["low"]) & (old < row["high"])).sum()
    assert sum(row["players"] for row in bars) == len(old)
    assert 0.8 * len(old) < sum(row["law"] for row in bars) <= len(old) + 1e-9


def test_side_advantage_by_parts(table, found):
    """The parts are about the 60 points with which the league was made."""
    parts = found["side advantage over time"].numbers["parts"]
    held = sum(row["low"] <= ADVANTAGE <= row["high"] for row in parts)
    assert len(parts) == 10
    assert held >= 7  # of ten intervals of 95 %, from few blocks each


def test_games_of_two_pools():
    """Within, across and within the other are all games, and ten are across."""
    table = two_pools(1)
    one = diagnosed(table)["thin bridges"]
    games = [row["games"] for row in finding_chart(one).data]
    assert games[1] == 10
    assert sum(games) == len(table)
    assert games[0] == games[2] == 6000


def test_without_dates_games_are_counted():
    """A table without dates runs along the number of the game."""
    table = league(3, games=6000, players=60).replace(time=None)
    figure = finding_chart(diagnosed(table)["inflation"])
    assert all(0 < row["game"] < 6000 for row in figure.data)
    assert "game of the table" in figure.to_svg()


def test_page_is_closed_and_whole(found):
    """Names do nothing, nothing is loaded, every finding is told and every link leads somewhere."""
    text = render_diagnosis(found, "<b>Mine</b>")
    read = Page(text)  # fails where elements are not nested
    assert not [one for one in read.elements if one["tag"] in ("script", "b", "img", "link")]
    for one in read.elements:
        assert not [name for name in one["at"] if name.startswith("on") or name == "style"]
    (style,) = re.findall("<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = [one["at"]["content"] for one in read.all("meta") if "http-equiv" in one["at"]]
    assert f"style-src 'sha256-{digest}'" in policy
    for sign in ("\u202e", "\x00"):
        assert sign not in page_words(read)
    ids = [one["at"]["id"] for one in read.elements if "id" in one["at"]]
    assert len(ids) == len(set(ids))
    assert {one["at"]["href"][1:] for one in read.all("a")} <= set(ids)
    told = [one["text"].lower() for one in read.all("h3")]
    assert told == [one.name for one in found]
    assert len(read.all("figure")) == len(drawable(found))
    strong = [one["text"] for one in read.all("strong")]
    assert [text.rstrip(": ").lower() for text in strong] == [one.severity for one in found]
    words = read.all("main")[0]["text"]
    assert all(one.why in words for one in found.skipped)


def page_words(read):
    """What is read on a page outside of names, which are isolated there."""
    return "".join(one["text"] for one in read.all("p"))


def test_the_feeder_is_the_longest_bar():
    """Ada's points from Ben lead, and the second line says from whom."""
    figure = finding_chart(diagnosed(fed(1))["repeated pairs"])
    first = figure.data[0]
    assert ({first["player"], first["opponent"]}, first["games"]) == ({"Ada", "Ben"}, 60)
    svg = ET.fromstring(figure.to_svg())
    texts = [one.text for one in svg.iter(SVG + "text")]
    assert texts.index(first["player"]) + 1 == texts.index(f"and {first['opponent']}")


def test_command_writes_page_and_figure(tmp_path: Path):
    """The figure of the documents is what its command makes; a page of the same has it too."""
    made = tmp_path / "side.svg"
    asked = ("diagnose", FOOTBALL, "--set", "advantage=80", "-q")
    assert answered(*asked, "--plot", "side advantage over time", "-o", made) == ""
    assert made.read_text(encoding="utf-8") == SHOT.read_text(encoding="utf-8")
    answered(*asked, "-o", tmp_path / "page.html")
    read = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert read.all("h1")[0]["text"] == "Diagnosis: international football results"
    assert "Side advantage over time" in [one["text"] for one in read.all("figcaption")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-o", "x.svg"), "--plot"),
        (("-o", "x.html", "--plot", "step"), ".svg"),
        (("--plot", "step"), "-o FILE"),
        (("--plot", "nonsense", "-o", "x.svg"), "draws by rating"),
        (("--json", "-o", "x.html"), "--json"),
    ],
)
def test_command_refuses(words, said):
    """What no file can be made of is refused before any work."""
    assert said in refused(2, "diagnose", "nowhere.csv", *words)
