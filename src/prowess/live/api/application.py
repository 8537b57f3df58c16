"""The application: middleware, routes, handlers of errors, and the OpenAPI description."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI

from prowess import __version__
from prowess.live.api import (
    administration,
    exports,
    listings,
    operations,
    pairs,
    ratings,
    results,
    streams as events,
    writes,
)
from prowess.live.api.middleware import API, Middleware, ServerSettings
from prowess.live.api.operations import Metrics
from prowess.live.api.parameters import READING, check_query_names
from prowess.live.api.problems import KNOWN, MEDIA_TYPE, ProblemJson, problem_response
from prowess.live.api.streams import Streams
from prowess.live.journal.journal import Journal
from prowess.live.store.store import WriteProbe

PREFIX = API.rstrip("/")
ROUTERS = (
    results.router,
    writes.router,
    listings.router,
    ratings.router,
    pairs.router,
    listings.players_router,
    listings.journal_router,
    events.router,
    exports.router,
    administration.router,
)
ABOUT = """\
Results in, ratings out. The log of results is the truth, ratings are a replay of it: any result
can be corrected, with a preview of who moves, and every change of a rating can be explained.

Errors are `application/problem+json` with a stable `code`. Every answer about ratings carries the
`revision` it holds for.
"""
PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {"description": "A problem.", "model": ProblemJson}
}


class Described(FastAPI):
    """FastAPI whose OpenAPI description states problem media types and optional tokens."""

    private = False

    def openapi(self) -> dict[str, Any]:
        """See FastAPI."""
        if self.openapi_schema is None:
            text = json.dumps(super().openapi())
            schema: dict[str, Any] = json.loads(re.sub(r'Json"', '"', text))
            for methods in schema["paths"].values():
                for operation in methods.values():
                    problem = operation["responses"]["4XX"]
                    problem["content"] = {MEDIA_TYPE: problem["content"].popitem()[1]}
                    if not self.private and {READING.scheme_name: []} in operation["security"]:
                        operation["security"].append({})
            self.openapi_schema = schema
        return self.openapi_schema


def build_application(journal: Journal, settings: ServerSettings | None = None) -> FastAPI:
    """Build the API of a journal. The caller closes `app.state.streams`, then the journal."""
    chosen = settings or ServerSettings()
    metrics, streams = Metrics(), Streams(journal, chosen)

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
    app.state.journal, app.state.metrics, app.state.streams = journal, metrics, streams
    app.state.write_probe = WriteProbe(journal.store, journal.clock)
    app.state.settings, app.state.ready = chosen, lambda: None
    for kind in KNOWN:
        app.add_exception_handler(kind, problem_response)
    strict = [Depends(check_query_names)]
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX, dependencies=strict, responses=PROBLEMS)
    app.include_router(operations.router, include_in_schema=False)
    app.add_middleware(Middleware, settings=chosen, journal=journal, count=metrics.count)
    return app
