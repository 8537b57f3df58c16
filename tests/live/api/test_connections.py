"""Connections that ask nothing: they keep nobody out, and they end."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from prowess.live.api.middleware import network_of
from prowess.live.api.server import LINES, SPAN, RepeatFilter
from tests.live.api.test_server import Running, report, running

HALF = b"GET / HTTP/1.1\r\nHost: x\r\n"
PATIENCE = 10.0  # of the server for a head, as it is set
PROMPT = 3.0  # seconds for an answer; the machine may be busy


@contextmanager
def files(wanted: int) -> Iterator[None]:
    """As many open files as a test needs itself."""
    resource: Any = pytest.importorskip("resource", reason="open files are limited otherwise")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        if hard != resource.RLIM_INFINITY and hard < wanted:
            pytest.skip(f"needs {wanted} open files")
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def connected(server: Running, source: str = "127.0.0.1") -> socket.socket:
    """A connection from an address of the loopback."""
    place = urlsplit(server.url)
    return socket.create_connection((place.hostname, place.port), 10, (source, 0))


def closed(line: socket.socket, until: float) -> bool:
    """Whether the server ends a connection before a time."""
    with suppress(ConnectionError):
        line.settimeout(max(0.01, until - time.monotonic()))
        try:
            while line.recv(65_536):
                pass
        except TimeoutError:
            return False
    return True


@pytest.mark.parametrize("sources", [1, 11])
def test_half_open(tmp_path, sources):
    """1,100 connections without a whole head keep nobody out, fill no log, and are closed."""
    addresses = [f"127.0.0.{k + 1}" for k in range(sources)]
    store = str(tmp_path / "ladder.db")
    with (
        files(2000),
        running("--store", store, "--quiet", files=1024) as server,
        ExitStack() as lines,
        httpx2.Client(timeout=PROMPT) as client,
    ):
        report(server, client, "Ada", "Ben")
        half = []
        for k in range(1100):
            line = lines.enter_context(connected(server, addresses[k % sources]))
            with suppress(ConnectionError):  # it made room already
                line.sendall(HALF)
            half.append(line)
        for k in range(10):
            report(server, client, "Ada", f"Ben {k}")
            with httpx2.Client(timeout=PROMPT) as other:
                assert other.get(f"{server.url}/readyz").status_code == 200
                assert other.get(f"{server.url}/c/main/players/1").status_code in (200, 404)
        ends = time.monotonic() + PATIENCE + 5.0
        assert all(closed(line, ends) for line in half)
        assert client.get(f"{server.url}/readyz").status_code == 200
        assert server.ended() == 0
    assert len(server.said) < 50, server.said[:60]
    assert any("limit of connections" in line for line in server.said)


def test_a_begun_head_is_told(tmp_path):
    """Whoever begins a request and stops is told 408; an idle connection is closed in silence."""
    with (
        running("--store", str(tmp_path / "ladder.db"), "--quiet") as server,
        connected(server) as begun,
        connected(server) as silent,
    ):
        begun.sendall(HALF)
        begun.settimeout(PATIENCE + 5.0)
        silent.settimeout(PATIENCE + 5.0)
        heard = begun.recv(65_536)
        assert heard.startswith(b"HTTP/1.1 408 ")
        assert b"application/problem+json" in heard
        assert silent.recv(65_536) == b""


def test_busy_connections_of_an_address(tmp_path):
    """Beyond `--connections`, all of them busy, an address is told 503; another one is served."""
    with ExitStack() as lines:
        store = str(tmp_path / "ladder.db")
        server = lines.enter_context(running("--store", store, "--quiet", "--connections", "5"))
        for _ in range(5):
            line = lines.enter_context(connected(server))
            line.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: x\r\n\r\n")
            assert line.recv(12) == b"HTTP/1.1 200"
        refused = lines.enter_context(connected(server))
        refused.settimeout(PROMPT)
        assert refused.recv(12) == b"HTTP/1.1 503"
        with connected(server, "127.0.0.2") as other:
            other.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert other.recv(12) == b"HTTP/1.1 200"


def test_a_proxy_holds_any_number(tmp_path):
    """With --trust-proxy all connections are the proxy's: none of them is too many."""
    with ExitStack() as lines:
        options = ("--quiet", "--connections", "5", "--trust-proxy")
        server = lines.enter_context(running("--store", str(tmp_path / "ladder.db"), *options))
        for k in range(20):
            line = lines.enter_context(connected(server))
            head = f"GET /api/v1/events HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.{k}\r\n\r\n"
            line.sendall(head.encode())
            assert line.recv(12) == b"HTTP/1.1 200"


def test_an_answer_that_is_not_taken(tmp_path, monkeypatch):
    """A client that takes nothing of its answer is cut off, and one that takes it slowly is not."""
    from prowess.live.api.middleware import ServerSettings
    from prowess.live.api.server import ConnectionGuard, GuardedConnection

    class Transport:
        left, gone = 100, False

        def get_write_buffer_size(self) -> int:
            return self.left

        def is_closing(self) -> bool:
            return self.gone

        def abort(self) -> None:
            self.gone = True

    class Line(GuardedConnection):
        transport: Any
        flow: Any

        def __init__(self) -> None:
            self.transport, self.flow = Transport(), SimpleNamespace(write_paused=True)
            self.cycle = SimpleNamespace(response_complete=False)

    class Loop:
        def call_later(self, seconds: float, function: object) -> None:
            pass

    now = [0.0]
    monkeypatch.setattr("prowess.live.api.server.monotonic", lambda: now[0])
    monkeypatch.setattr("asyncio.get_running_loop", Loop)
    guard = ConnectionGuard(ServerSettings(patience=30.0))
    still, slow = Line(), Line()
    guard.open |= {still: None, slow: None}
    for _ in range(40):
        now[0] += 1.0
        slow.transport.left -= 1
        guard.sweep()
    assert still.transport.gone
    assert not slow.transport.gone


def test_lines_of_a_kind():
    """Of one kind of line a few are written in a span of time; the next tells of those left out."""
    now = [0.0]
    sparse = RepeatFilter(lambda: now[0])

    def written(message: str) -> str | None:
        record = logging.LogRecord("x", logging.WARNING, "", 0, message, (1,), None)
        return record.getMessage() if sparse.filter(record) else None

    assert [written("out of files %d") for _ in range(100)] == ["out of files 1"] * LINES + [
        None
    ] * (100 - LINES)
    assert written("another %d") == "another 1"
    now[0] += SPAN
    assert written("out of files %d") == f"out of files 1 ({100 - LINES} such lines left out)"
    assert written("out of files %d") == "out of files 1"


def test_networks():
    """IPv6 counts by /64; an IPv4 address is the same one on a socket for both kinds."""
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1")
    assert network_of("2001:db8::1") != network_of("2001:db8:0:1::1")
    assert network_of("::ffff:192.0.2.1") == "192.0.2.1" == network_of("192.0.2.1")
    assert network_of("::ffff:192.0.2.1") != network_of("::ffff:192.0.2.2")
