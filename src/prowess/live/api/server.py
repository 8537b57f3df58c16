"""The server process: sockets, logging, maintenance, and graceful shutdown."""

from __future__ import annotations

import gc
import logging
import socket
import sys
from collections.abc import Callable
from threading import Event, Thread
from time import monotonic
from types import FrameType

import uvicorn
from fastapi import FastAPI

from prowess.live.api.connections import ConnectionGuard, allowed_connections, guarded_protocol
from prowess.live.errors import StoreError
from prowess.live.journal.journal import Journal
from prowess.live.journal.webhook_sender import WebhookSender
from prowess.live.store import access
from prowess.live.store.store import forget_address, note_address

BACKLOG = 512  # pending connections
GRACE = 20  # seconds that open requests have at shutdown
HOUSEKEEPING = 600.0  # seconds between two runs of maintenance
NUMBERED = ("prowess.requests", "prowess.faults")  # never filtered
LINES, SPAN = 3, 10.0  # lines of the same message, and the span in seconds
KINDS = 1000  # messages counted separately


class Server(uvicorn.Server):
    """A server that ends event streams before it waits for open requests."""

    def __init__(self, config: uvicorn.Config, connections: ConnectionGuard) -> None:
        super().__init__(config)
        self.connections = connections

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening; see uvicorn."""
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(BACKLOG)
        self.connections.start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish open requests; see uvicorn."""
        self.connections.stop()
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


def serve(app: FastAPI, journal: Journal, opened: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT; `ready` is called once requests are accepted."""
    connections = ConnectionGuard(app.state.settings, allowed_connections())
    config = uvicorn.Config(
        app,
        http=guarded_protocol(connections),
        # Connections accepted at a time: without free file descriptors the event loop logs an
        # error for each of them. `Server.startup` sets the real backlog.
        backlog=1,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        ws="none",
    )
    journal.load_compiled()  # before the first request: later requests would all wait for it
    ending = Event()
    keeper = Thread(target=run_maintenance, args=(journal, ending), name="prowess-housekeeping")
    keeper.start()
    sender = WebhookSender(journal)
    app.state.ready = ready
    gc.collect()
    gc.freeze()  # objects that live for ever need no collection: saves a quarter of the time
    note_address(journal.store, socket_url(opened))
    try:
        Server(config, connections).run(sockets=[opened])
    finally:
        forget_address(journal.store)
        ending.set()
        keeper.join()
        sender.close()
        opened.close()


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
        logger.filters = [] if name.startswith(NUMBERED) else [RepeatFilter()]


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
        if len(self.kinds) >= KINDS:
            self.kinds.clear()
        self.kinds[kind] = since, count + 1
        return count < LINES


def run_maintenance(journal: Journal, ending: Event) -> None:
    """Save checkpoints, delete expired idempotent answers, and check the clock."""
    trouble = journal.clock_trouble()  # already reported at start-up
    while not ending.wait(HOUSEKEEPING):
        try:
            journal.keep_checkpoints()
            journal.store.writer.do(
                lambda connection: access.delete_expired_answers(connection, journal.clock())
            )
            before, trouble = trouble, journal.clock_trouble()
            if trouble is not None and before is None:
                logging.getLogger("prowess.faults").warning("%s", trouble)
        except StoreError as error:
            logging.getLogger("prowess.faults").warning("housekeeping: %s", error)
