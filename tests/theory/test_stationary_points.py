"""Peaks and valleys of a function."""

from __future__ import annotations

from math import cos, pi

from pytest import approx

from prowess.engine.numeric import logistic
from prowess.games.arguments import BadArgument
from prowess.theory.updates import stationary_points
from tests.refusals import refused


def test_sine():
    """sin has its peaks at pi/2 + 2 pi k and its valleys half way between."""
    found = stationary_points(cos, 0.0, 7.0)
    assert [x for x, _ in found] == approx([pi / 2, 3 * pi / 2], abs=1e-12)
    assert [kind for _, kind in found] == ["max", "min"]


def test_peaks_on_the_grid():
    """A peak that lies exactly on the grid is found once; a saddle and an edge are none."""
    ((x, kind),) = stationary_points(lambda x: -x, -1.0, 1.0, cells=4)
    assert x == approx(0.0, abs=1e-12)
    assert kind == "max"
    assert stationary_points(lambda x: x * x, -1.0, 1.0, cells=4) == []
    assert stationary_points(lambda x: 1.0 - x, 0.0, 1.0) == []


def test_theorem_9():
    """Claim 14: two wins against a player of 10 and a logistic prior leave one peak, Cauchy's two.

    The logistic prior is log-concave, Cauchy's is not (the report's remark in brackets fails).
    """

    def two_wins(x: float) -> float:
        return 2.0 * logistic(10.0 - x)

    concave = stationary_points(lambda x: two_wins(x) + 1.0 - 2.0 * logistic(x), -40.0, 40.0)
    assert [kind for _, kind in concave] == ["max"]
    cauchy = stationary_points(lambda x: two_wins(x) - 2.0 * x / (0.0625 + x * x), -40.0, 40.0)
    assert [kind for _, kind in cauchy] == ["max", "min", "max"]


def test_empty():
    """An interval without inside is refused."""
    with refused(BadArgument, "range_upside_down"):
        stationary_points(cos, 1.0, 1.0)
