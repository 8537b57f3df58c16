"""The server process: sockets, limits on connections, logging, maintenance, graceful shutdown."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import logging
import socket
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from http import HTTPStatus
from itertools import chain
from secrets import token_hex
from threading import Event, Thread, Timer
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from prowess.compile.cache import compile_ahead
from prowess.live.api.category_view import view_category
from prowess.live.api.encoding import RETRY, HttpProblem
from prowess.live.api.middleware import network_of
from prowess.live.errors import StoreError
from prowess.live.journal.journal import Journal
from prowess.live.journal.webhook_sender import WebhookSender
from prowess.live.store import access
from prowess.live.store.backup import BackupPlan, write_due_backup
from prowess.live.store.store import forget_address, note_address
from prowess.present.boards import drop_unasked_values
from prowess.present.players import build_profiles

if TYPE_CHECKING:
    from prowess.live.api.middleware import ServerSettings


BACKLOG = 512  # pending connections
SLOW_START = 2.0  # seconds of loading before requests are accepted, after which that is said
FAULTS = logging.getLogger("prowess.faults")
SHUTDOWN_SECONDS = 20  # that open requests have
HOUSEKEEPING = 600.0  # seconds between two runs of maintenance
REHEARSAL = 5.0  # seconds between two looks for categories whose pages were not compiled
NUMBERED_LOGS = ("prowess.requests", "prowess.faults")  # never filtered
LINES, SPAN = 3, 10.0  # lines of the same message, and the span in seconds
MESSAGE_KINDS = 1000  # counted separately


class Server(uvicorn.Server):
    """A server that ends event streams before it waits for open requests."""

    def __init__(self, config: uvicorn.Config, guard: ConnectionGuard) -> None:
        super().__init__(config)
        self.guard = guard

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening; see uvicorn."""
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(BACKLOG)
        self.guard.sweep()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish open requests; see uvicorn."""
        self.guard.stop()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End event streams at a signal; see uvicorn."""
        app = self.config.app
        if isinstance(app, FastAPI):
            app.state.streams.close()
        super().handle_exit(sig, frame)
        # Otherwise the signal is raised again and ends the process before the journal is closed.
        self._captured_signals.clear()


def open_socket(host: str, port: int) -> socket.socket:
    """Bind a listening socket; port 0 takes a free port. Raises OSError."""
    family, kind, protocol, _, place = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    opened = socket.socket(family, kind, protocol)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(place)
        opened.listen(BACKLOG)
    except OSError:
        opened.close()
        raise
    return opened


def socket_url(opened: socket.socket) -> str:
    """The URL of a socket for browsers."""
    host, port = opened.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "localhost"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def serve(
    app: FastAPI,
    journal: Journal,
    opened: socket.socket,
    ready: Callable[[], None],
    slow: Callable[[], None] = lambda: None,
    rehearse: Callable[[], None] = lambda: None,
) -> None:
    """Serve until SIGTERM or SIGINT; `ready` is called once requests are accepted, `slow` before,
    if it takes long to load what they need. `rehearse` compiles what pages need; it is called again
    while the server runs, off the requests' path.
    """
    server = build_server(app)
    limit_pools()
    ending = Event()
    keeper = Thread(
        target=run_maintenance,
        args=(journal, ending, app.state.settings),
        name="prowess-housekeeping",
    )
    keeper.start()
    sender = WebhookSender(journal)
    app.state.starting = True

    def begin() -> None:
        """Accept requests once what they need is loaded: they would all wait for it."""
        waiting = Timer(SLOW_START, slow)
        waiting.daemon = True
        waiting.start()
        attempt(lambda: load_roads(journal))
        attempt(rehearse)
        waiting.cancel()
        gc.collect()
        gc.freeze()  # objects that live for ever need no collection: saves a quarter of the time
        app.state.starting = False
        ready()
        while not ending.wait(REHEARSAL):  # categories may have been made or have grown
            attempt(rehearse)

    def attempt(load: Callable[[], None]) -> None:
        """Load what requests need; without it ladders are played plainly, or a request says why."""
        try:
            load()
        except Exception as error:
            if not ending.is_set():
                FAULTS.error("what requests need could not be loaded ahead of them", exc_info=error)

    starter = Thread(target=begin, name="prowess-start", daemon=True)
    app.state.ready = starter.start
    note_address(journal.store, socket_url(opened))
    try:
        server.run(sockets=[opened])
    finally:
        forget_address(journal.store)
        ending.set()
        keeper.join()
        if starter.is_alive():  # what compiles must not go on while the process ends
            starter.join(SHUTDOWN_SECONDS)
        sender.close()
        opened.close()


