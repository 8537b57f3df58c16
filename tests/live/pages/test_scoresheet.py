"""The score sheet: results are typed in, previewed and committed."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from prowess.live.journal.categories import NewCategory
from prowess.live.result import DAY_US
from prowess.live.store import queries
from prowess.live.store.access import Actor
from tests.live.pages.club import Elements, club, secret, unsafe
from tests.live.pages.test_administration import confirmed, signed_in

ME = Actor.console()


@pytest.fixture
def place(sqlite_url):
    """(client, journal) of the club, somebody signed in who may submit and nothing else."""
    with club(sqlite_url) as (app, journal), TestClient(app) as client:
        assert signed_in(client, secret(journal, "submit", source="file")).status_code == 303
        yield client, journal


def sheet(client, key="club", **typed):
    """Send what was typed into the sheet of a category."""
    word = Elements(client.get("/login").text).field("csrf")
    return client.post(f"/c/{key}/enter", data={"csrf": word, **typed})


def test_an_evening(place):
    """Rows are previewed with new names marked, then entered as typed; a fresh sheet follows."""
    client, journal = place
    before = len(journal.ratings("club").table)
    evening = {"a1": "Ada", "b1": "Cleo", "score1": "0.5", "a3": "Adda", "b3": "Ben",
               "score3": "0", "side3": "1", "date": "2024-05-01"}  # fmt: skip
    answer = sheet(client, **evening)
    assert answer.status_code == 200
    assert len(journal.ratings("club").table) == before
    told = answer.text.split("New player:")[1].split("</p>")[0]
    assert "<bdi>Adda</bdi>" in told
    assert "or is it <bdi>Ada</bdi>?" in told
    assert "<bdi>Cleo</bdi>" not in told
    assert unsafe(answer.text) == []
    done = confirmed(client, answer)
    assert "2 results of 2024-05-01 entered" in done.text
    assert Elements(done.text).field("a1") == ""
    table = journal.ratings("club").table
    rows = [(table.players[table.a[k]], table.players[table.b[k]], table.score[k], table.side[k])
            for k in (-2, -1)]  # fmt: skip
    assert rows == [("Ada", "Cleo", 0.5, 0.0), ("Adda", "Ben", 0.0, 1.0)]
    assert table.time[-1] == 19_844.0  # days from 1970-01-01 to 2024-05-01


def test_back_keeps_what_was_typed(place):
    """From the preview, and after a mistake, the sheet is there again as it was typed."""
    client, journal = place
    typed = {"a2": "Ada", "b2": "Ben", "score2": "1", "round": "third", "date": "2024-05-01"}
    page = Elements(sheet(client, **typed).text)
    hidden = {o["name"]: o["value"] for o in page.of("input") if o.get("type") == "hidden"}
    back = Elements(client.post("/c/club/enter", data=hidden | {"step": "back"}).text)
    assert [back.field(name) for name in ("a2", "b2", "round", "date")] == [
        "Ada", "Ben", "third", "2024-05-01",
    ]  # fmt: skip
    revision = journal.revision
    wrong = sheet(client, **(typed | {"a4": "Ada", "b4": "Ada", "score4": "1"}))
    assert wrong.status_code == 422
    assert "Row 4, second player: player_a and player_b are the same player" in wrong.text
    assert Elements(wrong.text).field("a4") == "Ada"
    for bad in ({}, {"a1": "Ada"}, {"a1": "Ada", "b1": "Ben"}, typed | {"date": "2999-01-01"}):
        assert sheet(client, **bad).status_code == 422
    assert journal.revision == revision


def test_points_where_they_are_kept(place):
    """A category that keeps points asks for them, and the score follows from them."""
    client, journal = place
    journal.commit(NewCategory(key="darts", system="elo", extra=("points",)), ME)
    assert "score1" not in client.get("/c/darts/enter").text
    row = {"a1": "Ada", "b1": "Ben", "points_a1": "2", "points_b1": "3"}
    assert confirmed(client, sheet(client, "darts", **row)).status_code == 200
    table = journal.ratings("darts").table
    assert (table.score[0], table.points_a[0], table.points_b[0]) == (0.0, 2.0, 3.0)


def test_a_contest(place):
    """A contest is a list of places; equal ones are ties."""
    client, journal = place
    journal.commit(NewCategory(key="race", plays="contests", system="weng_lin"), ME)
    rows = {"player1": "Ada", "place1": "1", "player2": "Ben", "place2": "2", "player3": "Cleo",
            "place3": "2", "place4": "4"}  # fmt: skip
    confirmed(client, sheet(client, "race", **rows))
    table = journal.ratings("race").table
    told = [(table.players[n], place) for n, place in zip(table.player, table.place, strict=True)]
    assert told == [("Ada", 1.0), ("Ben", 2.0), ("Cleo", 2.0)]


def test_only_for_those_who_may(place):
    """Who may submit finds the sheet and nothing of the keepers; a stranger is asked who he is."""
    client, journal = place
    assert 'href="/c/club/enter"' in client.get("/c/club").text
    welcome = client.get("/admin").text
    assert 'href="/c/club/enter"' in welcome
    assert "/admin/results" not in welcome
    assert client.get("/admin/import").status_code == 200
    for page in ("/admin/results", "/admin/tokens"):
        assert client.get(page).status_code == 403
    stranger = TestClient(client.app)
    answer = stranger.get("/c/club/enter", follow_redirects=False)
    assert answer.headers["location"] == "/login?next=/c/club/enter"
    assert "/c/club/enter" not in stranger.get("/c/club").text
    signed_in(stranger, secret(journal, "read"))
    assert stranger.get("/admin").status_code == 403
    assert "Sign out" in stranger.get("/c/club").text
    assert sheet(stranger, a1="Ada", b1="Ben", score1="1").status_code == 403


def test_a_guest_waits(place):
    """What a reviewed token enters is said to wait, and moves nobody."""
    client, journal = place
    signed_in(client, secret(journal, "submit", review=True))
    before = journal.ratings("club")
    answer = sheet(client, a1="Ada", b1="Ben", score1="1")
    assert "1 waits for acceptance" in answer.text
    assert "waiting for acceptance" in confirmed(client, answer).text
    assert journal.ratings("club") is before or len(journal.ratings("club").table) == len(
        before.table
    )


def test_today_unless_said(place):
    """The date on a fresh sheet is the server's today."""
    client, journal = place
    today = Elements(client.get("/c/club/enter").text).field("date")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", today)
    confirmed(client, sheet(client, a1="Ada", b1="Ben", score1="1", date=today))
    assert journal.ratings("club").table.time[-1] == journal.clock() // DAY_US


