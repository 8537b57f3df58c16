"""Opening a store, and what an open store offers."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import disk_usage
from threading import Lock
from time import monotonic, sleep

from sqlalchemy import URL, Connection, delete, insert, select, text
from sqlalchemy.exc import DBAPIError, OperationalError

from prowess.live.errors import StoreError, StoreInUse, StoreOutOfReach
from prowess.live.store.access import OF_SECRET, Actor, actor_of, hash_secret
from prowess.live.store.database import (
    SQLITE,
    connect,
    create_reader_engine,
    create_writer_engine,
    damage,
    format_address,
    kind_of,
    missing_driver,
    out_of_reach,
    parse_address,
    path_of,
    tells_of_damage,
)
from prowess.live.store.migrations import LAST_MIGRATION, migrate, read_version
from prowess.live.store.tables import checkpoint, read_setting, write_setting
from prowess.live.store.writer import Writer

LOCK_WAIT = 2.0  # seconds: the session of a server that was killed ends a bit later
LOCK_PAUSE = 0.1  # seconds between two questions whether a store is free
RENEWAL_SECONDS = 0.5  # seconds after which one caller looks an actor up again
ACTOR_SECONDS = 1.0  # for which an actor is known
MAX_KNOWN_ACTORS = 10_000


class Store:
    """An open store: many readers, one writer."""

    def __init__(self, address: URL, *, writable: bool = True) -> None:
        self.address = address
        self.url = format_address(address)  # without the password
        self.kind = kind_of(address)
        self._readers = create_reader_engine(address, writable=writable)
        self._lock: sqlite3.Connection | None = None
        self._claimed = False
        self.writer = Writer(create_writer_engine(address), self._prepare)
        self.actors = KnownActors(self)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A read-only connection that sees the store as it is at its first query."""
        try:
            with connect(self._readers) as connection:
                yield connection
        except DBAPIError as error:
            if not (isinstance(error, OperationalError) or tells_of_damage(error)):
                raise
            raise out_of_reach(self.address, error) from error

    def claim(self, patience: float = LOCK_WAIT) -> None:
        """Become the one server of this store until it is closed; raises StoreInUse.

        `patience` is how many seconds another program may take to leave it.
        """
        if self._claimed:
            raise StoreInUse.of("store_in_use.claimed", store=self.url)
        end = monotonic() + patience
        while True:
            try:
                if self.kind == SQLITE:
                    self._lock = claim_file(path_of(self.address))
                else:
                    self.writer.do(lambda connection: claim_database(connection, self.url))
                break
            except StoreInUse:
                if monotonic() >= end:
                    raise
                sleep(LOCK_PAUSE)
        self._claimed = True

    def check_sound(self, *, quick: bool = False) -> None:
        """Raise StoreDamaged if the file of the store does not hold together.

        `quick` leaves out whether indices and tables agree. A database server looks after its files
        itself.
        """
        if self.kind != SQLITE:
            return
        with self.read() as connection:
            asked = "quick_check" if quick else "integrity_check"
            found = connection.exec_driver_sql(f"PRAGMA {asked}(1)").scalar()
        if found != "ok":
            said = " ".join(str(found).removeprefix("*** in database main ***").split())
            raise damage(f"store {self.url}", said)

    def close(self) -> None:
        """Write what waits, then close files and connections."""
        claimed, self._claimed = self._claimed, False
        if claimed and self._lock is None:
            with suppress(StoreError):
                self.writer.do(release_database)
        self.writer.close()
        self._readers.dispose()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _prepare(self, connection: Connection) -> None:
        """Claim the store again for a new connection: a claim ends with its connection."""
        if self._claimed and self.kind != SQLITE:
            claim_database(connection, self.url)
            self.writer.restore()  # another server may have written while this one had no claim

    def __str__(self) -> str:
        """Its address without the password."""
        return self.url


@dataclass(slots=True)
class KnownActor:
    """An actor who is known until a moment, and the one after which they are looked up again."""

    actor: Actor
    renewal: float
    until: float


