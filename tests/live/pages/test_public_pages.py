"""Pages of a live ladder that need no sign-in."""

from __future__ import annotations

import gzip
import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from prowess.live.api.middleware import Allowance, ServerSettings
from prowess.live.errors import StoreError
from prowess.live.journal.categories import NewCategory, NewSeason, Publish
from prowess.live.journal.corrections import Correct, Merge, Void
from prowess.live.journal.record import RecordResults
from prowess.live.journal.submission import Submission
from prowess.live.result import DAY_US
from prowess.live.store.access import Actor
from prowess.live.web.page_request import PageRequest
from prowess.present.home import UPSET_BELOW, find_movers, is_upset
from prowess.present.rendering import POLICY, static_files
from tests.live.pages.club import HOSTILE, Elements, club, games, secret, submissions, unsafe
from tests.live.whole import ANY

ME = Actor.console()


@pytest.fixture
def place(sqlite_url):
    """(client, journal) of the club."""
    with club(sqlite_url) as (app, journal), TestClient(app) as client:
        yield client, journal


def test_games_of_a_player_by_outcome(place):
    """The games that Ada won, drew or lost stand alone, and an unknown word shows all."""
    client, journal = place
    address = f"/c/club/players/{journal.registry.people.find('Ada')}"
    mine = [s if a == "Ada" else 1.0 - s for a, b, s, _ in games() if "Ada" in (a, b)]
    letters = ["W" if score == 1.0 else "D" if score == 0.5 else "L" for score in mine]
    assert len(set(letters)) > 1
    for outcome, letter in {"Won": "W", "Drawn": "D", "Lost": "L", "by far": "W D L"}.items():
        page = client.get(address, params={"outcome": outcome}).text
        shown = re.findall(r'<span class="letter \w">(\w)</span>', page)
        assert sorted(shown) == sorted(one for one in letters if one in letter)
        links = Elements(page).of("a")
        assert any(one.get("href") == f"{address}?outcome=Lost#games" for one in links)
        assert any("/pairs/" in one.get("href", "") and "title" in one for one in links)


def ours(links):
    """The addresses on this server, without what follows a mark."""
    return {one.partition("#")[0] for one in links if one.startswith("/")}


@pytest.fixture
def patient(sqlite_url):
    """A client of the club whose requests are not counted."""
    settings = ServerSettings(by_address=ANY)
    with club(sqlite_url, settings) as (app, _), TestClient(app) as client:
        yield client


def test_pages_and_their_files_are_compressed(patient):
    """Also for the first who reads a page, and never what is compressed already."""
    for address in ("/c/club", "/static/pages.css", "/static/pages.js"):
        with patient.stream("GET", address, headers={"Accept-Encoding": "gzip"}) as answer:
            small = b"".join(answer.iter_raw())
        assert answer.headers["content-encoding"] == "gzip", address
        assert "Accept-Encoding" in answer.headers["vary"]
        plain = patient.get(address, headers={"Accept-Encoding": "identity"})
        assert gzip.decompress(small) == plain.content
    font = next(name for name in static_files() if name.endswith("woff2"))
    assert "content-encoding" not in patient.get(f"/static/{font}").headers


def test_every_link_leads_somewhere(patient):
    """From the first page every page can be reached, and none of them is missing or hostile."""
    client = patient
    waiting, seen = {"/"}, set()
    while waiting:
        address = waiting.pop()
        seen.add(address)
        answer = client.get(address)
        assert answer.status_code == 200, (address, answer.text[:300])
        if "text/html" in answer.headers["content-type"]:
            assert unsafe(answer.text) == [], address
            assert answer.headers["content-security-policy"] == "; ".join(
                f"{name} {value}" for name, value in POLICY.items()
            )
            if len(seen) < 120:
                links = [a["href"] for a in Elements(answer.text).of("a")]
                loaded = [one["src"] for one in Elements(answer.text).of("script")]
                waiting |= ours([*links, *loaded]) - seen
    assert len(seen) > 60


