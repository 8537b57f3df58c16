"""The pages as a folder: every link leads somewhere, every number is that of the ratings."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import date
from html import unescape
from posixpath import dirname, join, normpath

import pytest

import prowess
from prowess.present.listing import Listing
from prowess.present.site import Limits, Site, files, player_file
from tests.live.pages.club import HOSTILE, NAMES, Elements, games, unsafe

EVERYONE, PAGES = Listing(), Limits()
FIRST_DAY = date(1970, 1, 1).toordinal()


def table(tmp_path):
    """The games of the club as a file that was read."""
    file = tmp_path / "club.csv"
    with file.open("w", encoding="utf-8", newline="") as lines:
        rows = csv.writer(lines)
        rows.writerow(["date", "player_a", "player_b", "score"])
        for a, b, score, day in games():
            rows.writerow([date.fromordinal(FIRST_DAY + day).isoformat(), a, b, score])
    return prowess.read_games(file)


def folder(ratings, listing=EVERYONE, limits=PAGES):
    """All files by name."""
    return dict(files(Site(ratings, "The <i>club</i>", listing, limits)))


@pytest.fixture(params=["glicko", "bradley_terry", "copeland", "contests"])
def made(request, tmp_path):
    """(ratings, files) of a system with histories, with intervals only, without a model, and of
    contests.
    """
    if request.param == "contests":
        file = tmp_path / "races.csv"
        with file.open("w", encoding="utf-8", newline="") as lines:
            rows = csv.writer(lines)
            rows.writerow(["date", "race", "driver", "position"])
            for k in range(36):
                rows.writerow([f"2024-01-{k // 6 + 1:02}", k // 6, NAMES[k * 7 % 12], k % 6 + 1])
        ratings = prowess.rate(prowess.read_games(file), "weng_lin", forecasts=True)
    else:
        dynamic = request.param == "glicko"
        ratings = prowess.rate(table(tmp_path), request.param, forecasts=dynamic)
    return ratings, folder(ratings)


def pages(made):
    """The pages among the files."""
    return {name: text.decode() for name, text in made.items() if name.endswith(".html")}


def test_every_link_leads_somewhere(made):
    """All links and everything loaded are files of the folder, by relative addresses."""
    _, found = made
    for name, text in pages(found).items():
        for link in Elements(text).links():
            place = (
                normpath(join(dirname(name), link.partition("#")[0])) if link[0] != "#" else name
            )
            assert place in found, (name, link)


def test_nothing_hostile_comes_through(made):
    """Names are words wherever they stand: no script, style, frame or handler is in a page."""
    _, found = made
    for name, text in pages(found).items():
        assert unsafe(text) == [], name
        assert "49" not in re.findall(r"<bdi>(.*?)</bdi>", text)
    assert all(re.fullmatch(r"[a-zA-Z0-9_./-]+", name) for name in found)
    if "player" in found["leaderboard.csv"].decode():
        shown = {unescape(n) for n in re.findall(r"<bdi>(.*?)</bdi>", found["index.html"].decode())}
        assert set(HOSTILE) <= shown


def test_leaderboard_is_that_of_the_ratings(made):
    """Names, order and numbers on the first page, and in the files beside it, are the ratings'."""
    ratings, found = made
    board = ratings.leaderboard()
    text = found["index.html"].decode()
    rows = re.findall(
        r'<tr id="player-\d+">.*?<bdi>(.*?)</bdi>.*?<td class="n rating">([^<]*)<', text, re.DOTALL
    )
    assert [unescape(name) for name, _ in rows] == board.columns["player"]
    first = list(board.columns)[2]
    for (_, told), value in zip(rows, board.columns[first], strict=True):
        assert float(told.replace("\N{MINUS SIGN}", "-")) == pytest.approx(
            value, abs=0.51, rel=1e-3
        )
    told = list(csv.DictReader(io.StringIO(found["leaderboard.csv"].decode())))
    assert [row["player"] for row in told] == board.columns["player"]
    assert [float(row[first]) for row in told] == board.columns[first]
    assert json.loads(found["leaderboard.json"])["leaderboard"] == board.rows()


