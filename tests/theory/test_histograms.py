"""Learning rates from histograms, and the tables of the report."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from pytest import approx

from prowess.engine.params import BadSetting
from prowess.theory import histograms
from prowess.theory.histograms import Histogram, death_rate, mean_of_lower
from prowess.theory.learning import Gompertz
from tests.refusals import refused


def test_print_is_reproduced():
    """All rows of the population table but 2600-99 are L/D and log(L/D) as printed (claim 23)."""
    found = histograms.printed_population()
    for row, value in zip(histograms.PRINTED, found.learning, strict=True):
        if row.rating == 2600:
            assert log(value) == approx(-0.693147, abs=1e-6)  # the erratum: L / D is 0.5
            assert log(row.learning) == approx(-0.186, abs=1e-3)  # nor does it agree with itself
        else:
            digits = 0.05 if row.rating < 1200 else 0.005
            assert value == approx(row.learning, abs=digits + 1e-9)
            assert log(value) == approx(row.log_learning, abs=6e-5)


def test_printed_errors_of_logarithms():
    """Printed errors of log(L/D) are atanh(e / (L/D)) of the printed e, but at 1100-99."""
    for row in histograms.PRINTED[:16]:
        implied = row.learning * np.tanh(row.log_deviation)
        slack = 0.5 if row.rating < 1100 else 0.006 if row.rating != 1100 else 0.01
        right = 2.59 if row.rating == 1100 else row.deviation
        assert implied == approx(right, abs=slack)


def test_who_they_were():
    """7030 in five snapshots, mean 1673.1, sd 299.2 (specification, section 6.13)."""
    table = histograms.printed_population()
    middle = table.bins + 0.5 * table.width
    mean = np.average(middle, weights=table.players)
    assert table.players.sum() == 7030
    assert mean == approx(1673.1, abs=0.05)
    assert sqrt(np.average((middle - mean) ** 2, weights=table.players)) == approx(299.2, abs=0.05)


def test_tracking_as_printed():
    """With 53.9 at 2000-99 the means are the printed 21.1, 29.9 and 12.2; with 563.9 not."""
    gains = histograms.tracked_gains()
    assert gains.players == 136
    assert gains.mean == approx(21.1, abs=0.05)
    assert gains.lower == approx(29.9, abs=0.05)
    assert gains.higher == approx(12.2, abs=0.07)  # 12.269: the report cuts
    legible = tuple(
        row._replace(points=563.9) if row.rating == 2000 else row for row in histograms.TRACKING
    )
    assert histograms.tracked_gains(legible).mean == approx(54.8, abs=0.05)


def test_lower_learn_more():
    """The lower half gains more than the higher, as EQ 59 says."""
    gains = histograms.tracked_gains()
    assert gains.lower > gains.higher
    assert (gains.lower + gains.higher) / 2.0 == approx(gains.mean, abs=1e-12)


def test_death_rate_in_one_unit():
    """20.1 points in 77 days at 4.98 bins of 100 points: 1/1908 a day, not 1/19."""
    assert 1.0 / death_rate(20.1, 77.0, 4.98, 100.0) == approx(1908, abs=0.5)
    assert 1.0 / death_rate(20.1, 77.0, 4.98, 1.0) == approx(19.08, abs=0.005)
    table = histograms.printed_population().between(*histograms.FITTED)
    own = death_rate(histograms.tracked_gains().mean, 77.0, table.mean_learning, 100.0)
    assert 1.0 / own == approx(1818, abs=0.5)


def test_slope_within_a_factor_of_3():
    """log(L/D) falls by 1 per 430 to 490 points, against 174 of the model (claim 23)."""
    rows = histograms.printed_population().between(*histograms.FITTED)
    points = rows.points_per_e
    assert 430.0 <= points <= 490.0
    assert points / (400.0 / log(10.0)) < 3.0


def test_slope_of_the_model():
    """Counts that follow EQ 60 exactly fall by 1 per 1 / Q points, in narrow bins."""
    law = Gompertz(0.02, 1.0 / 174.0, 1000.0)
    bins = np.arange(1000.0, 2000.0, 2.0)
    counts = 1e9 * (law.cdf(bins + 2.0) - law.cdf(bins))
    rows = Histogram(bins, counts).between(1000.0, 1500.0)
    assert rows.points_per_e == approx(174.0, rel=0.002)  # bins of 1/87 of 1/Q; the top is cut


def test_delta_method():
    """Over 4,000 drawn histograms L/D varies as its standard error says, within 5 percent."""
    rng = np.random.default_rng(3)
    expected = np.array([400.0, 900.0, 500.0, 200.0])
    drawn = rng.poisson(expected, size=(4000, 4)).astype(float)
    bins = np.arange(4) * 100.0
    learning = np.array([Histogram(bins, row).learning for row in drawn])
    said = Histogram(bins, expected)
    # a deviation of 4,000 has the error 1/sqrt(8000) = 1.1 percent; the delta method drops 1/n
    assert learning.std(axis=0)[:3] == approx(said.deviation[:3], rel=0.05)
    assert np.log(learning).std(axis=0)[:3] == approx(said.log_deviation[:3], rel=0.05)


def test_players_are_counted():
    """Ratings fall into the bins that begin at multiples of the width."""
    table = histograms.histogram(np.array([1199.9, 1200.0, 1250.0, 1399.0, -0.5 + 1300.5]), 100.0)
    assert table.bins.tolist() == [1100.0, 1200.0, 1300.0]
    assert table.players.tolist() == [1.0, 2.0, 2.0]
    assert table.above.tolist() == [4.0, 2.0, 0.0]


def test_range_keeps_those_above():
    """Bins of a part of the table have the same L / D as in the whole one."""
    ratings = np.random.default_rng(2).normal(1500.0, 200.0, 5000)
    whole = histograms.histogram(ratings, 100.0, 1000.0, 2000.0)
    part = histograms.histogram(ratings, 100.0, 1350.0, 1700.0)
    assert part.bins.tolist() == [1400.0, 1500.0, 1600.0]
    assert part.beyond == (ratings >= 1700.0).sum()
    assert part.learning.tolist() == whole.learning[4:7].tolist()
    assert part.deviation.tolist() == whole.deviation[4:7].tolist()


def test_lower_part_divides_a_bin():
    """The mean of the lower half counts a divided bin by its part."""
    assert mean_of_lower(np.array([1.0, 5.0]), np.array([1.0, 3.0])) == approx(3.0)
    assert mean_of_lower(np.array([1.0, 5.0]), np.array([2.0, 2.0])) == 1.0


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (lambda: Histogram(np.array([0.0, 1.0]), np.array([3.0, 0.0])), "bins_too_empty"),
        (lambda: Histogram(np.array([0.0, 1.0, 3.0]), np.ones(3)), "bins_uneven"),
        (lambda: Histogram(np.array([0.0]), np.ones(1)), "too_few_bins"),
        (lambda: histograms.histogram(np.array([1.0, 1e9]), 1.0), "bins_too_empty"),
        (lambda: histograms.histogram(np.array([1.0, np.nan]), 1.0), "not_finite"),
        (lambda: histograms.histogram(np.array([1.0, 2.0]), 0.0), "not_above_zero"),
        (lambda: death_rate(20.0, 0.0, 5.0, 100.0), "not_above_zero"),
        (lambda: histograms.printed_population().between(3000.0, 4000.0), "no_bin_in_range"),
    ],
)
def test_nonsense_is_refused(wrong, word):
    """Empty bins, unequal bins and empty ranges are refused, with what to do."""
    with refused(BadSetting, word):
        wrong()
