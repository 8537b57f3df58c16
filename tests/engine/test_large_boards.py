"""Leaderboards of many players: columns that are written part by part."""

from __future__ import annotations

import csv
import io
import tracemalloc

import numpy as np
import pytest

from prowess.engine.leaderboard import build_leaderboard
from prowess.games import Roster

PLAYERS = 20_000
MOST_BYTES = 150  # a row, in Python and NumPy; lists of Python's values take over 240


def make_board(names):
    """A leaderboard of players who each have another rating, with a column for a context."""
    count = len(names)
    rating = 1500.0 + np.random.default_rng(3).permutation(count) / 3
    columns = {
        "rating": rating,
        "deviation": (rating / 7).astype(np.float32),
        "games": np.arange(count, dtype=np.int32),
        "@clay": np.where(np.arange(count) % 3, rating, np.nan),
    }
    return build_leaderboard(names, rating, columns, np.arange(count), None), columns


def test_files_of_a_roster_are_those_of_a_list(tmp_path, monkeypatch):
    """CSV, Parquet and all tables have the same values and types, however many parts there are."""
    monkeypatch.setattr("prowess.engine.tabular.ROWS_OF_PART", 3)
    parquet = pytest.importorskip("pyarrow.parquet")
    names = ['"Ann, A."', "Ñandú", "", "=1+1", "Bob", "line\nend", "Cid", "Dan", "Eve", "Fay"]
    board, columns = make_board(Roster(names))
    order = np.argsort(-columns["rating"]).tolist()
    rows = [
        {
            "rank": rank,
            "player": names[k],
            "rating": float(columns["rating"][k]),
            "deviation": float(columns["deviation"][k]),
            "games": k,
            "@clay": float(columns["rating"][k]) if k % 3 else None,
        }
        for rank, k in enumerate(order, start=1)
    ]
    assert board.rows() == rows
    assert board.columns == {name: [row[name] for row in rows] for name in rows[0]}
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    assert board.to_csv() == text.getvalue()
    board.write(tmp_path / "board.csv")
    assert (tmp_path / "board.csv").read_bytes() == text.getvalue().encode()
    board.write(tmp_path / "board.parquet")
    table = parquet.read_table(tmp_path / "board.parquet")
    assert table.to_pylist() == rows
    types = ["int64", "string", "double", "double", "int64", "double"]
    assert list(map(str, table.schema.types)) == types
    assert str(board) == str(make_board(names)[0])


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_no_object_is_made_for_a_row(tmp_path, form):
    """What is held at a time is far less than lists of all names and numbers."""
    pytest.importorskip("pyarrow.parquet")
    names = Roster.from_buffer(b"abcdefgh" * PLAYERS, np.arange(1, PLAYERS + 1) * 8)
    rating = np.random.default_rng(3).normal(1500, 100, PLAYERS)
    columns = {"rating": rating, "deviation": rating / 7, "games": np.arange(PLAYERS)}
    chosen = np.arange(PLAYERS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("prowess.engine.tabular.ROWS_OF_PART", 1000)
        patch.setattr("prowess.games.names.TAKEN", 1000)
        tracemalloc.start()
        try:
            board = build_leaderboard(names, rating, columns, chosen, None)
            board.write(tmp_path / f"board.{form}")
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < MOST_BYTES * PLAYERS
