"""The systems of the catalogue, judged as updates."""

from __future__ import annotations

import pytest
from pytest import approx

from prowess.engine.params import settings
from prowess.engine.win_probability import CURVES
from prowess.systems.apterous import APTEROUS
from prowess.systems.elo import ELO
from prowess.systems.glicko import GLICKO
from prowess.systems.ics import ICS
from prowess.systems.smith import SMITH
from prowess.theory.properties import failed_properties
from prowess.theory.updates import NotAnUpdate, check_update, largest_h, update_of
from tests.refusals import refused

CONDITIONS = {"WSC", "SSC", "error decrease"}


def test_elo():
    """Elo's dyn is 2 K wp(-x): 32 points for K = 32 between equals, and 400 points make 1/11."""
    wp, dyn = update_of(ELO, settings(ELO, {"k": 32}))
    assert dyn(0.0) == approx(32.0, rel=1e-12)
    assert dyn(400.0) == approx(64 / 11, rel=1e-12)
    assert wp(400.0) == approx(10 / 11, rel=1e-12)


@pytest.mark.parametrize("curve", CURVES)
def test_report_system(curve):
    """Claim 18 for the system itself: below the bound every condition holds, above one fails."""
    small = settings(SMITH, {"curve": curve, "h": 64})
    wp, dyn = update_of(SMITH, small)
    assert failed_properties(check_update(dyn, wp, widest=600.0)) == []
    # a scale of 50 points brings the bound below 400
    wp, dyn = update_of(SMITH, settings(SMITH, {"curve": curve, "h": 400, "scale": 50}), unit=10.0)
    assert largest_h(wp) < 400
    assert failed_properties(check_update(dyn, wp, widest=100.0)) == ["error decrease"]


def test_what_a_newcomer_is_is_a_choice():
    """Apterous newcomers are set to an average, so WSC fails; after 100 games it is Elo's form."""
    p = settings(APTEROUS, {})
    wp, dyn = update_of(APTEROUS, p)
    assert failed_properties(check_update(dyn, wp, widest=500.0)) != []
    wp, dyn = update_of(APTEROUS, p, {"games": 100.0})
    assert CONDITIONS.isdisjoint(failed_properties(check_update(dyn, wp, widest=500.0)))


def test_glicko_is_no_wsc_update():
    """Glicko judges evidence without one's own deviation: right ratings far apart do move."""
    wp, dyn = update_of(GLICKO, settings(GLICKO, {}))
    assert "WSC" in failed_properties(check_update(dyn, wp, widest=800.0))


def test_what_is_no_update():
    """A system that needs the whole league, or a field that is not kept, is refused."""
    with refused(NotAnUpdate, "not_an_update"):
        update_of(ICS, settings(ICS, {}))
    with refused(NotAnUpdate, "unknown_field", about="elo"):
        update_of(ELO, settings(ELO, {}), {"deviation": 50.0})
