"""What a page says of its own numbers: how old they are, what they leave out, what waits."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from prowess.live.api import sight as api
from prowess.live.desk.entries.corrections import Void
from prowess.live.desk.entries.methods import NewCategory
from prowess.live.desk.entries.record import Record
from prowess.live.store.tokens import Actor
from tests.live.pages.club import club, submissions

ME = Actor.console()


@pytest.fixture
def place(sqlite_url):
    """(client, desk) of the club."""
    with club(sqlite_url) as (app, desk), TestClient(app) as client:
        yield client, desk


def test_as_known_then(place):
    """A revision in the address brings the page as it was, says so, and leads on within it."""
    client, desk = place
    before = desk.revision
    then = client.get("/c/club?show=all").text
    desk.commit(Void((1, 2, 3)), ME)
    text = client.get(f"/c/club?show=all&revision={before}").text
    assert f"As known at revision {before} of " in text
    ratings = re.compile(r'<td class="n">([\d.]+)</td>')
    assert ratings.findall(text) == ratings.findall(then) != []
    assert ratings.findall(text) != ratings.findall(client.get("/c/club?show=all").text)
    player = re.findall(rf'href="(/c/club/players/\d+\?revision={before})"', text)[0]
    assert "As known at revision" in client.get(player).text


def test_nonsense_is_told(place):
    """A revision that is none, and a comparison with a day to come, are refused in a sentence."""
    client, desk = place
    assert client.get("/c/club?revision=999999").status_code == 404
    assert f"they run from 1 to {desk.revision}" in client.get("/c/club?revision=0").text
    for bad in (
        "revision=x",
        "revision=-1",
        "since=2999-01-01",
        "since=2022-02-01&as_of=2022-01-01",
    ):
        assert client.get(f"/c/club?{bad}").status_code == 422, bad
    assert "2999-01-01 has not come yet" in client.get("/c/club?as_of=2999-01-01").text


def test_a_new_club_has_a_leaderboard(place):
    """While fewer than three have played enough everybody is shown, ranked and marked."""
    client, desk = place
    desk.commit(NewCategory(key="new", system="elo", provisional_games=10), ME)
    desk.commit(Record(submissions([("Ada", "Ben", 1.0, 19_000)], "new")), ME)
    text = client.get("/c/new").text
    assert "everybody is shown" in text
    assert text.count('<span class="mark">provisional</span>') == 2
    assert "Ranks count the 2 players shown" in text
    ada = desk.books.people.find("Ada")
    assert "1 of 2" in client.get(f"/c/new/players/{ada}").text
    assert client.get("/c/new/pairings").status_code == 200


def test_what_waits_is_told(place, monkeypatch):
    """That a fit waits or failed stands on the leaderboard and on a player's page, with reason."""
    client, desk = place
    ada = desk.books.people.find("Ada")
    real = api.sight
    said = {
        "cannot be fitted to all results: two halves never met": {
            "trouble": "two halves never met"
        },
        "2 results are not in the fit yet": {"waiting": 2},
        "these are interim ratings": {"interim": True},
    }
    for words, state in said.items():
        with monkeypatch.context() as patch:
            patch.setattr(api, "sight", lambda *given, state=state: replace(real(*given), **state))
            for page in ("/c/club", f"/c/club/players/{ada}"):
                assert words in client.get(page).text, (words, page)
    assert "fit yet" not in client.get("/c/club").text
