"""The page: whole, closed to the outside, readable by everybody, and equal to the library."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from pytest import approx

import prowess
from prowess.engine.leaderboard import UnknownPlayer
from prowess.present.figures import name_system
from prowess.present.listing import Listing, spell_count
from prowess.present.report import (
    AUDIENCES,
    SECTIONS,
    STATISTICS,
    find_headline,
    own_forecasts,
    report,
)
from prowess.present.report_board import (
    connection,
    draws,
    find_streaks,
    sides,
    upsets,
)
from prowess.study.backtest import backtest, base_rate_backtest
from prowess.study.compare import compare
from prowess.systems.catalogue import find
from prowess.verbs import pages
from tests.refusals import refused

FOOTBALL = Path(prowess.__file__).parent / "cli" / "data" / "football.csv"
VOID = {"meta", "br", "img", "link", "input", "hr", "base"}
HOSTILE = [
    '<script>alert("1")</script>',
    "<img src=x onerror=alert(1)>",
    "محمد \u202egniht",
    "\U0001f98a'\"",
]


class Page(HTMLParser):
    """Every element with its attributes and text, and whether each is closed where it should be."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements: list[dict[str, Any]] = []
        self.open: list[dict[str, Any]] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        one = {
            "tag": tag,
            "at": dict(attributes),
            "text": "",
            "inside": [o["tag"] for o in self.open],
        }
        self.elements.append(one)
        if tag not in VOID:
            self.open.append(one)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):  # without what a phone shows beneath, and letters beside names
        classes = " ".join(one["at"].get("class") or "" for one in self.open).split()
        if {"phone", "monogram"} & {*classes}:
            return
        for one in self.open:
            one["text"] += data

    def all(self, tag):
        return [one for one in self.elements if one["tag"] == tag]

    def table(self, caption):
        """The texts of a table's rows, the header first."""
        text, (start,) = self.elements, [
            k for k, one in enumerate(self.elements)
            if one["tag"] == "caption" and one["text"].startswith(caption)
        ]  # fmt: skip
        rows: list[list[str]] = []
        for one in text[start + 1 :]:
            if one["tag"] == "caption":
                break
            if one["tag"] == "tr":
                rows.append([])
            elif one["tag"] in ("th", "td"):
                rows[-1].append(one["text"])
        return rows


@pytest.fixture(scope="module")
def ratings():
    """Six hundred matches under Glicko, with forecasts."""
    return prowess.rate(prowess.read_games(FOOTBALL), "glicko", period="1mo", forecasts=True)


@pytest.fixture(scope="module")
def made(ratings):
    """The report with everything in it."""
    own = own_forecasts(ratings)
    assert own is not None
    other = backtest(ratings.table, find("elo"))
    return report(
        ratings,
        title="Matches",
        forecasts=own,
        comparison=compare([own, other, base_rate_backtest(ratings.table)]),
        credit="Public domain, CC0",
    )


@pytest.fixture(scope="module")
def page(made):
    """Its page, parsed; fails where elements are not nested."""
    return Page(made.to_html())


def test_page_is_closed(made, page):
    """Nothing is loaded: the policy forbids all but the one style sheet and the one script."""
    text = made.to_html()
    (policy,) = [
        one["at"]["content"]
        for one in page.all("meta")
        if one["at"].get("http-equiv") == "Content-Security-Policy"
    ]
    (style,) = re.findall("<style>(.*?)</style>", text, re.DOTALL)
    (script,) = re.findall("<script>(.*?)</script>", text, re.DOTALL)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    for name, content in (("style-src", style), ("script-src", script)):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"
    assert set(rules) == {"default-src", "style-src", "script-src", "base-uri", "form-action"}
    assert "fetch" not in script
    assert not [one for one in page.elements if one["tag"] in ("link", "iframe", "img")]
    for one in page.elements:
        assert not [name for name in one["at"] if name.startswith("on") or name == "style"]
        inside = ("#", "data:text/csv;") if "download" in one["at"] else "#"
        for name in ("src", "href", "xlink:href", "srcset", "action"):
            assert one["at"].get(name, "#").startswith(inside)
    assert "url(" not in style
    assert "@import" not in style


