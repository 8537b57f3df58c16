"""The forecast of one game from the ratings as they are at a moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.params import rows_of
from prowess.engine.rows import common_at, sum_parts
from prowess.engine.state import State, parameters_of, rows_at, weights_of
from prowess.engine.system import Chances, Dynamic, LineUp, Unratable

if TYPE_CHECKING:
    from prowess.games.games import Games


def forecast_game(
    system: Dynamic,
    state: State,
    now: float | None,
    sides: tuple[LineUp, LineUp],
    advantage: float = 0.0,
    facts: Any = None,
) -> Chances:
    """The chances of the first side, with the ratings as they are at `now` on the system's clock.

    `facts` are further fields of the system's Game, by name; one that is a setting as well, such as
    whether a draw is possible, has its value. Raises Unratable for a side of
    several members where the system rates single players.
    """
    line_ups = [tuple(one) if isinstance(one, Sequence) else ((one, 1.0),) for one in sides]
    if system.part is None and any(len(one) != 1 for one in line_ups):
        raise Unratable(
            f"name one player on each side: {system.name} does not rate teams", code="no_teams"
        )
    (settings, *_), fields = rows_of(state.p), system.game._fields
    known = {name: getattr(settings, name) for name in fields if hasattr(settings, name)}
    known |= {"side": advantage, **(facts or {})}
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
    return sum_parts(parts)


WITHOUT_DRAWS = (
    "for the chance to win take a system with draws, such as davidson: here a draw is half a win"
)


def split_chances(
    chances: Chances, table: Games, streamed: bool = False
) -> tuple[float | None, float | None]:
    """The chances of a win and of a loss; None for a system without draws whose table has some, or
    keeps no games: its expected score counts draws as halves.
    """
    if chances.draw is None and (streamed or (table.pairwise and bool((table.score == 0.5).any()))):
        return None, None
    half = 0.5 * (chances.draw or 0.0)
    return chances.expected - half, 1.0 - chances.expected - half
