"""Access: tokens, browser sessions and the audit log. The store keeps hashes of secrets only."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe
from typing import Any, NamedTuple

from sqlalchemy import (
    BindParameter,
    Connection,
    Executable,
    Row,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from prowess.live.errors import Conflict, WrongUse
from prowess.live.result import DAY
from prowess.live.store.tables import answer, audit, session, token

PREFIX = "prw_"  # so that secrets are found where they should not lie
BYTES = 32
START = len(PREFIX) + 4  # letters kept, to tell tokens apart
SCOPES = ("read", "submit", "correct", "admin")
ADMIN = "admin"  # includes the others
NOW: BindParameter[int] = bindparam("now")
IS_VALID = token.c.revoked.is_(None) & (token.c.expires.is_(None) | (token.c.expires > NOW))
OF_SECRET = select(token).where(token.c.hash == bindparam("mark"), IS_VALID)


class NoToken(WrongUse):
    """There is no such token, or it cannot be made."""


class Actor(NamedTuple):
    """The author of a write act: a token, or the command line."""

    token: int | None  # None: the command line
    name: str
    scopes: frozenset[str]
    source: str | None  # the only one they may speak for; None: any
    review: bool  # whether submitted results wait for acceptance

    def may(self, scope: str) -> bool:
        """Whether the actor has a scope."""
        return scope in self.scopes or ADMIN in self.scopes

    @classmethod
    def console(cls) -> Actor:
        """The actor of the command line."""
        return cls(None, "console", frozenset(SCOPES), None, review=False)


class TokenRow(NamedTuple):
    """A token as it may be shown; times in microseconds."""

    id: int
    name: str
    start: str
    scopes: tuple[str, ...]
    source: str | None
    review: bool
    created: int
    expires: int | None
    revoked: int | None


def make_token(
    connection: Connection,
    name: str,
    scopes: Iterable[str],
    source: str | None = None,
    review: bool = False,
    expires: int | None = None,
    *,
    now: int,
) -> tuple[str, int]:
    """A new token: its secret, which nothing can show again, and its number."""
    wanted = set(scopes)
    unknown = sorted(wanted - set(SCOPES))
    if unknown or not wanted:
        raise NoToken(
            f"give scopes of {', '.join(SCOPES)}; not {', '.join(unknown) or 'none'}",
            code="unknown_scope",
        )
    if not name.strip():
        raise NoToken(
            "give the token a name: that of the person or program that will use it",
            code="token_without_name",
        )
    if expires is not None and expires <= now:
        raise NoToken(
            "give a later day: the token would have expired already", code="token_expired"
        )
    secret = PREFIX + token_urlsafe(BYTES)
    row = {
        "name": name,
        "start": secret[:START],
        "hash": hash_secret(secret),
        "scopes": [scope for scope in SCOPES if scope in wanted],
        "source": source,
        "review": review,
        "created": now,
        "expires": expires,
    }
    return secret, connection.execute(insert(token).returning(token.c.id), row).scalar_one()


def find_actor(connection: Connection, secret: str, now: int) -> Actor | None:
    """The actor of a secret; None if it is unknown, has expired or was revoked."""
    mark = hash_secret(secret)
    row = connection.execute(OF_SECRET, {"mark": mark, "now": now}).one_or_none()
    return None if row is None or not compare_digest(row.hash, mark) else actor_of(row)


def find_closed(connection: Connection, numbers: Collection[int], now: int) -> set[int]:
    """Which of these tokens are no longer valid."""
    valid = select(token.c.id).where(token.c.id.in_(numbers), IS_VALID)
    return set(numbers) - set(connection.scalars(valid, {"now": now}))


def actor_of(row: Row[Any]) -> Actor:
    """The actor who shows a token, given its row.

    A token that submits and was given no source has its name: with a source of another reporter it
    could take that reporter's external numbers. A token of an administrator takes any source.
    """
    source, scopes = row.source, frozenset(row.scopes)
    if source is None and "submit" in scopes and ADMIN not in scopes:
        source = row.name
    return Actor(row.id, row.name, scopes, source, row.review)


def revoke_token(connection: Connection, number: int, now: int) -> None:
    """Revoke a token; one revoked earlier keeps its time."""
    row = connection.execute(select(token.c.revoked).where(token.c.id == number)).one_or_none()
    if row is None:
        raise NoToken(
            f"there is no token {number}; `prowess token list` shows all", code="no_such_token"
        )
    if row.revoked is None:
        connection.execute(update(token).where(token.c.id == number).values(revoked=now))


def list_tokens(connection: Connection) -> list[TokenRow]:
    """All tokens there ever were, by number."""
    columns = [token.c[name] for name in TokenRow._fields]
    rows = connection.execute(select(*columns).order_by(token.c.id))
    return [
        TokenRow(**row._mapping)._replace(scopes=tuple(row.scopes), source=actor_of(row).source)
        for row in rows
    ]


def hash_secret(secret: str) -> str:
    """The SHA-256 of a secret, which the store keeps: 32 random bytes need no slow hash."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


