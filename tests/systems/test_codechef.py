"""CodeChef's contest rating: the slides' rules, hand-checkable contests, and their laws."""

from __future__ import annotations

from math import isfinite, log, sqrt

import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.engine.system import Game
from prowess.systems import codechef
from prowess.systems.codechef import CODECHEF, Evidence, Params, Rating
from tests.oracle import added, newcomer

P = Params()

entrants = st.builds(
    Rating, st.floats(-500, 4000), st.floats(75, 200), st.integers(0, 500).map(float)
)
contests = st.lists(st.tuples(entrants, st.integers(1, 6)), min_size=2, max_size=12)


def seen_by(k, contest):
    """What player k learns of each of the others."""
    me, place = contest[k]
    return [
        CODECHEF.evidence(
            P, me, other, Game(1.0 if place < their else 0.5 if place == their else 0.0)
        )
        for j, (other, their) in enumerate(contest)
        if j != k
    ]


def total_of(k, contest) -> Evidence:
    """All of it, added."""
    total = Evidence()
    for one in seen_by(k, contest):
        total = added(total, one)
    return total


def after(contest, p=P):
    """Everybody after the contest."""
    return [CODECHEF.absorb(p, me, total_of(k, contest)) for k, (me, _) in enumerate(contest)]


def test_four_newcomers():
    """Four newcomers at places 1, 2, 3, 3: by hand, all being equal."""
    # Cf = V = 125, RW = 1/3, Perf(ERank) = 0: 125/3 log4(N/ARank - 1), ARank 1/2, 3/2, 3, 3
    new = after([(Rating(), 1), (Rating(), 2), (Rating(), 3), (Rating(), 3)])
    for player, ratio in zip(new, [7, 5 / 3, 1 / 3, 1 / 3], strict=True):
        d = 125 / 3 * log(ratio) / log(4)
        assert player.rating == approx(1500 + d)
        vw = 0.8 / 0.6
        assert player.volatility == approx(sqrt((vw * d * d + 125**2) / (vw + 1.1)))
        assert player.times == 1


def test_two_equals_who_tie_stay():
    """Equals who tie do not move, and grow steadier."""
    one, other = after([(Rating(), 1), (Rating(), 1)])
    assert one == other
    assert one.rating == 1500
    assert one.volatility == approx(125 / sqrt(0.8 / 0.6 + 1.1))


def test_alone_is_not_rated():
    """A contest of one changes nothing, the number of contests included."""
    assert CODECHEF.absorb(P, Rating(1700, 100, 3), Evidence()) == Rating(1700, 100, 3)


@given(contests)
def test_ranks_add_up(contest):
    """Expected and actual places both add up to N^2 / 2 and stay within [1/2, N - 1/2]."""
    n = len(contest)
    totals = [total_of(k, contest) for k in range(n)]
    for rank in (codechef.erank, codechef.arank):
        places = [rank(total) for total in totals]
        assert sum(places) == approx(n * n / 2)
        assert all(0.5 <= place <= n - 0.5 for place in places)


@given(contests)
def test_field_is_the_same_for_all(contest):
    """Every player finds the same competition factor, the one of the whole field."""
    n = len(contest)
    mean = sum(me.rating for me, _ in contest) / n
    scatter = sum((me.rating - mean) ** 2 for me, _ in contest) / (n - 1)
    cf = sqrt(sum(me.volatility**2 for me, _ in contest) / n + scatter)
    for k, (me, _) in enumerate(contest):
        assert codechef.competition_factor(me, total_of(k, contest)) == approx(cf)


def test_far_from_zero_no_digits_are_lost():
    """A field a billion points away has the same competition factor."""
    near = [(Rating(1500 + 3 * k), 1) for k in range(5)]
    far = [(Rating(1e9 + 3 * k), 1) for k in range(5)]
    factors = [codechef.competition_factor(c[2][0], total_of(2, c)) for c in (near, far)]
    assert factors[0] == approx(factors[1], rel=1e-12)


