"""People of a simulated league: births, deaths, learning, drift, activity.

Tolerances as in test_simulated_games: 4 standard errors, seeds fixed.
"""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest

from prowess.study.simulation.league import simulate
from prowess.study.simulation.settings import (
    add_weight,
    draw_other,
    draw_player,
    league_settings,
    people_of,
    total_weight,
    urn_of,
    weight_below,
)

Q = log(10) / 400


def uneven(counts: np.ndarray, chances: np.ndarray) -> float:
    """By how many deviations Pearson's chi-square of counts exceeds its mean."""
    wanted = chances * counts.sum()
    k = len(counts) - 1
    return float((((counts - wanted) ** 2 / wanted).sum() - k) / sqrt(2 * k))


def test_births_and_deaths():
    """Births are Poisson at their rate; in a settled league as many die as are born."""
    p = league_settings(
        players=1000, games=2000, days=400, births=10, life=100, beginning="settled"
    )
    league = simulate(p, 1)
    assert abs(league.births - 4000) < 4 * sqrt(4000)
    assert abs(league.deaths - 4000) < 4 * sqrt(4000)


@pytest.mark.parametrize("law", ["exponential", "fixed"])
def test_lives_in_days(law):
    """Lives have the mean that was asked for, and the deviation of their law."""
    p = league_settings(players=4000, days=4000, life=300, life_law=law)
    people = people_of(p, np.random.default_rng(2), None)
    lives = people.dies - people.born
    assert abs(lives.mean() - 300) <= 4 * 300 / sqrt(4000)
    if law == "fixed":
        assert np.ptp(lives) < 1e-9
    else:
        assert abs((lives > 300).mean() - exp(-1)) < 4 * sqrt(exp(-1) * (1 - exp(-1)) / 4000)


def test_nobody_plays_before_birth_or_after_death():
    """Whoever plays is born and has not died."""
    p = league_settings(players=50, games=5000, births=1, life=60)
    league = simulate(p, 3)
    games, truth = league.games, league.truth
    assert games.time is not None
    for side in (games.a, games.b):
        assert np.all(truth.born[side] <= games.time)
        assert not np.any(truth.died[side] <= games.time)
    assert np.isfinite(truth.died).sum() > 100


def test_lives_in_games():
    """A fixed life of games is played to its last game, and none is played after it."""
    p = league_settings(players=100, games=20_000, age="games", life=40, life_law="fixed", births=3)
    truth = simulate(p, 4).truth
    gone = np.isfinite(truth.died)
    assert set(truth.games[gone].tolist()) == {40}
    assert truth.games[~gone].max() < 40


def test_learning_is_the_reports_curve():
    """x(t) = log(1 + Q c7 t) / Q after birth (W. D. Smith 1994, EQ 61, on the scale of Q)."""
    league = simulate(league_settings(games=3000, learning=2.0, births=0.2), 5)
    games, truth = league.games, league.truth
    assert games.time is not None
    t = games.time - truth.born[games.a]
    learnt = league.strength_a - truth.at_birth[games.a]
    assert learnt == pytest.approx(np.log(1 + Q * 2.0 * t) / Q, abs=1e-9)
    assert learnt.max() > 200


def test_constant_learning_by_games():
    """A constant rate gives so many points for every game played before."""
    p = league_settings(players=10, games=500, learning=1.5, learning_form="constant", age="games")
    league = simulate(p, 6)
    before = np.zeros(10)
    for game in range(500):
        for side, strength in (
            (league.games.a, league.strength_a),
            (league.games.b, league.strength_b),
        ):
            player = side[game]
            learnt = strength[game] - league.truth.at_birth[player]
            assert learnt == pytest.approx(1.5 * before[player], abs=1e-9)
        before[league.games.a[game]] += 1
        before[league.games.b[game]] += 1


