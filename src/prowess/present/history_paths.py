"""Rating histories as short SVG paths on one grid for all players of a page.

A page holds the history of every player once, as the path of a line: whole numbers, relative to
the point before. The same path is a sparkline in its row, a small multiple, and what the script
of the page draws for any two players. Strokes keep their width when a drawing is stretched, so one
drawing serves all widths; words are placed beside the stretched part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.games.dates import format_day
from prowess.present.histories import natural_axis
from prowess.present.layers import bounds, count_decimals, thin_points, ticks
from prowess.present.rendering import ago
from prowess.present.svg import isolate_name

if TYPE_CHECKING:
    from prowess.present.histories import Career


SIDE = 1000  # units of the grid, across and upward
GRID_COLUMNS = 250  # in which a line keeps its extremes before it is simplified
FINEST = 5.0  # units by which a simplified line may differ from the ratings
MAX_POINTS = 13_500  # of all histories of a page
LEADERS = 25  # players whose histories are as fine as that, whatever the others cost
FLATTEST = 60  # units: the least height of a sparkline, so that noise stays flat


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
    """The time and the ratings that the grid spans: days by `date`, numbers of games by `game`."""

    first: float
    last: float
    low: float
    high: float
    against: Literal["date", "game"]

    @classmethod
    def around(cls, found: Sequence[Career]) -> HistoryGrid:
        """The grid that holds all histories."""
        against = natural_axis(found)
        places = [one.places(against) for one in found]
        first, last = min(one[0] for one in places), max(one[-1] for one in places)
        low = min(float(one.rating.min()) for one in found)
        high = max(float(one.rating.max()) for one in found)
        return cls(float(first), float(last), *bounds(low, high, 8), against)

    def across(self, one: Career) -> Floats:
        """The places of a history in units from the left."""
        return (one.places(self.against) - self.first) * (SIDE / max(self.last - self.first, 1e-9))

    def down(self, rating: Floats) -> Floats:
        """Ratings in units from the top."""
        return (self.high - rating) / ((self.high - self.low) / SIDE)

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
