"""Limits on connections: how many, and how long one may stay without a request.

A connection is idle until the head of a request has arrived, and again after the response. A
connection that is idle for too long is closed. At a limit, an idle connection is closed for a new
one: first those that never sent a request, the longest idle of them first. If all are busy, the new
connection gets 503. So half-open connections cannot lock out other clients, and file descriptors
for the server's own files remain.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from http import HTTPStatus
from secrets import token_hex
from time import monotonic
from typing import TYPE_CHECKING, Any

from prowess.live.api.limits import network_of
from prowess.live.api.problems import HttpProblem

if TYPE_CHECKING:
    from prowess.live.api.limits import ServerSettings

LOG = logging.getLogger("prowess.connections")
OWN_FILES = 256  # reserved for the store, webhooks and uploads
MOST_FILES = 16_384  # the soft limit is raised to this where the system allows it
MOST = 5_000  # connections in all, however many files may be open
UNLIMITED = 1 << 30
SWEEP = 1.0  # seconds between two sweeps for idle connections


class ConnectionGuard:
    """Counts and limits the connections of a server; used in its event loop only."""

    def __init__(self, settings: ServerSettings, most: int = MOST) -> None:
        self.most, self.settings = most, settings
        proxy = settings.trust_proxy  # all connections are the proxy's
        self.by_network = UNLIMITED if proxy else settings.connections_by_address
        self.held: dict[str, int] = {}
        self.total = 0
        # Idle connections and their start, by network (None: all) and whether they had a request.
        self.waiting: dict[tuple[str | None, bool], OrderedDict[Guarded, float]] = {}
        self.unread: dict[Guarded, tuple[int, float]] = {}  # unsent bytes, since when
        self.timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start sweeping; called in the event loop."""
        self.timer = asyncio.get_running_loop().call_later(SWEEP, self.sweep)

    def stop(self) -> None:
        """Stop sweeping."""
        if self.timer is not None:
            self.timer.cancel()

    def admit(self, one: Guarded) -> bool:
        """Accept a new connection if the limits allow it; returns whether."""
        network = one.network
        if self.held.get(network, 0) >= self.by_network:
            what = f"{network or 'one address'} holds {self.by_network:,}"
            oldest = self.first(network)
        elif self.total >= self.most:
            what, oldest = f"there are {self.most:,}", self.first(None)
        else:
            return self.hold(one)
        LOG.warning("the limit of connections is reached: %s", what)
        if oldest is None:
            return False
        self.release(oldest)
        oldest.transport.abort()
        return self.hold(one)

    def hold(self, one: Guarded) -> bool:
        """Count a connection, idle until its first request."""
        one.counted = True
        self.held[one.network] = self.held.get(one.network, 0) + 1
        self.total += 1
        self.wait(one)
        return True

    def release(self, one: Guarded) -> None:
        """Stop counting a connection; may be called twice."""
        self.work(one)
        self.unread.pop(one, None)
        if one.counted:
            one.counted = False
            self.total -= 1
            self.held[one.network] -= 1
            if not self.held[one.network]:
                del self.held[one.network]

    def first(self, network: str | None) -> Guarded | None:
        """The idle connection to close first; None if all are busy."""
        for asked in (False, True):
            if line := self.waiting.get((network, asked)):
                return next(iter(line))
        return None

    def wait(self, one: Guarded) -> None:
        """Mark a connection as idle."""
        if one.counted:
            now = monotonic()
            for line in ((one.network, one.asked), (None, one.asked)):
                self.waiting.setdefault(line, OrderedDict())[one] = now

    def work(self, one: Guarded) -> None:
        """Mark a connection as busy, or closed."""
        for key in ((one.network, one.asked), (None, one.asked)):
            line = self.waiting.get(key)
            if line is not None and line.pop(one, None) is not None and not line:
                del self.waiting[key]

    def sweep(self) -> None:
        """Close connections that are idle for too long or do not read their response."""
        now = monotonic()
        late = now - self.settings.head_patience
        for asked in (False, True):
            while line := self.waiting.get((None, asked)):
                oldest, since = next(iter(line.items()))
                if since > late:
                    break
                self.work(oldest)
                oldest.give_up()
        for one, (left, since) in list(self.unread.items()):
            size = one.transport.get_write_buffer_size()
            if size < left:
                self.unread[one] = size, now
            elif since <= now - self.settings.patience:
                del self.unread[one]
                one.transport.abort()
        self.start()

    def watch(self, one: Guarded) -> None:
        """Watch a connection whose client does not read its response."""
        self.unread[one] = one.transport.get_write_buffer_size(), monotonic()


