"""Bradley-Terry and its models of draws, as systems."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytest import approx

from prowess.engine.fit import WholeTableRatings, fit_table
from prowess.engine.fits.connectivity import Unidentifiable
from prowess.systems.bradley_terry import BRADLEY_TERRY, DAVIDSON_TIES, RAO_KUPPER_TIES
from tests.engine.leagues import league, zermelo
from tests.engine.tables import games
from tests.refusals import refused

# Home wins and losses of seven baseball clubs, 1987: A. Agresti, Categorical Data Analysis (2nd
# ed., 2002), page 438. Row: home club; entries: won and lost at home against each club. Estimates:
# H. Turner and D. Firth, "Bradley-Terry Models in R", J. Statistical Software 48 no. 9 (2012).
CLUBS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
AT_HOME = (
    ((0, 0), (4, 3), (4, 2), (4, 3), (6, 1), (4, 2), (6, 0)),
    ((3, 3), (0, 0), (4, 2), (4, 3), (6, 0), (6, 1), (4, 3)),
    ((2, 5), (4, 3), (0, 0), (2, 4), (4, 3), (4, 2), (6, 0)),
    ((3, 3), (5, 1), (2, 5), (0, 0), (4, 3), (4, 2), (6, 1)),
    ((5, 1), (2, 5), (3, 3), (4, 2), (0, 0), (5, 2), (6, 0)),
    ((2, 5), (3, 3), (3, 4), (4, 3), (4, 2), (0, 0), (2, 4)),
    ((2, 5), (1, 5), (1, 6), (2, 4), (1, 6), (3, 4), (0, 0)),
)


def baseball(system: Any = BRADLEY_TERRY, **params: str) -> WholeTableRatings:
    """The season, on the scale of natural logarithms, Baltimore at 0."""
    rows = [
        (CLUBS[home], CLUBS[away], score)
        for home, entries in enumerate(AT_HOME)
        for away, (won, lost) in enumerate(entries)
        for score in [1.0] * won + [0.0] * lost
    ]
    table = games(rows, CLUBS, side=[1.0] * len(rows))
    scale = {"scale": np.log(10.0)}
    return fit_table(
        table, system, params=params | scale, anchors={"Baltimore": 0.0}, reference="Baltimore"
    )


def test_baseball_without_home_advantage():
    """Turner and Firth's first model: log-odds over Baltimore."""
    found = baseball()
    expected = [1.581, 1.436, 1.294, 1.248, 1.108, 0.684, 0.0]
    assert found.column("rating") == approx(expected, abs=6e-4)


def test_baseball_with_home_advantage():
    """Turner and Firth's second model: home advantage 0.302, standard error 0.131, in log-odds."""
    found = baseball(advantage="fitted")
    assert found.figures["advantage"] == approx(0.302, abs=6e-4)
    assert found.figures["advantage_deviation"] == approx(0.131, abs=6e-4)
    home = found.forecast("Milwaukee", "Detroit", 1.0)
    away = found.forecast("Milwaukee", "Detroit", -1.0)
    assert home.win > 0.5 > away.win


def test_anchors_set_the_zero():
    """Ratings with two held players are those of Zermelo's iteration with the same two."""
    table = league(8, 120, 5)
    found = fit_table(table, BRADLEY_TERRY, anchors={"P1": 1700.0, "P4": 1400.0})
    expected = zermelo(table, held={1: 1700.0, 4: 1400.0})
    assert found.column("rating") == approx(expected, abs=1e-6)
    assert found.column("deviation")[[1, 4]] == approx([0.0, 0.0])


def test_anchors_join_groups():
    """Two pairs that never met can be compared once one of each is held."""
    rows = [("Ada", "Ben", 0.5), ("Cleo", "Dan", 0.5)]
    with refused(Unidentifiable, "no_finite_ratings", about=("--system", "map", "met")):
        fit_table(games(rows), BRADLEY_TERRY)
    found = fit_table(games(rows), BRADLEY_TERRY, anchors={"Ada": 1600.0, "Cleo": 1200.0})
    assert found.column("rating") == approx([1600.0, 1600.0, 1200.0, 1200.0])


def test_the_unbeaten_are_named():
    """Who never lost has no finite rating, and the refusal says who and what helps."""
    rows = [("Ada", "Ben", 1.0), ("Ben", "Cleo", 1.0), ("Cleo", "Ben", 1.0)]
    with refused(Unidentifiable, "no_finite_ratings", about=("--system", "map", "Ada")):
        fit_table(games(rows), BRADLEY_TERRY)


