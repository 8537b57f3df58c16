"""Migrations: the tables of a store are made, or brought up to date, all or nothing.

A new store gets the tables of `tables.py`. A change of those comes with a step in `MIGRATIONS` and
a new LAST_MIGRATION. Only facts are migrated; caches are emptied instead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import Column, Connection, delete, inspect, select, text, update
from sqlalchemy.schema import CreateColumn

from prowess.live.errors import StoreError, StoreTooNew
from prowess.live.result import COUNTS, is_about
from prowess.live.store.queries import follow_mergers, mergers_at
from prowess.live.store.tables import (
    category_key,
    fixture,
    member,
    method,
    placing,
    result,
    session,
    setting,
    tables_of,
    version,
)

LAST_MIGRATION = "0006"
TABLE = "alembic_version"  # of the version; the name is that of the first stores
SCHEMA_LOCK = 0x70726F77657374  # the advisory lock that migrations take one after the other


def add_sessions(connection: Connection) -> None:
    """0001 to 0002: sessions are rows of the store; the key that signed their cookies goes."""
    session.create(connection)
    connection.execute(delete(setting).where(setting.c.key == "cookie_key"))


def add_sides(connection: Connection) -> None:
    """0002 to 0003: sides of members with shares, and facts; each placing was a side of its own."""
    add_columns(connection, method.c.side_size, version.c.facts, placing.c.side, placing.c.share)
    connection.execute(
        text(
            'UPDATE "placing" SET side = seat.side FROM (SELECT result_id, revision, player_id, '
            "row_number() OVER (PARTITION BY result_id, revision ORDER BY player_id) - 1 AS side "
            'FROM "placing") AS seat WHERE seat.result_id = "placing".result_id '
            'AND seat.revision = "placing".revision AND seat.player_id = "placing".player_id'
        )
    )


def add_members(connection: Connection) -> None:
    """0003 to 0004: players who were added to a category, and its former keys."""
    member.create(connection)
    category_key.create(connection)


def add_fixtures(connection: Connection) -> None:
    """0004 to 0005: games to come."""
    fixture.create(connection)


def add_settling(connection: Connection) -> None:
    """0005 to 0006: which result settled a game to come: the nearest of the two at the revision."""
    if "result_id" not in {one["name"] for one in inspect(connection).get_columns("fixture")}:
        add_columns(connection, fixture.c.result_id)
    settled, used = dict[int, int](), set[int]()  # the result of each game; the results
    ended = select(fixture).where(fixture.c.ended_revision.is_not(None))
    by_revision = attrgetter("ended_revision")
    for at, games in groupby(sorted(connection.execute(ended), key=by_revision), by_revision):
        into = dict(mergers_at(connection, at))
        counted = (
            select(version, result.c.category_id)
            .join(result, result.c.id == version.c.result_id)
            .where(version.c.revision == at, version.c.state == COUNTS, version.c.a.is_not(None))
        )
        results = defaultdict[tuple[int, frozenset[int]], list[Any]](list)
        for one in connection.execute(counted):
            results[meeting_of(one, into)].append(one)
        near = [
            (abs(one.time - game.time), game.time, game.id, one.result_id)
            for game in games
            for one in results.get(meeting_of(game, into), ())
            if is_about(game.time, one.time)
        ]
        for *_, number, by in sorted(near):
            if number not in settled and by not in used:
                settled[number] = by
                used.add(by)
    for number, by in settled.items():
        own = update(fixture).where(fixture.c.id == number)
        connection.execute(own.values(result_id=by))


def meeting_of(one: Any, into: Mapping[int, int]) -> tuple[int, frozenset[int]]:
    """The category of a game and its two players, mergers resolved."""
    return one.category_id, frozenset(follow_mergers(into, player) for player in (one.a, one.b))


def add_columns(connection: Connection, *columns: Column[Any]) -> None:
    """Add columns to tables that are there."""
    quoted = connection.dialect.identifier_preparer.format_table  # PLACING is a word of SQL
    for column in columns:
        added = CreateColumn(column).compile(dialect=connection.dialect)
        connection.execute(text(f"ALTER TABLE {quoted(column.table)} ADD COLUMN {added}"))


MIGRATIONS: dict[str, Callable[[Connection], None]] = {
    "0001": add_sessions,
    "0002": add_sides,
    "0003": add_members,
    "0004": add_fixtures,
    "0005": add_settling,
}


def migrate(connection: Connection, shown: str) -> None:
    """Make the tables those of `tables.py`, in the transaction of the connection.

    Raises StoreTooNew for the tables of a later Prowess, StoreError for tables of another program.
    """
    if connection.dialect.name != "sqlite":
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": SCHEMA_LOCK})
    found = read_version(connection, shown)
    if found == LAST_MIGRATION:
        return
    if found is None:
        tables_of(connection.dialect.name).create_all(connection, checkfirst=False)
        key = f"CONSTRAINT {TABLE}_pkc PRIMARY KEY"
        connection.execute(
            text(f"CREATE TABLE IF NOT EXISTS {TABLE} (version_num VARCHAR(32) NOT NULL {key})")
        )
        connection.execute(text(f"INSERT INTO {TABLE} VALUES (:head)"), {"head": LAST_MIGRATION})
        return
    check_known(found, shown)
    for step in find_steps(found):
        step(connection)
    connection.execute(text(f"UPDATE {TABLE} SET version_num = :head"), {"head": LAST_MIGRATION})


def find_steps(version: str) -> list[Callable[[Connection], None]]:
    """The steps from a known version to the last, in order."""
    return [step for begin, step in MIGRATIONS.items() if begin >= version]


def describe_step(step: Callable[[Connection], None]) -> str:
    """A step in a line: `0002 to 0003: sides of members ...`."""
    return str(step.__doc__).partition("\n")[0]


def check_known(version: str, shown: str) -> None:
    """Raise StoreTooNew for tables of a version that is not known here."""
    if version != LAST_MIGRATION and version not in MIGRATIONS:
        raise StoreTooNew.of("store_too_new", shown=shown, version=version, last=LAST_MIGRATION)


def read_version(connection: Connection, shown: str) -> str | None:
    """The version of the tables; None where there are none yet."""
    tables = inspect(connection).get_table_names()
    if TABLE in tables:
        found: str | None = connection.scalar(text(f"SELECT version_num FROM {TABLE}"))
        if found is not None:
            return found
        tables.remove(TABLE)
    if tables:
        raise StoreError.of("not_a_store", shown=shown, tables=", ".join(sorted(tables)[:3]))
    return None
