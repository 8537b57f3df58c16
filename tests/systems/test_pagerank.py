"""PageRank on games: losers vote for winners."""

from __future__ import annotations

import numpy as np
import pytest

from prowess.engine.fit import fit_table
from prowess.engine.system import Unratable
from prowess.systems.pagerank import PAGERANK
from tests.engine.tables import games
from tests.refusals import refused
from tests.systems.small_season import small_season


def test_a_cycle_is_even():
    """A beats B beats C beats A: all have a third."""
    table = games([("A", "B", 1.0), ("B", "C", 1.0), ("C", "A", 1.0)])
    assert fit_table(table, PAGERANK).column("rating") == pytest.approx([1 / 3] * 3)


def test_two_players():
    """A beat B, by hand: b = (1-d)/2 + d a/2 and a + b = 1, so b = 1 / (2 + d)."""
    a, b = fit_table(games([("A", "B", 1.0)]), PAGERANK).column("rating")
    assert b == pytest.approx(1 / 2.85)
    assert a + b == pytest.approx(1.0)


def test_a_loser_has_one_vote():
    """Of two defeats each gets half a vote: by hand with d = 1/2, A over C, B over C, A over B.

    c = u, b = u + c/4, a = u + c/4 + b/2 with u = (1 + a) / 6: 21, 15 and 12 parts of 48.
    """
    table = games([("A", "C", 1.0), ("B", "C", 1.0), ("A", "B", 1.0)], players=["A", "B", "C"])
    ratings = fit_table(table, PAGERANK, params={"damping": 0.5})
    c = 1.0
    b = c + c / 4
    a = c + c / 4 + b / 2
    assert ratings.column("rating") == pytest.approx(np.array([a, b, c]) / (a + b + c))


@pytest.mark.parametrize("votes", ["games", "margins"])
def test_five_teams(votes):
    """The ten games of 2005: r solves its own linear equations."""
    table = small_season()
    given = np.zeros((5, 5))
    for a, b, x, y in zip(table.a, table.b, table.points_a, table.points_b, strict=True):
        winner, loser = (a, b) if x > y else (b, a)
        given[loser, winner] += abs(x - y) if votes == "margins" else 1.0
    for row in given:
        row[:] = row / row.sum() if row.sum() else 0.2
    rank = np.linalg.solve(np.eye(5) - 0.85 * given.T, np.full(5, 0.15 / 5))
    ratings = fit_table(table, PAGERANK, params={"votes": votes})
    assert ratings.column("rating") == pytest.approx(rank, abs=1e-12)


def test_margins_are_needed_where_they_vote():
    """votes=margins without margins is refused."""
    with refused(Unratable, "no_margins"):
        fit_table(games([("A", "B", 1.0)]), PAGERANK, params={"votes": "margins"})
