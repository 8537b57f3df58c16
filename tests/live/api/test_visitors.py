"""Visitors without a token: what each may cost, and that results do not wait for them."""

from __future__ import annotations

import asyncio
import errno
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from prowess.engine.progress import stop_if_unwanted, stop_when
from prowess.live.api import exports, streams, turns
from prowess.live.api.encoding import HttpProblem
from prowess.live.api.middleware import Allowance, ServerSettings
from prowess.live.api.shared_files import FilePlan, SharedFile, SharedFiles
from prowess.live.api.streams import Streams
from prowess.live.api.turns import Kind, Turns, kind_of
from prowess.present import pairs
from tests.live.api.site import GAMES, Site

BOUND = 0.3  # seconds of processor for one question
CLUB = "/categories/main"


def test_what_an_address_costs():
    """Questions that look at all games or another day are heavy, also where names are encoded."""
    for address, kind in (
        ("/c/main?", Kind.CHEAP), ("/api/v1/results?limit=5&q=as_of", Kind.CHEAP),
        ("/c/main?as_of=2020-01-01", Kind.HEAVY), ("/c/main?x=1&since=2020-01-01", Kind.HEAVY),
        ("/c/main?%61s_of=2020-01-01", Kind.HEAVY), ("/c/main/pairings?", Kind.HEAVY),
        ("/api/v1/categories/main/next?budget=5", Kind.HEAVY), ("/c/main/method?", Kind.HEAVY),
        ("/api/v1/categories/main/players/Ada/history.csv?", Kind.HEAVY),
        ("/c/main?revision=5", Kind.EARLIER), ("/c/main?r%65vision=5", Kind.EARLIER),
        ("/api/v1/export?revision=5", Kind.STREAMED), ("/api/v1/export?", Kind.STREAMED),
    ):  # fmt: skip
        path, _, query = address.partition("?")
        assert kind_of({"path": path, "query_string": query.encode()}) is kind, address


def test_another_day_costs_as_much_as_an_earlier_revision(sqlite_url):
    """`as_of` takes as much of an allowance as a replay is worth; then 429 and a time to wait."""
    with Site(sqlite_url, ServerSettings(by_address=Allowance(0.001, 30))) as site:
        site.filled()
        asked = [
            site.ask("GET", path) for path in (f"{CLUB}/leaderboard?as_of=2024-01-02", "/results")
        ]
        assert [int(one.headers["RateLimit-Remaining"]) for one in asked] == [10, 9]
        refused = site.ask("GET", f"{CLUB}/leaderboard?as_of=2024-01-03")
        assert refused.status_code == 429
        assert int(refused.headers["Retry-After"]) > 1000


