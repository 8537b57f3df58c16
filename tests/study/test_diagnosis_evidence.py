"""Tails that are bounds, tests that are exact, and what becomes of many of them."""

from __future__ import annotations

from itertools import pairwise, permutations
from math import comb, exp, factorial

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.study.diagnosis.diagnose import Check, judge_observations
from prowess.study.diagnosis.evidence import (
    blocks_of,
    estimate_by_parts,
    holm,
    log_chernoff,
    log_cumulants,
    poisson_tail,
    runs_tail,
    student_p,
)
from prowess.study.diagnosis.history import Observation


@given(
    expected=st.lists(st.floats(0.05, 0.95), min_size=1, max_size=8),
    wins=st.integers(0, 8),
)
def test_chernoff_is_never_too_small(expected, wins):
    """The bound is at least the exact chance of as many wins, counted over all results."""
    wins = min(wins, len(expected))
    chance = np.array([1.0])
    for e in expected:  # the exact law of the number of wins
        chance = np.append(chance * (1 - e), 0.0) + np.append(0.0, chance * e)
    surplus = wins - sum(expected)
    cumulants = log_cumulants(np.array(expected)).sum(axis=1)[:, None]
    bound = exp(float(log_chernoff(cumulants, np.array([surplus]))[0]))
    assert bound >= float(chance[wins:].sum()) - 1e-12


def test_chernoff_is_not_idle():
    """Twenty wins among equals, a chance of 2^-20, are bounded by a tenth of a percent."""
    cumulants = log_cumulants(np.full(20, 0.5)).sum(axis=1)[:, None]
    assert exp(float(log_chernoff(cumulants, np.array([10.0]))[0])) < 1e-3


@pytest.mark.parametrize(("first", "second"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 1)])
def test_runs_by_writing_all_orders_down(first, second):
    """The chance of so many runs is the share of all orders that have as many."""
    orders = set(permutations("W" * first + "L" * second))
    count = [1 + sum(x != y for x, y in pairwise(one)) for one in orders]
    assert len(orders) == comb(first + second, first)
    for runs in range(1, first + second + 1):
        share = sum(c >= runs for c in count) / len(orders)
        assert runs_tail(first, second, runs) == approx(share, abs=1e-12)


@pytest.mark.parametrize("mean", [0.01, 0.7, 5.0, 40.0])
def test_poisson_by_its_sum(mean):
    """P(N >= k) is one less the terms below k."""
    for k in range(int(mean) + 6):
        below = sum(exp(-mean) * mean**j / factorial(j) for j in range(k))
        assert poisson_tail(k, mean) == approx(1.0 - below, abs=1e-12)


def test_student_against_the_tables():
    """Two-sided 5 % and 1 % points of Student's law, as every table has them."""
    for freedom, five, one in ((10, 2.228, 3.169), (30, 2.042, 2.750), (60, 2.000, 2.660)):
        assert student_p(five, 1.0, freedom) == approx(0.05, rel=0.03)
        assert student_p(-one, 1.0, freedom) == approx(0.01, rel=0.03)


def test_parts_are_drawn_whole():
    """Copies of an observation in its own part add nothing: the deviation stays."""
    value = np.random.default_rng(1).normal(size=500)
    once = estimate_by_parts(0.0, value / 500, np.arange(500))
    thrice = estimate_by_parts(0.0, np.repeat(value, 3) / 1500, np.repeat(np.arange(500), 3))
    assert once.parts == thrice.parts
    assert once.deviation == approx(thrice.deviation)
    assert once.deviation == approx(value.std(ddof=1) / 500**0.5)


def test_blocks_are_consecutive_and_equal():
    """Blocks rise by one, and their sizes differ by one at most."""
    sizes = np.bincount(blocks_of(1234))
    assert len(sizes) == 60
    assert np.ptp(sizes) <= 1
    assert (np.diff(blocks_of(7)) == 1).all()


def test_holm_by_hand():
    """0.01, 0.04, 0.03 become 0.03, 0.06, 0.06: times 3, 2 and 1, never falling."""
    assert holm([0.01, 0.04, 0.03]) == approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.9]) == [1.0, 1.0]


def test_significant_and_large_enough():
    """A finding alarms only where chance is ruled out among all checks, and the effect matters."""

    def unused(_):
        raise AssertionError

    def seen(name, p, size):
        return Check(name, unused, 1.0, 5.0), Observation("calm", "alarm", {}, "", p, size)

    rows = [
        seen("chance", 0.03, 9.0), seen("small", 1e-9, 0.5), seen("notice", 1e-9, 2.0),
        seen("warning", 1e-9, 5.0), seen("counted", None, 9.0),
    ]  # fmt: skip
    found = judge_observations([*rows, *(seen(str(k), 1.0, 9.0) for k in range(5))], 0.05)
    severity = {one.name: one.severity for one in found}
    assert severity["chance"] == severity["small"] == "fine"  # 0.03 times six is above 0.05
    assert severity["notice"] == "notice"
    assert severity["warning"] == severity["counted"] == "warning"
    assert [one.severity for one in found[:3]] == ["warning", "warning", "notice"]
    assert {one.says for one in found[:3]} == {"alarm"}
    assert {one.says for one in found[3:]} == {"calm"}
