"""The application: middleware, routes, OpenAPI description, health, readiness and metrics."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from threading import Lock
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from sqlalchemy import text
from starlette.responses import Response
from starlette.types import ASGIApp

from prowess.live.api import (
    administration,
    exports,
    listings,
    pairs,
    ratings,
    results,
    streams as events,
    writes,
)
from prowess.live.api.calls import READ_TOKEN, JsonResponse, Operator
from prowess.live.api.encoding import CAUGHT, MEDIA_TYPE, RETRY, HttpProblem, problem_response
from prowess.live.api.middleware import API_PATH, Middleware, ServerSettings
from prowess.live.api.shared_files import SharedFiles
from prowess.live.api.streams import Streams
from prowess.live.api.turns import HEAVY_READS, Turns
from prowess.live.journal.journal import Journal
from prowess.live.store.store import WriteProbe
from prowess.version import __version__

ROUTERS = (
    results.router,
    writes.router,
    listings.router,
    ratings.router,
    pairs.router,
    listings.players_router,
    listings.journal_router,
    listings.site_router,
    events.router,
    exports.router,
    administration.router,
)
API_DESCRIPTION = """\
Results in, ratings out. The log of results is the truth, ratings are a replay of it: any result
can be corrected, with a preview of who moves, and every change of a rating can be explained.

