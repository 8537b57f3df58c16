"""Priors: normalised, with the derivatives they claim."""

from __future__ import annotations

from math import exp, inf, isnan

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.engine.fits.posterior import (
    EXTREME_VALUE,
    FLAT,
    HISTOGRAM,
    NORMAL,
    Prior,
    bins_of,
    lowest,
    prior_terms,
    report_bins,
)

PRIORS = [
    Prior(NORMAL, 1500.0, 350.0),
    Prior(EXTREME_VALUE, birth=1000.0, c8=0.02, q=0.00575),
    Prior(EXTREME_VALUE, birth=0.0, c8=0.5, q=1.0),
]


@pytest.mark.parametrize("prior", PRIORS)
def test_densities_integrate_to_one(prior):
    """The integral of p over all ratings is 1 (EQ 60 is normalised for every c8)."""
    low = lowest(prior) if prior.kind == EXTREME_VALUE else prior.mean - 10 * prior.sd
    high = prior.birth + 12.0 / prior.q if prior.kind == EXTREME_VALUE else prior.mean + 3500
    x, step = np.linspace(low, high, 40_001, retstep=True)
    p = np.array([exp(prior_terms(prior, float(one))[0]) for one in x])
    assert step * (p.sum() - 0.5 * (p[0] + p[-1])) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("prior", PRIORS)
@given(share=st.floats(0.01, 4.0))
def test_derivatives_are_those_of_the_density(prior, share):
    """First and second derivative equal differences of the log density."""
    size = 1.0 / prior.q if prior.kind == EXTREME_VALUE else prior.sd
    x, step = max(prior.mean, prior.birth) + share * size, 1e-4 * size
    below, here, above = (prior_terms(prior, x + k * step)[0] for k in (-1, 0, 1))
    _, first, second = prior_terms(prior, x)
    scale = 1.0 + exp(share)  # EQ 60 falls by a double exponential
    assert first * size == pytest.approx((above - below) / 2e-4, abs=1e-6 * scale)
    assert second * size**2 == pytest.approx((above - 2 * here + below) / 1e-8, abs=1e-5 * scale)


def test_nobody_is_below_birth():
    """EQ 60 has no players below the birth rating; other priors have no lowest rating."""
    assert prior_terms(PRIORS[1], 999.9)[0] == -inf
    assert lowest(PRIORS[1]) == 1000.0
    assert lowest(Prior(FLAT)) == lowest(PRIORS[0]) == -inf


def test_a_histogram_has_no_density():
    """Whoever asks a histogram for a slope gets no number."""
    assert all(isnan(one) for one in prior_terms(Prior(HISTOGRAM), 1500.0))


def test_the_report_s_histogram():
    """7,030 players, mean 1673.1, deviation 299.2 (section 6.13 of the specification)."""
    mids, share = report_bins()
    mean = float(mids @ share)
    assert mean == pytest.approx(1673.1, abs=0.05)
    assert float(share @ (mids - mean) ** 2) ** 0.5 == pytest.approx(299.2, abs=0.05)


def test_bins_of_a_league():
    """Players are counted in bins of 100 points, empty bins between them included."""
    mids, share = bins_of(np.array([1210.0, 1299.9, 1500.0, -20.0]))
    assert mids.tolist() == [-50.0 + 100.0 * k for k in range(17)]
    assert {m: s for m, s in zip(mids, share, strict=True) if s} == {
        -50.0: 0.25, 1250.0: 0.5, 1550.0: 0.25,
    }  # fmt: skip
