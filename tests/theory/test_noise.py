"""The error of ratings: the report's numbers, their errata, and the best h."""

from __future__ import annotations

from math import inf, log, pi, sqrt

import numpy as np
import pytest
from pytest import approx

from prowess.engine.params import BadSetting
from prowess.systems.smith import GAMES, LIFETIME, Params, h_of_game
from prowess.theory.noise import (
    CHESS,
    NOISE_MODELS,
    PlayerLife,
    best_h,
    best_h_of_many_games,
    difference_deviation,
    error_figure,
    fluctuation_per_h,
    linear_difference,
    mean_slope,
    noise,
    player_deviation,
    printed_transient,
    published_difference,
    variance_of_score,
    variance_per_h,
)
from prowess.theory.updates import largest_h
from prowess.theory.wp import find_curve
from tests.refusals import refused

SERVER = PlayerLife(games=35, spread=324)  # the Internet chess server's, section 7
CURVES = [
    CHESS,
    find_curve("normal", 1 / 200),
    find_curve("timesharing", 1 / 120),
    find_curve("stob2", 1 / 700),
]


def test_printed_numbers():
    """EQ 98: 28.8 from 25.4 and 13.5; 37.3 and 39.7 among equals; best h 53.0 and 41.0; 28.3."""
    parts = noise(SERVER, 64, "published")
    equals = PlayerLife(35, 324, difference=0)
    assert parts.transient == approx(13.5, abs=0.05)
    assert parts.fluctuation == approx(25.4, abs=0.05)
    assert parts.total == approx(28.8, abs=0.05)
    assert noise(equals, 64, "published").fluctuation == approx(37.3, abs=0.05)
    assert noise(equals, 64, "published").total == approx(39.7, abs=0.05)
    assert best_h(SERVER, "published") == approx(53.0, abs=0.05)
    assert best_h(equals, "published") == approx(41.0, abs=0.05)
    assert noise(SERVER, best_h(SERVER, "published"), "published").total == approx(28.3, abs=0.05)
    assert largest_h(CHESS) == approx(1390, abs=0.5)


def test_eq81_as_printed_is_twice_what_eq98_uses():
    """s^2 / (sqrt 3 G h) = 27.057 as printed, 13.5 in EQ 98 (erratum A)."""
    assert printed_transient(SERVER, 64) == approx(324**2 / (sqrt(3) * 35 * 64))
    assert printed_transient(SERVER, 64) == approx(27.057, abs=5e-4)


def test_corrected_numbers():
    """h = 64: 13.53, 52.72, in all 54.43; best h 32.56, 46.06 there (specification, 6.9)."""
    parts = noise(SERVER, 64)
    assert parts.transient == approx(13.53, abs=5e-3)
    assert parts.fluctuation == approx(52.72, abs=5e-3)
    assert parts.total == approx(54.43, abs=5e-3)
    assert best_h(SERVER) == approx(32.561380, abs=5e-7)
    assert noise(SERVER, best_h(SERVER)).total == approx(46.056315, abs=5e-7)


@pytest.mark.parametrize("model", NOISE_MODELS)
@pytest.mark.parametrize("wp", CURVES, ids=lambda wp: wp.name)
def test_best_h_is_best(wp, model):
    """No other h has less noise, neither close by nor far away."""
    career = PlayerLife(90, 250, wp, start_error=180, triangle=5)
    best = best_h(career, model)
    least = noise(career, best, model).total
    for factor in (0.2, 0.9, 0.999, 1.001, 1.1, 2.0):
        assert noise(career, best * factor, model).total >= least


def test_equal_h_for_two_of_equal_age():
    """The best h of `published` is the h of games played of two who both played G."""
    p = Params(h_of=GAMES, sigma=324.0)
    for games in (1, 35, 500):
        assert best_h(PlayerLife(games, 324), "published") == approx(h_of_game(p, games, games))


def test_lifetime_of_many_games():
    """The best h of `lifetime` tends to 2 s_0 sqrt(w / (p q v G)), the law of games played."""
    many = PlayerLife(100_000, 324)
    assert best_h(many, "lifetime") == approx(best_h_of_many_games(many), rel=1e-9)
    p = Params(h_of=GAMES, sigma=324.0, model=LIFETIME)
    assert best_h_of_many_games(many) == approx(h_of_game(p, 100_000, 100_000), rel=1e-6)


def test_perfect_starts_need_no_games():
    """Where newcomers are rated better than games can, the best h of `lifetime` is 0."""
    assert best_h(PlayerLife(35, 324, start_error=0), "lifetime") == 0.0
    # s_0^2 v G / 2 = p q / (4 w) is the limit: s_0 = 58.45 at G = 35
    limit = sqrt(2 * variance_per_h(CHESS, 324) / (mean_slope(SERVER) * 35))
    assert best_h(PlayerLife(35, 324, start_error=limit * 0.999), "lifetime") == 0.0
    assert best_h(PlayerLife(35, 324, start_error=limit * 1.01), "lifetime") > 0.0


