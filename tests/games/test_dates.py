"""Dates as tables write them."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.compile import kernel
from prowess.games import BadData, read_games
from prowess.games.cells import date_columns
from prowess.games.dates import format_date, format_day, format_moment, parse_date, parse_moment
from prowess.games.errors import InvalidValue
from tests.cli.command import prowess
from tests.refusals import refused

READERS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not kernel.available(), reason="no compiler")),
]
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
    assert parse_date(text) == days_between(moment)


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
    assert parse_date(value) == days_between(moment)


@given(
    st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)),  # noqa: DTZ001 - what the strategy wants
    st.sampled_from(["T", " "]),
    st.integers(-23 * 60, 23 * 60),
)
def test_iso_moments(moment, between, minutes):
    """Any ISO moment with any zone is what the standard library makes of it."""
    moment = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    # microseconds are near the last bits of such a number; the sum is rounded once more
    assert parse_date(moment.isoformat(between)) == pytest.approx(
        days_between(moment), abs=2e-10, rel=0
    )


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
    assert parse_date(text, form) == parse_date(datetime.fromisoformat(expected))


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("", "date_missing"),
        (None, "date_missing"),
        (float("nan"), "date_missing"),
        ("03/04/2020", "day_or_month_first"),
        ("3.4.20", "day_or_month_first"),
        ("2020-02-30", "not_a_day"),
        ("2019.02.29", "not_a_day"),
        ("0000-01-01", "not_a_day"),
        ("2020-01-01 25:00", "not_a_time"),
        ("2020-01-01 10:00:00+25:00", "not_a_time"),
        ("2020.??.??", "day_unknown"),
        ("????.??.??", "day_unknown"),
        ("2020", "not_a_date"),
        ("2020-01", "not_a_date"),
        ("2020-01/02", "not_a_date"),
        ("2020-W01-1", "not_a_date"),
        ("yesterday", "not_a_date"),
        ("２０２０-01-01", "not_a_date"),  # digits, but not ASCII
        (17, "implausible_moment"),
        (1e20, "implausible_moment"),
        (True, "not_a_date"),
        ([], "not_a_date"),
    ],
)
def test_refused(value, what):
    """What is no date, or not for certain, is refused in words that say why."""
    with refused(InvalidValue, what):
        parse_date(value)


@pytest.mark.parametrize("text", ["2020-01-01", "32/01/2020", ""])
def test_other_forms_than_stated_are_refused(text):
    """Where the caller states a form nothing else passes."""
    with pytest.raises(InvalidValue):
        parse_date(text, "%d/%m/%Y")


# --- which column, and what is said of it ------------------------------------------------


def read(heading, cells, compiled=False, **options):
    """A table in CSV with games at these times."""
    rows = "".join(f'p{at};q{at};1;"{cell}"\n' for at, cell in enumerate(cells))
    text = f"a;b;score;{heading}\n" + rows
    return read_games(io.BytesIO(text.encode()), format="csv", compiled=compiled, **options)


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize(
    "heading",
    [
        "tstamp", "tourney_date", "GAME_DATE_EST", "gameDate", "Date (UTC)", "Datum", "Spieldatum",
        "fecha", "Data", "data_jogo", "datumWedstrijd", "match date local", "Datum Spiel",
    ],
)  # fmt: skip
def test_headings_of_dates(compiled, heading):
    """Dates are found by the usual words of many languages; games are put in their order."""
    games = read(heading, ["2020-01-02", "2019-01-01"], compiled)
    assert games.time.tolist() == [parse_date("2019-01-01"), parse_date("2020-01-02")]
    assert [games.players[index] for index in games.a] == ["p1", "p0"]
    assert games.notes == ()


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize(
    "heading",
    ["update", "birth_date", "last_update_date", "last seen", "joined", "export"],
)
def test_headings_of_something_else(compiled, heading):
    """A column of other dates than those of games orders nothing."""
    games = read(heading, ["2020-01-02", "2019-01-01"], compiled)
    assert games.time is None
    assert games.reading.order == "no dates: order of the file"


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize("heading", ["year", "Jahr", "año", "rok"])
def test_years(compiled, heading):
    """Years order games, those of one year stay as they stand, and a note says so."""
    games = read(heading, ["2020", "2019", "2020"], compiled)
    assert games.time.tolist() == [
        parse_date("2019-01-01"),
        parse_date("2020-01-01"),
        parse_date("2020-01-01"),
    ]
    assert [games.players[index] for index in games.a] == ["p1", "p0", "p2"]
    assert any(f'the years of column "{heading}"' in note for note in games.notes)
    with refused(
        BadData, "not_a_date", about=(":", "is not a date as", "2020", "nineteen"), line=3
    ):
        read(heading, ["2020", "nineteen"], compiled)
    games = read("date", ["2020", "2019"], compiled, date_format="%Y")
    assert games.time.tolist() == [parse_date("2019-01-01"), parse_date("2020-01-01")]


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize("heading", ["data", "fecha", "year", "kickoff"])
def test_columns_that_may_hold_dates(compiled, heading):
    """A column whose heading has other meanings, too, is left alone where it holds no date, and
    a note says so; where it holds one in a form that is not read, it is refused.
    """
    games = read(heading, ["round x", "round y"], compiled)
    assert games.time is None
    assert any(
        f'column "{heading}" is not used, as its first cell is no date: "round x"' in note
        for note in games.notes
    )
    if heading != "year":
        with refused(BadData, "day_or_month_first", about=("2024", "January", "date_format=")):
            read(heading, ["05/01/2024", "06/01/2024"], compiled)


def test_several_columns_of_dates():
    """Of two columns of dates one is asked for, unless one of them has a usual heading."""
    table = {"a": ["A"], "b": ["B"], "score": [1], "date_est": ["2020-01-01"]}
    with refused(BadData, "date_ambiguous", about=("date_est", "date_cet", "time=")):
        read_games(table | {"date_cet": ["2020-01-02"]})
    assert read_games(table | {"date": ["2020-01-02"]}).time.tolist() == [parse_date("2020-01-02")]


def test_the_order_is_said_unless_it_was_asked_for():
    """Who asks for games without dates is not told that there are none."""
    assert read("date", ["x", "y"], time="none").notes == ()
    assert read("date", ["2020-01-02", "2020-01-01"]).notes == ()


def test_a_frame_whose_index_are_moments():
    """The index of a pandas frame is its dates, where no column is."""
    pd = pytest.importorskip("pandas")
    index = pd.to_datetime(["2020-01-02", "2019-01-01"])
    frame = pd.DataFrame({"a": ["A", "C"], "b": ["B", "D"], "score": [1, 0]}, index=index)
    expected = [parse_date("2019-01-01"), parse_date("2020-01-02")]
    for each in (frame, frame.rename_axis("kickoff"), frame.rename_axis("Datum")):
        assert read_games(each).time.tolist() == expected
    dated = frame.assign(date=["2021-01-01", "2021-01-02"])
    assert read_games(dated).time.tolist() == [parse_date("2021-01-01"), parse_date("2021-01-02")]


@pytest.mark.parametrize("compiled", READERS)
def test_days_of_excel(compiled):
    """Days as Excel counts them are read if named, and never taken for days since 1970."""
    cells = ["45292", "45292.5"]  # 2024-01-01, as any spreadsheet shows it
    expected = [parse_date("2024-01-01"), parse_date("2024-01-01 12:00")]
    assert read("date", cells, compiled, date_format="excel").time.tolist() == expected
    with refused(BadData, "date_as_number", about="2059"):
        read("date", cells, compiled, date_format="days")
    games = read("date", cells, compiled, date_format="days-since-1970")
    assert games.time.tolist() == [45292.0, 45292.5]
    assert read("date", ["19723"], compiled, date_format="days").time.tolist() == [19723.0]
    games = read("date", cells, compiled)
    assert games.time.tolist() == expected
    assert "the dates are numbers of days as Excel counts them" in games.notes


def test_dates_on_the_command_line(tmp_path):
    """What is said about the order stands once on stderr, and not with --quiet."""
    file = tmp_path / "games.csv"
    file.write_text("a,b,result\nA,B,1\nA,C,1\n", encoding="utf-8")
    assert prowess("rate", file).stderr.count("no dates: order of the file") == 1
    assert prowess("rate", file, "--quiet").stderr == ""
    file.write_text("a,b,result,date\nA,B,1,45292\n", encoding="utf-8")
    assert "as of 2024-01-01" in prowess("rate", file, "--date-format", "excel").stderr
    refusal = prowess("rate", file, "--date-format", "days")
    assert (refusal.returncode, refusal.stdout) == (3, "")
    assert "2059" in refusal.stderr


@pytest.mark.parametrize(
    ("text", "ends", "microseconds"),
    [
        ("1970-01-02", False, 86_400_000_000), ("1970-01-02", True, 2 * 86_400_000_000 - 1),
        ("1970-01-01T00:00:00.000001Z", True, 1), ("1970-01-01T01:00+01:00", False, 0),
        ("1969-12-31", False, -86_400_000_000),
    ],
)  # fmt: skip
def test_iso_times(text, ends, microseconds):
    """One reader and one writer of ISO times; a date is its first moment, or its last."""
    assert parse_moment(text, end_of_day=ends) == microseconds
    assert parse_moment(format_moment(microseconds)) == microseconds
    assert format_date(microseconds / 86_400e6)[:10] == format_day(microseconds / 86_400e6)
    for bad in ("", "yesterday", "2024-13-01", "0001-01-01T00:00+23:59x", "2024-06-30 19.30"):
        with pytest.raises(ValueError, match="is not a time such as"):
            parse_moment(bad)


@pytest.mark.parametrize("heading", ["Zeitstempel", "When", "created_at", "Erfasst", "Beginn"])
def test_days_as_excel_counts_them_are_dates_under_any_heading_of_time(heading):
    """45387.25 is 2024-04-05 06:00 by the rule that Excel counts days from 1899-12-30."""
    cells = ["45386", "45387,25", "45388,5"]
    table = {"a": ["Ann", "Ben", "Ann"], "b": ["Ben", "Ann", "Ben"], "winner": ["Ann"] * 3}
    games = read_games({heading: cells, **table}, warn=False)
    assert games.time is not None
    assert games.time.tolist() == [19817.0, 19818.25, 19819.5]


def test_the_date_of_the_game_goes_before_the_time_at_which_a_form_was_sent():
    """A form has its own time stamp; the answer to `When did you play?` is the date of the game."""
    games = read_games({
        "Timestamp": ["2024-03-02 20:00:00", "2024-03-01 20:00:00"],
        "When did you play?": ["2024-02-01", "2024-02-09"],
        "a": ["Ann", "Ben"], "b": ["Ben", "Ann"], "winner": ["Ann", "Ann"],
    })  # fmt: skip
    assert games.time is not None
    assert games.time.tolist() == [19754.0, 19762.0]
    assert games.reading.unused == ("Timestamp",)


DAYS_OF_PLAY = ["2023-01-05", "2023-02-05", "2023-03-05"]
MOMENTS_OF_ENTRY = [f"2024-05-0{day} 10:00:00" for day in (1, 2, 3)]


@pytest.mark.parametrize("entered", ["created", "created_at"])
@pytest.mark.parametrize("played", ["played", "when", "kickoff", "start_time", "day"])
def test_the_day_of_play_goes_before_the_moment_of_entry(played, entered):
    """Games were played in 2023 and written down in 2024."""
    games = read_games({
        "home": [*"ABC"], "away": [*"BCA"], "result": ["1-0", "2-1", "0-3"],
        played: DAYS_OF_PLAY, entered: MOMENTS_OF_ENTRY,
    })  # fmt: skip
    assert games.time.tolist() == [parse_date(day) for day in DAYS_OF_PLAY]
    assert games.reading.unused == (entered,)


@pytest.mark.parametrize("played", ["tip off"])
def test_a_moment_of_entry_beside_another_column_of_dates_is_a_question(played):
    """No heading says that it is the date, and `created` is none of play."""
    table = {
        "home": [*"ABC"], "away": [*"BCA"], "result": ["1-0", "2-1", "0-3"],
        played: DAYS_OF_PLAY, "created": MOMENTS_OF_ENTRY,
    }  # fmt: skip
    with refused(BadData, "date_ambiguous", about=(played, "created")):
        read_games(table)
    time = read_games(table, time=played).time
    assert time is not None
    assert time[0] == parse_date("2023-01-05")


@pytest.mark.parametrize("other", [{}, {"created": MOMENTS_OF_ENTRY}])
def test_a_column_of_time_may_hold_the_years_of_games(other):
    """2015, 2016 and 2018 are years, whatever stands beside them."""
    games = read_games({
        "home": [*"ABC"], "away": [*"BCA"], "result": ["1-0", "2-1", "0-3"],
        "time": ["2015", "2016", "2018"], **other,
    })  # fmt: skip
    assert games.time.tolist() == [parse_date(f"{year}-01-01") for year in (2015, 2016, 2018)]


def read_contests(heading, cells):
    """Two contests of three players, each of whom has one more cell."""
    return read_games({
        "event": ["X"] * 3 + ["Y"] * 3, "player": [*"ABC", *"CAB"], "place": [1, 2, 3] * 2,
        heading: cells,
    })  # fmt: skip


OF_EACH = ["41310", "42007", "45990", "41802", "43555", "44004"]
OF_ALL = ["41310"] * 3 + ["42007"] * 3


@pytest.mark.parametrize(
    ("heading", "cells"),
    [("week", OF_ALL), *product(["time", "time_ms", "duration"], [OF_EACH, OF_ALL])],
)
def test_numbers_beside_places_are_no_dates(heading, cells):
    """41 to 46 seconds in milliseconds, and as many days as Excel counts up to 2025."""
    games = read_contests(heading, cells)
    assert (len(games), games.time) == (2, None)


@pytest.mark.parametrize("heading", ["year", "time", "played"])
def test_full_dates_of_contests_are_dates_under_any_heading(heading):
    """Days stand under `year`, too."""
    games = read_contests(heading, ["2021-01-12"] * 3 + ["2021-02-12"] * 3)
    assert games.time.tolist() == [parse_date("2021-01-12"), parse_date("2021-02-12")]


def test_numbers_are_moments_of_contests_under_a_word_of_a_moment_only():
    """1700000000 s and 1700086400 s after 1970 are 2023-11-14 and 2023-11-15, 22:13:20 UTC."""
    cells = ["1700000000"] * 3 + ["1700086400"] * 3
    moments = [parse_date(f"2023-11-{day} 22:13:20") for day in (14, 15)]
    assert read_contests("start", cells).time.tolist() == moments
    assert read_contests("duration", cells).time is None


@pytest.mark.parametrize(
    "parts",
    [
        {"Year": [2023, 2023], "Month": [8, 1], "Day": [2, 5]},
        {"Jahr": ["2023", "2023"], "Monat": ["August", "Jan."], "Tag": ["2", "5"]},
    ],
)
def test_year_month_and_day_in_columns_of_their_own_make_the_date(parts):
    """2023-08-02 and 2023-01-05: the second row is the earlier game."""
    games = read_games({**parts, "a": ["Ann", "Ben"], "b": ["Ben", "Ann"], "winner": ["Ann"] * 2})
    assert games.time is not None
    assert games.time.tolist() == [19362.0, 19571.0]
    assert games.players[int(games.a[0])] == "Ben"


def test_dates_of_several_kinds_in_one_column():
    """Real dates, names of months and numbers whose order is proven stand in one column."""
    days = [date(2024, 3, 22), "24/03/2024", "2 Apr 2024", "07/04/2024", date(2024, 4, 30)]
    games = read_games({"a": ["A"] * 5, "b": ["B"] * 5, "result": [1] * 5, "date": days})
    assert [format_day(day) for day in games.time] == [
        "2024-03-22", "2024-03-24", "2024-04-02", "2024-04-07", "2024-04-30"
    ]  # fmt: skip
    assert any("several ways" in note for note in games.notes)


@pytest.mark.parametrize(
    ("days", "code"),
    [
        ([date(2024, 3, 12), "24/03/2024", "25/03/2024"], "mixed_dates"),  # of 12/03 or of 03/12
        ([date(2024, 3, 22), "02/04/2024", "03/04/2024"], "day_or_month_first"),
    ],
)
def test_dates_that_a_sheet_may_have_turned_are_refused(days, code):
    """A sheet that reads days as months makes dates of some and leaves the others as texts."""
    with refused(BadData, code):
        read_games({"a": ["A"] * 3, "b": ["B"] * 3, "result": [1] * 3, "date": days})


def test_a_mixed_column_names_the_first_cell_of_each_order():
    """What contradicts what is said by the first cells, in the order of the rows."""
    days = [f"{day}/03/2024" for day in range(20, 31)] + [f"04/{day}/2024" for day in range(20, 31)]
    table = {"a": ["A"] * 22, "b": ["B"] * 22, "result": [1] * 22, "date": days}
    with refused(BadData, "mixed_dates", about=["20/03/2024", "04/20/2024"], row=12):
        read_games(table)


def without_years(title, *dates, column=""):
    """Games on days without a year."""
    rows = "".join(f"{date},P,Q,{at}-9{column and ',' + column}\n" for at, date in enumerate(dates))
    head = f"{title},,,\n" if title else ""
    text = f"{head}Date,Home,Away,Result{column and ',Season'}\n{rows}"
    return read_games(io.StringIO(text), format="csv", warn=False)


@pytest.mark.parametrize(
    ("title", "dates", "days"),
    [
        ("Saison 2023/24", ["27.08.", "12.11.", "17.03."], ["2023-08-27", "2024-03-17"]),
        ("Season 2023-2024", ["Sun 27 Aug", "12 Nov", "Mar 17"], ["2023-08-27", "2024-03-17"]),
        ("Cup 2024", ["8/27", "9/3"], ["2024-08-27", "2024-09-03"]),
        (
            "Season 2023/24",  # the order in time tells the month, from July on
            ["8/12", "9/9", "10/7", "11/11", "12/2", "1/6", "2/3", "3/2", "4/6", "5/4"],
            ["2023-08-12", "2024-05-04"],
        ),
    ],
)
def test_the_season_of_a_title(title, dates, days):
    """Dates without a year are of the season or the year above the table."""
    games = without_years(title, *dates)
    told = [str(np.datetime64(int(games.time[at]), "D")) for at in (0, -1)]
    assert told == days
    assert any("without a year" in note for note in games.notes)


@pytest.mark.parametrize(
    ("title", "dates", "says"),
    [
        ("", ["27.08.", "12.11."], "dates_without_year"),
        ("Stand 3.4.2024", ["27.08.", "12.11."], "dates_without_year"),
        ("Winter 2024", ["12.11.", "17.01."], "dates_without_year"),  # of which winter?
        ("Cup 2024", ["8/7", "9/3"], "day_or_month_first"),
        (
            "Season 2023/24",
            ["8/1", "9/1", "10/1", "11/1", "12/1", "1/2", "2/2", "3/2", "4/2"],
            "day_or_month_first",
        ),
    ],
)
def test_open_years_are_refused(title, dates, says):
    """Nothing is taken where the year or the day is open."""
    with refused(BadData, says):
        without_years(title, *dates)


def test_a_column_of_seasons_tells_the_year():
    """Each row has the season beside its day."""
    games = without_years("", "27/08", "17/03", column="2022/23")
    assert str(np.datetime64(int(games.time[-1]), "D")) == "2023-03-17"


def test_a_day_that_is_none_tells_the_order_and_is_refused_itself():
    """30/02/2024 can only be day first; the question is not asked of another cell."""
    for dates in (["03/04/2024", "30/02/2024"], ["30/02/2024", "03/03/2024"]):
        with refused(BadData, "not_a_day", about="30/02/2024"):
            read_games({"a": [*"AB"], "b": [*"BA"], "score": [1, 0], "date": dates})


def test_days_that_are_the_same_in_both_orders_need_no_answer():
    """3/3 and 4/4; of others the question shows one that differs."""
    games = read_games(
        {"a": [*"AB"], "b": [*"BA"], "score": [1, 0], "date": ["03/03/2024", "04/04/2024"]}
    )
    assert games.time.tolist() == [19785.0, 19817.0]
    with refused(BadData, "day_or_month_first", about=("2024", "February", "January")):
        read_games({"a": [*"ABA"], "b": [*"BAB"], "score": [1, 0, 1],
                    "date": ["03/03/2024", "04/04/2024", "01/02/2024"]})  # fmt: skip


def first_day(games):
    return str(np.datetime64(int(games.time[0]), "D"))


@pytest.mark.parametrize(
    ("heading", "day"),
    [("Date (DD/MM/YYYY)", "2024-04-03"), ("Date (MM/DD/YY)", "2024-03-04"),
     ("Fecha [DD-MM-AAAA]", "2024-04-03"), ("date_mdy", "2024-03-04"), ("Date d/m", "2024-04-03"),
     ("Datum (TT.MM.JJJJ)", "2024-04-03"), ("date (US format)", "2024-03-04")],
)  # fmt: skip
def test_a_heading_tells_which_number_is_the_day(heading, day):
    """A heading tells which number is the day where the cells leave it open."""
    table = {"a": ["A"], "b": ["B"], "score": [1], heading: ["03/04/2024"]}
    assert first_day(read_games(table)) == day


def test_cells_decide_against_a_heading_and_it_is_said():
    """25/03 is no month first, whatever the heading says."""
    table = {
        "a": [*"AB"],
        "b": [*"BA"],
        "score": [1, 0],
        "date (MM/DD)": ["03/04/2024", "25/04/2024"],
    }
    games = read_games(table)
    assert first_day(games) == "2024-04-03"
    assert 'day first, as "25/04/2024" is, not as the heading' in games.notes[0]


def test_times_of_the_day_are_no_dates_beside_dates():
    """A column that may hold dates and holds times alone leaves them to another."""
    games = read_games({
        "Kick-off": ["15:00", "17:30"], "dzien": ["2024-01-02", "2024-01-03"],
        "Home": [*"AB"], "Away": [*"BA"], "Score": ["2-1", "0-0"],
    })  # fmt: skip
    assert first_day(games) == "2024-01-02"


@pytest.mark.parametrize("cells", [["31/01/2024", "02/03/2024"], ["2024-01-31", "3 Mar 2024"]])
def test_each_date_is_taken_apart_once(cells, monkeypatch):
    """The form of a column comes with what its cells are."""
    taken_apart = []

    def classify(cell, once=date_columns.classify):
        taken_apart.append(cell)
        return once(cell)

    monkeypatch.setattr(date_columns, "classify", classify)
    parse = date_columns.decide_form(cells).parse
    assert [format_day(parse(cell))[:4] for cell in cells] == ["2024", "2024"]
    assert taken_apart == cells


@pytest.mark.parametrize("cell", ["", "x", "2024-13-01", "31/02/2024"])
@pytest.mark.parametrize("heading", ["created_at", "timestamp", "Tag"])
def test_another_column_of_dates_is_named(cell, heading):
    """Where a cell of the dates cannot be read, the remedy has the column that has no such cell."""
    days = [f"2024-01-0{day}" for day in range(1, 5)]
    table = {heading: days, "date": [*days[:2], cell, days[3]], "a": [*"klmn"], "b": [*"opqr"]}
    with pytest.raises(BadData) as caught:
        read_games({**table, "result": [1] * 4})
    assert caught.value.column == "date"
    assert f'time="{heading}" (--time {heading})' in str(caught.value)
