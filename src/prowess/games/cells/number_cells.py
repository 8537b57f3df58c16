"""Loops over cells: numbers and dates in their usual forms; `odd` marks what is not."""

from __future__ import annotations

from typing import Any

import numpy as np

from prowess.games.cells.scanner import SPACE

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


def _time_of_day(data: Any, clock: Any, start: Any, end: Any) -> Any:
    """The nanoseconds of a moment such as 2020-01-02 10:00:00.5; -1 for what is written otherwise.

    `clock` is what its hours, minutes and seconds are as one number.
    """
    mark = data[start + 10]
    digits = clock ^ np.uint64(0x30303A30303A3030)
    odd = (digits + np.uint64(0x76767F76767F7676) | digits) & np.uint64(0x8080808080808080)
    if end - start < 19 or odd or mark not in (SPACE, BIG_T, SMALL_T):
        return -1
    tens = digits * np.uint64(10) + (digits >> np.uint64(8))  # in the first byte of each pair
    hours, minutes, seconds = (
        np.int64(tens & np.uint64(0xFF)), np.int64(tens >> np.uint64(24) & np.uint64(0xFF)),
        np.int64(tens >> np.uint64(48) & np.uint64(0xFF)),
    )  # fmt: skip
    if hours > 23 or minutes > 59 or seconds > 59:
        return -1
    number, unit, i = 0, 1_000_000_000, start + 19
    if i < end and data[i] == DOT:
        i += 1
        while i < end and unit > 1 and 0 <= _digit(data[i]) <= 9:
            number = number * 10 + _digit(data[i])
            unit //= 10
            i += 1
        if unit == 1_000_000_000:
            return -1
    if i == end - 1 and (data[i] == BIG_Z or data[i] == SMALL_Z):
        i += 1
    if i < end:
        return -1
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000_000_000 + number * unit


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
            i, size = np.int64(begin[row]), np.int64(length[row])
            odd[row] = True
            values[row] = 0.0
            if size >= 10:  # most often the date of the row before
                head, tail = word(data, i), np.int64(data[i + 8]) * 256 + data[i + 9]
                if head == last_head and tail == last_tail:
                    if size == 10:
                        values[row], odd[row] = last_day, False
                        continue
                    count = _time_of_day(data, word(data, i + 11), i, i + size)
                    if count >= 0:
                        values[row], odd[row] = last_day + count / 86_400_000_000_000.0, False
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
            last_head, last_tail, last_day = head, tail, np.float64(day)
            if groups == 2:
                values[row], odd[row] = last_day, False
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
