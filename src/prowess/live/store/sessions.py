"""Sessions: browsers that are signed in with a token. The store keeps a hash of the cookie only.

A session ends when its browser signs out, when it has not been used for half a day, and with its
token.
"""

from __future__ import annotations

from secrets import token_urlsafe
from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from prowess.live.facts import DAY
from prowess.live.store.tables import session, token
from prowess.live.store.tokens import Actor, actor_of, hashed, holds

LASTS = DAY // 2  # microseconds
RENEWED = DAY // 24  # after so long a session that is used is prolonged


class Found(NamedTuple):
    """A session that holds: who is signed in, and until when, in microseconds."""

    actor: Actor
    expires: int


def begin_session(connection: Connection, number: int, now: int) -> str:
    """Sign a browser in with a token; the secret for its cookie, which nothing can show again."""
    connection.execute(delete(session).where(session.c.expires <= now))
    secret = token_urlsafe(32)
    row = {"hash": hashed(secret), "token_id": number, "created": now, "expires": now + LASTS}
    connection.execute(insert(session), row)
    return secret


def find_session(connection: Connection, secret: str, now: int) -> Found | None:
    """The session of a cookie; None where there is none, or where it or its token has ended."""
    query = (
        select(token, session.c.expires.label("until"))
        .join(session, session.c.token_id == token.c.id)
        .where(session.c.hash == hashed(secret), session.c.expires > now, holds(now))
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else Found(actor_of(row), row.until)


def prolong_session(connection: Connection, secret: str, now: int) -> None:
    """Let a session that is used last on; one that has ended stays so."""
    own = (session.c.hash == hashed(secret)) & (session.c.expires > now)
    connection.execute(update(session).where(own).values(expires=now + LASTS))


def end_session(connection: Connection, secret: str) -> None:
    """Sign a browser out."""
    connection.execute(delete(session).where(session.c.hash == hashed(secret)))
