"""Where a store is: a file of SQLite, or a database of PostgreSQL."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from prowess.live.store.errors import WrongUse

SQLITE, POSTGRESQL = "sqlite", "postgresql"  # kinds of stores
REMEDY = "give a file (ladder.db) or postgresql://USER:PASSWORD@HOST/DATABASE"


def located(text: str) -> URL:
    """The address of `ladder.db`, `sqlite:///ladder.db` or `postgresql://...`."""
    if "://" not in text:
        if not text.strip():
            raise WrongUse(f"no store was named; {REMEDY}")
        return URL.create(SQLITE, database=text)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):  # the text may hold a password: not repeated
        raise WrongUse(f"the address of the store cannot be read; {REMEDY}") from None
    dialect = url.drivername.partition("+")[0]
    if dialect == SQLITE:
        if url.database in {None, "", ":memory:"}:
            raise WrongUse(f"a store in memory forgets everything; {REMEDY}")
        return URL.create(SQLITE, database=url.database)
    if dialect in {POSTGRESQL, "postgres"}:
        return url.set(drivername="postgresql+psycopg")
    raise WrongUse(f"{dialect} is no kind of store; {REMEDY}")


def kind_of(url: URL) -> str:
    """`sqlite` or `postgresql`."""
    return url.get_backend_name()


def path_of(url: URL) -> Path:
    """The file of a SQLite store."""
    return Path(str(url.database))


def shown(url: URL) -> str:
    """The address as it may be shown: without the password."""
    if kind_of(url) == SQLITE:
        return str(url.database)
    return url.set(drivername=POSTGRESQL).render_as_string(hide_password=True)
