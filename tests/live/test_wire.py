"""What no client library sends, byte by byte to a real uvicorn."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from prowess.live.api.middleware import ServerSettings
from prowess.live.journal.journal import Journal
from tests.live.whole import proof_fails, secret, served, whole

PATIENT = 20.0  # seconds for an answer
GAME = {"category": "chess", "player_a": "Ada", "player_b": "Ben", "score": 1.0}
LIMITS = ServerSettings(body_limit=10_000, batch_limit=100_000, patience=0.5)


class Wire(NamedTuple):
    """A server and where it listens."""

    journal: Journal
    host: str
    port: int
    token: str

    def line(self) -> socket.socket:
        """A connection."""
        return socket.create_connection((self.host, self.port), PATIENT)

    def head(self, target: str, *more: str, method: str = "POST") -> bytes:
        """A request up to its body."""
        lines = (f"{method} {target} HTTP/1.1", "Host: x", f"Authorization: Bearer {self.token}")
        return "\r\n".join((*lines, *more, "", "")).encode("latin-1")

    def ask(self, *parts: bytes) -> bytes:
        """Everything that is answered until the line is closed or still."""
        with self.line() as line:
            with suppress(BrokenPipeError, ConnectionResetError):
                for part in parts:
                    line.sendall(part)
            return heard(line)

    def lives(self) -> bool:
        """Whether others are answered."""
        return self.ask(self.head("/healthz", "Connection: close", method="GET"))[9:12] == b"200"


def heard(line: socket.socket) -> bytes:
    """What comes until the line is closed."""
    found = b""
    with suppress(ConnectionResetError):
        while part := line.recv(65_536):
            found += part
    return found


@pytest.fixture
def wire(sqlite_url: str) -> Iterator[Wire]:
    """A server with small limits; whatever was done to it, it lives on and its log is sound."""
    with whole(sqlite_url, LIMITS) as (app, journal), served(app) as url:
        parts = urlsplit(url)
        yield Wire(journal, str(parts.hostname), int(parts.port or 0), secret(journal, "admin"))
        assert journal.revision == 4
        assert proof_fails(sqlite_url) == []


def status(answer: bytes) -> int:
    """The number in the first line."""
    assert answer.startswith(b"HTTP/1.1 "), answer
    return int(answer[9:12])


def test_a_huge_body_is_not_read(wire: Wire):
    """A body that says it is too long is refused before any of it came, and the line is closed."""
    for target, length in (
        ("/api/v1/results", 10_001), ("/api/v1/results:batch", 100_001), ("/login", 10**15),
        ("/rumble/UploadedResults", 10**12), ("/admin/import:batch", 10**12), ("/nothing", 10**9),
    ):  # fmt: skip
        more = (f"Content-Length: {length}", "Content-Type: application/json")
        answer = wire.ask(wire.head(target, *more))
        assert status(answer) == 413, target
        assert b"connection: close" in answer.lower()


def test_an_upload_of_a_stranger_is_not_read(wire: Wire):
    """Nobody signed in: the answer comes before the file, which is not waited for or kept."""
    head = wire.head("/admin/import:batch", "Content-Length: 90000",
                     "Content-Type: multipart/form-data; boundary=x")  # fmt: skip
    answer = wire.ask(head + b"--x\r\n")
    assert (status(answer), b"location: /login" in answer) == (303, True)
    assert b"connection: close" in answer.lower()


def test_an_endless_body_is_cut_off(wire: Wire):
    """A body in pieces is refused as soon as it is longer than it may be."""
    chunk = b"%x\r\n%s\r\n" % (1000, b" " * 1000)
    form = "application/x-www-form-urlencoded"
    for target, kind, expected in (
        ("/api/v1/results", "application/json", 413),
        ("/api/v1/results:batch", "text/csv", 413),
        ("/api/v1/results:batch", "image/png", 415),
        ("/login", form, 413),
        ("/login", "image/png", 403),
        ("/rumble/UploadedResults", form, 413),
        ("/nothing", form, 404),
    ):
        head = wire.head(target, "Transfer-Encoding: chunked", f"Content-Type: {kind}")
        answer = wire.ask(head, *[chunk] * 200)
        assert status(answer) == expected, (target, kind)
        assert b"connection: close" in answer.lower()


def test_slow_bodies(wire: Wire):
    """Bodies that stop coming hold up nobody, and are given up after a while."""
    more = ("Content-Length: 500", "Content-Type: application/json")
    with ExitStack() as stack:
        lines = [stack.enter_context(wire.line()) for _ in range(60)]
        for line in lines:
            line.sendall(wire.head("/api/v1/results", *more) + b'{"cat')
        assert wire.lives()
        answers = [heard(line) for line in lines]
    assert {status(answer) for answer in answers} == {408}
    assert json.loads(answers[0].partition(b"\r\n\r\n")[2])["code"] == "too_slow"


def test_dripping_bodies(wire: Wire):
    """A body that never stops and never ends is given up too."""
    more = ("Content-Length: 500", "Content-Type: application/json")
    with wire.line() as line:
        line.sendall(wire.head("/api/v1/results", *more))
        line.settimeout(0.2)  # less than the pause that is allowed
        answer = b""
        for _ in range(30):
            line.sendall(b" ")
            with suppress(TimeoutError):
                answer = line.recv(65_536)
                break
        assert status(answer) == 408


def test_heads_in_pieces(wire: Wire):
    """A head that grows in many pieces is refused at the limit, also behind another request."""
    pieces = [f"X-{k}: {'y' * 1000}\r\n".encode() for k in range(200)]
    endless = [b"X: " + b"y" * 1000] + [b"y" * 1000] * 200
    for drip in (pieces, endless):
        for before in (b"", wire.head("/healthz", method="GET")):
            start = before + wire.head("/healthz", method="GET").removesuffix(b"\r\n")
            answer = wire.ask(start, *drip)
            assert not answer or before or status(answer) in (400, 431), answer[:200]
            assert answer.count(b" 200 OK") <= (before != b"")
    assert wire.lives()


def test_a_head_of_common_length_in_pieces(wire: Wire):
    """However a head is cut into pieces, one of 40,000 bytes is read."""
    head = wire.head("/healthz", "X: " + "y" * 40_000, "Connection: close", method="GET")
    pieces = [head[k : k + 1_500] for k in range(0, len(head), 1_500)]
    assert status(wire.ask(*pieces)) == 200


def test_what_follows_a_body_is_no_header(wire: Wire):
    """A field behind the parts of a body gives no right and no condition."""
    body = json.dumps(GAME).encode()
    head = b"\r\n".join((
        b"POST /api/v1/results HTTP/1.1", b"Host: x", b"Content-Type: application/json",
        b"Transfer-Encoding: chunked", b"Connection: close", b"", b"",
    ))  # fmt: skip
    trailer = f"Authorization: Bearer {wire.token}".encode()
    parts = b"%x\r\n%s\r\n0\r\n%s\r\n\r\n" % (len(body), body, trailer)
    assert status(wire.ask(head + parts)) == 401


def test_fields_behind_a_body_are_bounded(wire: Wire):
    """Endless fields behind a body, or one that does not end, take no memory; the line is cut."""
    resource: Any = pytest.importorskip("resource")
    head = wire.head("/api/v1/results", "Transfer-Encoding: chunked").removesuffix(b"\r\n")
    start = head + b"\r\n2\r\n{}\r\n0\r\n"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for part in (b"a:b\r\n" * 10_000, b"a: " + b"y" * 60_000):
        sent = 0
        with wire.line() as line, suppress(BrokenPipeError, ConnectionResetError):
            line.sendall(start)
            for _ in range(1_000):
                line.sendall(part)
                sent += len(part)
        assert sent < 20_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB
    assert wire.lives()


def test_many_requests_at_once_on_a_line(wire: Wire):
    """More requests than may wait on one connection end it."""
    one = wire.head("/healthz", method="GET")
    assert wire.ask(one * 10 + wire.head("/healthz", "Connection: close", method="GET")).count(
        b" 200 OK"
    ) == 11  # fmt: skip
    assert wire.ask(one * 10_000).count(b" 200 OK") < 100
    assert wire.lives()


def test_the_line_stays_open_after_a_head(wire: Wire):
    """HEAD answers the head of GET without a body, and the line takes the next request."""
    asked = wire.head("/api/v1/categories", method="HEAD") + wire.head(
        "/healthz", "Connection: close", method="GET"
    )
    answers = wire.ask(asked).split(b"HTTP/1.1 ")[1:]
    assert [one[:3] for one in answers] == [b"200", b"200"]
    head, _, body = answers[0].partition(b"\r\n\r\n")
    assert b"content-length:" in head.lower()
    assert not body


def test_header_floods(wire: Wire):
    """Too many or too long headers and addresses are refused; others are answered."""
    flood = (f"X-{k}: {'y' * 50}" for k in range(5000))
    floods = (
        wire.head("/api/v1/categories", *flood, method="GET"),
        wire.head("/api/v1/categories", "X: " + "y" * 10**6, method="GET"),
        wire.head("/" + "y" * 10**6, method="GET"),
        wire.head("/api/v1/categories?" + "a=1&" * 10**5, method="GET"),
        b"X" * 10**6,
        b"GET /" + b"\0" * 1000 + b" HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 100,
    )
    with ThreadPoolExecutor(len(floods)) as pool:
        for answer in pool.map(wire.ask, floods):
            assert not answer or 400 <= status(answer) < 500, answer[:200]
    assert wire.lives()


def test_two_readings_of_a_request(wire: Wire):
    """A request whose end can be read in two ways is refused: nothing is smuggled in behind it."""
    inner = json.dumps(GAME).encode()
    behind = wire.head(
        "/api/v1/results", f"Content-Length: {len(inner)}", "Content-Type: application/json"
    )
    for more in (
        ("Content-Length: 5", "Content-Length: 6"),
        ("Content-Length: 5, 6",),
        ("Content-Length: +5",),
        ("Content-Length: 0x5",),
        ("Content-Length: -1",),
        ("Content-Length: " + "9" * 5000,),
        ("Content-Length: \xb2",),
        ("Transfer-Encoding: chunked, identity",),
        ("Transfer-Encoding: \x0bchunked",),
    ):  # fmt: skip
        answer = wire.ask(wire.head("/api/v1/results", *more) + b"0\r\n\r\n" + behind + inner)
        assert not answer or 400 <= status(answer) < 500, (more, answer[:200])
        assert answer.count(b"HTTP/1.1") <= 1, more


def test_raw_paths(wire: Wire):
    """Paths that no browser would send lead nowhere."""
    for target in (
        "/static/../visits.py", "/static/..%2f..%2fvisits.py", "/../../etc/passwd", "//", "*",
        "/api/v1/../../etc/passwd", "/static//etc/passwd", "/static/%2e%2e/%2e%2e/visits.py",
        "/c/../admin", "/\\..\\..", "/api/v1/results/1%0d%0aX-Y:%20z", "/static/%00", "/c/%ff",
    ):  # fmt: skip
        answer = wire.ask(wire.head(target, "Connection: close", method="GET"))
        assert 400 <= status(answer) < 500, (target, answer[:200])
        assert b"\r\nX-Y" not in answer


def test_forged_event_ids(wire: Wire):
    """A Last-Event-ID that we did not give is refused, or begins with what comes next."""
    for given in ("x", "-1", "1.5", "9" * 19, "9" * 5000, "\xb2", "1e3"):
        head = wire.head(
            "/api/v1/events", f"Last-Event-ID: {given}", "Connection: close", method="GET"
        )
        assert status(wire.ask(head)) == 422, given
    head = wire.head("/api/v1/events", "Last-Event-ID: " + "9" * 18, method="GET")
    with wire.line() as line:
        line.sendall(head)
        assert status(line.recv(65_536)) == 200
    assert wire.lives()
