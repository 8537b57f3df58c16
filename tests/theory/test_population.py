"""The fluid equation, its course in time and its limit."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from pytest import approx

from prowess.engine.params import BadSetting
from prowess.theory.learning import Exponential, Gompertz, LinearFallible
from prowess.theory.population import Population, learning_rate, no_players
from tests.refusals import refused

LEARNING = Exponential(0.4)
EDGES = np.linspace(0.0, 6.0, 61)


def constant(value):
    return lambda x: np.full_like(x, value)


def normal(total, mu, sd):
    scale = total / (sd * np.sqrt(2.0 * np.pi))
    return lambda x: scale * np.exp(-0.5 * ((x - mu) / sd) ** 2)


def dying(x):
    """A death rate that rises with the rating."""
    return 0.1 + 0.05 * x


def test_one_birth_rating_gives_eq60():
    """EQ 53 with L = c7 e^-x and constant D is EQ 60: an inflow of D keeps one player alive."""
    league = Population(LEARNING.rate, constant(0.2), EDGES, inflow=0.2)
    x = np.linspace(0.0, 4.0, 9)
    assert league.density(x) == approx(Gompertz(0.5).density(x), abs=1e-13)
    assert league.total() == approx(1.0, abs=1e-12)


def test_power_law_at_a_highest_rating():
    """EQ 53 with L = c9 (R_max - x) is EQ 64."""
    law = LinearFallible(0.1, 3.0)
    league = Population(law.rate, constant(0.25), np.linspace(0.0, 2.9, 30), inflow=0.25)
    x = np.array([0.0, 1.234, 2.9])
    assert league.density(x) == approx(law.density(x, 0.25), rel=1e-12)


def test_learning_comes_back_from_the_density():
    """EQ 54 undoes EQ 53, for a death rate that depends on the rating too."""
    league = Population(LEARNING.rate, dying, EDGES, inflow=1.0)
    x = np.array([0.0, 0.77, 2.0, 3.5])
    back = learning_rate(league.density, dying, x, EDGES)
    assert back == approx(LEARNING.rate(x), rel=1e-6)  # a share of e^-30 is above the last edge


def test_log_learning_over_death_is_a_straight_line():
    """log(L / D) from EQ 60's density alone has the slope -Q and the level of c7 / D (claim 16)."""
    q, c8 = np.log(10.0) / 400.0, 0.02
    law = Gompertz(c8, q, 1000.0)
    x = np.linspace(1000.0, 2000.0, 11)
    found = learning_rate(law.density, constant(1.0), x, np.linspace(1000.0, 2600.0, 161))
    assert np.log(found) == approx(-q * (x - 1000.0) - np.log(c8 * q), abs=1e-9)


def test_printed_values_of_the_limit():
    """b = .1, D = .05, L = 2, births normal(10, 3): p(0, 10, 30, 60) of the spec, section 6.7."""
    edges = np.arange(-20.0, 1200.0, 4.0)
    league = Population(constant(2.0), constant(0.05), edges, normal(0.1, 10.0, 3.0))
    p = league.density(np.array([0.0, 10.0, 30.0, 60.0]))
    assert p == approx([2.10404e-5, 0.0235715697, 0.0304119464, 0.0143655863], rel=2e-6)


def upwind(learning, death, births, before, low, high, time, cells):
    """EQ 99 on a grid, the slow way: what flows from one cell to the next in small steps."""
    width = (high - low) / cells
    middle = low + width * (np.arange(cells) + 0.5)
    flow_rate = learning(low + width * np.arange(1, cells + 1)) / width
    p, born, dead = before(middle), births(middle), death(middle)
    steps = int(time * flow_rate.max() / 0.5) + 1
    for _ in range(steps):
        flow = flow_rate * p
        flowing_in = np.concatenate([[0.0], flow[:-1]])
        p = p + (born - dead * p - flow + flowing_in) * time / steps
    return middle, p


@pytest.mark.parametrize("time", [0.7, 3.0])
def test_course_in_time(time):
    """Densities on the way are those of small steps on a grid, to the order of the grid."""
    births, before = normal(0.3, 1.0, 0.2), normal(2.0, 2.0, 0.3)
    league = Population(LEARNING.rate, dying, EDGES, births)
    x, p = upwind(LEARNING.rate, dying, births, before, 0.0, 5.0, time, 1000)
    found = league.density(x, time, before)
    assert np.abs(found - p).sum() / p.sum() < 0.02  # upwind steps smear by the cell's width
    assert league.total(time, before) == approx(p.sum() * 5.0 / 1000, rel=2e-3)


