"""Answers to anonymous readers: made once for each revision, the same bytes for everybody."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import monotonic
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from prowess.live.api import read_model
from prowess.live.api.encoding import accept_quality
from prowess.live.api.read_model import AnswerInMaking, KeptAnswer, ReadModel
from tests.live.api.site import API, Site

BOARD = "/categories/main/leaderboard?include=all"
PLAIN = {"Accept-Encoding": "identity"}


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """One entry for each answer that is worked out for anonymous readers, and could be kept."""
    made: list[Any] = []
    build = read_model.build_answer

    def count(*given: Any) -> KeptAnswer | None:
        made.append(given[0])
        return build(*given)

    monkeypatch.setattr(read_model, "build_answer", count)
    return made


def test_an_answer_is_made_once_for_a_revision(site: Site, counted: list[Any]):
    """Asked again it is the same; after a result it is another, as one with a token sees it."""
    site.filled()
    first, again = (site.ask("GET", BOARD) for _ in range(2))
    assert len(counted) == 1
    assert first.content == again.content
    assert first.headers["etag"].removesuffix('"') in again.headers["etag"]
    site.report("Ada", "Eve")
    third = site.ask("GET", BOARD)
    assert len(counted) == 2
    assert third.json() != first.json()
    assert third.json() == site.ask("GET", BOARD, "read").json()
    assert len(counted) == 2  # what is seen with a token is not kept


def test_an_answer_that_fails_before_its_body_is_an_error(site: Site):
    """The head that waited for the body is not sent before that of the error."""

    async def break_off(_: Request) -> StreamingResponse:
        async def parts() -> AsyncIterator[bytes]:
            for part in list[bytes]():
                yield part
            raise OSError("no disk")

        return StreamingResponse(parts())

    app: Any = site.client.app
    app.router.routes.insert(0, Route("/broken", break_off))
    assert TestClient(app).get("/broken").status_code == 500


def test_bytes_are_compressed_where_the_client_reads_that(site: Site):
    """The compressed answer holds the plain one; either is known again by its own mark."""
    site.filled()
    plain = site.ask("GET", BOARD, headers=PLAIN)  # the first is worked out
    kept = site.ask("GET", BOARD, headers=PLAIN)
    assert kept.content == plain.content
    assert "content-encoding" not in kept.headers
    with site.client.stream("GET", API + BOARD, headers={"Accept-Encoding": "gzip"}) as answer:
        small = b"".join(answer.iter_raw())
        assert answer.headers["content-encoding"] == "gzip"
        assert int(answer.headers["content-length"]) == len(small) < len(plain.content)
    assert gzip.decompress(small) == plain.content
    assert answer.headers["etag"] != kept.headers["etag"]
    for one in (kept, answer):
        assert "Accept-Encoding" in one.headers["vary"]
        headers = {"If-None-Match": one.headers["etag"]}
        if one is kept:
            headers |= PLAIN
        known = site.ask("GET", BOARD, headers=headers)
        assert (known.status_code, known.content) == (304, b"")
        assert known.headers["etag"] == one.headers["etag"]


def test_the_first_reader_gets_it_compressed(site: Site):
    """Few pages of a small site are asked for twice a minute."""
    site.filled()
    with site.client.stream("GET", API + BOARD, headers={"Accept-Encoding": "gzip"}) as answer:
        small = b"".join(answer.iter_raw())
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers["content-length"]) == len(small)
    assert gzip.decompress(small) == site.ask("GET", BOARD, headers=PLAIN).content


def test_every_answer_has_its_own_request(site: Site):
    """Numbers of requests and what is left of an allowance are never those of another client."""
    site.filled()
    answers = [site.ask("GET", BOARD) for _ in range(3)]
    assert len({one.headers["x-request-id"] for one in answers}) == 3
    left = [int(one.headers["ratelimit-remaining"]) for one in answers]
    assert left == sorted(left, reverse=True)
    head = site.ask("HEAD", BOARD, headers=PLAIN)
    assert (head.status_code, head.content) == (200, b"")
    assert int(head.headers["content-length"]) == len(answers[0].content)


@pytest.mark.parametrize("path", ["/results/99", "/events", "/categories/main/nothing"])
def test_what_is_not_kept(site: Site, counted: list[Any], path: str):
    """Errors and streams are answered anew."""
    if path == "/events":
        site.app.state.streams.close()
    for _ in range(2):
        site.ask("GET", path)
    assert not counted


def test_those_who_ask_meanwhile_wait_for_one_answer(
    site: Site, counted: list[Any], monkeypatch: pytest.MonkeyPatch
):
    """Of many at once one has it worked out."""
    site.filled()
    begun, ready = Event(), Event()
    of = type(site.journal).ladder

    def slow(journal: Any, key: str) -> Any:
        begun.set()
        assert ready.wait(30)
        return of(journal, key)

    monkeypatch.setattr(type(site.journal), "ladder", slow)
    with ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(site.ask, "GET", BOARD) for _ in range(8)]
        assert begun.wait(30)
        ready.set()
        contents = {one.result().content for one in answers}
    assert len(contents) == 1
    assert len(counted) == 1


class Loop:
    """A read model in an event loop, with messages as the application sends them."""

    def __init__(self) -> None:
        self.shown = 1  # the mark of what readers see
        self.model = ReadModel(lambda: self.shown)
        self.scope = {"method": "GET", "path": "/c/main", "query_string": b""}

    async def find(self, **headers: str) -> Any:
        """Ask for a page."""
        return await self.model.find(self.scope, Headers(headers))

    async def make(self, body: bytes, status: int = 200, **more: str) -> Any:
        """Ask, and answer where the answer is not kept."""
        found = await self.find()
        if isinstance(found, AnswerInMaking):
            headers = Headers({"content-type": "text/html", **more}).raw
            start = {"type": "http.response.start", "status": status, "headers": headers}
            await found.note(start, "/c/{key}")
            await found.note({"type": "http.response.body", "body": body}, "/c/{key}")
            self.model.end(found)
        return found


@pytest.fixture
def loop() -> Loop:
    """A read model without a server."""
    return Loop()


def test_an_end_of_a_revision_ends_what_is_kept(loop: Loop):
    """What was begun before a change and ends after it is not kept for those who come then."""

    async def run() -> None:
        first = await loop.find()
        assert isinstance(first, AnswerInMaking)
        loop.shown = 2
        assert isinstance(await loop.make(b"new"), AnswerInMaking)
        start = {"type": "http.response.start", "status": 200, "headers": []}
        await first.note(start, "")
        await first.note({"type": "http.response.body", "body": b"old"}, "")
        kept = await loop.make(b"another")
        assert isinstance(kept, KeptAnswer)
        assert kept.variants[0].body == b"new"
        assert len(loop.model.kept) == 1

    asyncio.run(run())


def test_the_next_one_makes_it_where_the_first_leaves(loop: Loop):
    """A client that leaves, or gets an error, hands the work on; nobody waits for ever."""

    async def run() -> None:
        first = await loop.find()
        assert isinstance(first, AnswerInMaking)
        waiting = asyncio.create_task(loop.make(b"page"))
        await asyncio.sleep(0)
        assert not waiting.done()
        loop.model.end(first)
        assert await waiting is None  # works it out for itself
        assert isinstance(await loop.make(b"page"), AnswerInMaking)
        assert isinstance(await loop.make(b""), KeptAnswer)

    asyncio.run(run())


def test_personal_answers_and_cookies_are_not_kept(loop: Loop):
    """Who shows a token or a cookie gets their own answer; an answer with a cookie is one's own."""

    async def run() -> None:
        assert await loop.find(authorization="Bearer x") is None
        assert await loop.find(cookie="session=x") is None
        for more in ({"set-cookie": "session=x"}, {"cache-control": "no-store"}):
            for _ in range(2):
                found = await loop.make(b"page", **more)
                assert isinstance(found, AnswerInMaking)

    asyncio.run(run())


