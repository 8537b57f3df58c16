"""Leagues played out, against closed forms; tolerances are standard errors of the runs."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from pytest import approx

from prowess.engine.params import BadSetting
from prowess.theory.noise import (
    CHESS,
    PlayerLife,
    error_figure,
    linear_difference,
    noise,
    overstretch,
    player_deviation,
    published_difference,
)
from prowess.theory.updates import kappa
from prowess.theory.wp import find_curve
from tests.refusals import refused
from tests.theory.played_leagues import (
    measure_errors,
    simulate_difference,
    simulate_league,
    simulate_lives,
    tabulate,
)


def test_table_stands_for_the_curve():
    """The table of wp is the curve to 1e-6, and 0 and 1 beyond it."""
    x = np.linspace(-3000.0, 3000.0, 997)
    curve = tabulate(CHESS)
    assert curve(x) == approx(np.array([CHESS(v) for v in x.tolist()]), abs=1e-6)
    assert curve(np.array([-1e9, 1e9])) == approx([0.0, 1.0], abs=1e-9)


def test_wandering_of_known_errors():
    """Deviation and standard error of normal numbers are those of the textbook."""
    found = measure_errors(np.random.default_rng(1).normal(3.0, 2.0, (2000, 20)))
    assert found.mean == approx(3.0, abs=4 * 2.0 / sqrt(40_000))
    assert found.standard_error == approx(2.0 / sqrt(2 * 40_000), rel=0.1)
    assert found.deviation == approx(2.0, abs=4 * found.standard_error)


@pytest.mark.parametrize(("h", "difference"), [(16, 0), (64, 324)])
def test_difference_is_right_and_eq91_is_not(h, difference):
    """Chains of EQ 82 have the corrected deviation, but for the bend of wp, and not EQ 91's."""
    seen = simulate_difference(CHESS, h, difference, seed=11)
    right = linear_difference(CHESS, h, difference)
    bend = 0.25 * h * CHESS.slope(difference) * right  # of wp: 2 percent at h w = 0.09 (6.9)
    assert seen.deviation == approx(right, abs=bend + 4 * seen.standard_error)
    assert seen.deviation > 1.3 * published_difference(CHESS, h, difference)
    # a chain's 25 looks are correlated: the mean knows of 4000 chains at least
    error = 4 * seen.deviation / sqrt(4000)
    assert seen.mean == approx(overstretch(CHESS, h, difference), abs=error)


def test_stationary_identity():
    """2 Cov(x, f(x)) = h (p q + Var f(x)), exact at any h (specification, 6.9)."""
    h, difference, chains = 128.0, 100.0, 20_000
    rng = np.random.default_rng(3)
    curve, p = tabulate(CHESS), CHESS(difference)
    x = np.full(chains, difference)
    left, right = [], []
    for game in range(400):
        x += h * ((rng.random(chains) < p) - curve(x))
        if game >= 100 and game % 10 == 0:
            f = curve(x)
            left.append(2.0 * np.cov(x, f)[0, 1])
            right.append(h * (p * (1.0 - p) + f.var(ddof=1)))
    # 30 looks at 20,000 chains: each covariance is known to 1 / sqrt(20,000) = 0.7 percent
    assert np.mean(left) == approx(np.mean(right), rel=4 * 0.007 / sqrt(30))


@pytest.mark.parametrize("spread", [0.0, 200.0])
def test_league_has_its_first_order_noise(spread):
    """Players of a league deviate by sqrt((1 - 1/N) h / (4 Q)), however strong they are."""
    players, h = 10, 16
    strengths = spread * np.linspace(-1.5, 1.5, players)
    seen = measure_errors(simulate_league(CHESS, h, strengths, seed=2, leagues=800))
    first_order = player_deviation(CHESS, h, players)
    # second order: 3 to 5 percent at h = 64, so a quarter of it here
    allowed = 0.0125 * first_order + 4 * seen.standard_error
    assert seen.deviation == approx(first_order, abs=allowed)


def test_league_of_another_curve():
    """On the normal curve, too, equals deviate by sqrt((1 - 1/N) h p q / (4 w))."""
    wp = find_curve("normal", 1 / 200)
    seen = measure_errors(simulate_league(wp, 16, np.zeros(6), seed=4, leagues=800))
    expected = player_deviation(wp, 16, 6)
    assert seen.deviation == approx(expected, abs=0.0125 * expected + 4 * seen.standard_error)


def test_errors_sum_to_nothing():
    """Games keep the sum of ratings: the errors of a league sum to 0 at every look."""
    errors = simulate_league(CHESS, 64, np.array([0.0, 100.0, 500.0]), seed=1, leagues=20)
    assert errors.shape == (20, 10, 3)
    assert errors.sum(axis=-1) == approx(0.0, abs=1e-9)


def test_claim_10_fails():
    """F has the mean (N-1) h / (4 Q) and is above N h kappa^2 four times in ten (claim 20)."""
    players, h = 10, 16
    errors = simulate_league(CHESS, h, np.zeros(players), seed=8, leagues=800)
    figures = (errors * errors).sum(axis=-1)
    mean = error_figure(CHESS, h, players)
    chance = figures.std() / sqrt(800)
    assert figures.mean() == approx(mean, abs=0.025 * mean + 4 * chance)  # second order
    below = (figures < players * h * kappa(CHESS) ** 2).mean()
    # chi-square of 9 degrees is below 10 in 65 of 100; 63 were seen with its second order
    assert below == approx(0.64, abs=0.01 + 4 * sqrt(0.64 * 0.36 / 8000))


@pytest.mark.parametrize(("games", "h", "slack"), [(35, 64, 0.07), (160, 64, 0.14)])
def test_lifetime_model_is_near(games, h, slack):
    """Leagues of short lives have the noise of `lifetime` within 7 and 14 percent (6.9, C)."""
    seen = simulate_lives(CHESS, h, 324, games, seed=6, players=6000)
    career = PlayerLife(games, 324)
    near = noise(career, h, "lifetime").total
    allowed = slack * seen.deviation + 4 * seen.standard_error
    assert near == approx(seen.deviation, abs=allowed)
    assert seen.deviation > 2.5 * noise(career, h, "corrected").total  # the transient is too small


def test_small_h_is_best_with_good_starts_only():
    """The printed best h = 53 is worse than 320 for lives of 35 games (erratum C)."""
    noises = [simulate_lives(CHESS, h, 324, 35, seed=6).deviation for h in (53, 320)]
    assert noises[0] > noises[1] + 50.0  # 250 against 170 in the specification


def test_seeds_repeat():
    """The same seed gives the same league, another seed another."""
    one, same, other = (simulate_lives(CHESS, 64, 300, 10, seed, 100) for seed in (1, 1, 2))
    assert one == same
    assert one != other


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (lambda: simulate_lives(CHESS, 5000, 300, 10, 1), ("step_too_large", "5000")),
        (lambda: simulate_difference(CHESS, 0, 0, 1), ("step_too_large",)),
    ],
)
def test_nonsense_is_refused(wrong, word):
    """A league that cannot play, or whose games make ratings worse, is refused."""
    with refused(BadSetting, word[0], about=word[1:]):
        wrong()
