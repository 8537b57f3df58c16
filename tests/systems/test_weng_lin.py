"""Weng-Lin against an independent program, the paper's formulas, and what they imply."""

from __future__ import annotations

from math import isfinite, sqrt

import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.engine.system import Game
from prowess.systems.weng_lin import WENG_LIN, Evidence, Params, Rating
from tests.oracle import absorbed, added, foreseen, mirrored, newcomer, said

P = Params()
ratings = st.builds(Rating, st.floats(-50, 100), st.floats(0.1, 30))

# openskill.py, tests/models/data at 65a675d2 (MIT), BradleyTerryFull: everybody starts at MU and
# SIGMA, beta 25/6, kappa 1e-4, tau 25/300. Its sides have several players; these are the players
# who are a side of their own, for whom a side of n is one opponent of n MU whose variance is
# n times a player's. Its scenarios with joint places or margins have known defects: left out.
MU, SIGMA, TAU = 16.03354781649136, 12.429396412128556, 25 / 300


def side_of(n: int) -> Rating:
    """A side of n as one opponent."""
    return Rating(n * MU, sqrt(n * (SIGMA**2 + TAU**2) - TAU**2))


@pytest.mark.parametrize(
    ("others", "after"),
    [
        ([(2, 1.0)], (20.686574848684717, 12.190916868103495)),  # normal
        ([(2, 0.0)], (13.764884206750324, 12.190916868103495)),  # scores
        ([(2, 0.0), (1, 1.0), (2, 1.0)], (22.58458782319289, 11.44990951618401)),  # ranks, second
        ([(1, 0.0), (2, 0.0), (2, 0.0)], (7.329544012760083, 11.44990951618401)),  # ranks, last
        ([(2, 0.0), (3, 1.0)], (18.470824465419632, 12.064304058091345)),  # limit_sigma
    ],
)
def test_vectors_of_another_program(others, after):
    """A player against sides of several moves as in openskill's own vectors."""
    games = [(side_of(n), score) for n, score in others]
    assert tuple(absorbed(WENG_LIN, Rating(MU, SIGMA), games, Params(tau=TAU))) == approx(after)


# openskill 6.2.0 (MIT), BradleyTerryFull().rate(..., ranks, tau): three and five single players.
THREE = [(25.0, 25 / 3), (30.0, 5.0), (20.0, 7.0)]
FIVE = [(20.0, 8.0), (25.0, 7.0), (30.0, 6.0), (35.0, 5.0), (40.0, 4.0)]


@pytest.mark.parametrize(
    ("field", "places", "tau", "after"),
    [
        (
            THREE,
            [3, 2, 1],
            0.0,
            [
                (19.241509194216082, 7.6047103848762285),
                (29.128429280399008, 4.89291381119214),
                (25.771469722979077, 6.625848385424569),
            ],
        ),
        (
            THREE,
            [1, 2, 3],
            2.0,
            [
                (31.12503970225101, 7.818806841018187),
                (29.263435486620452, 5.253223776524866),
                (16.92609893035565, 6.877460381547125),
            ],
        ),
        (
            FIVE,
            [3, 1, 5, 2, 4],
            0.0,
            [
                (25.76689922485742, 6.947064657418778),
                (36.75942630154832, 6.182788493278685),
                (23.440939588376015, 5.457012496211096),
                (36.526188704852636, 4.711829621458586),
                (36.656839713508404, 3.8924812914832345),
            ],
        ),
    ],
)
def test_contests_of_another_program(field, places, tau, after):
    """A contest of single players ends as in openskill, with and without tau."""
    for k, place in enumerate(places):
        others = [
            (Rating(*other), 1.0 if place < places[j] else 0.0)
            for j, other in enumerate(field)
            if j != k
        ]
        new = absorbed(WENG_LIN, Rating(*field[k]), others, Params(tau=tau))
        assert tuple(new) == approx(after[k])


