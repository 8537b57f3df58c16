"""The compiled reader and the careful one agree: on tables, on faults, on the place of a fault."""

from __future__ import annotations

import csv
import gc
import io
from datetime import date, datetime
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings, strategies as st

from prowess.compile import kernel
from prowess.games import BadData, read, read_games, stream
from prowess.games.assembly.results import sort_times
from prowess.games.cells.fields import is_text
from prowess.games.columns import is_ascending
from prowess.games.formats import delimited, parquet
from prowess.games.formats.delimited import is_plain
from prowess.games.formats.encodings import csv_rows, find_dialect, is_utf8

pytestmark = pytest.mark.skipif(not kernel.available(), reason="no compiler")

NAMES = [
    "Ann",
    "Bob",
    "Cé",
    'D "the" E',
    "E,F",
    "G\nH",
    " I ",
    "J;K",
    "x" * 30,
    "1",
    "日本",
    "left",
    "Jo  Li",
    "jo\u00a0li",
    "Jo Li",
    "E\u0301va",
    "Éva",
    "bye",
]
ODD_NAMES = [*NAMES, "", "  ", "tie", "a", "\u00a0"]
DATES = [
    "2020-01-02", "2020-01-03 10:00:00", "2019-12-31T23:59:59.5Z", "2020.02.29", "1577836800",
    "1577836800000", "2020/1/5", "20200105", "2020-01-02 03:04", "1872-11-30",
    "2020-01-02T10:00:00+02:00", "2020-01-02T01:00:00-02:30", "2020-01-02 10:00:00.123456789",
]  # fmt: skip
ODD_DATES = [
    *DATES, "2020-02-30", "03/04/2020", "", "2020-01-02 24:00", "0000-01-01", "2020-01-02x", "1e9",
    "2020-01-02 10:00:00.", "2020-01-02T10:00:00+2:00", "2020.??.??", "12345678901",
]  # fmt: skip
NUMBERS = ["0", "1", "2.5", "10", "-3", "+4", ".5", "7.", "1e-3", "0.1", "123456789.123456789"]
ODD_NUMBERS = [*NUMBERS, "NA", "", "nan", "1e999", "1_0", "--1", "1.2.3", ".", "-", "9" * 40]
RESULTS = ["1-0", "0-1", "1/2-1/2", "½-½", "1", "0", "0.5", "win", "draw", ".25", "1e-1",
    "2-1", "0:3", "0,5",
]  # fmt: skip
CELLS = {
    "a": (NAMES, ODD_NAMES),
    "b": (NAMES, ODD_NAMES),
    "result": (RESULTS, [*RESULTS, "*", "2", "", "nan", "0-0", "1,000"]),
    "winner": ([*NAMES, "left", "b", "tie"], [*ODD_NAMES, "nobody"]),
    "score_a": (NUMBERS, ODD_NUMBERS),
    "score_b": (NUMBERS, ODD_NUMBERS),
    "date": (DATES, ODD_DATES),
    "data": ([*DATES, "x"], ODD_DATES),
    "year": (["2019", "2020"], ["2019", "2020", "", "x"]),
    "draw": (["yes", "no"], ["yes", "no", ""]),
    "round": (["1", "2", "R,3"], ["", "1"]),
    "weight": (["1", "0.5", "3e0"], ["0", "-1", "x", "1"]),
    "note": (["", "x", 'a "quoted" word', "two\nlines"], ["", "\xff"]),
    "player": (NAMES, ODD_NAMES),
    "place": (["1", "2", "3.0"], ["0", "DNF", "1"]),
    "event": (["E", "F", "G,H"], ["E", ""]),
}
HEADINGS = [
    ["a", "b", "result"], ["a", "b", "winner"], ["a", "b", "score_a", "score_b"],
    ["a", "b", "winner", "draw"],
    ["event", "player", "place"],
]  # fmt: skip


