"""Results on their way: a queue in a file that survives crashes and lost connections.

What is put in is durable when `put` returns. It leaves the queue when the server has
acknowledged it, or stays with the reason when the server has refused it. Every result has an
external number, so that one that is sent again, by whichever process, counts once.
"""

from __future__ import annotations

import json
import random
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from prowess.live.client.client import Client, Result
from prowess.live.client.connection import Away, Fault, Problem, build_fault
from prowess.live.errors import LiveError
from prowess.version import keep_old_method

REQUEST_RESULTS = 500  # in one request
LEASE = 120.0  # seconds for which a process keeps what it is sending to itself
PAUSE, LONGEST_PAUSE = 1.0, 300.0  # seconds until the next attempt
LOCK_SECONDS = 60.0  # to wait for another process that writes to the file
QUEUE_SCHEMA = """
CREATE TABLE IF NOT EXISTS result (
    number INTEGER PRIMARY KEY,
    external_id TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL,
    leased REAL NOT NULL DEFAULT 0,
    refusal TEXT
)
"""


class BadOutbox(LiveError):
    """The file cannot be used as a queue, or a result cannot be queued."""


class Refusal(NamedTuple):
    """A result that the server does not take, and why."""

    external_id: str
    result: Result
    fault: Fault


class Sent(NamedTuple):
    """What became of an attempt, in numbers of results."""

    acknowledged: int
    refused: int
    waiting: int  # still in the queue


