"""Figures of ratings and results: `prowess.plot.history(r, ["Ann"])`.

Each function returns a `Chart`: a notebook shows it, `save(path)` writes SVG or PNG, `data` and
`to_pandas()` are its numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from prowess.arguments import check_count, check_given, check_series, refuse
from prowess.rating import take_ratings

if TYPE_CHECKING:
    from prowess.present.chart import Chart

__all__ = ["compare", "distribution", "draw", "history", "leaderboard", "pairs", "reliability"]


def history(
    ratings: Any, players: Sequence[str] | str | None = None, *, by: Any = None, system: Any = None,
    **keywords: Any,
) -> Chart:  # fmt: skip
    """The ratings of players over time; without names those of the six best.

    >>> import prowess
    >>> prowess.plot.history([("Ann", "Bob", 1)], ["Ann"], system="elo").data[0]["player"]
    'Ann'
    """
    from prowess.present import figures
    from prowess.present.listing import usual_listing

    made = take_ratings(ratings, system, keywords)
    if by not in (None, "date", "game"):
        raise refuse('give by as "date" or "game"', by)
    if players is None:
        names = usual_listing(made).board(made, 6).columns["player"]
    else:
        names = [players] if isinstance(players, str) else check_series("players", players, '["A"]')
    for name in names:
        made.index(name)
    return figures.histories(made, names, by=by)


def leaderboard(ratings: Any, top: int = 20, *, system: Any = None, **keywords: Any) -> Chart:
    """The best players with intervals of their ratings."""
    from prowess.present import figures

    made = take_ratings(ratings, system, keywords)
    return figures.leaders(made, check_count("top", top, 1))


def distribution(ratings: Any, *, system: Any = None, **keywords: Any) -> Chart:
    """The distribution of the ratings."""
    from prowess.present import figures

    return figures.distribution(take_ratings(ratings, system, keywords))


def pairs(
    ratings: Any, players: Sequence[str] | None = None, *, system: Any = None, **keywords: Any
) -> Chart:
    """The scores of players against one another."""
    from prowess.present import figures

    made = take_ratings(ratings, system, keywords)
    names = check_given(check_series, "players", players, '["Ann", "Bob"]')
    return figures.head_to_head(made, players=names)


def compare(comparison: Any, systems: Any = None, **keywords: Any) -> Chart:
    """How much worse than the best each system forecasts: a comparison, or a table to make it."""
    from prowess.judge import compare as judge
    from prowess.present import figures
    from prowess.study.compare import Comparison

    if not isinstance(comparison, Comparison):
        comparison = judge(comparison, systems, **keywords)
    return figures.behind_the_best(comparison)


def reliability(test: Any, system: Any = None, **keywords: Any) -> Chart:
    """The calibration of a backtest, or of a system on a table."""
    from prowess.judge import backtest
    from prowess.present import figures
    from prowess.study.backtest import Backtest

    if not isinstance(test, Backtest):
        test = backtest(test, system, **keywords)
    return figures.reliability(test)


def draw(result: Any, **options: Any) -> Chart:
    """The figure of a result: what its `plot()` returns; raises BadArgument for one without."""
    from prowess.engine.ratings import Ratings
    from prowess.study.backtest import Backtest
    from prowess.study.compare import Comparison

    for kind, make in ((Ratings, leaderboard), (Comparison, compare), (Backtest, reliability)):
        if isinstance(result, kind):
            return make(result, **options)
    raise refuse("plot ratings, a comparison or a backtest, or take prowess.plot.history", result)
