"""The loops of the fast reader, compiled when they are first called."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile import kernel
from prowess.compile.intrinsics import byte_finder, lowest_bit, prefetch
from prowess.compile.numbers import Array, Intrinsic, Number
from prowess.games.cells import scanner
from prowess.games.cells.scanner import SPACE, TAB
from prowess.games.dates import NANOSECONDS_A_DAY

if TYPE_CHECKING:
    from prowess.compile.builder import Builder


# Loops over cells: numbers and dates in their usual forms; `odd` marks what is not.


PLUS, MINUS, DOT, SLASH, ZERO, COLON = 43, 45, 46, 47, 48, 58
BIG_T, BIG_Z, SMALL_T, SMALL_Z = 84, 90, 116, 122
NO_DAY, NO_TIME = -1_000_000, -(1 << 60)


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
    """The value of a digit; below 0 or above 9 for another byte."""
    return np.int64(byte) - ZERO


def _calendar_day(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the Gregorian calendar, or NO_DAY for no such day."""
    if year < 1 or month < 1 or month > 12 or day < 1:
        return NO_DAY
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    last = 30 if month in (4, 6, 9, 11) else 31
    if month == 2:
        last = 29 if leap else 28
    if day > last:
        return NO_DAY
    # counted from 1 March of the year 0, so that the leap day comes last
    years = year - 1 if month <= 2 else year
    months = month + 9 if month <= 2 else month - 3
    before = years * 365 + years // 4 - years // 100 + years // 400
    return before + (153 * months + 2) // 5 + day - 1 - 719_468


def _pair(data: Any, at: Any) -> Any:
    """The number that two digits are; -1 for other bytes."""
    tens, ones = _digit(data[at]), _digit(data[at + 1])
    if tens < 0 or tens > 9 or ones < 0 or ones > 9:
        return -1
    return tens * 10 + ones


def _date_at(data: Any, at: Any) -> Any:
    """Days since 1970 of a date such as 2020-01-02; NO_DAY for what is written otherwise."""
    century, years, between = _pair(data, at), _pair(data, at + 2), data[at + 4]
    if century < 0 or years < 0 or between not in (MINUS, DOT, SLASH) or data[at + 7] != between:
        return NO_DAY
    return _calendar_day(century * 100 + years, _pair(data, at + 5), _pair(data, at + 8))


def _time_of_day(data: Any, start: Any, end: Any) -> Any:
    """Nanoseconds in UTC since the day of a moment such as 2020-01-02 10:00:00.5+02:00 began;
    NO_TIME for what is written otherwise.
    """
    mark, hours, minutes = data[start + 10], _pair(data, start + 11), _pair(data, start + 14)
    if (
        end - start < 16 or mark not in (SPACE, BIG_T, SMALL_T) or data[start + 13] != COLON
        or hours < 0 or hours > 23 or minutes < 0 or minutes > 59
    ):  # fmt: skip
        return NO_TIME
    seconds, number, unit, i = 0, 0, 1_000_000_000, start + 16
    if i + 3 <= end and data[i] == COLON:
        seconds = _pair(data, i + 1)
        i += 3
        if seconds < 0 or seconds > 59:
            return NO_TIME
        if i < end and data[i] == DOT:
            i += 1
            while i < end and unit > 1 and 0 <= _digit(data[i]) <= 9:
                number = number * 10 + _digit(data[i])
                unit //= 10
                i += 1
            if unit == 1_000_000_000:
                return NO_TIME
    away = 0  # minutes east of Greenwich
    if i == end - 1 and (data[i] == BIG_Z or data[i] == SMALL_Z):
        i += 1
    elif i == end - 6 and (data[i] == PLUS or data[i] == MINUS) and data[i + 3] == COLON:
        hours_away, minutes_away = _pair(data, i + 1), _pair(data, i + 4)
        if 0 <= hours_away <= 23 and 0 <= minutes_away <= 59:
            away = hours_away * 60 + minutes_away
            away = -away if data[i] == MINUS else away
            i += 6
    if i < end:
        return NO_TIME
    return ((hours * 60 + minutes - away) * 60 + seconds) * 1_000_000_000 + number * unit


def make_days_loop(word: Any) -> Any:
    """The loop that reads dates."""

    def days(data: Any, begin: Any, length: Any, values: Any, odd: Any) -> None:
        """Dates and moments as ISO has them, seconds and milliseconds since 1970."""
        last_head, last_tail, last_day = np.uint64(0), -1, 0
        for row in range(len(begin)):
            i, size = np.int64(begin[row]), np.int64(length[row])
            odd[row] = True
            values[row] = 0.0
            head, tail = word(data, i), np.int64(data[i + 8]) * 256 + data[i + 9]
            if size < 10 or head != last_head or tail != last_tail:  # rarely so
                number, k, stop = 0, i, i + size
                while k < stop and k < i + 13 and 0 <= _digit(data[k]) <= 9:
                    number = number * 10 + _digit(data[k])
                    k += 1
                if k == stop:
                    if size in (9, 10) and number >= 100_000_000:
                        values[row], odd[row] = number / 86_400.0, False
                    elif size in (12, 13) and number >= 100_000_000_000:
                        values[row], odd[row] = number / 86_400_000.0, False
                    continue
                day = _date_at(data, i)
                if size < 10 or day == NO_DAY:
                    continue
                last_head, last_tail, last_day = head, tail, day
            day = last_day
            if size > 10:
                count = _time_of_day(data, i, i + size)
                if count == NO_TIME:
                    continue
                if count < 0 or count >= NANOSECONDS_A_DAY:  # of another day in UTC
                    day += count // NANOSECONDS_A_DAY
                    count -= (day - last_day) * NANOSECONDS_A_DAY
                values[row], odd[row] = day + count / 86_400_000_000_000.0, False
            else:
                values[row], odd[row] = np.float64(day), False

    return days


@cache
def loops() -> SimpleNamespace:
    """The loops by name."""
    word = word_loader()
    mark = scanner.make_mark_loop(byte_finder(), byte_finder("<"), lowest_bit())
    plain = (
        mark, scanner.split, scanner.scan, scanner.unescape, scanner.trim,
        numbers, make_days_loop(word), same, rehash,
        make_intern_loop(word, prefetch()), are_names, make_number_loop(prefetch()), place_again,
    )  # fmt: skip
    return SimpleNamespace(**{loop.__name__: kernel.compile_if_possible(loop) for loop in plain})


# Loops over names: which are the same, and what number each has.


NAMES_A_BATCH = 128  # rows whose names are looked up together, so that memory answers in time


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
            end = min(row + NAMES_A_BATCH, rows)
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


# Loops over columns that need no parsing: names in Arrow's buffers, moments, whole numbers.


BATCH = 64  # rows whose numbers are looked up together, so that memory answers in time
LETTER_BYTE = 0x80  # bytes from here on are of letters beyond ASCII
INSIDE = 0xC0  # bytes from LETTER_BYTE up to here go on with a letter
BLANK_FIRST_BYTES = (0xC2, 0xE1, 0xE2, 0xE3)  # how blanks begin that are not ASCII


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
