"""The half-life of results in whole-table fits: the oracle is a column of weights made by hand."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import prowess
from prowess.engine.fit import fit_table
from prowess.engine.params import BadSetting, parameters
from prowess.engine.system import Unratable
from prowess.engine.whole_table import BALLOTS, GAMES, WholeTable
from prowess.games.games import Games
from prowess.study.backtest import backtest
from prowess.study.simulation.league import simulate
from prowess.study.simulation.settings import league_settings
from prowess.study.tuning.tune import tune
from prowess.systems.catalogue import catalogue, find
from tests.engine.tables import START, contests, games
from tests.live.ladder.logs import play_changes, shown, table_of
from tests.live.ladder.test_fitted import games as results, opened
from tests.refusals import refused

WHOLE = {n: s for n, s in catalogue().items() if isinstance(s, WholeTable)}
AGEING = [s for s in WHOLE.values() if s.has_half_life]
HALF = 100.0  # days
DAYS = [0.0, 0.0, 10.0, 50.0, 100.0, 101.0, 250.0, 300.0, 350.0, 400.0, 444.0, 500.0]


def league(**columns: Any) -> Games:
    """A double round robin of four over 500 days, everybody won and lost."""
    names = ("Ada", "Ben", "Cleo", "Dan")
    pairs = [(a, b) for a in names for b in names if a != b]
    scores = [1.0, 0.0, 0.5, 0.0, 1.0, 1.0, 0.5, 0.0, 1.0, 0.0, 1.0, 0.0]
    rows = [(a, b, score) for (a, b), score in zip(pairs, scores, strict=True)]
    points: dict[str, Any] = {
        "points_a": [2.0 + 2.0 * score for score in scores],
        "points_b": [3.0] * len(rows),
        "margin": [2.0 * score - 1.0 for score in scores],
    }
    return games(rows, time=[START + day for day in DAYS], **points | columns)


def by_hand(day: float, half: float = HALF) -> list[float]:
    """0.5^(age / half-life), game by game."""
    return [0.5 ** ((day - played) / half) for played in DAYS]


def assert_same_fit(one: Any, other: Any) -> None:
    """The same columns and figures, but for rounding."""
    assert one.columns.keys() == other.columns.keys()
    for name, column in one.columns.items():
        np.testing.assert_allclose(column, other.columns[name], rtol=1e-7, err_msg=name)
    assert one.figures == pytest.approx(other.figures, rel=1e-7)


@pytest.mark.parametrize("system", [s for s in AGEING if GAMES in s.reads], ids=lambda s: s.name)
def test_the_fit_is_that_of_weights_by_hand(system):
    """Every system that takes weights gives the fit of a column of weights made by hand."""
    aged = fit_table(league(), system, params={"half_life": HALF})
    assert_same_fit(aged, fit_table(league(weight=by_hand(500.0)), system))
    assert any("a game counts half after 100 days, as of 2021-05-15" in n for n in aged.notes)


@pytest.mark.parametrize("system", [s for s in AGEING if BALLOTS in s.reads], ids=lambda s: s.name)
def test_contests_age_as_a_whole(system):
    """A contest counts less with its age, with all who took part."""
    fields = [[("Ada", 1), ("Ben", 2), ("Cleo", 3)], [("Cleo", 1), ("Ben", 2), ("Ada", 3)]] * 2
    time = [START, START + 30, START + 60, START + 160]
    weight = [0.5**1.6, 0.5**1.3, 0.5, 1.0]
    aged = fit_table(contests(fields, time=time), system, params={"half_life": HALF})
    assert_same_fit(aged, fit_table(contests(fields, time=time, weight=weight), system))


def test_the_weights_of_the_table_multiply_it():
    """A game of weight 3 that is a half-life old counts one and a half games."""
    given = [3.0, 1.0, 2.0] * 4
    both = [w * share for w, share in zip(given, by_hand(500.0), strict=True)]
    aged = fit_table(league(weight=given), find("davidson"), params={"half_life": HALF})
    assert_same_fit(aged, fit_table(league(weight=both), find("davidson")))


def test_age_runs_to_the_day_of_the_fit():
    """With --as-of, age is counted to that day, and later games are out as before."""
    later = prowess.rate(league(), "map", half_life=HALF, as_of=START + 700.0)
    assert_same_fit(later, prowess.rate(league(weight=by_hand(700.0)), "map"))
    early = prowess.rate(league(), "map", half_life=HALF, as_of=START + 350.0)
    weighted = prowess.rate(league(weight=by_hand(350.0)), "map", as_of=START + 350.0)
    assert_same_fit(early, weighted)
    assert early.day == START + 350.0


def test_zero_is_off():
    """A half-life of 0 changes nothing, also where there are no dates."""
    table = league().replace(time=None)
    one, other = prowess.rate(table, "massey", half_life=0), prowess.rate(table, "massey")
    assert one.columns["rating"].tolist() == other.columns["rating"].tolist()
    assert one.notes == other.notes


def test_the_oldest_games_keep_the_least_weight():
    """No game counts less than 1e-9: with a half-life of 10 days, games older than 299 days."""
    least = [max(1e-9, weight) for weight in by_hand(500.0, 10.0)]
    assert least.count(1e-9) == 6  # played on days 0 to 101
    aged = fit_table(league(), find("map"), params={"half_life": 10.0})
    assert_same_fit(aged, fit_table(league(weight=least), find("map")))
    assert any("6 of them, the oldest, count 1e-09 each" in note for note in aged.notes)


def test_who_refuses():
    """Tables without dates and systems without weights refuse, with what to do instead."""
    with refused(Unratable, "no_dates", about="column"):
        prowess.rate(league().replace(time=None), "massey", half_life=HALF)
    with refused(BadSetting, "no_half_life", about=("bradley_terry", "massey", "elo", "plays")):
        prowess.rate(league(), "elo", half_life=HALF)
    with refused(BadSetting, "no_half_life", about="rumble_elo"):
        prowess.rate(league(), "rumble_elo", half_life=HALF)
    with refused(BadSetting, "no_half_life", about="smith_complete"):
        prowess.rate(league(), "smith_complete", half_life=HALF)
    for wrong in (-1.0, 40_000.0):
        with refused(BadSetting, "setting_out_of_range", about="36525"):
            prowess.rate(league(), "massey", half_life=wrong)


def test_who_has_it():
    """Whole-table systems with weights have it, but those that depend on the order of games."""
    has = {name for name, system in catalogue().items() if "half_life" in parameters(system)}
    assert has == {s.name for s in AGEING}
    assert WHOLE.keys() - has == {
        "rumble_elo", "rumble_glicko", "rumble_glicko2", "smith_complete"
    }  # fmt: skip


def test_ratings_can_be_pickled():
    """The settings of an aged fit arrive in another process."""
    ratings = prowess.rate(league(), "colley", half_life=HALF)
    again = pickle.loads(pickle.dumps(ratings))
    assert again.p == ratings.p
    assert again.p.half_life == HALF
    assert type(again.p) is type(ratings.p)


def test_a_backtest_ages_to_the_day_of_each_fit():
    """A refit counts age to the last game before it: the forecast of weights made by hand."""
    table = simulate(league_settings(players=8, games=400, days=400), seed=3).games
    test = backtest(table, find("map"), params={"half_life": 40.0}, warm_up=0.5, refits=2)
    past = table.first(200)
    assert past.time is not None
    assert table.side is not None
    weight = np.array([0.5 ** ((past.time[-1] - day) / 40.0) for day in past.time.tolist()])
    fit = fit_table(past.replace(weight=weight), find("map"))
    chances = fit.chances(int(table.a[200]), int(table.b[200]), float(table.side[200]))
    assert test.expected[200] == pytest.approx(chances.expected, rel=1e-7)


def test_live_and_batch_agree():
    """A ladder's fit is the batch fit, ages run to its last result, or to the day asked for."""
    params, facts = {"half_life": 20.0}, results(60)
    ladder = opened("bradley_terry", params=params)
    for revision, part in enumerate((range(1, 41), range(41, 61)), 1):
        play_changes(ladder, revision, {n: facts[n] for n in part})
        ladder.settle()
        table = table_of({n: facts[n] for n in range(1, part.stop)}, "games")
        batch = fit_table(table, find("bradley_terry"), params=params)
        assert shown(ladder.ratings()) == shown(batch)
    assert table.time is not None
    day = float(table.time[-1]) + 30.0
    batch = fit_table(table, find("bradley_terry"), params=params, as_of=day)
    assert shown(ladder.view(day).ratings) == shown(batch)
    plain = fit_table(table, find("bradley_terry"), as_of=day)
    assert shown(batch) != shown(plain)


def test_it_is_tuned_like_any_other_parameter():
    """Where strengths drift fast, a search of the half-life finds one, far from both ends."""
    table = simulate(league_settings(players=12, games=600, days=600, drift=25), seed=2).games
    asked = {"over": {"half_life": (10.0, 5_000.0)}, "params": {"sd": 300.0}}
    found = tune(table, find("map"), **asked, starts=2)  # five are tests/study/test_tuning.py's
    assert found.parameters[0].default == 0.0
    assert 30.0 < found.setting["half_life"] < 500.0
    assert found.later is not None
    assert found.later.gain.low > 0.0
    with refused(BadSetting, "zero_switches_off", about=("half_life=", "LOW", "HIGH")):
        tune(table, find("map"), over={"half_life": None})
    with refused(Unratable, "no_part_fitted", about="dates"):
        tune(table.replace(time=None), find("map"), over={"half_life": (10.0, 100.0)})
