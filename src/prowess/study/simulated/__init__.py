"""Leagues whose true strengths are known, because they were made up.

    from prowess.study.simulated import league_settings, simulated

    league = simulated(league_settings(players=100, games=10_000, draws=0.2), seed=1)

The names load on first use: the settings alone need no NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prowess.study.simulated.league import League, simulated
    from prowess.study.simulated.settings import Settings, league_settings

__all__ = ["League", "Settings", "league_settings", "simulated"]

_HOMES = {
    "League": "league",
    "Settings": "settings",
    "league_settings": "settings",
    "simulated": "league",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'prowess.study.simulated' has no attribute {name!r}")
    value = getattr(import_module(f"prowess.study.simulated.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
