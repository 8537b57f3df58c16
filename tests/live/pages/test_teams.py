"""Teams on the pages: entered on a sheet, corrected in a form, read without a script."""

from __future__ import annotations

import html
import re

import pytest
from starlette.testclient import TestClient

from prowess.live.journal.categories import NewCategory
from prowess.live.journal.record import RecordResults
from prowess.live.journal.submission import LineUp, Submission
from prowess.live.result import DAY_US
from prowess.live.store import queries
from prowess.live.store.access import Actor
from prowess.present.listing import Listing
from prowess.present.site import Site, files
from tests.live.pages.club import Elements, club, secret, unsafe
from tests.live.pages.test_administration import confirmed, signed_in
from tests.live.pages.test_scoresheet import recorded, sheet

ME = Actor.console()


def team(*names: str) -> tuple[tuple[str, float], ...]:
    """Players who all play the whole game."""
    return tuple((name, 1.0) for name in names)


GAME = Submission(
    "doubles", time=19_800 * DAY_US, facts={"surface": "clay"},
    sides=(LineUp((("Ann", 1.0), ("Bob", 0.5)), 1.0), LineUp(team("Cid", "Dee"))),
)  # fmt: skip
HEAT = Submission(
    "heats", time=19_800 * DAY_US,
    sides=(LineUp(team("Ann", "Bob"), None, 2.0, 7.0), LineUp(team("Cid"), None, 1.0)),
)  # fmt: skip


@pytest.fixture
def place(sqlite_url):
    """(client, journal) with a keeper signed in; categories of doubles and of heats of teams."""
    with club(sqlite_url) as (app, journal), TestClient(app) as client:
        journal.commit(NewCategory("doubles", system="elo", side_size=2, provisional_games=0), ME)
        heats = NewCategory("heats", plays="contests", system="trueskill", side_size=3)
        journal.commit(heats, ME)
        journal.commit(RecordResults((GAME, HEAT)), ME)
        assert signed_in(client, secret(journal, "admin")).status_code == 303
        yield client, journal


def said(journal, number):
    """What a result says now: names with shares by side."""
    with journal.store.read() as connection:
        row = queries.find_versions(connection, number)[-1].result
    return [
        [(journal.name(one.player), one.share) for one in side.members] for side in row.sides
    ], row


def last(journal):
    """The number of the last result."""
    with journal.store.read() as connection:
        return queries.list_results(connection, limit=1)[0].id


def number_of(journal, key):
    """The number of the first result of a category."""
    with journal.store.read() as connection:
        return queries.list_results(connection, journal.category(key).id, limit=1)[0].id


def test_an_evening_of_doubles(place):
    """The sheet has a box for each player of a side; one that stays empty is no player."""
    client, journal = place
    page = Elements(client.get("/c/doubles/enter").text)
    boxes = {one["name"] for one in page.of("input") if one["name"].endswith(("1", "1_2"))}
    assert boxes == {"a1", "a1_2", "b1", "b1_2", "score1"}
    typed = {"a1": "Ann", "a1_2": "Eve", "b1": "Cid", "b1_2": "Dee", "score1": "0", "a2": "Ann",
             "b2": "Dee", "b2_2": "Cid", "score2": "0.5", "date": "2024-05-01"}  # fmt: skip
    answer = sheet(client, "doubles", **typed)
    assert answer.status_code == 200
    assert unsafe(answer.text) == []
    assert "New player: <bdi>Eve</bdi>" in answer.text
    done = recorded(client, answer, "doubles", **typed)
    assert "2 results of 2024-05-01 entered" in done.text
    number = last(journal)
    assert said(journal, number - 1)[0] == [
        [("Ann", 1.0), ("Eve", 1.0)],
        [("Cid", 1.0), ("Dee", 1.0)],
    ]
    sides, row = said(journal, number)
    assert (sides, row.score) == ([[("Ann", 1.0)], [("Cid", 1.0), ("Dee", 1.0)]], 0.5)


def test_an_evening_of_heats(place):
    """A row of a contest is a side."""
    client, journal = place
    typed = {"place1": "1", "player1": "Ann", "player1_3": "Eve", "place2": "2", "player2": "Bob",
             "date": "2024-05-01"}  # fmt: skip
    done = recorded(client, sheet(client, "heats", **typed), "heats", **typed)
    assert "1 result of 2024-05-01 entered" in done.text
    assert said(journal, last(journal))[0] == [[("Ann", 1.0), ("Eve", 1.0)], [("Bob", 1.0)]]


