"""Bytes to cells, numbers, days and ids: the loops of the fast reader, compiled by `loops()`.

Cells are told by where they begin in a buffer and how long they are. A buffer is followed by at
least `PADDING` bytes that may be read, the first of them a line feed.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from prowess import kernel

PADDING = 16
FIELD_LIMIT = 131_072  # bytes in one cell, as Python's own reader has it
TAB, LF, CR, SPACE, QUOTE, PLUS, MINUS, DOT, SLASH = 9, 10, 13, 32, 34, 43, 45, 46, 47
ZERO, COLON, BIG_T, BIG_Z, SMALL_T, SMALL_Z = 48, 58, 84, 90, 116, 122
FINE, STRAY_QUOTE, OPEN_QUOTE, TOO_LONG = 0, 1, 2, 3  # what may be wrong with a file's structure
BATCH = 64  # rows whose names are looked up together, so that memory answers in time


@cache
def loops() -> SimpleNamespace:
    """The loops, compiled."""
    return SimpleNamespace(
        scan=kernel.compiled(scanning(word_loader())),
        numbers=kernel.compiled(numbers),
        days=kernel.compiled(days),
        same=kernel.compiled(same),
        trim=kernel.compiled(trim),
        intern=kernel.compiled(interning(word_loader(), kernel.prefetch())),
        rehash=kernel.compiled(rehash),
        spread=kernel.compiled(spread),
    )


@cache
def word_loader() -> Any:
    """An intrinsic `word(bytes, at)`: eight bytes as a number, wherever they begin."""
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


def scanning(word: Any) -> Any:
    """The loop that finds cells."""

    def scan(
        data: Any, low: Any, high: int, final: bool, delimiter: int, slots: Any,
        begin: Any, length: Any, line: Any, ragged: Any, state: Any,
    ) -> None:  # fmt: skip
        """Find the cells of the wanted columns in `data[low:high]`, as CSV has it.

        `slots[column]` is the row of `begin` and `length` for a wanted column, else -1. Per row
        found: `line`, counted from 0 at `low`, and in `ragged` the number of cells where it is not
        the number of columns, else -1. `state` receives: rows, bytes taken, lines taken, and what
        is wrong with the row after them. A row that is not complete is left.
        """
        ones, tops = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
        delimiters, feeds, returns = (
            np.uint64(delimiter) * ones, np.uint64(LF) * ones, np.uint64(CR) * ones,
        )  # fmt: skip
        width, capacity = len(slots), len(line)
        i, rows, lines, wrong = low, 0, 0, FINE
        taken, lines_taken = low, 0
        while i < high and rows < capacity:
            if data[i] == LF or data[i] == CR:  # an empty line
                if data[i] == CR and i + 1 >= high and not final:
                    break
                i += 2 if data[i] == CR and i + 1 < high and data[i + 1] == LF else 1
                lines += 1
                taken, lines_taken = i, lines
                continue
            column, complete, escapes = 0, False, False
            first_line = lines
            while True:
                start, escaped = i, False
                if data[i] == QUOTE and i < high:
                    start += 1
                    i += 1
                    closed = False
                    while i < high:
                        byte = data[i]
                        if byte == QUOTE:
                            if i + 1 < high and data[i + 1] == QUOTE:
                                escaped = True
                                i += 2
                                continue
                            closed = i + 1 < high or final
                            break
                        if byte == LF or (byte == CR and data[i + 1] != LF):
                            lines += 1
                        i += 1
                    if not closed:
                        if i - start > FIELD_LIMIT:
                            wrong = TOO_LONG
                        elif final:
                            wrong = OPEN_QUOTE
                        break
                    end = i
                    i += 1
                    if i < high and not (data[i] == delimiter or data[i] == LF or data[i] == CR):
                        wrong = STRAY_QUOTE
                        break
                else:  # eight bytes at a time: the top bit of each marks what ends the cell
                    while True:
                        bytes_here = word(data, i)
                        x = bytes_here ^ delimiters
                        ends = (x - ones) & ~x
                        x = bytes_here ^ feeds
                        ends |= (x - ones) & ~x
                        x = bytes_here ^ returns
                        ends = (ends | ((x - ones) & ~x)) & tops
                        if ends != np.uint64(0):
                            break
                        i += 8
                    lowest = (ends & (~ends + np.uint64(1))) >> np.uint64(7)
                    before = ((lowest - np.uint64(1)) & ones) * ones >> np.uint64(56)
                    i += np.int64(before)
                    end = i
                    if i >= high:
                        i = end = high
                        if not final:
                            if i - start > FIELD_LIMIT:
                                wrong = TOO_LONG
                            break
                if end - start > FIELD_LIMIT:
                    wrong = TOO_LONG
                    break
                if column < width and slots[column] >= 0:
                    begin[slots[column], rows] = start
                    length[slots[column], rows] = start - end - 1 if escaped else end - start
                    escapes = escapes or escaped
                column += 1
                if i >= high:
                    complete = final
                    break
                if data[i] == delimiter:
                    i += 1
                    continue
                if data[i] == CR and i + 1 >= high and not final:
                    break
                i += 2 if data[i] == CR and i + 1 < high and data[i + 1] == LF else 1
                lines += 1
                complete = True
                break
            if not complete:
                break
            for missing in range(column, width):
                if slots[missing] >= 0:
                    begin[slots[missing], rows] = low
                    length[slots[missing], rows] = 0
            for slot in range(len(begin)):
                _tidy(data, begin, length, slot, rows, escapes)
            line[rows] = first_line
            ragged[rows] = -1 if column == width else column
            rows += 1
            taken, lines_taken = i, lines
        state[0], state[1], state[2], state[3] = rows, taken, lines_taken, wrong

    return scan


def _tidy(data: Any, begin: Any, length: Any, slot: int, row: int, escapes: bool) -> None:
    """Drop blanks around a cell; where quotes are doubled in it make them single, in place."""
    start, size = begin[slot, row], length[slot, row]
    if escapes and size < 0:
        end = start - size - 1
        source = target = start
        while source < end:
            data[target] = data[source]
            source += 2 if data[source] == QUOTE else 1
            target += 1
        size = target - start
    start, size = _trimmed(data, start, size)
    begin[slot, row], length[slot, row] = start, size


def _trimmed(data: Any, start: int, size: int) -> tuple[int, int]:
    """A cell without the blanks around it."""
    while size > 0 and (data[start + size - 1] == SPACE or data[start + size - 1] == TAB):
        size -= 1
    while size > 0 and (data[start] == SPACE or data[start] == TAB):
        start += 1
        size -= 1
    return start, size


def trim(data: Any, begin: Any, length: Any) -> None:
    """Drop blanks around the cells of a column."""
    for row in range(len(begin)):
        start, size = _trimmed(data, begin[row], length[row])
        begin[row], length[row] = start, size


def numbers(data: Any, begin: Any, length: Any, values: Any, odd: Any) -> None:
    """Plain decimal numbers; `odd` marks what has to be looked at with more care."""
    for row in range(len(begin)):
        i = begin[row]
        end = i + length[row]
        negative = i < end and data[i] == MINUS
        if negative:
            i += 1
        whole, digits, behind, dotted = 0, 0, 0, False
        while i < end:
            digit = _digit(data[i])
            if 0 <= digit <= 9:
                whole = whole * 10 + digit
                digits += 1
                behind += 1 if dotted else 0
            elif data[i] == DOT and not dotted:
                dotted = True
            else:
                break
            i += 1
        odd[row] = i < end or digits == 0 or digits > 15  # below 2^53 the quotient is exact
        value = 0.0
        if not odd[row]:
            scale = 1.0
            for _ in range(behind):
                scale *= 10.0
            value = whole / scale
        values[row] = -value if negative else value


def _digit(byte: Any) -> Any:
    """What a digit stands for; below 0 or above 9 if it is none."""
    return np.int64(byte) - ZERO


def _two(data: Any, i: int) -> Any:
    """Two digits, or -1."""
    tens, ones = _digit(data[i]), _digit(data[i + 1])
    if 0 <= tens <= 9 and 0 <= ones <= 9:
        return tens * 10 + ones
    return -1


def _calendar_day(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the Gregorian calendar, or -1,000,000 for no such day."""
    if year < 1 or month < 1 or month > 12 or day < 1:
        return -1_000_000
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    last = 30 if month in (4, 6, 9, 11) else 31
    if month == 2:
        last = 29 if leap else 28
    if day > last:
        return -1_000_000
    # counted from 1 March of the year 0, so that the leap day comes last
    years = year - 1 if month <= 2 else year
    months = month + 9 if month <= 2 else month - 3
    before = years * 365 + years // 4 - years // 100 + years // 400
    return before + (153 * months + 2) // 5 + day - 1 - 719_468


