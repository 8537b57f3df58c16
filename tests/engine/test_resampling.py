"""The bootstrap: one step against full refits, merged counts against rows."""

from __future__ import annotations

import numpy as np
import pytest
from pytest import approx

from prowess.engine.cluster.workers import SERIAL, workers_of
from prowess.engine.fits import covariance as covariance_module
from prowess.engine.fits.covariance import covariance, make_resampler
from prowess.engine.fits.fit_rows import resample_counts
from prowess.engine.fits.likelihood import DAVIDSON, HALF, RAO_KUPPER, OutcomeModel
from prowess.engine.fits.posterior import FLAT, NORMAL, Prior
from prowess.engine.fits.strengths import Solved, solve
from prowess.engine.win_probability import LOGISTIC
from prowess.games.games import Games
from prowess.games.tally import tally
from tests.engine.leagues import Q, league, refit_resamples

PRIORS = {"flat": Prior(kind=FLAT), "normal": Prior(kind=NORMAL, mean=1500.0, sd=300.0)}
TABLE = league(6, 3000, 8, drawn=0.2)


def solved(prior: str, draws: int = HALF, *, advantage: bool = False) -> Solved:
    """The maximum."""
    model = OutcomeModel(LOGISTIC, draws, Q)
    return solve(TABLE, {}, model, PRIORS[prior], mean=1500.0, advantage=advantage)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("draws", [HALF, DAVIDSON, RAO_KUPPER])
def test_one_step_is_nearly_a_refit(prior, draws):
    """The same resamplings, stepped and refitted, spread alike and lie close together."""
    found = solved(prior, draws, advantage=True)
    stepped = make_resampler(found.best, found.place, found.roster, found.shift)(60, 1, SERIAL)
    slow = (
        refit_resamples(found.best, found.place, found.roster, 60, 1, TABLE.players) + found.shift
    )
    assert stepped.std(axis=0) == approx(slow.std(axis=0), rel=0.05)
    assert np.abs(stepped - slow).max() < 0.1 * np.abs(slow - slow.mean(axis=0)).max()


@pytest.mark.parametrize("dense", [True, False])
def test_spread_is_the_standard_error(dense):
    """Over many resamplings the spread nears that of the information matrix (Davidson's model)."""
    found = solved("flat", DAVIDSON)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("newton.DENSE", "covariance.DENSE_PLAYERS"):
            patch.setattr(f"prowess.engine.fits.{name}", 10**9 if dense else 0)
        draw = make_resampler(found.best, found.place, found.roster, found.shift)
        ratings = draw(2000, 3, SERIAL)
    exact = np.sqrt(np.diagonal(covariance(found.best))[:6])
    assert ratings.std(axis=0) == approx(exact, rel=0.1)
    assert ratings.mean(axis=0) == approx(found.ratings, abs=4 * exact.max() / np.sqrt(2000))
    assert ratings.mean(axis=1) == approx(1500.0)  # the zero is the same in every one


def test_equal_seeds_give_equal_numbers():
    """A seed fixes all numbers, and another one gives others."""
    found = solved("flat")
    draw = make_resampler(found.best, found.place, found.roster, found.shift)
    np.testing.assert_array_equal(draw(5, 7, SERIAL), draw(5, 7, SERIAL))
    assert not np.array_equal(draw(5, 7, SERIAL), draw(5, 8, SERIAL))


@pytest.mark.parametrize("dense", [True, False])
def test_workers_change_no_bit(dense):
    """The k-th resampling has the k-th seed, in whatever process and group it is drawn."""
    found = solved("flat")
    draw = make_resampler(found.best, found.place, found.roster, found.shift)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(covariance_module, "DENSE_PLAYERS", 10**9 if dense else 0)
        expected = draw(12, 7, SERIAL)
        patch.setattr(covariance_module, "TASK", 300)  # in small groups
        with workers_of(2) as workers:
            np.testing.assert_array_equal(draw(12, 7, workers), expected)
        np.testing.assert_array_equal(draw(5, 7, SERIAL), expected[:5])


@pytest.mark.parametrize("weight", [1.0, 2.5])
def test_counts_are_drawn_like_games(weight):
    """Every resampling holds as many games, and a cell of share s has the mean n s."""
    table = Games(TABLE.players, TABLE.a, TABLE.b, TABLE.score, weight=np.full(len(TABLE), weight))
    rows = tally(table)
    counts = np.stack((rows.wins, rows.draws, rows.losses))
    again = np.array([resample_counts(rows, 2, k) for k in range(400)])
    assert again.sum(axis=(1, 2)) == approx(counts.sum())
    assert (again[:, counts == 0.0] == 0.0).all()
    noise = np.sqrt(counts / 400)
    assert (np.abs(again.mean(axis=0) - counts) <= 5 * noise + 1e-9).all()
