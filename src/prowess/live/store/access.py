"""Access: tokens, browser sessions and the audit log. The store keeps hashes of secrets only."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from hashlib import sha256
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
from prowess.live.names import NAME_LIMIT, described_letter, unseen_letter
from prowess.live.result import DAY_US, Moment
from prowess.live.store.tables import answer, audit, insert_rows, session, token

TOKEN_PREFIX = "prw_"  # so that secrets are found where they should not lie
SECRET_BYTES = 32
TOKEN_START = len(TOKEN_PREFIX) + 4  # letters kept, to tell tokens apart
SCOPES = ("read", "submit", "correct", "admin")
TOKEN_SCOPES = (*SCOPES, "metrics")  # that a token may have; the last one is for programs
ADMIN_SCOPE = "admin"  # includes the others
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
        return scope in self.scopes or ADMIN_SCOPE in self.scopes

    @classmethod
    def console(cls) -> Actor:
        """The actor of the command line."""
        return cls(None, "console", frozenset(SCOPES), None, review=False)


class TokenRow(NamedTuple):
    """A token as it may be shown."""

    id: int
    name: str
    start: str
    scopes: tuple[str, ...]
    source: str | None
    review: bool
    created: Moment
    expires: Moment | None
    revoked: Moment | None

    def state(self, now: int) -> str:
        """Whether the token is good, expired or revoked."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and self.expires <= now else "good"


def check_labels(*labels: str | None) -> None:
    """Raise NoToken for a name or a source of a token that is too long or not all visible."""
    for label in filter(None, labels):
        unseen = unseen_letter(label)
        if unseen is not None:
            raise NoToken.of("unseen_letter", letter=described_letter(unseen))
        if len(label) > NAME_LIMIT:
            raise NoToken.of("too_long.token", most=NAME_LIMIT)


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
    """A new token: its secret, which nothing can show again, and its number. Raises NoToken."""
    check_labels(name, source)
    wanted = set(scopes)
    unknown = sorted(wanted - set(TOKEN_SCOPES))
    if unknown or not wanted:
        raise NoToken.of(
            "unknown_scope", scopes=", ".join(TOKEN_SCOPES), given=", ".join(unknown) or "none"
        )
    if not name.strip():
        raise NoToken.of("token_without_name")
    if expires is not None and expires <= now:
        raise NoToken.of("token_expired")
    secret = TOKEN_PREFIX + token_urlsafe(SECRET_BYTES)
    row = {
        "name": name,
        "start": secret[:TOKEN_START],
        "hash": hash_secret(secret),
        "scopes": [scope for scope in TOKEN_SCOPES if scope in wanted],
        "source": source,
        "review": review,
        "created": now,
        "expires": expires,
    }
    return secret, connection.execute(insert(token).returning(token.c.id), row).scalar_one()


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
    if source is None and "submit" in scopes and ADMIN_SCOPE not in scopes:
        source = row.name
    return Actor(row.id, row.name, scopes, source, row.review)


def revoke_token(connection: Connection, number: int, now: int) -> bool:
    """Revoke a token; False where it was revoked before, and keeps its time."""
    row = connection.execute(select(token.c.revoked).where(token.c.id == number)).one_or_none()
    if row is None:
        raise NoToken.of("no_such_token", number=number)
    if row.revoked is None:
        connection.execute(update(token).where(token.c.id == number).values(revoked=now))
    return row.revoked is None


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


LASTS = DAY_US // 2  # microseconds
RENEWED = DAY_US // 24  # after so long a session that is used is prolonged


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


AUDIT_DONE = "done"  # the outcome of what was allowed; anything else says why it was not
INSERT_AUDIT = insert(audit)
ADDRESS_LETTERS = 64
MINUTE_US = 60_000_000
SIGN_IN, UNKNOWN = "sign in", "unknown token"
AUDIT_LINES = 5_000  # old ones that are deleted in one commit


class AuditRow(NamedTuple):
    """One line of the log."""

    id: int
    at: Moment
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
    outcome: str = AUDIT_DONE,
    address: str | None = None,
    request_id: str | None = None,
    *,
    now: int,
) -> Executable:
    """The statement that adds a line; an actor of None showed no valid token."""
    return INSERT_AUDIT.values(
        at=now,
        token_id=None if actor is None else actor.token,
        action=action,
        target=target,
        outcome=outcome,
        address=None if address is None else address[:ADDRESS_LETTERS],
        request_id=request_id,
    )


