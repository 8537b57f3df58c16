"""Databases in one file."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from prowess.games import BadData, read_games
from tests.refusals import refused


def write(path, *statements):
    """A SQLite file made by these statements."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_a_table_and_a_query(tmp_path):
    """The only table of games is read, and a query of the database; nothing is written."""
    path = tmp_path / "games.db"
    write(
        path,
        "CREATE TABLE games (white TEXT, black TEXT, result TEXT)",
        "INSERT INTO games VALUES ('Ann', 'Bob', '1-0'), ('Bob', 'Cid', '0-1')",
        "CREATE TABLE notes (text TEXT)",
    )
    before = path.read_bytes()
    assert read_games(path).score.tolist() == [1.0, 0.0]
    assert len(read_games(path, sql="SELECT * FROM games WHERE white = 'Ann'")) == 1
    assert path.read_bytes() == before
    for query, what in (
        ("DELETE FROM games", "not_a_query"),
        ("SELECT * FROM nowhere", "query_fails"),
    ):
        with refused(BadData, what):
            read_games(path, sql=query)


def test_rows_in_a_log_beside(tmp_path):
    """Rows that are not in the file yet are not left out silently."""
    path = tmp_path / "games.db"
    write(path, "CREATE TABLE games (white TEXT, black TEXT, result TEXT)")
    (tmp_path / "games.db-wal").write_bytes(b"rows")
    with refused(BadData, "database_in_use", about="games.db"):
        read_games(path)


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_view_without_an_end(tmp_path, monkeypatch, kind):
    """A file that declares a view which never ends is refused after a while."""
    monkeypatch.setattr("prowess.games.formats.databases.QUERY_SECONDS", 0.05)
    endless = (
        "CREATE VIEW games AS WITH RECURSIVE n(home, away, result) AS (SELECT 1, 2, 1 UNION ALL "
        "SELECT home, away, result FROM n) SELECT * FROM n WHERE home > 1"
    )
    path = tmp_path / f"a.{kind}"
    connect = sqlite3.connect if kind == "sqlite" else pytest.importorskip("duckdb").connect
    with closing(connect(str(path))) as connection:
        connection.execute(endless)
        connection.commit()
    with refused(BadData, "damaged_file", about="takes"):
        read_games(path)


def test_moments_of_a_zone(tmp_path):
    """Moments of a zone are read as UTC without a package of zones, also of a query."""
    path = tmp_path / "games.duckdb"
    with closing(pytest.importorskip("duckdb").connect(str(path))) as connection:
        connection.execute(
            "CREATE TABLE games (white TEXT, black TEXT, result TEXT, played TIMESTAMPTZ)"
        )
        connection.execute("INSERT INTO games VALUES ('Ann', 'Bob', '1-0', '2024-07-01 18:00+02')")
    for options in ({}, {"sql": "SELECT * FROM games;"}):
        games = read_games(path, **options)
        assert games.time is not None
        assert games.time.tolist() == [19905 + 16 / 24]
