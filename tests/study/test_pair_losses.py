"""The log loss of the pairs of a contest: a slow recomputation from the chances of two players."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from pytest import approx

from prowess.engine.rate import rate
from prowess.engine.system import Dynamic
from prowess.games.games import Games
from prowess.study.backtest import backtest
from prowess.systems.catalogue import find


def three_races() -> Games:
    """Four, three and two sides; one tie."""
    return Games(
        list("ABCD"),
        start=np.array([0, 4, 7, 9]),
        player=np.array([0, 1, 2, 3, 2, 1, 0, 3, 0], np.uint32),
        place=np.array([1.0, 2.0, 3.0, 3.0, 1.0, 2.0, 3.0, 1.0, 2.0]),
        time=np.array([0.0, 7.0, 14.0]),
    )


def pairs_lost(ratings, table: Games, contest: int) -> float:
    """The mean over the pairs of a contest, from forecasts of two."""
    low, high = table.start[contest : contest + 2]
    losses = []
    for x in range(low, high):
        for y in range(x + 1, high):
            win = ratings.chances(int(table.player[x]), int(table.player[y]), 0.0).expected
            score = 0.5 + 0.5 * np.sign(table.place[y] - table.place[x])
            losses.append(-(score * log(win) + (1.0 - score) * log(1.0 - win)))
    return float(sum(losses) / len(losses))


@pytest.mark.parametrize("name", ["elo", "weng_lin"])
@pytest.mark.parametrize("compiled", [False, True])
def test_the_last_contest_is_recomputed(name, compiled):
    """The loss of the pairs of a contest follows from the ratings after the contests before it."""
    table, system = three_races(), find(name)
    assert isinstance(system, Dynamic)
    found = rate(table, system, forecasts=True, compiled=compiled).pair_losses
    assert found is not None
    assert found[0] == approx(log(2.0))
    before = rate(table.first(2), system, as_of=14.0)
    assert found[2] == approx(pairs_lost(before, table, 2), rel=1e-9)


def test_a_bank_mixes_the_chances_of_pairs():
    """Before the first contest the settings count alike and all pairs are even."""
    table, system = three_races(), find("elo")
    assert isinstance(system, Dynamic)
    found = rate(table, system, forecasts=True, params={"k": [8.0, 32.0]}).pair_losses
    assert found is not None
    assert found[0] == approx(log(2.0))
    before = rate(table.first(2), system, as_of=14.0, params={"k": [8.0, 32.0]})
    assert found[2] == approx(pairs_lost(before, table, 2), rel=1e-9)


def test_a_comparison_has_the_score():
    """It stands beside the score of the share of the field."""
    system = find("elo")
    assert isinstance(system, Dynamic)
    scores = backtest(three_races(), system, warm_up=0.0).scores
    losses = rate(three_races(), system, forecasts=True).pair_losses
    assert losses is not None
    assert scores["log_loss_pairs"] == approx(losses.mean())