def build_server(app: FastAPI) -> Server:
    """A server of an application, with the limits on connections."""
    guard = ConnectionGuard(app.state.settings, allowed_connections())
    config = uvicorn.Config(
        app,
        http=type("Connection", (GuardedConnection,), {"guard": guard}),
        # Connections accepted at a time: without free file descriptors the event loop logs an
        # error for each of them. `Server.startup` sets the real backlog.
        backlog=1,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        ws="none",
    )
    return Server(config, guard)


def load_roads(journal: Journal) -> None:
    """Load or compile what results, corrections and pages of players and games need."""
    journal.load_compiled()
    for category in journal.categories():
        view = view_category(journal, category.key)
        if view.ratings is not None:
            with compile_ahead():  # also what is too little for one page
                build_profiles(view.ratings, (0,), view.rule, view.among)


def configure_logging(requests: bool) -> None:
    """Log faults to stderr, and with `requests` one line of JSON for each request."""
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(logging.Formatter("%(message)s"))
    faults = logging.StreamHandler(sys.stderr)
    faults.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
    for name, handler, level in (
        ("prowess.requests", lines, logging.INFO if requests else logging.CRITICAL),
        ("prowess.faults", faults, logging.WARNING),
        ("prowess.connections", faults, logging.WARNING),
        ("uvicorn.error", faults, logging.WARNING),
        ("asyncio", faults, logging.WARNING),
    ):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
        logger.filters = [] if name.startswith(NUMBERED_LOGS) else [RepeatFilter()]


class RepeatFilter(logging.Filter):
    """Limits repeated log lines per time span and reports how many were left out."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self.clock = clock
        self.kinds: dict[str, tuple[float, int]] = {}  # message: start of the span, count

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write a record."""
        kind, now = str(record.msg), self.clock()
        since, count = self.kinds.get(kind, (now, 0))
        if now - since >= SPAN:
            if count > LINES:
                record.msg = f"{record.getMessage()} ({count - LINES:,} such lines left out)"
                record.args = ()
            since, count = now, 0
        if len(self.kinds) >= MESSAGE_KINDS:
            self.kinds.clear()
        self.kinds[kind] = since, count + 1
        return count < LINES


def run_maintenance(journal: Journal, ending: Event, settings: ServerSettings) -> None:
    """Save the logs of ladders, write the backups that are due, delete expired idempotent answers
    and lines of the audit log, and check the clock.
    """
    trouble = journal.clock_trouble()  # already reported at start-up
    write_backups(journal, settings.backups)

    def drop() -> None:
        journal.drop_unasked()
        drop_unasked_values()

    while not wait_tidily(ending, HOUSEKEEPING, drop):
        write_backups(journal, settings.backups)
        try:
            journal.save_logs()
            journal.store.writer.do(
                lambda connection: access.delete_expired_answers(connection, journal.clock())
            )
            while not ending.is_set() and journal.store.writer.do(
                lambda connection: access.delete_old_lines(
                    connection, settings.audit_days, journal.clock()
                )
            ):
                pass  # some thousand at a time, so that no result waits
            before, trouble = trouble, journal.clock_trouble()
            if trouble is not None and before is None:
                logging.getLogger("prowess.faults").warning("%s", trouble)
        except StoreError as error:
            logging.getLogger("prowess.faults").warning("housekeeping: %s", error)


def write_backups(journal: Journal, plan: BackupPlan | None) -> None:
    """Write the backup of a plan where one is due; what keeps it from that is logged."""
    if plan is not None:
        try:
            write_due_backup(journal.store, plan, datetime.now(UTC))
        except StoreError as error:
            FAULTS.warning("backup: %s", error)
        except Exception as error:  # the other housekeeping goes on
            FAULTS.error("the backup could not be written", exc_info=error)


# Memory that threads and objects in circles keep: few pools, and what is unused goes back.
#
# glibc has a pool for up to eight threads a core, and each keeps what its largest request took. An
# array of up to 32 MB is cut from a pool, whose rest stays while anything above it does: a server
# that played three ladders again and again held 800 MiB, of which it used 490. Where the C library
# is another one, its pools are left alone. Objects in circles, as requests with errors leave them,
# wait until the interpreter looks for them, which a server that has much does seldom.

