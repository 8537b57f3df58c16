"""Administration pages: sign-in, and changes with a preview of the players who move."""

from __future__ import annotations

import re
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from prowess.live.journal.corrections import Restore, Void
from prowess.live.store import access
from prowess.live.store.access import Actor
from prowess.live.store.backup import write_backup
from prowess.live.store.queries import find_results
from prowess.live.store.store import open_store
from prowess.live.store.tables import TABLES, session, setting, token
from prowess.live.web import administration
from tests.live.pages.club import Elements, club, games, secret, unsafe

ME = Actor.console()
HOUR = 3_600_000_000  # microseconds


@pytest.fixture
def place(sqlite_url):
    """(client, journal) of the club, nobody signed in."""
    with club(sqlite_url) as (app, journal), TestClient(app) as client:
        yield client, journal


def signed_in(client, given):
    """Sign in with a secret; the answer."""
    word = Elements(client.get("/login").text).field("csrf")
    return client.post("/login", data={"csrf": word, "token": given}, follow_redirects=False)


@pytest.fixture
def keeper(place):
    """A client that is signed in as an administrator."""
    client, journal = place
    assert signed_in(client, secret(journal, "admin")).status_code == 303
    return client


def sent(client, address, **data):
    """Send a form with the word of the session."""
    word = Elements(client.get("/admin").text).field("csrf")
    return client.post(address, data={"csrf": word, **data})


def confirmed(client, answer, **more):
    """Press the button of a preview."""
    page = Elements(answer.text)
    fields = {one["name"]: one["value"] for one in page.of("input") if one.get("type") == "hidden"}
    others = ("/logout", "/theme")
    address = next(
        one["action"]
        for one in page.of("form")
        if one.get("method") == "post" and one["action"] not in others
    )
    return client.post(address, data=fields | more)


def test_the_cookie_is_guarded(place):
    """No script reads the cookie, no other site sends it, and it holds no secret."""
    client, journal = place
    given = secret(journal, "admin")
    cookie = signed_in(client, given).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert given not in cookie
    secure = TestClient(client.app, base_url="https://testserver")
    assert "Secure" in signed_in(secure, given).headers["set-cookie"]


def test_nobody_gets_in_without_a_token(place):
    """Without a valid token every page of the keepers leads to the form, and no form works."""
    client, journal = place
    assert signed_in(client, "prw_" + "x" * 43).status_code == 403
    for page in ("", "/queue", "/results", "/tokens", "/audit", "/import", "/players"):
        answer = client.get(f"/admin{page}", follow_redirects=False)
        assert answer.headers["location"].startswith("/login"), page
    word = Elements(client.get("/login").text).field("csrf")
    revision = journal.revision
    answer = client.post(
        "/admin/changes/void", data={"csrf": word, "result": "1", "step": "confirm"},
        follow_redirects=False,
    )  # fmt: skip
    assert answer.headers["location"].startswith("/login")
    assert journal.revision == revision


def test_forms_of_others_are_refused(keeper, place):
    """A form without the word, or with that of another session, changes nothing."""
    _, journal = place
    other = TestClient(keeper.app)
    foreign = Elements(other.get("/login").text).field("csrf")
    revision = journal.revision
    for word in ({}, {"csrf": ""}, {"csrf": foreign}, {"csrf": "a.b"}, {"csrf": "é"}):
        answer = keeper.post("/admin/changes/void", data={"result": "1", "step": "confirm", **word})
        assert answer.status_code == 403
    assert journal.revision == revision


def test_a_revoked_token_is_out_at_once(keeper, place):
    """Whoever signed in with a token that is revoked is signed out by that."""
    _, journal = place
    assert keeper.get("/admin").status_code == 200
    journal.store.writer.do(lambda connection: access.revoke_token(connection, 1, journal.clock()))
    assert keeper.get("/admin", follow_redirects=False).status_code == 303


def test_a_forged_cookie_is_nobody(place):
    """A cookie that we did not give signs nobody in."""
    client, journal = place
    signed_in(client, secret(journal, "admin"))
    real = client.cookies["prowess_session"]
    client.cookies.set("prowess_session", real[:-2] + ("AA" if real[-2:] != "AA" else "BB"))
    fresh = TestClient(client.app, cookies={"prowess_session": real[:-2] + "zz"})
    assert fresh.get("/admin", follow_redirects=False).status_code == 303