def test_a_settled_population_that_learns():
    """Strengths at the start have the distribution 1 - exp(-c8 (e^(Q R) - 1)), EQ 60's."""
    p = league_settings(
        players=4000, games=8000, days=0.01, spread=0, mean=0, learning=2.0, life=300,
        beginning="settled",
    )  # fmt: skip
    strength = simulate(p, 7).truth.strength
    c8 = (1 / 300) / (2.0 * Q)  # D / (c7 Q)
    share = 1 - np.exp(-c8 * (np.exp(Q * strength) - 1))
    counts = np.bincount((share * 20).astype(int), minlength=20)
    assert uneven(counts, np.full(20, 0.05)) < 4


def test_drift_is_a_random_walk():
    """Between games strengths move by normal steps of variance drift^2 a day, independently."""
    league = simulate(league_settings(players=20, games=20_000, days=1000, drift=5.0), 8)
    games = league.games
    assert games.time is not None
    steps = []
    for player in range(20):
        mine = (games.a == player) | (games.b == player)
        strength = np.where(games.a == player, league.strength_a, league.strength_b)[mine]
        days = np.diff(games.time[mine])
        steps.append(np.diff(strength)[days > 0] / np.sqrt(days[days > 0]))
    step = np.concatenate(steps)
    n = len(step)
    assert n > 39_000
    assert abs((step**2).mean() / 25.0 - 1) < 4 * sqrt(2 / n)
    assert abs((step**4).mean() / 625.0 - 3) < 4 * sqrt(96 / n)  # normal: kurtosis 3
    after = np.concatenate([each[1:] * each[:-1] for each in steps]) / 25.0
    assert abs(after.mean()) < 4 / sqrt(n)


def test_strengths_of_newcomers():
    """Born strengths are normal with the mean and spread that were asked for."""
    people = people_of(league_settings(players=20_000), np.random.default_rng(9), None)
    assert abs(people.strength.mean() - 1500) < 4 * 200 / sqrt(20_000)
    assert abs(people.strength.std() / 200 - 1) < 4 / sqrt(2 * 20_000)


def test_everybody_plays_equally_often():
    """With equal activity every pair is equally likely."""
    games = simulate(league_settings(players=10, games=45_000), 10).games
    pair = np.minimum(games.a, games.b) * 10 + np.maximum(games.a, games.b)
    counts = np.bincount(pair, minlength=100)
    assert np.count_nonzero(counts) == 45
    assert uneven(counts[counts > 0], np.full(45, 1 / 45)) < 4


def test_heavy_tailed_activity():
    """Activity has the Pareto law asked for, and games are shared out by it."""
    league = simulate(league_settings(players=5000, games=100_000, activity="pareto", tail=1.2), 11)
    people = people_of(
        league_settings(players=50_000, activity="pareto", tail=1.2), np.random.default_rng(3), None
    )
    for times in (2, 10, 50):
        share, n = times**-1.2, 50_000  # Pareto: P(activity > t) = t^-tail
        assert abs((people.activity > 1000 * times).mean() - share) < 4 * sqrt(share / n)
    busy = np.argsort(-league.truth.activity)[:20]
    assert league.truth.games[busy].sum() > 0.1 * 200_000  # twenty of 5000


def test_urn_draws_by_weight():
    """Players are drawn in proportion to their weights, and never one who was taken out."""
    weights = np.array([5, 0, 3, 1, 7, 2, 2])
    urn = urn_of(weights - 1)
    for player in range(7):
        add_weight(urn, player, 1)
    add_weight(urn, 4, -7)
    weights[4] = 0
    assert total_weight(urn) == 13
    assert [weight_below(urn, player) for player in range(7)] == [0, 5, 5, 8, 9, 9, 11]
    every = (np.arange(13) + 0.5) / 13
    assert (
        np.bincount([draw_player(urn, u) for u in every], minlength=7).tolist() == weights.tolist()
    )
    others = [draw_other(urn, (u + 0.5) / 10, 2, 3) for u in range(10)]
    weights[2] = 0
    assert np.bincount(others, minlength=7).tolist() == weights.tolist()
    assert draw_player(urn, 1 - 2**-53) == 6
