"""Laws of the win probability curves."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, isfinite, isnan, log, log1p, nan, pi

import pytest
from hypothesis import given, strategies as st

from prowess.compile import kernel
from prowess.engine.win_probability import (
    CURVES,
    LOGISTIC,
    NORMAL,
    STOB2,
    STOB_SERIES,
    TIMESHARING,
    ahead_match,
    first_to_magnification,
    first_to_match,
    log_win_probability,
    rating_difference,
    slope,
    steepest_chord,
    steepness,
    win_probability,
    wm_probability,
)

EVERY_CURVE = pytest.mark.parametrize("curve", range(len(CURVES)), ids=CURVES)
EVERY_STOB = pytest.mark.parametrize("curve", range(STOB2, len(CURVES)), ids=CURVES[STOB2:])
differences = st.floats(-30, 30)


@EVERY_CURVE
@given(x=st.floats(-1e4, 1e4), q=st.floats(0.01, 3))
def test_symmetric(curve: int, x: float, q: float) -> None:
    """The two expected scores of a game add up to 1."""
    total = win_probability(curve, x, q) + win_probability(curve, -x, q)
    assert total == pytest.approx(1.0, abs=1e-15)


@EVERY_CURVE
@given(x=st.floats(-500, 0), step=st.floats(1e-3, 10))
def test_rising(curve: int, x: float, step: float) -> None:
    """A stronger player has the better chance, however far below the opponent he is."""
    assert log_win_probability(curve, x, 1.0) < log_win_probability(curve, x + step, 1.0)


@EVERY_CURVE
@given(x=differences, q=st.floats(0.1, 2))
def test_unit(curve: int, x: float, q: float) -> None:
    """Only the product of difference and q counts."""
    assert win_probability(curve, x, q) == win_probability(curve, x * q, 1.0)


@EVERY_CURVE
@given(x=st.floats(-5, 5))
def test_logarithm(curve: int, x: float) -> None:
    """The logarithm of the curve is its logarithm."""
    p = win_probability(curve, x, 1.0)
    assert exp(log_win_probability(curve, x, 1.0)) == pytest.approx(p, rel=1e-12)


@EVERY_CURVE
@given(x=st.floats(-4, 4), q=st.floats(0.2, 2))
def test_slope(curve: int, x: float, q: float) -> None:
    """The slope is that of the curve, by central differences."""
    step = 1e-5 / q
    if abs(x) < 2 * step:
        x = 0.0  # timesharing bends sharply there
    chord = (win_probability(curve, x + step, q) - win_probability(curve, x - step, q)) / (2 * step)
    assert slope(curve, x, q) == pytest.approx(chord, rel=1e-4, abs=1e-9)


@EVERY_CURVE
@given(x=st.floats(0.01, 30))
def test_steepest_in_the_middle(curve: int, x: float) -> None:
    """No curve is steeper than between equals, and it is as steep on both sides."""
    assert slope(curve, x, 1.0) < slope(curve, 0.0, 1.0)
    assert slope(curve, -x, 1.0) == slope(curve, x, 1.0)


@EVERY_CURVE
@given(p=st.floats(1e-12, 1 - 1e-12), q=st.floats(0.01, 2))
def test_inverse(curve: int, p: float, q: float) -> None:
    """The rating difference of a chance has that chance."""
    x = rating_difference(curve, p, q)
    assert win_probability(curve, x, q) == pytest.approx(p, rel=1e-11)


@EVERY_CURVE
def test_edges(curve: int) -> None:
    """Infinite differences are decided, impossible ones are not a number, and nothing hangs."""
    assert win_probability(curve, inf, 1.0) == 1.0
    assert win_probability(curve, -inf, 1.0) == 0.0
    assert isnan(win_probability(curve, nan, 1.0))
    assert win_probability(curve, 0.0, 1.0) == 0.5
    assert isfinite(log_win_probability(curve, -1e6, 1.0))
    assert rating_difference(curve, 1.0, 1.0) == inf
    assert rating_difference(curve, 0.0, 1.0) == -inf
    assert isnan(rating_difference(curve, 1.5, 1.0))


@given(x=st.floats(0, 10), y=st.floats(0, 10))
def test_timesharing_composition(x: float, y: float) -> None:
    """EQ 18 and 19 of the report: the chances of losing, doubled, multiply."""

    def wp(x: float) -> float:
        return win_probability(TIMESHARING, x, 1.0)

    composed = 2 * (wp(x) + wp(y) - wp(x) * wp(y)) - 1
    assert wp(x + y) == pytest.approx(composed, abs=1e-14)


@given(x=st.floats(-10, 10), y=st.floats(-10, 10))
def test_logistic_composition(x: float, y: float) -> None:
    """EQ 23 of the report: the odds multiply."""
    a, b = win_probability(LOGISTIC, x, 1.0), win_probability(LOGISTIC, y, 1.0)
    composed = a * b / (a * b + (1 - a) * (1 - b))
    assert win_probability(LOGISTIC, x + y, 1.0) == pytest.approx(composed, rel=1e-10)


@EVERY_STOB
@given(x=st.floats(0.001, 6))
def test_stob_consistency(curve: int, x: float) -> None:
    """EQ 37 of the report: a match to n looks like one point at kappa times the difference."""
    n = curve - STOB2 + 2
    far = win_probability(curve, -first_to_magnification(n) * x, 1.0)
    assert far == pytest.approx(first_to_match(win_probability(curve, -x, 1.0), n), rel=1e-10)


@EVERY_STOB
@given(x=st.floats(0.001, 0.05))
def test_stob_series_meets_itself(curve: int, x: float) -> None:
    """EQ 37 again within the series, which was not built from matches played there."""
    n = curve - STOB2 + 2
    kappa = first_to_magnification(n)

    def series(z: float) -> float:
        return sum(c * z ** (2 * k + 1) for k, c in enumerate(STOB_SERIES[n - 2]))

    assert 0.5 + series(kappa * x) == pytest.approx(first_to_match(0.5 + series(x), n), abs=1e-15)


def test_stob_coefficients() -> None:
    """EQ 40 of the report as repaired, and the same for n = 3 by hand, as exact fractions."""
    two = (Fraction(-16, 15), Fraction(1024, 975), Fraction(-65536, 77805))
    three = (
        Fraction(-512, 483),
        Fraction(115539968, 112367535),
        Fraction(-3020115775848448, 3751439934793005),
    )
    assert STOB_SERIES[0][1:4] == tuple(map(float, two))
    assert STOB_SERIES[0][4] == float(Fraction(12503220224, 22075223625))
    assert STOB_SERIES[1][1:4] == tuple(map(float, three))


@given(p=st.floats(0, 1))
def test_short_matches(p: float) -> None:
    """Best of three is p^2 (3 - 2p), best of five p^3 (10 - 15p + 6p^2)."""
    assert first_to_match(p, 2) == pytest.approx(p**2 * (3 - 2 * p), abs=1e-15)
    assert first_to_match(p, 3) == pytest.approx(p**3 * (10 - 15 * p + 6 * p**2), abs=2e-15)


@given(x=st.floats(-5, 5), n=st.integers(1, 8))
def test_match_of_n_ahead(x: float, n: int) -> None:
    """Theorem 8 of the report: on the logistic curve n ahead is one point at n times x."""
    won = ahead_match(win_probability(LOGISTIC, x, 1.0), n)
    assert won == pytest.approx(win_probability(LOGISTIC, n * x, 1.0), rel=1e-10)


@given(first=st.floats(0.01, 0.99), second=st.floats(0.01, 0.99))
def test_wm_is_logistic(first: float, second: float) -> None:
    """EQ 21 to 25 of the report: WM is the logistic curve of the difference of log odds."""
    x = log(first / (1 - first)) - log(second / (1 - second))
    assert wm_probability(first, second) == pytest.approx(
        win_probability(LOGISTIC, x, 1.0), rel=1e-10
    )


@pytest.mark.parametrize("z", [10.0, 49.9, 50.1, 80.0, 1e4])
def test_normal_tail(z: float) -> None:
    """The normal tail lies between two partial sums of its alternating series.

    M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 26.2.12: the error is
    smaller than the first term left out.
    """
    t = z / 2**0.5
    start = -0.5 * t * t - log(t) - 0.5 * log(2 * pi)
    terms = [-1, 3, -15, 105, -945]
    parts = [sum(c / t ** (2 * k + 2) for k, c in enumerate(terms[:count])) for count in (4, 5)]
    high, low = (start + log1p(part) for part in parts)
    rounding = 4e-16 * abs(start)
    assert low - rounding <= log_win_probability(NORMAL, -z, 1.0) <= high + rounding


@EVERY_CURVE
@given(x=st.floats(0.1, 6), y=st.floats(-8, 8))
def test_steepest_chord(curve: int, x: float, y: float) -> None:
    """No chord from x is steeper, and the steepest one is a chord."""
    steepest, other = steepest_chord(curve, x, 1.0)
    at_x = win_probability(curve, x, 1.0)
    if abs(y - x) > 1e-3:
        assert (win_probability(curve, y, 1.0) - at_x) / (y - x) <= steepest * (1 + 1e-9)
    chord = (win_probability(curve, other, 1.0) - at_x) / (other - x)
    assert chord == pytest.approx(steepest, rel=1e-7)
    assert steepest_chord(curve, -x, 1.0) == (steepest, -other)


def test_scales() -> None:
    """400 points are odds of ten to one, two standard deviations of a player, or the same slope."""
    assert win_probability(LOGISTIC, 400, steepness(LOGISTIC, 400)) == pytest.approx(10 / 11)
    assert steepness(NORMAL, 400) == pytest.approx(1 / 200)
    same = slope(LOGISTIC, 0, steepness(LOGISTIC, 400))
    for curve in (TIMESHARING, *range(STOB2, len(CURVES))):
        assert slope(curve, 0, steepness(curve, 400)) == pytest.approx(same, rel=1e-14)


@pytest.mark.skipif(not kernel.available(), reason="no compiler is installed")
@pytest.mark.parametrize("function", [win_probability, log_win_probability, slope])
def test_compiled(function) -> None:
    """Compiled and plain, every curve has the same bits; settings may arrive as floats."""
    fast = kernel.compile_function(function)
    for curve in range(len(CURVES)):
        for x in (-300.0, -7.3, -0.4, 0.0, 0.01, 0.7, 5.0):
            assert fast(float(curve), x, 0.7) == function(curve, x, 0.7)
