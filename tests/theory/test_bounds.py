"""What an update has to fulfil, and the bounds on h (claim 18, EQ 66 to 79, 97)."""

from __future__ import annotations

from functools import cache
from math import pi, sqrt

import pytest
from hypothesis import given, settings, strategies as st
from pytest import approx

from prowess.engine.win_probability import CURVES, steepest_chord as engines_chord
from prowess.theory.markov import MODELS
from prowess.theory.properties import failed_properties
from prowess.theory.updates import (
    bounds_at,
    check_update,
    expected_change,
    kappa,
    largest_h,
    largest_spread,
    spread,
    steepest_chord,
    update_function,
)
from prowess.theory.wp import find_curve

SOME_CURVES = pytest.mark.parametrize("curve", CURVES[:4])  # one of Stob's, which take long
EVERY_CURVE = pytest.mark.parametrize("curve", CURVES)


@EVERY_CURVE
@pytest.mark.parametrize("part", [0.01, 0.5, 0.99])
def test_constant_h_below_the_bound(curve, part):
    """Claim 18: a constant 0 < h < 2 / max wp' fulfils WSC, SSC and error decrease."""
    wp = find_curve(curve, 0.01)
    assert failed_properties(check_update(update_function(part * largest_h(wp), wp), wp)) == []


@pytest.mark.parametrize("game", MODELS)
def test_constant_h_on_games(game):
    """Claim 18 on curves that no formula of the engine knows: Markov games."""
    wp = MODELS[game]().win_probability()
    assert failed_properties(check_update(update_function(0.99 * largest_h(wp), wp), wp)) == []


@EVERY_CURVE
def test_constant_h_above_the_bound(curve):
    """Above the bound WSC and SSC still hold, and error decrease fails."""
    wp = find_curve(curve, 0.01)
    found = check_update(update_function(1.01 * largest_h(wp), wp), wp)
    assert failed_properties(found) == ["error decrease"]


@SOME_CURVES
def test_h_of_the_difference(curve):
    """EQ 68, 77: h may depend on |x|, and be as large as the exact bound at every x."""
    wp = find_curve(curve)
    exact = cache(lambda x: bounds_at(wp, x).exact)
    dyn = update_function(lambda x: 0.97 * exact(x), wp)
    found = check_update(dyn, wp, widest=4.0)
    assert {"WSC", "SSC", "error decrease"}.isdisjoint(failed_properties(found))


def test_dyn_monotone_erratum():
    """The report's advantage 2 reads "increasing"; h wp(-x) falls in x, and |dyn| < h holds."""
    wp = find_curve("logistic")
    dyn = update_function(1.0, wp)
    upset, even, favourite = dyn(-2.0), dyn(0.0), dyn(2.0)
    assert 1.0 > upset > even > favourite > 0.0
    assert check_update(dyn, wp)[-1].name == "upsets move more"
    assert check_update(dyn, wp)[-1].holds
    assert failed_properties(check_update(wp, wp)) != []  # the printed direction


# Each update breaks what stands beside it, by construction.
BROKEN = [
    (
        lambda wp: update_function(-1.0, wp),
        {"SSC", "error decrease", "upsets move more"},
    ),  # backwards
    # a constant gain drives every difference away from the truth
    (lambda wp: lambda x: 1.0, {"WSC", "SSC", "error decrease"}),
    # h depends on who won: not on |x| alone
    (lambda wp: update_function(lambda x: 1.0, lambda x: wp(x) * (0.5 if x > 0 else 1.0)), None),
]


@pytest.mark.parametrize(("update", "lacking"), BROKEN)
def test_broken_updates(update, lacking):
    """An update that breaks a condition has a finding that names it."""
    wp = find_curve("logistic")
    found = set(failed_properties(check_update(update(wp), wp)))
    assert "WSC" in found if lacking is None else found == lacking


def test_a_failure_can_be_checked():
    """A finding of error decrease names a shown and a true difference at which it does fail."""
    wp = find_curve("logistic")
    dyn = update_function(9.0, wp)  # the bound is 8
    (found,) = [one for one in check_update(dyn, wp) if one.name == "error decrease"]
    x, y = found.at
    after = y - x - (wp(y) * dyn(x) - wp(-y) * dyn(-x))  # EQ 73, written out
    assert abs(after) > abs(y - x)


