"""Open a store to read it only: nothing is written into it, and it may be read-only.

Or bring its tables up to date.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from sqlalchemy import URL, Connection, select
from sqlalchemy.exc import DBAPIError

from prowess.live.errors import StoreEmpty, StoreError, StoreOutOfReach
from prowess.live.store.database import SQLITE, kind_of, out_of_reach, parse_address, path_of
from prowess.live.store.migrations import (
    LAST_MIGRATION,
    check_known,
    describe_step,
    find_steps,
    migrate,
    read_version,
)
from prowess.live.store.store import Store, open_store
from prowess.live.store.tables import category

NO_CATEGORY = "no category in this store"


@contextmanager
def open_to_read(url: str) -> Iterator[Store]:
    """A store that is read only, and may be written by a server meanwhile.

    One with the tables of an earlier version is copied into a temporary folder and brought up to
    date there. Raises StoreError: StoreEmpty where there are no tables at all.
    """
    with open_as_it_is(parse_present(url)) as store:
        version = require_version(store)
        if version == LAST_MIGRATION:
            yield store
            return
        if store.kind != SQLITE:
            raise StoreError.of("store_too_old", store=store, version=version)
        with TemporaryDirectory(prefix="prowess-") as folder:
            copy = Path(folder) / "copy.db"
            with store.read() as connection, closing(sqlite3.connect(copy)) as target:
                driver: sqlite3.Connection = connection.connection.driver_connection  # type: ignore[assignment]
                driver.backup(target)
            with open_named(copy, store) as now:
                yield now


def parse_present(url: str) -> URL:
    """The address of a store; raises StoreOutOfReach for a file that is not there."""
    address = parse_address(url)
    if kind_of(address) == SQLITE and not path_of(address).is_file():
        raise StoreOutOfReach.of("no_store", path=address.database)
    return address


def require_version(store: Store) -> str:
    """The version of the tables of a store. Raises StoreEmpty without tables, StoreTooNew."""
    if (version := find_version(store)) is None:
        raise empty_store(store)
    check_known(version, store.url)
    return version


@contextmanager
def open_as_it_is(address: URL) -> Iterator[Store]:
    """A store whose tables stay as they are, and whose file does where it is read-only."""
    path = path_of(address)
    writable = kind_of(address) != SQLITE or all(os.access(p, os.W_OK) for p in (path, path.parent))
    wal = path.with_name(f"{path.name}-wal")
    if writable or path.with_name(f"{path.name}-shm").exists() or not has_bytes(wal):
        with closing(Store(address, writable=writable)) as store:
            yield store
        return
    with TemporaryDirectory(prefix="prowess-") as folder:  # the log is read where it can be indexed
        copy = Path(folder) / "copy.db"
        shutil.copyfile(path, copy)
        shutil.copyfile(wal, copy.with_name(f"{copy.name}-wal"))
        with closing(Store(parse_address(str(copy)))) as store:
            store.url = str(address.database)
            yield store


@contextmanager
def open_named(copy: Path, original: Store) -> Iterator[Store]:
    """A copy of a store, up to date, which is called as the original is."""
    with closing(open_store(str(copy))) as store:
        store.url = original.url
        yield store


def has_bytes(path: Path) -> bool:
    """Whether there is a file with something in it."""
    return path.exists() and path.stat().st_size > 0


def find_version(store: Store) -> str | None:
    """The version of the tables of a store; None without tables. Raises StoreError."""
    try:
        with store.read() as connection:
            return read_version(connection, store.url)
    except DBAPIError as error:
        raise out_of_reach(store.address, error) from error


def empty_store(store: Store) -> StoreEmpty:
    """The error of a store without a category."""
    return StoreEmpty.of("store_empty.given", no_category=NO_CATEGORY, store=store)


def check_begun(url: str) -> None:
    """Raise StoreEmpty for a store that is there and holds no ladder, as a bad copy of one does.

    A database of a database server without tables is new.
    """
    address = parse_address(url)
    if kind_of(address) == SQLITE and not path_of(address).exists():
        return
    with open_as_it_is(address) as store:
        version = find_version(store)
        if version is None and store.kind != SQLITE:
            return
        if version is not None:
            with store.read() as connection:
                if connection.scalar(select(category.c.id).limit(1)) is not None:
                    return
    raise StoreEmpty.of("store_empty.restored", no_category=NO_CATEGORY, store=store)


# -- upgrade --


class Upgrade(NamedTuple):
    """What brings the tables of a store up to date, or did."""

    found: str  # version of the tables
    latest: str
    steps: tuple[str, ...]  # what each does; empty where the tables are those of this Prowess


class TakenBack(Exception):
    """A trial has ended: its transaction is undone."""


def upgrade_store(url: str, *, dry_run: bool = False) -> Upgrade:
    """Bring the tables of a store up to date, all or nothing, while no server runs on it.

    With `dry_run` every step is run and taken back. Raises StoreError: StoreInUse, StoreTooNew,
    StoreEmpty where there are no tables.
    """
    address = parse_present(url)
    with closing(Store(address)) as store:
        found = require_version(store)
        steps = find_steps(found)
        if steps:
            store.claim()

            def run_steps(connection: Connection) -> None:
                migrate(connection, store.url)
                if dry_run:
                    raise TakenBack

            try:
                with suppress(TakenBack):
                    store.writer.do(run_steps)
            except DBAPIError as error:
                raise out_of_reach(address, error) from error
    return Upgrade(found, LAST_MIGRATION, tuple(map(describe_step, steps)))
