"""Connections to one server, its errors, and its stream of events."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPMessage
from typing import Any, NamedTuple
from urllib.parse import urlsplit

PART = 65_536  # bytes read at a time
FAILURES = (OSError, http.client.HTTPException)


class ConnectionPool:
    """Keeps what is idle for the next request; any thread may ask."""

    def __init__(self, url: str, timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or parts.hostname is None:
            raise ValueError(f"{url!r} is no address of a server, such as https://ladder.example")
        self.host, self.port, self.timeout = parts.hostname, parts.port, timeout
        self.path = parts.path.rstrip("/")
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._idle: list[http.client.HTTPConnection] = []

    @contextmanager
    def asked(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None
    ) -> Iterator[http.client.HTTPResponse]:
        """The answer, to be read inside; raises Away, also where reading it fails."""
        try:
            connection, answer = self._answered(method, self.path + path, headers, body)
        except FAILURES as error:
            raise self._away(error) from error
        try:
            yield answer
        except FAILURES as error:
            raise self._away(error) from error
        finally:
            # What is left of an answer would be taken for the next one.
            if answer.isclosed() and connection.sock is not None:
                self._idle.append(connection)
            else:
                answer.close()  # it holds the socket too
                connection.close()

    def close(self) -> None:
        """Close what is idle."""
        while self._idle:
            self._idle.pop().close()

    def _answered(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """An answer and the connection it comes on.

        A connection that had been idle may have been closed meanwhile; then, and only then, the
        request is sent once more. That doubles nothing: a new result has a key, and a change
        says what shall be so.
        """
        if self._idle:
            connection = self._idle.pop()
            try:
                return connection, _send(connection, method, path, headers, body)
            except TimeoutError:
                connection.close()
                raise
            except FAILURES:
                connection.close()
        connection = self._new()
        try:
            return connection, _send(connection, method, path, headers, body)
        except BaseException:
            connection.close()
            raise

    def _away(self, error: Exception) -> Away:
        return Away(f"no answer from {self.host}: {str(error) or type(error).__name__}")

    def _new(self) -> http.client.HTTPConnection:
        if self._tls is None:
            return http.client.HTTPConnection(self.host, self.port, timeout=self.timeout)
        return http.client.HTTPSConnection(
            self.host, self.port, timeout=self.timeout, context=self._tls
        )


def read_lines(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    """The lines of an answer as they come in; raises IncompleteRead where it breaks off.

    `readline` of the standard library takes a broken answer for a finished one.
    """
    stated = answer.getheader("Content-Length")
    length = 0
    rest = b""
    while part := answer.read1(PART):
        length += len(part)
        *whole, rest = (rest + part).split(b"\n")
        yield from whole
    if stated is not None and length != int(stated):
        raise http.client.IncompleteRead(b"", int(stated) - length)
    if rest:
        yield rest


def _send(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    headers: Mapping[str, str],
    body: bytes | None,
) -> http.client.HTTPResponse:
    connection.request(method, path, body, dict(headers))
    return connection.getresponse()


# Errors.


class Away(Exception):
    """No answer came: the server is away, or the way there. It may have taken what was sent."""


class Fault(NamedTuple):
    """One thing that is wrong: a stable code, a sentence, the path to the field, the row from 0."""

    code: str
    message: str
    field: str | None = None
    row: int | None = None


class Problem(Exception):
    """The server answered with an error (RFC 9457); nothing of the request took effect.

    `code` is stable and for programs, `errors` has every fault that has a place, `retry_after`
    is how many seconds the server asks to wait.
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
        """Whether the same request may be taken later: nothing is wrong with what it says."""
        return self.status >= 500 or self.status in {401, 403, 404, 408, 425, 429}


def build_problem(status: int, headers: HTTPMessage, body: bytes) -> Problem:
    """An answer that is an error; also one that some other program on the way gave."""
    try:
        said = json.loads(body)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        start = " ".join(body[:200].decode("utf-8", "replace").split())
        said = {"detail": start or "no reason was given"}
    return Problem(
        status,
        str(said.get("code", f"http_{status}")),
        str(said.get("detail", said.get("title", "no reason was given"))),
        tuple(build_fault(one) for one in said.get("errors", ()) if isinstance(one, dict)),
        _seconds(headers.get("Retry-After")),
        said.get("request_id") or headers.get("X-Request-Id"),
    )


def build_fault(data: Mapping[str, Any]) -> Fault:
    """A fault as the server writes it."""
    said = str(data.get("message", data.get("detail", "")))
    return Fault(str(data.get("code", "refused")), said, data.get("field"), data.get("row"))


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.isdigit() else None


# Server-sent events; source: WHATWG, HTML Living Standard, section "Server-sent events".


class Event(NamedTuple):
    """Something that took effect. `revision` is where to resume; `data` is what the server told."""

    revision: int
    kind: str
    data: dict[str, Any]


def parse_events(lines: Iterable[bytes]) -> Iterator[Event]:
    """The events of the lines of a stream; signs of life and what has no number are passed over."""
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
