"""Drawings that stretch with a page: histories on a grid, bars of intervals, last results, changes.

A page holds the history of every player once, as the path of a line: whole numbers, relative to
the point before. The same path is a sparkline in its row, a small multiple, and what the script
of the page draws for any two players. Strokes keep their width when a drawing is stretched, so one
drawing serves all widths. Letters do not stretch: the grid is an inner picture, words stand in the
outer one, in percent across and pixels down.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import numpy as np
from markupsafe import Markup

from prowess.compile.numbers import Floats, Ids
from prowess.games.dates import format_day
from prowess.present.histories import natural_axis
from prowess.present.layers import (
    bounds,
    count_decimals,
    count_ticks,
    day_ticks,
    thin_points,
    ticks,
)
from prowess.present.rendering import ago
from prowess.present.svg import element, escape_text, isolate_name

if TYPE_CHECKING:
    from prowess.present.histories import Career


SIDE = 1000  # units of the grid, across and upward
GRID_COLUMNS = 250  # in which a line keeps its extremes before it is simplified
FINEST = 5.0  # units by which a simplified line may differ from the ratings
MAX_POINTS = 13_500  # of all histories of a page
LEADERS = 25  # players whose histories are as fine as that, whatever the others cost
FLATTEST = 60  # units: the least height of a sparkline, so that noise stays flat
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


def measure_points(x: Floats, y: Floats, finest: float) -> Floats:
    """How much of a line each point is worth, in units of y, [points].

    A line through the points that are worth more than a tolerance stays within it of every y, for
    any tolerance from `finest` on. Both ends are worth infinitely much. The algorithm of D. H.
    Douglas and T. K. Peucker, "Algorithms for the reduction of the number of points required to
    represent a digitized line or its caricature", Cartographica 10 (1973), with distances along y;
    a point is worth no more than those between which it was found.
    """
    worth = np.zeros(len(x))
    worth[[0, -1]] = np.inf
    open_parts = [(0, len(x) - 1, np.inf)]
    while open_parts:
        first, last, most = open_parts.pop()
        if last - first < 2:
            continue
        inside = slice(first + 1, last)
        width = x[last] - x[first]
        share = (x[inside] - x[first]) / width if width > 0.0 else 0.0
        distance = np.abs(y[inside] - y[first] - share * (y[last] - y[first]))
        at = int(distance.argmax())
        if distance[at] > finest:
            middle = first + 1 + at
            worth[middle] = most = min(most, float(distance[at]))
            open_parts += [(first, middle, most), (middle, last, most)]
    return worth


def line_path(points: Iterable[tuple[int, int]]) -> str:
    """A line through points of the grid; equal neighbours are one point."""
    (x, y), *rest = points
    text, first = f"M{x} {y}", True
    for at, up in rest:
        dx, dy = at - x, up - y
        if dx or dy:
            text += f"{'l' if first else '' if dx < 0 else ' '}{dx}{'' if dy < 0 else ' '}{dy}"
            x, y, first = at, up, False
    return text if not first else f"{text}h0"


class MeasuredLine(NamedTuple):
    """Points of the grid, and what each is worth; see `measure_points`."""

    places: Ids  # [points, 2]
    worth: Floats

    def thin(self, tolerance: float = FINEST) -> list[tuple[int, int]]:
        """The points of which a line within a tolerance is made."""
        return [(at, down) for at, down in self.places[self.worth > tolerance].tolist()]


@dataclass(frozen=True)
class HistoryGrid:
    """The time and the ratings that a picture spans: days by `date`, numbers of games by `game`.

    The last of the time stands `end` units from the left.
    """

    first: float
    last: float
    low: float
    high: float
    against: Literal["date", "game"]
    end: float = SIDE

    @classmethod
    def around(
        cls,
        found: Sequence[Career],
        against: Literal["date", "game"] | None = None,
        *,
        count: int = 8,
        z: float = 0.0,
        end: float = SIDE,
    ) -> HistoryGrid:
        """The grid that holds all histories, and the usual reach of bands of z deviations.

        Its ratings are cut into about `count` round steps.
        """
        against = against or natural_axis(found)
        places = [one.places(against) for one in found]
        first, last = min(one[0] for one in places), max(one[-1] for one in places)
        reach = [
            z * float(np.median(one.deviation)) if z and one.deviation is not None else 0.0
            for one in found
        ]
        low = min(float(one.rating.min()) - more for one, more in zip(found, reach, strict=True))
        high = max(float(one.rating.max()) + more for one, more in zip(found, reach, strict=True))
        return cls(float(first), float(last), *bounds(low, high, count), against, end)

    def x(self, place: Floats) -> Floats:
        """Places of the axis of time in units from the left."""
        return (place - self.first) * (self.end / max(self.last - self.first, 1e-9))

    def across(self, one: Career) -> Floats:
        """The places of a history in units from the left."""
        return self.x(one.places(self.against))

    def down(self, rating: Floats) -> Floats:
        """Ratings in units from the top."""
        return (self.high - rating) / ((self.high - self.low) / SIDE)

    def down_pixels(self, rating: float) -> float:
        """A rating in pixels from the top of a drawing with words."""
        return PLOT_TOP + float(self.down(np.array(rating))) * (PLOT_HEIGHT / SIDE)

    def marks(self) -> dict[str, str]:
        """The axes at the ends of the grid, as attributes that a script reads."""
        last = self.first + (self.last - self.first) * SIDE / self.end
        ends = {"first": self.first, "last": last, "low": self.low, "high": self.high}
        dated = {"data-dated": "1"} if self.against == "date" else {}
        return {f"data-{name}": f"{value:.7g}" for name, value in ends.items()} | dated

    def measure(self, x: Floats, rating: Floats) -> MeasuredLine:
        """A line through ratings, with its extremes in each column of the grid."""
        keep = thin_points(x, rating, GRID_COLUMNS)
        x, y = x[keep], self.down(rating[keep])
        places = np.stack((x, y), axis=1).round().astype(np.int64)
        return MeasuredLine(places, measure_points(x, y, FINEST))

    def name_end(self, at: float) -> str:
        """The name of an end of the axis of time."""
        return format_day(at)[:4] if self.last - self.first > 700.0 else ago(at)

    @property
    def ends(self) -> tuple[str, str]:
        """The names of both ends of the axis of time."""
        return self.name_ends(SIDE)

    def name_ends(self, width: int) -> tuple[str, str]:
        """The names of both ends of a picture that is so many units wide."""
        if self.against == "date":
            return self.name_end(self.first), self.name_end(self.last)
        games = self.first + (self.last - self.first) * width / SIDE - 1.0
        return "first game", f"game {games:,.0f}"

    def width_of(self, found: Sequence[Career]) -> int:
        """The units across a picture of these: all the time, or up to their own last games."""
        if self.against == "date":
            return SIDE
        return max(1, *(round(float(self.across(one)[-1])) for one in found))


@dataclass(frozen=True)
class HistoryPaths:
    """The paths of the histories of a page, by player.

    Those of players beyond the first leave out what is worth at most `tolerance`, in units.
    """

    grid: HistoryGrid
    paths: dict[str, str]
    ends: dict[str, str]  # the rating now, as the path of a point
    views: dict[str, str]  # the viewBox of a sparkline: all the time or games, and its heights
    tolerance: float
    digits: int  # decimals of ratings in words


def build_paths(found: Sequence[Career]) -> HistoryPaths:
    """The histories as paths: the first ones fine, the others as all of them together may be."""
    grid, tolerance = HistoryGrid.around(found), FINEST
    lines = {one.player: grid.measure(grid.across(one), one.rating) for one in found}
    names = list(lines)
    worth = np.concatenate([lines[name].worth for name in names[LEADERS:]] or [np.zeros(0)])
    leading = sum(int((lines[name].worth > FINEST).sum()) for name in names[:LEADERS])
    most = max(MAX_POINTS, 2 * len(found)) - leading
    while int((worth > tolerance).sum()) > max(most, 2 * len(names[LEADERS:])):
        tolerance *= 1.5
    points = {
        name: line.thin(FINEST if place < LEADERS else tolerance)
        for place, (name, line) in enumerate(lines.items())
    }
    paths, ends, views = dict[str, str](), dict[str, str](), dict[str, str]()
    for one in found:
        some, width = points[one.player], grid.width_of([one])
        heights = [y for _, y in some]
        top, tall = min(heights), max(heights) - min(heights)
        missing, margin = max(0, FLATTEST - tall) // 2, max(1, width // 50)
        tall += 2 * missing
        room = max(1, tall // 10)  # for the dot at the end
        paths[one.player] = line_path(some)
        ends[one.player] = "M{} {}h0".format(*some[-1])
        views[one.player] = (
            f"-{margin} {top - missing - room} {width + 2 * margin} {tall + 2 * room}"
        )
    digits = count_decimals(np.array([grid.low, grid.high]))
    return HistoryPaths(grid, paths, ends, views, tolerance, digits)


# Parts of a document that show paths.


@dataclass(frozen=True)
class Level:
    """A rating with a line across a picture, from the top: `y` in units, `share` in percent."""

    y: int
    share: str
    text: str


@dataclass(frozen=True)
class HistoryPicture:
    """One history (or two) with a band; `view` is the viewBox, `label` says what is to be seen."""

    player: str
    aside: str
    label: str
    paths: Sequence[str]
    ends: Sequence[str]  # where each path ends, as a path of a point
    band: str
    view: str
    levels: Sequence[Level]
    between: tuple[str, str]  # the names of the ends of the axis of time
    peak: tuple[str, str] | None = None  # where the best rating is, in percent


@dataclass(frozen=True)
class Multiples:
    """Small pictures of the histories of several players, all on one scale."""

    kind: ClassVar[str] = "multiples"
    grid: HistoryGrid
    pictures: Sequence[HistoryPicture]


@dataclass(frozen=True)
class Versus:
    """Two players beside one another; a script shows any other two of the table.

    `chances` are the percent that a player is expected to score against each later one of the
    first `count` rows, two digits each. Where players share members, such as cars, `beside` is the
    same with those of each player's last contest, and `with_` says so in words. `groups` has the
    number of the group that met of each row, where there are several.
    """

    kind: ClassVar[str] = "versus"
    grid: HistoryGrid | None
    picture: HistoryPicture | None
    names: tuple[str, str]
    expected: int | None
    chances: str
    count: int
    beside: str = ""
    with_: str = ""
    groups: tuple[int, ...] = ()


@dataclass(frozen=True)
class PictureView:
    """The ratings from `low` to `high` on a grid, as wide as a picture of them."""

    grid: HistoryGrid
    low: float
    high: float
    width: int

    @classmethod
    def around(cls, found: Sequence[Career], grid: HistoryGrid, z: float = 0.0) -> PictureView:
        """The view of all ratings, with bands of z deviations where players are no newcomers."""
        lines = [one.rating for one in found]
        for one in found:
            if one.deviation is not None:
                late = slice(one.games // 2, None)
                reach = z * one.deviation[late]
                lines += [one.rating[late] - reach, one.rating[late] + reach]
        every = np.concatenate(lines)
        return cls(grid, float(np.nanmin(every)), float(np.nanmax(every)), grid.width_of(found))

    @property
    def sides(self) -> tuple[float, float, float, float]:
        """Left, top, width and height, in units of the grid."""
        low, high = (self.low, self.high) if self.high > self.low else bounds(self.low, self.high)
        top, bottom = (float(one) for one in self.grid.down(np.array([high, low])))
        room, margin = 0.04 * (bottom - top), max(1, round(0.025 * self.width))
        tall = max(1, round(bottom - top + 2 * room))
        return -margin, round(top - room), self.width + 2 * margin, tall

    @property
    def box(self) -> str:
        """The viewBox."""
        return " ".join(f"{one:.0f}" for one in self.sides)

    @property
    def levels(self) -> list[Level]:
        """Round ratings."""
        found = []
        for tick in ticks(self.low, self.high, 3):
            y = self.grid.down(np.array([tick.value]))
            found.append(Level(round(float(y[0])), self.place(0.0, float(y[0]))[1], tick.text))
        return found

    def place(self, x: float, y: float) -> tuple[str, str]:
        """A point of the grid in percent from the left and the top."""
        left, top, wide, tall = self.sides
        return f"{100.0 * (x - left) / wide:.1f}%", f"{100.0 * (y - top) / tall:.0f}%"


def build_multiples(found: Sequence[Career], paths: HistoryPaths, z: float) -> Multiples:
    """A picture for each history, on one scale; bands reach z deviations."""
    grid, view = paths.grid, PictureView.around(found, paths.grid, z)
    pictures = []
    for one in found:
        best = int(one.rating.argmax())
        peak = grid.across(one)[best], grid.down(one.rating[best])
        pictures.append(
            HistoryPicture(
                one.player, f"{one.rating[-1]:.{paths.digits}f}", describe_history(one, paths),
                (paths.paths[one.player],), (paths.ends[one.player],), _band_path(one, paths, z),
                view.box, view.levels, grid.name_ends(view.width),
                view.place(*map(float, peak)) if best < one.games else None,
            )
        )  # fmt: skip
    return Multiples(grid, pictures)


def build_pair(found: Sequence[Career], paths: HistoryPaths) -> HistoryPicture:
    """One picture of two histories."""
    grid, view = paths.grid, PictureView.around(found, paths.grid)
    label = " ".join(describe_history(one, paths) for one in found)
    drawn = [paths.paths[one.player] for one in found]
    ends = [paths.ends[one.player] for one in found]
    between = grid.name_ends(view.width)
    return HistoryPicture("", "", label, drawn, ends, "", view.box, view.levels, between)


def _band_path(one: Career, paths: HistoryPaths, z: float) -> str:
    """The area within z deviations, as a closed path; empty without deviations."""
    if one.deviation is None:
        return ""
    grid, x = paths.grid, paths.grid.across(one)
    above = grid.measure(x, one.rating + z * one.deviation).thin()
    below = grid.measure(x, one.rating - z * one.deviation).thin()
    return line_path([*above, *reversed(below)]) + "z"


def describe_history(one: Career, paths: HistoryPaths) -> str:
    """The last, highest and lowest rating of a history in words."""
    best, worst = int(one.rating.argmax()), int(one.rating.argmin())
    digits = paths.digits

    def when(k: int) -> str:
        if k == one.games:
            return "now"
        if one.time is None or paths.grid.against == "game":
            return f"before game {k + 1:,}"
        return f"on {ago(float(one.time[k]))}"

    return (
        f"{isolate_name(one.player)}: {one.rating[-1]:.{digits}f} now, highest "
        f"{one.rating[best]:.{digits}f} {when(best)}, lowest {one.rating[worst]:.{digits}f} "
        f"{when(worst)}."
    )


# Drawings of rows, and histories with words around them.


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
            return Markup("")
        marks = element("line", x1=self.place(interval[0]), x2=self.place(interval[1]))
        if self.low <= rating <= self.high:
            marks += element("circle", cx=self.place(rating))
        else:
            arrow = "\N{LEFTWARDS ARROW}" if rating < self.low else "\N{RIGHTWARDS ARROW}"
            marks = element("text", arrow, x=self.place(rating), y="12", text_anchor="middle")
        return Markup(
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
        return Markup(element("svg", words, class_="figure interval", role="img", aria_label=label))


def draw_spark(paths: HistoryPaths, one: Career | None) -> Markup:
    """The history of a player on the common axis of time."""
    if one is None:
        return Markup("")
    best = int(one.rating.argmax())
    when = "" if one.time is None else f" on {ago(float(one.time[best]))}"
    marks = element("path", class_="curve", d=paths.paths[one.player])
    marks += element("path", class_="end", d=paths.ends[one.player])
    label = f"highest {one.rating[best]:.{paths.digits}f}{when}"
    return Markup(
        element("svg", marks, class_="spark", role="img", aria_label=label,
                viewBox=paths.views[one.player], preserveAspectRatio="none")
    )  # fmt: skip


def draw_form(scores: Sequence[float] | Floats) -> Markup:
    """The last scores as dots, the oldest left: won is full, drawn is half, lost a ring.

    Other scores count as the nearest. The dots are symbols that `form_symbols` of `icons.html` puts
    on the page.
    """
    if not len(scores):
        return Markup("")
    outcomes = (1 + np.sign(np.asarray(scores) - 0.5)).astype(np.int64).tolist()
    dots = "".join(
        f'<use href="#{OUTCOMES[one]}" x="{DOT_STEP * k:g}"/>' for k, one in enumerate(outcomes)
    )
    label = f"last {len(outcomes)}: {' '.join('LDW'[one] for one in outcomes)}"
    width = DOT_STEP * len(outcomes)
    return Markup(
        element("svg", dots, class_="form", role="img", aria_label=label, width=width, height=12.0)
    )


def draw_careers(
    found: Sequence[Career],
    label: str,
    z: tuple[float, float] = (0.0, 0.0),
    digits: int = 0,
    peak: float = np.nan,
) -> Markup:
    """The histories of one player, with bands of z deviations and a ring at the peak, or of two."""
    alone = len(found) == 1
    grid = HistoryGrid.around(found, count=5, z=z[1] if alone else 0.0, end=PLOT_END)
    inner, words = _level_marks(grid, 4 if alone else 3)
    for number, one in enumerate(found):
        style = " second" if number else ""
        place = one.places(grid.against)
        kept = thin_points(place, one.rating, CAREER_COLUMNS)
        place, rating = place[kept], one.rating[kept]
        x = grid.x(place)
        if one.deviation is not None and alone:
            for reach in reversed(z):
                half = reach * one.deviation[kept]
                edge = grid.down(rating + half), grid.down(rating - half)
                band = round_path(np.append(x, x[::-1]), np.append(edge[0], edge[1][::-1]))
                inner += element("path", class_="band", d=f"{band}z")
        y = grid.down(rating)
        dated = grid.against == "date"
        apart = np.flatnonzero(np.diff(place) > GAP_DAYS) if dated else np.array([], np.int64)
        for part in np.split(np.arange(len(x), dtype=np.int64), apart + 1):
            if len(part) > 1:
                inner += element("path", class_=f"curve{style}", d=round_path(x[part], y[part]))
        for at in apart.tolist():
            pair = slice(at, at + 2)
            inner += element("path", class_=f"gap{style}", d=round_path(x[pair], y[pair]))
        beneath = not alone and one.rating[-1] == min(each.rating[-1] for each in found)
        words += _end_marks(grid, one, digits, style, peak=peak, beneath=beneath)
    return _frame_careers(grid, inner, words, label, found)


def draw_season(found: Sequence[Career], digits: int) -> Markup | None:
    """The histories of many on one plot: the first three named at their ends, the others faint."""
    found = [one for one in found if one.games]
    if not found or any(one.time is None for one in found):
        return None
    grid = HistoryGrid.around(found, "date", count=5, end=SEASON_END)
    inner, words = _level_marks(grid, 3)
    room = PLOT_TOP - LABEL_STEP
    named = sorted(found[:NAMED], key=lambda one: -float(one.rating[-1]))
    for number, one in reversed(list(enumerate(found))):
        place = one.places("date")
        kept = thin_points(place, one.rating, CAREER_COLUMNS)
        style = f"curve {LINE_STYLES[number]}".strip() if number < NAMED else "ghost"
        path = round_path(grid.x(place[kept]), grid.down(one.rating[kept]))
        inner += element("path", class_=style, d=path)
    for one in named:
        down = grid.down_pixels(float(one.rating[-1]))
        room = max(down + 4.0, room + LABEL_STEP)
        x = f"{SEASON_END * 100.0 / SIDE:.1f}%"
        style = f"dot {LINE_STYLES[found.index(one)]}".strip()
        words += element("circle", class_=style, cx=x, cy=down, r=3.5)
        words += element("text", escape_text(shorten(one.player)), class_="strong", y=room,
                         x=f"{SEASON_END * 100.0 / SIDE + 2.0:.1f}%")  # fmt: skip
    names = ", ".join(f"{isolate_name(one.player)} {one.rating[-1]:.{digits}f}" for one in named)
    label = f"ratings over time; now {names}"
    return _frame_careers(grid, inner, words, label, found[:NAMED], " season")


def round_path(x: Floats, y: Floats) -> str:
    """A line through points, in whole units."""
    return line_path(np.stack((x, y), axis=1).round().astype(np.int64).tolist())


def _level_marks(grid: HistoryGrid, count: int) -> tuple[str, str]:
    """Lines at about so many ratings, for the picture, and the ratings in words."""
    levels = ticks(grid.low, grid.high, count)
    lines = (
        element("path", class_="rule", d=f"M0 {float(grid.down(np.array(one.value))):.0f}H{SIDE}")
        for one in levels
    )
    words = (
        element("text", escape_text(one.text), x="0", y=grid.down_pixels(one.value) - 4.0)
        for one in levels
    )
    return "".join(lines), "".join(words)


def _frame_careers(
    grid: HistoryGrid, inner: str, words: str, label: str, named: Sequence[Career], more: str = ""
) -> Markup:
    """The drawing of histories: the picture, which stretches, with words and the axis of time."""
    picture = element(
        "svg", inner, viewBox=f"0 0 {SIDE} {SIDE}", preserveAspectRatio="none", width="100%",
        height=PLOT_HEIGHT, y=PLOT_TOP,
    )  # fmt: skip
    names = {"data-names": "\n".join(one.player for one in named)} if len(named) > 1 else {}
    return Markup(
        element("svg", picture, words, _time_marks(grid), class_=f"figure career{more}",
                role="img", aria_label=label, width="100%", height=PLOT_BOTTOM,
                **grid.marks(), **names)
    )  # fmt: skip


def shorten(name: str) -> str:
    """A name that fits beside a drawing."""
    return name if len(name) <= LABEL_LETTERS else f"{name[: LABEL_LETTERS - 1].rstrip()}…"


def _end_marks(
    grid: HistoryGrid, one: Career, digits: int, style: str, *, peak: float, beneath: bool
) -> str:
    """The rating now as a dot, and the highest as a ring, with their words."""
    x, marks = grid.across(one), ""
    best, last = int(one.rating.argmax()), len(x) - 1

    def across(at: int) -> str:
        return f"{float(x[at]) * 100.0 / SIDE:.1f}%"

    if np.isfinite(peak) and 0 < best < last:
        down = grid.down_pixels(float(one.rating[best]))
        marks += element("circle", class_="ring", cx=across(best), cy=down, r=4.0)
        text = f"Peak {peak:.{digits}f}"
        anchor = "start" if x[best] < 80.0 else "middle"
        marks += element("text", escape_text(text), class_="strong", x=across(best), y=down - 10.0,
                         text_anchor=anchor)  # fmt: skip
    down = grid.down_pixels(float(one.rating[last]))
    marks += element("circle", class_=f"dot{style}", cx=across(last), cy=down, r=4.0)
    return marks + element(
        "text", f"{one.rating[last]:.{digits}f}", class_="strong", x=across(last),
        y=down + 19.0 if beneath else down - 9.0,
        text_anchor="middle",
    )  # fmt: skip


def _time_marks(grid: HistoryGrid) -> str:
    """The axis of time, or of games, with its words."""
    if grid.against == "date":
        marks = day_ticks(grid.first, grid.last, TIME_TICKS)
    else:
        marks = count_ticks(int(grid.last), TIME_TICKS)
    words = element(
        "line", class_="edge", x1="0", x2="100%", y1=PLOT_BOTTOM - 22.0, y2=PLOT_BOTTOM - 22.0
    )
    for number, one in enumerate(marks):
        at = float(grid.x(np.array(one.value))) * 100.0 / SIDE
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
    return Markup(element("svg", line, bar, class_="mover", aria_hidden="true"))
