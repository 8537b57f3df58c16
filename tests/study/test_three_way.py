"""Chances of win, draw and loss of a system that follows games, in every command that asks."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from pytest import approx

import prowess
from prowess.engine.rate import rate
from prowess.engine.system import Unratable
from prowess.games.arguments import BadArgument
from prowess.present.report import own_forecasts, report
from prowess.study.backtest import backtest, base_rate_backtest
from prowess.study.compare import compare
from prowess.study.forecasting.contenders import contenders
from prowess.study.forecasting.knockout import forecast_knockout
from prowess.study.forecasting.season import round_robin, simulate_season
from prowess.study.forecasting.swiss import simulate_swiss
from prowess.systems.elo import ELO
from tests.engine.tables import START, games
from tests.engine.test_shared_numbers import LEARNING
from tests.refusals import refused
from tests.study.davidson import DAVIDSON_ELO, NU, by_hand

NAMES = ("Ada", "Ben", "Cleo", "Dan")


def rows(count: int, seed: int = 3) -> list[tuple[str, str, float, float]]:
    """Games of four players, the first ones stronger."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        a, b = sorted(rng.choice(4, 2, replace=False).tolist())
        score = float(rng.choice([1.0, 0.5, 0.0], p=[0.5, 0.3, 0.2]))
        found.append((NAMES[a], NAMES[b], score, float(rng.choice([1.0, 0.0, -1.0]))))
    return found


ROWS = rows(120)
TABLE = games(
    [(a, b, score) for a, b, score, _ in ROWS], NAMES,
    time=[START + k for k in range(len(ROWS))], side=[side for *_, side in ROWS],
)  # fmt: skip
RATING, TOLD = by_hand([([a], [b], score, side) for a, b, score, side in ROWS])


def test_a_backtest_judges_three_outcomes():
    """The forecasts are Davidson's, and the three scores are those of their definitions."""
    test = backtest(TABLE, DAVIDSON_ELO, warm_up=0.25)
    assert test.draw is not None
    assert test.expected == approx([win + draw / 2 for win, draw, _ in TOLD], rel=1e-12)
    assert test.draw == approx([draw for _, draw, _ in TOLD], rel=1e-12)
    judged = [(one, row[2]) for one, row in zip(TOLD, ROWS, strict=True)][30:]
    index = {1.0: 0, 0.5: 1, 0.0: 2}
    happened = [(one, [float(k == index[score]) for k in range(3)]) for one, score in judged]
    loss = -sum(log(one[index[score]]) for one, score in judged) / 90
    brier = sum((p - x) ** 2 for one, real in happened for p, x in zip(one, real, strict=True))
    ranked = sum(
        (one[0] - real[0]) ** 2 + (one[0] + one[1] - real[0] - real[1]) ** 2
        for one, real in happened
    )
    assert test.scores["log_loss_3"] == approx(loss, rel=1e-12)
    assert test.scores["brier_3"] == approx(brier / 90, rel=1e-12)
    assert test.scores["ranked_probability"] == approx(ranked / 180, rel=1e-12)


def test_a_comparison_has_three_way_columns_for_all_that_foresee_draws():
    """Elo has none; the base rate and the system with chances do, and can be ordered by them."""
    tests = [base_rate_backtest(TABLE), backtest(TABLE, DAVIDSON_ELO), backtest(TABLE, ELO)]
    found = {row["system"]: row for row in compare(tests).rows()}
    assert "log_loss_3" not in found["elo"]
    assert {"log_loss_3", "brier_3", "ranked_probability"} <= found["davidson_elo"].keys()
    assert compare(tests[:2], metric="log_loss_3").metric == "log_loss_3"
    with refused(BadArgument, "no_such_score", about=("log_loss_3", "elo")):
        compare(tests, metric="log_loss_3")


def test_a_forecast_has_win_draw_and_loss():
    """A closed formula of the gap of two ratings and the side."""
    ratings = prowess.rate(TABLE, DAVIDSON_ELO)
    found = ratings.forecast("Ada", "Dan", 1.0)
    s = 10.0 ** ((RATING["Ada"] - RATING["Dan"] + 60.0) / 800.0)
    chances = [s / (s + NU + 1 / s), NU / (s + NU + 1 / s), 1 / s / (s + NU + 1 / s)]
    assert [found.win, found.draw, found.loss] == approx(chances, rel=1e-12)
    assert found.expected == approx(chances[0] + chances[1] / 2, rel=1e-12)


