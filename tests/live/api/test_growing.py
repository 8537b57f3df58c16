"""A ladder grows a thousandfold while its server runs: nothing is compiled within a request."""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest

from prowess.compile import kernel
from prowess.compile.cache import was_done
from prowess.live.result import GAMES
from prowess.live.web.first_requests import describe_work
from tests.live.api.test_server import running

COUNT, AT_ONCE = 15_000, 3_000  # so many that even a dozen light steps a game would be compiled
PLAYERS = 300
FIRST = datetime(2010, 1, 1, tzinfo=UTC)
PAGES = (
    "/c/{key}", "/c/{key}?since=2010-02-01", "/c/{key}/pairings", "/c/{key}/method",
    "/c/{key}?as_of=2010-03-01", "/api/v1/categories/{key}/next",
    "/api/v1/categories/{key}/calibration", "/api/v1/categories/{key}/players/p5/history",
    "/api/v1/categories/{key}/forecast?a=p1&b=p2",
)  # fmt: skip


def make_games(key: str) -> list[dict[str, Any]]:
    """Games of a category, one every quarter of an hour."""
    chance = random.Random(1)
    pairs = [chance.sample(range(PLAYERS), 2) for _ in range(COUNT)]
    return [
        {
            "category": key,
            "player_a": f"p{a}",
            "player_b": f"p{b}",
            "score": chance.choice([0, 0.5, 1]),
            "time": (FIRST + timedelta(minutes=15 * number)).isoformat(),
        }
        for number, (a, b) in enumerate(pairs)
    ]


def grow(client: httpx2.Client, key: str) -> None:
    """Enter games, void one of the first, and ask for pages."""
    games = make_games(key)
    ids = []
    for low in range(0, COUNT, AT_ONCE):
        answer = client.post("/api/v1/results:batch", json=games[low : low + AT_ONCE])
        assert answer.status_code == 200, answer.text
        ids.append(answer.json()["results"][0]["id"])
    void = client.request("DELETE", f"/api/v1/results/{ids[0]}", json={"reason": "test"})
    assert void.status_code == 200, void.text
    for page in PAGES:
        answer = client.get(page.format(key=key))
        assert answer.status_code == 200, answer.text


def compiled(cache: Path) -> set[str]:
    """The files of the loops that were compiled."""
    return {path.name for path in cache.glob("*.code")}


def test_nothing_is_compiled_in_a_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a new ladder needs at any size is compiled before the server is ready, and what a
    category needs that is made later, soon after it is made.
    """
    if not kernel.available():
        pytest.skip("needs a compiler")
    cache = tmp_path / "cache"
    monkeypatch.setenv("PROWESS_CACHE", str(cache))
    with running("--store", str(tmp_path / "ladder.db"), "--quiet") as server:
        known = compiled(cache)
        head = {"Authorization": f"Bearer {server.secret}"}
        with httpx2.Client(base_url=server.url, headers=head, timeout=120) as client:
            grow(client, "main")
            assert compiled(cache) == known
            made = client.post("/api/v1/categories", json={"key": "other", "system": "glicko2"})
            assert made.status_code == 201, made.text
            await_pages("glicko2")
            known = compiled(cache)
            grow(client, "other")
            assert compiled(cache) == known
        assert server.ended() == 0


def await_pages(system: str) -> None:
    """Wait until the pages of a new category of games were compiled: that is noted last."""
    method = SimpleNamespace(system=system, period=None, kind=GAMES, extra=(), side_size=1)
    end = time.monotonic() + 240
    while not was_done(describe_work(method, 0)):
        assert time.monotonic() < end
        time.sleep(0.5)
