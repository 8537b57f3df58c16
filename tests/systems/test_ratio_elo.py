"""Ratio Elo. The slides' example is among the reference cases."""

from __future__ import annotations

from math import isnan

import pytest
from hypothesis import given, strategies as st

from prowess.engine.system import Game
from prowess.systems.ratio_elo import RATIO_ELO, Params, Rating, expected_score
from tests.oracle import absorbed, newcomer, played

ratings = st.floats(100, 3000)


def test_twice_the_rating() -> None:
    """Twice the rating is odds of two to one, wherever on the scale."""
    for r in (1, 500, 2000):
        assert expected_score(Params(), Rating(2 * r), Rating(r), Game()) == pytest.approx(2 / 3)


@given(one=ratings, other=ratings, score=st.sampled_from([0.0, 0.5, 1.0]))
def test_sum(one: float, other: float, score: float) -> None:
    """What one player wins the other loses."""
    a, b = played(RATIO_ELO, Rating(one), Rating(other), Game(score=score))
    assert a.rating + b.rating == pytest.approx(one + other, abs=1e-9)


@given(one=st.floats(0.01, 3000), other=st.floats(0.01, 3000))
def test_one_game_keeps_positive(one: float, other: float) -> None:
    """Below k = r1 + r2 the loser stays positive: he keeps the part 1 - k / (r1 + r2)."""
    k = 0.999 * (one + other)
    loser = absorbed(RATIO_ELO, Rating(one), [(Rating(other), 0.0)], Params(k=k))
    assert loser.rating == pytest.approx(one * 0.001, rel=1e-9)


@pytest.mark.parametrize(
    ("me", "opponent", "k"),
    [(10, 20, 30), (10, 20, 31), (-5, 100, 30), (100, -5, 30), (0, 0, 30), (0, 100, 30)],
)
def test_refusal(me: float, opponent: float, k: float) -> None:
    """Ratings that are or might become non-positive give no number instead of a wrong one."""
    for one, other in ((me, opponent), (opponent, me)):
        for score in (0.0, 1.0):
            after = absorbed(RATIO_ELO, Rating(one), [(Rating(other), score)], Params(k=k))
            assert isnan(after.rating)


def test_round_refusal() -> None:
    """Many losses of one round can cost more than the rating, which gives no number."""
    lost = [(Rating(1000), 0.0)] * 100
    assert absorbed(RATIO_ELO, Rating(1000), lost[:60]).rating == pytest.approx(100)
    assert isnan(absorbed(RATIO_ELO, Rating(1000), lost).rating)


def test_declared() -> None:
    """The broken law is declared, and newcomers start at `start`."""
    assert "finite" in RATIO_ELO.breaks
    assert newcomer(RATIO_ELO, Params(start=500)) == Rating(500)
