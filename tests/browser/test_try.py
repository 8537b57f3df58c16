"""The page into which one drops a file, in Chromium, and its Python in Node: our numbers."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import prowess
from prowess.verbs.browser import list_cells
from tests.browser.test_report import AXE, DESK, browser  # noqa: F401 - a fixture

ROOT = Path(__file__).parents[2]
TABLES = ROOT / "tests" / "door" / "tables"
BUILD = ROOT / "docs" / "try" / "build.py"
PHONE = (390, 844)
MINUTES = 5 * 60_000  # milliseconds
DROPPED = (
    "E0_style.csv", "accents.csv", "afl_rounds.csv", "ajedrez_rondas.csv", "backgammon.csv",
    "agent_matches.ndjson", "autumn_open.trf", "ab_listening.csv", "badminton_saetze.csv",
    "away_first.csv",
)  # fmt: skip
SYSTEMS = (
    "prowess", "elo", "glicko", "glicko2", "trueskill", "weng_lin_pl", "batch_elo", "codeforces",
    "ics", "smith", "points", "rumble_glicko", "borda", "schulze",
)  # fmt: skip
UNITS = ("tests/games/test_runs.py",)
KEPT_FILES = """
(async () => {
  const [name] = await caches.keys(), files = await (await caches.open(name)).keys();
  return files.map((one) => one.url).sort();
})()
"""
PURE = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "py.py")
IN_BROWSER = """
import json, os, sys
from pathlib import Path
from prowess.compile import kernel
assert kernel.available()
missing, prepare = [], kernel.CompiledFunction.prepare
def note_missing(self, kinds, arguments):
    try:
        return prepare(self, kinds, arguments)
    except Exception:
        missing.append(self.function.__qualname__)
        raise
kernel.CompiledFunction.prepare = note_missing
sys.path += ["/checkout", "/pure"]
os.chdir("/checkout")
import numpy as np
assert np.arange(3).dtype == np.int32  # what makes the test worth its time
from tests.browser.ratings import rate_tables
import pytest
options = ["-q", "--noconftest", "-p", "no:cacheprovider", "-o", "filterwarnings="]
failed = int(pytest.main([*options, *UNITS]))
found = rate_tables(SYSTEMS[:1])
lacking, found = [*missing], found | rate_tables(SYSTEMS[1:])
Path("/made/found.json").write_text(json.dumps([found, lacking, failed]))
"""
RUN = """
import fs from "node:fs";
import { loadPyodide } from %(loader)s;
const { page, python, mounts, code } = %(given)s;
const inner = await loadPyodide({ indexURL: python });
const library = new Uint8Array(fs.readFileSync(`${page}/library.tar.gz`));
inner.unpackArchive(library, "gztar", { extractDir: "/lib" });
for (const [from, to] of mounts) {
  inner.FS.mkdirTree(to);
  inner.FS.mount(inner.FS.filesystems.NODEFS, { root: from }, to);
}
try {
  inner.runPython(code);
} catch (error) {
  console.error(String(error.message).slice(-3000));
  process.exit(1);
}
"""


def load_builder():
    """The script that builds the page, as a module."""
    spec = importlib.util.spec_from_file_location("build_try", BUILD)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of the page, and the script that built it."""
    builder = load_builder()
    folder = tmp_path_factory.mktemp("try") / "page"
    try:
        sizes = builder.build_page(folder, builder.SYSTEMS[:1])
    except builder.NotAtHand as error:
        pytest.skip(f"the page cannot be built here: {error}")
    assert sum(sizes.values()) <= 11e6, "the first visit loads more than the page may"
    return folder, builder


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture(scope="module")
def server(built):
    """A server of the page, and its address."""
    served = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=built[0]))
    threading.Thread(target=served.serve_forever, daemon=True).start()
    yield served, f"http://127.0.0.1:{served.server_port}/"
    served.shutdown()
    served.server_close()


