"""A request for a page: session, permissions, form, and the frame of the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from python_multipart.multipart import parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from prowess.live.api.problems import HttpProblem
from prowess.live.errors import Busy, NotFound, Refused, WrongUse
from prowess.live.journal.journal import Journal
from prowess.live.store.access import Actor
from prowess.live.web.server_links import ADMIN, ServerLinks
from prowess.live.web.sessions import Session, Sessions
from prowess.present.rendering import policy, render_template

if TYPE_CHECKING:
    from prowess.live.api.limits import ServerSettings
    from prowess.live.journal.registry import Category

FIELDS = 25_000  # of a form: the numbers of results that are dealt with at once
PUBLIC = ("/login", "/static/")  # on a private server too
RATINGS = ("/c/", "/results/")  # pages of ratings and results, but for the sheet of a club evening
SHEET = "/enter"
DIGITS = 18  # of a number of the store
HEADERS = {
    "Content-Security-Policy": policy(),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class SignInNeeded(Exception):
    """The page needs a session, and the browser has none."""


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
        """A word of the address."""
        return self.http.query_params.get(name, usual).strip()

    def field(self, name: str, usual: str = "") -> str:
        """A field of the form."""
        value = self.form.get(name, usual)
        return value.strip() if isinstance(value, str) else usual

    def path_part(self, name: str) -> str:
        """A part of the path."""
        return str(self.http.path_params[name])

    def path_number(self, name: str) -> int:
        """A part of the path that is a number; raises NotFound."""
        text = self.path_part(name)
        if not text.isascii() or not text.isdigit() or len(text) > DIGITS:
            raise NotFound("no_such_page", f"{text!r} is not a number")
        return int(text)

    def before(self) -> int | None:
        """The number that a list goes on from; None for the newest."""
        text = self.query("before")
        return int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS else None

    @property
    def is_encrypted(self) -> bool:
        """Whether the browser speaks to us, or to the proxy we trust, by https."""
        passed = self.http.headers.get("x-forwarded-proto", "")
        if self.settings.trust_proxy and passed:
            return passed.rpartition(",")[2].strip() == "https"
        return self.http.url.scheme == "https"

    @property
    def category(self) -> Category:
        """The category of the path; raises NotFound."""
        return self.journal.category(self.path_part("key"))

    def require_scope(self, *scopes: str) -> Actor:
        """Who asks, if he holds one of the scopes; raises SignIn, or Refused for another token."""
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
        """A template with what the frame needs."""
        links = links or ServerLinks()
        frame = {
            "site": site,
            "links": links,
            "navigation": self.navigation(links, here),
            "here": here,
            "csrf": self.sessions.word(self.session),
            "actor": self.actor,
            "revision": self.journal.revision,
        }
        return HTMLResponse(render_template(template, **(frame | values)), status)

    def navigation(self, links: ServerLinks, here: str) -> list[tuple[str, str, str]]:
        """The links on top of a page."""
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
    """A page as Starlette wants it: forms are checked, errors become pages.

    A form is read only when it comes from somebody with one of the scopes, if there are any.
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
            if not sessions.holds(request.session, request.field("csrf")):
                error = Refused(
                    "form", "go back and load the form again: it is too old, or came from elsewhere"
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
    """Raise Problem for a form in another encoding: some of them make halves of letters."""
    _, options = parse_options_header(http.headers.get("content-type"))
    if options.get(b"charset", b"utf-8").lower() != b"utf-8":
        raise HttpProblem(415, "unsupported_media_type", "send the form as UTF-8")


def refusal_page(request: PageRequest, error: Exception) -> Response:
    """The page that says why a request was refused."""
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
    """What every player is called, by the store's number."""
    return request.journal.registry.people.shown
