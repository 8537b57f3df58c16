"""Forecasts of dynamic systems: one game, the side advantage, a table under many settings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.bank import vectorises
from prowess.engine.global_values import common_at
from prowess.engine.params import Bank, Parameter, parameters, rows_of
from prowess.engine.periods import Rounds, rounds_of
from prowess.engine.replay import play
from prowess.engine.rows import make_sum
from prowess.engine.run import plays_abreast
from prowess.engine.state import State, initial_state, parameters_of, rows_at, weights_of
from prowess.engine.system import Chances, Choice, Dynamic, Unratable
from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import LineUp
    from prowess.engine.whole_table import WholeTable
    from prowess.games.games import Games

    Floats = NDArray[np.float64]


def forecast_game(
    system: Dynamic,
    state: State,
    now: float | None,
    sides: tuple[LineUp, LineUp],
    advantage: float = 0.0,
    facts: Any = None,
) -> Chances:
    """The chances of the first side, with the ratings as they are at `now` on the system's clock.

    `facts` are further fields of the system's Game, by name. Raises Unratable for a side of
    several members where the system rates single players.
    """
    line_ups = [tuple(one) if isinstance(one, Sequence) else ((one, 1.0),) for one in sides]
    if system.part is None and any(len(one) != 1 for one in line_ups):
        raise Unratable(f"name one player on each side: {system.name} does not rate teams")
    known = {"side": advantage, **(facts or {})}
    game = system.game._replace(
        **{name: value for name, value in known.items() if name in system.game._fields}
    )
    members_of = [
        [(_row(state, now, player), player, share) for player, share in one] for one in line_ups
    ]
    found = []
    parameters = parameters_of(system, state.p, state.roles)
    for lane in range(state.lanes):
        of_lane = parameters[lane * len(state.roles) :]
        mine, theirs = (_side(state, of_lane, lane, members) for members in members_of)
        common = ()
        if state.common is not None:
            rows = state.common[:, lane :: state.lanes]
            common = common_at(system, of_lane[0], rows, game)
        if system.chances is not None:
            found.append(system.chances(of_lane[0], mine, theirs, game, *common))
        else:
            foreseen = system.expected(of_lane[0], mine, theirs, game, *common)
            found.append(Chances(float(foreseen)))
    if state.logs is None:
        win, draw = found[0]
        return Chances(float(win), None if draw is None else float(draw))
    weights = weights_of(state.logs).tolist()
    win = sum(w * one.win for w, one in zip(weights, found, strict=True))
    if system.chances is None:
        return Chances(win)
    return Chances(win, sum(w * (one.draw or 0.0) for w, one in zip(weights, found, strict=True)))


def _row(state: State, now: float | None, player: int) -> Any:
    """The row of one player of the state, as it is now: the others need not age."""
    who = slice(player, player + 1)
    return (state.rating[who] if now is None else rows_at(state, now, who))[0]


def _side(
    state: State, parameters: Sequence[Any], lane: int, members: list[tuple[Any, int, float]]
) -> Any:
    """The side that members make under one setting."""
    system, lanes = state.system, state.lanes
    parts = []
    for row, player, share in members:
        me = system.rating._make(np.asarray(row[lane::lanes]).tolist())
        if system.part is not None:
            role = 0 if state.role is None else int(state.role[player])
            me = system.part(parameters[role], me, share)
        parts.append(me)
    if len(parts) == 1:  # the usual side: no function need be built
        return parts[0]
    return reduce(make_sum(parts[0]), parts[1:], parts[0])


# --- the advantage of a side (White, the home ground) ---------------------------------------------


ADVANTAGE = "advantage"  # the name of the parameter, in every system that has one


def advantage_parameter(system: Dynamic | WholeTable) -> Parameter | None:
    """The parameter that is the advantage of a side; None where the system has none."""
    return parameters(system).get(ADVANTAGE)


def has_sides(table: Games) -> bool:
    """Whether a table says of some game which side had the advantage."""
    return table.pairwise and table.side is not None and bool(table.side.any())


def idle_advantage(system: Dynamic | WholeTable, p: Any, table: Games) -> tuple[str, ...]:
    """A note where an advantage is set and the table has no sides, so that it moves nothing."""
    largest = max((getattr(row, ADVANTAGE, 0) for row in rows_of(p)), key=abs)
    if not largest or has_sides(table):
        return ()
    if isinstance(parameters(system)[ADVANTAGE].domain, Choice):  # fitted by the system
        return ()
    why = (
        "the table has no sides (--sides a: the first side has it)"
        if table.pairwise
        else "contests have no sides"
    )
    return (f"{ADVANTAGE} = {largest:g} moves nothing: {why}",)


# --- many settings in one pass --------------------------------------------------------------------


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
