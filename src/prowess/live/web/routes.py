"""Routes of the pages, static files, the API page, and the handler of unknown addresses."""

from __future__ import annotations

import gzip
from collections.abc import Awaitable, Callable
from functools import cache, partial
from http import HTTPStatus
from secrets import token_urlsafe
from typing import TYPE_CHECKING, NamedTuple

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from prowess.live.api.administration import TOKENS, WEBHOOKS
from prowess.live.api.calls import is_html_preferred
from prowess.live.api.encoding import CAUGHT, accept_quality, problem_response
from prowess.live.api.middleware import API_PATH
from prowess.live.api.read_model import THEME_COOKIE, THEMES
from prowess.live.errors import NotFound
from prowess.live.store import access
from prowess.live.web import (
    administration,
    categories,
    changes,
    imports,
    results,
    scoresheet,
)
from prowess.live.web.administration import end_secret
from prowess.live.web.page_request import (
    ADMIN_URL,
    EMBED_PATH,
    FIELDS,
    HEADERS,
    TICKED,
    Page,
    PageRequest,
    Session,
    check_utf8,
    make_endpoint,
)
from prowess.live.web.views import ROUTES, ServerLinks, fingerprints
from prowess.present.brand import BRAND_KINDS, brand_files
from prowess.present.rendering import static_files

if TYPE_CHECKING:
    from fastapi import FastAPI
    from sqlalchemy import Connection

    from prowess.live.api.middleware import ServerSettings
    from prowess.live.journal.journal import Journal


CONTENT_TYPES = {
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "js": "text/javascript; charset=utf-8",
    "woff2": "font/woff2",
    "toml": "text/plain; charset=utf-8",
    "LICENSE": "text/plain; charset=utf-8",
}
PACKED = "woff2"  # kind of files that are compressed already
DRAWING_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"  # of a logo by itself
THEME_SECONDS = 31_536_000
FOR_EVER = "public, max-age=31536000, immutable"
PAGE_METHODS = ("get", "post", "put", "patch", "delete")


def serve_static(request: PageRequest) -> Response:
    """Serve a file that pages load."""
    name = request.path_part("file")
    if name not in static_files():
        raise NotFound.of("no_such_file.static", name=name)
    same = request.http.query_params.get("v") == fingerprints()[name]
    headers = {"Cache-Control": FOR_EVER if same else "no-cache", "Vary": "Accept-Encoding"}
    content, kind = static_files()[name], name.rpartition(".")[2]
    if kind != PACKED and accept_quality(request.http.headers.get("accept-encoding", ""), "gzip"):
        content = zip_static(name)
        headers["Content-Encoding"] = "gzip"
    return Response(content, media_type=CONTENT_TYPES[kind], headers=headers)


@cache
def zip_static(name: str) -> bytes:
    """A static file, compressed."""
    return gzip.compress(static_files()[name], mtime=0)


def serve_brand_file(request: PageRequest) -> Response:
    """Serve the logo or the colours of the site; no script in them could run."""
    files, name = brand_files(request.journal.registry.brand), request.path_part("file")
    if name not in files:
        raise NotFound.of("no_such_file.static", name=name)
    same = ServerLinks().own(name, files[name]).endswith(f"?v={request.query('v')}")
    headers = {
        "Cache-Control": FOR_EVER.replace("public", "private") if same else "no-cache",
        "Content-Security-Policy": DRAWING_POLICY,
    }
    return Response(files[name], media_type=BRAND_KINDS[name.rpartition(".")[2]], headers=headers)


def show_imprint(request: PageRequest) -> Response:
    """The imprint of the site."""
    if not request.journal.registry.brand.imprint:
        raise NotFound.of("no_imprint")
    return request.render("imprint.html", here="imprint")


def show_api(request: PageRequest) -> Response:
    """List the operations of the API, from its OpenAPI description."""
    operations = [
        (method.upper(), path, methods[method])
        for path, methods in request.http.app.openapi()["paths"].items()
        for method in PAGE_METHODS
        if method in methods
    ]
    return request.render("live/api.html", here="api", operations=operations)


# Sign-in with a token, and sign-out.


def show_sign_in(request: PageRequest) -> Response:
    """The form that asks for a token."""
    return request.render("admin/login.html", here="login", next=request.query("next"), bad=False)