def test_names_are_words(place):
    """A hostile name is shown as it is written."""
    client, _ = place
    text = client.get("/c/club?show=all").text
    shown = {unescape(name) for name in re.findall(r"<bdi>(.*?)</bdi>", text)}
    assert set(HOSTILE) <= shown


def test_days_and_comparison(place):
    """As of a day the page holds the games up to it; a comparison shows the change since."""
    client, journal = place
    early = journal.ratings("club", 19_020.0)
    text = client.get("/c/club?as_of=2022-01-28&show=all").text  # 19020 days after 1970-01-01
    assert f"{len(early.table)} games" in text
    now = client.get("/c/club?since=2022-01-28&show=all").text
    best = journal.ratings("club").leaderboard(1).columns["player"][0]
    change = journal.ratings("club")[best].rating - early[best].rating
    row = next(
        r for r in re.findall(r'<tr id="player-.*?</tr>', now, re.DOTALL) if best in unescape(r)
    )
    assert f"{abs(change):.1f}" in row or f"{abs(change):.2f}" in row
    for bad in ("as_of=yesterday", "page=0", "page=x", "since=2022-13-01"):
        assert client.get(f"/c/club?{bad}").status_code == 422
    assert client.get("/c/club?page=99").status_code == 404


def test_players_of_groups_that_never_met_are_said_to_be(place):
    """A page of two says so until a game, by way of others, leads from one to the other."""
    client, journal = place
    journal.commit(NewCategory("apart", system="elo"), ME)

    def play(*pairs):
        rows = tuple(Submission("apart", a, b, 1.0) for a, b in pairs)
        journal.commit(RecordResults(rows), ME)

    def shown(a, b):
        numbers = "/".join(str(journal.registry.people.find(one)) for one in (a, b))
        return client.get(f"/c/apart/pairs/{numbers}").text

    play(("Ada", "Ben"), ("Cleo", "Dan"))
    said = "They never met, not even by way of others"
    assert said in shown("Ada", "Dan")
    assert said not in shown("Ada", "Ben")
    play(("Ben", "Cleo"))
    assert "They never met." in shown("Ada", "Dan")
    assert said not in shown("Ada", "Dan")


def test_found_by_name(place):
    """A part of a name, in any case, leaves the others out and keeps ranks."""
    client, _ = place
    whole = client.get("/c/club?show=all").text
    some = client.get("/c/club?show=all&q=CLE").text
    (row,) = re.findall(r'<tr id="player-.*?</tr>', some, re.DOTALL)
    drawings = re.compile("<svg.*?</svg>")  # on the axes of what is shown
    assert drawings.sub("", row) in drawings.sub("", whole)
    assert "Cleo" in row


def test_missing_pages_are_missing(place):
    """What is not there is a page that says so, with 404, never a fault."""
    client, _ = place
    for address in (
        "/c/nobody", "/c/club/players/999", "/c/club/players/x", "/c/club/players/1e3",
        "/c/club/pairs/1/999", "/results/0", "/results/99999999999999999999", "/c/club/lists/x",
        "/static/../routes.py", "/static/vendor/none.js", "/c/club/players/²",
    ):  # fmt: skip
        assert client.get(address).status_code == 404, address
    assert client.get("/c/club/pairs/1/1").status_code == 422


def test_a_correction_is_told(place):
    """The page of a result has every version, who made it and why, what changed marked."""
    client, journal = place
    a, b, score, day = games()[0]
    right = Submission(player_a=a, player_b=b, score=1.0 - score / 2, time=day * DAY_US)
    journal.commit(Correct(1, right, "the sheet says <so>"), ME)
    journal.commit(Void((1,), "it was a friendly"), ME)
    text = client.get("/results/1").text
    told = [text.index(one) for one in ("Made void", "Corrected", "Recorded")]
    assert told == sorted(told)
    assert "the sheet says &lt;so&gt;" in text
    assert "it is void" in text
    assert len(re.findall("<mark>", text)) == 2  # the score once, the state once


