"""Operation of the server: health, readiness and metrics."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from threading import Lock

from fastapi import APIRouter, Request
from sqlalchemy import text
from starlette.responses import Response

from prowess.live.api.parameters import Reader, TheJournal
from prowess.live.api.problems import HttpProblem
from prowess.live.api.responses import json_response
from prowess.live.journal.journal import Journal

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds


class Metrics:
    """Request counts and response times."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.seconds: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self.total: defaultdict[str, float] = defaultdict(float)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request; unknown methods are counted together."""
        method = method if method in METHODS else "other"
        with self.lock:
            self.requests[method, route, status] += 1
            self.seconds[route][bisect_left(BOUNDS, seconds)] += 1
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
                for bound, n in zip((*map(str, BOUNDS), "+Inf"), counts, strict=True):
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


router = APIRouter(tags=["operations"])


@router.get("/healthz")
def alive(request: Request) -> Response:
    """Liveness: the process responds."""
    return json_response(request, {"status": "alive"}, headers={"Cache-Control": "no-store"})


@router.get("/readyz")
def ready(request: Request, journal: TheJournal) -> Response:
    """Readiness: the log is replayed, the store can be read and written; else 503."""
    if request.app.state.streams.closed:
        raise HttpProblem(503, "closing", "the server is closing", headers={"Retry-After": "5"})
    with journal.store.read() as connection:
        connection.execute(text("SELECT 1"))
    request.app.state.write_probe.check()
    data = {"status": "ready", "revision": journal.revision}
    return json_response(request, data, headers={"Cache-Control": "no-store"})


@router.get("/metrics")
def metrics(request: Request, journal: TheJournal, actor: Reader) -> Response:
    """Metrics in the Prometheus text format."""
    counted: Metrics = request.app.state.metrics
    listeners = len(request.app.state.streams.listeners)
    return Response(counted.render(_gauges(journal, listeners)), media_type=METRICS_TYPE)


def _gauges(journal: Journal, listeners: int) -> Iterator[tuple[str, str, dict[str, str], float]]:
    yield "prowess_revision", "The current revision.", {}, float(journal.revision)
    yield "prowess_listeners", "Open streams of events.", {}, float(listeners)
    ladders = {one.key: journal.ladder(one.key) for one in journal.categories()}
    for key, ladder in ladders.items():
        yield "prowess_results", "Results that count.", {"category": key}, float(len(ladder))
    for key, ladder in ladders.items():
        waiting = float(ladder.waiting)
        yield "prowess_waiting", "Results that are not fitted yet.", {"category": key}, waiting
