"""Server-sent events: a queue for each listener.

Events come from the writer's thread, cross into the loop of the server once for all listeners and
are serialised once. A listener that falls far behind is cut off and resumes with Last-Event-ID.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Annotated, Any, NamedTuple

from anyio import to_thread
from fastapi import Header, Query
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from prowess.live.api.calls import Reader, Text, build_router
from prowess.live.api.encoding import RETRY, HttpProblem, format_time
from prowess.live.api.middleware import ServerSettings, network_of
from prowess.live.errors import Refused, StoreError
from prowess.live.journal.journal import Journal
from prowess.live.journal.unit_of_work import JournalEvent
from prowess.live.store import access, queries

REVISION_DIGITS = 18
MAX_LAG_EVENTS = 1000  # of a listener
PAGE_EVENTS = 500  # past events read at a time
MOST_PAGES = 20  # of them in one stream, which then ends
RATED_SECONDS = 0.1  # that events wait for the ratings of a category
PACE = 0.02  # seconds between two pages, of whatever stream
TOKEN_CHECK_SECONDS = 1.0  # between two checks for revoked and expired tokens
ALIVE_COMMENT = b": alive\n\n"
MAX_PLAYERS_NAMED = 100  # in an event
FAULTS = logging.getLogger("prowess.faults")


class EventFrame(NamedTuple):
    """An encoded event with its revision and category."""

    revision: int
    category: str | None
    frame: bytes


class Listener(NamedTuple):
    """An open stream: its queue, network, token and category."""

    queue: asyncio.Queue[EventFrame | bytes | None]  # None: the end
    network: str
    token: int | None
    category: str | None

    def add(self, item: EventFrame | bytes | None) -> bool:
        """Queue an item; returns whether there was room."""
        try:
            self.queue.put_nowait(item)
        except asyncio.QueueFull:
            return False
        return True

    async def take(self) -> list[EventFrame | bytes | None]:
        """Wait for the first item; returns all queued items."""
        items = [await self.queue.get()]
        while not self.queue.empty():
            items.append(self.queue.get_nowait())
        return items


class Streams:
    """All open streams of a server."""

    def __init__(self, journal: Journal, settings: ServerSettings) -> None:
        self.journal, self.settings = journal, settings
        self.listeners: dict[int, Listener] = {}  # by id
        self.loop: asyncio.AbstractEventLoop | None = None
        self.pump: asyncio.Task[None] | None = None
        self.pending: list[JournalEvent] = []
        self.late: set[str] = set()  # keys of categories whose ratings are waited for no longer
        self.wake = asyncio.Event()
        self.replays = asyncio.Semaphore(1)
        self.closed = False
        self.stop: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Begin to send; called in the event loop."""
        self.loop = asyncio.get_running_loop()
        self.pump = self.loop.create_task(self.run_pump())

    def on_event(self, event: JournalEvent) -> None:
        """Pass a committed event to the event loop; called in the writer's thread."""
        if self.loop is not None:
            with suppress(RuntimeError):  # the loop is closed
                self.loop.call_soon_threadsafe(self.take, event)

    def take(self, event: JournalEvent) -> None:
        """Queue an event for the pump; called in the event loop."""
        self.pending.append(event)
        self.wake.set()

    async def run_pump(self) -> None:
        """Send events and heartbeats to all listeners until the streams are closed.

        Streams of a revoked or expired token (also revoked by another program) end before any
        later event is sent to them.
        """
        beat = monotonic()
        while not self.closed:
            pause = min(TOKEN_CHECK_SECONDS, self.settings.heartbeat) if self.listeners else None
            with suppress(TimeoutError):
                await asyncio.wait_for(self.wake.wait(), pause)
            self.wake.clear()
            events, self.pending = self.pending, []
            try:
                await self.wait_for_ratings(events)
                await self.end_revoked()
                for event in events if self.listeners else ():
                    data = format_event(self.event_data(event))
                    self.send(EventFrame(event.revision, event.category, data))
            except Exception:  # clients reconnect; this task must go on
                FAULTS.exception("events could not be sent")
                self.end_all()
            if monotonic() - beat >= self.settings.heartbeat:
                beat = monotonic()
                for one in self.listeners.values():
                    if one.queue.empty():
                        one.add(ALIVE_COMMENT)

    async def wait_for_ratings(self, events: list[JournalEvent]) -> None:
        """Wait a moment until ratings know what events tell of: readers ask for them.

        A category that takes longer is late: others need not wait for it until it has caught up.
        """
        if not (events and self.listeners):
            return
        every = [one.key for one in self.journal.categories()]
        keys = {key for event in events for key in ((event.category and [event.category]) or every)}
        waits = dict[asyncio.Future[None], str]()
        for key in keys - self.late:
            rated = Future[None]()
            self.journal.ladder(key).follow(partial(rated.set_result, None))
            waits[asyncio.wrap_future(rated)] = key
        if waits:
            _, late = await asyncio.wait(waits, timeout=RATED_SECONDS)
            for one in late:
                self.late.add(waits[one])
                one.add_done_callback(lambda done: self.late.discard(waits[done]))

    def send(self, frame: EventFrame) -> None:
        """Send an event to the listeners of its category."""
        for one in list(self.listeners.values()):
            if self.hears(one, frame.category) and not one.add(frame):
                self.end(one)  # too far behind: the client resumes with Last-Event-ID

    def hears(self, one: Listener, category: str | None) -> bool:
        """Whether a stream is of a category, whose key may have changed since it was opened."""
        find = self.journal.registry.category
        return one.category is None or find(one.category).key == category

    async def end_revoked(self) -> None:
        """End the streams of revoked and expired tokens."""
        numbers = {one.token for one in self.listeners.values() if one.token is not None}
        if not numbers:
            return
        try:
            closed = await to_thread.run_sync(self.find_closed_tokens, numbers)
        except StoreError:  # unknown: clients reconnect once the store is back
            closed = numbers
        if closed:
            self.journal.store.actors.forget()
        for one in list(self.listeners.values()):
            if one.token in closed:
                self.end(one)

    def find_closed_tokens(self, numbers: set[int]) -> set[int]:
        """The tokens that are revoked or expired."""
        with self.journal.store.read() as connection:
            return access.find_closed(connection, numbers, self.journal.clock())

    def end(self, one: Listener) -> None:
        """End a stream after its queued items; a full queue loses the first."""
        self.leave(one)
        if not one.add(None):
            one.queue.get_nowait()
            one.add(None)

    def leave(self, one: Listener) -> None:
        """Take a stream out; after the last one the journal tells of its events no more."""
        self.listeners.pop(id(one), None)
        if not self.listeners:
            self.stop()

    def end_all(self) -> None:
        """End all streams; called in the event loop."""
        for one in list(self.listeners.values()):
            self.end(one)
        self.wake.set()

    def close(self) -> None:
        """End all streams; may be called from a signal handler."""
        self.closed = True
        self.stop()
        if self.loop is not None:
            with suppress(RuntimeError):
                self.loop.call_soon_threadsafe(self.end_all)

    def open(
        self, after: int | None, category: str | None, token: int | None, network: str
    ) -> Stream:
        """Open a stream of events after a revision (None or future: from now on)."""
        if self.closed:
            raise HttpProblem.of("closing", 503, RETRY)
        own = sum(one.network == network for one in self.listeners.values())
        if own >= self.settings.streams_by_address or len(self.listeners) >= self.settings.streams:
            who = f"{own:,} of your address" if own >= self.settings.streams_by_address else "all"
            raise HttpProblem.of("too_many_streams", 429, {"Retry-After": "30"}, who=who)
        one = Listener(asyncio.Queue(MAX_LAG_EVENTS), network, token, category)
        if not self.listeners:
            self.stop = self.journal.listen(self.on_event)
        self.listeners[id(one)] = one
        self.wake.set()
        now = self.journal.revision
        return Stream(self, one, now if after is None else min(after, now))

    async def flow(self, one: Listener, last: int) -> AsyncIterator[bytes]:
        """Yield missed events, then new events and heartbeats."""
        yield b": prowess\nretry: 3000\n\n"
        for page in range(MOST_PAGES + 1):
            if page == MOST_PAGES:  # the client resumes with Last-Event-ID
                return
            async with self.replays:
                past = await to_thread.run_sync(self.read_past, last)
                own = [data for data in past if self.hears(one, data["category"])]
                framed = b"".join(map(format_event, own))
                await asyncio.sleep(PACE)
            if framed:
                yield framed
            if past:
                last = past[-1]["revision"]
            if len(past) < PAGE_EVENTS:
                break
        while not self.closed:
            items = await one.take()
            frames = []
            for item in items:
                if isinstance(item, bytes):
                    frames.append(item)
                elif item is not None and item.revision > last:
                    last = item.revision
                    frames.append(item.frame)
            if frames:
                yield b"".join(frames)
            if items[-1] is None:
                return

    def read_past(self, after: int) -> list[dict[str, Any]]:
        """Read a page of events of the log after a revision."""
        with self.journal.store.read() as connection:
            rows = queries.list_revisions(connection, after, PAGE_EVENTS)
        registry = self.journal.registry
        return [
            {
                "revision": row.id,
                "at": format_time(row.at),
                "kind": row.kind,
                "category": None if row.category is None else registry.categories[row.category].key,
                "detail": row.detail,
            }
            for row in rows
        ]

    def event_data(self, event: JournalEvent) -> dict[str, Any]:
        """Convert an event to JSON data."""
        return {
            "revision": event.revision,
            "at": format_time(event.at),
            "kind": event.kind,
            "category": event.category,
            "results": list(event.results[:MAX_PLAYERS_NAMED]),
            "results_total": len(event.results),
            "players": [self.journal.name(one) for one in event.players[:MAX_PLAYERS_NAMED]],
            "players_total": len(event.players),
        }


