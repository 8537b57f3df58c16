"""The estimator for scikit-learn: its forecasts, its labels, and what scikit-learn asks of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pytest import approx

import prowess
from prowess.errors import BadArgument, BadSetting, Unratable
from prowess.sklearn import PairwiseRater, TimeOrderedSplit
from tests.refusals import refused

RESULTS = "only results of a game are labels"
NOT_APPLICABLE = {
    "check_no_attributes_set_in_init": "parameters of the system stand in one dict",
    "check_estimators_dtypes": RESULTS,
    "check_classifier_data_not_an_array": RESULTS,
    "check_classifiers_classes": RESULTS,
    "check_classifier_not_supporting_multiclass": "three results are taken: one is a draw",
}
X = [["Ann", "Bob"], ["Bob", "Cleo"], ["Cleo", "Ann"], ["Ann", "Bob"]]


class TwoKinds(PairwiseRater):
    """A rater for random points, in whose second column nobody of the first stands."""

    def _column(self, rows, column):
        found = super()._column(rows, column)
        return found + 1000 if column == 1 else found


def test_scikit_learn_accepts_it():
    """The estimator passes scikit-learn's own checks; importing them takes seconds, so late."""
    from sklearn.utils.estimator_checks import check_estimator

    found = check_estimator(TwoKinds(), expected_failed_checks=NOT_APPLICABLE, on_skip=None)
    assert len(found) > 40
    assert {one["status"] for one in found} <= {"passed", "skipped", "xfail"}


def league(games=200):
    """Games of six players over as many days, in a frame, and the results."""
    draw = np.random.default_rng(4)
    a = draw.integers(6, size=games)
    b = (a + draw.integers(1, 6, size=games)) % 6
    won = draw.random(games) < 1 / (1 + np.exp(0.5 * (a - b)))
    day = pd.date_range("2026-01-01", periods=games)
    return pd.DataFrame({"day": day, "p": a, "q": b}), won.astype(int)


def test_forecasts_are_those_of_the_ratings():
    """A fit and its forecasts are those of `prowess.rate` on the same games."""
    rater = PairwiseRater("elo", k=40).fit(X, ["win", "draw", "loss", "win"])
    rated = prowess.rate([(*row, s) for row, s in zip(X, (1, 0.5, 0, 1), strict=True)], "elo", k=40)
    assert rater.ratings_["Ann"].rating == rated["Ann"].rating
    assert rater.predict_score([["Ann", "Cleo"]])[0] == approx(
        rated.forecast("Ann", "Cleo").expected
    )
    with refused(Unratable, "no_draws"):
        rater.predict_proba(X)


@pytest.mark.parametrize(
    "y",
    [[1, 0.5, 0, 1], [1, 0, -1, 1], ["win", "draw", "loss", "win"], ["1-0", "½-½", "0-1", "1-0"]],
)
def test_results_in_every_notation(y):
    """Numbers and words are the same results, and their chances add up to 1."""
    rater = PairwiseRater("trueskill").fit(X, y)
    chances = dict(zip(rater.classes_.tolist(), rater.predict_proba(X[:1])[0], strict=True))
    assert sum(chances.values()) == approx(1.0)
    assert chances[y[0]] + 0.5 * chances[y[1]] == approx(rater.predict_score(X[:1])[0])


@pytest.mark.parametrize(
    ("y", "code"),
    [
        ([1, 2, 1, 2], "unknown_labels"),
        (["a", "b", "a", "b"], "unknown_labels"),
        ([1, 1, 1, 1], "one_class"),
        ([3, 4, 5, 6], "unknown_labels"),
    ],
)
def test_other_labels_are_refused(y, code):
    """Labels whose winner is not certain are refused, and so is a single one."""
    begins_as_scikit_learn = code == "unknown_labels"
    with refused(BadArgument, code, about="y", remedy=not begins_as_scikit_learn):
        PairwiseRater().fit(X, y)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.from_pandas, lambda f: f.to_numpy()])
def test_columns_by_name_and_number(frame):
    """Frames and arrays give one forecast; games out of order are played by their time."""
    games, won = league(40)
    mixed = np.random.default_rng(1).permutation(40)
    named = not isinstance(frame(games), np.ndarray)
    a, b, time = ("p", "q", "day") if named else (1, 2, 0)
    rater = PairwiseRater(player_a=a, player_b=b, time=time)
    rater.fit(frame(games.iloc[mixed].reset_index(drop=True)), won[mixed])
    straight = PairwiseRater().fit(games[["p", "q"]].to_numpy(), won)
    expected = straight.predict_score(games[["p", "q"]].to_numpy())
    assert rater.predict_score(frame(games)) == approx(expected)


def test_strangers_are_newcomers():
    """A game of two players of whom nothing is known is even, with or without a fit at once."""
    for system in ("elo", "map"):
        rater = PairwiseRater(system).fit(X, [1, 0, 0, 1])
        assert rater.predict_score([["Dan", "Eve"]]) == approx([0.5])


def test_parameters_are_searched():
    """Clones keep parameters, a search tries them, a wrong one is named."""
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, cross_val_score

    games, won = league()
    rater = PairwiseRater("elo", player_a="p", player_b="q", time="day", k=20)
    assert clone(rater).get_params() == rater.get_params()
    assert repr(rater) == "PairwiseRater(k=20, player_a='p', player_b='q', time='day')"
    search = GridSearchCV(
        rater, {"k": [0, 20]}, cv=TimeOrderedSplit(3, time="day"), scoring="neg_log_loss"
    ).fit(games, won)
    assert search.best_params_ == {"k": 20}
    at_zero, at_twenty = search.cv_results_["mean_test_score"]
    assert at_zero == approx(-np.log(2))  # every game even
    assert at_zero < at_twenty
    with refused(BadSetting, "unknown_setting", about=("kk", "elo")):
        clone(rater).set_params(kk=3).fit(games, won)
    scores = cross_val_score(rater, games, won, cv=TimeOrderedSplit(2), groups=games["day"])
    assert (scores > 0.5).all()


def test_splits_keep_days_together():
    """Every fit has earlier days than its test, and no row is tested twice."""
    day = np.array([3, 1, 2, 2, 1, 3, 4, 5, 5, 5])
    tested = []
    for before, test in TimeOrderedSplit(3).split(np.zeros((10, 2)), groups=day):
        assert day[before].max() < day[test].min()
        tested += test.tolist()
    assert len(tested) == len(set(tested))
    with refused(BadArgument, "too_few_moments", about="n_splits"):
        list(TimeOrderedSplit(5).split(np.zeros((4, 2)), groups=[1, 1, 1, 2]))


def test_grid_search_on_games_with_draws():
    """The docstring's own line chooses by the share of right results, without a warning.

    Ann wins first, then Bob does: a large k has soon forgotten the early wins.
    """
    import warnings

    from sklearn.model_selection import GridSearchCV

    results = ["loss", *["win"] * 18, "draw", *["loss"] * 20]
    X, y = [["Ann", "Bob"]] * len(results), np.array(results)
    search = GridSearchCV(
        PairwiseRater("elo"), {"k": [1, 30, 190]}, cv=TimeOrderedSplit(n_splits=3)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search.fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert search.best_params_["k"] != 1
    assert scores[0] < max(scores)
