"""Reading ratings: the same numbers as the batch run, page by page, and why."""

from __future__ import annotations

from math import fsum

import pytest
from pytest import approx

import prowess
from tests.live.api.site import GAMES, Site

TABLE = {
    "player_a": [a for a, _, _ in GAMES],
    "player_b": [b for _, b, _ in GAMES],
    "score": [score for _, _, score in GAMES],
    "date": [f"2024-01-0{day + 1} 12:00:00" for day in range(len(GAMES))],
}


def test_leaderboard_is_the_batch_run(site):
    """The leaderboard is that of the batch run over the same games, bit for bit."""
    site.filled()
    rows = site.get("/categories/main/leaderboard")["items"]
    batch = prowess.rate(TABLE, "elo").leaderboard().rows()
    assert [(r["rank"], r["player"], r["rating"], r["games"]) for r in rows] == [
        (r["rank"], r["player"], r["rating"], r["games"]) for r in batch
    ]
    # counted by hand from GAMES
    assert {r["player"]: list(r["record"].values()) for r in rows} == {
        "Ada": [2, 0, 1],
        "Ben": [1, 1, 1],
        "Cleo": [0, 2, 1],
        "Dan": [1, 0, 1],
        "Eve": [0, 1, 0],
    }


def test_forecasts_of_scores(sqlite_url):
    """A category of a system of goals has the grid of scores that the library gives."""
    cup = [("Ada", "Ben", 2, 1), ("Ben", "Cleo", 1, 1), ("Cleo", "Ada", 0, 2), ("Ben", "Ada", 1, 3)]
    names = ("player_a", "player_b", "points_a", "points_b")
    games = [dict(zip(names, game, strict=True)) for game in cup]
    params = {"sd": 1.0}
    with Site(sqlite_url, system="poisson_goals", extra=("points",), params=params) as one:
        for k, game in enumerate(games):
            sent = {**game, "side": 0, "time": f"2024-01-0{k + 1}T12:00:00Z"}
            assert one.ask("POST", "/results", "submit", json=sent).status_code == 201
        one.journal.ladder("main").settle()
        told = one.get("/categories/main/forecast?a=Ada&b=Cleo")
    found = prowess.rate(games, "poisson_goals", **params).forecast("Ada", "Cleo")
    assert told["scores"]["grid"] == found.scores.grid.tolist()
    assert told["draw"] == found.draw


@pytest.mark.parametrize("wrong", [-1, 1.5, 1001])
def test_a_ladder_of_goals_refuses_other_points(sqlite_url, wrong):
    """The answer names the field; points are kept without asking for them."""
    sent = {"player_a": "Ada", "player_b": "Ben", "points_a": wrong, "points_b": 2}
    with Site(sqlite_url, system="poisson_goals", params={"sd": 1.0}) as one:
        refused = one.ask("POST", "/results", "submit", json=sent)
        assert refused.status_code == 422
        [error] = refused.json()["errors"]
        assert error["field"] == "points_a"
        assert "whole numbers of goals" in error["message"]
        assert one.ask("POST", "/results", "submit", json={**sent, "points_a": 3}).is_success
        one.journal.ladder("main").settle()
        assert one.get("/categories/main/leaderboard")["items"][0]["player"] == "Ada"


@pytest.mark.parametrize(("params", "status"), [({}, 422), ({"scores": "result"}, 201)])
def test_a_ladder_of_shares_refuses_points_below_none(sqlite_url, params, status):
    """Such points have no shares; who counts who won alone takes them."""
    sent = {"player_a": "Ada", "player_b": "Ben", "points_a": 4, "points_b": -3.5}
    with Site(sqlite_url, system="aps", params=params, extra=("points",)) as one:
        answer = one.ask("POST", "/results", "submit", json=sent)
        assert answer.status_code == status
        if status == 422:
            assert answer.json()["errors"][0]["field"] == "points_b"
            assert "0 or more, not -3.5" in answer.json()["detail"]


def test_pages_make_the_whole(site):
    """Following `next` gives every row once and in order, whatever the size of a page."""
    site.filled()
    for path, name in (
        ("/categories/main/leaderboard", "player"),
        ("/results", "id"),
        ("/players", "player"),
        ("/revisions", "revision"),
        ("/categories/main/players/Ada/history", "number"),
    ):
        whole = [row[name] for row in site.get(f"{path}?limit=1000")["items"]]
        pieces, address = [], f"/api/v1{path}?limit=1"
        while address:
            answer = site.client.get(address)
            pieces += [row[name] for row in answer.json()["items"]]
            address = answer.json()["next"]
            expected = f'<{address}>; rel="next"' if address else None
            assert answer.headers.get("link") == expected
        assert pieces == whole
        assert len(whole) > 1


