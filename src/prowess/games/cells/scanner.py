"""Loops over bytes that find the cells of CSV.

Cells are told by where they begin in a buffer and how long they are. After the bytes that count
stand at least `PADDING` more that may be read, the first of them a line feed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

PADDING = 64
FIELD_LIMIT = 131_072  # bytes in one cell, as Python's own reader has it
TAB, LF, CR, SPACE, QUOTE = 9, 10, 13, 32, 34
FINE, STRAY_QUOTE, OPEN_QUOTE, TOO_LONG = 0, 1, 2, 3  # what may be wrong with a file's structure


def make_mark_loop(find_bytes: Any, find_less: Any, lowest_bit: Any) -> Any:
    """The loop that finds where cells end, 64 bytes at a time, each of them a bit of a mask."""

    def mark(data: Any, high: int, delimiter: int, final: bool, ends: Any, state: Any) -> None:
        """Write to `ends` where the cells of `data[:high]` end.

        `state` receives how many do, whether `scan` has to find them since quotes stand elsewhere
        than around cells or around line ends, and whether all bytes are ASCII, and one is NUL.
        """
        one, last = np.uint64(1), np.uint64(63)
        inside = closed = odd = beyond = nul = np.uint64(0)
        begins = one  # whether a cell begins with the first byte of a block
        count = 0
        for at in range(0, high, 64):
            lines = find_bytes(data, at, LF) | find_bytes(data, at, CR)
            found = lines | find_bytes(data, at, delimiter)
            quotes = find_bytes(data, at, QUOTE)
            here = ~np.uint64(0)
            if high - at < 64:
                here = (one << np.uint64(high - at)) - one
                found, quotes = found & here, quotes & here
            beyond |= find_less(data, at, 0) & here
            nul |= find_bytes(data, at, 0) & here
            if quotes | inside | closed:
                within = quotes  # from each opening quote up to the closing one
                for shift in (1, 2, 4, 8, 16, 32):
                    within ^= within << np.uint64(shift)
                within ^= inside
                found &= ~within
                closing = quotes & ~within
                odd |= quotes & within & ~(found << one | begins)
                odd |= (closing << one | closed) & ~found & here
                odd |= lines & within & here
                inside, closed = np.uint64(0) - (within >> last), closing >> last
            begins = found >> last
            while found:
                ends[count] = at + np.int64(lowest_bit(found))
                count += 1
                found &= found - one
        state[0], state[1] = count, odd != 0 or (final and inside != 0)
        state[2], state[3] = beyond == 0, nul != 0

    return mark


def split(
    data: Any, low: Any, high: Any, final: bool, ends: Any, count: int, delimiter: int, slots: Any,
    begin: Any, length: Any, line: Any, ragged: Any, state: Any,
) -> None:  # fmt: skip
    """Find cells as `scan` and `trim` do, where quotes stand around whole cells only.

    `ends` holds where `count` cells end; `state` receives how many of them were used as well.
    """
    width, capacity = len(slots), len(line)
    rows, lines, column, wrong = 0, 0, 0, FINE
    one, at, number = np.uint64(1), np.uint64(0), np.uint64(count)  # places that are never negative
    start: Any = np.uint64(low)
    high, limit = np.uint64(high), np.uint64(FIELD_LIMIT)
    taken, lines_taken = start, 0
    while rows < capacity:
        end = high
        if at < number:
            end = np.uint64(ends[at])
        elif not final or (start >= high and column == 0):
            if high - start > limit:
                wrong = TOO_LONG
            break
        at += one
        first, last = start, end
        if data[start] == QUOTE and end > start:
            first, last = start + one, end - one
        if last - first > limit:
            wrong = TOO_LONG
            break
        within = end < high and data[end] == delimiter
        after = end + one
        if not within:
            if end < high and data[end] == CR:
                if after >= high and not final:
                    break
                if after < high and data[after] == LF:
                    after += one
                    at += one
            after = min(after, high)
            if column == 0 and end == start:  # an empty line
                lines += 1
                start = taken = after
                lines_taken = lines
                continue
        slot = slots[column] if column < width else -1
        if slot >= 0:
            while last > first and (data[last - one] == SPACE or data[last - one] == TAB):
                last -= one
            while last > first and (data[first] == SPACE or data[first] == TAB):
                first += one
            begin[np.uint64(slot), np.uint64(rows)] = first
            length[np.uint64(slot), np.uint64(rows)] = last - first
        column += 1
        start = after
        if within:
            continue
        for missing in range(column, width):
            if slots[missing] >= 0:
                begin[slots[missing], rows] = low
                length[slots[missing], rows] = 0
        line[rows] = lines
        ragged[rows] = -1 if column == width else column
        rows += 1
        lines += 1
        column = 0
        taken, lines_taken = start, lines
    state[0], state[1], state[2], state[3] = rows, np.int64(taken), lines_taken, wrong
    state[4] = np.int64(min(at, number))  # the end of the file is no end of a cell


def scan(
    data: Any, low: int, high: int, final: bool, delimiter: int, slots: Any,
    begin: Any, length: Any, line: Any, ragged: Any, state: Any,
) -> None:  # fmt: skip
    """Find the cells of the wanted columns in `data[low:high]`, as CSV has it.

    `slots[column]` is the row of `begin` and `length` for a wanted column, else -1; the length of
    a cell in which quotes are doubled is written as -1 minus itself. Per row found: `line`,
    counted from 0 at `low`, and in `ragged` the number of cells where it is not the number of
    columns, else -1. `state` receives: rows, bytes taken, lines taken, what is wrong with the row
    after them, cells with doubled quotes. A row that is not complete is left.
    """
    width, capacity = len(slots), len(line)
    i, rows, lines, wrong, escapes = low, 0, 0, FINE, 0
    taken, lines_taken = low, 0
    while i < high and rows < capacity:
        column, complete, first_line, first = 0, False, lines, i
        while True:
            start, escaped = i, 0
            if i < high and data[i] == QUOTE:
                start += 1
                i += 1
                closed = False
                while i < high:
                    if data[i] == QUOTE:
                        if i + 1 >= high or data[i + 1] != QUOTE:
                            closed = i + 1 < high or final
                            break
                        escaped = 1
                        i += 1
                    elif data[i] == LF or (data[i] == CR and data[i + 1] != LF):
                        lines += 1
                    i += 1
                if not closed:
                    wrong = OPEN_QUOTE if final else FINE
                    if i - start > FIELD_LIMIT:
                        wrong = TOO_LONG
                    break
                end = i
                i += 1
            else:
                while data[i] != delimiter and data[i] != LF and data[i] != CR:
                    i += 1
                end = i = min(i, high)
            if end - start > FIELD_LIMIT:
                wrong = TOO_LONG
                break
            if i < high and data[i] != delimiter and data[i] != LF and data[i] != CR:
                wrong = STRAY_QUOTE
                break
            if i >= high and not final:
                break
            if column < width and slots[column] >= 0:
                begin[slots[column], rows] = start
                length[slots[column], rows] = start - end - 1 if escaped else end - start
                escapes += escaped
            column += 1
            if i >= high:
                complete = True
                break
            i += 1
            if data[i - 1] == delimiter:
                continue
            if data[i - 1] == CR:
                if i >= high and not final:
                    break
                if i < high and data[i] == LF:
                    i += 1
            lines += 1
            complete = True
            break
        if not complete:
            break
        taken, lines_taken = i, lines
        if column == 1 and (data[first] == LF or data[first] == CR):  # an empty line
            continue
        for missing in range(column, width):
            if slots[missing] >= 0:
                begin[slots[missing], rows] = low
                length[slots[missing], rows] = 0
        line[rows] = first_line
        ragged[rows] = -1 if column == width else column
        rows += 1
    state[0], state[1], state[2], state[3], state[4] = rows, taken, lines_taken, wrong, escapes


def unescape(data: Any, begin: Any, length: Any) -> None:
    """Make doubled quotes of cells single, in place."""
    for row in range(len(begin)):
        if length[row] < 0:
            source = target = begin[row]
            end = source - length[row] - 1
            while source < end:
                data[target] = data[source]
                source += 2 if data[source] == QUOTE else 1
                target += 1
            length[row] = target - begin[row]


def trim(data: Any, begin: Any, length: Any) -> None:
    """Drop blanks around the cells of a column."""
    for row in range(len(begin)):
        start, size = begin[row], length[row]
        while size > 0 and (data[start + size - 1] == SPACE or data[start + size - 1] == TAB):
            size -= 1
        while size > 0 and (data[start] == SPACE or data[start] == TAB):
            start += 1
            size -= 1
        begin[row], length[row] = start, size
