"""Whether the forecasts of a ladder can be believed, by its own games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prowess.engine.system import Unratable
from prowess.present.views.remembered import remembered
from prowess.study.backtest import Backtest, backtest
from prowess.study.calibration import BINS, calibration

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings

MOST_FITTED = 5_000  # games of a table that a whole-table system may be fitted to again and again


def tested(ratings: Ratings) -> Backtest:
    """Forecasts of every game from the games before it; raises NoForecast, Unratable.

    A whole-table system is fitted again and again: only for tables that are not too large.
    """
    from prowess.engine.fit import WholeTableRatings

    if isinstance(ratings, WholeTableRatings) and len(ratings.table) > MOST_FITTED:
        raise Unratable(
            f"{ratings.system.name} would have to be fitted again and again to "
            f"{len(ratings.table):,} games; `prowess compare` does that"
        )

    def work() -> Backtest:
        return backtest(ratings.table, ratings.system, period=ratings.period, params=ratings.params)

    return remembered(ratings, "tested", work)


def calibrated(ratings: Ratings) -> dict[str, Any]:
    """The reliability curve and the mean scores of the forecasts; raises Unratable, NoForecast."""
    test = tested(ratings)
    bins = min(BINS, test.count)
    if not bins:
        raise Unratable("no game comes late enough to be judged: play some more")
    found = calibration(test, bins)
    return {
        "judged": test.count,
        "scores": test.scores,
        "error": found.error,
        "by_chance": found.by_chance,
        "scale": found.scale,
        "scale_deviation": found.scale_deviation,
        "bins": found.rows(),
    }
