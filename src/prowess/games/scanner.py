"""Loops over bytes that find the cells of CSV.

Cells are told by where they begin in a buffer and how long they are. After the bytes that count
stand at least `PADDING` more that may be read, the first of them a line feed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

PADDING = 16
FIELD_LIMIT = 131_072  # bytes in one cell, as Python's own reader has it
TAB, LF, CR, SPACE, QUOTE = 9, 10, 13, 32, 34
FINE, STRAY_QUOTE, OPEN_QUOTE, TOO_LONG = 0, 1, 2, 3  # what may be wrong with a file's structure


def mark(data: Any, low: int, high: int, kinds: Any, ends: Any) -> Any:
    """Write to `ends` where cells end, if none is quoted; returns how many do.

    `kinds` is 1 for the bytes that end a cell, else 0.
    """
    count = np.uint64(0)
    for i in range(np.uint64(low), np.uint64(high)):
        ends[count] = i  # no branch: kept if the count grows, else written over
        count += np.uint64(kinds[data[i]])
    return np.int64(count)


def split(
    data: Any, low: int, high: int, final: bool, ends: Any, count: int, delimiter: int, slots: Any,
    begin: Any, length: Any, line: Any, ragged: Any, state: Any,
) -> None:  # fmt: skip
    """As `scan`, where no cell is quoted and `ends` tells where `count` cells end."""
    width, capacity = len(slots), len(line)
    start, rows, lines, column, wrong, at = low, 0, 0, 0, FINE, 0
    taken, lines_taken = low, 0
    while rows < capacity:
        end = high
        if at < count:
            end = ends[at]
        elif not final or (start >= high and column == 0):
            if high - start > FIELD_LIMIT:
                wrong = TOO_LONG
            break
        at += 1
        if end - start > FIELD_LIMIT:
            wrong = TOO_LONG
            break
        if end < high and data[end] == delimiter:
            if column < width and slots[column] >= 0:
                begin[slots[column], rows] = start
                length[slots[column], rows] = end - start
            column += 1
            start = end + 1
            continue
        after = end + 1
        if end < high and data[end] == CR:
            if after >= high and not final:
                break
            if after < high and data[after] == LF:
                after += 1
                at += 1
        if column == 0 and end == start:  # an empty line
            lines += 1
            start = taken = min(after, high)
            lines_taken = lines
            continue
        if column < width and slots[column] >= 0:
            begin[slots[column], rows] = start
            length[slots[column], rows] = end - start
        column += 1
        for missing in range(column, width):
            if slots[missing] >= 0:
                begin[slots[missing], rows] = low
                length[slots[missing], rows] = 0
        line[rows] = lines
        ragged[rows] = -1 if column == width else column
        rows += 1
        lines += 1
        column = 0
        start = taken = min(after, high)
        lines_taken = lines
    state[0], state[1], state[2], state[3], state[4] = rows, taken, lines_taken, wrong, 0


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
    """Where quotes are doubled in a cell make them single, in place."""
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
