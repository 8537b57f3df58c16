"""`prowess report`."""

from __future__ import annotations

import re
from pathlib import Path

from pytest import approx

import prowess as library
from tests.cli.command import answered, prowess, refused


def test_report_is_a_page(tmp_path, games):
    """A page is written, stdout stays empty, stderr tells the file."""
    file = tmp_path / "page.html"
    done = prowess("report", games, "-o", file, "--title", "Club & friends", "--credit", "Ours")
    assert (done.returncode, done.stdout) == (0, "")
    assert str(file) in done.stderr
    text = file.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "<title>Club &amp; friends</title>" in text
    assert "Ours" in text


def test_report_opens_in_a_browser(tmp_path, games):
    """--open hands the address of the page to the browser; without -o it is a temporary one."""
    said = tmp_path / "said"
    browser = f"sh -c 'echo \"$0\" > {said}' %s"
    done = prowess("report", games, "--open", "--no-compare", BROWSER=browser, TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    address = said.read_text(encoding="utf-8").strip()
    page = Path(address.removeprefix("file://"))
    assert page.is_relative_to(tmp_path)
    assert "read as   games between two, 4 rows" in page.read_text(encoding="utf-8")
    assert "-o FILE.html, or add --open" in refused(2, "report", games)


def test_report_agrees_with_rate(tmp_path, games):
    """The ratings on the page are those that `rate` prints."""
    file = tmp_path / "page.html"
    answered("report", games, "-o", file, "-q")
    text = file.read_text(encoding="utf-8")
    table = text[text.index('<table id="board"') :].partition("</table>")[0]
    shown = re.findall(r"<bdi>(\w+)</bdi>.*?</th><td><b>([\d.]+)</b>", table)
    printed = answered("rate", games, "--csv").splitlines()[1:]
    known = [(row.split(",")[1], float(row.split(",")[2])) for row in printed]
    assert [name for name, _ in shown] == [name for name, _ in known]
    assert [float(text) for _, text in shown] == approx([one for _, one in known], abs=0.501)
    assert len(shown) == 3


def test_report_twice_is_the_same(tmp_path, games):
    """The same table gives the same bytes."""
    pages = []
    for name in ("one.html", "two.html"):
        answered("report", games, "-o", tmp_path / name, "--title", "same", "-q")
        pages.append((tmp_path / name).read_bytes())
    assert pages[0] == pages[1]


def test_report_of_players_and_systems(tmp_path):
    """Histories are those of the players named, the comparison holds the systems named."""
    file = tmp_path / "page.html"
    pairs = ("ada,ben,1", "ben,cy,0.5", "cy,ada,0", "ben,ada,0", "cy,ben,1")
    rows = [f"2024-{k // 28 + 1:02}-{k % 28 + 1:02},{pairs[k % 5]}" for k in range(60)]
    games = tmp_path / "many.csv"
    games.write_text("\n".join(["date,player_a,player_b,score", *rows]), encoding="utf-8")
    answered(
        "report", games, "-o", file, "-q", "--players", "cy,ada", "--systems", "elo:k=20,weng_lin"
    )
    text = file.read_text(encoding="utf-8")
    start = text.index('id="histories"')
    histories = text[start : text.index("</section>", start)]
    assert "<bdi>cy</bdi>" in histories
    assert "<bdi>ben</bdi>" not in histories
    for name in ("Elo, k 20", "Weng-Lin", "Base rate"):
        assert f"<bdi>{name}</bdi>" in text
    answered("report", games, "-o", file, "-q", "--no-compare")
    assert 'id="systems"' not in file.read_text(encoding="utf-8")


def test_report_of_contests(tmp_path, contests):
    """Contests have a report too."""
    file = tmp_path / "page.html"
    answered("report", contests, "-o", file, "-q")
    text = file.read_text(encoding="utf-8")
    assert 'id="upsets"' in text
    assert 'id="pairs"' not in text


def test_report_of_a_fitted_system(tmp_path, games):
    """A whole-table system has intervals, no histories, and forecasts by refitting."""
    file = tmp_path / "page.html"
    answered("report", games, "-o", file, "-q", "-s", "map")
    text = file.read_text(encoding="utf-8")
    assert "95% interval" in text
    assert 'id="histories"' not in text


def test_the_library_writes_the_same_page(tmp_path):
    """`prowess.report` has the options of the command, and the same bytes come of them."""
    file, rows = tmp_path / "page.html", ["date,player_a,player_b,score"]
    rows += [f"2024-01-{k % 28 + 1:02},{'abc'[k % 3]},{'bcd'[k % 3]},{k % 2}" for k in range(60)]
    games = tmp_path / "our_games.csv"
    games.write_text("\n".join(rows), encoding="utf-8")
    asked = ("--set", "k=20", "--top", 2, "--players", "a,b", "--min-games", 1, "--credit", "Ours")
    answered("report", games, "-o", file, "-q", "-s", "elo", *asked, "--since", "2024-01-02")
    made = library.report(
        str(games), system="elo", k=20, top=2, players=["a", "b"], min_games=1, credit="Ours",
        since="2024-01-02",
    )  # fmt: skip
    page = made.to_html()
    assert page == file.read_text(encoding="utf-8")
    assert "<title>Ratings: our games</title>" in page
    assert "<bdi>Elo, k 20</bdi>" in page  # beside those that are usually compared
    assert "<bdi>Weng-Lin</bdi>" in page
    few = library.report([("a", "b", 1)], system="elo")
    assert few.notes[-1].startswith("no comparison: Too few")


def test_wrong_reports(tmp_path, games):
    """What cannot be is refused before work is done, with the remedy."""
    file = tmp_path / "page.html"
    assert ".html" in refused(2, "report", games, "-o", tmp_path / "page.pdf")
    assert "ada" in refused(2, "report", games, "-o", file, "--players", "adaa", "-q")
    both = refused(2, "report", games, "-o", file, "--systems", "elo", "--no-compare")
    assert "--no-compare" in both
    nowhere = refused(2, "report", tmp_path / "none.csv", "-o", tmp_path / "no" / "page.html", "-q")
    assert "make the folder" in nowhere  # before the file is read
    assert not file.exists()