@st.composite
def tables(draw: Any) -> Any:
    """CSV with all that may stand in it, some of it bad."""
    odd = int(draw(st.booleans()))
    extra = draw(
        st.lists(st.sampled_from(["date", "round", "weight", "note", "data", "year"]), unique=True)
    )
    headings = draw(st.permutations([*draw(st.sampled_from(HEADINGS)), *extra]))
    delimiter = draw(st.sampled_from(",;\t|"))
    quotes = draw(st.booleans())

    def cell(text: str) -> str:
        if quotes or any(letter in text for letter in '"\r\n' + delimiter):
            return '"' + text.replace('"', '""') + '"'
        return text

    cells = st.tuples(*(st.sampled_from(CELLS[heading][odd]) for heading in headings))
    rows = draw(st.lists(cells, max_size=12))
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    lines = [delimiter.join(map(cell, row)) for row in [headings, *rows]]
    lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(["", lines[-1]])))
    text = end.join(lines) + draw(st.sampled_from(["", end]))
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode("utf-8")


@st.composite
def spoilt(draw: Any) -> Any:
    """A table of which a few bytes are changed, lost or added."""
    data = bytearray(draw(tables()))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        piece = draw(st.sampled_from([b"", b'"', b",", b"\n", b"\r", b"\xff", b"\0", b"x", b" "]))
        data[at : at + draw(st.integers(0, 2))] = piece
    return bytes(data)


def outcome(data: bytes, compiled: bool, skip_bad: bool, form: str | None = "csv"):
    """The table that a reader makes of these bytes, or its refusal; and what it leaves out.

    A note that names the first odd cell is not compared: a chunk of one row may not have it.
    """
    told: list[str] = []
    try:
        table = read_games(
            io.BytesIO(data), format=form, compiled=compiled, skip_bad=skip_bad,
            report=lambda fault: told.append(str(fault)), warn=False,
        )  # fmt: skip
    except BadData as fault:
        return fault, told
    return {
        "players": list(table.players),
        "notes": [note for note in table.notes if "are not used: " not in note],
        "left out": table.left_out,
        **{name: column.tolist() for name, column in table.columns.items()},
    }, sorted(told)  # what a second, careful reading finds comes last


@pytest.fixture(
    params=[(16, 1), (50, 3), (delimited.CSV_BUFFER, delimited.ROWS_AT_A_TIME)], scope="module"
)
def _chunked(request):
    """Small and large chunks, so that rows and letters are cut at every place."""
    before = delimited.CSV_BUFFER, delimited.ROWS_AT_A_TIME
    delimited.CSV_BUFFER, delimited.ROWS_AT_A_TIME = request.param
    yield
    delimited.CSV_BUFFER, delimited.ROWS_AT_A_TIME = before


def is_put_in_order(table: Any) -> bool:
    """Whether rows were turned round, which the fast reader sees only in its first lines."""
    return isinstance(table, dict) and any(
        "falls from row to row" in note for note in table["notes"]
    )


def is_of_column(fault: BadData) -> bool:
    """Whether a fault is of dates that differ, which the fast reader sees after other faults."""
    return any(
        what in str(fault) for what in ("is written otherwise", "is not a date as", "may be")
    )


def is_of_rows(data: bytes) -> bool:
    """Whether a file is headings and rows; where it is not, the careful reader looks for them."""
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    try:
        rows = [row for row in csv_rows(text, find_dialect(text, None).delimiter) if row]
    except csv.Error:
        return False
    return is_plain(rows)


