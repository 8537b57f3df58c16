"""A request for a page: session, permissions, form, CSRF token, and the frame of the response.

A session is a cookie that names a session of the store. The cookie of a visitor without a session
serves only the CSRF token of the sign-in form. The token is derived from the cookie, so that a form
from another site lacks it.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hmac import compare_digest
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any, NamedTuple

from python_multipart.multipart import parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from prowess.live.api.problems import HttpProblem
from prowess.live.errors import Busy, NotFound, Refused, WrongUse
from prowess.live.journal.journal import Journal
from prowess.live.store import access
from prowess.live.store.access import Actor, hash_secret
from prowess.live.web.server_links import ADMIN, ServerLinks
from prowess.present.rendering import policy, render_template

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from prowess.live.api.middleware import ServerSettings
    from prowess.live.journal.registry import Category


FIELDS = 25_000  # of a form, such as the numbers of ticked results
PUBLIC = ("/login", "/static/")  # also on a private server
RATINGS = ("/c/", "/results/")  # pages of ratings and results
SHEET = "/enter"
DIGITS = 18  # of a primary key
HEADERS = {
    "Content-Security-Policy": policy(),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
COOKIE = "prowess_session"
SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
SECOND = 1_000_000  # microseconds


class Session(NamedTuple):
    """The secret in a browser's cookie, and the actor who is signed in."""

    secret: str
    actor: Actor | None = None


class Sessions:
    """Reads, writes, begins and ends sessions."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal

    def read(self, http: Request) -> Session:
        """The session of a request; without an actor if there is no cookie or it has expired."""
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
        """Set the cookie of a session."""
        response.set_cookie(
            COOKIE,
            session.secret,
            max_age=access.LASTS // SECOND,
            httponly=True,
            samesite="strict",
            secure=secure,
        )

    def begin(self, actor: Actor, before: Session) -> Session:
        """Begin a new session (against session fixation) and end the one before."""
        number = actor.token
        assert number is not None
        now = self.journal.clock()

        def job(connection: Connection) -> str:
            access.end_session(connection, before.secret)
            return access.begin_session(connection, number, now)

        return Session(self.journal.store.writer.do(job), actor)

    def end(self, session: Session) -> None:
        """End a session."""
        self.journal.store.writer.do(lambda c: access.end_session(c, session.secret))

    def csrf_token(self, session: Session) -> str:
        """The CSRF token of the forms of a session."""
        return hash_secret(f"form {session.secret}")

    def is_csrf_token(self, session: Session, text: str) -> bool:
        """Whether a form has the CSRF token of the session."""
        return compare_digest(self.csrf_token(session).encode(), text.encode("utf-8", "replace"))

    def find_actor(self, secret: str) -> Actor | None:
        """The owner of a token's secret; None if unknown."""
        with self.journal.store.read() as connection:
            return access.find_actor(connection, secret, self.journal.clock())


def new_session() -> Session:
    """Make a session without an actor."""
    return Session(token_urlsafe(32))


class SignInNeeded(Exception):
    """The page needs a session."""


@dataclass(frozen=True, eq=False)
class PageRequest:
    """A request with its form, session and journal."""

    http: Request
    journal: Journal
    settings: ServerSettings
    sessions: Sessions
    session: Session
    actor: Actor | None
    form: FormData

    def query(self, name: str, usual: str = "") -> str:
        """A query parameter."""
        return self.http.query_params.get(name, usual).strip()

    def field(self, name: str, usual: str = "") -> str:
        """A field of the form."""
        value = self.form.get(name, usual)
        return value.strip() if isinstance(value, str) else usual

    def path_part(self, name: str) -> str:
        """A path parameter."""
        return str(self.http.path_params[name])

    def path_number(self, name: str) -> int:
        """A path parameter as an integer; raises NotFound."""
        text = self.path_part(name)
        if not text.isascii() or not text.isdigit() or len(text) > DIGITS:
            raise NotFound("no_such_page", f"{text!r} is not a number")
        return int(text)

    def before(self) -> int | None:
        """The number before which a listing continues; None: from the newest."""
        text = self.query("before")
        return int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS else None

    @property
    def is_encrypted(self) -> bool:
        """Whether the browser uses https, to this server or to a trusted proxy."""
        passed = self.http.headers.get("x-forwarded-proto", "")
        if self.settings.trust_proxy and passed:
            return passed.rpartition(",")[2].strip() == "https"
        return self.http.url.scheme == "https"

    @property
    def category(self) -> Category:
        """The category of the path; raises NotFound."""
        return self.journal.category(self.path_part("key"))

    def require_scope(self, *scopes: str) -> Actor:
        """The actor, who needs one of the scopes; raises SignInNeeded, Refused."""
        if self.actor is None:
            raise SignInNeeded
        if not any(self.actor.may(scope) for scope in scopes):
            error = Refused(
                "scope", f"this page needs a token with the scope {' or '.join(scopes)}"
            )
            error.status = 403
            raise error
        return self.actor

    def render(
        self,
        template: str,
        *,
        links: ServerLinks | None = None,
        here: str = "",
        site: str = "Prowess",
        status: int = 200,
        **values: Any,
    ) -> Response:
        """Render a template with the values of the frame."""
        links = links or ServerLinks()
        frame = {
            "site": site,
            "links": links,
            "navigation": self.build_navigation(links, here),
            "here": here,
            "csrf": self.sessions.csrf_token(self.session),
            "actor": self.actor,
            "revision": self.journal.revision,
        }
        return HTMLResponse(render_template(template, **(frame | values)), status)

    def build_navigation(self, links: ServerLinks, here: str) -> list[tuple[str, str, str]]:
        """Build the navigation links of a page: (text, address, key)."""
        places: list[tuple[str, str | None, str]] = []
        if links.key is not None:
            places = [
                ("Leaderboard", links.leaderboard(), "leaderboard"),
                ("Pairings", links.pairings(), "pairings"),
                ("Lists", links.lists(), "lists"),
                ("Method", links.method(), "method"),
            ]
            if self.actor is not None and self.actor.may("submit"):
                places.append(("Enter results", links.enter(), "enter"))
        if len(self.journal.categories()) > 1:
            places.append(("Categories", "/categories", "categories"))
        places.append(("API", "/api", "api"))
        if self.actor is None:
            places.append(("Sign in", "/login", "login"))
        elif self.actor.may("submit") or self.actor.may("correct"):
            places.append(("Admin", ADMIN, "admin"))
        else:
            places.append(("Sign out", "/login", "login"))
        return [(words, address, key) for words, address, key in places if address is not None]


