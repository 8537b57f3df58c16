"""The forecasts of many settings in one pass over a table, each as if it were played alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.bank import Bank
from prowess.engine.bank_loop import vectorises
from prowess.engine.replay import play
from prowess.engine.rounds import Rounds, rounds_of
from prowess.engine.run import plays_abreast
from prowess.engine.state import initial_state
from prowess.engine.system import Dynamic
from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TOGETHER = 8  # settings in one pass; a loop is compiled for this many


def pays_apart(system: Dynamic, table: Games, period: str | None) -> bool:
    """Whether several settings in one pass take less time than one pass for each."""
    if period is not None or table.role is not None or not vectorises(system):
        return False
    return plays_abreast(system, table, Rounds(None, None, None))


def forecast_apart(table: Games, system: Dynamic, settings: Sequence[Any]) -> Floats:
    """The expected scores of duels before each game under every setting, [games, settings].

    A column is that of a run of its own to 1e-9, and nan where the ratings left the numbers.
    """
    found = np.empty((len(table), len(settings)))
    rounds = rounds_of(system, table, None)
    for first in range(0, len(settings), TOGETHER):
        some = tuple(settings[first : first + TOGETHER])
        lanes = (*some, *some[:1] * (TOGETHER - len(some)))  # the last ones are not looked at
        state = initial_state(system, Bank((), lanes), len(table.players), {}, table)
        state.logs = None  # nothing is mixed
        expected = np.empty((len(table), TOGETHER))
        with np.errstate(all="ignore"):
            play(state, table, rounds, forecasts=expected, compiled=True)
        by_lane = state.rating.reshape(len(state.rating), -1, TOGETHER)
        expected[:, ~np.isfinite(by_lane).all(axis=(0, 1))] = np.nan
        found[:, first : first + len(some)] = expected[:, : len(some)]
    return found
