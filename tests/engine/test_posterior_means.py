"""Quadrature, draws and the iteration of conditional means, held to slow obvious sums."""

from __future__ import annotations

from itertools import product
from math import exp, log, log1p

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from prowess.compile import worth
from prowess.engine.fits.posterior import EXTREME_VALUE, HISTOGRAM, NORMAL, Prior, report_bins
from prowess.engine.fits.posterior_means import (
    groups,
    posterior_means,
    quality,
    sample_posterior,
    symmetry_classes,
)
from prowess.engine.fits.posterior_model import exact_moments, iterate_means, posterior_model
from prowess.engine.system import Unratable
from prowess.engine.win_probability import LOGISTIC
from prowess.games.tally import tally
from tests.engine.tables import games, some_games
from tests.refusals import refused

Q = log(10.0) / 400.0
NORMAL_PRIOR = Prior(NORMAL, 1500.0, 300.0)
LEARNERS = Prior(EXTREME_VALUE, birth=1000.0, c8=0.05, q=Q)
FOUR = [("A", "B", 1.0), ("B", "C", 0.5), ("C", "D", 1.0), ("A", "D", 1.0), ("B", "D", 0.0)]


def log_likelihood(rows, place, x):
    """sum S log wp + (1 - S) log(1 - wp), game by game."""
    total = 0.0
    for a, b, score in rows:
        z = Q * (x[place[a]] - x[place[b]])
        total -= score * log1p(exp(-z)) + (1.0 - score) * log1p(exp(z))
    return total


def summed(rows, prior, step, low, high):
    """Means and deviations by a sum over a grid of points, every rating's axis alike."""
    place = {name: k for k, name in enumerate(dict.fromkeys(n for r in rows for n in r[:2]))}
    axis = np.arange(low, high, step) + 0.5 * step
    points = np.array(list(product(axis, repeat=len(place))))
    weight = np.array([exp(log_likelihood(rows, place, x)) for x in points])
    if prior.kind == NORMAL:
        weight *= np.exp(-0.5 * (((points - prior.mean) / prior.sd) ** 2).sum(axis=1))
    else:
        y = prior.q * (points - prior.birth)
        weight *= np.exp((y - prior.c8 * np.exp(y)).sum(axis=1))
    weight /= weight.sum()
    mean = weight @ points
    return mean, np.sqrt(weight @ (points - mean) ** 2)


@pytest.mark.parametrize(
    ("prior", "step", "low", "high", "close"),
    [(NORMAL_PRIOR, 60.0, 0.0, 3000.0, 0.01), (LEARNERS, 10.0, 1000.0, 2000.0, 0.5)],
)
def test_two_ratings_equal_a_sum_over_a_grid(prior, step, low, high, close):
    """The joint mean and deviation are those of the density summed point by point."""
    rows = [("A", "B", 1.0), ("A", "B", 0.5), ("B", "A", 0.0)]
    b = posterior_model(tally(games(rows)), LOGISTIC, Q, prior)
    exact = exact_moments(b, np.zeros(2), np.arange(2))
    mean, deviation = summed(rows, prior, step, low, high)
    assert exact.mean == pytest.approx(mean, abs=close)
    assert np.sqrt(np.diagonal(exact.covariance)) == pytest.approx(deviation, abs=close)


@pytest.mark.parametrize("prior", [NORMAL_PRIOR, LEARNERS, Prior(HISTOGRAM)])
def test_draws_agree_with_quadrature(prior):
    """Means and covariances of joint draws are within five standard errors of the exact ones."""
    rows = [("A", "B", 1.0), ("B", "C", 0.5), ("A", "C", 1.0), ("C", "B", 1.0), ("A", "X", 1.0)]
    table, known = tally(games(rows)), {3: 1700.0}
    b = posterior_model(table, LOGISTIC, Q, prior, known=known)
    rating = np.array([0.0, 0.0, 0.0, 1700.0])
    exact = exact_moments(b, rating, np.arange(3))
    sample = sample_posterior(b, rating, [np.arange(3)], 8000, seed=1)
    spread = np.sqrt(np.diagonal(exact.covariance))
    error = spread / np.sqrt(quality(sample[:, :3]).worth)
    assert (np.abs(sample[:, :3].mean(axis=0) - exact.mean) < 5.0 * error).all()
    shape = np.cov(sample[:, :3].T) / np.outer(spread, spread)
    assert shape == pytest.approx(exact.covariance / np.outer(spread, spread), abs=0.1)
    assert (sample[:, 3] == 1700.0).all()


def test_a_chain_of_four_equals_a_sum_over_bins():
    """Four ratings on the bins of a histogram: draws against the sum over all 18^4 ways."""
    table = tally(games(FOUR))
    found = posterior_means(
        table, posterior_model(table, LOGISTIC, Q, Prior(HISTOGRAM)), {}, 8000, 3
    )
    mids, share = report_bins()
    place = {"A": 0, "B": 1, "C": 2, "D": 3}
    weight = np.ones([len(mids)] * 4)
    for k in range(4):
        weight *= share.reshape([-1 if j == k else 1 for j in range(4)])
    for a, b, score in FOUR:
        x = [mids.reshape([-1 if j == place[n] else 1 for j in range(4)]) for n in (a, b)]
        win = 1.0 / (1.0 + 10.0 ** ((x[1] - x[0]) / 400.0))
        weight = weight * win**score * (1.0 - win) ** (1.0 - score)
    weight /= weight.sum()
    for k in range(4):
        mean = float(weight.sum(axis=tuple(j for j in range(4) if j != k)) @ mids)
        assert found.mean[k] == pytest.approx(mean, abs=5.0 * found.figures["error"])


