"""Log losses of the winner and of the whole order of contests, from chances by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import exp, factorial, log

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pytest import approx

import prowess
from prowess.engine.places import Performances, places_by_strength
from prowess.games.arguments import BadArgument
from prowess.games.games import Games
from prowess.study.backtest import Backtest, backtest, base_rate_backtest
from prowess.study.compare import calibration_of_places
from prowess.study.scores import order_losses, strengths_of_field
from prowess.systems.catalogue import find
from tests.refusals import refused

LEAGUE = [
    ("Ann", "Bob", "Cid", "Dee"),
    ("Bob", "Ann", "Cid"),
    ("Cid", "Ann"),
    ("Dee", "Bob", "Ann"),
]


def contests(orders, places=None) -> Games:
    """Contests with their sides in order, or at these places."""
    rows = [
        (race, name, place + 1 if places is None else places[race][place])
        for race, names in enumerate(orders)
        for place, name in enumerate(names)
    ]
    columns = zip(("race", "player", "place"), map(list, zip(*rows, strict=True)), strict=True)
    return prowess.read_games(dict(columns), warn=False)


@pytest.mark.parametrize("n", [2, 3, 8, 60])
def test_strengths_give_back_their_expected_scores(n):
    """Strengths are found again from the mean chances that Bradley and Terry's law gives them."""
    strength = np.random.default_rng(n).normal(0.0, 2.0, (5, n))
    strength -= strength.mean(axis=1, keepdims=True)
    chance = 1.0 / (1.0 + np.exp(strength[:, None, :] - strength[:, :, None]))
    expected = (chance.sum(axis=2) - 0.5) / (n - 1)
    assert_allclose(strengths_of_field(expected), strength, atol=1e-7)


def test_plackett_and_luce_by_hand():
    """Weights 4, 2, 1: the first wins with 4/7, then the second with 2/3; a shared first place is
    the mean of both, and tied sides meet all who are not placed better.
    """
    weights = np.array([4.0, 2.0, 1.0])
    chance = weights[:, None] / (weights[:, None] + weights[None, :])
    expected = (chance.sum(axis=1) - 0.5) / 2
    names = [("Ann", "Bob", "Cid")] * 2
    found = order_losses(contests(names, [(1, 2, 3), (1, 1, 3)]), np.tile(expected, 2))
    assert found.log_loss_winner == approx([-log(4 / 7), -(log(4 / 7) + log(2 / 7)) / 2])
    assert found.log_loss_order == approx([-log(4 / 7 * 2 / 3), -log(4 / 7 * 2 / 7)])


def test_elo_is_judged_by_its_own_strengths():
    """Of the second contest Elo's chances follow from the ratings after the first, by hand."""
    table = contests(LEAGUE)
    test = backtest(table, find("elo"), warm_up=0.0)
    ratings = prowess.rate(table.first(1), "elo")
    weight = {name: 10 ** (ratings[name].rating / 400) for name in ["Ann", "Bob", "Cid"]}
    winner = -log(weight["Bob"] / sum(weight.values()))
    after = -log(weight["Ann"] / (weight["Ann"] + weight["Cid"]))
    assert test.losses["log_loss_winner"][4:7] == approx([winner] * 3)
    assert test.losses["log_loss_order"][4:7] == approx([winner + after] * 3)


def test_the_base_rate_knows_the_number_of_sides():
    """Without knowledge of n sides the winner costs log n, the order log n!, a pair log 2."""
    scores = base_rate_backtest(contests(LEAGUE), warm_up=0.0).scores
    assert exp(4 * scores["log_loss_winner"]) == approx(4 * 3 * 2 * 3)
    assert exp(4 * scores["log_loss_order"]) == approx(24 * 6 * 2 * 6)
    assert scores["log_loss_pairs"] == approx(log(2))
    assert factorial(4) == 24


def test_a_comparison_has_them_with_intervals():
    """`compare` of contests ranks by them, beside the base rate."""
    table = contests(LEAGUE * 15)
    found = prowess.compare(table, ["elo"], metric="log_loss_winner")
    names = found.to_columns()["system"]
    assert set(names) == {"elo", "base_rate"}
    assert {"log_loss_winner", "log_loss_order"} <= set(found.to_columns())