def test_joint_places_are_equal():
    """Equals who share first place end equal, and ahead of the third (openskill 6.2.0: behind)."""
    places = [1, 1, 2, 3, 4]
    after = []
    for k, place in enumerate(places):
        scores = [
            1.0 if place < other else 0.5 if place == other else 0.0
            for j, other in enumerate(places)
            if j != k
        ]
        after.append(absorbed(WENG_LIN, Rating(), [(Rating(), s) for s in scores]).rating)
    assert after[0] == after[1] > after[2] > after[3] > after[4]


def test_large_fields_reach_the_floor():
    """In a field of hundreds of equals sigma falls to its floor, sqrt(kappa) of itself."""
    crowd = [(Rating(), 1.0)] * 300
    assert absorbed(WENG_LIN, Rating(), crowd).deviation == approx(25 / 3 * 0.01)


@given(ratings, ratings, st.sampled_from([-1.0, 0.0, 1.0]), st.floats(0, 10))
def test_forecast_is_shared(me, opponent, side, tau):
    """Both players' forecasts add up to one."""
    p, game = Params(advantage=3.0, tau=tau), Game(side=side)
    mine = foreseen(WENG_LIN, me, opponent, game, p)
    assert mine + foreseen(WENG_LIN, opponent, me, mirrored(game), p) == approx(1)


@given(ratings, st.lists(st.tuples(ratings, st.floats(0, 1)), min_size=1, max_size=8))
def test_credits_are_the_change(me, opponents):
    """What the opponents brought adds up to the change of the rating."""
    after = absorbed(WENG_LIN, me, opponents)
    games = [said(WENG_LIN, me, other, Game(score), P) for other, score in opponents]
    brought = sum(WENG_LIN.credit(P, me, after, one) for one in games)
    assert brought == approx(after.rating - me.rating, abs=1e-9)


@given(ratings, ratings)
def test_a_draw_of_unequals_draws_together(me, opponent):
    """A draw raises the lower and lowers the higher of two."""
    moved = absorbed(WENG_LIN, me, [(opponent, 0.5)]).rating - me.rating
    assert moved * (opponent.rating - me.rating) >= 0


def test_advantage_is_points():
    """An advantage of 3 points is worth as much as a mu of 3 points more."""
    p, other = Params(advantage=3.0), Rating(31, 4)
    with_side = absorbed(WENG_LIN, Rating(25, 6), [(other, Game(1.0, side=1.0))], p)
    with_rating = absorbed(WENG_LIN, Rating(28, 6), [(other, Game(1.0))], p)
    assert with_side.rating + 3 == approx(with_rating.rating)


def test_tau_is_uncertainty_of_both():
    """tau acts as if every deviation had been larger by that much as the round began."""
    wide = absorbed(WENG_LIN, Rating(25, 5), [(Rating(30, 12), 1.0)], Params(tau=0.0))
    narrow = absorbed(WENG_LIN, Rating(25, 3), [(Rating(30, sqrt(128)), 1.0)], Params(tau=4.0))
    assert narrow == approx(wide)


def test_weight_counts_a_game_so_often():
    """Evidence counted twice is the evidence of two games."""
    one = said(WENG_LIN, Rating(), Rating(30, 5), Game(1.0), P)
    twice = absorbed(WENG_LIN, Rating(), [(Rating(30, 5), 1.0)] * 2)
    assert WENG_LIN.absorb(P, Rating(), added(Evidence(), one, 2.0)) == approx(twice)


@given(st.floats(0.1, 1000), st.floats(0.1, 1000), st.floats(1e-6, 1), st.floats(0, 100))
def test_any_parameters_stay_finite(start_deviation, beta, kappa, tau):
    """A hundred rounds under any settings give finite numbers."""
    p = Params(start_deviation=start_deviation, beta=beta, kappa=kappa, tau=tau)
    me = newcomer(WENG_LIN, p)
    for _ in range(100):
        me = absorbed(WENG_LIN, me, [(newcomer(WENG_LIN, p), 0.0)] * 20, p)
    assert all(map(isfinite, me))
    assert me.deviation > 0
