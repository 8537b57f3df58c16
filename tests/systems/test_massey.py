"""Massey's ratings: margins by least squares."""

from __future__ import annotations

import numpy as np
import pytest

from prowess.engine.fit import fit_table
from prowess.engine.system import Unratable
from prowess.systems.massey import MASSEY
from tests.engine.tables import games
from tests.refusals import refused
from tests.systems.small_season import small_season


def margins(rows, **columns):
    """A table of (a, b, margin of a)."""
    scores = [(a, b, float(np.sign(m)) / 2 + 0.5) for a, b, m in rows]
    return games(scores, margin=[m for _, _, m in rows], **columns)


def test_published_example():
    """The ratings of A. N. Langville and C. D. Meyer, "Who's #1?" (2012), chapter 2."""
    ratings = fit_table(small_season(), MASSEY)
    published = {"Miami": 18.2, "VT": 18.0, "UVA": -3.4, "UNC": -8.0, "Duke": -24.8}
    assert ratings.leaderboard().columns["player"] == list(published)
    for team, rating in published.items():
        assert ratings[team].rating == pytest.approx(rating, abs=1e-9)


def test_a_chain():
    """A beats B by 2 and B beats C by 1: every margin is met, 5/3, -1/3, -4/3 by hand."""
    ratings = fit_table(margins([("A", "B", 2.0), ("B", "C", 1.0)]), MASSEY)
    assert ratings.column("rating") == pytest.approx([5 / 3, -1 / 3, -4 / 3])


def test_least_squares():
    """No other ratings come closer to the margins: NumPy's least squares finds the same."""
    random = np.random.default_rng(4)
    pairs = [random.permutation(6)[:2] for _ in range(40)]
    side = random.choice([-1.0, 0.0, 1.0], 40)
    margin = random.integers(-5, 6, 40).astype(float)
    weight = random.choice([1.0, 2.0, 0.5], 40)
    rows = [("ABCDEF"[a], "ABCDEF"[b], m) for (a, b), m in zip(pairs, margin, strict=True)]
    ratings = fit_table(
        margins(rows, players=list("ABCDEF"), side=side, weight=weight),
        MASSEY,
        params={"home": "fitted"},
    )
    design = np.zeros((41, 7))
    for row, (a, b) in enumerate(pairs):
        design[row, a], design[row, b], design[row, 6] = 1.0, -1.0, side[row]
    design[40, :6] = 1.0  # the ratings add up to 0
    scale = np.sqrt(np.append(weight, 1.0))
    best, *_ = np.linalg.lstsq(design * scale[:, None], np.append(margin, 0.0) * scale, rcond=None)
    assert ratings.column("rating") == pytest.approx(best[:6], abs=1e-9)
    assert ratings.figures["home"] == pytest.approx(best[6])


def test_a_cap_cuts_large_margins():
    """A 9 to 0 counts as 3 to 0."""
    table = margins([("A", "B", 9.0), ("B", "C", 1.0)])
    capped = margins([("A", "B", 3.0), ("B", "C", 1.0)])
    assert fit_table(table, MASSEY, params={"cap": 3}).column("rating") == pytest.approx(
        fit_table(capped, MASSEY).column("rating")
    )


def test_groups_that_never_met_are_named():
    """Without games between them no margin is known; the refusal names the groups."""
    table = margins([("A", "B", 1.0), ("B", "C", 1.0), ("Dan", "Eve", 2.0)])
    with refused(Unratable, "unlinked_players", about=("Dan", "Eve")):
        fit_table(table, MASSEY)


def test_an_advantage_that_strength_explains_is_refused():
    """Who is always at home may be strong or at home."""
    table = margins([("A", "B", 1.0), ("A", "B", 2.0)], side=[1.0, 1.0])
    with refused(Unratable, "sides_not_separable"):
        fit_table(table, MASSEY, params={"home": "fitted"})
