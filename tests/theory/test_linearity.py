"""Which games can be rated on a line (Theorems 2 and 3)."""

from __future__ import annotations

from math import hypot, log

import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.engine.numeric import logistic
from prowess.engine.win_probability import wm_probability
from prowess.games.arguments import BadArgument
from prowess.theory.properties import (
    check_balanced,
    check_linear,
    check_linearisable,
    line_rating,
    unlinearisable_game,
)
from tests.refusals import refused

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


def test_flat_games():
    """A game that does not react to a player has no ratio of slopes, which is said."""
    with refused(BadArgument, "points_too_far_apart"):
        check_linearisable(lambda x, y: 0.5, POINTS)