@pytest.fixture(scope="module")
def page(browser, server):  # noqa: F811 - the fixture
    """The page, opened once, and what it complained about."""
    context = browser.new_context(viewport={"width": DESK[0], "height": DESK[1]})
    opened = context.new_page()
    opened.told = []
    opened.set_default_timeout(MINUTES)
    opened.on("console", lambda message: opened.told.append(message.text))
    opened.on("pageerror", lambda error: opened.told.append(str(error)))
    opened.goto(server[1])
    yield opened
    context.close()


def drop(page, path):
    """Give the page a file, and wait until it is rated or asked about."""
    page.evaluate("document.getElementById('state').textContent = ''")
    page.set_input_files("#file", path)
    page.locator("#state", has_text="Done").or_(page.locator("#question:visible")).first.wait_for()


def test_numbers_are_the_same_in_node(built, tmp_path):
    """Tables of every kind under a dozen systems: the default to the bit, others to 1e-12.

    The page that is tested has the kernels of the default system, and none is missing.
    The values of papers and programs are those that other tests ask of this machine.
    """
    from tests.browser.ratings import rate_tables

    folder, builder = built
    packages = {name: builder.fetch_package(**row) for name, row in builder.load_table().items()}
    site = Path(pytest.__file__).parents[1]
    pure = tmp_path / "pure"
    pure.mkdir()
    for name in PURE:
        (shutil.copytree if (site / name).is_dir() else shutil.copy)(site / name, pure / name)
    made = tmp_path / "made"
    made.mkdir()
    code = f"SYSTEMS, UNITS = {SYSTEMS!r}, {UNITS!r}\n{IN_BROWSER}"
    given = {
        "page": str(folder), "python": f"{packages['python']}/", "code": code,
        "mounts": [[str(ROOT), "/checkout"], [str(pure), "/pure"], [str(made), "/made"]],
    }  # fmt: skip
    loader = json.dumps((packages["python"] / "pyodide.mjs").as_uri())
    script = RUN % {"loader": loader, "given": json.dumps(given)}
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", script],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    found, lacking, failed = json.loads((made / "found.json").read_text())
    assert failed == 0, done.stdout[-3000:]
    assert lacking == [], "loops of the default system for which the page has no kernel"
    ours = json.loads(json.dumps(rate_tables(SYSTEMS)))
    assert found.keys() == ours.keys()
    for name, values in ours.items():
        if name.startswith("prowess "):
            assert found[name] == values, name
        else:
            assert found[name] == pytest.approx(values, rel=1e-12, abs=1e-9), name


def test_dropped_tables_have_the_numbers_of_the_library(page, tmp_path):
    """Ten tables as people have them: the leaderboard that is kept is the library's, to the bit."""
    for name in DROPPED:
        drop(page, TABLES / name)
        board = prowess.rate(prowess.read_games(TABLES / name, warn=False)).leaderboard()
        with page.expect_download() as kept:
            page.click("[data-keep=board]")
        path = tmp_path / name
        kept.value.save_as(path)
        assert path.read_text() == board.to_csv(), name
        shown = page.locator("#board tbody tr").first.locator("td").all_text_contents()
        assert shown == list_cells(board)[1], name
    assert page.told == []


def test_a_question_is_a_button(page):
    """A date that can be read in two ways is asked about, with both readings; a click decides."""
    drop(page, {"name": "dates.csv", "mimeType": "text/csv", "buffer": (
        b"date,home,away,score\n01/02/2024,Ann,Bob,2-1\n03/04/2024,Bob,Cid,0-1\n"
    )})  # fmt: skip
    assert "1 February 2024" in page.inner_text("#asked")
    assert "2 January 2024" in page.inner_text("#asked")
    assert page.locator("#choices button").all_text_contents() == ["day first", "month first"]
    page.click("#choices >> text=month first")
    page.locator("#state", has_text="Done").wait_for()
    assert "2024-01-02" in page.inner_text("#reading")


