"""The documentation site: built once without warnings, whole, searchable, and free of faults."""

from __future__ import annotations

import html
import inspect
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from urllib.parse import unquote

import pytest

import prowess
from prowess.cli.commands import VERB_GROUPS
from tests.browser.test_report import AXE, DESK, PHONE, browser  # noqa: F401 - a fixture

ROOT = Path(__file__).parents[2]
LOADED = re.compile(r'<(?:script|img|link rel="stylesheet")[^>]*? (?:src|href)="([^"]+)"')
LINKED = re.compile(r'<a [^>]*?href="([^"]+)"')
KINDS = (
    "index", "tutorials/club", "howto/index", "reference/api", "reference/api/rate",
    "reference/api/Ratings", "reference/verbs/rate", "reference/systems/glicko2", "games",
    "theory_population", "gallery", "glossary", "search",
)  # fmt: skip

pytestmark = pytest.mark.skipif(find_spec("furo") is None, reason="needs the extra docs")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site as one command builds it: every warning is an error."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, str(ROOT / "docs" / "build_site.py"), str(folder)]
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": paths}, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")
    return folder


@pytest.fixture(scope="module")
def pages(site):
    """The text of every page by its path in the site."""
    return {str(page.relative_to(site)): page.read_text() for page in site.rglob("*.html")}


def test_every_link_leads_to_a_page_and_its_heading(site, pages):
    """A link inside the site names a file that is there, and a heading that the file has."""
    anchors = {name: set(re.findall(r'\bid="([^"]+)"', text)) for name, text in pages.items()}
    broken = []
    for name, text in pages.items():
        for link in {*LINKED.findall(text), *LOADED.findall(text)}:
            address, _, anchor = unquote(html.unescape(link)).partition("#")
            if re.match(r"https?:|mailto:", address):
                continue
            target = (site / name).parent / address.partition("?")[0] if address else site / name
            if not target.is_file():
                broken.append((name, link))
            elif anchor and target.suffix == ".html":
                known = anchors[str(target.resolve().relative_to(site.resolve()))]
                broken += [(name, link)] if anchor not in known else []
    assert broken == []
    assert len(pages) > 80


def test_nothing_is_loaded_from_elsewhere(pages):
    """Scripts, styles and pictures are files of the site."""
    loaded = {one for text in pages.values() for one in LOADED.findall(text)}
    assert loaded
    assert [one for one in loaded if re.match(r"(https?:)?//", one)] == []


def test_the_reference_is_whole(pages):
    """Every public name, every verb and every system has its place in the reference."""
    names = {f"plot.{name}" for name in prowess.plot.__all__} | {*prowess.__all__} - {"plot"}
    own = {name for name in names if f"reference/api/{name}.html" in pages}
    assert names - own == {"BadArgument", "BadData", "DataWarning"}  # on that of errors
    assert all(f'id="prowess.errors.{name}"' in pages["reference/api/errors.html"]
               for name in prowess.errors.__all__)  # fmt: skip
    verbs = [verb for group in VERB_GROUPS.values() for verb in group]
    assert [verb for verb in verbs if f"reference/verbs/{verb}.html" not in pages] == []
    index = pages["reference/systems/index.html"]
    assert [name for name in prowess.systems() if f">{name}<" not in index] == []


def test_every_parameter_is_listed(pages):
    """The page of a function lists its parameters, and shows an example."""
    for name in ("rate", "compare", "forecast", "plot.history"):
        page = pages[f"reference/api/{name}.html"]
        listed = set(re.findall(r"<li><p><strong>(\w+)</strong>", page))
        parameters = inspect.signature(attrgetter(name)(prowess)).parameters.values()
        wanted = {one.name for one in parameters if one.kind is not one.VAR_KEYWORD}
        assert wanted - listed == set(), name
        assert "&gt;&gt;&gt;" in page


def test_options_can_be_copied(pages):
    """An option has two hyphens wherever a page of a verb has it, and no name is an address."""
    for name, text in pages.items():
        if name.startswith("reference/verbs/"):
            assert "\N{EN DASH}" not in text.partition("<article")[2].partition("</article>")[0]
        assert "mailto:" not in text, name


def test_figures_follow_the_theme(browser, site):  # noqa: F811
    """Of a figure the light drawing is shown on a light page, and the dark one on a dark page."""
    page = browser.new_page()
    page.goto((site / "theory_wp.html").as_uri())
    for theme in ("light", "dark"):
        page.evaluate("theme => document.body.dataset.theme = theme", theme)
        seen = page.locator("article img:visible")
        files = [one.get_attribute("src") for one in seen.all()]
        assert len(files) == 2
        assert [file.endswith("-dark.svg") for file in files] == [theme == "dark"] * 2
    page.close()


def test_formulas_are_drawn_by_the_browser(pages):
    """A formula is MathML, which needs no script."""
    page = pages["theory_population.html"]
    assert page.count("<math ") > 5
    assert not [one for one in LOADED.findall(page) if "math" in one.lower()]


@pytest.mark.parametrize(("asked", "wanted"), [
    ("volatility", "glicko2"),
    ("backup", "run a ladder for others"),  # the changelog has it far more often
    ("overconfident", "Stacking"),  # stands in the text only
])  # fmt: skip
def test_search_works_from_a_disk(browser, site, asked, wanted):  # noqa: F811
    """A page opened as a file finds the pages that have a word, changelog and lists last."""
    page = browser.new_page()
    page.goto(f"{(site / 'search.html').as_uri()}?q={asked}")
    page.wait_for_function(
        "document.querySelector('#search-results p')?.innerText.includes('found')"
    )
    found = page.locator("ul.search li > a").all()
    texts, links = [one.inner_text() for one in found], [one.get_attribute("href") for one in found]
    assert any(wanted in text for text in texts)
    lists = re.compile("CHANGELOG|CONTRIBUTING|SECURITY|reference/errors")
    pages = [not lists.match(link) for link in links]
    assert pages == sorted(pages, reverse=True)
    page.close()


@pytest.mark.parametrize(("size", "scheme"), [(DESK, "light"), (PHONE, "dark")])
def test_axe_finds_nothing_on_the_site(browser, site, size, scheme):  # noqa: F811
    """axe-core finds no violation on a page of each kind, on screen and phone."""
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, bypass_csp=True
    )
    found: dict[str, list[tuple[str, str]]] = {}
    for name in KINDS:
        page.goto((site / f"{name}.html").as_uri())
        page.add_script_tag(path=str(AXE))
        run = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        for one in run["violations"]:
            found.setdefault(one["id"], []).append((name, one["nodes"][0]["html"][:200]))
    page.close()
    assert found == {}
