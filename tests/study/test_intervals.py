"""The intervals of a comparison: what they are by hand, and how often they hold the truth."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from pytest import approx

from prowess.study.backtest import backtest
from prowess.study.compare import calibration, compare, consecutive_blocks
from prowess.study.scores import mean_interval
from prowess.systems.elo import ELO
from prowess.systems.glicko import GLICKO
from tests.cli.command import ROOT
from tests.study.test_backtest import league


def test_by_hand():
    """Blocks 1, 3 and 2 of one game each: mean 2, deviation 1 / sqrt 3, t of 2 degrees 4.3027."""
    found = mean_interval(np.array([1.0, 3.0, 2.0]), np.ones(3), np.arange(3), 0.95)
    assert found.mean == approx(2.0)
    assert found.deviation == approx(1.0 / np.sqrt(3.0))
    assert found.high - found.mean == approx(4.3027 / np.sqrt(3.0), rel=1e-4)
    assert found.low == approx(4.0 - found.high)


def test_weights_and_gaps():
    """A game of weight 2 counts as two games of one contest; nan is no game."""
    blocks = np.array([0, 0, 1, 2, 2])
    values = np.array([1.0, 0.5, 2.0, 0.0, np.nan])
    weighted = mean_interval(values, np.array([2.0, 1.0, 1.0, 1.0, 1.0]), blocks, 0.9)
    twice = mean_interval(
        np.array([1.0, 1.0, 0.5, 2.0, 0.0]),
        np.ones(5),
        np.array([0, 0, 0, 1, 2]),
        0.9,
        np.array([0, 0, 1, 2, 3]),
    )
    assert weighted.mean == approx(twice.mean)
    assert weighted.deviation == approx(twice.deviation)


def test_the_larger_scatter_counts():
    """By hand: games -1 and 1 in turn, in blocks of two, cancel; in blocks of equals they add."""
    turns, runs = np.array([-1.0, 1.0, -1.0, 1.0]), np.array([-1.0, -1.0, 1.0, 1.0])
    blocks = np.array([0, 0, 1, 1])
    # single games: 4/3 * 4 / 16; blocks of equals: 2/1 * (4 + 4) / 16
    assert mean_interval(turns, np.ones(4), blocks, 0.9).deviation == approx(np.sqrt(1.0 / 3.0))
    assert mean_interval(runs, np.ones(4), blocks, 0.9).deviation == approx(1.0)


def test_groups_in_any_order():
    """Entries of one game need not stand together: by hand, games of sums 2, -3 and 1."""
    values, games = np.array([2.0, -1.0, -2.0, 1.0]), np.array([7, 9, 9, 11])
    for order in ([0, 1, 2, 3], [1, 3, 0, 2]):
        found = mean_interval(values[order], np.ones(4), np.arange(4), 0.9, games[order])
        assert found.deviation == approx(np.sqrt(1.5 * (4.0 + 9.0 + 1.0) / 16.0))


def test_one_block_says_nothing():
    """The scatter of a single block is not known."""
    found = mean_interval(np.ones(4), np.ones(4), np.zeros(4, np.int64), 0.95)
    assert (found.low, found.high) == (-np.inf, np.inf)


def test_every_score_has_an_interval_and_every_system_a_slope():
    """The interval surrounds the score; the slope is the scale of the calibration."""
    table = league(300)
    for entry in compare([backtest(table, system) for system in (ELO, GLICKO)]):
        assert entry.intervals.keys() == entry.scores.keys()
        for name, one in entry.intervals.items():
            assert one.low < entry.scores[name] < one.high
            assert one.mean == approx(entry.scores[name], rel=1e-12)
        curve = calibration(entry.test)
        assert entry.slope == (curve.scale, curve.scale_deviation)


def test_blocks_are_consecutive_and_equal():
    """Blocks never fall, and their sizes differ by one game at most."""
    blocks = consecutive_blocks(backtest(league(333), ELO))
    assert all(b - a in (0, 1) for a, b in pairwise(blocks.tolist()))
    sizes = np.bincount(blocks)
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.slow
def test_intervals_hold_the_loss_in_other_games():
    """Of leagues of known strengths, intervals hold the expected loss in other games of the same
    players as often as they say: of 150 plays 95 % within three standard errors (5.3 points).
    """
    spec = spec_from_file_location("intervals", ROOT / "benchmarks" / "intervals.py")
    assert spec is not None
    assert spec.loader is not None
    script: Any = module_from_spec(spec)
    spec.loader.exec_module(script)
    script.SYSTEMS = script.SYSTEMS[:2]
    script.MOMENTS = 12
    shares = script.measure(script.Kind(10, 300), leagues=30, replays=5, seed=7)
    for name, (other_games, *_) in shares.items():
        assert 0.897 <= other_games <= 1.0, name
