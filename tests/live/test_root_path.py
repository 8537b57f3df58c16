"""A server below a path of a proxy: every address that leaves it has the path."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from prowess.live.api.middleware import ServerSettings
from prowess.live.client import client
from prowess.live.web.page_request import COOKIE
from tests.live.house import signed_in
from tests.live.whole import ANY, API, Place, bearer, secret, served, whole

ROOT = "/club/ladder"
BELOW = ServerSettings(root_path=ROOT, by_address=ANY, by_token=ANY)
ADDRESS = re.compile(r'\s(?:href|src|action|formaction|hx-[a-z]+|data-[a-z]+)="(/[^"]*)"')


@pytest.fixture
def place(sqlite_url) -> Iterator[Place]:
    """A server below a path."""
    with whole(sqlite_url, BELOW) as (app, journal):
        yield Place(sqlite_url, app, journal)


def test_every_link_stays_below_the_path(place):
    """All pages that links of a signed-in keeper reach are below the path, and answer."""
    app, origin = place.client.app, "http://testserver"
    keeper = TestClient(app, base_url=f"{origin}{ROOT}", follow_redirects=False)
    assert signed_in(keeper, secret(place.journal, "admin")).headers["Location"].startswith(ROOT)
    visitor = TestClient(app, follow_redirects=False, cookies=keeper.cookies)
    waiting, seen = [f"{ROOT}/"], set()
    while waiting:
        address = waiting.pop()
        if (page := address.partition("#")[0]) in seen:
            continue
        seen.add(page)
        answer = visitor.get(page)
        assert answer.status_code in (200, 303, 404), page
        found = ADDRESS.findall(answer.text)
        found += [answer.headers["Location"]] if answer.status_code == 303 else []
        for one in found:
            assert one.startswith(f"{ROOT}/"), (page, one)
        links = re.findall(r'\s(?:href|src)="(/[^"]*)"', answer.text)
        waiting += [link.replace("&amp;", "&") for link in links if len(seen) < 150]
    assert {f"{ROOT}/c/chess", f"{ROOT}/admin/players"} <= {one.partition("?")[0] for one in seen}


def test_cookies_stay_below_the_path(place):
    """Other programs of the host are sent neither the session nor the theme."""
    visitor = TestClient(place.client.app, follow_redirects=False)
    for answer in (
        visitor.get(f"{ROOT}/login"),
        visitor.post(f"{ROOT}/theme", data={"theme": "dark"}),
    ):
        assert f"; Path={ROOT};" in answer.headers["set-cookie"]


def test_a_cookie_of_the_whole_host_hides_no_session(place):
    """Browsers send the cookie of the longest path first (RFC 6265, 5.4): that one counts, also
    beside one that an older version or another program of the host has set.
    """
    keeper = TestClient(place.client.app, base_url=f"http://testserver{ROOT}")
    signed_in(keeper, secret(place.journal, "admin"))
    (own,) = (one.value for one in keeper.cookies.jar if one.name == COOKIE)
    other = TestClient(place.client.app, follow_redirects=False)
    for given, status in ((f"{COOKIE}={own}; {COOKIE}={'x' * 43}", 200), (f"{COOKIE}=no", 303)):
        assert other.get(f"{ROOT}/admin/players", headers={"Cookie": given}).status_code == status


def test_a_proxy_may_take_the_path_out(place):
    """The same page comes with and without the path in the request."""
    visitor = TestClient(place.client.app)
    pages = {visitor.get(f"{begin}/c/chess").text for begin in ("", ROOT)}
    assert len(pages) == 1
    assert visitor.get(f"{ROOT}er/c/chess").status_code == 404  # begins alike, is another


def test_names_that_look_like_addresses_stay(place):
    """Only addresses get the path: a player may be called as one."""
    visitor = TestClient(place.client.app)
    row = {"category": "chess", "player_a": "/results/1", "player_b": "Ben", "score": 1.0}
    header = bearer(secret(place.journal, "admin"))
    assert visitor.post(f"{API}/results", json=row, headers=header).status_code == 201
    text = visitor.get("/c/chess?include=all").text
    assert "<bdi>/results/1</bdi>" in text
    assert f"<bdi>{ROOT}" not in text


def test_headers_and_pages_of_the_api(place):
    """`Location`, `Link` and `next` lead on below the path."""
    visitor = TestClient(place.client.app)
    header = bearer(secret(place.journal, "admin"))
    row = {"category": "chess", "player_a": "Ada", "player_b": "Ben", "score": 1.0}
    made = visitor.post(f"{ROOT}{API}/results", json=row, headers=header)
    assert made.headers["Location"].startswith(f"{ROOT}{API}/results/")
    assert visitor.get(made.headers["Location"]).status_code == 200
    page = visitor.get(f"{ROOT}{API}/results?limit=2")
    following = json.loads(page.text)["next"]
    assert following.startswith(f"{ROOT}{API}/results?")
    assert page.headers["Link"] == f'<{following}>; rel="next"'
    assert visitor.get(following).status_code == 200
    assert visitor.get(f"{API}/openapi.json").json()["servers"] == [{"url": ROOT}]


def test_the_client_follows_pages(place, monkeypatch):
    """Our client, given the address with the path, reads a listing of several pages."""
    monkeypatch.setattr(client, "MAX_TOP", 1)
    with served(place.client.app) as url, client.Client(f"{url}{ROOT}") as reader:
        rows = reader.leaderboard("chess", everyone=True)
    assert sorted(row["player"] for row in rows) == ["Ada", "Ben", "Cleo", "Dan"]
