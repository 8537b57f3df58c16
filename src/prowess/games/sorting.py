"""Many rows in order of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.growth import ascending
from prowess.games.loops import loops
from prowess.games.radix import BITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNITS = (1.0, 86_400.0)  # keys a day: whole days, whole seconds
STEP = 1 << 20  # rows looked at together, so that what is made of them stays small


def order_of(time: NDArray[np.float64]) -> NDArray[Any]:
    """The rows in order of time, rows of equal time as they stand.

    Times in whole days or seconds that span less than 136 years are sorted by 32-bit keys, in time
    that grows with the number of rows only; others as NumPy does it.
    """
    low, high = float(time.min()), float(time.max())
    for unit in UNITS:
        sample = (time[:STEP] - low) * unit
        if (high - low) * unit < 2.0**32 - 1.0 and np.all(np.abs(sample - np.rint(sample)) < 1e-3):
            keys = np.empty(len(time), np.uint32)
            for at in range(0, len(time), STEP):
                keys[at : at + STEP] = (time[at : at + STEP] - low) * unit + 0.5
            order = _radix(keys)
            if _puts_in_order(time, order):  # no two times share a key
                return order
    return np.argsort(time, kind="stable")


def arranged(values: NDArray[Any], order: NDArray[Any]) -> NDArray[Any]:
    """The rows of a column in another order."""
    out = np.empty(len(order), values.dtype)
    loops().gather(values, order, out)
    return out


def _radix(keys: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The order of the keys, by passes from their lowest bits to the highest; `keys` is lost."""
    shifts = range(0, max(int(keys.max()).bit_length(), 1), BITS)
    count = np.zeros(1 << BITS, np.int64)
    order = keys
    spare: list[NDArray[np.uint32]] = []

    def room() -> NDArray[np.uint32]:
        return spare.pop() if spare else np.empty(len(keys), np.uint32)

    for shift in shifts:
        first, last = shift == 0, shift == shifts[-1]
        order_out = room()
        keys_out = order_out if last else room()
        loops().spread(keys, order, count, shift, first, last, keys_out, order_out)
        spare += [keys] if first else [keys, order]
        keys, order = keys_out, order_out
    return order


def _puts_in_order(time: NDArray[np.float64], order: NDArray[np.uint32]) -> bool:
    return all(
        ascending(arranged(time, order[at : at + STEP + 1]))
        for at in range(0, max(len(order) - 1, 0), STEP)
    )