def test_mistakes_on_the_sheet(place):
    """A player on both sides, and a side without players, are told by row and side."""
    client, _ = place
    for typed, told in (
        (
            {"a3": "Ann", "b3": "Cid", "b3_2": "Ann"},
            "second side: take &#39;Ann&#39; off one of the sides",
        ),
        (
            {"a3": "Ann", "a3_2": "Ann", "b3": "Cid"},
            "first side: name &#39;Ann&#39; once on this side",
        ),
        ({"a3_2": "Ann"}, "second side: name the players of this side"),
    ):
        wrong = sheet(client, "doubles", **typed, score3="1", a5="Ann", b5="Bob", score5="1")
        assert wrong.status_code == 422
        assert f"Row 3, {told}" in wrong.text
        page = Elements(wrong.text)
        assert [page.field(name) for name in typed] == list(typed.values())


def test_the_page_of_a_result(place):
    """A result shows its sides with shares, what it did to whom, and its facts."""
    client, journal = place
    text = client.get(f"/results/{number_of(journal, 'doubles')}").text
    assert unsafe(text) == []
    assert re.findall(r"<bdi>(Ann|Bob|Cid|Dee)</bdi></a>", text) == ["Ann", "Bob", "Cid", "Dee"]
    assert "share 0.5" in text
    # Means of 1500: 32 (1 - 1/2) = 16 points, half of them for half of the game.
    assert re.findall(r">([+\N{MINUS SIGN}][\d.]+)</span>", text) == [
        "+16.0", "+8.00", "\N{MINUS SIGN}16.0", "\N{MINUS SIGN}16.0",
    ]  # fmt: skip
    assert "Ann &amp; Bob (share 0.5)" in text
    assert "surface: clay" in text
    heat = client.get(f"/results/{number_of(journal, 'heats')}").text
    assert "1. Cid, 2. Ann &amp; Bob (7)" in heat


def test_the_page_of_a_player(place):
    """The games of a player name both teams; pages of pairs are not offered."""
    client, journal = place
    number = journal.registry.people.find("Ann")
    text = client.get(f"/c/doubles/players/{number}").text
    assert "<bdi>Cid &amp; Dee</bdi>" in text
    assert "with <bdi>Bob</bdi>" in text
    assert "Head to head" not in text
    assert "/pairings" not in text
    answer = client.get("/c/doubles/pairings")
    assert answer.status_code == 404
    assert "only games between two players have pairs" in answer.text
    games = client.get(f"/c/doubles/players/{number}.csv").text
    assert games.splitlines()[1].split(",")[2] == "Cid & Dee"
    assert client.get("/c/doubles?include=all").status_code == 200
    assert client.get("/c/doubles/method").status_code == 200


def agreed(client, answer):
    """Press the button of a preview, whose longer fields are hidden boxes of text."""
    page = Elements(answer.text)
    fields = {one["name"]: one["value"] for one in page.of("input") if one.get("type") == "hidden"}
    boxes = re.findall(r'<textarea name="(\w+)" hidden>(.*?)</textarea>', answer.text, re.DOTALL)
    others = ("/logout", "/theme")
    address = next(
        one["action"]
        for one in page.of("form")
        if one.get("method") == "post" and one["action"] not in others
    )
    fields |= {name: html.unescape(text) for name, text in boxes}
    return client.post(address, data=fields)


def corrected(client, number, **typed):
    """Send the form of a correction as it stands, with other values in some boxes."""
    page = Elements(client.get(f"/admin/results/{number}").text)
    first: dict[str, str] = {}
    for one in page.of("input"):
        first.setdefault(one["name"], one.get("value", ""))
    return client.post("/admin/changes/correct", data=first | {"reason": "mistyped"} | typed)


