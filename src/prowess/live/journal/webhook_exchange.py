"""Requests to the receivers of webhooks, each with one deadline for all of it.

A receiver may send a byte every few seconds: a limit of the time between two bytes would keep a
thread with it for ever. The address of the host is checked once more, as it was found.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from threading import Lock
from time import monotonic
from typing import Any

from prowess.live.store.webhook_addresses import (
    PORTS,
    BadAddress,
    Receiver,
    parse_address,
    resolve_host,
)

EXCHANGE_SECONDS = 10.0  # for all of it: connection, request and answer
MOST_HEAD = 65_536  # bytes of the head of an answer
STATUS_LINE = re.compile(rb"HTTP/1\.[01] (\d{3})(?: |$)")


class Exchanges:
    """The requests to receivers that are under way, each with a deadline; they can be aborted."""

    def __init__(self, patience: float = EXCHANGE_SECONDS) -> None:
        self.patience = patience
        self._open: set[socket.socket] = set()
        self._lock = Lock()
        self._aborted = False

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> str | None:
        """POST once, following nothing; None for an answer of 200 to 299, else what went wrong."""
        until = monotonic() + self.patience
        try:
            target = parse_address(url)
            line = self._connect(target, until)
            try:
                status = self._exchange(line, target, headers, body, until)
            finally:
                self._close(line)
        except (OSError, ValueError) as error:
            if monotonic() >= until and not isinstance(error, BadAddress):
                return f"no answer within {self.patience:g} s"
            return f"{type(error).__name__}: {error}"[:200]
        return None if 200 <= status < 300 else f"answered {status}"

    def abort(self) -> None:
        """End all exchanges at once."""
        with self._lock:
            self._aborted = True
            for one in self._open:
                with suppress(OSError):  # of the socket itself, also where TLS is spoken
                    socket.socket.shutdown(one, socket.SHUT_RDWR)

    def _connect(self, target: Receiver, until: float) -> socket.socket:
        """Connect to one of the addresses of a host; raises OSError, BadAddress."""
        error: OSError | None = None
        for family, number in resolve_host(target):
            line = socket.socket(family, socket.SOCK_STREAM)
            self._add(line)
            try:
                line.settimeout(time_left(until))
                line.connect((number, target.port))
                if target.scheme != "https":
                    return line
                context = ssl.create_default_context()
                secure = context.wrap_socket(
                    line, server_hostname=target.host, do_handshake_on_connect=False
                )
            except OSError as failed:
                error = failed
                self._close(line)
                continue
            try:
                self._add(secure)
                speak(secure, secure.do_handshake, until)
            except BaseException:
                self._close(secure)
                raise
            finally:
                with self._lock:
                    self._open.discard(line)
            return secure
        raise error or OSError("the host has no address")

    def _exchange(
        self,
        line: socket.socket,
        target: Receiver,
        headers: Mapping[str, str],
        body: bytes,
        until: float,
    ) -> int:
        """Send the request and read the head of the answer; returns its status."""
        host = f"[{target.host}]" if ":" in target.host else target.host
        usual = target.port == PORTS[target.scheme]
        fields = {
            "Host": host if usual else f"{host}:{target.port}",
            "Accept-Encoding": "identity",
            "Connection": "close",
            "Content-Length": str(len(body)),
            **headers,
        }
        lines = [f"POST {target.path} HTTP/1.1", *(f"{k}: {v}" for k, v in fields.items())]
        rest = memoryview("\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body)
        while rest:
            sent = speak(line, partial(line.send, rest), until)
            rest = rest[sent:]
        head = b""
        while True:
            part = speak(line, partial(line.recv, MOST_HEAD), until)
            head += part
            while b"\n" in head:  # of a status below 200 a further head follows
                found = STATUS_LINE.match(head.partition(b"\n")[0].rstrip(b"\r"))
                if found is None:
                    raise ValueError("the answer is not HTTP")
                if int(found[1]) >= 200:
                    return int(found[1])
                end = re.search(rb"\r?\n\r?\n", head)
                if end is None:
                    break
                head = head[end.end() :]
            if not part:
                raise ConnectionResetError("the receiver ended without an answer")
            if len(head) > MOST_HEAD:
                raise ValueError("the head of the answer is too long")

    def _add(self, line: socket.socket) -> None:
        with self._lock:
            self._open.add(line)
            if self._aborted:
                self._open.discard(line)
                line.close()
                raise ConnectionAbortedError("the server ends")

    def _close(self, line: socket.socket) -> None:
        with self._lock:
            self._open.discard(line)
        line.close()


def time_left(until: float) -> float:
    """Seconds until a deadline; raises TimeoutError after it."""
    left = until - monotonic()
    if left <= 0.0:
        raise TimeoutError("no answer in time")
    return left


def speak(line: socket.socket, say: Callable[[], Any], until: float) -> Any:
    """Send to or receive from a socket with the time that is left; returns what `say` does."""
    line.settimeout(time_left(until))
    return say()
