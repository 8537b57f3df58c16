"""The report in a real browser: nothing leaves it, it fits a phone, axe-core finds nothing."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

import prowess
from prowess.present.arena import audit_files
from prowess.present.figures import histories
from prowess.present.report import own_forecasts, report
from prowess.study.arena import audit_categories
from prowess.study.backtest import backtest, base_rate_backtest
from prowess.study.compare import compare
from prowess.systems.catalogue import find
from tests.programs import find_program

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
FOOTBALL = Path(prowess.__file__).parent / "cli" / "data" / "football.csv"
NAMES = ("chromium", "chromium-browser", "google-chrome")
PHONE, DESK, WIDE = (360, 740), (1100, 900), (1280, 900)


@pytest.fixture(scope="module")
def browser():
    """One browser for all tests of this file."""
    found = os.environ.get("CHROMIUM") or find_program(NAMES, "chromium")
    if found is None:
        pytest.skip("no Chromium: put one on the path, or name it in $CHROMIUM")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra test")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A report with everything in it, as a file."""
    games = prowess.read_games(FOOTBALL)
    ratings = prowess.rate(games, "glicko", period="1mo", forecasts=True)
    own = own_forecasts(ratings)
    tests = [own, backtest(ratings.table, find("elo")), base_rate_backtest(ratings.table)]
    made = report(ratings, title="Matches", forecasts=own, comparison=compare(tests), credit="CC0")
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(made.to_html(), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    """The first page of a folder of audits, one for each of two categories."""
    votes = prowess.simulate(players=6, games=900, seed=1, draws=0.2)
    random = np.random.default_rng(2)
    given = [{"label": f"w{k}", "task": word} for k, word in zip(
        random.integers(0, 30, 900), random.choice(["code", "chat"], 900), strict=True
    )]  # fmt: skip
    names = list(votes.players)
    games = prowess.read_games(
        {"a": [names[k] for k in votes.a], "b": [names[k] for k in votes.b],
         "score": votes.score, "voter": [one["label"] for one in given],
         "task": [one["task"] for one in given]}, facts=["voter", "task"]
    )  # fmt: skip
    found = prowess.arena(games, voter="voter", by="task", bootstrap=50)
    categories, notes = audit_categories(games, found.question)
    assert list(categories) == list(dict.fromkeys(one["task"] for one in given))
    assert notes == []
    folder = tmp_path_factory.mktemp("audit")
    for name, content in audit_files(found, categories, "Votes"):
        (folder / name).write_bytes(content)
    return folder / "index.html"


@pytest.fixture
def opened(browser, file):
    """A function that opens the report, and what the page asked for and complained about."""
    pages = []

    def open_at(size, scheme="light", path=file):
        page = browser.new_page(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, bypass_csp=False
        )
        pages.append(page)
        page.told = []
        page.on("console", lambda message: page.told.append(message.text))
        page.on("pageerror", lambda error: page.told.append(str(error)))
        page.on("request", lambda request: page.told.append(request.url))
        page.goto(path.as_uri())
        return page

    yield open_at
    for page in pages:
        page.close()


def test_nothing_leaves_the_page(opened, file):
    """The browser asks for the file and nothing else, and has nothing to complain about."""
    assert opened(DESK).told == [file.as_uri()]


def test_styles_are_let_through(opened):
    """The policy lets the page's own style sheet in, so dark is dark and light is light."""
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    assert opened(DESK).evaluate(ground) == "rgb(246, 247, 249)"
    assert opened(DESK, "dark").evaluate(ground) == "rgb(13, 16, 21)"


def test_scripts_are_kept_out(opened):
    """The policy stops a script that somebody gets into the page."""
    page = opened(DESK)
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        " document.body.append(s); }"
    )
    assert page.evaluate("window.ran") is None


def test_fits_a_phone(opened):
    """At 360 pixels the page does not scroll sideways, and words in figures can be read."""
    page = opened(PHONE)
    wide, inner = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= inner == 360
    assert page.locator("#last .scroll").evaluate("one => one.scrollWidth <= one.clientWidth")
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    wide, inner = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= inner
    heights = page.evaluate(
        "[...document.querySelectorAll('.figure text')].map(t => t.getBoundingClientRect().height)"
        ".filter(h => h > 0)"
    )
    assert len(heights) > 50
    assert min(heights) >= 10


def test_any_two_are_compared(opened):
    """Choosing a player draws their history and the system's forecast; an unknown name is told."""
    page = opened(DESK)
    first, second = page.locator(".picks input").all()
    curve = page.locator("#versus .curve").first
    before, names = curve.get_attribute("d"), page.locator("#board bdi").all_text_contents()
    first.fill(names[9].lower())
    first.press("Tab")
    assert curve.get_attribute("d") != before
    assert first.input_value() == names[9]
    digits = page.locator("#versus").get_attribute("data-chances")
    count = int(page.locator("#versus").get_attribute("data-count"))
    at = count + 9 - 3  # the second row of the triangle begins after count - 1 pairs
    percent = 100 - int(digits[2 * at : 2 * at + 2])  # of the tenth against the second
    assert page.locator(".share strong").first.text_content() == f"{percent} %"
    second.fill("nobody at all")
    second.press("Tab")
    assert "nobody at all" in page.locator("#versus output").text_content()


