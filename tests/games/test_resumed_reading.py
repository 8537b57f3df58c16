"""A stream that goes on from the middle of a file reads its cells as the first rows decided."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from prowess.games import numbering
from prowess.games.errors import BadData
from prowess.games.numbering import GrowingNumbers, PlayerNumbers
from prowess.games.read import read_games
from prowess.games.stream import GameStream, Piece, open_stream
from tests.refusals import refused

DAYS = [f"{day:02}/01/2020" for day in range(9, 16)] + [f"{day:02}/02/2020" for day in range(1, 6)]
TABLES: dict[str, dict[str, Any]] = {
    "0 is a draw": {"result": [1, 0, -1, 1, 0, 0, 1, 0, 1, 0, 1, 0]},
    "points": {"result": [3, 1, 0, 3, 0, 0, 3, 3, 1, 1, 0, 1]},
    "letters": {"result": list("SNUSSNNSSNSN")},
    "days first": {"date": DAYS, "score": [1, 0] * 6},
    "a winner": {"winner": ["Ann", "Bob", "draw", *["Ann", "Bob", "Bob"] * 3]},
}  # fmt: skip


def write_table(path: Path, **columns: Any) -> Path:
    """A Parquet file of games between Ann and Bob, four to a row group."""
    count = len(next(iter(columns.values())))
    table = {"a": ["Ann"] * count, "b": ["Bob"] * count, **columns}
    pq.write_table(pa.table(table), path, row_group_size=4)
    return path


def resume_at(stream: GameStream, paths: Any, at: int) -> list[Piece]:
    """The pieces after so many of a stream, by another that is restored there."""
    pieces = stream.pieces()
    end = [next(pieces).end for _ in range(at)][-1]
    arrays = stream.arrays()
    pieces.close()
    resumed = open_stream(paths, rows_a_piece=stream.rows_a_piece)
    resumed.restore(arrays)
    return list(resumed.pieces(end))


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("earlier", [False, True])
def test_cells_after_a_resume_mean_what_they_meant(tmp_path: Path, kind: str, earlier: bool):
    """Row groups that are left hold too little to tell: the whole table is the oracle."""
    columns = TABLES[kind]
    paths = [write_table(tmp_path / "games.parquet", **columns)]
    whole = read_games(paths)
    if earlier and whole.time is None:  # the file that is read from its middle on is the second
        paths.insert(0, write_table(tmp_path / "earlier.parquet", **columns))
    for at in range(1, 4):
        pieces = 4 * (len(paths) - 1) + at
        last = resume_at(open_stream(paths, rows_a_piece=3), paths, pieces)
        games = [piece.games for piece in last]
        scores = np.concatenate([one.score for one in games])
        assert scores.tolist() == whole.score[3 * at :].tolist()
        if whole.time is not None:
            times = np.concatenate([one.time for one in games])
            assert times.tolist() == whole.time[3 * at :].tolist()


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_games_before_a_resume_count_once(tmp_path: Path, form: str):
    """A column that is a category of 50 games, and none of 25, is none of the first 25 again."""

    def write(name: str, rows: range) -> None:
        surface = [("clay", "grass", "hard")[row % 3] for row in rows]
        score = [row % 2 for row in rows]
        if form == "parquet":
            write_table(tmp_path / f"{name}.parquet", score=score, surface=surface)
            return
        lines = [f"Ann,Bob,{one},{where}" for one, where in zip(score, surface, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,score,surface", *lines]) + "\n")

    write("1", range(25))
    stream = open_stream(tmp_path)
    first = [(piece.end, stream.arrays()) for piece in stream.pieces()]
    assert [*read_games(tmp_path).facts] == []
    write("2", range(25, 29))
    end, arrays = first[-1]
    resumed = open_stream(tmp_path)
    resumed.restore(arrays)
    games = [piece.games for piece in resumed.pieces(end)]
    assert sum(map(len, games)) == 4
    assert all(not one.facts for one in games)


def test_what_was_said_of_earlier_files_is_said_after_a_resume(tmp_path: Path):
    """How their results and dates are read, and what looks suspicious."""
    rows = ["09.01.20,Ann,Bob,V", "10.01.20,Ann,Bob,N", "11.01.20,Ann,Bob,D", "12.01.20,Ann,Bob,D"]
    for name, some in (("1", rows[:3]), ("2", rows[3:])):
        file = tmp_path / f"{name}.csv"
        file.write_text("\n".join(["date,a,b,result", *some]) + "\n", encoding="utf-8")
    file = tmp_path / "1.csv"
    file.write_bytes(file.read_bytes().replace(b"Ann", b"Ren\xe9e"))
    whole = open_stream(tmp_path, rows_a_piece=1)
    assert len(list(whole.pieces())) == 4
    stream, resumed = (open_stream(tmp_path, rows_a_piece=1) for _ in range(2))
    pieces = stream.pieces()
    ends = [next(pieces).end for _ in range(4)]
    resumed.restore(stream.arrays())
    assert not list(resumed.pieces(ends[-1]))
    assert resumed.notes == whole.notes
    assert len(resumed.notes) > 3
    assert [*map(type, resumed.notes)] == [*map(type, whole.notes)]
    assert resumed.reading.columns == whole.reading.columns


def test_numbers_of_games_are_whole_when_another_thread_sees_them(monkeypatch: pytest.MonkeyPatch):
    """The thread that rates reads names by them while the reader begins to count games."""
    players = PlayerNumbers()
    seen: list[object] = []

    class Watched(GrowingNumbers):
        def number(self, keys: Any) -> Any:
            seen.append(players.by_game)
            return super().number(keys)

    monkeypatch.setattr(numbering, "GrowingNumbers", Watched)
    players.count_games(5)
    assert seen == [None]
    assert players.count() == 5


@pytest.mark.parametrize("second", [pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_columns_of_players_may_be_of_two_kinds_of_text(tmp_path: Path, second: Any):
    """Names of the one have ends of 32 bits, those of the other of 64."""
    paths = []
    for name in ("1", "2"):
        b = pa.array(["Bob", "Cid", "Ann"]).cast(second)
        table = pa.table({"a": ["Ann", "Bob", "Cid"], "b": b, "score": [1.0, 0.0, 0.5]})
        paths.append(tmp_path / f"{name}.parquet")
        pq.write_table(table, paths[-1])
    games = [piece.games for piece in open_stream(paths).pieces()]
    assert [(one.a.tolist(), one.b.tolist()) for one in games] == [([0, 1, 2], [1, 2, 0])] * 2


def test_a_file_that_needs_all_rows_is_named(tmp_path: Path):
    """Two spellings of one name in a later file, whose first rows are rated already."""
    for name, rows in (("1", ["Ann,Bob,1"]), ("2", ["Ann,Bob,1", "Ren\u00e9e,Rene\u0301e,1"])):
        text = "\n".join(["a,b,score", *rows]) + "\n"
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    with refused(BadData, "needs_whole_table", about="2.csv"):
        list(open_stream(tmp_path, rows_a_piece=1, compiled=True).pieces())


def test_a_stream_that_is_read_slowly_goes_on_slowly(tmp_path: Path):
    """Its first rows need the slow reader: a player meets another spelling of their own name."""
    rows = ["Ren\u00e9e,Rene\u0301e,1", "Ann,Bob,1", "Bob,Ann,0", "Ann,Bob,0.5"]
    file = tmp_path / "games.csv"
    file.write_text("\n".join(["a,b,score", *rows]) + "\n", encoding="utf-8")
    options: dict[str, Any] = {"rows_a_piece": 1, "compiled": True, "skip_bad": "all"}
    stream, resumed = open_stream(file, **options), open_stream(file, **options)
    pieces = stream.pieces()
    end = next(pieces).end
    resumed.restore(stream.arrays())
    assert [piece.games.score[0] for piece in resumed.pieces(end)] == [0.0, 0.5]
    assert [piece.games.score[0] for piece in pieces] == [0.0, 0.5]
