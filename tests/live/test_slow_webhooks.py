"""Webhooks whose targets mean harm: they hang, send elsewhere, or answer without end."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from threading import Event as Signal, Thread, enumerate as enumerate_threads
from time import monotonic

import pytest

from prowess.live.journal.categories import NewCategory
from prowess.live.journal.journal import Journal
from prowess.live.journal.record import RecordResults
from prowess.live.journal.submission import Submission
from prowess.live.journal.webhook_sender import (
    EXCHANGE_SECONDS,
    Exchanges,
    WebhookSender,
    sign_payload,
)
from prowess.live.store import webhooks
from tests.live.house import housed
from tests.live.pages.club import Elements
from tests.live.whole import API, CONSOLE, bearer, secret, whole

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
            told = Exchanges().post(f"http://127.0.0.1:{target.getsockname()[1]}/", {}, b"{}")
            thread.join(10)
            assert told is None or len(told) <= 200


def test_news_are_sent_by_one(sqlite_url: str):
    """The server sends the news, the application it runs does not: else all would come twice."""
    with whole(sqlite_url):
        assert "prowess-webhooks" not in [one.name for one in enumerate_threads()]


@contextmanager
def dribbling(count: int = 1) -> Iterator[list[int]]:
    """Ports of receivers that send a line of a head every half second, without end."""
    ending = Signal()

    def dribble(target: socket.socket) -> None:
        while not ending.is_set():
            try:
                line, _ = target.accept()
            except OSError:
                return
            Thread(target=send_lines, args=(line,), daemon=True).start()

    def send_lines(line: socket.socket) -> None:
        with line:
            try:
                line.sendall(b"HTTP/1.1 100 Continue\r\n")
                while not ending.wait(0.5):
                    line.sendall(b"X: y\r\n")
            except OSError:
                return

    with ExitStack() as stack:
        targets = [
            stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)
        ]
        for one in targets:
            Thread(target=dribble, args=(one,), daemon=True).start()
        yield [one.getsockname()[1] for one in targets]
        ending.set()


def test_a_receiver_that_dribbles_meets_a_deadline():
    """The deadline is that of the whole exchange, not of the time between two bytes."""
    with dribbling() as (port,):
        began = monotonic()
        told = Exchanges(patience=1.0).post(f"http://127.0.0.1:{port}/", {}, b"{}")
        assert told == "no answer within 1 s"
        assert monotonic() - began < 8.0  # it dribbles without end


def test_receivers_that_dribble_hold_up_nobody(journal: Journal):
    """Ten of them keep neither the messages of others back nor the server from ending."""
    server, heard = listening()
    with dribbling(10) as ports:
        for port in ports:
            wanted(journal, port)
        wanted(journal, server.server_port)
        sender = WebhookSender(journal)
        try:
            journal.commit(RecordResults((GAME,)), CONSOLE)
            heard.get(timeout=25)
        finally:
            journal.commit(RecordResults((GAME,)), CONSOLE)
            began = monotonic()
            sender.close()
            assert monotonic() - began < EXCHANGE_SECONDS - 2.0
            server.shutdown()
            server.server_close()


BAD = (
    "http://169.254.169.254/latest/meta-data", "http://[fe80::1]/", "http://[::ffff:169.254.1.1]/",
    "http://[64:ff9b::a9fe:a9fe]/", "http://2852039166/", "http://0xa9.254.169.254/",
    "http://0251.254.169.254/", "http://0.0.0.0/", "http://[::]/", "http://224.0.0.1/",
    "http://255.255.255.255/", "http://[fd00:ec2::254]/", "http://100.100.100.200/",
    "http://[::1", "http://example.org:99999/", "http://example.org:0/", "http://example.org:x/",
    "http://example.org:22/", "http://user:pw@example.org/", "http://user@example.org/",
    "ftp://example.org/", "file:///etc/passwd", "gopher://x/", "//example.org/", "http://",
    "http:///path", "http://exa mple.org/", "http://example.org/\r\nX: y", "http://ex\u202eample.org/",
    "http://example.org\\@x/", "https://" + "x" * 3000 + ".org/", "http://-x.org/", "http://a..b/",
)  # fmt: skip
GOOD = (
    "https://example.org/hook", "http://example.org", "http://127.0.0.1:8123/x?a=b", "http://[::1]:8080/",
    "http://192.168.1.7/", "https://discord.com/api/webhooks/1/a-b_c", "https://bot.local:8443/",
    "http://my_bot:3000/",
)  # fmt: skip


@pytest.mark.parametrize("url", BAD)
def test_addresses_that_are_refused(url: str):
    """No webhook is made for an address of a link, a group or a cloud, or for no address."""
    with pytest.raises(webhooks.NoWebhook) as caught:
        webhooks.check_address(url)
    assert str(caught.value).startswith(("give ", "leave "))
    told = Exchanges().post(url, {}, b"{}")  # one of a store of earlier days
    assert told is not None
    assert told.startswith("BadAddress")


@pytest.mark.parametrize("url", GOOD)
def test_addresses_that_are_taken(url: str):
    """The internet, a private network and this machine are taken."""
    webhooks.check_address(url)


def test_entries_check_addresses_and_labels(sqlite_url: str):
    """The API and the pages refuse both; nothing is made."""
    with housed(sqlite_url) as house:
        admin = bearer(secret(house.journal, "admin"))
        for path, sent, code in (
            ("/webhooks", {"url": BAD[0], "events": ["*"]}, "bad_webhook"),
            ("/webhooks", {"url": "ftp://x", "events": ["*"]}, "bad_webhook"),
            ("/tokens", {"name": "Ada\u202eneb", "scopes": ["read"]}, "bad_token_request"),
            ("/tokens", {"name": "x", "source": "\u2066y", "scopes": ["submit"]}, None),
        ):
            answer = house.stranger.post(f"{API}{path}", json=sent, headers=admin)
            assert answer.status_code == 422
            assert code in (None, answer.json()["code"])
            if sent.get("url") == "ftp://x":
                assert answer.json()["detail"].startswith("give an address that begins with https")
            word = Elements(house.keeper.get(f"/admin{path}").text).field("csrf")
            form = {"csrf": word, **sent, "scope": "read"}
            page = house.keeper.post(f"/admin{path}", data=form)
            assert page.status_code == 422
            count = len(house.stranger.get(f"{API}{path}", headers=admin).json()["items"])
            assert count == (0 if path == "/webhooks" else 2)


def test_a_name_that_leads_to_a_link(monkeypatch: pytest.MonkeyPatch):
    """A name is checked by the addresses that it leads to when a message is sent."""
    place = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("169.254.169.254", 80))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [place])
    told = Exchanges().post("http://rebound.example.org/", {}, b"{}")
    assert told is not None
    assert told.startswith("BadAddress: give the address of a host that takes webhooks")
