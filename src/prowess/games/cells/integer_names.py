"""Whole numbers as the names of players: they are numbered as they are, and written on demand."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.cells.plain_loops import BATCH, plain_loops
from prowess.games.names import Roster

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALL_NUMBERS = 1 << 24  # numbers below it are looked up in a row, whatever the players
SPREAD = 4  # and those below so many times the players
SLOTS = 1 << 12


class IntegerNames:
    """Gives whole numbers their ids, in order of first appearance."""

    are_plain = True

    def __init__(self, numbers: NDArray[np.int64] | None = None) -> None:
        keys = np.frombuffer(os.urandom(16), np.uint64).copy()
        keys[1] |= np.uint64(1)
        self.keys = keys
        self.place = np.zeros(SLOTS, np.uint32)  # empty: the numbers are not small
        self.table = np.zeros((2, 2), np.int64)
        self.known = np.empty(SLOTS, np.int64)
        self.state = np.zeros(1, np.int64)
        self.marks = np.empty(2 * BATCH, np.uint64)
        if numbers is not None and len(numbers):
            self.number(numbers[None, :])

    def __len__(self) -> int:
        return int(self.state[0])

    def takes(self, *columns: Any) -> bool:
        """Whether these columns hold whole numbers."""
        return all(getattr(column, "is_whole", False) for column in columns)

    def ids(self, *columns: Any) -> list[NDArray[np.uint32]]:
        """The ids of the numbers of each column, row by row, earlier columns first."""
        numbers = [column.whole_numbers() for column in columns]
        return list(self.number(np.stack(numbers, dtype=np.int64)))

    def number(self, values: NDArray[np.int64]) -> NDArray[np.uint32]:
        """The ids of numbers [columns, rows], row by row."""
        ids = np.empty(values.shape, np.uint32)
        row, rows = 0, values.shape[1]
        while True:
            row = plain_loops().number(
                values, ids, row, self.keys, self.place, self.table, self.known, self.state,
                self.marks,
            )  # fmt: skip
            if row == rows:
                return ids
            self._grow(values[:, row : row + BATCH])

    def _grow(self, values: NDArray[np.int64]) -> None:
        count = len(self)
        if count + values.size > len(self.known):
            grown = np.empty(2 * len(self.known), np.int64)
            grown[:count] = self.known[:count]
            self.known = grown
        low, high = int(values.min()), int(values.max())
        if len(self.place) and not 0 <= low <= high < len(self.place):
            if low < 0 or high >= max(SMALL_NUMBERS, SPREAD * count):
                self.place = np.zeros(0, np.uint32)
            else:
                place = np.zeros(1 << (2 * high).bit_length(), np.uint32)
                place[: len(self.place)] = self.place
                self.place = place
        if not len(self.place) and 2 * (count + values.size) > len(self.table):
            size = max(SLOTS, 1 << (2 * (count + values.size)).bit_length())
            self.table = np.zeros((size, 2), np.int64)
            plain_loops().place_again(self.known, count, self.keys, self.table)

    def find(self, name: str) -> int:
        """The id of a number, which is a new one where it was not known."""
        return int(self.number(np.array([[int(name)]]))[0, 0])

    def name(self, index: int) -> str:
        """The number of an id as text."""
        return str(self.known[index])

    def roster(self, start: int = 0, stop: int | None = None) -> Roster:
        """The numbers so far as texts, or those of some ids."""
        import pyarrow as pa

        stop = len(self) if stop is None else stop  # before the array: see `stream_state`
        known = self.known[start:stop]
        parts = [None, pa.py_buffer(known)]  # pa.array would import pandas
        texts = pa.Array.from_buffers(pa.int64(), len(known), parts).cast(pa.string())
        _, ends, content = texts.buffers()
        last = np.frombuffer(ends, np.int32)[1 : len(texts) + 1].astype(np.int64)
        held = b"" if content is None else content.to_pybytes()
        return Roster.from_buffer(held[: int(last[-1]) if len(last) else 0], last)
