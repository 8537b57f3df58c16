"""Rating periods against the calendar."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.engine.periods import BadPeriod, parse_period
from prowess.games.dates import end_of_day, format_date
from tests.refusals import refused

EPOCH = date(1970, 1, 1)
days = st.dates(date(1700, 1, 1), date(2300, 1, 1))
hours = st.floats(0, 0.999)


def number(text: str, *dates: date, part: float = 0.0) -> list[int]:
    """The numbers of the periods that some days fall in."""
    time = np.array([(day - EPOCH).days + part for day in dates], dtype=np.float64)
    return parse_period(text).number(time).tolist()  # type: ignore[no-any-return]


@given(days, hours)
def test_weeks_start_on_monday(day, hour):
    """Seven days from a Monday are one period, before 1970 as after."""
    monday = day - timedelta(days=day.weekday())
    week = [monday + timedelta(days=k) for k in range(-1, 8)]
    for text in ("7d", "1w"):
        before, *inside, after = number(text, *week, part=hour)
        assert set(inside) == {before + 1} == {after - 1}


@given(days, hours, st.integers(1, 6))
def test_months_are_of_the_calendar(day, hour, count):
    """A span of n months changes on the first of a month, and every n months from January 1970."""
    months = (day.year - 1970) * 12 + day.month - 1
    assert number(f"{count}mo", day, part=hour) == [months // count]


@given(days, hours)
def test_years_are_of_the_calendar(day, hour):
    """A year changes on the first of January."""
    assert number("1y", day, part=hour) == [day.year - 1970]


def test_the_day_before_1970():
    """Rounding goes down, not towards zero."""
    assert number("1mo", date(1969, 12, 31), EPOCH, part=0.5) == [-1, 0]
    assert number("1d", date(1969, 12, 31), EPOCH, part=0.5) == [-1, 0]
    assert number("1y", date(1969, 1, 1), EPOCH) == [-1, 0]


def test_a_table_cut_short_gives_the_same_periods():
    """Numbers are counted from 1970, not from the first row."""
    dates = [date(2020, 1, 1) + timedelta(days=k) for k in range(100)]
    for text in ("3d", "2w", "3mo", "12h"):
        assert number(text, *dates)[40:] == number(text, *dates[40:])


@given(st.integers(-(10**5), 10**5), st.integers(1, 30), st.sampled_from("hdw"))
def test_spans_are_equally_long(first, count, unit):
    """Every period of n hours, days or weeks is n of them long."""
    period = parse_period(f"{count}{unit}")
    length = count * {"h": 1 / 24, "d": 1, "w": 7}[unit]
    assert period.days == pytest.approx(length)
    middles = first + length * (np.arange(5) + 1 / 3) + 1e-3
    assert np.diff(period.number(middles)).tolist() == [1] * 4


@pytest.mark.parametrize(
    "text",
    ["", "7", "d", "0d", "-1d", "1.5d", "7 days", "1m", "1 month", "weekly", "1mo1d", "7D"],
)
def test_a_bad_text_is_refused(text):
    """The error repeats the text and shows what is understood."""
    with refused(BadPeriod, "not_a_period", about="unit"):
        parse_period(text)


@pytest.mark.parametrize("text", ["7d", " 7 d ", "2w", "1mo", "1y", "12h"])
def test_a_period_reads_what_it_writes(text):
    """The text of a period is read as the same period."""
    assert parse_period(str(parse_period(text))) == parse_period(text)


@given(days, st.integers(0, 86_399))
def test_dates_are_written_as_iso(day, second):
    """A day is written as a date, and a time of day beside it only where there is one."""
    moment = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(seconds=second)
    text = format_date((moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(days=1))
    assert datetime.fromisoformat(text).replace(tzinfo=UTC) == moment
    assert ("T" in text) == bool(moment.hour or moment.minute or moment.second)


@given(days)
def test_the_end_of_a_day_is_that_day(day):
    """Ratings as of a date, which means its last microsecond, are said to be of that date."""
    assert format_date(end_of_day(day.isoformat())) == day.isoformat()
    assert format_date(float((day - EPOCH).days)) == day.isoformat()
