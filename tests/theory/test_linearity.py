"""Which games can be rated on a line (Theorems 2 and 3).

Linearity: a binary symmetric game has h(x, y) = 1 - h(y, x), the chance of a player of quality x
against one of quality y. It is linearisable when h(x, y) = g(f(x) - f(y)): the rating is R = f(x),
the win probability g. Then r(x, y) = h_x / h_y = -f'(x) / f'(y), so r factors (Theorem 2):

    r(x, y) r(x0, y0) = r(x, y0) r(x0, y)

and f' is r along a line. Every ratio of homogeneous forms of the same degree in X and Y is
linear in R = log X (Theorem 3), so all Markov games are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import hypot, log

import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.engine.numeric import logistic
from prowess.engine.win_probability import wm_probability
from prowess.theory.properties import SAME_CHANCE, PropertyCheck

Pair = Callable[[float, float], float]

DERIVATIVE_STEP = 1e-4  # of 1 + |x|: the step of the five-point derivative
FACTOR_TOLERANCE = 1e-6  # relative, what such derivatives can promise of a product of two ratios


def check_balanced(h: Pair, points: Sequence[float]) -> PropertyCheck:
    """Check h(x, y) + h(y, x) = 1 for all pairs of points: a binary symmetric game."""
    worst, x, y = max((abs(h(x, y) + h(y, x) - 1.0), x, y) for x in points for y in points)
    if worst <= SAME_CHANCE:
        return PropertyCheck("symmetric", True, f"h(x, y) + h(y, x) = 1 within {worst:.1e}")
    says = f"h({x:.6g}, {y:.6g}) + h({y:.6g}, {x:.6g}) = {h(x, y) + h(y, x):.6g}, not 1"
    return PropertyCheck("symmetric", False, says, (x, y))


def check_linear(h: Pair, points: Sequence[float], shift: float = 1.0) -> PropertyCheck:
    """Check that h depends on x - y only: moving both players alike leaves it unchanged."""
    worst, x, y = max(
        (abs(h(x + shift, y + shift) - h(x, y)), x, y) for x in points for y in points
    )
    if worst <= SAME_CHANCE:
        return PropertyCheck("linear", True, "h(x, y) depends on x - y only")
    says = (
        f"h({x:.6g}, {y:.6g}) = {h(x, y):.6g}, but {h(x + shift, y + shift):.6g} "
        f"when both are {shift:.6g} more"
    )
    return PropertyCheck("linear", False, says, (x, y))


def check_linearisable(h: Pair, points: Sequence[float]) -> PropertyCheck:
    """Check Theorem 2: r(x, y) r(x0, y0) = r(x, y0) r(x0, y) for x, y among the points.

    (x0, y0) are the first two points. Raises ValueError where h does not depend on a player.
    """
    x0, y0 = points[0], points[1]
    at_0 = slope_ratio(h, x0, y0)

    def excess(x: float, y: float) -> float:
        across = slope_ratio(h, x, y0) * slope_ratio(h, x0, y)
        return abs(slope_ratio(h, x, y) * at_0 / across - 1.0)

    worst, x, y = max((excess(x, y), x, y) for x in points for y in points)
    if worst <= FACTOR_TOLERANCE:
        return PropertyCheck("linearisable", True, f"h_x / h_y factors within {worst:.1e}")
    says = (
        f"h_x / h_y does not factor: r(x,y) r(x0,y0) and r(x,y0) r(x0,y) differ by {worst:.3g} of "
        f"their size at x = {x:.6g}, y = {y:.6g} (x0 = {x0:.6g}, y0 = {y0:.6g})"
    )
    return PropertyCheck("linearisable", False, says, (x, y))


def slope_ratio(h: Pair, x: float, y: float) -> float:
    """r(x, y) = h_x / h_y, by five-point differences."""
    across = _slope(lambda t: h(t, y), x)
    along = _slope(lambda t: h(x, t), y)
    return across / along


def line_rating(h: Pair, x: float, start: float) -> float:
    """R = f(x) of a linearisable game, with f(start) = 0 and f'(start) = 1.

    f'(x) = r(x, y) / r(start, y) for any y, here y = start.
    """
    from scipy.integrate import quad

    unit = slope_ratio(h, start, start)
    area, _ = quad(lambda t: slope_ratio(h, t, start) / unit, start, x)
    return float(area)


def unlinearisable_game(x: float, y: float) -> float:
    """sigma((x - y)(1 + x^2 + y^2)): a monotone symmetric game that no rating makes linear."""
    return logistic((x - y) * (1.0 + x * x + y * y))


def _slope(function: Callable[[float], float], x: float) -> float:
    step = DERIVATIVE_STEP * (1.0 + abs(x)) * 10.0
    near = function(x + step) - function(x - step)
    far = function(x + 2.0 * step) - function(x - 2.0 * step)
    return (8.0 * near - far) / (12.0 * step)


POINTS = [0.3, 0.9, -0.5, 0.1, 1.3]
POSITIVE = [0.5, 1.0, 2.0, 3.0]
CHANCES = [0.3, 0.5, 0.6, 0.8]


@pytest.mark.parametrize(
    ("h", "points"),
    [
        (lambda x, y: logistic(x - y), POINTS),
        (lambda x, y: logistic(x * x * x + x - y * y * y - y), POINTS),
        (lambda x, y: x / (x + y), POSITIVE),
        (lambda x, y: x**3 / (x**3 + y**3), POSITIVE),
        (lambda x, y: x * x * (x + 3 * y) / (x + y) ** 3, POSITIVE),  # best of three
        (lambda x, y: 0.5 + (x - y) / (2 * hypot(x, y)), POSITIVE),  # one reading of EQ 11
        (wm_probability, CHANCES),
    ],
)
def test_linearisable(h, points):
    """Theorem 3 and WM: what is a function of a difference after a change of scale is found so."""
    assert check_balanced(h, points).holds
    assert check_linearisable(h, points).holds


def test_counter_example():
    """sigma((x - y)(1 + x^2 + y^2)) is a rising symmetric game and not linearisable."""
    assert check_balanced(unlinearisable_game, POINTS).holds
    found = check_linearisable(unlinearisable_game, POINTS)
    assert not found.holds
    assert "does not factor" in found.says


@given(y=st.floats(-3, 3), x=st.floats(-3, 3), step=st.floats(1e-3, 1))
def test_counter_example_rises(x, y, step):
    """The counter-example rises with the player: d/dx (x - y)(1 + x^2 + y^2) > 0."""

    def inner(x):
        return (x - y) * (1 + x * x + y * y)

    # 3x^2 - 2xy + y^2 + 1 is a positive definite form plus 1
    assert inner(x + step) > inner(x)
    assert unlinearisable_game(x, y) == logistic(inner(x))


def test_linear():
    """sigma(x - y) depends on the difference as it stands, x / (x + y) does not."""
    assert check_linear(lambda x, y: logistic(x - y), POINTS).holds
    found = check_linear(lambda x, y: x / (x + y), POSITIVE)
    assert not found.holds
    assert "when both are 1 more" in found.says


def test_unbalanced():
    """A game that favours the first player is seen."""
    assert not check_balanced(lambda x, y: logistic(x - y + 0.1), POINTS).holds


def test_ratings_from_chances():
    """The rating that makes X^3 / (X^3 + Y^3) linear is log X, times the slope 1 at the start."""
    found = [line_rating(lambda x, y: x**3 / (x**3 + y**3), x, 2.0) for x in (0.5, 1.0, 4.0)]
    assert found == approx([2 * log(x / 2) for x in (0.5, 1.0, 4.0)], rel=1e-6)
