"""Columns that grow at their end without moving, and are copied when changed anywhere else.

What was handed out never changes: rows are written behind it, or into new memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]

LEAST_ROOM = 64  # rows


@dataclass(frozen=True, eq=False)
class Splice:
    """Rows taken out of columns and rows put in, as row numbers of the columns before.

    `gone` ascends without repeats; the j-th new row stands before the old row `at[j]`.
    """

    gone: Rows
    at: Rows

    @property
    def first(self) -> int:
        """The first row that is no longer what it was."""
        return int(min(self.gone[:1].tolist() + self.at[:1].tolist()))

    @property
    def growth(self) -> int:
        """How many rows there are more than before."""
        return len(self.at) - len(self.gone)

    def pieces(self, count: int) -> list[tuple[int, int, int]]:
        """The runs of rows that stay, of `count`: (first, last + 1, new place of the first)."""
        cuts = np.unique(np.concatenate(([0, count], self.gone, self.gone + 1, self.at)))
        low, high = cuts[:-1], cuts[1:]
        stays = ~np.isin(low, self.gone)
        low, high = low[stays], high[stays]
        to = low - self.gone.searchsorted(low) + self.at.searchsorted(low, side="right")
        return list(zip(low.tolist(), high.tolist(), to.tolist(), strict=True))

    @property
    def places(self) -> Rows:
        """Where the new rows stand."""
        places: Rows = self.at - self.gone.searchsorted(self.at) + np.arange(len(self.at))
        return places


@dataclass(frozen=True, eq=False)
class Block:
    """Columns of equal length by name; `held` has room behind the `count` rows that are filled.

    Only the newest of the blocks that share memory may be extended.
    """

    held: Mapping[str, NDArray[Any]]
    count: int

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.held[name][: self.count]

    def __contains__(self, name: str) -> bool:
        return name in self.held

    def part(self, first: int, last: int | None = None) -> dict[str, NDArray[Any]]:
        """Some rows of all columns."""
        last = self.count if last is None else last
        return {name: column[first:last] for name, column in self.held.items()}

    def copied(self) -> Block:
        """A copy without room, which nobody else writes to."""
        return Block({name: self[name].copy() for name in self.held}, self.count)

    def extended(self, more: Mapping[str, NDArray[Any]]) -> Block:
        """With more rows at the end, in the same memory where there is room."""
        count = self.count + (len(next(iter(more.values()))) if more else 0)
        held = {}
        for name, column in self.held.items():
            if count > len(column):
                column = widened(column[: self.count], count + count // 2 + LEAST_ROOM)  # noqa: PLW2901
            column[self.count : count] = more[name]
            held[name] = column
        return Block(held, count)

    def headed(self, kept: int, more: Mapping[str, NDArray[Any]]) -> Block:
        """The first `kept` rows and more behind them."""
        if kept == self.count:
            return self.extended(more)
        return Block(self.part(0, kept), kept).copied().extended(more)

    def spliced(self, splice: Splice, more: Mapping[str, NDArray[Any]]) -> Block:
        """With rows taken out and `more` put in, in memory of its own."""
        count = self.count + splice.growth
        pieces, places = splice.pieces(self.count), splice.places
        held = {}
        for name, column in self.held.items():
            new = np.empty((count + count // 8 + LEAST_ROOM, *column.shape[1:]), column.dtype)
            for low, high, to in pieces:
                new[to : to + high - low] = column[low:high]
            new[places] = more[name]
            held[name] = new
        return Block(held, count)


def widened(column: NDArray[Any], room: int) -> NDArray[Any]:
    """The same rows in memory for `room` of them."""
    wide = np.empty((room, *column.shape[1:]), column.dtype)
    wide[: len(column)] = column
    return wide