def odds(a: str, b: str) -> tuple[float, float, float]:
    """Davidson's chances on neutral ground, with the ratings made by hand."""
    s = 10.0 ** ((RATING[a] - RATING[b]) / 800.0)
    return s / (s + NU + 1 / s), NU / (s + NU + 1 / s), 1 / s / (s + NU + 1 / s)


def test_a_tournament_draws_as_the_system_does():
    """No share of draws is measured or asked for; giving one is refused."""
    ratings = rate(TABLE, DAVIDSON_ELO)
    field = contenders(ratings, NAMES)
    assert field.notes[-1] == "draws by the system's own model"
    found = field.odds(np.array(0), np.array(0), np.arange(1, 4), np.array(0.0))
    assert found.win == approx([odds("Ada", b)[0] for b in NAMES[1:]], rel=1e-12)
    assert found.draw == approx([odds("Ada", b)[1] for b in NAMES[1:]], rel=1e-12)
    with refused(Unratable, "draws_known", about="davidson_elo"):
        contenders(ratings, NAMES, draws=0.3)


def test_brackets_round_robins_and_swiss():
    """A final replays draws; mean points of one game are win + draw / 2."""
    field = contenders(rate(TABLE, DAVIDSON_ELO), ("Ada", "Dan"))
    win, draw, loss = odds("Ada", "Dan")
    final = forecast_knockout(field, [0, 1])
    assert final.stages["winner"][0] == approx(win + draw * win / (win + loss), rel=1e-12)
    sides = {"win": 1.0, "draw": 0.5}
    points = sides["win"] * win + sides["draw"] * draw
    error = 4.0 * 0.5 / 20_000**0.5
    for found in (
        simulate_season(field, round_robin(2), runs=20_000),
        simulate_swiss(field.__class__(**{**vars_of(field), "sided": False}), 1, runs=20_000),
    ):
        assert found.points is not None
        assert found.points[0] == approx(points, abs=error)
        level = found.places[0]  # of two, a draw shares both places
        assert level[0] == approx(win + 0.5 * draw, abs=error)


def vars_of(field):
    """The fields of a frozen dataclass without what it worked out."""
    return {name: getattr(field, name) for name in field.__dataclass_fields__}


def test_a_report_judges_the_draws_it_foresaw():
    """The forecasts the ratings were made with carry their chances of a draw."""
    ratings = rate(TABLE, DAVIDSON_ELO, forecasts=True)
    own = own_forecasts(ratings)
    assert own is not None
    assert own.draw == approx([draw for _, draw, _ in TOLD], rel=1e-12)
    assert "log loss with draws" in report(ratings, forecasts=own).to_html()


def test_the_compiled_loop_asks_the_same():
    """Many games at once, compiled: the numbers of the plain loop."""
    pytest.importorskip("llvmlite")
    field = contenders(rate(TABLE, DAVIDSON_ELO), NAMES)
    a, b = np.zeros(400_000, dtype=np.int64), np.ones(400_000, dtype=np.int64)
    ask = field.law.ask
    many = ask(field.strength[0], a, b, np.zeros(400_000))
    few = ask(field.strength[0], a[:1], b[:1], np.zeros(1))
    assert many[1] is not None
    assert few[1] is not None
    assert (many[0][-1], many[1][-1]) == (few[0][0], few[1][0])


@pytest.mark.parametrize("system", [LEARNING, DAVIDSON_ELO], ids=["learnt numbers", "bank"])
def test_systems_that_only_know_their_own_players(system):
    """Of numbers that all games share, and of a bank, the ratings themselves are asked."""
    params = {} if system is LEARNING else {"k": [8.0, 32.0]}
    ratings = rate(TABLE, system, params=params)
    field = contenders(ratings, NAMES)
    found = field.odds(np.array(0), np.array(0), np.arange(1, 4), np.array(0.0))
    asked = [ratings.chances(0, other, 0.0) for other in range(1, 4)]
    assert found.win == approx([one.win for one in asked], rel=1e-12)
    assert found.draw == approx([one.draw for one in asked], rel=1e-12)
    assert "draws by the system's own model" in field.notes
