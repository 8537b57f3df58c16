"""Listeners to what happens: server-sent events over a queue each.

Events come from the writer's thread and cross into the loop of the server once for all
listeners. Who falls far behind is cut off and comes back with Last-Event-ID.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

from anyio import to_thread

from prowess.live.api.problems import Problem
from prowess.live.api.settings import Settings
from prowess.live.api.wire import time_text
from prowess.live.desk.desk import Desk
from prowess.live.desk.receipt import Event
from prowess.live.store import lookups

BEHIND = 1000  # events a listener may be behind
PAGE = 500  # past events read at a time
MOST_NAMED = 100  # players of an event who are named


class Streams:
    """All open streams of a server."""

    def __init__(self, desk: Desk, settings: Settings) -> None:
        self.desk, self.settings = desk, settings
        self.queues: set[asyncio.Queue[Event | None]] = set()
        self.loop: asyncio.AbstractEventLoop | None = None
        self.closed = False
        self.stop: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Listen to the desk; called in the loop of the server."""
        self.loop = asyncio.get_running_loop()
        self.stop = self.desk.listen(self.heard)

    def heard(self, event: Event) -> None:
        """Something took effect; called in the writer's thread."""
        if self.loop is not None:
            with suppress(RuntimeError):  # the loop is closed
                self.loop.call_soon_threadsafe(self.tell, event)

    def tell(self, event: Event | None) -> None:
        """Pass it on to every listener, in the loop."""
        for queue in list(self.queues):
            try:
                queue.put_nowait(event)
            except asyncio.QueueFull:
                self.queues.discard(queue)
                with suppress(asyncio.QueueEmpty):
                    queue.get_nowait()
                queue.put_nowait(None)

    def close(self) -> None:
        """End all streams; may be called from a signal."""
        self.closed = True
        self.stop()
        if self.loop is not None:
            with suppress(RuntimeError):
                self.loop.call_soon_threadsafe(self.tell, None)

    def open(self, after: int | None, category: str | None) -> AsyncIterator[bytes]:
        """Events after a revision (None or one to come: from now on); raises Problem."""
        if self.closed:
            raise Problem(503, "closing", "the server is closing", headers={"Retry-After": "5"})
        if len(self.queues) >= self.settings.streams:
            told = "too many listeners; ask for /revisions instead"
            raise Problem(429, "too_many_streams", told, headers={"Retry-After": "30"})
        queue: asyncio.Queue[Event | None] = asyncio.Queue(BEHIND)
        self.queues.add(queue)
        now = self.desk.revision
        return self.flow(queue, now if after is None else min(after, now), category)

    async def flow(
        self, queue: asyncio.Queue[Event | None], last: int, category: str | None
    ) -> AsyncIterator[bytes]:
        """What was missed, then what happens, and signs of life in between."""
        try:
            yield b": prowess\nretry: 3000\n\n"
            while True:
                past = await to_thread.run_sync(self.past, last)
                for data in past:
                    last = data["revision"]
                    if category in (None, data["category"]):
                        yield framed(data)
                if len(past) < PAGE:
                    break
            while not self.closed:
                try:
                    event = await asyncio.wait_for(queue.get(), self.settings.heartbeat)
                except TimeoutError:
                    yield b": alive\n\n"
                    continue
                if event is None:
                    return
                if event.revision > last:
                    last = event.revision
                    if category in (None, event.category):
                        yield framed(self.told(event))
        finally:
            self.queues.discard(queue)

    def past(self, after: int) -> list[dict[str, Any]]:
        """Events of the log after a revision, a page of them."""
        with self.desk.store.read() as connection:
            rows = lookups.revisions(connection, after, PAGE)
        books = self.desk.books
        return [
            {
                "revision": row.id,
                "at": time_text(row.at),
                "kind": row.kind,
                "category": None
                if row.category is None
                else books.category_numbered(row.category).key,
                "detail": row.detail,
            }
            for row in rows
        ]

    def told(self, event: Event) -> dict[str, Any]:
        """An event as plain data."""
        return {
            "revision": event.revision,
            "at": time_text(event.at),
            "kind": event.kind,
            "category": event.category,
            "results": list(event.results[:MOST_NAMED]),
            "results_total": len(event.results),
            "players": [self.desk.name(one) for one in event.players[:MOST_NAMED]],
            "players_total": len(event.players),
        }


def framed(data: dict[str, Any]) -> bytes:
    """One event of the stream; the kind is its name."""
    text = json.dumps(data, ensure_ascii=False)
    return f"id: {data['revision']}\nevent: {data['kind']}\ndata: {text}\n\n".encode(
        "utf-8", "backslashreplace"
    )
