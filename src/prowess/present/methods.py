"""The method of ratings as plain values: formula, parameters and scores of the forecasts."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.fit import WholeTableRatings
from prowess.engine.params import display_settings, parameters, settings
from prowess.engine.periods import SPAN_BY_TABLE, has_order
from prowess.engine.rate import DynamicRatings
from prowess.engine.system import Range, Unratable
from prowess.present.boards import cached_value
from prowess.present.chart import Chart
from prowess.present.figures import calibration_chart
from prowess.study.backtest import (
    WARM_UP_SHARE,
    Backtest,
    NoForecast,
    after_warm_up,
    backtest,
    base_rate_backtest,
)  # fmt: skip
from prowess.study.compare import (
    BINS,
    FEWEST_OF_BIN,
    Calibration,
    calibration,
    find_calibration,
)  # fmt: skip

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings


MOST_FITTED = 5_000  # games of a table that a whole-table system may be fitted to again and again
MIN_FOLDED, MOST_FOLDED = 30, 50_000  # games that a page cross-validates, in seconds
DOCSTRING_HEADINGS = ("Formula", "Source", "Units", "Differs")  # of every system
HEADING = re.compile(rf"^({'|'.join(DOCSTRING_HEADINGS)})[ ]+", re.MULTILINE)


class Setting(NamedTuple):
    """A constant of the system."""

    name: str
    value: str
    unit: str
    default: str


class Judgement(NamedTuple):
    """The accuracy of the forecasts of the system on the games themselves."""

    games: int
    log_loss: float | None  # None: contests
    brier: float
    base_rate: float | None  # log loss of a forecast that knows no player
    calibration: Calibration | None  # None: too few games
    chart: Chart | None
    words: str


class MethodSummary(NamedTuple):
    """A system and its constants; `parts` are the headings of its docstring."""

    system: str
    summary: str
    parts: tuple[tuple[str, str], ...]
    settings: tuple[Setting, ...]
    period: str | None
    game_by_game: bool
    notes: tuple[str, ...]
    judged: Judgement | None
    unjudged: str  # why there is no judgement


def method(ratings: Ratings, judged: Judgement | None, unjudged: str = "") -> MethodSummary:
    """Summarise the system and parameters of ratings."""
    system = ratings.system
    head, *rest = HEADING.split(system.doc.strip())
    parts = tuple(zip(rest[::2], map(cleandoc, rest[1::2]), strict=True))
    known = parameters(system)
    shown = []
    defaults = display_settings(system, settings(system, {}))  # of a bank lists
    for name, value in ratings.params.items():
        domain = known[name].domain
        unit = domain.unit if isinstance(domain, Range) else ""
        shown.append(Setting(name, _setting_text(value), unit, _setting_text(defaults[name])))
    return MethodSummary(
        system=system.name,
        summary=" ".join(head.split()),
        parts=parts,
        settings=tuple(shown),
        period=ratings.period,
        game_by_game=isinstance(ratings, DynamicRatings),
        notes=tuple(ratings.notes),
        judged=judged,
        unjudged=unjudged,
    )


def judgement(ratings: Ratings, test: Backtest | None = None) -> tuple[Judgement | None, str]:
    """Judge the forecasts of a test; returns the judgement, or None and the reason.

    Without a test they are the forecasts that the ratings were made with (`forecasts=True`).
    """
    try:
        test = test or own_forecasts(ratings)
    except (Unratable, NoForecast) as reason:
        return None, str(reason)
    if test is None:
        return None, f"{ratings.system.name} has no model of a game, so it forecasts none"
    if not test.count:
        return None, "no game has been played after the first ones, when all players are new"
    found, words = find_calibration(test)
    scores = test.scores
    judged = Judgement(
        games=test.count,
        log_loss=scores.get("log_loss"),
        brier=scores["brier"],
        base_rate=_base_rate_loss(test),
        calibration=found,
        chart=None if found is None else calibration_chart(found),
        words=words,
    )
    return judged, ""


def _base_rate_loss(test: Backtest) -> float | None:
    """The log loss, on the same games, of the mean score as the forecast of every game."""
    if not test.table.duels:
        return None
    return base_rate_backtest(test.table).only(test.judged).scores["log_loss"]


def _setting_text(value: float | str | list[float | str]) -> str:
    if isinstance(value, list):  # of a bank
        return " or ".join(map(_setting_text, value))
    return value if isinstance(value, str) else f"{value:.10g}"


def own_forecasts(ratings: Ratings) -> Backtest | None:
    """The forecasts that the ratings were made with, judged after a warm-up.

    None for a system without a model of a game, and for ratings made without `forecasts=True`. A
    fitted system is fitted again and again to the games so far. Games without dates and rounds have
    no order: each tenth of them is forecast from all others, up to `MOST_FOLDED` games.
    """
    if not has_order(ratings.table) and ratings.table.pairwise:
        return cross_validate_ratings(ratings)
    if isinstance(ratings, DynamicRatings):
        if ratings.forecasts is None:
            return None
        judged = after_warm_up(ratings.table, WARM_UP_SHARE) & np.isfinite(ratings.forecasts)
        return Backtest(
            name=ratings.system.name,
            params=ratings.params,
            table=ratings.table,
            period=ratings.period,
            expected=ratings.forecasts,
            draw=ratings.draws,
            judged=judged,
        )
    if isinstance(ratings, WholeTableRatings) and ratings.system.chances is not None:
        return backtest(
            ratings.table,
            ratings.system,
            params=ratings.params,
            anchors={ratings.players[player]: r for player, r in ratings.anchors.items()},
        )
    return None


def cross_validate_ratings(ratings: Ratings) -> Backtest | None:
    """The forecasts of each tenth of the games from all others; None where they cannot be had."""
    if isinstance(ratings, DynamicRatings):
        silent = ratings.forecasts is None
    else:
        silent = not isinstance(ratings, WholeTableRatings) or ratings.system.chances is None
    if silent or not MIN_FOLDED <= len(ratings.table) <= MOST_FOLDED:
        return None
    from prowess.study.cross_validation import cross_validate
    from prowess.study.folds import random_folds

    folds = random_folds(ratings.table)
    return cross_validate(ratings.table, ratings.system, folds, params=ratings.params)


def backtest_ratings(ratings: Ratings) -> Backtest:
    """Forecasts of every game from the games before it; raises NoForecast, Unratable.

    A whole-table system is fitted again and again: only for tables that are not too large.
    """
    if isinstance(ratings, WholeTableRatings) and len(ratings.table) > MOST_FITTED:
        raise Unratable.of("refits_too_many", system=ratings.system.name, games=len(ratings.table))

    def work() -> Backtest:
        return backtest(
            ratings.table, ratings.system, period=ratings.period, params=ratings.params,
            frozen=SPAN_BY_TABLE,
        )  # fmt: skip

    return cached_value(ratings, "tested", work)


def calibration_values(ratings: Ratings) -> dict[str, Any]:
    """The reliability curve and the mean scores of the forecasts; raises Unratable, NoForecast."""
    test = backtest_ratings(ratings)
    if not test.count:
        raise Unratable.of("too_few_games.calibration")
    found = calibration(test, max(1, min(BINS, test.count // FEWEST_OF_BIN)))
    return {"judged": test.count, "scores": test.scores} | found.as_dict()
