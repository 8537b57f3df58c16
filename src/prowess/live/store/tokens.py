"""Tokens: who may do what. The secret is shown once; the store keeps its SHA-256 only."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, insert, select, update

from prowess.live.store.errors import WrongUse
from prowess.live.store.tables import token

PREFIX = "prw_"  # so that secrets are found where they should not lie
BYTES = 32
START = len(PREFIX) + 4  # letters kept, to tell tokens apart
SCOPES = ("read", "submit", "correct", "admin")
ADMIN = "admin"  # includes the others


class NoToken(WrongUse):
    """There is no such token, or it cannot be made."""


class Actor(NamedTuple):
    """Who acts."""

    token: int | None  # None: the command line
    name: str
    scopes: frozenset[str]
    source: str | None  # the only one they may speak for; None: any
    review: bool  # what he submits waits for acceptance

    def may(self, scope: str) -> bool:
        """Whether he holds a scope."""
        return scope in self.scopes or ADMIN in self.scopes

    @classmethod
    def console(cls) -> Actor:
        """Whoever sits at the machine."""
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


def made(
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
        raise NoToken(f"scopes are {', '.join(SCOPES)}; not {', '.join(unknown) or 'none'}")
    if not name.strip():
        raise NoToken("a token needs a name: say who will use it")
    if expires is not None and expires <= now:
        raise NoToken("the token would have expired already; give a later day")
    secret = PREFIX + token_urlsafe(BYTES)
    row = {
        "name": name,
        "start": secret[:START],
        "hash": hashed(secret),
        "scopes": [scope for scope in SCOPES if scope in wanted],
        "source": source,
        "review": review,
        "created": now,
        "expires": expires,
    }
    return secret, connection.execute(insert(token).returning(token.c.id), row).scalar_one()


def known(connection: Connection, secret: str, now: int) -> Actor | None:
    """Whose secret this is; None if nobody's, or if the token has expired or was revoked."""
    mark = hashed(secret)
    row = connection.execute(select(token).where(token.c.hash == mark, holds(now))).one_or_none()
    return None if row is None or not compare_digest(row.hash, mark) else actor_of(row)


def find_closed(connection: Connection, numbers: Collection[int], now: int) -> set[int]:
    """Which of these tokens open nothing any more."""
    good = connection.scalars(select(token.c.id).where(token.c.id.in_(numbers), holds(now)))
    return set(numbers) - set(good)


def holds(now: int) -> ColumnElement[bool]:
    """The condition of a token that opens something: it is not revoked and has not expired."""
    return token.c.revoked.is_(None) & (token.c.expires.is_(None) | (token.c.expires > now))


def actor_of(row: Row[Any]) -> Actor:
    """Who acts with a token, given its row."""
    return Actor(row.id, row.name, frozenset(row.scopes), source_of(row), row.review)


def source_of(row: Row[Any]) -> str | None:
    """The only source that a token may speak for; None: any.

    A token that submits and was given none has its name: whoever may report in the name of others
    could take their external numbers. The administrator's speaks for all.
    """
    source: str | None = row.source
    bound = source is None and "submit" in row.scopes and ADMIN not in row.scopes
    return row.name if bound else source


def revoked(connection: Connection, number: int, now: int) -> None:
    """From now on this token opens nothing; one revoked earlier keeps its time."""
    row = connection.execute(select(token.c.revoked).where(token.c.id == number)).one_or_none()
    if row is None:
        raise NoToken(f"there is no token {number}; `prowess token list` shows all")
    if row.revoked is None:
        connection.execute(update(token).where(token.c.id == number).values(revoked=now))


def listed(connection: Connection) -> list[TokenRow]:
    """All tokens there ever were, by number."""
    columns = [token.c[name] for name in TokenRow._fields]
    rows = connection.execute(select(*columns).order_by(token.c.id))
    return [
        TokenRow(**row._mapping)._replace(scopes=tuple(row.scopes), source=source_of(row))
        for row in rows
    ]


def hashed(secret: str) -> str:
    """What the store keeps: 32 random bytes need no slow hash."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