Page = Callable[[PageRequest], Response]


def make_endpoint(
    page: Page,
    journal: Journal,
    settings: ServerSettings,
    sessions: Sessions,
    scopes: Sequence[str] = (),
) -> Callable[[Request], Awaitable[Response]]:
    """Make the Starlette endpoint of a page: check forms, show errors as pages.

    A form is parsed only if the actor has one of the `scopes`, if any are given.
    """

    async def answer(http: Request) -> Response:
        if http.method != "POST":
            return await run_in_threadpool(show, http)
        request, refusal = await run_in_threadpool(admit, http)
        if refusal is not None:
            return refusal
        check_utf8(http)
        form = await http.form(max_files=1, max_fields=FIELDS)
        try:
            return await run_in_threadpool(enter, replace(request, form=form))
        finally:
            await form.close()

    def begin(http: Request) -> PageRequest:
        session = sessions.read(http)
        return PageRequest(http, journal, settings, sessions, session, session.actor, FormData())

    def show(http: Request) -> Response:
        request = begin(http)
        try:
            check_reader(request)
            return frame(request, page(request))
        except (SignInNeeded, Refused, WrongUse) as error:
            return frame(request, explain(request, error))

    def admit(http: Request) -> tuple[PageRequest, Response | None]:
        request = begin(http)
        try:
            check_reader(request)
            if scopes:
                request.require_scope(*scopes)
        except (SignInNeeded, Refused) as error:
            return request, frame(request, explain(request, error))
        return request, None

    def enter(request: PageRequest) -> Response:
        try:
            if not sessions.is_csrf_token(request.session, request.field("csrf")):
                error = Refused(
                    "form",
                    "reload the form and send it again: it expired, or came from another site",
                )
                error.status = 403
                raise error
            return frame(request, page(request))
        except (SignInNeeded, Refused, WrongUse) as error:
            return frame(request, explain(request, error))

    def check_reader(request: PageRequest) -> None:
        path = request.http.url.path
        if not settings.private or path.startswith(PUBLIC):
            return
        if path.startswith(RATINGS) and not path.endswith(SHEET):
            request.require_scope("read")
        else:
            request.require_scope("read", "submit", "correct")

    def explain(request: PageRequest, error: Exception) -> Response:
        if isinstance(error, SignInNeeded):
            there = request.http.url.path if request.http.method == "GET" else ADMIN
            return RedirectResponse(f"/login?next={there}", 303)
        return refusal_page(request, error)

    def frame(request: PageRequest, response: Response) -> Response:
        path = request.http.url.path
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if request.actor is not None or request.http.method == "POST":
            response.headers["Cache-Control"] = "no-store"
        else:
            response.headers.setdefault("Cache-Control", "no-cache")
        if path.startswith(("/login", ADMIN)) and "set-cookie" not in response.headers:
            sessions.write(response, request.session, secure=request.is_encrypted)
        return response

    return answer


def check_utf8(http: Request) -> None:
    """Raise HttpProblem for a form in another encoding, which may hold lone surrogates."""
    _, options = parse_options_header(http.headers.get("content-type"))
    if options.get(b"charset", b"utf-8").lower() != b"utf-8":
        raise HttpProblem(415, "unsupported_media_type", "send the form as UTF-8")


def refusal_page(request: PageRequest, error: Exception) -> Response:
    """Render the page of a refused request."""
    rows: Sequence[Any] = getattr(error, "errors", ())
    answer = request.render(
        "live/refused.html",
        status=getattr(error, "status", 422),
        error=str(error),
        rows=[str(one) for one in rows],
        found=not isinstance(error, NotFound),
    )
    if isinstance(error, Busy):
        answer.headers["Retry-After"] = str(error.wait)
    return answer


def display_names(request: PageRequest) -> Mapping[int, str]:
    """The current names of all players, by store number."""
    return request.journal.registry.people.shown
