"""The properties asked of a win probability, and functions that lack one of them each."""

from __future__ import annotations

from math import atan, exp, inf, log, pi

import pytest
from pytest import approx

from prowess.engine.numeric import logistic
from prowess.engine.win_probability import CURVES
from prowess.games.arguments import BadArgument
from prowess.theory.markov import MODELS
from prowess.theory.properties import check_assumptions, failed_properties
from prowess.theory.wp import UnknownCurve, find_curve, grid, reach, wrap_function
from tests.refusals import refused


@pytest.mark.parametrize("q", [log(10) / 400, 1.0, 30.0])
@pytest.mark.parametrize("curve", CURVES)
def test_every_curve_fulfils_them(curve, q):
    """Every curve of the engine is symmetric, smooth, rising from 0 to 1 and concave above 0."""
    assert failed_properties(check_assumptions(find_curve(curve, q))) == []


@pytest.mark.parametrize("game", MODELS)
def test_every_game_fulfils_them(game):
    """Theorem 7: every ready Markov game is a win probability in R = log X."""
    assert failed_properties(check_assumptions(MODELS[game]().win_probability())) == []


# Each function is written so that it lacks just what stands beside it.
LACKING = {
    "lifted": (lambda x: logistic(x + 0.1), {"symmetric"}),
    "cubed": (lambda x: logistic(x * x * x), {"rising", "concave"}),  # wp'(0) = 0
    "clipped line": (lambda x: min(1.0, max(0.0, 0.5 + x / 8)), {"rising", "differentiable"}),
    "corner at 0.7": (
        lambda x: logistic(x + 0.5 * (max(0.0, x - 0.7) + min(0.0, x + 0.7))),
        {"differentiable", "concave"},
    ),
    "jump at 0": (
        lambda x: logistic(x + (0.2 if x > 0 else -0.2 if x < 0 else 0.0)),
        {"differentiable"},
    ),
    "luck": (lambda x: 0.1 + 0.8 * logistic(x), {"limits"}),
    # the slope of the inner function rises from 1 at 0 to 1.3
    "steeper farther out": (lambda x: logistic(x + 0.3 * (x - atan(3 * x) / 3)), {"concave"}),
}


@pytest.mark.parametrize("name", LACKING)
def test_what_is_lacking_is_named(name):
    """The findings that fail are those properties that the function lacks, and no others."""
    function, lacking = LACKING[name]
    found = check_assumptions(wrap_function(function), widest=6.0)
    assert set(failed_properties(found)) == lacking


@pytest.mark.parametrize(
    ("name", "property_", "x"),
    [("corner at 0.7", "differentiable", 0.7), ("jump at 0", "differentiable", 0.0)],
)
def test_the_place_is_found(name, property_, x):
    """A corner and a jump are found where they are, though the grid does not meet them."""
    found = {
        one.name: one for one in check_assumptions(wrap_function(LACKING[name][0]), widest=6.01)
    }
    (place,) = found[property_].at
    assert abs(place) == approx(x, abs=1e-4)


def test_a_failure_is_told_in_words():
    """A finding says what is wrong and at which x, in numbers that can be checked by hand."""
    found = {
        one.name: one
        for one in check_assumptions(wrap_function(lambda x: logistic(x + 0.1)), widest=6.0)
    }
    assert "at x = 0, not 1" in found["symmetric"].says
    assert f"{2 / (1 + exp(-0.1)):.6g}" in found["symmetric"].says  # at 0: twice sigma(0.1)


@pytest.mark.parametrize("function", [lambda x: 1 / x, lambda x: 2.0, lambda x: float("nan"), log])
def test_no_chance_at_all(function):
    """A function that fails, or is no chance somewhere, has just that finding."""
    (found,) = check_assumptions(wrap_function(function), widest=1.0)
    assert (found.name, found.holds) == ("defined", False)
    assert found.at is not None


def test_slow_tails_are_no_fault():
    """1/2 + atan(x) / pi falls like 1 / x, and still has the limits 0 and 1."""
    assert failed_properties(check_assumptions(wrap_function(lambda x: 0.5 + atan(x) / pi))) == []


def test_naive_logistic_is_judged_without_overflow():
    """A function that overflows far out is judged where it matters."""
    assert failed_properties(check_assumptions(wrap_function(lambda x: 1 / (1 + exp(-x))))) == []


def test_given_slope():
    """The slope of a function that is given alone is its derivative: sigma (1 - sigma)."""
    wp = wrap_function(logistic)
    for x in (-3.0, 0.0, 0.5):
        assert wp.slope(x) == approx(logistic(x) * logistic(-x), rel=1e-8)
    assert wp.log_value(-800.0) == -inf


def test_reach_and_grid():
    """log 999 = 6.9, so the logistic body ends at 8, the next power of 2; a grid is symmetric."""
    assert reach(find_curve("logistic")) == 8.0
    xs = grid(8.0, 5)
    assert xs == [-8.0, -4.0, 0.0, 4.0, 8.0]


def test_bad_curves():
    """A name that no curve has and a q that is not above 0 are refused with what would do."""
    with refused(UnknownCurve, "unknown_curve"):
        find_curve("logistics")
    with refused(BadArgument, "not_above_zero"):
        find_curve("logistic", 0.0)
