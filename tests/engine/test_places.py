"""Chances of places: against sums over all orders, an integral for each side, and the laws."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pytest import approx
from scipy.special import ndtr, ndtri

import prowess
from prowess.engine.fit import NoModel
from prowess.engine.places import MOST_SIDES, Performances, performances_of_pairs
from prowess.engine.system import Dynamic, Unratable
from prowess.games.arguments import BadArgument
from prowess.systems.catalogue import catalogue
from tests.refusals import refused

NODES = 400
GAMES = [
    ("Ann", "Bob", 1), ("Bob", "Cid", 1), ("Cid", "Ann", 1), ("Ann", "Dee", 1), ("Dee", "Bob", 1),
    ("Ann", "Bob", 1), ("Cid", "Dee", 0.5), ("Ann", "Cid", 1), ("Bob", "Dee", 1),
]  # fmt: skip
NAMES = ["Ann", "Bob", "Cid", "Dee"]


def integrate_places(mean, deviation, normal, chosen=None):
    """The slow, obvious way: for each side an integral of its own over u = F_i(x), and the law of
    the number above by one side after the other.
    """
    n = len(mean)
    t, w = np.polynomial.legendre.leggauss(NODES)
    u, w = (t + 1) / 2, w / 2
    u, w = u * u * (3 - 2 * u), w * 6 * u * (1 - u)  # smooth ends
    found = []
    for i in range(n) if chosen is None else chosen:
        if normal:
            x = ndtri(u)[:, None] * deviation[i] + mean[i]
            above = ndtr((mean - x) / deviation)
        else:
            above = 1 - np.exp(np.log(u)[:, None] * np.exp(mean - mean[i]))
        count = np.zeros((NODES, n))
        count[:, 0] = 1
        for j in range(n):
            if j != i:
                q = above[:, j : j + 1]
                count[:, 1:] = count[:, 1:] * (1 - q) + count[:, :-1] * q
                count[:, :1] *= 1 - q
        found.append(w @ count)
    return np.array(found)


def test_the_sum_over_all_orders():
    """Under Gumbel's law places are sums of Plackett and Luce's chances of the 720 orders."""
    mean = np.random.default_rng(1).normal(0, 1.3, 6)
    exact = np.zeros((6, 6))
    for order in itertools.permutations(range(6)):
        left = np.cumsum(np.exp(mean[list(order)])[::-1])[::-1]
        chance = np.prod(np.exp(mean[list(order)]) / left)
        exact[list(order), range(6)] += chance
    shown = Performances(mean, np.ones(6), False)
    assert_allclose(shown.places(), exact, atol=1e-11)  # the integral's own error is 1e-13


@pytest.mark.parametrize("normal", [False, True])
@pytest.mark.parametrize("n", [3, 4, 40, 199])
def test_places_are_those_of_the_obvious_integral(n, normal):
    """From 3 to 199 sides every chance is that of the slow integral to 1e-9."""
    random = np.random.default_rng(n)
    mean = random.normal(0.0, 1.3, n)
    deviation = np.exp(random.normal(0.0, 0.5, n)) if normal else np.ones(n)
    found = Performances(mean, deviation, normal).places()
    chosen = np.argsort(mean)[:: max(1, n // 5)]
    slow = integrate_places(mean, deviation, normal, chosen)
    assert_allclose(found[chosen], slow, atol=1e-9)


@pytest.mark.parametrize("normal", [False, True])
def test_places_of_sides_far_apart(normal):
    """Sides of groups 60 deviations apart take the places of their group, as in a contest of it."""
    random = np.random.default_rng(4)
    groups = [random.normal(60.0 * k, 1.3, 8) for k in range(5)]
    mean, order = np.concatenate(groups), random.permutation(40)
    found = np.empty((40, 40))
    found[order] = Performances(mean[order], np.ones(40), normal).places()
    for k, group in enumerate(groups):
        alone = Performances(group, np.ones(8), normal).places()
        first = 8 * (4 - k)
        assert_allclose(found[8 * k : 8 * k + 8, first : first + 8], alone, atol=1e-9)
    assert_allclose(found.sum(axis=0), 1.0, atol=1e-9)


@pytest.mark.parametrize(
    ("mean", "deviation", "normal"),
    [
        ([700.0, 0.0, -700.0, 0.0], [1.0] * 4, False),
        ([0.0, 40.0, 41.0, -300.0], [1.0] * 4, True),
        ([0.0, 1.0, 2.0, 3.0] * 10, [1.0, 1000.0, 0.001, 5.0] * 10, True),
        ([0.0] * 300, [1.0] * 300, False),
        (np.linspace(-9, 9, 450), [1.0] * 450, True),
    ],
)
def test_rows_and_columns_sum_to_one(mean, deviation, normal):
    """Everybody takes a place and every place is taken, however far apart and however many."""
    shown = Performances(np.array(mean), np.array(deviation), normal)
    places = shown.places()
    assert (places >= 0.0).all()
    assert_allclose(places.sum(axis=0), 1.0, atol=1e-9)
    assert_allclose(places.sum(axis=1), 1.0, atol=1e-9)
    ahead = shown.beats().sum(axis=0) - 0.5  # the mean place is 1 + the others before
    assert_allclose(places @ np.arange(1, len(places) + 1), 1.0 + ahead, atol=1e-7)


def test_the_winner_of_many():
    """Of 1,000 sides under Gumbel's law the chance to win is e^m / sum of e^m."""
    mean = np.random.default_rng(5).normal(0.0, 1.0, 1000)
    wins = Performances(mean, np.ones(1000), False).places()[:, 0]
    assert_allclose(wins, np.exp(mean) / np.exp(mean).sum(), rtol=1e-10)


