"""Runs of rows: counts and places are taken by NumPy on every machine."""

from __future__ import annotations

import numpy as np
import pytest

from prowess.games.runs import as_unsigned, bounds_of, reduce_runs, repeat_rows

WIDTHS = (np.int32, np.int64, np.uint32)


@pytest.mark.parametrize("width", WIDTHS)
def test_integers_of_every_width_are_taken(width):
    """A machine of 64 bits takes those of 32, and one of 32 bits those of 64."""
    sizes = np.array([2, 0, 1], dtype=width)
    bounds = bounds_of(sizes)
    assert bounds.dtype == np.int64
    assert bounds.tolist() == [0, 2, 2, 3]
    assert repeat_rows(["a", "b", "c"], sizes).tolist() == ["a", "a", "c"]
    starts = np.array([0, 2], dtype=width)
    assert reduce_runs(np.add, np.array([1.0, 2.0, 4.0]), starts).tolist() == [3.0, 4.0]
    unsigned = as_unsigned(sizes)
    assert unsigned.dtype == np.uint64
    assert unsigned.tolist() == [2, 0, 1]


def test_sums_do_not_overflow():
    """Bounds beyond 31 bits are right, though the sizes have 32."""
    sizes = np.array([2**31 - 1] * 3, dtype=np.int32)
    assert bounds_of(sizes)[-1] == 3 * (2**31 - 1)


def test_rows_are_repeated_along_an_axis():
    """A row of a table stays one."""
    table = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert repeat_rows(table, [0, 2], axis=0).tolist() == [[3.0, 4.0], [3.0, 4.0]]
    assert repeat_rows(table, [2, 1], axis=1).tolist() == [[1.0, 1.0, 2.0], [3.0, 3.0, 4.0]]
