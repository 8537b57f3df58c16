from __future__ import annotations

import json
import subprocess
import sys
from itertools import islice

import pytest

from prowess.live.client import Away, Client, Event, Fault, Problem, client as module
from tests.live.client.fake import Answer, Fake, data, trouble

GAME = {"player_a": "Ada", "player_b": "Ben", "score": 1.0}
HOSTILE = "a/b?c=d&e#f%2F..\u2028Žофия \"'<b>"

REQUESTS = [
    (lambda c: c.submit(GAME), "POST", "/results", {}),
    (lambda c: c.submit(GAME, dry_run=True), "POST", "/results", {"dry_run": "1"}),
    (lambda c: c.result(7), "GET", "/results/7", {}),
    (lambda c: c.correct(7, GAME), "PUT", "/results/7", {}),
    (lambda c: c.void(7, "a typo"), "DELETE", "/results/7", {"reason": "a typo"}),
    (lambda c: c.restore(7), "POST", "/results/7:restore", {}),
    (lambda c: c.add_players("a b", ["Ada"]), "POST", "/categories/a%20b/players", {}),
    (lambda c: c.preview(7), "DELETE", "/results/7", {"preview": "1"}),
    (lambda c: c.preview(7, GAME), "PUT", "/results/7", {"preview": "1"}),
    (lambda c: c.player("chess", "Ada"), "GET", "/categories/chess/players/Ada", {}),
    (
        lambda c: c.history("chess", "Ada", last=5),
        "GET",
        "/categories/chess/players/Ada/history",
        {"limit": "5"},
    ),
    (
        lambda c: c.forecast("chess", "Ada", "Ben", side=1),
        "GET",
        "/categories/chess/forecast",
        {"a": "Ada", "b": "Ben", "side": "1"},
    ),
    (
        lambda c: c.next_games("chess"),
        "GET",
        "/categories/chess/next",
        {"goal": "ranking", "budget": "10"},
    ),
]


@pytest.mark.parametrize(("ask", "method", "path", "query"), REQUESTS)
def test_requests(ask, method: str, path: str, query: dict[str, str], fake: Fake, client: Client):
    """Every method asks its address, with the token."""
    ask(client)
    (request,) = fake.requests
    assert (request.method, request.path, request.query) == (method, "/api/v1" + path, query)
    assert request.headers["authorization"] == "Bearer prw_secret"
    assert ("idempotency-key" in request.headers) == (method != "GET")


def test_a_correction_on_condition(fake: Fake, client: Client):
    """A correction sends the whole result with its reason, and which version was seen."""
    client.correct(7, GAME, "a typo", if_revision=3)
    (request,) = fake.requests
    assert json.loads(request.body) == GAME | {"reason": "a typo"}
    assert request.headers["if-match"] == '"v3"'


def test_names_are_parts_of_a_path(fake: Fake, client: Client):
    """No letter of a name changes which address is asked."""
    from urllib.parse import unquote

    client.player("chess", HOSTILE)
    start, _, name = fake.requests[0].path.rpartition("/")
    assert start == "/api/v1/categories/chess/players"
    assert unquote(name) == HOSTILE


def test_every_page(fake: Fake, client: Client):
    """A list is all its pages, each at the address that the one before gave."""
    pages = {"": (["Ada", "Ben"], "/api/v1/board?cursor=two"), "two": (["Cleo"], None)}

    def page(request):
        items, following = pages[request.query.get("cursor", "")]
        return data(200, {"items": [{"player": name} for name in items], "next": following})

    fake.mishaps = [page] * 3
    assert [row["player"] for row in client.leaderboard("chess")] == ["Ada", "Ben", "Cleo"]
    assert client.leaderboard("chess", top=2) == [{"player": "Ada"}, {"player": "Ben"}]
    assert not fake.mishaps  # the second page was not asked for again


def test_a_problem_says_what_and_where(fake: Fake, client: Client):
    """An error of the server is an exception that carries all the server said."""
    said = {
        "status": 422, "code": "invalid", "detail": "one value cannot be taken", "request_id": "r",
        "errors": [{"code": "bad_score", "message": "7: no score", "field": "score", "row": 3}],
    }  # fmt: skip
    fake.mishaps = [lambda _: data(422, said)]
    with pytest.raises(Problem, match="422 invalid: one value") as caught:
        client.submit(GAME)
    assert caught.value.errors == (Fault("bad_score", "7: no score", "score", 3),)
    assert not caught.value.passing


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_redirect_is_followed(status: int, fake: Fake, client: Client):
    """A token is sent to nobody but the server it is for."""
    fake.mishaps = [lambda _: Answer(status, b"", {"Location": fake.url + "/elsewhere"})]
    with pytest.raises(Problem, match=str(status)):
        client.submit(GAME)
    assert len(fake.requests) == 1


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Answer(502, b"<h1>Bad\n gateway</h1>"), "http_502"),
        (trouble(429, "too_many_requests", Retry_After="7"), "too_many_requests"),
        (trouble(503, "store_out_of_reach"), "store_out_of_reach"),
    ],
)
def test_what_passes(answer: Answer, code: str, fake: Fake, client: Client):
    """What is not the request's fault is told apart, whoever on the way said it."""
    fake.mishaps = [lambda _: answer]
    with pytest.raises(Problem) as caught:
        client.submit(GAME)
    assert caught.value.passing
    assert (caught.value.code, caught.value.status) == (code, answer.status)
    assert caught.value.retry_after == (7.0 if answer.status == 429 else None)