@pytest.mark.parametrize("prior", [NORMAL_PRIOR, LEARNERS, Prior(HISTOGRAM)])
def test_compiled_equals_plain(prior, monkeypatch):
    """Draws, integrals and iterations give the same bits whichever loop makes them."""
    pytest.importorskip("llvmlite")
    table = tally(games(FOUR))
    b = posterior_model(table, LOGISTIC, Q, prior)
    nobody, everybody, three = np.zeros(4), np.arange(4), np.arange(3)

    def answers():
        return (
            sample_posterior(b, nobody, [everybody], 100, seed=2),
            exact_moments(b, nobody, three).mean,
            iterate_means(b, nobody, everybody).mean,
        )

    monkeypatch.setattr(worth, "_loaded", {})
    monkeypatch.setattr(worth, "MIN_TURNS_TO_COMPILE", float("inf"))
    plain = answers()
    monkeypatch.setattr(worth, "MIN_TURNS_TO_COMPILE", 0.0)
    monkeypatch.setattr(worth, "LINKED", 0.0)
    for one, other in zip(plain, answers(), strict=True):
        assert np.array_equal(one, other)


def test_the_iteration_ends_at_one_point_from_anywhere():
    """Every conditional mean, by a slow sum at the end, is the rating itself."""
    rows = [("A", "B", 1.0), ("A", "B", 1.0), ("A", "C", 1.0), ("B", "A", 1.0), ("B", "C", 0.5)]
    b = posterior_model(tally(games(rows)), LOGISTIC, Q, NORMAL_PRIOR)
    end = iterate_means(b, np.zeros(3), np.arange(3)).mean
    place = {"A": 0, "B": 1, "C": 2}
    for k in range(3):
        axis = np.arange(-600.0, 3600.0, 20.0)
        density = np.empty(len(axis))
        for node, x in enumerate(axis):
            ratings = [x if j == k else end[j] for j in range(3)]
            likely = log_likelihood(rows, place, ratings)
            density[node] = likely - 0.5 * ((x - 1500.0) / 300.0) ** 2
        weight = np.exp(density - density.max())
        assert weight @ axis / weight.sum() == pytest.approx(end[k], abs=1e-6)


@settings(max_examples=30)
@given(data=st.data())
def test_the_order_of_players_does_not_ask_their_numbers(data):
    """Renumbered players who can be told apart stand in the same order."""
    table = data.draw(some_games(size=12))
    order = data.draw(st.permutations(range(len(table.players))))
    place = np.argsort(order).astype(np.uint32)
    other = type(table)(table.players, place[table.a], place[table.b], table.score)
    first, second = (symmetry_classes(tally(t, sides=False), {}) for t in (table, other))
    assume(len(set(first.kind[first.order].tolist())) == len(first.order))
    assert place[first.order].tolist() == second.order.tolist()


def test_alike_players_are_one_kind():
    """In a ring of equal results all are alike; a result against an outsider breaks it."""
    ring = [("A", "B", 1.0), ("B", "C", 1.0), ("C", "D", 1.0), ("D", "A", 1.0)]
    table = tally(games(ring))
    assert len(set(symmetry_classes(table, {}).kind.tolist())) == 1
    assert sorted(symmetry_classes(table, {}).order.tolist()) == [0, 1, 2, 3]
    broken = tally(games([*ring, ("A", "E", 1.0)]))
    assert len(set(symmetry_classes(broken, {}).kind.tolist())) == 5
    found = posterior_means(table, posterior_model(table, LOGISTIC, Q, NORMAL_PRIOR), {}, 400, 0)
    assert len(set(found.mean.tolist())) == 1


def test_known_players_do_not_link_groups():
    """Newcomers who only met established players are groups of their own."""
    rows = [("A", "X", 1.0), ("B", "X", 1.0), ("C", "D", 1.0)]
    parts = groups(tally(games(rows)), np.array([0, 2, 3, 4]))
    assert [part.tolist() for part in parts] == [[0], [2], [3, 4]]


def test_repeating_draws_are_worth_less():
    """Draws that each stand ten times are worth a tenth; halves apart are seen."""
    random = np.random.default_rng(5)
    once = random.normal(size=(400, 40))
    repeated = quality(np.repeat(once, 10, axis=0))
    assert float(np.median(repeated.worth)) == pytest.approx(400, rel=0.25)
    assert float(np.median(quality(random.normal(size=(4000, 40))).worth)) > 3000
    drifting = np.linspace(0.0, 1.0, 1000)[:, None]
    assert quality(drifting).worth[0] < 30
    assert quality(np.zeros((1000, 1))).worth[0] == 1.0
    late = np.where(np.arange(4000) < 2000, 0.0, 0.5)[:, None] + random.normal(size=(4000, 1))
    assert quality(late).apart[0] > 6.0 / 2.0  # batches of both halves differ too


def test_too_much_work_is_refused_without_a_compiler(monkeypatch):
    """The refusal says what to install or to change."""
    monkeypatch.setattr("prowess.compile.kernel.available", lambda: False)
    monkeypatch.setattr("prowess.engine.fits.posterior_means.PLAIN_AT_MOST", 1000)
    b = posterior_model(tally(games(FOUR)), LOGISTIC, Q, NORMAL_PRIOR)
    with refused(Unratable, "too_many_draws"):
        sample_posterior(b, np.zeros(4), [np.arange(4)], 200, 0)
