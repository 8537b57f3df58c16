"""The side advantage that a comparison gives to those that were given none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pytest import approx

from prowess.engine.table import advantage_parameter
from prowess.study.backtest import backtest
from prowess.study.judging import COARSE, find_lowest, fit_advantage, knows_sides
from prowess.study.simulation.league import simulate
from prowess.study.simulation.settings import league_settings
from prowess.systems.catalogue import catalogue, find

ELO = find("elo")
LEAGUE = simulate(league_settings(players=40, games=4_000, advantage=80, drift=0), seed=1).games


def fitted(system, table=LEAGUE, **options):
    """What is fitted to the first half."""
    options = {"params": {}, "period": None, "warm_up": 0.5} | options
    return fit_advantage(table, system, **options)


def test_a_known_advantage_is_found():
    """Of a league made with 80 points Elo and Glicko find that within three standard errors.

    An advantage a of n games between equals is uncertain by 2 Q / sqrt(n), Q = 400 / ln 10.
    """
    error = 2.0 * 400.0 / np.log(10.0) / np.sqrt(0.8 * 2_000)
    for name in ("elo", "glicko", "federation_elo"):
        assert fitted(find(name)).setting["advantage"] == approx(80.0, abs=3.0 * error), name


def test_a_bank_of_one_value_has_its_advantage(monkeypatch):
    """Settings that hardly differ have the advantage of one of them, however they are played."""
    monkeypatch.setattr("prowess.study.tuning.evaluation.is_worth_compiling", lambda _: True)
    few = LEAGUE.first(1_000)
    one, bank = (fitted(ELO, few, params={"k": k}) for k in (20.0, [20.0, 20.001]))
    assert bank.setting["advantage"] == approx(one.setting["advantage"], abs=0.5)


@pytest.mark.slow
def test_a_system_of_the_whole_table_is_fitted_too():
    """A few fits to the warm-up find 80 points, within three standard errors and the tolerance."""
    error = 2.0 * 400.0 / np.log(10.0) / np.sqrt(0.5 * 2_000)
    found = fitted(find("smith_complete")).setting["advantage"]
    assert found == approx(80.0, abs=3.0 * error + 800.0 / COARSE)


def test_it_is_the_lowest_loss():
    """No advantage of a fine grid has a lower log loss on the games that decide."""
    early = LEAGUE.first(2_000)
    found = float(fitted(ELO).setting["advantage"])

    def loss(value: float) -> float:
        return backtest(early, ELO, params={"advantage": value}).scores["log_loss"]

    assert loss(found) <= min(loss(float(value)) for value in range(-400, 401, 10)) + 1e-9


def test_later_games_are_not_seen():
    """Other results after the warm-up leave the fit as it is, to the bit."""
    score = LEAGUE.score.copy()
    score[2_000:] = 1.0 - score[2_000:]
    assert fitted(ELO, LEAGUE.replace(score=score)) == fitted(ELO)


def test_what_is_left_alone():
    """A named advantage, a table without sides, a system without, and too few games."""
    assert fitted(ELO, params={"advantage": 5.0}) == ({}, "")
    assert fitted(ELO, LEAGUE.replace(side=None)) == ({}, "")
    assert fitted(ELO, LEAGUE.replace(side=np.zeros(len(LEAGUE)))) == ({}, "")
    assert fitted(find("arimaa")) == ({}, "")
    assert (
        fitted(ELO, warm_up=0.005).why_not == "the warm-up has 16 games with sides, 30 are needed"
    )
    assert fitted(find("map")).setting == {"advantage": "fitted"}


def test_the_parameter_is_known_by_its_name():
    """Every system that has a side advantage calls it `advantage`."""
    params = ELO.params
    named = type(params)._fields
    assert advantage_parameter(ELO).name == "advantage"
    with_home = replace(ELO, name="other", params=params._replace(advantage=50.0))
    assert advantage_parameter(with_home).name == "advantage"
    assert set(named) > {"advantage"}
    without = {
        "apterous",
        "arimaa",
        "codechef",
        "codeforces",
        "ratio_elo",
    }  # their sources have none
    for name, system in catalogue().items():
        if hasattr(system, "evidence"):
            assert knows_sides(system) == (name not in without), name


@pytest.mark.parametrize("best", [-4.0, -1.3, 0.0, 2.5, 7.0])
def test_a_valley_is_found(best):
    """The lowest place of a parabola, to a ten-thousandth of the range; at an end, the end."""
    assert find_lowest(lambda x: (x - best) ** 2, -4.0, 6.0, 1e-3) == approx(
        min(best, 6.0), abs=1e-3
    )


@pytest.mark.parametrize("best", [-40.0, -0.3, 0.0, 0.2, 11.0])
def test_a_plateau_is_left_alone(best):
    """Beside a narrow valley near 0 lies a plateau, flat or falling outwards, without an answer."""

    def loss(x: float) -> float:
        near = abs(x - best) - max(3.0, abs(best))
        return np.inf if abs(x) > 900.0 else min(near, 5.0 - 1e-3 * abs(x))

    assert find_lowest(loss, -1000.0, 1000.0, 0.05) == approx(best, abs=0.05)


def test_no_advantage_is_worse_than_none(monkeypatch):
    """Where only 0 foresees better than a coin, 0 is kept, whatever rounding makes of others."""
    asked = []

    def score(task, setting):
        asked.append(setting["advantage"])
        return 0.6 if setting["advantage"] == 0.0 else 0.7

    monkeypatch.setattr("prowess.study.judging.EvaluationTask.score", score)
    assert fitted(ELO).setting == {"advantage": 0.0}
    assert len(asked) < 60