def test_signing_out(keeper):
    """After signing out the pages are closed, to a copy of the cookie too."""
    copy = TestClient(keeper.app, cookies=dict(keeper.cookies))
    assert copy.get("/admin", follow_redirects=False).status_code == 200
    sent(keeper, "/logout")
    assert keeper.get("/admin", follow_redirects=False).status_code == 303
    assert copy.get("/admin", follow_redirects=False).status_code == 303


def test_signing_in_again(keeper, place):
    """Signing in anew ends the session that the browser had."""
    _, journal = place
    copy = TestClient(keeper.app, cookies=dict(keeper.cookies))
    assert signed_in(keeper, secret(journal, "admin")).status_code == 303
    assert keeper.get("/admin", follow_redirects=False).status_code == 200
    assert copy.get("/admin", follow_redirects=False).status_code == 303


def test_a_session_that_is_not_used_ends(keeper, place):
    """Half a day without a page signs out; a page now and then keeps the session."""
    _, journal = place
    clock, ahead = journal.clock, [0]
    journal.clock = lambda: clock() + ahead[0]
    for hours in (11, 22, 33):
        ahead[0] = hours * HOUR
        assert keeper.get("/admin", follow_redirects=False).status_code == 200
    ahead[0] = 46 * HOUR
    assert keeper.get("/admin", follow_redirects=False).status_code == 303


def test_the_store_signs_nobody_in(keeper, place, tmp_path):
    """Neither the store nor a backup holds what a cookie is made of."""
    _, journal = place
    cookie = keeper.cookies["prowess_session"]
    with journal.store.read() as connection:
        assert connection.scalars(select(session.c.hash)).all()
        for table in TABLES.sorted_tables:
            assert cookie not in repr(connection.execute(select(table)).all())
        assert not connection.scalars(select(setting.c.key)).all()
    write_backup(journal.store, tmp_path / "copy.db")
    with closing(open_store(str(tmp_path / "copy.db"))) as copy, copy.read() as connection:
        assert connection.scalars(select(token.c.id)).all()
        assert not connection.execute(select(session)).all()
        assert not connection.execute(select(setting)).all()


def test_next_stays_here(place):
    """The address after signing in is one of ours, whatever was asked for."""
    client, journal = place
    for there in ("https://example.org", "//example.org", "/\\example.org", "javascript:alert(1)"):
        word = Elements(client.get("/login").text).field("csrf")
        data = {"csrf": word, "token": secret(journal, "admin"), "next": there}
        answer = client.post("/login", data=data, follow_redirects=False)
        assert answer.headers["location"] == "/admin"


def test_scopes_are_kept(place):
    """A corrector sees results and no tokens; a reader sees neither."""
    client, journal = place
    signed_in(client, secret(journal, "correct"))
    assert client.get("/admin/results").status_code == 200
    assert client.get("/admin/tokens").status_code == 403
    assert sent(client, "/admin/tokens", name="x", scope="admin").status_code == 403
    signed_in(client, secret(journal, "read"))
    assert client.get("/admin/results").status_code == 403


def test_the_preview_is_what_happens(keeper, place):
    """Void: first nothing happens and the page names who moves, then exactly that happens."""
    _, journal = place
    before, revision = journal.ratings("club"), journal.revision
    answer = sent(keeper, "/admin/changes/void", result="5", reason="wrong board")
    assert journal.revision == revision
    outlook = journal.preview(Void((5,)), ME)
    told = re.findall(r'<tr><th scope="row"><bdi>', answer.text)
    assert len(told) == len(outlook.previews["club"].movers) > 0
    done = confirmed(keeper, answer)
    assert f"revision {revision + 1}" in done.text
    after = journal.ratings("club")
    assert len(after.table) == len(before.table) - 1
    for mover in outlook.previews["club"].movers:
        name = journal.name(mover.player)
        if mover.after is not None:
            assert after[name].rating == mover.after["rating"]
    with journal.store.read() as connection:
        line = access.read_lines(connection, 1)[0]
    assert (line.action, line.outcome) == ("void", "done")
    assert line.target == f"results 5, revision {journal.revision}"


