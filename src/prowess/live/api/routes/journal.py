"""What happened: revisions, and events as they take effect."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import Response, StreamingResponse

from prowess.live.api import serializers
from prowess.live.api.limits import network_of
from prowess.live.api.parameters import Reader, TheDesk
from prowess.live.api.problems import Fault, Problem
from prowess.live.api.responses import Cursor, Limit, Text, make_cursor, page_response, parse_cursor
from prowess.live.api.streams import Streams
from prowess.live.store import queries

router = APIRouter(tags=["journal"])
LONGEST = 18  # digits of a revision


@router.get("/revisions")
def revisions(
    request: Request,
    desk: TheDesk,
    actor: Reader,
    category: Text = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """Every change of the facts, the last first: when, what kind, by whom, why."""
    place = parse_cursor(cursor, int)
    with desk.store.read() as connection:
        found = queries.list_revisions(
            connection,
            None if place is None else int(place[0]),
            limit + 1,
            None if category is None else desk.category(category).id,
            newest=True,
        )
    more = make_cursor(found[limit - 1].id) if len(found) > limit else None
    rows = [serializers.revision(desk, row) for row in found[:limit]]
    now = desk.revision
    return page_response(request, rows, more, revision=now, etag=f"r{now}")


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def events(
    request: Request,
    desk: TheDesk,
    actor: Reader,
    category: Text = None,
    after: Annotated[int | None, Query(ge=0, le=2**62)] = None,
    last: Annotated[str | None, Header(alias="Last-Event-ID", max_length=20)] = None,
) -> Response:
    """Server-sent events, one an entry, `id` its revision; Last-Event-ID (or `after`) resumes.

    Names the kind and the numbers of results; players by name. A comment every few seconds shows
    that the line is alive. At shutdown the stream ends; clients come back by themselves.
    """
    if last is not None:
        if not last.isdecimal() or len(last) > LONGEST:
            told = "a revision, as it came with an event"
            raise Problem(422, "bad_event_id", told, [Fault("bad_event_id", told, "Last-Event-ID")])
        after = int(last)
    if category is not None:
        desk.category(category)
    streams: Streams = request.app.state.streams
    if request.state.head:
        return Response(None, 200, {"Cache-Control": "no-store"}, "text/event-stream")
    return streams.open(after, category, actor.token, network_of(request.state.address))
