"""The server: one process, which ends in good order when it is told to."""

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
from prowess.live.store import idempotency
from prowess.live.store.store import forget_address, note_address

BACKLOG = 512  # connections that wait to be taken
GRACE = 20  # seconds that open requests have at the end
HOUSEKEEPING = 600.0  # seconds between two rounds of it
NUMBERED = ("prowess.requests", "prowess.faults")  # every line has its request: all are written
LINES, SPAN = 3, 10.0  # lines of any other kind in so many seconds
KINDS = 1000  # that are told apart


class Server(uvicorn.Server):
    """Streams of events end before the server waits for what is still open."""

    def __init__(self, config: uvicorn.Config, connections: ConnectionGuard) -> None:
        super().__init__(config)
        self.connections = connections

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen."""
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(BACKLOG)
        self.connections.start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish what is open."""
        self.connections.stop()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Told to end."""
        app = self.config.app
        if isinstance(app, FastAPI):
            app.state.streams.close()
        super().handle_exit(sig, frame)
        self._captured_signals.clear()  # raised again it would end us before the desk is closed


def open_socket(host: str, port: int) -> socket.socket:
    """A socket at an address; port 0 takes a free one. Raises OSError."""
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
    """Where a browser finds it."""
    host, port = opened.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "localhost"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def run(app: FastAPI, journal: Journal, opened: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT; `ready` is called when requests are answered."""
    connections = ConnectionGuard(app.state.settings, allowed_connections())
    config = uvicorn.Config(
        app,
        http=guarded_protocol(connections),
        # Connections that are taken at a time: where no file is left, the loop complains as often,
        # and comes back as often at once. `Server.startup` lets more of them wait.
        backlog=1,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        ws="none",
    )
    journal.load_compiled()  # before anybody asks: threads would all wait for the first
    ending = Event()
    keeper = Thread(target=_keep_house, args=(journal, ending), name="prowess-housekeeping")
    keeper.start()
    couriers = WebhookSender(journal)
    app.state.ready = ready
    gc.collect()
    gc.freeze()  # what is there now stays: looking through it again and again costs a quarter
    note_address(journal.store, socket_url(opened))
    try:
        Server(config, connections).run(sockets=[opened])
    finally:
        forget_address(journal.store)
        ending.set()
        keeper.join()
        couriers.close()
        opened.close()


def configure_logging(requests: bool) -> None:
    """Faults to stderr, with `requests` a line of JSON for each request too."""
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
        logger.filters = [] if name.startswith(NUMBERED) else [Sparse()]


class Sparse(logging.Filter):
    """Lets a few lines of a kind through in every span of time, and says how many it left out."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self.clock = clock
        self.kinds: dict[str, tuple[float, int]] = {}  # since when, how many

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write a line."""
        kind, now = str(record.msg), self.clock()
        since, count = self.kinds.get(kind, (now, 0))
        if now - since >= SPAN:
            if count > LINES:
                record.msg = (
                    f"{record.getMessage()} (left out before: {count - LINES:,} such lines)"
                )
                record.args = ()
            since, count = now, 0
        if len(self.kinds) >= KINDS:
            self.kinds.clear()
        self.kinds[kind] = since, count + 1
        return count < LINES


def _keep_house(journal: Journal, ending: Event) -> None:
    """Keep checkpoints, forget answers that nobody may ask for again, and look at the clock."""
    trouble = journal.clock_trouble()  # told by whoever started the server
    while not ending.wait(HOUSEKEEPING):
        try:
            journal.keep_checkpoints()
            journal.store.writer.do(
                lambda connection: idempotency.delete_expired_answers(connection, journal.clock())
            )
            before, trouble = trouble, journal.clock_trouble()
            if trouble is not None and before is None:
                logging.getLogger("prowess.faults").warning("%s", trouble)
        except StoreError as error:
            logging.getLogger("prowess.faults").warning("housekeeping: %s", error)
