"""Every page in a real browser: a real server, a real policy, a phone, light and dark."""

from __future__ import annotations

import threading
import time
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import prowess
from prowess.live.journal.categories import ChangeSite, NewCategory, Publish
from prowess.live.journal.corrections import AddPlayers, Correct, Schedule
from prowess.live.journal.submission import PlannedGame, Submission
from prowess.live.result import DAY_US
from prowess.live.store.access import Actor
from prowess.present.brand import encode_logo
from prowess.present.listing import Listing
from prowess.present.site import Site, files
from tests.browser import test_report
from tests.browser.test_report import AXE, DESK, PHONE
from tests.cli.command import answered
from tests.live.api.test_server import running
from tests.live.pages.club import club, games, secret
from tests.live.pages.test_brand import SVG

uvicorn = pytest.importorskip("uvicorn", reason="needs the extra server")
ME = Actor.console()
browser = test_report.browser  # the fixture: one Chromium for all tests of this file
READ = (
    "/", "/?q=o", "/imprint", "/c/club/players/13", "/c/races", "/c/races/players/13",
    "/c/club?show=all", "/c/club?show=all&since=2022-01-20", "/c/club/players/1",
    "/c/club/players/5", "/c/club/pairs/1/2", "/c/club/pairings", "/c/club/method",
    "/c/club/lists", "/c/club/lists/spring", "/results/1", "/api", "/login", "/c/club/players/999",
    "/c/club?show=all&revision=2",
)  # fmt: skip
KEPT = (
    "/admin", "/admin/queue", "/admin/results", "/admin/results/1", "/admin/players",
    "/admin/players/5", "/admin/categories", "/admin/categories/club", "/admin/tokens",
    "/admin/webhooks", "/admin/audit", "/admin/import", "/c/club/enter",
    "/c/goals/enter",
)  # fmt: skip
WIDTHS = "document.fonts.ready.then(() => [document.documentElement.scrollWidth, innerWidth])"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """(address, journal, secret of an administrator) of a server on loopback."""
    folder = tmp_path_factory.mktemp("live")
    with club(f"sqlite:///{folder / 'club.db'}") as (app, journal):
        a, b, score, day = games()[0]
        right = Submission(player_a=a, player_b=b, score=1.0 - score / 2, time=day * DAY_US)
        journal.commit(Correct(1, right, "misread"), ME)
        journal.commit(Publish("club", "spring", "Spring"), ME)
        journal.commit(AddPlayers(("Newcomer",), "club"), ME)
        to_come = PlannedGame(a, b, journal.clock() + 3 * DAY_US)
        journal.commit(Schedule((to_come,), "club"), ME)
        journal.commit(NewCategory("races", plays="contests", system="elo"), ME)
        journal.commit(AddPlayers(("Newcomer",), "races"), ME)
        journal.commit(NewCategory("goals", system="elo", extra=("points",)), ME)
        brand = {"name": "A site", "accent": "#ffcc00", "logo": encode_logo(SVG)}
        words = {"home": "Hello [you](https://you.example).", "links": "Club https://club.example"}
        journal.commit(ChangeSite(**brand, **words, imprint="Me\nHere"), ME)
        config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error")
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run)
        thread.start()
        while not running.started:
            assert thread.is_alive()
            time.sleep(0.02)
        port = running.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}", journal, secret(journal, "admin")
        running.should_exit = True
        thread.join()


@pytest.fixture
def expect():
    """What a page has to show before long; importing it takes long, so late."""
    return pytest.importorskip("playwright.sync_api", reason="needs the extra test").expect


