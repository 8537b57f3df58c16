"""Thurstone's case V."""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from statistics import NormalDist

import numpy as np
from pytest import approx

from prowess.engine.fit import fit_table
from prowess.systems.thurstone import THURSTONE
from tests.engine.leagues import league
from tests.engine.tables import games

PHI = NormalDist().cdf


def test_two_players_by_hand():
    """Three wins in four games: the difference of which Phi(d / (200 sqrt 2)) is 3/4."""
    found = fit_table(games([("Ada", "Ben", 1.0)] * 3 + [("Ben", "Ada", 1.0)]), THURSTONE)
    expected = 200 * sqrt(2) * NormalDist().inv_cdf(0.75)
    assert found["Ada"].rating - found["Ben"].rating == approx(expected, abs=1e-9)
    assert found.forecast("Ada", "Ben").expected == approx(0.75)


def test_glenn_and_david_by_hand():
    """Equals who draw a third of their games: Phi(-t / (200 sqrt 2)) = 1/3."""
    rows = [("Ada", "Ben", 1.0), ("Ada", "Ben", 0.5), ("Ada", "Ben", 0.0)]
    found = fit_table(games(rows), THURSTONE, params={"draws": "rao_kupper"})
    assert found.figures["draw"] == approx(-200 * sqrt(2) * NormalDist().inv_cdf(1 / 3))
    assert found.forecast("Ada", "Ben").draw == approx(1 / 3)


def test_nowhere_near_is_the_likelihood_higher():
    """Moving any two players by a hair either way lowers the likelihood, by its own formula."""
    table = league(5, 60, 2)
    best = fit_table(table, THURSTONE).column("rating")

    def likelihood(ratings: np.ndarray) -> float:
        apart = (ratings[table.a] - ratings[table.b]) / (200 * sqrt(2))
        chance = np.array([PHI(x) for x in apart])
        return float((table.score * np.log(chance) + (1 - table.score) * np.log(1 - chance)).sum())

    top = likelihood(best)
    for i, j in combinations(range(5), 2):
        for step in (-0.5, 0.5):
            moved = best.copy()
            moved[i] += step
            moved[j] -= step
            assert likelihood(moved) < top