def test_a_game_is_explained(place):
    """Before, after, expected and why of a result are those of the history."""
    client, journal = place
    a = games()[1][0]
    step = next(one for one in journal.ratings("club").history(a).steps if one.row == 1)
    text = client.get("/results/2").text
    assert f"{step.before:.0f} before, {step.after:.0f} after" in text
    assert f"<dd>{100 * step.expected:.0f}\N{NO-BREAK SPACE}%</dd>" in text
    factor = step.change / (step.score - step.expected)
    assert f"<dd>{factor:.1f}</dd>" in text
    page = client.get(f"/c/club/players/{journal.registry.people.find(a)}").text
    assert re.search(r'href="/results/\d+"><time datetime="[-0-9T:Z]+" title="', page)


def test_a_merged_player_is_found(place):
    """The address of somebody who was merged leads to the one he became."""
    client, journal = place
    ada, cleo = (journal.registry.people.find(name) for name in ("Ada", "Cleo"))
    if met := meetings("Ada", "Cleo"):  # nobody plays against himself
        journal.commit(Void(met), ME)
    journal.commit(Merge("Ada", "Cleo"), ME)
    answer = client.get(f"/c/club/players/{ada}", follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/c/club/players/{cleo}"
    assert "Also known as <bdi>Ada</bdi>" in client.get(f"/c/club/players/{cleo}").text


def meetings(one, other):
    """The numbers of the results of two."""
    return tuple(n for n, (a, b, _, _) in enumerate(games(), 1) if {a, b} == {one, other})


def test_lists_stay(place):
    """A published list is what the leaderboard was, whatever is corrected later."""
    client, journal = place
    journal.commit(Publish("club", "spring", "Spring <list>"), ME)
    journal.commit(NewSeason("club", "s1", "Season 1", 19_000 * DAY_US, 19_050 * DAY_US), ME)
    before = client.get("/c/club/lists/spring").text
    body = before[before.index("<tbody>") : before.index("</tbody>")]
    journal.commit(Void((1, 2, 3)), ME)
    after = client.get("/c/club/lists/spring").text
    assert body in after
    assert "Spring &lt;list&gt;" in after
    assert "Season 1" in client.get("/c/club/lists").text


def test_the_first_page_tells_what_is_new(place):
    """The leader, the latest results with their scores, and who moved most are of the ratings."""
    client, journal = place
    text = client.get("/").text
    ratings = journal.ratings("club")
    assert f"<bdi>{ratings.leaderboard(1).columns['player'][0]}</bdi>" in text
    table, last = ratings.table, len(ratings.table) - 1
    latest = text.split('id="latest"')[1].split("</li>")[0]
    for k in (table.a[last], table.b[last]):
        assert f"<bdi>{ratings.players[int(k)]}</bdi>" in unescape(latest)
    assert {1.0: "1–0", 0.5: "½–½", 0.0: "0–1"}[float(table.score[last])] in latest
    form = text.split("In form")[1].split("</ul>")[0]
    steps = {name: ratings.history(name).steps[-6:] for name in ratings.players}
    above = {
        name: sum(one.score - one.expected for one in last)
        for name, last in steps.items()
        if len(last) == 6
    }
    best = max(above, key=lambda name: above[name])
    first = unescape(form.split("</li>")[0])
    assert f"<bdi>{best}</bdi>" in first
    assert f"+{above[best]:.1f}" in first
    assert find_movers({1: 9.0, 2: -4.0, 3: 0.1, 4: 2.0}, 1) == [(1, 9.0), (2, -4.0)]
    assert is_upset(1.0, UPSET_BELOW - 0.01)
    assert not is_upset(1.0, UPSET_BELOW)
    assert not is_upset(0.5, 0.1)


def test_an_empty_store(sqlite_url):
    """Without a category, and without a game, pages say so."""
    from prowess.live.api.application import build_application
    from prowess.live.journal.categories import NewCategory
    from prowess.live.journal.journal import Journal
    from prowess.live.web.routes import add_page_routes

    journal = Journal.open(sqlite_url)
    app = build_application(journal, ServerSettings())
    end = add_page_routes(app, journal, ServerSettings())
    with TestClient(app) as client:
        assert "There is no category yet" in client.get("/").text
        journal.commit(NewCategory(key="new"), ME)
        for page in ("", "/method"):
            assert "No games have been played yet" in client.get(f"/c/new{page}").text
        assert client.get("/c/new/pairings").status_code == 404
    end()
    journal.close()


def test_private_pages_ask_for_a_token(sqlite_url):
    """On a private server nothing but the way in is shown without a token."""
    with (
        club(sqlite_url, ServerSettings(private=True)) as (app, journal),
        TestClient(app) as client,
    ):
        for address in ("/", "/c/club", "/results/1", "/c/club/players/1.csv"):
            answer = client.get(address, follow_redirects=False)
            assert answer.status_code == 303
            assert answer.headers["location"].startswith("/login")
        word = Elements(client.get("/login").text).field("csrf")
        client.post(
            "/login", data={"csrf": word, "token": secret(journal, "read"), "next": "/c/club"}
        )
        assert "Leaderboard" in client.get("/c/club").text


def test_static_files_may_be_kept(place):
    """Files are kept for ever under the address that changes with them, and asked for anew else."""
    client, _ = place
    (sheet,) = [
        one["href"] for one in Elements(client.get("/c/club").text).of("link")
        if one["rel"] == "stylesheet"
    ]  # fmt: skip
    assert "immutable" in client.get(sheet).headers["cache-control"]
    assert client.get(sheet.partition("?")[0]).headers["cache-control"] == "no-cache"


def test_a_player_everywhere(place):
    """A player's page leads to his other categories, ranks on lists and place on the board."""
    client, journal = place
    journal.commit(NewCategory(key="blitz", name="Blitz", system="elo"), ME)
    journal.commit(RecordResults(submissions([("Ada", "Ben", 1.0, 19_100)], "blitz")), ME)
    journal.commit(Publish("club", "spring", "Spring"), ME)
    ada = journal.registry.people.find("Ada")
    text = client.get(f"/c/club/players/{ada}").text
    other = text.split('id="elsewhere"')[1].split("</ul>")[0]
    assert f'href="/c/blitz/players/{ada}"' in other
    assert "1516.0" in other  # K / 2 = 16 points for the win of an equal, by Elo's formula
    on_list = text.split('id="lists"')[1].split("</ul>")[0]
    assert f"rank {journal.ratings('club')['Ada'].rank}</span>" in on_list
    answer = client.get(f"/c/club?player={ada}", follow_redirects=False)
    page, _, row = answer.headers["location"].partition("#")
    assert f'<tr id="{row}">' in client.get(page).text
    assert client.get("/c/club?player=x").status_code == 404


def test_pages_say_what_the_api_says(place):
    """Rating, record and score against each opponent on a page are those that programs get."""
    client, journal = place
    told = client.get("/api/v1/categories/club/players/Cleo").json()
    cleo = journal.registry.people.find("Cleo")
    text = client.get(f"/c/club/players/{cleo}").text
    facts = text.split('<dl class="big">')[1].split("</dl>")[0]
    assert f"<b>{told['rating']:.0f}</b>" in facts
    assert "–".join(str(n) for n in told["record"].values()) in facts
    assert f"<dd>{max(told['peak']['rating'], told['rating']):.0f}" in facts
    drawn = re.findall(r"peak (\d+)[^>]*>|>Peak (\d+)<", text)
    assert {int(one or other) for one, other in drawn} == {
        round(max(told["peak"]["rating"], told["rating"]))
    }
    pairs = client.get("/api/v1/categories/club/pairings?player=Cleo").json()["items"]
    rows = re.findall("<li>.*?</li>", text.split('id="opponents"')[1].split("</section>")[0])
    assert len(pairs) == len(rows)
    for pair, row in zip(pairs, rows, strict=True):
        assert f"<bdi>{pair['b']}</bdi>" in unescape(row)
        assert "–".join(str(n) for n in pair["record"].values()) in row


BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


@pytest.mark.parametrize("address", ["/nothing", "/c/club/nothing/at/all", "/rumble/x", "/admin/x"])
def test_unknown_addresses_are_pages_for_browsers(place, address):
    """Who asks for a page gets one with the links of the site, and a program a problem."""
    client, _ = place
    answer = client.get(address, headers=BROWSER)
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert {"/", "/login"} <= set(Elements(answer.text).links())
    assert unsafe(answer.text) == []
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    for accept in ("*/*", "application/json", "application/json, text/html;q=0.5"):
        answer = client.get(address, headers={"Accept": accept})
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["code"] == "no_such_address"


def test_the_api_has_no_pages(place):
    """Under the addresses of the API, and for what is sent, errors are problems for everybody."""
    client, _ = place
    for method, address in (("GET", "/api/v1/nothing"), ("POST", "/nothing"), ("PUT", "/c/club")):
        answer = client.request(method, address, headers=BROWSER)
        assert answer.status_code in (401, 404, 405)
        assert answer.headers["content-type"] == "application/problem+json"
    wrong = client.get("/logout", headers=BROWSER)  # forms are sent there
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")
    assert wrong.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    ("error", "status"), [(RuntimeError("SELECT secret"), 500), (StoreError("/var/a.db"), 503)]
)
def test_faults_are_pages_for_browsers(place, monkeypatch, error, status):
    """A fault is a page of the site with the id of the request, and says nothing of its inside."""
    client, _ = place

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(PageRequest, "require_scope", fail)
    client = TestClient(client.app, raise_server_exceptions=False)
    for _ in range(2):
        answer = client.get("/admin", headers=BROWSER)
        assert (answer.status_code, answer.headers["cache-control"]) == (status, "no-store")
        assert answer.headers["x-request-id"] in answer.text
        assert unsafe(answer.text) == []
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "secret" not in answer.text
        assert "/var" not in answer.text
    assert ("retry-after" in answer.headers) == (status == 503)
    told = client.get("/admin", headers={"Accept": "application/json"})
    assert (told.status_code, told.json()["status"]) == (status, status)


