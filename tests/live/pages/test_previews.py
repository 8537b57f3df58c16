"""A preview repeats what was typed, beside what stands there now, and the reason."""

from __future__ import annotations

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from prowess.live.journal.categories import ChangeMethod, ChangeSite, RenameCategory
from prowess.live.journal.corrections import Merge, Rename
from prowess.live.journal.record import RecordResults
from prowess.live.store.queries import find_versions
from tests.live.pages.club import club, secret, submissions, unsafe
from tests.live.pages.test_administration import ME, confirmed, sent, signed_in
from tests.live.pages.test_scoresheet import uploaded
from tests.live.whole import CONSOLE


@pytest.fixture
def place(sqlite_url):
    """(client, journal) of the club, an administrator signed in."""
    with club(sqlite_url) as (app, journal), TestClient(app) as client:
        assert signed_in(client, secret(journal, "admin")).status_code == 303
        yield client, journal


def table(answer):
    """The rows of the table of what is entered, its head first."""
    assert answer.status_code == 200, answer.text
    assert unsafe(answer.text) == []
    whole = answer.text.split('<table id="entered">')[1].split("</table>")[0]
    return [
        [
            unescape(re.sub(r"<[^>]*>", "", cell)).strip()
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in re.findall(r"<tr>(.*?)</tr>", whole, re.DOTALL)
    ]


def test_a_file_is_repeated(place):
    """The results that a file brings stand in the preview; those that are there already do not."""
    client, _ = place
    first = b"date,player_a,player_b,score\n2024-05-01,Ada,Ben,1\n"
    confirmed(client, uploaded(client, first))
    answer = uploaded(client, first + b"2024-05-02,Ben,Cleo,0.5\n")
    assert table(answer)[1:] == [["2024-05-02", "Ben", "Cleo", "0.5"]]
    assert "<li>columns   player_a   player_b   score = result   date.</li>" in answer.text


def test_a_correction_names_what_its_category_rates(place):
    """Where teams play, the rows and the sentence of the preview say team."""
    client, journal = place
    key = journal.categories()[0].key
    journal.commit(RenameCategory(key, noun="team"), CONSOLE)
    wrong = {"result": "5", "player_a": "Ada", "player_b": "Ben", "score": "0.25", "reason": "told"}
    answer = sent(client, "/admin/changes/correct", **wrong)
    titles = [row[0] for row in table(answer)]
    assert {"first team", "second team"} <= {*titles}
    assert "teams move in all" in answer.text
    assert "player" not in " ".join(titles)


def test_a_correction_shows_old_and_new(place):
    """Each fact of a result stands beside what it would be; what changes is marked, and why."""
    client, journal = place
    result = {"result": "5", "player_a": "Ada", "player_b": "Ben", "score": "0.25",
              "time": "2022-01-09T18:30:00.5", "reason": "wrong <sheet>"}  # fmt: skip
    with journal.store.read() as connection:
        old = find_versions(connection, 5)[-1].result
    answer = sent(client, "/admin/changes/correct", **result)
    rows = {row[0]: row[1:] for row in table(answer)}
    called = journal.registry.people.shown
    assert rows["what"] == ["now", "then"]
    assert rows["first player"] == [called[old.players[0]], "Ada changed"]
    assert rows["score of the first"] == [f"{old.score:g}", "0.25 changed"]
    assert rows["played"][1] == "2022-01-09 18:30:00.500000 UTC changed"
    assert "Reason: <b><bdi>wrong &lt;sheet&gt;</bdi></b>" in answer.text
    assert "<b>0.25–0.75</b>" in answer.text
    assert "<bdi>Change to 0.25–0.75</bdi></button>" in answer.text
    same = {"result": "5", "player_a": called[old.players[0]], "player_b": called[old.players[1]],
            "score": "0.75", "weight": "1", "round": "final", "reason": "told"}  # fmt: skip
    answer = sent(client, "/admin/changes/correct", **same)
    rows = {row[0]: row[1:] for row in table(answer)}
    assert rows["first player"] == [called[old.players[0]], "the same"]
    assert rows["played"][1] == "the same"
    assert rows["round"] == ["–", "final changed"]
    assert sent(client, "/admin/changes/correct", **same | {"reason": ""}).status_code == 422


def test_other_changes_say_what_they_change(place):
    """Void results are listed with the reason; names and methods stand beside the present ones."""
    client, journal = place
    answer = sent(client, "/admin/changes/void", result="5", reason="twice")
    assert table(answer)[1][:2] == ["5", "counts"]
    assert "<bdi>Strike 1 result</bdi></button>" in answer.text
    assert "Reason: <b><bdi>twice</bdi></b>" in answer.text
    answer = sent(client, "/admin/changes/rename", player="Dan", name="Daniel")
    assert ["name", "Dan", "Daniel changed"] in table(answer)
    method = {"category": "club", "system": "elo", "params": "k=20", "provisional_games": "5"}
    rows = table(sent(client, "/admin/changes/change-method", **method))
    assert ["system", "glicko", "elo changed"] in rows
    assert ["params", "as usual", "k=20.0 changed"] in rows
    assert ["inactive days", "10000", "the same"] in rows
    journal.commit(RecordResults(submissions([("Zed", "Cleo", 1.0, 19_100)])), ME)
    rows = table(sent(client, "/admin/changes/merge", player="Zed", into="Ada"))
    assert ["into player", "Ada"] in rows
    season = {"category": "club", "key": "s1", "name": "One", "starts": "2022-01-01",
              "ends": "2022-02-01"}  # fmt: skip
    rows = table(sent(client, "/admin/changes/new-season", **season))
    assert ["starts", "2022-01-01"] in rows


def test_an_import_goes_on_while_others_report(place):
    """What others report after the preview of a file does not stop it, unless it would do
    something else now; a second click enters nothing more.
    """
    client, journal = place
    head = b"date,player_a,player_b,score\n"
    answer = uploaded(client, head + b"2024-05-01,Ada,Ben,1\n")
    journal.commit(RecordResults(submissions([("Ben", "Cleo", 1.0, 19_100)])), ME)
    assert "1 recorded" in confirmed(client, answer).text
    revision = journal.revision
    assert "1 recorded" in confirmed(client, answer).text
    assert journal.revision == revision
    first, second = (uploaded(client, head + b"2024-05-02,Ada,Ben,1\n") for _ in range(2))
    confirmed(client, first)
    stale = confirmed(client, second)
    assert (stale.status_code, journal.revision) == (409, revision + 1)
    assert "1 of its results are recorded already" in stale.text


@pytest.mark.parametrize(
    ("act", "fields", "meanwhile"),
    [
        (
            "rename-category",
            {"category": "club", "key": "club", "name": "Our club"},
            RenameCategory("club", name="Another"),
        ),
        ("change-method", {"category": "club", "system": "elo"}, ChangeMethod("club", "glicko2")),
        ("change-site", {"name": "Site"}, ChangeSite(name="Other")),
        ("merge", {"player": "Zed", "into": "Ada"}, Rename("Ada", "Adele")),
        ("anonymise", {"player": "Dan"}, Merge("Zed", "Dan")),
        (
            "add-players",
            {"category": "club", "names": "Hal"},
            RecordResults(submissions([("Ada", "Hal", 1.0, 19_101)])),
        ),
    ],
)
def test_a_change_goes_on_while_others_report(place, act, fields, meanwhile):
    """What is entered after the preview of another change stops it only where that is about the
    same: its category, the site, its players and their names.
    """
    client, journal = place
    journal.commit(RecordResults(submissions([("Zed", "Cleo", 1.0, 19_100)])), ME)
    seen = sent(client, f"/admin/changes/{act}", **fields)
    journal.commit(meanwhile, CONSOLE)
    revision = journal.revision
    assert confirmed(client, seen, **fields).status_code in (409, 412)
    assert journal.revision == revision


@pytest.mark.parametrize(
    ("act", "fields"),
    [
        ("rename-category", {"category": "club", "key": "club", "name": "Our club"}),
        ("change-method", {"category": "club", "system": "elo"}),
        ("change-site", {"name": "Site"}),
        ("merge", {"player": "Zed", "into": "Ada"}),
        ("rename", {"player": "Dan", "name": "Daniel"}),
        ("add-players", {"category": "club", "names": "Hal\nIda"}),
    ],
)
def test_what_others_report_stops_no_other_change(place, act, fields):
    """A game of others, with a new player, leaves what was seen of a change as it was."""
    client, journal = place
    journal.commit(RecordResults(submissions([("Zed", "Cleo", 1.0, 19_100)])), ME)
    seen = sent(client, f"/admin/changes/{act}", **fields)
    journal.commit(RecordResults(submissions([("Ada", "Moe", 1.0, 19_101)])), ME)
    revision = journal.revision
    assert confirmed(client, seen, **fields).status_code == 200
    assert journal.revision == revision + 1
