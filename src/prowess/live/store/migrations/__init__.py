"""Bringing the tables of a store up to date, all or nothing.

Only facts are migrated; caches are emptied instead. A change of `tables.py` comes with a new file
in `versions` and the new HEAD.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from prowess.live.errors import StoreError, StoreTooNew

HEAD = "0003"
TABLE = "alembic_version"
NUMBER = 0x70726F77657374  # of the advisory lock that migrations take one after the other


def migrate(connection: Connection, shown: str) -> None:
    """Make the tables those of `tables.py`, in the transaction of the connection.

    Raises StoreTooNew for the tables of a later Prowess, StoreError for somebody else's.
    """
    if connection.dialect.name != "sqlite":
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": NUMBER})
    version = read_version(connection, shown)
    if version == HEAD:
        return
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    script = ScriptDirectory.from_config(config)
    if version is not None and version not in {one.revision for one in script.walk_revisions()}:
        raise StoreTooNew(
            f"store {shown} has tables of version {version}, this Prowess knows {HEAD}; "
            "use the Prowess that wrote it, or a later one"
        )
    command.upgrade(config, "head")


def read_version(connection: Connection, shown: str) -> str | None:
    """The version of the tables; None where there is nothing yet."""
    tables = inspect(connection).get_table_names()
    if TABLE in tables:
        version: str | None = connection.scalar(text(f"SELECT version_num FROM {TABLE}"))
        return version
    if tables:
        raise StoreError(
            f"{shown} holds tables of something else ({', '.join(sorted(tables)[:3])}); "
            "give an empty database or a new file"
        )
    return None
