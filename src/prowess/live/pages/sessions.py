"""Who is signed in: a cookie that names a session of the store, and a word in every form.

The cookie of a stranger names nothing; it is there for the word in the form that signs in. A form
that another site sends lacks the word: it is made from the cookie, which only the browser has.
"""

from __future__ import annotations

import re
from hmac import compare_digest
from secrets import token_urlsafe
from typing import TYPE_CHECKING, NamedTuple

from prowess.live.store import access
from prowess.live.store.access import Actor, hash_secret

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from starlette.requests import Request
    from starlette.responses import Response

    from prowess.live.journal.journal import Journal

COOKIE = "prowess_session"
SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
SECOND = 1_000_000  # microseconds


class Session(NamedTuple):
    """A browser: what its cookie holds, and who is signed in there."""

    secret: str
    actor: Actor | None = None


class Sessions:
    """Reads and writes cookies."""

    def __init__(self, desk: Journal) -> None:
        self.desk = desk

    def read(self, request: Request) -> Session:
        """The session of a request; a stranger's without a cookie, or with one that has ended."""
        secret = request.cookies.get(COOKIE, "")
        if not SECRET.fullmatch(secret):
            return new_session()
        now = self.desk.clock()
        with self.desk.store.read() as connection:
            found = access.find_session(connection, secret, now)
        if found is None:
            return Session(secret)
        if found.expires < now + access.LASTS - access.RENEWED:
            self.desk.store.writer.do(lambda c: access.prolong_session(c, secret, now))
        return Session(secret, found.actor)

    def write(self, response: Response, session: Session, *, secure: bool) -> None:
        """Let the browser keep a session."""
        response.set_cookie(
            COOKIE,
            session.secret,
            max_age=access.LASTS // SECOND,
            httponly=True,
            samesite="strict",
            secure=secure,
        )

    def begin(self, actor: Actor, before: Session) -> Session:
        """Sign in: a new session, so that nobody can have prepared it; the one before ends."""
        number = actor.token
        assert number is not None
        now = self.desk.clock()

        def job(connection: Connection) -> str:
            access.end_session(connection, before.secret)
            return access.begin_session(connection, number, now)

        return Session(self.desk.store.writer.do(job), actor)

    def end(self, session: Session) -> None:
        """Sign out."""
        self.desk.store.writer.do(lambda c: access.end_session(c, session.secret))

    def word(self, session: Session) -> str:
        """What every form of this session holds."""
        return hash_secret(f"form {session.secret}")

    def holds(self, session: Session, word: str) -> bool:
        """Whether a form came from a page of this session."""
        return compare_digest(self.word(session).encode(), word.encode("utf-8", "replace"))

    def entered(self, secret: str) -> Actor | None:
        """Whose secret it is."""
        with self.desk.store.read() as connection:
            return access.find_actor(connection, secret, self.desk.clock())


def new_session() -> Session:
    """That of a stranger."""
    return Session(token_urlsafe(32))
