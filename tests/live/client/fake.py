"""A server in a few lines: it keeps results by their external number and fails on demand."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit


class Request(NamedTuple):
    """What came in."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: str


class Answer(NamedTuple):
    """What goes out; `breaks` closes the connection after so many bytes of the body."""

    status: int
    body: bytes
    headers: Mapping[str, str] = MappingProxyType({})
    breaks: int | None = None


Answers = Callable[[Request], Answer]


def data(status: int, what: Any, **headers: str) -> Answer:
    """JSON."""
    return Answer(status, json.dumps(what).encode(), headers)


def trouble(status: int, code: str, **headers: str) -> Answer:
    """A problem as RFC 9457 writes it."""
    said = {"status": status, "code": code, "detail": f"it is {code}", "request_id": "r1"}
    return Answer(status, json.dumps(said).encode(), headers)


class Fake:
    """Takes batches of results; `mishaps` are used up first, one a request."""

    def __init__(self) -> None:
        self.results: dict[str, Any] = {}
        self.copies: dict[str, int] = {}  # how often each was sent
        self.requests: list[Request] = []
        self.mishaps: list[Callable[[Request], Answer | None]] = []
        self.lock = threading.Lock()
        self.url = ""

    def answer(self, request: Request) -> Answer:
        """A mishap, or what the real server says."""
        with self.lock:
            self.requests.append(request)
            if self.mishaps:
                given = self.mishaps.pop(0)(request)
                if given is not None:
                    return given
            if request.path.endswith(":batch"):
                return self.taken(request)
        return data(200, {"items": [], "next": None, "path": request.path})

    def taken(self, request: Request) -> Answer:
        """Players called X are refused, everybody else is taken once."""
        rows = []
        for k, line in enumerate(request.body.splitlines()):
            one = json.loads(line)
            number = one["external_id"]
            self.copies[number] = self.copies.get(number, 0) + 1
            if one["player_a"] == "X":
                why = {"code": "no_such_player", "message": "X plays no more", "field": "player_a"}
                rows.append({"row": k, "status": "refused", "error": why | {"row": k}})
                continue
            rows.append({"row": k, "status": "already" if number in self.results else "recorded"})
            self.results.setdefault(number, one)
        return data(200, {"revision": 1, "results": rows})


@contextmanager
def served(fake: Fake) -> Iterator[Fake]:
    """The fake behind a real socket."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def respond(self) -> None:
            """Answer one request."""
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length", 0))
            body = self.rfile.read(length).decode()
            query = dict(parse_qsl(parts.query))
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = fake.answer(Request(self.command, parts.path, query, headers, body))
            if answer.breaks is not None:
                self.close_connection = True
                if not answer.status:
                    return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name.replace("_", "-"), value)
            if "Transfer_Encoding" in answer.headers:
                self.end_headers()
                self.wfile.write(answer.body[: answer.breaks])
                return
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body[: answer.breaks])

        do_GET = do_POST = do_PUT = do_DELETE = respond  # noqa: N815

        def log_message(self, *words: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield fake
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
