"""Curves fitted to results: right where the answer is known, and with deviations that are true."""

from __future__ import annotations

import numpy as np
import pytest
from pytest import approx

from prowess.engine.numeric import LN10
from prowess.engine.win_probability import CURVES, steepness, win_probability
from prowess.study.diagnosis.evidence import blocks_of, expected_on_curve, fit_curve
from prowess.study.diagnosis.trends import distance, extreme_value
from prowess.study.simulation.league import simulate
from prowess.study.simulation.settings import league_settings
from prowess.theory.learning import Gompertz


@pytest.mark.parametrize("curve", range(len(CURVES)), ids=CURVES)
def test_the_table_is_the_curve(curve):
    """Between the nodes of the table the curve is that of the engine."""
    z = np.linspace(-8, 8, 77) + 0.003
    exact = [win_probability(curve, x, steepness(curve, LN10)) for x in z.tolist()]
    assert expected_on_curve(curve, z) == approx(exact, abs=2e-6)


@pytest.mark.parametrize("curve", [0, 1, 2, 4])
def test_constants_come_back(curve):
    """Expected scores as results give back the very constants that made them."""
    rng = np.random.default_rng(3)
    x = np.stack((rng.normal(0, 1.5, 4000), rng.integers(-1, 2, 4000)), axis=1)
    chance = expected_on_curve(curve, x @ [0.8, 0.3])
    fit = fit_curve(curve, x, chance, np.ones(4000))
    assert fit.theta == approx([0.8, 0.3], abs=1e-5)


def test_the_best_is_best():
    """No neighbouring constants have a smaller loss."""
    rng = np.random.default_rng(4)
    x = np.stack((rng.normal(0, 1.5, 500), rng.integers(0, 2, 500)), axis=1)
    score = (rng.random(500) < expected_on_curve(0, x @ [1.0, 0.3])).astype(float)
    weight = rng.uniform(0.5, 2.0, 500)
    fit = fit_curve(0, x, score, weight)

    def loss(theta):
        chance = expected_on_curve(0, x @ theta)
        return -(weight * (score * np.log(chance) + (1 - score) * np.log1p(-chance))).sum()

    assert (fit.loss * weight).sum() == approx(loss(fit.theta))
    for step in ([0.02, 0], [-0.02, 0], [0, 0.02], [0, -0.02]):
        assert loss(fit.theta + step) > loss(fit.theta)


def test_deviations_are_true():
    """Over 200 tables the constants scatter as each table says they do."""
    seen, said = [], []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        x = rng.normal(0, 1.5, (600, 1))
        score = (rng.random(600) < expected_on_curve(0, x[:, 0])).astype(float)
        estimate = fit_curve(0, x, score, np.ones(600)).estimate(0, blocks_of(600))
        seen.append(estimate.value)
        said.append(estimate.deviation)
    assert np.std(seen) == approx(np.mean(said), rel=0.15)  # 200 give a deviation to 5 %


def test_extreme_value_fits():
    """The law of EQ 60 comes back from a large sample, and no neighbour is likelier."""
    law = Gompertz(0.2, 1 / 150.0, 1000.0)
    ratings = np.sort(law.sample(20_000, seed=1))
    birth, c8, q = (float(part[0]) for part in extreme_value(ratings[None, :]))
    assert birth == approx(1000.0, abs=1.0)  # the lowest of 20,000
    assert c8 == approx(0.2, rel=0.1)
    assert 1 / q == approx(150.0, rel=0.05)
    best = Gompertz(c8, q, birth).log_density(ratings).sum()
    for other in ((1.02 * c8, q), (0.98 * c8, q), (c8, 1.01 * q), (c8, 0.99 * q)):
        assert Gompertz(*other, birth).log_density(ratings).sum() < best


def test_distance_by_hand():
    """Kolmogorov's distance of 0.1, 0.2, 0.9 from the uniform law is 2/3 - 0.2."""
    assert distance(np.array([[0.1, 0.2, 0.9]])) == approx([2 / 3 - 0.2])


def test_simulated_results_have_the_true_scale():
    """With true strengths in place of ratings the scale is 1 and the advantage as set."""
    made = simulate(league_settings(games=40_000, advantage=50.0, spread=250), 5)
    unit = 400.0 / LN10
    x = np.stack(((made.strength_a - made.strength_b) / unit, made.games.side), axis=1)
    fit = fit_curve(0, x, made.games.score, np.ones(len(x)))
    assert float(fit.theta[0]) == approx(1.0, abs=0.04)  # deviation 0.01
    assert float(fit.theta[1]) * unit == approx(50.0, abs=8.0)  # deviation 2