@pytest.mark.usefixtures("_chunked")
@given(data=tables(), skip_bad=st.sampled_from([False, True, "all"]))
@settings(max_examples=40)
def test_readers_agree(data, skip_bad):
    """Of a well-formed file both readers make the same table, or refuse the same cell in the same
    words, and leave out the same rows.
    """
    assume(is_of_rows(data) and is_utf8(data))
    careful, fast = outcome(data, False, skip_bad), outcome(data, True, skip_bad)
    assume(not is_put_in_order(careful[0]))
    assume("names a player here" not in str(fast[0]))  # of the rows of the first chunk
    assert isinstance(careful[0], BadData) is isinstance(fast[0], BadData)
    if isinstance(careful[0], BadData):
        assert str(careful[0]) == str(fast[0]) or is_of_column(careful[0])
    else:
        assert careful == fast


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_the_last_row_of_a_short_file_tells_what_columns_hold(end, last):
    """Its places, none of which is a number, are not taken for places, whatever ends the lines."""
    data = (end.join(["event,player,place", "E,Ann,DNF"]) + end * last).encode()
    careful, fast = outcome(data, False, False)[0], outcome(data, True, False)[0]
    assert isinstance(careful, BadData)
    assert str(careful) == str(fast)


@pytest.mark.usefixtures("_chunked")
@given(data=spoilt(), skip_bad=st.booleans())
@settings(max_examples=40)
def test_readers_agree_on_spoilt_files(data, skip_bad):
    """Of a spoilt file both readers make the same table, or both refuse it."""
    assume(is_of_rows(data) and is_utf8(data))
    careful, fast = outcome(data, False, skip_bad), outcome(data, True, skip_bad)
    assume(not is_put_in_order(careful[0]))
    assume("names a player here" not in str(fast[0]))
    assert isinstance(careful[0], BadData) is isinstance(fast[0], BadData)
    if not isinstance(careful[0], BadData):
        assert careful == fast


PARQUET = {
    "texts": ["1", "1-0", "", " 0 ", "2020-01-01", "x", None, "1577836800"],
    "whole": [0, 1, 2, -1, 20200101, 1577836800, 1577836800000, None],
    "floats": [0.0, 0.5, 1.0, float("nan"), float("inf"), 1577836800.5, None],
    "truths": [True, False, None],
    "dates": [date(2020, 1, 1), date(1900, 1, 1), None],
    "moments": [datetime(2020, 1, 1, 3, 4, 5, 678), None],  # noqa: DTZ001 - nor has the file
    "names": ["Ann", "Bob ", "Cé", "left"],
}
GOOD = {"a": ["Ann", "Cé"], "b": ["Bob", "Di "], "winner": ["Ann", "Bob", "tie"], "score": [0, 1]}


