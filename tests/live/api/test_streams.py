"""Streams of events: how many one address may hold, what they cost, and when they end."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any

import httpx2
import pytest

from prowess.live.api import streams as module
from prowess.live.api.encoding import HttpProblem
from prowess.live.api.middleware import ServerSettings
from prowess.live.api.streams import Streams
from prowess.live.journal.categories import NewCategory
from prowess.live.journal.journal import Entry
from prowess.live.journal.record import RecordResults
from prowess.live.journal.submission import Submission
from prowess.live.store import access
from prowess.live.store.store import open_store
from tests.live.api.site import Site
from tests.live.api.test_connections import connected
from tests.live.api.test_server import Running, report, running
from tests.live.whole import CONSOLE

ASK = b"GET /api/v1/events HTTP/1.1\r\nHost: x\r\n\r\n"
SOON = 15.0  # seconds; the machine may be busy


def test_streams_of_an_address(tmp_path):
    """One address holds a fifth of all streams; the others are there for other addresses."""
    few = ServerSettings().streams_by_address
    assert 5 * few <= ServerSettings().streams
    with running("--store", str(tmp_path / "ladder.db"), "--quiet") as server, ExitStack() as lines:
        for k in range(few + 1):
            line = lines.enter_context(connected(server))
            line.sendall(ASK)
            assert line.recv(12) == (b"HTTP/1.1 200" if k < few else b"HTTP/1.1 429")
        other = lines.enter_context(connected(server, "127.0.0.2"))
        other.sendall(ASK)
        assert other.recv(12) == b"HTTP/1.1 200"


def test_who_left_makes_room(tmp_path):
    """A stream that its client has left is counted no more, even if it was left at once."""
    few = ServerSettings().streams_by_address
    with running("--store", str(tmp_path / "ladder.db"), "--quiet") as server:
        for _ in range(few + 20):
            with connected(server) as line:
                line.sendall(ASK)
        until = time.monotonic() + SOON
        heard = b""
        while heard != b"HTTP/1.1 200" and time.monotonic() < until:
            with connected(server) as line:
                line.sendall(ASK)
                heard = line.recv(12)
        assert heard == b"HTTP/1.1 200"


def test_an_event_is_put_into_words_once(site: Site, monkeypatch: pytest.MonkeyPatch):
    """However many listen, an event becomes text once, and all of them hear the same."""
    framed, words = module.format_event, []

    def counted(data: dict[str, Any]) -> bytes:
        words.append(data)
        return framed(data)

    monkeypatch.setattr(module, "format_event", counted)

    async def listen() -> list[bytes]:
        streams = Streams(site.journal, ServerSettings())
        read_past, read = streams.read_past, []

        def count_reading(after: int) -> list[dict[str, Any]]:
            past = read_past(after)
            read.append(after)
            return past

        monkeypatch.setattr(streams, "read_past", count_reading)
        streams.start()
        flows = [
            streams.open(None, None, None, str(k)).body_iterator.__aiter__() for k in range(50)
        ]
        for flow in flows:
            await anext(flow)
        asked = [asyncio.ensure_future(anext(flow)) for flow in flows]
        while len(read) < len(flows):  # until all have read what was before
            await asyncio.sleep(0.01)
        entry = RecordResults((Submission("main", "Ada", "Ben", 1.0),))
        await asyncio.to_thread(site.journal.commit, entry, CONSOLE)
        heard = await asyncio.gather(*asked)
        streams.close()
        return [bytes(one) for one in heard]

    heard = asyncio.run(asyncio.wait_for(listen(), SOON))
    assert len(set(heard)) == 1
    assert b'"players": ["Ada", "Ben"]' in heard[0]
    assert len(words) == 1


def test_a_late_category_holds_up_no_events(site: Site, monkeypatch: pytest.MonkeyPatch):
    """Who listens to all hears of results whose ratings are not there yet, and of those behind."""
    site.journal.commit(NewCategory("slow"), CONSOLE)
    slow, caught_up = site.journal.ladder("slow"), threading.Event()
    play = slow.play
    monkeypatch.setattr(slow, "play", lambda *more: (caught_up.wait(SOON), play(*more)))

    async def listen() -> tuple[list[bytes], set[str]]:
        streams = Streams(site.journal, ServerSettings(rating_patience=1e6))
        streams.start()
        flow = streams.open(None, None, None, "one").body_iterator.__aiter__()
        await anext(flow)
        heard = []
        for key in ("slow", "main", "slow", "main"):
            asked = asyncio.ensure_future(anext(flow))
            while not streams.listeners or asked.done():
                await asyncio.sleep(0.01)
            entry = Entry(RecordResults((Submission(key, "Ada", "Ben", 1.0),)), CONSOLE)
            site.journal.submit(entry)
            heard.append(bytes(await asked))
        late = set(streams.late)
        caught_up.set()
        while streams.late:
            await asyncio.sleep(0.01)
        streams.close()
        return heard, late

    heard, late = asyncio.run(asyncio.wait_for(listen(), SOON))
    keys = ["slow" if b'"category": "slow"' in one else "main" for one in heard]
    assert (keys, late) == (["slow", "main", "slow", "main"], {"slow"})


def test_too_far_behind(site: Site):
    """A listener that takes nothing is cut off, and forgotten; the limit says what to do."""

    async def listen() -> None:
        streams = Streams(site.journal, ServerSettings(streams_by_address=1))
        stream = streams.open(None, None, None, "here")
        with pytest.raises(HttpProblem, match="/revisions"):
            streams.open(None, None, None, "here")
        for k in range(module.MAX_LAG_EVENTS + 1):
            streams.send(module.EventFrame(k + 10, "main", b""))
        assert stream.listener.queue.qsize() == module.MAX_LAG_EVENTS
        assert not streams.listeners

    asyncio.run(listen())


@contextmanager
def private(folder: str, expires: int | None = None) -> Iterator[tuple[Running, str, int]]:
    """A private server and a token that reads: its secret and number."""
    with (
        running("--store", folder, "--quiet", "--private") as server,
        closing(open_store(folder, create=False)) as store,
    ):
        now = time.time_ns() // 1000
        ends = None if expires is None else now + expires
        secret, number = store.writer.do(
            lambda connection: access.make_token(
                connection, "reader", ["read"], expires=ends, now=now
            )
        )
        yield server, secret, number


def test_a_revoked_token_hears_nothing_more(tmp_path):
    """Revoked by another program, a token's stream ends; what happens later is not told to it."""
    folder = str(tmp_path / "ladder.db")
    with private(folder) as (server, secret, number), httpx2.Client(timeout=SOON) as client:
        bearer = {"Authorization": f"Bearer {secret}"}
        with client.stream("GET", f"{server.url}/api/v1/events", headers=bearer) as answer:
            assert answer.status_code == 200
            flow = answer.iter_lines()
            assert next(flow) == ": prowess"
            report(server, client, "Ada", "Ben")
            revoke = ("-m", "prowess", "token", "revoke", str(number), "--store", folder)
            subprocess.run([sys.executable, *revoke], check=True, capture_output=True)
            report(server, client, "Cleo", "Dan")
            rest = "\n".join(flow)  # ends
        assert "Ada" in rest
        assert "Cleo" not in rest
        again = client.get(f"{server.url}/api/v1/events", headers=bearer)
        assert again.status_code == 401


def test_an_expired_token_hears_nothing_more(tmp_path):
    """A stream ends when its token does, though nothing happens."""
    folder = str(tmp_path / "ladder.db")
    with (
        private(folder, expires=3_000_000) as (server, secret, _),
        httpx2.Client(timeout=SOON) as client,
    ):
        bearer = {"Authorization": f"Bearer {secret}"}
        with client.stream("GET", f"{server.url}/api/v1/events", headers=bearer) as answer:
            assert answer.status_code == 200
            began = time.monotonic()
            assert "Ada" not in "\n".join(answer.iter_lines())
            assert time.monotonic() - began < SOON
