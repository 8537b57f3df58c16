"""The iteration of section 8.1: where it ends, and that this is not the mean."""

from __future__ import annotations

import numpy as np
import pytest

import prowess
from tests.engine.tables import games

UNIT = 400.0 / np.log(10.0)  # points
LEAGUE = [("A", "B", 1.0)] * 2 + [("A", "C", 1.0), ("B", "A", 1.0)] + [("B", "C", 1.0)] * 2


def test_the_end_and_the_mean_beside_it():
    """The reference league (specification, section 6.6), prior of one natural unit."""
    ratings = prowess.rate(games(LEAGUE), "iterated_mean", mean=0, sd=UNIT, beside="mean")
    end = [0.539542, 0.250785, -0.802697]
    assert ratings.column("rating") / UNIT == pytest.approx(end, abs=1e-5)
    assert ratings.column("deviation") / UNIT == pytest.approx(
        [0.742246, 0.702002, 0.812504], abs=1e-5
    )
    mean = [0.558005, 0.263837, -0.821843]
    assert ratings.column("joint_mean") / UNIT == pytest.approx(mean, abs=1e-5)
    assert any("not posterior means" in note for note in ratings.notes)


def test_it_need_not_keep_the_prior_s_mean():
    """Erratum: the ratings add up to -0.0124 natural units where the true means add up to 0."""
    ratings = prowess.rate(games(LEAGUE), "iterated_mean", mean=0, sd=UNIT, beside="mean")
    assert ratings.column("rating").sum() / UNIT == pytest.approx(-0.0124, abs=5e-5)
    assert ratings.column("joint_mean").sum() / UNIT == pytest.approx(0.0, abs=1e-6)


def test_of_one_unknown_player_it_is_the_mean():
    """With everybody else known there is nothing to average over: 2020.389568 (section 6.6)."""
    known = {"Ben": 1600.0, "Cleo": 1700.0, "Dan": 1800.0, "Eve": 1500.0}
    table = games([("Ada", name, 1.0) for name in known])
    ratings = prowess.rate(table, "iterated_mean", anchors=known, mean=1622, sd=324)
    assert ratings["Ada"].rating == pytest.approx(2020.389568, abs=1e-4)


def test_it_claims_no_intervals():
    """Deviations with all others known are too small for intervals, so there are none."""
    ratings = prowess.rate(games(LEAGUE), "iterated_mean")
    assert "low" not in ratings.columns
