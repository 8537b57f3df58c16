"""Whether a store can be written: found out by writing, before somebody's result is refused."""

from __future__ import annotations

from collections.abc import Callable
from shutil import disk_usage
from threading import Lock
from time import monotonic

from sqlalchemy import Connection, delete, insert
from sqlalchemy.exc import DBAPIError

from prowess.live.store.addresses import SQLITE, path_of
from prowess.live.store.engines import out_of_reach
from prowess.live.store.errors import StoreError, StoreOutOfReach
from prowess.live.store.opening import Store
from prowess.live.store.tables import setting

PROVED = 2.0  # seconds for which one trial holds
ROOM = 1 << 20  # bytes that are left on the disk at least: the longest single request
KEY = "written"  # the setting that is written


class Proving:
    """Tries at most once in `PROVED` seconds whether a store can be written."""

    def __init__(self, store: Store, clock: Callable[[], int]) -> None:
        self.store, self.clock = store, clock
        self._trying = Lock()
        self._tried: float | None = None
        self._error: str | None = None

    def check(self) -> None:
        """Raise StoreOutOfReach while nothing can be written.

        While one thread tries, others go by the trial before: nobody waits but that one.
        """
        if self._trying.acquire(blocking=False):
            try:
                if self._tried is None or monotonic() - self._tried >= PROVED:
                    self._error = self._trial()
                    self._tried = monotonic()
            finally:
                self._trying.release()
        if self._error is not None:
            raise StoreOutOfReach(self._error)

    def _trial(self) -> str | None:
        """Why nothing can be written; None where a line was written and is durable."""
        store, now = self.store, str(self.clock())

        def job(connection: Connection) -> None:
            connection.execute(delete(setting).where(setting.c.key == KEY))
            connection.execute(insert(setting), {"key": KEY, "value": now})

        try:
            if store.kind == SQLITE and disk_usage(path_of(store.address).parent).free < ROOM:
                return f"store {store}: make room on the disk, which is full"
            store.writer.do(job)
        except (OSError, StoreError) as error:
            return str(error)
        except DBAPIError as error:
            return str(out_of_reach(store.address, error))
        return None