def test_literal_draws_are_surer():
    """Every game counted twice: the same ratings, and where no game is drawn deviations smaller by
    the root of two.
    """
    for drawn in (0.3, 0.0):
        half, literal = (
            fit_table(league(6, 90, 3, drawn=drawn), BRADLEY_TERRY, params={"draws": d})
            for d in ("half", "literal")
        )
        assert literal.column("rating") == approx(half.column("rating"))
    assert literal.column("deviation") * np.sqrt(2) == approx(half.column("deviation"))


def test_an_engine_match_of_many_draws():
    """1,000 games, 230 won, 170 lost: 20.9 +- 13.6 points, by hand (400 log10(.53/.47), with the
    variance of three results) and by Ordo 1.2.6; the odds of decided games are 400 log10(230/170).
    """
    results = [1.0] * 230 + [0.0] * 170 + [0.5] * 600
    rows = [("New", "Old", s) if at % 2 else ("Old", "New", 1 - s) for at, s in enumerate(results)]
    found = fit_table(games(rows), BRADLEY_TERRY, params={"advantage": "none"})
    new, old = (found.value(found.index(name)) for name in ("New", "Old"))
    assert new.rating - old.rating == approx(400 * np.log10(0.53 / 0.47), abs=1e-6)
    variance = 230 * 0.47**2 + 170 * 0.53**2 + 600 * 0.03**2
    by_hand = np.sqrt(variance) / (1000 * 0.53 * 0.47 * np.log(10) / 400)
    assert 1.959964 * by_hand == approx(13.6, abs=0.05)
    assert 2 * new.deviation == approx(by_hand, rel=1e-6)  # each is sure relative to the mean
    for system in (DAVIDSON_TIES, RAO_KUPPER_TIES):
        assert any("odds of decided games" in note for note in fit_table(games(rows), system).notes)


@pytest.mark.parametrize("system", [DAVIDSON_TIES, RAO_KUPPER_TIES])
def test_draws_are_forecast_as_often_as_they_came(system):
    """At the maximum of Davidson's model the expected number of draws is that which came about.

    Rao and Kupper's has no such identity, but comes within a few percent.
    """
    table = league(7, 300, 6, drawn=0.3)
    found = fit_table(table, system)
    pairs = zip(table.a.tolist(), table.b.tolist(), strict=True)
    chance = sum(found.chances(a, b, 0.0).draw for a, b in pairs)
    exact = system is DAVIDSON_TIES
    assert chance == approx(float((table.score == 0.5).sum()), rel=1e-9 if exact else 0.05)


@pytest.mark.parametrize("system", [DAVIDSON_TIES, RAO_KUPPER_TIES])
def test_tables_without_draws_and_with_nothing_else(system):
    """No draw: their chance is 0, as a note says; draws only: a refusal."""
    rows = [("Ada", "Ben", 1.0), ("Ben", "Ada", 1.0)]
    found = fit_table(games(rows), system)
    assert found.forecast("Ada", "Ben").draw == 0.0
    assert any("no game was drawn" in note for note in found.notes)
    with refused(Unidentifiable, "all_drawn"):
        fit_table(games([("Ada", "Ben", 0.5)]), system)


def test_an_advantage_that_cannot_be_told():
    """No sides at all, or sides that follow from the players, are refused with the remedy."""
    rows = [("Ada", "Ben", 1.0), ("Ada", "Ben", 0.0)]
    fit = {"advantage": "fitted"}
    with refused(Unidentifiable, "no_sides"):
        fit_table(games(rows), BRADLEY_TERRY, params=fit)
    with refused(Unidentifiable, "sides_not_separable"):
        fit_table(games(rows, side=[1.0, 1.0]), BRADLEY_TERRY, params=fit)
    rows = [("Ada", "Ben", score) for score in (1.0, 1.0, 0.0, 1.0, 0.0, 0.0)]
    found = fit_table(games(rows, side=[1.0] * 3 + [-1.0] * 3), BRADLEY_TERRY, params=fit)
    assert found.figures["advantage"] == approx(400 * np.log10(2))


def test_an_advantage_and_draws_without_end():
    """Whoever had the side won or drew: both grow together, and both remedies are told."""
    rows = [("Ada", "Ben", 1.0), ("Ben", "Ada", 1.0), ("Ada", "Ben", 0.5), ("Ben", "Ada", 0.5)]
    table = games(rows, side=[1.0] * 4)
    with refused(
        Unidentifiable, "likelihood_unbounded", about=("advantage=", "draw"), remedy=False
    ):
        fit_table(table, DAVIDSON_TIES, params={"advantage": "fitted"})
    assert fit_table(table, DAVIDSON_TIES).forecast("Ada", "Ben").draw == approx(0.5)