Errors are `application/problem+json` with a stable `code`. Every answer about ratings carries the
`revision` it holds for.
"""


class Described(FastAPI):
    """FastAPI whose OpenAPI description states problem media types and optional tokens.

    Requests pass our middleware before the layers that FastAPI puts around routes.
    """

    private = False
    first: Callable[[ASGIApp], ASGIApp]

    def build_middleware_stack(self) -> ASGIApp:
        """See Starlette."""
        return self.first(super().build_middleware_stack())

    def openapi(self) -> dict[str, Any]:
        """See FastAPI."""
        if self.openapi_schema is None:
            text = json.dumps(super().openapi())
            schema: dict[str, Any] = json.loads(re.sub(r'Json"', '"', text))
            if self.state.settings.root_path:
                schema["servers"] = [{"url": self.state.settings.root_path}]
            for methods in schema["paths"].values():
                for operation in methods.values():
                    problem = operation["responses"]["4XX"]
                    problem["content"] = {MEDIA_TYPE: problem["content"].popitem()[1]}
                    if not self.private and {READ_TOKEN.scheme_name: []} in operation["security"]:
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
        description=API_DESCRIPTION,
        openapi_url=f"{API_PATH}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # asked at each request
    )
    app.private = chosen.private
    journal.store.writer.patience = chosen.rating_patience
    app.state.journal, app.state.metrics, app.state.streams = journal, metrics, streams
    app.state.write_probe = WriteProbe(journal.store, journal.clock)
    app.state.settings, app.state.ready = chosen, lambda: None
    app.state.answer_fault = problem_response  # pages show some to browsers
    app.state.starting = False  # the loops of the ladders are being loaded
    for kind in CAUGHT:
        app.add_exception_handler(kind, problem_response)
    for router in (*ROUTERS, operations):
        app.router.routes += router.routes
    heavy = Turns(HEAVY_READS)
    app.state.exports = SharedFiles(heavy, lambda: journal.revision)
    app.add_exception_handler(Exception, pass_on)
    short = {("POST", results.REPORT_ROUTE.path): results.CleanReports}
    app.first = partial(
        Middleware, short=short, settings=chosen, journal=journal, count=metrics.count, heavy=heavy
    )
    return app


async def pass_on(_: Request, error: Exception) -> Response:
    """Leave an unforeseen error to `Middleware`."""
    raise error


# Operation of the server: health, readiness and metrics.


METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
HTTP_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # request times


class Metrics:
    """Request counts and response times."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.seconds: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS_S) + 1))
        self.total: defaultdict[str, float] = defaultdict(float)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request; unknown methods are counted together."""
        method = method if method in HTTP_METHODS else "other"
        with self.lock:
            self.requests[method, route, status] += 1
            self.seconds[route][bisect_left(BOUNDS_S, seconds)] += 1
            self.total[route] += seconds

    def render(self, gauges: Iterable[tuple[str, str, dict[str, str], float]]) -> str:
        """Render Prometheus text; `gauges` are (name, help, labels, value), grouped by name."""
        lines = [
            "# HELP prowess_requests_total Requests that were answered.",
            "# TYPE prowess_requests_total counter",
        ]
        with self.lock:
            for (method, route, status), n in sorted(self.requests.items()):
                labels = format_labels({"method": method, "route": route, "status": str(status)})
                lines.append(f"prowess_requests_total{labels} {n}")
            name = "prowess_request_seconds"
            lines += [f"# HELP {name} Time to an answer.", f"# TYPE {name} histogram"]
            for route, counts in sorted(self.seconds.items()):
                so_far = 0
                for bound, n in zip((*map(str, BOUNDS_S), "+Inf"), counts, strict=True):
                    so_far += n
                    labels = format_labels({"route": route, "le": bound})
                    lines.append(f"{name}_bucket{labels} {so_far}")
                labels = format_labels({"route": route})
                lines.append(f"{name}_sum{labels} {self.total[route]:.6f}")
                lines.append(f"{name}_count{labels} {so_far}")
        previous = ""
        for name, about, label, value in gauges:
            if name != previous:
                lines += [f"# HELP {name} {about}", f"# TYPE {name} gauge"]
                previous = name
            lines.append(f"{name}{format_labels(label)} {value!r}")
        return "\n".join(lines) + "\n"


def format_labels(labels: dict[str, str]) -> str:
    """Format labels in braces with escaped values."""
    if not labels:
        return ""
    inner = ",".join(f'{name}="{_escape_label(value)}"' for name, value in labels.items())
    return f"{{{inner}}}"


def _escape_label(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


operations = APIRouter(tags=["operations"], include_in_schema=False)


@operations.get("/healthz")
def alive() -> Response:
    """Liveness: the process responds."""
    return JsonResponse({"status": "alive"}, headers={"Cache-Control": "no-store"})


@operations.get("/readyz")
def ready(request: Request) -> Response:
    """Readiness: the log is replayed, the store can be read and written; else 503."""
    journal: Journal = request.app.state.journal
    if request.app.state.streams.closed:
        raise HttpProblem.of("closing", 503, RETRY)
    with journal.store.read() as connection:
        connection.execute(text("SELECT 1"))
    request.app.state.write_probe.check()
    data = {"status": "ready", "revision": journal.revision}
    return JsonResponse(data, headers={"Cache-Control": "no-store"})


@operations.get("/metrics")
def metrics(call: Operator) -> Response:
    """Metrics in the Prometheus text format, for this machine and for tokens with `metrics`."""
    counted: Metrics = call.request.app.state.metrics
    listeners = len(call.request.app.state.streams.listeners)
    text = counted.render(_gauges(call.journal, listeners))
    # Who asks decides, so that no answer is kept for others.
    return Response(text, headers={"Cache-Control": "no-store"}, media_type=METRICS_TYPE)


def _gauges(journal: Journal, listeners: int) -> Iterator[tuple[str, str, dict[str, str], float]]:
    yield "prowess_revision", "The current revision.", {}, float(journal.revision)
    yield "prowess_listeners", "Open streams of events.", {}, float(listeners)
    ladders = {one.key: journal.ladder(one.key) for one in journal.categories()}
    for key, ladder in ladders.items():
        yield "prowess_results", "Results that count.", {"category": key}, float(len(ladder))
    for key, ladder in ladders.items():
        waiting = float(ladder.waiting)
        yield "prowess_waiting", "Results that are not fitted yet.", {"category": key}, waiting
