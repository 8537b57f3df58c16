"""Many rows in order of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.growth import ascending
from prowess.games.scanner import loops

if TYPE_CHECKING:
    from numpy.typing import NDArray

BITS = 11  # of a key, sorted in one pass
UNITS = (1.0, 86_400.0)  # keys a day: whole days, whole seconds
SAMPLE = 1 << 16  # rows


def order_of(time: NDArray[np.float64]) -> NDArray[Any]:
    """The rows in order of time, rows of equal time as they stand.

    Times in whole days or seconds that span less than 136 years are sorted by 32-bit keys, in time
    that grows with the number of rows only; others as NumPy does it.
    """
    low, high = float(time.min()), float(time.max())
    for unit in UNITS:
        sample = (time[:SAMPLE] - low) * unit
        if (high - low) * unit < 2.0**32 - 1.0 and np.all(np.abs(sample - np.rint(sample)) < 1e-3):
            order = _radix(((time - low) * unit + 0.5).astype(np.uint32))
            if ascending(time[order]):  # no two times share a key
                return order
    return np.argsort(time, kind="stable")


def _radix(keys: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The order of the keys, by passes from their lowest bits to the highest."""
    largest = int(keys.max())
    order = np.arange(len(keys), dtype=np.uint32)
    other_keys, other_order = np.empty_like(keys), np.empty_like(order)
    count = np.zeros(1 << BITS, np.int64)
    for shift in range(0, max(largest.bit_length(), 1), BITS):
        loops().spread(keys, order, count, shift, other_keys, other_order)
        keys, other_keys = other_keys, keys
        order, other_order = other_order, order
    return order
