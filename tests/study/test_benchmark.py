"""A benchmark: the default as it is beside tuned systems, by one protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp, isnan, log

import numpy as np
import pytest

import prowess
from prowess.engine.system import Unratable
from prowess.games.arguments import BadArgument
from prowess.games.games import Games
from prowess.present.judged import describe_lags
from prowess.study.backtest import Backtest
from prowess.study.compare import Comparison, compare
from prowess.study.judging import Protocol, calibrate, choose_week, run_protocol
from prowess.verbs.tables import take_selections
from tests.refusals import refused
from tests.study.test_compare import coin_games, forecasts

TUNED = ["elo", "elo:k=20,advantage=60,scale=400,start=1500", "bradley_terry"]


def weekly_league(seed: int = 5, weeks: int = 60, draws: bool = True) -> Games:
    """A made league of eight, four games a week, the first of each game at home."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0.0, 1.0, 8)
    pairs = np.concatenate([rng.permutation(8).reshape(4, 2) for _ in range(weeks)])
    z = strength[pairs[:, 0]] - strength[pairs[:, 1]] + 0.4
    u = rng.logistic(size=len(pairs))
    width = 0.5 if draws else 0.0
    score = np.where(u < z - width, 1.0, np.where(u > z + width, 0.0, 0.5))
    return Games(
        tuple("ABCDEFGH"),
        pairs[:, 0].astype(np.uint32),
        pairs[:, 1].astype(np.uint32),
        score,
        time=np.repeat(np.arange(weeks, dtype=np.float64) * 7.0, 4) + 18_000.0,
        side=np.ones(len(pairs)),
    )


def with_scores(table: Games, rows: slice) -> Games:
    """The same games with the results of some turned."""
    score = table.score.copy()
    score[rows] = 1.0 - score[rows]
    return Games(table.players, table.a, table.b, score, time=table.time, side=table.side)


def protocol(tuned: Sequence[str] = ("elo",), **how: object) -> Protocol:
    """A quick protocol."""
    (default,) = take_selections(["prowess"])
    return Protocol(default, take_selections(list(tuned)), budget=20)._replace(**how)


def slow_loss(
    outcome: np.ndarray, z: np.ndarray, side: np.ndarray, v: tuple[float, float, float]
) -> float:
    """The mean log loss of win, draw and loss, game by game, by the formula of `calibrate`."""
    total = 0.0
    for s, one, at in zip(outcome.tolist(), z.tolist(), side.tolist(), strict=True):
        win = 1.0 / (1.0 + exp(-(v[0] * one + v[1] * at - v[2])))
        loss = 1.0 / (1.0 + exp(v[0] * one + v[1] * at + v[2]))
        total -= log({1.0: win, 0.5: 1.0 - win - loss, 0.0: loss}[s])
    return total / len(outcome)


def test_calibration_is_the_lowest_loss():
    """The fitted forecasts are those of the formula, and no numbers near them have a lower loss."""
    table = weekly_league()
    rng = np.random.default_rng(1)
    given = rng.uniform(0.2, 0.8, len(table))
    made = forecasts(table, given)
    fitted = np.arange(len(table)) < 150
    found = calibrate(made, fitted)
    assert found.draw is not None
    win = found.expected - 0.5 * found.draw
    low, high = np.log(win / (1.0 - win)), np.log((1.0 - found.draw - win) / (win + found.draw))
    gap, width = 0.5 * (low - high), -0.5 * (low + high)  # of s z + h - c and -s z - h - c
    z = np.log(given / (1.0 - given))
    scale, worth = np.polyfit(z, gap, 1)
    assert np.ptp(width) < 1e-9
    assert np.abs(scale * z + worth - gap).max() < 1e-9
    best = (scale, worth, width[0])
    early = (table.score[fitted], z[fitted], np.ones(150))
    least = slow_loss(*early, best)
    assert replace(found, judged=fitted).scores["log_loss_3"] == pytest.approx(least, abs=1e-12)
    for k in range(3):
        for step in (-0.02, 0.02):
            near = [*best]
            near[k] += step
            assert slow_loss(*early, tuple(near)) > least


def test_calibration_without_draws():
    """Forecasts twice as sure as the truth are halved in log odds, and no draw is foreseen."""
    rng = np.random.default_rng(8)
    z = rng.normal(0.0, 1.5, 20_000)
    made = forecasts(coin_games(1.0 / (1.0 + np.exp(-z)), 9), 1.0 / (1.0 + np.exp(-2.0 * z)))
    found = calibrate(made, np.ones(len(z), bool))
    scale = np.log(found.expected / (1.0 - found.expected)) / (2.0 * z)
    assert scale == pytest.approx(np.full(len(z), 0.5), abs=0.02)  # four standard errors: 0.014
    assert found.draw is None


