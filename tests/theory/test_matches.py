"""Claim 13 (Theorem 8): when a match is like one point from farther apart."""

from __future__ import annotations

import pytest
from pytest import approx

from prowess.engine.win_probability import CURVES, ahead_match, first_to_match
from prowess.theory.markov import match
from prowess.theory.properties import check_ahead_match, check_first_to_match
from prowess.theory.wp import find_curve


@pytest.mark.parametrize("n", [2, 3, 7])
@pytest.mark.parametrize("curve", CURVES)
def test_n_ahead(curve, n):
    """Matches of n ahead are consistent on the logistic curve only, there for every n."""
    assert check_ahead_match(find_curve(curve, 0.4), n).holds is (curve == "logistic")


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("curve", CURVES)
def test_first_to_n(curve, n):
    """Matches of first to n are consistent on Stob's curve of that n only, on none for two n."""
    assert check_first_to_match(find_curve(curve, 0.4), n).holds is (curve == f"stob{n}")


def test_failures_say_where():
    """A match that is not like one point says at which difference, with both chances."""
    found = check_first_to_match(find_curve("logistic"), 2)
    (x,) = found.at
    p = find_curve("logistic")(x)
    assert f"{p * p * (3 - 2 * p):.6g}" in found.says  # best of three, by hand


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("x", [-2.0, -0.3, 0.0, 1.0])
def test_matches_are_markov_games(n, x):
    """EQ 35 and 36: the formulas of both kinds of match are what their chains give."""
    point = find_curve("logistic")
    ahead = match(n, n).win_probability()
    first = match(n, 1).win_probability()
    assert ahead_match(point(x), n) == approx(ahead(x), rel=1e-12)
    assert first_to_match(point(x), n) == approx(first(x), rel=1e-12)