def test_corrections(place):
    """The form holds a player a line with the share; the preview shows both versions."""
    client, journal = place
    number = number_of(journal, "doubles")
    text = client.get(f"/admin/results/{number}").text
    assert "Ann\nBob * 0.5</textarea>" in text
    assert "surface=clay</textarea>" in text
    answer = corrected(
        client, number, side_a="Ann\nEve * 0.25", side_b="Cid\nDee", facts="surface=grass\nsets=3",
        score="0",
    )  # fmt: skip
    assert answer.status_code == 200
    assert "<bdi>Ann &amp; Eve (share 0.25)</bdi>" in answer.text
    agreed(client, answer)
    sides, row = said(journal, number)
    assert sides == [[("Ann", 1.0), ("Eve", 0.25)], [("Cid", 1.0), ("Dee", 1.0)]]
    assert (row.score, row.facts) == (0.0, {"surface": "grass", "sets": 3.0})


def test_facts_in_the_form(place):
    """A fact is shown as it is read; one that is said twice is refused."""
    client, journal = place
    number = number_of(journal, "doubles")
    facts = "big=123456789\ncode=007\nword='3"
    side = {"side_a": "Ann\nBob * 0.5", "side_b": "Cid\nDee"}
    agreed(client, corrected(client, number, **side, facts=facts))
    assert said(journal, number)[1].facts == {"big": 123456789.0, "code": "007", "word": "3"}
    shown = client.get(f"/admin/results/{number}").text
    assert "big=123456789.0\ncode=007\nword=&#39;3</textarea>" in shown
    answer = corrected(client, number, **side, facts="surface=clay\nsurface=grass")
    assert answer.status_code == 422
    assert "remove one of the two lines" in answer.text


def test_corrections_of_contests(place):
    """A contest of teams is corrected a side a line, and as it stands says nothing new."""
    client, journal = place
    number = number_of(journal, "heats")
    text = client.get(f"/admin/results/{number}").text
    stands = "1\t\tCid\n2\t7\tAnn\tBob"
    assert f"{stands}</textarea>" in text
    same = corrected(client, number, placings=stands, facts="")
    assert "says so already" in same.text
    answer = corrected(client, number, placings="1\t9\tAnn\tBob\n2\t\tCid", facts="")
    agreed(client, answer)
    row = said(journal, number)[1]
    assert (row.sides[0].place, row.sides[0].points) == (1.0, 9.0)


def test_categories_of_teams(place):
    """A category gets its side size in the form, and another one later."""
    client, journal = place
    assert Elements(client.get("/admin/categories/doubles").text).field("side_size") == "2"
    page = Elements(client.get("/admin/categories").text)
    typed = {"csrf": page.field("csrf"), "key": "trios", "system": "elo", "plays": "games",
             "provisional_games": "10", "inactive_days": "365", "side_size": "3"}  # fmt: skip
    confirmed(client, client.post("/admin/changes/new-category", data=typed))
    assert journal.category("trios").side_size == 3
    wrong = client.post(
        "/admin/changes/new-category", data=typed | {"key": "x", "system": "codechef"}
    )
    assert wrong.status_code == 422
    assert "rates teams" in wrong.text


def test_static_pages(place):
    """The folder of a site has players, and no pairs, for games of teams."""
    _, journal = place
    found = dict(files(Site(journal.ratings("doubles"), "Doubles", Listing())))
    text = next(c for name, c in found.items() if name.startswith("players/ann")).decode()
    assert "Cid &amp; Dee" in text
    assert "pairings.html" not in found


@pytest.mark.parametrize(
    "text",
    [
        "time,a1,a2,b1,b2,score\n2024-01-01,Ann,Bob,Cid,Dee,1\n2024-01-02,Ann,,Cid,,0.5\n",
        (
            "contest,date,team,player,share,result\n1,2024-01-01,x,Ann,1,1\n1,2024-01-01,x,Bob,0.5,1\n"
            "1,2024-01-01,y,Cid,1,0\n1,2024-01-01,y,Dee,1,0\n"
        ),
    ],
)
def test_imports(place, text):
    """The wizard takes teams in columns and in rows."""
    client, journal = place
    before = len(journal.ladder("doubles"))
    page = Elements(client.get("/admin/import").text)
    sent = {"csrf": page.field("csrf"), "category": "doubles", "source": "file"}
    file = {"file": ("teams.csv", text.encode(), "text/csv")}
    answer = client.post("/admin/import:batch", data=sent, files=file)
    assert answer.status_code == 200, answer.text
    assert "<bdi>Cid &amp; Dee</bdi>" in answer.text
    agreed(client, answer)
    assert len(journal.ladder("doubles")) > before
