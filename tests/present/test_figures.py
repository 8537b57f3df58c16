"""Figures: a mark lies where its value says, and the numbers are those of the library."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytest import approx

import prowess
from prowess.engine.fit import NoModel
from prowess.games.arguments import BadArgument
from prowess.present.figures import (
    activity,
    behind_the_best,
    distribution,
    head_to_head,
    histories,
    leaders,
    reliability,
)
from prowess.present.histories import careers
from prowess.present.listing import Listing
from prowess.present.svg import DIRECTION_CONTROLS, FONTS, PALETTE, Undrawable
from prowess.study.backtest import backtest, base_rate_backtest
from prowess.study.compare import calibration, compare
from prowess.systems.catalogue import find
from tests.refusals import refused

SVG = "{http://www.w3.org/2000/svg}"
FOOTBALL = Path(prowess.__file__).parent / "cli" / "data" / "football.csv"
EVERYBODY = Listing()
HOSTILE = [
    "<script>alert(1)</script>",
    "O\"Neil & 'co",
    "\u202emohammed\u202c محمد",
    "fox \U0001f98a",
    "null\x00 bell\x07",
    "]]> --> &#x3c;",
]


@pytest.fixture(scope="module")
def games():
    """Six hundred matches."""
    return prowess.read_games(FOOTBALL)


@pytest.fixture(scope="module")
def ratings(games):
    """Under Glicko, game by game, so that there are bands."""
    return prowess.rate(games, "glicko", period="1mo")


@pytest.fixture(scope="module")
def tests(games):
    """Two backtests of the matches."""
    return [backtest(games, find("elo")), base_rate_backtest(games)]


@pytest.fixture(scope="module")
def every(games, ratings, tests):
    """One figure of each kind."""
    return [
        histories(ratings),
        histories(ratings, against="game"),
        leaders(ratings),
        distribution(ratings),
        reliability(tests[0]),
        behind_the_best(compare(tests)),
        activity(games),
        head_to_head(ratings),
    ]


def parsed(figure, width=720.0):
    """The drawing as XML."""
    return ET.fromstring(figure.to_svg(width))


def marks(svg, name, class_):
    """Elements of a kind."""
    return [one for one in svg.iter(SVG + name) if one.get("class") == class_]


def ends(path):
    """The first and last point of a line."""
    points = re.findall(r"(-?[\d.]+) (-?[\d.]+)", path.get("d"))
    return tuple(map(float, points[0])), tuple(map(float, points[-1]))


def reading(svg, along):
    """From pixels to values, as a reader of the axis does: by two of its ticks and their words.

    `along` is 0 for the horizontal axis, whose grid lines are vertical, 1 for the other.
    """
    lines = sorted(
        {
            a[along]
            for one in marks(svg, "path", "rule")
            for a, b in [ends(one)]
            if a[along] == b[along]
        }
    )
    texts = [t for t in svg.iter(SVG + "text") if re.fullmatch(r"-?[\d.,]+%?", t.text or "")]
    values = []
    for at in lines:
        near = [t for t in texts if abs(float(t.get("xy"[along])) - at - 4.0 * along) < 0.11
                and (along == 0) == (t.get("text-anchor") == "middle")]  # fmt: skip
        values += [(at, float(t.text.replace(",", "").rstrip("%"))) for t in near[:1]]
    (p0, v0), (p1, v1) = values[0], values[-1]
    assert p0 != p1
    return lambda pixel: v0 + (pixel - p0) * (v1 - v0) / (p1 - p0)


def test_career_is_the_history(games):
    """A career is the ratings before every game as `history` explains them, then the one now."""
    ratings = prowess.rate(games, "elo")
    for one in careers(ratings, ["Brazil", "France"]):
        assert one.time is not None
        steps = ratings.history(one.player).steps
        assert one.rating[:-1].tolist() == approx([step.before for step in steps], abs=1e-9)
        assert one.time[:-1].tolist() == [step.time for step in steps]
        assert one.rating[-1] == ratings[one.player].rating


def test_career_of_contests():
    """A career in contests has a row a contest, and ends at the rating now."""
    table = prowess.read_games(
        {
            "contest": [1, 1, 1, 2, 2, 3, 3, 3],
            "player": list("abcbcacb"),
            "place": [1, 2, 3, 1, 2, 1, 2, 3],
        }
    )
    ratings = prowess.rate(table, "elo")
    (one,) = careers(ratings, ["b"])
    steps = ratings.history("b").steps
    assert one.games == 3
    assert one.rating.tolist()[:2] == approx(
        [steps[0].before, steps[2].before]
    )  # two opponents first
    assert one.rating[-1] == ratings["b"].rating


def test_career_has_the_deviation(ratings):
    """It begins with a newcomer's deviation and ends with the one now, aged to the last day."""
    (one,) = careers(ratings, ["Brazil"])
    assert one.deviation is not None
    assert one.deviation[0] == 350.0  # Glickman's for a newcomer
    assert one.deviation[-1] == ratings["Brazil"].deviation
    assert one.rating[-1] == ratings["Brazil"].rating