def test_fifteen_thousand_names(site: Site):
    """Of a query with more than 50 names none is looked for; the answer is there at once."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = [a + b + c for a in letters for b in letters for c in letters][:15_500]
    for count, code in (
        (15_500, "too_many_parameters"), (51, "too_many_parameters"), (50, "unknown_parameter"),
    ):  # fmt: skip
        seconds = []
        for _ in range(3):  # other threads may work beside one of them
            began = time.process_time()
            answer = site.ask("GET", f"/results?{'&'.join(names[:count])}")
            seconds.append(time.process_time() - began)
        assert min(seconds) < BOUND
        assert answer.status_code == 422
        assert answer.json()["code"] == code


def run(work: Any) -> Any:
    """Run a coroutine."""
    return asyncio.run(work)


async def stay() -> dict[str, Any]:
    """The `receive` of a client that stays."""
    await asyncio.Event().wait()
    raise AssertionError


async def leave() -> dict[str, Any]:
    """The `receive` of a client that has left."""
    return {"type": "http.disconnect"}


def test_who_leaves_loses_the_place():
    """Of those who wait for a turn one that has left is worked out no more; the next one is."""

    async def work() -> None:
        lane, here, gone = Turns(1), Event(), Event()
        first = await lane.take_for(stay, here)
        with pytest.raises(HttpProblem) as caught:
            await lane.take_for(leave, gone)
        assert (caught.value.code, gone.is_set(), here.is_set()) == ("client_left", True, False)
        waiting = asyncio.create_task(lane.take_for(stay, here))
        await asyncio.sleep(0.01)
        assert not waiting.done()
        first.end()
        first.end()  # a turn ends once
        (await waiting).end()
        assert (lane.waiting, lane.free.value) == (0, 1)

    run(work())


def test_who_waits_too_long(monkeypatch: pytest.MonkeyPatch):
    """A read that cannot have its turn in time is told to come again, as is one too many."""
    monkeypatch.setattr(turns, "MAX_WAIT", 0.01)

    async def work() -> None:
        lane = Turns(1)
        await lane.take()
        for limit in (200, 0):
            monkeypatch.setattr(turns, "WAITING", limit)
            with pytest.raises(HttpProblem) as caught:
                await lane.take()
            assert (caught.value.status, caught.value.code) == (503, "busy")
            assert "Retry-After" in caught.value.headers
        assert lane.waiting == 0

    run(work())


def test_work_ends_with_its_client(site: Site, monkeypatch: pytest.MonkeyPatch):
    """What takes long ends at the next pair or game once its client has left."""
    site.filled()
    ratings = site.journal.ladder("main").ratings()
    assert ratings is not None
    assert len(pairs.next_battle_values(ratings, "coverage", 3, None)) == 3

    def raise_left() -> None:
        raise turns.client_left()

    with stop_when(raise_left), pytest.raises(HttpProblem) as caught:
        pairs.next_battle_values(ratings, "balance", 3, None)
    assert caught.value.code == "client_left"
    stop_if_unwanted()  # outside nothing is asked


def test_results_do_not_wait_for_readers(site: Site, monkeypatch: pytest.MonkeyPatch):
    """Forty heavy questions run one at a time; a result and a cheap page get through meanwhile."""
    site.filled()
    go, running, most = Event(), [], []

    def slow(*_: Any) -> list[dict[str, Any]]:
        running.append(1)
        most.append(len(running))
        assert go.wait(30)
        running.pop()
        return []

    monkeypatch.setattr(pairs, "next_battle_values", slow)
    with ThreadPoolExecutor(40) as pool:
        asked = [
            pool.submit(site.ask, "GET", f"{CLUB}/next?budget={n + 1}", "read") for n in range(40)
        ]
        while not running:
            time.sleep(0.01)
        site.report("Ada", "Ben")
        assert site.ask("GET", f"{CLUB}/leaderboard").status_code == 200
        assert not any(one.done() for one in asked)
        go.set()
        assert {one.result().status_code for one in asked} == {200}
    assert max(most) == 1


def test_budgets_share_one_answer(site: Site, monkeypatch: pytest.MonkeyPatch):
    """The pairs of every budget are the first of one list, worked out once a revision."""
    site.filled()
    counted, made = [], pairs.next_battles  # type: ignore[attr-defined]

    def count(*given: Any) -> Any:
        counted.append(given[1])
        return made(*given)

    monkeypatch.setattr(pairs, "next_battles", count)
    found = [site.get(f"{CLUB}/next?budget={n}")["items"] for n in range(1, 11)]
    assert all(found[-1][: len(one)] == one for one in found)
    assert len(counted) == 1
    site.report("Ada", "Ben")
    site.get(f"{CLUB}/next?budget=3")
    assert len(counted) == 2


# --- exports --------------------------------------------------------------------------------------


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The revisions of the tables that are worked out."""
    found: list[int] = []
    write, kind = exports.FILE_FORMATS["csv"]

    def count(extract: exports.Extract) -> Iterator[bytes]:
        found.append(extract.revision)
        yield from write(extract)

    monkeypatch.setitem(exports.FILE_FORMATS, "csv", (count, kind))
    return found


def test_an_export_is_worked_out_once(site: Site, counted: list[int]):
    """Forty exports while a heavy read runs are one table, which has what was entered before."""
    site.filled()
    plain = site.ask("GET", "/export")
    assert len(plain.text.splitlines()) == 1 + len(GAMES)
    files: SharedFiles = site.app.state.exports
    block = Event()
    held: list[Any] = []
    take = files.turns.take

    async def wait_first() -> Any:
        if not held:
            held.append(1)
            while not block.is_set():
                await asyncio.sleep(0.01)
        return await take()

    files.turns.take = wait_first  # type: ignore[method-assign]
    del counted[:]
    with ThreadPoolExecutor(40) as pool:
        asked = [pool.submit(site.ask, "GET", "/export", "read") for _ in range(40)]
        while sum(one.readers for one in files.files) < 40:
            time.sleep(0.01)
        site.report("Ada", "Ben")
        block.set()
        answers = [one.result() for one in asked]
    assert {one.status_code for one in answers} == {200}
    assert len(counted) == 1
    for one in answers:
        assert len(one.text.splitlines()) == 2 + len(GAMES)
        assert one.headers["prowess-revision"] == str(counted[0]) == str(site.journal.revision)
    assert not files.files


def test_what_is_entered_is_in_the_next_export(site: Site, counted: list[int]):
    """A table that has begun is not for those who ask after a further result."""
    site.filled()
    for more in range(3):
        assert len(site.ask("GET", "/export").text.splitlines()) == 1 + len(GAMES) + more
        site.report("Ada", "Ben")
    assert len(set(counted)) == 3


def parts_of(count: int, made: list[int]) -> FilePlan:
    """A file of so many parts of a byte, which are counted as they are made."""

    def work() -> Iterator[bytes]:
        for number in range(count):
            made.append(number)
            yield b"x"

    return FilePlan({}, "text/plain", work())


