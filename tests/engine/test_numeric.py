"""The scalar normal law against Python's own and against quadrature."""

from __future__ import annotations

from math import erf, exp, fsum, log, pi, sqrt
from statistics import NormalDist

import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.engine.numeric import (
    FRACTION_FROM,
    NARROW,
    both_logistic,
    log_normal_below,
    normal_below,
    normal_density,
    normal_quantile,
    tail_ratio,
    truncated_above,
    truncated_between,
)

NORMAL = NormalDist()
STEPS = 20_000


def moments(low: float, high: float) -> tuple[float, float]:
    """Mean and variance of a standard normal value known to lie in a range, by Simpson's rule."""
    width = (high - low) / STEPS
    top = min(max(low, 0.0), high) if low <= 0.0 <= high else min((low, high), key=abs)
    points = [low + k * width for k in range(STEPS + 1)]
    weights = [1.0 if k in (0, STEPS) else 4.0 if k % 2 else 2.0 for k in range(STEPS + 1)]
    mass = [w * exp(0.5 * (top - x) * (top + x)) for w, x in zip(weights, points, strict=True)]
    total = fsum(mass)
    # about the end that is nearest to 0, so that nothing cancels
    first = fsum(m * (x - top) for m, x in zip(mass, points, strict=True)) / total
    second = fsum(m * (x - top) ** 2 for m, x in zip(mass, points, strict=True)) / total
    return top + first, second - first * first


@given(x=st.floats(-8, 8))
def test_density_and_distribution(x):
    """phi and Phi are Python's."""
    assert normal_density(x) == approx(NORMAL.pdf(x), rel=1e-14)
    assert normal_below(x) == approx(0.5 * (1.0 + erf(x / sqrt(2.0))), abs=1e-15)


@pytest.mark.parametrize("y", [0.5, 4.999, 5.001, 12.0, 37.5, 40.0, 300.0])
def test_the_tail_is_an_integral(y):
    """Phi(-y) / phi(y) is the integral of e^(-y s - s^2 / 2) over s > 0."""
    end, n = 45.0 / y if y > 3.0 else 12.0, STEPS
    width = end / n
    terms = [
        (1.0 if k in (0, n) else 4.0 if k % 2 else 2.0)
        * exp(-y * k * width - 0.5 * (k * width) ** 2)
        for k in range(n + 1)
    ]
    ratio = fsum(terms) * width / 3.0
    assert tail_ratio(y) == approx(ratio, rel=1e-10)
    logarithm = log(ratio) - 0.5 * y * y - 0.5 * log(2.0 * pi)
    assert log_normal_below(-y) == approx(logarithm, rel=1e-11)


@given(p=st.floats(1e-300, 1.0, exclude_max=True))
def test_quantiles(p):
    """The quantile is Python's, far into the tail."""
    assert normal_quantile(p) == approx(NORMAL.inv_cdf(p), rel=1e-12, abs=1e-15)


@given(x=st.floats(-60, 7))
def test_truncated_above(x):
    """V and W are the shift of the mean and the lost part of the variance."""
    mean, variance = moments(-x, max(-x, 0.0) + 10.0 if x > -4 else -x - 40.0 / x)
    found = truncated_above(x)
    assert found.shift == approx(mean, rel=1e-8, abs=1e-9)
    assert found.lost == approx(1.0 - variance, rel=1e-6, abs=1e-9)


@given(t=st.floats(-60, 60), e=st.floats(1e-5, 4))
def test_truncated_between(t, e):
    """The same of a value that is known to lie between two bounds."""
    low, high = -e - t, e - t
    if min(abs(low), abs(high)) > 4.0 and low * high > 0.0:  # beyond 40 scales nothing is left
        near = min((low, high), key=abs)
        far = near + 40.0 / near
        low, high = (near, min(high, far)) if near == low else (max(low, far), near)
    mean, variance = moments(max(low, -12.0 + min(high, 0.0)), min(high, 12.0 + max(low, 0.0)))
    found = truncated_between(t, e)
    assert found.shift == approx(mean, rel=1e-8, abs=1e-9)
    assert found.lost == approx(1.0 - variance, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("u", [0.0, 0.3, 2.0, 4.9, 5.3, 40.0])
def test_no_seams(u):
    """Where one formula ends and the next begins the value is the same."""
    for below, above in ((NARROW * (1 - 1e-9), NARROW * (1 + 1e-9)),):
        one, other = truncated_between(u, below), truncated_between(u, above)
        assert tuple(one) == approx(tuple(other), rel=1e-9, abs=1e-12)
    one, other = (truncated_above(-FRACTION_FROM * near) for near in (1 - 1e-12, 1 + 1e-12))
    assert tuple(one) == approx(tuple(other), rel=1e-10)
    for e in (0.01, 1.0):
        sides = (FRACTION_FROM + e) * (1 - 1e-12), (FRACTION_FROM + e) * (1 + 1e-12)
        one, other = (truncated_between(t, e) for t in sides)
        assert tuple(one) == approx(tuple(other), rel=1e-10)


@pytest.mark.parametrize("z", [0.0, 1e-9, 0.3, 2.0, 40.0, 700.0])
def test_both_logistic_chances_are_precise(z):
    """The small one is e^-z / (1 + e^-z) to full precision, and a mirrored call swaps the two."""
    large, small = both_logistic(z)
    assert small == approx(exp(-z) / (1.0 + exp(-z)), rel=1e-15, abs=1e-320)
    assert large == approx(1.0 / (1.0 + exp(-z)), rel=1e-15)
    assert both_logistic(-z) == (small, large) or z == 0.0
