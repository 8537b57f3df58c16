"""Forecasts as columns: those of others are judged, those of systems are written."""

from __future__ import annotations

import csv

import numpy as np
from pytest import approx

from prowess.games import read_games
from prowess.games.arguments import BadArgument
from prowess.study.backtest import backtest, base_rate_backtest
from prowess.study.compare import compare
from prowess.study.judging import Selection, backtest_forecast, forecast_rows, run_trials
from prowess.study.simulation.league import simulate
from prowess.study.simulation.settings import league_settings
from prowess.systems.catalogue import find
from tests.refusals import refused

LEAGUE = simulate(league_settings(players=20, games=600, advantage=80, draws=0.3), seed=2).games


def test_a_forecast_is_judged_on_its_games():
    """By hand: log losses of 0.8 and 0.4 for the first side, a win and a loss; one is empty."""
    rows = [
        {"a": "Ada", "b": "Ben", "result": 1, "p": 0.8},
        {"a": "Ben", "b": "Ada", "result": 0, "p": 0.4},
        {"a": "Cy", "b": "Ada", "result": 0, "p": None},
    ]
    games = read_games(rows, forecast="p", warn=False)
    test = backtest_forecast(games, "p", warm_up=0.0)
    assert test.judged.tolist() == [True, True, False]
    assert test.scores["log_loss"] == approx(-(np.log(0.8) + np.log(0.6)) / 2.0)
    assert test.scores["brier"] == approx((0.04 + 0.16) / 2.0)
    with refused(BadArgument, "no_such_forecast", about="q"):
        backtest_forecast(games, "q")


def test_all_are_judged_on_the_games_that_all_forecast():
    """A game without a forecast is out for every system, and the note counts it by name."""
    p = np.where(np.arange(len(LEAGUE)) % 4 == 3, np.nan, 0.6)
    games = LEAGUE.replace(facts={"mine": p})
    trials = run_trials(games, [Selection("elo", find("elo"), {}, None)], 0.2, forecasts=["mine"])
    found = compare(trials.tests)
    assert found.count == 360  # three of four of 480
    assert "120 games are left out for all: without a forecast by mine 120" in found.notes
    assert {entry.test.name.partition(":")[0] for entry in found} == {"base_rate", "mine", "elo"}


def test_a_column_called_like_a_system_is_told_apart():
    """Both stand in the comparison."""
    games = LEAGUE.replace(facts={"elo": np.full(len(LEAGUE), 0.5)})
    chosen = [Selection("elo", find("elo"), {"advantage": 0.0}, None)]
    trials = run_trials(games, chosen, 0.2, forecasts=["elo"])
    assert [test.name for test in trials.tests] == ["base_rate", "elo (column)", "elo"]


def test_what_is_written_reads_back_to_the_last_bit(tmp_path):
    """Expected scores and chances of a draw through a file give the same scores."""
    tests = [
        base_rate_backtest(LEAGUE),
        backtest(LEAGUE, find("elo"), params={"advantage": 80.0}),
        backtest(LEAGUE, find("map"), params={"draws": "davidson"}),
    ]
    file = tmp_path / "forecasts.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows(forecast_rows(tests))
    names = {test.name: (test.name, f"{test.name} draw") for test in tests if test.draw is not None}
    again = read_games(str(file), forecast={"elo": "elo", **names}, side="side", warn=False)
    for test in tests:
        read = backtest_forecast(again, test.name, warm_up=0.0)
        assert read.scores == test.scores, test.name
    assert LEAGUE.side is not None
    assert np.array_equal(again.side, LEAGUE.side[tests[0].judged])


def test_sides_of_contests_are_written():
    """A row a side, with the share of the field that it beat."""
    rows = [
        {"race": race, "driver": name, "position": place}
        for race in range(30)
        for place, name in enumerate(("Ada", "Ben", "Cy"), 1)
    ]
    games = read_games(rows, kind="contests", contest="race", player="driver", place="position",
                       warn=False)  # fmt: skip
    header, *lines = forecast_rows([backtest(games, find("elo"))])
    assert header == ["game", "player", "beaten", "elo"]
    assert len(lines) == 24 * 3
    assert lines[0][:3] == [7, "Ada", 1.0]