POOL_SETTINGS = {  # by their numbers in malloc.h
    -8: 2,  # M_ARENA_MAX: pools of all threads
    -3: 1 << 20,  # M_MMAP_THRESHOLD: larger arrays go back as soon as they are free
    -1: 4 << 20,  # M_TRIM_THRESHOLD: bytes at the end of a pool that are kept for the next request
}
TRIM_INTERVAL = 2.0  # seconds between two returns of memory, of some milliseconds each
FORGET_INTERVAL = 30.0  # seconds in which a visitor may ask again for what is kept


def limit_pools() -> None:
    """Let all threads share few pools without large arrays; call it before there are threads."""
    with suppress(OSError, AttributeError, TypeError):
        for number, value in POOL_SETTINGS.items():
            ctypes.CDLL(None).mallopt(number, value)


def return_unused() -> None:
    """Give memory that nothing uses back to the system."""
    gc.collect()
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def wait_tidily(ending: Event, seconds: float, drop: Callable[[], None]) -> bool:
    """Wait for some seconds or an event; returns whether it is set.

    Meanwhile `drop` forgets what is kept for visitors, and unused memory is returned.
    """
    until, forget = monotonic() + seconds, monotonic() + FORGET_INTERVAL
    while (left := until - monotonic()) > 0.0:
        if ending.wait(min(left, TRIM_INTERVAL)):
            return True
        if monotonic() >= forget:
            drop()
            forget = monotonic() + FORGET_INTERVAL
        return_unused()
    return ending.is_set()


# Limits on connections: how many, and how long one may stay without a request.
#
# A connection is idle until the head of a request has arrived, and again after the response. A
# connection that is idle for too long is closed. At a limit, an idle connection is closed for a new
# one: first those that never sent a request, the oldest of them first. If all are busy, the new
# connection gets 503. So half-open connections cannot lock out other clients, and file descriptors
# for the server's own files remain.

OWN_FILES = 256  # reserved for the store, webhooks and uploads
MAX_HEAD_BYTES = 65_536  # of a request
MAX_PIPELINED = 16  # requests of a connection that wait for the answer to an earlier one
MAX_OPEN_FILES = 16_384  # the soft limit is raised to this where the system allows it
MAX_CONNECTIONS = 5_000  # in all, however many files may be open
UNLIMITED = 1 << 30
SWEEP = 1.0  # seconds between two sweeps for idle connections


class ConnectionGuard:
    """The open connections of a server and their limits; used in its event loop only."""

    def __init__(self, settings: ServerSettings, most: int = MAX_CONNECTIONS) -> None:
        self.most, self.settings = most, settings
        proxy = settings.trust_proxy  # all connections are the proxy's
        self.by_network = UNLIMITED if proxy else settings.connections_by_address
        self.open: dict[GuardedConnection, None] = {}  # oldest first
        self.counts: Counter[str] = Counter()  # of open connections by network
        self.timer: asyncio.TimerHandle | None = None

    def make_room(self, network: str) -> bool:
        """Close an idle connection for one more from a network; returns whether there was one."""
        if own := self.counts[network] >= self.by_network:
            what = f"{network or 'one address'} holds {self.by_network:,}"
        else:
            what = f"there are {self.most:,}"
        logging.getLogger("prowess.connections").warning(
            "the limit of connections is reached: %s", what
        )
        never = (one for one in self.open if one.cycle is None)
        ended = (one for one in self.open if one.cycle is not None and one.cycle.response_complete)
        for one in chain(never, ended):
            if (one.network == network or not own) and not one.transport.is_closing():
                one.transport.abort()
                return True
        return False

    def sweep(self) -> None:
        """Close connections that are idle for too long or do not read; again every second."""
        now = monotonic()
        for one in list(self.open):
            closing, cycle = one.transport.is_closing(), one.cycle
            if cycle is not one.last or (cycle is not None and not cycle.response_complete):
                one.last, one.since = cycle, now
            elif not closing and one.since <= now - self.settings.head_patience:
                one.give_up()
            unsent = one.transport.get_write_buffer_size()
            if unsent < one.unsent or not (unsent and (closing or one.flow.write_paused)):
                one.sent = now
            elif one.sent <= now - self.settings.patience:
                one.transport.abort()
            one.unsent = unsent
        self.timer = asyncio.get_running_loop().call_later(SWEEP, self.sweep)

    def stop(self) -> None:
        """Stop sweeping."""
        if self.timer is not None:
            self.timer.cancel()