def uploaded(client, text, kept="", **chosen):
    """Send a file, or, without text, the form alone."""
    word = Elements(client.get("/login").text).field("csrf")
    data = {"csrf": word, "category": "club", "source": "file", "kept": kept, **chosen}
    files = {"file": ("games.csv", text)} if text else {"file": ("", b"")}
    return client.post("/admin/import:batch", data=data, files=files)


def test_a_file_that_needs_words(place):
    """Encoding, delimiter, dates and columns can be said, and stay said after a mistake."""
    client, journal = place
    file = "wann|weiß|schwarz|x\n03.04.2024|Zoë|Ada|1\n05.04.2024|Ada|Zoë|0.5\n".encode("latin-1")
    said = {"delimiter": "|", "date_format": "%d.%m.%Y", "time": "wann", "player_a": "weiß",
            "player_b": "schwarz", "result": "x"}  # fmt: skip
    wrong = uploaded(client, file, **said, encoding="utf-8")
    assert wrong.status_code == 422
    page = Elements(wrong.text)
    told = wrong.text.split('role="alert"')[1].split("</div>")[0]
    assert "name another encoding" in told
    assert "--" not in told
    assert {name: page.field(name) for name in said} == said
    again = uploaded(client, b"", page.field("kept"), **said, encoding="latin-1")
    assert "<bdi>Zoë</bdi>" in again.text.split("New player:")[1].split("</p>")[0]
    assert "2 recorded" in confirmed(client, again).text
    table = journal.ratings("club").table
    assert table.time[-2:].tolist() == [19_816.0, 19_818.0]  # 3 and 5 April 2024 since 1970


