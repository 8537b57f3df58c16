"""Games and last days of the players of a ladder, counted on as results come."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from prowess.games.games import Games
from prowess.games.totals import PlayerCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Counts = tuple[NDArray[np.int64], NDArray[np.float64]]


def count_games(table: Games) -> Counts:
    """Per player the number of games and the day of the last one (nan: none)."""
    counts = PlayerCounts.of(table)
    assert counts.last is not None  # all results have times
    return counts.games, counts.last


def add_counts(known: Counts, came: Games) -> Counts:
    """Known counts with those of results behind all others."""
    games, last = _widen_counts(known, came)
    assert came.time is not None
    if came.duels:
        for side in (came.a, came.b):
            np.add.at(games, side, 1)
            np.fmax.at(last, side, came.time)
    else:
        np.add.at(games, came.player, 1)
        last[came.player] = came.time[came.contest_of_member]  # ascending: the latest stays
    return games, last


def recount(known: Counts, table: Games, *changed: NDArray[np.uint32]) -> Counts:
    """Known counts with those of the players who changed, counted again in a table."""
    games, last = _widen_counts(known, table)
    chosen = np.zeros(len(games), dtype=bool)
    chosen[np.concatenate(changed)] = True
    rows = chosen[table.a] | chosen[table.b] if table.duels else slice(None)
    more, latest = count_games(table.select(rows))
    games[chosen], last[chosen] = more[chosen], latest[chosen]
    return games, last


def _widen_counts(known: Counts, table: Games) -> Counts:
    """A copy of known counts with room for the newcomers of a table."""
    games, last = known
    newcomers = len(table.players) - len(games)
    games = np.concatenate((games, np.zeros(newcomers, dtype=np.int64)))
    return games, np.concatenate((last, np.full(newcomers, np.nan)))
