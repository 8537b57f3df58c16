"""Priors: normalised, with the derivatives they claim."""

from __future__ import annotations

from math import exp, inf, isnan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pytest import approx
from scipy.optimize import minimize

import prowess
from prowess.engine.fit import NoModel
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
from prowess.engine.leaderboard import UnknownPlayer
from prowess.engine.params import BadSetting
from prowess.engine.streams.fit_stream import fit_stream
from prowess.engine.streams.rate_stream import rate_stream
from prowess.engine.system import Unratable
from prowess.systems.catalogue import find
from tests.engine.pieces import TablePieces
from tests.refusals import refused

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


# --- normal priors of single players --------------------------------------------------------------

RESULTS = [
    *[("Ann", "Bob", 1.0)] * 5, *[("Ann", "Bob", 0.0)] * 3, *[("Bob", "Cid", 1.0)] * 4,
    *[("Bob", "Cid", 0.0)] * 2, *[("Cid", "Dee", 1.0)] * 3,
]  # fmt: skip
NAMES = ["Ann", "Bob", "Cid", "Dee"]


def maximise_by_scipy(
    priors: dict[str, tuple[float, float]], shared: tuple[float, float] | None = None
) -> tuple[Any, Any]:
    """Ratings and deviations by minimising minus the log posterior, without a line of Prowess."""

    def surprise(ratings: Any) -> float:
        known = dict(zip(NAMES, ratings, strict=True))
        found = 0.0
        for a, b, score in RESULTS:
            lead = known[a] - known[b]
            found += np.log1p(10.0 ** (-(lead if score == 1.0 else -lead) / 400.0))
        for name in NAMES:
            mean, deviation = priors.get(name, shared or (0.0, np.inf))
            found += 0.5 * ((known[name] - mean) / deviation) ** 2
        return float(found)

    start = np.full(4, 2300.0)
    for _ in range(4):
        start = minimize(surprise, start, method="BFGS", options={"gtol": 1e-9}).x
    size, steps = 2.0, np.eye(4) * 2.0
    hessian = [
        [
            (surprise(start + i + j) - surprise(start + i - j) - surprise(start - i + j)
             + surprise(start - i - j)) / (4.0 * size * size)
            for j in steps
        ]
        for i in steps
    ]  # fmt: skip
    return start, np.sqrt(np.diag(np.linalg.inv(hessian)))


def test_a_prior_of_one_player_against_scipy():
    """Players whose rating was believed are drawn to it, others follow them through their games."""
    priors = {"Ann": (2500.0, 40.0), "Dee": (2100.0, 90.0)}
    own = {name: {"rating": r, "deviation": d} for name, (r, d) in priors.items()}
    found = prowess.rate(RESULTS, "bradley_terry", initial=own)
    ratings, deviations = maximise_by_scipy(priors)
    assert [found[name].rating for name in NAMES] == approx(ratings.tolist(), abs=0.05)
    assert [found[name].deviation for name in NAMES] == approx(deviations.tolist(), rel=1e-3)
    found = prowess.rate(RESULTS, "map", initial=own, mean=2000, sd=200)
    ratings, deviations = maximise_by_scipy(priors, (2000.0, 200.0))
    assert [found[name].rating for name in NAMES] == approx(ratings.tolist(), abs=0.05)
    assert [found[name].deviation for name in NAMES] == approx(deviations.tolist(), rel=1e-3)


def test_one_prior_sets_the_level_alone():
    """With a prior of one player the differences are those of the likelihood, and they keep it."""
    games = RESULTS[:14]
    plain = prowess.rate(games, "bradley_terry")
    found = prowess.rate(
        games, "bradley_terry", initial={"Bob": {"rating": 2000.0, "deviation": 30.0}}
    )
    assert found["Bob"].rating == approx(2000.0, abs=1e-6)
    assert found["Bob"].deviation == approx(30.0, rel=1e-9)
    for name in NAMES[:3]:
        apart = plain[name].rating - plain["Bob"].rating
        assert found[name].rating == approx(2000.0 + apart, abs=1e-4)
    own = prowess.rate(games, "bradley_terry", anchors={"Bob": 2000.0})["Ann"].deviation
    assert found["Ann"].deviation == approx(np.hypot(own, 30.0), rel=1e-6)