@pytest.mark.parametrize("normal", [False, True])
def test_performances_of_pairs(normal):
    """Chances of pairs that one law made give back its differences."""
    mean = np.array([0.0, 1.0, 2.5, -30.0])
    shown = Performances(mean, np.full(4, np.sqrt(0.5) if normal else 1.0), normal)
    again = performances_of_pairs(shown.beats(), normal)
    assert again.mean - again.mean[0] == approx(mean, abs=1e-9)
    with refused(Unratable, "no_finite_score"):
        performances_of_pairs(np.full((3, 3), np.nan), normal)


def forecasts_of(system):
    """Ratings of a few games, in which nobody won or lost all; skips a system without forecasts."""
    period = {"period": "7d"} if getattr(system, "rounds", "") == "period" else {}
    rows = [(a, b, s, f"2024-01-{day:02}") for day, (a, b, s) in enumerate(GAMES, 1)]
    table = prowess.read_games(
        {name: list(column) for name, column in zip(("a", "b", "result", "date"),
         zip(*rows, strict=True), strict=True)}, warn=False,
    )  # fmt: skip
    try:
        ratings = prowess.rate(table, system.name, **period)
        ratings.forecast("Ann", "Bob")
    except (NoModel, Unratable) as error:
        pytest.skip(str(error))
    return ratings


@pytest.mark.parametrize("system", catalogue().values(), ids=catalogue())
def test_every_system_foresees_places(system):
    """Places sum to 1 and are the oracle's, in any order of the sides; two sides are the pair."""
    ratings = forecasts_of(system)
    two = ratings.forecast_contest(["Ann", "Dee"])
    expected = ratings.forecast("Ann", "Dee").expected
    assert two.places.tolist() == [[expected, 1 - expected], [1 - expected, expected]]
    found = ratings.forecast_contest(NAMES)
    assert_allclose(found.places.sum(axis=0), 1.0, atol=1e-12)
    assert_allclose(found.places.sum(axis=1), 1.0, atol=1e-12)
    shown = ratings.performances(ratings.find_sides(NAMES))
    slow = integrate_places(shown.mean, shown.deviation, system.normal)
    assert_allclose(found.places, slow, atol=1e-9)
    back = ratings.forecast_contest(NAMES[::-1])
    assert_allclose(back.places[::-1], found.places, atol=1e-12)
    if isinstance(system, Dynamic) and system.performance is None:
        # the mean over the field of the pairs' log odds or normal deviates, each by hand
        chance = np.array(
            [[0.5 if a == b else ratings.forecast(a, b).expected for b in NAMES] for a in NAMES]
        )
        gap = ndtri(chance) if system.normal else np.log(chance / chance.T)
        assert_allclose(shown.mean, gap.mean(axis=1), atol=1e-9)


def test_shares_and_refusals():
    """Half a member counts half of a mean and a quarter of a variance; nonsense is refused."""
    ratings = prowess.rate(GAMES, "trueskill")
    dee = ratings["Dee"]
    shown = ratings.performances(ratings.find_sides(["Ann", "Bob", ["Cid", ("Dee", 0.5)]]))
    cid, beta = ratings["Cid"], 25 / 6
    assert shown.mean[2] == approx(cid.rating + 0.5 * dee.rating)
    square = cid.deviation**2 + beta**2 + 0.25 * (dee.deviation**2 + beta**2)
    assert shown.deviation[2] ** 2 == approx(square)
    answer = prowess.forecast(ratings, ("Ann", "Bob", ("Cid", ("Dee", 0.5))))
    assert answer["side"] == ["Ann", "Bob", "Cid & Dee (0.5)"]
    assert answer.win.tolist() == answer["win"]
    for games, code in (
        (("Ann", "Bob", "Ann"), "player_twice"),
        (("Ann", "Bob", ("Cid", ("Dee", 2))), "not_a_share"),
        ([("Ann",)], "not_a_pair"),
    ):
        with refused(BadArgument, code):
            prowess.forecast(ratings, games)
    with refused(BadArgument, "side_of_contest"):
        prowess.forecast(ratings, ("Ann", "Bob", "Cid"), side=1)
    with refused(BadArgument, "too_many_sides"):
        ratings.forecast_contest([str(k) for k in range(MOST_SIDES + 1)])


def test_several_games_of_any_number():
    """Games of two and of three stand in one table; each is found by its number."""
    ratings = prowess.rate(GAMES, "elo")
    found = prowess.forecast(ratings, [("Ann", "Bob"), ("Ann", "Cid", "Dee")])
    assert found["game"] == [1, 1, 2, 2, 2]
    assert found["place_3"][:2] == [None, None]
    assert found[0].places[0, 0] == ratings.forecast("Ann", "Bob").expected
    assert found[1].places.shape == (3, 3)
    with refused(BadArgument, "several_games"):
        found.places  # noqa: B018 - refused
    assert prowess.forecast(ratings, [("Ann", "Bob")]).places.shape == (2, 2)
