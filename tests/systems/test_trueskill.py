"""TrueSkill against published figures, its own closed form, and what its model implies."""

from __future__ import annotations

from math import inf, isfinite, sqrt
from statistics import NormalDist
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from pytest import approx

from prowess.engine.system import Game
from prowess.systems.trueskill import (
    TRUESKILL,
    Evidence,
    Params,
    Rating,
    Side,
    chances,
    contest,
    draw_margin,
    run_chain,
)
from tests.oracle import added, newcomer, played as duel
from tests.systems.team_fold import played, side_of

P = Params()
NORMAL = NormalDist()
ratings = st.builds(Rating, st.floats(-50, 100), st.floats(0.1, 30))


def teams(*sizes: int) -> list[list[tuple[Rating, float]]]:
    """Sides of newcomers."""
    return [[(Rating(), 1.0)] * size for size in sizes]


# The figures that TrueSkill programs print in their documentation (trueskill.org; J. Moser, "The
# math behind TrueSkill", and his Skills library): newcomers, one game.
@pytest.mark.parametrize(
    ("sizes", "places", "after"),
    [
        ((1, 1), (1, 2), [(29.396, 7.171), (20.604, 7.171)]),
        ((1, 1), (1, 1), [(25.000, 6.458), (25.000, 6.458)]),
        ((1, 2), (1, 2), [(33.731, 7.317), (16.269, 7.317)]),
    ],
)
def test_published_figures(sizes, places, after):
    """A win, a draw, and one who beats two, between newcomers."""
    found = played(TRUESKILL, P, teams(*sizes), places)
    for members, published in zip(found, after, strict=True):
        for me in members:
            assert tuple(me) == approx(published, abs=5e-4)  # three decimals


def test_the_spec_of_two_sides():
    """mu' = mu +- w v / c V and sigma'^2 = v (1 - w^2 v / c^2 W), written out."""
    p = P._replace(draw_probability=0.3)
    first, second = [(Rating(30, 3), 1.0), (Rating(22, 6), 0.25)], [(Rating(24, 5), 0.6)]
    after = played(TRUESKILL, p, [first, second], (1, 2))

    def v(me: Rating) -> float:
        return me.deviation**2 + p.tau**2

    means = [sum(w * me.rating for me, w in side) for side in (first, second)]
    c = sqrt(sum(w**2 * (v(me) + p.beta**2) for me, w in (*first, *second)))
    eps = NORMAL.inv_cdf(0.65) * sqrt(3) * p.beta
    x = (means[0] - means[1] - eps) / c
    big_v = NORMAL.pdf(x) / NORMAL.cdf(x)
    big_w = big_v * (big_v + x)
    for side, new, sign in ((first, after[0], 1), (second, after[1], -1)):
        for (me, w), one in zip(side, new, strict=True):
            assert one.rating == approx(me.rating + sign * w * v(me) / c * big_v)
            variance = v(me) * (1 - w**2 * v(me) / c**2 * big_w)
            assert one.deviation == approx(sqrt(variance))


@given(a=ratings, b=ratings, drawn=st.booleans(), p=st.floats(0.01, 0.9))
def test_the_chain_of_two_is_the_closed_form(a, b, drawn, p):
    """Messages along a chain of two sides give what the formula gives."""
    p = Params(draw_probability=p)
    sides = [side_of(TRUESKILL, p, [(me, 1.0)]) for me in (a, b)]
    held: Any = Side(*map(list, zip(*sides, strict=True)))
    by_chain: Any = Evidence([0.0, 0.0], [0.0, 0.0])
    places = [1.0, 1.0] if drawn else [1.0, 2.0]
    (room,) = TRUESKILL.make_room(2)
    room.order[1] = 1.0
    run_chain(p, held, places, room, by_chain)
    one = TRUESKILL.evidence(p, *sides, Game(0.5 if drawn else 1.0))
    assert by_chain.surplus == approx([one.surplus, -one.surplus], rel=1e-9, abs=1e-12)
    assert by_chain.precision == approx([one.precision] * 2, rel=1e-9, abs=1e-12)


@given(a=ratings, b=ratings, game=st.sampled_from((0.0, 0.5, 1.0)).map(Game))
def test_a_contest_of_two_is_a_game(a, b, game):
    """The whole contest and the game of two sides give the same bits."""
    sides = [side_of(TRUESKILL, P, [(me, 1.0)]) for me in (a, b)]
    held: Any = Side(*map(list, zip(*sides, strict=True)))
    out: Any = Evidence([0.0, 0.0], [0.0, 0.0])
    contest(P, held, [1.0 + (game.score < 0.5), 1.0 + (game.score > 0.5)], out, None)
    one = TRUESKILL.evidence(P, *sides, game)
    assert (out.surplus[0], out.precision[0]) == tuple(one)
    assert (out.surplus[1], out.precision[1]) == (-one.surplus, one.precision)


