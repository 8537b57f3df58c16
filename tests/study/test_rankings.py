"""Rankings side by side: places, correlations, and the gap to the leader."""

from __future__ import annotations

from itertools import combinations
from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st

import prowess
from prowess.engine.leaderboard import UnknownPlayer
from prowess.games.arguments import BadArgument
from prowess.study.rankings import compare_rankings, kendall, mean_ranks, spearman
from tests.engine.tables import games
from tests.refusals import refused

COLUMNS = st.integers(2, 9).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)
)
ONE, OTHER = np.array([1, 2, 2, 4, 5, 6, 6]), np.array([2, 1, 3, 3, 7, 5, 6])
TABLE = games(
    [("Ada", "Ben", 1.0), ("Ben", "Cleo", 1.0), ("Ada", "Cleo", 1.0), ("Dan", "Cleo", 0.5)],
    players=["Ada", "Ben", "Cleo", "Dan", "Eve"],
)


@given(columns=COLUMNS)
def test_kendall_counts_pairs(columns):
    """tau-b by its definition, pair by pair."""
    x, y = map(np.array, columns)
    score, untied_x, untied_y = 0, 0, 0
    for i, j in combinations(range(len(x)), 2):
        score += np.sign(x[i] - x[j]) * np.sign(y[i] - y[j])
        untied_x += x[i] != x[j]
        untied_y += y[i] != y[j]
    if untied_x and untied_y:
        assert kendall(x, y) == pytest.approx(score / sqrt(untied_x * untied_y))
    else:
        assert isnan(kendall(x, y))


@given(columns=COLUMNS)
def test_spearman_correlates_mean_ranks(columns):
    """rho is Pearson's correlation of ranks, equal values having the mean of theirs."""
    ranks = [
        [sum(other < value for other in column) + (column.count(value) + 1) / 2 for value in column]
        for column in columns
    ]
    assert mean_ranks(np.array(columns[0])).tolist() == ranks[0]
    if min(len(set(column)) for column in columns) > 1:
        pearson = np.corrcoef(ranks)[0, 1]
        assert spearman(*map(np.array, columns)) == pytest.approx(pearson, abs=1e-12)
    else:
        assert isnan(spearman(*map(np.array, columns)))


def test_an_independent_program():
    """SciPy 1.17.1, scipy.stats.kendalltau and spearmanr of these two columns with ties."""
    assert kendall(ONE, OTHER) == pytest.approx(0.6155870112510923, abs=1e-15)
    assert spearman(ONE, OTHER) == pytest.approx(0.7981987297166115, abs=1e-15)


def test_places_are_shared():
    """Equal values share the better place; who has not played has none and is not listed."""
    comparison = compare_rankings(
        {"points": prowess.rate(TABLE, "points"), "elo": prowess.rate(TABLE, "elo")}
    )
    points, elo = comparison.rankings
    assert points.place.tolist() == [1, 2, 3, 3, 0]
    assert points.tied.tolist() == [False, False, True, True, False]
    assert [comparison.players[k] for k in comparison.order] == ["Ada", "Ben", "Cleo", "Dan"]
    assert points.entry(0) == (1, False, 6)
    assert comparison.tau[0, 0] == comparison.rho[1, 1] == pytest.approx(1.0)
    assert comparison.tau[0, 1] == kendall(points.place[:4], elo.place[:4])
    with pytest.raises(UnknownPlayer):
        comparison.index("Eve")


def test_a_gap_is_a_chance_only_where_there_is_a_model():
    """Elo says what a gap means; a league table does not, and nothing is made up."""
    comparison = compare_rankings(
        {"points": prowess.rate(TABLE, "points"), "elo": prowess.rate(TABLE, "elo")}
    )
    points, elo = comparison.rankings
    ben = comparison.index("Ben")
    assert points.gap(ben) == ("Ada", 3.0, None, "no model of a game")
    gap = elo.gap(ben)
    assert gap.chance == pytest.approx(1 / (1 + 10 ** (gap.gap / 400)))  # Elo's expected score
    assert elo.gap(0) == ("Ada", 0.0, None, "leads")


def test_nothing_to_compare():
    """A comparison of no system is refused."""
    with refused(BadArgument, "no_systems"):
        compare_rankings({})
