"""The application: the gate around everything, and the addresses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI

from prowess import __version__
from prowess.live.api.limits import Settings
from prowess.live.api.middleware import Metrics, Middleware
from prowess.live.api.parameters import check_query_names
from prowess.live.api.problems import KNOWN, MEDIA_TYPE, problem_response
from prowess.live.api.routes import (
    administration,
    categories,
    corrections,
    exports,
    journal,
    operations,
    pairs,
    people,
    results,
    standings,
)
from prowess.live.api.serializers import PREFIX, Described, of
from prowess.live.api.streams import Streams
from prowess.live.journal.journal import Journal
from prowess.live.store import access
from prowess.live.store.access import Actor
from prowess.live.store.store import WriteProbe

ROUTERS = (
    results,
    corrections,
    categories,
    standings,
    pairs,
    people,
    journal,
    exports,
    administration,
)
ABOUT = """\
Results in, ratings out. The log of results is the truth, ratings are a replay of it: any result
can be corrected, with a preview of who moves, and every change of a rating can be explained.

Errors are `application/problem+json` with a stable `code`. Every answer about ratings carries the
`revision` it holds for.
"""
PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {"description": "A problem.", "content": {MEDIA_TYPE: {"schema": of("Problem")}}}
}


def application(desk: Journal, settings: Settings | None = None) -> FastAPI:
    """The API of a desk. Who makes it closes it: `app.state.streams.close()`, then the desk."""
    chosen = settings or Settings()
    metrics, streams = Metrics(), Streams(desk, chosen)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        streams.start()
        app.state.ready()
        yield
        streams.close()

    app = Described(
        title="Prowess",
        version=__version__,
        description=ABOUT,
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    app.private = chosen.private
    app.state.desk, app.state.metrics, app.state.streams = desk, metrics, streams
    app.state.proving = WriteProbe(desk.store, desk.clock)
    app.state.settings, app.state.ready = chosen, lambda: None
    for kind in KNOWN:
        app.add_exception_handler(kind, problem_response)
    strict = [Depends(check_query_names)]
    for room in ROUTERS:
        app.include_router(room.router, prefix=PREFIX, dependencies=strict, responses=PROBLEMS)
    app.include_router(operations.router, include_in_schema=False)
    app.add_middleware(Middleware, settings=chosen, metrics=metrics, known=_known(desk))
    return app


def _known(desk: Journal) -> Callable[[str], Actor | None]:
    """Whose secret it is."""

    def known(secret: str) -> Actor | None:
        with desk.store.read() as connection:
            return access.find_actor(connection, secret, desk.clock())

    return known