def test_a_stale_preview_is_refused(keeper, place):
    """If a result got another version between preview and confirmation, nothing is done: the
    preview of now is shown, and can be confirmed.
    """
    _, journal = place
    answer = sent(keeper, "/admin/changes/void", result=["5", "6"])
    journal.commit(Void((6,)), ME)
    journal.commit(Restore((6,)), ME)
    revision = journal.revision
    again = confirmed(keeper, answer, result=["5", "6"])
    assert again.status_code == 412
    assert "Something else was entered" in again.text
    assert journal.revision == revision
    assert confirmed(keeper, again, result=["5", "6"]).status_code == 200
    assert journal.revision == revision + 1


def test_what_others_enter_meanwhile_stops_no_change(keeper, place):
    """A preview holds while other results change: the act does what was seen."""
    _, journal = place
    answer = sent(keeper, "/admin/changes/void", result="5")
    journal.commit(Void((6,)), ME)
    assert confirmed(keeper, answer).status_code == 200
    with journal.store.read() as connection:
        assert [one.state for one in find_results(connection, [5, 6])] == ["void", "void"]


def test_a_second_click_is_answered_as_the_first(keeper, place):
    """A button pressed twice enters once, and the second answer says so, too."""
    _, journal = place
    answer = sent(keeper, "/admin/changes/void", result="5")
    first = confirmed(keeper, answer)
    revision = journal.revision
    second = confirmed(keeper, answer)
    assert (second.status_code, journal.revision) == (200, revision)
    assert f"Done, and durable, as revision {revision}." in first.text
    assert f"Already done, and durable, as revision {revision}." in second.text


def test_a_result_is_corrected(keeper, place):
    """The form of a result, unchanged but for the score, changes the score and nothing else."""
    _client, journal = place
    page = Elements(keeper.get("/admin/results/3").text)
    fields = {
        one["name"]: one["value"] for one in page.of("input")
        if one.get("name") not in (None, "csrf") and "value" in one
    }  # fmt: skip
    a, b, score, day = games()[2]
    assert (fields["player_a"], fields["player_b"], float(fields["score"])) == (a, b, score)
    fields |= {"score": str(1.0 - score), "reason": "mistyped"}
    confirmed(keeper, sent(keeper, "/admin/changes/correct", **fields))
    table = journal.ratings("club").table
    row = 2  # the third by time
    assert table.score[row] == 1.0 - score
    assert (table.players[table.a[row]], table.time[row]) == (a, float(day))


def test_held_results_are_accepted(keeper, place):
    """What a reviewed token reports waits in the queue, and counts once accepted."""
    from prowess.live.journal.record import RecordResults
    from tests.live.pages.club import submissions

    _, journal = place
    guest = Actor(1, "guest", frozenset({"submit"}), None, review=True)
    receipt = journal.commit(RecordResults(submissions([("Ada", "Eve <b>", 1.0, 19_200)])), guest)
    number = receipt.results[0].id
    before = len(journal.ratings("club").table)
    text = keeper.get("/admin/queue").text
    assert f'value="{number}"' in text
    assert unsafe(text) == []
    confirmed(keeper, sent(keeper, "/admin/changes/accept", result=str(number)))
    assert len(journal.ratings("club").table) == before + 1
    assert sent(keeper, "/admin/changes/reject", result=str(number)).status_code == 422


def test_identities(keeper, place):
    """Rename, merge and forget are shown first and done after; old names lead on."""
    client, journal = place
    confirmed(keeper, sent(keeper, "/admin/changes/rename", player="Dan", name="Daniel"))
    assert "Daniel" in client.get("/c/club?show=all").text
    number = journal.registry.people.find("Dan")
    confirmed(keeper, sent(keeper, "/admin/changes/anonymise", player="Daniel"))
    text = client.get("/c/club?show=all").text
    assert "Daniel" not in text
    assert client.get(f"/c/club/players/{number}").status_code == 200


