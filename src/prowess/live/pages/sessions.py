"""Who is signed in: a signed cookie that names a token, and a signed word in every form.

The cookie holds no secret, and a token that is revoked opens nothing from that moment. A form
that another site sends lacks the word, which only our pages know.
"""

from __future__ import annotations

from hmac import compare_digest
from secrets import token_urlsafe
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection, insert, select

from prowess.live.store import tokens
from prowess.live.store.tables import setting, token
from prowess.live.store.tokens import Actor

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from prowess.live.desk.desk import Desk

COOKIE = "prowess_session"
LASTS = 12 * 3600  # seconds
KEY = "cookie_key"  # in the table of settings


class Session(NamedTuple):
    """A browser: the token it signed in with, and what its forms are signed with."""

    token: int | None
    nonce: str


class Sessions:
    """Reads and writes cookies; the key that signs them lies in the store."""

    def __init__(self, desk: Desk) -> None:
        from itsdangerous import URLSafeSerializer, URLSafeTimedSerializer

        key = desk.store.writer.do(signing_key)
        self.desk = desk
        self.cookies = URLSafeTimedSerializer(key, salt="session")
        self.forms = URLSafeSerializer(key, salt="form")

    def read(self, request: Request) -> Session:
        """The session of a request; a fresh one without or with a wrong or old cookie."""
        from itsdangerous import BadSignature

        try:
            number, nonce = self.cookies.loads(request.cookies.get(COOKIE, ""), max_age=LASTS)
        except (BadSignature, ValueError, TypeError):
            return Session(None, token_urlsafe(16))
        return Session(number, nonce)

    def write(self, response: Response, session: Session, *, secure: bool) -> None:
        """Let the browser keep a session."""
        response.set_cookie(
            COOKIE,
            self.cookies.dumps([session.token, session.nonce]),
            max_age=LASTS,
            httponly=True,
            samesite="strict",
            secure=secure,
        )

    def word(self, session: Session) -> str:
        """What every form of this session holds."""
        return str(self.forms.dumps([session.token, session.nonce]))

    def holds(self, session: Session, word: str) -> bool:
        """Whether a form came from a page of this session."""
        return compare_digest(self.word(session).encode(), word.encode("utf-8", "replace"))

    def entered(self, secret: str) -> Actor | None:
        """Whose secret it is."""
        with self.desk.store.read() as connection:
            return tokens.known(connection, secret, self.desk.clock())

    def actor(self, session: Session) -> Actor | None:
        """Who is signed in; None for nobody, and for a token that no longer holds."""
        if session.token is None:
            return None
        with self.desk.store.read() as connection:
            row = connection.execute(select(token).where(token.c.id == session.token)).one_or_none()
        now = self.desk.clock()
        if row is None or row.revoked is not None or (row.expires and row.expires <= now):
            return None
        return Actor(row.id, row.name, frozenset(row.scopes), row.source, row.review)


def signing_key(connection: Connection) -> str:
    """The key, made when it is first asked for."""
    known = connection.scalar(select(setting.c.value).where(setting.c.key == KEY))
    if known is not None:
        return str(known)
    made = token_urlsafe(32)
    connection.execute(insert(setting).values(key=KEY, value=made))
    return made
