"""Notices on pages: the age of the ratings, results that wait, players left out."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from starlette.testclient import TestClient

from prowess.live.api import category_view as api
from prowess.live.journal.categories import NewCategory
from prowess.live.journal.corrections import Void
from prowess.live.journal.record import RecordResults
from prowess.live.store.access import Actor
from tests.live.pages.club import club, secret, submissions
from tests.live.pages.test_administration import sent, signed_in

ME = Actor.console()


@pytest.fixture
def place(sqlite_url):
    """(client, journal) of the club."""
    with club(sqlite_url) as (app, journal), TestClient(app) as client:
        yield client, journal


def test_as_known_then(place):
    """A revision in the address brings the page as it was, says so, and leads on within it."""
    client, journal = place
    before = journal.revision
    then = client.get("/c/club?show=all").text
    journal.commit(Void((1, 2, 3)), ME)
    text = client.get(f"/c/club?show=all&revision={before}").text
    assert f"As known at revision {before} of " in text
    ratings = re.compile(r'<td class="n rating">([\d.]+)<')
    assert ratings.findall(text) == ratings.findall(then) != []
    assert ratings.findall(text) != ratings.findall(client.get("/c/club?show=all").text)
    player = re.findall(rf'href="(/c/club/players/\d+\?revision={before})"', text)[0]
    assert "As known at revision" in client.get(player).text


def test_nonsense_is_told(place):
    """A revision that is none, and a comparison with a day to come, are refused in a sentence."""
    client, journal = place
    assert client.get("/c/club?revision=999999").status_code == 404
    assert f"give a revision from 1 to {journal.revision}" in client.get("/c/club?revision=0").text
    for bad in (
        "revision=x",
        "revision=-1",
        "since=2999-01-01",
        "since=2022-02-01&as_of=2022-01-01",
    ):
        assert client.get(f"/c/club?{bad}").status_code == 422, bad
    assert "2999-01-01 is in the future" in client.get("/c/club?as_of=2999-01-01").text


def test_a_new_club_has_a_leaderboard(place):
    """While fewer than three have enough games, all players are listed, ranked and marked."""
    client, journal = place
    journal.commit(NewCategory(key="new", system="elo", provisional_games=10), ME)
    journal.commit(RecordResults(submissions([("Ada", "Ben", 1.0, 19_000)], "new")), ME)
    text = client.get("/c/new").text
    assert "all players are ranked" in text
    assert text.count('<span class="tag quiet">few games</span>') == 2
    ada = journal.registry.people.find("Ada")
    assert "1</a> <small>of 2" in client.get(f"/c/new/players/{ada}").text
    assert client.get("/c/new/pairings").status_code == 200


def test_what_waits_is_told(place, monkeypatch):
    """That a fit waits or failed stands on the leaderboard and on a player's page, with reason."""
    client, journal = place
    ada = journal.registry.people.find("Ada")
    real = api.view_category
    said = {
        "cannot rate all results: take the system map: two halves never met": {
            "trouble": "take the system map (--system map): two halves never met"
        },
        "2 results are not rated yet": {"waiting": 2},
        "these are interim ratings": {"interim": True},
    }
    for words, state in said.items():
        journal.ladder("club").editions += 1  # as an attempt to fit has ended
        with monkeypatch.context() as patch:
            patch.setattr(
                api, "view_category", lambda *given, state=state: replace(real(*given), **state)
            )
            for page in ("/c/club", f"/c/club/players/{ada}"):
                assert words in client.get(page).text, (words, page)
    journal.ladder("club").editions += 1
    assert "rated yet" not in client.get("/c/club").text


def test_a_list_is_seen_before_it_is_published(place):
    """The preview of a list shows its first rows, best first, and nothing is published yet."""
    client, journal = place
    signed_in(client, secret(journal, "admin"))
    form = {"category": "club", "key": "spring", "name": "Spring", "until": "2022-02-10"}
    text = sent(client, "/admin/changes/publish", **form).text
    rows = text.split("How the list begins</h2>")[1].split("<tbody>")[1].split("</tbody>")[0]
    shown = [unescape(name) for name in re.findall("<bdi>(.*?)</bdi>", rows)]
    day = 19_033.0  # 2022-02-10 since 1970
    best = journal.ratings("club", day + 0.999).leaderboard(20).columns["player"]
    assert shown == list(best)
    assert client.get("/c/club/lists/spring").status_code == 404


def test_long_numbers_are_for_keepers(place):
    """Strangers see the day of a result; where it came from, and as what, is for keepers."""
    client, journal = place
    one = submissions([("Ada", "Ben", 1.0, 19_300)])[0]
    long = "3b78832a866fa1b2c3d4e5f6-1"
    given = (one._replace(source="import", external_id=long),)
    number = journal.commit(RecordResults(given), ME).results[0].id
    text = client.get(f"/results/{number}").text
    assert "4 November 2022" in text
    assert long not in text
    signed_in(client, secret(journal, "correct"))
    assert f"<bdi>{long}</bdi>" in client.get(f"/results/{number}").text


def test_far_moves_are_counted(place):
    """A preview says how many move, and how many of them by half a point at least."""
    client, journal = place
    signed_in(client, secret(journal, "admin"))
    outlook = journal.preview(Void((5,)), ME)
    movers = outlook.previews["club"].movers
    far = [
        m for m in movers if m.after is None or abs(m.after["rating"] - m.before["rating"]) >= 0.5
    ]
    told = sent(client, "/admin/changes/void", result="5").text
    assert f"{len(movers)} players move in all" in told
    assert f"{len(far)} by half a point or more" in told
    assert 0 < len(far) <= len(movers)


def test_what_is_worth_playing_leads_on(place):
    """Names under games worth playing next lead to their pages."""
    client, _ = place
    text = client.get("/c/club/pairings").text.split("Worth playing next")[1]
    row = text.split("<tbody>")[1].split("</tr>")[0]
    assert row.count('href="/c/club/players/') == 2
