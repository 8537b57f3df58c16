"""The report of a rated table: what was played, who is best, how sure that is, how right it was.

from prowess.present.report import report

page = report(ratings, title="Our league")
page.to_html()
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from prowess.present.listing import Certainty, Listing, certainty, usual_listing
from prowess.present.methods import own_forecasts

if TYPE_CHECKING:
    from prowess.engine.leaderboard import Leaderboard
    from prowess.engine.ratings import Ratings
    from prowess.study.backtest import Backtest
    from prowess.study.compare import Comparison

__all__ = ["Report", "own_forecasts", "report"]

TOP = 25  # rows of the leaderboard
PANELS = 6  # histories where no player is named


@dataclass(frozen=True, eq=False)
class Report:
    """Everything the page says; see `report`."""

    ratings: Ratings
    title: str
    listing: Listing
    top: int
    players: tuple[str, ...]  # whose histories are drawn
    forecasts: Backtest | None
    comparison: Comparison | None
    level: float
    credit: str
    notes: tuple[str, ...]

    @cached_property
    def board(self) -> Leaderboard:
        """The first rows of the leaderboard of those listed."""
        return self.listing.board(self.ratings, self.top)

    @cached_property
    def sure(self) -> Certainty:
        """Intervals of ratings and ranks."""
        return certainty(self.ratings, self.level, self.listing)

    @property
    def what(self) -> str:
        """What a row of the table is called, in the plural."""
        return f"{self.ratings.table.unit}s"

    def to_html(self) -> str:
        """One page that needs nothing beside itself."""
        from prowess.present.documents import render_document
        from prowess.present.report_sections import report_sections

        lead = self.ratings.head() + "."
        return render_document(self.title, lead, report_sections(self), "To the leaderboard")

    def _repr_html_(self) -> str:
        """For notebooks: the page in a frame of its own."""
        from prowess.present.svg import element

        return element("iframe", " ", srcdoc=self.to_html(), width="100%", height=600.0)


def report(
    ratings: Ratings,
    *,
    title: str = "Ratings",
    top: int = TOP,
    players: Sequence[str] | None = None,
    listing: Listing | None = None,
    forecasts: Backtest | None = None,
    comparison: Comparison | None = None,
    level: float = 0.95,
    credit: str = "",
    notes: Sequence[str] = (),
) -> Report:
    """A report of ratings.

    `players` are those whose histories are drawn, the best where None; raises UnknownPlayer for a
    name that is not in the table. `forecasts` are the system's own (`own_forecasts`), for
    calibration and upsets; `comparison` sets systems beside each other. What is not given is
    left out of the page and said there. `credit` names source and licence of the data; `notes` are
    sentences for the section about the method. Intervals have probability `level`.
    """
    listing = listing or usual_listing(ratings)
    if players is None:
        players = listing.board(ratings, min(PANELS, top)).columns["player"]
    for name in players:
        ratings.index(name)
    chosen = tuple(dict.fromkeys(players))
    remarks = (*ratings.notes, *notes)
    return Report(
        ratings, title, listing, top, chosen, forecasts, comparison, level, credit, remarks
    )