@pytest.mark.parametrize("score", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("gap", [40.0, 1e3, 1e6])
def test_upsets_of_any_size_stay_finite(score, gap):
    """Forty deviations, and a million: the favourite loses and numbers remain numbers."""
    for me in duel(TRUESKILL, Rating(gap, 1.0), Rating(-gap, 1.0), Game(score)):
        assert all(map(isfinite, me))
        assert me.deviation > 0


def test_an_upset_in_a_field_stays_finite():
    """The worst wins ahead of everybody, by forty deviations each."""
    sides = [[(Rating(100.0 * k, 1.0), 1.0)] for k in range(6)]
    for (me,) in played(TRUESKILL, P, sides, [1, 2, 3, 4, 5, 6]):
        assert all(map(isfinite, me))


def test_two_hundred_sides_converge():
    """Two hundred newcomers end in the order of their places, symmetric about the middle."""
    after = [me for (me,) in played(TRUESKILL, P, teams(*[1] * 200), range(200))]
    means = [me.rating for me in after]
    assert means == sorted(means, reverse=True)
    assert sum(means) == approx(200 * 25.0, rel=1e-6)
    assert means[0] + means[-1] == approx(50.0, abs=1e-6)
    assert all(0 < me.deviation < 25 / 3 for me in after)


def test_equals_who_tie_end_equal():
    """Sides that nothing tells apart are told the same, wherever they stand in the chain."""
    a, b, c, d = (me for (me,) in played(TRUESKILL, P, teams(1, 1, 1, 1), [1, 2, 2, 2]))
    assert b == c == d
    assert a.rating > b.rating


def test_a_draw_where_draws_are_excluded():
    """With a draw probability of 0 a draw is the limit: both performed alike."""
    p, near = P._replace(draw_probability=0.0), P._replace(draw_probability=1e-6)
    pair = [[(Rating(30, 4), 1.0)], [(Rating(20, 6), 1.0)]]
    for (me,), (other,) in zip(
        *(played(TRUESKILL, q, pair, (1, 1)) for q in (p, near)), strict=True
    ):
        assert tuple(me) == approx(tuple(other), rel=1e-9)


@given(a=ratings, b=ratings, p=st.floats(0.0, 0.99), side=st.sampled_from((-1.0, 0.0, 1.0)))
def test_chances_are_a_distribution(a, b, p, side):
    """Win, draw and loss are chances, and the same seen from the other side."""
    p = Params(draw_probability=p, advantage=2.0)
    mine, theirs = (side_of(TRUESKILL, p, [(me, 1.0)]) for me in (a, b))
    win, draw = chances(p, mine, theirs, Game(side=side))
    loss, again = chances(p, theirs, mine, Game(side=-side))
    assert draw is not None
    assert win + draw + loss == approx(1.0, abs=1e-12)
    assert draw == approx(again, abs=1e-12)
    assert min(win, draw, loss) >= 0.0


@given(p=st.floats(0.001, 0.98), size=st.integers(1, 3))
def test_equal_sides_draw_as_often_as_said(p, size):
    """Between equals of no uncertainty a draw has the stated chance."""
    p = Params(draw_probability=p)
    side = side_of(TRUESKILL, p, [(Rating(25, 0.0), 1.0)] * size)
    assert chances(p, side, side, Game()).draw == approx(p.draw_probability, rel=1e-9)
    assert draw_margin(p, 2.0 * size) > 0.0


@settings(max_examples=25)
@given(a=ratings, b=ratings, c=ratings, weight=st.sampled_from((0.25, 2.0, 20.0)))
def test_rounds_of_games_never_lose_the_deviation(a, b, c, weight):
    """However often games are counted, a deviation falls and stays above 0."""
    sides = [side_of(TRUESKILL, P, [(me, 1.0)]) for me in (a, b, c)]
    total = Evidence()
    for other, score in ((1, 1.0), (2, 0.0), (2, 0.5)):
        one = TRUESKILL.evidence(P, sides[0], sides[other], Game(score))
        total = added(total, TRUESKILL.due(P, a, 1.0, sides[0], one), weight)
    after = TRUESKILL.absorb(P, a, total)
    assert 0.0 < after.deviation < sqrt(a.deviation**2 + P.tau**2)
    assert isfinite(after.rating)


def test_who_plays_no_part_changes_no_mean():
    """A share of 0 leaves the mean, and the deviation but for tau."""
    first = [(Rating(30, 3), 1.0), (Rating(22, 6), 0.0)]
    after = played(TRUESKILL, P, [first, teams(1)[0]], (1, 2))
    assert after[0][1].rating == 22
    assert after[0][1].deviation == approx(sqrt(36 + P.tau**2))


def test_idle_days_forget_only_if_asked():
    """tau_per_day makes the idle less certain; by default nothing does."""
    assert TRUESKILL.drift(P, Rating(30, 3), 365.0) == Rating(30, 3)
    p = P._replace(tau_per_day=0.2)
    assert TRUESKILL.drift(p, Rating(30, 3), 400.0) == approx(Rating(30, sqrt(9 + 16)))
    assert newcomer(TRUESKILL, p) == Rating(25, 25 / 3)


@given(scale=st.sampled_from((0.1, 60.0)), zero=st.floats(-1000, 1000), a=ratings, b=ratings)
def test_points_may_be_of_any_size(scale, zero, a, b):
    """All but the draw probability times a number, and a constant more: the same system."""
    moved = P._replace(beta=scale * P.beta, tau=scale * P.tau)

    def there(me: Rating) -> Rating:
        return Rating(zero + scale * me.rating, scale * me.deviation)

    plain = duel(TRUESKILL, a, b, Game(1.0), P)
    found = duel(TRUESKILL, there(a), there(b), Game(1.0), moved)
    for one, other in zip(plain, found, strict=True):
        assert tuple(other) == approx(tuple(there(one)), rel=1e-9, abs=1e-7)
        assert -inf < other.rating < inf