class Outbox:
    """A queue of results in a file, shared by any number of threads and processes."""

    def __init__(self, path: str | Path) -> None:
        """Open the file, or create it; raises BadOutbox."""
        self.path = Path(path)
        with self._transaction() as connection:
            connection.execute(QUEUE_SCHEMA)

    def put(self, result: Result) -> str:
        """Queue a result; returns its external number. It is durable when this returns.

        A result without a time gets the current time. Raises BadOutbox if the queue holds a
        different result with the same number.
        """
        return self.put_many([result])[0]

    def put_many(self, results: Iterable[Result]) -> list[str]:
        """Queue all results, or none."""
        numbers = []
        with self._transaction() as connection:
            for result in results:
                whole = result.copy()
                whole.setdefault("time", datetime.now(UTC).isoformat())
                number = whole.setdefault("external_id", str(uuid.uuid4()))
                self._insert(connection, number, whole, stated="time" in result)
                numbers.append(number)
        return numbers

    def __len__(self) -> int:
        """Number of results that are not acknowledged yet."""
        with self._connect() as connection:
            return _count_waiting(connection)

    def refusals(self) -> list[Refusal]:
        """The results that the server refused, oldest first."""
        chosen = (
            "SELECT external_id, body, refusal FROM result"
            " WHERE refusal IS NOT NULL ORDER BY number"
        )
        with self._connect() as connection:
            rows = connection.execute(chosen).fetchall()
        return [Refusal(n, json.loads(body), Fault(*json.loads(why))) for n, body, why in rows]

    refused = keep_old_method("prowess.live.client.Outbox.refused")

    def retry(self, external_id: str) -> None:
        """Queue a refused result again, for instance after the server was reconfigured."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE result SET refusal = NULL, leased = 0 WHERE external_id = ?", (external_id,)
            )

    def drop(self, external_id: str) -> None:
        """Delete a refused result from the queue."""
        with self._transaction() as connection:
            connection.execute(
                "DELETE FROM result WHERE external_id = ? AND refusal IS NOT NULL", (external_id,)
            )

    def send(self, client: Client) -> Sent:
        """Send all waiting results once, oldest first; raises Away, Problem."""
        acknowledged = refused = 0
        while batch := self._lease():
            try:
                refusals = _offer(client, [body for _, body in batch])
            except BaseException:
                self._unlease([number for number, _ in batch])
                raise
            self._settle([number for number, _ in batch], refusals)
            refused += len(refusals)
            acknowledged += len(batch) - len(refusals)
        return Sent(acknowledged, refused, len(self))

    def run(self, client: Client, stop: threading.Event, idle: float = 1.0) -> None:
        """Send results until `stop` is set; `idle` is the seconds between two looks at the queue.

        After a failure, attempts follow at growing intervals.
        """
        pause = PAUSE
        while not stop.is_set():
            try:
                self.send(client)
            except (Away, Problem) as error:
                retry_after = error.retry_after if isinstance(error, Problem) else None
                wait = max(retry_after or 0.0, pause * random.uniform(0.5, 1.0))
                pause = min(2.0 * pause, LONGEST_PAUSE)
            else:
                wait, pause = idle, PAUSE
            stop.wait(wait)

    # -- the file --

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        """Open a connection for one operation: threads and forked processes share none."""
        try:
            with closing(
                sqlite3.connect(self.path, timeout=LOCK_SECONDS, isolation_level=None)
            ) as connection:
                connection.execute("PRAGMA synchronous = EXTRA")
                yield connection
        except sqlite3.Error as error:
            raise BadOutbox.of("queue_not_opened", path=self.path, error=error) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction: committed at the end, rolled back after an exception."""
        with self._connect() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _insert(
        self, connection: sqlite3.Connection, number: str, whole: Result, *, stated: bool
    ) -> None:
        """Queue one result; queueing the same again changes nothing."""
        there = connection.execute(
            "SELECT body FROM result WHERE external_id = ?", (number,)
        ).fetchone()
        if there is None:
            connection.execute(
                "INSERT INTO result (external_id, body) VALUES (?, ?)", (number, json.dumps(whole))
            )
            return
        before = json.loads(there[0])
        if not stated:
            whole["time"] = before["time"]
        if before != whole:
            raise BadOutbox.of("already_queued", number=number)

    def _lease(self) -> list[tuple[int, str]]:
        """Lease the next results that no other process is sending; returns (number, body)."""
        now = time.time()
        with self._transaction() as connection:
            batch = connection.execute(
                "SELECT number, body FROM result WHERE refusal IS NULL AND leased <= ?"
                " ORDER BY number LIMIT ?",
                (now, REQUEST_RESULTS),
            ).fetchall()
            connection.executemany(
                "UPDATE result SET leased = ? WHERE number = ?",
                [(now + LEASE, number) for number, _ in batch],
            )
        return batch

    def _unlease(self, numbers: list[int]) -> None:
        with self._transaction() as connection:
            connection.executemany(
                "UPDATE result SET leased = 0 WHERE number = ?", [(one,) for one in numbers]
            )

    def _settle(self, numbers: list[int], refusals: dict[int, Fault]) -> None:
        """Delete the acknowledged results and mark the refused ones (by index in the batch)."""
        with self._transaction() as connection:
            connection.executemany(
                "UPDATE result SET refusal = ? WHERE number = ?",
                [(json.dumps(why), numbers[row]) for row, why in refusals.items()],
            )
            connection.executemany(
                "DELETE FROM result WHERE number = ?",
                [(one,) for row, one in enumerate(numbers) if row not in refusals],
            )


def _count_waiting(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT count(*) FROM result WHERE refusal IS NULL").fetchone()
    return int(row[0])


def _offer(client: Client, bodies: list[str]) -> dict[int, Fault]:
    """Send results; returns the errors of those that the server refuses, by index.

    If the server refuses a whole request, its halves are sent separately, so that one bad
    result does not block the others.
    """
    try:
        answer = client.submit_many([json.loads(body) for body in bodies], on_error="skip")
    except Problem as error:
        if error.passing:
            raise
        data = {one.row: one for one in reversed(error.errors) if one.row is not None}
        if data.keys() == set(range(len(bodies))):
            return data
        if len(bodies) == 1:
            return {0: Fault(error.code, error.detail, None, 0)}
        half = len(bodies) // 2
        later = _offer(client, bodies[half:])
        return _offer(client, bodies[:half]) | {half + row: why for row, why in later.items()}
    return {
        row["row"]: build_fault(row["error"])
        for row in answer["results"]
        if row["status"] == "refused"
    }
