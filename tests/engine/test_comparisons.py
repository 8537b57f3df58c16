"""Comparisons with covariates: published cases, several clusters, merging, what has no value.

The expected numbers are those of the specification of field systems, section 5 (catalogue 84 to
88): R's glm, BradleyTerry2, brglm2 and qvcalc, and independent programs, as it says.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from pytest import approx

import prowess
from prowess.engine.fit import NoModel
from prowess.engine.fits.comparisons import (
    Collinear,
    ComparisonFit,
    Comparisons,
    find_quasi_variances,
    fit_comparisons,
    fit_random_effects,
)
from prowess.engine.fits.connectivity import Unidentifiable
from prowess.engine.fits.likelihood import DAVIDSON, RAO_KUPPER
from prowess.engine.system import Unratable
from prowess.games.arguments import BadArgument
from tests.refusals import refused

UNBEATEN = (
    ("A", "B", 4, 0),
    ("A", "C", 3, 0),
    ("B", "C", 2, 1),
    ("B", "D", 3, 1),
    ("C", "D", 1, 2),
)
EVEN = (
    ("A", "B", 6, 3), ("A", "C", 4, 5), ("A", "D", 7, 2), ("B", "C", 5, 4), ("B", "D", 3, 4),
    ("C", "D", 8, 3),
)  # fmt: skip
STYLED = (
    ("A", "B", 1, 0.2, 0.0), ("B", "A", 1, -0.5, 1.0), ("A", "C", 0, 0.1, 0.0),
    ("C", "B", 1, 1.1, -1.0), ("B", "C", 1, -0.3, 1.0), ("C", "A", 0, 0.4, 0.0),
    ("A", "B", 0, -0.9, -1.0), ("B", "C", 0, 0.6, 0.0), ("C", "A", 1, -0.2, 1.0),
    ("A", "C", 1, 0.8, -1.0), ("B", "A", 0, 0.3, 0.0), ("C", "B", 0, -0.7, 1.0),
)  # fmt: skip
DRAWN = (
    ("A", "B", 5, 3, 4), ("B", "A", 4, 2, 5), ("A", "C", 3, 4, 2), ("C", "A", 5, 3, 3),
    ("B", "C", 4, 4, 3), ("C", "B", 6, 1, 2),
)  # fmt: skip
VOTED = (
    ("A", "B", 1, "u"), ("A", "C", 0, "u"), ("B", "C", 1, "v"), ("A", "B", 0, "v"),
    ("C", "A", 1, "v"), ("C", "B", 1, "w"), ("A", "B", 1, "w"), ("B", "C", 0, "x"),
    ("A", "C", 1, "x"), ("B", "A", 1, "x"), ("C", "B", 0, "y"), ("A", "C", 1, "y"),
    ("B", "A", 0, "z"), ("C", "A", 0, "z"),
)  # fmt: skip


def compare(rows: Any, x: Any = None, weight: Any = None) -> Comparisons:
    """Rows (a, b, score) of players A, B, C, ... as comparisons."""
    a, b = (np.array([ord(row[k]) - ord("A") for row in rows]) for k in (0, 1))
    score = np.array([row[2] for row in rows], dtype=np.float64)
    given = np.zeros((len(rows), 0)) if x is None else np.asarray(x, dtype=np.float64)
    ones = np.ones(len(rows)) if weight is None else np.asarray(weight, dtype=np.float64)
    return Comparisons(int(max(a.max(), b.max())) + 1, a, b, score, given, ones)


def count(pairs: Any) -> Comparisons:
    """Rows (a, b, wins, losses) as comparisons, merged."""
    rows = [(a, b, s, n) for a, b, w, lost in pairs for s, n in ((1, w), (0, lost)) if n]
    return compare(rows, weight=[row[3] for row in rows])


def over_first(fit: ComparisonFit) -> tuple[Any, Any]:
    """Ratings over the first player, and their deviations by the inverse information."""
    n = fit.rows.players
    own = np.diagonal(fit.inverse)[:n]
    spread = np.sqrt(np.maximum(own + own[0] - 2.0 * fit.inverse[0, :n], 0.0))
    return fit.ratings - fit.ratings[0], spread


def test_covariates_equal_those_of_glm():
    """Ratings, effects and errors with two covariates, and with the order effect as a third."""
    x = np.array([row[3:] for row in STYLED])
    plain = fit_comparisons(compare(STYLED, x))
    assert over_first(plain)[0] == approx([0.0, -0.7725264278802242, -0.4348563644699746], abs=1e-9)
    assert plain.effects == approx([1.6719509333413476, 1.4050747867138904], abs=1e-9)
    ordered = fit_comparisons(compare(STYLED, np.hstack((x, np.ones((12, 1))))))
    rating, spread = over_first(ordered)
    assert rating == approx([0.0, -1.0037520136550953, -0.5815757666902285], abs=1e-9)
    assert spread[1:] == approx([1.236136195434749, 1.0104939655259468], abs=1e-9)
    effects = [2.800373700804193, 2.3179424655147756, -0.6047020613881327]
    assert ordered.effects == approx(effects, abs=1e-9)
    errors = [3.324524755710021, 2.702200347868376, 1.114788072695655]
    assert np.sqrt(np.diagonal(ordered.inverse))[3:] == approx(errors, abs=1e-9)


@pytest.mark.parametrize(
    ("draws", "ratings", "order", "parameter", "value"),
    [
        (DAVIDSON, [0.03987104585434171, -0.22822325104204688, 0.18835220518770518],
         0.36120913662685494, 0.7588473279259651, -67.43107368418482),
        (RAO_KUPPER, [0.028791482316512594, -0.18828799253236697, 0.15949651021585437],
         0.29253756738395476, 1.7713718738486313, -67.3744568296013),
    ],
)  # fmt: skip
def test_draws_and_order_are_fitted_together(draws, ratings, order, parameter, value):
    """Davidson's and Rao and Kupper's models with an order effect: maximum likelihood."""
    rows = [
        (a, b, score, n) for a, b, w, d, lost in DRAWN for score, n in ((1, w), (0.5, d), (0, lost))
    ]
    weight = [row[3] for row in rows]
    fit = fit_comparisons(compare(rows, np.ones((len(rows), 1)), weight), draws)
    assert fit.ratings == approx(ratings, abs=1e-9)
    assert fit.effects == approx([order], abs=1e-9)
    assert np.exp(fit.draw) == approx(parameter, abs=1e-9)
    assert fit.log_likelihood == approx(value, abs=1e-9)


def test_firth_keeps_an_unbeaten_player_finite():
    """Ratings and errors over the unbeaten player are those of brglm2."""
    rating, spread = over_first(fit_comparisons(count(UNBEATEN), firth=True))
    expected = [0.0, -2.35652550010281, -3.244519450783572, -2.9942199067314617]
    assert rating == approx(expected, abs=1e-10)
    errors = [0.0, 1.553737678121516, 1.6900987377026644, 1.7314395718521978]
    assert spread == approx(errors, abs=1e-10)


def test_ridge_is_a_normal_prior():
    """Posterior modes and deviations under a precision of 1/2."""
    fit = fit_comparisons(count(UNBEATEN), ridge=0.5)
    expected = [1.6214372216953876, -0.13880172071661964, -0.8972426666977943, -0.5853928342809737]
    assert fit.ratings == approx(expected, abs=1e-11)
    errors = [1.0189279115207077, 0.8559159826393394, 0.8956531712903792, 0.9012068460129518]
    assert np.sqrt(np.diagonal(fit.inverse)) == approx(errors, abs=1e-11)


def test_quasi_variances_are_those_of_qvcalc():
    """Numbers whose sums are near the variances of differences."""
    found = find_quasi_variances(fit_comparisons(count(EVEN)).inverse)
    expected = [0.12244974763331018, 0.12905489897934902, 0.1050029380197811, 0.12934936670533514]
    assert found == approx(expected, abs=1e-6)  # qvcalc itself stops at about 1e-7


SHARED = (
    ("A", "B", 9, 2), ("A", "C", 11, 1), ("A", "D", 3, 8), ("A", "E", 10, 2), ("B", "C", 8, 4),
    ("B", "D", 1, 10), ("B", "E", 6, 6), ("C", "D", 0, 12), ("C", "E", 3, 9), ("D", "E", 11, 1),
)  # fmt: skip


def test_random_effects_are_those_of_bradleyterry2():
    """The slope of a fact of players, and the random effect of the first of them (its PQL).

    The case calls the second number sigma; it is the first random effect of the peer, whose sigma
    (1.50882) has the same slope to 1e-10.
    """
    fact = {"A": 0.1, "B": -0.4, "C": 0.9, "D": 0.2, "E": -0.7}
    rows = count(SHARED)
    names = "ABCDE"
    x = [[fact[names[a]] - fact[names[b]]] for a, b in zip(rows.a, rows.b, strict=True)]
    fit = fit_random_effects(replace(rows, x=np.array(x)))
    assert fit.effects == approx([-0.17348429384818728], abs=1e-8)
    assert fit.ratings[0] == approx(0.8634322044520513, abs=1e-6)


@pytest.mark.parametrize("draws", [0, DAVIDSON])
def test_the_variance_of_ratings_is_of_largest_restricted_likelihood(draws):
    """At the fit, by the determinants of the linear mixed model, any other variance is worse."""
    random = np.random.default_rng(8)
    a = random.integers(0, 12, 2_000)
    b = (a + random.integers(1, 12, 2_000)) % 12
    true, x = random.normal(0.0, 0.6, 12), random.normal(size=(2_000, 1))
    chance = 1.0 / (1.0 + np.exp(-(true[a] - true[b] + 0.5 * x[:, 0])))
    score = (random.random(2_000) < chance).astype(float)
    score[:200] = 0.5
    fit = fit_random_effects(Comparisons(12, a, b, score, x, np.ones(2_000)), draws)
    information, gradient = fit.slope_likelihood()
    right = information @ fit.unknown + gradient  # of the working response

    def restricted(variance: float) -> float:
        prior = np.zeros(len(fit.unknown))
        prior[:12] = 1.0 / variance
        whole = information + np.diag(prior)
        return float(
            -6.0 * np.log(variance) - 0.5 * np.linalg.slogdet(whole)[1]
            + 0.5 * right @ np.linalg.solve(whole, right)
        )  # fmt: skip

    best = restricted(1.0 / fit.ridge)
    assert 0.3 < fit.ridge**-0.5 < 1.2
    assert all(restricted(part / fit.ridge) < best - 1e-6 for part in (0.5, 0.9, 1.1, 2.0))


def test_ratings_that_do_not_differ_have_no_variance():
    """Every pair has won as often as the other: the ratings are one."""
    even = [(a, b, 5, 5) for a, b in combinations("ABCD", 2)]
    fit = fit_random_effects(count(even))
    assert fit.ridge == approx(1e6)
    assert fit.ratings == approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("inverse", "robust", "clustered"),
    [
        (False, [0.4303314829119352, 0.4500514373894348, 0.4500514373894348],
         [0.4791968589521738, 0.5319099930822325, 0.4228020506975742]),
        (True, [0.4303314829119352, 0.4519494577565289, 0.4519494577565288],
         [0.47919685895217373, 0.5390344383184259, 0.4218358840599601]),
    ],
)  # fmt: skip
def test_robust_and_clustered_errors(inverse, robust, clustered):
    """The sandwich of single votes and of voters, with and without inverse weights of pairs."""
    met = Counter(frozenset(row[:2]) for row in VOTED)
    weight = np.array([1.0 / met[frozenset(row[:2])] if inverse else 1.0 for row in VOTED])
    voter = np.array([ord(row[3]) for row in VOTED])
    fit = fit_comparisons(compare(VOTED, weight=weight / weight.mean()))
    assert np.sqrt(np.diagonal(fit.covariance())) == approx(robust, abs=1e-10)
    assert np.sqrt(np.diagonal(fit.covariance([voter]))) == approx(clustered, abs=1e-10)


def test_ratings_have_errors_by_cluster():
    """`rate` and then errors by voter: the published deviations, in points; one column or two."""
    names = [(a, b, score, voter) for a, b, score, voter in VOTED]
    columns = ("a", "b", "score", "voter")
    votes = {name: [row[k] for row in names] for k, name in enumerate(columns)}
    games = prowess.read_games(votes, facts=["voter"])
    rated = prowess.rate(games, "bradley_terry")
    found = rated.cluster_errors("voter")
    point = 400.0 / np.log(10.0)
    expected = [0.4791968589521738, 0.5319099930822325, 0.4228020506975742]
    by_name = {row["player"]: row["deviation"] for row in found.leaderboard().rows()}
    assert [by_name[name] / point for name in "ABC"] == approx(expected, abs=1e-9)
    assert found.notes[-1].startswith("errors by voter, too small for ")  # few voters
    assert rated.cluster_errors(["voter", "voter"]).column("deviation") == approx(
        found.column("deviation")
    )
    blanks = ["", *(str(voter) for voter in votes["voter"][1:])]
    blank = prowess.read_games(votes | {"voter": blanks}, facts=["voter"])
    with refused(Unratable, "value_missing", about="--exclude voter="):
        prowess.rate(blank, "bradley_terry").cluster_errors("voter")
    with refused(BadArgument, "not_a_list"):
        prowess.rate(blank, "bradley_terry").cluster_errors(None)
    with refused(BadArgument, "not_a_list"):
        rated.cluster_errors([])
    with refused(Unratable, "column_not_kept"):
        rated.cluster_errors("prompt")
    with refused(NoModel, "no_clusters"):
        prowess.rate(games, "colley").cluster_errors("voter")


@pytest.mark.parametrize(
    ("system", "more", "part"),
    [
        # two results a game make errors smaller by a root of 2, draws vary by 0.7 of halves
        ("bradley_terry", {"draws": "literal"}, 1.4**0.5),
        ("davidson", {}, 1.0),
        ("rao_kupper", {}, 1.0),
        ("thurstone", {}, 1.0),
        ("thurstone", {"draws": "rao_kupper"}, 1.0),
        ("map", {"sd": 100.0, "draws": "davidson"}, 1.0),
    ],
)
def test_clusters_of_one_game_are_games(system, more, part):
    """With a cluster for each game and a fitted advantage errors are near those of the model."""
    random = np.random.default_rng(3)
    a = random.integers(0, 4, 3_000)
    b = (a + random.integers(1, 4, 3_000)) % 4
    names = np.array(["p", "q", "r", "s"])
    score = random.choice([0.0, 0.5, 1.0], 3_000, p=[0.3, 0.3, 0.4])
    table = {"a": names[a], "b": names[b], "score": score, "game": np.arange(3_000)}
    games = prowess.read_games(table, side="a", facts=["game"])
    rated = prowess.rate(games, system, advantage="fitted", **more)
    found = rated.cluster_errors("game")
    assert found.column("deviation") == approx(part * rated.column("deviation"), rel=0.1)
    assert found.column("rating") == approx(rated.column("rating"))


@pytest.mark.parametrize("system", ["bradley_terry", "thurstone", "davidson"])
def test_blocks_are_resampled(system):
    """The spread of resampled voters is that of the sandwich, also about an anchor."""
    random = np.random.default_rng(4)
    voter = np.repeat(np.arange(60), 40)
    a = random.integers(0, 4, 2_400)
    b = (a + random.integers(1, 4, 2_400)) % 4
    taste = random.normal(0.0, 0.5, (60, 4))
    chance = 1.0 / (1.0 + np.exp(taste[voter, b] - taste[voter, a]))
    score = (random.random(2_400) < chance).astype(float)
    score[random.random(2_400) < 0.2] = 0.5
    names = np.array(["p", "q", "r", "s"])
    votes = {"a": names[a], "b": names[b], "score": score, "voter": voter}
    games = prowess.read_games(votes, facts=["voter"])
    for anchors in (None, {"p": 1500.0}):
        rated = prowess.rate(games, system, anchors=anchors)
        by_voter = rated.cluster_errors("voter").column("deviation")
        assert by_voter[1:] == approx(rated.column("deviation")[1:] * 1.3, rel=0.25)  # tastes
        drawn = rated.bootstrap(2_000, 3, blocks="voter")
        assert drawn.column("deviation") == approx(by_voter, rel=0.06)  # of 60 voters, 2,000 draws
        assert drawn.notes[-1] == "intervals from 2,000 resamplings of the values of voter, seed 3"


def draw_votes(count: int, players: int, seed: int = 0) -> Comparisons:
    """Random votes with a covariate of many values and one of two."""
    random = np.random.default_rng(seed)
    a = random.integers(0, players, count)
    b = (a + random.integers(1, players, count)) % players
    x = np.stack((random.normal(size=count), random.integers(0, 2, count)), axis=1)
    score = random.integers(0, 3, count) / 2.0
    return Comparisons(players, a, b, score, x, random.uniform(0.5, 2.0, count))


@pytest.mark.parametrize("draws", [0, DAVIDSON, RAO_KUPPER])
def test_sums_over_clusters_are_those_of_the_scores(draws, monkeypatch):
    """Clusters of one row, of many, in several blocks: the sums equal a loop over the rows."""
    monkeypatch.setattr("prowess.engine.fits.comparisons.CLUSTER_SUMS", 50)
    rows = draw_votes(300, 5)
    group = np.random.default_rng(1).integers(0, 120, 300) * 3  # with gaps
    fit = fit_comparisons(rows, draws)
    by_z, by_t = fit.scores.of_rows
    scores = np.zeros((300, len(fit.unknown)))
    for k in range(300):
        scores[k, rows.a[k]], scores[k, rows.b[k]] = by_z[k], -by_z[k]
        scores[k, 5:7] = by_z[k] * rows.x[k]
        if by_t is not None:
            scores[k, -1] = by_t[k]
    assert scores.sum(axis=0) == approx(0.0, abs=1e-6)  # the maximum
    sums = np.array([scores[group == one].sum(axis=0) for one in np.unique(group)])
    count = len(sums)
    assert fit.scores.square_groups(group) == approx(
        sums.T @ sums * count / (count - 1.0), abs=1e-10
    )
    robust = fit.inverse @ (scores.T @ scores) @ fit.inverse
    assert fit.covariance() == approx(robust, abs=1e-10)


def test_two_groupings_add_and_subtract_what_they_share():
    """Errors by voter and by prompt: the sums of both, less those of votes that share both."""
    rows = draw_votes(400, 4)
    one, other = np.random.default_rng(2).integers(0, 30, (2, 400))
    fit = fit_comparisons(rows)
    total = (
        fit.scores.square_groups(one)
        + fit.scores.square_groups(other)
        - fit.scores.square_groups(one * 30 + other)
    )
    assert np.linalg.eigvalsh(total).min() > -1e-9
    found = fit.covariance([one, other])
    assert found == approx(fit.inverse @ total @ fit.inverse, abs=1e-10)


def test_few_clusters_are_left_out_one_by_one():
    """Steps of Newton without each cluster, by the whole matrices, and what it has in variances."""
    rows = draw_votes(300, 5, 3)
    group = np.random.default_rng(4).choice(9, 300, p=[0.4, 0.15, *[0.45 / 7] * 7])
    for x in (rows.x, np.sign(rows.x)):  # rows by themselves, and merged ones
        fit = fit_comparisons(replace(rows, x=x))
        columns = np.zeros((300, 5))
        columns[np.arange(300), rows.a] += 1.0
        columns[np.arange(300), rows.b] -= 1.0
        columns = np.hstack((columns, x))
        chance = 1.0 / (1.0 + np.exp(-columns @ fit.unknown))
        score = (rows.weight * (rows.score - chance))[:, None] * columns
        spread = (rows.weight * chance * (1.0 - chance))[:, None] * columns
        whole = columns.T @ spread
        steps, parts = np.zeros((9, fit.inverse.shape[0])), np.zeros((2, 9, 5, 5))
        own_square = np.zeros(2)
        for k in range(9):
            own = columns[group == k].T @ spread[group == k]
            steps[k] = np.linalg.pinv(whole - own) @ score[group == k].sum(axis=0)
            parts[0, k] = (fit.inverse @ own @ fit.inverse)[:5, :5]
            ties = fit.inverse @ own[:, :5]
            parts[1, k] = (ties @ ties.T)[:5, :5]
            own_square += np.trace(own[:5, :5]), (own[:5, :5] ** 2).sum()
        found = fit.certainty([group])
        assert found.covariance == approx(8.0 / 9.0 * steps.T @ steps, abs=1e-9)
        single = (score[:, :5] ** 2).sum()
        sums = np.array([score[group == k, :5].sum(axis=0) for k in range(9)])
        common = max(0.0, (sums**2).sum() - single)
        mixed = np.tensordot(np.array([single, common]) / own_square, parts, 1)
        for sums, freedom in ((parts[0], found.of_gaps), (mixed, found.of_tails)):
            gaps = sums[:, 0, 0] + sums[:, 1, 1] - 2.0 * sums[:, 0, 1]
            assert freedom[0, 1] == approx(gaps.sum() ** 2 / (gaps**2).sum() - 1.0)
        assert 1.0 < found.of_gaps[0, 1] < 7.0


def test_merged_rows_say_the_same():
    """Rows that are merged, and the same rows with a covariate of many values beside them."""
    rows = draw_votes(2_000, 4)
    few = replace(rows, x=rows.x[:, 1:])
    assert len(few.cells.score) <= 4 * 3 * 3 * 2
    one = fit_comparisons(few)
    z = few.x @ one.effects + one.ratings[few.a] - one.ratings[few.b]
    surplus = few.weight * (few.score - 1.0 / (1.0 + np.exp(-z)))
    sums = np.bincount(few.a, surplus) - np.bincount(few.b, surplus)
    assert sums == approx(0.0, abs=1e-6)
    assert few.x[:, 0] @ surplus == approx(0.0, abs=1e-6)


def test_influence_is_what_leaving_a_vote_out_changes():
    """The influence of each row on a difference, against fits without it."""
    rows = draw_votes(500, 4)
    fit = fit_comparisons(rows)
    contrast = np.array([1.0, -1.0, 0.0, 0.0, 0.0, 0.0])
    found = fit.influence(contrast)
    for k in (0, 17, 300):
        again = fit_comparisons(rows.select(np.arange(500) != k))
        change = (fit.unknown - again.unknown) @ contrast
        assert found[k] == approx(change, rel=0.05)


def test_length_does_not_hide_the_order():
    """Three models whose true order is that of their names, where the worst write the longest."""
    random = np.random.default_rng(5)
    true, habit = np.array([0.5, 0.0, -0.5]), np.array([-0.4, 0.0, 0.4])
    a = random.integers(0, 3, 6_000)
    b = (a + random.integers(1, 3, 6_000)) % 3
    length = habit[a] - habit[b] + random.normal(0.0, 0.5, 6_000)
    chance = 1.0 / (1.0 + np.exp(-(true[a] - true[b] + 1.5 * length)))
    score = (random.random(6_000) < chance).astype(float)
    rows = Comparisons(3, a, b, score, length[:, None], np.ones(6_000))
    without = fit_comparisons(replace(rows, x=rows.x[:, :0]))
    assert np.argsort(-without.ratings).tolist() == [2, 1, 0]  # length decides
    fit = fit_comparisons(rows)
    assert np.argsort(-fit.ratings).tolist() == [0, 1, 2]
    assert 1.16 <= fit.effects[0] <= 1.8


def test_what_has_no_finite_value_is_refused():
    """Separated results, a covariate that follows from the players, tables without a draw."""
    with refused(Unidentifiable, "separated"):
        fit_comparisons(count(UNBEATEN))
    rows = compare(STYLED, [[1.0 * (a == "A") - 1.0 * (b == "A")] for a, b, *_ in STYLED])
    with refused(Collinear, "collinear"):
        fit_comparisons(rows)
    with refused(Unidentifiable, "all_drawn"):
        fit_comparisons(compare(STYLED), DAVIDSON)
    with refused(Unidentifiable, "scores_between"):
        fit_comparisons(compare([("A", "B", 0.3), ("B", "A", 0.5)]), DAVIDSON)
    with refused(Unidentifiable, "one_cluster"):
        fit_comparisons(compare(STYLED)).covariance([np.zeros(12, dtype=int)])
