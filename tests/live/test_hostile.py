"""Whoever means harm: nothing unauthorised is written, no answer is 5xx, the log stays sound."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from time import sleep

import pytest

from prowess.live.store import access
from tests.live.whole import Place, bearer, secret, whole

SOON = 300_000  # microseconds
GAME = {"category": "chess", "player_a": "Ada", "player_b": "Ben", "score": 1.0}
QUESTIONS = (
    *(("/results", field) for field in ("category", "player", "source", "state", "cursor")),
    *(("/players", field) for field in ("query", "cursor", "limit", "nothing")),
    *(("/categories/chess/leaderboard", field) for field in ("as_of", "revision", "active")),
    ("/categories/chess/pairings", "player"), ("/categories/chess/next", "goal"),
    ("/export", "category"), ("/export", "format"), ("/revisions", "category"),
)  # fmt: skip
SUBMITS = {"POST /results", "POST /results:batch"}
CORRECTS = {
    "PUT /results/{number}", "DELETE /results/{number}", "POST /results:void",
    "POST /results:restore", "POST /categories/{c}/players",
    "POST /categories/{c}/fixtures", "DELETE /fixtures/{fixture}",
    *(f"POST /results/{{number}}:{verb}" for verb in ("restore", "accept", "reject")),
}  # fmt: skip
NASTY = (
    "'; DROP TABLE player; --", '" OR ""="', "100%_\\", "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>', "javascript:alert(1)", "{{7*7}}", "${7*7}", "=1+1", "%00",
    "../../etc", "a/b:rename", "\u202egnp.exe", "\u200b", "é\u0301", "😀" * 200,
    "\ufeffAda", "x\0y", "x\ny", "x\x7fy", "x\u2028y", "\ud800", "", " ", "x" * 201, "x" * 10_000,
)  # fmt: skip


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


def addressed(path: str) -> str:
    """A path of something that is there."""
    return path.format(number=1, fixture=1, c="chess", player="Ada", key="x")


def needed(name: str) -> str:
    """The scope for a write."""
    return "submit" if name in SUBMITS else "correct" if name in CORRECTS else "admin"


def test_every_write_needs_its_scope(place: Place):
    """Every operation that writes or is the administrator's is closed to every other token."""
    journal = place.journal
    closed = {
        "none": ({}, 401),
        "wrong": (bearer("prw_" + "x" * 43), 401),
        "basic": ({"Authorization": "Basic YTpi"}, 401),
        "expired": (bearer(secret(journal, "admin", expires=journal.clock() + SOON)), 401),
        "revoked": (bearer(secret(journal, "admin")), 401),
        **{scope: (bearer(secret(journal, scope)), 403) for scope in ("read", "submit", "correct")},
    }
    with journal.store.read() as connection:
        revoked = [one.id for one in access.list_tokens(connection) if one.scopes == ("admin",)][-1]
    journal.store.writer.do(
        lambda connection: access.revoke_token(connection, revoked, journal.clock())
    )
    sleep(SOON / 1e6)
    before = journal.revision, place.ask("GET", "/tokens").text, place.ask("GET", "/webhooks").text
    asked = 0
    for method, path, told in place.operations():
        if {} in told["security"] and (method == "GET" or path == "/rate"):  # it writes nothing
            continue
        name = f"{method} {path}"
        for who, (headers, status) in closed.items():
            if who == needed(name) or (method == "GET" and who == "admin"):
                continue
            body = [GAME] if path.endswith(":batch") else {}
            more = {} if method in ("GET", "DELETE") else {"json": body}
            answer = place.ask(method, addressed(path), headers=headers, **more)
            assert answer.status_code == status, (name, who, answer.text)
            asked += 1
    assert asked > 150
    assert before == (
        journal.revision, place.ask("GET", "/tokens").text, place.ask("GET", "/webhooks").text,
    )  # fmt: skip


def test_every_text_of_a_result(either: Place):
    """Any text in any field is refused, or kept and told back letter by letter."""
    for text in NASTY:
        for field in ("player_a", "source", "external_id", "round", "category"):
            answer = either.send("POST", "/results", GAME | {field: text})
            if answer.status_code == 201:
                told = either.ask("GET", f"/results/{answer.json()['id']}").json()
                assert told[field] == text
    assert either.sound()