def test_nobody_there():
    """Without a server there is one clear error."""
    with pytest.raises(Away, match=r"no answer from 127\.0\.0\.1: .*refused"):
        Client("http://127.0.0.1:1").player("chess", "Ada")


@pytest.mark.parametrize("url", ["ladder.example", "ftp://ladder.example", "http://", ""])
def test_no_address(url: str):
    """What is no address is refused at once, with an example of one."""
    with pytest.raises(ValueError, match="give an address such as https://"):
        Client(url)


def test_a_closed_connection_is_opened_again(fake: Fake, client: Client):
    """A request on a connection that the server had closed is sent once more, with its key."""
    client.player("chess", "Ada")
    fake.mishaps = [lambda _: Answer(0, b"", breaks=0)]
    client.submit(GAME)
    first, second = fake.requests[1:]
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]


def test_an_answer_cut_short(fake: Fake, client: Client):
    """Half an answer is no answer, and the next request is not answered with its rest."""
    fake.mishaps = [lambda _: Answer(200, b'{"items": []}', breaks=5)]
    with pytest.raises(Away):
        client.player("chess", "Ada")
    assert client.player("chess", "Ben")["path"] == "/api/v1/categories/chess/players/Ben"


def chunks(*parts: bytes, end: bool = True) -> bytes:
    """A body in parts, as RFC 9112 section 7.1 writes it."""
    body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
    return body + (b"0\r\n\r\n" if end else b"")


def stream(body: bytes, kind: str = "application/x-ndjson") -> Answer:
    """An answer without a length."""
    headers = {"Transfer_Encoding": "chunked", "Content_Type": kind}
    return Answer(200, body, headers, breaks=len(body))


def test_export(fake: Fake, client: Client):
    """An export gives row by row, wherever the parts begin."""
    fake.mishaps = [lambda _: stream(chunks(b'{"id": 1}\n{"i', b'd": 2}\n'))]
    assert list(client.export()) == [{"id": 1}, {"id": 2}]


def test_an_export_cut_short(fake: Fake, client: Client):
    """An export that breaks off is no shorter export."""
    fake.mishaps = [lambda _: stream(chunks(b'{"id": 1}\n', end=False))]
    rows = client.export()
    assert next(rows) == {"id": 1}
    with pytest.raises(Away):
        next(rows)


def test_an_export_of_stated_length_cut_short(fake: Fake, client: Client):
    """Nor is one that had said how long it would be."""
    fake.mishaps = [lambda _: Answer(200, b'{"id": 1}\n{"id": 2}\n', breaks=10)]
    rows = client.export()
    assert next(rows) == {"id": 1}
    with pytest.raises(Away):
        next(rows)


def test_events_resume(fake: Fake, client: Client, monkeypatch: pytest.MonkeyPatch):
    """A stream that breaks is taken up after the last event that came through."""
    monkeypatch.setattr(module, "PAUSE", 0.01)
    first = b': hello\n\nid: 5\nevent: record\ndata: {"results": [1]}\n\nid: 6\nevent: void\ndata: '
    second = b'id: 6\r\nevent: void\r\ndata: {\r\ndata: "results": [1]}\r\n\r\n'
    fake.mishaps = [
        lambda _: data(200, {"revision": 9}),
        lambda _: stream(chunks(first, end=False), "text/event-stream"),
        lambda _: Answer(0, b"", breaks=0),
        lambda _: trouble(503, "closing"),
        lambda _: stream(chunks(second), "text/event-stream"),
    ]
    found = list(islice(client.events(after=4), 2))
    assert found == [Event(5, "record", {"results": [1]}), Event(6, "void", {"results": [1]})]
    assert [one.headers["last-event-id"] for one in fake.requests[1:]] == ["4", "5", "5", "5"]


def test_events_from_now_on(fake: Fake, client: Client):
    """Without a revision a stream begins at the present one, whenever it is first looked at."""
    fake.mishaps = [
        lambda _: data(200, {"revision": 9}),
        lambda _: stream(chunks(b"id: 10\ndata: {}\n\n"), "text/event-stream"),
    ]
    coming = client.events()
    assert next(coming) == Event(10, "message", {})
    assert fake.requests[1].headers["last-event-id"] == "9"


def test_events_refused(fake: Fake, client: Client):
    """A stream that is refused for good is not asked for again."""
    fake.mishaps = [lambda _: data(200, {"revision": 9}), lambda _: trouble(401, "no_token")]
    with pytest.raises(Problem, match="no_token"):
        next(client.events())


def test_it_stands_alone():
    """The client loads the standard library only."""
    code = (
        "import sys; import prowess.live.client;"
        "known = set(sys.stdlib_module_names) | {'prowess', '__main__'};"
        "print({name.split('.')[0] for name in sys.modules} - known)"
    )
    plain = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"]
    said = subprocess.run(plain, check=True, capture_output=True, text=True)
    assert said.stdout.strip() == "set()"