def test_ranked_probability_of_places_by_hand():
    """Weights 4, 2, 1: chances of places from all six orders, places in the forecast's order."""
    weights = {"Ann": 4.0, "Bob": 2.0, "Cid": 1.0}
    chance = np.zeros((3, 3))
    for order in permutations(range(3)):
        w = [list(weights.values())[k] for k in order]
        of_order = w[0] / 7.0 * w[1] / (w[1] + w[2])
        for place, side in enumerate(order):
            chance[side, place] += of_order
    score = sum(
        (chance[side, : k + 1].sum() - (side <= k)) ** 2 for side in range(3) for k in range(2)
    )
    pairs = np.array([*weights.values()])
    beats = pairs[:, None] / (pairs[:, None] + pairs[None, :])
    expected = (beats.sum(axis=1) - 0.5) / 2
    names = [("Ann", "Bob", "Cid")] * 2
    found = order_losses(contests(names, [(1, 2, 3), (1, 1, 1)]), np.tile(expected, 2))
    thirds = sum(
        (chance[side, : k + 1].sum() - (k + 1) / 3) ** 2 for side in range(3) for k in range(2)
    )
    assert found.ranked_probability == approx([score / 6, thirds / 6], abs=1e-6)


def test_a_comparison_says_which_contests_are_too_large(monkeypatch):
    """A note counts the contests whose places are not judged; where all are, the error does."""
    monkeypatch.setattr("prowess.study.scores.MOST_PLACED", 3)
    small = [tuple(np.random.default_rng(k).permutation([*"abc"])) for k in range(30)]
    table = contests([*small, *[(*names, "d") for names in small[:2]]])
    found = prowess.compare(table, "elo", progress=False)
    note = "ranked_probability leaves out 2 of 25 contests, of more than 3 sides"
    assert [one for one in found.notes if "sides" in one] == [note]
    monkeypatch.setattr("prowess.study.scores.MOST_PLACED", 2)
    with refused(BadArgument, "no_score", about="25 of 25 contests, of more than 2 sides"):
        prowess.compare(table, "elo", metric="ranked_probability", progress=False)


def test_ranked_probability_has_an_interval_and_a_base():
    """Of n equal sides it is (n + 1) / 6n, whatever happens; a comparison has it with interval."""
    table = contests([tuple(np.random.default_rng(k).permutation([*"abcdefg"])) for k in range(90)])
    base = base_rate_backtest(table, warm_up=0.0).scores["ranked_probability"]
    assert base == approx((7 + 1) / (6 * 7), abs=1e-6)
    found = prowess.compare(table, ["elo"], metric="ranked_probability", progress=False)
    assert found.metric == "ranked_probability"
    for row in found.rows():
        assert row["ranked_probability_low"] <= row["ranked_probability"] + 1e-9
        assert row["ranked_probability"] - 1e-9 <= row["ranked_probability_high"]


@pytest.mark.parametrize("n", [2, 5, 30, 120])
def test_places_by_strength_are_those_of_performances(n):
    """Many contests at once give the places of each alone, to 1e-6."""
    strength = np.random.default_rng(n).normal(0.0, 1.5, (3, n))
    found = places_by_strength(strength)
    for one, alone in zip(found, strength, strict=True):
        assert_allclose(one, Performances(alone, np.ones(n), False).places(), atol=1e-6)


def test_calibration_of_places():
    """Chances of places of known strengths come true; twice as sure, they do not, and by a half."""
    random = np.random.default_rng(5)
    strength = random.normal(0.0, 0.7, (800, 5))
    orders = (-(strength + random.gumbel(size=strength.shape))).argsort(axis=1)
    table = contests([["abcde"[side] for side in order] for order in orders])

    def forecast(factor: float) -> Backtest:
        by_place = np.take_along_axis(factor * strength, orders, axis=1)
        beats = 1.0 / (1.0 + np.exp(by_place[:, None, :] - by_place[:, :, None]))
        expected = ((beats.sum(axis=2) - 0.5) / 4).ravel()
        test = base_rate_backtest(table, warm_up=0.0)
        return replace(test, expected=expected)

    true, sure = calibration_of_places(forecast(1.0)), calibration_of_places(forecast(2.0))
    assert abs(true.scale - 1.0) < 3.0 * true.scale_deviation < 0.15
    assert true.error < 2.0 * true.by_chance
    assert sure.scale < 0.65
    assert sure.error > 4.0 * sure.by_chance
    inside = (true.low <= true.forecast) & (true.forecast <= true.high)
    assert inside.sum() >= 8
    with refused(BadArgument, "contests_needed"):
        calibration_of_places(backtest(prowess.read_games([("Ann", "Bob", 1)] * 99), find("elo")))
    with refused(BadArgument, "too_few_forecasts"):
        calibration_of_places(base_rate_backtest(contests(LEAGUE)))