def test_later_results_change_no_forecast_of_earlier_games():
    """The games that judge have no part in settings, scales and forecasts of the games before."""
    table = weekly_league()
    turned = with_scores(table, slice(144, None))
    first, second = (run_protocol(one, protocol(TUNED)) for one in (table, turned))
    assert [one.label for one in first.played] == [one.label for one in second.played]
    assert len(first.tests) == 2 + len(TUNED)
    for one, other in zip(first.tests[1:], second.tests[1:], strict=True):
        assert one.judged.sum() == 96
        assert one.expected[:144].tobytes() == other.expected[:144].tobytes()
        assert one.expected.tobytes() != other.expected.tobytes()


def test_no_forecast_knows_a_result_of_its_own_week():
    """Where ten weeks are judged, turned results of a week leave all forecasts of it unchanged."""
    table = weekly_league()
    week = slice(200, 204)
    first, second = (run_protocol(one, protocol()) for one in (table, with_scores(table, week)))
    for one, other in zip(first.tests[1:], second.tests[1:], strict=True):
        assert one.expected[: week.stop].tobytes() == other.expected[: week.stop].tobytes()
        assert (one.expected[week.stop :] != other.expected[week.stop :]).any()


def test_the_span_of_a_protocol():
    """A week needs ten of them among the games that judge; a span that is named stays."""
    table = weekly_league(weeks=26)  # of the last 42 games the first is of the sixteenth week
    assert choose_week(table, protocol()) == "7d"
    assert choose_week(weekly_league(weeks=20), protocol()) is None
    assert choose_week(table, protocol(frozen=None)) is None
    assert choose_week(table, protocol(frozen="1mo")) == "1mo"
    undated = Games(table.players, table.a, table.b, table.score)
    assert choose_week(undated, protocol()) is None


def test_distances_are_from_the_default():
    """The distance of a score is the mean of paired differences, of accuracy the sign turned."""
    found = prowess.benchmark(weekly_league(), ["elo"], budget=20, progress=False)
    own = {one.test.name: one.test for one in found}
    assert set(own) == {"prowess", "elo", "base_rate"}
    entry = next(one for one in found if one.test.name == "elo")
    for score in ("log_loss", "log_loss_3", "brier", "accuracy"):
        pairs = zip(own["elo"].losses[score], own["prowess"].losses[score], strict=True)
        known = [x - y for x, y in pairs if not isnan(x)]
        mean = sum(known) / len(known)
        assert entry.lags[score].mean == pytest.approx(-mean if score == "accuracy" else mean)
        assert found.origin.lags[score].mean == 0.0


def made_comparison() -> Comparison:
    """The truth beside a worse, an equal and a better forecast of a flat reference."""
    rng = np.random.default_rng(3)
    chance = rng.uniform(0.2, 0.9, 4000)
    table = coin_games(chance, 4)
    flat = np.full(4000, 0.55)
    tests: list[Backtest] = [
        forecasts(table, flat, "flat"),
        forecasts(table, chance, "true"),
        forecasts(table, flat + rng.normal(0, 1e-3, 4000), "same"),
        forecasts(table, np.full(4000, 0.1), "wrong"),
        forecasts(table, np.full(4000, 0.2), "base_rate"),
    ]
    return compare(tests, reference="flat")


def test_losses_are_told_as_plainly_as_wins():
    """One sentence says of every rival whether the reference is better, level or worse."""
    text = describe_lags(made_comparison())[0]
    assert text.startswith("log loss: flat is better than 1 of 3 (wrong), not told apart from 1 of")
    assert "(same), worse than 1 of 3 (true by 0." in text
    assert "base_rate" not in text


def test_refusals():
    """A reference that is not there, nothing to tune, and too few games are refused."""
    with refused(BadArgument, "unknown_reference", about="mode"):
        compare([one.test for one in made_comparison()], reference="mode")
    with refused(BadArgument, "no_systems"):
        prowess.benchmark(weekly_league(), ["prowess"], progress=False)
    with refused(BadArgument, "not_a_share", about="until"):
        prowess.benchmark(weekly_league(), ["elo"], until=0.1, progress=False)
    with refused(Unratable, "too_few_games"):
        prowess.benchmark(weekly_league(weeks=5), ["elo"], progress=False)
