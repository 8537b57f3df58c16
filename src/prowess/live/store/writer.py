"""The one writer: a thread that takes what waits and makes it durable in one commit.

    callers -> entries -> [ one INSERT a table ] -> COMMIT -> publish -> follow -> answers
            -> jobs    -> [ a SAVEPOINT each ]   ->        -> after   ----------->

Entries are facts for the journal, which stages all that wait and writes them together; a job is
anything else. No caller gets an answer before the commit that holds their entry or job is durable.
What follows from an entry is worked out elsewhere: its caller waits for that as well, but no longer
than `patience`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from math import inf
from queue import Empty, SimpleQueue
from threading import Lock, Thread, current_thread
from time import monotonic
from typing import Any, Protocol, TypeVar

from sqlalchemy import URL, Connection, Engine
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from prowess.live.errors import StoreError
from prowess.live.store.database import (
    SQLITE,
    connect,
    out_of_reach,
    tells_of_damage,
    write_back_log,
)

T = TypeVar("T")
MAX_TASKS = 256  # in one commit
TOGETHER_SECONDS = 0.05  # at most, that entries wait for others to be worked out, or to come
IDLE_SECONDS = 1.0  # without a job after which files are written back or cleaned, or that is tried


class EntryBook(Protocol):
    """Where entries are written together: the journal."""

    def enter(self, connection: Connection, entries: Sequence[Any]) -> list[Any]:
        """Write entries in order; the outcome of each, or the exception by which it is refused.

        `changed` of an outcome has the keys of all that follows from it. A refused entry has
        written nothing. What is raised spoils the whole transaction.
        """

    def publish(self, changed: Sequence[str], call: Callable[[], None]) -> None:
        """Make what was entered visible: it is durable; then call something, in any thread, when
        all that follows for these keys is worked out.
        """


@dataclass(eq=False, slots=True)
class WriteTask:
    """An entry of a book, or without a book a job, with its outcome."""

    asked: Any
    book: EntryBook | None = None
    together: bool = False  # whether its book writes it with its neighbours
    after: Callable[[Any], None] | None = None  # of a job
    answer: Future[Any] = field(default_factory=Future)
    result: Any = None
    error: BaseException | None = None
    until: float = inf  # the moment at which its caller is answered in any case


class Writer:
    """Owns the connection that writes.

    `on_lost` is called when a commit failed after jobs had run, when an `after` raised, or when
    the claim had to be taken again: everything in memory must be read from the store again. Where
    it raises, memory stays `lost`: it is called again before the next commit.
    """

    def __init__(self, engine: Engine, prepare: Callable[[Connection], None]) -> None:
        """`prepare` sees every new connection before its first use."""
        self.on_lost: Callable[[], None] = lambda: None
        self.lost = False
        self.patience = inf  # seconds that a caller waits for what follows from a durable entry
        self._engine = engine
        self._prepare = prepare
        self._connection: Connection | None = None
        self._tasks: SimpleQueue[WriteTask | None] = SimpleQueue()
        self._queue_lock = Lock()  # nothing may follow the None that ends the thread
        self._closed = False
        self._owed: deque[WriteTask] = deque()  # durable, and perhaps not answered yet
        self._together, self._took = 1, 0.0  # tasks of the last commit, and its seconds
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
        self.refuse_own_thread()
        result: T = self.enter(job, after=after).result()
        return result

    def refuse_own_thread(self) -> None:
        """Raise RuntimeError in the writer's thread, which would wait for itself."""
        if current_thread() is self._thread:
            raise RuntimeError("a job of the writer waits for another: it would wait for ever")

    def enter(
        self,
        asked: Any,
        book: EntryBook | None = None,
        after: Callable[[Any], None] | None = None,
        *,
        together: bool = False,
    ) -> Future[Any]:
        """Have a book write an entry, or without one a job run; its outcome, once it is durable.

        Neighbouring entries that may be written `together` are handed to their book at once.
        """
        task = WriteTask(asked, book, together, after)
        task.answer.set_running_or_notify_cancel()  # who no longer waits cancels no entry
        with self._queue_lock:
            if self._closed:
                raise StoreError.of("store_closed")
            self._tasks.put(task)
        return task.answer

    def clean(self) -> None:
        """Leave nothing of what was overwritten in the files; in the writer's thread, once it is
        durable. Where readers are in the way it is tried again, until it is done.
        """
        self._unclean = True
        self._write_back()

    def restore(self) -> None:
        """Have everything in memory read again; in the writer's thread."""
        self.lost = True
        self.on_lost()
        self.lost = False

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
                waits = self._unclean or self._ahead or self._owed
                first = self._tasks.get(timeout=IDLE_SECONDS if waits else None)
            except Empty:
                self._answer([])
                self._write_back()
                continue
            if first is None:
                break
            group = [first]
            try:
                self._commit(group)
            except BaseException as error:  # of `on_lost`: no caller waits for ever
                fail_tasks(group, self._engine.url, error)
            if self._unclean:
                self._write_back()
            self._answer(group)
        answer_callers(self._owed)
        self._unclean |= self._ahead  # a copy of the file then holds all
        self._write_back()
        self._drop()

    def _answer(self, group: list[WriteTask]) -> None:
        """Answer jobs and what was refused, and who has waited long enough for what follows.

        That is waited for a moment, unless earlier ones are late: more come meanwhile, and what is
        written together costs less.
        """
        late, now = bool(self._owed), monotonic()
        answer_callers(one for one in group if one.book is None or one.error is not None)
        for one in group:
            if one.book is not None and one.error is None:
                one.until = now + self.patience
                self._owed.append(one)
        if self._owed and not late:
            with suppress(Exception):  # it is told elsewhere
                self._owed[-1].answer.exception(TOGETHER_SECONDS)
        while self._owed and (self._owed[0].until <= now or self._owed[0].answer.done()):
            answer_callers([self._owed.popleft()])

    def _gather(self, group: list[WriteTask], end: float = 0.0) -> None:
        """Add the tasks that wait; until a moment wait for as many as were written together last.

        Their callers often ask again together, and to write many costs little more than few.
        """
        with suppress(Empty):
            while len(group) < MAX_TASKS:
                wait = end - monotonic() if len(group) < self._together else 0.0
                task = self._tasks.get(timeout=max(0.0, wait))
                if task is None:
                    self._tasks.put(None)
                    break
                group.append(task)

    def _write_back(self) -> None:
        """Bring the file of the store up to date, as no job waits or to leave it clean."""
        if self._connection is not None and (self._unclean or self._ahead):
            with suppress(Exception):  # what is committed stays so: it is tried again
                self._ahead = not write_back_log(self._connection, empty=self._unclean)
                self._unclean &= self._ahead

    def _commit(self, group: list[WriteTask]) -> None:
        """Run tasks and those that come meanwhile, make all durable and call what follows them.

        Errors are noted in the tasks.
        """
        self._gather(group, monotonic() + min(self._took, TOGETHER_SECONDS))
        try:
            if self.lost:
                self.restore()
            connection = self._begin()
        except Exception as error:
            fail_tasks(group, self._engine.url, error)
            return
        try:
            began, done = monotonic(), 0
            while done < len(group):
                run_tasks(connection, group[done:])
                done = len(group)
                self._gather(group)
            connection.commit()
            self._together, self._took = len(group), monotonic() - began
            self._ahead = True
        except BaseException as error:
            fail_tasks(group, self._engine.url, error)
            self._drop()
            self.restore()
        written = [one for one in group if one.error is None]
        following: list[tuple[Callable[[], None], list[WriteTask]]] = [
            (partial(one.after, one.result), [one]) for one in written if one.after is not None
        ]
        entered: defaultdict[tuple[EntryBook, Sequence[str]], list[WriteTask]] = defaultdict(list)
        for one in written:
            if one.book is not None:
                entered[one.book, one.result.changed].append(one)
        following += [
            (partial(book.publish, changed, partial(answer_callers, tasks)), tasks)
            for (book, changed), tasks in entered.items()
        ]
        for follow, tasks in following:
            try:
                follow()
            except BaseException as error:
                for one in tasks:
                    one.error = error
                self.restore()

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
            if connection.dialect.name != SQLITE:
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