@EVERY_CURVE
@given(x=st.floats(-4, 4))
def test_draws(curve, x):
    """A draw moves both by half of h (1/2 - wp): half way between a win and a loss."""
    wp = find_curve(curve)
    dyn = update_function(3.0, wp)
    won, lost = dyn(x) / 2, -dyn(-x) / 2
    assert (won + lost) / 2 == approx(0.5 * 3.0 * (0.5 - wp(x)), abs=1e-15)
    assert expected_change(dyn, wp, x, x) == approx(0.0, abs=1e-14)


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("x", [-3.0, -0.5, 0.0, 0.7, 2.0, 6.0])
def test_chords(curve, x):
    """The search finds the tangent point that the engine finds by bisection on concave curves."""
    found, at = steepest_chord(find_curve(curve), x)
    chord, y = engines_chord(CURVES.index(curve), x, 1.0)
    assert found == approx(chord, rel=1e-9)
    assert at == approx(y, abs=2e-3)  # the chord is flat there


@pytest.mark.parametrize(
    ("curve", "x", "exact"),
    # the specification's table of EQ 77, made at high precision
    [
        ("logistic", 0.5, 8.124099),
        ("logistic", 8.0, 22.668394),
        ("normal", 1.0, 7.529819),
        ("normal", 4.0, 12.890101),
    ],
)
def test_published_bounds(curve, x, exact):
    """EQ 77 gives the specification's numbers."""
    assert bounds_at(find_curve(curve), x).exact == approx(exact, abs=1e-6)


@SOME_CURVES
@settings(max_examples=25)
@given(x=st.floats(0.05, 6))
def test_bounds_are_ordered(curve, x):
    """EQ 78 and 79 are sufficient: neither is above the exact bound."""
    found = bounds_at(find_curve(curve), x)
    assert found.concave <= found.exact * (1 + 1e-9)
    assert found.flat <= found.exact * (1 + 1e-9)


def test_bounds_of_points():
    """EQ 79 by hand: 8 / Q, 4 sqrt pi, 4 / (Q ln 2) and 2 / a; at x = 0 EQ 78 is half of it."""
    assert largest_h(find_curve("logistic", 2.0)) == approx(4.0, rel=1e-12)
    assert largest_h(find_curve("normal")) == approx(4 * sqrt(pi), rel=1e-12)
    assert largest_h(find_curve("timesharing")) == approx(5.770780, abs=1e-6)
    assert largest_h(find_curve("stob3", 0.5)) == approx(4.0, rel=1e-12)
    assert bounds_at(find_curve("logistic"), 0.0).concave == approx(4.0, rel=1e-12)
    assert bounds_at(find_curve("logistic"), 1e-4).concave == approx(4.0, rel=1e-6)


def test_games_have_bounds():
    """Two ahead is logistic with Q = 2: bound 4. A tennis game has wp'(0) = 5/8: bound 3.2."""
    two, game = (MODELS[name]().win_probability() for name in ("two_ahead", "tennis_game"))
    assert largest_h(two) == approx(4.0, rel=1e-12)
    # d/dp of the game's closed form at p = 1/2 is 5/2, and dp/dx = 1/4
    assert largest_h(game) == approx(3.2, rel=1e-12)
    for x in (0.5, 2.0):
        logistic = bounds_at(find_curve("logistic", 2.0), x)
        assert bounds_at(two, x).exact == approx(logistic.exact, rel=1e-9)


def test_kappa_by_hand():
    """EQ 97: logistic 1 / (2 sqrt Q); timesharing 2 / (3 sqrt(3 ln 2)) where wp(-z) = 1/3."""
    assert kappa(find_curve("logistic", 4.0)) == approx(0.25, rel=1e-12)
    assert kappa(find_curve("timesharing")) == approx(0.462312, abs=1e-6)
    assert spread(find_curve("logistic", 2.0), 1.7) == approx(1 / 8, rel=1e-12)  # 1 / 4Q at every z
    assert largest_spread(find_curve("normal")) == approx(sqrt(pi) / 8, rel=1e-12)
