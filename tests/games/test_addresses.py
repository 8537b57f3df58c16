"""Files at an address: what a server may answer."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from prowess.games import BadData, read_games
from prowess.games.formats import locations
from tests.refusals import refused

TEXT = b"home,away,result\nAnn,Bob,1-0\nBob,Cid,0-1\n"
LOGIN = b"<!DOCTYPE html><html><body>Sign in</body></html>"
ANSWERS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/games.csv": (200, {"Content-Type": "text/csv"}, TEXT),
    "/games": (200, {"Content-Type": "text/csv; charset=utf-8"}, TEXT),
    "/gz": (200, {"Content-Type": "text/csv", "Content-Encoding": "gzip"}, gzip.compress(TEXT)),
    "/moved": (302, {"Location": "/games.csv"}, b""),
    "/loop": (302, {"Location": "/loop"}, b""),
    "/file": (302, {"Location": "file:///etc/passwd"}, b""),
    "/login.csv": (200, {"Content-Type": "text/html"}, LOGIN),
    "/long.csv": (200, {"Content-Type": "text/csv"}, TEXT + b"Ann,Bob,1-0\n" * 9000),
    "/short.csv": (200, {"Content-Type": "text/csv", "Content-Length": "9999"}, TEXT),
}


class Answers(BaseHTTPRequestHandler):
    """Answers as ANSWERS says."""

    def do_GET(self) -> None:
        """Answer a request."""
        status, headers, content = ANSWERS.get(self.path, (404, {}, b""))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server on this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.mark.parametrize("path", ["/games.csv", "/games", "/gz", "/moved"])
def test_what_is_read(server, path):
    """A file by its name or its type, packed, and at another address."""
    assert len(read_games(f"{server}{path}")) == 2


@pytest.mark.parametrize(
    ("path", "what"),
    [("/nothing.csv", ("not_fetched", "Not", "Found")), ("/loop", ("not_fetched",)),
     ("/file", ("not_fetched",)), ("/short.csv", ("download_incomplete",)),
     ("/login.csv", ("no_table",))],
)  # fmt: skip
def test_what_is_refused(server, path, what):
    """A missing file, redirects in a circle or to a file, a cut-off answer, a login page."""
    with refused(BadData, what[0], about=what[1:]):
        read_games(f"{server}{path}")


def test_long_and_slow_answers(server, monkeypatch):
    """An answer that is longer or takes longer than the limits is refused."""
    monkeypatch.setattr(locations, "DOWNLOAD", 1000)
    with refused(BadData, "download_first", about="MB"):
        read_games(f"{server}/long.csv")
    monkeypatch.setattr(locations, "WHOLE_DOWNLOAD", -1.0)
    with refused(BadData, "download_first", about="takes"):
        read_games(f"{server}/games.csv")


def test_a_sheet_that_is_not_shared(server, monkeypatch):
    """A Google Sheet that asks for a login is not public, and the remedy is to share it."""
    monkeypatch.setattr(locations, "export_address", lambda _: f"{server}/login.csv")
    with refused(BadData, "sheet_not_public"):
        read_games("https://docs.google.com/spreadsheets/d/abc/edit")
