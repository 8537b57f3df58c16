"""The best players as dots on a line of ratings, each with the interval that is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from prowess.present.figures.axes import Frame, bottom_axis
from prowess.present.figures.certainty import Certainty, certainty
from prowess.present.figures.figure import Drawing, Figure
from prowess.present.figures.listing import Listing, usual_listing
from prowess.present.figures.marks import breadth, dot, isolated, line, shortened, words
from prowess.present.figures.refusal import Undrawable
from prowess.present.figures.scales import bounds, ticks
from prowess.present.figures.theme import SIZE
from prowess.present.figures.unit import named_with_unit, shown_column

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings

ROW = 22.0  # pixels a player


@dataclass(frozen=True)
class Leader:
    """One line of the figure."""

    rank: int
    player: str
    rating: float
    low: float | None
    high: float | None


@dataclass(frozen=True, eq=False)
class Leaders(Figure):
    """Players in the order of the leaderboard."""

    leaders: tuple[Leader, ...]
    sure: Certainty
    rule: str
    axis: str

    @property
    def title(self) -> str:
        """See Figure."""
        return f"The best {len(self.leaders)} by rating"

    @property
    def description(self) -> str:
        """See Figure."""
        first, last = self.leaders[0], self.leaders[-1]
        told = (
            f"From {isolated(first.player)} with {first.rating:.1f} down to "
            f"{isolated(last.player)} with {last.rating:.1f}."
        )
        bars = f"Bars: {self.sure.words}." if self.sure.known else f"No bars: {self.sure.words}."
        return f"{told} {bars} {self.rule}"

    @property
    def data(self) -> list[dict[str, Any]]:
        """See Figure."""
        return [
            {
                "rank": one.rank,
                "player": one.player,
                "rating": one.rating,
                **({"low": one.low, "high": one.high} if self.sure.known else {}),
            }
            for one in self.leaders
        ]

    def drawn(self, width: float) -> Drawing:
        """See Figure."""
        room = min(
            0.34 * width, max(breadth(f"00  {one.player}", SIZE) for one in self.leaders) + 1.0
        )
        frame = Frame(room + 14.0, 8.0, width - 52.0, 8.0 + ROW * len(self.leaders))
        ends = [one.rating for one in self.leaders]
        ends += [v for one in self.leaders for v in (one.low, one.high) if v is not None]
        extent = bounds(min(ends), max(ends))
        x = frame.x(*extent)
        along = ticks(*extent, max(2, int((frame.right - frame.left) / 70.0)))
        marks = [bottom_axis(frame, x, along, self.axis, grid=True)]
        for k, one in enumerate(self.leaders):
            y = frame.top + ROW * (k + 0.5)
            rank_room = breadth("00  ", SIZE)
            name = shortened(one.player, SIZE, room - rank_room)
            marks.append(words(str(one.rank), rank_room - 8.0, y + 4.0, anchor="end"))
            marks.append(words(name, rank_room, y + 4.0, class_="ink", full=one.player))
            if one.low is not None and one.high is not None:
                marks.append(line(x(one.low), y, x(one.high), y, "reach"))
            marks.append(dot(x(one.rating), y, 4.0, "dot"))
            marks.append(words(f"{one.rating:.1f}", width, y + 4.0, anchor="end", class_="ink"))
        return Drawing(width, frame.bottom + 42.0, "".join(marks))


def leaders(
    ratings: Ratings, top: int = 20, *, listing: Listing | None = None, level: float = 0.95
) -> Leaders:
    """The `top` best of those who are listed (the usual rule); Undrawable where nobody is."""
    listing = listing or usual_listing(ratings)
    board = listing.board(ratings, top)
    if not len(board):
        raise Undrawable("nobody has played enough games to stand in a leaderboard")
    sure = certainty(ratings, level, listing)
    rating = shown_column(ratings)
    found = []
    for rank, player in zip(board.columns["rank"], board.columns["player"], strict=True):
        k = ratings.index(player)
        low, high = sure.interval(k)
        found.append(Leader(rank, player, float(rating[k]), low, high))
    return Leaders(tuple(found), sure, listing.words(ratings), named_with_unit(ratings))
