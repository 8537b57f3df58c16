"""The report of votes, which have no dates: nothing in it is taken from the order of the file."""

from __future__ import annotations

import random
import re
from math import exp

import numpy as np
import pytest

import prowess
from prowess.present.report import own_forecasts, report
from prowess.verbs.pages import compare_own


@pytest.fixture(scope="module")
def votes():
    """400 votes between five models, in an order that says nothing."""
    draw = random.Random(3)
    strength = {name: 0.4 * k for k, name in enumerate(["Alpha", "Beta", "Gamma", "Delta", "Eta"])}
    rows = []
    for _ in range(400):
        a, b = draw.sample(list(strength), 2)
        rows.append((a, b, float(draw.random() < 1 / (1 + exp(strength[b] - strength[a])))))
    return rows


@pytest.mark.parametrize("system", ["bradley_terry", "elo"])
def test_votes_are_forecast_from_all_others(votes, system):
    """Every vote is judged, by forecasts of ten parts from the others; so are all systems."""
    given = {} if system == "bradley_terry" else {"forecasts": True}
    ratings = prowess.rate(votes, system, **given)
    own = own_forecasts(ratings)
    assert own.folds is not None
    assert own.count == len(votes)
    comparison, _ = compare_own(ratings, own)
    assert comparison.folds is own.folds
    assert comparison.count == len(votes)
    page = report(ratings, forecasts=own, comparison=comparison)
    keys = [section.key for section in page.sections()]
    assert "streaks" not in keys
    assert {"calibration", "systems"} <= {*keys}
    assert "in the order of" not in re.sub(r"<[^>]+>", " ", page.to_html())


def test_the_order_of_votes_changes_no_forecast_of_a_fit(votes):
    """The folds are dealt by row: a fitted system's mean score is that of a cross-validation."""
    ratings = prowess.rate(votes, "bradley_terry")
    own = own_forecasts(ratings)
    apart = prowess.compare(votes, ["bradley_terry"], folds=10, progress=False)
    (one,) = [entry.test for entry in apart if entry.test.name == "bradley_terry"]
    assert np.array_equal(own.expected, one.expected)


def test_dated_games_are_judged_in_order():
    """With dates the forecasts are those before each game, and streaks are shown."""
    league = prowess.simulate(players=8, games=300, seed=1)
    ratings = prowess.rate(league, "elo", forecasts=True)
    own = own_forecasts(ratings)
    assert own.folds is None
    assert "streaks" in [section.key for section in report(ratings, forecasts=own).sections()]
