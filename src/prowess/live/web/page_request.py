"""A request for a page: session, permissions, form, links, and the frame of the response.

A session is a cookie that names a session of the store. The cookie of a visitor without a session
serves only the CSRF token of the sign-in form. The token is derived from the cookie, so that a form
from another site lacks it.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from hmac import compare_digest
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any, NamedTuple

from python_multipart.multipart import parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from prowess.live.api.calls import ANYONE, Call
from prowess.live.api.encoding import HttpProblem
from prowess.live.api.read_model import THEME_COOKIE, THEMES
from prowess.live.errors import Busy, NotAllowed, NotFound, Refused, WrongUse
from prowess.live.journal.journal import Journal
from prowess.live.journal.registry import CATEGORY_LOOKS
from prowess.live.result import DAY_US
from prowess.live.store import access
from prowess.live.store.access import Actor, hash_secret
from prowess.live.web.views import RatedView, ServerLinks
from prowess.present.boards import COVERAGE, rating_digits
from prowess.present.brand import NO_BRAND, link_brand_files
from prowess.present.listing import rating_label
from prowess.present.rendering import policy, render_template

if TYPE_CHECKING:
    from prowess.live.api.middleware import ServerSettings
    from prowess.live.journal.registry import Category


FIELDS = 1_000  # of a form
TICKED = 25_000  # of a form in which results are ticked
PUBLIC = ("/login", "/static/")  # also on a private server
EMBED_PATH = "/embed/"  # of pages for frames of other sites
RATING_PATHS = ("/c/", "/results/", EMBED_PATH)  # pages of ratings and results
SHEET_PATH = "/enter"
ADMIN_URL = "/admin"
KEY_DIGITS = 18  # of a primary key
HEADERS = {
    "Content-Security-Policy": policy(),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
COOKIE = "prowess_session"
FIRST_SECRET = re.compile(rf"(?:^|;)\s*{COOKIE}=([^;]*)")  # first: that of the longest path
SITE_NAME = "Prowess"  # of a server with several categories
SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
SECOND = 1_000_000  # microseconds
# An attribute with an address of this server, up to its first slash: templates begin at the root.
LOCAL_LINK = re.compile(
    r'(\s(?:href|src|action|formaction|hx-get|hx-post|data-home|data-me|data-events)=")/(?!/)'
)


class Session(NamedTuple):
    """The secret in a browser's cookie, and the actor who is signed in."""

    secret: str
    actor: Actor | None = None

    @property
    def csrf(self) -> str:
        """The CSRF token of the forms of the session."""
        return hash_secret(f"form {self.secret}")

    def write(self, response: Response, *, secure: bool) -> None:
        """Set the cookie."""
        response.set_cookie(
            COOKIE,
            self.secret,
            max_age=access.LASTS // SECOND,
            httponly=True,
            samesite="strict",
            secure=secure,
        )


def read_session(journal: Journal, http: Request) -> Session:
    """The session of a request; without an actor if there is no cookie or it has expired."""
    found_secret = FIRST_SECRET.search("; ".join(http.headers.getlist("cookie")))
    secret = found_secret[1].strip() if found_secret else ""
    if not SECRET.fullmatch(secret):
        return Session(token_urlsafe(32))
    now = journal.clock()
    with journal.store.read() as connection:
        found = access.find_session(connection, secret, now)
    if found is None:
        return Session(secret)
    if found.expires < now + access.LASTS - access.RENEWED:
        journal.store.writer.do(lambda c: access.prolong_session(c, secret, now))
    return Session(secret, found.actor)


class SignInNeeded(Exception):
    """The page needs a session."""


