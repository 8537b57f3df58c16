"""Keener's ratings: the Perron vector of smoothed shares."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from prowess.engine.fit import fit_table
from prowess.engine.system import Unratable
from prowess.systems.keener import KEENER
from tests.engine.tables import games
from tests.refusals import refused
from tests.systems.small_season import small_season


def skewed(x):
    """Keener's h."""
    return 0.5 + 0.5 * np.sign(x - 0.5) * abs(2 * x - 1) ** 0.5


def perron(shares):
    """The eigenvector of the largest eigenvalue by a dense solver, its sum 1."""
    values, vectors = np.linalg.eig(shares)
    vector = vectors[:, np.argmax(values.real)].real
    return vector / vector.sum()


def test_two_teams():
    """Of two teams the ratings are as the roots of their shares: A r = lambda r by hand.

    3 to 0 gives (3+1)/(3+2) = 4/5, h = 1/2 + 1/2 sqrt(3/5); r_A / r_B = sqrt(h_A / h_B).
    """
    table = games([("A", "B", 1.0)], points_a=[3.0], points_b=[0.0])
    a, b = fit_table(table, KEENER).column("rating")
    high = 0.5 + 0.5 * (3 / 5) ** 0.5
    assert a / b == pytest.approx((high / (1 - high)) ** 0.5)
    plain = fit_table(table, KEENER, params={"skew": "none"}).column("rating")
    assert plain[0] / plain[1] == pytest.approx(2.0)  # sqrt((4/5) / (1/5))


def test_five_teams():
    """The ten games of 2005: as a dense eigenvalue solver finds it."""
    table = small_season()
    count = len(table.players)
    shares = np.zeros((count, count))
    for a, b, x, y in zip(table.a, table.b, table.points_a, table.points_b, strict=True):
        shares[a, b] = skewed((x + 1) / (x + y + 2)) / (count - 1)
        shares[b, a] = skewed((y + 1) / (x + y + 2)) / (count - 1)
    assert fit_table(table, KEENER).column("rating") == pytest.approx(perron(shares), abs=1e-12)


def test_without_points_scores_stand_for_them():
    """A table of wins and draws is one of 1 to 0 and 1/2 to 1/2."""
    rows = [("A", "B", 1.0), ("B", "C", 0.5), ("C", "A", 0.0)]
    score = [1.0, 0.5, 0.0]
    pointed = games(rows, points_a=score, points_b=[1 - s for s in score])
    assert fit_table(games(rows), KEENER).column("rating") == pytest.approx(
        fit_table(pointed, KEENER).column("rating")
    )


def test_a_long_chain_settles():
    """Power iteration reaches the dense solver's vector where it is slow: a chain of 30 players."""
    names = [f"P{k:02d}" for k in range(31)]
    table = games([(a, b, 1.0) for a, b in pairwise(names)])
    shares = np.zeros((31, 31))
    for k in range(30):
        met = (1 if k == 0 else 2), (1 if k == 29 else 2)
        shares[k, k + 1], shares[k + 1, k] = skewed(2 / 3) / met[0], skewed(1 / 3) / met[1]
    assert fit_table(table, KEENER).column("rating") == pytest.approx(perron(shares), rel=1e-7)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (games([("A", "B", 1.0), ("C", "Dan", 1.0)]), "unlinked_players"),
        (games([("A", "B", 1.0)], points_a=[-1.0], points_b=[2.0]), "negative_points"),
    ],
)
def test_what_has_no_shares_is_refused(table, words):
    """Groups apart and negative points."""
    with refused(Unratable, words):
        fit_table(table, KEENER)
