"""Drawings of pages that one writes by hand: bars of intervals, histories, last results, shares.

A line stretches with its page, letters do not: the plot is an inner picture whose units are shares
of it, words stand in the outer one, in percent across and pixels down.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from prowess.compile.numbers import Floats
from prowess.present.histories import natural_axis
from prowess.present.history_paths import SIDE, HistoryPaths, line_path
from prowess.present.layers import bounds, count_ticks, day_ticks, thin_points, ticks
from prowess.present.rendering import ago
from prowess.present.svg import element, escape_text, isolate_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from prowess.present.histories import Career


CUT_SHARE = 0.1  # of the rows whose intervals may end below the axis
INSET = 2.0  # percent beside the axis of intervals
HEAD_SHARE = 0.36  # of the axis of intervals that a value in its head takes, at the least width
DOT_STEP = 11.5  # pixels from one result of the form to the next
PLOT_TOP, PLOT_HEIGHT, PLOT_BOTTOM = 22.0, 196.0, 244.0  # pixels of a drawing of histories
PLOT_END = 960  # units across at which a history ends, before its number
SEASON_END, NAMED, LABEL_STEP, LABEL_LETTERS = 730.0, 3, 17.0, 14
LINE_STYLES = ("", "second", "third")  # classes of lines
CAREER_COLUMNS = 130  # of which the first, the last, the lowest and the highest point are kept
GAP_DAYS = 45.0  # a longer pause is dotted
TIME_TICKS = 6
OUTCOMES = ("lost", "drew", "won")


@dataclass(frozen=True)
class BarScale:
    """The axis of a table's intervals, from its lowest to its highest rating."""

    low: float
    high: float

    @classmethod
    def around(cls, ends: Floats) -> BarScale:
        """The scale that holds the rows, [rows, 3] rating, low and high; a few may begin below."""
        ends = ends[np.isfinite(ends).all(axis=1)]
        if not len(ends):
            return cls(0.0, 1.0)
        lowest = float(np.quantile(ends.min(axis=1), CUT_SHARE))
        return cls(*bounds(lowest, float(ends.max()), 10))

    def place(self, value: float) -> str:
        """Where a value stands, in percent; beyond the axis at its end."""
        share = min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        return f"{INSET + (100.0 - 2.0 * INSET) * share:.1f}%"

    def draw(
        self, rating: float, interval: tuple[float, float] | None, label: str, style: str = ""
    ) -> Markup:
        """The interval as a bar, the rating as a dot, beyond the axis as an arrow."""
        if interval is None or not np.isfinite((*interval, rating)).all():
            return _markup("")
        marks = element("line", x1=self.place(interval[0]), x2=self.place(interval[1]))
        if self.low <= rating <= self.high:
            marks += element("circle", cx=self.place(rating))
        else:
            arrow = "\N{LEFTWARDS ARROW}" if rating < self.low else "\N{RIGHTWARDS ARROW}"
            marks = element("text", arrow, x=self.place(rating), y="12", text_anchor="middle")
        return _markup(
            element("svg", marks, class_=f"interval{style}", role="img", aria_label=label)
        )

    def draw_head(self, level: float) -> Markup:
        """The values of the axis, for the head of the column."""
        for count in (3, 5):  # two values or more make a scale
            inner = [
                tick
                for tick in ticks(self.low, self.high, count)
                if self.low < tick.value < self.high
            ]
            if len(inner) > 1:
                break
        if len(inner) > 2 and inner[1].value - inner[0].value < HEAD_SHARE * (self.high - self.low):
            inner = inner[:: len(inner) - 1]  # the others would stand in one another
        words = "".join(
            element(
                "text", escape_text(tick.text), x=self.place(tick.value), y="12",
                text_anchor="middle",
            )
            for tick in inner
        )  # fmt: skip
        label = f"{level:.0%} interval, scale from {self.low:g} to {self.high:g}"
        return _markup(
            element("svg", words, class_="figure interval", role="img", aria_label=label)
        )


