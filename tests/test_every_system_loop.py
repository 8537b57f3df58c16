"""The loop is the obvious fold, compiled and live runs give its bits: laws for every system."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from hypothesis import assume, given, strategies as st
from pytest import approx

from prowess.engine.params import settings
from prowess.engine.periods import Rounds, parse_period, rounds_of
from prowess.engine.rate import rate_on
from prowess.engine.replay import play
from prowess.engine.state import State, initial_state
from prowess.engine.system import Dynamic, Unratable
from tests.engine.fold import rated
from tests.engine.tables import (
    one_setting,
    some_params,
    some_table,
    taken,
)
from tests.every_system import (
    every,
    lawful,
    same,
)
from tests.refusals import refused

# What a table brings with it, and what is learnt from all games, has oracles of its own:
# `tests/systems/test_prowess.py`, `tests/engine/test_shared_numbers.py`.


@every(lambda system: system.common is None)
@given(data=st.data())
def test_the_loop_is_a_fold(system, data):
    """Games, periods and contests, with time, sides and weights: the loop is the obvious fold."""
    table, period = data.draw(some_table(system))
    params = data.draw(st.just({}) | some_params(system))
    ratings = lawful(system, table, period, forecasts=True, params=params)
    if ratings is not None:
        rating, forecasts = rated(table, system, period, params)
        tolerance = {"rel": 1e-9, "abs": 1e-9, "nan_ok": True}  # sums round
        assert ratings.state.rating.tolist() == [approx(list(r), **tolerance) for r in rating]
        assert ratings.forecasts.tolist() == approx(forecasts, **tolerance)


def all_columns(system: Dynamic, table: Any, period: str | None) -> Any:
    """The table with times and, where they may be, weights: one compilation serves all tables."""
    rounds = len(table)
    if table.time is None:
        table = table.replace(time=18_262.0 + np.arange(rounds))
    if table.weight is None and system.weights:
        table = table.replace(weight=np.ones(rounds))
    return table


def onto(system: Dynamic, table: Any, period: str | None, p: Any) -> tuple[State, Rounds, Any]:
    """A state of newcomers, the rounds, and the table in the order of play."""
    if system.prepare is not None:
        p, table, _ = system.prepare(p, table)
    rounds = rounds_of(system, table, period)
    if rounds.order is not None:
        table = table.select(rounds.order)
    return initial_state(system, p, len(table.players), {}, table), rounds, table


def forecasts_of(table: Any) -> Any:
    """Room for the forecasts of a table."""
    return np.full(len(table.player) if not table.pairwise else len(table), np.nan)


def assert_same(one: State, other: State) -> None:
    """Two states are equal to the last bit."""
    assert same(one.rating, other.rating)
    assert same(one.seen, other.seen)
    if one.league is not None and other.league is not None:
        assert all(map(same, one.league, other.league))


@every()
@given(data=st.data())
def test_compiled_is_plain(system, data):
    """Compiled and as plain Python the loop gives the same state and forecasts, bit for bit."""
    table, period = data.draw(some_table(system))
    table = all_columns(system, table, period)
    p = settings(system, one_setting(system) | data.draw(st.just({}) | some_params(system)))
    outcomes = []
    for compiled in (False, True):
        state, rounds, in_order = onto(system, table, period, p)
        forecasts = forecasts_of(table)
        with np.errstate(all="ignore"):
            play(state, in_order, rounds, forecasts=forecasts, compiled=compiled)
        outcomes.append((state, forecasts))
    (plain, plain_forecasts), (compiled_state, compiled_forecasts) = outcomes
    assert_same(plain, compiled_state)
    assert same(plain_forecasts, compiled_forecasts)


@every()
@given(data=st.data())
def test_live_is_batch(system, data):
    """Played round by round, by either loop, a table gives the state it gives at once."""
    table, period = data.draw(some_table(system))
    table = all_columns(system, table, period)
    p = settings(system, one_setting(system))
    batch, rounds, table = onto(system, table, period, p)
    with np.errstate(all="ignore"):
        play(batch, table, rounds, compiled=False, forecasts=forecasts_of(table))
        live = State.empty(system, batch.p)  # knows nobody: players join as they appear
        count = len(table) if rounds.bounds is None else len(rounds.bounds) - 1
        for r in range(count):
            live = live.copy(newest(table, rounds, r) + 1, table)
            compiled = data.draw(st.booleans())
            forecasts = forecasts_of(table)
            play(live, table, rounds, span=(r, r + 1), forecasts=forecasts, compiled=compiled)
    assert_same(live.copy(len(table.players), table), batch)


def newest(table: Any, rounds: Rounds, r: int) -> int:
    """The largest player number up to a round."""
    last = r + 1 if rounds.bounds is None else int(rounds.bounds[r + 1])
    if table.duels:
        return int(max(table.a[:last].max(), table.b[:last].max()))
    sides = 2 * last if table.pairwise else last
    return int(table.player[: sides if table.ends is None else table.ends[sides]].max())


@every()
@given(data=st.data())
def test_further_games_are_the_same_table(system, data):
    """Ratings of the first part `then` the second are the ratings of the whole, bit for bit."""
    table, period = data.draw(some_table(system))
    assume(period != "round")  # labels of two tables are two tables' labels
    assume(len(table) > 1)
    cut = data.draw(st.integers(1, len(table) - 1))
    whole = lawful(system, table, period)
    first, second = halves(table, cut)
    begin = lawful(system, first, period)
    if whole is None or begin is None:
        return
    if period and len(set(parse_period(period).number(table.time[cut - 1 : cut + 1]))) == 1:
        with refused(Unratable, "not_continued", about="closed"):
            rate_on(begin, second)
        return
    both = rate_on(begin, second)
    assert_same(both.state, whole.state)
    assert same(both.values, whole.values)
    assert (both.game_counts.tolist(), both.day) == (whole.game_counts.tolist(), whole.day)


def halves(table: Any, cut: int) -> tuple[Any, Any]:
    """The table before and after a row (or contest), each with its own roster."""
    if table.duels:
        ends: Iterable[Any] = (slice(0, cut), slice(cut, len(table)))
        first, second = (taken(table, rows) for rows in ends)
        return first, second
    row = int(table.start[cut])
    return tuple(
        table.replace(
            start=table.start[starts] - table.start[starts][0],
            player=table.player[rows],
            place=table.place[rows],
            time=None if table.time is None else table.time[which],
            weight=None if table.weight is None else table.weight[which],
        )
        for starts, rows, which in (
            (slice(0, cut + 1), slice(0, row), slice(0, cut)),
            (slice(cut, None), slice(row, None), slice(cut, None)),
        )
    )
