"""What a merged row of results says, against finite differences and sums over outcomes."""

from __future__ import annotations

from itertools import product
from math import exp, log

import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.engine.fits.likelihood import (
    DAVIDSON,
    DRAWS,
    HALF,
    LITERAL,
    RAO_KUPPER,
    OutcomeModel,
    chances,
    terms,
)
from prowess.engine.win_probability import CURVES, LOGISTIC, NORMAL, steepness, win_probability

MODELS = [
    OutcomeModel(curve, draws, steepness(curve, 400.0))
    for curve, draws in product(range(len(CURVES)), range(len(DRAWS)))
    if draws != DAVIDSON or curve == LOGISTIC
]
each_model = pytest.mark.parametrize(
    "model", MODELS, ids=[f"{CURVES[m.curve]}-{DRAWS[m.draws]}" for m in MODELS]
)


@each_model
@pytest.mark.parametrize("x", [-1500.0, -300.0, -20.0, 0.5, 15.0, 250.0, 900.0])
def test_derivatives(model, x):
    """All five derivatives equal finite differences."""
    t, h, counts = 80.0, 1e-3, (2.0, 3.0, 1.5)
    one = terms(model, x, t, *counts)
    right, left = (terms(model, x + k * h, t, *counts) for k in (1, -1))
    above, below = (terms(model, x, t + k * h, *counts) for k in (1, -1))
    differences = (
        right.value - left.value,
        above.value - below.value,
        right.x - left.x,
        right.t - left.t,
        above.t - below.t,
    )
    assert one[1:] == approx([d / (2 * h) for d in differences], rel=1e-4, abs=1e-8)
    assert one.xx <= 0.0
    assert one.tt <= 0.0


@each_model
@given(x=st.floats(-800, 800), t=st.floats(1, 300))
def test_chances_of_all_outcomes_add_up(model, x, t):
    """The likelihoods of one win, one draw and one loss add up to 1 if draws are modelled."""
    win, draw, loss = (exp(terms(model, x, t, *one).value) for one in _UNITS)
    if model.draws in (DAVIDSON, RAO_KUPPER):
        assert win + draw + loss == approx(1.0, abs=1e-9)
        known = chances(model, x, t)
        assert known.draw == approx(draw, abs=1e-9)
        assert known.expected == approx(win + 0.5 * draw, abs=1e-9)
    else:
        each = 2.0 if model.draws == LITERAL else 1.0
        assert win ** (1 / each) + loss ** (1 / each) == approx(1.0, abs=1e-9)
        assert draw == approx((win * loss) ** 0.5, abs=1e-9)


_UNITS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def test_davidson_by_his_formula():
    """P(draw) = nu sqrt(p_a p_b) / (p_a + p_b + nu sqrt(p_a p_b)) (JASA 65, 1970, 317)."""
    q = log(10) / 400
    strong, weak, nu = exp(q * 130), 1.0, 0.6
    middle = nu * (strong * weak) ** 0.5
    known = chances(OutcomeModel(LOGISTIC, DAVIDSON, q), 130.0, log(nu) / q)
    assert known.draw == approx(middle / (strong + weak + middle), abs=1e-12)
    assert known.expected == approx((strong + middle / 2) / (strong + weak + middle), abs=1e-12)


def test_rao_and_kupper_by_their_formula():
    """P(win) = p_a / (p_a + theta p_b) with theta = e^(qt) (JASA 62, 1967, 194)."""
    q = log(10) / 400
    strong, theta = exp(q * 130), exp(q * 50)
    win, loss = strong / (strong + theta), 1 / (1 + theta * strong)
    known = chances(OutcomeModel(LOGISTIC, RAO_KUPPER, q), 130.0, 50.0)
    assert known.draw == approx(1 - win - loss, abs=1e-12)
    assert known.expected == approx(0.5 * (1 + win - loss), abs=1e-12)


@pytest.mark.parametrize("curve", [LOGISTIC, NORMAL])
def test_literal_draws_count_twice(curve):
    """A draw is a win and a loss, a win two wins: twice the half-draw likelihood (footnote 3)."""
    q = steepness(curve, 400.0)
    half, literal = (terms(OutcomeModel(curve, d, q), 77.0, 0.0, 3, 2, 1) for d in (HALF, LITERAL))
    assert literal == approx([2 * value for value in half])
    up, down = log(win_probability(curve, 77.0, q)), log(win_probability(curve, -77.0, q))
    assert literal.value == approx((2 * 3 + 2) * up + (2 * 1 + 2) * down)
