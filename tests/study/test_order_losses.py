"""Log losses of the winner and of the whole order of contests, from chances by hand."""

from __future__ import annotations

from math import exp, factorial, log

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pytest import approx

import prowess
from prowess.games.games import Games
from prowess.study.backtest import backtest, base_rate_backtest
from prowess.study.scores import order_losses, strengths_of_field
from prowess.systems.catalogue import find

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
    assert found.winner == approx([-log(4 / 7), -(log(4 / 7) + log(2 / 7)) / 2])
    assert found.order == approx([-log(4 / 7 * 2 / 3), -log(4 / 7 * 2 / 7)])


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
