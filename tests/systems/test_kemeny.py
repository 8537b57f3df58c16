"""Kemeny: every ranking tried, and what is said of those that were searched."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.engine.fit import fit_table
from prowess.systems.kemeny import KEMENY, exact_order, lower_bound, search_order
from tests.engine.tables import games
from tests.systems.elections import counted, matrix, some_elections, some_leagues


def rankings(votes):
    """All rankings of least disagreement, and the least."""
    best, least = [], np.inf
    for order in permutations(range(len(votes))):
        against = sum(votes[b, a] for at, a in enumerate(order) for b in order[at + 1 :])
        if against < least - 1e-9:
            best, least = [order], against
        elif against < least + 1e-9:
            best.append(order)
    return best, least


def check(ratings, votes):
    """Above is who is before the other in all best rankings; levels peel that order."""
    best, least = rankings(votes)
    n = len(votes)
    before = np.ones((n, n), dtype=bool)
    for order in best:
        place = np.argsort(order)
        before &= place[:, None] < place
    assert ratings.figures["disagreement"] == pytest.approx(least, abs=1e-9)
    assert ratings.figures["disagreement_at_least"] == pytest.approx(least, abs=1e-9)
    assert ratings.figures["score"] == pytest.approx(votes.sum() - least, abs=1e-9)
    assert ratings.column("above").tolist() == before.sum(axis=1).tolist()
    left, level = set(range(n)), 0
    while left:
        level += 1
        top = {b for b in left if not any(before[a, b] for a in left)}
        assert top == {b for b in left if ratings.column("level")[b] == level}
        left -= top


@given(table=some_elections())
def test_every_ranking_tried_on_ballots(table):
    """What all rankings of least disagreement have in common is the result."""
    check(fit_table(table, KEMENY), matrix(table, counted(table)))


@given(table=some_leagues())
def test_every_ranking_tried_on_a_league(table):
    """Pairing scores are votes."""
    score = np.zeros((5, 5))
    score[table.a, table.b] = table.score
    score[table.b, table.a] = 1.0 - table.score
    check(fit_table(table, KEMENY), score)


def some_costs(low: int, high: int) -> st.SearchStrategy[np.ndarray]:
    """Costs of putting one before the other."""
    return st.integers(low, high).flatmap(
        lambda k: st.lists(st.integers(0, 9), min_size=k * k, max_size=k * k).map(
            lambda cost: np.array(cost, dtype=np.float64).reshape(k, k)
        )
    )


@given(some_costs(2, 8))
def test_bound_and_search(cost):
    """bound <= least <= what the search finds, and what counts as proved is the least."""
    least = exact_order(cost).cost
    found = search_order(cost, np.arange(len(cost)))
    assert lower_bound(cost) == found.bound <= least <= found.cost
    if found.proved:
        assert found.cost == least
    off = ~np.eye(len(cost), dtype=bool)
    assert (found.above ^ found.above.T)[off].all()


def test_bound_counts_circles():
    """Three that beat each other by 3, 4 and 5 cost at least the weakest majority, 3."""
    cost = np.zeros((3, 3))
    cost[1, 0], cost[2, 1], cost[0, 2] = 3.0, 4.0, 5.0
    assert lower_bound(cost) == 3.0 == exact_order(cost).cost


def test_search_of_many_says_so():
    """20 players in one circle are searched for; the note and the bound say how good it is."""
    names = [f"P{k:02}" for k in range(20)]
    rows = [
        (names[a], names[b], 0.4 if (a, b) == (0, 19) else 0.6)
        for a in range(20)
        for b in range(a + 1, 20)
    ]
    ratings = fit_table(games(rows), KEMENY)
    # by hand: only the last over the first is against the order of the names
    assert ratings.leaderboard().columns["player"] == names
    assert ratings.figures["disagreement"] == pytest.approx(0.4 * 189 + 0.6)
    assert ratings.figures["disagreement_at_least"] == pytest.approx(0.4 * 190 + 0.2)
    assert "found a best ranking" in ratings.notes[-1]


def test_sets_that_beat_all_others_are_exact():
    """A league of 30 that falls into ten circles of three is solved exactly."""
    names = [f"P{k:02}" for k in range(30)]
    rows = [
        (names[a], names[b], 0.3 if a // 3 == b // 3 and b - a == 2 else 0.7)
        for a in range(30)
        for b in range(a + 1, 30)
    ]
    ratings = fit_table(games(rows), KEMENY)
    # each circle costs one majority, 0.7 for 0.3; its three rankings are equally good
    assert ratings.figures["disagreement"] == pytest.approx(0.3 * 435 + 0.4 * 10)
    assert ratings.column("level").tolist() == [1 + k // 3 for k in range(30)]
    assert not any("searched" in note for note in ratings.notes)