def draw_spark(paths: HistoryPaths, one: Career | None) -> Markup:
    """The history of a player on the common axis of time."""
    if one is None:
        return _markup("")
    best = int(one.rating.argmax())
    when = "" if one.time is None else f" on {ago(float(one.time[best]))}"
    marks = element("path", class_="curve", d=paths.paths[one.player])
    marks += element("path", class_="end", d=paths.ends[one.player])
    label = f"highest {one.rating[best]:.{paths.digits}f}{when}"
    return _markup(
        element("svg", marks, class_="spark", role="img", aria_label=label,
                viewBox=paths.views[one.player], preserveAspectRatio="none")
    )  # fmt: skip


def draw_form(scores: Sequence[float] | Floats) -> Markup:
    """The last scores as dots, the oldest left: won is full, drawn is half, lost a ring.

    Other scores count as the nearest. The dots are symbols that `form_symbols` of `icons.html` puts
    on the page.
    """
    if not len(scores):
        return _markup("")
    outcomes = (1 + np.sign(np.asarray(scores) - 0.5)).astype(np.int64).tolist()
    dots = "".join(
        f'<use href="#{OUTCOMES[one]}" x="{DOT_STEP * k:g}"/>' for k, one in enumerate(outcomes)
    )
    label = f"last {len(outcomes)}: {' '.join('LDW'[one] for one in outcomes)}"
    width = DOT_STEP * len(outcomes)
    return _markup(
        element("svg", dots, class_="form", role="img", aria_label=label, width=width, height=12.0)
    )


@dataclass(frozen=True)
class CareerPlot:
    """The place of times and ratings in a drawing of histories."""

    first: float
    last: float
    scale: BarScale
    end: float = PLOT_END

    @classmethod
    def around(cls, found: Sequence[Career], against: str, z: float) -> CareerPlot:
        """The plot that holds these histories, and the usual reach of their bands."""
        low = min(float(one.rating.min()) for one in found)
        high = max(float(one.rating.max()) for one in found)
        for one in found:
            if one.deviation is not None:
                reach = z * float(np.median(one.deviation))
                low = min(low, float(one.rating.min()) - reach)
                high = max(high, float(one.rating.max()) + reach)
        places = [one.places(against) for one in found]
        first, last = min(each[0] for each in places), max(each[-1] for each in places)
        return cls(float(first), float(max(last, first + 1e-9)), BarScale(*bounds(low, high, 5)))

    def x(self, place: Floats) -> Floats:
        """Units from the left."""
        return (place - self.first) * (self.end / (self.last - self.first))

    def y(self, rating: Floats) -> Floats:
        """Units from the top."""
        return (self.scale.high - rating) * (SIDE / (self.scale.high - self.scale.low))

    def down(self, rating: float) -> float:
        """Pixels from the top of the drawing."""
        return PLOT_TOP + float(self.y(np.array(rating))) * (PLOT_HEIGHT / SIDE)

    def read_marks(self, named: Sequence[Career], against: str) -> dict[str, str]:
        """What a script needs to read the lines: the axes in units, the players of several."""
        span = (self.last - self.first) * SIDE / self.end
        marks = {"first": self.first, "last": self.first + span, "low": self.scale.low,
                 "high": self.scale.high}  # fmt: skip
        found = {f"data_{name}": f"{value:.7g}" for name, value in marks.items()}
        if against == "date":
            found["data_dated"] = "1"
        if len(named) > 1:
            found["data_names"] = "\n".join(one.player for one in named)
        return found

    def path(self, x: Floats, y: Floats) -> str:
        """A line through points, in whole units."""
        pairs = zip(
            x.round().astype(np.int64).tolist(), y.round().astype(np.int64).tolist(), strict=True
        )
        return line_path(pairs)


