"""The report of a rated table: leaderboard, data, histories, calibration, pairs and method.

from prowess.present.report import report

page = report(ratings, title="Our league")
page.to_html()
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from prowess.present.listing import Certainty, Listing, certainty, usual_listing
from prowess.present.methods import own_forecasts

if TYPE_CHECKING:
    from prowess.engine.leaderboard import Leaderboard
    from prowess.engine.ratings import Ratings
    from prowess.present.documents import Part, Section
    from prowess.study.backtest import Backtest
    from prowess.study.compare import Comparison

__all__ = ["Report", "own_forecasts", "report"]

TOP = 25  # rows of the leaderboard
PANELS = 6  # histories where `players` is None


@dataclass(frozen=True, eq=False)
class Report:
    """The values of a report; see `report`."""

    ratings: Ratings
    title: str
    listing: Listing
    top: int
    players: tuple[str, ...]  # players with a history chart
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

    def sections(self) -> list[Section]:
        """The sections in reading order."""
        from prowess.present import report_sections as parts
        from prowess.present.documents import Section
        from prowess.present.figures import distribution
        from prowess.present.highlights import streak_parts, upset_parts

        ratings, level, test = self.ratings, self.level, self.forecasts
        board = parts.leaderboard_parts(ratings, self.board, self.listing, self.sure, self.top)
        made: list[tuple[str, str, Iterable[Part]]] = [
            ("leaderboard", "Leaderboard", board),
            ("data", "The data", parts.data_parts(ratings, level)),
            ("histories", "Histories", parts.history_parts(ratings, self.players, level)),
            ("distribution", "Distribution", parts.chart_parts(lambda: distribution(ratings))),
            ("calibration", "Calibration", parts.calibration_parts(ratings, test, level)),
        ]
        if self.comparison is not None:
            made.append(("systems", "Systems compared", parts.comparison_parts(self.comparison)))
        made += [
            ("pairs", "Head to head", parts.pair_parts(ratings, self.board)),
            ("upsets", "Biggest upsets", upset_parts(test)),
            ("streaks", "Best streaks", streak_parts(ratings.table)),
            ("method", "Method", parts.method_parts(ratings, self.notes, self.credit)),
        ]
        return [Section(key, heading, list(content)) for key, heading, content in made]

    def to_html(self) -> str:
        """Render one self-contained HTML page."""
        from prowess.present.documents import render_document

        lead = self.ratings.head() + "."
        return render_document(self.title, lead, self.sections(), "To the leaderboard")

    def _repr_html_(self) -> str:
        """Render the page in a frame, for notebooks."""
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
    """Build a report of ratings.

    `players` get a history chart, the best players where None; raises UnknownPlayer for a
    name that is not in the table. `forecasts` are the system's own (`own_forecasts`), for
    calibration and upsets; `comparison` is a comparison of systems. The page says which of them
    are missing. `credit` names source and licence of the data; `notes` are
    sentences for the section about the method. Intervals have probability `level`.
    """
    listing = listing or usual_listing(ratings)
    if players is None:
        players = listing.board(ratings, min(PANELS, top)).columns["player"]
    for name in players:
        ratings.index(name)
    unique = tuple(dict.fromkeys(players))
    remarks = (*ratings.notes, *notes)
    return Report(
        ratings, title, listing, top, unique, forecasts, comparison, level, credit, remarks
    )