def test_every_other_text(either: Place):
    """Any text in any other entry or question is refused or taken, and breaks nothing."""
    for k, text in enumerate(NASTY):
        for path, data in (
            ("/players/Cleo:alias", {"name": text}),
            ("/players/Cleo:merge", {"into": text}),
            ("/tokens", {"name": text, "scopes": ["read"]}),
            ("/categories", {"name": text, "key": f"k{k}"}),
            ("/categories/chess/lists", {"name": text, "key": f"k{k}"}),
            ("/results/1:restore", {"reason": text}),
            ("/results:void", {"player": text}),
            ("/webhooks", {"url": text, "events": ["*"]}),
            ("/webhooks", {"url": f"http://{text}/", "events": [text]}),
        ):
            either.send("POST", path, data)
        if text.isprintable():
            either.ask("DELETE", "/results/1", params={"reason": text})
            for path, field in QUESTIONS:
                either.ask("GET", path, params={field: text})
    assert either.sound()


def forged(text: bytes) -> str:
    """A cursor that we did not make."""
    return urlsafe_b64encode(text).decode().rstrip("=")


def test_forged_cursors(place: Place):
    """A cursor that did not come from here is refused, or leads to a place in the same listing."""
    values = (
        b"", b"[]", b"null", b"{}", b'{"a":1}', b"[1]", b"[-1]", b"[9223372036854775807]",
        b"[" + b"9" * 700 + b"]", b"[1e999]", b"[NaN]", b"[true]", b'["x"]', b'["\\ud800"]',
        b'["\\u0000"]', b"[[1]]", b"[" * 500, b"[1.5, 2]", b"[1, 2]", b"\xff\xfe", b"[1,1,1]",
    )  # fmt: skip
    listings = [
        (path, [one["name"] for one in told.get("parameters", [])])
        for method, path, told in place.operations()
        if method == "GET"
    ]
    listings = [path for path, names in listings if "cursor" in names]
    assert len(listings) >= 8
    for path in listings:
        for cursor in (*map(forged, values), "x", "=", "é", "x" * 1001, "\0"):
            answer = place.ask("GET", addressed(path), params={"cursor": cursor})
            assert answer.status_code in (200, 404, 422)


def test_forged_tags(place: Place):
    """If-Match that we did not give changes nothing; If-None-Match never hides what is there."""
    revision = place.journal.revision
    for tag in (
        "x",
        '"v1',
        '"v999999999999999999"',
        '"v' + "9" * 400 + '"',
        '"r0"',
        '"r1-x"',
        "W/",
    ):
        for method, path in (("PUT", "/results/1"), ("DELETE", "/results/1")):
            body = {"json": GAME} if method == "PUT" else {}
            headers = place.admin | {"If-Match": tag}
            assert place.ask(method, path, headers=headers, **body).status_code == 412
        answer = place.ask("GET", "/results", headers={"If-None-Match": tag})
        assert answer.status_code == 200
    assert place.journal.revision == revision


PATHS = (
    "/results/1%2F..%2F2", "//results", "/results/", "/results//1", "/results/1;a=b",
    "/results/%00",
    "/results/1%0d%0aX: y", "/players/" + "x" * 10_000, "/players/" + "%2F" * 300,
    "/players/%E2%80%AE", "/players/", "/categories/%2E%2E%2Fleaderboard", "/categories/é", "/%ff",
    "/categories/chess/players//history", "/categories/chess/lists/..%2f", "/%5c", "/*",
    "/categories/chess/leaderboard.exe", "/results.csv.json", "/?" + "a=1&" * 5000,
)  # fmt: skip
FILES = (
    "..%2f..%2fvisits.py", "../visits.py", "%2e%2e/visits.py", "/etc/passwd", "%00",
    "vendor/..%2fpages.css", "PAGES.CSS", "x" * 10_000,
)  # fmt: skip


def test_path_tricks(place: Place):
    """No path leads anywhere that it should not."""
    for path in PATHS:
        answer = place.ask("GET", path, headers={})
        assert answer.status_code in (400, 404, 422), path
        assert place.client.get(path).status_code < 500, path
    for file in FILES:
        assert place.client.get(f"/static/{file}").status_code == 404, file


def test_methods(place: Place):
    """A method that an address has not is 405 with what it has; strange ones are counted as one."""
    for path in place.paths:
        for method in ("TRACE", "CONNECT", "PROPFIND", "OPTIONS", "X" * 1000):
            answer = place.client.request(method, addressed(path), headers=place.admin)
            assert answer.status_code == 405, (method, path)
            assert answer.headers["allow"]
    told = place.client.get("/metrics", headers=place.admin).text
    assert 'method="other"' in told
    assert "PROPFIND" not in told
