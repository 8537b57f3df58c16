"""The one writer: a thread that takes jobs and commits as many at once as are waiting.

    callers -> jobs -> [ a SAVEPOINT each ] -> COMMIT -> after -> answers

No caller gets an answer before the commit that holds its job is durable.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Lock, Thread, current_thread
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from prowess.live.errors import StoreError
from prowess.live.store.database import (
    connect,
    copy_wal,
    out_of_reach,
    tells_of_damage,
    truncate_wal,
)

T = TypeVar("T")
MAX_JOBS = 256  # in one commit
IDLE_SECONDS = 1.0  # without a job after which files are written back or cleaned, or that is tried


@dataclass(eq=False, slots=True)
class WriteJob:
    """A job of the writer with its outcome."""

    job: Callable[[Connection], Any]
    after: Callable[[Any], None] | None
    answer: Future[Any] = field(default_factory=Future)
    result: Any = None
    error: BaseException | None = None


class Writer:
    """Owns the connection that writes.

    `on_lost` is called when a commit failed after jobs had run, when an `after` raised, or when
    the claim had to be taken again: everything in memory must be read from the store again.
    """

    def __init__(self, engine: Engine, prepare: Callable[[Connection], None]) -> None:
        """`prepare` sees every new connection before its first use."""
        self.on_lost: Callable[[], None] = lambda: None
        self._engine = engine
        self._prepare = prepare
        self._connection: Connection | None = None
        self._tasks: SimpleQueue[WriteJob | None] = SimpleQueue()
        self._queue_lock = Lock()  # nothing may follow the None that ends the thread
        self._closed = False
        self._unclean = False
        self._ahead = False  # whether the file of the store may lack what the log beside it has
        self._thread = Thread(target=self._run, name="prowess-writer", daemon=True)
        self._thread.start()

    def do(self, job: Callable[[Connection], T], after: Callable[[T], None] | None = None) -> T:
        """Run a job in the writer's thread; returns what it returned once that is durable.

        A job that raises is undone alone and raises here; a failed commit raises StoreError in
        all its callers. `after(result)` runs in the writer's thread when the job is durable,
        before any caller is answered.
        """
        if current_thread() is self._thread:
            raise RuntimeError("a job of the writer waits for another: it would wait for ever")
        mine = WriteJob(job, after)
        with self._queue_lock:
            if self._closed:
                raise StoreError("the store is closed; open it again", code="store_closed")
            self._tasks.put(mine)
        result: T = mine.answer.result()
        return result

    def clean(self) -> None:
        """Leave nothing of what was overwritten in the files; to be called by an `after`.

        Where readers are in the way it is tried again, until it is done.
        """
        self._unclean = True

    def close(self) -> None:
        """Finish the jobs that wait, then end."""
        with self._queue_lock:
            if not self._closed:
                self._closed = True
                self._tasks.put(None)
        self._thread.join()

    def _run(self) -> None:
        while True:
            try:
                waits = self._unclean or self._ahead
                first = self._tasks.get(timeout=IDLE_SECONDS if waits else None)
            except Empty:
                self._write_back()
                continue
            if first is None:
                break
            group = [first]
            try:
                self._commit(group)
            except BaseException as error:  # of `on_lost`: no caller waits for ever
                fail_jobs(group, self._engine.url, error)
            self._clean_files()
            for one in group:
                if one.error is None:
                    one.answer.set_result(one.result)
                else:
                    one.answer.set_exception(one.error)
        self._unclean = self._unclean or self._ahead  # a copy of the file then holds all
        self._clean_files()
        self._drop()

    def _write_back(self) -> None:
        """Bring the file of the store up to date, as no job waits."""
        if self._unclean:
            self._clean_files()
        elif self._connection is not None:
            with suppress(Exception):  # what is committed stays so: it is tried again
                self._ahead = not copy_wal(self._connection)

    def _clean_files(self) -> None:
        if self._unclean and self._connection is not None:
            with suppress(Exception):  # what is committed stays so: it is tried again
                self._ahead = self._unclean = not truncate_wal(self._connection)

    def _commit(self, group: list[WriteJob]) -> None:
        """Run the jobs that wait, make them durable and call what follows each of them.

        Errors are noted in the jobs.
        """
        try:
            connection = self._begin()
        except Exception as error:
            fail_jobs(group, self._engine.url, error)
            return
        try:
            for one in group:  # each takes a job along that has come meanwhile
                run_job(connection, one)
                if len(group) < MAX_JOBS and not self._tasks.empty():
                    waiting = self._tasks.get()
                    if waiting is None:
                        self._tasks.put(None)
                    else:
                        group.append(waiting)
            connection.commit()
            self._ahead = True
        except BaseException as error:
            fail_jobs(group, self._engine.url, error)
            self._drop()
            self.on_lost()
        for one in group:
            if one.error is None and one.after is not None:
                try:
                    one.after(one.result)
                except BaseException as error:
                    one.error = error
                    self.on_lost()

    def _begin(self) -> Connection:
        """The connection in a new transaction; one that was closed while idle is replaced."""
        connection, new = self._connection, self._connection is None
        if connection is None:
            connection = self._connection = connect(self._engine)
        try:
            if new:
                self._prepare(connection)
                connection.commit()
            connection.begin()
            connection.exec_driver_sql("SELECT 1")  # whether the server still answers
        except BaseException as error:
            self._drop()
            if new or not (isinstance(error, DBAPIError) and error.connection_invalidated):
                raise
            return self._begin()
        return connection

    def _drop(self) -> None:
        """Give the connection up; what was not committed is undone."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                connection.invalidate()
            with suppress(Exception):
                connection.close()


def run_job(connection: Connection, one: WriteJob) -> None:
    """Run one job; its error is noted, an error that spoils the transaction is raised."""
    connection.exec_driver_sql("SAVEPOINT job")
    try:
        one.result = one.job(connection)
        connection.exec_driver_sql("RELEASE SAVEPOINT job")
    except BaseException as error:
        try:
            connection.exec_driver_sql("ROLLBACK TO SAVEPOINT job")
        except Exception:
            raise error from None
        one.error = error
        if tells_of_damage(error):
            one.error = out_of_reach(connection.engine.url, error)


def fail_jobs(group: list[WriteJob], url: URL, error: BaseException) -> None:
    """Every job that has no error of its own gets one about the whole group."""
    for one in group:
        if one.error is None:
            one.error = build_error(url, error)
            one.error.__cause__ = error


def build_error(url: URL, error: BaseException) -> BaseException:
    """A fresh error to raise in one caller."""
    if isinstance(error, OperationalError | InterfaceError) or tells_of_damage(error):
        return out_of_reach(url, error)
    if isinstance(error, StoreError):
        return type(error)(*error.args)
    said = error.orig if isinstance(error, DBAPIError) else error
    return StoreError(
        f"nothing was written: {type(error).__name__}: {said}", code="nothing_written"
    )