class Guarded(asyncio.Protocol):
    """Mixin in front of the HTTP protocol of uvicorn; see `guarded_protocol`."""

    register: ConnectionGuard  # uvicorn uses the name `connections`
    transport: asyncio.Transport
    cycle: Any  # the current request
    network = ""
    counted = False  # included in the limits
    asked = False  # whether it ever had a request
    heard = False  # whether a part of the next request arrived

    @property
    def busy(self) -> bool:
        """Whether a request is being handled."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client connected; see asyncio."""
        super().connection_made(transport)
        client = transport.get_extra_info("peername")
        self.network = network_of(client[0]) if isinstance(client, tuple) else ""
        if not self.register.admit(self):
            message = "try again in a few seconds: there are too many connections"
            self.refuse(
                HttpProblem(503, "too_many_connections", message, headers={"Retry-After": "5"})
            )

    def connection_lost(self, exc: Exception | None) -> None:
        """The client disconnected; see asyncio."""
        self.register.release(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A part of a request arrived; see asyncio."""
        self.heard = True
        super().data_received(data)
        if self.busy:
            self.register.work(self)
            self.asked = True

    def on_response_complete(self) -> None:
        """A response is complete; see uvicorn."""
        self.heard = False
        super().on_response_complete()  # type: ignore[misc]
        if not self.busy:
            self.register.wait(self)

    def pause_writing(self) -> None:
        """The client reads too slowly; see asyncio."""
        super().pause_writing()
        self.register.watch(self)

    def resume_writing(self) -> None:
        """The client has read most of the response; see asyncio."""
        super().resume_writing()
        self.register.unread.pop(self, None)

    def give_up(self) -> None:
        """Close after a timeout; a client with a partial request gets 408."""
        if self.heard and not self.transport.is_closing():
            message = "send the head of a request without pauses: it is incomplete"
            self.refuse(HttpProblem(408, "too_slow", message))
        else:
            self.transport.close()
        if self.transport.get_write_buffer_size():
            self.register.watch(self)

    def refuse(self, problem: HttpProblem) -> None:
        """Send a problem response without a request, and close."""
        answer = problem.response(token_hex(8))
        answer.headers["Connection"] = "close"
        head = f"HTTP/1.1 {problem.status} {HTTPStatus(problem.status).phrase}\r\n".encode()
        lines = [name + b": " + value + b"\r\n" for name, value in answer.raw_headers]
        self.transport.write(b"".join((head, *lines, b"\r\n", answer.body)))
        self.transport.close()


def guarded_protocol(connections: ConnectionGuard) -> type[asyncio.Protocol]:
    """The HTTP protocol class of uvicorn with these limits."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    return type("Connection", (Guarded, AutoHTTPProtocol), {"register": connections})


def allowed_connections() -> int:
    """Maximum number of connections that leaves file descriptors for the server's own files.

    The soft limit of open files is raised first, as far as the system allows.
    """
    try:
        import resource
    except ModuleNotFoundError:  # Windows: sockets are no files
        return MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
        except (ValueError, OSError):  # the system has a limit of its own
            pass
    files = MOST_FILES if soft == resource.RLIM_INFINITY else soft
    return max(OWN_FILES // 8, min(MOST, files - OWN_FILES))