def answer_callers(tasks: Iterable[WriteTask]) -> None:
    """Answer the callers of tasks, in any thread, but for those who are answered."""
    for one in tasks:
        with suppress(InvalidStateError):
            if one.error is None:
                one.answer.set_result(one.result)
            else:
                one.answer.set_exception(one.error)


def run_tasks(connection: Connection, group: list[WriteTask]) -> None:
    """Run tasks in order, neighbours of one book together; their outcomes are noted."""
    for _, those in groupby(group, key=lambda one: one.book if one.together else id(one)):
        tasks = list(those)
        book = tasks[0].book
        if book is None:
            outcomes = [attempt(connection, one.asked) for one in tasks]
        else:
            outcomes = book.enter(connection, [one.asked for one in tasks])
        for one, outcome in zip(tasks, outcomes, strict=True):
            if isinstance(outcome, BaseException):
                one.error = outcome
            else:
                one.result = outcome


def attempt(connection: Connection, job: Callable[[Connection], T]) -> T | BaseException:
    """What a job returns, or the exception that it raised: then what it wrote is undone.

    An error that spoils the transaction is raised.
    """
    connection.exec_driver_sql("SAVEPOINT job")
    try:
        result = job(connection)
        connection.exec_driver_sql("RELEASE SAVEPOINT job")
        return result
    except BaseException as error:
        try:
            connection.exec_driver_sql("ROLLBACK TO SAVEPOINT job")
        except Exception:
            raise error from None
        return out_of_reach(connection.engine.url, error) if tells_of_damage(error) else error


def fail_tasks(group: list[WriteTask], url: URL, error: BaseException) -> None:
    """Every task that has no error of its own gets one about the whole group."""
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
    return StoreError.of("nothing_written", fault=type(error).__name__, said=said)