def count_wrong_sign_in(
    connection: Connection, address: str | None, request_id: str | None, *, now: int
) -> None:
    """Note a sign-in with an unknown token: one line a minute, with how often it happened.

    The line has the address and the request of the first of them.
    """
    wrong = (audit.c.action == SIGN_IN) & audit.c.outcome.startswith(UNKNOWN)
    recent = select(audit.c.id, audit.c.at, audit.c.outcome).order_by(audit.c.id.desc())
    last = connection.execute(recent.where(wrong, audit.c.at > now - MINUTE_US).limit(1)).first()
    if last is None:
        line = build_line(None, SIGN_IN, "", UNKNOWN, address, request_id, now=now)
        connection.execute(line)
        return
    count = 1 + int((re.findall(r"\d+", last.outcome) or ["1"])[0])
    told = f"{UNKNOWN}, {count} times within a minute"
    connection.execute(update(audit).where(audit.c.id == last.id).values(outcome=told))


def delete_old_lines(connection: Connection, days: int, now: int) -> bool:
    """Delete lines that are older than so many days, some thousand at most; returns whether there
    may be more.
    """
    oldest = select(audit.c.id, audit.c.at).order_by(audit.c.id).limit(AUDIT_LINES)
    numbers = [row.id for row in connection.execute(oldest) if row.at < now - days * DAY_US]
    if numbers:
        old = (audit.c.id <= max(numbers)) & (audit.c.at < now - days * DAY_US)
        connection.execute(delete(audit).where(old))
    return len(numbers) == AUDIT_LINES


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


OF_BYTES = "bytes:"  # how fingerprints of requests begin; those of earlier versions do not


KEPT_ANSWERS = select(answer.c.token_id, answer.c.key, answer.c.request, answer.c.receipt).where(
    answer.c.token_id.in_(bindparam("tokens", expanding=True)),  # so that the index serves
    answer.c.key.in_(bindparam("keys", expanding=True)),
)


class IdempotencyKey(NamedTuple):
    """An Idempotency-Key with the fingerprint of its request, the SHA-256 of what was asked."""

    token: int
    key: str
    request: str


class Answers:
    """The receipts kept under some keys: looked up together, and kept together."""

    def __init__(self, connection: Connection, keys: Iterable[IdempotencyKey | None]) -> None:
        self._found: dict[tuple[int, str], tuple[str, dict[str, Any]]] = {}
        self.rows: list[dict[str, Any]] = []  # to be kept
        if wanted := [one for one in keys if one is not None]:
            tokens, texts = {one.token for one in wanted}, {one.key for one in wanted}
            values = {"tokens": sorted(tokens), "keys": sorted(texts)}
            for row in connection.execute(KEPT_ANSWERS, values):
                self._found[row.token_id, row.key] = row.request, row.receipt

    def find(self, key: IdempotencyKey, kind: str = "") -> dict[str, Any] | None:
        """The receipt kept under a key; None without.

        Raises Conflict if the key was used for another request. A fingerprint of earlier versions
        was made of parsed values and cannot be compared: under such a key a request of the same
        `kind` is taken for the one that was answered, for the day that answers are kept.
        """
        if (key.token, key.key) not in self._found:
            return None
        request, receipt = self._found[key.token, key.key]
        comparable = request.startswith(OF_BYTES) == key.request.startswith(OF_BYTES)
        if request != key.request and (comparable or receipt.get("kind") != kind):
            raise Conflict.of("key_reused", key=key.key)
        return receipt

    def add(self, key: IdempotencyKey, receipt: dict[str, Any], now: int) -> None:
        """Note the receipt of a request: a row to be kept with what it acknowledges."""
        self._found[key.token, key.key] = key.request, receipt
        row = {"token_id": key.token, "key": key.key, "request": key.request}
        self.rows.append(row | {"at": now, "receipt": receipt})

    def keep(self, connection: Connection) -> None:
        """Keep the noted receipts, in the transaction of what they acknowledge."""
        insert_rows(connection, answer, self.rows)


def delete_expired_answers(connection: Connection, now: int) -> int:
    """Delete answers older than a day; returns their number."""
    return connection.execute(delete(answer).where(answer.c.at < now - DAY_US)).rowcount
