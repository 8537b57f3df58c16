"""Pages against those who write names, send forms and make links to do harm."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from prowess.games.names import is_bare
from prowess.live.api.middleware import ServerSettings
from prowess.live.journal.categories import NewCategory, NewSeason, Publish
from prowess.live.journal.corrections import Alias, Correct, Rename, Void
from prowess.live.journal.journal import Journal
from prowess.live.journal.record import RecordResults
from prowess.live.journal.submission import Submission
from prowess.live.result import DAY_US
from prowess.live.store import access, webhooks
from prowess.live.web.routes import IMPORT_PATH, READ, WRITE
from tests.live.house import House, housed, signed_in
from tests.live.pages.club import Elements, unsafe
from tests.live.whole import CONSOLE, secret, whole

HARM = (
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "javascript:alert(1)",
    "' autofocus onfocus='alert(1)", "</title><script>alert(1)</script>", "{{ 7*7 }}{% raw %}",
    "--><svg onload=alert(1)>", "</textarea><script>alert(1)</script>", "\u202e<marquee>",
    "&lt;script&gt;",
)  # fmt: skip
OTHERS = ("/static/", "/api/v1/")  # are no pages
DIRECTIVES = (
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'",
    "form-action 'self'", "frame-ancestors 'none'",
)  # fmt: skip


def harmed(journal: Journal) -> None:
    """Put every harmful text wherever a text can go."""
    names = [text.lstrip("\u202e") for text in HARM]  # no name turns the words beside it
    for k, text in enumerate(HARM):
        name, other = names[k], names[k - 1]
        game = Submission("chess", name, other, 1.0, time=(19_100 + k) * DAY_US, round=text)
        several = Submission("race", placings=((name, 1.0, None), (other, 2.0, None)))
        for entry in (
            NewCategory(f"k{k}", name=name),
            RecordResults(
                (Submission("chess", name, other, 1.0, source=text, external_id=text), several)
            ),
            Alias(name, f"{name} too"),
            NewSeason("chess", f"s{k}", name, 19_000 * DAY_US, 19_200 * DAY_US),
            Publish("chess", f"l{k}", name, None, text),
            Correct(k + 1, game, text),
            Void((k + 1,), text),
        ):
            journal.commit(entry, CONSOLE)
        seen = "".join(filter(str.isprintable, text))  # no token has a name that is not all seen
        journal.store.writer.do(
            lambda c, text=text, seen=seen: (
                access.make_token(c, seen, ["correct"], source=seen, now=journal.clock()),
                webhooks.register_webhook(c, f"http://x/{text}", "s", ["*"], now=journal.clock()),
            )
        )
    journal.commit(Rename("Dan", '<a href="javascript:alert(1)">Dan</a>'), CONSOLE)


@pytest.fixture
def house(sqlite_url: str) -> Iterator[House]:
    """A server with a keeper."""
    with housed(sqlite_url) as one:
        yield one


def crawled(client: TestClient) -> Iterator[tuple[str, Any]]:
    """(address, answer) of every page that links lead to, one of a kind."""
    waiting, kinds = ["/", "/admin", "/categories"], set()
    while waiting:
        address = waiting.pop()
        kind = re.sub(r"\d+", "N", address.partition("?")[0])
        kind = re.sub(r"\b[ksl]N\b", "K", kind)
        if kind in kinds or not address.startswith("/") or address.startswith(OTHERS):
            continue
        kinds.add(kind)
        answer = client.get(address)
        yield address, answer
        if answer.headers["content-type"].startswith("text/html"):
            page = Elements(answer.text)
            waiting += [one["href"] for one in page.of("a") if "href" in one]


def test_no_text_becomes_a_script(house: House):
    """Whatever a name, reason, source or title holds, it is words on every page, under a policy."""
    harmed(house.journal)
    seen = 0
    for client in (house.stranger, house.keeper):
        for address, answer in crawled(client):
            assert answer.status_code in (200, 404), (address, answer.status_code)
            assert answer.headers["x-content-type-options"] == "nosniff"
            told = answer.headers["content-security-policy"]
            assert all(one in told for one in DIRECTIVES), address
            assert "unsafe" not in told
            assert answer.headers["x-frame-options"] == "DENY"
            if answer.headers["content-type"].startswith("text/html"):
                seen += 1
                assert unsafe(answer.text) == [], address
                elements = Elements(answer.text)
                assert not elements.of("marquee"), address
                assert not any(one.get("src") == "x" for one in elements.of("img")), address
                assert "49{" not in answer.text
    assert seen > 25


def test_every_page_has_the_policy(house: House):
    """Every route of a page answers under the policy, for strangers and keepers, found or not."""
    values = {"key": "chess", "list": "x", "number": "1", "player": "1", "a": "1", "b": "2",
              "form": "csv", "file:path": "pages.css", "file": "accent.css"}  # fmt: skip
    for path in (one.path for one in READ):
        address = re.sub(r"{([^}]+)}", lambda found: values[found[1]], path)
        for client in (house.stranger, house.keeper):
            for there in (address, address.replace("1", "99").replace("chess", "<b>")):
                answer = client.get(there, follow_redirects=False)
                assert answer.status_code in (200, 303, 404), there
                assert "default-src 'none'" in answer.headers["content-security-policy"], there


def test_no_form_of_another(house: House):
    """No form works without the word of its session: from elsewhere, of a stranger, or none."""
    foreign = Elements(house.stranger.get("/login").text).field("csrf")
    revision = house.journal.revision
    with house.journal.store.read() as connection:
        before = access.list_tokens(connection), webhooks.list_webhooks(connection)
    for path in (*(one.path for one in WRITE), IMPORT_PATH):
        address = path.replace("{kind}", "void").replace("{number}", "1")
        for word in ({}, {"csrf": ""}, {"csrf": foreign}, {"csrf": "x.y.z"}, {"csrf": "é" * 1000}):
            data = {
                "result": "1",
                "name": "x",
                "scope": "admin",
                "step": "confirm",
                "url": "http://x",
            }
            answer = house.keeper.post(
                address, data=data | word, headers={"Origin": "https://example.org"},
                follow_redirects=False,
            )  # fmt: skip
            assert answer.status_code == 403, (address, word)
            assert "set-cookie" not in answer.headers or "/login" in address or "/admin" in address
    assert house.keeper.get("/admin", follow_redirects=False).status_code == 200  # still signed in
    with house.journal.store.read() as connection:
        assert before == (access.list_tokens(connection), webhooks.list_webhooks(connection))
    assert house.journal.revision == revision


def test_no_page_of_keepers_without_a_session(house: House):
    """Every page and form of the keepers is closed to strangers and to the narrowest token."""
    word = Elements(house.stranger.get("/login").text).field("csrf")
    narrow = TestClient(house.keeper.app)
    signed_in(narrow, secret(house.journal, "read"))
    given = Elements(narrow.get("/login").text).field("csrf")
    revision = house.journal.revision
    for path in (one.path for one in READ):
        if path.startswith("/admin"):
            address = path.replace("{number}", "1").replace("{key}", "chess")
            answer = house.stranger.get(address, follow_redirects=False)
            assert answer.status_code == 303, address
            assert answer.headers["location"].startswith("/login?next=/admin")
            assert narrow.get(address, follow_redirects=False).status_code == 403, address
    for path in (*(one.path for one in WRITE), IMPORT_PATH):
        if path.startswith("/admin"):
            address = path.replace("{kind}", "void").replace("{number}", "1")
            data = {"result": "1", "name": "x", "scope": "admin", "step": "confirm"}
            for client, word_of in ((house.stranger, word), (narrow, given)):
                answer = client.post(address, data=data | {"csrf": word_of}, follow_redirects=False)
                assert answer.status_code in (303, 403), address
    assert house.journal.revision == revision


def test_the_session(house: House):
    """The cookie is out of reach of scripts and other sites, changes at signing in, and is ours."""
    client = TestClient(house.keeper.app, base_url="https://testserver")
    first = client.get("/login").headers["set-cookie"]
    answer = signed_in(client, secret(house.journal, "admin"))
    told = answer.headers["set-cookie"]
    assert first.partition(";")[0] != told.partition(";")[0]
    assert {"httponly", "samesite=strict", "secure", "path=/"} <= {
        part.strip().casefold() for part in told.split(";")
    }
    good = client.cookies["prowess_session"]
    for forged in ("", "x", good[:-1], good + "x", good.upper(), "." * 1000, "W10.x.y"):
        other = TestClient(house.keeper.app, cookies={"prowess_session": forged})
        assert other.get("/admin", follow_redirects=False).status_code == 303


ELSEWHERE = (
    "https://example.org", "//example.org", "/\\example.org", "javascript:alert(1)", "\\/x.org",
    "/\t/example.org", "/\n/example.org", " //example.org", "%2f%2fexample.org",
    "///example.org", "/%0d%0aSet-Cookie:%20a=b", "/\r\nSet-Cookie: a=b", "/é",
    "/" + "x" * 5000, "http:example.org",
)  # fmt: skip


def test_no_way_out_after_signing_in(house: House):
    """Whatever `next` says, the browser stays here and gets no header of somebody else's."""
    client, given = TestClient(house.keeper.app), secret(house.journal, "admin")
    for there in ELSEWHERE:
        answer = signed_in(client, given, next=there)
        assert answer.status_code == 303
        assert re.match(r"/(?![/\\])", answer.headers["location"]), there
        assert "a=b" not in answer.headers["set-cookie"]
        assert unsafe(client.get("/login", params={"next": there}).text) == []