def test_page_is_for_everybody(page):
    """Language, landmarks, headings without holes, captions, named figures, unique ids."""
    (html,) = page.all("html")
    assert html["at"]["lang"] == "en"
    for landmark in ("nav", "main", "h1"):
        assert len(page.all(landmark)) == 1
    assert len([one for one in page.all("header") if "main" not in one["inside"]]) == 1
    levels = [int(one["tag"][1]) for one in page.elements if re.fullmatch("h[1-6]", one["tag"])]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    ids = [one["at"]["id"] for one in page.elements if "id" in one["at"]]
    assert len(ids) == len(set(ids)) > 10
    links = [one["at"]["href"][1:] for one in page.all("a") if "download" not in one["at"]]
    assert set(links) <= set(ids)
    assert len(page.all("caption")) == len(page.all("table")) > 5
    assert all(one["at"].get("scope") in ("col", "row") for one in page.all("th"))
    whole = [one for one in page.all("svg") if "svg" not in one["inside"]]
    pictures = [one for one in whole if "aria-hidden" not in one["at"]]
    for one in pictures:
        assert one["at"]["role"] == "img"
        assert len(one["at"]["aria-label"]) > 5
    figures = page.all("figure")
    assert len(figures) >= 8
    captions = [one["text"] for one in page.all("figcaption")]
    assert len(captions) == len(figures) - 1  # two players stand above theirs
    assert all(captions)
    wide = [one for one in pictures if "wide" in one["at"]["class"]]
    narrow = [one for one in pictures if "narrow" in one["at"]["class"]]
    stretched = [one for one in pictures if "history" in one["at"]["class"]]
    assert len(wide) == len(narrow) == len(figures) - len(stretched) > 3
    assert len(stretched) == 13
    assert all(float(one["at"]["width"]) <= 336.0 for one in narrow)


@pytest.mark.parametrize("audience", AUDIENCES)
def test_landmarks_have_names_of_their_own(ratings, audience):
    """No table that scrolls is named as its section is, or as another table."""
    page = Page(report(ratings, title="Matches", audience=audience).to_html())
    headings = {one["at"].get("id"): one["text"] for one in page.all("h2")}
    named = [headings[one["at"]["aria-labelledby"]] for one in page.all("section")]
    named += [one["at"]["aria-label"] for one in page.elements if one["at"].get("role") == "region"]
    assert len(named) == len(set(named)) > 8


def test_leaderboard_is_the_librarys(ratings, made, page):
    """Rank, rating, interval and games on the page are those of the library; then the others."""
    header, *rows = page.table("Leaderboard")
    board = made.listing.board(ratings).rows()
    assert len(rows) == len(board)
    bars = [one["at"] for one in page.all("svg") if one["at"].get("class") == "interval"]
    for row, bar, known in zip(rows, bars, board, strict=False):
        shown = dict(zip(header, row, strict=True))
        assert shown["#"] == str(known["rank"])
        assert shown["Team"] == known["player"]
        assert shown["Rating"] == f"{known['rating']:.0f}"
        low, high = map(float, bar["aria-label"].removeprefix("most likely ").split(" to "))
        assert high - low == approx(2 * 1.959964 * known["deviation"], abs=1.01)  # of units
        assert shown["Matches"] == f"{known['games']:,}"
    assert made.listing.describe(ratings, words=made.words) in page.all("main")[0]["text"]


def test_everyone_is_on_the_page(ratings):
    """Players whom the rule leaves out follow without a rank, each with the reason."""
    rule = Listing(min_games=8, since=float(np.quantile(ratings.last, 0.5)))
    listed = len(rule.players(ratings))
    header, *rows = Page(report(ratings, listing=rule).to_html()).table("Leaderboard")
    assert len(rows) == len(ratings) > listed
    for k, row in enumerate(rows):
        rank, player = row[header.index("#")], row[header.index("Team")]
        assert (rank == "\N{EN DASH}") == (k >= listed)
        assert player.endswith((" few matches", " not playing")) == (k >= listed)


