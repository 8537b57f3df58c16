"""`prowess site`."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import answered, prowess, refused


def test_site_is_a_folder(tmp_path, games):
    """A folder of pages is written, stdout stays empty, stderr names the first page."""
    folder = tmp_path / "pages"
    done = prowess("site", games, "-o", folder, "--title", "Club & friends")
    assert (done.returncode, done.stdout) == (0, "")
    assert str(folder / "index.html") in done.stderr
    assert "Club &amp; friends" in (folder / "index.html").read_text(encoding="utf-8")
    assert {one.name for one in (folder / "players").iterdir() if one.suffix == ".html"} == {
        "ada-1.html",
        "ben-2.html",
        "cy-3.html",
    }


def test_site_agrees_with_rate(tmp_path, games):
    """The table beside the pages is the one that `rate` writes, with the same options."""
    options = (games, "--system", "glicko", "--period", "7d", "--set", "drift=50")
    answered("site", *options, "-o", tmp_path / "pages", "-q")
    written = (tmp_path / "pages" / "leaderboard.csv").read_text(encoding="utf-8")
    assert written == answered("rate", *options, "--csv", "-q")


def test_only_our_own_folder_is_written_to(tmp_path, games):
    """A folder with anything else in it stays as it is, whatever its files are called."""
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "index.html").write_text("mine", encoding="utf-8")
    assert "new folder" in refused(2, "site", games, "-o", folder, "-q")
    (folder / "prowess-site.json").write_text("[]", encoding="utf-8")
    assert "new folder" in refused(2, "site", games, "-o", folder, "-q")
    assert (folder / "index.html").read_text(encoding="utf-8") == "mine"
    assert "new folder" in refused(2, "site", games, "-o", folder / "index.html", "-q")


def test_a_second_run_leaves_nothing_old(tmp_path, games):
    """Writing again takes away what is no more of what we wrote, and touches nothing else."""
    folder = tmp_path / "pages"
    answered("site", games, "-o", folder, "-q")
    first = {str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file()}
    (folder / "CNAME").write_text("ours.example", encoding="utf-8")
    answered("site", games, "-o", folder, "-q", "--top", "1")
    second = {str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file()}
    assert second < first | {"CNAME"}
    assert len([name for name in second if name.startswith("players/")]) == 2
    assert "CNAME" in second


def test_nothing_outside_is_taken_away(tmp_path, games):
    """A list of files that somebody edited cannot make us delete a file elsewhere."""
    folder, other = tmp_path / "pages", tmp_path / "precious.txt"
    other.write_text("mine", encoding="utf-8")
    answered("site", games, "-o", folder, "-q")
    listed = folder / "prowess-site.json"
    known = json.loads(listed.read_text(encoding="utf-8"))
    known["files"] += ["../precious.txt", str(other)]
    listed.write_text(json.dumps(known), encoding="utf-8")
    answered("site", games, "-o", folder, "-q")
    assert other.read_text(encoding="utf-8") == "mine"


def test_site_says_what_it_leaves_out(tmp_path, games):
    """Where not all players have a page, stderr says how many and how to have all."""
    done = prowess("site", games, "-o", tmp_path / "pages", "--top", "2")
    assert "best 2 of 3 players (--top 3)" in done.stderr


def test_site_of_contests(tmp_path, contests):
    """Contests have pages too, without pairs."""
    folder = tmp_path / "pages"
    answered("site", contests, "-o", folder, "-q")
    assert (folder / "players" / "ada-1.html").exists()
    assert not (folder / "pairings.html").exists()


def test_site_of_a_whole_table_system(tmp_path, games):
    """A system without histories has pages of players that say so."""
    folder = tmp_path / "pages"
    answered("site", games, "-o", folder, "-q", "-s", "map")
    text = (folder / "players" / "ada-1.html").read_text(encoding="utf-8")
    assert "looks at all games at once" in text


def test_a_link_has_a_picture(tmp_path, games):
    """The best stand in a PNG image of 1,200 dots, which all pages name for who shares them."""
    pytest.importorskip("resvg_py", reason="needs the extra report")
    folder = tmp_path / "pages"
    answered("site", games, "-o", folder, "-q")
    image = (folder / "leaderboard.png").read_bytes()
    assert image.startswith(b"\x89PNG\r\n")
    assert int.from_bytes(image[16:20], "big") == 1200  # its width, in the header
    for page, address in (("index", ""), ("players/ada-1", "../")):
        text = (folder / f"{page}.html").read_text(encoding="utf-8")
        assert f'<meta property="og:image" content="{address}leaderboard.png">' in text