class KnownActors:
    """The actors of secrets: one that was found is known for a second.

    So a busy reporter is not looked up for each result; a token that another program revokes is
    valid for at most a second more.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._known: dict[str, KnownActor] = {}  # by hash of the secret
        self._forgotten = 0  # times

    def recall(self, secret: str) -> Actor | None:
        """The actor of a secret that was found within the last second; the store is not read.

        After half of it one caller gets None, to `find` them again; others need not wait for that.
        """
        known, now = self._known.get(hash_secret(secret)), monotonic()
        if known is None or now >= known.until:
            return None
        if now >= known.renewal:
            known.renewal = known.until
            return None
        return known.actor

    def find(self, secret: str, now: int) -> Actor | None:
        """The actor of a secret, read from the store; None where it is unknown, has expired or was
        revoked.
        """
        began, forgotten, mark = monotonic(), self._forgotten, hash_secret(secret)
        with self.store.read() as connection:
            row = connection.execute(OF_SECRET, {"mark": mark, "now": now}).one_or_none()
        if row is None:
            return None
        actor = actor_of(row)
        if forgotten == self._forgotten:  # none was revoked meanwhile
            if len(self._known) >= MAX_KNOWN_ACTORS:
                self._known.clear()
            self._known[mark] = KnownActor(actor, began + RENEWAL_SECONDS, began + ACTOR_SECONDS)
        return actor

    def forget(self) -> None:
        """Forget all, as a token was revoked."""
        self._forgotten += 1
        self._known.clear()


def open_store(url: str, *, create: bool = True) -> Store:
    """The store at `ladder.db`, `sqlite:///ladder.db` or `postgresql://...`, tables up to date.

    Without `create` a file that is not there is an error. Raises StoreOutOfReach, StoreTooNew.
    """
    address = parse_address(url)
    if kind_of(address) == SQLITE and not path_of(address).exists():
        if not create:
            raise StoreOutOfReach.of("no_store", path=address.database)
        with suppress(OSError):  # SQLite will say it
            path_of(address).touch(mode=0o600)  # it holds the secrets of webhooks
    try:
        store = Store(address)
    except ModuleNotFoundError as error:
        raise missing_driver() from error
    try:
        with store.read() as connection:
            version = read_version(connection, store.url)
        if version != LAST_MIGRATION:
            store.writer.do(lambda connection: migrate(connection, store.url))
    except DBAPIError as error:
        store.close()
        raise out_of_reach(address, error) from error
    except BaseException:
        store.close()
        raise
    return store


# -- claims: one server per store numbers revisions; a claim ends with its process --


STORE_LOCK = 0x70726F77657373  # number of the advisory lock: "prowess"
FREE_STORE = "stop the other server, or wait until an import is done"


def claim_file(path: Path) -> sqlite3.Connection:
    """Hold the lock file beside a SQLite store for as long as the answer stays open.

    The file is an empty database: its lock works on every system, and is free when its owner dies.
    """
    lock_path = path.with_name(f"{path.name}.lock")
    lock = sqlite3.connect(
        lock_path,
        timeout=0,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        if "locked" not in str(error):
            raise StoreOutOfReach.of(
                "store_out_of_reach.lock", path=lock_path, error=error
            ) from error
        raise StoreInUse.of("store_in_use.program", remedy=FREE_STORE, store=path) from error
    return lock


def release_database(connection: Connection) -> None:
    """Release the claim at once: PostgreSQL may notice the end of a connection later."""
    connection.execute(text("SELECT pg_advisory_unlock(:number)"), {"number": STORE_LOCK})


def claim_database(connection: Connection, shown: str) -> None:
    """Hold the advisory lock of a PostgreSQL store for as long as the connection lives."""
    if not connection.scalar(text("SELECT pg_try_advisory_lock(:number)"), {"number": STORE_LOCK}):
        raise StoreInUse.of("store_in_use.program", remedy=FREE_STORE, store=shown)


# -- write probe: whether the store can be written, found by writing --


PROVED = 2.0  # seconds for which one trial holds
FREE_BYTES = 1 << 20  # left on the disk: the longest single request
PROBE_KEY = "written"  # the setting that is written


class WriteProbe:
    """Tries at most once in `PROVED` seconds whether a store can be written."""

    def __init__(self, store: Store, clock: Callable[[], int]) -> None:
        self.store, self.clock = store, clock
        self._trying = Lock()
        self._tried: float | None = None
        self._error: str | None = None

    def check(self) -> None:
        """Raise StoreOutOfReach while nothing can be written.

        While one thread tries, the others take the outcome of the trial before and do not wait.
        """
        if self._trying.acquire(blocking=False):
            try:
                if self._tried is None or monotonic() - self._tried >= PROVED:
                    self._error = self._trial()
                    self._tried = monotonic()
            finally:
                self._trying.release()
        if self._error is not None:
            raise StoreOutOfReach(self._error, code="connection_lost")

    def _trial(self) -> str | None:
        """Why nothing can be written; None where a line was written and is durable."""
        store, now = self.store, str(self.clock())

        try:
            if store.kind == SQLITE and disk_usage(path_of(store.address).parent).free < FREE_BYTES:
                return f"store {store}: make room on the disk, which is full"
            store.writer.do(lambda connection: write_setting(connection, PROBE_KEY, now))
        except (OSError, StoreError) as error:
            return str(error)
        except DBAPIError as error:
            return str(out_of_reach(store.address, error))
        return None


# -- the address of the running server, for the console of its machine --


ADDRESS_KEY = "server.address"  # what is written there counts only while a server holds the claim


def note_address(store: Store, address: str) -> None:
    """Write down where the server of a store answers; a store that is full does without."""
    with suppress(StoreError):
        store.writer.do(lambda connection: write_setting(connection, ADDRESS_KEY, address))


def forget_address(store: Store) -> None:
    """Delete the address: the server has ended."""
    with suppress(StoreError):
        with store.read() as connection:
            if noted_address(connection) is None:
                return
        store.writer.do(lambda connection: write_setting(connection, ADDRESS_KEY, None))


def noted_address(connection: Connection) -> str | None:
    """The address of the running server; None without one."""
    return read_setting(connection, ADDRESS_KEY)


def save_log(
    connection: Connection, category: int, revision: int, form: str, data: bytes, now: int
) -> None:
    """Replace the saved log of a category."""
    connection.execute(delete(checkpoint).where(checkpoint.c.category_id == category))
    row = {
        "category_id": category,
        "revision": revision,
        "fingerprint": form,
        "at": now,
        "data": data,
    }
    connection.execute(insert(checkpoint), row)


def find_saved_log(connection: Connection, category: int, form: str) -> tuple[int, bytes] | None:
    """Revision and bytes of the saved log of a category, if it has this form."""
    row = connection.execute(
        select(checkpoint.c.revision, checkpoint.c.data).where(
            checkpoint.c.category_id == category, checkpoint.c.fingerprint == form
        )
    ).one_or_none()
    return None if row is None else (row.revision, bytes(row.data))
