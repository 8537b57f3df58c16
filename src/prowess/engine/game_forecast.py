"""The forecast of one game or contest from the ratings as they are at a moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.numeric import run_loop
from prowess.engine.params import rows_of
from prowess.engine.places import Performances, performances_of_pairs
from prowess.engine.rows import common_at, make_function, sum_parts
from prowess.engine.state import State, newcomer_now, parameters_of, rows_at, weights_of
from prowess.engine.system import Chances, Dynamic, LineUp, Unratable

if TYPE_CHECKING:
    from prowess.games.games import Games


def forecast_game(
    system: Dynamic,
    state: State,
    now: float | None,
    sides: Sequence[LineUp],
    advantage: float = 0.0,
    facts: Any = None,
) -> Chances:
    """The chances of the first side, with the ratings as they are at `now` on the system's clock.

    `facts` are further fields of the system's Game, by name; one that is a setting as well, such as
    whether a draw is possible, has its value. Raises Unratable for a side of
    several members where the system rates single players.
    """
    found = []
    for p, game, (mine, theirs), common in _settings(system, state, now, sides, advantage, facts):
        if system.chances is not None:
            found.append(system.chances(p, mine, theirs, game, *common))
        else:
            found.append(Chances(float(system.expected(p, mine, theirs, game, *common))))
    if state.logs is None:
        win, draw = found[0]
        return Chances(float(win), None if draw is None else float(draw))
    weights = weights_of(state.logs).tolist()
    win = sum(w * one.win for w, one in zip(weights, found, strict=True))
    if system.chances is None:
        return Chances(win)
    return Chances(win, sum(w * (one.draw or 0.0) for w, one in zip(weights, found, strict=True)))


def foresee_performances(
    system: Dynamic,
    state: State,
    now: float | None,
    sides: Sequence[LineUp],
    facts: Any = None,
) -> Performances:
    """What the sides of a contest will show; the arguments as of `forecast_game`."""
    settings = list(_settings(system, state, now, sides, 0.0, facts))
    if system.performance is not None and state.logs is None:
        ((p, _, made, _),) = settings
        mean, deviation = np.array([system.performance(p, side) for side in made]).T
        return Performances(mean, deviation, system.normal)
    weights = [1.0] if state.logs is None else weights_of(state.logs).tolist()
    n = len(sides)
    expected = np.zeros((n, n))  # the diagonal is not read
    for weight, (p, game, made, common) in zip(weights, settings, strict=True):
        of_lane = np.zeros(n * n)
        flat = np.array(made, dtype=np.float64).ravel()
        run_loop(pair_loop(system, len(made[0])), 0.5 * n * n, p, n, flat, game, common, of_lane)
        expected += weight * of_lane.reshape(n, n)
    return performances_of_pairs(expected, system.normal)


NEARLY_SURE = 0.999  # a chance


@cache
def pair_loop(system: Dynamic, width: int) -> Callable[..., None]:
    """Return a loop for the expected scores of pairs of sides, of `width` numbers each."""
    read = ", ".join(f"flat[{width} * row + {k}]" for k in range(width))
    shape = system.side if system.teams else system.rating
    side = make_function("side(flat, row)", f"return Shape({read})", shape)
    expected = system.expected

    def loop(p: Any, n: int, flat: Any, game: Any, common: Any, out: Any) -> None:
        for i in range(n):
            mine = side(flat, i)
            for j in range(i):
                theirs = side(flat, j)
                chance = expected(p, mine, theirs, game, *common)
                out[n * i + j], out[n * j + i] = chance, 1.0 - chance
                if chance > NEARLY_SURE:  # of 1 - chance too few digits would be left
                    out[n * j + i] = expected(p, theirs, mine, game, *common)

    return loop


def _settings(
    system: Dynamic,
    state: State,
    now: float | None,
    sides: Sequence[LineUp],
    advantage: float,
    facts: Any,
) -> Iterator[tuple[Any, Any, list[Any], tuple[Any, ...]]]:
    """Each setting with the game, the sides and what games share, as its functions take them."""
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
    parameters = parameters_of(system, state.p, state.roles)
    for lane in range(state.lanes):
        of_lane = parameters[lane * len(state.roles) :]
        made = [_side(state, of_lane, lane, members) for members in members_of]
        common: tuple[Any, ...] = ()
        if state.common is not None:
            rows = state.common[:, lane :: state.lanes]
            common = common_at(system, of_lane[0], rows, game)
        yield of_lane[0], game, made, common


def _row(state: State, now: float | None, player: int) -> Any:
    """The row of one player of the state, as it is now: the others need not age.

    Behind all players stand newcomers.
    """
    if player >= len(state.rating):
        return newcomer_now(state)
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
            known = state.role is not None and player < len(state.role)
            role = int(state.role[player]) if known else 0  # type: ignore[index]
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
