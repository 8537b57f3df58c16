"""What counts is what was sent: repeated keys, and fingerprints of requests with a key."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from prowess.live.api.encoding import encode_json
from prowess.live.store.tables import answer as answers
from tests.live.api.site import Site

GAME = {"player_a": "Ada", "player_b": "Ben", "score": 1.0}
JSON = {"Content-Type": "application/json"}
TWICE = b'{"player_a":"Ada","player_b":"Ben","score":1,"score":0}'


@pytest.fixture
def site(sqlite_url):
    """A site without results."""
    with Site(sqlite_url) as one:
        yield one


@pytest.mark.parametrize(
    ("method", "path", "body", "key"),
    [
        ("POST", "/results", TWICE, "score"),
        ("POST", "/results?dry_run=1", TWICE, "score"),
        ("POST", "/results", b'{"sides":[{"players":["A"],"score":1,"score":0},{"players":["B"]}]}',
         "score"),
        ("PUT", "/results/1", b'{"player_a":"Ada","player_a":"Eve","player_b":"B","score":1}',
         "player_a"),
        ("POST", "/tokens", b'{"name":"x","scopes":["read"],"scopes":["admin"]}', "scopes"),
        ("POST", "/results:void", b'{"player":"Ada","player":"Ben","reason":"x"}', "player"),
        ("POST", "/results:batch", b"[" + TWICE + b"]", "score"),
    ],
)  # fmt: skip
def test_a_key_that_is_given_twice_is_refused(site, method, path, body, key):
    """JSON with a repeated key is refused with its name, wherever it stands; nothing is written."""
    answer = site.ask(method, path, "admin", content=body, headers=JSON)
    assert answer.status_code == 422, answer.text
    assert answer.json()["code"] == "repeated_key"
    assert answer.json()["errors"][0]["field"] == key
    assert site.ask("GET", "/results").json()["items"] == []


def test_a_row_with_a_repeated_key(site):
    """Of JSON lines the row is named, and with `skip` the others are taken."""
    lines = b'{"player_a":"Ada","player_b":"Ben","score":1}\n' + TWICE
    head = {"Content-Type": "application/x-ndjson"}
    path = "/results:batch?on_error=skip"
    answer = site.ask("POST", path, "submit", content=lines, headers=head)
    assert answer.status_code == 207
    assert answer.json()["counts"]["recorded"] == 1
    assert answer.json()["results"][1]["error"]["code"] == "repeated_key"


def test_a_key_that_an_earlier_version_kept(site):
    """A retry after an upgrade gets the answer that was kept, not 409; nothing doubles."""
    key = {"Idempotency-Key": "k1"}
    first = site.ask("POST", "/results", "submit", json=GAME, headers=key)
    assert first.status_code == 201

    def age(connection):
        connection.execute(update(answers).values(request="a" * 64))  # as it was kept before

    site.journal.store.writer.do(age)
    again = site.ask("POST", "/results", "submit", json=GAME, headers=key)
    assert again.json()["id"] == first.json()["id"]
    assert len(site.ask("GET", "/results").json()["items"]) == 1
    token = {"name": "x", "scopes": ["read"]}
    site.ask("POST", "/tokens", "admin", json=token, headers=key)
    site.journal.store.writer.do(age)
    other = site.ask("POST", "/results", "admin", json=GAME, headers=key)
    assert (other.status_code, other.json()["code"]) == (409, "key_reused")


@pytest.mark.parametrize(
    ("path", "sent"),
    [("/results", GAME), ("/tokens", {"name": "x", "scopes": ["read"]}),
     ("/results:batch", [GAME])],
)  # fmt: skip
def test_the_fingerprint_is_that_of_the_bytes(site, path, sent):
    """The same bytes get the same answer; other bytes under the key are refused."""
    key = {"Idempotency-Key": "k"}
    first = site.ask("POST", path, "admin", json=sent, headers=key)
    assert first.status_code < 300
    assert site.ask("POST", path, "admin", json=sent, headers=key).status_code < 300
    assert len(site.ask("GET", "/results").json()["items"]) == (path != "/tokens")
    other = [GAME | {"score": 0.0}] if path == "/results:batch" else sent | {"source": "x"}
    refused = site.ask("POST", path, "admin", json=other, headers=key)
    assert (refused.status_code, refused.json()["code"]) == (409, "key_reused")
    with site.journal.store.read() as connection:
        assert connection.scalar(answers.select().with_only_columns(answers.c.request)).startswith(
            "bytes:"
        )


@pytest.mark.parametrize("wrong", [{"names": {"Ada"}}, {None: 1}, {"name": b"Ada"}])
def test_an_answer_of_more_than_plain_data_fails_its_test(wrong):
    """What the quick writer takes silently, a client would read as something else."""
    with pytest.raises((TypeError, AssertionError)):
        encode_json(wrong)
    assert encode_json({"rating": float("nan"), "names": ["Ada"]}) == (
        b'{"rating":null,"names":["Ada"]}'
    )