def test_a_private_server_tells_strangers_nothing(sqlite_url: str):
    """Of a private server a stranger sees the form that asks for a token, and its style."""
    with whole(sqlite_url, ServerSettings(private=True)) as (app, _):
        client = TestClient(app)
        for path in ("/", "/c/chess", "/c/chess/leaderboard.csv", "/c/chess/players/1.csv",
                     "/results/1", "/categories", "/c/chess/method", "/api", "/admin",
                     "/c/chess/lists"):  # fmt: skip
            answer = client.get(path, follow_redirects=False)
            assert answer.status_code == 303, path
            assert "Ada" not in answer.text
        style = re.search(r'/static/[^"]+\.css[^"]*', client.get("/login").text)
        assert style is not None
        answer = client.get(style[0].replace("&amp;", "&"), follow_redirects=False)
        assert (answer.status_code, answer.headers["content-type"][:8]) == (200, "text/css")
        for path in ("/api/v1/openapi.json", "/api/v1/results", "/metrics", "/readyz", "/healthz"):
            assert "Ada" not in client.get(path).text
        assert client.get("/rumble/RatingsFile?version=1&game=rumble").status_code == 401


RISKY = ('=HYPERLINK("http://x","y")', "+x", "-x", "@SUM(1)", "'=x")


def test_no_cell_of_a_page_is_a_formula(house: House):
    """The files that pages offer hold no cell that a spreadsheet runs."""
    for k, name in enumerate(RISKY):
        house.journal.commit(
            RecordResults((Submission("chess", name, RISKY[k - 1], 1.0),)), CONSOLE
        )
    house.journal.ladder("chess").settle()
    numbers = [house.journal.registry.people.names[name] for name in RISKY]
    paths = ["/c/chess/leaderboard.csv", *(f"/c/chess/players/{k}.csv" for k in numbers)]
    for path in paths:
        answer = house.stranger.get(path)
        rows = list(csv.reader(io.StringIO(answer.text, newline="")))
        assert len(rows) > 2, path
        assert not [cell for row in rows for cell in row if is_bare(cell)], path
        assert any("'=" in cell or "'-" in cell or "'+" in cell or "'@" in cell
                   for row in rows for cell in row), path  # fmt: skip
