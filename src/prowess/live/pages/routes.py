"""All pages of the live server and their addresses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from prowess.live.api.middleware import API
from prowess.live.api.problems import problem_response
from prowess.live.api.responses import is_html_preferred
from prowess.live.errors import NotFound
from prowess.live.pages.admin import changes, imports, keys, rooms, scoresheet, signing
from prowess.live.pages.reading import archive, documents, ladders, lists, players
from prowess.live.pages.sessions import Sessions
from prowess.live.pages.visits import Page, Visit, endpoint

if TYPE_CHECKING:
    from fastapi import FastAPI

    from prowess.live.api.limits import Settings
    from prowess.live.journal.journal import Journal

READ: tuple[tuple[str, Page], ...] = (
    ("/", ladders.home),
    ("/categories", ladders.categories_page),
    ("/c/{key}", ladders.leaderboard),
    ("/c/{key}/leaderboard.{form:str}", ladders.export),
    ("/c/{key}/pairings", ladders.pairings),
    ("/c/{key}/method", ladders.method_page),
    ("/c/{key}/lists", lists.lists),
    ("/c/{key}/lists/{list}", lists.published_list),
    ("/c/{key}/players/{player}.csv", players.games),
    ("/c/{key}/players/{player}", players.player),
    ("/c/{key}/pairs/{a}/{b}", players.pair),
    ("/c/{key}/enter", scoresheet.sheet),
    ("/results/{number}", archive.game),
    ("/api", documents.api),
    ("/static/{file:path}", documents.static),
    ("/login", signing.form),
    ("/admin", rooms.overview),
    ("/admin/queue", rooms.queue),
    ("/admin/results", rooms.results),
    ("/admin/results/{number}", rooms.result),
    ("/admin/players", rooms.players),
    ("/admin/players/{number}", rooms.player),
    ("/admin/categories", rooms.categories),
    ("/admin/categories/{key}", rooms.category),
    ("/admin/tokens", keys.token_list),
    ("/admin/webhooks", keys.webhook_list),
    ("/admin/audit", keys.audit),
    ("/admin/import", imports.form),
)
SIGNING: tuple[tuple[str, Page], ...] = (
    ("/login", signing.enter),
    ("/logout", signing.leave),
)
WRITE: tuple[tuple[str, Page], ...] = (
    ("/c/{key}/enter", scoresheet.enter),
    ("/admin/changes/{kind}", changes.change),
    ("/admin/tokens", keys.token_made),
    ("/admin/tokens/{number}/revoke", keys.token_revoked),
    ("/admin/webhooks", keys.webhook_made),
    ("/admin/webhooks/{number}/stop", keys.webhook_stopped),
)
MISSING = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
TAKEN = "/admin/import:batch"  # ends so, because bodies of such addresses may be long


def mounted(app: FastAPI, desk: Journal, settings: Settings) -> Callable[[], None]:
    """Add the pages to an application; returns what ends them, to be called at its end."""
    sessions = Sessions(desk)
    uploads = imports.Uploads()
    taking: tuple[str, Page] = (TAKEN, partial(imports.take, uploads=uploads))
    for method, scopes, routes in (
        ("GET", (), READ),
        ("POST", (), SIGNING),
        ("POST", ("submit", "correct"), WRITE),
        ("POST", ("submit",), (taking,)),
    ):
        for path, page in routes:
            app.add_route(
                path,
                endpoint(page, desk, settings, sessions, scopes),
                methods=[method],
                include_in_schema=False,
            )
    app.add_exception_handler(HTTPException, unknown(desk, settings, sessions))
    return uploads.folder.cleanup


def unknown(
    desk: Journal, settings: Settings, sessions: Sessions
) -> Callable[[Request, Exception], Awaitable[Response]]:
    """The handler of addresses that are not there: a page for browsers, a problem for programs."""

    async def answered(request: Request, error: Exception) -> Response:
        response = problem_response(request, error)
        path = request.scope["path"]
        asked = request.method in ("GET", "HEAD") and is_html_preferred(request)
        if response.status_code not in MISSING or path.startswith(API.rstrip("/")) or not asked:
            return response

        def page(visit: Visit) -> Response:
            raise NotFound("no_such_address", "there is no such page here")

        shown = await endpoint(page, desk, settings, sessions)(request)
        if shown.status_code == HTTPStatus.NOT_FOUND:
            shown.status_code = response.status_code
            if "allow" in response.headers:
                shown.headers["Allow"] = response.headers["allow"]
        return shown

    return answered