def test_changes_are_those_of_a_year():
    """A change is the rating now less that after all games but those of the last year."""
    rng = np.random.default_rng(8)
    days = np.datetime64("2021-01-01") + np.arange(0, 1200, 12)
    pairs = [rng.choice(list("abcdef" if k < 60 else "abcd"), 2, replace=False) for k in range(100)]
    table = {"date": [str(day) for day in days], "player_a": [a for a, _ in pairs],
             "player_b": [b for _, b in pairs], "result": rng.integers(0, 2, 100)}  # fmt: skip
    games = prowess.read_games(table)
    now = prowess.rate(games, "elo")
    since = float(np.nanmax(now.last)) - 365.2425
    earlier = prowess.rate(games.select(np.asarray(games.time) < since), "elo")
    header, *rows = Page(report(now, listing=Listing()).to_html()).table("Leaderboard")
    assert len(rows) == 6
    for row in rows:
        shown = dict(zip(header, row, strict=True))
        name, text = shown["Player"], shown["12 months"].replace("\N{MINUS SIGN}", "-")
        change = now[name].rating - earlier[name].rating
        assert text == ("" if name in "ef" else f"{change:+.1f}")


@pytest.mark.filterwarnings("ignore::prowess.games.errors.DataWarning")  # rows that repeat
def test_headline_says_who_could_be_first():
    """The first sentence counts those whose interval of ranks begins at 1; or says the gap."""

    def read(rows):
        return prowess.read_games(
            dict(zip(("player_a", "player_b", "result"), zip(*rows, strict=True), strict=True))
        )

    rows = [(a, b, 1.0) for k, a in enumerate("abcdefgh") for b in "abcdefgh"[k + 1 :]]
    for part, end in ((rows[::3], "others could still be first"), (rows, "could still be first")):
        roster = report(prowess.rate(read(part), "glicko")).roster
        best, players = roster.sure.ranking.ranks[0], roster.sure.ranking.players
        rivals = [roster.ratings.players[k] for k, rank in zip(players, best, strict=True)
                  if rank == 1 and roster.ratings.players[k] != "a"]  # fmt: skip
        text = find_headline(roster, None).text
        assert text.startswith("a leads")
        assert text.endswith(end)
        if len(rivals) > 3:
            assert f" {spell_count(len(rivals))} " in text
        else:
            assert all(f" {name}" in text.partition("leads, and")[2] for name in rivals)
    surely = read([("a", "b", 1.0), ("b", "c", 1.0), ("c", "a", 0.0)] * 60)
    text = find_headline(report(prowess.rate(surely, "glicko")).roster, None).text
    assert text == "a is first for sure"
    plain = prowess.rate(read(rows), "elo")
    a, b = (row["rating"] for row in plain.leaderboard(2).rows())
    text = find_headline(report(plain).roster, None).text
    assert text == f"a leads, {a - b:.0f} ahead of b"


def test_a_new_leader_is_the_headline():
    """Who was second a week ago and is first now is the new leader."""
    table = {"date": ["2024-01-01", "2024-01-02", "2024-02-01", "2024-02-02"],
             "player_a": ["a", "a", "b", "b"], "player_b": ["b", "c", "a", "a"],
             "result": [1, 1, 1, 1]}  # fmt: skip
    ratings = prowess.rate(prowess.read_games(table), "elo")
    assert ratings.leaderboard(1).columns["player"] == ["b"]
    assert find_headline(report(ratings).roster, None).text == "b is the new leader"