def test_leaders_lie_where_their_ratings_say(ratings):
    """Read off the axis, every dot is the player's rating and every bar his 95 % interval."""
    figure = leaders(ratings, 15, listing=EVERYBODY)
    svg = parsed(figure)
    value = reading(svg, 0)
    unit = abs(value(1.0) - value(0.0)) * 0.06  # coordinates are tenths of a pixel
    board = ratings.leaderboard(15).rows()
    dots = marks(svg, "circle", "dot")
    bars = [ends(one) for one in marks(svg, "path", "reach")]
    assert len(dots) == len(bars) == 15
    for row, dot, (left, right) in zip(board, dots, bars, strict=True):
        reach = 1.959964 * row["deviation"]  # the normal distribution's 97.5 % quantile
        assert value(float(dot.get("cx"))) == approx(row["rating"], abs=2 * unit)
        assert value(left[0]) == approx(row["rating"] - reach, abs=2 * unit)
        assert value(right[0]) == approx(row["rating"] + reach, abs=2 * unit)
        assert left[1] == right[1] == float(dot.get("cy"))


def test_ranks_that_results_leave_open():
    """Two far apart are told apart, two close are not: the rank interval says both."""
    games = prowess.read_games(
        {
            "player_a": ["a"] * 30 + ["b"] * 30 + ["a", "b"] * 6,
            "player_b": ["c"] * 60 + ["b", "a"] * 6,
            "result": [1] * 60 + [1, 1, 0.5] * 4,
        }
    )
    ratings = prowess.rate(games, "glicko2", period=None, compiled=False)
    from prowess.present.listing import certainty

    sure = certainty(ratings)
    assert [sure.ranking.ranks_of(ratings.index(p)) for p in "abc"] == [(1, 2), (1, 2), (3, 3)]


def test_history_ends_at_the_rating_now(ratings):
    """Read off the axis, the last dot of every panel is the rating now."""
    svg = parsed(histories(ratings, ["Brazil"]))
    value = reading(svg, 1)
    (dot,) = marks(svg, "circle", "dot")
    unit = abs(value(1.0) - value(0.0)) * 0.06
    assert value(float(dot.get("cy"))) == approx(ratings["Brazil"].rating, abs=2 * unit)


def test_history_line_reaches_its_peak():
    """However narrow the drawing, the highest point of the line is the highest rating."""
    rng = np.random.default_rng(1)
    days = [str(day) for day in np.datetime64("2000-01-01") + np.arange(4000)]
    table = {"date": days, "player_a": ["a"] * 4000, "player_b": ["b"] * 4000,
             "result": rng.integers(0, 2, 4000).tolist()}  # fmt: skip
    figure = histories(prowess.rate(prowess.read_games(table), "elo"), ["a"])
    best = max(row["rating"] for row in figure.data)
    for width in (240.0, 900.0):
        svg = parsed(figure, width)
        (curve,) = marks(svg, "path", "curve")
        points = re.findall(r"(-?[\d.]+) (-?[\d.]+)", curve.get("d"))
        assert len(points) < 4000
        value = reading(svg, 1)
        unit = abs(value(1.0) - value(0.0)) * 0.12
        assert value(min(float(y) for _, y in points)) == approx(best, abs=unit)