def test_time_begins_with_what_was_there():
    """At time 0 the density is the one before."""
    league = Population(LEARNING.rate, dying, EDGES, normal(0.3, 1.0, 0.2), inflow=0.4)
    before = normal(2.0, 2.0, 0.3)
    x = np.linspace(0.1, 5.9, 14)
    assert league.density(x, 0.0, before) == approx(before(x), abs=1e-12)


def test_course_can_be_interrupted():
    """Going on from the density at one time gives the density at a later one."""
    league = Population(LEARNING.rate, dying, EDGES, normal(0.3, 1.0, 0.2))
    before = normal(2.0, 2.0, 0.3)
    x = np.linspace(0.1, 5.0, 12)
    onward = league.density(x, 1.5, lambda w: league.density(w, 0.8, before))
    assert onward == approx(league.density(x, 2.3, before), rel=1e-9, abs=1e-14)


def test_jumps_travel():
    """Births at one rating reach the front x(t) = log(1 + c7 t) and nobody is beyond it."""
    league = Population(LEARNING.rate, constant(0.2), EDGES, inflow=0.2)
    front = float(LEARNING.rating(np.array(3.0)))
    p = league.density(np.array([front - 1e-9, front + 1e-9]), 3.0)
    assert p[0] > 0.1
    assert p[1] == 0.0
    assert league.total(3.0) == approx(1.0 - exp(-0.6), abs=1e-12)  # born less died


@pytest.mark.parametrize("death", [constant(0.05), dying], ids=["constant", "rising"])
def test_time_constant(death):
    """Two courses approach in L1 at least like e^(-delta t), D >= delta (claim 17)."""
    delta = float(death(np.array(0.0)))
    league = Population(LEARNING.rate, death, EDGES, normal(0.3, 1.0, 0.2))
    one, other = normal(2.0, 0.5, 0.1), normal(1.0, 1.5, 0.2)
    x = (np.arange(6000) + 0.5) / 1000.0

    def distance(time):
        apart = np.subtract(league.density(x, time, one), league.density(x, time, other))
        return np.abs(apart).sum() / 1000

    assert distance(0.0) == approx(3.0, rel=1e-3)  # they hardly overlap
    for time in (1.0, 5.0):
        assert distance(time) <= distance(0.0) * exp(-delta * time) * (1.0 + 1e-5)
    if death is not dying:
        assert distance(5.0) == approx(3.0 * exp(-delta * 5.0), rel=1e-2)  # exactly so


def test_limit_is_reached():
    """After a hundred mean lives the start is forgotten and EQ 100 holds."""
    league = Population(LEARNING.rate, constant(0.2), EDGES, normal(0.3, 1.0, 0.2))
    x = np.linspace(0.0, 4.0, 9)
    late = league.density(x, 500.0, normal(5.0, 2.0, 0.3))
    assert late == approx(league.density(x), abs=1e-14)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"edges": [0.0, 0.0, 1.0]}, "edges_not_rising"),
        ({"edges": [0.0]}, "edges_not_rising"),
        ({"learning": constant(0.0)}, "function_out_of_range"),
        ({"death": constant(-0.1)}, "function_out_of_range"),
        ({"births": constant(np.nan)}, "function_out_of_range"),
        ({"inflow": -1.0}, "inflow_out_of_range"),
    ],
)
def test_what_cannot_flow_is_refused(change, word):
    """A population with rates below 0, no learning or no range is refused by name."""
    good = {"learning": LEARNING.rate, "death": dying, "edges": EDGES, "births": no_players}
    with refused(BadSetting, word):
        Population(**(good | change))


def test_questions_outside_are_refused():
    """Ratings outside the edges and times before 0 have no answer."""
    league = Population(LEARNING.rate, dying, EDGES, inflow=1.0)
    with refused(BadSetting, "rating_out_of_range"):
        league.density(np.array([6.1]))
    with refused(BadSetting, "negative_time"):
        league.density(np.array([1.0]), -1.0)
    with refused(BadSetting, "rating_out_of_range"):
        learning_rate(no_players, dying, np.array([-0.1]), EDGES)
