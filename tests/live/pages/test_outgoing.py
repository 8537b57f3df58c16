"""What other sites show: the Atom feed, badges, and tables in frames."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from prowess.live.api.middleware import ServerSettings
from prowess.live.journal.corrections import Void
from prowess.live.journal.journal import Journal
from prowess.live.journal.record import RecordResults
from prowess.live.journal.submission import Submission
from tests.live.whole import CONSOLE, whole

ATOM = "{http://www.w3.org/2005/Atom}"
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<b>&"Eve"</b>'
SITES = ("https://club.example", "https://league.example:8443")


@pytest.fixture
def place(sqlite_url) -> Iterator[tuple[TestClient, Journal]]:
    """A server whose tables other sites may frame, and its journal."""
    with whole(sqlite_url, ServerSettings(embed_on=SITES)) as (app, journal):
        yield TestClient(app), journal


def read_feed(client: TestClient, address: str) -> ET.Element:
    """The feed of an address."""
    answer = client.get(address)
    assert answer.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    return ET.fromstring(answer.content)


def list_texts(feed: ET.Element, name: str) -> list[str]:
    """A text of every entry."""
    return [str(one.text) for one in feed.iterfind(f"{ATOM}entry/{ATOM}{name}")]


def test_the_feed_has_what_the_format_asks_for(place):
    """The elements that RFC 4287, section 4.1, requires; each result once, the newest first."""
    client, _ = place
    feed = read_feed(client, "/c/chess/feed.atom")
    for name in ("id", "title", "updated", "author"):
        assert len(feed.findall(f"{ATOM}{name}")) == 1
    ids = list_texts(feed, "id")
    assert len(set(ids)) == len(ids) == 12
    assert len(list_texts(feed, "title")) == len(list_texts(feed, "updated")) == 12
    # The last of the twelve games is Dan against Cleo, (11 % 3) / 2 = 1 for Dan.
    assert list_texts(feed, "title")[0] == "Dan – Cleo 1–0"
    assert "½–½" in list_texts(feed, "title")[1]
    for entry in feed.iterfind(f"{ATOM}entry"):
        (link,) = entry.findall(f"{ATOM}link")
        page = client.get(link.attrib["href"])
        assert page.status_code == 200
    (table,) = [one for one in feed.findall(f"{ATOM}link") if one.attrib["rel"] == "alternate"]
    assert client.get(table.attrib["href"]).status_code == 200


def test_the_feed_of_contests_names_the_first(place):
    """A contest is told by its first three sides and how many follow."""
    client, _ = place
    (title,) = list_texts(read_feed(client, "/c/race/feed.atom"), "title")
    assert title.startswith("1. ")


def test_what_is_struck_leaves_the_feed(place):
    """Only results that count are in the feed; a correction keeps the id of an entry."""
    client, journal = place
    before = list_texts(read_feed(client, "/c/chess/feed.atom"), "id")
    journal.commit(Void((int(before[0].rpartition("/")[2]),), "entered twice"), CONSOLE)
    assert list_texts(read_feed(client, "/c/chess/feed.atom"), "id") == before[1:]


def test_a_feed_without_results_is_valid(place):
    """A category without results has a feed without entries."""
    feed = read_feed(place[0], "/c/rumble/feed.atom")
    assert feed.findall(f"{ATOM}entry") == []
    assert feed.findtext(f"{ATOM}updated") == "1970-01-01T00:00:00+00:00"


def test_names_are_escaped(place):
    """A hostile name is text in the feed, the badge and the frame."""
    client, journal = place
    journal.commit(RecordResults((Submission("chess", HOSTILE, "Ben", 1.0),)), CONSOLE)
    assert list_texts(read_feed(client, "/c/chess/feed.atom"), "title")[0].startswith(HOSTILE)
    number = journal.registry.people.find(HOSTILE)
    badge = client.get(f"/c/chess/players/{number}.svg")
    assert ET.fromstring(badge.content).findtext(f"{SVG}title", "").startswith(HOSTILE)
    assert "<b>" not in client.get("/embed/c/chess").text


def test_a_badge_says_the_rating_of_the_leaderboard(place):
    """Name and rating, with half the interval, as the API gives them."""
    client, journal = place
    rows = client.get("/api/v1/categories/chess/leaderboard").json()["items"]
    for row in rows:
        number = journal.registry.people.find(row["player"])
        answer = client.get(f"/c/chess/players/{number}.svg")
        assert answer.headers["Content-Type"] == "image/svg+xml"
        texts = [one.text for one in ET.fromstring(answer.content).iter(f"{SVG}text")]
        half = (row["interval"]["high"] - row["interval"]["low"]) / 2
        assert texts == [row["player"], f"{row['rating']:.0f} ± {half:.0f}"]
    assert client.get("/c/chess/players/999.svg").status_code == 404


def test_a_frame_is_for_the_sites_that_were_named(place):
    """Only pages below /embed/ may be framed, and only by the named sites; links leave it."""
    client, _ = place
    framed, usual = client.get("/embed/c/chess?top=2"), client.get("/c/chess")
    assert f"frame-ancestors {' '.join(SITES)};" in framed.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in framed.headers
    assert "frame-ancestors 'none'" in usual.headers["Content-Security-Policy"]
    assert usual.headers["X-Frame-Options"] == "DENY"
    assert framed.text.count('target="_top"') == 3
    for wrong in ("0", "101", "-1", "x"):
        assert client.get(f"/embed/c/chess?top={wrong}").status_code == 422


def test_without_sites_nothing_is_framed(sqlite_url):
    """A server that names no site forbids every frame."""
    app: FastAPI
    with whole(sqlite_url) as (app, _):
        answer = TestClient(app).get("/embed/c/chess")
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]


def test_nothing_is_public_on_a_private_server(sqlite_url):
    """Feed, badge and frame ask for a sign-in as other pages of ratings do."""
    with whole(sqlite_url, ServerSettings(private=True, embed_on=SITES)) as (app, _):
        client = TestClient(app, follow_redirects=False)
        for address in ("/c/chess/feed.atom", "/c/chess/players/1.svg", "/embed/c/chess"):
            assert client.get(address).headers["Location"].startswith("/login")
