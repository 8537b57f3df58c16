"""What pages keep from visitors, and what they bear."""

from __future__ import annotations

from time import process_time

import pytest
from starlette.testclient import TestClient

from prowess.live.api.middleware import ServerSettings
from prowess.live.journal.categories import RenameCategory
from prowess.live.journal.corrections import AddPlayers
from prowess.live.journal.record import RecordResults
from prowess.live.journal.submission import Submission
from prowess.live.store.access import Actor
from prowess.live.web.scoresheet import tabulate_lines
from tests.live.house import signed_in
from tests.live.whole import ANY, CONSOLE, secret, whole

REPORTER = Actor(None, "club", frozenset({"submit"}), "club", review=True)


@pytest.mark.parametrize("category", ["chess", "race", "rumble"])
@pytest.mark.parametrize("query", ["", "?include=playing", "?since=2022-01-08", "?q=Zoe"])
def test_players_without_a_game_end_the_leaderboard(sqlite_url, category, query):
    """A table with games shows who was added before their first, with as many cells a row."""
    with whole(sqlite_url) as (app, journal):
        journal.commit(AddPlayers(("Zoe <b>",), category), CONSOLE)
        answer = TestClient(app).get(f"/c/{category}{query}")
        assert answer.status_code == 200
        if not query and category == "chess":
            assert "<bdi>Zoe &lt;b&gt;</bdi>" in answer.text
        rows = answer.text.partition("<tbody>")[2].partition("</tbody>")[0].split("<tr ")[1:]
        assert len({row.count("<td") + row.count("<th") for row in rows}) <= 1


def test_a_private_server_says_no_name(sqlite_url):
    """Whoever is not signed in sees neither the site's name nor its categories, on any page."""
    with whole(sqlite_url, ServerSettings(private=True)) as (app, journal):
        visitor = TestClient(app)
        pages = [visitor.get(one).text for one in ("/login", "/static/nothing.css", "/login/x")]
        pages.append(visitor.post("/login", data={"csrf": "wrong", "token": "x"}).text)
        assert not any(word in page for page in pages for word in ("chess", "race", "rumble"))
        assert signed_in(visitor, secret(journal, "read")).status_code == 303
        assert "chess" in visitor.get("/c/race").text


@pytest.mark.parametrize(
    "text", ["a" + " " * 400_000 + "b", "a " * 200_000 + "1-0", "Ann Ben 1-0\n" * 100_000]
)
def test_a_pasted_list_costs_little(sqlite_url, text):
    """Whatever is pasted, reading it as a list of games takes moments."""
    with whole(sqlite_url) as (_, journal):
        began = process_time()
        assert tabulate_lines(text, journal.category("chess"), lambda _: True) is None
        assert process_time() - began < 1.0


def test_held_results_stay_hidden(sqlite_url):
    """Neither a player who waits nor the pair of a held result is given away."""
    held = Submission("chess", "Harry", "Ada", 1.0)
    with whole(sqlite_url) as (app, journal):
        journal.commit(RecordResults((held,)), REPORTER)
        visitor = TestClient(app)
        told = [
            visitor.get(f"/c/chess/pairings?a={name}&b=Ada").text.replace(name, "")
            for name in ("Harry", "Nobody")
        ]
        said = [page.partition("<main")[2].partition("</main>")[0] for page in told]
        assert said[0] == said[1]
        assert "no player is called" in said[0]


def test_a_former_key_is_not_kept_for_ever(sqlite_url):
    """A category may be renamed back: browsers do not keep where the other key led."""
    with whole(sqlite_url) as (app, journal):
        client = TestClient(app, follow_redirects=False)
        journal.commit(RenameCategory("chess", key="chess2"), CONSOLE)
        answer = client.get("/c/chess")
        assert (answer.status_code, answer.headers["Location"]) == (301, "/c/chess2")
        assert answer.headers["Cache-Control"] == "no-store"
        streams = app.state.streams
        one = streams.open(None, "chess", None, "network").listener
        assert streams.hears(one, "chess2")
        assert not streams.hears(one, "race")


def test_a_theme_is_one_visitors(sqlite_url):
    """Cookies in several headers are one cookie: the page is not kept for others."""
    with whole(sqlite_url, ServerSettings(by_address=ANY)) as (app, _):
        client = TestClient(app)
        for headers in ([("cookie", ""), ("cookie", "prowess_theme=dark")], []):
            page = client.get("/c/race", headers=headers).text
            assert ('data-theme="dark"' in page) == bool(headers)
