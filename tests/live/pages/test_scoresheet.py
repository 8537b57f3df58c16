"""The score sheet: results are typed in, previewed and committed."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from prowess.live.errors import Refused
from prowess.live.journal.categories import NewCategory
from prowess.live.journal.corrections import AddPlayers, Anonymise, Merge, Rename
from prowess.live.journal.record import RecordResults
from prowess.live.journal.registry import Category
from prowess.live.result import DAY_US
from prowess.live.store import queries
from prowess.live.store.access import Actor
from prowess.live.web import scoresheet
from prowess.live.web.changes import commit_act
from prowess.live.web.scoresheet import DRAFT_LASTS, tabulate_lines
from tests.live.pages.club import Elements, club, secret, submissions, unsafe
from tests.live.pages.test_administration import confirmed, signed_in
from tests.refusals import refused

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


def recorded(client, answer, key="club", **typed):
    """Press the button that records what a look has shown."""
    page = Elements(answer.text)
    fields = [
        (one["name"], one["value"]) for one in page.of("input") if one.get("type") == "hidden"
    ]
    more = {"new": [value for name, value in fields if name == "new"]}
    return client.post(f"/c/{key}/enter", data=dict(fields) | more | typed | {"step": "confirm"})


def test_an_evening(place):
    """A look shows who moves beside the rows, recording enters them; a fresh sheet follows."""
    client, journal = place
    before = len(journal.ratings("club").table)
    evening = {"a1": "Ada", "b1": "Cleo", "score1": "0.5", "a3": "Gustav", "b3": "Ben",
               "score3": "0", "side": "1", "side3": "-1", "date": "2024-05-01"}  # fmt: skip
    answer = sheet(client, **evening)
    assert answer.status_code == 200
    assert len(journal.ratings("club").table) == before
    moves = answer.text.split('id="moves"')[1]
    assert all(f"<bdi>{name}</bdi>" in moves for name in ("Ada", "Cleo", "Gustav", "Ben"))
    assert "New player: <bdi>Gustav</bdi>" in answer.text
    assert "Record 2 games" in answer.text
    assert Elements(answer.text).field("a3") == "Gustav"  # the rows stay in sight
    assert unsafe(answer.text) == []
    done = recorded(client, answer, **evening)
    assert "2 results of 2024-05-01 entered" in done.text
    assert Elements(done.text).field("a1") == ""
    table = journal.ratings("club").table
    rows = [(table.players[table.a[k]], table.players[table.b[k]], table.score[k], table.side[k])
            for k in (-2, -1)]  # fmt: skip
    assert rows == [("Ada", "Cleo", 0.5, 1.0), ("Gustav", "Ben", 0.0, -1.0)]
    assert table.time[-1] == 19_844.0  # days from 1970-01-01 to 2024-05-01
    links = [one for one in Elements(done.text).links() if one.startswith("/admin/results/")]
    assert len(links) == 2
    assert client.get(links[0]).status_code == 200  # to mend it, for an hour


def test_a_name_that_is_nearly_known_is_settled_in_its_row(place):
    """A near name is a question: yes takes the known one, new adds it; until then nothing moves."""
    client, journal = place
    evening = {"a1": "Adda", "b1": "Ben", "score1": "1", "a2": "Cleo", "b2": "Adda", "score2": "1"}
    answer = sheet(client, **evening)
    assert "Nobody is called “<bdi>Adda</bdi>”." in answer.text
    assert "2 names to settle" in answer.text
    assert 'value="confirm"' not in answer.text
    forced = recorded(client, answer, **evening)
    assert "entered, as revision" not in forced.text
    yes = sheet(client, **evening, settle="a1=Ada")
    page = Elements(yes.text)
    assert (page.field("a1"), page.field("b2")) == ("Ada", "Ada")
    assert "Record 2 games" in yes.text
    new = sheet(client, **evening, settle="b2+")
    assert Elements(new.text).field("new") == "Adda"
    done = recorded(client, new, **evening)
    assert "2 results" in done.text
    assert journal.registry.people.find("Adda") != journal.registry.people.find("Ada")
    assert sheet(client, **evening, settle="rows+").status_code == 422


def test_doubles_are_warned_of_in_the_row(place):
    """A pair that stands on this day, in the store or in a row above, is told, and may be entered
    all the same.
    """
    client, _ = place
    evening = {"a1": "Ada", "b1": "Ben", "score1": "1", "date": "2024-05-01"}
    assert "same pair" not in sheet(client, **evening).text
    recorded(client, sheet(client, **evening), **evening)
    again = {"a1": "Ben", "b1": "Ada", "score1": "1", "a2": "Dan", "b2": "Cleo", "score2": "1",
             "a3": "Cleo", "b3": "Dan", "score3": "1", "date": "2024-05-01"}  # fmt: skip
    answer = sheet(client, **again)
    assert answer.text.count("The same pair already stands on this day.") == 1
    assert answer.text.count("The same pair stands in row 2.") == 1
    assert "already stands" not in sheet(client, **again | {"date": "2024-05-02"}).text
    assert "3 results" in recorded(client, answer, **again).text


def test_only_what_was_seen_is_recorded(place):
    """Rows that were changed after the look, and a second press of the button, enter nothing."""
    client, journal = place
    typed = {"a1": "Ada", "b1": "Ben", "score1": "1"}
    answer = sheet(client, **typed)
    revision = journal.revision
    other = recorded(client, answer, **typed | {"score1": "0"})
    assert "Record 1 game" in other.text
    assert journal.revision == revision
    assert "1 result of" in recorded(client, answer, **typed).text
    twice = recorded(client, answer, **typed)
    assert "1 result of" in twice.text
    assert journal.revision == revision + 1


def test_a_second_click_with_a_newcomer_enters_nothing_more(place):
    """The newcomer of the first click is known at the second, which is answered as the first; rows
    that were changed in between are looked at.
    """
    client, journal = place
    typed = {"a1": "Ada", "b1": "Gustav", "score1": "1", "date": "2024-05-01"}
    answer = sheet(client, **typed)
    assert "1 result of" in recorded(client, answer, **typed).text
    revision = journal.revision
    assert "1 result of" in recorded(client, answer, **typed).text
    assert Elements(client.get("/c/club/enter").text).field("a1") == ""  # no draft of it
    other = recorded(client, answer, **typed | {"score1": "0"})
    assert "Record 1 game" in other.text
    assert journal.revision == revision


def test_a_merger_after_the_look_is_looked_at(place):
    """A game that would go to another player than the look showed is not entered."""
    client, journal = place
    journal.commit(RecordResults(submissions([("Zed", "Cleo", 1.0, 19_100)])), ME)
    typed = {"a1": "Zed", "b1": "Ben", "score1": "1", "date": "2024-05-01"}
    answer = sheet(client, **typed)
    journal.commit(Merge("Zed", "Ada"), ME)
    revision = journal.revision
    again = recorded(client, answer, **typed)
    assert "Record 1 game" in again.text
    assert journal.revision == revision
    assert "1 result of" in recorded(client, again, **typed).text


def test_a_game_that_another_tab_has_recorded_is_warned_of(place):
    """Of two looks at the same sheet the second one to be recorded shows the double first."""
    client, journal = place
    typed = {"a1": "Ada", "b1": "Ben", "score1": "1", "date": "2024-05-01"}
    first, second = sheet(client, **typed), sheet(client, **typed)
    recorded(client, first, **typed)
    revision = journal.revision
    again = recorded(client, second, **typed)
    assert "The same pair already stands on this day." in again.text
    assert journal.revision == revision
    assert "1 result of" in recorded(client, again, **typed).text  # it may be meant


def test_a_game_that_is_recorded_in_the_same_moment_is_warned_of(place, monkeypatch):
    """A double is looked for by the write itself: nothing comes between the look and the entry."""
    client, journal = place
    typed = {"a1": "Ada", "b1": "Ben", "score1": "1", "date": "2024-05-01"}
    answer = sheet(client, **typed)

    def commit_second(*given):
        journal.commit(RecordResults(submissions([("Ben", "Ada", 1.0, 19_844)])), ME)
        return commit_act(*given)

    monkeypatch.setattr(scoresheet, "commit_act", commit_second)
    revision = journal.revision
    again = recorded(client, answer, **typed)
    assert "The same pair already stands on this day." in again.text
    assert journal.revision == revision + 1


def test_a_pasted_list_fills_the_rows(place):
    """Lines, a table and PGN are read by the library's reader into rows below the typed ones."""
    client, _ = place
    pgn = '[White "Ada"]\n[Black "Cleo"]\n[Date "2024.05.03"]\n[Result "1/2-1/2"]\n\n1/2-1/2\n'
    for text, rows, date in (
        ("Ada Ben 1-0\nCleo Dan 0-1\n", [("Ada", "Ben", "1"), ("Cleo", "Dan", "0")], ""),
        ("white,black,result\nDan,Ada,1/2\n", [("Dan", "Ada", "0.5")], ""),
        ("ada - cleo 1:0\nBen ½ Dan\n", [("ada", "cleo", "1"), ("Ben", "Dan", "0.5")], ""),
        (pgn, [("Ada", "Cleo", "0.5")], "2024-05-03"),
    ):
        answer = sheet(client, step="paste", list=text, a1="Ben", b1="Ada", score1="0")
        page = Elements(answer.text)
        ticked = [one["value"] for one in page.of("input") if "checked" in one]
        found = [
            (page.field(f"a{row}"), page.field(f"b{row}"), ticked[row - 1])
            for row in range(1, 2 + len(rows))
        ]
        assert found == [("Ben", "Ada", "0"), *rows], answer.text
        assert not date or page.field("date") == date
    for bad in (
        "",
        "no results here",
        "date,a,b,score\n2024-05-01,Ada,Ben,1\n2024-05-02,Ada,Ben,1\n",
    ):
        refused = sheet(client, step="paste", list=bad, a1="Ben")
        assert refused.status_code == 422
        assert Elements(refused.text).field("a1") == "Ben"


