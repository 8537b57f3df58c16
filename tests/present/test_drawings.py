"""Histories as paths: near the ratings, read back as written, and few for many players."""

from __future__ import annotations

import re

import numpy as np
import pytest
from pytest import approx

from prowess.present.drawings import MAX_POINTS, SIDE, build_paths, line_path, measure_points
from prowess.present.histories import Career


def read_path(text):
    """The points of a path: the first two numbers are a place, the others are steps."""
    numbers = [int(one) for one in re.findall(r"-?\d+", text)]
    return np.cumsum(np.array(numbers).reshape(-1, 2), axis=0).tolist()


def walk(name, games, seed):
    """A career of a random walk, a game a day."""
    rng = np.random.default_rng(seed)
    rating = 1500.0 + np.cumsum(rng.normal(0.0, 12.0, games + 1))
    return Career(name, rating, None, np.arange(games + 1.0))


@pytest.mark.parametrize("tolerance", [0.5, 5.0, 80.0])
def test_simplified_lines_stay_near(tolerance):
    """No rating is farther from the line through the points kept than the tolerance."""
    one = walk("a", 700, 3)
    worth = measure_points(one.time, one.rating, 0.25)  # one pass serves all tolerances
    keep = np.flatnonzero(worth > tolerance)
    line = np.interp(one.time, one.time[keep], one.rating[keep])
    assert np.abs(line - one.rating).max() <= tolerance
    assert keep[0] == 0
    assert keep[-1] == 700
    assert len(keep) < {0.5: 701, 5.0: 500, 80.0: 30}[tolerance]
    coarse = measure_points(one.time, one.rating, tolerance)
    assert np.flatnonzero(coarse > tolerance).tolist() == keep.tolist()


def test_a_few_games_fill_their_picture():
    """By number of the game a sparkline is as wide as the player's own games, by date as all.

    A margin of one in fifty, and of one unit at least, stands on either side.
    """
    few, many = walk("few", 4, 1), walk("many", 200, 2)
    dated = build_paths([few, many]).views
    assert {name: view.split()[2] for name, view in dated.items()} == {
        "few": "1040",
        "many": "1040",
    }
    plain = [Career(one.player, one.rating, None, None) for one in (few, many)]
    paths = build_paths(plain)
    wide = {name: view.split()[2] for name, view in paths.views.items()}
    assert wide == {"few": "22", "many": "1040"}
    assert paths.grid.name_ends(20) == ("first game", "game 4")


def test_paths_are_read_as_written():
    """The numbers of a path add up to its points; equal neighbours are one."""
    points = [(311, 250), (311, 235), (311, 235), (305, 235), (1000, 0)]
    assert line_path(points) == "M311 250l0-15-6 0 695-235"
    assert read_path(line_path(points)) == [[311, 250], [311, 235], [305, 235], [1000, 0]]
    assert line_path([(4, 5)]) == "M4 5h0"


def test_ends_and_extremes_are_the_careers():
    """A path begins and ends with the career; its highest point is the peak, to a unit."""
    one = walk("a", 200, 5)
    paths = build_paths([one, walk("b", 900, 6)])
    grid, unit = paths.grid, (paths.grid.high - paths.grid.low) / SIDE
    points = read_path(paths.paths["a"])
    rating = grid.high - np.array(points)[:, 1] * unit
    assert rating[0] == approx(one.rating[0], abs=unit)
    assert rating[-1] == approx(one.rating[-1], abs=unit)
    assert rating.max() == approx(one.rating.max(), abs=(paths.tolerance + 1.0) * unit)
    assert points[-1][0] == round(1000 * 200 / 900)
    assert paths.ends["a"] == "M{} {}h0".format(*points[-1])
    top, bottom = (pick(y for _, y in points) for pick in (min, max))
    room = (bottom - top) // 10  # above and below, for the dot at the end
    _, high, _, tall = map(int, paths.views["a"].split())
    assert (high, high + tall) == (top - room, bottom + room)


def test_many_histories_are_coarser():
    """However many players there are, their histories have no more points than fit a page."""
    few = build_paths([walk(str(k), 600, k) for k in range(3)])
    many = build_paths([walk(str(k), 600, k) for k in range(150)])
    assert sum(text.count(" ") + text.count("-") for text in many.paths.values()) <= 2 * MAX_POINTS
    assert many.tolerance > few.tolerance
