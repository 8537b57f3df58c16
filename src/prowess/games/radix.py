"""The loops of a radix sort."""

from __future__ import annotations

from typing import Any

import numpy as np

BITS = 11  # of a key, sorted in one pass


def spread(
    keys: Any, order: Any, count: Any, shift: int, first: bool, last: bool,
    keys_out: Any, order_out: Any,
) -> None:  # fmt: skip
    """One pass: rows by some bits of their key, rows of equal bits as they stood.

    Before the first pass rows are in their own order; after the last one no keys are needed.
    """
    count[:] = 0
    low, mask = np.uint32(shift), np.uint32((1 << BITS) - 1)
    for row in range(len(keys)):
        count[(keys[row] >> low) & mask] += 1
    before = 0
    for value in range(len(count)):
        here = count[value]
        count[value] = before
        before += here
    for row in range(len(keys)):
        digit = (keys[row] >> low) & mask
        place = count[digit]
        count[digit] = place + 1
        if not last:
            keys_out[place] = keys[row]
        order_out[place] = row if first else order[row]


def gather(values: Any, order: Any, out: Any) -> None:
    """The rows of a column in another order."""
    for row in range(len(order)):
        out[row] = values[order[row]]
