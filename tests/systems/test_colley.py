"""Colley's ratings: exact small cases."""

from __future__ import annotations

from fractions import Fraction

import pytest

from prowess.engine.fit import fit_table
from prowess.systems.colley import COLLEY
from tests.engine.tables import games
from tests.systems.small_season import small_season


def test_published_example():
    """The ratings of A. N. Langville and C. D. Meyer, "Who's #1?" (2012), chapter 3.

    Everybody met everybody once, so by hand r = 1/2 + (w - l) / 14; printed with two digits.
    """
    ratings = fit_table(small_season(), COLLEY)
    expected = {"Miami": 11, "VT": 9, "UNC": 7, "UVA": 5, "Duke": 3}
    assert ratings.leaderboard().columns["player"] == list(expected)
    for team, parts in expected.items():
        assert ratings[team].rating == pytest.approx(parts / 14, abs=1e-12)


def test_one_game():
    """Two teams, one game: 5/8 and 3/8, not 1 and 0 (by hand: 3 r - s = 3/2, 3 s - r = 1/2)."""
    assert fit_table(games([("A", "B", 1.0)]), COLLEY).column("rating") == pytest.approx(
        [5 / 8, 3 / 8]
    )


def test_schedules_count():
    """A beats B, B beats C; Colley's equations 3a - b = 3/2, 4b - a - c = 1, 3c - b = 1/2."""
    ratings = fit_table(games([("A", "B", 1.0), ("B", "C", 1.0)]), COLLEY)
    b = Fraction(1, 2)
    a, c = (Fraction(3, 2) + b) / 3, (Fraction(1, 2) + b) / 3
    assert 4 * b - a - c == 1
    assert ratings.column("rating") == pytest.approx([float(a), float(b), float(c)])


def test_a_draw_is_half_a_win():
    """A drawn pair is even."""
    assert fit_table(games([("A", "B", 0.5)]), COLLEY).column("rating") == pytest.approx([0.5, 0.5])


def test_the_mean_is_a_half():
    """Colley's ratings have the mean 1/2, also over groups that never met."""
    table = games([("A", "B", 1.0), ("Dan", "Eve", 0.0), ("A", "C", 1.0)])
    assert fit_table(table, COLLEY).column("rating").mean() == pytest.approx(0.5)
