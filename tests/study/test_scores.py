"""What one forecast is worth."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.games.games import Games
from prowess.study import scores

chances = st.floats(0.001, 0.999)


def array(*values: float) -> np.ndarray:
    """Numbers as a column."""
    return np.array(values, dtype=np.float64)


def test_by_hand():
    """E = 0.8: a win costs -ln 0.8, a loss -ln 0.2, a draw half of each."""
    loss = scores.log_loss(array(1, 0, 0.5), array(0.8, 0.8, 0.8))
    assert loss == pytest.approx([-log(0.8), -log(0.2), -0.5 * log(0.16)])
    assert scores.brier(array(1, 0, 0.5), array(0.8, 0.8, 0.8)) == pytest.approx([0.04, 0.64, 0.09])
    right = scores.accuracy(array(1, 0, 0.5, 1), array(0.8, 0.8, 0.8, 0.5))
    np.testing.assert_array_equal(right, [1.0, 0.0, np.nan, 0.5])


def test_three_outcomes_by_hand():
    """E = 0.6 with a draw of 0.2: win 0.5, draw 0.2, loss 0.3."""
    score, expected, draw = array(1, 0.5, 0), array(*[0.6] * 3), array(*[0.2] * 3)
    assert scores.outcome_chances(expected, draw)[0] == pytest.approx([0.5, 0.2, 0.3])
    loss = scores.three_way_log_loss(score, expected, draw)
    assert loss == pytest.approx([-log(0.5), -log(0.2), -log(0.3)])
    # 0.25 + 0.04 + 0.09, 0.25 + 0.64 + 0.09, 0.25 + 0.04 + 0.49
    assert scores.three_way_brier(score, expected, draw) == pytest.approx([0.38, 0.98, 0.78])
    # cumulated chances 0.5, 0.7, 1 against 1,1,1 / 0,1,1 / 0,0,1
    ranked = scores.ranked_probability(score, expected, draw)
    assert ranked == pytest.approx([0.5 * (0.25 + 0.09), 0.5 * (0.25 + 0.09), 0.5 * (0.25 + 0.49)])


def test_a_score_between_is_no_outcome():
    """A share of the points has no three-way score."""
    assert np.isnan(scores.three_way_brier(array(0.7), array(0.6), array(0.2))).all()
    assert np.isnan(scores.three_way_log_loss(array(0.7), array(0.6), array(0.2))).all()


def test_sure_and_wrong_is_dear_but_finite():
    """A forecast of 0 for what happened costs -ln 1e-15 = 34.5."""
    assert scores.log_loss(array(1.0), array(0.0))[0] == pytest.approx(34.538776, abs=1e-5)


@given(chances, chances)
def test_the_true_chance_scores_best(true, other):
    """Both scores are proper: on average nothing beats saying the truth."""
    for score in (scores.log_loss, scores.brier):
        said = [
            true * score(array(1), array(e))[0] + (1 - true) * score(array(0), array(e))[0]
            for e in (true, other)
        ]
        assert said[0] <= said[1] + 1e-12


def test_the_field_beaten():
    """Of four, with two tied second: 1, 1/2, 1/2, 0; who is alone beat nobody."""
    places, start = array(1, 2, 2, 4, 1), np.array([0, 4, 5])
    share = Games(tuple("abcde"), start=start, player=np.arange(5, dtype=np.uint32),
                  place=places).outcome  # fmt: skip
    np.testing.assert_allclose(share, [1.0, 0.5, 0.5, 0.0, np.nan])


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3)), min_size=1, max_size=8))
def test_pairs_in_the_right_order(rows):
    """Concordance counts the pairs, one by one."""
    place, forecast = (array(*column) for column in zip(*rows, strict=True))
    right = decided = 0.0
    for i in range(len(rows)):
        for j in range(len(rows)):
            if place[i] < place[j]:
                decided += 1
                right += 0.5 + 0.5 * np.sign(forecast[i] - forecast[j])
    found = scores.concordance(place, forecast, np.array([0, len(rows)]))[0]
    assert np.isnan(found) if not decided else found == pytest.approx(right / decided)
