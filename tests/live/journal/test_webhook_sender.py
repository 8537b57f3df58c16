"""News to webhooks: written with the entry, sent signed and in order, tried until it works."""

from __future__ import annotations

import hmac
import json
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from prowess.live.journal import webhook_sender as couriers_room
from prowess.live.journal.corrections import Void
from prowess.live.journal.unit_of_work import ACT_EVENTS
from prowess.live.journal.webhook_sender import Exchanges, WebhookSender, format_payload
from prowess.live.store import webhooks
from tests.live.journal.journals import CONSOLE, NOW, game, open_journal, record_games

SECRET = "s3cret"


@pytest.fixture
def journal(store_url):
    journal = open_journal(store_url)
    yield journal
    journal.close()


def register(journal, url="https://hook.invalid/x", events=("*",), shape="prowess"):
    return journal.store.writer.do(
        lambda c: webhooks.register_webhook(c, url, SECRET, events, shape, now=NOW)
    )


def log(journal, number):
    with journal.store.read() as connection:
        return webhooks.list_deliveries(connection, number)[::-1]


def until(condition):
    for _ in range(400):
        if condition():
            return
        time.sleep(0.025)
    raise AssertionError("it did not happen in ten seconds")


def test_every_kind_of_entry_has_an_event():
    """No entry can be made that outsiders could not be told of."""
    from prowess.live.journal import categories, corrections, record

    rooms = (corrections, corrections, categories, categories, record)
    kinds = {
        value.kind
        for room in rooms
        for value in vars(room).values()
        if isinstance(value, type) and hasattr(value, "kind")
    }
    assert kinds == set(ACT_EVENTS)


def test_news_arrive_signed_and_in_order(journal):
    """Each entry is told once, in order, and the signature is that of time and body."""
    number = register(journal)
    told = []

    def post(url, headers, body):
        told.append((url, headers, body))

    ids = record_games(journal, game("Ada", "Ben"), game("Ben", "Cleo"))
    journal.commit(Void((ids[0],), "wrong board"), CONSOLE)
    sender = WebhookSender(journal, post)
    until(lambda: len(told) == 2 and all(row.next_at is None for row in log(journal, number)))
    sender.close()
    news = [json.loads(body) for _, _, body in told]
    assert [(n["event"], n["results"], n["reason"]) for n in news] == [
        ("result.recorded", ids, None), ("correction.applied", ids[:1], "wrong board")
    ]  # fmt: skip
    assert news[0]["players"] == ["Ada", "Ben", "Cleo"]
    for _, headers, body in told:
        moment, mark = (part.split("=")[1] for part in headers["Prowess-Signature"].split(","))
        expected = hmac.new(SECRET.encode(), f"{moment}.".encode() + body, "sha256").hexdigest()
        assert mark == expected
    assert [row.outcome for row in log(journal, number)] == ["delivered", "delivered"]


def test_failures_are_tried_again(journal, monkeypatch):
    """A message that failed is due again later, and those behind it wait for their turn."""
    monkeypatch.setattr(couriers_room, "QUEUE_CHECK_SECONDS", 0.05)
    number = register(journal)
    answers: Iterator[str | None] = iter(["answered 500", None, None])
    revisions = []

    def post(url, headers, body):
        revisions.append(json.loads(body)["revision"])
        return next(answers)

    record_games(journal, game("Ada", "Ben"))
    first = journal.revision
    record_games(journal, game("Ada", "Ben"))
    journal.clock.seconds = iter(range(0, 10**6, 20))  # each look at the clock is 20 s later
    sender = WebhookSender(journal, post)
    until(lambda: all(row.next_at is None for row in log(journal, number)))
    sender.close()
    assert revisions[0] == first
    assert sorted(revisions) == [first, first, first + 1]
    assert [row.attempts for row in log(journal, number)] == [2, 1]


def test_only_wanted_events(journal):
    """A webhook is told of the events it asked for, from its making until it is stopped."""
    record_games(journal, game("Ada", "Ben"))
    number = register(journal, events=("correction.applied",))
    (late,) = record_games(journal, game("Ada", "Ben"))
    journal.commit(Void((late,)), CONSOLE)
    assert [row.revision for row in log(journal, number)] == [journal.revision]
    journal.store.writer.do(lambda c: webhooks.stop_webhook(c, number, NOW))
    record_games(journal, game("Ada", "Ben"))
    assert len(log(journal, number)) == 1


def test_shapes():
    """Discord and Slack get a sentence in which nobody is paged and nothing is markup."""
    news = {
        "event": "result.recorded", "revision": 7, "at": "", "kind": "record", "category": "main",
        "reason": None, "results": [3], "players": ["<@everyone>", "Ben"],
    }  # fmt: skip
    assert format_payload(news, "discord")["allowed_mentions"] == {"parse": []}
    text = format_payload(news, "slack")["text"]
    assert text == "main: result 3 recorded (&lt;@everyone&gt;, Ben), revision 7"


class Elsewhere(BaseHTTPRequestHandler):
    """A server that sends everybody elsewhere."""

    def do_POST(self):
        self.send_response(302 if self.path == "/moved" else 204)
        self.send_header("Location", "/other")
        self.end_headers()

    def log_message(self, *_):
        pass


def test_posting():
    """A 2xx is good; a redirect is not followed; nobody there, nonsense: told in a few words."""
    server = HTTPServer(("127.0.0.1", 0), Elsewhere)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        place = f"http://127.0.0.1:{server.server_port}"
        assert Exchanges().post(f"{place}/", {}, b"{}") is None
        assert Exchanges().post(f"{place}/moved", {}, b"{}") == "answered 302"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert "refused" in str(Exchanges().post(f"{place}/", {}, b"{}")).lower()
    assert Exchanges().post("http://[nonsense", {}, b"{}") is not None