def test_history_shows_gaps():
    """A long pause is dotted, and said; without one nothing is."""
    even = [f"2020-{month:02d}-01" for month in range(1, 13)]
    paused = [*even[:6], *(f"2024-{month:02d}-01" for month in range(1, 7))]
    for dates, gaps in ((even, 0), (paused, 1)):
        table = {
            "date": dates,
            "player_a": ["a"] * 12,
            "player_b": ["b"] * 12,
            "result": [1, 0] * 6,
        }
        ratings = prowess.rate(prowess.read_games(table), "elo")
        figure = histories(ratings, ["a"])
        assert len(marks(parsed(figure), "path", "gap")) == gaps


@pytest.mark.parametrize(
    ("file", "error", "told"),
    [
        (None, BadArgument, ("not_a_file", "chart.svg", "None")),
        ("no/such/folder/x.svg", Undrawable, ("no_such_folder", "no/such/folder")),
        ("x.gif", Undrawable, ("wrong_suffix",)),
    ],
)
def test_charts_that_cannot_be_saved(ratings, file, error, told):
    """A chart needs the name of a file, in a folder that exists, as SVG or PNG."""
    with refused(error, told[0], about=told[1:]):
        distribution(ratings).save(file)


def test_history_without_a_past(games):
    """A system that looks at everything at once has no history, and a table no dates to draw by."""
    whole_table = prowess.rate(games, "map")
    with refused(NoModel, "no_history", about="history"):
        histories(whole_table)
    table = {"player_a": ["a", "b"], "player_b": ["b", "a"], "result": [1, 0]}
    undated = prowess.rate(prowess.read_games(table), "elo")
    assert "by number of the game" in histories(undated).title
    with refused(Undrawable, "no_dates"):
        histories(undated, against="date")
    with refused(Undrawable, "no_dates"):
        activity(undated.table)


def test_distribution_counts_everybody(ratings):
    """Every player stands in the bar of his rating, counted one by one; heights are the counts."""
    figure = distribution(ratings)
    rating = [row["rating"] for row in ratings.leaderboard().rows()]
    for row in figure.data:
        assert row["players"] == sum(row["low"] <= one < row["high"] for one in rating)
    assert sum(row["players"] for row in figure.data) == len(rating)
    assert f"Median {np.median(rating):.1f}" in figure.description
    bars = marks(parsed(figure), "rect", "bar")
    counts = [row["players"] for row in figure.data if row["players"]]
    tall = [float(bar.get("height")) for bar in bars]
    assert np.array(tall) / tall[0] == approx(np.array(counts) / counts[0], rel=0.05)


def test_distribution_of_equals():
    """Players of one rating make one bar."""
    table = {"player_a": ["a"], "player_b": ["b"], "result": [0.5]}
    figure = distribution(prowess.rate(prowess.read_games(table), "elo"))
    assert [row["players"] for row in figure.data if row["players"]] == [2]


def test_reliability_lies_where_it_says(tests):
    """Read off the axis, every dot is the score of its bin, and its bar the interval."""
    figure = reliability(tests[0])
    svg = parsed(figure)
    value = reading(svg, 1)
    rows = calibration(tests[0]).rows()
    assert figure.data == rows
    unit = abs(value(1.0) - value(0.0)) * 0.12
    for row, dot, bar in zip(
        rows, marks(svg, "circle", "dot"), marks(svg, "path", "reach"), strict=True
    ):
        assert value(float(dot.get("cy"))) == approx(100 * row["score"], abs=unit)
        assert value(ends(bar)[0][1]) == approx(100 * row["low"], abs=unit)
        assert value(ends(bar)[1][1]) == approx(100 * row["high"], abs=unit)