def test_lines_of_names_of_several_words():
    """Known names tell where a line is cut; what can be read in two ways is asked."""
    games = Category(1, "club", "Club", "games", "elo")
    heats = Category(2, "heat", "Heat", "contests", "elo")
    known = {"Ann Lee", "Ben Ray Fox", "Ann", "Lee Ben"}.__contains__
    read = tabulate_lines(
        "Ann Lee Ben Ray Fox 1-0\nUma, Vic Noe 0–1\nUma vs Ann Lee =", games, known
    )
    assert read.splitlines() == [
        "player_a,player_b,result", "Ann Lee,Ben Ray Fox,1-0", "Uma,Vic Noe,0-1", "Uma,Ann Lee,=",
    ]  # fmt: skip
    points = replace(games, extra=("points",))
    assert "Ann,Uma,3,2" in tabulate_lines("Ann Uma 3-2", points, known)
    assert tabulate_lines("1. Ann Lee\n2) Uma", heats, known).splitlines()[1:] == [
        "1,Ann Lee",
        "2,Uma",
    ]
    assert tabulate_lines("white,black,result\nUma,Vic,1-0", games, known) is None
    with refused(Refused, "two_ways"):
        tabulate_lines("Uma Vic Noe 1-0", games, known)


def test_a_half_typed_evening_survives_a_closed_browser(place):
    """It is there again for the same key, in any browser, until it is entered or thrown away."""
    client, journal = place
    typed = {"a1": "Ada", "b1": "Benn", "score1": "1", "round": "Winter <3>", "rows": "12"}
    assert "kept as a draft" in sheet(client, **typed).text
    other = TestClient(client.app)
    assert signed_in(other, secret(journal, "submit")).status_code == 303
    assert Elements(other.get("/c/club/enter").text).field("a1") == ""  # of another key
    again = client.get("/c/club/enter").text
    page = Elements(again)
    found = [page.field(name) for name in ("a1", "b1", "round")]
    assert found == ["Ada", "Benn", "Winter <3>"]
    assert "Nobody is called" in again  # looked at, as when it was left
    assert page.field("a12") == ""
    assert unsafe(again) == []
    sheet(client, a1="Ada")
    assert 'role="alert"' not in client.get("/c/club/enter").text  # what is missing is no mistake
    gone = sheet(client, step="discard", **typed)
    assert Elements(gone.text).field("a1") == Elements(client.get("/c/club/enter").text).field("a1")
    evening = {"a1": "Ada", "b1": "Cleo", "score1": "1"}
    assert "1 result of" in recorded(client, sheet(client, **evening), **evening).text
    assert Elements(client.get("/c/club/enter").text).field("a1") == ""


