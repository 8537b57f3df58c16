"""Ratings beside the truth while a simulated league goes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.params import BadSetting, settings
from prowess.engine.periods import rounds_of
from prowess.engine.replay import play
from prowess.engine.state import State, initial_state
from prowess.engine.system import Dynamic
from prowess.study.simulated.league import League

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def snapshots(
    league: League, system: Dynamic, params: Mapping[str, float], moments: Iterable[int]
) -> Iterator[tuple[int, State]]:
    """(games played, state) at each of these ascending numbers of games, rated game by game."""
    table = league.games
    state = initial_state(system, settings(system, params), len(table.players), {})
    rounds = rounds_of(system, table, None)
    done = 0
    for moment in moments:
        play(state, table, rounds, span=(done, moment))
        done = moment
        yield moment, state


def errors_over_time(
    league: League, system: Dynamic, params: Mapping[str, float], moments: Iterable[int]
) -> Iterator[Floats]:
    """Rating minus true strength of everybody then alive, in points; a newcomer's for the unseen.

    Raises BadSetting where strengths change: the truth is kept for the end alone.
    """
    if league.settings.drift or league.settings.learning:
        raise BadSetting("errors over time need strengths that stay: no drift, no learning")
    truth, time = league.truth, league.games.time
    assert time is not None
    for moment, state in snapshots(league, system, params, moments):
        now = time[moment - 1]
        alive = (truth.born <= now) & ~(truth.died <= now)
        yield state.rating[alive, 0] - truth.strength[alive]
