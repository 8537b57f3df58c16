"""Stores for the tests of the live server: SQLite in a file, and a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.live.postgres import served


@pytest.fixture(scope="session")
def new_postgres() -> Iterator[Callable[[], str]]:
    """Each call makes an empty database and returns its address; one server a test process."""
    import psycopg

    with served("fsync=off") as url, psycopg.connect(url, autocommit=True) as connection:
        numbers = count(1)

        def database() -> str:
            name = f"test_{next(numbers)}"
            connection.execute(f"CREATE DATABASE {name}")
            return url.replace("@/postgres?", f"@/{name}?")

        yield database


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