def test_everybody_is_found_and_sorted(opened):
    """Rows beyond the first open by a tick, by a name, and take part in sorting."""
    page = opened(WIDE)
    seen = "[...document.querySelectorAll('#board tbody tr')].filter(r => r.offsetHeight).length"
    total = page.locator("#board tbody tr").count()
    assert page.evaluate(seen) == 25 < total
    page.get_by_label(f"All {total}").check()
    assert page.evaluate(seen) == total
    page.get_by_label(f"All {total}").uncheck()
    last = page.locator("#board tbody bdi").last.text_content()
    page.get_by_label("Find").fill(last)
    assert last in page.locator("#board tbody tr:visible bdi").all_text_contents()
    page.get_by_label("Find").fill("")
    page.locator("#board th button", has_text="Matches").click()
    cells = page.locator("#board tbody tr:visible td:nth-last-child(2)").all_text_contents()
    games = [int(one.replace(",", "")) for one in cells]
    assert games == sorted(games, reverse=True)
    assert len(games) == 25


def test_the_board_fits_every_screen(opened):
    """No board scrolls in its card, on a phone, a tablet or a desk; a wide one has all columns."""
    for wide in (PHONE[0], 760, 1000, DESK[0], WIDE[0]):
        page = opened((wide, 900))
        card = page.locator(".scroll:has(#board)")
        assert card.evaluate("one => one.scrollWidth - one.clientWidth") <= 0, wide
    assert (
        page.locator("#board thead th:visible").count()
        == page.locator("#board th[scope=col]").count()
    )


def test_a_pointer_reads_a_rating(opened):
    """Where the pointer is, the rating and its day stand beside the name; then the rating now."""
    page = opened(DESK)
    figure = page.locator(".multiples figure").first
    now = figure.locator("output").text_content()
    figure.locator("svg.history").hover()
    assert re.fullmatch(
        r"[0-9]+, 20[0-9]{2}-[0-9]{2}-[0-9]{2}", figure.locator("output").text_content()
    )
    page.mouse.move(1, 1)
    assert figure.locator("output").text_content() == now


def test_all_is_there_without_script(browser, file):
    """Without script every player, history and the first pair stand there; nothing offers more."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("#board tbody tr").count() > 200
    assert not page.get_by_label("Find").is_visible()
    page.locator("#all-board").check()
    assert page.locator("#board tbody tr").last.is_visible()
    assert page.locator("#versus .curve").count() == 2
    context.close()


def test_one_drawing_is_seen(opened):
    """Of the two drawings of a figure exactly one is shown, on a screen and on a phone."""
    for size in (DESK, PHONE):
        shown = opened(size).evaluate(
            "[...document.querySelectorAll('figure')].filter(f => !f.querySelector('.history'))"
            ".map(f => [...f.querySelectorAll(':scope > svg')]"
            ".filter(s => s.getBoundingClientRect().height > 0).length)"
        )
        assert set(shown) == {1}


@pytest.mark.parametrize("name", ["file", "audit"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing(browser, request, name, size, scheme):
    """axe-core finds no violation, in light and dark, on screen and phone, folds opened."""
    file = request.getfixturevalue(name)
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, bypass_csp=True
    )  # the checker is a script, which the page's own policy would keep out
    page = context.new_page()
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    page.add_script_tag(path=str(AXE))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    context.close()
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
    assert len(found["passes"]) > 20


def test_categories_are_chosen(opened, audit):
    """Tabs lead to the pages of categories; on a page one board of them is seen, without script."""
    page = opened(PHONE, path=audit)
    wide, inner = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= inner
    names = page.locator(".tabs a").all_text_contents()
    assert names[0] == "All"
    boards = [page.get_by_role("region", name=f"Ratings of {name}") for name in names[1:]]
    assert [one.is_visible() for one in boards] == [True, False]
    page.get_by_label(names[2], exact=True).check()
    assert [one.is_visible() for one in boards] == [False, True]
    page.locator(".tabs a").nth(2).click()
    assert page.locator(".site bdi").text_content() == f"Votes, {names[2]}"
    assert page.locator(".tabs [aria-current]").text_content() == names[2]
    assert len(page.told) == 2  # the pages, and nothing beside them


def test_figures_of_an_audit_have_files(opened, audit):
    """Each section with a figure offers its numbers as a file."""
    page = opened(DESK, path=audit)
    for section in page.locator("section:has(figure)").all():
        figures = section.locator("figure").count()
        assert section.locator("a[download]").count() >= figures


def test_prints(opened):
    """On paper the page is light, its folds and links to sections are gone, figures are whole."""
    page = opened(DESK, "dark")
    page.emulate_media(media="print", color_scheme="dark")
    ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert ground == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert page.pdf(format="A4")[:5] == b"%PDF-"


def test_a_figure_alone(opened, tmp_path):
    """An SVG file opens by itself, asks for nothing, and follows dark."""
    ratings = prowess.rate(prowess.read_games(FOOTBALL), "elo")
    file = tmp_path / "figure.svg"
    file.write_text(histories(ratings).to_svg(), encoding="utf-8")
    for scheme, colour in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(21, 25, 32)")):
        page = opened(DESK, scheme, file)
        assert page.told == [file.as_uri()]
        fill = "getComputedStyle(document.querySelector('.ground')).fill"
        assert page.evaluate(fill) == colour
