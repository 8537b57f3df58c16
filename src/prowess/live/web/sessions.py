"""Sessions: a cookie that names a session of the store, and a CSRF token in every form.

A visitor's cookie names no session; it is there for the CSRF token of the sign-in form. The token
is made from the cookie, so a form that another site sends lacks it.
"""

from __future__ import annotations

import re
from hmac import compare_digest
from secrets import token_urlsafe
from typing import TYPE_CHECKING, NamedTuple

from starlette.responses import RedirectResponse, Response

from prowess.live.store import access
from prowess.live.store.access import Actor, hash_secret
from prowess.live.web.server_links import ADMIN

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from starlette.requests import Request
    from starlette.responses import Response

    from prowess.live.journal.journal import Journal
    from prowess.live.web.page_request import PageRequest


COOKIE = "prowess_session"
SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
SECOND = 1_000_000  # microseconds


class Session(NamedTuple):
    """A browser: what its cookie holds, and who is signed in there."""

    secret: str
    actor: Actor | None = None


class Sessions:
    """Reads and writes cookies."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal

    def read(self, http: Request) -> Session:
        """The session of a request; a stranger's without a cookie, or with one that has ended."""
        secret = http.cookies.get(COOKIE, "")
        if not SECRET.fullmatch(secret):
            return new_session()
        now = self.journal.clock()
        with self.journal.store.read() as connection:
            found = access.find_session(connection, secret, now)
        if found is None:
            return Session(secret)
        if found.expires < now + access.LASTS - access.RENEWED:
            self.journal.store.writer.do(lambda c: access.prolong_session(c, secret, now))
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
        now = self.journal.clock()

        def job(connection: Connection) -> str:
            access.end_session(connection, before.secret)
            return access.begin_session(connection, number, now)

        return Session(self.journal.store.writer.do(job), actor)

    def end(self, session: Session) -> None:
        """Sign out."""
        self.journal.store.writer.do(lambda c: access.end_session(c, session.secret))

    def word(self, session: Session) -> str:
        """What every form of this session holds."""
        return hash_secret(f"form {session.secret}")

    def holds(self, session: Session, word: str) -> bool:
        """Whether a form came from a page of this session."""
        return compare_digest(self.word(session).encode(), word.encode("utf-8", "replace"))

    def entered(self, secret: str) -> Actor | None:
        """Whose secret it is."""
        with self.journal.store.read() as connection:
            return access.find_actor(connection, secret, self.journal.clock())


def new_session() -> Session:
    """That of a stranger."""
    return Session(token_urlsafe(32))


# Pages: sign in with a token, sign out.


def show_sign_in(request: PageRequest) -> Response:
    """The form that asks for a token."""
    return request.render("admin/login.html", here="login", next=request.query("next"), bad=False)


def sign_in(request: PageRequest) -> Response:
    """Sign in."""
    actor = request.sessions.entered(request.field("token"))
    outcome = access.DONE if actor is not None else "unknown token"
    write_audit_line(request, "sign in", "", outcome, actor)
    if actor is None or actor.token is None:
        return request.render(
            "admin/login.html", here="login", next=request.field("next"), bad=True, status=403
        )
    there = local_address(request.field("next"))
    keeps = actor.may("submit") or actor.may("correct")
    response = RedirectResponse("/" if there == ADMIN and not keeps else there, 303)
    session = request.sessions.begin(actor, request.session)
    request.sessions.write(response, session, secure=request.is_encrypted)
    return response


def sign_out(request: PageRequest) -> Response:
    """Sign out: the cookie opens nothing more, whoever has a copy of it."""
    request.sessions.end(request.session)
    if request.actor is not None:
        write_audit_line(request, "sign out", "")
    response = RedirectResponse("/", 303)
    request.sessions.write(response, new_session(), secure=request.is_encrypted)
    return response


def local_address(there: str) -> str:
    """An address of this server; anything else becomes the first page of the keepers."""
    plain = there.startswith("/") and not there.startswith("//") and "\\" not in there
    return there if plain and there.isprintable() else ADMIN


def write_audit_line(
    request: PageRequest,
    action: str,
    target: str,
    outcome: str = access.DONE,
    actor: Actor | None = None,
) -> None:
    """A line in the audit log; `actor` is who has only now said who he is."""
    state = request.http.state
    address, request_id = getattr(state, "address", None), getattr(state, "id", None)
    request.journal.store.writer.do(
        lambda connection: access.add_line(
            connection,
            actor or request.actor,
            action,
            target,
            outcome,
            address,
            request_id,
            now=request.journal.clock(),
        )
    )
