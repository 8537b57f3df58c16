"""Connections of the client: connection pool, errors, and server-sent events."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.client import HTTPMessage
from typing import Any, NamedTuple
from urllib.parse import urlsplit

READ_BYTES = 65_536  # at a time
FAILURES = (OSError, http.client.HTTPException)


class ConnectionPool:
    """A pool of connections to one server; thread-safe."""

    def __init__(self, url: str, timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or parts.hostname is None:
            raise ValueError(f"give an address such as https://ladder.example: {url!r} is none")
        self.host, self.port = parts.hostname, parts.port
        self.path = parts.path.rstrip("/")
        secure = parts.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        more: dict[str, Any] = {"context": ssl.create_default_context()} if secure else {}
        self._connect = partial(kind, self.host, self.port, timeout=timeout, **more)
        self._idle: list[http.client.HTTPConnection] = []

    @contextmanager
    def open(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None
    ) -> Iterator[http.client.HTTPResponse]:
        """Send a request and yield the response; raises Away, also while it is being read."""
        try:
            connection, answer = self._send_request(method, self.path + path, headers, body)
        except FAILURES as error:
            raise self._away(error) from error
        try:
            yield answer
        except FAILURES as error:
            raise self._away(error) from error
        finally:
            # An unread rest would be taken for the next response.
            if answer.isclosed() and connection.sock is not None:
                self._idle.append(connection)
            else:
                answer.close()  # it holds the socket too
                connection.close()

    def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            self._idle.pop().close()

    def _send_request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """Send a request; returns the connection and its response.

        If the server closed an idle connection in the meantime, the request is sent once more.
        Nothing is written twice: new results carry an idempotency key, and changes are idempotent.
        """
        if self._idle:
            connection = self._idle.pop()
            try:
                connection.request(method, path, body, dict(headers))
                return connection, connection.getresponse()
            except TimeoutError:
                connection.close()
                raise
            except FAILURES:
                connection.close()
        connection = self._connect()
        try:
            connection.request(method, path, body, dict(headers))
            return connection, connection.getresponse()
        except BaseException:
            connection.close()
            raise

    def _away(self, error: Exception) -> Away:
        return Away(f"no answer from {self.host}: {str(error) or type(error).__name__}")


def read_lines(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    """Yield the lines of a response as they arrive; raises IncompleteRead if it is cut off.

    `readline` of the standard library does not detect a response that is cut off.
    """
    stated = answer.getheader("Content-Length")
    length = 0
    rest = b""
    while part := answer.read1(READ_BYTES):
        length += len(part)
        *whole, rest = (rest + part).split(b"\n")
        yield from whole
    if stated is not None and length != int(stated):
        raise http.client.IncompleteRead(b"", int(stated) - length)
    if rest:
        yield rest


# Errors.


class Away(Exception):
    """No response: the server or the network is down. The request may have taken effect."""


class Fault(NamedTuple):
    """One error of a request: stable code, message, path to the field, and row from 0."""

    code: str
    message: str
    field: str | None = None
    row: int | None = None


class Problem(Exception):
    """The server responded with an error (RFC 9457); the request had no effect.

    `code` is stable and meant for programs, `errors` lists the errors of fields and rows,
    `retry_after` is the number of seconds to wait.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        errors: tuple[Fault, ...] = (),
        retry_after: float | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status, self.code, self.detail, self.errors = status, code, detail, errors
        self.retry_after, self.request_id = retry_after, request_id

    @property
    def passing(self) -> bool:
        """Whether the same request may succeed later: its content is valid."""
        return self.status >= 500 or self.status in {401, 403, 404, 408, 425, 429}


def build_problem(status: int, headers: HTTPMessage, body: bytes) -> Problem:
    """Build a Problem from an error response, which may come from a proxy."""
    try:
        data = json.loads(body)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        start = " ".join(body[:200].decode("utf-8", "replace").split())
        data = {"detail": start or "no reason was given"}
    return Problem(
        status,
        str(data.get("code", f"http_{status}")),
        str(data.get("detail", data.get("title", "no reason was given"))),
        tuple(build_fault(one) for one in data.get("errors", ()) if isinstance(one, dict)),
        _seconds(headers.get("Retry-After")),
        data.get("request_id") or headers.get("X-Request-Id"),
    )


def build_fault(data: Mapping[str, Any]) -> Fault:
    """Build a Fault from the JSON of the server."""
    message = str(data.get("message", data.get("detail", "")))
    return Fault(str(data.get("code", "refused")), message, data.get("field"), data.get("row"))


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.isdigit() else None


# Server-sent events; source: WHATWG, HTML Living Standard, section "Server-sent events".


class Event(NamedTuple):
    """A committed change. `revision` is where to resume; `data` is the JSON of the event."""

    revision: int
    kind: str
    data: dict[str, Any]


def parse_events(lines: Iterable[bytes]) -> Iterator[Event]:
    """Parse server-sent events from lines; heartbeats and events without an id are skipped."""
    fields: dict[str, list[str]] = {}
    number = ""
    for line in lines:
        text = line.decode("utf-8").rstrip("\r")
        if text:
            name, _, value = text.partition(":")
            fields.setdefault(name, []).append(value.removeprefix(" "))
            continue
        number = fields.get("id", [number])[-1]
        if "data" in fields and number.isdigit():
            kind = fields.get("event", ["message"])[-1]
            yield Event(int(number), kind, json.loads("\n".join(fields["data"])))
        fields = {}
