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
    """Find cells as `scan` does, where none is quoted and `ends` holds where `count` cells end."""
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


# Loops over cells: numbers and dates in their usual forms; `odd` marks what is not.


PLUS, MINUS, DOT, SLASH, ZERO, COLON = 43, 45, 46, 47, 48, 58
BIG_T, BIG_Z, SMALL_T, SMALL_Z = 84, 90, 116, 122
NO_DAY = -1_000_000
DAY = 86_400_000_000_000  # nanoseconds


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


def make_days_loop(word: Any) -> Any:
    """The loop that reads dates."""

    def days(data: Any, begin: Any, length: Any, values: Any, odd: Any, parts: Any) -> None:
        """Dates and moments as ISO has them, seconds and milliseconds since 1970.

        `parts` [3, 10] receives the numbers of a cell, how many digits each has, and what stands
        after each.
        """
        numbers, widths, marks = parts[0], parts[1], parts[2]
        last_head, last_tail, last_day = np.uint64(0), 0, 0.0
        for row in range(len(begin)):
            i, size = begin[row], length[row]
            odd[row] = True
            values[row] = 0.0
            if size == 10:  # most often the date of the row before
                head, tail = word(data, i), np.int64(data[i + 8]) * 256 + data[i + 9]
                if head == last_head and tail == last_tail:
                    values[row], odd[row] = last_day, False
                    continue
            groups, number, width = 0, 0, 0
            for k in range(i, i + size):
                digit = _digit(data[k])
                if 0 <= digit <= 9:
                    number = number * 10 + digit
                    width += 1
                elif groups < 9:
                    numbers[groups], widths[groups], marks[groups] = number, width, data[k]
                    groups += 1
                    number, width = 0, 0
            numbers[groups], widths[groups] = number, width
            if groups == 0:
                if width in (9, 10) and number >= 100_000_000:
                    values[row], odd[row] = number / 86_400.0, False
                elif width in (12, 13) and number >= 100_000_000_000:
                    values[row], odd[row] = number / 86_400_000.0, False
                continue
            between = marks[0]
            if (
                groups < 2 or groups > 8 or widths[0] != 4 or widths[1] != 2 or widths[2] != 2
                or marks[1] != between or between not in (MINUS, DOT, SLASH)
            ):  # fmt: skip
                continue
            day = _calendar_day(numbers[0], numbers[1], numbers[2])
            if day == NO_DAY:
                continue
            if groups == 2:
                values[row], odd[row] = np.float64(day), False
                last_head, last_tail, last_day = head, tail, np.float64(day)
                continue
            if (
                groups < 4 or marks[2] not in (SPACE, BIG_T, SMALL_T) or marks[3] != COLON
                or widths[3] != 2 or widths[4] != 2 or numbers[3] > 23 or numbers[4] > 59
            ):  # fmt: skip
                continue
            nanoseconds = (numbers[3] * 60 + numbers[4]) * 60_000_000_000
            at = 4
            if groups > 4 and marks[4] == COLON and widths[5] == 2 and numbers[5] <= 59:
                nanoseconds += numbers[5] * 1_000_000_000
                at = 5
                if groups > 5 and marks[5] == DOT and 1 <= widths[6] <= 9:
                    unit = 1
                    for _ in range(9 - widths[6]):
                        unit *= 10
                    nanoseconds += numbers[6] * unit
                    at = 6
            if groups == at + 1 and marks[at] in (BIG_Z, SMALL_Z) and width == 0:
                at += 1
            elif (
                groups == at + 2 and marks[at] in (PLUS, MINUS) and marks[at + 1] == COLON
                and widths[at + 1] == 2 and width == 2 and numbers[at + 1] <= 23 and number <= 59
            ):  # fmt: skip
                away = (numbers[at + 1] * 60 + number) * 60_000_000_000
                nanoseconds += away if marks[at] == MINUS else -away
                at += 2
            if at == groups:
                over = nanoseconds // DAY
                rest = (nanoseconds - over * DAY) / 86_400_000_000_000.0
                values[row], odd[row] = day + over + rest, False

    return days
