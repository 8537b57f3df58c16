"""Tables of other libraries, and Parquet."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from prowess.compile import kernel
from prowess.games import BadData, read_games
from prowess.games.columns import CellParser, Values
from prowess.games.values import parse_number
from tests.games.refusing import place_first
from tests.games.sides import sides_of
from tests.refusals import refused

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

READERS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not kernel.available(), reason="no compiler")),
]
COLUMNS = {
    "date": [date(2020, 1, 2), date(2020, 1, 1), date(2020, 1, 1)],
    "home": ["Ann", "Bob", "Cy "],
    "away": ["Bob", "Çelik", "Ann"],
    "home_score": [1, 0, 2],
    "away_score": [0, 0, 3],
    "neutral": [True, False, False],
}
FRAMES = [
    pa.table, pd.DataFrame, pl.DataFrame, lambda columns: pl.DataFrame(columns).lazy(),
    lambda columns: pa.table(columns).to_batches()[0],
]  # fmt: skip


def as_expected(games: Any) -> None:
    """The three games of COLUMNS."""
    assert games.duels
    assert games.players == ["Ann", "Bob", "Çelik", "Cy"]
    assert games.a.tolist() == [1, 3, 0]
    assert games.b.tolist() == [2, 0, 1]
    assert games.score.tolist() == [0.5, 0.0, 1.0]
    assert games.time.tolist() == [18262.0, 18262.0, 18263.0]
    assert games.side.tolist() == [1.0, 1.0, 0.0]
    assert games.margin.tolist() == [0.0, -1.0, 1.0]


@pytest.mark.parametrize("frame", FRAMES)
def test_frames(frame):
    """A table of any library is read as what it holds."""
    as_expected(read_games(frame(COLUMNS)))


def packed(table, **options) -> io.BytesIO:
    """A table as a Parquet file."""
    file = io.BytesIO()
    pq.write_table(pa.table(table), file, **options)
    file.seek(0)
    return file


@pytest.mark.parametrize("compiled", READERS)
def test_parquet(tmp_path, compiled):
    """A Parquet file is read, as a file or a stream, whatever it is called."""
    as_expected(read_games(packed(COLUMNS), compiled=compiled))
    for name in ("results.parquet", "results"):
        path = tmp_path / name
        path.write_bytes(packed(COLUMNS).read())
        as_expected(read_games(path, compiled=compiled))


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string()), pa.string_view()],
)
def test_kinds_of_names(kind, compiled):
    """Names may be held as any kind of text."""
    table = pa.table(COLUMNS)
    for name in ("home", "away"):
        at = table.column_names.index(name)
        table = table.set_column(at, name, table[name].cast(kind))
    as_expected(read_games(packed(table), compiled=compiled))


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.date32(), [date(2020, 1, 1), date(1872, 11, 30)]),
        (pa.date64(), [date(2020, 1, 1), date(1872, 11, 30)]),
        (pa.timestamp("s"), [datetime(2020, 1, 1), datetime(1872, 11, 30)]),  # noqa: DTZ001
        (pa.timestamp("us"), [datetime(2020, 1, 1), datetime(1872, 11, 30)]),  # noqa: DTZ001
        (pa.timestamp("ns", "UTC"), [datetime(2020, 1, 1, tzinfo=UTC),
                                     datetime(1872, 11, 30, tzinfo=UTC)]),
        (pa.string(), ["2020-01-01", "1872-11-30"]),
        (pa.int64(), [20200101, 18721130]),
    ],
)  # fmt: skip
def test_kinds_of_dates(kind, values, compiled):
    """Dates may be held as any kind of date, moment, text or number."""
    table = {"a": ["A", "B"], "b": ["B", "A"], "score": [1, 0], "date": pa.array(values, kind)}
    games: Any = read_games(packed(table), compiled=compiled)
    # 97 years and a bit: the difference of the two ordinals of the calendar
    assert games.time.tolist() == [
        date(1872, 11, 30).toordinal() - date(1970, 1, 1).toordinal(), 18262.0
    ]  # fmt: skip


@pytest.mark.parametrize("compiled", READERS)
def test_moments_to_the_microsecond(compiled):
    """A moment within a day keeps its fraction, as text and as Arrow holds it."""
    moment = datetime(2020, 1, 1, 17, 5, 3, 250001, tzinfo=UTC)
    table = {"a": ["A"], "b": ["B"], "score": [1.0]}
    kinds = [pa.array([moment], pa.timestamp("us", "UTC")), pa.array([moment.isoformat()])]
    read: list[Any] = [
        vars(read_games(packed({**table, "date": held}), compiled=compiled))["time"][0]
        for held in kinds
    ]
    # the nearest of all numbers to the true quotient
    assert read == [18262 + (17 * 3600 + 5 * 60 + 3.250001) / 86400] * 2


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.uint16(), pa.int64(), pa.float32(), pa.float64(), pa.decimal128(5, 1)]
)
def test_kinds_of_numbers(kind, compiled):
    """Points may be held as any kind of number."""
    points = [pa.array([Decimal(value) for value in held]).cast(kind) for held in ([2, 0], [1, 3])]
    table = {"a": ["A", "B"], "b": ["B", "A"], "score_a": points[0], "score_b": points[1]}
    games = read_games(packed(table), compiled=compiled)
    assert games.score.tolist() == [1.0, 0.0]
    assert games.points_a.tolist() == [2.0, 0.0]


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize(
    ("column", "values", "what"),
    [
        ("score", [1.0, 1.5], "a score of 1.5 is not between 0 and 1"),
        ("score", ["1-0", "x"], 'unknown outcome "x"'),
        ("a", ["A", None], "the name of a player is missing"),
        ("a", ["A", " "], "the name of a player is missing"),
        ("a", [1.5, 2.0], "1.5 is not a name; names are texts or whole numbers"),
        ("a", ["A", "B"], '"B" plays against themselves'),
        ("date", [date(2020, 1, 1), None], "the date is missing"),
        ("date", [1.0, 2.0], "1.0 is a number but no plausible moment"),
        ("weight", [1, 0], "0 is not above 0"),
        ("weight", [1.0, float("inf")], "inf is not a finite number"),
        ("weight", [1.0, None], "a number is missing"),
    ],
)  # fmt: skip
def test_bad_rows(column, values, what, compiled):
    """A bad row of a Parquet file is refused with row, column and reason."""
    table = {"a": ["A", "C"], "b": ["B", "B"], "score": [1.0, 0.0], column: values}
    first = ("1.5 is not a name", "1.0 is a number")
    row = 1 if what.startswith(first) else 2
    with pytest.raises(BadData) as error:
        read_games(packed(table), compiled=compiled)
    text = place_first(error.value)
    assert (error.value.row, error.value.line) == (row, None)
    assert what in text
    assert f'row {row}, column "{"b" if "themselves" in what else column}": ' in text


@pytest.mark.parametrize("compiled", READERS)
def test_winners_filters_rounds_and_contests(compiled):
    """What a CSV may hold a Parquet file may hold."""
    table = {
        "left": [1, 2, 3, 1], "right": [2, 3, 1, 3], "winner": ["1", "tie", "right", "9"],
        "round": ["x", "y", "x", "y"], "track": [1, 1, 1, 2], "fine": [True, True, True, False],
    }  # fmt: skip
    games = read_games(packed(table), where={"track": 1}, compiled=compiled)
    assert games.score.tolist() == [1.0, 0.5, 0.0]
    assert games.players == ["1", "2", "3"]
    assert games.round.tolist() == [0, 1, 0]
    assert len(read_games(packed(table), exclude={"fine": False}, compiled=compiled)) == 3
    table = {"event": ["E", "E", "F"], "player": ["A", "B", "A"], "place": [1, 2, 1]}
    contests = read_games(packed(table), compiled=compiled)
    assert not contests.pairwise
    assert contests.start.tolist() == [0, 2, 3]


@pytest.mark.parametrize("compiled", READERS)
def test_many_batches(compiled):
    """A file of several row groups is read as a whole, rows numbered through."""
    count = 200_000
    table: dict[str, Any] = {
        "a": [f"p{n % 1000}" for n in range(count)], "b": [f"q{n % 999}" for n in range(count)],
        "score": np.arange(count) % 3 / 2,
    }  # fmt: skip
    games = read_games(packed(table, row_group_size=30_000), compiled=compiled)
    assert games.score.tolist() == table["score"].tolist()
    assert [games.players[a] for a in games.a[-3:]] == table["a"][-3:]
    assert len(games.players) == 1999
    table["score"][150_000] = 7.0
    with refused(BadData, "score_out_of_range", row=150001, column="score"):
        read_games(packed(table), compiled=compiled)


def test_broken_parquet(tmp_path):
    """A Parquet file that is cut off or spoilt is refused."""
    content = packed(COLUMNS).read()
    path = tmp_path / "results.parquet"
    for spoilt in (content[:-20], content[:50], b"PAR1", b"no Parquet at all"):
        path.write_bytes(spoilt)
        with refused(BadData, "damaged_file", about="results.parquet"):
            read_games(path)


def test_columns_of_one_name():
    """Two columns of one name are refused."""
    table = pa.table([pa.array(["A"]), pa.array(["B"]), pa.array([1])], names=["a", "a", "score"])
    with refused(BadData, "column_twice"):
        read_games(table)


@pytest.mark.parametrize("compiled", READERS)
def test_whole_floats_are_names(compiled):
    """A column of numbers with an empty cell holds floats: the names are those of the integers."""
    columns = {"a1": [1, 2], "a2": [3.0, None], "b1": [4, 1], "b2": [5, 3], "result": [1, 0]}
    expected = [[["1", "3"], ["4", "5"]], [["2"], ["1", "3"]]]
    for source in (columns, pd.DataFrame(columns), packed(columns)):
        how = {"compiled": compiled} if isinstance(source, io.BytesIO) else {}
        assert sides_of(read_games(source, **how)) == expected
    pairs = {"a": [1, 2], "b": [3.0, -0.0], "winner": [3.0, 2.0]}
    games = read_games(packed(pairs), compiled=compiled)
    assert list(games.players) == ["1", "3", "2", "0"]
    assert games.score.tolist() == [0.0, 1.0]
    largest = {"a": [2.0**53 - 1], "b": ["x"], "score": [1]}
    assert list(read_games(largest).players) == ["9007199254740991", "x"]


@pytest.mark.parametrize("cell", [1.5, 2.0**53, -(2.0**53), 1e300, float("inf")])
def test_other_floats_are_no_names(cell):
    """A fraction, or a float that may stand for several whole numbers."""
    with refused(BadData, "not_a_name"):
        read_games({"a": [cell], "b": ["x"], "score": [1]})


def test_cells_that_are_equal_but_of_other_types():
    """A cell is parsed once, but True is no 1: it is refused beside it, in either order."""
    for cells in ([1, True, 1.0, None, 1], [True, 1, None, 1.0, True]):
        values, wrong = Values(cells).parse(CellParser(parse_number, "number"))
        fine = [type(cell) in (int, float) for cell in cells]
        np.testing.assert_array_equal(values, np.where(fine, 1.0, np.nan))
        assert sorted(wrong) == [row for row, whole in enumerate(fine) if not whole]
