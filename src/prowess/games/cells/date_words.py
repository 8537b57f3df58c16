"""Dates in words and numbers: months and weekdays in eight languages, clocks, zones."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, time, timedelta
from typing import Any, Literal, NamedTuple

from prowess.games.dates import is_season
from prowess.games.errors import SKIP, InvalidValue, quote
from prowess.games.values import fold_text, lazy_pattern
from prowess.games.words import slots_for

Order = Literal["day first", "month first", "year first"]
ORDERS: tuple[Order, ...] = ("day first", "month first", "year first")
CENTURY = 69  # two digits from here on are 19.., as POSIX has it
MONTHS = {word: at for at, found in enumerate(slots_for("months"), 1) for word in found}
WEEKDAYS: dict[str, frozenset[int]] = {}
for _at, _words in enumerate(slots_for("weekdays")):  # from Monday on
    for _word in _words:
        WEEKDAYS[_word] = WEEKDAYS.get(_word, frozenset()) | {_at}
ZONES = {  # minutes east of Greenwich; CST and IST are used by several countries
    "z": 0, "utc": 0, "gmt": 0, "wet": 0, "wez": 0, "west": 60, "wesz": 60, "bst": 60,
    "cet": 60, "mez": 60, "cest": 120, "mesz": 120, "eet": 120, "oez": 120, "eest": 180,
    "oesz": 180, "msk": 180, "est": -300, "edt": -240, "cdt": -300, "mst": -420, "mdt": -360,
    "pst": -480, "pdt": -420, "jst": 540, "kst": 540, "aest": 600, "aedt": 660,
}  # fmt: skip

Kind = Literal["date", "numbers", "month", "year", "season", "yearless"]


class DateParts(NamedTuple):
    """The parts of a date: year, month and day, or three numbers whose order is open."""

    kind: Kind
    parts: tuple[int, int, int]
    mark: str = ""  # between the numbers
    short: bool = False  # whether the year has two digits
    nanoseconds: int | None = None  # since the day began in UTC
    weekdays: frozenset[int] = frozenset()  # 0 Monday, that the cell names


_ZONE = r"(?P<zone>[a-z]{1,5})?\s*(?P<offset>[+-]\d{1,2}(?::?\d{2})?)?\s*(?:\([a-z .]+\))?"
_CLOCK = (
    r"(?P<h>\d{1,2})(?:\s?[:.hu]\s?(?P<m>\d{2})(?::(?P<s>\d{2})(?:[.,](?P<f>\d{1,9})\d*)?)?)?"
    r"\s*(?P<half>[ap]\.?\s?m\b\.?|[ap]\b\.?|vorm\.?|nachm\.?)?\s*(?P<unit>uhr|hrs|hs?|uur|u)?\b\.?"
)
CLOCK_AND_ZONE = lazy_pattern(rf"{_CLOCK}\s*{_ZONE}")
BETWEEN_DATE_AND_TIME = lazy_pattern(
    r"(?:t|@|\||,|;|-|/|\bum\b|\bat\b|\ba las\b|\ba\b|\bas\b|\balle\b|\bom\b|"
    r"\bgodz\b\.?|\bo\b|\bore\b|\s)*"
)
YEAR_FIRST = lazy_pattern(r"(\d{4})\s?([-./ _])\s?(\d{1,2})\s?\2\s?(\d{1,2})(?!\d)\.?")
TRIPLE = lazy_pattern(r"(\d{1,2})\s?([-./ _\\])\s?(\d{1,2})\s?\2\s?'?(\d{4}|\d{2})(?![\d:])\.?")
COMPACT_BEFORE_TIME = lazy_pattern(r"(\d{4})(\d{2})(\d{2})(?=t|\s)")
DAY_MONTH_YEAR = lazy_pattern(
    r"(\d{1,2})(?:\.|st|nd|rd|th|er|[oae])?[\s./-]*(?:of\s|de\s|d')?\s*([a-z]+)\.?[\s./,-]*(?:del?)?"
    r"\s*'?(\d{4}|\d{2})(?![\d:])"
)
MONTH_DAY_YEAR = lazy_pattern(
    r"([a-z]+)\.?[\s./-]*(\d{1,2})(?:st|nd|rd|th)?[\s,./-]+'?(\d{4}|\d{2})(?![\d:])"
)
YEAR_MONTH_DAY = lazy_pattern(r"(\d{4})[\s./-]*([a-z]+)\.?[\s./-]*(\d{1,2})(?!\d)")
CLOCK_BEFORE_YEAR = lazy_pattern(
    r"([a-z]+)\s(\d{1,2})\s(\d{1,2}:\d{2}(?::\d{2})?)\s(?:([a-z]{1,5})\s)?(\d{4})"
)
MONTH = lazy_pattern(
    r"(\d{4})[-./ ](\d{1,2})|(\d{1,2})[-./](\d{4})|([a-z]+)\.?[-/ ,]*(?:de )?(\d{4})"
)
WEEK = lazy_pattern(r"(\d{4})-?w(\d{2})(?:-?(\d))?")
MAYBE_MONTH = lazy_pattern(r"\d{4}\s?[-/]\s?(?:0[1-9]|1[0-2])")  # 2011-12 may be a season, too
YEARLESS = lazy_pattern(
    r"\d{1,2}[./]\s?\d{1,2}\.?|\d{1,2}\.?\s?[a-z]{3,}\.?|[a-z]{3,}\.?\s?\d{1,2}"
)
FIRST_WORD = lazy_pattern(r"([a-z]+)(?:-feira)?\.?(?:\s*[,/|-]\s*|\s+)")
LAST_WORD = lazy_pattern(r"[\s,]*\(?\b([a-z]+)(?:-feira)?\.?\)?")


def split_cell(text: str) -> DateParts | None:
    """The parts of a date with or without a time; None for what is none. Raises InvalidValue for a
    time of the day or a zone that is not known.
    """
    folded = fold_text(text)
    first = FIRST_WORD.match(folded)
    if first and first[1] in WEEKDAYS and (rest := _split(text, folded[first.end() :])):
        return rest._replace(weekdays=WEEKDAYS[first[1]])
    return _split(text, folded)


def _split(text: str, folded: str) -> DateParts | None:
    """The parts of a folded text without a weekday in front."""
    if (cell := _match_date(folded)) is not None:
        found, end = cell
        rest = folded[end:]
        if rest and (last := LAST_WORD.fullmatch(rest)) and last[1] in WEEKDAYS:
            return found._replace(weekdays=WEEKDAYS[last[1]])
        return _with_clock(text, found, rest)
    if found_before := CLOCK_BEFORE_YEAR.fullmatch(folded):
        month, day, clock, zone, year = found_before.groups()
        if month in MONTHS:
            parsed = DateParts("date", (int(year), MONTHS[month], int(day)))
            return _with_clock(text, parsed, f"{clock} {zone or ''}".strip())
        return None
    if week := WEEK.fullmatch(folded):
        try:
            day_of_week = date.fromisocalendar(int(week[1]), int(week[2]), int(week[3] or 1))
        except ValueError:
            return None
        parts = day_of_week.year, day_of_week.month, day_of_week.day
        return DateParts("date" if week[3] else "month", parts)
    if is_season(folded) and not MAYBE_MONTH.fullmatch(folded):
        return DateParts("season", (0, 0, 0))
    if month_only := MONTH.fullmatch(folded):
        y1, m1, m2, y2, word, y3 = month_only.groups()
        month_number = MONTHS.get(word, 0) if word else int(m1 or m2)
        return DateParts("month", (int(y1 or y2 or y3), month_number, 1)) if month_number else None
    if YEARLESS.fullmatch(folded):
        word = "".join(filter(str.isalpha, folded))
        return DateParts("yearless", (0, 0, 0)) if not word or word in MONTHS else None
    return None


def _match_date(folded: str) -> tuple[DateParts, int] | None:
    """A date at the beginning of a text, and where it ends."""
    if found := YEAR_FIRST.match(folded) or COMPACT_BEFORE_TIME.match(folded):
        last = found.lastindex or 0
        year, month, day = found[1], found[last - 1], found[last]
        return DateParts("date", (int(year), int(month), int(day))), found.end()
    if found := TRIPLE.match(folded):
        numbers = int(found[1]), int(found[3]), int(found[4])
        return DateParts("numbers", numbers, found[2], len(found[4]) == 2), found.end()
    if (found := DAY_MONTH_YEAR.match(folded)) and found[2] in MONTHS:
        parts = int(found[3]), MONTHS[found[2]], int(found[1])
        return DateParts("date", parts, short=len(found[3]) == 2), found.end()
    if (found := MONTH_DAY_YEAR.match(folded)) and found[1] in MONTHS:
        parts = int(found[3]), MONTHS[found[1]], int(found[2])
        return DateParts("date", parts, short=len(found[3]) == 2), found.end()
    if (found := YEAR_MONTH_DAY.match(folded)) and found[2] in MONTHS:
        return DateParts("date", (int(found[1]), MONTHS[found[2]], int(found[3]))), found.end()
    return None


def _with_clock(text: str, cell: DateParts, rest: str) -> DateParts | None:
    """A date with the time of the day that stands behind it."""
    between = BETWEEN_DATE_AND_TIME.match(rest)
    rest = rest[between.end() :] if between else rest
    if not rest:
        return cell
    nanoseconds = parse_clock(text, rest)
    return None if nanoseconds is None else cell._replace(nanoseconds=nanoseconds)


def parse_clock(text: str, folded: str) -> int | None:
    """Nanoseconds since the day began in UTC; None for what is no time of the day."""
    found = CLOCK_AND_ZONE.fullmatch(folded)
    if not found or not (found["m"] or found["half"] or found["unit"]):
        return None
    hour, minute, second = int(found["h"]), int(found["m"] or 0), int(found["s"] or 0)
    half = (found["half"] or "")[:1]
    if half:
        if not 1 <= hour <= 12:
            raise InvalidValue(
                f"{quote(text)} is no time of the day", f"correct it, or {SKIP}", code="not_a_time"
            )
        hour = hour % 12 + (12 if half in "pn" else 0)
    if hour > 23 or minute > 59 or second > 59:
        raise InvalidValue(
            f"{quote(text)} is no time of the day", f"correct it, or {SKIP}", code="not_a_time"
        )
    away = _minutes_east(text, found["zone"], found["offset"])
    nanoseconds = ((hour * 60 + minute) * 60 + second) * 1_000_000_000
    return nanoseconds + int((found["f"] or "").ljust(9, "0")) - away * 60_000_000_000


def _minutes_east(text: str, zone: str | None, offset: str | None) -> int:
    """Minutes east of Greenwich; raises InvalidValue for a zone that is not known."""
    if zone is not None and zone not in ZONES:
        raise InvalidValue(
            f"the time zone of {quote(text)} is not known",
            f"write it as an offset such as +02:00, or {SKIP}",
            code="unknown_time_zone",
        )
    east = ZONES[zone] if zone else 0
    if offset:
        hours, minutes = re.fullmatch(r"[+-](\d{1,2}):?(\d{2})?", offset).groups()  # type: ignore[union-attr]
        east += (int(hours) * 60 + int(minutes or 0)) * (-1 if offset[0] == "-" else 1)
    return east


def parse_time_of_day(value: Any) -> float:
    """The share of a day that has passed at a time of the day; raises InvalidValue."""
    if isinstance(value, str):
        nanoseconds = parse_clock(value, fold_text(value))
        if nanoseconds is not None:
            return float(nanoseconds) / 86_400e9
    elif isinstance(value, time):
        return (value.hour * 3600 + value.minute * 60 + value.second) / 86_400
    elif isinstance(value, timedelta):
        return value / timedelta(days=1)
    elif hasattr(value, "hour") and hasattr(value, "year") and value.year < 1905:
        return float(value.hour * 3600 + value.minute * 60 + value.second) / 86_400  # Excel's day 0
    elif isinstance(value, float) and 0.0 <= value < 1.0:
        return value
    raise InvalidValue(f"{quote(value)} is no time of the day", code="not_a_time")


def order_parts(order: Order, parts: Iterable[int]) -> tuple[int, int, int]:
    """Year, month and day of three numbers."""
    first, second, third = parts
    if order == "day first":
        return third, second, first
    return (third, first, second) if order == "month first" else (first, second, third)


def day_in_words(cell: DateParts, order: Order) -> str:
    """A day as both sides of a question write it: 3 April 2024."""
    year, month, day = order_parts(order, cell.parts)
    if cell.short:
        year += 1900 if year >= CENTURY else 2000
    return f"{day} {date(2000, month, 1):%B} {year}"


_DAY, _MONTH, _YEAR = "%?[dtjg]{1,2}", "%?m{1,2}", "%?(?:y{1,4}|[jar]{2,4}|a)"
_PATTERN = r"(?<![a-z%])(?:{0}[-./ ]{1}(?:[-./ ]{2})?|{0}{1}{2})(?![a-z])"
HEADING_ORDERS: tuple[tuple[Order, re.Pattern[str]], ...] = (
    ("day first", lazy_pattern(_PATTERN.format(_DAY, _MONTH, _YEAR) + r"|\b(?:uk|eu) format")),
    ("month first", lazy_pattern(_PATTERN.format(_MONTH, _DAY, _YEAR) + r"|\bus format")),
)


def order_in_heading(name: str) -> Order | None:
    """The order of day and month that a heading tells; None for another heading.

    >>> order_in_heading("Tag (TT.MM.JJJJ)"), order_in_heading("date_mdy"), order_in_heading("day")
    ('day first', 'month first', None)
    """
    folded = fold_text(name).replace("_", " ")
    found = [order for order, letters in HEADING_ORDERS if letters.search(folded)]
    return found[0] if len(found) == 1 else None
