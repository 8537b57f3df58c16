"""Dates as tables write them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.games.dates import day
from prowess.games.refusal import Refusal

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def days_between(moment: datetime) -> float:
    """Days since 1970 by the standard library's own subtraction."""
    return (moment - EPOCH) / timedelta(days=1)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1970-01-01", datetime(1970, 1, 1, tzinfo=UTC)),
        ("1872-11-30", datetime(1872, 11, 30, tzinfo=UTC)),
        ("2024-02-29", datetime(2024, 2, 29, tzinfo=UTC)),
        ("2024.02.29", datetime(2024, 2, 29, tzinfo=UTC)),
        ("2024/2/9", datetime(2024, 2, 9, tzinfo=UTC)),
        ("20240229", datetime(2024, 2, 29, tzinfo=UTC)),
        ("2024-02-29 12:30", datetime(2024, 2, 29, 12, 30, tzinfo=UTC)),
        ("2024-02-29T12:30:15Z", datetime(2024, 2, 29, 12, 30, 15, tzinfo=UTC)),
        ("2024-02-29T12:30:15.25", datetime(2024, 2, 29, 12, 30, 15, 250000, tzinfo=UTC)),
        ("2024-02-29 00:30:00+02:00", datetime(2024, 2, 28, 22, 30, tzinfo=UTC)),
        ("2024-02-29 23:30:00-0130", datetime(2024, 3, 1, 1, 0, tzinfo=UTC)),
        ("2024.02.29 12:30:15", datetime(2024, 2, 29, 12, 30, 15, tzinfo=UTC)),
        ("1709208000", datetime(2024, 2, 29, 12, tzinfo=UTC)),
        ("1709208000000", datetime(2024, 2, 29, 12, tzinfo=UTC)),
        (" 2024-02-29 ", datetime(2024, 2, 29, tzinfo=UTC)),
    ],
)
def test_written_dates(text, moment):
    """Each accepted form is the moment it says, in days since 1970 UTC."""
    assert day(text) == days_between(moment)


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        (date(1900, 3, 1), datetime(1900, 3, 1, tzinfo=UTC)),
        (datetime(2024, 2, 29, 6), datetime(2024, 2, 29, 6, tzinfo=UTC)),  # noqa: DTZ001
        (
            datetime(2024, 2, 29, 6, tzinfo=timezone(timedelta(hours=2))),
            datetime(2024, 2, 29, 4, tzinfo=UTC),
        ),
        (np.datetime64("2024-02-29T06:00"), datetime(2024, 2, 29, 6, tzinfo=UTC)),
        (20240229, datetime(2024, 2, 29, tzinfo=UTC)),
        (1709208000, datetime(2024, 2, 29, 12, tzinfo=UTC)),
        (1709208000000.0, datetime(2024, 2, 29, 12, tzinfo=UTC)),
    ],
)
def test_values_that_are_dates(value, moment):
    """Dates and moments of Python and NumPy, and plausible numbers, are read as what they are."""
    assert day(value) == days_between(moment)


@given(
    st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)),  # noqa: DTZ001 - what the strategy wants
    st.sampled_from(["T", " "]),
    st.integers(-23 * 60, 23 * 60),
)
def test_iso_moments(moment, between, minutes):
    """Any ISO moment with any zone is what the standard library makes of it."""
    moment = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    # microseconds are near the last bits of such a number; the sum is rounded once more
    assert day(moment.isoformat(between)) == pytest.approx(days_between(moment), abs=2e-10, rel=0)


@pytest.mark.parametrize(
    ("form", "text", "expected"),
    [
        ("%d/%m/%Y", "03/04/2020", "2020-04-03"),
        ("%m/%d/%Y", "03/04/2020", "2020-03-04"),
        ("days", "18263.5", "2020-01-02T12:00"),
        ("seconds", "86400", "1970-01-02"),
        ("milliseconds", "-86400000", "1969-12-31"),
    ],
)
def test_a_stated_form_decides(form, text, expected):
    """What can be read in two ways is read as the caller says."""
    assert day(text, form) == day(datetime.fromisoformat(expected))


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("", "missing"),
        (None, "missing"),
        (float("nan"), "missing"),
        ("03/04/2020", "more than one way"),
        ("3.4.20", "more than one way"),
        ("2020-02-30", "no day of the calendar"),
        ("2019.02.29", "no day of the calendar"),
        ("0000-01-01", "no day of the calendar"),
        ("2020-01-01 25:00", "no time of the day"),
        ("2020-01-01 10:00:00+25:00", "no time of the day"),
        ("2020.??.??", "not known"),
        ("????.??.??", "not known"),
        ("2020", "not a date"),
        ("2020-01", "not a date"),
        ("2020-01/02", "not a date"),
        ("2020-W01-1", "not a date"),
        ("yesterday", "not a date"),
        ("２０２０-01-01", "not a date"),  # digits, but not ASCII
        (17, "no plausible moment"),
        (1e20, "no plausible moment"),
        (True, "not a date"),
        ([], "not a date"),
    ],
)
def test_refused(value, what):
    """What is no date, or not for certain, is refused in words that say why."""
    with pytest.raises(Refusal, match=what):
        day(value)


@pytest.mark.parametrize("text", ["2020-01-01", "32/01/2020", ""])
def test_other_forms_than_stated_are_refused(text):
    """Where the caller states a form nothing else passes."""
    with pytest.raises(Refusal):
        day(text, "%d/%m/%Y")
