"""Game results in, ratings out.

    import prowess

    games = prowess.read_games("results.csv")
    ratings = prowess.rate(games, "glicko2", period="1mo")
    print(ratings.leaderboard(10))

The names load on first use, so that importing Prowess costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from prowess import engine
from prowess.version import MODULES, __version__ as __version__

if TYPE_CHECKING:
    from prowess import errors, plot
    from prowess.engine.inflation import NewcomersMean, Redistribution
    from prowess.engine.league_ratings import LeagueRatings
    from prowess.engine.ratings import Ratings
    from prowess.engine.system import Chances, Choice, Dynamic, Game, League, Range
    from prowess.engine.whole_table import Fit, WholeTable
    from prowess.games import BadData, DataWarning, FileFormat, Games
    from prowess.games.arguments import BadArgument
    from prowess.games.formats.ballots import read_ballots
    from prowess.games.read import look
    from prowess.verbs.judge import plan_sprt
    from prowess.verbs.pages import report, site
    from prowess.verbs.predict import (
        assess,
        balance,
        bracket,
        forecast,
        next_games,
        pairings,
        performance,
        season,
        swiss,
    )
    from prowess.verbs.rating import history, leaderboard, simulate, systems
    from prowess.verbs.saving import load, save
    from prowess.verbs.signatures import (
        arena,
        backtest,
        benchmark,
        compare,
        diagnose,
        rate,
        rate_leagues,
        rate_on,
        read_games,
        sprt,
        stack,
        system,
        table,
        triangles,
        tune,
    )
    from prowess.verbs.streaming import shard

_NAMES = {  # by the module that has them
    "engine.inflation": "NewcomersMean Redistribution",
    "engine.league_ratings": "LeagueRatings",
    "engine.ratings": "Ratings",
    "engine.system": "Chances Choice Dynamic Game League Range",
    "engine.whole_table": "Fit WholeTable",
    "games": "BadData DataWarning FileFormat Games read_games",
    "games.arguments": "BadArgument",
    "games.formats.ballots": "read_ballots",
    "games.read": "look",
    "verbs.judge": (
        "arena backtest benchmark compare diagnose plan_sprt sprt stack table triangles tune"
    ),
    "verbs.match": "system",
    "verbs.pages": "report site",
    "verbs.predict": "assess balance bracket forecast next_games pairings performance season swiss",
    "verbs.rating": "history leaderboard rate rate_leagues rate_on simulate systems",
    "verbs.saving": "load save",
    "verbs.streaming": "shard",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

__all__ = [
    "BadArgument",
    "BadData",
    "Chances",
    "Choice",
    "DataWarning",
    "Dynamic",
    "FileFormat",
    "Fit",
    "Game",
    "Games",
    "League",
    "LeagueRatings",
    "NewcomersMean",
    "Range",
    "Ratings",
    "Redistribution",
    "WholeTable",
    "arena",
    "assess",
    "backtest",
    "balance",
    "benchmark",
    "bracket",
    "compare",
    "diagnose",
    "errors",
    "forecast",
    "history",
    "leaderboard",
    "load",
    "look",
    "next_games",
    "pairings",
    "performance",
    "plan_sprt",
    "plot",
    "rate",
    "rate_leagues",
    "rate_on",
    "read_ballots",
    "read_games",
    "report",
    "save",
    "season",
    "shard",
    "simulate",
    "site",
    "sprt",
    "stack",
    "swiss",
    "system",
    "systems",
    "table",
    "triangles",
    "tune",
]


_ROOMS = ("errors", "plot")


def __getattr__(name: str) -> Any:
    if name in _ROOMS or f"prowess.{name}" in MODULES:
        return import_module(f"prowess.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'prowess' has no attribute {name!r}")
    value = getattr(import_module(f"prowess.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def _draw_result(result: Any, **options: Any) -> Any:
    """The figure that `plot()` of a result returns."""
    from prowess import plot

    return plot.draw(result, **options)


engine.draw_result = _draw_result


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})
