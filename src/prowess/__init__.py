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

if TYPE_CHECKING:
    from prowess.arguments import BadArgument
    from prowess.engine.inflation import NewcomersMean, Redistribution
    from prowess.engine.ratings import Ratings
    from prowess.engine.system import Chances, Choice, Dynamic, Game, League, Range
    from prowess.engine.whole_table import Fit, WholeTable
    from prowess.games import BadData, DataWarning, Games, read_games
    from prowess.games.ballots import read_ballots
    from prowess.rating import rate, rate_on, systems

__version__ = "0.1.0"

_HOMES = {
    "BadArgument": "arguments",
    "BadData": "games",
    "Choice": "engine.system",
    "DataWarning": "games",
    "Dynamic": "engine.system",
    "Fit": "engine.whole_table",
    "Game": "engine.system",
    "Games": "games",
    "League": "engine.system",
    "NewcomersMean": "engine.inflation",
    "Range": "engine.system",
    "Ratings": "engine.ratings",
    "Redistribution": "engine.inflation",
    "rate": "rating",
    "rate_on": "rating",
    "read_ballots": "games.ballots",
    "read_games": "games",
    "systems": "rating",
    "WholeTable": "engine.whole_table",
    "Chances": "engine.system",
}

__all__ = [
    "BadArgument",
    "BadData",
    "Chances",
    "Choice",
    "DataWarning",
    "Dynamic",
    "Fit",
    "Game",
    "Games",
    "League",
    "NewcomersMean",
    "Range",
    "Ratings",
    "Redistribution",
    "WholeTable",
    "rate",
    "rate_on",
    "read_ballots",
    "read_games",
    "systems",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'prowess' has no attribute {name!r}")
    value = getattr(import_module(f"prowess.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
