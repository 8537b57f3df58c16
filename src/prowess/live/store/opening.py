"""Opening a store, and what an open store offers."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import sleep

from sqlalchemy import URL, Connection
from sqlalchemy.exc import DBAPIError, OperationalError

from prowess.live.store.addresses import SQLITE, kind_of, located, path_of, shown
from prowess.live.store.claims import claimed_file, claimed_session, released_session
from prowess.live.store.engines import connected, missing_driver, out_of_reach, reading, writing
from prowess.live.store.errors import StoreError, StoreInUse, StoreOutOfReach, StoreTooNew
from prowess.live.store.migrations import HEAD, migrated, stored
from prowess.live.store.writer import Writer

__all__ = ["Store", "StoreError", "StoreInUse", "StoreOutOfReach", "StoreTooNew", "opened"]


PATIENCE = 20  # tenths of a second: the session of a server that was killed ends a bit later


class Store:
    """An open store: many readers, one writer."""

    def __init__(self, address: URL) -> None:
        self.address = address
        self.url = shown(address)  # without the password
        self.kind = kind_of(address)
        self._readers = reading(address)
        self._lock: sqlite3.Connection | None = None
        self._claimed = False
        self.writer = Writer(writing(address), self._prepare)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees the store as it is at its first question, and cannot write."""
        try:
            with connected(self._readers) as connection:
                yield connection
        except OperationalError as error:
            raise out_of_reach(self.address, error) from error

    def claim(self) -> None:
        """Become the one server of this store until it is closed; raises StoreInUse."""
        if self._claimed:
            raise StoreInUse(f"store {self.url} is claimed here already")
        if self.kind == SQLITE:
            self._lock = claimed_file(path_of(self.address))
        else:
            for tenths in range(PATIENCE):
                try:
                    self.writer.do(lambda connection: claimed_session(connection, self.url))
                    break
                except StoreInUse:
                    if tenths == PATIENCE - 1:
                        raise
                    sleep(0.1)
        self._claimed = True

    def close(self) -> None:
        """Finish what waits to be written, then let go of files and connections."""
        claimed, self._claimed = self._claimed, False
        if claimed and self._lock is None:
            with suppress(StoreError):
                self.writer.do(released_session)
        self.writer.close()
        self._readers.dispose()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _prepare(self, connection: Connection) -> None:
        """The claim lives with the connection that writes: a new one must claim again."""
        if self._claimed and self.kind != SQLITE:
            claimed_session(connection, self.url)
            self.writer.on_lost()  # while nobody held the claim another server may have written

    def __str__(self) -> str:
        """Its address without the password."""
        return self.url


def opened(url: str, *, create: bool = True) -> Store:
    """The store at `ladder.db`, `sqlite:///ladder.db` or `postgresql://...`, tables up to date.

    Without `create` a file that is not there is an error. Raises StoreOutOfReach, StoreTooNew.
    """
    address = located(url)
    if kind_of(address) == SQLITE and not path_of(address).exists():
        if not create:
            raise StoreOutOfReach(
                f"there is no store {address.database}; `prowess serve` makes one"
            )
        with suppress(OSError):  # SQLite will say it
            path_of(address).touch(mode=0o600)  # it holds the secrets of webhooks
    try:
        store = Store(address)
    except ModuleNotFoundError as error:
        raise missing_driver() from error
    try:
        with store.read() as connection:
            version = stored(connection, store.url)
        if version != HEAD:
            store.writer.do(lambda connection: migrated(connection, store.url))
    except DBAPIError as error:
        store.close()
        raise out_of_reach(address, error) from error
    except BaseException:
        store.close()
        raise
    return store
