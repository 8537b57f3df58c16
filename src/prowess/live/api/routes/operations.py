"""For those who run the server: is it alive, is it ready, how does it do."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import APIRouter, Request
from sqlalchemy import text
from starlette.responses import Response

from prowess.live.api.middleware import MEDIA_TYPE, Metrics
from prowess.live.api.parameters import Reader, TheDesk
from prowess.live.api.problems import Problem
from prowess.live.api.responses import json_response
from prowess.live.journal.journal import Journal

router = APIRouter(tags=["operations"])


@router.get("/healthz")
def alive(request: Request) -> Response:
    """The process answers."""
    return json_response(request, {"status": "alive"}, headers={"Cache-Control": "no-store"})


@router.get("/readyz")
def ready(request: Request, desk: TheDesk) -> Response:
    """The log was replayed, the store can be read and written; 503 where not."""
    if request.app.state.streams.closed:
        raise Problem(503, "closing", "the server is closing", headers={"Retry-After": "5"})
    with desk.store.read() as connection:
        connection.execute(text("SELECT 1"))
    request.app.state.proving.check()
    told = {"status": "ready", "revision": desk.revision}
    return json_response(request, told, headers={"Cache-Control": "no-store"})


@router.get("/metrics")
def metrics(request: Request, desk: TheDesk, actor: Reader) -> Response:
    """Counts and times in Prometheus' text form."""
    counted: Metrics = request.app.state.metrics
    listeners = len(request.app.state.streams.listeners)
    return Response(counted.text(_gauges(desk, listeners)), media_type=MEDIA_TYPE)


def _gauges(desk: Journal, listeners: int) -> Iterator[tuple[str, str, dict[str, str], float]]:
    yield "prowess_revision", "The last entry in effect.", {}, float(desk.revision)
    yield "prowess_listeners", "Open streams of events.", {}, float(listeners)
    ladders = {one.key: desk.ladder(one.key) for one in desk.categories()}
    for key, ladder in ladders.items():
        yield "prowess_results", "Results that count.", {"category": key}, float(len(ladder))
    for key, ladder in ladders.items():
        waiting = float(ladder.waiting)
        yield "prowess_waiting", "Results that ratings lack yet.", {"category": key}, waiting