@given(st.floats(0.01, 0.99), st.integers(2, 1000))
def test_performance_inverts_the_pairwise_law(part, n):
    """Perf is log_4 of the odds, opposite at opposite places, as the pairwise law."""
    x = codechef.performance(part * n, n)
    assert 1 / (1 + 4**x) == approx(part)
    assert codechef.performance((1 - part) * n, n) == approx(-x, abs=1e-9)


@given(contests)
def test_a_better_place_never_earns_less(contest):
    """One place better against the same field is never a lower rating."""
    (me, place), *others = contest
    better = after([(me, place - 1), *others])[0].rating
    assert better >= after(contest)[0].rating


@given(contests)
def test_changes_are_capped_and_volatility_limited(contest):
    """No change exceeds its cap, and the volatility stays in [75, 200]."""
    for (me, _), new in zip(contest, after(contest), strict=True):
        assert abs(new.rating - me.rating) <= codechef.cap(me) * (1 + 1e-9)
        assert 75 <= new.volatility <= 200
        assert new.times == me.times + 1


def test_cap_by_hand():
    """The cap of a newcomer is 100 + 75 + 100; of a veteran 500 points off it nears 150."""
    assert codechef.cap(Rating()) == 275
    assert codechef.cap(Rating(2000, 125, 74)) == 151


@given(contests)
def test_credits_are_the_change(contest):
    """What the others brought adds up to the change, capped or not."""
    for k, new in enumerate(after(contest)):
        me = contest[k][0]
        brought = sum(CODECHEF.credit(P, me, new, one) for one in seen_by(k, contest))
        assert brought == approx(new.rating - me.rating, rel=1e-6, abs=1e-6)


def test_credit_tells_who():
    """A loss to a weaker player costs, a win against a stronger one pays."""
    contest = [(Rating(1600), 2), (Rating(1400), 1), (Rating(1900), 3)]
    me, new = contest[0][0], after(contest)[0]
    costs, pays = (CODECHEF.credit(P, me, new, one) for one in seen_by(0, contest))
    assert costs < 0 < pays


def test_uncapped_volatility():
    """The volatility can be told of the change before its cap."""
    contest = [(Rating(1000, 200, 40), 1), (Rating(2600, 80, 60), 2)]
    capped, uncapped = after(contest), after(contest, Params(volatility_from=1))
    assert [x.rating for x in capped] == [x.rating for x in uncapped]
    assert uncapped[0].volatility == 200 > capped[0].volatility


@given(entrants, entrants)
def test_forecast_is_shared(me, opponent):
    """Both players' forecasts add up to one."""
    mine = CODECHEF.expected(P, me, opponent, Game())
    assert mine + CODECHEF.expected(P, opponent, me, Game()) == approx(1)


# "Rating Algorithms", the formula of E_ab, by hand: at R_a - R_b = sqrt(V_a^2 + V_b^2) odds are 4.
def test_forecast_by_hand():
    """A lead of one joint volatility is worth odds of four to one."""
    forecast = CODECHEF.expected(P, Rating(1750, 150), Rating(1500, 200), Game())
    assert forecast == approx(0.8)


@pytest.mark.parametrize("size", [2, 2000])
def test_extreme_contests_stay_finite(size):
    """The least likely contest gives finite numbers."""
    contest = [(Rating(-1e6, 75.0, 1e6), 1)] + [(Rating(1e6, 75.0), 2)] * (size - 1)
    assert all(map(isfinite, CODECHEF.absorb(P, contest[0][0], total_of(0, contest))))
    assert all(map(isfinite, CODECHEF.absorb(P, contest[1][0], total_of(1, contest))))


def test_newcomer_by_the_parameters():
    """A newcomer has what the parameters say."""
    assert newcomer(CODECHEF, P) == Rating(1500, 125, 0)
    assert newcomer(CODECHEF, Params(start=1000.0, start_volatility=90.0)) == Rating(1000, 90, 0)