class DroppedFields(list[tuple[bytes, bytes]]):
    """The fields behind the body of a request, which the server ignores."""

    def append(self, field: tuple[bytes, bytes]) -> None:
        """Drop a field."""


class GuardedConnection(HttpToolsProtocol):
    """A connection of uvicorn that keeps the limits."""

    guard: ConnectionGuard
    cycle: Any  # of uvicorn: the current or last request, None before the first
    scope: Any  # of uvicorn: of the request that came last; it has a method once its head is there
    head_bytes = 0  # that came of a head in several parts
    last: Any = None  # the request at the last sweep
    network = ""
    heard = False  # whether a part of the next request arrived
    unsent = 0  # bytes of the response that the client has not read
    since = sent = 0.0  # when it became idle, when the client last read

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client connected; see asyncio."""
        super().connection_made(transport)
        client = transport.get_extra_info("peername")
        self.network = network = network_of(client[0]) if isinstance(client, tuple) else ""
        self.since = self.sent = monotonic()
        guard = self.guard
        full = guard.counts[network] >= guard.by_network or len(guard.open) >= guard.most
        if full and not guard.make_room(network):
            self.refuse(HttpProblem.of("too_many_connections", 503, RETRY))
        else:
            guard.open[self] = None
            guard.counts[network] += 1

    def connection_lost(self, exc: Exception | None) -> None:
        """The client disconnected; see asyncio."""
        if self in self.guard.open:
            del self.guard.open[self]
            self.guard.counts[self.network] -= 1
            if not self.guard.counts[self.network]:
                del self.guard.counts[self.network]
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A part of a request arrived; see asyncio."""
        before = self.cycle
        body = 0 if before is None else len(before.body)
        super().data_received(data)
        if self.cycle is not before and not self.cycle.more_body:
            self.cycle.scope["state"]["at_hand"] = True  # the whole body: no timer is needed
        self.heard = self.cycle is None or self.cycle.response_complete
        in_head = self.scope is not None and "method" not in self.scope
        grown = self.cycle is not before or (
            not in_head and (self.heard or len(before.body) > body)
        )
        if self.scope is None or grown:
            self.head_bytes = 0
            return
        self.head_bytes += len(data)  # of a head, or of fields behind a body
        if self.head_bytes > MAX_HEAD_BYTES and self.heard:
            self.refuse(HttpProblem.of("head_too_large", 431, most=MAX_HEAD_BYTES))
        elif self.head_bytes > MAX_HEAD_BYTES:  # behind a request that is being answered
            self.transport.abort()

    def on_headers_complete(self) -> None:
        """The head of a request is complete: fields behind its body are none; see httptools."""
        super().on_headers_complete()
        self.headers = DroppedFields()
        if len(self.pipeline) > MAX_PIPELINED:
            raise ValueError("too many requests wait for their answers")

    def give_up(self) -> None:
        """Close after a timeout; a client with a partial request gets 408."""
        if self.heard:
            self.refuse(HttpProblem.of("too_slow.head", 408))
        else:
            self.transport.close()

    def refuse(self, problem: HttpProblem) -> None:
        """Send a problem response without a request, and close."""
        answer = problem.response(token_hex(8))
        answer.headers["Connection"] = "close"
        head = f"HTTP/1.1 {problem.status} {HTTPStatus(problem.status).phrase}\r\n".encode()
        lines = [name + b": " + value + b"\r\n" for name, value in answer.raw_headers]
        self.transport.write(b"".join((head, *lines, b"\r\n", answer.body)))
        self.transport.close()


def allowed_connections() -> int:
    """Maximum number of connections that leaves file descriptors for the server's own files.

    The soft limit of open files is raised first, as far as the system allows.
    """
    try:
        import resource
    except ModuleNotFoundError:  # Windows: sockets are no files
        return MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
        except (ValueError, OSError):  # the system has a limit of its own
            pass
    files = MAX_OPEN_FILES if soft == resource.RLIM_INFINITY else soft
    return max(OWN_FILES // 8, min(MAX_CONNECTIONS, files - OWN_FILES))
