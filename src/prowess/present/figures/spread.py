"""How ratings are distributed: how many players stand in each interval of the scale."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.numeric import round_step
from prowess.present.figures.axes import Frame, bottom_axis, left_axis, room_for
from prowess.present.figures.figure import Drawing, Figure
from prowess.present.figures.marks import box, line, words
from prowess.present.figures.refusal import Undrawable
from prowess.present.figures.scales import ticks, whole
from prowess.present.figures.unit import named_with_unit, shown_column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

    Floats = NDArray[np.float64]

MOST = 40  # bars
NEAR = 1.6  # a round width is at most this factor below the wanted one, and about as far above
HEIGHT = 240.0


@dataclass(frozen=True, eq=False)
class Distribution(Figure):
    """Counts of players between the edges, [bars] and [bars + 1]; who stands on an edge is above.

    `outside` players of no finite rating are counted nowhere.
    """

    edges: Floats
    players: NDArray[np.int64]
    median: float
    deviation: float
    axis: str
    min_games: int
    outside: int = 0

    @property
    def title(self) -> str:
        """See Figure."""
        return "Distribution of the ratings"

    @property
    def description(self) -> str:
        """See Figure."""
        total, width = int(self.players.sum()), self.edges[1] - self.edges[0]
        most = int(self.players.argmax())
        who = f"with at least {self.min_games:,} games" if self.min_games > 1 else "who have played"
        lost = f" {self.outside:,} without a finite rating are left out." if self.outside else ""
        return (
            f"{total:,} players {who}, in steps of {width:g}. Median {self.median:.1f} (dashed), "
            f"standard deviation {self.deviation:.1f}; most players, {self.players[most]:,}, are "
            f"between {self.edges[most]:g} and {self.edges[most + 1]:g}.{lost}"
        )

    @property
    def data(self) -> list[dict[str, Any]]:
        """See Figure."""
        ends = zip(self.edges[:-1].tolist(), self.edges[1:].tolist(), strict=True)
        return [
            {"low": low, "high": high, "players": count}
            for (low, high), count in zip(ends, self.players.tolist(), strict=True)
        ]

    def drawn(self, width: float) -> Drawing:
        """See Figure."""
        up = whole(int(self.players.max()))
        frame = Frame(room_for(up), 30.0, width - 10.0, HEIGHT - 46.0)
        low, high = float(self.edges[0]), float(self.edges[-1])
        x, y = frame.x(low, high), frame.y(0.0, up[-1].value)
        along = ticks(low, high, max(2, int((frame.right - frame.left) / 70.0)))
        bars = [
            box(
                x(one["low"]) + 0.5, y(one["players"]), x(one["high"]) - x(one["low"]) - 1.0,
                frame.bottom - y(one["players"]), "bar",
                f"{one['low']:g} to {one['high']:g}: {one['players']:,} players",
            )
            for one in self.data
            if one["players"]
        ]  # fmt: skip
        middle = x(self.median)
        marks = [
            left_axis(frame, y, up, "players"),
            *bars,
            line(middle, frame.top - 4.0, middle, frame.bottom, "dashed"),
            words(f"median {self.median:.1f}", middle, frame.top - 10.0, anchor="middle"),
            bottom_axis(frame, x, along, self.axis),
        ]
        return Drawing(width, HEIGHT, "".join(marks))


def distribution(ratings: Ratings, *, min_games: int = 0) -> Distribution:
    """The distribution of all with so many games (at least one), with bars of a round width.

    The width is that of D. Freedman and P. Diaconis, "On the histogram as a density estimator",
    Zeitschrift fuer Wahrscheinlichkeitstheorie 57 (1981), 2 IQR / n^(1/3), rounded to 1, 2 or 5
    times a power of ten. Raises Undrawable where nobody is left.
    """
    rating = shown_column(ratings)[ratings.played(min_games)].astype(np.float64)
    finite = rating[np.isfinite(rating)]
    if not len(finite):
        raise Undrawable("nobody has played enough games: there is no distribution to draw")
    low, high = float(finite.min()), float(finite.max())
    q1, median, q3 = (float(q) for q in np.quantile(finite, [0.25, 0.5, 0.75]))
    wanted = 2.0 * (q3 - q1) / len(finite) ** (1.0 / 3.0)
    extent = high - low
    if extent > 0.0:
        by = round_step(max(wanted / NEAR, extent / MOST), 1)
    else:
        by = round_step(max(abs(low), 1.0), 100)
    first, last = floor(low / by), max(floor(high / by) + 1, ceil(high / by))
    edges = np.arange(first, last + 1, dtype=np.float64) * by
    place = np.clip(np.floor(finite / by).astype(np.int64) - first, 0, last - first - 1)
    return Distribution(
        edges=edges,
        players=np.bincount(place, minlength=last - first),
        median=median,
        deviation=float(finite.std()),
        axis=named_with_unit(ratings),
        min_games=min_games,
        outside=len(rating) - len(finite),
    )
