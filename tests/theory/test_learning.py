"""Learning rates and the development curves that follow from them."""

from __future__ import annotations

from math import inf, log

import numpy as np
import pytest
from pytest import approx

from prowess.engine.params import BadSetting
from prowess.theory.learning import (
    Exponential,
    Fallible,
    LearningLaw,
    LinearFallible,
    development_time,
)
from tests.refusals import refused

CHESS = Exponential(2.0, np.log(10) / 400, 1200.0)
LAWS: list[LearningLaw] = [
    Exponential(0.4),
    CHESS,
    LinearFallible(0.1, 3.0),
    Fallible(0.9, 0.5, 0.01),
    Fallible(0.99, 0.2, 0.3, 0.01),
]
NAMES = ["exponential", "chess", "linear", "fallible", "fallible chess"]


@pytest.mark.parametrize("law", LAWS, ids=NAMES)
def test_development_follows_the_rate(law):
    """dR/dt = L(R), by central differences (EQ 55)."""
    t = np.array([0.5, 3.0, 40.0])
    slope = (law.rating(t + 1e-4) - law.rating(t - 1e-4)) / 2e-4
    assert slope == approx(law.rate(law.rating(t)), rel=1e-6)


@pytest.mark.parametrize("law", LAWS, ids=NAMES)
def test_time_is_the_integral_of_one_over_the_rate(law):
    """Euler's small steps, EQ 56's integral and the closed form agree on R(5)."""
    start, reached = law.rating(np.array([0.0, 5.0]))
    x, steps = np.array(start), 4000
    for _ in range(steps):
        x = x + law.rate(x) * 5.0 / steps
    assert x - start == approx(reached - start, rel=2e-3)  # Euler errs by the order of a step
    assert development_time(law.rate, start, reached) == approx(5.0, rel=1e-12)


def test_time_inverts_rating():
    """t(R) = (e^y - 1) / (Q c7) gives back the time, and EQ 56 the same."""
    t = np.array([0.0, 1.0, 700.0])
    assert CHESS.time(CHESS.rating(t)) == approx(t, rel=1e-12)


def test_printed_values():
    """pmax .9, p0 .5, k .01: p(100), p(1000), p(10000) of the specification, section 6.7."""
    p = Fallible(0.9, 0.5, 0.01).chance(np.array([100.0, 1000.0, 10000.0]))
    assert p == approx([0.614285714, 0.82, 0.890243902], abs=5e-10)


def test_postulates_by_small_steps():
    """p = p_max - c3 c2^h, with heuristics found at the rate c5 c2^h, gives p(t) (no EQ 62)."""
    p_max, p_start, c1, c5 = 0.9, 0.5, 0.05, 0.2
    c3 = p_max - p_start
    k = c5 / c3 * -log(1.0 - c1)  # c6 log(1 / c2)
    h, steps = 0.0, 100_000
    for _ in range(steps):
        h += c5 * (1.0 - c1) ** h * 100.0 / steps
    by_steps = p_max - c3 * (1.0 - c1) ** h
    assert float(Fallible(p_max, p_start, k).chance(np.array(100.0))) == approx(by_steps, abs=1e-6)


def test_quadratic_at_the_top():
    """Near R_max the learning rate falls with the square of the distance, as EQ 62 does not."""
    law = Fallible(0.9, 0.5, 0.01, 0.02)
    distance = np.array([1e-2, 1e-3])
    rate = law.rate(law.top - distance)
    assert rate / distance**2 == approx(law.quadratic_coefficient, rel=1e-3)
    assert log(rate[0] / rate[1]) / log(10.0) == approx(2.0, abs=1e-3)  # the spec's exponent


def test_certain_learning_is_exponential():
    """As p_max comes to 1, L comes to that of EQ 59 with c7 = k e^0."""
    x = np.array([-2.0, 0.0, 3.0])
    nearly = Fallible(1.0 - 1e-12, 0.1, 0.3).rate(x)
    # (1 - p)^2 / (p (1 - p)) = e^-x
    assert nearly == approx(0.3 * np.exp(-x), rel=1e-9)


def test_linear_fallible_is_a_density():
    """EQ 64 integrates to 1 up to the top and is 0 elsewhere, by the midpoint rule."""
    law = LinearFallible(0.1, 3.0)
    x = (np.arange(1000) + 0.5) * 3.0 / 1000
    assert law.density(x, 0.25).sum() * 3.0 / 1000 == approx(1.0, abs=1e-4)
    assert law.density(np.array([-0.1, 3.0, 4.0]), 0.25).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("death", [0.05, 0.25])
def test_linear_fallible_identity(death):
    """p(x) dx = D e^(-D t) dt along the development curve (EQ 53 with constant D)."""
    law = LinearFallible(0.1, 3.0)
    t = np.array([0.0, 4.0, 30.0])
    x = law.rating(t)
    assert law.density(x, death) * law.rate(x) == approx(death * np.exp(-death * t), rel=1e-12)


@pytest.mark.parametrize("death", [0.05, 3.0])
def test_exponential_identity(death):
    """p(x) dx = D e^(-D t) dt: EQ 60 is a life of constant death rate on the curve of EQ 61."""
    t = np.array([0.0, 0.3, 4.0])
    x = CHESS.rating(t)
    flow = CHESS.population(death).density(x) * CHESS.rate(x)
    assert flow == approx(death * np.exp(-death * t), rel=1e-12)


def test_nobody_reaches_the_top():
    """The time to the highest rating is infinite, to where one is it is 0."""
    law = LinearFallible(0.1, 3.0)
    assert development_time(law.rate, 0.0, 3.0) == inf
    assert development_time(law.rate, 1.0, 1.0) == 0.0


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (lambda: Exponential(0.0), ("not_above_zero", "c7")),
        (lambda: Exponential(1.0, inf), ("not_above_zero",)),
        (lambda: LinearFallible(1.0, -3.0), ("not_above_zero",)),
        (lambda: Fallible(0.5, 0.5, 1.0), ("chances_out_of_order", "p_max")),
        (lambda: Fallible(1.0, 0.5, 1.0), ("chances_out_of_order", "p_max")),
        (lambda: Exponential(1.0).rating(np.array([1.0, -1.0])), ("negative_time",)),
        (lambda: Exponential(1.0).population(0.0), ("not_above_zero",)),
        (lambda: development_time(Exponential(1.0).rate, 2.0, 1.0), ("rating_below_start",)),
    ],
)
def test_nonsense_is_refused(wrong, word):
    """What is no law, no time and no way up is refused by name."""
    with refused(BadSetting, word[0], about=word[1:]):
        wrong()
