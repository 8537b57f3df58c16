"""A report as a value: the ratings, what judged them, and who is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.fit import WholeTableRatings
from prowess.engine.rate import DynamicRatings
from prowess.study.backtest import WARM_UP, Backtest, after_warm_up, backtest
from prowess.study.figures.certainty import Certainty, certainty
from prowess.study.figures.listing import Listing, usual_listing

if TYPE_CHECKING:
    from prowess.engine.leaderboard import Leaderboard
    from prowess.engine.ratings import Ratings
    from prowess.study.compare import Comparison

TOP = 25  # rows of the leaderboard
PANELS = 6  # histories where nobody is named


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
        """How sure ratings and ranks are."""
        return certainty(self.ratings, self.level, self.listing)

    @property
    def what(self) -> str:
        """What a row of the table is called, in the plural."""
        return f"{self.ratings.table.unit}s"

    def to_html(self) -> str:
        """One page that needs nothing beside itself."""
        from prowess.study.report.page import page

        return page(self)

    def _repr_html_(self) -> str:
        """For notebooks: the page in a frame of its own."""
        from prowess.study.figures.marks import element

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
    told = (*ratings.notes, *notes)
    return Report(ratings, title, listing, top, chosen, forecasts, comparison, level, credit, told)


def own_forecasts(ratings: Ratings, warm_up: float = WARM_UP) -> Backtest | None:
    """The forecasts the ratings themselves were made with, judged after a warm-up.

    None for a system without a model of a game, and for ratings made without `forecasts=True`. A
    fitted system is fitted again and again to the games so far.
    """
    if isinstance(ratings, DynamicRatings):
        if ratings.forecasts is None:
            return None
        judged = after_warm_up(ratings.table, warm_up) & np.isfinite(ratings.forecasts)
        return Backtest(
            name=ratings.system.name,
            params=ratings.params,
            table=ratings.table,
            period=ratings.period,
            expected=ratings.forecasts,
            draw=ratings.draws,
            judged=judged,
            seconds=0.0,
        )
    if isinstance(ratings, WholeTableRatings) and ratings.system.chances is not None:
        return backtest(
            ratings.table,
            ratings.system,
            params=ratings.params,
            warm_up=warm_up,
            anchors={ratings.players[player]: r for player, r in ratings.anchors.items()},
        )
    return None
