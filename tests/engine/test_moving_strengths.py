"""Strengths that move: a whole-table system may return a path."""

from __future__ import annotations

import numpy as np
from pytest import approx

import prowess
from prowess.engine.check import check_system
from prowess.engine.fit import NoModel, fit_table
from prowess.engine.system import BadSystem, Chances
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


# --- between the points of a Wiener process -------------------------------------------------------

WANDER, START_VARIANCE, NOISE = 9.0, 350.0**2, 80.0**2
SEEN_ON = np.array([18_000.0, 18_001.0, 18_040.0, 18_300.0])
SHOWN = np.array([1510.0, 1620.0, 1580.0, 1700.0])


def foresee_exactly(when: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means and covariances of a Wiener process at moments, given noisy values of it on four days.

    By one large normal law; the process is 1500 +- 350 on the first day.
    """
    days = np.concatenate((when, SEEN_ON))
    gone = days - SEEN_ON[0]
    same_side = (gone[:, None] >= 0.0) == (gone[None, :] >= 0.0)
    nearer = np.minimum(np.abs(gone[:, None]), np.abs(gone[None, :]))
    prior = START_VARIANCE + WANDER * np.where(same_side, nearer, 0.0)
    k = len(when)
    gain = prior[:k, k:] @ np.linalg.inv(prior[k:, k:] + NOISE * np.eye(4))
    return 1500.0 + gain @ (SHOWN - 1500.0), prior[:k, :k] - gain @ prior[k:, :k]


def fit_wandering(p, table, anchors):
    """The exact strengths of Ada on four days; Ben stays at 1500."""
    mean, covariance = foresee_exactly(SEEN_ON)
    deviation = np.sqrt(np.diag(covariance))
    columns = {"rating": np.append(mean, 1500.0), "deviation": np.append(deviation, 0.0)}
    joint = np.append(np.diag(covariance, 1), [0.0, 0.0])
    who, time = np.array([0, 0, 0, 0, 1]), np.append(SEEN_ON, SEEN_ON[0])
    path = Path(who, time, columns, wander=WANDER, joint=joint)
    return Fit({name: column[[3, 4]] for name, column in columns.items()}, path=path)


def chances_when(p, fit, a, b, side, when):
    """By the leads at that moment."""
    lead = fit.path.value(a, when)["rating"] - fit.path.value(b, when)["rating"]
    return Chances(1.0 / (1.0 + 10.0 ** (-lead / 400.0)))


WANDERING = WholeTable(
    "wandering", Params(), ("rating", "deviation"), fit_wandering, chances_when, moves=True
)
DUEL = [("Ada", "Ben", 1.0)] * 4


def test_between_points_a_path_is_that_of_the_process():
    """Mean and deviation at any date, before, between and after the points, are exact."""
    ratings = fit_table(games(DUEL, time=SEEN_ON.tolist()), check_system(WANDERING))
    when = np.array(
        [17_900.0, 18_000.0, 18_000.5, 18_020.0, 18_040.0, 18_170.0, 18_300.0, 18_500.0]
    )
    mean, covariance = foresee_exactly(when)
    path = ratings.path("Ada", when.tolist())
    assert path.columns["rating"] == approx(mean, rel=1e-9)
    deviation = np.sqrt(np.diag(covariance))
    assert path.columns["deviation"] == approx(deviation, rel=1e-9)
    assert path.columns["high"] - path.columns["low"] == approx(2 * 1.959964 * deviation, rel=1e-6)
    assert len(ratings.path("Ada")["rating"]) == 4
    dates = ratings.path("Ada", ["2019-04-14", "2019-05-24"])
    assert dates.columns["rating"][0] == ratings.path("Ada").columns["rating"][0]


def test_forecasts_at_a_date():
    """A fit of all games has a forecast of any day, by the strengths on that day."""
    ratings = fit_table(games(DUEL, time=SEEN_ON.tolist()), WANDERING)
    early, late = (
        prowess.forecast(ratings, [("Ada", "Ben")], when=day)["expected"][0]
        for day in (18_000.5, 18_250.0)
    )
    (first, then), _ = foresee_exactly(np.array([18_000.5, 18_250.0]))
    assert early == approx(1.0 / (1.0 + 10.0 ** ((1500.0 - first) / 400.0)))
    assert late == approx(1.0 / (1.0 + 10.0 ** ((1500.0 - then) / 400.0)))


def test_a_path_that_wanders_has_deviations():
    """Without deviations there is nothing that a day could add to."""

    def fit_badly(p, table, anchors):
        path = Path(np.array([0]), np.array([18_000.0]), {"rating": np.zeros(1)}, wander=1.0)
        return Fit({"rating": np.zeros(2)}, path=path)

    bad = WholeTable("bad", Params(), ("rating",), fit_badly, chances_when, moves=True)
    with refused(BadSystem, "path_missing", about="deviation"):
        fit_table(games(DUEL, time=SEEN_ON.tolist()), bad)
