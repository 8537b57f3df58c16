"""Loops over columns that need no parsing: names in Arrow's buffers, moments, whole numbers."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from prowess.compile import kernel
from prowess.compile.intrinsics import prefetch
from prowess.games.cells.scanner import SPACE, TAB

BATCH = 64  # rows whose numbers are looked up together, so that memory answers in time
MILLISECONDS, MICROSECONDS = 86_400_000, 86_400_000_000  # of a day
LETTER_BYTE = 0x80  # bytes from here on are of letters beyond ASCII
INSIDE = 0xC0  # bytes from LETTER_BYTE up to here go on with a letter
BLANK_FIRST_BYTES = (0xC2, 0xE1, 0xE2, 0xE3)  # how blanks begin that are not ASCII


@cache
def plain_loops() -> SimpleNamespace:
    """The loops by name."""
    plain = (are_names, are_scores, are_games, days, make_number_loop(prefetch()), place_again)
    return SimpleNamespace(**{loop.__name__: kernel.compile_if_possible(loop) for loop in plain})


def are_names(data: Any, starts: Any, stops: Any) -> bool:
    """Whether all cells of a column are names as they stand: none is empty, has blanks around it,
    or begins with what may be such a blank or within a letter.
    """
    for row in range(len(starts)):
        start, stop = np.uint64(starts[row]), np.uint64(stops[row])  # never from the end
        if stop <= start:
            return False
        first, last = data[start], data[stop - np.uint64(1)]
        if first <= SPACE or last <= SPACE or first >= LETTER_BYTE:
            if first in (SPACE, TAB) or last in (SPACE, TAB):
                return False
            if LETTER_BYTE <= first < INSIDE or first in BLANK_FIRST_BYTES:
                return False
    return True


def are_scores(score: Any) -> bool:
    """Whether all numbers are from 0 to 1."""
    fine = True
    for row in range(len(score)):
        fine &= (score[row] >= 0.0) & (score[row] <= 1.0)
    return bool(fine)


def are_games(a: Any, b: Any) -> bool:
    """Whether the two players of each row are different ones."""
    fine = True
    for row in range(len(a)):
        fine &= a[row] != b[row]
    return bool(fine)


def days(count: Any, unit: int, values: Any) -> None:
    """Days of moments that are counted in a unit of which a day has so many."""
    for row in range(len(count)):
        now = count[row]
        if unit == MILLISECONDS:  # a division by a constant takes a fifth of the time
            day = now // MILLISECONDS
        elif unit == MICROSECONDS:
            day = now // MICROSECONDS
        else:
            day = now // unit
        values[row] = np.float64(day) + np.float64(now - day * unit) / np.float64(unit)


def make_number_loop(ask: Any) -> Any:
    """The loop that gives whole numbers their ids."""

    def number(
        values: Any, ids: Any, first: int, keys: Any, place: Any, table: Any, known: Any,
        state: Any, marks: Any,
    ) -> Any:  # fmt: skip
        """Give ids to the rows `first` and after, columns of a row one after the other.

        `place` holds id + 1 of small numbers; where it is empty, `table` has rows of a number and
        id + 1. Returns the row to go on with after the tables have been made larger; `state` is
        the count of the numbers that are known.
        """
        columns, rows = values.shape
        dense = len(place) > 0
        mask = np.uint64(len(table) - 1)
        row = first
        while row < rows:
            stop = min(row + BATCH, rows)
            count = state[0]
            batch = columns * (stop - row)
            if count + batch > len(known) or (not dense and 2 * (count + batch) > len(table)):
                return row
            if dense:
                size, fresh = np.uint64(len(place)), False
                for c in range(columns):
                    cells, found = values[c, row:stop], ids[c, row:stop]
                    for r in range(len(cells)):
                        slot = np.uint64(cells[r])  # a negative number is a large one
                        if slot >= size:
                            return row
                        held = place[slot]
                        fresh |= held == 0
                        found[r] = held - np.uint32(1)
                for r in range(row, stop if fresh else row):
                    for c in range(columns):
                        slot = np.uint64(values[c, r])
                        held = place[slot]
                        if held == 0:
                            known[count] = values[c, r]
                            count += 1
                            held = np.uint32(count)
                            place[slot] = held
                        ids[c, r] = held - np.uint32(1)
            else:
                at = 0
                for r in range(row, stop):
                    for c in range(columns):
                        marks[at] = _slot(values[c, r], keys, mask)
                        ask(table, marks[at])
                        at += 1
                at = 0
                for r in range(row, stop):
                    for c in range(columns):
                        value, slot = values[c, r], marks[at]
                        while table[slot, 1] != 0 and table[slot, 0] != value:
                            slot = (slot + np.uint64(1)) & mask
                        if table[slot, 1] == 0:
                            known[count] = value
                            count += 1
                            table[slot, 0], table[slot, 1] = value, count
                        ids[c, r] = np.uint32(table[slot, 1] - 1)
                        at += 1
            state[0] = count
            row = stop
        return rows

    return number


def _slot(value: Any, keys: Any, mask: Any) -> Any:
    """Where in a table a whole number is sought first."""
    mixed = (np.uint64(value) ^ keys[0]) * keys[1]
    mixed ^= mixed >> np.uint64(32)
    return mixed & mask


def place_again(known: Any, count: int, keys: Any, table: Any) -> None:
    """Bring the numbers that are known into an empty table."""
    mask = np.uint64(len(table) - 1)
    for at in range(count):
        slot = _slot(known[at], keys, mask)
        while table[slot, 1] != 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot, 0], table[slot, 1] = known[at], at + 1