def test_any_two_have_the_systems_forecast(made, ratings):
    """The digits of a pair, found as the script finds them, are the system's expected score."""
    part = next(p for one in made.sections() if one.key == "compare" for p in one.parts)
    names, count = made.roster.names, part.count
    assert len(part.chances) == count * (count - 1)
    for low, high in ((0, 1), (0, count - 1), (3, 17), (count - 2, count - 1)):
        at = low * count - low * (low + 1) // 2 + high - low - 1
        expected = ratings.forecast(names[low], names[high]).expected
        assert int(part.chances[2 * at : 2 * at + 2]) == approx(100 * expected, abs=0.51)


def test_comparison_is_the_librarys(made, page):
    """Scores on the page are those of the comparison."""
    header, *rows = page.table("Scores of the systems")
    for row, entry in zip(rows, made.comparison, strict=True):
        shown = dict(zip(header, row, strict=True))
        assert shown["system"] == name_system(entry.test.name)
        assert shown["log loss"] == f"{entry.scores['log_loss']:.4f}"
        assert shown["group"] == str(entry.group)


def test_own_forecasts_are_the_backtest(ratings, made):
    """The forecasts made while rating score as a backtest of the same system does."""
    again = backtest(ratings.table, find("glicko"), period="1mo")
    assert made.forecasts.scores == again.scores
    assert made.forecasts.count == again.count


def test_who_is_listed(ratings, page):
    """The usual rule: a tenth of the mean number of games, and a game in the last two years."""
    played = [n for n in ratings.game_counts.tolist() if n]
    enough = int(sum(played) / len(played) / 10)
    text = page.all("main")[0]["text"]
    days = [ratings.last[k] for k, n in enumerate(ratings.game_counts) if n >= max(enough, 1)]
    listed = sum(day >= np.floor(max(ratings.last) - 2 * 365.2425) for day in days)
    told = f"Listed are the {listed:,} of" if listed < len(played) else f"All {listed:,} teams"
    assert told in text


def test_upsets_are_the_least_expected_wins(ratings, made):
    """Found slowly: of all judged wins of less expected players those that were expected least."""
    table, test = ratings.table, made.forecasts
    won = []
    for row in range(len(table)):
        if test.judged[row] and table.score[row] != 0.5:
            a_won = table.score[row] > 0.5
            chance = test.expected[row] if a_won else 1.0 - test.expected[row]
            if chance < 0.44:
                won.append((chance, table.players[(table.a if a_won else table.b)[row]]))
    won.sort(key=lambda one: one[0])
    found = upsets(test, 10)
    assert [one.expected for one in found] == approx([chance for chance, _ in won[:10]])
    assert [one.winner for one in found] == [name for _, name in won[:10]]


@pytest.mark.parametrize("kind", ["won", "unbeaten"])
def test_streaks_are_the_longest_runs(ratings, kind):
    """Found slowly, player by player: the lengths of the longest runs are these."""
    table = ratings.table
    results: dict[int, list[float]] = {}
    sides = zip(table.a.tolist(), table.b.tolist(), table.score.tolist(), strict=True)
    for a, b, score in sides:
        results.setdefault(a, []).append(score)
        results.setdefault(b, []).append(1.0 - score)
    held = (lambda s: s > 0.5) if kind == "won" else (lambda s: s >= 0.5)
    best = {
        table.players[k]: max(
            (len(list(run)) for good, run in groupby(map(held, r)) if good), default=0
        )
        for k, r in results.items()
    }
    found = find_streaks(table, 10, unbeaten=kind != "won")
    assert [one.games for one in found] == sorted(best.values(), reverse=True)[:10]
    assert all(best[one.player] == one.games for one in found)
    for one in found:
        last = list(map(held, results[table.players.index(one.player)]))
        assert one.going_on == all(last[-one.games :])


def test_sides_by_hand():
    """Home sides take 3 of 4 points; pair by pair, a and b each hosted the other: (1 + 0) / 2."""
    games = prowess.read_games(
        {
            "home": ["a", "b", "c", "c"],
            "away": ["b", "a", "a", "b"],
            "result": [1, 0, 1, 1],
        }
    )
    worth = sides(games)
    assert (worth.games.value, worth.games.parts) == (0.75, 4)
    assert (worth.pairs.value, worth.pairs.parts) == (0.5, 1)
    # s = 1/2, so the interval is 0.75 -+ 1.96 * 0.5 / 2
    assert worth.games.interval(1.959964)[0] == approx(0.75 - 1.959964 * 0.25)
    assert draws(games) == 0.0


