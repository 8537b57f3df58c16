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
    from prowess.verbs.sharding import shard
    from prowess.verbs.signatures import (
        arena,
        backtest,
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

_HOMES = {
    "BadArgument": "games.arguments",
    "BadData": "games",
    "Choice": "engine.system",
    "DataWarning": "games",
    "Dynamic": "engine.system",
    "FileFormat": "games",
    "Fit": "engine.whole_table",
    "Game": "engine.system",
    "Games": "games",
    "League": "engine.system",
    "LeagueRatings": "engine.league_ratings",
    "NewcomersMean": "engine.inflation",
    "Range": "engine.system",
    "Ratings": "engine.ratings",
    "Redistribution": "engine.inflation",
    "rate": "verbs.rating",
    "rate_leagues": "verbs.rating",
    "rate_on": "verbs.rating",
    "read_ballots": "games.formats.ballots",
    "read_games": "games",
    "systems": "verbs.rating",
    "WholeTable": "engine.whole_table",
    "Chances": "engine.system",
    "save": "verbs.saving",
    "shard": "verbs.sharding",
    "load": "verbs.saving",
    "system": "verbs.match",
    "arena": "verbs.judge",
    "backtest": "verbs.judge",
    "balance": "verbs.predict",
    "bracket": "verbs.predict",
    "compare": "verbs.judge",
    "diagnose": "verbs.judge",
    "forecast": "verbs.predict",
    "history": "verbs.rating",
    "leaderboard": "verbs.rating",
    "look": "games.read",
    "next_games": "verbs.predict",
    "pairings": "verbs.predict",
    "report": "verbs.pages",
    "season": "verbs.predict",
    "simulate": "verbs.rating",
    "stack": "verbs.judge",
    "site": "verbs.pages",
    "plan_sprt": "verbs.judge",
    "sprt": "verbs.judge",
    "swiss": "verbs.predict",
    "assess": "verbs.predict",
    "performance": "verbs.predict",
    "triangles": "verbs.judge",
    "table": "verbs.judge",
    "tune": "verbs.judge",
}

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


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})