def sign_in(request: PageRequest) -> Response:
    """Begin a session with a token, and redirect."""
    journal, now = request.journal, request.journal.clock()
    actor = journal.store.actors.find(request.field("token"), now)
    if actor is None:
        state = request.http.state
        journal.store.writer.do(
            lambda c: access.count_wrong_sign_in(c, state.address, state.id, now=now)
        )
    else:
        request.write_audit_line(access.SIGN_IN, "", access.AUDIT_DONE, actor)
    number = None if actor is None else actor.token
    if actor is None or number is None:
        return request.render(
            "admin/login.html", here="login", next=request.field("next"), bad=True, status=403
        )
    there = local_address(request.field("next"))
    keeps = actor.may("submit") or actor.may("correct")
    response = RedirectResponse("/" if there == ADMIN_URL and not keeps else there, 303)

    def begin(connection: Connection) -> str:
        """Begin a new session (against session fixation) and end the one before."""
        access.end_session(connection, request.session.secret)
        return access.begin_session(connection, number, now)

    secret = journal.store.writer.do(begin)
    Session(secret, actor).write(response, secure=request.is_encrypted)
    return response


def sign_out(request: PageRequest) -> Response:
    """End the session on the server, so that copies of the cookie are invalid too."""
    request.journal.store.writer.do(lambda c: access.end_session(c, request.session.secret))
    if request.actor is not None:
        request.write_audit_line("sign out", "")
    response = RedirectResponse("/", 303)
    Session(token_urlsafe(32)).write(response, secure=request.is_encrypted)
    return response


def local_address(there: str, other: str = ADMIN_URL) -> str:
    """A local address unchanged; for any other the administration page, or another."""
    plain = there.startswith("/") and not there.startswith("//") and "\\" not in there
    return there if plain and there.isprintable() else other


async def choose_theme(http: Request) -> Response:
    """Keep light or dark in a cookie of this browser, and go back; harmless from any site."""
    check_utf8(http)
    async with http.form(max_files=0, max_fields=2) as form:
        theme, there = str(form.get("theme", "")), str(form.get("next", ""))
    response = RedirectResponse(local_address(there, "/"), 303)
    if theme in THEMES:
        response.set_cookie(
            THEME_COOKIE, theme, max_age=THEME_SECONDS, httponly=True, samesite="lax",
            secure=bool(http.state.encrypted),
        )  # fmt: skip
    return response


# The table of routes.


class PageRoute(NamedTuple):
    """An address, its page, and the scopes of which the actor needs one (none: anybody)."""

    path: str
    page: Page
    scopes: tuple[str, ...] = ()


SUBMIT, CORRECT, ADMIN = ("submit",), ("correct",), ("admin",)
KEEP = (*SUBMIT, *CORRECT)
READ = (
    PageRoute("/", categories.show_home),
    PageRoute("/categories", categories.show_categories),
    PageRoute(ROUTES["leaderboard"], categories.show_leaderboard),
    PageRoute(ROUTES["export"], categories.export_leaderboard),
    PageRoute(ROUTES["pairings"], categories.show_pairings),
    PageRoute(ROUTES["method"], categories.show_method),
    PageRoute(ROUTES["lists"], categories.show_lists),
    PageRoute(ROUTES["list"], categories.show_list),
    PageRoute("/c/{key}/feed.atom", results.export_feed),
    PageRoute(ROUTES["games"], categories.export_games),
    PageRoute("/c/{key}/players/{player}.svg", results.export_badge),
    PageRoute(ROUTES["player"], categories.show_player),
    PageRoute(ROUTES["pair"], categories.show_pair),
    PageRoute(ROUTES["enter"], scoresheet.show_sheet, SUBMIT),
    PageRoute(f"{EMBED_PATH}c/{{key}}", results.show_embedded),
    PageRoute("/results/{number}", results.show_result),
    PageRoute("/api", show_api),
    PageRoute("/imprint", show_imprint),
    PageRoute("/brand/{file}", serve_brand_file),
    PageRoute("/static/{file:path}", serve_static),
    PageRoute("/login", show_sign_in),
    PageRoute("/admin", administration.show_overview, KEEP),
    PageRoute("/admin/queue", administration.list_queue, CORRECT),
    PageRoute("/admin/results", administration.list_results, CORRECT),
    PageRoute("/admin/results/{number}", administration.edit_result, KEEP),
    PageRoute("/admin/players", administration.list_players, ADMIN),
    PageRoute("/admin/players/{number}", administration.edit_player, ADMIN),
    PageRoute("/admin/categories", administration.list_categories, ADMIN),
    PageRoute("/admin/categories/{key}", administration.edit_category, ADMIN),
    PageRoute("/admin/tokens", administration.list_tokens, ADMIN),
    PageRoute("/admin/webhooks", administration.list_webhooks, ADMIN),
    PageRoute("/admin/audit", administration.read_audit, ADMIN),
    PageRoute("/admin/import", imports.show_import_form, SUBMIT),
)
TICKING = "/admin/changes/{kind}"  # its forms may tick results
WRITE = (
    PageRoute("/login", sign_in),
    PageRoute("/logout", sign_out),
    PageRoute(ROUTES["enter"], scoresheet.submit_sheet, SUBMIT),
    PageRoute(TICKING, changes.submit_change, KEEP),
    PageRoute("/admin/backup", administration.save_backup, ADMIN),
    PageRoute("/admin/prove", administration.prove_ratings, CORRECT),
    PageRoute("/admin/tokens", administration.make_token, ADMIN),
    PageRoute("/admin/tokens/{number}/revoke", partial(end_secret, kind=TOKENS), ADMIN),
    PageRoute("/admin/webhooks", administration.make_webhook, ADMIN),
    PageRoute("/admin/webhooks/{number}/stop", partial(end_secret, kind=WEBHOOKS), ADMIN),
)
NO_PAGE = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
IMPORT_PATH = "/admin/import:batch"  # the suffix allows a long body


