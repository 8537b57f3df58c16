"""What later chunks of a table hold counts as much as what the first one holds.

Expected answers are those of the same rows as one small table in memory.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import pytest

from prowess.games.errors import BadData
from prowess.games.formats import delimited, parquet
from prowess.games.games import Games
from prowess.games.read import read_games
from prowess.games.stream import open_stream

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("llvmlite")

ROWS = 20  # of a chunk
PLAYERS = {"a": ["Ann", "Bob", "Cid"], "b": ["Bob", "Cid", "Ann"]}


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "ROWS_A_CHUNK", ROWS)
    monkeypatch.setattr(delimited, "ROWS_AT_A_TIME", ROWS)


def make_table(**columns: list[Any]) -> dict[str, list[Any]]:
    """The columns, and players where none are given."""
    rows = len(next(iter(columns.values())))
    return {**{name: (each * rows)[:rows] for name, each in PLAYERS.items()}, **columns}


def write_table(folder: Path, kind: str, table: dict[str, list[Any]]) -> Path:
    """The table as a file."""
    path = folder / f"games.{kind}"
    if kind == "parquet":
        pq.write_table(pa.table(table), path)
    else:
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([[*table], *zip(*table.values(), strict=True)])
    return path


def list_games(*tables: Games) -> list[tuple[Any, ...]]:
    """Each game: both players, the score and the time."""
    return [
        (each.players[a], each.players[b], score, time)
        for each in tables
        for a, b, score, time in zip(
            each.a.tolist(), each.b.tolist(), each.score.tolist(),
            [None] * len(each) if each.time is None else each.time.tolist(), strict=True,
        )
    ]  # fmt: skip


def read_whole(table: dict[str, list[Any]], **options: Any) -> Any:
    """The games of a table in memory; what is said where it is refused."""
    try:
        return list_games(read_games(table, compiled=False, warn=False, **options))
    except BadData as error:
        return error.what


def read_stream(path: Path, **options: Any) -> Any:
    """The games of a stream; the error where it is refused."""
    try:
        pieces = [piece.games for piece in open_stream(path, **options).pieces()]
    except BadData as error:
        return str(error)
    return list_games(*pieces)


def refuse_stream(path: Path, **options: Any) -> None:
    """A stream refuses the file, which can only be read in memory."""
    for compiled in (True, False) if path.suffix == ".parquet" else (True,):
        for skip_bad in (False, "all"):
            found = read_stream(path, compiled=compiled, skip_bad=skip_bad, **options)
            assert isinstance(found, str), (compiled, skip_bad)
            assert "--in-memory" in found, (compiled, skip_bad)
            assert re.search(rf"{path.name}, (row|line) \d+, column", found)


LETTERS = ["SNU", "12X", "GPE", "VDN", "VDE"]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("letters", LETTERS)
def test_all_rows_of_parquet_decide_what_letters_mean(tmp_path: Path, letters: str, compiled: bool):
    """Also one that stands in a later chunk alone, by both readers."""
    table = make_table(result=[*letters[:2]] * 30 + [*letters] * 5)
    path = write_table(tmp_path, "parquet", table)
    whole = read_whole(table)
    assert len(whole) == 75
    assert {score for *_, score, _ in whole} == {1.0, 0.5, 0.0}
    assert list_games(read_games(path, compiled=compiled, warn=False)) == whole


@pytest.mark.parametrize("compiled", [True, False])
def test_all_rows_of_parquet_decide_what_empty_dates_mean(tmp_path: Path, compiled: bool):
    """A date that stands once a day holds beyond the end of a chunk."""
    days = [f"2024-01-{1 + at // 7:02}" if at % 7 == 0 else None for at in range(70)]
    table = make_table(date=days, score=[1.0, 0.5, 0.0, 1.0, 0.0] * 14)
    path = write_table(tmp_path, "parquet", table)
    whole = read_whole(table)
    assert len(whole) == 70
    assert list_games(read_games(path, compiled=compiled, warn=False)) == whole


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("letters", LETTERS)
def test_a_letter_of_a_later_chunk_is_refused(tmp_path: Path, letters: str, kind: str):
    """A stream has read the rows before it without knowing what all letters mean together."""
    table = make_table(result=[*letters[:2]] * 30 + [*letters] * 5)
    refuse_stream(write_table(tmp_path, kind, table))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(("first", "later"), [
    ("SN", ["S", "win"]),  # all rows together tell no language
    ("SN", ["S", "???"]),
    ("12", ["1", "3"]),
    ("12X", ["1", "2", "draw"]),
    ("12", ["1", "0"]),
    ("WDL", ["W", "2", "1"]),
    ("10", ["1", "2"]),
    ("10", ["2", "2"]),
    ("S", ["S", "N"]),
    ("SN", ["S", "W"]),
])  # fmt: skip
def test_later_words_change_no_decision(tmp_path: Path, first: str, later: list[str], kind: str):
    """Words that all rows together would be read otherwise with are refused, or the games are those
    of the whole table.
    """
    table = make_table(result=[*first] * 40 + later * 5)
    path = write_table(tmp_path, kind, table)
    for skip_bad in (False, "all"):
        found, whole = read_stream(path, skip_bad=skip_bad), read_whole(table, skip_bad=skip_bad)
        assert isinstance(found, str) or found == whole, skip_bad


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(("first", "later"), [
    ("SN", ["S", "", "N"]),
    ("WDL", ["W", "?!", "L"]),
    ("WDL", ["W", "U", "N"]),
    ("10", ["1", "7x"]),
    ("SUN", ["S", "U", "postponed"]),
])  # fmt: skip
def test_later_words_that_change_nothing_are_read(
    tmp_path: Path, first: str, later: list[str], kind: str
):
    """Bad cells are left out as they are of the whole table, known words are read."""
    table = make_table(result=[*first] * 20 + later * 5)
    whole = read_whole(table, skip_bad="all")
    assert len(whole) > 20 * len(first)
    path = write_table(tmp_path, kind, table)
    for compiled in (True, False):
        assert read_stream(path, skip_bad="all", compiled=compiled) == whole


NAMED = {"home": ["Home", "Ann", "Ann"], "away": ["Ann", "Away", "Bob"]}
WORDS = {  # winners by rows: names alone, other words, names that are no words
    "a draw later": (["Home", "Away", "Ann"], ["Home", "draw", "Bob"]),
    "a draw before": (["Home", "draw", "Ann"], ["Ann", "Away", "Bob"]),
    "a doubtful name later": (["Home", "Ann", "draw"], ["Ann", "Ann", "Bob"]),
    "names throughout": (["Home", "Away", "Ann"], ["Ann", "Away", "Bob"]),
    "a name later": (["Ann", "Away", "Ann"], ["Ann", "Ann", "Ann"]),
}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("case", WORDS)
def test_names_that_are_words_count_alike_in_all_chunks(
    tmp_path: Path, case: str, turned: bool, kind: str
):
    """A player called Home is a name or a side as in the whole table, or a stream refuses."""
    first, later = WORDS[case]
    sides = [*NAMED.values()][:: -1 if turned else 1]  # Home plays at home, or away
    table = {
        "home": sides[0] * 30, "away": sides[1] * 30, "winner": first * 20 + later * 10,
    }  # fmt: skip
    path = write_table(tmp_path, kind, table)
    for options in ({}, {"skip_bad": "all"}, {"winner": "winner"}):
        whole = read_whole(table, **options)
        for compiled in (True, False):
            found = read_stream(path, compiled=compiled, **options)
            if isinstance(found, str) and case != "names throughout":
                assert "--in-memory" in found or (isinstance(whole, str) and whole in found)
            elif isinstance(whole, str):
                assert whole in found
            else:
                assert found == whole


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_draw_after_names_that_are_words_is_refused(tmp_path: Path, kind: str):
    """Names that were taken for names would be doubtful beside it."""
    table = {
        "home": ["Ann", "Ann", "Bob"] * 30, "away": ["Home", "Cid", "Home"] * 30,
        "winner": ["Home", "Cid", "Bob"] * 29 + ["Home", "Cid", "draw"],
    }  # fmt: skip
    assert '"Home" is a player here' in read_whole(table)
    path = write_table(tmp_path, kind, table)
    refuse_stream(path)
    table["winner"][-1] = "Bob"
    assert len(read_whole(table)) == 90
    assert read_stream(write_table(tmp_path, kind, table), compiled=True) == read_whole(table)


def list_days(rows: int, a_day: int, every: int) -> list[str | None]:
    """A date for each row, written in every so-manyth row alone."""
    days = [f"2024-{1 + at // a_day // 28:02}-{1 + at // a_day % 28:02}" for at in range(rows)]
    return [day if at % every == 0 else None for at, day in enumerate(days)]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("days", [
    list_days(70, 7, 7),
    list_days(80, 10, 10),  # chunks begin with a date
    [*list_days(40, 5, 5), *list_days(80, 1, 1)[40:]],  # few are empty in all
    [*list_days(40, 1, 1), *list_days(100, 5, 5)[40:]],  # none at first
    [*list_days(40, 5, 5), "2024-01-08", "2024-01-08", *[None] * 10],
])  # fmt: skip
def test_dates_that_stand_once_a_day_are_refused(tmp_path: Path, days: list[str | None], kind: str):
    """Whether empty cells have the date above them is known after the last row alone."""
    table = make_table(date=days, score=[1.0, 0.5, 0.0, 1.0, 0.0] * 30)
    table = {name: cells[: len(days)] for name, cells in table.items()}
    refuse_stream(write_table(tmp_path, kind, table))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_chunk_of_one_date_leaves_out_no_row(tmp_path: Path, kind: str):
    """All rows of its day have that date; they are refused also where bad rows may be left out."""
    days = list_days(70, 35, 35)
    path = write_table(tmp_path, kind, make_table(date=days, score=[1.0, 0.0] * 35))
    assert "the date is missing" in read_stream(path, compiled=True)
    assert "--in-memory" in read_stream(path, compiled=True, skip_bad="all")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("first", ["2024-01-02", "January 2, 2024"])
def test_dates_written_otherwise_in_a_later_chunk_are_refused(
    tmp_path: Path, first: str, kind: str
):
    """Also where a date of the first chunk was bad, so that the column is decided."""
    days = [first, "?", *[first] * 38, *["13.01.2024"] * 20]
    table = make_table(date=days, score=[1.0, 0.0] * 30)
    path = write_table(tmp_path, kind, table)
    assert len(read_whole(table, skip_bad="all")) == 59
    assert "--in-memory" in read_stream(path, compiled=True, skip_bad="all")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("days", [
    list_days(18, 6, 6),  # of one chunk
    [*list_days(40, 5, 1), *[None] * 30],
    [*list_days(60, 3, 1)[:-3], None, None, "2024-01-20"],
])  # fmt: skip
def test_dates_of_one_chunk_are_filled_and_others_are_missing(
    tmp_path: Path, days: list[str | None], kind: str
):
    """Where days of the first rows hold several dates, an empty one is missing, as in memory."""
    rows = len(days)
    players = {name: (each * rows)[:rows] for name, each in PLAYERS.items()}
    table = {"date": days, **players, "score": ([1.0, 0.5, 0.0, 1.0, 0.0] * rows)[:rows]}
    path = write_table(tmp_path, kind, table)
    whole = read_whole(table, skip_bad="all")
    assert whole
    for compiled in (True, False):
        assert read_stream(path, skip_bad="all", compiled=compiled) == whole


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("later", [["1.5", "2"], ["1.012", "12.5"], ["x", "1.010"]])
def test_a_fraction_after_thousands_is_refused(tmp_path: Path, later: list[str], kind: str):
    """1.008 is no whole number beside 1.5, and 1.5 is not 15."""
    own = ["1.008", "2.001", "900"] * 20 + later * 10
    other = (["1.010", "1.001", "950"] * 40)[: len(own)]
    refuse_stream(write_table(tmp_path, kind, make_table(score_a=own, score_b=other)))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("first", ["999", ""])
def test_thousands_after_other_numbers_are_refused(tmp_path: Path, first: str, kind: str):
    """1.250 is 1250 beside whole numbers, also where the first chunk had an empty cell."""
    own = ["999", first, "900"] * 10 + ["1.250", "999"] * 10
    table = make_table(score_a=own, score_b=["950"] * len(own))
    found = read_stream(write_table(tmp_path, kind, table), compiled=True, skip_bad="all")
    assert "--in-memory" in found


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("first", ["1.008", "1.5"])
def test_points_of_later_chunks_are_those_of_the_whole_table(tmp_path: Path, first: str, kind: str):
    """Whole numbers with marks stay such, also where one is missing; so do fractions."""
    own = [first, "2.001", "900"] * 20 + ["999", "1.010", "1.250", ""] * 5
    table = make_table(score_a=own, score_b=["950"] * len(own))
    whole = read_games(table, compiled=False, warn=False, skip_bad="all")
    path = write_table(tmp_path, kind, table)
    for compiled in (True, False):
        pieces = open_stream(path, compiled=compiled, skip_bad="all").pieces()
        points = [point for piece in pieces for point in piece.games.columns["points_a"].tolist()]
        assert points == whole.columns["points_a"].tolist()
