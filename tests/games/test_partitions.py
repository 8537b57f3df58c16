"""Folders such as year=2024 are columns, read as a stream or in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from prowess.games.errors import BadData
from prowess.games.formats.stream_files import sort_files
from prowess.games.read import read_games
from prowess.games.stream import open_stream
from tests.refusals import refused

DAYS = ("2023-01-01", "2023-02-01", "2024-01-01", "2024-02-01")


def write_file(path: Path, days: tuple[str, ...], **more: tuple[object, ...]) -> str:
    """A file of a game on each day, with further columns."""
    columns = {
        "date": days, "a": ("Ann",) * len(days), "b": ("Bob",) * len(days),
        "score": (1.0,) * len(days), **more,
    }  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        import pyarrow as pa

        parquet.write_table(pa.table({name: list(held) for name, held in columns.items()}), path)
    else:
        rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
        path.write_text("\n".join([",".join(columns), *rows]) + "\n")
    return str(path)


def read_times(source: Any, **options: Any) -> list[float]:
    """The times of the games of a stream."""
    stream = open_stream(source, **options)
    return [time for piece in stream.pieces() for time in piece.games.time.tolist()]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("options", "games"),
    [
        ({"where": {"league": "X"}}, 1),
        ({"where": {"league": ["A", "Y"]}}, 1),
        ({"exclude": {"league": "A"}}, 2),
        ({"exclude": {"league": "X"}}, 1),
        ({"where": {"league": "A"}}, 0),
    ],
)
def test_a_column_goes_before_a_folder(
    tmp_path: Path, suffix: str, options: dict[str, Any], games: int
):
    """A file's own column chooses rows, whatever its folder is called; so it does in memory."""
    path = write_file(tmp_path / "league=A" / f"g.{suffix}", DAYS[:2], league=("X", "Y"))
    if games:
        assert len(read_times(path, **options)) == games
        assert read_times(path, **options) == read_games(path, **options).time.tolist()
        return
    for read in (read_games, read_times):
        with refused(BadData, "no_games", about=("where=", "exclude=")):
            read(path, **options)


@pytest.mark.parametrize("own", [(), ("2024", "2024"), ("2023", "2024")])
@pytest.mark.parametrize(
    "options", [{"where": {"year": "2024"}}, {"exclude": {"year": 2024}}, {"where": {"year": 2023}}]
)
def test_folders_of_some_files_choose_rows(
    tmp_path: Path, own: tuple[str, ...], options: dict[str, Any]
):
    """A file beside the folders has a column in their place: each row counts by what it has."""
    more = {"year": own} if own else {}
    paths = [
        write_file(tmp_path / "0.csv", DAYS[:2], year=("2023", "2023")),
        write_file(tmp_path / "year=2024" / "1.csv", DAYS[2:], **more),
    ]
    assert read_times(paths, **options) == read_games(paths, **options).time.tolist()


def write_two_folders(folder: Path, suffix: str, owner: int) -> list[str]:
    """Files in folders called league=A and league=B, of which one has a column of that name."""
    own: list[dict[str, tuple[object, ...]]] = [{}, {}]
    own[owner] = {"league": ("A", "B")}
    return [
        write_file(folder / f"league={'AB'[at]}" / f"g.{suffix}", DAYS[2 * at :][:2], **own[at])
        for at in (0, 1)
    ]


@pytest.mark.parametrize("owner", [0, 1])
def test_a_column_of_one_file_in_folders_chooses_its_rows(tmp_path: Path, owner: int):
    """Also where the folder of that file is not the one that is asked for."""
    paths = write_two_folders(tmp_path, "csv", owner)
    options = {"where": {"league": "AB"[1 - owner]}}
    known = read_games(paths, **options).time.tolist()
    assert len(known) == 3
    assert read_times(paths, **options) == known