def test_a_draft_outlives_no_name_and_no_month(place):
    """Who is forgotten stands in no draft either, and an old draft is gone."""
    client, journal = place
    sheet(client, a1="Ada", b1='N "B" ew')
    journal.commit(Rename("Ada", 'A "d" a'), ME)
    sheet(client, a1='A "d" a', b1="Ben")
    journal.commit(Anonymise('A "d" a'), ME)
    assert Elements(client.get("/c/club/enter").text).field("a1") == ""
    sheet(client, a1="Ben")
    later = journal.clock() + DRAFT_LASTS + 1
    journal.clock = lambda: later
    assert signed_in(client, secret(journal, "submit", source="file")).status_code == 303
    assert Elements(client.get("/c/club/enter").text).field("a1") == ""


@pytest.mark.parametrize(
    ("forgotten", "typed", "stays"),
    [
        ("date", {"a1": "Ada", "date": "2024-05-01"}, True),  # the name of a field
        ("An", {"a1": "Ann", "b1": "Joan An", "list": "Ann Joan-An1 1-0"}, True),
        ("Zacharias Zed", {"a1": "Zacharias  Zed"}, False),
        ("Zacharias Zed", {"a1": "Ada", "list": "Ada  1-0\tZacharias \t Zed"}, False),
        ("Zed", {"a1": "Ada", "new": "Zed"}, False),
    ],
)
def test_a_draft_goes_only_with_a_name_in_it(place, forgotten, typed, stays):
    """Another name, and what is no name, keep a draft; blanks between do not hide one."""
    client, journal = place
    sheet(client, **typed)
    journal.commit(AddPlayers((forgotten,), "club", look_alikes=True), ME)
    journal.commit(Anonymise(forgotten), ME)
    assert bool(Elements(client.get("/c/club/enter").text).field("a1")) == stays


