"""The posterior mean, its intervals, and a newcomer among established players."""

from __future__ import annotations

import numpy as np
import pytest

import prowess
from prowess.engine.fit import fit_table
from prowess.engine.fits.connectivity import Unidentifiable
from prowess.systems import posterior_mean
from prowess.systems.bradley_terry import BRADLEY_TERRY
from prowess.systems.posterior_mean import POSTERIOR_MEAN
from tests.engine.tables import games
from tests.refusals import refused

KNOWN = {"Ben": 1600.0, "Cleo": 1700.0, "Dan": 1800.0, "Eve": 1500.0}
# newcomer against 1600, 1700, 1800, 1500: wins, mean by normal(1622, 324), by the histogram
# (specification, section 6.6)
NEWCOMER = [(4, 2020.389568, 2035.690619), (0, 1255.854832, 1337.336617)]


@pytest.mark.parametrize(("wins", "normal", "histogram"), NEWCOMER)
def test_an_undefeated_newcomer_is_finite(wins, normal, histogram):
    """Claim 15: with a prior who won, or lost, all his games has a finite rating."""
    table = games([("Ada", name, 1.0 if wins else 0.0) for name in KNOWN])
    by_normal = prowess.rate(table, "posterior_mean", anchors=KNOWN, mean=1622, sd=324)
    assert by_normal["Ada"].rating == pytest.approx(normal, abs=1e-4)
    by_bins = prowess.rate(table, "posterior_mean", anchors=KNOWN, prior="histogram")
    assert by_bins["Ada"].rating == pytest.approx(histogram, abs=1e-4)


def test_without_a_prior_he_is_refused():
    """Claim 15: without a prior the undefeated player has no finite rating."""
    table = games([("Ada", name, 1.0) for name in KNOWN])
    with refused(Unidentifiable, "no_finite_ratings", about="Ada"):
        fit_table(table, BRADLEY_TERRY, anchors=KNOWN)


def test_a_league_of_three():
    """The reference league (specification, section 6.6): one natural unit is 400 / ln 10 points."""
    rows = [("A", "B", 1.0)] * 2 + [("A", "C", 1.0), ("B", "A", 1.0)] + [("B", "C", 1.0)] * 2
    unit = 400.0 / np.log(10.0)
    ratings = prowess.rate(games(rows), "posterior_mean", mean=0, sd=unit)
    assert ratings.column("rating") / unit == pytest.approx(
        [0.558005, 0.263837, -0.821843], abs=1e-5
    )
    assert ratings.column("deviation") / unit == pytest.approx(
        [0.808187, 0.780521, 0.848420], abs=1e-5
    )


def test_intervals_come_from_joint_draws():
    """Intervals have the width of a nearly normal posterior; differences are surer than ratings."""
    table = games([("Ada", "Ben", 0.5)] * 60 + [("Ben", "Cleo", 0.5)] * 60)
    ratings = fit_table(table, POSTERIOR_MEAN, params={"samples": 8000})
    width = ratings.column("high") - ratings.column("low")
    assert width / ratings.column("deviation") == pytest.approx(2 * 1.96, rel=0.06)
    about_ben = fit_table(table, POSTERIOR_MEAN, params={"samples": 8000}, reference="Ben")
    assert about_ben["Ada"].deviation < 0.5 * ratings["Ada"].deviation
    # sixty even games: information 60 Q^2 / 4, so 44.85 points, a little less with the prior
    assert about_ben["Ada"].deviation == pytest.approx(44.85, rel=0.06)


def test_the_seed_decides():
    """Equal seeds give equal numbers, another seed others, within the stated standard error."""
    rows = [("Ada", "Ben", 1.0), ("Ben", "Cleo", 1.0), ("Cleo", "Dan", 0.5), ("Dan", "Ada", 0.0)]
    table = games(rows * 3)
    one, again, other = (
        fit_table(table, POSTERIOR_MEAN, params={"seed": seed, "samples": 4000})
        for seed in (1, 1, 2)
    )
    assert np.array_equal(one.column("rating"), again.column("rating"))
    assert not np.array_equal(one.column("rating"), other.column("rating"))
    error = np.hypot(one.figures["error"], other.figures["error"])
    assert np.abs(one.column("rating") - other.column("rating")).max() < 5.0 * error
    assert "standard error" in one.notes[-1]


def test_too_few_draws_are_told():
    """Differences of half a bin that hundreds of games make sure hardly move: the note says so."""
    even, half_a_bin = 0.5, 0.5715  # the expected score of 50 points more
    rows = [("Ada", "Ben", even), ("Ben", "Cleo", half_a_bin), ("Cleo", "Dan", even)]
    table = games(rows * 1500)
    ratings = fit_table(table, POSTERIOR_MEAN, params={"prior": "histogram", "samples": 200})
    assert any("not converged" in note for note in ratings.notes)


def test_literal_draws_count_every_game_twice():
    """Footnote 3 taken literally equals the same table played twice."""
    rows = [("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.5)]
    literal = prowess.rate(games(rows), "posterior_mean", draws="literal")
    twice = prowess.rate(games(rows * 2), "posterior_mean")
    assert literal.column("rating") == pytest.approx(twice.column("rating"), abs=1e-9)


def test_forecasts_are_less_sure_than_the_ratings():
    """What is not known of ratings draws a forecast towards 1/2."""
    table = games([("Ada", "Ben", 1.0)])
    ratings = prowess.rate(table, "posterior_mean")
    apart = ratings["Ada"].rating - ratings["Ben"].rating
    assert 0.5 < ratings.forecast("Ada", "Ben").expected < 1.0 / (1.0 + 10.0 ** (-apart / 400.0))


@pytest.mark.parametrize("curve", ["logistic", "normal"])
def test_many_games_are_foreseen_as_one_by_one(curve, monkeypatch):
    """Repeated pairs, newcomers and no game at all; also where draws of few pairs are held."""
    table = games([("Ada", "Ben", 1.0), ("Ben", "Cleo", 1.0), ("Cleo", "Ada", 0.5)])
    ratings = fit_table(
        table, POSTERIOR_MEAN, params={"curve": curve, "samples": 200, "advantage": 50}
    )
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 5, size=(2, 60))  # 3 and 4 are newcomers
    a, b = a[a != b], b[a != b]
    side = rng.integers(-1, 2, size=len(a)).astype(float)
    asked = zip(a.tolist(), b.tolist(), side.tolist(), strict=True)
    alone = [ratings.chances(*one).expected for one in asked]
    assert ratings.forecast_pairs(range(5), a, b, side)[0].tolist() == alone
    monkeypatch.setattr(posterior_mean, "NUMBERS_COMPARED", 1)
    assert ratings.forecast_pairs(range(5), a, b, side)[0].tolist() == alone
    assert ratings.forecast_pairs(range(5), a[:0], b[:0])[0].tolist() == []


def test_games_of_one_pair_are_foreseen_once(monkeypatch):
    """A million games of two players take no more memory than one."""
    ratings = fit_table(games([("Ada", "Ben", 1.0)]), POSTERIOR_MEAN, params={"samples": 200})
    compared = []
    mean = posterior_mean.mean_chances

    def note_shape(curve, q, apart):
        compared.append(apart.shape)
        return mean(curve, q, apart)

    monkeypatch.setattr(posterior_mean, "mean_chances", note_shape)
    a = np.zeros(1000, dtype=np.int64)
    expected, _ = ratings.forecast_pairs([0, 1], a, a + 1)
    assert compared == [(1, 200)]
    assert set(expected.tolist()) == {ratings.chances(0, 1, 0.0).expected}
