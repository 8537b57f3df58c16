"""Webhooks whose targets mean harm: they hang, send elsewhere, or answer without end."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from threading import Thread, enumerate as enumerate_threads

import pytest

from prowess.live.journal.categories import NewCategory
from prowess.live.journal.journal import Journal
from prowess.live.journal.record import RecordResults
from prowess.live.journal.submission import Submission
from prowess.live.journal.webhook_sender import WebhookSender, post_webhook, sign_payload
from prowess.live.store import webhooks
from tests.live.whole import CONSOLE, whole

GAME = Submission("chess", "Ada", "<@everyone>", 1.0)


@pytest.fixture
def journal(sqlite_url: str) -> Iterator[Journal]:
    """A journal of chess, without a server."""
    one = Journal.open(sqlite_url)
    one.commit(NewCategory("chess"), CONSOLE)
    yield one
    one.close()


def wanted(journal: Journal, port: int, secret: str = "s") -> None:
    """Tell an address of everything."""
    journal.store.writer.do(
        lambda c: webhooks.register_webhook(
            c, f"http://127.0.0.1:{port}/hook", secret, ["*"], now=journal.clock()
        )
    )


def listening() -> tuple[HTTPServer, Queue[tuple[bytes, str]]]:
    """A target that answers, and what it was told with which signature."""
    heard: Queue[tuple[bytes, str]] = Queue()

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            heard.put((body, self.headers["Prowess-Signature"]))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = HTTPServer(("127.0.0.1", 0), Answer)
    Thread(target=server.serve_forever, daemon=True).start()
    return server, heard


def test_who_hangs_keeps_only_himself_waiting(journal: Journal):
    """Targets that never answer hold up neither entries nor the news of others."""
    server, heard = listening()
    with ExitStack() as stack:
        hanging = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(3)]
        for one in hanging:
            wanted(journal, one.getsockname()[1])
        wanted(journal, server.server_port, "secret")
        couriers = WebhookSender(journal)
        try:
            for _ in range(20):
                revision = journal.commit(RecordResults((GAME,)), CONSOLE).revision
                body, told = heard.get(timeout=8)
                assert f'"revision": {revision}'.encode() in body
                seconds, mark = told.split(",")
                assert mark == f"v1={sign_payload('secret', int(seconds[2:]), body)}"
            assert heard.empty()
        finally:
            for one in hanging:
                one.close()  # resets the lines that wait
            couriers.close()
            server.shutdown()
            server.server_close()


ENDLESS = (
    b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 10**6,
    b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 10**5,
    b"\xff" * 10**5,
)


def test_an_answer_without_end():
    """A target that answers without end, or with nonsense, is told in a few words."""
    for said in ENDLESS:
        with socket.create_server(("127.0.0.1", 0)) as target:

            def answer(said: bytes = said, target: socket.socket = target) -> None:
                line, _ = target.accept()
                with line:
                    line.recv(65_536)
                    try:
                        line.sendall(said)
                    except OSError:
                        return

            thread = Thread(target=answer)
            thread.start()
            told = post_webhook(f"http://127.0.0.1:{target.getsockname()[1]}/", {}, b"{}")
            thread.join(10)
            assert told is None or len(told) <= 200


def test_news_are_sent_by_one(sqlite_url: str):
    """The server sends the news, the application it runs does not: else all would come twice."""
    with whole(sqlite_url):
        assert "prowess-webhooks" not in [one.name for one in enumerate_threads()]
