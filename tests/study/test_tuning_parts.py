"""The parts of a search: places, quadratics, descents, lines of a file, rounding."""

from __future__ import annotations

import sys
from math import sqrt

import numpy as np
import pytest
from pytest import approx

from prowess.engine.system import Range
from prowess.study.tuning.evaluation import BadRecord, Evaluated, format_record, parse_records
from prowess.study.tuning.outcome import round_to_deviation
from prowess.study.tuning.search import (
    LocalSearch,
    Quadratic,
    choose_starts,
    coarse_grid,
    fit_quadratic,
    latin_hypercube,
    local_searches,
    optuna,
    search_together,
    star,
)
from prowess.study.tuning.space import Dimension
from tests.refusals import refused


def test_places_and_values():
    """Ends are exact, decades are searched by logarithm, a place comes back from its value."""
    wide, narrow = Dimension("a", 1.0, 100.0, Range(1, 100)), Dimension("b", -5, 5, Range(-5, 5))
    assert wide.value(0.5) == approx(10.0)  # the geometric mean of 1 and 100
    assert narrow.value(0.5) == 0.0
    for one in (wide, narrow):
        assert (one.value(0.0), one.value(1.0)) == (one.low, one.high)
        assert one.place(one.value(0.3)) == approx(0.3)


def test_a_quadratic_is_found_exactly():
    """The star determines a quadratic; its lowest place in a box is Newton's, or on the side."""
    rng = np.random.default_rng(0)
    root = rng.normal(size=(3, 3))
    true = Quadratic(np.full(3, 0.4), 2.0, rng.normal(size=3), root @ root.T + np.eye(3))
    centre, step = np.full(3, 0.5), np.array([0.1, 0.2, 0.05])
    found = fit_quadratic(centre, step, np.array([true.at(point) for point in star(centre, step)]))
    assert found.bend == approx(true.bend)
    assert found.slope == approx(true.slope + true.bend @ (centre - true.centre))
    inside = found.lowest(np.full(3, -9.0), np.full(3, 9.0))
    assert found.slope + found.bend @ (inside - centre) == approx(np.zeros(3), abs=1e-9)
    low, high = np.zeros(3), np.full(3, 0.5)
    box = found.lowest(low, high)
    grid = rng.uniform(0.0, 0.5, (4_000, 3))
    assert all(found.at(box) <= found.at(point) + 1e-12 for point in grid)


@pytest.mark.parametrize("at", [(0.5, 0.5), (0.003, 0.9), (0.0, 0.0), (1.0, 0.2)])
def test_descent_finds_the_floor_of_a_curved_valley(at):
    """From the middle the descent comes to the lowest place, in a corner too, in 200 tries."""
    tries = 0

    def loss(point):
        x, y = point - np.array(at)
        return 5.0 * x * x + (y + x * x + 0.5 * x) ** 2 + sqrt(1.0 + x * x)

    def evaluated(points):
        nonlocal tries
        tries += len(points)
        best.update({loss(point): point for point in points})
        return [loss(point) for point in points]

    best: dict[float, np.ndarray] = {}
    search = LocalSearch(np.array([0.5, 0.45]), np.full(2, 0.2))
    search_together([search], 1e-6, evaluated)
    assert best[min(best)] == approx(np.array(at), abs=2e-3)
    assert (search.loss, search.place.tolist()) == (min(best), best[min(best)].tolist())
    assert tries < 200


def test_the_hypercube_fills_every_row():
    """The hypercube has one point in each row and column, and the seed decides which."""
    points, other = (np.array(latin_hypercube(2, seed)) for seed in (3, 4))
    for axis in range(2):
        assert sorted((points[:, axis] * 12).astype(int)) == list(range(12))
    assert not np.array_equal(points, other)


def test_the_grid_has_the_middles_of_thirds():
    """27 points in three dimensions, none above."""
    grid = np.array(coarse_grid(3))
    assert grid.shape == (27, 3)
    assert sorted(set(grid.ravel().tolist())) == approx([1 / 6, 1 / 2, 5 / 6])
    assert coarse_grid(4) == []


def test_starts_are_given_good_and_far_apart():
    """The given place, the best ones far from it, then the ones farthest from all before."""
    given = [np.array([0.5])]
    ranked = [np.array([place]) for place in (0.45, 0.1, 0.15, 0.9, 0.3, 0.7, 0.2, 0.8, 0.6, 0.0)]
    starts = choose_starts(given, ranked, 4)
    assert [float(start[0]) for start in starts] == [0.5, 0.1, 0.9, 0.3]
    assert choose_starts(given, ranked, 1) == given


def test_several_searches_find_the_deeper_of_two_valleys():
    """One search ends in the valley where it began; of two that meet the worse one ends."""

    def evaluate(points):
        nonlocal tries
        tries += len(points)
        return [loss(float(point[0])) for point in points]

    def loss(x: float) -> float:  # valleys at 0.2 and, deeper, at 0.8
        return min(2.0 * (x - 0.2) ** 2, (x - 0.8) ** 2 - 0.05)

    tries = 0
    (alone,) = local_searches([np.array([0.1])], 1)
    search_together([alone], 1e-4, evaluate)
    assert [float(alone.place[0]), alone.loss] == approx([0.2, 0.0], abs=1e-3)
    by_one, tries = tries, 0
    searches = local_searches([np.array([x]) for x in (0.1, 0.75, 0.85, 0.8)], 1)
    search_together(searches, 1e-4, evaluate)
    assert [one.end.loss for one in searches] == approx([0.0, -0.05, -0.05, -0.05], abs=1e-5)
    assert [one.joined is None for one in searches].count(True) == 2
    assert tries < 4 * by_one


def test_without_optuna_its_extra_is_named(monkeypatch):
    """Where Optuna is missing the error says what to install."""
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ModuleNotFoundError, match=r"prowess\[tune\]"):
        optuna(np.array([0.5]), 0, 8, len)


def test_rounding_keeps_what_is_known():
    """A value is cut at a place below a fifth of its deviation."""
    assert round_to_deviation(31.23456, 4.0) == 31.2
    assert round_to_deviation(31.23456, 0.04) == 31.235
    assert round_to_deviation(31.23456, 40.0) == 31.0


def test_lines_say_what_is_wrong():
    """A cut last line is passed over, other keys too; anything else is refused by number."""
    one = Evaluated({"k": 0.1 + 0.2}, float("inf"))
    assert parse_records(
        [format_record("a", one), format_record("b", one), '{"key": "a", "se'], "a"
    ) == [one]
    with refused(BadRecord, "not_a_record"):
        parse_records(["nonsense\n", format_record("a", one)], "a")
