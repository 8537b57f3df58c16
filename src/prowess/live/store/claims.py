"""One server per store: whoever holds the claim is the only one to number revisions.

A claim ends with the process that holds it, however that ends.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sqlalchemy import Connection, text

from prowess.live.store.errors import StoreInUse

NUMBER = 0x70726F77657373  # of the advisory lock: "prowess"
REMEDY = "stop the other server first"


def claimed_file(path: Path) -> sqlite3.Connection:
    """Hold the lock file beside a SQLite store for as long as the answer stays open.

    The file is an empty database: its lock works on every system, and is free when its owner dies.
    """
    lock = sqlite3.connect(
        path.with_name(path.name + ".lock"),
        timeout=0,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        raise StoreInUse(f"store {path} is in use by another server; {REMEDY}") from error
    return lock


def released_session(connection: Connection) -> None:
    """Let go at once: the server may take a moment to see that a connection has ended."""
    connection.execute(text("SELECT pg_advisory_unlock(:number)"), {"number": NUMBER})


def claimed_session(connection: Connection, shown: str) -> None:
    """Hold the advisory lock of a PostgreSQL store for as long as the connection lives."""
    if not connection.scalar(text("SELECT pg_try_advisory_lock(:number)"), {"number": NUMBER}):
        raise StoreInUse(f"store {shown} is in use by another server; {REMEDY}")
