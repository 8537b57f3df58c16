"""Turns: how many reads are worked out at a time, so that results never wait for readers.

What a request costs is known by its address. A read waits until it has its turn; it loses its place
as soon as its client has left, and what is worked out for it stops at the next place where it asks
(`progress.stop_if_unwanted`).
"""

from __future__ import annotations

import re
from asyncio import FIRST_COMPLETED, Task, TimerHandle, create_task, get_running_loop, wait
from collections.abc import Coroutine
from dataclasses import dataclass
from enum import Enum
from threading import Event
from typing import Any
from urllib.parse import unquote_to_bytes

from anyio import Semaphore, fail_after
from starlette.types import Receive, Scope

from prowess.live.api.encoding import RETRY, HttpProblem

HEAVY_COST = 20  # cost of a request that replays the log, or looks at all games or pairs
EARLIER = re.compile(rb"(?:^|&)revision=")
ANOTHER_DAY = re.compile(rb"(?:^|&)(?:as_of|since)=")
ALL_GAMES = re.compile(r"/(?:next|pairings|calibration|method)$|\.csv$")
READS, HEAVY_READS = 2, 1  # worked out at a time
WAITING = 200  # reads that wait for their turn
MAX_WAIT = 20.0  # seconds of a read
MAX_TURN = 60.0  # seconds, after which the next one begins


class Kind(Enum):
    """What a request costs the server, by its address."""

    CHEAP = 1
    HEAVY = 2
    EARLIER = 3  # heavy: waits for the thread that replays the log, which has its own limits
    STREAMED = 4  # heavy: its parts have turns of their own


def kind_of(scope: Scope) -> Kind:
    """What a request costs."""
    path, query = scope["path"], scope["query_string"]
    if path.endswith("/export"):
        return Kind.STREAMED
    if ALL_GAMES.search(path):
        return Kind.HEAVY
    if not query:
        return Kind.CHEAP
    query = unquote_to_bytes(query)  # a name may be encoded
    if ANOTHER_DAY.search(query):
        return Kind.HEAVY
    return Kind.EARLIER if EARLIER.search(query) else Kind.CHEAP


class Turns:
    """Some requests at a time; others wait."""

    def __init__(self, count: int) -> None:
        self.free, self.waiting = Semaphore(count), 0

    async def take(self) -> Turn:
        """Wait for a turn; raises HttpProblem 503 where too many wait, or for too long."""
        if self.waiting >= WAITING:
            raise busy_problem()
        self.waiting += 1
        try:
            with fail_after(MAX_WAIT):
                await self.free.acquire()
        except TimeoutError:
            raise busy_problem() from None
        finally:
            self.waiting -= 1
        turn = Turn(self.free)
        turn.timer = get_running_loop().call_later(MAX_TURN, turn.end)
        return turn

    async def take_for(self, receive: Receive, left: Event) -> Turn:
        """Wait for a turn as long as the client is there; from then on `left` says whether it is.

        Raises HttpProblem 503 as `take`, or `client_left`.
        """
        taking, leaving = create_task(self.take()), create_task(wait_until_left(receive))
        leaving.add_done_callback(lambda done: None if done.cancelled() else left.set())
        try:
            await wait({taking, leaving}, return_when=FIRST_COMPLETED)
            if not taking.done():
                raise client_left()
            turn = taking.result()
            turn.watch = leaving
            return turn
        except BaseException:
            leaving.cancel()
            taking.cancel()
            raise


@dataclass(eq=False)
class Turn:
    """A turn that ends once: when it is given back, or after MAX_TURN seconds."""

    free: Semaphore
    held: bool = True
    watch: Task[None] | None = None  # waits until the client has left
    timer: TimerHandle | None = None

    def end(self) -> None:
        """Let the next request have its turn."""
        if self.held:
            self.held = False
            if self.timer is not None:
                self.timer.cancel()
            if self.watch is not None:
                self.watch.cancel()
            self.free.release()


def busy_problem() -> HttpProblem:
    """The problem of a read that cannot have its turn soon."""
    return HttpProblem.of("busy", 503, RETRY)


def client_left() -> HttpProblem:
    """What ends the work for a client that has left; nothing of it is sent."""
    return HttpProblem.of("client_left", 503)


async def run_until_left(receive: Receive, work: Coroutine[Any, Any, None]) -> None:
    """Run what sends an answer; cancelled once the client has left. Raises what it raises."""
    working, leaving = create_task(work), create_task(wait_until_left(receive))
    try:
        await wait({working, leaving}, return_when=FIRST_COMPLETED)
        if working.done():
            working.result()
    finally:
        leaving.cancel()
        working.cancel()


async def wait_until_left(receive: Receive) -> None:
    """Wait until the client has disconnected; a body that comes before is dropped."""
    while (await receive())["type"] != "http.disconnect":
        pass
