"""Requests that come again, at the wrong time or too often: nothing lost, nothing doubled."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from prowess.live.api.middleware import Allowance, ServerSettings
from prowess.live.result import DAY_US
from tests.live.whole import API, NAMES, Place, bearer, secret, whole

GAME = {"category": "chess", "player_a": "Ada", "player_b": "Ben", "score": 1.0}


@pytest.fixture
def place(sqlite_url: str) -> Iterator[Place]:
    """A server on SQLite."""
    with whole(sqlite_url) as (app, journal):
        yield Place(sqlite_url, app, journal)


@pytest.fixture
def either(store_url: str) -> Iterator[Place]:
    """A server on each of the databases."""
    with whole(store_url) as (app, journal):
        yield Place(store_url, app, journal)


def test_keys_reused(either: Place):
    """The same key and request bring the same answer; another request under it is refused."""
    key = either.admin | {"Idempotency-Key": "k"}
    first = either.ask("POST", "/results", json=GAME, headers=key).json()
    again = either.ask("POST", "/results", json=GAME, headers=key).json()
    assert again["id"] == first["id"]
    assert len(either.journal.ladder("chess")) == 13
    for path, body in (
        ("/results", GAME | {"score": 0.0}),
        ("/results?dry_run=1", GAME),
        ("/results:batch", [GAME]),
        ("/results/1:restore", {}),
        ("/tokens", {"name": "x", "scopes": ["admin"]}),
        ("/players/Ada:rename", {"name": "Adele"}),
    ):
        answer = either.ask("POST", path, json=body, headers=key)
        assert answer.status_code == 409, (path, answer.text)
    other = bearer(secret(either.journal, "submit")) | {"Idempotency-Key": "k"}
    theirs = either.ask("POST", "/results", json=GAME, headers=other)
    assert theirs.json()["id"] != first["id"]  # keys are a token's own
    made = either.admin | {"Idempotency-Key": "t"}
    secrets = [
        either.ask("POST", "/tokens", json={"name": "x", "scopes": ["read"]}, headers=made).json()
        for _ in range(2)
    ]
    assert secrets[0]["id"] == secrets[1]["id"]
    assert secrets[1]["secret"] is None  # a replay does not tell it again
    for bad in ("", "x" * 201, "x" * 10_000):
        headers = either.admin | {"Idempotency-Key": bad}
        assert either.ask("POST", "/results", json=GAME, headers=headers).status_code == 422
    assert either.sound()


def test_clocks(sqlite_url: str):
    """Results of the future are refused; a clock that is set back lets nothing run backwards."""
    now = [20_000 * DAY_US]
    with whole(sqlite_url, clock=lambda: now[0]) as (app, journal):
        place = Place(sqlite_url, app, journal)
        for time, status in (
            ("2024-10-04T23:59:59Z", 201), ("2024-10-05T00:00:01Z", 422), ("9999-12-31", 422),
            ("0001-01-01", 201), ("2024-10-04T00:00:00-23:59", 201),
            ("2024-10-04T23:59-12:00", 422),
        ):  # fmt: skip
            answer = place.ask("POST", "/results", json=GAME | {"time": time})
            assert answer.status_code == status, (time, answer.text)
        short = bearer(secret(journal, "submit", expires=now[0] + 10))
        now[0] -= 1000 * DAY_US
        place.ask("POST", "/results", json=GAME)
        moments = [one["at"] for one in place.ask("GET", "/revisions").json()["items"]]
        assert moments == sorted(moments, reverse=True)
        now[0] += 1000 * DAY_US + 10
        assert place.ask("POST", "/results", json=GAME, headers=short).status_code == 401
        assert place.sound()


def test_one_limit_does_not_touch_another(sqlite_url: str):
    """A token or address that asks too much is told when to come back; the others go on."""
    few = ServerSettings(by_address=Allowance(0.5, 3), by_token=Allowance(0.25, 4))
    with whole(sqlite_url, few) as (app, journal):
        greedy, other = (bearer(secret(journal, "read")) for _ in range(2))
        client = TestClient(app)
        answers = [client.get(f"{API}/categories", headers=greedy) for _ in range(6)]
        assert [one.status_code for one in answers] == [200] * 4 + [429] * 2
        assert [one.headers["ratelimit-remaining"] for one in answers[:4]] == ["3", "2", "1", "0"]
        assert {one.headers["ratelimit-limit"] for one in answers} == {"4"}
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 4
        assert "retry-after" not in answers[0].headers
        assert client.get(f"{API}/categories", headers=other).status_code == 200
        guessing = [client.get(f"{API}/categories", headers=bearer(f"prw_{k}")) for k in range(5)]
        assert [one.status_code for one in guessing] == [401] * 3 + [429] * 2
        assert client.get(f"{API}/categories", headers=other).status_code == 200


UPLOADS = (
    b"", b"\0", b"\xff\xfe", b"version=1", b"version=1&game=chess",
    b"version=1&game=race&user=x",
    b"version=1&game=%00&user=%00", b"a=1;b=2", b"=" * 5000, b"&" * 100_000, b"{}" * 1000,
    b"version=1&game=rumble&user=OK&fname=a.B 1&sname=a.C 1&fscore=1e400&sscore=1&time=1",
    b"version=1&game=rumble&user=<script>&fname=a.B 1&sname=a.C 1&fscore=1&sscore=1&time=1",
    b"version=1&game=rumble&user=\xed\xa0\x80&fname=a.B 1&sname=a.C 1&fscore=1&sscore=1&time=1",
)  # fmt: skip


def test_rumble_nonsense(place: Place):
    """An upload of nonsense, or without a token, is never acknowledged and writes nothing."""
    revision = place.journal.revision
    for body in UPLOADS:
        for path in ("UploadedResults", "RemoveOldParticipant"):
            answer = place.client.post(f"/rumble/{path}", content=body)
            assert answer.status_code == 200
            assert answer.text.startswith("ERROR. ")
            assert "OK" not in answer.text
            assert "<" not in answer.text
        for path in ("RatingsFile", "RemoveOldParticipant"):
            query = quote(body[:5000], safe="=&;")
            assert place.client.get(f"/rumble/{path}?{query}").status_code < 500
    assert place.journal.revision == revision


def test_nothing_acknowledged_is_missing(either: Place):
    """Good results between bad ones are all there afterwards, once each."""
    kept = []
    bad = (b"{", b'{"category": NaN}', b"\xef\xbb\xbf[", b'{"score": 1e400}', b"9" * 5000)
    for k in range(20):
        game = GAME | {"external_id": str(k), "source": "club", "player_a": NAMES[k % 2 * 2]}
        headers = either.admin | {"Content-Type": "application/json"}
        wrong = either.ask("POST", "/results", content=bad[k % len(bad)], headers=headers)
        assert wrong.status_code in (400, 422)
        kept += [either.ask("POST", "/results", json=game).json()["id"] for _ in range(2)]
    told = either.ask("GET", "/results", params={"source": "club", "limit": 1000}).json()["items"]
    assert sorted(one["id"] for one in told) == sorted(set(kept))
    assert [one["external_id"] for one in told[::-1]] == [str(k) for k in range(20)]
    assert either.sound()
