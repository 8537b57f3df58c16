"""Circles: found where they are, none where there are none, noise not taken for them."""

from __future__ import annotations

from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given

from prowess.engine.pairings import pairings
from prowess.engine.system import Unratable
from prowess.games.arguments import BadArgument
from prowess.study.cycles import (
    decided_pairs,
    find_triangles,
    fit_strengths,
    measure_cycles,
    most_circular,
    sign_test,
)
from tests.engine.tables import games, some_games
from tests.refusals import refused

NAMES = [f"P{k:02d}" for k in range(12)]
CIRCLE = games([("A", "B", 1.0), ("B", "C", 1.0), ("C", "A", 1.0), ("A", "Dan", 1.0)] * 2)
# The specification's league of five bots: four circular triads.
FIVE = {"AB": 0.61, "AC": 0.62, "AD": 0.31, "AE": 0.29, "BC": 0.44, "BD": 0.48, "BE": 0.76}
FIVE |= {"CD": 0.51, "CE": 0.63, "DE": 0.21}


def drawn(strength, battles, seed, beats=None):
    """A league of logistic strengths, or one in which who beats whom is given."""
    random = np.random.default_rng(seed)
    rows = []
    for i, j in combinations(range(len(strength)), 2):
        chance = 1 / (1 + np.exp(strength[j] - strength[i]))
        if beats is not None:
            chance = beats(i, j)
        rows += [(NAMES[i], NAMES[j], float(random.random() < chance)) for _ in range(battles)]
    return games(rows)


@given(table=some_games(size=16))
def test_brute_force(table):
    """All triples, one by one: as many circles, the same ones."""
    merged = pairings(table, by_points=False)
    circles, triples = set(), 0
    for trio in combinations(range(len(table.players)), 3):
        shares = [merged.share[i, j] for i, j in combinations(trio, 2)]
        triples += all(not np.isnan(s) and s != 0.5 for s in shares)
        for i, j, k in permutations(trio):
            circle = merged.share[[i, j, k], [j, k, i]]
            if i == trio[0] and (circle > 0.5).all():
                circles.add((i, j, k))
    found = find_triangles(merged)
    assert (found.count, found.triples, found.random) == (len(circles), triples, triples / 4)
    names = {tuple(table.players[k] for k in circle) for circle in circles}
    assert {one.players for one in found.strongest} == names


def test_five_bots():
    """The specification's five bots have C(5,3) - sum C(wins,2) = 4 circular triads."""
    table = games([(pair[0], pair[1], share) for pair, share in FIVE.items()])
    found = find_triangles(pairings(table, by_points=False), most=2)
    assert found.count == 4
    assert found.consistency == pytest.approx(1 - 4 / 5)  # at most (125 - 5) / 24 = 5
    strengths = [one.strength for one in found.strongest]
    assert len(strengths) == 2
    assert strengths == sorted(strengths, reverse=True)


