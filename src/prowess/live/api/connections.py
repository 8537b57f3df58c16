"""Limits on connections: how many, and how long one may stay without a request.

A connection *waits* until the head of a request has come in whole, and again from the end of the
answer on. One that waits too long is closed. Where a limit is reached, one that waits makes room:
those that never asked anything come first, and among them the one that has waited longest. Where
all have a request in hand, the new connection is told 503. So half-open connections, however many,
lock out no other client, and the files that the server itself needs can always be opened.
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
OWN_FILES = 256  # of the store, of webhooks, of uploads: not for connections
MOST_FILES = 16_384  # the soft limit is raised to this where the system allows it
MOST = 5_000  # connections in all, however many files may be open
UNLIMITED = 1 << 30
SWEEP = 1.0  # seconds between two looks at who has waited too long


class ConnectionGuard:
    """Every connection of a server, and what it waits for; used in the loop of the server only."""

    def __init__(self, settings: ServerSettings, most: int = MOST) -> None:
        self.most, self.settings = most, settings
        proxy = settings.trust_proxy  # all connections are the proxy's
        self.by_network = UNLIMITED if proxy else settings.connections_by_address
        self.held: dict[str, int] = {}
        self.total = 0
        # Since when each one waits, by network (None: all) and whether it ever asked anything.
        self.waiting: dict[tuple[str | None, bool], OrderedDict[Guarded, float]] = {}
        self.unread: dict[Guarded, tuple[int, float]] = {}  # bytes not taken yet, since when
        self.timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Look after the connections from now on; called in the loop of the server."""
        self.timer = asyncio.get_running_loop().call_later(SWEEP, self.sweep)

    def stop(self) -> None:
        """Look no more."""
        if self.timer is not None:
            self.timer.cancel()

    def admit(self, one: Guarded) -> bool:
        """Whether a new connection may stay."""
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
        """Count a connection, which waits for its first request."""
        one.counted = True
        self.held[one.network] = self.held.get(one.network, 0) + 1
        self.total += 1
        self.wait(one)
        return True

    def release(self, one: Guarded) -> None:
        """Count it no more; once is as often as twice."""
        self.work(one)
        self.unread.pop(one, None)
        if one.counted:
            one.counted = False
            self.total -= 1
            self.held[one.network] -= 1
            if not self.held[one.network]:
                del self.held[one.network]

    def first(self, network: str | None) -> Guarded | None:
        """The connection that makes room; None where all have a request in hand."""
        for asked in (False, True):
            if line := self.waiting.get((network, asked)):
                return next(iter(line))
        return None

    def wait(self, one: Guarded) -> None:
        """Note that a connection has no request in hand."""
        if one.counted:
            now = monotonic()
            for line in ((one.network, one.asked), (None, one.asked)):
                self.waiting.setdefault(line, OrderedDict())[one] = now

    def work(self, one: Guarded) -> None:
        """Note that it has one, or is gone."""
        for key in ((one.network, one.asked), (None, one.asked)):
            line = self.waiting.get(key)
            if line is not None and line.pop(one, None) is not None and not line:
                del self.waiting[key]

    def sweep(self) -> None:
        """Close who has waited too long, and who takes nothing of an answer."""
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
        """Note that nothing more is written until the client takes what is there."""
        self.unread[one] = one.transport.get_write_buffer_size(), monotonic()


class Guarded(asyncio.Protocol):
    """What `guarded_protocol` puts in front of the server's own reading of HTTP."""

    register: ConnectionGuard  # `connections` is the name of the server library for its own
    transport: asyncio.Transport
    cycle: Any  # the request in hand
    network = ""
    counted = False  # among those that the limits are about
    asked = False  # a whole request, ever
    heard = False  # something of the next request

    @property
    def busy(self) -> bool:
        """Whether a request is in hand."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there."""
        super().connection_made(transport)
        client = transport.get_extra_info("peername")
        self.network = network_of(client[0]) if isinstance(client, tuple) else ""
        if not self.register.admit(self):
            message = "try again in a few seconds: there are too many connections"
            self.refuse(
                HttpProblem(503, "too_many_connections", message, headers={"Retry-After": "5"})
            )

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self.register.release(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A part of a request came."""
        self.heard = True
        super().data_received(data)
        if self.busy:
            self.register.work(self)
            self.asked = True

    def on_response_complete(self) -> None:
        """An answer is written."""
        self.heard = False
        super().on_response_complete()  # type: ignore[misc]
        if not self.busy:
            self.register.wait(self)

    def pause_writing(self) -> None:
        """The client takes less than there is."""
        super().pause_writing()
        self.register.watch(self)

    def resume_writing(self) -> None:
        """The client has taken most of it."""
        super().resume_writing()
        self.register.unread.pop(self, None)

    def give_up(self) -> None:
        """Close what has waited too long; a client that had begun is told why."""
        if self.heard and not self.transport.is_closing():
            message = "send the head of a request in one go: it stopped coming"
            self.refuse(HttpProblem(408, "too_slow", message))
        else:
            self.transport.close()
        if self.transport.get_write_buffer_size():
            self.register.watch(self)

    def refuse(self, problem: HttpProblem) -> None:
        """Answer without a request, and close."""
        answer = problem.response(token_hex(8))
        answer.headers["Connection"] = "close"
        head = f"HTTP/1.1 {problem.status} {HTTPStatus(problem.status).phrase}\r\n".encode()
        lines = [name + b": " + value + b"\r\n" for name, value in answer.raw_headers]
        self.transport.write(b"".join((head, *lines, b"\r\n", answer.body)))
        self.transport.close()


def guarded_protocol(connections: ConnectionGuard) -> type[asyncio.Protocol]:
    """The server's protocol with these limits, whichever library reads its HTTP."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    return type("Connection", (Guarded, AutoHTTPProtocol), {"register": connections})


def allowed_connections() -> int:
    """How many connections leave room for the server's own files.

    The soft limit of open files is raised first, as far as the system allows it.
    """
    try:
        import resource
    except ModuleNotFoundError:  # Windows counts sockets apart
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
