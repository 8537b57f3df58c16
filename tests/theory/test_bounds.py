"""What an update has to fulfil, and the bounds on h (claim 18, EQ 66 to 79, 97)."""

from __future__ import annotations

from functools import cache
from math import pi, sqrt

import pytest
from hypothesis import given, settings, strategies as st
from pytest import approx

from prowess.engine.win_probability import CURVES, steepest_chord as engines_chord
from prowess.theory.bounds import (
    bounds_at,
    drawn,
    dyn_of,
    dynamic_findings,
    expected_change,
    kappa,
    largest_h,
    largest_spread,
    spread,
    steepest_chord,
)
from prowess.theory.finding import missing
from prowess.theory.models import MODELS
from prowess.theory.wp import named

SOME_CURVES = pytest.mark.parametrize("curve", CURVES[:4])  # one of Stob's, which take long
EVERY_CURVE = pytest.mark.parametrize("curve", CURVES)


@EVERY_CURVE
@pytest.mark.parametrize("part", [0.01, 0.5, 0.99])
def test_constant_h_below_the_bound(curve, part):
    """Claim 18: a constant 0 < h < 2 / max wp' fulfils WSC, SSC and error decrease."""
    wp = named(curve, 0.01)
    assert missing(dynamic_findings(dyn_of(part * largest_h(wp), wp), wp)) == []


@pytest.mark.parametrize("game", MODELS)
def test_constant_h_on_games(game):
    """Claim 18 on curves that no formula of the engine knows: Markov games."""
    wp = MODELS[game]().win_probability()
    assert missing(dynamic_findings(dyn_of(0.99 * largest_h(wp), wp), wp)) == []


@EVERY_CURVE
def test_constant_h_above_the_bound(curve):
    """Above the bound WSC and SSC still hold, and error decrease fails."""
    wp = named(curve, 0.01)
    found = dynamic_findings(dyn_of(1.01 * largest_h(wp), wp), wp)
    assert missing(found) == ["error decrease"]


@SOME_CURVES
def test_h_of_the_difference(curve):
    """EQ 68, 77: h may depend on |x|, and be as large as the exact bound at every x."""
    wp = named(curve)
    exact = cache(lambda x: bounds_at(wp, x).exact)
    dyn = dyn_of(lambda x: 0.97 * exact(x), wp)
    found = dynamic_findings(dyn, wp, widest=4.0)
    assert {"WSC", "SSC", "error decrease"}.isdisjoint(missing(found))


def test_dyn_monotone_erratum():
    """The report's advantage 2 reads "increasing"; h wp(-x) falls in x, and |dyn| < h holds."""
    wp = named("logistic")
    dyn = dyn_of(1.0, wp)
    upset, even, favourite = dyn(-2.0), dyn(0.0), dyn(2.0)
    assert 1.0 > upset > even > favourite > 0.0
    assert dynamic_findings(dyn, wp)[-1].name == "upsets move more"
    assert dynamic_findings(dyn, wp)[-1].holds
    assert missing(dynamic_findings(wp, wp)) != []  # the printed direction


# Each update breaks what stands beside it, by construction.
BROKEN = [
    (lambda wp: dyn_of(-1.0, wp), {"SSC", "error decrease", "upsets move more"}),  # backwards
    # a constant gain drives every difference away from the truth
    (lambda wp: lambda x: 1.0, {"WSC", "SSC", "error decrease"}),
    # h depends on who won: not on |x| alone
    (lambda wp: dyn_of(lambda x: 1.0, lambda x: wp(x) * (0.5 if x > 0 else 1.0)), None),
]


@pytest.mark.parametrize(("update", "lacking"), BROKEN)
def test_broken_updates(update, lacking):
    """An update that breaks a condition has a finding that names it."""
    wp = named("logistic")
    found = set(missing(dynamic_findings(update(wp), wp)))
    assert "WSC" in found if lacking is None else found == lacking


def test_a_failure_can_be_checked():
    """A finding of error decrease names a shown and a true difference at which it does fail."""
    wp = named("logistic")
    dyn = dyn_of(9.0, wp)  # the bound is 8
    (found,) = [one for one in dynamic_findings(dyn, wp) if one.name == "error decrease"]
    x, y = found.at
    after = y - x - (wp(y) * dyn(x) - wp(-y) * dyn(-x))  # EQ 73, written out
    assert abs(after) > abs(y - x)


@EVERY_CURVE
@given(x=st.floats(-4, 4))
def test_draws(curve, x):
    """A draw moves both by half of h (1/2 - wp): half way between a win and a loss."""
    wp = named(curve)
    dyn = dyn_of(3.0, wp)
    won, lost = dyn(x) / 2, -dyn(-x) / 2
    assert drawn(3.0, wp, x) == approx((won + lost) / 2, abs=1e-15)
    assert expected_change(dyn, wp, x, x) == approx(0.0, abs=1e-14)


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("x", [-3.0, -0.5, 0.0, 0.7, 2.0, 6.0])
def test_chords(curve, x):
    """The search finds the tangent point that the engine finds by bisection on concave curves."""
    found, at = steepest_chord(named(curve), x)
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
    assert bounds_at(named(curve), x).exact == approx(exact, abs=1e-6)


@SOME_CURVES
@settings(max_examples=25)
@given(x=st.floats(0.05, 6))
def test_bounds_are_ordered(curve, x):
    """EQ 78 and 79 are sufficient: neither is above the exact bound."""
    found = bounds_at(named(curve), x)
    assert found.concave <= found.exact * (1 + 1e-9)
    assert found.flat <= found.exact * (1 + 1e-9)


def test_bounds_of_points():
    """EQ 79 by hand: 8 / Q, 4 sqrt pi, 4 / (Q ln 2) and 2 / a; at x = 0 EQ 78 is half of it."""
    assert largest_h(named("logistic", 2.0)) == approx(4.0, rel=1e-12)
    assert largest_h(named("normal")) == approx(4 * sqrt(pi), rel=1e-12)
    assert largest_h(named("timesharing")) == approx(5.770780, abs=1e-6)
    assert largest_h(named("stob3", 0.5)) == approx(4.0, rel=1e-12)
    assert bounds_at(named("logistic"), 0.0).concave == approx(4.0, rel=1e-12)
    assert bounds_at(named("logistic"), 1e-4).concave == approx(4.0, rel=1e-6)


def test_games_have_bounds():
    """Two ahead is logistic with Q = 2: bound 4. A tennis game has wp'(0) = 5/8: bound 3.2."""
    two, game = (MODELS[name]().win_probability() for name in ("two_ahead", "tennis_game"))
    assert largest_h(two) == approx(4.0, rel=1e-12)
    # d/dp of the game's closed form at p = 1/2 is 5/2, and dp/dx = 1/4
    assert largest_h(game) == approx(3.2, rel=1e-12)
    for x in (0.5, 2.0):
        logistic = bounds_at(named("logistic", 2.0), x)
        assert bounds_at(two, x).exact == approx(logistic.exact, rel=1e-9)


def test_kappa_by_hand():
    """EQ 97: logistic 1 / (2 sqrt Q); timesharing 2 / (3 sqrt(3 ln 2)) where wp(-z) = 1/3."""
    assert kappa(named("logistic", 4.0)) == approx(0.25, rel=1e-12)
    assert kappa(named("timesharing")) == approx(0.462312, abs=1e-6)
    assert spread(named("logistic", 2.0), 1.7) == approx(1 / 8, rel=1e-12)  # 1 / 4Q at every z
    assert largest_spread(named("normal")) == approx(sqrt(pi) / 8, rel=1e-12)