def test_a_refusal_says_what_helps(page):
    """A file without games is refused with its remedy, and the page takes the next one."""
    drop(page, {"name": "empty.csv", "mimeType": "text/csv", "buffer": b"home,away,score\n"})
    assert "add rows or name another file" in page.inner_text("#asked")
    assert page.locator("#leaderboard").is_hidden()
    drop(page, TABLES / "E0_style.csv")
    page.locator("#state", has_text="Done").wait_for()
    assert page.locator("#question").is_hidden()
    assert page.told == []


def test_the_example_has_everything(page):
    """The table that the page offers has a leaderboard, a line and games of a player, a report."""
    page.evaluate("document.getElementById('state').textContent = ''")
    page.click("#example")
    page.locator("#state", has_text="Done").wait_for()
    assert page.locator("#figure svg:visible").count() == 1
    assert page.locator("#history tbody tr").count() == 10
    page.click("#earlier")
    assert page.locator("#history tbody tr").count() == 60
    page.click("#report")
    page.wait_for_selector("#page:not([hidden])")
    assert page.told == []


def test_forecasts_players_and_report(page):
    """Forecasts of two and three sides, and the report, are the library's."""
    path = TABLES / "E0_style.csv"
    drop(page, path)
    ratings = prowess.rate(prowess.read_games(path, warn=False))
    first, second, third = ratings.leaderboard().columns["player"][:3]
    page.click("#game [type=submit]")
    page.wait_for_selector("#chances tbody tr")
    shown = page.locator("#chances tbody td").all_text_contents()
    assert shown == list_cells(prowess.forecast(ratings, (first, second)))[1]
    page.click("#more")
    page.fill("#sides label:last-child input", third)
    page.click("#game [type=submit]")
    page.locator("#chances tbody tr").nth(2).wait_for()
    shown = page.locator("#chances tbody td").all_text_contents()
    of_three = list_cells(prowess.forecast(ratings, (first, second, third)))
    assert shown == [cell for row in of_three[1:] for cell in row]
    with page.expect_download() as kept:
        page.click("[data-keep=report]")
    written = Path(kept.value.path()).read_text(encoding="utf-8")
    assert written == prowess.report(ratings, title="E0_style").to_html()
    page.click("#report")
    page.wait_for_selector("#page:not([hidden])")
    assert page.frame_locator("#page").locator("h1").text_content()
    assert page.told == []


def test_nothing_leaves_the_page(page, server):
    """The policy stops the page and its worker from asking another server for anything."""
    asked = "fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'stopped')"
    assert page.evaluate(asked) == "stopped"
    assert page.evaluate(
        "new Promise((done) => { const w = new Worker(URL.createObjectURL(new Blob(["
        f'"{asked}.then((said) => postMessage(said))"'
        "]))); w.onmessage = (event) => done(event.data); })"
    ) == "stopped"  # fmt: skip
    assert any("Content Security Policy" in text for text in page.told)
    page.told.clear()


def test_a_phone_and_readers_without_eyes(page):
    """At 390 and at 1280 pixels nothing sticks out, and axe-core finds nothing."""
    for size in (PHONE, (1280, 900)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        wide, inner = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide <= inner == size[0]
        found = page.evaluate(f"(() => {{ {AXE.read_text()} }})() ?? axe.run()")
        assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []


def test_it_works_without_a_network(browser, server):  # noqa: F811 - the fixture
    """After the first visit the files come from the browser, and it fetches what it has lost."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(MINUTES)
    page.goto(server[1])
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    context.set_offline(offline=True)
    page.reload()
    drop(page, TABLES / "E0_style.csv")
    assert page.locator("#board tbody tr").count() > 2
    kept = page.evaluate(KEPT_FILES)
    assert {name.rpartition("/")[2] for name in kept} >= {"", "try.js", "library.tar"}
    context.set_offline(offline=False)
    page.evaluate(
        "caches.keys().then((names) => Promise.all(names.map((one) => caches.delete(one))))"
    )
    for offline in (False, True):
        context.set_offline(offline=offline)
        page.reload()
        drop(page, TABLES / "E0_style.csv")
        assert page.locator("#board tbody tr").count() > 2
        # also those that the browser had in memory, and did not ask for
        assert page.evaluate(KEPT_FILES) == kept
    context.close()