def test_connection_by_hand():
    """Two pairs that never met are two groups; a contest connects all who were in it."""
    apart = {"player_a": ["a", "c", "b"], "player_b": ["b", "d", "a"], "result": [1, 1, 1]}
    assert connection(prowess.read_games(apart)).sizes == (2, 2)
    contests = {
        "contest": [1, 1, 2, 2, 3, 3, 3],
        "player": list("abcdefg"),
        "place": [1, 2, 1, 2, 1, 2, 3],
    }
    assert connection(prowess.read_games(contests)).sizes == (3, 2, 2)
    contests["player"] = list("abbcaed")
    assert connection(prowess.read_games(contests)).sizes == (5,)


def test_two_of_groups_that_never_met_are_said_to_be():
    """The first two of the page are of two groups; a table of one group has no word of it."""
    apart = {"a": ["a", "c", "b", "c"], "b": ["b", "d", "a", "d"], "result": [1, 1, 0, 1]}
    page = report(prowess.rate(prowess.read_games(apart), "elo")).to_html()
    listed = re.findall(r"<bdi>(\w)</bdi>", page.partition('id="board"')[2])[:4]
    groups = page.partition('data-groups="')[2].partition('"')[0].split()
    assert [groups[listed.index(one)] for one in "abcd"] == ["0", "0", "1", "1"]
    assert '<p class="note warn apart">They never met, not even by way of others' in page
    met = {"a": [*apart["a"], "a"], "b": [*apart["b"], "d"], "result": [*apart["result"], 1]}
    page = report(prowess.rate(prowess.read_games(met), "elo")).to_html()
    assert "data-groups" not in page
    assert 'class="note warn apart"' not in page


def test_hostile_names_are_text():
    """Markup in names, title and credit is shown, never run; names stand apart by direction."""
    table = {
        "date": [f"2024-01-{day:02d}" for day in range(1, 25)],
        "player_a": HOSTILE * 6,
        "player_b": (HOSTILE[1:] + HOSTILE[:1]) * 6,
        "result": [1, 0, 0.5, 1, 1, 0] * 4,
    }
    ratings = prowess.rate(prowess.read_games(table), "elo", forecasts=True)
    own = own_forecasts(ratings)
    assert own is not None
    made = report(
        ratings, title=HOSTILE[0], credit=HOSTILE[1], forecasts=own,
        comparison=compare([own, base_rate_backtest(ratings.table)]),
    )  # fmt: skip
    text = made.to_html()
    page = Page(text)
    assert text.count("<script") == 1
    assert "<img" not in text
    assert [one["text"] for one in page.all("span") if one["at"].get("class") == "site"] == [
        HOSTILE[0]
    ]
    names = [one["text"] for one in page.all("bdi")]
    for name in HOSTILE:
        assert names.count(name) >= 3
    header, *rows = page.table("Leaderboard")
    assert {row[header.index("Player")] for row in rows} == set(HOSTILE)


def test_what_is_missing_is_left_out():
    """Sections that need dates, forecasts, a comparison or many players are not there without."""
    table = {"player_a": ["a", "b", "c"], "player_b": ["b", "c", "a"], "result": [1, 1, 0.5]}
    games = prowess.read_games(table)
    dynamic = Page(report(prowess.rate(games, "elo")).to_html())
    text = dynamic.all("main")[0]["text"]
    assert "elo gives no deviations" in text
    assert "Data:" not in dynamic.all("footer")[0]["text"]
    keys = {one["at"]["id"] for one in dynamic.all("section")}
    assert keys == {"leaderboard", "compare", "pairs", "next", "data", "method"}
    fitted = Page(report(prowess.rate(games, "bradley_terry")).to_html())
    assert "histories" not in {one["at"]["id"] for one in fitted.all("section")}
    assert [one for one in fitted.all("svg") if one["at"].get("class") == "interval"]