@dataclass(frozen=True, eq=False)
class PageRequest:
    """A request with its form, session and journal."""

    http: Request
    journal: Journal
    settings: ServerSettings
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
        if not is_number(text):
            raise NotFound.of("no_such_page.number", text=text)
        return int(text)

    def before(self) -> int | None:
        """The number before which a listing continues; None: from the newest."""
        text = self.query("before")
        return int(text) if is_number(text) else None

    @property
    def theme(self) -> str:
        """The colours the reader chose, light or dark; "" as their device has them."""
        theme = self.http.cookies.get(THEME_COOKIE, "")
        return theme if theme in THEMES else ""

    @property
    def address(self) -> str:
        """Path and query of the page; of a form that was sent, the first page."""
        url = self.http.url
        if self.http.method == "POST":
            return "/"
        return f"{url.path}?{url.query}" if url.query else url.path

    @property
    def is_encrypted(self) -> bool:
        """Whether the browser uses https, to this server or to a trusted proxy."""
        return bool(self.http.state.encrypted)

    @property
    def site_address(self) -> str:
        """The address of the server as the browser gave it: `https://ladder.example`."""
        host = self.http.headers.get("host", "")
        scheme = "https" if self.is_encrypted else "http"
        return f"{scheme}://{host}{self.settings.root_path}"

    @property
    def call(self) -> Call:
        """The same request as one of the API."""
        return Call(self.http, self.journal, self.actor or ANYONE)

    @property
    def category(self) -> Category:
        """The category of the path; raises NotFound."""
        return self.journal.category(self.path_part("key"))

    @property
    def names(self) -> Mapping[int, str]:
        """The current names of all players, by store number."""
        return self.journal.registry.people.shown

    def require_scope(self, *scopes: str) -> Actor:
        """The actor, who needs one of the scopes; raises SignInNeeded, Refused."""
        if self.actor is None:
            raise SignInNeeded
        if not any(self.actor.may(scope) for scope in scopes):
            raise NotAllowed.of("scope.page", scopes=" or ".join(scopes))
        return self.actor

    def check_reader(self) -> None:
        """Require the right to read a private server; raises SignInNeeded, Refused."""
        path = self.http.url.path
        if path.startswith(RATING_PATHS) and not path.endswith(SHEET_PATH):
            self.require_scope("read")
        elif not path.startswith(PUBLIC):
            self.require_scope("read", "submit", "correct")

    def check_form(self) -> None:
        """Raise Refused unless the form was made for this session."""
        if not compare_digest(
            self.session.csrf.encode(), self.field("csrf").encode("utf-8", "replace")
        ):
            raise NotAllowed.of("form")

    def render(
        self,
        template: str,
        *,
        view: RatedView | None = None,
        site: Category | None = None,
        links: ServerLinks | None = None,
        here: str = "",
        status: int = 200,
        **values: Any,
    ) -> Response:
        """Render a template with the values of the frame.

        A page about ratings has a `view`, another page of a category this category as its `site`.
        `here` is its entry of the navigation, unless its template lies in the folder of one.
        """
        if view is not None:
            site = view.category
            links = links or view.links
            values |= {
                # not the view itself: a template is in circles, and would keep its ratings
                **{
                    name: getattr(view, name)
                    for name in ("applied", "waiting", "trouble", "interim")
                },
                "known": view.known,
                "what": view.ratings.table.unit,
                "rating": rating_label(view.ratings),
                "level": COVERAGE,
                "digits": rating_digits(view.ratings),
            }
        if links is None and site is not None:
            played = len(self.journal.ladder(site.key)) > 0
            links = ServerLinks(site.key, duels=played and site.duels)
        links = links or ServerLinks()
        hidden = self.settings.private and self.actor is None
        categories = [] if hidden else self.journal.categories()
        brand = NO_BRAND if hidden else self.journal.registry.brand
        navigation, sign_in = self.build_navigation(links)
        nouns = {one.noun for one in ([site] if site else categories)}
        noun = nouns.pop() if len(nouns) == 1 else CATEGORY_LOOKS["noun"][0]
        frame = {
            "brand": brand,
            "own": link_brand_files(brand, links.own),
            "site": brand.name or (categories[0].name if len(categories) == 1 else SITE_NAME),
            "links": links,
            "category": site,
            "categories": categories,
            "today": self.journal.clock() / DAY_US,
            "navigation": navigation,
            "sign_in": sign_in,
            "finding": f"/c/{(links.key or categories[0].key)}"
            if links.key or len(categories) == 1
            else "/" * bool(categories),
            "here": here or template.partition("/")[0],
            "noun": noun,
            "a_noun": f"{'an' if noun[0] in 'aeio' else 'a'} {noun}",
            "theme": self.theme,
            "address": self.address,
            "session": self.session,
            "actor": self.actor,
            "revision": self.journal.revision,
        }
        page = render_template(template, **(frame | values))
        if root := self.settings.root_path:
            page = LOCAL_LINK.sub(rf"\1{root}/", page)
        return HTMLResponse(page, status)

    def build_navigation(
        self, links: ServerLinks
    ) -> tuple[list[tuple[str, str, str]], tuple[str, str] | None]:
        """Build the links of a page: (text, address, key), and where one signs in, or out.

        Keepers sign out on their own pages.
        """
        places, actor = [("Home", "/", "home")], self.actor
        if links.key is not None:
            places.append(("Ratings", links.to("leaderboard"), "leaderboard"))
            if links.duels:
                places.append(("Compare", links.to("pairings"), "pairings"))
            places.append(("Lists", links.to("lists"), "lists"))
            places.append(("How it works", links.to("method"), "method"))
            if actor is not None and actor.may("submit"):
                places.append(("Enter results", links.to("enter"), "enter"))
        if actor is None:
            return places, ("Sign in", "/login")
        if not (actor.may("submit") or actor.may("correct")):
            return places, ("Sign out", "/login")
        places.append(("Admin", ADMIN_URL, "admin"))
        return places, None

    def write_audit_line(
        self, action: str, target: str, outcome: str = access.AUDIT_DONE, actor: Actor | None = None
    ) -> None:
        """Write a line of the audit log; `actor` if they are not signed in yet."""
        state = self.http.state
        address, request_id = getattr(state, "address", None), getattr(state, "id", None)
        who, now = actor or self.actor, self.journal.clock()
        line = access.build_line(who, action, target, outcome, address, request_id, now=now)
        self.journal.store.writer.do(lambda connection: connection.execute(line))