@given(data=st.data(), skip_bad=st.booleans())
@settings(max_examples=40)
def test_readers_agree_on_parquet(data, skip_bad):
    """Of a Parquet file with columns of any type both readers make, or refuse, the same."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = data.draw(st.integers(1, 5))
    columns = {}
    for heading in ["a", "b", data.draw(st.sampled_from(["score", "winner"])), "date", "weight"]:
        kinds = [GOOD[heading]] if heading in GOOD and data.draw(st.integers(0, 3)) else []
        values = data.draw(st.sampled_from(kinds or list(PARQUET.values())))
        columns[heading] = data.draw(
            st.lists(st.sampled_from(values), min_size=rows, max_size=rows)
        )
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    careful = outcome(file.getvalue(), False, skip_bad, None)
    fast = outcome(file.getvalue(), True, skip_bad, None)
    assert (str(careful[0]), careful[1]) == (str(fast[0]), fast[1])


def test_large_files_are_compiled(tmp_path, monkeypatch):
    """Above a size the compiled reader is chosen, without a compiler the careful one; both read
    millions of bytes to the same table.
    """
    path = tmp_path / "results.csv"
    days = ["2020-01-02", "2020-01-01", "2021-05-05"]
    path.write_text("date,a,b,score\n" + "".join(
        f"{days[n % 3]},player {n * 7919 % 100_003},other {n % 1009},{n % 3 / 2}\n"
        for n in range(300_000)
    ))  # fmt: skip
    used = []
    scan = delimited.scan_csv_table

    def noted(*given: Any) -> Any:
        used.append(given[0])
        return scan(*given)

    monkeypatch.setattr("prowess.games.formats.delimited.scan_csv_table", noted)
    fast = read_games(path)
    assert used
    monkeypatch.setattr(kernel, "available", lambda: False)
    careful = read_games(path)
    assert len(used) == 1
    assert fast.players == careful.players
    for name in ("a", "b", "score", "time"):
        assert np.array_equal(getattr(fast, name), getattr(careful, name))
        assert getattr(fast, name).dtype == getattr(careful, name).dtype


@given(
    st.lists(st.integers(0, 10**6), max_size=50),
    st.sampled_from([1.0, 1 / 86_400, 1e-9, 1e6]),
    st.floats(-1e5, 1e5),
)
def test_order_of_times(values, unit, start):
    """Rows are put in order of time, and rows of equal time stay as they stand."""
    time = np.array([start + value * unit for value in [0, *values]])
    order = sort_times(time)
    assert order.tolist() == np.argsort(time, kind="stable").tolist()
    assert is_ascending(time[order])


@given(st.lists(st.floats(-1e3, 1e3), max_size=20))
def test_ascending(values):
    """A column is ascending if no value is followed by a smaller one."""
    column = np.array(values)
    assert is_ascending(column) is (sorted(values) == values)


MOMENTS = ["00:00:00", "23:59:59", "10:00:00.5", "10:00:00.123456789Z", "01:02:03z", "T4:05:06",
    "24:00:00", "10:60:00", "10:00:60", "10:00", "10:00:00.", "10:00:00.1234567890", "10-00:00",
    "1a:00:00", "10:00:00+01:00", "10:00:00Zx", "10:00:0", "\u00e90:00:00",
]  # fmt: skip


@pytest.mark.parametrize("moment", MOMENTS)
def test_moments_of_one_day(moment):
    """A moment of the same day as the row before it, read in another way, is the same."""
    data = f"a,b,score,date\nAnn,Bob,1,2020-02-29\nBob,Cid,0,2020-02-29 {moment}\n".encode()
    careful, fast = outcome(data, False, False), outcome(data, True, False)
    assert str(careful) == str(fast)


LETTERS = [b"a", b"abcdefgh", "\u00e9".encode(), "\u65e5".encode(), "\U0001f600".encode(), b"\xff",
    b"\x80", b"\xc1\x80", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xf0\x8f\xbf\xbf",
    b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xf4\x8f\xbf\xbf", b"\xed\x9f\xbf",
    b"\xe0\xa0\x80", b"\xf0\x90\x80\x80", b"\xdf\xbf", b"\xe6\x97a",
]  # fmt: skip


@given(st.lists(st.sampled_from(LETTERS), max_size=8), st.integers(0, 3), st.booleans())
@example([b"\xf5\x80\x80\x80"], 0, True)
@example([b"\xed\xa0\x80"], 0, True)
@example([b"\xf4\x90\x80\x80"], 0, True)
@example([b"\xe0\x9f\xbf"], 0, True)
@example([b"\xf0\x8f\xbf\xbf"], 0, True)
@example([b"\xc1\x80"], 0, True)
@example([b"\xe0\xa0\x80", b"\xf0\x90\x80\x80"], 0, True)
@example([b"abcdefgh", "\u65e5".encode()], 1, False)
def test_text_is_checked_as_python_decodes_it(letters, lost, final):
    """Bytes are UTF-8 where Python decodes them, and a letter that is cut off may yet be one."""
    content = b"".join(letters)
    content = content[: max(0, len(content) - lost)]
    expected = True
    try:
        content.decode()
    except UnicodeDecodeError as error:
        expected = not final and error.reason == "unexpected end of data"
    assert is_text(np.frombuffer(content, np.uint8), final) == expected


QUOTED = ['"Ann","Bob",1', '"Ann",Bob,"1"', '" Ann","Bob\t",1 ', '"A,n","B""b",1', '"A\nn",Bob,1',
    'A"n,Bob,1', 'A"n,x",1', '"Ann"x,Bob,1', '"Ann" ,Bob,1',
    '"",Bob,1', '""Ann",Bob,1', '"Ann","Bob,1',
    'Ann,"Bob",""', '"Ann""",Bob,1', '\u00c9va,"Bob",1', '"Ann","Bob","1"x',
]  # fmt: skip


