"""What is asked about differences, answered from a covariance or from draws."""

from __future__ import annotations

from math import erf, sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.engine.whole_table import Draws, Normal, two_sided_quantile

RATING = np.array([1600.0, 1500.0, 1500.0])
COVARIANCE = np.array([[900.0, 300.0, 0.0], [300.0, 400.0, 0.0], [0.0, 0.0, 100.0]])
SURE = Normal(COVARIANCE)


def phi(z: float) -> float:
    """The standard normal distribution function."""
    return 0.5 * (1.0 + erf(z / sqrt(2.0)))


def test_quantiles():
    """95 % lie within 1.959964 standard deviations (any table of the normal distribution)."""
    assert two_sided_quantile(0.95) == pytest.approx(1.959963985, abs=1e-9)
    assert two_sided_quantile(0.5) == pytest.approx(0.674489750, abs=1e-9)


def test_differences_use_the_covariance():
    """var(r_i - r_j) = v_i + v_j - 2 c_ij, by hand: 900 + 400 - 600 = 700."""
    assert SURE.deviations() == pytest.approx([30.0, 20.0, 10.0])
    assert SURE.deviations(1) == pytest.approx([sqrt(700.0), 0.0, sqrt(500.0)])
    better = SURE.superiority(RATING, np.array([0, 1, 2]))
    assert better[0, 1] == pytest.approx(phi(100.0 / sqrt(700.0)))
    assert better[2, 0] == pytest.approx(phi(-100.0 / sqrt(1000.0)))
    assert better[1, 2] == 0.5


def test_intervals_about_a_reference():
    """The reference itself has no width."""
    low, high = SURE.interval(RATING, 0.95, 1)
    assert (low[1], high[1]) == (1500.0, 1500.0)
    assert high[0] - low[0] == pytest.approx(2 * 1.959963985 * sqrt(700.0))


def test_rank_intervals_by_hand():
    """100 points apart with sd 26 is sure; two equal players may stand either way."""
    best, worst = SURE.rank_interval(RATING, 0.95)
    assert best.tolist() == [1, 2, 2]
    assert worst.tolist() == [1, 3, 3]


@pytest.mark.parametrize("level", [0.1, 0.5, 0.95, 0.999])
@pytest.mark.parametrize("sure", [SURE, Normal(np.zeros((3, 3))), Normal(100.0 * COVARIANCE)])
def test_standing_above_is_being_superior_enough(sure: Normal, level: float):
    """A player stands above another where the chance that he is better is (1 + level) / 2."""
    players = np.array([2, 0, 1])
    above = sure.stands_above(RATING, players, level)
    chance = sure.superiority(RATING, players)
    assert np.array_equal(above, chance >= 0.5 + 0.5 * level)


def test_known_players_are_better_for_sure():
    """Without any spread the better player is better."""
    known = Normal(np.zeros((3, 3)))
    better = known.superiority(RATING, np.arange(3))
    assert better.tolist() == [[0.5, 1.0, 1.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]]


def test_about_the_mean():
    """var(r_i - m) by the matrix that takes the mean away; draws about it spread as much."""
    taken = np.eye(3) - np.full((3, 3), 1.0 / 3.0)
    by_hand = np.sqrt(np.diagonal(taken @ COVARIANCE @ taken.T))
    assert SURE.about_mean(np.arange(3)).deviations() == pytest.approx(by_hand)
    draws = np.random.default_rng(2).multivariate_normal(RATING, COVARIANCE, 40_000)
    seen = Draws(draws).about_mean(np.arange(3)).deviations()
    assert seen == pytest.approx(by_hand, rel=3 / sqrt(2 * 40_000))
    better = SURE.about_mean(np.arange(3)).superiority(RATING, np.arange(3))
    assert better == pytest.approx(SURE.superiority(RATING, np.arange(3)))


def test_draws_agree_with_the_normal_they_come_from():
    """Many draws of a normal distribution answer like the distribution (3 standard errors)."""
    draws = np.random.default_rng(5).multivariate_normal(RATING, COVARIANCE, 40_000)
    seen = Draws(draws)
    assert seen.deviations() == pytest.approx(SURE.deviations(), rel=3 / sqrt(2 * 40_000))
    assert seen.deviations(1) == pytest.approx(SURE.deviations(1), rel=3 / sqrt(2 * 40_000))
    chances = seen.superiority(RATING, np.arange(3))
    assert chances == pytest.approx(SURE.superiority(RATING, np.arange(3)), abs=3 * 0.5 / 200)
    np.testing.assert_allclose(chances + chances.T, 1.0)
    for mine, theirs in zip(seen.interval(RATING, 0.9), SURE.interval(RATING, 0.9), strict=True):
        assert mine == pytest.approx(theirs, abs=3 * 30 * sqrt(0.05 * 0.95 / 40_000) / 0.1)


@given(st.lists(st.floats(-500, 500), min_size=2, max_size=6), st.integers(0, 99))
def test_ranks_hold_the_players_between(ratings, seed):
    """No rank interval is empty, and each player's own place by rating can be inside it."""
    root = np.random.default_rng(seed).normal(size=(len(ratings), len(ratings)))
    rating = np.array(ratings)
    best, worst = Normal(1e4 * root @ root.T).rank_interval(rating, 0.9)
    above = (rating[None, :] > rating[:, None]).sum(axis=1)
    below = (rating[None, :] < rating[:, None]).sum(axis=1)
    assert (best <= 1 + above).all()
    assert (worst >= len(ratings) - below).all()
