"""The request of a write act: preview or commit, If-Match, idempotency and audit log."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Executable
from starlette.responses import Response

from prowess.live.api.calls import Call, JsonResponse, etag_headers
from prowess.live.api.encoding import find_problem
from prowess.live.api.serializers import serialize_preview
from prowess.live.errors import Stale
from prowess.live.journal.unit_of_work import CommitResult, UnitOfWork, WriteAct
from prowess.live.store import access
from prowess.live.store.access import IdempotencyKey

OF_RESULT = re.compile(r'"v(\d{1,18})(?:-gzip)?"')  # the ETag of a result
REVISION_TAG = re.compile(r'"r(\d{1,18})(?:-[^"]*)?"')  # and that of anything else
AUDITED_RESULTS = 20  # whose numbers stand in a line of the audit log


@dataclass(frozen=True)
class WriteRequest:
    """A request that writes: Idempotency-Key, and the player that it is about.

    `mark` says what a form asks for; that of a call of the API are its bytes.
    """

    call: Call
    key: str | None = None
    player: int | None = None
    mark: str | None = None

    def preview(self, act: WriteAct, result: int | None = None) -> Response:
        """Respond with the ratings that would change; nothing is written."""
        found = self.call.journal.preview(act, self.call.actor, **self._read_condition(result))
        data = serialize_preview(found)
        return JsonResponse(data, headers=etag_headers(f"r{found.revision}"))

    def commit(
        self,
        act: WriteAct,
        result: int | None = None,
        checks: Sequence[Callable[[UnitOfWork], None]] = (),
    ) -> CommitResult:
        """Commit an act and its audit line; raises what the journal raises."""
        given = self._read_condition(result)
        answer = answer_key(self.call, self.key, self.mark)
        try:
            return self.call.journal.commit(
                act, self.call.actor, **given, answer=answer, checks=(*checks, self._audit)
            )
        except Exception as error:
            problem = find_problem(error)
            if problem is not None and problem.status < 500:
                route = getattr(self.call.request.scope.get("route"), "path", "")
                target = f"{self.call.request.method} {route}"
                line = self._line(act.kind, target, f"refused: {problem.code}")
                self.call.journal.store.writer.do(lambda connection: connection.execute(line))
            raise

    def run_once(
        self, kind: str, work: Callable[[Connection, int], dict[str, int]]
    ) -> CommitResult:
        """Run a write outside the journal once per Idempotency-Key; audit it if it has numbers."""
        answer = answer_key(self.call, self.key, self.mark)
        now = self.call.journal.clock()

        def job(connection: Connection) -> CommitResult:
            answers = access.Answers(connection, [answer])
            earlier = None if answer is None else answers.find(answer, kind)
            if earlier is not None:
                return CommitResult.from_data(earlier)
            done = CommitResult(kind, self.call.journal.revision, now, (), work(connection, now))
            if answer is not None:
                answers.add(answer, done.as_data(), now)
                answers.keep(connection)
            target = ", ".join(f"{what} {number}" for what, number in done.numbers.items())
            if target:
                connection.execute(self._line(kind, target, access.AUDIT_DONE))
            return done

        return self.call.journal.store.writer.do(job)

    def _read_condition(self, result: int | None) -> dict[str, Any]:
        """The condition of If-Match: fields of an entry, of which a `result` may have its own."""
        given = self.call.request.headers.get("if-match", "*").strip()
        if given == "*":
            return {}
        if (found := OF_RESULT.fullmatch(given)) and result is not None:
            return {"if_version": (result, int(found[1]))}
        if found := REVISION_TAG.fullmatch(given):
            return {"if_revision": int(found[1])}
        raise Stale.of("stale.etag", given=given)

    def _audit(self, unit: UnitOfWork) -> None:
        """Add the line of the audit log to what an act writes."""
        if unit.empty:
            return
        # Numbers only: the audit log stays when a name is forgotten.
        player = unit.detail.get("player")
        target = "" if player is None else f"player {player}, "
        if unit.changes_results and unit.statuses:
            numbers = [str(one.id) for one in unit.statuses[:AUDITED_RESULTS]]
            more = " ..." if len(unit.statuses) > AUDITED_RESULTS else ""
            target = f"results {' '.join(numbers)}{more}, "
        target = f"{target}revision {unit.revision}"
        unit.statements.append(self._line(unit.kind, target, access.AUDIT_DONE))

    def _line(self, action: str, target: str, outcome: str) -> Executable:
        """Build the statement that adds a line, without names, to the audit log."""
        state, now = self.call.request.state, self.call.journal.clock()
        return access.build_line(
            self.call.actor, action, target, outcome, state.address, state.id, now=now
        )


def answer_key(call: Call, key: str | None, mark: str | None = None) -> IdempotencyKey | None:
    """The Idempotency-Key with the fingerprint of its request: method, address and bytes.

    None without a key or a token. `mark` is the hash of the bytes, unless `calls.read_sent` has
    noted it. A fingerprint of parsed values would change with every version that adds a field.
    """
    request, token = call.request, call.actor.token
    if not key or token is None:
        return None
    path = request.scope["path"].encode("utf-8", "surrogatepass")
    found = sha256(b"%s %s?%s\n" % (request.method.encode(), path, request.scope["query_string"]))
    found.update((mark or request.state.mark).encode())
    return IdempotencyKey(token, key, f"{access.OF_BYTES}{found.hexdigest()}")
