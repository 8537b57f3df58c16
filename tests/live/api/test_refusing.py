"""What is refused, how it is told, and that nothing anybody sends is answered with 5xx."""

from __future__ import annotations

import json

import pytest

from prowess.live.api.middleware import Allowance, ServerSettings
from prowess.live.journal.unit_of_work import ACT_EVENTS
from tests.live.api.site import Site

GAME = {"player_a": "Ada", "player_b": "Ben", "score": 1.0}


def told(answer, status, code):
    """The problem of an answer, which has this status and code."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["code"] == code
    assert problem["status"] == status
    assert problem["request_id"] == answer.headers["x-request-id"]
    return problem


def test_addresses(site):
    """An unknown address is 404, a wrong method 405 with what is allowed."""
    told(site.ask("GET", "/nothing"), 404, "no_such_address")
    wrong = site.ask("PUT", "/results", "admin")
    told(wrong, 405, "method_not_allowed")
    assert wrong.headers["allow"]


def test_authority(site):
    """Without a token, with a wrong one and with too narrow a one nothing is written."""
    told(site.ask("POST", "/results", json=GAME), 401, "no_token")
    wrong = {"Authorization": "Bearer prw_wrong"}
    told(site.ask("POST", "/results", json=GAME, headers=wrong), 401, "bad_token")
    told(site.ask("GET", "/results", headers=wrong), 401, "bad_token")
    told(site.ask("POST", "/results", "correct", json=GAME), 403, "scope_missing")
    told(site.ask("DELETE", "/results/1", "read"), 403, "scope_missing")
    told(site.ask("POST", "/results/1:restore", "submit"), 403, "scope_missing")
    for path in ("/tokens", "/webhooks", "/audit"):
        told(site.ask("GET", path, "correct"), 403, "scope_missing")
    assert site.journal.revision == 1


def test_revoked(site):
    """A revoked token opens nothing from then on; its secret is told once and stored nowhere.

    Revoked again, it is so once in the audit log.
    """
    made = site.ask("POST", "/tokens", "admin", json={"name": "bot", "scopes": ["submit"]}).json()
    bearer = {"Authorization": f"Bearer {made['secret']}"}
    assert site.ask("POST", "/results", json=GAME, headers=bearer).status_code == 201
    assert made["secret"] not in site.ask("GET", "/tokens", "admin").text
    for _ in range(2):
        assert site.ask("DELETE", f"/tokens/{made['id']}", "admin").status_code == 200
    kinds = [line["action"] for line in site.ask("GET", "/audit", "admin").json()["items"]]
    assert kinds.count("token revoked") == 1
    told(site.ask("POST", "/results", json=GAME, headers=bearer), 401, "bad_token")


def test_the_last_administrator_stays(site):
    """The only token that may administer is not revoked: nobody could make another one there."""
    rows = site.ask("GET", "/tokens", "admin").json()["items"]
    numbers = [one["id"] for one in rows if "admin" in one["scopes"] and one["revoked"] is None]
    *others, own = numbers
    for number in others:
        assert site.ask("DELETE", f"/tokens/{number}", "admin").status_code == 200
    told(site.ask("DELETE", f"/tokens/{own}", "admin"), 409, "last_admin")
    made = {"name": "second", "scopes": ["admin"], "expires": "2000-01-01"}
    site.ask("POST", "/tokens", "admin", json=made)
    told(site.ask("DELETE", f"/tokens/{own}", "admin"), 409, "last_admin")  # that one has expired
    made = {"name": "second", "scopes": ["admin"], "expires": "2999-01-01"}
    brief = site.ask("POST", "/tokens", "admin", json=made).json()["id"]
    told(site.ask("DELETE", f"/tokens/{own}", "admin"), 409, "last_admin")  # that one will expire
    assert site.ask("DELETE", f"/tokens/{brief}", "admin").status_code == 200
    site.ask("POST", "/tokens", "admin", json={"name": "third", "scopes": ["admin"]})
    assert site.ask("DELETE", f"/tokens/{own}", "admin").status_code == 200


def test_a_bad_game_to_come_is_named_by_its_row(site):
    """Also the only one of a list says at which row it stands."""
    past = {"player_a": "Ann", "player_b": "Ben", "time": "2001-01-01"}
    for games in ([past], [past | {"time": "2099-01-01"}, past]):
        answer = site.ask("POST", "/categories/main/fixtures", "admin", json={"games": games})
        assert [one["row"] for one in answer.json()["errors"]] == [len(games) - 1], answer.text


def test_private(sqlite_url):
    """A private server tells nobody anything without the scope to read."""
    with Site(sqlite_url, ServerSettings(private=True)) as site:
        told(site.ask("GET", "/categories"), 401, "no_token")
        told(site.ask("GET", "/categories", "submit"), 403, "scope_missing")
        assert site.ask("GET", "/categories", "read").status_code == 200
        assert site.client.get("/healthz").status_code == 200
        assert site.client.get("/metrics").status_code == 401


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"score": "1"}, "score"),
        ({"score": True}, "score"),
        ({"score": 1.5}, "score"),
        ({"score": None}, "score"),
        ({"player_a": 7}, "player_a"),
        ({"player_a": "A\u0000da"}, "player_a"),
        ({"player_a": "Ben"}, "player_b"),
        ({"player_a": "Ada\u200b"}, "player_a"),
        ({"time": "yesterday"}, "time"),
        ({"time": "2999-01-01"}, "time"),
        ({"time": "9999-12-31T23:59:59-23:59"}, "time"),
        ({"side": 0.5}, "side"),
        ({"margin": 3}, "margin"),
        ({"speed": 3}, "speed"),
        ({"category": "other"}, "category"),
        ({"weight": 1e300}, "weight"),
    ],
)
def test_fields(site, change, field):
    """A wrong field is named with its path, and nothing is written."""
    answer = site.ask("POST", "/results", "submit", json=GAME | change)
    assert answer.status_code in (404, 422), answer.text
    assert field in {one["field"] for one in answer.json()["errors"]}
    assert len(site.journal.ladder("main")) == 0


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"player_a": "\xff"}',
        b'{"player_a": "\\ud800", "player_b": "Ben", "score": 1}',
        b'{"player_a": "Ada", "player_b": "Ben", "score": NaN}',
        b'{"player_a": "Ada", "player_b": "Ben", "score": 1e999}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"score": ' + b"9" * 10_000 + b"}",
    ],
)
def test_bodies(site, body):
    """No body brings the server down: each is a problem of the client, alone or in bulk."""
    for path in ("/results", "/results:batch", "/results:void", "/categories", "/tokens"):
        for kind in ("application/json", "text/csv", "application/x-ndjson", "text/plain"):
            headers = {"Content-Type": kind}
            answer = site.ask("POST", path, "admin", content=body, headers=headers)
            assert 400 <= answer.status_code < 500, (path, kind, answer.text)
            assert answer.headers["content-type"] == "application/problem+json"
    assert len(site.journal.ladder("main")) == 0


@pytest.mark.parametrize(
    "path",
    [
        "/results/0",
        "/results/99999999999999999999",
        "/results/x",
        "/results?limit=0",
        "/results?limit=1001",
        "/results?cursor=x",
        "/results?cursor=WzFlOTk5XQ",
        "/results?player=Nobody",
        "/results?source=%00",
        "/results?state=gone",
        "/results?limit=1&limit=2",
        "/results?limti=1",
        "/categories/main/leaderboard?as_of=soon",
        "/categories/main/leaderboard?revision=99",
        "/categories/main/leaderboard?cursor=WzFd",
        "/categories/nothing/leaderboard",
        "/categories/main/players/%00",
        "/categories/main/players/%ff%fe",
        "/categories/main/players/'; DROP TABLE player; --",
        "/categories/main/forecast?a=Ada",
        "/categories/main/forecast?a=Ada&b=Ben&side=nan",
        "/categories/main/next?goal=glory",
        "/players?query=%00",
        "/export?format=xls",
        "/events?after=-1",
    ],
)
def test_questions(site, path):
    """A question that makes no sense is a problem of the client."""
    site.filled()
    answer = site.ask("GET", path)
    assert 400 <= answer.status_code < 500, answer.text
    assert answer.headers["content-type"] == "application/problem+json"


def test_misspelt_dry_run(site):
    """A misspelt question is refused before anything is written."""
    problem = told(
        site.ask("POST", "/results?dryrun=1", "submit", json=GAME), 422, "unknown_parameter"
    )
    assert "dry_run" in problem["detail"]
    assert len(site.journal.ladder("main")) == 0


def test_too_large(sqlite_url):
    """A body that is too long is refused while it comes in, whether or not it says its length."""
    read = 0

    def parts():
        nonlocal read
        for _ in range(1000):
            read += 1000
            yield b" " * 1000

    with Site(sqlite_url, ServerSettings(body_limit=10_000, batch_limit=20_000)) as site:
        told(site.ask("POST", "/results", "submit", content=b" " * 10_001), 413, "too_large")
        kind = {"Content-Type": "application/json"}
        answer = site.ask("POST", "/results:batch", "submit", content=parts(), headers=kind)
        told(answer, 413, "too_large")


def test_too_often(sqlite_url):
    """Whoever asks too often is told when to come back; a token has a bucket of its own."""
    settings = ServerSettings(by_address=Allowance(0.001, 3), by_token=Allowance(0.001, 2))
    with Site(sqlite_url, settings) as site:
        left = [site.ask("GET", "/categories").headers["ratelimit-remaining"] for _ in range(3)]
        assert left == ["2", "1", "0"]
        refused = site.ask("GET", "/categories")
        told(refused, 429, "too_many_requests")
        assert int(refused.headers["retry-after"]) > 0
        assert site.ask("GET", "/categories", "read").status_code == 200
        assert site.client.get("/healthz").status_code == 200


def test_trusted_proxy(sqlite_url):
    """Behind a trusted proxy each client has its own bucket, by the address the proxy added."""
    settings = ServerSettings(trust_proxy=True, by_address=Allowance(0.001, 1))
    with Site(sqlite_url, settings) as site:
        for client in ("192.0.2.1", "192.0.2.2"):
            passed = {"X-Forwarded-For": f"203.0.113.9, {client}"}
            assert site.ask("GET", "/categories", headers=passed).status_code == 200
            assert site.ask("GET", "/categories", headers=passed).status_code == 429


def test_unforeseen(site, monkeypatch):
    """A fault of ours is 500 with the number of the request, and tells nothing of the inside."""
    monkeypatch.setattr(site.journal, "categories", lambda: 1 / 0)
    site.client._transport.raise_server_exceptions = False
    problem = told(site.ask("GET", "/categories"), 500, "fault")
    assert "ZeroDivision" not in json.dumps(problem)


def test_schema(site):
    """The OpenAPI description is of version 3.1 and names a problem for every address."""
    schema = site.get("/openapi.json")
    assert schema["openapi"].startswith("3.1")
    for methods in schema["paths"].values():
        for operation in methods.values():
            assert "4XX" in operation["responses"]
            assert operation["description"]


def test_events_of_webhooks(site):
    """A webhook may ask for exactly the events that are told, and for no misspelt one."""
    for event in {*ACT_EVENTS.values(), "*"}:
        sent = {"url": "http://127.0.0.1:9/", "events": [event]}
        assert site.ask("POST", "/webhooks", "admin", json=sent).status_code == 201
    sent = {"url": "http://127.0.0.1:9/", "events": ["result.recored"]}
    told(site.ask("POST", "/webhooks", "admin", json=sent), 422, "invalid")


def test_no_words_of_the_program(site):
    """What is wrong with a body is said in the words of the API, wherever it is wrong."""
    bodies: tuple[object, ...] = ([], "x", 1, None, {"player_a": "Ada\u0000"}, {"nothing": 1})
    for body in bodies:
        for path in ("/results", "/results:void", "/results:restore"):
            scope = "submit" if path == "/results" else "correct"
            answer = site.ask("POST", path, scope, json=body)
            assert answer.status_code == 422
            told = answer.text
            for word in ("None", "dictionary", "extract", "^[", "Field required", "Extra inputs"):
                assert word not in told, (path, body, told)
