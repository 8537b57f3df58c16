"""What one forecast is worth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.games.games import Games
from prowess.study import scores


def array(*values: float) -> np.ndarray:
    """Numbers as a column."""
    return np.array(values, dtype=np.float64)


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
