"""The Internet chess server's rules. The worked sequence is among the reference cases."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from prowess.engine.system import Game
from prowess.systems.ics import ICS, Established, Params, Rating, credit, evidence, standing
from tests.oracle import absorbed, newcomer, played

NOBODY = Established()
FRESH = newcomer(ICS, Params())
AT_TARGET = Established(10, 17200)  # no correction
games = st.lists(
    st.tuples(st.floats(500, 2500), st.integers(0, 40), st.sampled_from([0.0, 0.5, 1.0])),
    min_size=1,
    max_size=8,
)


def rounds(met: list[tuple[float, int, float]]) -> list[tuple[Rating, float]]:
    """Opponents and scores."""
    return [(Rating(r, n), score) for r, n, score in met]


@pytest.mark.parametrize(("score", "value"), [(1.0, 2200), (0.5, 1800), (0.0, 1400)])
def test_established_opponent(score: float, value: float) -> None:
    """A first game is worth the established opponent's rating, 400 more or 400 less."""
    after = absorbed(ICS, FRESH, [(Rating(1800, 20), score)], league=AT_TARGET)
    assert after == Rating(value, 1, value)


@pytest.mark.parametrize(("score", "value"), [(1.0, 1900), (0.5, 1700), (0.0, 1500)])
def test_provisional_opponent(score: float, value: float) -> None:
    """Against a provisional opponent it is worth the mean of both, 200 more or 200 less."""
    after = absorbed(ICS, FRESH, [(Rating(1800, 19), score)], league=AT_TARGET)
    assert after == Rating(value, 1, value)


def test_correction() -> None:
    """A tenth of what the established lack to the target is added, once and not stored."""
    me = FRESH
    for count in (1, 2, 3):
        me = absorbed(ICS, me, [(Rating(1500, 30), 0.5)], league=Established(4, 4 * 1600))
        assert me == Rating(1512, count, 1500 * count)
    alone = absorbed(ICS, FRESH, [(Rating(1500, 30), 0.5)], league=NOBODY)
    assert alone.rating == 1500


def test_becoming_established() -> None:
    """With the twentieth game the rating of the moment is kept and moves as Elo's does."""
    me = Rating(1700, 19, 19 * 1700)
    me = absorbed(ICS, me, [(Rating(1700, 30), 0.5)], league=AT_TARGET)
    assert me.rating == 1700
    assert me.games == 20
    me = absorbed(ICS, me, [(Rating(1700, 30), 1.0)], league=Established(1, 1000))
    assert me.rating == 1716


@given(one=st.floats(500, 2500), other=st.floats(500, 2500), score=st.sampled_from([0.0, 0.5, 1.0]))
def test_sum_of_established(one: float, other: float, score: float) -> None:
    """Between established players what one wins the other loses."""
    a, b = played(ICS, Rating(one, 20), Rating(other, 50), Game(score=score), league=NOBODY)
    assert a.rating + b.rating == pytest.approx(one + other, abs=1e-9)


def test_declared_breaks() -> None:
    """A win can lower a provisional rating and a loss raise it, as declared."""
    me = Rating(2000, 2, 4000)
    won = absorbed(ICS, me, [(Rating(1000, 30), 1.0)], league=NOBODY)
    lost = absorbed(ICS, me, [(Rating(2600, 30), 0.0)], league=NOBODY)
    assert (won.rating, lost.rating) == pytest.approx((5400 / 3, 6200 / 3))
    assert {"win_never_lowers", "loss_never_raises"} <= set(ICS.breaks)


def test_standing() -> None:
    """Only the established count for the league's mean."""
    assert standing(Params(), Rating(1800, 20)) == Established(1, 1800)
    assert standing(Params(), Rating(1800, 19)) == Established(0, 0)
    assert standing(Params(established=5), Rating(1800, 5)) == Established(1, 1800)


@given(met=games)
def test_credit_of_established(met: list[tuple[float, int, float]]) -> None:
    """The points of the games add up to the change."""
    p, me = Params(), Rating(1650, 33, 20 * 1500)
    after = absorbed(ICS, me, rounds(met), league=AT_TARGET)
    ones = [evidence(p, me, opponent, Game(score=score)) for opponent, score in rounds(met)]
    assert sum(credit(p, me, after, one) for one in ones) == pytest.approx(
        after.rating - me.rating, abs=1e-9
    )


@given(met=games, before=st.integers(0, 19))
def test_credit_of_provisional(met: list[tuple[float, int, float]], before: int) -> None:
    """The points of the games add up to the change where nothing is corrected."""
    p, me = Params(), Rating(1650, before, before * 1650)
    after = absorbed(ICS, me, rounds(met), league=AT_TARGET)
    ones = [evidence(p, me, opponent, Game(score=score)) for opponent, score in rounds(met)]
    assert sum(credit(p, me, after, one) for one in ones) == pytest.approx(
        after.rating - me.rating, abs=1e-9
    )


def test_advantage() -> None:
    """The side advantage is taken off the opponent's rating, for values and for changes."""
    p, white = Params(advantage=100), Game(score=0.5, side=1.0)
    first = absorbed(ICS, FRESH, [(Rating(1800, 30), white)], p, NOBODY)
    assert first.rating == 1700
    even = absorbed(ICS, Rating(1700, 30), [(Rating(1800, 30), white)], p, NOBODY)
    assert even.rating == pytest.approx(1700)