def test_contests_have_a_report():
    """A table of contests gives a page; head to head is left out."""
    rng = np.random.default_rng(7)
    rows = [(c, player, place + 1) for c in range(40) for place, player in
            enumerate(rng.permutation(list("abcdefg")).tolist())]  # fmt: skip
    contest, player, place = (list(column) for column in zip(*rows, strict=True))
    table = prowess.read_games({"contest": contest, "player": player, "place": place})
    ratings = prowess.rate(table, "elo", forecasts=True)
    own = own_forecasts(ratings)
    page = Page(report(ratings, forecasts=own).to_html())
    assert "pairs" not in {one["at"]["id"] for one in page.all("section")}
    wins = [player[k] for k in range(len(place)) if place[k] == 1]
    longest = max(len(list(run)) for _, run in groupby(wins))
    streaks = find_streaks(table)
    assert streaks[0].games >= longest  # of one player's contests, each of which all play
    first = own.judged & (table.place == 1.0)
    upset = min(10, int((own.expected[first] < 0.44).sum()))
    assert len(page.table("The least expected wins")) == 1 + upset > 1


def test_ratings_have_the_decimals_they_need():
    """Ratings between 0 and 1 are told apart on the page, and equal ones can be drawn."""
    ratings = prowess.rate(prowess.read_games(FOOTBALL), "colley")
    header, *rows = Page(report(ratings).to_html()).table("Leaderboard")
    best = ratings.leaderboard(1).rows()[0]["rating"]
    assert rows[0][header.index("Rating")] == f"{best:.3f}"
    drawn = prowess.read_games({"player_a": ["a"], "player_b": ["b"], "result": [0.5]})
    page = Page(report(prowess.rate(drawn, "elo")).to_html())
    assert page.all("h1")[0]["text"] == "Two share the first place."


def test_unknown_player_is_refused(ratings):
    """Who is to be drawn has to be in the table; the nearest names are told."""
    with refused(UnknownPlayer, "unknown_player", about="Brazil"):
        report(ratings, players=["Brasil"])


def test_same_data_same_page(ratings, made):
    """The page depends on nothing but what it was given."""
    again = report(ratings, title="Matches", forecasts=made.forecasts, comparison=made.comparison,
                   credit="Public domain, CC0")  # fmt: skip
    assert again.to_html() == made.to_html()


def test_listing_leaves_out(ratings):
    """A rule of many games and late days leaves out whoever has fewer, or played last before."""
    rule = Listing(min_games=8, since=float(np.quantile(ratings.last, 0.5)))
    chosen = set(rule.players(ratings).tolist())
    for k in range(len(ratings)):
        assert (k in chosen) == (ratings.game_counts[k] >= 8 and ratings.last[k] >= rule.since)
    assert rule.board(ratings).columns["player"] == [
        row["player"]
        for row in ratings.leaderboard().rows()
        if ratings.index(row["player"]) in chosen
    ]


def test_page_stays_small(made):
    """A page is not made large by long histories: they are thinned to the pixels they cover."""
    days = [str(day) for day in np.datetime64("1990-01-01") + np.arange(9000)]
    names = np.array(list("abcdefgh"))
    rng = np.random.default_rng(5)
    a = rng.integers(0, 8, 9000)
    b = (a + rng.integers(1, 8, 9000)) % 8
    table = {"date": days, "player_a": names[a].tolist(), "player_b": names[b].tolist(),
             "result": rng.integers(0, 2, 9000).tolist()}  # fmt: skip
    ratings = prowess.rate(prowess.read_games(table), "glicko", period="7d")
    assert len(report(ratings).to_html()) < 200_000


