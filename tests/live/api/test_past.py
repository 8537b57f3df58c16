"""Ratings as known at earlier revisions: few at a time, never in the way of anybody else."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from prowess.live.api.middleware import Allowance, ServerSettings
from prowess.live.journal import ladders
from tests.live.api.site import Site

BOARD = "/categories/main/leaderboard"
ASKING = 12


@pytest.fixture
def slow(monkeypatch):
    """Earlier revisions are made when the event is set, and not before."""
    go, made = Event(), ladders.EarlierLadders._load

    def wait(*given: Any) -> Any:
        assert go.wait(30)
        return made(*given)

    monkeypatch.setattr(ladders.EarlierLadders, "_load", wait)
    yield go
    go.set()


def report(site: Site, count: int) -> None:
    """Enter some games."""
    for number in range(count):
        game = {"player_a": "Ada", "player_b": "Ben", "score": number % 2}
        assert site.ask("POST", "/results", "submit", json=game).status_code == 201


def test_many_at_once(sqlite_url, slow):
    """A few wait for earlier revisions, others are told to come again; writes wait for nobody."""
    with Site(sqlite_url) as site, ThreadPoolExecutor(ASKING) as pool:
        report(site, ASKING + 2)
        asked = [pool.submit(site.ask, "GET", f"{BOARD}?revision={n + 2}") for n in range(ASKING)]
        waiting = set(asked)
        busy = []
        while len(waiting) > ladders.MOST_WAITING:
            done = {one for one in waiting if one.done()}
            busy += [one.result() for one in done]
            waiting -= done
        assert {one.status_code for one in busy} == {429}
        assert all(int(one.headers["Retry-After"]) >= 1 for one in busy)
        assert busy[0].json()["code"] == "past_is_busy"
        assert busy[0].json()["detail"].startswith("ask again in ")
        report(site, 3)  # while they wait
        assert site.ask("GET", BOARD).status_code == 200
        assert not any(one.done() for one in waiting)
        slow.set()
        assert [one.result().status_code for one in waiting] == [200] * ladders.MOST_WAITING


def test_the_same_revision_is_made_once(sqlite_url, slow, monkeypatch):
    """Those who ask for one revision wait for one ladder."""
    counted, made = [], ladders.EarlierLadders._make

    def count(*given: Any) -> Any:
        counted.append(given[-1])
        return made(*given)

    monkeypatch.setattr(ladders.EarlierLadders, "_make", count)
    with Site(sqlite_url) as site, ThreadPoolExecutor(4) as pool:
        report(site, 4)
        asked = [pool.submit(site.ask, "GET", f"{BOARD}?revision=3") for _ in range(3)]
        slow.set()
        answers = [one.result() for one in asked]
        assert {one.status_code for one in answers} == {200}
        assert len({one.text for one in answers}) == 1
        assert counted == [3]


def test_memory_is_bounded(sqlite_url):
    """Only the last few that were asked for stay, and what went is made again as it was."""
    with Site(sqlite_url) as site:
        report(site, 12)
        first = [site.get(f"{BOARD}?revision={n}")["items"] for n in range(2, 12)]
        assert len(site.journal._earlier._ladders) == ladders.MOST_EARLIER
        assert [site.get(f"{BOARD}?revision={n}")["items"] for n in range(2, 12)] == first
        assert len({str(one) for one in first}) == len(first)
        assert site.ask("GET", f"{BOARD}?revision=99").status_code == 404
        assert len(site.journal._earlier._ladders) == ladders.MOST_EARLIER


def test_an_earlier_revision_costs_more(sqlite_url):
    """A question about an earlier revision takes as much of an allowance as a replay is worth."""
    with Site(sqlite_url, ServerSettings(by_address=Allowance(0.001, 30))) as site:
        report(site, 3)
        left = [
            int(site.ask("GET", path).headers["RateLimit-Remaining"])
            for path in (BOARD, f"{BOARD}?revision=2", f"{BOARD}?min_games=1&limit=2")
        ]
        assert left == [29, 9, 8]
        refused = site.ask("GET", f"{BOARD}?limit=5&revision=2")
        assert refused.status_code == 429
        assert int(refused.headers["Retry-After"]) > 1000
        assert site.ask("GET", BOARD).status_code == 200


def test_the_past_is_dropped(sqlite_url):
    """Ratings of the past that are asked for no more are gone with the second cleaning."""
    with Site(sqlite_url) as site:
        report(site, 3)
        ladder, earlier = site.journal.ladder("main"), site.journal._earlier._ladders
        first = site.get(f"{BOARD}?revision=3")["items"]
        ladder.as_of(20_000.0)
        site.journal.drop_unasked()
        assert (len(earlier), len(ladder._days) > 0) == (1, True)
        site.journal.drop_unasked()
        assert (len(earlier), len(ladder._days)) == (0, 0)
        assert site.get(f"{BOARD}?revision=3")["items"] == first