def test_who_asks_too_often_gets_a_page(sqlite_url):
    """A browser past its limit sees when to come back, a program a problem."""
    settings = ServerSettings(by_address=Allowance(0.01, 1))
    with club(sqlite_url, settings) as (app, _), TestClient(app) as client:
        answers = [client.get("/login", headers=BROWSER) for _ in range(3)]
        assert answers[-1].status_code == 429
        assert answers[-1].headers["content-type"].startswith("text/html")
        assert int(answers[-1].headers["retry-after"]) > 0


def test_private_sites_ask_at_unknown_addresses_too(sqlite_url):
    """Who is not signed in cannot tell an address that is there from one that is not."""
    with club(sqlite_url, ServerSettings(private=True)) as (app, _), TestClient(app) as client:
        answer = client.get("/nothing", headers=BROWSER, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=/nothing")


def test_light_or_dark_is_kept_in_the_browser(place):
    """The choice is a cookie, the page says it, and no kept answer serves another choice."""
    client, _ = place
    assert "data-theme" not in client.get("/c/club").text
    for theme in ("dark", "light", "dark"):
        answer = client.post(
            "/theme", data={"theme": theme, "next": "/c/club?show=all"}, follow_redirects=False
        )
        assert (answer.status_code, answer.headers["location"]) == (303, "/c/club?show=all")
        for _ in range(2):
            assert f'<html lang="en" data-theme="{theme}">' in client.get("/c/club").text
    for there, theme in (("//elsewhere.example", "dark"), ("/", "<script>")):
        answer = client.post("/theme", data={"theme": theme, "next": there}, follow_redirects=False)
        assert answer.headers["location"] == "/"
        assert ("set-cookie" in answer.headers) == (theme == "dark")
    client.cookies.clear()
    client.cookies["prowess_theme"] = "<script>"
    assert "data-theme" not in client.get("/c/club").text
