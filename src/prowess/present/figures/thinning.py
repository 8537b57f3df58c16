"""Fewer points with the same picture: per column of pixels the first, last, lowest and highest.

U. Jugel, Z. Jerzak, G. Hackenbroich and V. Markl, "M4: A visualization-oriented time series data
aggregation", Proceedings of the VLDB Endowment 7 (2014): a line through these points covers the
same pixels as the line through all, so no peak is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def thinned(x: Floats, y: Floats, columns: int) -> NDArray[np.int64]:
    """Which points to keep, ascending; `x` ascends and is cut into so many equal columns."""
    if len(x) <= 4 * columns:
        return np.arange(len(x))
    extent = float(x[-1] - x[0])
    place = (x - x[0]) * (columns / extent) if extent > 0.0 else np.zeros(len(x))
    column = np.minimum(place.astype(np.int64), columns - 1)
    first = np.flatnonzero(np.append(True, column[1:] != column[:-1]))
    last = np.append(first[1:], len(x)) - 1
    by_value = np.lexsort((y, column))  # columns stay in order, so runs begin at the same places
    return np.unique(np.concatenate((first, last, by_value[first], by_value[last])))