def test_rows_are_added_and_cleared(place):
    """More rows keep what was typed; a row is emptied by its button."""
    client, _ = place
    page = Elements(sheet(client, step="more", a1="Ada", a2="Ben", score2="1").text)
    assert (page.field("a1"), page.field("a12")) == ("Ada", "")
    page = Elements(sheet(client, step="clear2", a1="Ada", a2="Ben", score2="1").text)
    assert (page.field("a1"), page.field("a2")) == ("Ada", "")
    assert not [one for one in page.of("input") if "checked" in one]


def test_a_mistake_keeps_what_was_typed(place):
    """After a mistake the sheet is there again as it was typed, with the fault in its row."""
    client, journal = place
    typed = {"a2": "Ada", "b2": "Ben", "score2": "1", "round": "third", "date": "2024-05-01"}
    revision = journal.revision
    wrong = sheet(client, **(typed | {"a4": "Ada", "b4": "Ada", "score4": "1"}))
    assert wrong.status_code == 422
    assert "Row 4, second player: player_a and player_b are the same player" in wrong.text
    assert "are the same player" in wrong.text.split('id="row-4"')[1].split("</li>")[0]
    assert [Elements(wrong.text).field(name) for name in ("a2", "a4", "round")] == [
        "Ada", "Ada", "third",
    ]  # fmt: skip
    for bad in ({}, {"a1": "Ada"}, {"a1": "Ada", "b1": "Ben"}, typed | {"date": "2999-01-01"}):
        assert sheet(client, **bad).status_code == 422
    assert journal.revision == revision


def test_points_where_they_are_kept(place):
    """A category that keeps points asks for them, and the score follows from them."""
    client, journal = place
    journal.commit(NewCategory(key="darts", system="elo", extra=("points",)), ME)
    assert "score1" not in client.get("/c/darts/enter").text
    row = {"a1": "Ada", "b1": "Ben", "points_a1": "2", "points_b1": "3"}
    assert recorded(client, sheet(client, "darts", **row), "darts", **row).status_code == 200
    table = journal.ratings("darts").table
    assert (table.score[0], table.points_a[0], table.points_b[0]) == (0.0, 2.0, 3.0)


def test_a_contest(place):
    """A contest is a list of places; equal ones are ties; it may be pasted."""
    client, journal = place
    journal.commit(NewCategory(key="race", plays="contests", system="weng_lin"), ME)
    rows = {"player1": "Ada", "place1": "1", "player2": "Ben", "place2": "2", "player3": "Cleo",
            "place3": "2", "place4": "4"}  # fmt: skip
    answer = sheet(client, "race", **rows)
    assert "Record the contest" in answer.text
    recorded(client, answer, "race", **rows)
    table = journal.ratings("race").table
    told = [(table.players[n], place) for n, place in zip(table.player, table.place, strict=True)]
    assert told == [("Ada", 1.0), ("Ben", 2.0), ("Cleo", 2.0)]
    pasted = Elements(sheet(client, "race", step="paste", list="player,place\nDan,2\nAda,1\n").text)
    found = {pasted.field(f"player{row}"): pasted.field(f"place{row}") for row in (1, 2)}
    assert found == {"Ada": "1", "Dan": "2"}
    wrong = sheet(client, "race", **rows | {"player3": "Ada"})
    assert "Row 3: " in wrong.text
    assert "sides." not in wrong.text


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
    typed = {"a1": "Ada", "b1": "Ben", "score1": "1"}
    answer = sheet(client, **typed)
    assert "waits for acceptance" in answer.text
    assert "waiting for acceptance" in recorded(client, answer, **typed).text
    assert journal.ratings("club") is before or len(journal.ratings("club").table) == len(
        before.table
    )


