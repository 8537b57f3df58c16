"""Maximum a posteriori."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.engine.fit import fit_table
from prowess.engine.system import Unratable
from prowess.engine.win_probability import CURVES
from prowess.systems.bradley_terry import BRADLEY_TERRY
from prowess.systems.maximum_a_posteriori import MAP
from tests.engine.leagues import league
from tests.engine.tables import games, some_games
from tests.refusals import refused

NATURAL = {"scale": log(10.0), "mean": 0.0, "birth": 0.0}  # q = 1
# T = [[0,2,1],[1,0,2],[0,0,0]], section 6.6 of the specification: W. D. Smith, "Rating systems for
# gameplayers, and learning", technical report 93-104-3-0058-5, 28 July 1994, EQ 48 and 60.
ROWS = [("Ada", "Ben", 1.0)] * 2 + [("Ben", "Ada", 1.0)] + [("Ada", "Cleo", 1.0)]
ROWS += [("Ben", "Cleo", 1.0)] * 2


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"sd": 1.0}, (0.515187, 0.241932, -0.757119)),
        ({"sd": 2.0}, (0.943311, 0.466489, -1.409800)),
        ({"prior": "extreme_value", "c8": 0.5}, (1.143671, 0.912632, 0.0)),
        ({"prior": "extreme_value", "c8": 0.1}, (2.705493, 2.447255, 1.247529)),
    ],
)
def test_the_reference_table(settings, expected):
    """The table of section 6.6: MAP under four priors, one of them at its boundary."""
    found = fit_table(games(ROWS), MAP, params=NATURAL | settings)
    assert found.column("rating") == approx(expected, abs=1e-6)


def test_a_newcomer_who_won_all():
    """Four wins against fixed 1600, 1700, 1800, 1500, prior N(1622, 324): 1979.100956."""
    known = {"R1600": 1600.0, "R1700": 1700.0, "R1800": 1800.0, "R1500": 1500.0}
    rows = [("Ada", name, 1.0) for name in known]
    found = fit_table(games(rows), MAP, anchors=known, params={"mean": 1622.0, "sd": 324.0})
    assert found["Ada"].rating == approx(1979.100956, abs=1e-4)


@given(table=some_games(weighted=True), curve=st.sampled_from(CURVES))
def test_everybody_has_a_finite_rating(table, curve):
    """Unbeaten, winless, alone or apart: whoever played has a finite rating and deviation."""
    found = fit_table(table, MAP, params={"curve": curve})
    played = found.game_counts > 0
    assert np.isfinite(found.column("rating")[played]).all()
    assert (found.column("deviation")[played] > 0.0).all()
    assert (found.column("deviation")[played] <= 350.0 + 1e-9).all()  # games never unteach


def test_groups_are_told():
    """What only the prior holds together is said in a note."""
    found = fit_table(games([("Ada", "Ben", 1.0), ("Cleo", "Dan", 0.5)]), MAP)
    note = next(note for note in found.notes if "prior" in note)
    assert "never lost a point: Ada" in note
    assert "2 groups never met" in note


def test_a_wide_prior_is_flat():
    """With a prior that says next to nothing, ratings are those of largest likelihood."""
    table = league(8, 200, 1)
    flat = fit_table(table, BRADLEY_TERRY).column("rating")
    wide = fit_table(table, MAP, params={"sd": 10_000.0}).column("rating")
    assert wide == approx(flat, abs=0.05)


def test_an_equal_match_is_shrunk_as_by_hand():
    """One win under N(0, 1) and q = 1: r = 1 / (1 + e^(2r)) for the winner, -r for the loser."""
    found = fit_table(games([("Ada", "Ben", 1.0)]), MAP, params=NATURAL | {"sd": 1.0})
    r = found["Ada"].rating
    assert r == approx(1 / (1 + exp(2 * r)), abs=1e-9)
    assert found["Ben"].rating == approx(-r)


def test_davidson_is_for_the_logistic_curve():
    """Another curve is refused with the remedy."""
    with refused(Unratable, "curve_not_logistic", about="rao_kupper"):
        fit_table(games(ROWS), MAP, params={"draws": "davidson", "curve": "normal"})