def test_what_if(keeper, place):
    """Other constants are previewed on the real games and change nothing until confirmed."""
    _, journal = place
    before = journal.ratings("club")
    method = {
        "category": "club", "system": "elo", "period": "", "params": "k=10",
        "provisional_games": "2", "inactive_days": "400",
    }  # fmt: skip
    answer = sent(keeper, "/admin/changes/change-method", **method)
    assert "<h2>Who moves" in answer.text
    assert journal.ratings("club") is before
    confirmed(keeper, answer)
    assert (journal.category("club").system, journal.category("club").params) == (
        "elo",
        {"k": 10.0},
    )
    wrong = sent(keeper, "/admin/changes/change-method", **(method | {"params": "k=1e9"}))
    assert wrong.status_code == 422
    assert "give k as a number from 0 to 10000" in wrong.text


def test_several_values_of_a_constant(keeper, place):
    """A bank: typed with commas, shown so again, and every page of the category is there."""
    client, journal = place
    method = {
        "category": "club", "system": "elo", "period": "", "params": "k=10, 40",
        "provisional_games": "2", "inactive_days": "400",
    }  # fmt: skip
    answer = sent(keeper, "/admin/changes/change-method", **method)
    assert "<h2>Who moves" in answer.text
    confirmed(keeper, answer)
    assert journal.category("club").params == {"k": [10.0, 40.0]}
    assert "k=10.0,40.0" in keeper.get("/admin/categories/club").text
    assert "k = 10.0 or 40.0" in client.get("/c/club/method").text
    number = journal.registry.people.find("Ada")
    for page in ("", "/method", "/lists", f"/players/{number}"):
        assert client.get(f"/c/club{page}").status_code == 200, page


def test_import_with_a_dry_run(keeper, place):
    """A file is first reported on, then taken, and taken once however often it is sent."""
    _, journal = place
    lines = ["date,player_a,player_b,score", "2024-05-01,Ada,Gus,1", "2024-05-02,Gus,Ben,0.5"]
    before = len(journal.ratings("club").table)

    def uploaded(text):
        word = Elements(keeper.get("/admin/import").text).field("csrf")
        return keeper.post(
            "/admin/import:batch",
            data={"csrf": word, "category": "club", "source": "file"},
            files={"file": ("games.csv", text.encode())},
        )

    answer = uploaded("\n".join(lines))
    assert "recorded" in answer.text
    assert len(journal.ratings("club").table) == before
    assert "2 recorded" in confirmed(keeper, answer).text
    assert len(journal.ratings("club").table) == before + 2
    assert "already" in uploaded("\n".join(lines)).text
    bad = uploaded("date,player_a,player_b,score\n2024-05-01,Ada,Gus,7")
    assert bad.status_code == 422
    assert "line 2" in bad.text
    assert "/tmp" not in bad.text


def test_tokens_are_shown_once(keeper, place):
    """A new token's secret is on the page that made it and on no other; it works, until revoked."""
    client, _desk = place
    answer = sent(keeper, "/admin/tokens", name="arbiter <i>", scope="submit")
    given = re.findall(r"prw_[\w-]{43}", answer.text)[0]
    assert given not in keeper.get("/admin/tokens").text
    header = {"Authorization": f"Bearer {given}"}
    game = {"category": "club", "player_a": "Ada", "player_b": "Ben", "score": 1}
    bare = TestClient(client.app)
    assert bare.post("/api/v1/results", json=game, headers=header).status_code == 201
    number = max(int(n) for n in re.findall(r"/admin/tokens/(\d+)/revoke", answer.text))
    sent(keeper, f"/admin/tokens/{number}/revoke")
    assert bare.post("/api/v1/results", json=game, headers=header).status_code == 401


