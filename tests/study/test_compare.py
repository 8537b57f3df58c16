"""Differences of systems, their intervals, and calibration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from prowess.games.arguments import BadArgument
from prowess.games.games import Games
from prowess.study.backtest import Backtest, backtest
from prowess.study.compare import BLOCK_COUNT, best_scale, calibration, compare, recalibrate
from prowess.study.scores import wilson_interval
from prowess.systems.elo import ELO
from prowess.systems.glicko import GLICKO
from tests.engine.tables import contests
from tests.refusals import refused
from tests.study.test_backtest import league


def forecasts(table: Games, expected: np.ndarray, name: str = "made") -> Backtest:
    """A backtest with given forecasts, all of them judged."""
    return Backtest(name, table, expected, np.ones(len(table), bool))


def coin_games(chance: np.ndarray, seed: int) -> Games:
    """Games of two players in which the first wins with the given chances."""
    rng = np.random.default_rng(seed)
    n = len(chance)
    score = (rng.random(n) < chance).astype(np.float64)
    zero, one = np.zeros(n, np.uint32), np.ones(n, np.uint32)
    return Games(("Ada", "Ben"), zero, one, score, time=np.arange(n, dtype=np.float64))


def test_the_truth_wins():
    """Who knows the true chances is first, a worse forecast behind it and told apart."""
    rng = np.random.default_rng(3)
    chance = rng.uniform(0.2, 0.9, 6000)
    table = coin_games(chance, 4)
    found = compare(
        [
            forecasts(table, np.full(6000, 0.55), "flat"),
            forecasts(table, chance, "true"),
            forecasts(table, np.clip(chance + rng.normal(0, 1e-4, 6000), 0.01, 0.99), "nearly"),
        ]
    )
    names = [entry.test.name for entry in found]
    assert set(names[:2]) == {"true", "nearly"}
    assert [entry.group for entry in found] == [1, 1, 2]
    assert found.entries[2].behind.low > 0.0


@pytest.mark.slow
def test_intervals_cover():
    """Of 95 % intervals about 95 % hold the true difference, also where errors come in spells.

    400 tables give a standard error of 1.1 points; a normal interval over 60 blocks covers
    some tenths of a point less than it says.
    """
    held = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        spell = np.repeat(rng.normal(0.0, 0.5, 300), 4)  # four games share what one forecast misses
        chance = np.full(1200, 0.6)
        table = coin_games(chance, seed + 10_000)
        other = 1.0 / (1.0 + np.exp(-(np.log(0.6 / 0.4) + spell)))
        found = compare(
            [forecasts(table, chance, "a"), forecasts(table, other, "b")], metric="brier"
        )
        by_name = {entry.test.name: entry for entry in found}
        # the Brier score of a forecast f of a chance p is p (1 - p) + (p - f)^2 on average
        truth = float(((other - chance) ** 2).mean())
        gap = by_name["b"].behind
        if found.entries[0].test.name == "b":
            gap = replace(by_name["a"].behind, low=-by_name["a"].behind.high,
                          high=-by_name["a"].behind.low)  # fmt: skip
        held += gap.low <= truth <= gap.high
    assert 0.90 <= held / 400 <= 0.985


def test_by_accuracy_the_larger_is_better():
    """Accuracy is the one score of which more is better."""
    table = league(200)
    tests = [backtest(table, system) for system in (ELO, GLICKO)]
    found = compare(tests, metric="accuracy")
    values = [entry.scores["accuracy"] for entry in found]
    assert values == sorted(values, reverse=True)
    assert found.entries[1].behind.mean == pytest.approx(values[0] - values[1])
    assert found.blocks == BLOCK_COUNT


def test_only_common_games_are_judged():
    """A game that one system cannot forecast is judged for none."""
    table = league(100)
    one = backtest(table, ELO)
    other = one.only(np.arange(100) > 50)
    found = compare([one, other])
    assert found.count == 49
    assert "31 games" in found.notes[0]


def test_what_cannot_be_compared():
    """Other tables, no common game, and scores that nobody has are refused."""
    one, other = (backtest(league(50, seed), ELO) for seed in (1, 2))
    with refused(BadArgument, "tables_differ"):
        compare([one, other])
    with refused(BadArgument, "no_common_game"):
        compare([one.only(np.arange(50) < 20), one.only(np.arange(50) > 20)])
    with refused(BadArgument, "no_such_score", about="luck"):
        compare([one], metric="luck")
    with refused(BadArgument, "no_systems"):
        compare([])


# --- calibration --------------------------------------------------------------------------


def test_wilson_by_hand():
    """8 of 10 at 95 %: 0.490 to 0.943 (A. Agresti and B. A. Coull, American Statistician 1998)."""
    assert wilson_interval(0.8, 10, 0.95) == pytest.approx((0.4901625, 0.9433178), abs=1e-6)


def test_true_chances_are_calibrated():
    """Errors of true forecasts are those of chance, and the best scale is 1 within 3 sd."""
    chance = np.random.default_rng(6).uniform(0.05, 0.95, 20_000)
    found = calibration(forecasts(coin_games(chance, 7), chance))
    assert found.error == pytest.approx(found.by_chance, rel=1.0)
    assert abs(found.scale - 1.0) < 3 * found.scale_deviation
    held = (found.low <= found.forecast) & (found.forecast <= found.high)
    assert held.sum() >= 8  # of ten intervals at 95 %
    assert (found.forecast >= 0.5).all()


def test_exaggeration_is_found_and_mended():
    """Log odds twice too large have the best scale 1/2; recalibration learns it from the past."""
    true = np.random.default_rng(8).normal(0.0, 0.8, 20_000)
    table = coin_games(1.0 / (1.0 + np.exp(-true)), 9)
    said = forecasts(table, 1.0 / (1.0 + np.exp(-2.0 * true)))
    found = calibration(said)
    assert abs(found.scale - 0.5) < 3 * found.scale_deviation
    assert found.error > 3 * found.by_chance
    mended = recalibrate(said)
    assert mended.scores["log_loss"] < said.scores["log_loss"] - 0.02
    assert np.array_equal(mended.expected[:1000], said.expected[:1000])  # nothing known as yet


def test_the_best_scale_is_a_minimum():
    """The log loss at the scale found is below that at its neighbours."""
    true = np.random.default_rng(1).normal(0.3, 1.0, 500)
    expected = 1.0 / (1.0 + np.exp(-true))
    score = (np.random.default_rng(2).random(500) < expected).astype(np.float64)
    scale, deviation = best_scale(expected, score)

    def loss(c: float) -> float:
        z = c * np.log(expected / (1.0 - expected))
        return float(np.mean(np.logaddexp(0.0, -z) * score + np.logaddexp(0.0, z) * (1.0 - score)))

    assert loss(scale) < min(loss(scale - 1e-3), loss(scale + 1e-3))
    assert 0.0 < deviation < 0.5


def test_no_favourite_no_scale():
    """Forecasts of 1/2 cannot be scaled; fewer games than bins give no curve."""
    assert best_scale(np.full(5, 0.5), np.ones(5)) == (1.0, float("inf"))
    table = league(8)
    with refused(BadArgument, "too_few_forecasts", about="30"):
        calibration(backtest(table, ELO))
    with refused(BadArgument, "too_many_bins"):
        calibration(backtest(table, ELO), bins=7)


@pytest.mark.parametrize(("games", "bins"), [(45, 3), (60, 4), (400, 10)])
def test_few_games_make_few_bins(games, bins):
    """A bin has ten forecasts or more; there are at most ten bins."""
    found = calibration(backtest(league(games), ELO))
    assert len(found.games) == bins
    assert found.games.min() >= 10


def test_too_few_contests_are_counted_as_such():
    """A contest of three sides is one of those that are too few, not three."""
    table = contests([[("Ada", 1.0), ("Ben", 2.0), ("Cleo", 3.0)]] * 8)
    with refused(BadArgument, "too_few_games", about=("contests", "not 8")):
        compare([backtest(table, ELO, warm_up=0.0)])
