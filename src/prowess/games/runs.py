"""Runs of rows that stand one after the other: where each begins, what it holds.

NumPy counts in 64 bits on a computer and in 32 in a browser, where it refuses counts and places of
64 bits that it would take on a computer. The numbers of rows have 64 bits everywhere in Prowess;
these functions give NumPy what it takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


def bounds_of(sizes: ArrayLike) -> NDArray[np.int64]:
    """Where runs of these sizes begin, and where the last one ends, [runs + 1].

    >>> bounds_of([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    import numpy as np

    sizes = np.asarray(sizes)
    bounds = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, dtype=np.int64, out=bounds[1:])
    return bounds


def repeat_rows(values: Any, counts: ArrayLike, axis: int | None = None) -> NDArray[Any]:
    """Each value as often as its count says; a single count is that of all.

    >>> repeat_rows([1.5, 2.5], [2, 1]).tolist()
    [1.5, 1.5, 2.5]
    """
    import numpy as np

    return np.repeat(values, np.asarray(counts, dtype=np.intp), axis)


def reduce_runs(
    function: np.ufunc, values: Any, starts: NDArray[Any], axis: int = 0
) -> NDArray[Any]:
    """A function such as `np.add` over each run of values, given where the runs begin, [runs].

    >>> import numpy as np
    >>> reduce_runs(np.add, np.array([1.0, 2.0, 4.0]), np.array([0, 2])).tolist()
    [3.0, 4.0]
    """
    import numpy as np

    found: NDArray[Any] = function.reduceat(values, starts.astype(np.intp, copy=False), axis)
    return found


def as_unsigned(places: NDArray[Any]) -> NDArray[np.uint64]:
    """Places that are never negative, as a loop takes them that tests none for it."""
    import numpy as np

    return places.astype(np.int64, copy=False).view(np.uint64)
