"""The league's sum, kept up to date by the loop, against counting it afresh before every round."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.engine.params import settings
from prowess.engine.periods import rounds_of
from prowess.engine.rate import rate
from prowess.engine.replay import play
from prowess.engine.state import initial_state
from prowess.systems.catalogue import find
from tests.engine.fold import rated
from tests.engine.tables import START, games, some_contests, some_games

ICS = find("ics")
# Established after one game, so that every game depends on the sum, and after 20 idle days or
# more (or never) no part of it.
limits = st.sampled_from((0.0, 1.0, 20.0, 40.0))
tables = st.one_of(
    st.tuples(some_games(timed=True, size=25), st.sampled_from((None, "7d", "1mo"))),
    st.tuples(some_contests(timed=True, size=6), st.none()),
)


@given(tables, limits, st.sampled_from((1.0, 2.0)))
def test_the_ring_is_a_recount(given_table, limit, established):
    """Ratings are those of a league whose sum is counted afresh before every round."""
    table, period = given_table
    params = {"active_days": limit, "established": established}
    ratings = rate(table, ICS, period=period, params=params, compiled=False)
    expected, _ = rated(table, ICS, period, params)
    assert ratings.state.rating.tolist() == [approx(list(r), rel=1e-9) for r in expected]


@given(tables, limits)
def test_the_ring_compiles(given_table, limit):
    """Compiled, the ring is the same to the last bit."""
    table, period = given_table
    params = {"active_days": limit, "established": 1}
    one, other = (
        rate(table, ICS, period=period, params=params, compiled=compiled)
        for compiled in (False, True)
    )
    assert np.array_equal(one.state.rating, other.state.rating)
    assert all(map(np.array_equal, one.state.league, other.state.league))


@given(some_games(timed=True, size=20), limits)
def test_live_games_find_the_same_ring(table, limit):
    """Played one by one, with newcomers joining late, the league has the same sum."""
    p = settings(ICS, {"active_days": limit, "established": 1})
    rounds = rounds_of(ICS, table, None)
    batch = initial_state(ICS, p, len(table.players), {})
    play(batch, table, rounds, compiled=False)
    live = initial_state(ICS, p, 0, {})
    for row in range(len(table)):
        live = live.copy(int(max(table.a[: row + 1].max(), table.b[: row + 1].max())) + 1)
        play(live, table, rounds, span=(row, row + 1), compiled=False)
    assert np.array_equal(live.rating, batch.rating)
    assert np.array_equal(live.league.totals, batch.league.totals)


def test_the_idle_do_not_count():
    """Who has been idle for longer than the limit no longer pulls the mean; on the day he does."""
    rows = [("Ada", "Ben", 1.0), ("Cleo", "Dan", 1.0)]
    params = {"active_days": 20, "established": 1}

    def newcomer_after(days):
        table = games(rows, time=[START, START + days])
        return rate(table, ICS, params=params)["Cleo"].rating

    nobody = rate(games(rows[1:]), ICS, params=params)["Cleo"].rating
    assert newcomer_after(20) != nobody
    assert newcomer_after(20.001) == nobody


def test_without_dates_nobody_is_idle():
    """A table without dates counts everybody for ever."""
    table = games([("Ada", "Ben", 1.0), ("Cleo", "Dan", 1.0)])
    params = {"active_days": 20, "established": 1}
    dated = table.replace(time=np.array([START, START + 1]))
    one, other = (rate(t, ICS, params=params)["Cleo"].rating for t in (table, dated))
    assert one == other


def test_who_begins_established_counts_at_once():
    """Where nobody falls idle, a rating to begin with is part of the mean from the first game."""
    table = games([("Cleo", "Dan", 1.0), ("Ada", "Ben", 1.0)])
    start = {"Ada": {"rating": 2600.0, "games": 30.0}}
    high = rate(table, ICS, start=start)["Cleo"].rating
    low = rate(table, ICS, start={"Ada": {"rating": 600.0, "games": 30.0}})["Cleo"].rating
    # the correction is (target - mean) / PULL: two means 2000 points apart
    from prowess.systems.ics import PULL

    assert low - high == approx(2000 / PULL)


def test_who_has_not_been_seen_is_idle():
    """Where players fall idle, one who only has a rating to begin with counts once he plays."""
    table = games([("Cleo", "Dan", 1.0), ("Ada", "Dan", 1.0)], time=[START, START + 1])
    start = {"Ada": {"rating": 2600.0, "games": 30.0}}
    ratings = rate(table, ICS, start=start, params={"active_days": 20})
    assert ratings["Cleo"].rating == rate(table, ICS, params={"active_days": 20})["Cleo"].rating
    assert ratings.state.league.totals[0].tolist() == [1.0, ratings["Ada"].rating]


@pytest.mark.parametrize("limit", [0, 20, 1000])
def test_who_begins_established_counts_once(limit):
    """After a game the sum is that of the ratings, whatever they began with."""
    table = games(
        [("Ada", "Ben", 1.0), ("Cleo", "Ben", 1.0), ("Ada", "Cleo", 0.0)],
        time=[START, START + 1, START + 2],
    )
    start = {"Ada": {"rating": 2600.0, "games": 30.0}, "Ben": {"rating": 1000.0, "games": 50.0}}
    ratings = rate(table, ICS, start=start, params={"active_days": limit, "established": 20})
    established = ratings.state.rating[:2, 0]
    assert ratings.state.league.totals[0] == approx([2, established.sum()])