@pytest.fixture
def opened(browser, server):
    """A function that opens an address in a new browser window and notes every complaint."""
    contexts = []

    def open_at(address, size=DESK, scheme="light", signed_in=False, **more):
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, **more
        )
        contexts.append(context)
        page = context.new_page()
        page.told = []
        page.asked = []
        page.on("console", lambda message: page.told.append(message.text))
        page.on("pageerror", lambda error: page.told.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        if signed_in:
            page.goto(f"{server[0]}/login")
            page.fill("#token", server[2])
            page.click("main form button")
        page.goto(address if "://" in address else f"{server[0]}{address}")
        return page

    yield open_at
    for context in contexts:
        context.close()


def complaints(page):
    """What the browser said, but for pages that are meant to be missing."""
    return [one for one in page.told if "404" not in one]


def test_pages_are_sound(opened, server):
    """Nothing comes from elsewhere, the policy stops nothing of ours, a phone is wide enough."""
    for size, scheme in ((DESK, "light"), (PHONE, "dark")):
        page = opened("/", size, scheme)
        for address in READ:  # what comes late is the same at each size
            page.goto(f"{server[0]}{address}", wait_until="networkidle" if size == DESK else "load")
            wide, inner = page.evaluate(WIDTHS)
            assert complaints(page) == [], address
            assert wide <= inner == size[0], address
        assert {urlsplit(one).netloc for one in page.asked} == {urlsplit(server[0]).netloc}


def test_pages_of_keepers_are_sound(opened, server):
    """The same for those who are signed in."""
    page = opened("/admin", PHONE, "dark", signed_in=True)
    for address in KEPT:
        page.goto(f"{server[0]}{address}", wait_until="networkidle")
        assert complaints(page) == [], address
        wide, inner = page.evaluate(WIDTHS)
        assert wide <= inner == PHONE[0], address


@pytest.mark.parametrize(
    ("size", "scheme", "other"), [(DESK, "light", "dark"), (PHONE, "dark", "light")]
)
def test_axe_finds_nothing(opened, server, size, scheme, other):
    """axe-core finds no violation on any page, nor one of colours in the other scheme."""
    page = opened("/", size, scheme, signed_in=True, bypass_csp=True, reduced_motion="reduce")
    found = []
    for address in (*READ, *KEPT):
        page.goto(f"{server[0]}{address}")
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        page.add_script_tag(path=str(AXE))
        checked = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        assert len(checked["passes"]) > 10
        page.emulate_media(color_scheme=other)
        colours = page.evaluate("axe.run(document, {runOnly: ['color-contrast']})")
        assert colours["passes"], address
        page.emulate_media(color_scheme=scheme)
        violations = checked["violations"] + colours["violations"]
        found += [(address, one["id"], one["nodes"][0]["html"]) for one in violations]
    assert found == []


def test_a_change_is_explained_in_its_row(opened, server):
    """The drawing ends at the rating now; a change opens its arithmetic, by keyboard too."""
    _, journal, _ = server
    page = opened("/c/club/players/1")
    rating = journal.ratings("club")[journal.name(1)].rating
    assert page.locator(".career .dot").count() == 1
    assert f"{rating:.0f}" in page.locator(".career").text_content()
    row = page.locator(".why-row").first
    assert not row.is_visible()
    page.locator(".why-of summary").first.focus()
    page.keyboard.press("Enter")
    assert row.is_visible()
    assert "Why" in row.inner_text()
    assert complaints(page) == []


def test_finding_and_sorting(opened, expect):
    """Typing a name leaves his row only, the address follows; columns sort by keyboard."""
    page = opened("/c/club?show=all")
    everyone = page.locator("#board tbody tr").count()
    page.get_by_label("Find a player").fill("cle")
    expect(page.locator("#board tbody tr")).to_have_count(1)
    assert page.locator("#board tbody th bdi").inner_text() == "Cleo"
    assert "q=cle" in page.url
    page.get_by_label("Find a player").fill("")
    expect(page.locator("#board tbody tr")).to_have_count(everyone)
    button = page.locator("#board thead button", has_text="Player")
    button.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert page.locator("#board th[aria-sort]").get_attribute("aria-sort") == "ascending"
    names = page.locator("#board tbody th bdi").all_inner_texts()
    assert names == page.evaluate("names => [...names].sort((a, b) => a.localeCompare(b))", names)
    assert complaints(page) == []


def test_jump_to_me(opened, expect):
    """Who follows a player gets a link to their row on the leaderboard, in this browser."""
    page = opened("/c/club/players/1")
    name = page.locator("h1").inner_text()
    page.get_by_label("Follow").check()
    page.goto(page.url.replace("/players/1", ""))
    page.get_by_role("link", name="Jump to").click()
    expect(page.locator("tr:target th")).to_contain_text(name)
    expect(page.locator("tr.mine th")).to_contain_text(name)


def test_the_own_row_stays_in_sight(opened):
    """On a low screen the row of whom one follows sticks to its edge, above and below."""
    page = opened("/c/club/players/1", (1280, 500))
    page.get_by_label("Follow").check()
    page.goto(page.url.replace("/players/1", "?show=all"))
    for place in (0, 10_000):
        page.evaluate(f"scrollTo(0, {place})")
        box = page.locator("tr.mine th").bounding_box()
        table = page.locator("#board tbody").bounding_box()
        if table["y"] < 500 and table["y"] + table["height"] > 0:
            assert -1 <= box["y"] <= 500 - box["height"] + 1


def test_times_are_those_of_the_reader(opened):
    """The server writes UTC; the script writes the reader's zone, and says so."""
    page = opened("/results/1", timezone_id="Asia/Kolkata", java_script_enabled=False)
    times = page.locator(".versions time")
    written = times.first.get_attribute("datetime")
    utc = datetime.fromisoformat(written)
    assert times.first.inner_text() == f"{utc.day} {utc:%B %Y, %H:%M}"
    assert "Times in UTC" in page.locator("footer").inner_text()
    page = opened("/results/1", timezone_id="Asia/Kolkata")
    local = utc + timedelta(hours=5, minutes=30)  # of India, all year
    assert page.locator(".versions time").first.inner_text() == f"{local.day} {local:%B %Y, %H:%M}"
    assert "Times in Asia/" in page.locator("footer").inner_text()
    assert complaints(page) == []


def test_a_chart_is_read_by_pointer_and_by_keys(opened, server):
    """A pointer or an arrow key on the history names day, rating and opponent, to a reader too."""
    _, journal, _ = server
    page = opened("/c/club/players/1")
    chart = page.locator(".career")
    chart.focus()
    page.keyboard.press("End")
    rating = journal.ratings("club")[journal.name(1)].rating
    said = chart.locator("text.strong").last
    assert f"{rating:.0f}" in said.text_content()
    page.keyboard.press("Home")
    first = said.text_content()
    page.keyboard.press("ArrowRight")
    assert said.text_content() != first
    assert page.locator("output.visually-hidden").text_content() == said.text_content()
    newest = page.locator(".games tbody th bdi").first.inner_text()
    page.keyboard.press("End")
    assert said.text_content().endswith(f", against {newest}")
    box = chart.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 100)
    assert said.text_content() == first
    page.mouse.move(0, 0)
    assert said.text_content() == ""
    assert complaints(page) == []


