"""Best of so many and first to so many, against the binomial and against every way to end."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from pytest import approx

from prowess.engine.params import BadSetting
from prowess.study.forecasting.contenders import Odds
from prowess.study.forecasting.knockout import best_of, decisive_chance, first_to, forecast_series
from tests.refusals import refused
from tests.study.tournaments import outcomes

HOME, AWAY = (0.5, 0.3, 0.2), (0.25, 0.35, 0.4)  # win, draw, loss with and without the side


def array(one):
    """Chances as the series reads them."""
    return Odds(np.array(one[0]), np.array(one[1]))


@pytest.mark.parametrize("n", [1, 3, 5, 7, 9])
@pytest.mark.parametrize("p", [0.0, 0.2, 0.5, 0.77, 1.0])
def test_binomial(n, p):
    """Without draws best of n is the upper half of a binomial, as if all n were played."""
    found = forecast_series([Odds(np.array(p), np.array(0.0))] * n, best_of(n))
    half = n // 2 + 1
    assert found.win == approx(
        sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(half, n + 1))
    )
    assert found.level == 0.0
    assert found.win + found.loss == approx(1.0)


def test_first_to_four_is_best_of_seven():
    """Where nothing is drawn, first to four points and best of seven are one series."""
    odds = [Odds(np.array(0.6), np.array(0.0))] * 8
    one, other = (
        forecast_series(odds, first_to(4, replayed=True)),
        forecast_series(odds, best_of(7)),
    )
    assert dict(one.scores) == approx(dict(other.scores))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_counted_draws(n):
    """With draws and turns of sides, who has more points after all n games wins best of n."""
    games = [HOME if k % 2 == 0 else AWAY for k in range(n)]
    slow = {1: 0.0, 0: 0.0, -1: 0.0}
    for scores, chance in outcomes(games):
        slow[int(np.sign(2 * sum(scores) - n))] += chance
    found = forecast_series([array(game) for game in games], best_of(n, order="ab"))
    assert (found.win, found.level, found.loss) == approx((slow[1], slow[0], slow[-1]))


def test_first_to_with_draws():
    """First to two points with draws: played game by game on paper until one has two."""
    slow = {1: 0.0, 0: 0.0, -1: 0.0}

    def play(a, b, chance):
        if a >= 2 or b >= 2:
            slow[int(np.sign(a - b))] += chance
            return
        for mine, part in zip((1.0, 0.5, 0.0), HOME, strict=True):
            play(a + mine, b + 1 - mine, chance * part)

    play(0.0, 0.0, 1.0)
    course = first_to(2, order="a")
    found = forecast_series([array(HOME)] * course.most, course)
    assert (found.win, found.level, found.loss) == approx((slow[1], slow[0], slow[-1]))


def test_replayed_draws():
    """A game replayed until somebody wins is won with win / (win + loss), and none stays level."""
    assert decisive_chance(array(HOME)) == approx(0.5 / 0.7)
    p = 0.5 / 0.7
    found = forecast_series([array(HOME)] * 3, best_of(3, replayed=True))
    assert found.win == approx(p * p * (3 - 2 * p))  # best of three, p^2 (3 - 2p)
    assert found.level == 0.0


def test_length():
    """Best of three between equals takes 2 games half of the time and 3 the other half."""
    found = forecast_series([Odds(np.array(0.5), np.array(0.0))] * 3, best_of(3))
    assert found.length == approx(2.5)


def test_goes_on_from_a_score():
    """From 2:1, best of five is lost only by losing twice."""
    found = forecast_series([Odds(np.array(0.6), np.array(0.0))] * 3, best_of(5), (2, 1))
    assert found.loss == approx(0.4 * 0.4)


@pytest.mark.parametrize("order", ["", "abc", "A"])
def test_unknown_sides(order):
    """An order is letters a, b, n; anything else is refused with an example."""
    with refused(BadSetting, "not_an_order_of_sides"):
        best_of(3, order=order)