@pytest.mark.parametrize("owner", [0, 1])
@pytest.mark.parametrize("options", [{"where": {"league": "A"}}, {"facts": "league"}])
def test_parquet_of_which_one_file_has_the_column_is_refused(
    tmp_path: Path, owner: int, options: dict[str, Any]
):
    """The first file has another schema than the second."""
    paths = write_two_folders(tmp_path, "parquet", owner)
    with refused(BadData, "other_schema", about="league") as caught:
        open_stream(paths, **options)
    assert ("what its folder says" in caught.value.what) == (owner == 1)
    assert caught.value.file == paths[1]


def read_sorted(source: Any, folder: Path, **options: Any) -> list[float]:
    """The times of the games of files that are sorted first."""
    pytest.importorskip("duckdb")
    return read_times(sort_files(source, folder, memory=1 << 30, **options), **options)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("own", [None, ("B", "C")])
@pytest.mark.parametrize("key", ["where", "exclude"])
def test_sorted_files_have_the_columns_of_the_table(
    tmp_path: Path, suffix: str, own: tuple[str, str] | None, key: str
):
    """Those of the files before those of their folders, whose texts stay texts."""
    more = {} if own is None else {"league": own}
    for at, league in enumerate(("007", "B")):
        path = tmp_path / "lake" / f"league={league}" / f"g.{suffix}"
        write_file(path, DAYS[2 * at :][:2][::-1], **more)
    for value in ("007", "7", "B", "C"):
        known = [
            time
            for day, time in enumerate(read_games(tmp_path / "lake").time.tolist())
            if ((own[1 - day % 2] if own else ("007", "B")[day // 2]) == value) == (key == "where")
        ]
        if known:
            options: dict[str, Any] = {key: {"league": value}}
            assert read_games(tmp_path / "lake", **options).time.tolist() == known
            assert read_sorted(tmp_path / "lake", tmp_path / value, **options) == known


def test_folders_that_are_not_named_are_no_columns_of_sorted_files(tmp_path: Path):
    """A folder called weight=5 weighs no game where nobody says so, sorted or not."""
    pytest.importorskip("duckdb")
    path = write_file(tmp_path / "weight=5" / "g.csv", DAYS)
    made = sort_files(path, tmp_path / "sorted", memory=1 << 30)
    stream = open_stream(made)
    assert [piece.games.columns.keys() for piece in stream.pieces()] == [
        read_games(path).columns.keys()
    ]


@pytest.mark.parametrize("owner", [0, 1])
def test_sorting_refuses_a_column_of_some_files(tmp_path: Path, owner: int):
    """Whose other files have a folder of that name."""
    paths = write_two_folders(tmp_path, "csv", owner)
    with refused(BadData, "column_and_folder", about=("--in-memory", "league")):
        read_sorted(paths, tmp_path / "sorted", where={"league": "A"})


@pytest.mark.parametrize("where", [{"year": "2025"}, {"year": "2023", "league": "B"}])
def test_folders_that_leave_no_file_name_the_options(tmp_path: Path, where: dict[str, str]):
    """The remedy is that of a table in memory."""
    for year, days in (("2023", DAYS[:2]), ("2024", DAYS[2:])):
        write_file(tmp_path / f"year={year}" / "league=A" / "g.csv", days)
    said = []
    for read in (read_games, read_times):
        with pytest.raises(BadData) as caught:
            read(tmp_path, where=where)
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert said[0].startswith("look at the values of where= and exclude=: no row is left (")


def test_a_file_that_folders_leave_out_need_not_be_whole(tmp_path: Path):
    """Its headings are looked at, its rows are not read."""
    kept = write_file(tmp_path / "year=2024" / "g.csv", DAYS[2:])
    other = write_file(tmp_path / "year=2023" / "g.csv", DAYS[:2])
    Path(other).write_text(Path(other).read_text() + "2023-03-01,Ann,Bob,oops\n")
    stream = open_stream(tmp_path, where={"year": 2024})
    assert [file.path for file in stream.files] == [kept]
    assert not stream.settings.options.where
    assert sum(len(piece.games) for piece in stream.pieces()) == 2
