"""Forecasts from the past alone."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

import prowess
from prowess.engine.fit import fit_table
from prowess.engine.rate import rate
from prowess.engine.system import Unratable
from prowess.games.arguments import BadArgument
from prowess.study.backtest import (
    NoForecast,
    backtest,
    base_rate_backtest,
    schedule,
)
from prowess.study.scores import base_rate
from prowess.systems.elo import ELO
from tests.engine.tables import START, contests, games, some_games
from tests.engine.test_fit import WINS
from tests.refusals import refused

NAMES = ("Ada", "Ben", "Cleo", "Dan")


def league(count: int, seed: int = 1, per_day: int = 1) -> prowess.Games:
    """Games of four players, the first ones stronger, a third of them drawn."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        a, b = sorted(rng.choice(4, 2, replace=False).tolist())
        score = float(rng.choice([1.0, 0.5, 0.0], p=[0.5, 0.3, 0.2]))
        rows.append((NAMES[a], NAMES[b], score))
    time = [START + row // per_day for row in range(count)]
    return games(rows, NAMES, time=time, side=[1.0] * count)


def days(table: prowess.Games) -> np.ndarray:
    """The times of a table that has them."""
    assert table.time is not None
    return table.time


@given(some_games(size=16, timed=True))
def test_the_base_rate_counts_the_past(table):
    """One imagined win, draw and loss, and then what happened before the moment of the game."""
    found = base_rate(table)
    for row in range(len(table)):
        past = [
            (float(table.side[k]), float(table.score[k]))
            for k in range(len(table))
            if days(table)[k] < days(table)[row]
        ]
        side = float(table.side[row])
        mine = [1.0 - s if x < 0 else s for x, s in past if (x != 0) == (side != 0)]
        favoured = (sum(mine) + 1.5) / (len(mine) + 3.0)
        expected = 0.5 if side == 0 else favoured if side > 0 else 1.0 - favoured
        assert found.expected[row] == pytest.approx(expected)
        draw = (sum(s == 0.5 for s in mine) + 1.0) / (len(mine) + 3.0)
        assert found.draw[row] == pytest.approx(min(draw, 2 * min(expected, 1 - expected)))


def test_dynamic_forecasts_are_those_before_each_game():
    """What is judged is what rating itself forecast, after the warm-up."""
    table = league(50)
    test = backtest(table, ELO, warm_up=0.3)
    assert np.array_equal(test.expected, rate(table, ELO, forecasts=True).forecasts)
    assert test.judged.tolist() == [False] * 15 + [True] * 35
    by_hand = -np.mean(
        [
            s * np.log(e) + (1 - s) * np.log(1 - e)
            for s, e in zip(table.score[15:], test.expected[15:], strict=True)
        ]
    )
    assert test.scores["log_loss"] == pytest.approx(by_hand)
    assert "log_loss_3" not in test.scores


def test_whole_table_forecasts_know_only_the_past():
    """Every forecast comes from a fit to games before it."""
    table = league(60, per_day=2)
    wins = replace(WINS, chances=lambda p, f, a, b, side: counted(f, a, b))
    test = backtest(table, wins, warm_up=0.5, refits=5)
    cuts = schedule(table, 0.5, 5)
    assert len(cuts) == 6
    for first, last in pairwise(cuts):
        assert days(table)[first] > days(table)[first - 1]
        ratings = fit_table(table.first(first), wins)
        for row in range(first, last):
            assert test.expected[row] == ratings.chances(table.a[row], table.b[row], 0.0).expected
    assert test.notes == ("fitted 5 times",)
    assert test.scores["log_loss_3"] > 0.0


def counted(fit, a, b):
    """A chance from the numbers of wins, with a fifth of draws."""
    rating = fit.columns["rating"]
    return prowess.Chances(0.8 * (rating[a] + 1) / (rating[a] + rating[b] + 2), 0.2)


def test_the_future_changes_no_forecast():
    """Other results later leave all forecasts before them as they were."""
    table = league(60)
    later = table.replace(score=np.where(np.arange(60) < 40, table.score, 1.0 - table.score))
    for system in (ELO, replace(WINS, chances=lambda p, f, a, b, side: counted(f, a, b))):
        one, other = (backtest(t, system, warm_up=0.2, refits=60) for t in (table, later))
        assert np.array_equal(one.expected[:41], other.expected[:41])
        assert not np.array_equal(one.expected[41:], other.expected[41:])


def test_unknown_players_get_the_base_rate():
    """A fit knows nothing of who had not played."""
    rows = [("Ada", "Ben", 1.0)] * 8 + [("Ada", "Cleo", 0.0), ("Ada", "Ben", 1.0)]
    table = games(rows, time=[START + k for k in range(10)])
    test = backtest(table, replace(WINS, chances=lambda p, f, a, b, s: counted(f, a, b)), refits=1)
    assert test.expected[8] == base_rate(table).expected[8] == 0.5
    assert "1 game of players not seen before" in test.notes[1]


def test_refused_fits_are_counted():
    """Where a system refuses the past, the base rate stands in, and that is said."""

    def refuses_early(p, table, anchors):
        if len(table) < 30:
            raise Unratable("too few games for this system to rate")
        return WINS.fit(p, table, anchors)

    system = replace(WINS, fit=refuses_early, chances=lambda p, f, a, b, s: counted(f, a, b))
    test = backtest(league(60), system, warm_up=0.2, refits=8)
    assert "refused" in test.notes[1]
    with refused(Unratable, "no_part_fitted"):
        backtest(league(20), system)


def test_contests_are_judged_by_the_field_beaten():
    """The expected score is the mean against the field; each contest counts once."""
    fields = [[("Ada", 1), ("Ben", 2), ("Cleo", 3)], [("Ada", 1), ("Ben", 2)]] * 6
    test = backtest(contests(fields), ELO, warm_up=0.5)
    assert test.count == 15
    assert test.weight.sum() == pytest.approx(6.0)
    assert test.scores["concordance"] == 1.0
    losses = {"log_loss_winner", "log_loss_order", "log_loss_pairs"}
    assert set(test.scores) == {"brier", "concordance", "ranked_probability", *losses}


def test_what_cannot_be_judged_is_refused():
    """No model, no forecast; a warm-up is a share."""
    with refused(NoForecast, "no_model", about="wins"):
        backtest(league(20), replace(WINS, chances=None))
    with refused(BadArgument, "not_a_share"):
        backtest(league(20), ELO, warm_up=1.0)
    with refused(Unratable, "no_periods"):
        backtest(league(20), WINS, period="7d")


def test_the_base_rate_can_be_judged():
    """It has three chances that add up to 1."""
    test = base_rate_backtest(league(50))
    assert test.count == 40
    assert test.draw is not None
    assert test.scores["log_loss"] < 1.0
    assert test.only(np.arange(50) > 45).count == 4


@given(st.integers(2, 200), st.floats(0, 0.9), st.integers(1, 50), st.integers(1, 4))
def test_schedules_cover_what_is_judged(count, warm_up, refits, per_day):
    """Blocks follow one another to the end and begin where a moment begins."""
    table = league(count, per_day=per_day)
    cuts = schedule(table, warm_up, refits)
    assert cuts == sorted(set(cuts))
    assert cuts[-1] == count
    assert len(cuts) <= refits + 1
    for cut in cuts[:-1]:
        assert days(table)[cut] > days(table)[cut - 1]