def test_memory_is_bounded(loop: Loop, monkeypatch: pytest.MonkeyPatch):
    """The oldest answers make room; one that is too long is not kept, and none for long."""
    monkeypatch.setattr(read_model, "MAX_KEPT_BYTES", 2_500)
    monkeypatch.setattr(read_model, "ENTRY_BYTES", 100)
    monkeypatch.setattr(read_model, "MAX_ANSWER_BYTES", 2_000)

    async def run() -> None:
        for number in range(100):
            loop.scope["path"] = f"/c/main/players/{number}"
            await loop.make(bytes(900))
            assert len(loop.model.kept) <= 2
        assert len(loop.model.kept) == 2
        loop.scope["path"] = "/c/main"
        for _ in range(2):
            assert isinstance(await loop.make(bytes(2_001)), AnswerInMaking)
        loop.scope["path"] = "/c/main/players/99"
        assert isinstance(await loop.make(b""), KeptAnswer)
        loop.scope["path"] = "/" + "x" * 2_000
        assert await loop.find() is None
        now = monotonic() + 61.0
        monkeypatch.setattr(read_model, "monotonic", lambda: now)
        loop.scope["path"] = "/c/main/players/99"
        assert isinstance(await loop.make(b""), AnswerInMaking)
        loop.model.sweep()
        assert len(loop.model.kept) == 1
        loop.shown = 2
        loop.scope["path"] = "/c/main/players/98"
        await loop.find()
        assert (len(loop.model.kept), loop.model.size) == (0, 0)

    asyncio.run(run())


def test_those_who_wait_get_the_answer_whatever_comes_meanwhile(loop: Loop):
    """A change while an answer is made has nobody who waits make it again."""

    async def run() -> None:
        first = await loop.find()
        waiting = [asyncio.create_task(loop.make(b"again")) for _ in range(5)]
        await asyncio.sleep(0)
        loop.shown = 2
        second = await loop.find()
        assert isinstance(second, AnswerInMaking)
        start = {"type": "http.response.start", "status": 200, "headers": []}
        await first.note(start, "")
        await first.note({"type": "http.response.body", "body": b"first"}, "")
        found = await asyncio.gather(*waiting)
        assert {one.variants[0].body for one in found} == {b"first"}
        assert not loop.model.kept

    asyncio.run(run())


@pytest.mark.parametrize(
    ("accepted", "zipped"),
    [("gzip", True), ("br, gzip;q=0.5", True), ("gzip;q=0", False), ("gzip; q=0.0, br", False),
     ("identity", False), ("", False)],
)  # fmt: skip
def test_who_reads_gzip(accepted: str, zipped: bool):
    """A client that gives gzip no quality gets the answer as it is."""
    assert (accept_quality(accepted, "gzip") > 0.0) == zipped
