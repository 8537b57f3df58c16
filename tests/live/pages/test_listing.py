"""Who is listed, and at which rank: one rule for the page, the API, its files and lists."""

from __future__ import annotations

import csv
import io
import re
from html import unescape

import pytest
from sqlalchemy import select, update
from starlette.testclient import TestClient

from prowess.live.journal.categories import ChangeMethod, Publish
from prowess.live.journal.record import RecordResults
from prowess.live.store.tables import published
from tests.live.pages.club import club, secret, submissions
from tests.live.pages.test_administration import ME, confirmed, sent, signed_in

BOARD = "/api/v1/categories/club/leaderboard"
DORMANT, PROVISIONAL = "Dormant", "Provisional"  # both far above everybody else


@pytest.fixture
def place(sqlite_url):
    """(client, journal) of the club, with two who win all their games and are not listed."""
    rows = [(DORMANT, "Ada", 1.0, 10_000 + k) for k in range(30)]
    rows += [(PROVISIONAL, "Ben", 1.0, 19_060)]
    with club(sqlite_url, provisional_games=2, inactive_days=300) as (app, journal):
        journal.commit(RecordResults(submissions(rows)), ME)
        with TestClient(app) as client:
            yield client, journal


def page(client, address="/c/club"):
    """(rank, player) of the rows of a page that have a rank."""
    found = re.findall(
        r'<tr(?: id="player-\d+")?>\s*<td class="n(?: rank)?"[^>]*>(\d+)<.*?<bdi>(.*?)</bdi>',
        client.get(address).text,
        re.DOTALL,
    )
    return [(int(rank), unescape(name)) for rank, name in found]


def told(client, address):
    """The same of the rows of the API."""
    return [(row["rank"], row["player"]) for row in client.get(address).json()["items"]]


def in_csv(text):
    """The same of a file."""
    return [(int(row["rank"]), row["player"]) for row in csv.DictReader(io.StringIO(text))]


def test_page_and_api_and_list_agree(place):
    """The same players at the same ranks, wherever a leaderboard is shown."""
    client, journal = place
    shown = page(client)
    assert len(shown) > 3
    assert not {DORMANT, PROVISIONAL} & {name for _, name in shown}
    assert told(client, BOARD) == shown
    assert in_csv(client.get(f"{BOARD}.csv").text) == shown
    assert in_csv(client.get("/c/club/leaderboard.csv").text) == shown
    rows = client.get("/c/club/leaderboard.json").json()["leaderboard"]
    assert [(row["rank"], row["player"]) for row in rows] == shown
    assert client.get("/c/club/leaderboard.html").status_code == 404
    journal.commit(Publish("club", "spring", "Spring"), ME)
    assert told(client, "/api/v1/categories/club/lists/spring") == shown
    assert page(client, "/c/club/lists/spring") == shown
    assert "at least 2 games" in client.get("/c/club/lists/spring").text
    assert "/categories/" not in client.get("/c/club/lists/autumn").text  # no address of the API
    name = shown[0][1]
    best = client.get(f"/api/v1/categories/club/players/{name}").json()
    assert (best["rank"], best["of"]) == (1, len(shown))


def rows_of(client, address):
    """The names on a page in their order, and those of them who have no rank."""
    rows = re.findall(r'<tr id="player-\d+"(.*?)</tr>', client.get(address).text, re.DOTALL)
    named = [(unescape(re.findall(r"<bdi>(.*?)</bdi>", row)[0]), 'class="quiet"' in row[:20])
             for row in rows]  # fmt: skip
    return [name for name, _ in named], {name for name, quiet in named if quiet}


def test_nobody_is_hidden(place):
    """The page has everybody by rating, who is not listed without a rank; a link leaves them out.

    With `include=all` API and files agree on ranks of everybody.
    """
    client, _ = place
    everybody = told(client, f"{BOARD}?include=all")
    names, quiet = rows_of(client, "/c/club")
    assert names == [name for _, name in everybody]
    assert quiet == {DORMANT, PROVISIONAL}
    assert rows_of(client, "/c/club?include=playing") == (
        [name for _, name in told(client, BOARD)], set(),
    )  # fmt: skip
    assert in_csv(client.get("/c/club/leaderboard.csv?include=all").text) == everybody
    one = client.get(f"/api/v1/categories/club/players/{DORMANT}?include=all").json()
    assert one["rank"] == {name: rank for rank, name in everybody}[DORMANT]
    assert client.get(f"/api/v1/categories/club/players/{DORMANT}").json()["rank"] is None
    assert client.get(f"{BOARD}?include=some").status_code == 422


def test_filters_narrow(place):
    """`min_games` and `active` leave out more; the category's rule holds beside them."""
    client, _ = place
    games = {row["player"]: row["games"] for row in client.get(BOARD).json()["items"]}
    most = max(games.values())
    assert {name for _, name in told(client, f"{BOARD}?min_games={most}")} == {
        name for name, count in games.items() if count >= most
    }
    active = told(client, f"{BOARD}?include=all&active=true")
    assert DORMANT not in {name for _, name in active}
    assert PROVISIONAL in {name for _, name in active}


def test_where_hardly_anybody_is_listed_everybody_is(place):
    """A rule that leaves fewer than three lists all, in the API and in lists too."""
    client, journal = place
    journal.commit(ChangeMethod("club", provisional_games=1000), ME)
    shown = page(client)
    assert {DORMANT, PROVISIONAL} <= {name for _, name in shown}
    assert told(client, BOARD) == shown
    journal.commit(Publish("club", "all", "All"), ME)
    assert told(client, "/api/v1/categories/club/lists/all") == shown


def test_the_preview_of_a_list_shows_it(place):
    """The rows that are shown before a list is published are those that it has."""
    client, journal = place
    signed_in(client, secret(journal, "admin"))
    form = {"category": "club", "key": "autumn", "name": "Autumn"}
    answer = sent(client, "/admin/changes/publish", **form)
    first = re.findall(r"<td class=\"n\">(\d+)</td><th scope=\"row\"><bdi>(.*?)</bdi>", answer.text)
    assert "at least 2 games" in answer.text
    confirmed(client, answer)
    whole = told(client, "/api/v1/categories/club/lists/autumn")
    assert [(int(rank), unescape(name)) for rank, name in first] == whole[: len(first)]
    assert first


def test_lists_of_earlier_days_stay(place):
    """A list that was published before there was a rule says that it lists all players."""
    client, journal = place
    journal.commit(Publish("club", "old", "Old"), ME)

    def as_it_was(connection):
        head = connection.scalar(select(published.c.head))
        del head["listed"]
        connection.execute(update(published).values(head=head))

    journal.store.writer.do(as_it_was)
    answer = client.get("/c/club/lists/old")
    assert answer.status_code == 200
    assert "All players with games are listed" in answer.text
    assert client.get("/api/v1/categories/club/lists/old").status_code == 200