def test_lifetime_transient_is_a_mean_of_squares():
    """s_0^2 (1 - e^-u) / u is the mean of an error that shrinks exponentially over a life."""
    h, games = 100.0, 50
    u = h * mean_slope(SERVER) * games
    t = (np.arange(100_000) + 0.5) / 100_000
    by_steps = sqrt((324**2 * np.exp(-u * t)).mean())
    assert noise(PlayerLife(games, 324), h, "lifetime").transient == approx(by_steps, rel=1e-8)


def test_mean_slope_by_drawing():
    """The mean of wp' over the differences of a million drawn pairs, within 4 standard errors."""
    drawn = np.random.default_rng(5).normal(0.0, 324 * sqrt(2), 1_000_000)
    z = drawn * log(10) / 400
    slopes = log(10) / 400 / (4 * np.cosh(z / 2) ** 2)
    assert mean_slope(SERVER) == approx(slopes.mean(), abs=4 * slopes.std() / 1000)


@pytest.mark.parametrize("difference", [0.0, 162.0, 900.0])
def test_stake_is_the_same_everywhere_on_the_logistic(difference):
    """p q / (4 w) = 1 / (4 Q) at every difference, so is the noise (erratum B)."""
    assert variance_per_h(CHESS, difference) == approx(100 / log(10), rel=1e-12)


@pytest.mark.parametrize("wp", CURVES, ids=lambda wp: wp.name)
def test_noise_grows_like_the_root_of_h(wp):
    """Four times the h is twice the fluctuation, in every first-order form (claim 19)."""
    for deviation in (difference_deviation, published_difference):
        assert deviation(wp, 80, 100.0) == approx(2 * deviation(wp, 20, 100.0))
    assert player_deviation(wp, 80, 30) == approx(2 * player_deviation(wp, 20, 30))


@pytest.mark.parametrize("wp", CURVES, ids=lambda wp: wp.name)
def test_eq91_misses_a_factor(wp):
    """EQ 91 is sqrt(2 p q) times the right deviation of a difference (erratum B)."""
    for difference in (0.0, 150.0, 400.0):
        factor = sqrt(2 * variance_of_score(wp, difference))
        assert published_difference(wp, 64, difference) == approx(
            factor * difference_deviation(wp, 64, difference)
        )


def test_small_steps_are_linear():
    """The form that is exact on a straight line tends to the first-order one as h falls."""
    gap = [
        linear_difference(CHESS, h, 162.0) / difference_deviation(CHESS, h, 162.0) - 1.0
        for h in (64, 0.64)
    ]
    assert gap[0] > 0.01
    assert gap[1] == approx(gap[0] / 100, rel=0.05)


def test_players_share_the_noise_of_the_league():
    """A difference of two has twice the variance of one of many; two alone have h / (8 Q)."""
    pair = difference_deviation(CHESS, 64, 0.0)
    assert player_deviation(CHESS, 64, inf) == approx(pair / sqrt(2))
    assert player_deviation(CHESS, 64, 2) == approx(pair / 2)
    assert error_figure(CHESS, 64, 10) == approx(10 * player_deviation(CHESS, 64, 10) ** 2)


@pytest.mark.parametrize(
    ("wp", "most"),
    [
        (find_curve("logistic"), 1 / 4),
        (find_curve("normal"), sqrt(pi) / 8),
        (find_curve("timesharing"), 1 / (4 * log(2))),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_error_per_h_has_a_supremum(wp, most):
    """sup p q / (4 w): 1/4, sqrt(pi)/8 = 0.2216, 1/(4 ln 2) = 0.3607 (specification, 6.10)."""
    seen = [variance_per_h(wp, x) for x in np.linspace(0.0, 12.0, 200)]
    assert max(seen) == approx(most, rel=1e-3)
    assert max(seen) <= most * (1 + 1e-12)


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (lambda: noise(SERVER, 0.0), ("step_too_large",)),
        (lambda: noise(SERVER, 1400.0), ("step_too_large",)),
        (lambda: noise(SERVER, float("nan")), ("step_too_large",)),
        (lambda: noise(SERVER, 64, "best"), ("unknown_model",)),
        (lambda: PlayerLife(0, 324), ("constant_out_of_range",)),
        (lambda: PlayerLife(35, 0), ("constant_out_of_range",)),
        (lambda: PlayerLife(35, 324, triangle=-1), ("constant_out_of_range",)),
        (lambda: PlayerLife(35, 324, start_error=inf), ("constant_out_of_range", "start_error")),
        (lambda: player_deviation(CHESS, 64, 1), ("too_few_players",)),
        (lambda: fluctuation_per_h(PlayerLife(35, 1e9), "corrected"), ("curve_flat",)),
    ],
)
def test_nonsense_is_refused(wrong, word):
    """An h that makes ratings worse, an unknown model and a life of no games are refused."""
    with refused(BadSetting, word[0], about=word[1:]):
        wrong()
