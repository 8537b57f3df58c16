"""Requests to one server over connections that stay open."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit

from prowess.live.client.problems import Away

PART = 65_536  # bytes read at a time
FAILURES = (OSError, http.client.HTTPException)


class Connections:
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
                return connection, _sent(connection, method, path, headers, body)
            except TimeoutError:
                connection.close()
                raise
            except FAILURES:
                connection.close()
        connection = self._new()
        try:
            return connection, _sent(connection, method, path, headers, body)
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


def lines(answer: http.client.HTTPResponse) -> Iterator[bytes]:
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


def _sent(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    headers: Mapping[str, str],
    body: bytes | None,
) -> http.client.HTTPResponse:
    connection.request(method, path, body, dict(headers))
    return connection.getresponse()