class Stream(StreamingResponse):
    """The response of a stream; removes its listener at the end."""

    def __init__(self, streams: Streams, one: Listener, after: int) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(streams.flow(one, after), 200, headers, "text/event-stream")
        self.streams, self.listener = streams, one

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response; see ASGI."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.streams.leave(self.listener)


def format_event(data: dict[str, Any]) -> bytes:
    """Encode a server-sent event; the kind is its name."""
    text = json.dumps(data, ensure_ascii=False)
    return f"id: {data['revision']}\nevent: {data['kind']}\ndata: {text}\n\n".encode(
        "utf-8", "backslashreplace"
    )


router = build_router("journal")


@router.get(
    "/events",
    summary="Follow events as they happen",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def events(
    call: Reader,
    category: Text = None,
    after: Annotated[int | None, Query(ge=0, le=2**62)] = None,
    last: Annotated[str | None, Header(alias="Last-Event-ID", max_length=20)] = None,
) -> Response:
    """Server-sent events, one per entry, `id` its revision; Last-Event-ID (or `after`) resumes.

    An event has the kind, the numbers of results and the names of players. A comment every few
    seconds is a heartbeat. At shutdown the stream ends; clients reconnect by themselves.
    """
    if last is not None:
        if not last.isdecimal() or len(last) > REVISION_DIGITS:
            raise Refused.of("bad_event_id", field="Last-Event-ID")
        after = int(last)
    if category is not None:
        call.journal.category(category)
    streams: Streams = call.request.app.state.streams
    if call.request.state.head:
        return Response(None, 200, {"Cache-Control": "no-store"}, "text/event-stream")
    return streams.open(after, category, call.actor.token, network_of(call.request.state.address))
