"""The forecast of one game or contest from the ratings as they are at a moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.compile.worth import LIGHT, part_of, run_loop
from prowess.engine.params import rows_of
from prowess.engine.places import Performances, performances_by_pairs
from prowess.engine.rows import common_at, game_rules, make_function, sum_parts
from prowess.engine.state import (
    State,
    factor_of,
    factors_of,
    newcomer_now,
    parameters_of,
    rows_at,
    weights_of,
)
from prowess.engine.system import Chances, Dynamic, LineUp, Unratable

if TYPE_CHECKING:
    from prowess.games.games import Games


class AskedGame(NamedTuple):
    """A game or contest to come under one setting, as the functions of its system take it."""

    p: Any
    game: Any
    sides: Any  # rows, or a matrix of them
    common: tuple[Any, ...]


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
    found = [
        foresee_game(system, one)
        for one in ask_settings(system, state, now, sides, advantage, facts)
    ]
    if state.logs is None:
        return found[0]
    weights = weights_of(state.logs).tolist()
    win = sum(w * one.win for w, one in zip(weights, found, strict=True))
    if system.chances is None:
        return Chances(win)
    return Chances(win, sum(w * (one.draw or 0.0) for w, one in zip(weights, found, strict=True)))


def foresee_game(system: Dynamic, asked: AskedGame) -> Chances:
    """The chances of the first of two sides under one setting."""
    p, game, (mine, theirs), common = asked
    if system.chances is None:
        return Chances(float(system.expected(p, mine, theirs, game, *common)))
    win, draw = system.chances(p, mine, theirs, game, *common)
    return Chances(float(win), None if draw is None else float(draw))


def foresee_sides(
    system: Dynamic, asked: Sequence[AskedGame], weights: Floats | None = None
) -> Performances:
    """What the sides show under all settings of a bank by their weights; None: of one setting."""
    if system.performance is not None and weights is None:
        ((p, _, made, _),) = asked
        mean, deviation = np.array([system.performance(p, side) for side in made]).T
        return Performances(mean, deviation, system.normal)

    def expect(first: Ids, second: Ids) -> Floats:
        return forecast_sides(system, asked, weights, first, second)[0]

    return performances_by_pairs(expect, len(asked[0].sides), system.normal)


PAIR_STEPS = 15.0  # light steps that the chances of a pair take


def forecast_sides(
    system: Dynamic,
    asked: Sequence[AskedGame],
    weights: Floats | None,
    first: Ids,
    second: Ids,
    side: Floats | None = None,
) -> tuple[Floats, Floats | None]:
    """The expected scores of games between sides by number, and chances of a draw, [games].

    They are those of `foresee_game`, mixed by the weights of the settings; chances of a draw are
    None where the system has no model of them. `side` [games] is the side advantage.
    """
    count = len(first)
    if not count:
        return np.empty(0), None
    expected, drawn = np.zeros(count), None if system.chances is None else np.zeros(count)
    found, draws = np.empty(count), np.empty(0 if drawn is None else count)
    advantage = np.zeros(count) if side is None else side
    steps, shares = PAIR_STEPS * count, [1.0] if weights is None else weights.tolist()
    with part_of(steps * len(asked) / LIGHT):
        for weight, one in zip(shares, asked, strict=True):
            if weight == 0.0:
                continue
            flat = np.asarray(one.sides, dtype=np.float64)
            given = one.p, first, second, flat.ravel(), one.game, advantage, one.common
            run_loop(pair_loop(system, flat.shape[1]), steps, *given, found, draws)
            expected += weight * found
            if drawn is not None:
                drawn += weight * draws
    return expected, drawn


@cache
def pair_loop(system: Dynamic, width: int) -> Callable[..., None]:
    """Return a loop for the chances of pairs of sides, of `width` numbers each."""
    shape = system.side if system.teams else system.rating
    read = ", ".join(f"flat[{width} * row + {k}]" for k in range(width))
    side_at = make_function("side(flat, row)", f"return Shape({read})", shape)
    columns = game_rules(system.game).columns
    terms = ", ".join("side" if columns[one] == "side" else f"game.{one}" for one in columns)
    on_side = make_function("on_side(game, side)", f"return Shape({terms})", system.game)
    expect, foresee = system.expected, system.chances

    def expect_all(
        p: Any, first: Any, second: Any, flat: Any, game: Any, side: Any, common: Any,
        expected: Any, drawn: Any,
    ) -> None:  # fmt: skip
        for k in range(len(expected)):
            mine, theirs = side_at(flat, first[k]), side_at(flat, second[k])
            expected[k] = expect(p, mine, theirs, on_side(game, side[k]), *common)

    def foresee_all(
        p: Any, first: Any, second: Any, flat: Any, game: Any, side: Any, common: Any,
        expected: Any, drawn: Any,
    ) -> None:  # fmt: skip
        for k in range(len(expected)):
            mine, theirs = side_at(flat, first[k]), side_at(flat, second[k])
            found = foresee(p, mine, theirs, on_side(game, side[k]), *common)  # type: ignore[misc]
            drawn[k] = found.draw
            expected[k] = found.win + 0.5 * drawn[k]

    return expect_all if foresee is None else foresee_all


def make_line_up(side: LineUp) -> tuple[tuple[int, float], ...]:
    """The members of a side with their shares."""
    return tuple(side) if isinstance(side, Sequence) else ((side, 1.0),)


def game_to_come(system: Dynamic, p: Any, advantage: float = 0.0, facts: Any = None) -> Any:
    """A game without a result: its facts, settings of the same name, and the side advantage."""
    fields = system.game._fields
    known = {name: getattr(p, name) for name in fields if hasattr(p, name)}
    known |= {"side": advantage, **(facts or {})}
    return system.game._replace(**{name: value for name, value in known.items() if name in fields})


def ask_settings(
    system: Dynamic,
    state: State,
    now: float | None,
    sides: Sequence[LineUp],
    advantage: float,
    facts: Any,
) -> Iterator[AskedGame]:
    """The game or contest under each setting."""
    line_ups = [make_line_up(one) for one in sides]
    if system.part is None and any(len(one) != 1 for one in line_ups):
        raise Unratable.of("no_teams.game_forecast", system=system.name)
    game = game_to_come(system, rows_of(state.p)[0], advantage, facts)
    rows = _rows(state, now, dict.fromkeys(player for one in line_ups for player, _ in one))
    members_of = [[(rows[player], player, share) for player, share in one] for one in line_ups]
    members_of = _with_company(state, members_of)
    parameters, factors = parameters_of(system, state.p, state.roles), factors_of(state)
    for lane in range(state.lanes):
        of_lane = parameters[lane * len(state.roles) :]
        made = [_side(state, of_lane, lane, members, factors[lane]) for members in members_of]
        common: tuple[Any, ...] = ()
        if state.common is not None:
            learnt = state.common[:, lane :: state.lanes]
            common = common_at(system, of_lane[0], learnt, game)
        yield AskedGame(of_lane[0], game, made, common)


Rows = list[tuple[Any, int, float]]  # of the members of a side: row of the state, number, share


def _with_company(state: State, members_of: list[Rows]) -> list[Rows]:
    """The sides with a newcomer come towards a known opponent, where both are alone."""
    common = state.system.common
    if common is None or not common.company or len(members_of) != 2:
        return members_of
    (of_company, *_) = parameters_of(state.system, state.p, (common.company,))
    row = factor_of(state.system, of_company)
    players = [
        [k for k, one in enumerate(side) if _is_player(state, one[1])] for side in members_of
    ]
    fresh = [all(_is_new(state, one) for _, one, _ in side[:1]) for side in members_of]
    if row < 0 or [*map(len, players)] != [1, 1] or fresh[0] == fresh[1]:
        return members_of
    at, known = (0, 1) if fresh[0] else (1, 0)
    (me, player, share), lanes = members_of[at][0], state.lanes
    me = np.array(me)
    assert state.common is not None
    further = members_of[known][0][0][:lanes] - me[:lanes]
    me[:lanes] += state.common[row, :lanes] * further
    found = [*members_of]
    found[at] = [(me, player, share), *members_of[at][1:]]
    return found


def _is_new(state: State, player: int) -> bool:
    return player >= len(state.seen) or bool(np.isnan(state.seen[player]))


def _is_player(state: State, member: int) -> bool:
    if state.role is None or member >= len(state.role):
        return True
    number = int(state.role[member])
    return number == 0 or isinstance(state.roles[number], int)


def _rows(state: State, now: float | None, players: Iterable[int]) -> dict[int, Floats]:
    """The rows of some players of the state, as they are now: the others need not age.

    Behind all players stand newcomers.
    """
    known = [player for player in players if player < len(state.rating)]
    who = np.array(known, dtype=np.int64)
    rows = rows_at(state, now, who)
    found = dict(zip(known, rows, strict=True))
    further = [player for player in players if player >= len(state.rating)]
    return found | dict.fromkeys(further, newcomer_now(state)) if further else found


def _side(
    state: State,
    parameters: Sequence[Any],
    lane: int,
    members: list[tuple[Any, int, float]],
    factors: Sequence[float],
) -> Any:
    """The side that members make under one setting."""
    system, lanes = state.system, state.lanes
    parts = []
    for row, player, share in members:
        me = system.rating._make(np.asarray(row[lane::lanes]).tolist())
        if system.part is not None:
            known = state.role is not None and player < len(state.role)
            role = int(state.role[player]) if known else 0  # type: ignore[index]
            me = system.part(parameters[role], me, share * factors[role])
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
    return chances.win, chances.loss