def test_today_unless_said(place):
    """The date on a fresh sheet is the server's today."""
    client, journal = place
    today = Elements(client.get("/c/club/enter").text).field("date")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", today)
    typed = {"a1": "Ada", "b1": "Ben", "score1": "1", "date": today}
    recorded(client, sheet(client, **typed), **typed)
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


def test_rows_without_a_result_are_games_to_come(place):
    """Who may correct adds them, as the preview counts; a result settles its own, once."""
    client, journal = place
    days = [(datetime.now(UTC) + timedelta(days=more)).date().isoformat() for more in (0, 20)]

    def take_in(result):
        rows = f"2024-05-02,Ada,Hal,1-0\n{days[0]},Hal,Ada,{result}\n{days[1]},Ada,Hal,\n"
        shown = uploaded(client, f"date,home,away,result\n2020-01-01,Hal,Ada,\n{rows}".encode())
        return shown.text, confirmed(client, shown).text

    def to_come():
        people = journal.registry.people.shown
        return {(people[one.a], one.side) for one in journal.registry.fixtures.values()}

    assert "2 games to come left out: your key may not add them" in take_in("")[0]
    assert not to_come()
    signed_in(client, secret(journal, "admin"))
    shown, done = take_in("")
    assert "Add 2 games to come" in shown
    assert f"<bdi>Ada – Hal {days[1]}</bdi>" in shown
    assert "2 games to come added" in done
    assert to_come() == {("Hal", 1.0), ("Ada", 1.0)}
    assert "2 games to come added" in client.get("/admin").text
    shown, done = take_in("0-1")
    assert "Record 1 result<" in shown.replace("</bdi>", "<")
    assert "to come added" not in done
    assert to_come() == {("Ada", 1.0)}
    revision = journal.revision
    shown, _ = take_in("0-1")
    assert "nothing in it is new; 2 of its results are recorded already and 0 are bad" in shown
    assert "Record 0" not in shown
    assert (to_come(), journal.revision) == ({("Ada", 1.0)}, revision)


def test_a_list_of_fixtures_is_taken_in(place):
    """Its games come; where the table moves one, or a result settles one, the preview names it."""
    client, journal = place
    signed_in(client, secret(journal, "admin"))
    today = datetime.now(UTC).date()

    def take_in(*rows, heading="date,home,away"):
        lines = (f"{today + timedelta(days=ahead)},{players}" for ahead, players in rows)
        shown = uploaded(client, "\n".join([heading, *lines]).encode())
        assert shown.status_code == 200, shown.text
        return shown.text, confirmed(client, shown).text

    shown, done = take_in((3, "Hal,Ada"), (9, "Ada,Hal"))
    assert "Add 2 games to come" in shown
    assert "2 games to come added" in done
    shown, done = take_in((5, "Hal,Ada"), (9, "Ada,Hal"), (9, "Ada,Ben"))
    assert "Add 1 game to come, move 1 game to come" in shown
    moved = f"Hal – Ada {today + timedelta(5)} (before: {today + timedelta(3)})"
    assert f"<bdi>{moved}</bdi>" in shown
    assert "1 game to come added, 1 game to come moved to another time" in done
    assert "1 game to come moved to another time" in client.get("/admin").text
    undated = uploaded(client, b"home,away,result\nHal,Ada,1-0\n")
    assert "1 game to come settled by a result" in undated.text
    assert f"<bdi>Hal – Ada {today + timedelta(5)}</bdi>" in undated.text
    assert "1 game to come settled by a result" in confirmed(client, undated).text
    assert len(journal.registry.fixtures) == 2


def test_a_bad_row_of_a_file_is_told_by_its_players(place):
    """The file's rows are taken in order of time, and its line is another than that number."""
    client, _ = place
    rows = b"date,player_a,player_b,score\n2024-05-02,Ada,Ben,1\n2024-05-01,Ada,B\xe2\x80\x8ben,1\n"
    said = uploaded(client, rows).text
    assert "on 2024-05-01: player_b: " in said
    assert "row 1" not in said


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
    assert "Did you mean <b><bdi>Cleo</bdi></b>?" in answer.text
    assert "looks the same as <b><bdi>Cleo" not in answer.text
    two = sheet(client, a1="Eve", b1="\u0415ve", score1="1")  # both are new
    assert "<bdi>\u0415ve</bdi></b> looks the same as <b><bdi>Eve</bdi></b>" in two.text
    for seat in ("a1", "b1"):
        kept = {
            "new": [
                one["value"]
                for one in Elements(answer.text).of("input")
                if one.get("name") == "new"
            ]
        }
        answer = sheet(client, **rows, **kept, settle=f"{seat}+")
    recorded(client, answer, **rows)
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
