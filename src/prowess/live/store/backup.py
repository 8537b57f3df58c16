"""Backups: a copy of the store as one SQLite file, made while the server runs."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from sqlalchemy import Connection, func, insert, select, text

from prowess.games.whole_files import sync_path
from prowess.live.errors import StoreOutOfReach, WrongUse
from prowess.live.store.database import SQLITE
from prowess.live.store.migrations import TABLE
from prowess.live.store.store import Store, open_store
from prowess.live.store.tables import (
    TABLES,
    checkpoint,
    read_setting,
    session,
    write_setting,
)

CHUNK = 2000  # rows copied at a time
TABLES_LEFT_OUT = (checkpoint, session)  # a cache, and the browsers that are signed in
COPIED = [table for table in TABLES.sorted_tables if table not in TABLES_LEFT_OUT]
DEFERRED = {"sqlite": "PRAGMA defer_foreign_keys=ON", "postgresql": "SET CONSTRAINTS ALL DEFERRED"}

Counts = dict[str, int]  # rows by table


def write_backup(store: Store, path: str | Path) -> Counts:
    """Write all that the store holds at one moment into a new file, whole or not at all.

    The file is a SQLite store itself. Raises StoreError; also if the file is there already.
    """
    path = Path(path)
    if path.exists():
        raise WrongUse.of("file_exists", path=path)
    try:
        with TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            part = Path(folder) / "part.db"
            with closing(open_store(str(part))) as copy, store.read() as source:
                counts = copy.writer.do(lambda target: copy_tables(source, target))
            with closing(sqlite3.connect(part)) as connection:
                connection.execute("PRAGMA journal_mode=DELETE")  # one file, no companions
            sync_path(part)
            part.rename(path)
            sync_path(path.parent)
    except OSError as error:
        raise StoreOutOfReach.of(
            "file_not_written.backup", path=path, strerror=error.strerror
        ) from error
    return counts


class BackupPlan(NamedTuple):
    """Backups by schedule: where, how often, and how many of the newest are kept."""

    folder: Path
    hours: float = 24.0
    kept: int = 14


LAST_DOWNLOAD = "last_download"  # a setting: when a backup was downloaded
BACKUP_MOMENT = "-%Y%m%dT%H%M%SZ.db"  # in UTC, behind the name of the store: in order of time


def name_of(store: Store) -> str:
    """The name of a store in the names of its backups: that of its file or database."""
    return re.sub(r"[^\w.-]", "_", Path(store.address.database or "").stem) or "ladder"


def list_backups(folder: Path, name: str) -> dict[Path, datetime]:
    """The backups by schedule of a store in a folder with their moments, oldest first."""
    found = {}
    for file in sorted(folder.iterdir()):
        with suppress(ValueError):  # the file is no backup by schedule, and stays
            if file.name.startswith(name):
                written = file.name[len(name) :]
                found[file] = datetime.strptime(written, "-%Y%m%dT%H%M%S%z.db")
    return found


def find_last_backup(store: Store, plan: BackupPlan | None) -> datetime | None:
    """When the newest backup was written, into the folder of a plan or for a download."""
    with store.read() as connection:
        noted = read_setting(connection, LAST_DOWNLOAD)
    found = [] if noted is None else [datetime.fromisoformat(noted)]
    if plan is not None and plan.folder.is_dir():
        found += list_backups(plan.folder, name_of(store)).values()
    return max(found, default=None)


def write_download(store: Store, folder: Path, now: datetime) -> Path:
    """Write a backup into a folder from which it is sent at once, and note when."""
    file = folder / (name_of(store) + now.strftime(BACKUP_MOMENT))
    write_backup(store, file)
    store.writer.do(lambda connection: write_setting(connection, LAST_DOWNLOAD, now.isoformat()))
    return file


def write_due_backup(
    store: Store, plan: BackupPlan, now: datetime, *, at_once: bool = False
) -> Path | None:
    """Write the backup of a plan where one is due, and delete the oldest beyond those to keep.

    Returns its file; None where the newest one is not old enough and it need not be written
    `at_once`. Raises StoreError; then nothing was deleted.
    """
    try:
        plan.folder.mkdir(parents=True, exist_ok=True)
        name = name_of(store)
        there = list_backups(plan.folder, name)
        past = [moment for moment in there.values() if moment <= now]  # clocks may be set back
        if not at_once and past and now - max(past) < timedelta(hours=plan.hours):
            return None
        file = plan.folder / (name + now.strftime(BACKUP_MOMENT))
        if file in there:  # asked for twice within a second
            return file
        write_backup(store, file)
        for old in [*there][: max(0, len(there) + 1 - plan.kept)]:
            old.unlink(missing_ok=True)
    except OSError as error:
        raise StoreOutOfReach.of(
            "file_not_written.folder", folder=plan.folder, strerror=error.strerror
        ) from error
    return file


def restore_backup(path: str | Path, url: str) -> Counts:
    """Fill the empty store at an address with a backup, all or nothing.

    Raises StoreError; also if the store is not empty or a server keeps it.
    """
    with read_copy(Path(path)) as backup, closing(open_store(url)) as store:
        store.claim()
        with backup.read() as source:
            return store.writer.do(lambda target: fill_store(source, target, store.url))


@contextmanager
def read_copy(path: Path) -> Iterator[Store]:
    """A backup opened as a store of its own: an old one is brought up to date, the file is not."""
    if not path.is_file():
        raise StoreOutOfReach.of("no_such_file.backup", path=path)
    with TemporaryDirectory(prefix="prowess-") as folder:
        whole = Path(folder) / "whole.db"
        try:
            with (
                closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as source,
                closing(sqlite3.connect(whole)) as target,
            ):
                source.backup(target)
                sound = target.execute("PRAGMA quick_check").fetchone() == ("ok",)
                ours = target.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (TABLE,))
                if not (sound and ours.fetchone()):
                    raise sqlite3.DatabaseError("no store" if sound else "damaged")
        except sqlite3.Error as error:
            raise StoreOutOfReach.of("damaged_backup", path=path, error=error) from error
        with closing(open_store(str(whole))) as backup:
            yield backup


def fill_store(source: Connection, target: Connection, address: str) -> Counts:
    """Copy into an empty store, whose numbering goes on where the backup's ended."""
    for table in COPIED:
        if target.execute(select(table).limit(1)).first() is not None:
            raise WrongUse.of("store_not_empty", address=address, table=table.name)
    counts = copy_tables(source, target)
    if target.dialect.name != SQLITE:
        for table in COPIED:
            column = table.autoincrement_column
            last = None if column is None else target.scalar(select(func.max(column)))
            if column is not None and last is not None:
                sequence = func.pg_get_serial_sequence(table.name, column.name)
                target.execute(select(func.setval(sequence, last)))
    return counts


def copy_tables(source: Connection, target: Connection) -> Counts:
    """Every row of every table but those left out, a chunk at a time."""
    target.execute(text(DEFERRED[target.dialect.name]))  # a player may be merged into a later one
    counts = {}
    for table in COPIED:
        counts[table.name] = 0
        query = select(table).order_by(*table.primary_key)
        with source.execute(query, execution_options={"yield_per": CHUNK}) as rows:
            for part in rows.mappings().partitions():
                target.execute(insert(table), [dict(row) for row in part])
                counts[table.name] += len(part)
    return counts
