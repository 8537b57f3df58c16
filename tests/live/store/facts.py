"""Facts written straight into the tables, as an entry would write them."""

from __future__ import annotations

from itertools import count
from threading import Event, Thread
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select, update

from prowess.live.store.store import Store
from prowess.live.store.tables import (
    audit,
    category,
    identity,
    name,
    placing,
    player,
    result,
    revision,
    version,
)

LINE = {"at": 1, "action": "test", "outcome": "done"}


def line(target: object) -> Any:
    """A job that writes one line of the audit log."""
    return lambda connection: connection.execute(insert(audit), LINE | {"target": str(target)})


def targets(store: Store) -> list[str]:
    """The lines there are, in order."""
    with store.read() as connection:
        return list(connection.scalars(select(audit.c.target).order_by(audit.c.id)))


def together(store: Store, *jobs: Any) -> list[Any]:
    """Give all jobs to the writer so that one commit takes them; the answers or errors."""
    blocked, ready = Event(), Event()

    def gate(connection: Connection) -> None:
        blocked.set()
        assert ready.wait(30)

    answers: list[Any] = [None] * (1 + len(jobs))  # of the gate too, which is first

    def ask(place: int, *job: Any) -> None:
        try:
            answers[place] = store.writer.do(*job)
        except Exception as error:
            answers[place] = error

    threads = [Thread(target=ask, args=(0, gate))]
    for place, job in enumerate(jobs, start=1):
        threads.append(
            Thread(target=ask, args=(place, *(job if isinstance(job, tuple) else [job])))
        )
    threads[0].start()
    assert blocked.wait(30)
    for waiting, thread in enumerate(threads[1:], start=1):
        thread.start()
        while store.writer._tasks.qsize() < waiting:
            thread.join(0.001)
    ready.set()
    for thread in threads:
        thread.join()
    return answers[1:]


class Book:
    """Writes facts with gap-free revisions."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.next = count(1 + (connection.scalar(select(func.max(revision.c.id))) or 0))

    def revise(self, kind: str, category_id: int | None = None, reason: str | None = None) -> int:
        """A new revision."""
        number = next(self.next)
        row = {"id": number, "at": 1000, "kind": kind, "category_id": category_id,
               "reason": reason, "detail": {}}  # fmt: skip
        self.connection.execute(insert(revision), row)
        return number

    def numbered(self, table: Table, row: dict[str, Any]) -> int:
        """Add a row; the number it got."""
        answer = self.connection.execute(insert(table).returning(table.c.id), row)
        number: int = answer.scalar_one()
        return number

    def begin(self, key: str) -> int:
        """A category."""
        row = {"key": key, "name": key, "kind": "games", "extra": [],
               "created_revision": self.revise("category")}  # fmt: skip
        return self.numbered(category, row)

    def enrol(self, called: str) -> int:
        """A player with his name as his first spelling."""
        row = {"name": called, "created_revision": self.revise("player"), "anonymous": False}
        number = self.numbered(player, row)
        self.spell(number, called)
        return number

    def spell(self, number: int, called: str) -> None:
        """Another spelling."""
        self.connection.execute(insert(name), {"name": called, "player_id": number})

    def merge(self, number: int, into: int) -> None:
        """One player turns out to be another."""
        at = self.revise("merge")
        row = {"revision": at, "player_id": number, "merged_into": into}
        self.connection.execute(insert(identity), row)
        self.connection.execute(
            update(player).where(player.c.id == number).values(merged_into=into)
        )

    def record(self, where: int, a: int | None, b: int | None, score: float | None,
               source: str = "test", places: dict[int, float] | None = None) -> int:  # fmt: skip
        """A game, or a contest."""
        at = self.revise("record", where)
        row = {"category_id": where, "source": source, "external_id": f"x{at}",
               "created_revision": at, "revision": at}  # fmt: skip
        number = self.numbered(result, row)
        self.say(number, at, "counts", a, b, score)
        for side, (one, place) in enumerate(sorted((places or {}).items())):
            row = {"result_id": number, "revision": at, "player_id": one, "side": side,
                   "place": place}  # fmt: skip
            self.connection.execute(insert(placing), row)
        return number

    def revisit(self, number: int, kind: str, state: str, a: int | None, b: int | None,
                score: float | None) -> None:  # fmt: skip
        """A new version of a result."""
        at = self.revise(kind, reason="because")
        self.say(number, at, state, a, b, score)
        self.connection.execute(update(result).where(result.c.id == number).values(revision=at))

    def say(self, number: int, at: int, state: str, a: Any, b: Any, score: Any) -> None:
        """A version."""
        row = {"result_id": number, "revision": at, "state": state, "time": 5, "a": a, "b": b,
               "score": score, "weight": 1.0}  # fmt: skip
        self.connection.execute(insert(version), row)