def days(data: Any, begin: Any, length: Any, values: Any, odd: Any) -> None:
    """Dates and moments as ISO has them, seconds and milliseconds since 1970."""
    for row in range(len(begin)):
        i, size = begin[row], length[row]
        end = i + size
        odd[row] = True
        values[row] = 0.0
        if 9 <= size <= 13 and size != 11:
            count, digits = 0, 0
            while digits < size and 0 <= _digit(data[i + digits]) <= 9:
                count = count * 10 + _digit(data[i + digits])
                digits += 1
            if digits == size:
                if size <= 10 and count >= 100_000_000:
                    values[row], odd[row] = count / 86_400.0, False
                elif size >= 12 and count >= 100_000_000_000:
                    values[row], odd[row] = count / 86_400_000.0, False
                continue
        if size < 10:
            continue
        mark = data[i + 4]
        high, low = _two(data, i), _two(data, i + 2)
        month, day = _two(data, i + 5), _two(data, i + 8)
        if high < 0 or low < 0 or mark != data[i + 7]:
            continue
        if mark not in (MINUS, DOT, SLASH):
            continue
        date = _calendar_day(high * 100 + low, month, day)
        if date == -1_000_000:
            continue
        if size == 10:
            values[row], odd[row] = np.float64(date), False
            continue
        i += 10
        if size < 16 or (data[i] != SPACE and data[i] != BIG_T and data[i] != SMALL_T):
            continue
        hour, minute = _two(data, i + 1), _two(data, i + 4)
        if data[i + 3] != COLON or hour < 0 or hour > 23 or minute < 0 or minute > 59:
            continue
        i += 6
        nanoseconds = (hour * 60 + minute) * 60_000_000_000
        if i + 3 <= end and data[i] == COLON:
            second = _two(data, i + 1)
            if second < 0 or second > 59:
                continue
            nanoseconds += second * 1_000_000_000
            i += 3
            if i + 1 < end and data[i] == DOT:
                i += 1
                unit, places = 100_000_000, 0
                while i < end and places < 9 and 0 <= _digit(data[i]) <= 9:
                    nanoseconds += _digit(data[i]) * unit
                    unit //= 10
                    places += 1
                    i += 1
                if places == 0:
                    continue
        if i + 1 == end and (data[i] == BIG_Z or data[i] == SMALL_Z):
            i += 1
        elif i + 6 == end and (data[i] == PLUS or data[i] == MINUS) and data[i + 3] == COLON:
            hours, minutes = _two(data, i + 1), _two(data, i + 4)
            if hours < 0 or hours > 23 or minutes < 0 or minutes > 59:
                continue
            away = (hours * 60 + minutes) * 60_000_000_000
            nanoseconds += away if data[i] == MINUS else -away
            i += 6
        if i != end:
            continue
        over = nanoseconds // 86_400_000_000_000
        values[row] = date + over + (nanoseconds - over * 86_400_000_000_000) / 86_400_000_000_000.0
        odd[row] = False


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


def spread(keys: Any, order: Any, count: Any, shift: int, keys_out: Any, order_out: Any) -> None:
    """One pass of a radix sort: rows by 11 bits of their key, rows of equal bits as they stood."""
    count[:] = 0
    digit = np.uint32(shift)
    for row in range(len(keys)):
        count[(keys[row] >> digit) & np.uint32(2047)] += 1
    before = 0
    for value in range(len(count)):
        here = count[value]
        count[value] = before
        before += here
    for row in range(len(keys)):
        value = (keys[row] >> digit) & np.uint32(2047)
        place = count[value]
        keys_out[place] = keys[row]
        order_out[place] = order[row]
        count[value] = place + 1
