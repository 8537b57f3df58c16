"""Batch Elo: its equations, when they have a solution, and a real table. Cases: tests/reference."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import prowess
from prowess.engine.fit import fit_table
from prowess.systems.batch_elo import BATCH_ELO
from tests.engine.tables import games
from tests.systems.rumble_table import TABLE, rows


def chance(gap: float) -> float:
    """E for a difference of so many points."""
    return float(1.0 / (1.0 + 20.0 ** (-gap / 800.0)))


def test_a_real_table():
    """Every one of 32 bots is expected to win what it won of its pairings, a plain count says."""
    score: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for a, b, mine, theirs in rows():
        result = 0.5 if mine == theirs else float(mine > theirs)
        score[a][b] += result / 8  # every pair meets 8 times
        score[b][a] += (1.0 - result) / 8
    ratings = prowess.rate(TABLE, "batch_elo")
    assert ratings.column("rating").mean() == pytest.approx(1600.0, abs=1e-6)
    for bot, against in score.items():
        gaps = [ratings[bot].rating - ratings[other].rating for other in against]
        assert sum(map(chance, gaps)) == pytest.approx(sum(against.values()), abs=1e-8)
    assert not any("1/2" in note for note in ratings.notes)


def test_two_bots():
    """Two bots alone stand where E is the win rate: 3 of 4 is 800 log20(3) points."""
    table = games([("Ada", "Ben", 1.0)] * 3 + [("Ada", "Ben", 0.0)])
    ratings = fit_table(table, BATCH_ELO)
    gap = ratings["Ada"].rating - ratings["Ben"].rating
    assert gap == pytest.approx(800 * np.log(3) / np.log(20))
    assert ratings.chances(0, 1, 0.0).expected == pytest.approx(0.75)


def test_unbeaten():
    """Who never lost gets (wins + 1/2) / (battles + 1), and the notes say so."""
    ratings = fit_table(games([("Ada", "Ben", 1.0)] * 4), BATCH_ELO)
    assert chance(ratings["Ada"].rating - ratings["Ben"].rating) == pytest.approx(4.5 / 5)
    assert any("(wins + 1/2) / (battles + 1)" in note for note in ratings.notes)
    assert any("never lost a point: Ada" in note for note in ratings.notes)


def test_only_the_group_that_needs_it_is_smoothed():
    """A group of bots that beat each other both ways keeps its win rates."""
    sound = [("Ada", "Ben", 1.0), ("Ada", "Ben", 1.0), ("Ben", "Ada", 1.0)]
    ratings = fit_table(games([*sound, ("Cleo", "Dan", 1.0)]), BATCH_ELO)
    assert chance(ratings["Ada"].rating - ratings["Ben"].rating) == pytest.approx(2 / 3)
    assert chance(ratings["Cleo"].rating - ratings["Dan"].rating) == pytest.approx(3 / 4)
    assert ratings["Ada"].rating + ratings["Ben"].rating == pytest.approx(3200.0)
    assert any("cannot be compared" in note for note in ratings.notes)


def test_a_circle_is_enough():
    """Wins in a circle lead from everyone to everyone: no smoothing, and all are equal."""
    circle = [("Ada", "Ben", 1.0), ("Ben", "Cleo", 1.0), ("Cleo", "Ada", 1.0)]
    ratings = fit_table(games(circle), BATCH_ELO)
    np.testing.assert_allclose(ratings.column("rating"), 1600.0, atol=1e-9)
    assert ratings.notes == ()


def test_a_pairing_counts_once():
    """A pairing with a hundred battles weighs as much as one with two."""
    few = [("Ada", "Ben", 1.0), ("Ada", "Ben", 0.0), ("Ben", "Cleo", 1.0), ("Ben", "Cleo", 0.0)]
    few += [("Ada", "Cleo", 1.0)] * 3 + [("Ada", "Cleo", 0.0)]
    one, other = (fit_table(games(few + few[-4:] * times), BATCH_ELO) for times in (0, 25))
    np.testing.assert_allclose(one.column("rating"), other.column("rating"), atol=1e-6)


def test_lopsided_rates():
    """Win rates a million to one are solved as well as even ones."""
    weight = [1e6, 1.0, 1e6, 1.0, 1e6, 1.0]
    rows = [(a, b, score) for a, b in ("XY", "YZ", "XZ") for score in (1.0, 0.0)]
    rating = fit_table(games(rows, weight=weight), BATCH_ELO).column("rating")
    rate = 1e6 / (1e6 + 1.0)
    e = [[chance(one - other) for other in rating] for one in rating]
    assert e[0][1] + e[0][2] == pytest.approx(2 * rate, abs=1e-9)
    assert e[1][0] + e[1][2] == pytest.approx(1.0, abs=1e-9)


def test_shares_instead_of_win_rates():
    """tally = share takes shares of the points: 3 to 1 in a battle won."""
    table = games([("Ada", "Ben", 1.0)] * 2, points_a=[3.0, 6.0], points_b=[1.0, 2.0])
    ratings = fit_table(table, BATCH_ELO, params={"tally": "share"})
    assert chance(ratings["Ada"].rating - ratings["Ben"].rating) == pytest.approx(0.75)
