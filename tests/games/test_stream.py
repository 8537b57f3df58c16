"""A stream of games gives what `read_games` gives, piece by piece, or refuses."""

from __future__ import annotations

import bz2
import subprocess
import sys
import threading
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prowess.games import stream
from prowess.games.cells.arrow_columns import IntegerNames
from prowess.games.columns import Growing
from prowess.games.errors import BadData
from prowess.games.formats import delimited, parquet, stream_files
from prowess.games.formats.stream_files import name_first_place
from prowess.games.games import Games
from prowess.games.read import read_games
from prowess.games.stream import GameStream, open_stream
from tests.refusals import refused

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ROWS = 300
DAY = 86_400_000


def write_files(folder: Path, files: int = 3, *, groups: int = 40, **columns: Any) -> list[str]:
    """Parquet files of games in order of time; `columns` stand in place of theirs."""
    rng = np.random.default_rng(1)
    names = np.array([f"player {at}" for at in range(40)] + ["Éva", "Ōe", "  x  y"])
    a = rng.integers(0, len(names), ROWS)
    b = (a + rng.integers(1, len(names), ROWS)) % len(names)
    table = {
        "a": names[a], "b": names[b], "score": rng.choice([0.0, 0.5, 1.0], ROWS),
        "date": pa.array(np.sort(rng.integers(0, 900, ROWS)) * DAY // 7, pa.timestamp("ms")),
    } | columns  # fmt: skip
    whole = pa.table(table)
    cuts = np.linspace(0, ROWS, files + 1).astype(int).tolist()
    paths = [str(folder / f"games-{at}.parquet") for at in range(files)]
    for path, (low, high) in zip(paths, pairwise(cuts), strict=True):
        pq.write_table(whole.slice(low, high - low), path, row_group_size=groups)
    return paths


def sort_files(source: Any, folder: Path, **options: Any) -> list[Path]:
    """Files sorted in a gigabyte of memory."""
    return stream_files.sort_files(source, folder, memory=1 << 30, **options)


def read_pieces(stream: GameStream) -> tuple[dict[str, bytes], list[str]]:
    """The columns of all pieces, joined, and the names of the players."""
    pieces = [piece.games for piece in stream.pieces()]
    return join_columns(pieces), list(stream.roster())


def join_columns(tables: list[Games]) -> dict[str, bytes]:
    """The columns and facts of tables, one after the other, as bytes."""
    found = {name: [each.columns[name] for each in tables] for name in tables[0].columns}
    found |= {name: [each.facts[name] for each in tables] for name in tables[0].facts}
    return {name: np.concatenate(parts).tobytes() for name, parts in found.items()}


def check_equal(paths: list[str], **options: Any) -> None:
    """The stream of files is what `read_games` reads of them."""
    whole = read_games(paths, warn=False, **{k: v for k, v in options.items() if k not in OWN})
    columns, names = read_pieces(open_stream(paths, **options))
    assert columns == join_columns([whole])
    assert names == list(whole.players)


OWN = {"rows_a_piece", "decoders"}


@pytest.mark.parametrize(("rows", "decoders"), [(1, 1), (7, 2), (1000, 5)])
def test_a_stream_is_the_table(tmp_path: Path, rows: int, decoders: int):
    """Any pieces, any number of threads: the bits of `read_games`, also for odd spellings."""
    check_equal(write_files(tmp_path), rows_a_piece=rows, decoders=decoders)


@pytest.mark.parametrize("compiled", [False, None])
def test_both_readers_stream(tmp_path: Path, compiled: bool | None):
    """The slow reader and the compiled one give the same."""
    check_equal(write_files(tmp_path), compiled=compiled, rows_a_piece=50)


def test_pieces_know_the_players_so_far(tmp_path: Path):
    """The roster of a piece is as long as the numbers in it need, and gives names."""
    known = 0
    stream = open_stream(write_files(tmp_path), rows_a_piece=10)
    end = None
    for games, end in stream.pieces():  # noqa: B007
        assert len(games.players) > max(games.a.max(), games.b.max())
        assert len(games.players) >= known
        known = len(games.players)
        assert games.players[int(games.a[0])]
    assert end == (2, ROWS // 3)


def test_files_come_in_order_of_time(tmp_path: Path):
    """Their metadata tell the order, whatever they are called."""
    paths = write_files(tmp_path)
    Path(paths[0]).rename(tmp_path / "z.parquet")
    stream = open_stream(tmp_path)
    assert [Path(file.path).name for file in stream.files] == [
        "z.parquet", "games-1.parquet", "games-2.parquet",
    ]  # fmt: skip
    assert stream.rows == ROWS
    assert len([*stream.pieces()]) == 3


def test_files_without_rows_hide_no_order(tmp_path: Path):
    """The times of the others tell it, though such a file has none."""
    paths = write_files(tmp_path)
    Path(paths[0]).rename(tmp_path / "z.parquet")
    pq.write_table(pq.read_table(paths[1]).slice(0, 0), tmp_path / "empty.parquet")
    stream = open_stream(tmp_path)
    assert sum(len(piece.games) for piece in stream.pieces()) == ROWS
    assert Path(stream.files[0].path).name == "z.parquet"


def test_columns_of_several_fields_stand_before_the_dates(tmp_path: Path):
    """Their fields are columns of the file, and are not taken for the dates."""
    clock = pa.array([{"left": ROWS - at, "used": at} for at in range(ROWS)])
    table = pq.read_table(write_files(tmp_path, 1)[0])
    paths = [str(tmp_path / f"{name}.parquet") for name in "ba"]
    pq.write_table(table.add_column(0, "clock", clock).slice(0, 100), paths[0])
    pq.write_table(table.add_column(0, "clock", clock).slice(100), paths[1])
    (tmp_path / "games-0.parquet").unlink()
    assert [file.path for file in open_stream(tmp_path).files] == paths


def test_files_that_share_a_day_out_of_order_are_named(tmp_path: Path):
    """A stream cannot mix their games as a table in memory does, and says so."""
    paths = write_files(tmp_path, 1)
    table = pq.read_table(paths[0])
    first = pa.array([0] * ROWS, pa.timestamp("ms"))
    pq.write_table(table.set_column(3, "date", first), tmp_path / "z.parquet")
    dates = pa.concat_arrays([first[:1], table["date"].combine_chunks()[1:]])
    pq.write_table(table.set_column(3, "date", dates), paths[0])
    stream = open_stream(tmp_path)
    list(stream.pieces())
    z = tmp_path / "z.parquet"
    assert stream.notes[0] == (
        f"{z} and {paths[0]} both have games of 1970-01-01: those of {z} are rated first, and with "
        f"--sort or --in-memory those of {paths[0]}"
    )
    Path(paths[0]).rename(tmp_path / "zz.parquet")  # now the names ascend
    stream = open_stream(tmp_path)
    list(stream.pieces())
    assert not any("both have games" in note for note in stream.notes)


def test_files_that_overlap_are_refused(tmp_path: Path):
    """Both are named, and how to sort them."""
    paths = write_files(tmp_path)
    table = pq.read_table(paths[1])
    early = pa.array([0] * len(table), pa.timestamp("ms"))
    late = pa.concat_arrays([early[:-1], pa.array([DAY * 400], pa.timestamp("ms"))])
    pq.write_table(table.set_column(3, "date", late), paths[1])
    with refused(BadData, "files_out_of_order", about=("--sort", "games-")):
        open_stream(paths)


def test_a_game_out_of_order_is_refused(tmp_path: Path):
    """With its row, both times and the remedy."""
    path = tmp_path / "games.csv"
    path.write_text("a,b,score,date\nA,B,1,2024-01-02\nB,C,1,2024-01-03\nC,A,0,2024-01-01\n")
    with pytest.raises(BadData) as caught:
        list(open_stream(path).pieces())
    assert str(caught.value) == (
        "sort the files first with sort=True (--sort): this game is of 2024-01-01, and the one "
        f"before it of 2024-01-03 ({path}, line 4)"
    )


def test_contradictions_are_refused(tmp_path: Path):
    """What the first rows say of a column holds for all."""
    first = ["1"] * (ROWS - 1)
    paths = write_files(tmp_path, elo=pa.array([*first, "strong"]))
    with refused(BadData, "rows_change_reading", about=("read_games", "elo", "games-2.parquet")):
        list(open_stream(paths, facts="elo").pieces())


def test_options_that_need_all_rows_are_refused(tmp_path: Path):
    """Members by role are numbered after all players, which a stream does not know."""
    with refused(BadData, "needs_whole_table", about="per="):
        open_stream(write_files(tmp_path), per="score")


def test_files_that_change_are_refused(tmp_path: Path):
    """A file that grows while it is read would be read in part."""
    stream = open_stream(write_files(tmp_path), rows_a_piece=10)
    pieces = stream.pieces()
    next(pieces)
    with Path(stream.files[2].path).open("ab") as file:
        file.write(b" ")
    with refused(BadData, "file_changed", about="games-2.parquet"):
        list(pieces)


def test_empty_files_are_left_out(tmp_path: Path):
    """They are said; a source without any other is refused."""
    paths = write_files(tmp_path)
    (tmp_path / "empty.parquet").touch()
    stream = open_stream(tmp_path)
    assert len(stream.files) == 3
    assert sum(len(piece.games) for piece in stream.pieces()) == ROWS
    assert any("empty.parquet is empty" in note for note in stream.notes)
    with refused(BadData, "nothing_to_read"):
        open_stream([tmp_path / "empty.parquet"])
    assert paths


@pytest.mark.parametrize("spread", [1, 10**6, 10**12])
@pytest.mark.parametrize("compiled", [True, False])
def test_whole_numbers_are_names(tmp_path: Path, spread: int, compiled: bool):
    """Integers stay integers, small or large: the numbers and names of the same ids as texts."""
    rng = np.random.default_rng(2)
    a = rng.integers(0, 50, ROWS)
    b = (a + rng.integers(1, 50, ROWS)) % 50
    ids = {"a": a * spread - (spread > 1), "b": b * spread - (spread > 1)}
    whole, text = (
        write_files(folder, **{name: kind(values) for name, values in ids.items()})
        for folder, kind in ((make(tmp_path, "whole"), pa.array), (make(tmp_path, "text"), as_text))
    )
    check_equal(whole, compiled=compiled, rows_a_piece=50)
    stream = open_stream(whole, compiled=compiled)
    assert read_pieces(stream) == read_pieces(open_stream(text, compiled=compiled))


def make(folder: Path, name: str) -> Path:
    """A folder of this name."""
    (folder / name).mkdir(parents=True)
    return folder / name


def as_text(values: Any) -> list[str]:
    """Whole numbers as texts."""
    return list(map(str, values.tolist()))


@pytest.mark.parametrize("kind", ["date32", "date64", "s", "ms", "us", "ns"])
def test_moments_of_all_units(tmp_path: Path, kind: str):
    """The days of moments, before 1970 too, are those of exact fractions."""
    step = {"date32": 1, "date64": 86_400_000, "s": 7_001, "ms": 7_000_001, "us": 7_000_000_001,
            "ns": 7_000_000_000_001}[kind]  # fmt: skip
    count = np.arange(-ROWS // 2, ROWS // 2, dtype=np.int64) * step
    a_day = {"date32": 1, "s": 86_400, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}.get(kind, DAY)
    types = {"date32": pa.date32(), "date64": pa.date64()}
    held = count.astype(np.int32) if kind == "date32" else count
    column = pa.array(held).view(types.get(kind) or pa.timestamp(kind))
    paths = write_files(tmp_path, date=column)
    found = np.concatenate([piece.games.time for piece in open_stream(paths).pieces()])
    exact = [float(Fraction(each // a_day)) + (each % a_day) / a_day for each in count.tolist()]
    assert found.tolist() == exact
    check_equal(paths)


def test_a_row_that_is_left_out_leaves_no_player(tmp_path: Path):
    """Players of bad rows and byes get no number, as in `read_games`."""
    rng = np.random.default_rng(3)
    names = [f"P{at}" for at in range(200)]
    a = [names[at] for at in np.sort(rng.integers(0, 150, ROWS))]
    b = [names[at] for at in np.sort(rng.integers(150, 200, ROWS))]
    score = rng.choice([0.0, 1.0], ROWS)
    for row in (140, 150, 220):
        b[row], a[row + 1], score[row + 2] = a[row], "bye", 7.0
        a[row] = b[row] = f"only here {row}"
    paths = write_files(tmp_path, a=a, b=b, score=score, groups=20)
    check_equal(paths, skip_bad="all", rows_a_piece=9)


@pytest.mark.parametrize("kind", ["plain", "bad rows", "whole numbers", "facts", "slow"])
def test_a_stream_is_resumed_at_any_piece(tmp_path: Path, kind: str):
    """Its arrays and a position: the rest of the games, with the same numbers and names."""
    rng = np.random.default_rng(4)
    columns: dict[str, Any] = {}
    options: dict[str, Any] = {"rows_a_piece": 30, "decoders": 1}
    if kind == "whole numbers":
        columns = {"a": np.arange(ROWS) % 70 + 10**9, "b": np.arange(ROWS) % 31}
    if kind == "facts":
        columns = {"map": [f"m{at // 5}" for at in range(ROWS)], "round": np.arange(ROWS) // 9}
        options |= {"context": "map", "round": ("round", "map")}
    if kind == "bad rows":
        columns = {"a": [f"p{at % 90}" if at % 77 else "bye" for at in range(ROWS)],
                   "b": [f"q{at % 50}" if at % 31 else "" for at in range(ROWS)],
                   "score": rng.choice([0.0, 1.0], ROWS)}  # fmt: skip
        options["skip_bad"] = "all"
    if kind == "slow":
        options["compiled"] = False
    paths = write_files(tmp_path, groups=25, **columns)
    whole = list(open_stream(paths, **options).pieces())
    stream = open_stream(paths, **options)
    saved = [(piece.end, stream.arrays()) for piece in stream.pieces()]
    assert len(saved) == len(whole) > 10
    for at in range(0, len(saved), 4):
        end, arrays = saved[at]
        resumed = open_stream(paths, **options)
        resumed.restore(arrays)
        rest = list(resumed.pieces(end))
        assert [piece.end for piece in rest][-1:] == [whole[-1].end] * (at < len(whole) - 1)
        if rest:
            assert join_columns([piece.games for piece in rest]) == join_columns(
                [piece.games for piece in whole[at + 1 :]]
            )
        assert list(resumed.roster()) == list(stream.roster())
        assert resumed.reading.games == stream.reading.games
        assert resumed.reading.left_out == stream.reading.left_out


@pytest.mark.parametrize("compiled", [False, None])
def test_a_game_before_the_last_one_of_a_resumed_stream_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: bool | None
):
    """Also where the last one ends a row group, which is not among those that are left to read."""
    monkeypatch.setattr(parquet, "ROWS_A_CHUNK", 40)
    days = np.concatenate([np.arange(100, 140), np.arange(120, 120 + ROWS - 40)])
    date = pa.array(days * DAY, pa.timestamp("ms"))
    paths = write_files(tmp_path, 1, date=date)
    stream = open_stream(paths, rows_a_piece=40, decoders=1, compiled=compiled)
    pieces = stream.pieces()
    end, arrays = next(pieces).end, stream.arrays()
    assert end == (0, 40)
    with refused(BadData, "games_out_of_order", about="1970-05-01", row=41) as caught:
        next(pieces)
    resumed = open_stream(paths, rows_a_piece=40, decoders=1, compiled=compiled)
    resumed.restore(arrays)
    with pytest.raises(BadData) as again:
        next(resumed.pieces(end))
    assert str(again.value) == str(caught.value)


def check_sorted(paths: list[str], folder: Path, **options: Any) -> None:
    """Sorted files are what `read_games` makes of them, rows of one time as they stand."""
    whole = read_games(paths, warn=False, **options)
    columns, names = read_pieces(open_stream(sort_files(paths, folder, **options), **options))
    order = list(dict.fromkeys(whole.player.tolist()))  # who comes first in time
    number = np.empty(len(order), np.uint32)
    number[order] = np.arange(len(order), dtype=np.uint32)
    assert columns == join_columns([whole.replace(a=number[whole.a], b=number[whole.b])])
    assert names == [whole.players[at] for at in order]


@pytest.mark.parametrize("unit", ["ns", "us", "date"])
def test_sorted_files_are_the_table(tmp_path: Path, unit: str):
    """Shuffled rows, many of one time, in files whose order is not that of their names."""
    pytest.importorskip("duckdb")
    rng = np.random.default_rng(5)
    if unit == "date":
        time = pa.array(rng.integers(-9, 9, ROWS), pa.int32()).view(pa.date32())
    else:  # nanoseconds that are one moment as floats of days
        scale = 1 if unit == "ns" else 10**6
        time = pa.array(1_700_000_000_000_000_000 // (1000 if unit == "us" else 1)
                        + rng.integers(0, 1000, ROWS) * scale, pa.timestamp(unit))  # fmt: skip
    check_sorted(write_files(tmp_path, date=time)[::-1], tmp_path / "sorted")


def test_sorted_texts_are_the_table(tmp_path: Path):
    """CSV with dates as ISO has them; texts whose order is not that of their times are refused."""
    pytest.importorskip("duckdb")
    rows = ['"Ann, A.",Bob,1,2024-01-03', "Bob,Cid,0,2024-01-01", "Cid,Dee,1/2,2024-01-03"]
    path = tmp_path / "games.csv"
    path.write_text("a,b,score,date\n" + "\n".join([*rows * 30, ""]))
    check_sorted([str(path)], tmp_path / "sorted")
    path.write_text(path.read_text().replace("2024-01-03", "3.1.2024"))
    with refused(BadData, "unsortable_times", about="2024-06-30"):
        sort_files([str(path)], tmp_path / "not sorted")
    path.write_text("a,b,score\nA,B,1\n")
    with refused(BadData, "no_time_to_sort", about="--time"):
        sort_files([str(path)], tmp_path / "not sorted")


@pytest.mark.parametrize(
    "times",
    [
        ("2020-01-01T10:00", "2020-01-01 12:00", "2020-01-01 09:00", "2020-01-01T09:00"),
        ("2020-01-01T10:00:00.125", "2020-01-01T10:00:00.12Z", "2020-01-01 10:00"),
        ("2020-01-02", "2020-01-01 12:00", "2020-01-01", "2020-01-02 00:00:00"),
    ],
)
def test_texts_of_several_forms_are_sorted_by_their_times(tmp_path: Path, times: tuple[str, ...]):
    """A blank or a T, a Z, fractions of other lengths; rows of one moment as they stand."""
    pytest.importorskip("duckdb")
    path = tmp_path / "games.csv"
    rows = [f"P{at % 7},Q{at % 5},1,{times[at % len(times)]}" for at in range(30)]
    path.write_text("\n".join(["a,b,score,date", *rows, ""]))
    check_sorted([str(path)], tmp_path / "sorted")


@pytest.mark.parametrize(
    ("dates", "remedy"),
    [
        ("2020-05-13 2020-05-15 2020-05-14 2020-05-16", "--sort"),
        ("20200513 20200515 20200514 20200516", "--in-memory"),
        ("13/05/2020 15/05/2020 14/05/2020 16/05/2020", "--in-memory"),
    ],
)
@pytest.mark.parametrize("files", [1, 2])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_games_out_of_order_are_sent_where_they_are_read(
    tmp_path: Path, dates: str, remedy: str, files: int, suffix: str
):
    """To sorting where it takes such texts, else to memory, which takes them all."""
    pytest.importorskip("duckdb")
    table = pa.table({
        "a": ["Ann"] * 4, "b": ["Bob"] * 4, "score": [1.0] * 4, "date": dates.split(),
    })  # fmt: skip
    paths = [str(tmp_path / f"{at}.{suffix}") for at in range(files)]
    for at, path in enumerate(paths):
        part = table.slice(4 // files * at, 4 // files)
        if suffix == "csv":
            part.to_pandas().to_csv(path, index=False)
        else:
            pq.write_table(part, path)
    by_span = files == 2 and suffix == "parquet" and "/" not in dates  # which the file tells
    code = "files_out_of_order" if by_span else "games_out_of_order"
    with refused(BadData, code, about=(remedy, "2020-05-14", "2020-05-15")):
        list(open_stream(paths).pieces())
    assert len(read_games(paths)) == 4
    if remedy == "--sort":
        check_sorted(paths, tmp_path / "sorted")
    else:
        with refused(BadData, "unsortable_times", about="--in-memory"):
            sort_files(paths, tmp_path / "sorted")


def test_sorting_that_leaves_rows_out_of_order_sends_to_memory(tmp_path: Path):
    """Dates that the caller reads otherwise than their texts say: sorting again would not help."""
    pytest.importorskip("duckdb")
    path = tmp_path / "games.csv"
    path.write_text("a,b,score,date\nA,B,1,2020-01-02\nB,C,1,2020-02-01\n")
    made = sort_files([str(path)], tmp_path / "sorted", date_format="%Y-%d-%m")
    held = refused(BadData, "games_out_of_order", about="memory")
    with held as caught, name_first_place([str(path)], made):
        list(open_stream(made, date_format="%Y-%d-%m").pieces())
    assert caught.value.file == str(path)


def test_a_bad_row_of_sorted_files_is_named_where_it_stood(tmp_path: Path):
    """By its own file and row, not by those of the file that sorting made."""
    pytest.importorskip("duckdb")
    rows = [[f"A{at},B,1,2024-01-{28 - at:02}\n" for at in range(9)] for _ in range(2)]
    rows[1][4] = "A4,B,7,2024-01-30\n"
    paths = [tmp_path / f"{name}.csv" for name in "pq"]
    for path, lines in zip(paths, rows, strict=True):
        path.write_text("".join(["a,b,score,date\n", *lines]))
    made = sort_files(paths, tmp_path / "sorted")
    with refused(BadData, "score_out_of_range", about="7") as caught, name_first_place(paths, made):
        list(open_stream(made).pieces())
    assert (caught.value.file, caught.value.row) == (str(paths[1]), 5)


@pytest.mark.parametrize("kind", ["weight", "case", "encoding", "packed", "quotes"])
def test_sorting_reads_text_as_the_stream_does_or_refuses(tmp_path: Path, kind: str):
    """Columns of later files, headings, encodings and quotes that DuckDB would read otherwise."""
    pytest.importorskip("duckdb")
    rows = "Ann,'Bob,1,2024-01-03\n#Cid,Bob',0,2024-01-02\n"
    paths = [tmp_path / f"{name}.csv" for name in "pq"]
    paths[0].write_text(f"a,b,score,date\n{rows}")
    paths[1].write_text("a,b,score,date\n")
    code = ""
    if kind == "weight":
        paths[1].write_text("a,b,score,date,weight\nAnn,Bob,1,2024-01-05,5\n")
        code = "other_columns"
    elif kind == "case":
        paths[0].write_text("A,a,b,score,date\nx1,Ann,Bob,1,2024-01-05\n")
        code = "column_of_other_name"
    elif kind == "encoding":
        paths[0].write_bytes("a,b,score,date\nÖrs,Bob,1,2024-01-05\n".encode("latin-1"))
        code = "sorting_fails"
    elif kind == "packed":
        paths[0] = tmp_path / "p.csv.bz2"
        paths[0].write_bytes(bz2.compress(b"a,b,score,date\nAnn,Bob,1,2024-01-05\n"))
        code = "not_sortable_packing"
    if code:
        with refused(BadData, code):
            sort_files(paths, tmp_path / "sorted")
    else:
        check_sorted(list(map(str, paths)), tmp_path / "sorted")


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ('IO Error: Could not write file "TEMP/x.tmp": No space left on device', "temp="),
        ("Out of Memory Error: failed to offload data block (max_temp_directory_size)", "temp="),
        (
            'IO Error: could not write file "RUN/sorted.part/games.parquet": No space left',
            "resume=",
        ),
        ("Out of Memory Error: failed to pin block of size 256.0 KiB", "memory="),
        ("Conversion Error: what is this", "correct the file"),
    ],
)
def test_what_stops_a_sorting_names_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, remedy: str
):
    """A full disk of either folder, too little memory, anything else."""
    duckdb = pytest.importorskip("duckdb")
    temp, run = make(tmp_path, "temp"), make(tmp_path, "run") / "sorted.part"
    said = said.replace("TEMP", str(temp)).replace("RUN/sorted.part", str(run))

    def fail(**options: Any) -> Any:
        raise duckdb.Error(said)

    monkeypatch.setattr(duckdb, "connect", fail)
    path = tmp_path / "games.csv"
    path.write_text("a,b,score,date\nA,B,1,2024-01-02\n")
    with pytest.raises(BadData) as caught:
        sort_files([path], run, temp=str(temp))
    assert remedy in str(caught.value.remedy)
    assert (str(temp) in caught.value.what) == (remedy == "temp=")


def test_an_interrupted_sorting_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """DuckDB says RuntimeError where Ctrl-C was pressed."""
    duckdb = pytest.importorskip("duckdb")

    def interrupt(**options: Any) -> Any:
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr(duckdb, "connect", interrupt)
    path = tmp_path / "games.csv"
    path.write_text("a,b,score,date\nA,B,1,2024-01-02\n")
    with pytest.raises(KeyboardInterrupt):
        sort_files([path], tmp_path / "sorted")


def test_a_file_that_is_named_twice_is_refused(tmp_path: Path):
    """Also where its folder is named beside it, and under another spelling."""
    path = tmp_path / "games.csv"
    path.write_text("a,b,score,date\nA,B,1,2024-01-02\n")
    for again in (path, tmp_path, f"{tmp_path}/../{tmp_path.name}/games.csv"):
        with refused(BadData, "file_twice", about="games.csv"):
            open_stream([path, again])


def test_a_folder_of_two_formats_is_refused(tmp_path: Path):
    """A file of each is named."""
    write_files(tmp_path)
    (tmp_path / "more.csv").write_text("a,b,score,date\nA,B,1,2024-01-02\n")
    for read in (open_stream, lambda source: sort_files(source, tmp_path / "sorted")):
        with refused(BadData, "mixed_formats", about=("games-0.parquet", "more.csv")):
            read(tmp_path)


@pytest.mark.parametrize("rows", [3, 1000])
def test_a_name_for_nobody_is_asked_about_with_its_row(tmp_path: Path, rows: int):
    """`NA` in the fifth row, in the first piece of games or a later one."""
    names = [f"p{at % 20}" for at in range(ROWS)]
    names[4] = "NA"
    paths = write_files(tmp_path, b=names, groups=rows)
    with refused(BadData, "bye_or_player", about=("--byes", "NA", "games-0.parquet"), row=5):
        list(open_stream(paths).pieces())


TABLES = Path(__file__).parents[1] / "door" / "tables"
CORPUS = sorted(path for path in TABLES.glob("*.[ct]sv") if ".names." not in path.name)


@pytest.mark.parametrize("part", range(4))
def test_tables_of_the_corpus_stream_or_are_refused(part: int, monkeypatch: pytest.MonkeyPatch):
    """Read by the scanner, seven rows at a time: what `read_games` gives, or a refusal."""
    pytest.importorskip("llvmlite")
    monkeypatch.setattr(delimited, "ROWS_AT_A_TIME", 7)
    same = 0
    for path in CORPUS[part::24]:
        try:
            whole = read_games(path, compiled=True, warn=False)
            stream = open_stream(path, compiled=True, rows_a_piece=5)
            found = read_pieces(stream)
        except BadData:
            continue
        assert found[0].keys() == join_columns([whole]).keys(), path
        for name, values in join_columns([whole]).items():
            assert found[0][name] == values or name in {"start", "ends"}, (path, name)
        assert found[1] == list(whole.players), path
        assert stream.reading.games == len(whole)
        same += 1
    assert same > 5


def test_files_of_two_schemas_are_refused(tmp_path: Path):
    """Both files are named."""
    paths = write_files(tmp_path)
    table = pq.read_table(paths[1])
    pq.write_table(table.rename_columns(["a", "other", "score", "date"]), paths[1])
    with refused(BadData, "other_schema", about=("b", "games-0.parquet", "games-1.parquet")):
        open_stream(paths)
    text = pa.array(map(str, table["score"].to_pylist()))
    pq.write_table(table.set_column(2, "score", text), paths[1])
    with refused(BadData, "other_schema", about=("score", "games-0.parquet", "games-1.parquet")):
        open_stream(paths)


def test_damaged_files_are_refused(tmp_path: Path):
    """A file that ends too early by its name, a damaged row group by its number."""
    paths = write_files(tmp_path, groups=50)
    content = Path(paths[1]).read_bytes()
    Path(paths[1]).write_bytes(content[: len(content) // 2])
    with refused(BadData, "damaged_file", about="games-1.parquet"):
        open_stream(paths)
    column = pq.ParquetFile(paths[2]).metadata.row_group(1).column(0)
    content, start = Path(paths[2]).read_bytes(), column.dictionary_page_offset
    nothing = bytes(column.total_compressed_size)
    Path(paths[2]).write_bytes(content[:start] + nothing + content[start + len(nothing) :])
    with refused(BadData, "damaged_file", about="group"):
        list(open_stream(paths[2:]).pieces())


@pytest.mark.parametrize("row", [2, 250])
def test_bad_rows_are_named(tmp_path: Path, row: int):
    """A name that is missing and a score above 1, by file and row, as `read_games` names them."""
    rng = np.random.default_rng(6)
    score = rng.choice([0.0, 0.5, 1.0], ROWS)
    score[row] = 7.5
    paths = write_files(tmp_path, score=score)
    place: dict[str, Any] = {"file": paths[row // 100], "row": row % 100 + 1}
    with refused(BadData, "score_out_of_range", about="7.5", **place):
        list(open_stream(paths).pieces())
    names: list[str | None] = [f"p{at % 20}" for at in range(ROWS)]
    names[row] = None
    with refused(BadData, "name_missing", **place):
        list(open_stream(write_files(tmp_path, b=pa.array(names))).pieces())


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_folders_are_columns(tmp_path: Path, kind: str):
    """Folders such as year=2024 choose files, and serve as the column of an option."""
    whole = pq.read_table(write_files(tmp_path, files=1)[0])
    for at in range(3):
        folder = make(make(tmp_path / "lake", f"year=200{at}"), "league=A B")
        part = whole.slice(at * 100, 100)
        if kind == "csv":
            part.to_pandas().to_csv(folder / "games.csv", index=False)
        else:
            pq.write_table(part, folder / "games.parquet")
    stream = open_stream(tmp_path / "lake", league="year")
    pieces = [piece.games for piece in stream.pieces()]
    assert [set(piece.facts["league"].tolist()) for piece in pieces] == [{0.0}, {1.0}, {2.0}]
    assert [*pieces[-1].labels["league"]] == ["2000", "2001", "2002"]
    some = open_stream(tmp_path / "lake", where={"year": [2000, 2002]}, exclude={"league": "C"})
    assert sum(len(piece.games) for piece in some.pieces()) == 200
    assert [file.path for file in some.files] == [stream.files[0].path, stream.files[2].path]
    known = read_games(tmp_path / "lake", league="year")
    assert known.facts["league"].tolist() == [at // 100 for at in range(300)]
    assert [*known.labels["league"]] == ["2000", "2001", "2002"]
    few = read_games(tmp_path / "lake", where={"year": [2000, 2002]}, exclude={"league": "C"})
    assert few.time.tolist() == np.delete(known.time, slice(100, 200)).tolist()


MEASURE = """
import resource, sys
from prowess.games.stream import open_stream
count = sum(len(piece.games) for piece in open_stream(sys.argv[1]).pieces())
print(count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units")
def test_memory_does_not_grow_with_rows(tmp_path: Path):
    """Three times the games of the same players take at most 50 MB more."""
    pytest.importorskip("llvmlite")
    rng = np.random.default_rng(7)
    rows = 250_000
    a = rng.integers(0, 1000, rows)
    names = pa.array([f"player {at}" for at in range(1000)])
    table = pa.table({
        "a": names.take(pa.array(a)), "b": names.take(pa.array((a + 1) % 1000)),
        "score": rng.choice([0.0, 1.0], rows),
    })  # fmt: skip
    used = []
    for files in (4, 12):
        folder = make(tmp_path, str(files))
        pq.write_table(table, folder / "0.parquet")
        for at in range(1, files):
            (folder / f"{at}.parquet").symlink_to(folder / "0.parquet")
        command = [sys.executable, "-c", MEASURE, str(folder)]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        assert int(said[0]) == files * rows
        used.append(int(said[1]))
    assert used[1] <= used[0] + 50_000, used  # kilobytes


@pytest.mark.parametrize("compiled", [False, None])
def test_a_row_after_a_resume_is_named_where_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: bool | None
):
    """Its number counts the rows of row groups that are not read again."""
    monkeypatch.setattr(parquet, "ROWS_A_CHUNK", 40)
    score = np.ones(ROWS)
    score[250] = 7.5
    paths = write_files(tmp_path, 1, score=np.ones(ROWS))
    stream = open_stream(paths, rows_a_piece=100, compiled=compiled)
    pieces = stream.pieces()
    ends = [next(pieces).end for _ in range(2)]
    arrays = stream.arrays()
    write_files(tmp_path, 1, score=score)
    resumed = open_stream(paths, rows_a_piece=100, compiled=compiled)
    resumed.restore(arrays)
    with refused(BadData, "score_out_of_range", about="7.5", row=251):
        list(resumed.pieces(ends[-1]))


def test_no_thread_outlives_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Those that decode Parquet ahead end though the error of a row is still held."""
    monkeypatch.setattr(parquet, "ROWS_A_CHUNK", 10)
    date = pa.array([0, DAY, 0, *[DAY] * (ROWS - 3)], pa.timestamp("ms"))
    paths = write_files(tmp_path, 1, date=date, groups=ROWS)
    before = {*threading.enumerate()}
    with refused(BadData, "games_out_of_order", about="--sort") as held:
        list(open_stream(paths).pieces())
    for thread in {*threading.enumerate()} - before:
        thread.join(5.0)
        assert not thread.is_alive()
    assert held.value.row == 3


MANY_FILES = """
import resource, sys
from prowess.games.stream import open_stream
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
print(sum(len(piece.games) for piece in open_stream(sys.argv[1]).pieces()))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of open files can be set")
def test_a_stream_has_more_files_than_may_be_open(tmp_path: Path):
    """A hundred Parquet files are read where 64 may be open at a time."""
    write_files(tmp_path, 100)
    command = [sys.executable, "-c", MANY_FILES, str(tmp_path)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.stdout.split() == [str(ROWS)]


def test_metadata_of_parquet_are_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """All threads that read a file share them; those of the first tell the columns before."""
    paths, whole = write_files(tmp_path, 5), pq.ParquetFile
    parsed = list[str]()

    def count(path: str, metadata: Any = None, **options: Any) -> Any:
        parsed.extend([path] * (metadata is None))
        return whole(path, metadata=metadata, **options)

    monkeypatch.setattr(pq, "ParquetFile", count)
    assert sum(len(piece.games) for piece in open_stream(paths).pieces()) == ROWS
    assert sorted(parsed) == [paths[0], *paths]


class AheadNames(IntegerNames):
    """Names to which a reading thread adds more at the moment when they are counted."""

    ahead = False

    def __len__(self) -> int:
        if self.ahead:
            self.ahead = False
            self.number(np.arange(4000, 9000)[None, :])
        return super().__len__()


@pytest.mark.parametrize("kind", ["arrays", "texts"])
def test_ids_are_whole_while_more_are_read(kind: str):
    """A checkpoint has every id up to those that it has counted, also those of a larger array."""
    names = AheadNames()
    names.number(np.arange(4000)[None, :])
    names.ahead = True
    if kind == "arrays":
        assert stream._index_arrays("n", names)["n whole"].tolist() == [*range(9000)]
    else:
        assert [*names.roster()] == [*map(str, range(9000))]


class AheadColumn(Growing):
    """A column to which a reading thread appends at the moment when it is counted."""

    ahead = False

    def __getattribute__(self, name: str) -> Any:
        if name == "count" and self.ahead:
            self.ahead = False
            self.append(np.arange(3, 100))
        return super().__getattribute__(name)


def test_a_growing_column_is_whole_while_more_is_appended():
    """Its rows up to those that were counted, also those of a larger array."""
    column = AheadColumn()
    column.append(np.arange(3))
    column.ahead = True
    assert column.whole().tolist() == [*range(100)]


def test_files_of_other_columns_are_named(tmp_path: Path):
    """A Parquet file without the first one's column of dates is refused before anything is read."""
    one, other = (str(tmp_path / f"{name}.parquet") for name in "ab")
    columns = {"a": ["Ann"], "b": ["Bob"], "score": [1.0]}
    day = pa.array([19_000], pa.int32()).view(pa.date32())
    pq.write_table(pa.table({**columns, "time": day}), one)
    pq.write_table(pa.table({**columns, "played": day}), other)
    with refused(BadData, "other_schema", about="played") as caught:
        open_stream([one, other])
    assert caught.value.file == other


def test_a_column_of_later_files_is_not_dropped(tmp_path: Path):
    """Weights that only the second Parquet file has are refused, not left out."""
    one, other = (str(tmp_path / f"{name}.parquet") for name in "ab")
    columns = {"a": ["Ann"], "b": ["Bob"], "score": [1.0]}
    day = pa.array([19_000], pa.int32()).view(pa.date32())
    pq.write_table(pa.table({**columns, "time": day}), one)
    pq.write_table(pa.table({**columns, "time": day, "remark": ["a long game"]}), other)
    assert open_stream([one, other]).rows == 2
    pq.write_table(pa.table({**columns, "time": day, "weight": [2.0]}), other)
    with refused(BadData, "other_columns") as caught:
        open_stream([one, other])
    assert caught.value.file == other