def test_as_of(site):
    """As of a day, the leaderboard is that of the games up to that day."""
    site.filled()
    batch = prowess.rate(TABLE, "elo", as_of="2024-01-03")
    assert (
        site.get("/categories/main/leaderboard?as_of=2024-01-03")["items"][0]["rating"]
        == (batch.leaderboard(1).rows()[0]["rating"])
    )


def test_as_known_at(site):
    """As known at a revision, what was corrected later still stands as it was reported."""
    site.filled()
    revision, before = site.journal.revision, site.ratings()
    site.ask("DELETE", "/results/1", "correct")
    assert site.ratings() != before
    rows = site.get(f"/categories/main/leaderboard?revision={revision}")["items"]
    assert {row["player"]: row["rating"] for row in rows} == before
    old = site.get(f"/categories/main/players/Ada/history?revision={revision}")["items"]
    assert [one["result"] for one in old] == [4, 3, 1]
    assert [one["result"] for one in site.get("/categories/main/players/Ada/history")["items"]] == [
        4, 3,
    ]  # fmt: skip


def test_unchanged(site):
    """Whoever has the present state gets 304 without a body; after a new result, the new one."""
    site.filled()
    path = "/categories/main/leaderboard"
    tag = site.ask("GET", path).headers["etag"]
    again = site.ask("GET", path, headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    site.report("Ada", "Ben")
    assert site.ask("GET", path, headers={"If-None-Match": tag}).status_code == 200


def test_forms(site):
    """A leaderboard is CSV by suffix or by Accept, JSON by default, and 406 for anything else."""
    site.filled()
    path = "/categories/main/leaderboard"
    by_suffix = site.ask("GET", f"{path}.csv")
    by_accept = site.ask("GET", path, headers={"Accept": "text/csv"})
    assert by_suffix.text == by_accept.text
    assert by_suffix.text.splitlines()[0].startswith("rank,player,rating,")
    assert float(by_suffix.text.splitlines()[1].split(",")[2]) == max(site.ratings().values())
    assert by_suffix.headers["etag"] != site.ask("GET", path).headers["etag"]
    assert site.ask("GET", path, headers={"Accept": "image/png"}).status_code == 406


def test_player(site):
    """A player has rank, percentile, peak and record; whoever has not played is 404."""
    site.filled()
    board = site.get("/categories/main/leaderboard")["items"]
    best, last = board[0]["player"], board[-1]["player"]
    told = site.get(f"/categories/main/players/{best}")
    assert (told["rank"], told["percentile"], told["of"]) == (1, 100.0, 5)
    assert site.get(f"/categories/main/players/{last}")["percentile"] == 0.0
    steps = prowess.rate(TABLE, "elo").history(best).steps
    assert told["peak"]["rating"] == max(step.after for step in steps)
    assert site.get("/categories/main/players/Nobody", 404)["code"] == "no_such_player"


def test_history_explains(site):
    """The terms of every entry add up to its change, and entries lead from one to the next."""
    site.filled()
    entries = site.get("/categories/main/players/Ada/history")["items"][::-1]
    assert [one["result"] for one in entries] == [1, 3, 4]
    for one, later in zip(entries, [*entries[1:], None], strict=True):
        assert fsum(one["terms"].values()) == approx(one["after"] - one["before"], rel=1e-12)
        assert later is None or later["before"] == one["after"]
    assert entries[-1]["after"] == site.ratings()["Ada"]


def test_history_shows_the_names_of_now(site):
    """Who is called otherwise, or was forgotten, is so in the games of others at once."""
    site.filled()

    def opponents() -> list[str]:
        entries = site.get("/categories/main/players/Ada/history")["items"]
        return [each["player"] for one in entries for each in one["opponents"]]

    assert opponents() == ["Dan", "Cleo", "Ben"]
    renamed = site.ask("POST", "/players/Ben:rename", "admin", json={"name": "Benjamin"})
    assert renamed.status_code == 200, renamed.text
    assert opponents() == ["Dan", "Cleo", "Benjamin"]
    assert site.ask("POST", "/players/Cleo:anonymise", "admin", json={}).status_code == 200
    assert "Cleo" not in str(site.get("/categories/main/players/Ada/history"))
    site.report("Dan", "Eve")  # a game of others
    assert "Cleo" not in str(site.get("/categories/main/players/Ada/history"))


def test_history_in_rounds_by_label_names_the_results(sqlite_url):
    """Rounds that overlap in time are played one after the other, each result with its number."""
    with Site(sqlite_url, period="round") as site:
        games = [("Ada", "Ben", "one"), ("Ada", "Cleo", "two"), ("Dan", "Ada", "one")]
        for day, (a, b, label) in enumerate(games, 1):
            site.report(a, b, round=label, time=f"2024-01-0{day}T12:00:00Z")
        entries = site.get("/categories/main/players/Ada/history")["items"][::-1]
        told = [(one["result"], one["opponents"][0]["player"]) for one in entries]
        assert told == [(1, "Ben"), (3, "Dan"), (2, "Cleo")]
        for entry in entries:  # and why it moved Ada, without those before
            explained = site.get(f"/categories/main/why/{entry['result']}?player=Ada")["players"]
            assert explained == [{"player": "Ada"} | entry]


def test_why(site):
    """Why a result moved both players: with Elo what one wins the other loses."""
    site.filled()
    players = site.get("/categories/main/why/5")["players"]
    assert [one["player"] for one in players] == ["Ben", "Dan"]
    assert players[0]["change"] == approx(-players[1]["change"], rel=1e-9)
    assert site.get("/categories/main/why/99", 404)["code"] == "no_such_result"


def test_pairs(site):
    """Head to head, forecast and assess agree with the library's own answers."""
    site.filled()
    batch = prowess.rate(TABLE, "elo")
    told = site.get("/categories/main/head-to-head?a=Ada&b=Ben")
    assert (told["games"], told["score"]) == (1, 1.0)
    assert told["record"] == {"wins": 1, "draws": 0, "losses": 0}
    assert told["expected"] == batch.forecast("Ada", "Ben").expected
    expected = site.get("/categories/main/forecast?a=Ada&b=Ben")["expected"]
    assert expected == batch.forecast("Ada", "Ben").expected
    changes = site.get("/categories/main/assess?player=Ada&opponent=Ben")["changes"]
    win = next(one for one in changes if one["result"] == "win")
    assert win["player"]["rating"] == approx(32.0 * (1.0 - expected), rel=1e-9)  # K (s - E)
    assert site.get("/categories/main/forecast?a=Ada&b=Ada", 422)["code"] == "same_player"


def test_next(site):
    """Coverage asks for pairs that never met; balance lets nobody play twice before all did."""
    site.filled()
    path = "/categories/main/next?budget=2&goal="
    met = {frozenset(game[:2]) for game in GAMES}
    for one in site.get(path + "coverage")["items"]:
        assert frozenset((one["player"], one["opponent"])) not in met
        assert one["why"]
    pairs = [(one["player"], one["opponent"]) for one in site.get(path + "balance")["items"]]
    assert len({name for pair in pairs for name in pair}) == 4


def test_lists(site):
    """A published list stays as it was, whatever is corrected afterwards."""
    site.filled()
    made = site.ask(
        "POST", "/categories/main/lists", "admin", json={"key": "jan", "name": "January"}
    )
    assert made.status_code == 201, made.text
    before = site.get("/categories/main/lists/jan")["items"]
    site.ask("DELETE", "/results/1", "correct")
    assert site.get("/categories/main/lists/jan")["items"] == before
    assert {row["player"]: row["rating"] for row in before} != site.ratings()
    assert [one["key"] for one in site.get("/categories/main/lists")["items"]] == ["jan"]
    other = site.ask("GET", "/categories/main/lists/feb")
    assert (other.status_code, other.json()["code"]) == (404, "no_such_list")
    assert "the lists of main:" in other.json()["detail"]  # a page says the same to people


def test_empty(site):
    """A category in which nobody has played has an empty leaderboard and no errors."""
    assert site.get("/categories/main/leaderboard")["items"] == []
    assert site.get("/categories/main/next", 404)["code"] == "no_ratings"
    assert site.get("/categories")["items"][0]["games"] == 0


def test_what_a_game_would_change_by_another_fit(sqlite_url):
    """A system that is fitted to the whole table is fitted again with the game that is asked of."""
    with Site(sqlite_url, system="bradley_terry") as site:
        site.filled()
        site.journal.ladder("main").settle()
        told = site.get("/categories/main/assess?player=Ada&opponent=Cleo")["changes"]
        more = {name: [*column] for name, column in TABLE.items()}
        for name, value in zip(TABLE, ("Ada", "Cleo", 1.0, "2024-01-09 12:00:00"), strict=True):
            more[name].append(value)
        later, now = (prowess.rate(table, "bradley_terry") for table in (more, TABLE))
        win = next(one for one in told if one["result"] == "win")
        for name, who in (("Ada", "player"), ("Cleo", "opponent")):
            moved = later[name].rating - now[name].rating
            assert win[who]["rating"] == approx(moved, rel=1e-6, abs=1e-9)