@pytest.mark.parametrize(
    ("columns", "audience", "player"),
    [
        ({"driver": "abc", "race": "111", "place": "123"}, "races", "driver"),
        ({"contest": "111", "player": "abc", "place": "123"}, "races", "player"),
        ({"model_a": "ab", "model_b": "bc", "winner": ["model_a", "tie"]}, "arena", "model"),
        ({"bot_a": "ab", "bot_b": "bc", "score": [1, 0]}, "bots", "bot"),
        (
            {"home": "ab", "away": "bc", "home_goals": [1, 2], "away_goals": [0, 2]},
            "league",
            "team",
        ),
        ({"white": "ab", "black": "bc", "result": ["1-0", "0-1"]}, "club", "player"),
    ],
)
def test_a_table_tells_for_whom_its_report_is(columns, audience, player):
    """Headings tell it, else the kind of the games; what they name has their word on the page."""
    games = prowess.read_games({name: list(cells) for name, cells in columns.items()})
    ratings = prowess.rate(games, "elo")
    made = report(ratings)
    assert (made.audience, made.words.player) == (audience, player)
    assert f"Find a {player}" in made.to_html()
    other = prowess.report(ratings, audience="bots", no_compare=True)
    assert other.audience == "bots"
    with refused(prowess.errors.BadArgument, "not_a_choice", about="audience"):
        prowess.report(ratings, audience="fans")


def test_every_section_of_an_audience_is_known():
    """The tables of audiences and of sections agree, and the statistics are folded."""
    assert {*AUDIENCES} == {*get_args(pages.Audience)}
    for one in AUDIENCES.values():
        assert {*one.sections} <= {*SECTIONS}
    assert {*STATISTICS} <= {*SECTIONS}
    ratings = prowess.rate(prowess.read_games(FOOTBALL), "elo")
    folded = {one.key: one.folded for one in report(ratings, audience="club").sections()}
    assert folded == {key: key not in AUDIENCES["club"].sections for key in folded}
    assert {"pairs", "next", "last", "method"} <= {*folded}


def test_the_last_evening_is_told():
    """Results of the last day, with the change of both ratings: Elo moves as far up as down."""
    rows = {"date": ["2026-07-11"] + ["2026-07-18"] * 6, "white": list("abcabcd"),
            "black": list("bcadddc"), "result": ["1-0", *["1-0", "1/2-1/2"] * 3]}  # fmt: skip
    ratings = prowess.rate(prowess.read_games(rows), "elo", forecasts=True)
    page = Page(report(ratings).to_html())
    header, *games = page.table("The last results")
    assert header[:5] == ["White", "Change", "Result", "Black", "Change"]
    assert [one[2] for one in games] == ["1–0", "½–½"] * 3
    assert [(one[0], one[3]) for one in games] == list(zip("bcabcd", "cadddc", strict=True))
    for one in games:
        assert one[1].replace("+", "\N{MINUS SIGN}") == one[4].replace("+", "\N{MINUS SIGN}")
    total = dict.fromkeys("abcd", 1500.0)
    for one in [["a", "+16.0", "", "b", "\N{MINUS SIGN}16.0"], *games]:
        for name, change in ((one[0], one[1]), (one[3], one[4])):
            total[name] += float(change.replace("\N{MINUS SIGN}", "-"))
    assert total == {name: approx(ratings[name].rating, abs=0.3) for name in "abcd"}
    assert page.table("Games worth playing next")[0][:3] == ["First", "Second", "First is given"]


def test_points_of_pairs_are_counted():
    """A cell of the crosstable has points and games: 1½ of 2 against b, none of 1 against c."""
    rows = {"a": ["x", "y", "z"], "b": ["y", "x", "x"], "score": [1, 0.5, 1]}
    page = Page(report(prowess.rate(prowess.read_games(rows), "elo")).to_html())
    _, *cells = page.table("Points, row against column")
    by_name = {one[0].split()[-1]: one[1:] for one in cells}
    assert sorted(one for one in by_name["x"] if one) == ["0/1", "1½/2"]