def test_a_narrow_prior_is_an_anchor(tmp_path):
    """A deviation near 0 holds the rating; a saved fit has its priors, and so has a stream."""
    own = {"Ann": {"rating": 2500.0, "deviation": 1e-3}}
    found = prowess.rate(RESULTS[:14], "thurstone", initial=own)
    held = prowess.rate(RESULTS[:14], "thurstone", anchors={"Ann": 2500.0})
    assert found["Cid"].rating == approx(held["Cid"].rating, abs=1e-3)
    prowess.save(found, tmp_path / "fit.prowess")
    assert prowess.load(tmp_path / "fit.prowess")["Cid"].rating == found["Cid"].rating
    file = tmp_path / "games.csv"
    lines = ["a,b,score", *(f"{a},{b},{score:g}" for a, b, score in RESULTS[:14])]
    file.write_text("\n".join(lines) + "\n")
    streamed = prowess.rate(file, "thurstone", initial=own, memory="1GB")
    assert streamed["Cid"].rating == prowess.rate(file, "thurstone", initial=own)["Cid"].rating


def test_wrong_priors_are_refused():
    """A prior has a rating and a deviation, and a player one of prior and anchor."""
    believed = {"Ann": {"rating": 2500.0, "deviation": 40.0}}
    with refused(BadSetting, "option_not_taken", about="colley"):
        prowess.rate(RESULTS, "colley", initial=believed)
    for wrong in ({"rating": 2500.0}, {"rating": 2500.0, "deviation": 0.0}, {"k": 3.0}):
        with refused(Unratable, "not_a_prior", about="Ann"):
            prowess.rate(RESULTS, "map", initial={"Ann": wrong})
    for deviation in (1e-200, 1e12):  # a fit loses its digits
        with refused(Unratable, "not_a_prior", about="from 1e-06 to 1,000,000 points"):
            prowess.rate(
                RESULTS, "thurstone", initial={"Ann": {**believed["Ann"], "deviation": deviation}}
            )
    with refused(Unratable, "not_a_prior", about="Ann"):
        prowess.rate(RESULTS, "map", initial=believed, anchors={"Ann": 2500.0})
    with refused(UnknownPlayer, "unknown_player", about="did you mean 'Ann'"):
        prowess.rate(RESULTS, "map", initial={"ANN": believed["Ann"]})
    fitted = prowess.rate(RESULTS, "bradley_terry", initial=believed | {"Dee": believed["Ann"]})
    with refused(NoModel, "no_bootstrap", about="--start"):
        fitted.bootstrap(10)


def test_a_prior_without_a_game():
    """The interval is that of the prior, 300 -+ 1.96 times 50; there is no rank, and others are
    ranked as without that player; about another player nothing is known of the difference.
    """
    names = [f"P{k}" for k in range(4)]
    games = [(a, b, 1.0) for k, a in enumerate(names) for b in names[k + 1 :]]
    games += [(b, a, 1.0) for a, b, _ in games]
    own = {"Zed": {"rating": 300.0, "deviation": 50.0}}
    found, plain = (prowess.rate(games, "bradley_terry", initial=one) for one in (own, None))
    zed = found["Zed"]
    assert (zed.low, zed.high) == approx((300.0 - 97.998, 300.0 + 97.998), abs=1e-3)
    assert (zed.rank_low, zed.rank_high) == (0, 0)
    for column in ("rank_low", "rank_high"):
        assert found.columns[column][:4].tolist() == plain.columns[column].tolist()
    about = prowess.rate(games, "bradley_terry", initial=own, reference="P0")["Zed"]
    assert all(map(isnan, (about.deviation, about.low, about.high)))
    with refused(Unratable, "player_without_games", about="Zed"):
        found.superiority(["Zed", "P0"])
    streamed = fit_stream(TablePieces(plain.table, [2, 5]), find("bradley_terry"), initial=own)
    assert streamed.players == found.players
    for column, values in found.columns.items():
        assert np.array_equal(streamed.columns[column], values, equal_nan=True)
    assert streamed.notes == found.notes
    start = {"Zed": {"rating": 1700.0}}
    with refused(Unratable, "starts_not_streamed", about="Zed"):
        rate_stream(TablePieces(plain.table, [2]), find("elo"), start=start)
