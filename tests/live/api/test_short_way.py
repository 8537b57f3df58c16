"""Results that are sent without a fault go a short way; its answers are those of the long way."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.live.api.site import API, Site

GAME = {"player_a": "Ada", "player_b": "Ben", "score": 1.0}
JSON = {"Content-Type": "application/json"}


def send(site: Site, content: bytes, scope: str | None = "submit", **headers: str) -> Any:
    """Send bytes as a result; status, what matters of the head, and the answer as data."""
    answer = site.ask("POST", "/results", scope, content=content, headers=JSON | headers)
    head = {name: answer.headers.get(name) for name in ("content-type", "location", "etag")}
    data = answer.json()
    data.pop("request_id", None)
    return answer.status_code, head, data


@pytest.fixture
def site(tmp_path: Any) -> Any:
    """A site on which a result takes the short way; under Elo no clock is in a rating."""
    with Site(str(tmp_path / "short.db"), system="elo") as site:
        yield site


@pytest.fixture
def long_site(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A site on which every result goes the long way."""
    with Site(str(tmp_path / "long.db"), system="elo") as site:
        app: Any = site.app
        app.middleware_stack.short = {}
        yield site


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(GAME).encode(),
        json.dumps(GAME | {"external_id": "1", "time": "2024-06-30"}).encode(),
        json.dumps({"sides": [{"players": ["Ada"], "score": 1}, {"players": ["Ben"]}]}).encode(),
        json.dumps(GAME | {"facts": {"surface": "clay"}}).encode(),
        b"",
        b"[]",
        b"{",
        b"\xff",
        b"null",
        b'{"player_a":"Ada","player_a":"Ben"}',
        b"[" * 5_000,
        json.dumps(GAME | {"player_a": 1}).encode(),
        json.dumps(GAME | {"score": 2}).encode(),
        json.dumps(GAME | {"score": "1"}).encode(),
        json.dumps(GAME | {"winner": "Ada"}).encode(),
        json.dumps(GAME | {"category": "nothing"}).encode(),
        json.dumps(GAME | {"player_b": "Ada"}).encode(),
        json.dumps(GAME | {"time": "yesterday"}).encode(),
        b'{"player_a":"Ada","player_b":"Ben","score":NaN}',
        b'{"player_a":"Ada\\ud800","player_b":"Ben","score":1}',
    ],
)
def test_both_ways_answer_alike(site: Site, long_site: Site, content: bytes):
    """Whatever is sent, with or without a token, key or right: the same answer."""
    for more in ({}, {"Idempotency-Key": "k"}, {"Idempotency-Key": "k"}, {"Idempotency-Key": ""}):
        for scope in ("submit", "read", None):
            assert send(site, content, scope, **more) == send(long_site, content, scope, **more)
    assert site.journal.revision == long_site.journal.revision


def test_the_short_way_is_taken(site: Site, monkeypatch: pytest.MonkeyPatch):
    """A clean result does not reach the described route; one with a query or a fault does."""
    asked: list[bool] = []
    app: Any = site.app
    short = app.middleware_stack.short["POST", f"{API}/results"]
    described = short.described

    async def note(scope: Any, receive: Any, send: Any) -> None:
        asked.append(True)
        await described(scope, receive, send)

    monkeypatch.setattr(short, "described", note)
    header = {"Authorization": f"Bearer {site.secret('submit')}"}
    for path, sent, times in (
        ("/results", GAME, 0),
        ("/results?dry_run=true", GAME, 1),
        ("/results", GAME | {"score": 2}, 1),
    ):
        asked.clear()
        site.client.post(API + path, json=sent, headers=header)
        assert len(asked) == times, path
