"""Stores for the tests of the live server: SQLite in a file, and a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.live.postgres import served

if TYPE_CHECKING:
    import psycopg


@pytest.fixture(scope="session")
def postgres() -> Iterator[tuple[str, psycopg.Connection]]:
    """A server of PostgreSQL for this test process: its address, and a connection to it.

    No database of a test outlives its process, so nothing is written for the case of a crash.
    """
    import psycopg

    with (
        served(
            "fsync=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0"
        ) as url,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        yield url, connection


NUMBERS = count(1)  # of databases: no two have the same name


@pytest.fixture
def new_postgres(postgres: tuple[str, psycopg.Connection]) -> Iterator[Callable[[], str]]:
    """Each call makes an empty database and returns its address; the test's end drops them."""
    url, connection = postgres
    made: list[str] = []

    def make_database() -> str:
        made.append(f"test_{next(NUMBERS)}")
        connection.execute(f"CREATE DATABASE {made[-1]} STRATEGY FILE_COPY")  # writes no log
        return url.replace("@/postgres?", f"@/{made[-1]}?")

    yield make_database
    for name in made:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.fixture
def postgres_url(new_postgres: Callable[[], str]) -> str:
    """The address of an empty PostgreSQL database."""
    return new_postgres()


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The address of an SQLite file that is not there yet."""
    return f"sqlite:///{tmp_path / 'ladder.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest) -> str:
    """The address of an empty store, once of each kind."""
    url: str = request.getfixturevalue(
        "sqlite_url" if request.param == "sqlite" else "postgres_url"
    )
    return url