Page = Callable[[PageRequest], Response]


def make_endpoint(
    page: Page,
    journal: Journal,
    settings: ServerSettings,
    scopes: Sequence[str] = (),
    fields: int = FIELDS,
) -> Callable[[Request], Awaitable[Response]]:
    """Make the Starlette endpoint of a page: check forms, show errors as pages.

    The actor needs one of the `scopes`, if any are given; a form is not parsed without.
    """
    framed = build_frame_headers(settings.embed_on)

    async def answer(http: Request) -> Response:
        if http.method != "POST":
            return await run_in_threadpool(respond, http, page)
        refusal = await run_in_threadpool(respond, http, admit)
        if refusal is not ADMITTED:
            return refusal
        check_utf8(http)
        form = await http.form(max_files=1, max_fields=fields)
        try:
            return await run_in_threadpool(respond, http, page, form)
        finally:
            await form.close()

    def admit(_: PageRequest) -> Response:
        return ADMITTED

    def respond(http: Request, page: Page, form: FormData | None = None) -> Response:
        session = read_session(journal, http)
        request = PageRequest(http, journal, settings, session, session.actor, form or FormData())
        try:
            if settings.private:
                request.check_reader()
            if scopes:
                request.require_scope(*scopes)
            if form is not None:
                request.check_form()
            response = page(request)
        except SignInNeeded:
            there = http.url.path if http.method == "GET" else ADMIN_URL
            response = RedirectResponse(f"/login?next={there}", 303)
        except (Refused, WrongUse) as error:
            response = refusal_page(request, error)
        if response is ADMITTED:
            return response
        for name, value in (framed if http.url.path.startswith(EMBED_PATH) else HEADERS).items():
            response.headers.setdefault(name, value)
        lasting = "immutable" in response.headers.get("Cache-Control", "")  # a file, not a page
        if (session.actor is not None and not lasting) or http.method == "POST":
            response.headers["Cache-Control"] = "no-store"
        else:
            response.headers.setdefault("Cache-Control", "no-cache")
        if http.url.path.startswith(("/login", ADMIN_URL)) and "set-cookie" not in response.headers:
            session.write(response, secure=request.is_encrypted)
        return response

    return answer


def build_frame_headers(origins: Sequence[str]) -> dict[str, str]:
    """The security headers of a page that frames of these sites may show."""
    if not origins:
        return HEADERS
    allowed = {"frame-ancestors": " ".join(origins)}
    framed = HEADERS | {"Content-Security-Policy": policy(**allowed)}
    del framed["X-Frame-Options"]  # it knows no list of sites
    return framed


ADMITTED = Response()  # of the check before a form is parsed


def check_utf8(http: Request) -> None:
    """Raise HttpProblem for a form in another encoding, which may hold lone surrogates."""
    _, options = parse_options_header(http.headers.get("content-type"))
    if options.get(b"charset", b"utf-8").lower() != b"utf-8":
        raise HttpProblem.of("unsupported_media_type.form", 415)


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


def is_number(text: str) -> bool:
    """Whether a text is the number of a row of the store."""
    return text.isascii() and text.isdigit() and len(text) <= KEY_DIGITS