@pytest.mark.parametrize("row", QUOTED)
@pytest.mark.parametrize("before", [22, 29, 33])
def test_quotes_at_every_place(row, before):
    """Cells with quotes are found at all places of the blocks that are searched at once."""
    data = "a,b,result\n" + '"Di","Ed",0\n' * 2 + f"{'x' * before},Ed,0\n" + row + "\nAnn,Bob,1\n"
    for end in ("\n", "\r\n"):
        given = data.replace("\n", end).encode()
        careful, fast = outcome(given, False, True), outcome(given, True, True)
        assert str(careful) == str(fast)


def test_lines_within_quotes_are_counted():
    """The line of a row is told after a cell that holds a line end."""
    data = "a,b,result\n" + "Ann,Bob,1\n" * 8000 + '"C\nd",Bob,1\nAnn,Bob\n'
    with pytest.raises(BadData) as found:
        read_games(io.BytesIO(data.encode()), format="csv", compiled=True)
    assert found.value.line == 8004


def test_a_table_that_was_read_holds_no_buffer(tmp_path):
    """The bytes of a file are given up with its last row, not when garbage is looked for."""
    path = tmp_path / "games.csv"
    path.write_text("a,b,result\n" + "Ann,Bob,1\n" * 100)
    gc.collect()
    gc.disable()
    try:
        read_games(path, compiled=True)
        held = [each for each in gc.get_objects() if type(each).__module__ == delimited.__name__]
    finally:
        gc.enable()
    assert not held


def test_a_last_chunk_that_is_full(monkeypatch):
    """The row that ends with the file, without a line end, may be the last that a chunk holds."""
    monkeypatch.setattr(delimited, "ROWS_AT_A_TIME", 2)
    data = b"a,b,result\nAnn,Bob,1\nBob,Cid,0\nCid,Ann,1\nAnn,Cid,1"
    assert read_games(io.BytesIO(data), format="csv", compiled=True).score.tolist() == [1, 0, 1, 1]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_many_short_files_are_a_long_table(tmp_path, monkeypatch, suffix):
    """Files that are long together are read by compiled code, and give the same table."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for at in range(3):
        columns = {"a": ["Ann", f"P{at}"], "b": ["Bob", "Cid"], "result": ["1-0", "0-1"]}
        if suffix == "parquet":
            pq.write_table(pa.table(columns), tmp_path / f"{at}.parquet")
        else:
            rows = zip(*columns.values(), strict=True)
            text = "\n".join([",".join(columns), *map(",".join, rows)]) + "\n"
            (tmp_path / f"{at}.csv").write_text(text)
    whole = read_games(tmp_path, warn=False)
    module, name = (parquet, "arrow_chunks") if suffix == "parquet" else (delimited, "_Scan")
    used: list[object] = []
    build = getattr(module, name)

    def note_use(*given):
        used.append(given)
        return build(*given)

    monkeypatch.setattr(module, name, note_use)
    monkeypatch.setattr(read, "MANY", 4)  # rows of the first two files
    found = read_games(tmp_path, warn=False)
    assert used
    assert list(found.players) == list(whole.players) == ["Ann", "Bob", "P0", "Cid", "P1", "P2"]
    assert found.score.tolist() == whole.score.tolist() == [1, 0] * 3
    used.clear()
    monkeypatch.setattr(stream, "FAST_FROM_BYTES", 100)  # bytes of two files
    assert [*chain(*(each.games.score for each in stream.open_stream(tmp_path).pieces()))] == [
        1,
        0,
    ] * 3
    assert used