def test_a_file_of_contests(place):
    """What the reader guessed is shown before it is done."""
    client, journal = place
    journal.commit(NewCategory(key="race", plays="contests", system="weng_lin"), ME)
    rows = b"race,player,place\n1,Ada,1\n1,Ben,DNF\n1,Cleo,2\n2,Ben,1\n2,Ada,2\n"
    answer = uploaded(client, rows, category="race", unplaced="last")
    assert "<li>contests told apart by race: 2 contests of 2 to 3 players.</li>" in answer.text
    assert "--" not in answer.text.split("<h1>")[1].split("<form")[0]
    confirmed(client, answer)
    table = journal.ratings("race").table
    told = [(table.players[n], place) for n, place in zip(table.player, table.place, strict=True)]
    assert told[:3] == [("Ada", 1.0), ("Ben", 3.0), ("Cleo", 2.0)]


def test_a_file_of_facts(place):
    """Columns fact_NAME are facts unasked; a box names others."""
    client, journal = place
    rows = b"date,player_a,player_b,score,fact_code,Best Of\n2024-05-01,Ada,Ben,0.3,007,3\n"
    confirmed(client, uploaded(client, rows))
    answer = uploaded(client, rows, facts="Best Of")
    assert "1 recorded" in confirmed(client, answer).text, answer.text
    with journal.store.read() as connection:
        found = queries.list_results(connection, limit=2, newest=True)
    assert [(one.score, one.facts) for one in found] == [
        (0.3, {"best_of": 3.0, "code": "007"}), (0.3, {"code": "007"}),
    ]  # fmt: skip
    wrong = uploaded(client, rows.replace(b"Best Of", b"42"), facts="42")
    assert "rename the column" in wrong.text


def test_a_file_of_teams(place):
    """Teams are refused, and a box takes them for names."""
    client, _ = place
    rows = b"date,player_a,player_b,score\n2024-05-01,A & B,C,1\n2024-05-01,B & A,C,0\n"
    assert (
        "the box &#34;Names such as A &amp; B&#34;: &#34;names&#34;" in uploaded(client, rows).text
    )
    assert uploaded(client, rows, teams="names").status_code == 200


def test_bad_rows_are_left_out_and_told(place):
    """Without the box a bad row stops everything and the box is named; with it, it is listed."""
    client, journal = place
    rows = b"date,player_a,player_b,score\n2024-05-01,Ada,Ben,1\n2024-05-02,Ada,Ben,seven\n"
    stopped = uploaded(client, rows)
    assert stopped.status_code == 422
    assert "tick &#34;leave out bad rows" in stopped.text
    assert "--skip-bad" not in stopped.text
    before = len(journal.ratings("club").table)
    answer = uploaded(client, rows, on_error="skip")
    assert "line 3" in answer.text.split("Left out")[1]
    assert "1 row was left out" in confirmed(client, answer).text
    assert len(journal.ratings("club").table) == before + 1


def test_a_name_that_looks_like_a_known_one_is_shown(place):
    """The preview says that a new name only looks like a known one, and suggests a near one."""
    client, journal = place
    rows = {"a1": "\u0410da", "b1": "cl\u00e9o", "score1": "1", "a2": "Ben", "b2": " Dan ",
            "score2": "0"}  # fmt: skip
    answer = sheet(client, **rows)
    assert "<bdi>\u0410da</bdi></b> looks the same as <b><bdi>Ada</bdi></b>" in answer.text
    assert "another letter: U+0410 (CYRILLIC CAPITAL LETTER A)" in answer.text
    assert "or is it <bdi>Cleo</bdi>?" in answer.text
    assert "looks the same as <b><bdi>Cleo" not in answer.text
    two = sheet(client, a1="Eve", b1="\u0415ve", score1="1")  # both are new
    assert "<bdi>\u0415ve</bdi></b> looks the same as <b><bdi>Eve</bdi></b>" in two.text
    confirmed(client, answer)
    assert journal.registry.people.find("\u0410da") != journal.registry.people.find("Ada")


def test_an_import_comes_in_under_the_source_of_the_token(place):
    """The form offers the token's own source; another one is refused, with what to do."""
    client, journal = place
    signed_in(client, secret(journal, "submit"))  # its name is its source
    assert 'name="source" value="keeper"' in client.get("/admin/import").text
    rows = b"date,player_a,player_b,score\n2024-05-01,Ada,Ben,1\n"
    refused = uploaded(client, rows)
    assert refused.status_code in {403, 422}
    assert "leave the source out" in refused.text
    assert "1 recorded" in confirmed(client, uploaded(client, rows, source="")).text
    with journal.store.read() as connection:
        assert queries.list_results(connection, None, None, None, "keeper", 10, None, newest=True)
