"""Claim 11 (Theorems 4 to 6): perfect linear systems by their composition laws."""

from __future__ import annotations

import pytest
from pytest import approx

from prowess.engine.win_probability import CURVES, ahead_match, wm_probability
from prowess.games.arguments import BadArgument
from prowess.theory.properties import (
    COMPOSITION_LAWS,
    chain_chances,
    check_composition,
)
from prowess.theory.wp import find_curve, reach, wrap_function
from tests.refusals import refused


@pytest.mark.parametrize("law", COMPOSITION_LAWS)
@pytest.mark.parametrize("curve", CURVES)
def test_each_law_has_one_curve(curve, law):
    """A composition law holds on its own curve and on none of the others."""
    assert check_composition(find_curve(curve, 0.3), COMPOSITION_LAWS[law]).holds is (curve == law)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_wm_n_has_the_logistic_law(n):
    """EQ 26 to 31: WM^n composes like the logistic curve for every n."""
    curve = find_curve("logistic")
    won = wrap_function(lambda x: ahead_match(curve(x), n), "WM^n", reach(curve))
    assert check_composition(won, COMPOSITION_LAWS["logistic"]).holds


def test_wm_of_three_players():
    """EQ 21 to 23: the odds of A over B and B over C multiply to those of A over C."""
    a, b, c = 0.9, 0.7, 0.4  # chances of not erring
    composed = COMPOSITION_LAWS["logistic"](wm_probability(a, b), wm_probability(b, c))
    assert composed == approx(wm_probability(a, c), rel=1e-14)


def test_chain_by_hand():
    """0.7 and 0.6: odds 7/3 times 3/2 are 7/2; losing 2 (0.3) 2 (0.4) / 2 = 0.24."""
    assert chain_chances("logistic", 0.7, 0.6) == approx(7 / 9, rel=1e-12)
    assert chain_chances("timesharing", 0.7, 0.6) == approx(0.76, rel=1e-12)
    assert chain_chances("stob2", 0.7, 0.5) == approx(0.7, rel=1e-12)


def test_chain_refuses():
    """A certain result leaves no difference to add."""
    with refused(BadArgument, "not_a_chance", about="1.0"):
        chain_chances("logistic", 1.0, 0.5)