def test_games_add_up(tmp_path):
    """The changes in a player's file lead from a newcomer's rating to that on the leaderboard."""
    ratings = prowess.rate(table(tmp_path), "elo", forecasts=True)
    found = folder(ratings)
    for k, name in enumerate(ratings.players):
        text = found[f"players/{player_file(k, name)}.csv"].decode()
        rows = list(csv.DictReader(io.StringIO(text)))
        assert len(rows) == ratings.game_counts[k]
        assert float(rows[0]["before"]) == ratings.system.params.start
        assert float(rows[-1]["after"]) == ratings[name].rating
        changes = sum(float(row["change"]) for row in rows)
        # sums of a few dozen changes in another order than the ratings
        assert ratings.system.params.start + changes == pytest.approx(
            ratings[name].rating, abs=1e-9
        )


def test_nobody_is_hidden(tmp_path):
    """Who does not meet the rule stands on the first page too, marked and without a rank."""
    ratings = prowess.rate(table(tmp_path), "elo", forecasts=True)
    least = int(ratings.game_counts.max())
    found = folder(ratings, Listing(min_games=least))
    quiet = [name for k, name in enumerate(ratings.players) if ratings.game_counts[k] < least]
    assert quiet
    text = found["index.html"].decode()
    assert f"at least {least} games" in text
    rows = re.findall(r'<tr id="player-\d+".*?</tr>', text, re.DOTALL)
    names = [unescape(re.findall(r"<bdi>(.*?)</bdi>", row)[0]) for row in rows]
    assert names == ratings.leaderboard().columns["player"]
    marked = [name for name, row in zip(names, rows, strict=True) if "few games</span>" in row]
    assert sorted(marked) == sorted(quiet)
    assert all(("–<" in row) == (name in quiet) for name, row in zip(names, rows, strict=True))


def test_limits_are_kept(tmp_path):
    """There are as many pages of players and pairs as asked; other names stand without a link."""
    ratings = prowess.rate(table(tmp_path), "elo", forecasts=True)
    found = folder(ratings, limits=Limits(players=3, pairs=1))
    assert sum(name.startswith("players/") and name.endswith(".html") for name in found) == 3
    assert sum(name.startswith("pairs/") for name in found) <= 1
    board = found["index.html"].decode()
    assert len([one for one in Elements(board).links() if one.startswith("players/")]) == 3
    best = ratings.leaderboard(3).columns["player"]
    assert all(f"players/{player_file(ratings.index(n), n)}.html" in found for n in best)


def test_a_pair_is_linked_from_both(tmp_path):
    """The page of two players can be reached from the page of either, and leads back to both."""
    ratings = prowess.rate(table(tmp_path), "elo", forecasts=True)
    found = pages(folder(ratings))
    pairs = [name for name in found if name.startswith("pairs/")]
    assert pairs
    for name in pairs:
        back = [one for one in Elements(found[name]).links() if one.startswith("../players/")]
        assert len(back) == 2
        for one in back:
            assert f"../{name}" in Elements(found[one.removeprefix("../")]).links()


def test_twice_is_the_same(tmp_path):
    """The same table gives the same bytes."""
    one, two = (folder(prowess.rate(table(tmp_path), "glicko", forecasts=True)) for _ in range(2))
    assert one == two


def test_files_of_players_are_their_own():
    """File names are plain, and two players never share one, however alike their names."""
    names = ["Ada", "ada", "ADA", "Ada-1", "Ädä", "", "...", "شطرنج", "x" * 200]
    found = [player_file(k, name) for k, name in enumerate(names)]
    assert len({name.lower() for name in found}) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]{1,50}", name) for name in found)


def test_a_lead_is_worth_what_the_formula_says(tmp_path):
    """Elo's 200 points are an expected score of 76 % (1 / (1 + 10^-0.5) = 0.7597)."""
    text = folder(prowess.rate(table(tmp_path), "elo", forecasts=True))["index.html"].decode()
    assert "200 more is an expected score of 76 %" in text


def test_method_tells_what_was_used(tmp_path):
    """The page of the method has the formula, source and constants, changed ones beside usual."""
    ratings = prowess.rate(table(tmp_path), "elo", k=20, forecasts=True)
    text = unescape(folder(ratings)["method.html"].decode())
    assert "Formula" in text
    assert "Source" in text
    assert re.search(r'<th scope="row">k</th><td class="n wrap">20</td>', text)
