"""Glicko against its paper, an independent program, and what its formulas imply."""

from __future__ import annotations

from math import inf, log, pi, sqrt

import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.engine.system import Game
from prowess.systems.glicko import GLICKO, Evidence, Params, Rating
from tests.oracle import absorbed, foreseen, mirrored, newcomer, played, said

P = Params()

# M. E. Glickman, "The Glicko system", worked example: 1500/200 meets three players in one period.
OPPONENTS = [(Rating(1400, 30), 1.0), (Rating(1550, 100), 0.0), (Rating(1700, 300), 0.0)]

ratings = st.builds(Rating, st.floats(-500, 4000), st.floats(10, 500))


def test_worked_example():
    """One period of three games gives the paper's rating and deviation."""
    new = absorbed(GLICKO, Rating(1500, 200), OPPONENTS)
    assert new.rating == approx(1464, abs=0.5)  # the paper rounds to units
    assert new.deviation == approx(151.4, abs=0.05)  # and to tenths


# The same example: "g(RD_j)" 0.9955, 0.9531, 0.7242 and "E" 0.639, 0.432, 0.303.
@pytest.mark.parametrize(
    ("opponent", "g", "e"), [(0, 0.9955, 0.639), (1, 0.9531, 0.432), (2, 0.7242, 0.303)]
)
def test_worked_example_terms(opponent, g, e):
    """Each opponent's evidence is made of the paper's g and E."""
    q = log(10) / 400
    one = said(GLICKO, Rating(1500, 200), OPPONENTS[opponent][0], Game(0.0), P)
    assert one.surplus == approx(-q * g * e, rel=2e-3)  # E is printed with three digits
    assert one.precision == approx((q * g) ** 2 * e * (1 - e), rel=2e-3)


# elote 1.5.1 (MIT), GlickoCompetitor: one game each, both players. It rounds q to 0.0057565, a
# part in 150,000, hence the tolerance.
@pytest.mark.parametrize(
    ("me", "opponent", "score", "mine", "theirs"),
    [
        ((1850, 65), (1500, 80), 0.0, (1829.646953, 64.539811), (1531.002515, 79.142138)),
        ((1320, 210), (1700, 90), 1.0, (1512.353363, 197.465808), (1667.337393, 89.013086)),
        ((1500, 200), (1400, 30), 0.5, (1475.461963, 175.219972), (1400.518639, 29.925090)),
    ],
)
def test_an_independent_program(me, opponent, score, mine, theirs):
    """A single game moves both players as another implementation does."""
    a, b = played(GLICKO, Rating(*me), Rating(*opponent), Game(score))
    assert tuple(a) == approx(mine, abs=1.5e-3)
    assert tuple(b) == approx(theirs, abs=1.5e-3)


def test_idle_years_forget():
    """A deviation of 50 is back at 350 after a hundred periods: the example the drift is from."""
    # M. E. Glickman, "The Glicko system", step 1: c = 34.6 by sqrt((350^2 - 50^2) / 100)
    assert GLICKO.drift(P, Rating(1500, 50), 100).deviation == approx(350, abs=0.5)
    assert GLICKO.drift(P, Rating(1500, 50), 101).deviation == 350


def test_no_decay():
    """With a drift of 0 time changes nothing."""
    assert GLICKO.drift(P._replace(drift=0.0), Rating(1600, 80), 1000.0) == Rating(1600, 80)


@given(ratings, st.floats(0, 1e4), st.floats(0, 200))
def test_time_never_makes_surer(me, elapsed, drift):
    """No time is no change; more time is never a smaller deviation, and the rating stands."""
    p = P._replace(drift=drift)
    after = GLICKO.drift(p, me, elapsed)
    assert GLICKO.drift(p, me, 0.0) == me
    assert after.rating == me.rating
    assert me.deviation <= after.deviation <= max(me.deviation, p.deviation_max)


@given(ratings, st.floats(0, 50), st.floats(0, 50))
def test_drift_adds_up(me, first, then):
    """Two waits are one long wait."""
    halfway = GLICKO.drift(P, me, first)
    assert GLICKO.drift(P, halfway, then) == approx(GLICKO.drift(P, me, first + then))


@given(ratings, ratings, st.floats(0, 1), st.sampled_from([-1.0, 0.0, 1.0]))
def test_forecast_is_shared(me, opponent, score, side):
    """Both players' forecasts add up to one, advantage or not."""
    p, game = P._replace(advantage=35.0), Game(score, side)
    mine = foreseen(GLICKO, me, opponent, game, p)
    assert mine + foreseen(GLICKO, opponent, me, mirrored(game), p) == approx(1)


def test_advantage_is_points():
    """An advantage of 35 points is worth as much as a rating of 35 points more."""
    p, other = P._replace(advantage=35.0), Rating(1580, 90)
    with_side = absorbed(GLICKO, Rating(1500, 90), [(other, Game(1.0, side=1.0))], p)
    with_rating = absorbed(GLICKO, Rating(1535, 90), [(other, Game(1.0))], p)
    assert with_side.rating + 35 == approx(with_rating.rating)
    assert with_side.rating < absorbed(GLICKO, Rating(1500, 90), [(other, 1.0)], p).rating


def test_unknown_difference_forecasts_less():
    """The forecast uses both deviations, so an unsure favourite is expected to score less."""
    sure = foreseen(GLICKO, Rating(1700, 30), Rating(1500, 30), Game(), P)
    unsure = foreseen(GLICKO, Rating(1700, 300), Rating(1500, 30), Game(), P)
    combined = sqrt(300**2 + 30**2)
    g = 1 / sqrt(1 + 3 * (log(10) / 400 * combined / pi) ** 2)
    assert unsure == approx(1 / (1 + 10 ** (-g * 200 / 400)))
    assert 0.5 < unsure < sure


@given(ratings, st.lists(st.tuples(ratings, st.floats(0, 1)), min_size=1, max_size=8))
def test_credits_are_the_change(me, opponents):
    """What the games of a round brought adds up to the change of the rating."""
    after = absorbed(GLICKO, me, opponents)
    games = [said(GLICKO, me, other, Game(score), P) for other, score in opponents]
    brought = sum(GLICKO.credit(P, me, after, one) for one in games)
    assert brought == approx(after.rating - me.rating, abs=1e-9)


def test_nothing_played_changes_nothing():
    """Evidence of nothing leaves the player as he was."""
    assert GLICKO.absorb(P, Rating(1500, 200), Evidence()) == approx(Rating(1500, 200))


def test_newcomer_by_the_parameters():
    """A newcomer has the rating and deviation that the parameters say."""
    assert newcomer(GLICKO, P) == Rating(1500, 350)
    assert newcomer(GLICKO, Params(start=1200.0, start_deviation=250.0)) == Rating(1200, 250)


@given(st.floats(-1e5, 1e5), st.floats(10, 500))
def test_the_widest_gaps_stay_finite(gap, deviation):
    """Any difference of ratings gives finite numbers."""
    a, b = played(GLICKO, Rating(gap, deviation), Rating(0.0, deviation), Game(0.0))
    assert all(-inf < x < inf for x in (*a, *b))