@pytest.mark.parametrize(
    ("page", "fields"),
    [
        ("tokens", {"name": "arbiter", "scope": "submit"}),
        ("webhooks", {"url": "https://example.org/hook"}),
    ],
)
def test_a_second_click_makes_no_second_secret(keeper, page, fields, monkeypatch):
    """It is told the secret of the first, for a while; the form that is loaded again makes another
    one.
    """
    ends = list[Any]()

    class Clockwork:
        """A timer whose time has come when the test says so."""

        def __init__(self, seconds, function, given):
            self.start = lambda: ends.append(lambda: function(*given))

    monkeypatch.setattr(administration, "Timer", Clockwork)

    def make(click):
        text = sent(keeper, f"/admin/{page}", click=click, **fields).text
        count = len(re.findall(rf"/admin/{page}/\d+/(?:revoke|stop)", text))
        return re.findall(r'class="secret">([^<]+)', text), count

    load = re.compile(r'name="click" value="([^"]+)"')
    (first,), (later,) = (load.findall(keeper.get(f"/admin/{page}").text) for _ in range(2))
    secrets, count = make(first)
    assert len(secrets) == 1
    assert make(first) == (secrets, count)
    others, more = make(later)
    assert (more, others == secrets) == (count + 1, False)
    for end in ends:
        end()
    assert not {*secrets, *others} & {*administration.SECRETS_OF_CLICKS.values()}
    assert sent(keeper, f"/admin/{page}", click=first, **fields).status_code == 409


def test_webhooks(keeper):
    """A webhook is made with a secret shown once, and stopped; other addresses are refused."""
    answer = sent(keeper, "/admin/webhooks", url="https://example.org/hook", shape="slack")
    assert 'class="secret"' in answer.text
    assert "stopped" in sent(keeper, "/admin/webhooks/1/stop").text
    assert sent(keeper, "/admin/webhooks", url="file:///etc", shape="slack").status_code == 422


def test_bad_forms_are_told(keeper, place):
    """Whatever is typed wrong is refused with a sentence; nothing is written, nothing breaks."""
    _, journal = place
    revision = journal.revision
    wrong = [
        ("void", {}),
        ("void", {"result": "x"}),
        ("void", {"result": "999999"}),
        ("correct", {"result": "1", "player_a": "Ada", "player_b": "Ben", "score": "much"}),
        ("correct", {"result": "1", "player_a": "Ada", "player_b": "Ada", "score": "1"}),
        ("correct", {"result": "1", "player_a": "Ada", "player_b": "Ben", "time": "noon"}),
        ("correct", {"result": "1.5", "player_a": "Ada", "player_b": "Ben", "score": "1"}),
        ("merge", {"player": "Ada"}),
        ("merge", {"player": "Ada", "into": "Nobody"}),
        ("new-season", {"category": "club", "key": "s", "name": "s", "starts": "2024-01-01"}),
        ("new-category", {"key": "Bad Key", "system": "elo"}),
        ("publish", {"category": "nowhere", "key": "k", "name": "n"}),
        ("explode", {}),
    ]
    for kind, data in wrong:
        answer = sent(keeper, f"/admin/changes/{kind}", step="confirm", **data)
        assert answer.status_code in (404, 409, 422), (kind, data, answer.status_code)
        assert 'role="alert"' in answer.text
    assert journal.revision == revision


def test_pages_of_keepers_are_safe(keeper):
    """No page of the keepers has a script, style or handler in it, whatever names there are."""
    pages = (
        "", "/queue", "/results", "/results?player=Ada&state=counts", "/results/1", "/players?q=x",
        *(f"/players/{n}" for n in range(1, 13)), "/categories", "/categories/club", "/tokens",
        "/webhooks", "/audit", "/import",
    )  # fmt: skip
    for page in pages:
        answer = keeper.get(f"/admin{page}")
        assert answer.status_code == 200, page
        assert unsafe(answer.text) == [], page
        assert answer.headers["cache-control"] == "no-store"


def test_the_audit_names_who_and_whom_by_number(keeper, place):
    """Signing in is noted with the token that did, forgetting with the number of the player."""
    _, journal = place
    with journal.store.read() as connection:
        (line,) = access.read_lines(connection, 1)
        newest = max(one.id for one in access.list_tokens(connection))
    assert (line.action, line.token_id, line.outcome) == ("sign in", newest, access.AUDIT_DONE)
    number = journal.registry.people.find("Ada")
    revision = journal.revision
    unseen = sent(keeper, "/admin/changes/anonymise", player="Ada", step="confirm")
    assert (unseen.status_code, journal.revision) == (412, revision)  # nothing is done unseen
    confirmed(keeper, unseen)
    assert "Ada" not in journal.registry.people.names
    with journal.store.read() as connection:
        (line,) = access.read_lines(connection, 1)
    assert (line.action, line.target) == (
        "anonymise", f"player {number}, revision {journal.revision}"
    )  # fmt: skip