@pytest.mark.parametrize(("n", "most"), [(3, 1), (4, 2), (5, 5), (6, 8), (7, 14)])
def test_most_circular(n, most):
    """Kendall and Babington Smith's greatest numbers of circular triads."""
    assert most_circular(n) == most
    wins = [(n - 1) // 2] * n if n % 2 else [n // 2] * (n // 2) + [n // 2 - 1] * (n // 2)
    assert comb(n, 3) - sum(comb(w, 2) for w in wins) == most


def test_one_circle():
    """A beats B beats C beats A; Dan, who never met two of them, is in none."""
    found = find_triangles(pairings(CIRCLE, by_points=False))
    assert [one.players for one in found.strongest] == [("A", "B", "C")]
    assert found.strongest[0].strength == 0.5
    assert found.consistency is None


def test_a_sign_test_leaves_out_what_may_be_chance():
    """Two wins of two may be chance (p = 1/2), eight of eight hardly (p = 2/256)."""
    assert sign_test(2, 0) == 0.5
    assert sign_test(8, 0) == 2 / 256
    assert sign_test(14, 3) == 0.057373046875  # SciPy 1.17.1, scipy.stats.binomtest
    assert sign_test(5, 2) == sign_test(0, 0) == 1.0
    merged = pairings(CIRCLE, by_points=False)
    assert find_triangles(merged, significance=0.05).count == 0
    many = pairings(games([("A", "B", 1.0), ("B", "C", 1.0), ("C", "A", 1.0)] * 8))
    assert find_triangles(many, significance=0.05).count == 1
    assert not decided_pairs(merged.wins, 0.05).any()


def test_a_pure_circle_is_all_cyclic():
    """Rock, paper, scissors: no rating explains anything."""
    table = games([("A", "B", 1.0), ("B", "C", 1.0), ("C", "A", 1.0)] * 10)
    parts = measure_cycles(table, draws=50)
    assert parts.share == pytest.approx(1.0)
    assert parts.by_player == pytest.approx([0.5] * 3)  # every margin is missed by all of it


def test_straight_margins_have_no_circles():
    """Scores of 1/2 + s_i - s_j are explained to the last digit (s = 0.2, 0.1, 0, -0.1)."""
    s = [0.2, 0.1, 0.0, -0.1]
    rows = [(NAMES[i], NAMES[j], 0.5 + s[i] - s[j]) for i, j in combinations(range(4), 2)]
    parts = measure_cycles(games(rows), draws=10)
    assert parts.share == pytest.approx(0.0, abs=1e-20)


def test_the_split_is_least_squares():
    """The rest is what NumPy's least squares leaves of the margins."""
    random = np.random.default_rng(2)
    pairs = [sorted(random.permutation(6)[:2]) for _ in range(40)]
    table = games([(NAMES[i], NAMES[j], random.random()) for i, j in pairs], NAMES[:6])
    design = np.zeros((40, 6))
    for row, (i, j) in enumerate(pairs):
        design[row, i], design[row, j] = 1.0, -1.0
    merged = pairings(table)
    mean = np.array([merged.share[i, j] - 0.5 for i, j in pairs])
    best, *_ = np.linalg.lstsq(design, mean, rcond=None)
    rest = mean - design @ best
    assert measure_cycles(table, draws=1).share == pytest.approx((rest @ rest) / (mean @ mean))


def test_rock_paper_scissors_is_found():
    """Three families of four, each beating the next 3 to 1: far beyond chance."""

    def beats(i, j):
        return {0: 0.5, 1: 0.75, 2: 0.25}[(j - i) % 3]

    parts = measure_cycles(drawn(np.zeros(12), 10, 5, beats), draws=99)
    assert parts.share > parts.by_chance.max()
    assert parts.likelihood == pytest.approx(0.01)
    assert (parts.player_likelihood < 0.05).all()


@pytest.mark.parametrize("scale", ["share", "log_odds"])
def test_transitive_leagues_are_silent(scale):
    """Of 20 leagues in which strength explains all, about 1 in 20 looks otherwise; here at most 3.

    More than 3 has probability 0.016 if the test is exact; the seeds are fixed.
    """
    loud = 0
    for seed in range(20):
        strength = np.random.default_rng(100 + seed).normal(0.0, 1.0, 10)
        loud += measure_cycles(drawn(strength, 6, seed), scale=scale, draws=60).likelihood <= 0.05
    assert loud <= 3


def test_who_met_once_is_taken_for_chance():
    """One game a pair cannot tell circles from chance, and does not claim to."""
    random = np.random.default_rng(3)
    rows = [(a, b, float(random.integers(0, 2))) for a, b in combinations(NAMES, 2)]
    assert measure_cycles(games(rows), draws=60).likelihood > 0.05


def test_equal_seeds_equal_numbers():
    """The same seed gives the same leagues, another one others."""
    table = drawn(np.linspace(-1, 1, 8), 4, 1)
    one, same, other = (measure_cycles(table, draws=20, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.by_chance, same.by_chance)
    assert not np.array_equal(one.by_chance, other.by_chance)


def test_fitted_strengths_expect_what_was_won():
    """At the fit every player's expected wins are his wins, but for half a drawn battle."""
    merged = pairings(drawn(np.linspace(-1, 1, 6), 30, 7))
    x = fit_strengths(np.where(merged.met, merged.share, 0.5), merged.battles)
    chance = 1 / (1 + np.exp(x[None, :] - x[:, None]))
    won = (np.nan_to_num(merged.share) * merged.battles).sum(axis=1)
    pull = 0.5 * (0.5 - 1 / (1 + np.exp(-x)))
    assert (merged.battles * chance).sum(axis=1) == pytest.approx(won + pull, abs=1e-6)


def test_what_cannot_be_split_is_refused():
    """Even results have nothing to split."""
    with refused(Unratable, "nothing_to_split"):
        measure_cycles(games([("A", "B", 0.5)]))
    with refused(BadArgument, "not_a_choice", about="scale"):
        measure_cycles(CIRCLE, scale="odds")
