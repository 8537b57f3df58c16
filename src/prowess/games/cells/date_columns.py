"""Dates that are not ISO 8601: words and numbers in a cell, and one form for all cells of a column.

`dates.py` reads a cell that can mean one moment only. Where that fails for a cell, the column is
looked at as a whole: `decide_form` finds what all its cells are (day first, month names, years,
Excel serial numbers, ...), or asks where two readings are left.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, time, timedelta
from functools import partial
from itertools import pairwise
from math import isfinite
from typing import Any, Literal, NamedTuple

from prowess.games.dates import (
    CENTURY,
    EPOCH,
    EXCEL_DAYS,
    EXCEL_EPOCH,
    NANOSECONDS_A_DAY,
    PARTLY_KNOWN,
    is_season,
    parse_date,
    whole_year,
)
from prowess.games.errors import InvalidValue, Question, quote
from prowess.games.values import COMMA, NUMBER, fold_text, is_missing, lazy_pattern, parse_or_none
from prowess.games.vocabulary import pairs_for, slots_for

# Dates in words and numbers: months and weekdays in eight languages, clocks, zones.


Order = Literal["day first", "month first", "year first"]
ORDERS: tuple[Order, ...] = ("day first", "month first", "year first")
MONTHS = {word: at for at, found in enumerate(slots_for("months"), 1) for word in found}
WEEKDAYS: dict[str, frozenset[int]] = {}
for _at, _words in enumerate(slots_for("weekdays")):  # from Monday on
    for _word in _words:
        WEEKDAYS[_word] = WEEKDAYS.get(_word, frozenset()) | {_at}
ZONES = {name: int(minutes) for name, minutes in pairs_for("time_zones")}

Kind = Literal["date", "numbers", "month", "year", "season", "yearless"]


class DateParts(NamedTuple):
    """The parts of a date: year, month and day, or three numbers whose order is open."""

    kind: Kind
    parts: tuple[int, int, int]
    mark: str = ""  # between the numbers
    short: bool = False  # whether the year has two digits
    nanoseconds: int | None = None  # since the day began in UTC
    weekdays: frozenset[int] = frozenset()  # 0 Monday, that the cell names

    @property
    def has_month(self) -> bool:
        """Whether a month and its year are told."""
        return self.kind in {"date", "numbers", "month"}


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


def check_day(text: str) -> None:
    """Raise InvalidValue for a date that no calendar has in any order of its numbers: 31/02/2024.

    A text that is no date at all is let through, as one with a time of the day that is none.
    """
    if not (cell := parse_or_none(split_cell, text)) or cell.kind not in {"date", "numbers"}:
        return
    ways: tuple[Order, ...] = ORDERS if cell.kind == "numbers" else ("year first",)
    day_of = partial(days_of, cell)
    if all(parse_or_none(day_of, order_parts(way, cell.parts)) is None for way in ways):
        what = f"{quote(text)} is no day of the calendar"
        raise InvalidValue(what, "correct the date", code="not_a_day")


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
    if not (1 <= hour <= 12 if half else hour <= 23) or minute > 59 or second > 59:
        raise InvalidValue.of("not_a_time.column", text=text)
    if half:
        hour = hour % 12 + (12 if half in "pn" else 0)
    away = _minutes_east(text, found["zone"], found["offset"])
    nanoseconds = ((hour * 60 + minute) * 60 + second) * 1_000_000_000
    return nanoseconds + int((found["f"] or "").ljust(9, "0")) - away * 60_000_000_000


def _minutes_east(text: str, zone: str | None, offset: str | None) -> int:
    """Minutes east of Greenwich; raises InvalidValue for a zone that is not known."""
    if zone is not None and zone not in ZONES:
        raise InvalidValue.of("unknown_time_zone", text=text)
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
    raise InvalidValue.of("not_a_time.text", value=value)


def order_parts(order: Order, parts: Iterable[int]) -> tuple[int, int, int]:
    """Year, month and day of three numbers."""
    first, second, third = parts
    if order == "day first":
        return third, second, first
    return (third, first, second) if order == "month first" else (first, second, third)


def day_in_words(cell: DateParts, order: Order) -> str:
    """A day as both sides of a question write it: 3 April 2024."""
    year, month, day = order_parts(order, cell.parts)
    year = whole_year(year) if cell.short else year
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


# Columns of dates: one form, decided by all cells.


Family = Literal["date", "numbers", "month", "year", "serial", "count", "cell", "season",
                 "yearless", "word"]  # fmt: skip
FEWEST_DATES_IN_ORDER = 8  # different dates whose order is evidence
FORMS: Mapping[Family, str] = {
    "date": "dates with the year first or the month's name", "numbers": "dates in numbers",
    "month": "months", "year": "years", "serial": "days as Excel counts",
    "count": "a time counted since 1970", "cell": "real dates", "season": "seasons",
    "yearless": "dates without a year", "word": "no dates",
}  # fmt: skip


class DateForm(NamedTuple):
    """How the cells of a column are read."""

    parse: Callable[[Any], float]
    detail: str  # in two or three words
    note: str | None = None  # what was guessed
    proven: bool = True  # whether further cells cannot overturn it
    years: bool = False  # whether dates are the first days of years or months


class Found(NamedTuple):
    """What a cell of a column is."""

    family: Family
    cell: DateParts | None = None
    number: float = 0.0


def decide_form(
    cells: Sequence[Any], order: Order | None = None, heading: Order | None = None
) -> DateForm | None:
    """The form of a column; `order` is what the caller says, `heading` what its heading does. None:
    no better one is known than that of `parse_date`. Raises Question for two ways to read it.
    """
    count = Counter(cell for cell in map(_hashable, cells) if not is_missing(cell))
    found = {cell: classify(cell) for cell in count}
    rows: Counter[Family] = Counter()
    for cell, number in count.items():
        if (family := found[cell].family) not in ("word", "yearless"):
            rows[family] += number
    if not rows:
        if any(each.family == "yearless" for each in found.values()):
            raise Question.of("dates_without_year.column", cell=next(iter(count)))
        _refuse_clocks(count)
        return None
    main = rows.most_common(1)[0][0]
    if rows.keys() == {"season", "month"}:
        main = "season"
    if main == "season":
        cell = next(cell for cell, each in found.items() if each.family == "season")
        raise Question.of("season_not_date", cell=cell)
    if len(rows) == 1 and main in ("cell", "count"):
        return None
    several = len(rows) > 1 and rows.keys() <= WHOLE_DAYS
    if several and (form := _join_forms(cells, found, order, heading)):
        return form
    example = next(cell for cell, each in found.items() if each.family == main)
    of_main = {cell: each for cell, each in found.items() if each.family == main}
    if main == "numbers":
        dates = [cell for cell in cells if _hashable(cell) in of_main]
        form = _decide_order(dates, of_main, order, heading)
    elif main == "date" and any(each.cell and each.cell.short for each in of_main.values()):
        form = DateForm(_day_of, "two-digit years", SHORT_YEARS)
    elif main == "date":
        form = DateForm(_day_of, "dates")
    elif main == "month":
        form = DateForm(_day_of, "months", MONTHS_ONLY, years=True)
    elif main == "year":
        form = DateForm(_day_of, "years", None, years=True)
    elif main == "serial":
        form = DateForm(_day_of, "Excel serial numbers", EXCEL_SERIALS)
    else:
        form = DateForm(_day_of, FORMS[main])
    return form._replace(parse=_parser_of(main, example, {main: form.parse}, found))


WHOLE_DAYS = frozenset[Family]({"date", "numbers", "cell", "serial"})  # may stand in one column


def _join_forms(
    cells: Sequence[Any], found: dict[Any, Found], order: Order | None, heading: Order | None
) -> DateForm | None:
    """The form of a column of dates that are written in several ways; None where their order is
    not proven.

    A sheet that reads 03/04 in the wrong order makes a real date of it and leaves 25/04 a text:
    beside dates in numbers a real one has to have a day after the 12th.
    """
    numbers = {cell: each for cell, each in found.items() if each.family == "numbers"}
    days: dict[Family, Callable[[Found], float]] = dict.fromkeys(WHOLE_DAYS, _day_of)
    form = DateForm(_day_of, "dates")
    if numbers:
        real = [_day_of(each) for each in found.values() if each.family in {"cell", "serial"}]
        if real and not any(date.fromordinal(int(day // 1) + EPOCH).day > 12 for day in real):
            return None
        try:
            some = [cell for cell in cells if _hashable(cell) in numbers]
            form = _decide_order(some, numbers, order, heading)
        except Question:
            return None
        if not form.proven:
            return None
        days["numbers"] = form.parse
    written = {each.family: cell for cell, each in found.items() if each.family in WHOLE_DAYS}
    ways = " and ".join(quote(str(cell)) for cell in written.values())
    note = "; ".join(filter(None, (f"dates are written in several ways: {ways}", form.note)))
    example = next(iter(written.values()))
    return form._replace(parse=_parser_of("date", example, days, found), note=note)


SHORT_YEARS = f"years of two digits are read as 2000 to 20{CENTURY - 1} and 19{CENTURY} to 1999"
MONTHS_ONLY = "the dates are months; games of one month are taken in the order of the file"
EXCEL_SERIALS = "the dates are numbers of days as Excel counts them"


def _refuse_clocks(cells: Iterable[Any]) -> None:
    """Raise Question for the first date whose time or zone is not known."""
    for cell in cells:
        if isinstance(cell, str):
            try:
                split_cell(cell.strip())
            except InvalidValue as refusal:
                raise Question(refusal.what, str(refusal.remedy), cell, code=refusal.code) from None


def classify(cell: Any) -> Found:
    """What a cell is by itself."""
    if isinstance(cell, str):
        text = cell.strip()
        if NUMBER.fullmatch(text) or COMMA.fullmatch(text):
            return _classify_number(cell, float(text.replace(",", ".")))
        split = parse_or_none(split_cell, text)
        return Found(split.kind, split) if split else Found("word")
    if isinstance(cell, bool):
        return Found("word")
    try:
        number = float(cell)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if isfinite(number):
        return _classify_number(cell, number)
    day = parse_or_none(parse_date, cell)
    return Found("word") if day is None else Found("cell", number=day)


def _classify_number(cell: Any, number: float) -> Found:
    if EXCEL_DAYS[0] <= number < EXCEL_DAYS[1]:
        return Found("serial", number=number)
    if number.is_integer() and 1000 <= number < 3000:
        return Found("year", DateParts("year", (int(number), 1, 1)))
    if (day := parse_or_none(parse_date, cell)) is not None:
        return Found("count", number=day)
    text = str(int(number)) if number.is_integer() else ""
    if isinstance(cell, str):
        text = cell.strip()
    if len(text) == 8 and text.isdigit():  # 31012024
        return Found(
            "numbers", DateParts("numbers", (int(text[:2]), int(text[2:4]), int(text[4:])))
        )
    return Found("word")


def _hashable(cell: Any) -> Any:
    try:
        hash(cell)
    except TypeError:
        return repr(cell)
    return cell


def _day_of(found: Found) -> float:
    """Days since 1970 of a cell whose parts have one order."""
    if found.family == "serial":
        return found.number + EXCEL_EPOCH
    if found.family in ("count", "cell"):
        return found.number
    assert found.cell
    year, month, day = found.cell.parts
    return days_of(found.cell, (year, month, day))


def days_of(cell: DateParts, parts: tuple[int, int, int]) -> float:
    """Days since 1970-01-01 UTC of a year, a month and a day with the time that a cell says."""
    year, month, day = parts
    year = whole_year(year) if cell.short else year
    try:
        days = date(year, month, day).toordinal() - EPOCH
    except ValueError:
        raise InvalidValue.of("not_a_day.calendar") from None
    time = cell.nanoseconds or 0
    return days + time // NANOSECONDS_A_DAY + (time % NANOSECONDS_A_DAY) / NANOSECONDS_A_DAY


def _parser_of(
    main: Family,
    example: Any,
    days: Mapping[Family, Callable[[Found], float]],
    known: dict[Any, Found],
) -> Callable[[Any], float]:
    """The parser of a column, most of one family, of which cells are `known`; families without
    days are refused beside an example.
    """

    def parse(value: Any) -> float:
        if is_missing(value):
            raise InvalidValue.of("date_missing")
        found = known.pop(_hashable(value), None) or classify(value)  # each is parsed once
        if found.family not in days:
            if isinstance(value, str) and PARTLY_KNOWN.fullmatch(value.strip()):
                parse_date(value)  # refuses it with its own remedy
            if isinstance(value, str) and found.family == "word":
                split_cell(value.strip())  # refuses times and zones with their own remedy
                raise InvalidValue.of("not_a_date.column", value=value, example=example)
            raise InvalidValue.of(
                "mixed_dates",
                value=value,
                example=example,
                form=FORMS[found.family],
                usual=FORMS[main],
            )
        try:
            return days[found.family](found)
        except InvalidValue:
            raise InvalidValue.of("not_a_day.column", value=value) from None

    return parse


# Three numbers: which is the day?


def _decide_order(
    cells: Sequence[Any], found: Mapping[Any, Found], order: Order | None, heading: Order | None
) -> DateForm:
    """The order of day, month and year that fits the cells of a column, in order of the rows."""
    valid: dict[Order, dict[Any, None]] = {each: {} for each in ORDERS}  # in order of the rows
    some_short = False
    for key, each in found.items():
        assert each.cell
        some_short |= each.cell.short
        for way in ORDERS:
            if way == "year first" and not each.cell.short:
                continue
            _, month, day = order_parts(way, each.cell.parts)
            if 1 <= month <= 12 and 1 <= day <= 31:  # 30 February is refused by itself
                valid[way][key] = None
    note = SHORT_YEARS if some_short else None
    if order is not None:
        return _form(order, note)
    left: list[Order] = ["day first", "month first"]
    if _may_begin_with_years(found) and len(valid["year first"]) == len(found):
        left = ["year first"] if not any(map(valid.__getitem__, left)) else [*left, "year first"]
    proofs = {
        way: next((key for key in valid[way] if not any(key in valid[o] for o in left if o != way)),
                  None)
        for way in left
    }  # fmt: skip
    proven = [way for way in left if proofs[way] is not None]
    if len(proven) > 1:
        one, other = proofs[proven[0]], proofs[proven[1]]
        raise Question.of("mixed_dates.ways", one=one, way=proven[0], cell=other, now=proven[1])
    if proven:
        if heading in valid and heading != proven[0]:
            note = (
                f"dates are read {proven[0]}, as {quote(proofs[proven[0]])} is, not as the heading"
            )
        return _form(proven[0], note)
    if heading in left:
        return _form(heading, note)
    keys = list(dict.fromkeys(map(_hashable, cells)))
    if why := _evidence(cells, found, left):
        way, reason = why
        told = f"dates are read {way}: {reason}"
        return _form(way, "; ".join(filter(None, (told, note))))._replace(proven=False)
    example = next((key for key in keys if _differs(found[key].cell, left)), None)
    if example is None:  # 3/3 and 4/4 are the same days in both orders
        return _form(left[0], note)._replace(proven=False)
    cell = found[example].cell
    assert cell
    fit = [way for way in left if example in valid[way]]
    ways = " or ".join(f"{day_in_words(cell, way)} ({way})" for way in fit)
    choice = " or ".join(map(quote, fit))
    raise Question.of("day_or_month_first.column", cell=example, ways=ways, choice=choice)


def _differs(cell: DateParts | None, left: Sequence[Order]) -> bool:
    """Whether a date is another day in another order."""
    return cell is not None and len({order_parts(way, cell.parts) for way in left}) > 1


def _form(order: Order, note: str | None) -> DateForm:
    def day(found: Found) -> float:
        assert found.cell
        return days_of(found.cell, order_parts(order, found.cell.parts))

    return DateForm(day, order, note)


def _may_begin_with_years(found: Mapping[Any, Found]) -> bool:
    """Whether the first of three numbers may be a year: it differs less often than the last."""
    cells = [each.cell for each in found.values() if each.cell]
    if not all(cell.short and cell.mark in "-/" for cell in cells):
        return False
    return len({cell.parts[0] for cell in cells}) < len({cell.parts[2] for cell in cells})


def _evidence(
    cells: Sequence[Any], found: Mapping[Any, Found], left: Sequence[Order]
) -> tuple[Order, str] | None:
    """What tells the order where each date alone fits several, and how it is said."""
    days: dict[Order, list[float]] = {}
    for way in left:
        days[way] = []
        for key in map(_hashable, cells):
            cell = found[key].cell
            assert cell
            try:
                days[way].append(days_of(cell, order_parts(way, cell.parts)))
            except InvalidValue:
                days[way].append(float("nan"))
    named = [(at, each.weekdays) for at, key in enumerate(map(_hashable, cells))
             if (each := found[key].cell) and each.weekdays]  # fmt: skip
    if named:
        fits = [
            way for way in left
            if all((days[way][at] // 1 + 3) % 7 in weekdays for at, weekdays in named)
        ]  # fmt: skip
        if len(fits) == 1:
            return fits[0], "the days of the week fit"
    if all(each.cell and each.cell.mark == "." for each in found.values()):
        return "day first", "so are dates with dots in all countries"
    if len(set(days[left[0]])) >= FEWEST_DATES_IN_ORDER:
        ordered = [way for way in left if _is_ordered(days[way])]
        if len(ordered) == 1:
            return ordered[0], "only so they stand in order of time"
    return None


def _is_ordered(days: Sequence[float]) -> bool:
    pairs = list(pairwise(days))
    return all(a <= b for a, b in pairs) or all(a >= b for a, b in pairs)