def test_comparison_lies_where_it_says(tests):
    """Read off the axis, dots are the distances from the best, who stands on the zero line."""
    comparison = compare(tests)
    svg = parsed(behind_the_best(comparison))
    value = reading(svg, 0)
    unit = abs(value(1.0) - value(0.0)) * 0.12
    dots = marks(svg, "circle", "dot")
    for entry, dot in zip(comparison, dots, strict=True):
        assert value(float(dot.get("cx"))) == approx(entry.behind.mean, abs=unit)
    zero = [a for one in marks(svg, "path", "edge") for a, b in [ends(one)] if a[0] == b[0]]
    assert any(value(x) == approx(0.0, abs=unit) for x, _ in zero)


@pytest.mark.parametrize(
    ("count", "unit", "letters"), [(2000, "year", 4), (600, "month", 7), (30, "day", 10)]
)
def test_activity_counts_every_game(count, unit, letters):
    """Games by year, in short tables by month or day, are those counted one by one."""
    days = [str(day) for day in np.datetime64("2019-11-20") + np.arange(0, count, 3)]
    table = {"date": days, "player_a": ["a"] * len(days), "player_b": ["b"] * len(days),
             "result": [1] * len(days)}  # fmt: skip
    figure = activity(prowess.read_games(table))
    found = {row[unit]: row["games"] for row in figure.data if row["games"]}
    assert found == Counter(day[:letters] for day in days)


def test_head_to_head_counts_every_game(games, ratings):
    """Scores of pairs are the mean results of their games, counted one by one."""
    names = ratings.leaderboard(30).columns["player"]
    figure = head_to_head(ratings, players=names)
    slowly: dict[tuple[str, str], list[float]] = {}
    for a, b, score in zip(games.a.tolist(), games.b.tolist(), games.score.tolist(), strict=True):
        pair = games.players[a], games.players[b]
        slowly.setdefault(pair, []).append(score)
        slowly.setdefault(pair[::-1], []).append(1.0 - score)
    assert figure.data
    for row in figure.data:
        scores = slowly.pop((row["player"], row["opponent"]))
        assert (row["games"], row["score"]) == (len(scores), approx(np.mean(scores)))
        del slowly[row["opponent"], row["player"]]
    assert not [pair for pair in slowly if set(pair) <= set(names)]


def test_every_figure_is_described(every):
    """A figure has a title, a description, an accessible name, and numbers behind it."""
    for figure in every:
        svg = parsed(figure)
        assert svg.get("role") == "img"
        assert svg.find(SVG + "title").text == figure.title
        assert svg.find(SVG + "desc").text == figure.description
        assert figure.title in svg.get("aria-label")
        assert figure.data
        assert not [one for one in svg.iter() if one.get("style") or one.get("href")]
        assert svg.find(SVG + "script") is None


def test_words_stay_inside(every):
    """No word begins left of the drawing or ends right of it, on a screen and on a phone."""
    from prowess.present.svg import text_width

    for figure in every:
        for width in (340.0, 720.0):
            for text in parsed(figure, width).iter(SVG + "text"):
                x, size = float(text.get("x")), 0.85 * text_width(text.text, 12.0)
                part = {None: 0.0, "middle": 0.5, "end": 1.0}[text.get("text-anchor")]
                assert x - part * size >= -2.0, (figure.title, width, text.text)
                assert x + (1.0 - part) * size <= width + 2.0, (figure.title, width, text.text)


def test_hostile_names_are_text():
    """Whatever a name holds, the drawing is well-formed XML and the name in it is text."""
    table = {
        "player_a": HOSTILE * 2,
        "player_b": HOSTILE[1:] + HOSTILE[:1] + HOSTILE[2:] + HOSTILE[:2],
        "result": [1, 0.5, 0, 1, 1, 0] * 2,
    }
    ratings = prowess.rate(prowess.read_games(table), "elo")
    for figure in (
        histories(ratings, HOSTILE),
        leaders(ratings, listing=EVERYBODY),
        head_to_head(ratings, players=HOSTILE),
    ):
        svg = parsed(figure)
        text = ET.tostring(svg, encoding="unicode")
        assert "&lt;script&gt;" in text
        assert svg.find(f".//{SVG}script") is None
        assert "\u202e" not in text
        assert not re.search("[\x00\x07\ud800-\udfff]", text)


