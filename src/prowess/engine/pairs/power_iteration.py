"""The direction that a positive map leaves alone, by applying it again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.system import Unratable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CLOSE = 1e-14  # largest change of one entry, relative to the largest entry
MOST = 200_000  # steps


def unmoved(step: Callable[[Floats], Floats], count: int, system: str) -> Floats:
    """The x with step(x) proportional to x, [count], summing to 1, from an even start.

    Raises Unratable where it does not settle: never silently the last of many steps.
    """
    x = np.full(count, 1.0 / count)
    for _ in range(MOST):
        after = step(x)
        after /= after.sum()
        moved = np.abs(after - x).max()
        x = after
        if moved <= CLOSE * x.max():
            return x
    raise Unratable(
        f"{system} does not settle on this table within {MOST:,} steps (the last moved a value "
        f"by {moved:.1g}): too few games hold it together"
    )
