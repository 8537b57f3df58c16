"""The one writer: a thread that takes jobs and commits as many at once as are waiting.

    callers -> jobs -> [ a SAVEPOINT each ] -> COMMIT -> after -> answers

No caller gets an answer before the commit that holds its job is durable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext, suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread, current_thread
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from prowess.live.errors import StoreError
from prowess.live.store.database import connect, out_of_reach, truncate_wal

T = TypeVar("T")
MOST = 256  # jobs in one commit
AGAIN = 1.0  # seconds after which cleaning is tried again


class WriteJob:
    """A job of the writer with its outcome."""

    __slots__ = ("after", "answer", "error", "job", "result")

    def __init__(
        self, job: Callable[[Connection], Any], after: Callable[[Any], None] | None
    ) -> None:
        self.job = job
        self.after = after
        self.answer: Future[Any] = Future()
        self.result: Any = None
        self.error: BaseException | None = None


class Writer:
    """Owns the connection that writes.

    `around` is entered before the first job of a commit and left after its last `after`.
    `on_lost` is called, inside `around`, when a commit failed after jobs had run, when an
    `after` raised, or when the claim had to be taken again: whatever is in memory must be read
    from the store again.
    """

    def __init__(self, engine: Engine, prepare: Callable[[Connection], None]) -> None:
        """`prepare` sees every new connection before its first use."""
        self.around: AbstractContextManager[Any] | None = None
        self.on_lost: Callable[[], None] = lambda: None
        self._engine = engine
        self._prepare = prepare
        self._connection: Connection | None = None
        self._tasks: SimpleQueue[WriteJob | None] = SimpleQueue()
        self._queue_lock = Lock()  # nothing may follow the None that ends the thread
        self._closed = False
        self._unclean = False
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
        task = WriteJob(job, after)
        with self._queue_lock:
            if self._closed:
                raise StoreError("the store is closed; open it again")
            self._tasks.put(task)
        result: T = task.answer.result()
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
        while (first := self._next()) is not None:
            group = [first]
            try:
                with self.around or nullcontext():
                    self._commit(group)
                    self._publish(group)
            except BaseException as error:  # of `around` or `on_lost`: nobody waits for ever
                fail_tasks(group, self._engine.url, error)
            self._clean_files()
            for task in group:
                if task.error is None:
                    task.answer.set_result(task.result)
                else:
                    task.answer.set_exception(task.error)
        self._drop()

    def _next(self) -> WriteJob | None:
        """The task that has waited longest; None ends the thread."""
        while self._unclean:
            try:
                return self._tasks.get(timeout=AGAIN)
            except Empty:
                self._clean_files()
        return self._tasks.get()

    def _clean_files(self) -> None:
        if self._unclean and self._connection is not None:
            with suppress(Exception):  # what is committed stays so: it is tried again
                self._unclean = not truncate_wal(self._connection)

    def _commit(self, group: list[WriteJob]) -> None:
        """Run the jobs and make them durable; what goes wrong is noted in the tasks."""
        try:
            connection = self._begin()
        except Exception as error:
            fail_tasks(group, self._engine.url, error)
            return
        try:
            for task in self._waiting(group):
                run_task(connection, task)
            connection.commit()
        except BaseException as error:
            fail_tasks(group, self._engine.url, error)
            self._drop()
            self.on_lost()

    def _publish(self, group: list[WriteJob]) -> None:
        """Call the `after` of every job that is durable."""
        for task in group:
            if task.error is None and task.after is not None:
                try:
                    task.after(task.result)
                except BaseException as error:
                    task.error = error
                    self.on_lost()

    def _waiting(self, group: list[WriteJob]) -> Iterator[WriteJob]:
        """The first of the group, then those that wait by the time it is done."""
        yield group[0]
        with suppress(Empty):
            while len(group) < MOST:
                task = self._tasks.get_nowait()
                if task is None:
                    self._tasks.put(None)
                    return
                group.append(task)
                yield task

    def _begin(self) -> Connection:
        """The connection in a new transaction; one that died while idle is replaced."""
        if self._connection is not None:
            try:
                return begin_transaction(self._connection)
            except DBAPIError as error:
                self._drop()
                if not error.connection_invalidated:
                    raise
        self._connection = connect(self._engine)
        try:
            self._prepare(self._connection)
            self._connection.commit()
            return begin_transaction(self._connection)
        except BaseException:
            self._drop()
            raise

    def _drop(self) -> None:
        """Give the connection up; what was not committed is undone."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                connection.invalidate()
            with suppress(Exception):
                connection.close()


def begin_transaction(connection: Connection) -> Connection:
    """A connection that has answered inside a new transaction."""
    connection.begin()
    connection.exec_driver_sql("SELECT 1")
    return connection


def run_task(connection: Connection, task: WriteJob) -> None:
    """Run one job; its error is noted, an error that spoils the transaction is raised."""
    connection.exec_driver_sql("SAVEPOINT job")
    try:
        task.result = task.job(connection)
        connection.exec_driver_sql("RELEASE SAVEPOINT job")
    except BaseException as error:
        try:
            connection.exec_driver_sql("ROLLBACK TO SAVEPOINT job")
            spoilt = False
        except Exception:
            spoilt = True
        if spoilt:
            raise
        task.error = error


def fail_tasks(group: list[WriteJob], url: URL, error: BaseException) -> None:
    """Every task that has no error of its own gets one about the whole group."""
    for task in group:
        if task.error is None:
            task.error = build_error(url, error)
            task.error.__cause__ = error


def build_error(url: URL, error: BaseException) -> BaseException:
    """A fresh error to raise in one caller."""
    if isinstance(error, OperationalError | InterfaceError):
        return out_of_reach(url, error)
    if isinstance(error, StoreError):
        return type(error)(*error.args)
    said = error.orig if isinstance(error, DBAPIError) else error
    return StoreError(f"nothing was written: {type(error).__name__}: {said}")
