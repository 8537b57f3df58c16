"""Strengths that move: a whole-table system may return a path."""

from __future__ import annotations

import numpy as np
from pytest import approx

from prowess.engine.check import check_system
from prowess.engine.declaration import BadSystem
from prowess.engine.fit import NoModel, fit_table
from prowess.engine.system import Chances
from prowess.engine.whole_table import Fit, Path, WholeTable
from prowess.study.backtest import backtest
from tests.engine.tables import games
from tests.engine.test_fit import Params
from tests.refusals import refused

DAYS = [18_000.0, 18_010.0, 18_020.0]
ROWS = [("Ada", "Ben", 1.0), ("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.0)]


def fit(p, table, anchors):
    """Wins so far, at the day of each game."""
    player, time, won = [], [], []
    for k in range(len(table.players)):
        total = 0.0
        for a, b, score, day in zip(table.a, table.b, table.score, table.time, strict=True):
            if k in (a, b):
                total += score if k == a else 1.0 - score
                player.append(k)
                time.append(day)
                won.append(total)
    path = Path(np.array(player), np.array(time), {"rating": np.array(won)})
    last = [
        path.value(k, np.inf)["rating"] if k in player else 0.0 for k in range(len(table.players))
    ]
    return Fit({"rating": np.array(last)}, path=path)


def chances(p, fit, a, b, side, when):
    """A tenth for each win more at that moment."""
    lead = fit.path.value(a, when)["rating"] - fit.path.value(b, when)["rating"]
    return Chances(0.5 + 0.1 * lead)


MOVING = WholeTable("moving", Params(), ("rating",), fit, chances, moves=True)


def test_the_path_of_a_player():
    """Every point of a player, in order of time."""
    ratings = fit_table(games(ROWS, time=DAYS), check_system(MOVING))
    path = ratings.path("Ben")
    assert path.columns["rating"].tolist() == [0.0, 0.0, 0.0]
    assert fit_table(games(ROWS, time=DAYS), MOVING).path("Ada").columns["rating"].tolist() == [
        1,
        2,
    ]
    assert ratings.path("Ada").columns["date"].astype("datetime64[D]").astype(int).tolist() == [
        18_000,
        18_010,
    ]
    assert len(ratings.history()) == 6
    with refused(NoModel, "no_history", about="path"):
        ratings.history("Ada")


def test_a_forecast_is_of_a_moment():
    """Chances are asked with the moment of the game; without one, the day of the ratings."""
    ratings = fit_table(games(ROWS, time=DAYS), MOVING)
    assert ratings.chances(0, 1, 0.0, 18_005.0).expected == approx(0.6)
    assert ratings.chances(0, 1, 0.0).expected == approx(0.7)
    assert ratings.forecast("Ada", "Ben").expected == approx(0.7)


def test_a_backtest_asks_at_the_day_of_the_game():
    """Between two fits the moment of each game is asked for."""
    rows = ROWS * 20
    table = games(rows, time=[18_000.0 + k for k in range(60)])
    test = backtest(table, MOVING, refits=3)
    assert np.isfinite(test.expected).all()


def test_a_moving_system_without_a_path_is_refused():
    """moves=True promises a path."""
    still = WholeTable(
        "still", Params(), ("rating",), lambda p, t, a: Fit({"rating": np.zeros(3)}), moves=True
    )
    with refused(BadSystem, "path_missing"):
        fit_table(games(ROWS, time=DAYS), still)
