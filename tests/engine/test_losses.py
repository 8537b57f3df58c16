"""What one forecast is worth, and the means over games that come piece by piece."""

from __future__ import annotations

from itertools import pairwise
from math import fsum, log

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.engine import losses
from prowess.engine.losses import ForecastScores, game_losses
from prowess.engine.rate import rate
from prowess.study.backtest import backtest
from prowess.systems.elo import ELO
from prowess.systems.glicko2 import GLICKO2
from prowess.systems.trueskill import TRUESKILL
from tests.engine.tables import contests, games

chances = st.floats(0.001, 0.999)


def array(*values: float) -> np.ndarray:
    """Numbers as a column."""
    return np.array(values, dtype=np.float64)


def test_by_hand():
    """E = 0.8: a win costs -ln 0.8, a loss -ln 0.2, a draw half of each."""
    loss = losses.log_loss(array(1, 0, 0.5), array(0.8, 0.8, 0.8))
    assert loss == pytest.approx([-log(0.8), -log(0.2), -0.5 * log(0.16)])
    assert losses.brier(array(1, 0, 0.5), array(0.8, 0.8, 0.8)) == pytest.approx([0.04, 0.64, 0.09])
    right = losses.accuracy(array(1, 0, 0.5, 1), array(0.8, 0.8, 0.8, 0.5))
    np.testing.assert_array_equal(right, [1.0, 0.0, np.nan, 0.5])


def test_three_outcomes_by_hand():
    """E = 0.6 with a draw of 0.2: win 0.5, draw 0.2, loss 0.3."""
    score, expected, draw = array(1, 0.5, 0), array(*[0.6] * 3), array(*[0.2] * 3)
    assert losses.outcome_chances(expected, draw)[0] == pytest.approx([0.5, 0.2, 0.3])
    loss = losses.three_way_log_loss(score, expected, draw)
    assert loss == pytest.approx([-log(0.5), -log(0.2), -log(0.3)])
    # 0.25 + 0.04 + 0.09, 0.25 + 0.64 + 0.09, 0.25 + 0.04 + 0.49
    assert losses.three_way_brier(score, expected, draw) == pytest.approx([0.38, 0.98, 0.78])
    # cumulated chances 0.5, 0.7, 1 against 1,1,1 / 0,1,1 / 0,0,1
    ranked = losses.ranked_probability(score, expected, draw)
    assert ranked == pytest.approx([0.5 * (0.25 + 0.09), 0.5 * (0.25 + 0.09), 0.5 * (0.25 + 0.49)])


def test_a_score_between_is_no_outcome():
    """A share of the points has no three-way score."""
    assert np.isnan(losses.three_way_brier(array(0.7), array(0.6), array(0.2))).all()
    assert np.isnan(losses.three_way_log_loss(array(0.7), array(0.6), array(0.2))).all()


def test_sure_and_wrong_is_dear_but_finite():
    """A forecast of 0 for what happened costs -ln 1e-15 = 34.5."""
    assert losses.log_loss(array(1.0), array(0.0))[0] == pytest.approx(34.538776, abs=1e-5)


@given(chances, chances)
def test_the_true_chance_scores_best(true, other):
    """Both scores are proper: on average nothing beats saying the truth."""
    for score in (losses.log_loss, losses.brier):
        said = [
            true * score(array(1), array(e))[0] + (1 - true) * score(array(0), array(e))[0]
            for e in (true, other)
        ]
        assert said[0] <= said[1] + 1e-12


def test_means_by_hand():
    """Weights 1 and 3; a draw has no accuracy, and a game without a forecast does not count."""
    scores = ForecastScores()
    scores.add(array(1, 0.5, 1), array(0.8, 0.8, np.nan), array(1, 3, 9), None)
    found = scores.means()
    assert list(found) == ["games", "log_loss", "brier", "accuracy"]
    # -(ln 0.8 + 3 (ln 0.8 + ln 0.2) / 2) / 4, (0.04 + 3 * 0.09) / 4
    assert found["log_loss"] == pytest.approx(-(2.5 * log(0.8) + 1.5 * log(0.2)) / 4)
    assert found["brier"] == pytest.approx(0.0775)
    assert (found["games"], found["accuracy"]) == (2, 1.0)
    scores = ForecastScores()
    scores.add(array(0.5), array(0.8), None, None)
    assert "accuracy" not in scores.means()


@given(
    st.lists(st.tuples(st.sampled_from((0, 0.5, 1)), chances, chances), max_size=40),
    st.sets(st.integers(0, 40)),
    st.booleans(),
)
def test_means_do_not_depend_on_the_cut(rows, cuts, draws):
    """The same bits for any pieces, also through a checkpoint; the numbers of an exact sum."""
    score, expected, weight = np.array(rows, np.float64).reshape(-1, 3).T
    draw = 2.0 * np.minimum(expected, 1.0 - expected) * weight if draws else None
    whole, pieces = ForecastScores(), ForecastScores()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(losses, "SUM_GAMES", 7)
        whole.add(score, expected, weight, draw)
        for first, last in pairwise(sorted({0, *cuts, len(rows)})):
            at = slice(first, last)
            pieces.add(score[at], expected[at], weight[at], None if draw is None else draw[at])
            pieces = ForecastScores.from_arrays(pieces.arrays())
        found = whole.means()
        assert pieces.means() == found
    for name, loss in game_losses(score, expected, draw).items() if rows else ():
        known = np.isfinite(loss)
        if known.any():
            exact = fsum(loss[known] * weight[known]) / fsum(weight[known])
            assert found[name] == pytest.approx(exact, rel=1e-12)
    assert found["games"] == len(rows)


@pytest.mark.parametrize(("system", "period"), [(ELO, None), (TRUESKILL, None), (GLICKO2, "7d")])
def test_ratings_know_the_scores_of_a_comparison(system, period):
    """Those of a backtest without a warm-up, on more games than a block has."""
    table = games(
        [("abc"[k % 3], "bcd"[k * k % 3], (1.0, 0.5, 0.0)[k % 7 % 3]) for k in range(50)],
        time=np.arange(50) / 2,
        weight=1.0 + np.arange(50) % 4,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(losses, "SUM_GAMES", 8)
        found = rate(table, system, period=period, forecasts=True).forecast_scores
    judged = backtest(table, system, period=period, warm_up=0.0).scores
    assert found == pytest.approx({"games": 50, **judged}, rel=1e-12)


def test_only_forecasts_of_two_sides_have_scores():
    """Others say none."""
    assert rate(games([("Ann", "Bob", 1.0)]), ELO).forecast_scores is None
    field = contests([[("Ann", 1.0), ("Bob", 2.0), ("Cid", 3.0)]])
    assert rate(field, ELO, forecasts=True).forecast_scores is None
