"""Laws of rounds and contests: order, names, sides, weights and sums, for every dynamic system."""

from __future__ import annotations

from math import fsum
from typing import Any

import numpy as np
from hypothesis import given, strategies as st
from pytest import approx

from prowess.engine.rate import rate, rate_on
from prowess.engine.state import initial_state
from prowess.engine.system import Unratable
from tests.engine.tables import (
    contests,
    games,
    some_contests,
    some_games,
    some_table,
    taken,
)
from tests.every_system import (
    every,
    excused,
    lawful,
)
from tests.refusals import refused


@every(lambda system: system.rounds != "game")
@given(table=some_games(timed=False), data=st.data())
def test_order_within_a_round(system, table, data):
    """The games of one round may be shuffled: no rating moves."""
    if excused(system, "order_in_round"):
        return
    order = data.draw(st.permutations(range(len(table))))
    table = table.replace(round=np.zeros(len(table), dtype=np.int32))
    one = rate(table, system, period="round", compiled=False)
    other = rate(taken(table, order), system, period="round", compiled=False)
    assert other.state.rating == approx(one.state.rating, rel=1e-9, abs=1e-9)  # sums round


@every()
@given(table=some_contests(size=1), data=st.data())
def test_order_within_a_contest(system, table, data):
    """The rows of one contest may be shuffled: no rating moves."""
    if excused(system, "order_in_round"):
        return
    order = data.draw(st.permutations(range(len(table.player))))
    shuffled = table.replace(player=table.player[order], place=table.place[order])
    one, other = (lawful(system, t, None).state.rating for t in (table, shuffled))
    assert other == approx(one, rel=1e-9, abs=1e-9)  # sums round


@every()
@given(data=st.data())
def test_names_play_no_part(system, data):
    """Players may be renamed and renumbered: everybody keeps his rating to the last bit."""
    table, period = data.draw(some_table(system))
    order = data.draw(st.permutations(range(len(table.players))))
    number = np.array(order, dtype=np.uint32)
    roster = tuple(f"player {index}" for index in range(len(order)))
    if not table.pairwise:
        renamed: Any = table.replace(players=roster, player=number[table.player])
    else:
        renamed = table.replace(players=roster, a=number[table.a], b=number[table.b])
    one, other = (lawful(system, t, period) for t in (table, renamed))
    if one is not None and other is not None:
        players = slice(len(number))  # behind them stand what sides have beside players
        assert np.array_equal(other.state.rating[number], one.state.rating[players])


@every(lambda system: system.rounds != "period")
@given(table=some_games())
def test_which_side_is_called_a(system, table):
    """A game may be written down from either side."""
    if system.rounds == "game" and table.time is None:
        table = table.replace(time=np.arange(len(table), dtype=np.float64))
    turned = table.replace(
        a=table.b,
        b=table.a,
        score=1.0 - table.score,
        side=-table.side,
        margin=-table.margin,
        points_a=table.points_b,
        points_b=table.points_a,
    )
    one, other = (lawful(system, t, None) for t in (table, turned))
    if one is not None and other is not None:
        close = approx(one.state.rating, rel=1e-9, abs=1e-9)
        assert other.state.rating == close or excused(system, "either_side")


@every(lambda system: system.weights and system.rounds != "game")
@given(table=some_games(weighted=False, timed=True), data=st.data())
def test_a_weight_of_two_is_two_games(system, table, data):
    """A game of weight two counts as the same game played twice in one round."""
    row = data.draw(st.integers(0, len(table) - 1))
    twice = taken(table, sorted([*range(len(table)), row]))
    weight = np.ones(len(table))
    weight[row] = 2.0
    one = lawful(system, table.replace(weight=weight), "1y")
    other = lawful(system, twice, "1y")
    if one is not None and other is not None:
        assert one.state.rating == approx(other.state.rating, rel=1e-9, abs=1e-9)


@every(lambda system: not system.weights)
def test_weights_are_refused(system):
    """A system that counts whole games says so when it is given weights."""
    if system.rounds == "game":
        table: Any = contests([[("Ada", 1), ("Ben", 2)]], weight=[2.0])
    else:
        table = games([("Ada", "Ben", 1.0)], weight=[2.0])
    with refused(Unratable, "weights_not_taken"):
        rate(table, system, period=None)
    unweighted = rate(table.replace(weight=None), system)
    with refused(Unratable, "weights_not_taken"):
        rate_on(unweighted, table)


@every(lambda system: system.keeps_sum)
@given(data=st.data())
def test_the_sum_is_kept(system, data):
    """What one player gains others lose."""
    table, period = data.draw(some_table(system))
    ratings = lawful(system, table, period)
    if ratings is not None:
        start = initial_state(system, ratings.p, len(table.players), {}).rating[:, 0]
        assert fsum(ratings.state.rating[:, 0]) == approx(fsum(start), rel=1e-12)
