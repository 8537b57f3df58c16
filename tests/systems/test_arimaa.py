"""Arimaa: the page's rule in whole numbers, and what it says about itself."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.engine.system import Game
from prowess.systems.arimaa import ARIMAA, Evidence, Params, Rating, round_half_up, shrink_k
from tests.oracle import absorbed, mirrored, newcomer, played

P = Params()
players = st.builds(
    Rating, st.integers(-500, 3500).map(float), st.integers(0, 200).map(float), st.floats(0, 0.99)
)


# "Arimaa Rating System": "It decreases from its initial value of 120 down to 30 in about 70 games."
def test_seventy_games():
    """K falls from 120 to 30 in exactly 70 games, each step the printed int(0.98 K + 0.6)."""
    ks = list(accumulate(range(70), lambda k, _: shrink_k(k), initial=120.0))
    assert ks[-1] == 30 < ks[-2]
    assert all(later == int(0.98 * k + 0.6 + 1e-9) for k, later in pairwise(ks))


def test_thirty_is_the_floor():
    """No K from 30 down shrinks."""
    assert [shrink_k(float(k)) for k in range(31)] == [*range(31)]


def test_shrinks_by_one():
    """From 31 to 80 a game lowers K by exactly one."""
    assert [shrink_k(float(k)) for k in range(31, 81)] == [*range(30, 80)]


@pytest.mark.parametrize("k", range(31, 80))
def test_a_game_a_week_holds_k(k):
    """One game a week leaves K where it is, however the clock rounds its weeks."""
    me = Rating(1400.0, float(k))
    start = 19000.123  # days
    seen = start / 7
    for week in range(1, 300):
        now = (start + 7 * week) / 7
        me = absorbed(ARIMAA, ARIMAA.drift(P, me, now - seen), [(Rating(), 0.5)])
        seen = now
        assert me.k == k


def test_a_newcomer_with_a_game_a_week_stalls_at_80():
    """From 120, a game and a week in turn lead to 80 and no lower."""
    me = newcomer(ARIMAA, P)
    for _ in range(200):
        me = ARIMAA.drift(P, absorbed(ARIMAA, me, [(Rating(), 0.5)]), 1.0)
    assert me.k == 80


# "Arimaa Rating System": "Performing as expected against a player with a rating difference of about
# 800 points or more will not change your rating much."
@pytest.mark.parametrize(("k", "most"), [(30.0, 0.0), (120.0, 1.0)])
def test_gaps_of_800(k, most):
    """Winning as expected 800 points ahead brings nothing at K = 30, one point at K = 120."""
    gain = absorbed(ARIMAA, Rating(2200, k), [(Rating(1400), 1.0)]).rating - 2200
    assert gain == most


@given(players, players, st.sampled_from([0.0, 0.5, 1.0]))
def test_ratings_are_whole(me, opponent, score):
    """Ratings stay whole numbers, each within half a point of the unrounded one."""
    after = absorbed(ARIMAA, me, [(opponent, score)])
    e = 1 / (1 + 10 ** ((opponent.rating - me.rating) / 400))
    assert after.rating == int(after.rating)
    assert abs(after.rating - (me.rating + me.k * (score - e))) <= 0.5 + 1e-9


@given(players, players)
def test_wins_and_losses(me, opponent):
    """A win never lowers a rating, a loss never raises one, a draw lies between."""
    lost, drawn, won = (absorbed(ARIMAA, me, [(opponent, s)]).rating for s in (0.0, 0.5, 1.0))
    assert lost <= me.rating <= won
    assert lost <= drawn <= won


def test_halves_round_upwards():
    """int(x + 0.5) is the floor, below zero too; halves go up, so a game may create a point."""
    assert [round_half_up(x) for x in (0.5, -0.5, -0.6, 1.49, -1.5)] == [1, 0, -1, 1, -1]
    a, b = played(ARIMAA, Rating(1400, 31), Rating(1400, 31), Game(1.0))  # 15.5 points
    assert (a.rating, b.rating) == (1416, 1385)


def test_a_period_rounds_once():
    """Two games of one period: the changes are added, rounded once, and K shrinks twice."""
    me = Rating(1400, 31)
    after = absorbed(ARIMAA, me, [(me, 1.0), (me, 1.0)])
    assert after.rating == 1431  # 31 / 2 twice; rounded each time it would be 1432
    assert after.k == 30
    assert absorbed(ARIMAA, Rating(1400, 75), [(me, 1.0)] * 20).k == 55


@given(players, st.floats(0, 200), st.floats(0, 200))
def test_weeks_add_up(me, first, then):
    """Two waits are one long wait, parts of weeks included, and time never lowers K."""
    halfway = ARIMAA.drift(P, me, first)
    later, at_once = ARIMAA.drift(P, halfway, then), ARIMAA.drift(P, me, first + then)
    assert later.k == at_once.k
    assert later.waited == approx(at_once.waited, abs=1e-9)
    assert me.k <= halfway.k <= later.k
    assert later.rating == me.rating
    assert ARIMAA.drift(P, me, 0.0) == me


def test_days_become_a_week():
    """Seven waits of a day are one week; six are none."""
    me = Rating(1400, 50)
    for day in range(1, 15):
        me = ARIMAA.drift(P, me, 1 / 7)
        assert me.k == 50 + day // 7


def test_growth_has_its_limits():
    """K grows from k_min on, up to k_max, and not at all when growth is off or K fixed."""
    assert ARIMAA.drift(P, Rating(k=29), 10).k == 29
    assert ARIMAA.drift(P, Rating(k=30), 10).k == 40
    assert ARIMAA.drift(P, Rating(k=115), 10).k == 120
    assert ARIMAA.drift(P, Rating(k=150), 10).k == 150
    assert ARIMAA.drift(P._replace(k_min=20.0, k_max=25.0), Rating(k=22), 10).k == 25
    assert ARIMAA.drift(P._replace(growth=1), Rating(k=50), 10).k == 50
    assert ARIMAA.drift(P._replace(uncertainty=1), Rating(k=50), 10).k == 50


def test_fixed_uncertainty():
    """With K fixed, games do not shrink it."""
    fixed = P._replace(uncertainty=1)
    assert absorbed(ARIMAA, Rating(1400, 120), [(Rating(), 1.0)] * 5, fixed).k == 120
    assert absorbed(ARIMAA, Rating(1400, 120), [(Rating(), 1.0)] * 5, P).k == 110


@given(players, st.lists(st.tuples(players, st.floats(0, 1)), min_size=1, max_size=6))
def test_credits_are_the_change_before_rounding(me, opponents):
    """What the games brought adds up to the change, all but the rounding."""
    after = absorbed(ARIMAA, me, opponents)
    games = [ARIMAA.evidence(P, me, other, Game(score)) for other, score in opponents]
    brought = sum(ARIMAA.credit(P, me, after, one) for one in games)
    assert abs(after.rating - me.rating - brought) <= 0.5 + 1e-6


@given(players, players)
def test_forecast_is_shared(me, opponent):
    """Both players' forecasts add up to one."""
    mine = ARIMAA.expected(P, me, opponent, Game())
    assert mine + ARIMAA.expected(P, opponent, me, mirrored(Game())) == approx(1)


def test_nothing_played_changes_nothing():
    """Evidence of no game leaves the player as he was."""
    assert ARIMAA.absorb(P, Rating(1400, 60, 0.5), Evidence()) == Rating(1400, 60, 0.5)


def test_newcomer_by_the_parameters():
    """A newcomer has what the parameters say, in whole points."""
    assert newcomer(ARIMAA, P) == Rating(1400, 120, 0)
    assert newcomer(ARIMAA, Params(start=999.6, start_k=80.0)) == Rating(1000, 80, 0)
