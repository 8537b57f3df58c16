"""Rating histories: a panel a player, all on one scale, the other players faint behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from prowess.engine.periods import date_text
from prowess.engine.uncertainty import normal_quantile
from prowess.present.figures.axes import Frame, bottom_axis, left_axis, room_for
from prowess.present.figures.careers import Career, careers
from prowess.present.figures.figure import Drawing, Figure
from prowess.present.figures.listing import usual_listing
from prowess.present.figures.marks import dot, isolated, polyline, shortened, words
from prowess.present.figures.refusal import Undrawable
from prowess.present.figures.scales import YEAR, Scale, bounds, day_ticks, ticks
from prowess.present.figures.theme import SIZE
from prowess.present.figures.thinning import thinned
from prowess.present.figures.unit import named_with_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

    Floats = NDArray[np.float64]

PAUSE = 30.0  # a pause of more than one part in so many of the time shown is a gap,
USUAL = 10.0  # if it is also longer than so many usual pauses between two games
BESIDE = 560.0  # pixels from which two panels stand side by side
GHOSTS = 0.4  # columns a pixel for the players behind: a hint of them is enough


@dataclass(frozen=True, eq=False)
class Histories(Figure):
    """Careers by date or by number of the game; `level` is the probability of the bands."""

    careers: tuple[Career, ...]
    by: Literal["date", "game"]
    level: float
    axis: str
    what: str = "game"  # or contest

    @property
    def title(self) -> str:
        """See Figure."""
        who = isolated(self.careers[0].player) if len(self.careers) == 1 else ""
        of = f" of {who}" if who else f" of {len(self.careers)} players"
        return f"Rating{of} by {self.by if self.by == 'date' else f'number of the {self.what}'}"

    @property
    def description(self) -> str:
        """See Figure."""
        texts = [
            f"{isolated(one.player)}: {one.games:,} {self.what}s, now {one.rating[-1]:.1f}, "
            f"highest {one.rating.max():.1f} {self._when(one, int(one.rating.argmax()))}, "
            f"lowest {one.rating.min():.1f} {self._when(one, int(one.rating.argmin()))}."
            for one in self.careers
        ]
        return " ".join([*texts, *self.how])

    @property
    def how(self) -> list[str]:
        """How the figure is to be read, in sentences."""
        told = [
            f"Each point is the rating before a {self.what}; the dot at the end is the rating now."
        ]
        if len(self.careers) > 1:
            told.append("Faint lines are the other players of the figure.")
        if self.banded:
            told.append(
                f"The band holds the true rating with a probability of {self.level:.0%}, as the "
                f"system sees it: rating \N{PLUS-MINUS SIGN} {normal_quantile(self.level):.2f} "
                "deviations; it is cut at the edge of the panel."
            )
        if self.by == "date":
            told.append(f"Dotted: no {self.what} for more than {self._pause_text}.")
        return told

    @property
    def banded(self) -> bool:
        """Whether the system says how sure it was."""
        return all(one.deviation is not None for one in self.careers)

    @cached_property
    def pause(self) -> float:
        """From how many days without a game on a line is drawn as a gap."""
        gaps = np.concatenate([np.diff(self._places(one)[: one.games]) for one in self.careers])
        usual = float(np.median(gaps)) if len(gaps) else 0.0
        return max((self._extent[1] - self._extent[0]) / PAUSE, USUAL * usual)

    @property
    def _pause_text(self) -> str:
        if self.pause >= YEAR:
            return f"{self.pause / YEAR:.1f} years"
        return f"{self.pause:.0f} days" if self.pause >= 2.0 else f"{24.0 * self.pause:.0f} hours"

    @property
    def data(self) -> list[dict[str, Any]]:
        """See Figure: every rating, none left out."""
        return [
            {
                "player": one.player,
                "game": k + 1 if k < one.games else None,
                "date": None if one.time is None else date_text(float(one.time[k])),
                "rating": float(one.rating[k]),
                **({} if one.deviation is None else {"deviation": float(one.deviation[k])}),
            }
            for one in self.careers
            for k in range(len(one.rating))
        ]

    @cached_property
    def _extent(self) -> tuple[float, float]:
        places = [self._places(one) for one in self.careers]
        low = min(float(at[0]) for at in places)
        high = max(float(at[-1]) for at in places)
        return (low, high) if high > low else (low - 0.5, high + 0.5)

    @cached_property
    def _levels(self) -> tuple[float, float]:
        """The ratings of all panels; of bands, those that hold now."""
        z = normal_quantile(self.level)
        low = min(float(one.rating.min()) for one in self.careers)
        high = max(float(one.rating.max()) for one in self.careers)
        for one in self.careers:
            if one.deviation is not None:
                reach = z * float(one.deviation[-1])
                low, high = min(low, one.rating[-1] - reach), max(high, one.rating[-1] + reach)
        return bounds(float(low), float(high), 8)

    def _places(self, one: Career) -> Floats:
        """Where each rating stands on the horizontal axis."""
        if self.by == "date":
            assert one.time is not None
            return one.time
        return np.arange(1.0, len(one.rating) + 1.0)

    def _when(self, one: Career, k: int) -> str:
        if k == one.games:
            return "now"
        if one.time is None:
            return f"before {self.what} {k + 1:,}"
        return f"before the {self.what} of {date_text(float(one.time[k]))[:10]}"

    def drawn(self, width: float) -> Drawing:
        """See Figure."""
        count = len(self.careers)
        columns = 2 if width >= BESIDE and count > 1 else 1
        tall = 280.0 if count == 1 else 185.0
        y_ticks = ticks(*self._levels, 4)
        left = room_for(y_ticks)
        wide = width / columns
        rows = -(-count // columns)
        panels = []
        for k, one in enumerate(self.careers):
            x, top = wide * (k % columns), 40.0 + tall * (k // columns)
            frame = Frame(x + left, top + 12.0, x + wide - 14.0, top + tall - 42.0)
            panels.append(self._panel(one, frame, x))
        name = words(self.axis, 0.0, 14.0)
        below = "" if self.by == "date" else self.what
        note = words(below, width - 14.0, 44.0 + tall * rows, anchor="end") if below else ""
        return Drawing(width, 52.0 + tall * rows, name + "".join(panels) + note)

    def _panel(self, one: Career, frame: Frame, edge: float) -> str:
        """One player: the others behind, the band, the line, the rating now."""
        x, y = frame.x(*self._extent), frame.y(*self._levels)
        count = max(2, int((frame.right - frame.left) / 65.0))
        along = day_ticks if self.by == "date" else ticks
        room = frame.right - frame.left - 70.0
        head = words(
            shortened(one.player, SIZE, room), frame.left, frame.top - 8.0,
            class_="strong", full=one.player,
        )  # fmt: skip
        now = words(f"{one.rating[-1]:.1f}", frame.right, frame.top - 8.0, anchor="end")
        others = "".join(
            polyline(self._line(other, x, y, GHOSTS), "ghost")
            for other in self.careers
            if other is not one
        )
        last = dot(x(float(self._places(one)[-1])), y(float(one.rating[-1])), 3.0, "dot")
        return (
            left_axis(frame, y, ticks(*self._levels, 4))
            + bottom_axis(frame, x, along(*self._extent, count))
            + others
            + self._band(one, x, y)
            + self._curve(one, x, y)
            + last
            + head
            + now
        )

    def _runs(self, one: Career) -> list[tuple[int, int]]:
        """Stretches of play without a long pause, as ranges of ratings."""
        if self.by != "date":
            return [(0, len(one.rating))]
        breaks = np.flatnonzero(np.diff(self._places(one)) > self.pause) + 1
        return list(pairwise([0, *breaks.tolist(), len(one.rating)]))

    def _curve(self, one: Career, x: Scale, y: Scale) -> str:
        """The line, dotted where nothing was played for long."""
        runs = self._runs(one)
        parts = [polyline(self._line(one, x, y, 1.0, run), "curve") for run in runs]
        at = self._places(one)
        gaps = [
            polyline(((x(at[k]), y(one.rating[k])) for k in (end - 1, end)), "gap")
            for (_, end), _ in pairwise(runs)
        ]
        return "".join(parts + gaps)

    def _line(
        self, one: Career, x: Scale, y: Scale, density: float, run: tuple[int, int] | None = None
    ) -> list[tuple[float, float]]:
        """The points of a line that can be told apart at this size."""
        part = slice(*(run or (0, len(one.rating))))
        return _points(self._places(one)[part], one.rating[part], x, y, density)

    def _band(self, one: Career, x: Scale, y: Scale) -> str:
        if one.deviation is None:
            return ""
        z = normal_quantile(self.level)
        areas = []
        for first, end in self._runs(one):
            part = slice(first, end)
            at, reach = self._places(one)[part], z * one.deviation[part]
            upper = _points(at, one.rating[part] + reach, x, y, 0.5)
            lower = _points(at, one.rating[part] - reach, x, y, 0.5)
            areas.append(polyline([*upper, *reversed(lower)], "band", closed=True))
        return "".join(areas)


def _points(at: Floats, level: Floats, x: Scale, y: Scale, density: float) -> list[Any]:
    """Pixels of a line, thinned to its width, held within the frame."""
    if not len(at):
        return []
    columns = max(1, int(abs(x(float(at[-1])) - x(float(at[0]))) * density))
    keep = thinned(at, level, columns)
    return [(x(float(at[k])), y.held(float(level[k]))) for k in keep.tolist()]


def histories(
    ratings: Ratings,
    players: Sequence[str] | None = None,
    *,
    top: int = 6,
    by: Literal["date", "game"] | None = None,
    level: float = 0.95,
) -> Histories:
    """The histories of the players named, or of the `top` best of those usually listed.

    By date where there are dates, else by number of the game.

    Raises Undrawable where the table has no dates to draw by or nobody is left, NoModel for a
    system that has no histories, UnknownPlayer.
    """
    if players is None:
        players = usual_listing(ratings).board(ratings, top).columns["player"]
    found = [one for one in careers(ratings, list(dict.fromkeys(players))) if one.games]
    if not found:
        raise Undrawable("nobody of these players has a game: there is no history to draw")
    dated = all(one.time is not None for one in found)
    if by == "date" and not dated:
        raise Undrawable("this table has no dates: draw histories by game instead")
    return Histories(
        tuple(found),
        by or ("date" if dated else "game"),
        level,
        named_with_unit(ratings),
        ratings.table.unit,
    )