def test_everything_works_without_script(opened, server):
    """Without script one finds a player, sees his games, signs in and makes a result void."""
    _, journal, _ = server
    page = opened("/c/club", PHONE, java_script_enabled=False)
    page.get_by_label("Find a player").fill("Cleo")
    page.get_by_label("Find a player").press("Enter")
    page.get_by_role("link", name="Cleo").click()
    assert page.locator(".games tbody tr").count() > 3
    page = opened("/admin/results", PHONE, signed_in=True, java_script_enabled=False)
    before = len(journal.ratings("club").table)
    page.get_by_label("Result 7", exact=True).check()
    page.get_by_role("button", name="Strike ...").first.click()
    assert len(journal.ratings("club").table) == before
    page.get_by_role("button", name="Strike 1 result").click()
    assert "durable" in page.locator("[role=status]").inner_text()
    assert len(journal.ratings("club").table) == before - 1


def test_scripts_are_kept_out(opened):
    """The policy stops a script that somebody gets into a page."""
    page = opened("/c/club")
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        " document.body.append(s); }"
    )
    assert page.evaluate("window.ran") is None


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Pages of real matches as files."""
    place = tmp_path_factory.mktemp("site")
    table = prowess.read_games(Path(prowess.__file__).parent / "cli" / "data" / "football.csv")
    ratings = prowess.rate(table, "glicko", forecasts=True)
    for name, content in files(Site(ratings, "Matches", Listing(min_games=5))):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
    return place


def test_files_work_without_a_server(opened, folder):
    """From a disk all pages look and move as they should, and ask for nothing but files."""
    chosen = [
        folder / "index.html", folder / "pairings.html",
        folder / "method.html", next(iter(sorted((folder / "players").glob("*.html")))),
        next(iter(sorted((folder / "pairs").glob("*.html")))),
    ]  # fmt: skip
    for file in chosen:
        for size, scheme, ground in (
            (DESK, "light", "rgb(246, 247, 249)"), (PHONE, "dark", "rgb(13, 16, 21)"),
        ):  # fmt: skip
            page = opened(file.as_uri(), size, scheme)
            assert complaints(page) == []
            assert {urlsplit(one).scheme for one in page.asked} == {"file"}
            wide, inner = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert wide <= inner, file
            seen = "getComputedStyle(document.documentElement).backgroundColor"
            assert page.evaluate(seen) == ground
    page = opened((folder / "index.html").as_uri())
    page.get_by_label("Find a player").fill("spain")
    assert page.locator("#board tbody tr:visible").count() == 1
    page.get_by_role("link", name="Spain").click()
    assert page.locator(".career").is_visible()


def test_axe_finds_nothing_in_files(opened, folder):
    """axe-core finds no violation in the folder."""
    names = ("index.html", "pairings.html", "method.html")
    player = next(iter(sorted((folder / "players").glob("*.html"))))
    pair = next(iter(sorted((folder / "pairs").glob("*.html"))))
    for size, scheme in ((DESK, "dark"), (PHONE, "light")):
        for file in (*(folder / name for name in names), player, pair):
            page = opened(file.as_uri(), size, scheme, bypass_csp=True)
            page.add_script_tag(path=str(AXE))
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
            assert [(file.name, one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_prints(opened):
    """On paper a page is light, and what only a screen needs is gone."""
    page = opened("/c/club", DESK, "dark")
    page.emulate_media(media="print", color_scheme="dark")
    ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert ground == "rgb(255, 255, 255)"
    assert not page.locator(".tools").first.is_visible()
    assert page.locator("#board").is_visible()


def test_a_phone_hides_nothing_to_the_right(opened, server):
    """On a phone every table but the square of pairings is as wide as the screen."""
    page = opened("/", PHONE, "dark", signed_in=True)
    cut = (
        "[...document.querySelectorAll('.scroll:not(:has(.heat))')]"
        ".filter(one => one.scrollWidth > one.clientWidth).map(one => one.ariaLabel)"
    )
    for address in (*READ[:6], "/admin/results", "/admin/tokens", "/admin/audit"):
        page.goto(f"{server[0]}{address}")
        assert page.evaluate(f"document.fonts.ready.then(() => {cut})") == [], address


def test_an_evening_is_typed_in_without_script(opened, server):
    """On a phone without script: type a game, settle a name in its row, see who moves, record."""
    _, journal, _ = server
    page = opened("/c/club/enter", PHONE, signed_in=True, java_script_enabled=False)
    before = len(journal.ratings("club").table)
    page.get_by_label("First player").first.fill("Ada")
    page.get_by_label("Second player").first.fill("Benn")
    page.locator("#row-1").get_by_label("1–0").check()
    page.get_by_label("Second player").first.press("Enter")
    assert "Nobody is called “Benn”." in page.locator("#row-1").inner_text()
    page.get_by_role("button", name="Yes, Ben").click()
    assert page.get_by_label("Second player").first.input_value() == "Ben"
    assert page.locator("#moves li").count() > 1
    page.get_by_role("button", name="Record 1 game").click()
    assert "1 result of" in page.locator("[role=status]").inner_text()
    assert len(journal.ratings("club").table) == before + 1


@pytest.mark.parametrize(("size", "scheme"), [(DESK, "light"), (PHONE, "dark")])
def test_a_club_begins(browser, expect, tmp_path, size, scheme):
    """From the first start: name, players, an evening with a name to settle, whose moves follow
    what is typed, a correction, a backup; axe-core finds nothing on the way, nothing is too wide.
    """
    seen = []
    with running("--store", str(tmp_path / "club.db"), "--quiet") as server:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme,
            bypass_csp=True, reduced_motion="reduce",
        )  # fmt: skip
        page = context.new_page()
        page.on("response", lambda answer: seen.append((answer.status, answer.url)))

        def look(address=None):
            if address is not None:
                page.goto(server.url + address)
            page.add_script_tag(path=str(AXE))
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
            wide = page.evaluate("document.documentElement.scrollWidth")
            violations = [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]]
            assert (violations, wide) == ([], size[0]), page.url

        def press(name):
            page.locator("main").get_by_role("button", name=name).click()
            look()

        look("/")
        look("/login")
        page.fill("#token", server.secret)
        press("Sign in")
        look("/admin/categories")
        page.get_by_label("Name of the site").fill("Northgate")
        press("Look at the change")
        press("Change the site")
        look("/admin/players")
        page.get_by_label("Names, one a line").fill("Ada\nBen\nCleo")
        press("Look at who is new ...")
        press("Add 3 players")
        look("/c/main/enter")
        page.get_by_label("First player").first.fill("Ada")
        page.get_by_label("Second player").first.fill("Ben")
        page.locator("#row-1").get_by_label("1–0").check()
        expect(page.get_by_role("button", name="Record 1 game")).to_be_visible()
        assert page.locator("#moves li").count() == 2
        page.get_by_label("First player").nth(1).fill("Cleo")
        page.get_by_label("Second player").nth(1).fill("Benn")
        page.locator("#row-2").get_by_label("½").check()
        page.get_by_label("Second player").nth(1).press("Enter")
        expect(page.locator("#row-2")).to_contain_text("Nobody is called “Benn”.")
        press("Yes, Ben")
        press("Record 2 games")
        assert "2 results of" in page.locator("[role=status]").inner_text()
        look("/c/main")
        assert page.locator("#board tbody tr").count() == 3
        page.get_by_role("link", name="Ada").first.click()
        look()
        look("/admin/results/1")
        page.get_by_label("Score of the first").fill("0")
        page.get_by_label("Reason").first.fill("The names were exchanged")
        press("Look at what moves")
        assert "0–1" in page.locator(".was-is").inner_text()
        press("Change to 0–1")
        look("/results/1")
        assert "The names were exchanged" in page.locator(".versions").inner_text()
        look("/admin")
        assert page.locator("header .site").inner_text() == "Northgate"
        with page.expect_download() as download:
            page.get_by_role("button", name="Download everything").click()
        copy = tmp_path / "copy.db"
        download.value.save_as(copy)
        context.close()
    assert answered("check", "--store", copy) == "main: 2 results, 3 players: equal\n"
    assert [one for one in seen if one[0] >= 400] == []