def add_page_routes(app: FastAPI, journal: Journal, settings: ServerSettings) -> Callable[[], None]:
    """Add the pages to an application; returns the function that cleans up at its end."""
    uploads = imports.Uploads()
    importing = PageRoute(IMPORT_PATH, partial(imports.submit_import, uploads=uploads), SUBMIT)
    for method, routes in (("GET", READ), ("POST", (*WRITE, importing))):
        for path, page, scopes in routes:
            fields = TICKED if path == TICKING else FIELDS
            endpoint = make_endpoint(page, journal, settings, scopes, fields)
            app.add_route(path, endpoint, methods=[method], include_in_schema=False)
    app.add_route("/theme", choose_theme, methods=["POST"], include_in_schema=False)
    app.state.answer_fault = answer_fault = make_fault_handler(journal, settings)
    for kind in CAUGHT:
        app.add_exception_handler(kind, answer_fault)
    missing = make_missing_handler(journal, settings, answer_fault)
    app.add_exception_handler(HTTPException, missing)
    return uploads.close


class FaultWords(NamedTuple):
    """What a page says where the server could not answer."""

    title: str
    text: str


FAULT_WORDS = {  # by status; other problems stay problems
    413: FaultWords(
        "Too large", "What was sent is larger than this server takes. Choose a smaller file."
    ),
    429: FaultWords("A little slower", "Many requests came from here. Wait a minute, then reload."),
    500: FaultWords("Something broke here", "It was not you. Nothing that was recorded is lost."),
    503: FaultWords(
        "Back in a moment", "The server is busy, or just starting. Reload in a moment."
    ),
}
MAX_FAULT_PAGES = 12  # that are kept: statuses and themes of a revision
ID_PLACE = "{request-id}"


def make_missing_handler(
    journal: Journal,
    settings: ServerSettings,
    answer_fault: Callable[[Request, Exception], Response],
) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Make the handler of unknown addresses: a page for browsers, a problem for programs."""

    async def answer_missing(http: Request, error: Exception) -> Response:
        response = answer_fault(http, error)
        asked = http.method in ("GET", "HEAD") and is_page_wanted(http)
        if response.status_code not in NO_PAGE or not asked:
            return response

        def page(request: PageRequest) -> Response:
            raise NotFound.of("no_such_address")

        page_response = await make_endpoint(page, journal, settings)(http)
        if page_response.status_code == HTTPStatus.NOT_FOUND:
            page_response.status_code = response.status_code
            if "allow" in response.headers:
                page_response.headers["Allow"] = response.headers["allow"]
        return page_response

    return answer_missing


def is_page_wanted(http: Request) -> bool:
    """Whether a browser asks, and not for something of the API."""
    return not http.scope["path"].startswith(API_PATH) and is_html_preferred(http)


def make_fault_handler(
    journal: Journal, settings: ServerSettings
) -> Callable[[Request, Exception], Response]:
    """Make the handler of what went wrong: a page for browsers, a problem for programs.

    It reads no store, and renders each page once.
    """
    kept: dict[tuple[object, ...], Response] = {}

    def answer_fault(http: Request, error: Exception) -> Response:
        problem = problem_response(http, error)
        if problem.status_code not in FAULT_WORDS or not is_page_wanted(http):
            return problem
        request = PageRequest(http, journal, settings, Session(""), None, FormData())
        key = journal.revision, problem.status_code, request.theme
        if key not in kept:
            if len(kept) >= MAX_FAULT_PAGES:
                kept.clear()
            words = FAULT_WORDS[problem.status_code]
            kept[key] = request.render(
                "live/fault.html", words=words, id=ID_PLACE, address="/", sign_in=None
            )
        text = bytes(kept[key].body).replace(ID_PLACE.encode(), http.state.id.encode())
        page = HTMLResponse(text, problem.status_code, HEADERS | {"Cache-Control": "no-store"})
        if "retry-after" in problem.headers:
            page.headers["Retry-After"] = problem.headers["retry-after"]
        return page

    return answer_fault
