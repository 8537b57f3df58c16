"""The league whose inflation ends by itself."""

from __future__ import annotations

from pytest import approx

from prowess.theory.wp import find_curve
from tests.theory.played_leagues import generation, simulate_generations


def test_three_generations():
    """Mean, young and old are (1, 1/2, 3/2), (3/4, 1/4, 5/4), (5/8, 1/8, 9/8) (section 8.3)."""
    assert [tuple(generation(g)) for g in (1, 2, 3)] == [
        (1.0, 0.5, 1.5),
        (0.75, 0.25, 1.25),
        (0.625, 0.125, 1.125),
    ]


def test_recursion():
    """The young of a league come with a beginner's 1, so their mean halves."""
    for g in range(1, 8):
        assert generation(g + 1).mean == approx((generation(g).young + 1.0) / 2.0)


def test_played_out():
    """A played league has the means 2^-g + 1/2 and comes to rest at 1/2 (claim 21)."""
    # Q = 2: an error shrinks e times in 2 / (h wp') = 40 games; 400 are e^-10
    seen = simulate_generations(
        find_curve("logistic", 2.0), 0.1, 9, rounds=400, players=400, seed=1
    )
    # a mean of 400 has the error sqrt(h / 4Q) / 20 = 0.0056, half of it inherited each time;
    # old and young are overstretched by (2p-1) h / 4 = 0.02, second order in h
    for g, league in enumerate(seen, start=1):
        expected = generation(g)
        assert league.mean == approx(expected.mean, abs=0.01 + 4 * 0.0056)
        assert league.old - league.young == approx(1.0, abs=0.02 + 4 * 0.0112)
    assert seen[-1].mean == approx(0.5, abs=0.01 + 4 * 0.0056)