def draw_careers(
    found: Sequence[Career],
    label: str,
    z: tuple[float, float] = (0.0, 0.0),
    digits: int = 0,
    peak: float = np.nan,
) -> Markup:
    """The histories of one player, with bands of z deviations and a ring at the peak, or of two."""
    against = natural_axis(found)
    plot = CareerPlot.around(found, against, z[1] if len(found) == 1 else 0.0)
    inner, words = _level_marks(plot, 4 if len(found) == 1 else 3)
    for number, one in enumerate(found):
        style = " second" if number else ""
        place = one.places(against)
        kept = thin_points(place, one.rating, CAREER_COLUMNS)
        x, y = plot.x(place[kept]), plot.y(one.rating[kept])
        if one.deviation is not None and len(found) == 1:
            for reach in reversed(z):
                half = reach * one.deviation[kept]
                edge = plot.y(one.rating[kept] + half), plot.y(one.rating[kept] - half)
                band = plot.path(np.append(x, x[::-1]), np.append(edge[0], edge[1][::-1]))
                inner += element("path", class_="band", d=f"{band}z")
        apart = np.diff(place[kept]) > GAP_DAYS if against == "date" else np.zeros(len(x) - 1, bool)
        for part in np.split(np.arange(len(x), dtype=np.int64), np.flatnonzero(apart) + 1):
            if len(part) > 1:
                inner += element("path", class_=f"curve{style}", d=plot.path(x[part], y[part]))
        for at in np.flatnonzero(apart).tolist():
            pair = slice(at, at + 2)
            inner += element("path", class_=f"gap{style}", d=plot.path(x[pair], y[pair]))
        beneath = len(found) > 1 and one.rating[-1] == min(each.rating[-1] for each in found)
        words += _end_marks(plot, one, against, digits, style, peak=peak, beneath=beneath)
    return _frame_careers(plot, inner, words, label, found, against)


def draw_season(found: Sequence[Career], digits: int) -> Markup | None:
    """The histories of many on one plot: the first three named at their ends, the others faint."""
    found = [one for one in found if one.games]
    if not found or any(one.time is None for one in found):
        return None
    plot = replace(CareerPlot.around(found, "date", 0.0), end=SEASON_END)
    inner, words = _level_marks(plot, 3)
    room = PLOT_TOP - LABEL_STEP
    named = sorted(found[:NAMED], key=lambda one: -float(one.rating[-1]))
    for number, one in reversed(list(enumerate(found))):
        place = one.places("date")
        kept = thin_points(place, one.rating, CAREER_COLUMNS)
        style = f"curve {LINE_STYLES[number]}".strip() if number < NAMED else "ghost"
        path = plot.path(plot.x(place[kept]), plot.y(one.rating[kept]))
        inner += element("path", class_=style, d=path)
    for one in named:
        down = plot.down(float(one.rating[-1]))
        room = max(down + 4.0, room + LABEL_STEP)
        x = f"{SEASON_END * 100.0 / SIDE:.1f}%"
        style = f"dot {LINE_STYLES[found.index(one)]}".strip()
        words += element("circle", class_=style, cx=x, cy=down, r=3.5)
        words += element("text", escape_text(shorten(one.player)), class_="strong", y=room,
                         x=f"{SEASON_END * 100.0 / SIDE + 2.0:.1f}%")  # fmt: skip
    names = ", ".join(f"{isolate_name(one.player)} {one.rating[-1]:.{digits}f}" for one in named)
    label = f"ratings over time; now {names}"
    return _frame_careers(plot, inner, words, label, found[:NAMED], "date", " season")


def _level_marks(plot: CareerPlot, count: int) -> tuple[str, str]:
    """Lines at about so many ratings, for the picture, and the ratings in words."""
    levels = ticks(plot.scale.low, plot.scale.high, count)
    lines = (
        element("path", class_="rule", d=f"M0 {float(plot.y(np.array(one.value))):.0f}H{SIDE}")
        for one in levels
    )
    words = (
        element("text", escape_text(one.text), x="0", y=plot.down(one.value) - 4.0)
        for one in levels
    )
    return "".join(lines), "".join(words)


