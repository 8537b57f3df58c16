"""Dates and times: cells of tables as days since 1970-01-01 UTC, and ISO 8601 text in and out."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from math import ceil, floor, isfinite
from numbers import Real
from typing import Any

from prowess.games.errors import MEND, SKIP, InvalidValue, quote
from prowess.games.values import is_missing, parse_or_none

EPOCH = date(1970, 1, 1).toordinal()
START = datetime(1970, 1, 1, tzinfo=UTC)
LAST_MOMENT = 2e-11  # days, a little above a microsecond
NANOSECONDS_A_DAY = 86_400_000_000_000
DAY_MICROSECONDS = 86_400_000_000
SECONDS = (1e8, 1e10)  # a number in this range is seconds since 1970: 1973 to 2286
MILLISECONDS = (1e11, 1e13)  # and in this one milliseconds
MICROSECONDS, NANOSECONDS = (1e14, 1e16), (1e17, 1e19)
UNIT_OF = {"days": 1.0, "days-since-1970": 1.0, "seconds": 86_400.0, "milliseconds": 86_400_000.0}
EXCEL = "excel"  # days since 1899-12-30
EXCEL_EPOCH = date(1899, 12, 30).toordinal() - EPOCH
EXCEL_DAYS = (32_874.0, 54_789.0)  # 1990 to 2050; as days since 1970 such numbers are after 2059

MOMENT = re.compile(
    r"([0-9]{4})([-./])([0-9]{1,2})\2([0-9]{1,2})"
    r"(?:(?:[Tt]|[ ]+)([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9})[0-9]*)?)?"
    r"[ ]*(Z|z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)
COMPACT = re.compile(r"[0-9]{8}")
COUNTED_TIME = re.compile(
    r"[0-9]{9,10}(?:\.[0-9]+)?|(?:[0-9]{12,13}|[0-9]{15,16}|[0-9]{18,19})(?:\.0+)?|"
    r"[1-9]\.[0-9]{1,12}[eE]\+?(?:9|09|12)"  # as spreadsheets shorten them
)
SERIAL_DAY = re.compile(r"[2-7][0-9]{4}(?:\.[0-9]+)?")
YEAR = re.compile(r"[12][0-9]{3}")
DATED = re.compile(r"(?<![0-9])[0-9]{1,4}[-./ ]+\w{1,12}[-./, ]+[0-9]{2,4}")
CENTURY = 69  # two digits from here on are 19.., as POSIX has it
SEASON = re.compile(r"(?:1[89]|20)([0-9]{2})\s?[-/–]\s?(?:1[89]|20)?([0-9]{2})")
TWO_WAYS = re.compile(r"[0-9]{1,2}([-./])[0-9]{1,2}\1(?:[0-9]{4}|[0-9]{2})(?:[ T].*)?")
PARTLY_KNOWN = re.compile(r"[0-9?]{4}[-./][0-9?]{1,2}[-./][0-9?]{1,2}")
ISO = f"write 2024-06-30 or 2024-06-30 17:05:00, give date_format= (--date-format), or {SKIP}"
GIVE_DATE_FORMAT = (
    'give date_format="excel", "%Y", "days", "seconds" or "milliseconds"'
    " (--date-format), or name it as round= if it counts rounds"
)
NO_DATE = f'read without dates with time="none" (--time none), fill it in, or {SKIP}'


def parse_date(value: Any, form: str | None = None) -> float:
    """Days since 1970-01-01 UTC of a date, a moment (no zone: UTC) or a plausible number.

    `form` is a pattern such as %d/%m/%Y, or excel, days, seconds or milliseconds. Days that would
    be after 2059 and are of our time as Excel counts are refused unless `form` is days-since-1970.
    """
    if is_missing(value):
        raise InvalidValue("the date is missing", NO_DATE, code="date_missing")
    if form == EXCEL:
        return _count(value) + EXCEL_EPOCH
    if form in UNIT_OF:
        count = _count(value)
        if form == "days" and EXCEL_DAYS[0] <= count < EXCEL_DAYS[1]:
            raise InvalidValue(
                f"{quote(value)} is a day after 2059, or one of our time as Excel counts",
                'give date_format="excel" or "days-since-1970" (--date-format)',
                code="date_as_number",
            )
        return count / UNIT_OF[form]
    if form and isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str):
        return _parse_pattern(value, form) if form else _parse_text(value.strip(" \t"))
    if isinstance(value, datetime):
        return _days_of_datetime(value) + 0.0
    if isinstance(value, date):
        return float(value.toordinal() - EPOCH)
    if type(value).__name__ == "datetime64":
        return _days_of_datetime(value.astype("datetime64[us]").item())
    if not isinstance(value, bool) and isinstance(value, Real | Decimal):
        return _parse_number(value)
    raise InvalidValue(f"{quote(value)} is not a date", ISO, code="not_a_date")


def parse_year(value: Any) -> float:
    """The first day of a year, or of the first year of a season, as days since 1970-01-01."""
    if is_missing(value):
        raise InvalidValue("the year is missing", NO_DATE, code="year_missing")
    text = str(value).strip(" \t").removesuffix(".0")
    if is_season(value):
        text = text[:4]
    elif not is_year(value):
        raise InvalidValue(
            f"{quote(value)} is not a year", f"write it as 2024, or {SKIP}", code="not_a_year"
        )
    return float(date(int(text), 1, 1).toordinal() - EPOCH)


def is_year(value: Any) -> bool:
    """Whether a cell is a year."""
    return (
        not is_missing(value)
        and YEAR.fullmatch(str(value).strip(" \t").removesuffix(".0")) is not None
    )


def whole_year(year: int) -> int:
    """The year of four digits that one of two digits stands for; another as it is."""
    return year if year >= 100 else year + (1900 if year >= CENTURY else 2000)


def is_season(value: Any) -> bool:
    """Whether a cell is a season of two years.

    >>> is_season("2003/04"), is_season("1999-2000"), is_season("2003/05")
    (True, True, False)
    """
    found = SEASON.fullmatch(str(value).strip())
    return found is not None and int(found[2]) == (int(found[1]) + 1) % 100


def is_short_season(value: Any) -> bool:
    """Whether a cell may be a season of two years of two digits, which looks like a score.

    >>> is_short_season("98/99"), is_short_season("99-00"), is_short_season("21-19")
    (True, True, False)
    """
    return is_season(re.sub(r"^\s*(?=[0-9]{2}\D)", "20", str(value)))


def is_date_like(value: Any, form: str | None = None) -> bool:
    """Whether a cell looks like a date, even one that `parse_date` refuses."""
    dated = isinstance(value, str) and DATED.search(value) is not None
    return dated or parse_or_none(partial(parse_date, form=form), value) is not None


def _parse_text(text: str) -> float:
    if len(text) == 10 and text[4] == text[7] == "-":  # by far the most common form
        with suppress(ValueError):
            return float(date.fromisoformat(text).toordinal() - EPOCH)
    if found := MOMENT.fullmatch(text):
        year, _, month, day_of_month, hour, minute, second, fraction, zone = found.groups()
        try:
            days = date(int(year), int(month), int(day_of_month)).toordinal() - EPOCH
        except ValueError:
            raise InvalidValue(
                f"{quote(text)} is no day of the calendar", MEND, code="not_a_day"
            ) from None
        if hour is None:
            return float(days)
        h, m, s = int(hour), int(minute), int(second or 0)
        away = _offset(zone)
        if h > 23 or m > 59 or s > 59 or away is None:
            raise InvalidValue(f"{quote(text)} is no time of the day", MEND, code="not_a_time")
        nanoseconds = ((h * 60 + m) * 60 + s) * 1_000_000_000
        nanoseconds += int((fraction or "").ljust(9, "0")) - away * 60_000_000_000
        return (
            days
            + nanoseconds // NANOSECONDS_A_DAY
            + (nanoseconds % NANOSECONDS_A_DAY) / NANOSECONDS_A_DAY
        )
    if COMPACT.fullmatch(text):
        return _parse_text(f"{text[:4]}-{text[4:6]}-{text[6:]}")
    if COUNTED_TIME.fullmatch(text):
        return _parse_number(float(text))
    if two := TWO_WAYS.fullmatch(text):
        mark, year = two[1], "%Y" if re.search(r"[0-9]{4}", text.split(maxsplit=1)[0]) else "%y"
        day_first, month_first = (
            mark.join((*parts, year)) for parts in (("%d", "%m"), ("%m", "%d"))
        )
        raise InvalidValue(
            f"{quote(text)} may be day first or month first",
            f'give date_format="{day_first}" or "{month_first}" (--date-format)',
            code="day_or_month_first",
        )
    if PARTLY_KNOWN.fullmatch(text) and "?" in text:
        raise InvalidValue(f"the day of {quote(text)} is not known", NO_DATE, code="day_unknown")
    if SERIAL_DAY.fullmatch(text):
        raise InvalidValue(
            f"{quote(text)} is a number but no plausible moment",
            GIVE_DATE_FORMAT,
            code="implausible_moment",
        )
    if YEAR.fullmatch(text):
        raise InvalidValue(f"{quote(text)} is not a date", GIVE_DATE_FORMAT, code="not_a_date")
    raise InvalidValue(f"{quote(text)} is not a date", ISO, code="not_a_date")


def _offset(zone: str | None) -> int | None:
    """Minutes east of Greenwich; None if there is no such zone."""
    if zone is None or zone in "Zz" or zone == "UTC":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[-2:]) if len(zone) > 3 else 0
    if hours > 23 or minutes > 59:
        return None
    return (hours * 60 + minutes) * (-1 if zone[0] == "-" else 1)


def _parse_pattern(text: str, form: str) -> float:
    try:
        return _days_of_datetime(datetime.strptime(text.strip(" \t"), form))  # noqa: DTZ007 - a zone is made UTC there
    except (ValueError, re.error) as error:
        remedy = f"give another date_format= (--date-format), or {SKIP}"
        raise InvalidValue(
            f"{quote(text)} is not a date of the form {form}", remedy, code="not_of_the_form"
        ) from error


def _days_of_datetime(moment: datetime) -> float:
    if moment.tzinfo is not None:
        try:
            moment = moment.astimezone(UTC)
        except OverflowError:
            raise InvalidValue(
                f"{quote(str(moment))} is no day of the calendar", MEND, code="not_a_day"
            ) from None
    seconds = (moment.hour * 60 + moment.minute) * 60 + moment.second
    nanoseconds = seconds * 1_000_000_000 + moment.microsecond * 1000
    nanoseconds += getattr(moment, "nanosecond", 0)
    return moment.toordinal() - EPOCH + nanoseconds / NANOSECONDS_A_DAY


def _count(value: Any) -> float:
    try:
        count = float(value) if not isinstance(value, bool) else float("nan")
    except (TypeError, ValueError, OverflowError):
        count = float("nan")
    if not isfinite(count) or (isinstance(value, str) and "_" in value):
        raise InvalidValue(f"{quote(value)} is not a number", MEND, code="not_a_number")
    return count


def _parse_number(value: Any) -> float:
    """A number that can only be a moment: 20240630, or seconds and their parts since 1970."""
    count = _count(value)
    if SECONDS[0] <= count < SECONDS[1]:
        return count / UNIT_OF["seconds"]
    if MILLISECONDS[0] <= count < MILLISECONDS[1]:
        return count / UNIT_OF["milliseconds"]
    if MICROSECONDS[0] <= count < MICROSECONDS[1]:
        return count / 86_400e6
    if NANOSECONDS[0] <= count < NANOSECONDS[1]:
        return count / 86_400e9
    if count.is_integer() and 1e7 <= count < 1e8:
        return _parse_text(str(int(count)))
    raise InvalidValue(
        f"{quote(value)} is a number but no plausible moment",
        GIVE_DATE_FORMAT,
        code="implausible_moment",
    )


# ISO 8601 times, in and out

PART_OF_HOUR = re.compile(
    r"[T ](?:\d\d:?){1,2}[.,]"
)  # 19.30: Python reads 19 hours and 0.3 seconds


def parse_moment(text: str, end_of_day: bool = False) -> int:
    """Read an ISO 8601 time (no zone: UTC) as microseconds since 1970; a date is its first moment.

    With `end_of_day` a date is its last moment. Raises ValueError.
    """
    try:
        if PART_OF_HOUR.search(text):
            raise ValueError
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        if end_of_day and len(text) <= len("2024-06-30"):
            moment += timedelta(days=1, microseconds=-1)
        return (moment - START) // timedelta(microseconds=1)
    except (ValueError, OverflowError):
        raise ValueError(f"{text!r} is not a time such as 2024-06-30T17:05:00Z") from None


def parse_day_of_year(text: str) -> tuple[int, int] | None:
    """Month and day of a text such as 07-01; None for any other."""
    if re.fullmatch(r"\d\d-\d\d", text, re.ASCII) is None:
        return None
    try:
        day = date.fromisoformat(f"2000-{text}")  # a leap year
    except ValueError:
        return None
    return day.month, day.day


def end_of_day(text: str) -> float:
    """An ISO date as the last moment of that day, a date with a time as that moment.

    Days since 1970; raises ValueError for anything else.
    """
    try:
        return parse_moment(text, end_of_day=True) / DAY_MICROSECONDS
    except ValueError:
        raise ValueError(f"give a date such as 2024-06-30, not {text!r}") from None


def format_moment(microseconds: int, zone: str = "+00:00") -> str:
    """Write microseconds since 1970 as an ISO 8601 time in UTC, with as many digits as it takes."""
    return (START + timedelta(microseconds=microseconds)).replace(tzinfo=None).isoformat() + zone


def format_date(day: float) -> str:
    """Write days since 1970 as an ISO date, with the time where there is one.

    The last microsecond of a day, which stands for all of it, is written as that day.
    """
    from numpy import datetime64  # has years beyond 9999

    if 0.0 < ceil(day) - day < LAST_MOMENT:
        day = floor(day)
    text = str(datetime64(round(day * 86_400_000), "ms")).removesuffix(".000")
    return text.removesuffix("T00:00:00")


def format_day(time: float) -> str:
    """Write days since 1970 as an ISO date without the time."""
    return date.fromordinal(EPOCH + floor(time)).isoformat()
