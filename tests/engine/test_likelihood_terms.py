"""Derivatives of the logarithm of a win probability."""

from __future__ import annotations

from math import exp

import pytest
from pytest import approx

from prowess.engine.fits.likelihood import both_slopes, both_values, curve_terms, win_terms
from prowess.engine.win_probability import (
    CURVES,
    NORMAL,
    log_win_probability,
    slope,
    steepness,
)

POINTS = (-3000.0, -900.0, -200.0, -30.0, -3.0, 5.0, 40.0, 333.0, 1200.0)
each_curve = pytest.mark.parametrize("curve", range(len(CURVES)), ids=CURVES)


@each_curve
@pytest.mark.parametrize("x", POINTS)
def test_derivatives_are_those_of_the_curve(curve, x):
    """First and second derivatives equal finite differences, far into both tails."""
    q = steepness(curve, 400.0)
    h = 1e-3 * max(1.0, abs(x) / 10.0)
    log_win, first, second = win_terms(curve, x, q)
    assert log_win == approx(log_win_probability(curve, x, q), rel=1e-12)
    above, below = (log_win_probability(curve, x + k * h, q) for k in (1, -1))
    assert first == approx((above - below) / (2 * h), rel=1e-5, abs=1e-12)
    above, below = (win_terms(curve, x + k * h, q)[1] for k in (1, -1))
    assert second == approx((above - below) / (2 * h), rel=1e-4, abs=1e-12)


@each_curve
@pytest.mark.parametrize("x", POINTS)
def test_a_loss_is_a_win_seen_from_the_other_side(curve, x):
    """What is said of both outcomes at once is what is said of each."""
    q = steepness(curve, 400.0)
    won, lost = win_terms(curve, x, q), win_terms(curve, -x, q)
    assert both_values(curve, x, q) == approx((won[0], lost[0]), rel=1e-6, abs=1e-300)
    slopes = (*won[1:], *lost[1:])
    assert both_slopes(curve, x, q) == approx(slopes, rel=1e-6, abs=1e-300)


@each_curve
@pytest.mark.parametrize("x", [-300.0, -20.0, 0.0, 80.0, 500.0])
def test_slopes_are_those_of_the_curve(curve, x):
    """The logarithm of the slope is that of the slope itself."""
    q = steepness(curve, 400.0)
    assert exp(curve_terms(curve, x, q)[1]) == approx(slope(curve, x, q), rel=1e-12)


def test_far_in_the_tail_of_the_normal_curve():
    """h(x) of the normal curve tends to -q z / 2 (Mills' ratio), where wp itself is 0."""
    log_win, first, second = win_terms(NORMAL, -1_000.0, 1.0)
    assert log_win == approx(-1e6 / 4, rel=1e-4)
    assert first == approx(500.0, rel=1e-5)
    assert second == approx(-0.5, rel=1e-3)
