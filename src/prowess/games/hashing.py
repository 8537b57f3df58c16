"""Loops over names: which are the same, and what number each has."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from prowess import kernel

BATCH = 64  # rows whose names are looked up together, so that memory answers in time


@cache
def word_loader() -> Any:
    """An intrinsic `word(bytes, at)`: eight bytes as a number, wherever they begin."""
    kernel.load()
    from llvmlite import ir
    from numba.core import types as nb
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def word(typing: Any, array: Any, at: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, args[0]).data
            place = builder.gep(data, [args[1]])
            return builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)

        return nb.uint64(array, at), generate

    return word


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


def interning(word: Any, ask: Any) -> Any:
    """The loop that gives names their ids."""

    def intern(
        data: Any, begin: Any, length: Any, ids: Any, first: int,
        keys: Any, table: Any, names: Any, ends: Any, state: Any, marks: Any,
    ) -> Any:  # fmt: skip
        """Number the names of rows `first` and after, columns of a row one after the other.

        Names are told apart by 96 bits of a keyed hash: `table` rows are (64 bits, 32 bits and
        id + 1). New names are appended to `names`. Returns the row to go on with after the
        tables have been made larger; `state` is (names, bytes of names).
        """
        columns, rows = begin.shape
        mask = np.uint64(len(table) - 1)
        one, low_half = np.uint64(1), np.uint64(0xFFFFFFFF)
        upper = np.uint64(32)
        row = first
        while row < rows:
            stop = min(row + BATCH, rows)
            size: Any = 0
            at = 0
            for r in range(row, stop):
                for c in range(columns):
                    i, n = np.int64(begin[c, r]), np.int64(length[c, r])
                    size += n
                    h1, h2 = keys[0] ^ (np.uint64(n) * keys[3]), keys[1]
                    while n >= 8:
                        w = word(data, i)
                        h1 = (h1 ^ w) * keys[2]
                        h1 ^= h1 >> np.uint64(29)
                        h2 = (h2 ^ w) * keys[3]
                        h2 ^= h2 >> np.uint64(31)
                        i += 8
                        n -= 8
                    if n > 0:
                        w = word(data, i) & ((one << np.uint64(8 * n)) - one)
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
                    at += 1
            known, used = state[0], state[1]
            if (
                2 * (known + at) > len(table)
                or known + at > len(ends)
                or used + size + 8 > len(names)
            ):
                return row
            at = 0
            for r in range(row, stop):
                for c in range(columns):
                    h1, tag = marks[at, 0], marks[at, 1]
                    slot = h1 & mask
                    while True:
                        rest = table[slot, 1]
                        if rest == np.uint64(0):
                            i, n = np.int64(begin[c, r]), np.int64(length[c, r])
                            for k in range(n):
                                names[used + k] = data[i + k]
                            used += n
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
            row = stop
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
