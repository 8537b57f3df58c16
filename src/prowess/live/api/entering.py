"""How an entry comes in over HTTP: previewed or committed, on condition, once, and noted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from fastapi import Request
from sqlalchemy import Connection, Executable
from starlette.responses import Response

from prowess.live.api import serializers
from prowess.live.api.problems import Problem, find_problem
from prowess.live.api.responses import answer_key, json_response
from prowess.live.errors import Stale
from prowess.live.journal.journal import Journal
from prowess.live.journal.outcomes import CommitResult
from prowess.live.journal.unit_of_work import UnitOfWork, WriteAct
from prowess.live.store import access
from prowess.live.store.access import Actor

T = TypeVar("T")
OF_RESULT = re.compile(r'"v(\d{1,18})"')
OF_ALL = re.compile(r'"r(\d{1,18})(?:-[^"]*)?"')


@dataclass(frozen=True)
class Wrapped:
    """An entry with something about it, of the same kind and scope."""

    entry: WriteAct

    @property
    def kind(self) -> str:
        """That of the entry."""
        return self.entry.kind

    @property
    def scope(self) -> str:
        """That of the entry."""
        return self.entry.scope


@dataclass(frozen=True)
class Unchanged(Wrapped):
    """An entry about a result that must still be in the version its editor saw."""

    result: int
    revision: int

    def stage(self, draft: UnitOfWork) -> None:
        """See Entry; raises Stale where the result was changed since."""
        (before,) = draft.current([self.result])
        if before.row["revision"] != self.revision:
            raise Stale(
                "stale",
                f"revision {before.row['revision']} changed result {self.result}; look again",
            )
        self.entry.stage(draft)


@dataclass(frozen=True)
class Noted(Wrapped):
    """An entry and its line of the audit log, in one commit: none is there without the other."""

    line: Callable[[str], Executable]  # about a target

    def stage(self, draft: UnitOfWork) -> None:
        """See Entry."""
        self.entry.stage(draft)
        if not draft.empty:
            draft.statements.append(self.line(target(draft)))


def target(draft: UnitOfWork) -> str:
    """What an entry is about, by numbers: a name may be forgotten, the log of who did it not."""
    player = draft.detail.get("player")
    whom = "" if player is None else f"player {player}, "
    return f"{whom}revision {draft.revision}"


@dataclass(frozen=True)
class Entering:
    """A request that enters something."""

    desk: Journal
    request: Request
    actor: Actor
    key: str | None = None  # Idempotency-Key
    body: str = ""

    def outlook(self, entry: WriteAct, result: int | None = None) -> Response:
        """The answer that says who would move; nothing changes."""
        entry, since = self.conditioned(entry, result)
        found = self.desk.preview(entry, self.actor, if_revision=since)
        told = serializers.outlook(found)
        return json_response(self.request, told, etag=f"r{found.revision}")

    def commit(self, entry: WriteAct, result: int | None = None) -> CommitResult:
        """Enter it, and note who did; raises what the desk raises."""
        entry, since = self.conditioned(entry, result)
        answer = answer_key(self.request, self.key, self.body)
        try:
            return self.desk.commit(
                self.with_line(entry), self.actor, if_revision=since, answer=answer
            )
        except Exception as error:
            problem = find_problem(error)
            if problem is not None and problem.status < 500:
                self.note(entry.kind, self.route, f"refused: {problem.code}")
            raise

    def conditioned(self, entry: WriteAct, result: int | None) -> tuple[WriteAct, int | None]:
        """What If-Match demands: a version of the result, or that nothing at all was entered."""
        given = self.request.headers.get("if-match")
        if given is None or given.strip() == "*":
            return entry, None
        if (found := OF_RESULT.fullmatch(given.strip())) and result is not None:
            wrapped: Any = Unchanged(entry, result, int(found[1]))
            return wrapped, None
        if found := OF_ALL.fullmatch(given.strip()):
            return entry, int(found[1])
        raise Problem(412, "stale", f"If-Match {given} is no tag of this; take the ETag as it came")

    def once(self, kind: str, work: Callable[[Connection, int], dict[str, int]]) -> CommitResult:
        """Do something that is no entry in the books, once for an Idempotency-Key, and note it."""
        from prowess.live.store import idempotency

        answer = answer_key(self.request, self.key, self.body)
        now = self.desk.clock()

        def job(connection: Connection) -> CommitResult:
            own = self.actor.token
            if answer is not None and own is not None:
                earlier = idempotency.find_answer(connection, own, answer.key, answer.request)
                if earlier is not None:
                    return CommitResult.from_data(earlier)
            receipt = CommitResult(kind, self.desk.revision, now, (), work(connection, now))
            if answer is not None and own is not None:
                data = receipt.as_data()
                idempotency.keep_answer(connection, own, answer.key, answer.request, data, now=now)
            target = ", ".join(f"{what} {number}" for what, number in receipt.numbers.items())
            self.noted(connection, kind, target, access.DONE)
            return receipt

        return self.desk.store.writer.do(job)

    def with_line(self, entry: WriteAct) -> WriteAct:
        """The entry with its line of the audit log."""
        return cast(
            WriteAct,
            Noted(entry, lambda target: self.line(entry.kind, target, access.DONE)),
        )

    def note(self, action: str, target: str, outcome: str) -> None:
        """A line of the audit log; it holds numbers, never a name."""
        self.desk.store.writer.do(lambda c: self.noted(c, action, target, outcome))

    def noted(self, connection: Connection, action: str, target: str, outcome: str) -> None:
        """The same, within a job of the writer."""
        connection.execute(self.line(action, target, outcome))

    def line(self, action: str, target: str, outcome: str) -> Executable:
        """What adds a line to the audit log."""
        state = self.request.state
        now = self.desk.clock()
        return access.build_line(
            self.actor, action, target, outcome, state.address, state.id, now=now
        )

    @property
    def route(self) -> str:
        """The pattern of the address, without what stands in it."""
        path: str = getattr(self.request.scope.get("route"), "path", "")
        return f"{self.request.method} {path}"