def test_a_slow_reader_holds_no_turn():
    """A file is written whole while its reader takes nothing; then the turn is free."""

    async def work() -> None:
        lane, made = Turns(1), list[int]()
        files = SharedFiles(lane, lambda: 1)
        one = files.join("a", lambda: parts_of(50, made))
        while not one.ended:
            await asyncio.sleep(0.01)
        assert (len(made), lane.free.value) == (50, 1)
        assert await one.read_piece(0) == b"x" * 50
        assert await one.read_piece(50) == b""
        files.leave(one)
        assert one.file.closed
        assert not files.files

    run(work())


def test_a_file_ends_with_its_last_reader():
    """Writing ends once nobody reads; a file that only waits for its turn is not begun."""

    async def work() -> None:
        lane, made = Turns(1), list[int]()
        files = SharedFiles(lane, lambda: 1)
        one = files.join("a", lambda: parts_of(10**9, made))
        assert files.join("a", lambda: parts_of(1, made)) is one
        other = files.join("b", lambda: parts_of(1, []))
        await one.read_piece(0)
        files.leave(one)
        await one.read_piece(one.size)
        files.leave(other)
        files.leave(one)
        count = -1
        while count != len(made):
            count = len(made)
            await asyncio.sleep(0.1)
        assert one.ended
        assert one.file.closed
        assert (other.begun, other.file.closed, lane.free.value) == (False, True, 1)

    run(work())


def test_a_full_disk_is_no_end_of_a_file():
    """Where the disk takes only a part of a file, its readers get the error and not half a file."""
    resource = pytest.importorskip("resource")

    async def work() -> None:
        files = SharedFiles(Turns(1), lambda: 1)
        one = files.join("a", lambda: FilePlan({}, "text/plain", iter([b"x" * 6000] * 2)))
        while not one.ended:
            await asyncio.sleep(0.01)
        with pytest.raises(OSError) as error:
            await one.read_piece(one.size)
        assert error.value.errno == errno.EFBIG
        files.leave(one)

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (9000, before[1]))
    try:
        run(work())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_too_many_files(monkeypatch: pytest.MonkeyPatch):
    """Beyond 16 files at a time a further one is refused, a shared one is not."""

    async def work() -> None:
        files = SharedFiles(Turns(1), lambda: 1)
        opened: list[SharedFile] = [files.join(k, lambda: parts_of(1, [])) for k in range(16)]
        with pytest.raises(HttpProblem) as caught:
            files.join(17, lambda: parts_of(1, []))
        assert (caught.value.status, caught.value.code) == (503, "busy")
        opened.append(files.join(3, lambda: parts_of(1, [])))
        for one in opened:
            files.leave(one)
        assert not files.files
        await asyncio.sleep(0.1)

    run(work())


def test_what_cannot_be_exported_is_a_problem(site: Site, monkeypatch: pytest.MonkeyPatch):
    """A fault before the first part is an answer of its own, not half a file."""
    site.filled()

    def refuse() -> Iterator[bytes]:
        raise HttpProblem(503, "no_store", "ask again")

    def fail(_: exports.Extract) -> Iterator[bytes]:
        yield from refuse()

    monkeypatch.setitem(exports.FILE_FORMATS, "csv", (fail, "text/csv"))
    answer = site.ask("GET", "/export")
    assert (answer.status_code, answer.json()["code"]) == (503, "no_store")


# --- events ---------------------------------------------------------------------------------------


def test_past_events_are_read_by_pages(site: Site, monkeypatch: pytest.MonkeyPatch):
    """Many streams read past events a page at a time, together one page; a long past in parts."""
    for _ in range(6):
        site.report("Ada", "Ben")
    monkeypatch.setattr(streams, "PAGE_EVENTS", 2)
    monkeypatch.setattr(streams, "MOST_PAGES", 2)
    monkeypatch.setattr(streams, "PACE", 0.0)
    at_once, most = [], []

    async def listen() -> list[list[bytes]]:
        opened = Streams(site.journal, ServerSettings())
        read_past = opened.read_past

        def count(after: int) -> list[dict[str, Any]]:
            at_once.append(1)
            most.append(len(at_once))
            time.sleep(0.001)
            at_once.pop()
            return read_past(after)

        monkeypatch.setattr(opened, "read_past", count)
        heard = [
            [part async for part in opened.open(0, None, None, "x").body_iterator] for _ in range(2)
        ]
        every: Any = [opened.open(0, None, None, "x").body_iterator for _ in range(20)]
        await asyncio.gather(*(anext(one) for one in every))
        await asyncio.gather(*(anext(one) for one in every))
        return heard  # type: ignore[return-value]

    heard = run(listen())
    assert [len(one) for one in heard] == [3, 3]  # the first words and two pages, then the end
    assert heard[0][1].count(b"\nevent: ") == 2
    assert max(most) == 1
