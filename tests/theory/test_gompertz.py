"""EQ 60, the spread of ratings in a population that learns."""

from __future__ import annotations

from math import e, inf, log

import numpy as np
import pytest
from pytest import approx

from prowess.engine.params import BadSetting
from prowess.theory.learning import Gompertz, learning_constant, scaled_exponential_integral
from tests.refusals import refused

CASES = [(1e-4, 1.0, 0.0), (0.1, 1.0, 0.0), (1.0, 2.0, -3.0), (30.0, 0.01, 1000.0)]


def midpoints(law: Gompertz, n: int = 400_000):
    """Ratings in even steps from birth to where nobody is, and the step."""
    end = float(law.quantile(np.array(1.0 - 1e-15)))
    width = (end - law.birth) / n
    return law.birth + width * (np.arange(n) + 0.5), width


@pytest.mark.parametrize(("c8", "q", "birth"), CASES)
def test_normalised(c8, q, birth):
    """EQ 60 integrates to 1 for every c8 (claim 16), by the midpoint rule."""
    law = Gompertz(c8, q, birth)
    x, width = midpoints(law)
    assert law.density(x).sum() * width == approx(1.0, abs=1e-8)


@pytest.mark.parametrize(("c8", "q", "birth"), CASES)
def test_mean_is_the_mean(c8, q, birth):
    """The mean is the integral of R p(R), by the midpoint rule."""
    law = Gompertz(c8, q, birth)
    x, width = midpoints(law)
    above = ((x - birth) * law.density(x)).sum() * width
    assert law.mean - birth == approx(above, rel=1e-7)


@pytest.mark.parametrize(("c8", "q", "birth"), CASES)
def test_cdf_gathers_the_density(c8, q, birth):
    """The slope of the cdf is the density, by central differences."""
    law = Gompertz(c8, q, birth)
    x = np.linspace(law.birth + 0.01 / q, law.median, 20)
    step = 1e-5 / q
    slope = (law.cdf(x + step) - law.cdf(x - step)) / (2.0 * step)
    assert slope == approx(law.density(x), rel=1e-6, abs=1e-9)  # abs: rounding over the step


@pytest.mark.parametrize(("c8", "q", "birth"), CASES)
def test_quantile_inverts_the_cdf(c8, q, birth):
    """The quantile of a share has that share below it, and the median half."""
    law = Gompertz(c8, q, birth)
    share = np.linspace(0.0, 0.999, 30)
    assert law.cdf(law.quantile(share)) == approx(share, abs=1e-12)
    assert law.quantile(np.array([0.0, 1.0])).tolist() == [birth, inf]
    assert law.median == approx(birth + log(1.0 + log(2.0) / c8) / q, rel=1e-13)  # section 5.3


@pytest.mark.parametrize(("c8", "q", "birth"), CASES)
def test_nowhere_denser_than_at_the_mode(c8, q, birth):
    """No rating is denser than the mode."""
    law = Gompertz(c8, q, birth)
    x, _ = midpoints(law, 1000)
    assert law.density(x).max() <= law.density(np.array(law.mode))


def test_published_means():
    """e^c8 E1(c8) at 0.1, 0.5 and 1; at 1 it is Gompertz's constant 0.596347362323194."""
    # tables of the exponential integral: E1(0.1) = 1.8229240, E1(0.5) = 0.5597736
    assert Gompertz(0.1).mean == approx(1.8229239584 * e**0.1, abs=1e-9)
    assert Gompertz(0.5).mean == approx(0.5597735948 * e**0.5, abs=1e-9)
    assert Gompertz(1.0).mean == approx(0.596347362323194, abs=1e-14)


def test_series_and_fraction_meet():
    """The two ways to e^c E1(c) agree where one takes over from the other."""
    below = scaled_exponential_integral(1.0)
    above = scaled_exponential_integral(1.0 + 1e-12)
    assert below == approx(above, rel=1e-11)
    assert 1.0 / 101.0 < scaled_exponential_integral(100.0) < 1.0 / 100.0  # a known bracket


def test_tail_falls_doubly_exponentially():
    """log(-log(1 - cdf)) rises by Q a point high up (claim 16)."""
    law = Gompertz(0.05, 0.02, 1000.0)
    x = np.array([1300.0, 1310.0])
    survivors = np.log(-np.log1p(-law.cdf(x)))
    # log(e^y - 1) instead of y: 1 / (e^6 - 1) above the slope
    assert survivors[1] - survivors[0] == approx(0.2, rel=4e-3)


def test_nobody_below_birth_or_at_infinity():
    """The density is 0 below birth and far above, and the logarithm says -inf."""
    law = Gompertz(0.1, 1.0, 5.0)
    assert law.density(np.array([4.999, 2000.0, inf])).tolist() == [0.0, 0.0, 0.0]
    assert law.log_density(np.array([4.0])).tolist() == [-inf]
    assert np.isfinite(law.log_density(np.array([60.0]))).all()  # where the density itself is 0
    assert np.isnan(law.density(np.array([np.nan]))).all()


def test_sample_follows_the_law():
    """The mean of 100,000 drawn ratings is the law's, within 4 standard errors; seeds repeat."""
    law = Gompertz(0.1, 0.01, 1000.0)
    drawn = law.sample(100_000, seed=7)
    assert drawn.mean() == approx(law.mean, abs=4.0 * drawn.std() / 100_000**0.5)
    assert np.array_equal(drawn, law.sample(100_000, seed=7))
    share = (drawn <= law.median).mean()
    assert share == approx(0.5, abs=4.0 * 0.5 / 100_000**0.5)


@pytest.mark.parametrize(
    ("law", "code", "name"),
    [
        ((0, 1, 0), "constant_out_of_range", "c8"),
        ((1, -1, 0), "constant_out_of_range", "q"),
        ((np.nan, 1, 0), "constant_out_of_range", "c8"),
        ((1, 1, inf), "not_finite", "birth"),
    ],
)
def test_bad_laws_are_refused(law, code, name):
    """A c8 or Q that is not above 0, or a birth that is nowhere, is refused by name."""
    with refused(BadSetting, code, about=name):
        Gompertz(*law)


def test_learning_constant_of_the_postulates():
    """c7 is the slope of R(t) that EQ 57 and 58 give, by differences."""
    c1, c3, c4, effort, half = 0.01, 0.6, 0.2, 50.0, 1.3
    c7 = learning_constant(c1, c3, c4, effort, half)

    def rating(h):
        """EQ 57: 1 / (1 + e^-(R - half)) = 1 - c3 c2^h, solved for R."""
        wrong = c3 * (1.0 - c1) ** h
        return half + log((1.0 - wrong) / wrong)

    for h in (10.0, 200.0):
        wrong = c3 * (1.0 - c1) ** h
        heuristics = c4 * c1 / effort * wrong / c3  # found per unit of time (EQ 58)
        step = 1e-4
        slope = (rating(h + step) - rating(h - step)) / (2.0 * step) * heuristics
        assert slope == approx(c7 * np.exp(-rating(h)), rel=1e-6)


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ({"c1": 1.0}, "not_a_share"),
        ({"c3": 0.0}, "not_a_share"),
        ({"c4": 1.5}, "not_a_share"),
        ({"effort": 0.0}, "not_above_zero"),
    ],
)
def test_bad_constants_are_refused(bad, code):
    """A share outside (0, 1) is refused by name."""
    good = {"c1": 0.01, "c3": 0.5, "c4": 0.5, "effort": 10.0, "half": 0.0}
    with refused(BadSetting, code, about=next(iter(bad))):
        learning_constant(**(good | bad))