def test_themes():
    """One theme has plain colours, both have variables and a rule for dark devices."""
    table = {"player_a": ["a", "b"], "player_b": ["b", "a"], "result": [1, 0]}
    figure = leaders(prowess.rate(prowess.read_games(table), "elo"), listing=EVERYBODY)
    for k, theme in enumerate(("light", "dark")):
        text = figure.to_svg(theme=theme)
        assert "var(" not in text
        assert PALETTE["paper"][k] in text
        assert PALETTE["data"][1 - k] not in text
    assert "prefers-color-scheme:dark" in figure.to_svg()


def test_png(ratings):
    """A PNG has the size that was asked for, and differs between light and dark."""
    pytest.importorskip("resvg_py", reason="PNG needs the extra report")
    figure = distribution(ratings)
    image = figure.to_png(400.0, 2.0)
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(image[16:20], "big") == 800  # IHDR: width, then height
    assert int.from_bytes(image[20:24], "big") == round(2 * figure.sheet(400.0).height)
    assert image != figure.to_png(400.0, 2.0, "dark")


def test_files_say_what_they_show(every):
    """A file has the title, what there is to see and the source, inside of margins."""
    for figure in every:
        svg = parsed(replace(figure, source="A & B, <CC0>"), 480.0)
        texts = [one for one in svg if one.tag == SVG + "text"]
        by = {class_: " ".join(t.text for t in texts if t.get("class") == class_)
              for class_ in ("title", "subtitle", None)}  # fmt: skip
        assert by["title"] == DIRECTION_CONTROLS.sub("", figure.title)
        says = DIRECTION_CONTROLS.sub("", figure.subtitle or figure.says)
        assert says.startswith(by["subtitle"].rstrip("…"))
        assert by["subtitle"].endswith((".", "…"))
        assert by[None] == "Data: A & B, <CC0>"
        assert {float(one.get("x")) for one in texts} == {24.0}
        width, height = (float(svg.get(name)) for name in ("width", "height"))
        assert width == 480.0
        assert max(float(one.get("y")) for one in texts) <= height - 24.0
        assert "Data:" not in figure.to_svg()


def test_letters_are_the_shipped_ones(ratings):
    """A PNG of plain names is the same on a computer without any font."""
    resvg = pytest.importorskip("resvg_py", reason="PNG needs the extra report")
    figure = replace(distribution(ratings), title="Łódź Ünïted, Ωmega, Динамо")
    files = [str(one) for one in sorted(FONTS.glob("*.otf"))]
    assert [Path(one).name for one in files] == ["Inter-Regular.otf", "Inter-SemiBold.otf"]
    alone = resvg.svg_to_bytes(svg_string=figure.to_svg(theme="light"), zoom=1.0, font_files=files,
                               font_family="Inter", sans_serif_family="Inter",
                               skip_system_fonts=True)  # fmt: skip
    assert figure.to_png(scale=1.0) == bytes(alone)
    assert "SIL OPEN FONT LICENSE" in (FONTS / "OFL.txt").read_text(encoding="utf-8")


def test_png_without_the_extra(ratings, monkeypatch):
    """Without the extra the error says how to install it, and that SVG needs none."""
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'prowess\[report\]'.*\.svg"):
        distribution(ratings).to_png()


def test_notebooks_show_an_image(ratings):
    """In a notebook a figure is an image with a text for those who cannot see it."""
    shown = ET.fromstring(distribution(ratings)._repr_html_())
    assert shown.tag == "img"
    assert "Median" in shown.get("alt", "")
