"""Columns that grow chunk by chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Growing:
    """A column that grows; memory that is not yet filled is not yet taken from the system."""

    def __init__(self, expected: int = 0) -> None:
        self.expected = expected
        self.held: NDArray[Any] | None = None
        self.count = 0

    def append(self, values: NDArray[Any]) -> None:
        """Add rows at the end."""
        if self.held is None:
            self.held, self.count = values, len(values)
            return
        size = self.count + len(values)
        if size > len(self.held):
            grown = np.empty(max(size, self.expected, 2 * self.count), values.dtype)
            grown[: self.count] = self.held[: self.count]
            self.held = grown
        self.held[self.count : size] = values
        self.count = size

    def whole(self) -> NDArray[Any]:
        """All rows."""
        assert self.held is not None
        return self.held[: self.count]


def numbered(keys: list[NDArray[Any]]) -> NDArray[np.int64]:
    """Rows with equal keys get equal numbers, in order of first appearance."""
    number = np.zeros(len(keys[0]) if keys else 0, np.int64)
    for key in keys:
        _, code = np.unique(key, return_inverse=True)
        number = number * (int(code.max(initial=0)) + 1) + code
        number = appeared(number)[1]
    return number


def appeared(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The keys in order of first appearance, and the place in it of each that is given."""
    found, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(found), np.int64)
    place[order] = np.arange(len(found))
    return found[order], place[inverse]


def ascending(values: NDArray[np.float64]) -> bool:
    """Whether values never fall."""
    step = 1 << 20  # so that the comparison stays small beside the column
    return all(
        bool(np.all(values[at : at + step] <= values[at + 1 : at + step + 1][:step]))
        if at + step < len(values)
        else bool(np.all(values[at:-1] <= values[at + 1 :]))
        for at in range(0, max(len(values) - 1, 0), step)
    )