# -- sessions: they end on sign-out, after half a day without use, and with their token --


LASTS = DAY // 2  # microseconds
RENEWED = DAY // 24  # after so long a session that is used is prolonged


class SignIn(NamedTuple):
    """A valid session: its actor, and when it ends, in microseconds."""

    actor: Actor
    expires: int


def begin_session(connection: Connection, number: int, now: int) -> str:
    """Sign a browser in with a token; the secret for its cookie, which nothing can show again."""
    connection.execute(delete(session).where(session.c.expires <= now))
    secret = token_urlsafe(32)
    row = {"hash": hash_secret(secret), "token_id": number, "created": now, "expires": now + LASTS}
    connection.execute(insert(session), row)
    return secret


def find_session(connection: Connection, secret: str, now: int) -> SignIn | None:
    """The session of a cookie; None where there is none, or where it or its token has ended."""
    query = (
        select(token, session.c.expires.label("until"))
        .join(session, session.c.token_id == token.c.id)
        .where(session.c.hash == hash_secret(secret), session.c.expires > NOW, IS_VALID)
    )
    row = connection.execute(query, {"now": now}).one_or_none()
    return None if row is None else SignIn(actor_of(row), row.until)


def prolong_session(connection: Connection, secret: str, now: int) -> None:
    """Move the end of a session that is used; one that has ended stays so."""
    own = (session.c.hash == hash_secret(secret)) & (session.c.expires > now)
    connection.execute(update(session).where(own).values(expires=now + LASTS))


def end_session(connection: Connection, secret: str) -> None:
    """Sign a browser out."""
    connection.execute(delete(session).where(session.c.hash == hash_secret(secret)))


# -- audit log --


DONE = "done"  # the outcome of what was allowed; anything else says why it was not
NOTE = insert(audit)


class AuditRow(NamedTuple):
    """One line of the log; `at` in microseconds."""

    id: int
    at: int
    token_id: int | None  # None: the command line, or no valid token
    name: str | None  # of the token
    action: str
    target: str
    outcome: str
    address: str | None
    request_id: str | None


def build_line(
    actor: Actor | None,
    action: str,
    target: str,
    outcome: str = DONE,
    address: str | None = None,
    request_id: str | None = None,
    *,
    now: int,
) -> Executable:
    """The statement that adds a line; an actor of None showed no valid token."""
    return NOTE.values(
        at=now,
        token_id=None if actor is None else actor.token,
        action=action,
        target=target,
        outcome=outcome,
        address=address,
        request_id=request_id,
    )


def add_line(
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
    connection.execute(build_line(actor, action, target, outcome, address, request_id, now=now))


def read_lines(
    connection: Connection, limit: int = 100, before: int | None = None
) -> list[AuditRow]:
    """The last lines, newest first; `before` is the number of a line already seen."""
    columns = [token.c.name if name == "name" else audit.c[name] for name in AuditRow._fields]
    query = select(*columns).select_from(audit.outerjoin(token)).order_by(audit.c.id.desc())
    if before is not None:
        query = query.where(audit.c.id < before)
    return [AuditRow(*row) for row in connection.execute(query.limit(limit))]


# -- answers to requests with an Idempotency-Key --


def find_answer(
    connection: Connection, token: int, key: str, request: str
) -> dict[str, Any] | None:
    """The receipt kept under a token's key, or None; `request` is the SHA-256 of what was asked.

    Raises Conflict if the key was used for another request.
    """
    row = connection.execute(
        select(answer.c.request, answer.c.receipt).where(
            answer.c.token_id == token, answer.c.key == key
        )
    ).one_or_none()
    if row is None:
        return None
    if row.request != request:
        raise Conflict(
            "key_reused", f"take a new key for each request: {key!r} was used for another one"
        )
    receipt: dict[str, Any] = row.receipt
    return receipt


def keep_answer(
    connection: Connection,
    token: int,
    key: str,
    request: str,
    receipt: dict[str, Any],
    *,
    now: int,
) -> None:
    """Keep a receipt, in the transaction of what it acknowledges."""
    row = {"token_id": token, "key": key, "request": request, "at": now, "receipt": receipt}
    connection.execute(insert(answer), row)


def delete_expired_answers(connection: Connection, now: int) -> int:
    """Delete answers older than a day; returns their number."""
    return connection.execute(delete(answer).where(answer.c.at < now - DAY)).rowcount
