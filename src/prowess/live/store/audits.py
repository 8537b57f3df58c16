"""The audit log: who tried what, from where, and whether it was done."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, Executable, insert, select

from prowess.live.store.tables import audit, token
from prowess.live.store.tokens import Actor

DONE = "done"  # the outcome of what was allowed; anything else says why it was not
NOTE = insert(audit)


class AuditRow(NamedTuple):
    """One line of the log; `at` in microseconds."""

    id: int
    at: int
    token_id: int | None  # None: the command line, or nobody known
    name: str | None  # of the token
    action: str
    target: str
    outcome: str
    address: str | None
    request_id: str | None


def line(
    actor: Actor | None,
    action: str,
    target: str,
    outcome: str = DONE,
    address: str | None = None,
    request_id: str | None = None,
    *,
    now: int,
) -> Executable:
    """What adds a line; an actor of None is somebody who showed no valid token."""
    return NOTE.values(
        at=now,
        token_id=None if actor is None else actor.token,
        action=action,
        target=target,
        outcome=outcome,
        address=address,
        request_id=request_id,
    )


def noted(
    connection: Connection,
    actor: Actor | None,
    action: str,
    target: str,
    outcome: str = DONE,
    address: str | None = None,
    request_id: str | None = None,
    *,
    now: int,
) -> None:
    """Add a line."""
    connection.execute(line(actor, action, target, outcome, address, request_id, now=now))


def listed(connection: Connection, limit: int = 100, before: int | None = None) -> list[AuditRow]:
    """The last lines, newest first; `before` is the number of a line already seen."""
    columns = [token.c.name if name == "name" else audit.c[name] for name in AuditRow._fields]
    query = select(*columns).select_from(audit.outerjoin(token)).order_by(audit.c.id.desc())
    if before is not None:
        query = query.where(audit.c.id < before)
    return [AuditRow(*row) for row in connection.execute(query.limit(limit))]
