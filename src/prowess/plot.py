"""Figures of ratings and results: `prowess.plot.history(r, ["Ann"])`.

Each function returns a `Chart`: a notebook shows it, interactive where it knows Vega-Lite,
`save(path)` writes SVG or PNG, `data` and `to_pandas()` are its numbers. With `ax=` the chart is
drawn on axes of matplotlib as well: one, or a list with one for each panel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from prowess.games.arguments import (
    BadArgument,
    check_choice,
    check_count,
    check_given,
    check_series,
    check_text,
)
from prowess.verbs.rating import take_ratings

if TYPE_CHECKING:
    from prowess.present.chart import Chart

__all__ = [
    "activity",
    "compare",
    "distribution",
    "draw",
    "finding",
    "history",
    "leaderboard",
    "pairs",
    "places",
    "reliability",
]


def history(
    ratings: Any, players: Sequence[str] | str | None = None, *, against: Any = None,
    ax: Any = None, system: Any = None, **keywords: Any,
) -> Chart:  # fmt: skip
    """The ratings of players over time; without names those of the six best.

    `ratings` may be the history of one player. `against` is `date` or `game`.

    >>> import prowess
    >>> prowess.plot.history([("Ann", "Bob", 1)], ["Ann"], system="elo").data[0]["player"]
    'Ann'
    """
    from prowess.engine.steps import History
    from prowess.present import histories
    from prowess.present.listing import usual_listing

    against = check_given(check_choice, "against", against, ("date", "game"))
    if isinstance(ratings, History):
        if players is not None:
            raise BadArgument.of("too_many_options.history", players=players)
        return histories.history_chart(ratings, against=against).plot(ax=ax)
    made = take_ratings(ratings, system, keywords, "history")
    if players is None:
        names = usual_listing(made).board(made, 6).columns["player"]
    else:
        names = [players] if isinstance(players, str) else check_series("players", players, '["A"]')
    for name in names:
        made.index(name)
    return histories.histories(made, names, against=against).plot(ax=ax)


def leaderboard(
    ratings: Any, top: int = 20, *, ax: Any = None, system: Any = None, **keywords: Any
) -> Chart:
    """The best players as dots with intervals of their ratings.

    >>> import prowess
    >>> prowess.plot.leaderboard([("Ann", "Bob", 1)], system="glicko2").data[0]["player"]
    'Ann'
    """
    from prowess.engine.leaderboard import Leaderboard
    from prowess.present import figures
    from prowess.present.figures import board_chart

    if isinstance(ratings, Leaderboard):
        if keywords or system is not None:
            raise BadArgument.of("too_many_options.leaderboard", system=system)
        return board_chart(ratings, check_count("top", top, 1)).plot(ax=ax)
    made = take_ratings(ratings, system, keywords, "leaderboard")
    return figures.leaders(made, check_count("top", top, 1)).plot(ax=ax)


def distribution(ratings: Any, *, ax: Any = None, system: Any = None, **keywords: Any) -> Chart:
    """The distribution of the ratings: how many players stand in each range of points.

    >>> import prowess
    >>> prowess.plot.distribution([("Ann", "Bob", 1)], system="elo").title
    'Distribution of the ratings'
    """
    from prowess.present import figures

    return figures.distribution(take_ratings(ratings, system, keywords, "distribution")).plot(ax=ax)


def activity(games: Any, *, ax: Any = None, **columns: Any) -> Chart:
    """The number of games over time; `columns` are keywords of `read_games`.

    >>> import prowess
    >>> prowess.plot.activity({"a": ["A"], "b": ["B"], "result": [1], "date": ["2026-03-01"]}).title
    'Games a day'
    """
    from prowess.engine.ratings import Ratings
    from prowess.present import figures
    from prowess.verbs.tables import take_games

    table = games.table if isinstance(games, Ratings) else take_games(games, columns)
    return figures.activity(table).plot(ax=ax)


def pairs(
    ratings: Any, players: Sequence[str] | None = None, *, ax: Any = None, system: Any = None,
    **keywords: Any,
) -> Chart:  # fmt: skip
    """The scores of players against one another: a row and a column a player.

    >>> import prowess
    >>> prowess.plot.pairs([("Ann", "Bob", 1)], system="elo").data[0]["score"]
    1.0
    """
    from prowess.present import figures

    made = take_ratings(ratings, system, keywords, "pairs")
    names = check_given(check_series, "players", players, '["Ann", "Bob"]')
    return figures.head_to_head(made, players=names).plot(ax=ax)


def compare(comparison: Any, systems: Any = None, *, ax: Any = None, **keywords: Any) -> Chart:
    """How much worse than the best each system forecasts: a comparison, or a table to make it.

    >>> import prowess
    >>> games = prowess.simulate(players=6, games=200, seed=2)
    >>> prowess.plot.compare(games, ["elo", "glicko2"], progress=False).title
    'Systems by their forecasts'
    """
    from prowess.present import figures
    from prowess.study.compare import Comparison
    from prowess.verbs.judge import compare as judge

    if not isinstance(comparison, Comparison):
        comparison = judge(comparison, systems, **keywords)
    return figures.behind_the_best(comparison).plot(ax=ax)


def reliability(test: Any, system: Any = None, *, ax: Any = None, **keywords: Any) -> Chart:
    """The calibration of a backtest, or of a system on a table: points scored by points expected.

    >>> import prowess
    >>> prowess.plot.reliability(prowess.simulate(players=6, games=200, seed=2), "elo").title
    'Calibration of elo'
    """
    from prowess.present import figures
    from prowess.study.backtest import Backtest
    from prowess.verbs.judge import backtest

    if not isinstance(test, Backtest):
        test = backtest(test, system, **keywords)
    return figures.reliability(test).plot(ax=ax)


def places(prospects: Any, top: int = 12, *, ax: Any = None) -> Chart:
    """The chances of every place, or of every round, as a season, bracket or Swiss gives them.

    >>> import prowess
    >>> found = prowess.season([("Ann", "Bob", 1)], ["Ann", "Bob"], system="elo", runs=10)
    >>> len(prowess.plot.places(found).data) > 0
    True
    """
    from prowess.present import figures
    from prowess.study.forecasting.prospects import Prospects

    if not isinstance(prospects, Prospects):
        raise BadArgument.of("not_a_forecast.plot", prospects=prospects)
    return figures.place_chances(prospects, check_count("top", top, 1)).plot(ax=ax)


def finding(
    diagnosis: Any, name: str | None = None, *, ax: Any = None, system: Any = None, **keywords: Any
) -> Chart:
    """The figure of a finding of a diagnosis: the worst, or the one of that name.

    Raises Undrawable for a finding without a figure.

    >>> import prowess
    >>> games = prowess.simulate(players=12, games=600, seed=2)
    >>> prowess.plot.finding(games, "residuals by gap").title
    'Favourites against the curve'
    """
    from prowess.present.finding_charts import FINDING_CHARTS, finding_chart
    from prowess.present.svg import Undrawable
    from prowess.study.diagnosis.diagnose import Diagnosis
    from prowess.verbs.judge import diagnose

    if not isinstance(diagnosis, Diagnosis):
        diagnosis = diagnose(diagnosis, "elo" if system is None else system, **keywords)
    drawn = [one for one in diagnosis if one.name in FINDING_CHARTS]
    if check_given(check_text, "name", name, "inflation") is not None:
        drawn = [one for one in diagnosis if one.name == name]
        if not drawn:
            names = [one.name for one in diagnosis]
            raise BadArgument.of("unknown_finding.plot", names=names, name=name)
    if not drawn:
        raise Undrawable.of("no_figure.diagnosis")
    return finding_chart(drawn[0]).plot(ax=ax)


def draw(result: Any, **options: Any) -> Chart:
    """The figure of a result: what its `plot()` returns; raises BadArgument for one without.

    >>> import prowess
    >>> prowess.plot.draw(prowess.rate([("Ann", "Bob", 1)], "elo")).data[0]["player"]
    'Ann'
    """
    from prowess.engine.leaderboard import Leaderboard
    from prowess.engine.ratings import Ratings
    from prowess.engine.steps import History
    from prowess.present.report import Report
    from prowess.study.backtest import Backtest
    from prowess.study.compare import Comparison
    from prowess.study.diagnosis.diagnose import Diagnosis
    from prowess.study.forecasting.prospects import Prospects
    from prowess.study.stack import Stack

    if isinstance(result, Report):
        result = result.ratings
    if isinstance(result, Stack):
        result = result.test
    for kind, make in (
        (Ratings, leaderboard), (Leaderboard, leaderboard), (Comparison, compare),
        (Backtest, reliability), (History, history), (Prospects, places), (Diagnosis, finding),
    ):  # fmt: skip
        if isinstance(result, kind):
            return make(result, **options)
    raise BadArgument.of("not_plottable", result=result)