def _frame_careers(
    plot: CareerPlot, inner: str, words: str, label: str, named: Sequence[Career], against: str,
    more: str = "",
) -> Markup:  # fmt: skip
    """The drawing of histories: the picture, which stretches, with words and the axis of time."""
    picture = element(
        "svg", inner, viewBox=f"0 0 {SIDE} {SIDE}", preserveAspectRatio="none", width="100%",
        height=PLOT_HEIGHT, y=PLOT_TOP,
    )  # fmt: skip
    return _markup(
        element("svg", picture, words, _time_marks(plot, against), class_=f"figure career{more}",
                role="img", aria_label=label, width="100%", height=PLOT_BOTTOM,
                **plot.read_marks(named, against))
    )  # fmt: skip


def shorten(name: str) -> str:
    """A name that fits beside a drawing."""
    return name if len(name) <= LABEL_LETTERS else f"{name[: LABEL_LETTERS - 1].rstrip()}…"


def _end_marks(
    plot: CareerPlot,
    one: Career,
    against: str,
    digits: int,
    style: str,
    *,
    peak: float,
    beneath: bool,
) -> str:
    """The rating now as a dot, and the highest as a ring, with their words."""
    place, marks = one.places(against), ""
    best = int(one.rating.argmax())

    def across(at: int) -> str:
        return f"{float(plot.x(place[at : at + 1])[0]) * 100.0 / SIDE:.1f}%"

    if np.isfinite(peak) and 0 < best < len(place) - 1:
        down = plot.down(float(one.rating[best]))
        marks += element("circle", class_="ring", cx=across(best), cy=down, r=4.0)
        text = f"Peak {peak:.{digits}f}"
        anchor = "start" if plot.x(place[best : best + 1])[0] < 80.0 else "middle"
        marks += element("text", escape_text(text), class_="strong", x=across(best), y=down - 10.0,
                         text_anchor=anchor)  # fmt: skip
    last = len(place) - 1
    down = plot.down(float(one.rating[last]))
    marks += element("circle", class_=f"dot{style}", cx=across(last), cy=down, r=4.0)
    return marks + element(
        "text", f"{one.rating[last]:.{digits}f}", class_="strong", x=across(last),
        y=down + 19.0 if beneath else down - 9.0,
        text_anchor="middle",
    )  # fmt: skip


def _time_marks(plot: CareerPlot, against: str) -> str:
    """The axis of time, or of games, with its words."""
    if against == "date":
        marks = day_ticks(plot.first, plot.last, TIME_TICKS)
    else:
        marks = count_ticks(int(plot.last), TIME_TICKS)
    words = element(
        "line", class_="edge", x1="0", x2="100%", y1=PLOT_BOTTOM - 22.0, y2=PLOT_BOTTOM - 22.0
    )
    for number, one in enumerate(marks):
        at = float(plot.x(np.array(one.value))) * 100.0 / SIDE
        if 0.0 <= at <= 97.0:
            other = " wider" if number % 2 else ""
            anchor = "middle" if at > 3.0 else "start"
            words += element("text", escape_text(one.text), class_=f"time{other}", x=f"{at:.1f}%",
                             y=PLOT_BOTTOM - 6.0, text_anchor=anchor)  # fmt: skip
    return words


def draw_move(change: float, most: float) -> Markup:
    """A change as a bar from a line in the middle."""
    width = 50.0 * min(abs(change) / most, 1.0) if most else 0.0
    at = 50.0 if change >= 0.0 else 50.0 - width
    bar = element("rect", class_="rose" if change >= 0.0 else "fell", x=f"{at:.1f}%", y="4",
                  width=f"{width:.1f}%", height="10", rx="2")  # fmt: skip
    middle = element("path", class_="edge", d="M0 0V18")
    line = element("svg", middle, x="50%", width="1", height="18", overflow="visible")
    return _markup(element("svg", line, bar, class_="mover", aria_hidden="true"))


def _markup(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(text)
