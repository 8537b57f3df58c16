"""The loops of the fast reader, compiled when they are first called."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile import kernel
from prowess.compile.intrinsics import byte_finder, lowest_bit, prefetch
from prowess.compile.numbers import Array, Intrinsic, Number
from prowess.games.cells import number_cells, scanner
from prowess.games.columns import is_ascending

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.compile.builder import Builder


@cache
def loops() -> SimpleNamespace:
    """The loops by name."""
    word = word_loader()
    mark = scanner.make_mark_loop(byte_finder(), byte_finder("<"), lowest_bit())
    plain = (
        mark, scanner.make_text_check(word),
        scanner.split, scanner.scan, scanner.unescape, scanner.trim,
        number_cells.numbers, number_cells.make_days_loop(word), same, rehash,
        make_intern_loop(word, prefetch()), spread, gather,
    )  # fmt: skip
    return SimpleNamespace(**{loop.__name__: kernel.compile_if_possible(loop) for loop in plain})


# Loops over names: which are the same, and what number each has.


BATCH = 128  # rows whose names are looked up together, so that memory answers in time


@cache
def word_loader() -> Any:
    """An intrinsic `word(bytes, at)`: eight bytes as a number, wherever they begin."""
    return Intrinsic(_emit_word, plain=lambda data, at: data[at : at + 8].copy().view("<u8")[0])


def _emit_word(b: Builder, array: Array, at: Number) -> Number:
    place = b.value(f"getelementptr i8, ptr {array.data}, i64 {b.cast(at, 'q')}")
    return Number(b.value(f"load i64, ptr {place}, align 1"), "Q")


def same(
    data: Any, begin: Any, length: Any, other: Any, other_begin: Any, other_length: Any, equal: Any
) -> None:
    """Mark the rows in which two columns hold the same bytes."""
    for row in range(len(begin)):
        size = length[row]
        alike = size == other_length[row]
        if alike:
            i, j = begin[row], other_begin[row]
            for at in range(size):
                if data[i + at] != other[j + at]:
                    alike = False
                    break
        equal[row] = alike


def make_intern_loop(word: Any, ask: Any) -> Any:
    """The loop that gives names their ids."""

    def intern(
        data: Any, begin: Any, stop: Any, ids: Any, first: int,
        keys: Any, table: Any, names: Any, ends: Any, state: Any, marks: Any,
    ) -> Any:  # fmt: skip
        """Number the names of rows `first` and after, columns of a row one after the other.

        The name of row r in column c is `data[c][begin[c][r]:stop[c][r]]`; each column has its own
        bytes, whose copies would cost as much as their numbers.

        Names are told apart by 96 bits of a keyed hash: `table` rows are (64 bits, 32 bits and
        id + 1). New names are appended to `names`. Returns the row to go on with after the
        tables have been made larger; `state` is (names, bytes of names).
        """
        columns, rows = ids.shape
        mask = np.uint64(len(table) - 1)
        one, low_half = np.uint64(1), np.uint64(0xFFFFFFFF)
        upper = np.uint64(32)
        row = first
        while row < rows:
            end = min(row + BATCH, rows)
            size: Any = 0
            for c in range(columns):
                cells, starts, stops = data[c], begin[c][row:end], stop[c][row:end]
                last = len(cells) - 8
                at = c
                for r in range(len(starts)):
                    i = np.int64(starts[r])
                    n = np.int64(stops[r]) - i
                    size += n
                    h1, h2 = keys[0] ^ (np.uint64(n) * keys[3]), keys[1]
                    while n >= 8:
                        w = word(cells, i)
                        h1 = (h1 ^ w) * keys[2]
                        h1 ^= h1 >> np.uint64(29)
                        h2 = (h2 ^ w) * keys[3]
                        h2 ^= h2 >> np.uint64(31)
                        i += 8
                        n -= 8
                    if n > 0:
                        w = np.uint64(0)
                        if i <= last:
                            w = word(cells, i) & ((one << np.uint64(8 * n)) - one)
                        else:  # nothing is read beyond the bytes
                            for k in range(n):
                                w |= np.uint64(cells[i + k]) << np.uint64(8 * k)
                        h1 = (h1 ^ w) * keys[2]
                        h1 ^= h1 >> np.uint64(29)
                        h2 = (h2 ^ w) * keys[3]
                        h2 ^= h2 >> np.uint64(31)
                    h1 *= np.uint64(0xFF51AFD7ED558CCD)
                    h1 ^= h1 >> np.uint64(32)
                    h1 *= np.uint64(0xC4CEB9FE1A85EC53)
                    h1 ^= h1 >> np.uint64(29)
                    h2 *= np.uint64(0xC4CEB9FE1A85EC53)
                    marks[at, 0], marks[at, 1] = h1, h2 >> upper
                    ask(table, h1 & mask)
                    at += columns
            at = columns * (end - row)
            known, used = state[0], state[1]
            if (
                2 * (known + at) > len(table)
                or known + at > len(ends)
                or used + size + 8 > len(names)
            ):
                return row
            at = 0
            for r in range(row, end):
                for c in range(columns):
                    h1, tag = marks[at, 0], marks[at, 1]
                    slot = h1 & mask
                    while True:
                        rest = table[slot, 1]
                        if rest == np.uint64(0):
                            for k in range(np.int64(begin[c][r]), np.int64(stop[c][r])):
                                names[used] = data[c][k]
                                used += 1
                            ends[known] = used
                            known += 1
                            table[slot, 0] = h1
                            rest = (tag << upper) | np.uint64(known)
                            table[slot, 1] = rest
                            break
                        if table[slot, 0] == h1 and rest >> upper == tag:
                            break
                        slot = (slot + one) & mask
                    ids[c, r] = np.uint32((rest & low_half) - one)
                    at += 1
            state[0], state[1] = known, used
            row = end
        return rows

    return intern


def rehash(old: Any, table: Any) -> None:
    """Bring the entries of a table into a larger one."""
    mask = np.uint64(len(table) - 1)
    for entry in range(len(old)):
        if old[entry, 1] != np.uint64(0):
            slot = old[entry, 0] & mask
            while table[slot, 1] != np.uint64(0):
                slot = (slot + np.uint64(1)) & mask
            table[slot, 0], table[slot, 1] = old[entry, 0], old[entry, 1]


# The loops of a radix sort.


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


# Many rows in order of time.


UNITS = (1.0, 86_400.0)  # keys a day: whole days, whole seconds
STEP = 1 << 20  # rows looked at together, so that what is made of them stays small


def sort_by_time(time: NDArray[np.float64]) -> NDArray[Any]:
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


def reorder(values: NDArray[Any], order: NDArray[Any]) -> NDArray[Any]:
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
        is_ascending(reorder(time, order[at : at + STEP + 1]))
        for at in range(0, max(len(order) - 1, 0), STEP)
    )
