"""Results of teams over the API: reported in all forms, refused in plain words, corrected, read."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from prowess.live.journal.webhook_sender import build_payload, format_sentence
from tests.live.api.site import Site
from tests.live.api.teams import DOUBLES, SHARED, WHEN, proved, report


def test_a_game_of_teams_by_hand(teams):
    """Elo takes the means of sides: equals win and lose 16 points each, half a game half of it."""
    told = report(teams, sides=SHARED, time=WHEN.format(1), facts={"surface": "clay", "sets": 2})
    # Both means are 1500, so the first side gains 32 (1 - 1/2); a share of 1/2 takes half of it.
    assert {name: one["rating"] for name, one in told["ratings"].items()} == {
        "Ann": 1516.0, "Bob": 1508.0, "Cid": 1484.0, "Dee": 1484.0,
    }  # fmt: skip
    assert told["result"]["sides"] == [
        {"players": ["Ann", {"player": "Bob", "share": 0.5}], "score": 1.0},
        {"players": ["Cid", "Dee"], "score": 0.0},
    ]
    assert told["result"]["facts"] == {"surface": "clay", "sets": 2.0}
    assert "player_a" not in told["result"]
    assert proved(teams)


def test_old_bodies_beside_sides(teams):
    """A game of two players is one result in whichever form it is reported."""
    first = report(teams, player_a="Ann", player_b="Cid", score=1, external_id="1")
    again = report(
        teams, 200, external_id="1",
        sides=[{"players": ["Ann"], "score": 1}, {"players": [{"player": "Cid"}], "score": 0}],
    )  # fmt: skip
    assert (again["id"], again["status"]) == (first["id"], "already")
    assert again["result"]["player_a"] == "Ann"
    assert again["result"]["sides"][1] == {"players": ["Cid"], "score": 0.0}


@pytest.mark.parametrize(
    ("said", "score"),
    [
        (({"score": 0.5}, {}), 0.5),
        (({}, {"score": 0}), 1.0),
        (({"place": 2}, {"place": 1}), 0.0),
        (({"place": 1}, {"place": 1}), 0.5),
        (({"score": 1, "place": 1}, {"score": 0, "place": 2}), 1.0),
    ],
)
def test_what_sides_reached(teams, said, score):
    """The score of a game is read from scores or places of its sides."""
    sides = [side | more for side, more in zip(({"players": ["Ann", "Bob"]}, {"players": ["Cid"]}),
                                               said, strict=True)]  # fmt: skip
    assert report(teams, sides=sides)["result"]["score"] == score


ANN, CID = {"players": ["Ann"], "score": 1}, {"players": ["Cid"]}
WRONG = [
    ([{"players": ["Ann", "Bob"], "score": 1}, {"players": ["Ann"]}], "self_play",
     "sides.1.players.0"),
    ([{"players": ["Ann", "Ann"], "score": 1}, CID], "twice", "sides.0.players.1"),
    ([{"players": [{"player": "Ann", "share": 0}], "score": 1}, CID], "bad_share",
     "sides.0.players.0.share"),
    ([{"players": [{"player": "Ann", "share": -1}], "score": 1}, CID], "bad_share",
     "sides.0.players.0.share"),
    ([{"players": [{"player": "Ann", "share": 1.5}], "score": 1}, CID], "bad_share",
     "sides.0.players.0.share"),
    ([ANN, {"players": []}], "empty_side", "sides.1.players"),
    ([ANN], "bad_sides", "sides"),
    ([ANN, CID, {"players": ["Eve"]}], "bad_sides", "sides"),
    ([{"players": ["Ann", "Bob", "Eve"], "score": 1}, CID], "too_many_players", "sides.0.players"),
    ([{"players": ["Ann"]}, CID], "missing", "sides.0.score"),
    ([ANN, {"players": ["Cid"], "score": 1}], "bad_score", "sides.1.score"),
    ([ANN | {"place": 2}, CID | {"place": 1}], "bad_place", "sides.0.place"),
    ([ANN | {"place": 2}, CID], "missing", "sides.1.place"),
    ([ANN | {"points": 2}, CID], "not_kept", "sides.0.points"),
    ([{"players": ["Ann", "\u200bBob"], "score": 1}, CID], "bad_letter", "sides.0.players.1"),
]  # fmt: skip


@pytest.mark.parametrize(("sides", "code", "field"), WRONG)
def test_refusals(teams, sides, code, field):
    """What cannot be is refused with the field, and nothing is written."""
    before = teams.journal.revision
    (fault,) = report(teams, 422, sides=sides)["errors"]
    assert (fault["code"], fault["field"]) == (code, field)
    assert fault["message"]
    assert teams.journal.revision == before


def test_sides_and_players_at_once(teams):
    """What stands in sides is not said a second time beside them."""
    (fault,) = report(teams, 422, sides=DOUBLES, player_a="Ann")["errors"]
    assert (fault["code"], fault["field"]) == ("said_twice", "player_a")


def test_one_player_under_two_names(teams):
    """Two names of one player are noticed on both sides and on one."""
    report(teams, sides=DOUBLES)
    teams.ask("POST", "/players/Ann:alias", "admin", json={"name": "Anna"})
    both = [{"players": ["Ann", "Bob"], "score": 1}, {"players": ["Anna"]}]
    assert report(teams, 422, sides=both)["code"] == "self_play"
    told = [
        report(teams, 422, sides=[{"players": ["Ann", again], "score": 1}, {"players": ["Cid"]}])
        for again in ("Ann", "Anna", "Ann ")
    ]
    assert {one["code"] for one in told} == {"twice"}
    assert {one["errors"][0]["field"] for one in told} == {"sides.0.players.1"}
    assert {one["detail"].replace("Anna", "Ann").replace("Ann ", "Ann") for one in told} == {
        "name 'Ann' once on this side, with the whole share: two of its names are this player's"
    }
    merged = teams.ask("POST", "/players/Ann:merge", "admin", json={"into": "Cid"})
    assert (merged.status_code, merged.json()["code"]) == (409, "self_play")


def test_single_players_only(site):
    """A category of single players takes no teams and no shares, and says what to change."""
    (fault,) = report(site, 422, sides=DOUBLES)["errors"]
    assert (fault["code"], fault["field"]) == ("too_many_players", "sides.0.players")
    assert "side_size" in fault["message"]
    one = [{"players": [{"player": "Ann", "share": 0.5}], "score": 1}, CID]
    assert report(site, 422, sides=one)["code"] == "bad_share"


def test_systems_that_rate_single_players(teams):
    """A system without teams is refused for a category of teams, and where there are results."""
    made = {"key": "x", "system": "codechef", "side_size": 2}
    answer = teams.ask("POST", "/categories", "admin", json=made)
    assert (answer.status_code, answer.json()["code"]) == (422, "no_teams")
    assert answer.json()["errors"][0]["field"] == "side_size"
    report(teams, sides=DOUBLES)
    before = teams.ratings()
    for sent in ({"system": "codechef"}, {"system": "codechef", "side_size": 1}):
        assert teams.ask("PATCH", "/categories/main", "admin", json=sent).status_code == 422
    assert teams.ratings() == before
    assert teams.get("/categories/main")["side_size"] == 2
    assert teams.ask("PATCH", "/categories/main", "admin", json={"side_size": 3}).status_code == 200


def test_contests_of_teams(heats):
    """Sides of a contest have places; their order means nothing."""
    sides = [{"players": ["Ann", "Bob"], "place": 2, "points": 7}, {"players": ["Cid"], "place": 1},
             {"players": [{"player": "Dee", "share": 0.25}], "place": 3}]  # fmt: skip
    told = report(heats, sides=sides, external_id="1", time=WHEN.format(1))
    assert [side["place"] for side in told["result"]["sides"]] == [1.0, 2.0, 3.0]
    again = report(heats, 200, sides=sides[::-1], external_id="1", time=WHEN.format(1))
    assert again["status"] == "already"
    old = {"placings": [{"player": "Ann", "place": 1}, {"player": "Cid", "place": 2}]}
    assert report(heats, **old, time=WHEN.format(2))["result"]["placings"][0]["player"] == "Ann"
    for wrong, field in (({"players": ["Eve"], "place": 0}, "sides.1.place"),
                         ({"players": ["Eve"]}, "sides.1.place"),
                         ({"players": ["Eve"], "score": 1}, "sides.1.score")):  # fmt: skip
        (fault,) = report(heats, 422, sides=[sides[0], wrong])["errors"]
        assert fault["field"] == field
    assert proved(heats)


def test_corrections(teams):
    """A result of teams is corrected, previewed, made void and restored; the proof holds."""
    for day in range(1, 5):
        report(teams, sides=DOUBLES, time=WHEN.format(day))
    before = teams.ratings()
    mended = {"sides": [{"players": ["Ann", "Eve"], "score": 0}, {"players": ["Cid", "Dee"]}]}
    told = teams.ask("PUT", "/results/2?preview=1", "correct", json=mended).json()
    movers = {one["player"]: one["after"] for one in told["categories"]["main"]["movers"]}
    assert set(movers) == {"Ann", "Bob", "Cid", "Dee", "Eve"}
    assert teams.ratings() == before
    assert teams.ask("PUT", "/results/2", "correct", json=mended).status_code == 200
    after = teams.ratings()
    assert {name: one["rating"] for name, one in movers.items()} == after
    found = teams.get("/results/2")
    assert found["sides"][0]["players"] == ["Ann", "Eve"]
    assert found["versions"][0]["sides"][0]["players"] == ["Ann", "Bob"]
    assert proved(teams)
    same = teams.ask("PUT", "/results/2", "correct", json=mended)
    assert (same.status_code, same.json()["code"]) == (409, "nothing_changes")
    assert teams.ask("DELETE", "/results/2", "correct").status_code == 200
    assert proved(teams)
    assert teams.ask("POST", "/results/2:restore", "correct").status_code == 200
    assert teams.ratings() == after
    assert teams.ask("POST", "/results:void", "correct", json={"player": "Eve"}).status_code == 200
    assert proved(teams)


def test_first_and_last_team(teams):
    """The first result of teams comes into a ladder of single games, and the last one goes."""
    for day in range(1, 4):
        report(teams, player_a="Ann", player_b="Cid", score=1, time=WHEN.format(day))
    alone = teams.ratings()
    number = report(teams, sides=DOUBLES, time=WHEN.format(2))["id"]
    assert proved(teams)
    teams.ask("DELETE", f"/results/{number}", "correct")
    assert teams.ratings() == alone
    assert proved(teams)


def test_histories(teams):
    """A player's history names partners and opponents, and its terms add up to the change."""
    report(teams, sides=DOUBLES, time=WHEN.format(1))
    (one,) = teams.get("/categories/main/players/Ann/history")["items"]
    assert one["opponents"] == [{"players": ["Cid", "Dee"], "rating": 1500.0}]
    assert one["partners"] == ["Bob"]
    assert sum(one["terms"].values()) == one["change"] == 16.0
    why = teams.get("/categories/main/why/1")["players"]
    assert [(each["player"], each["change"]) for each in why] == [
        ("Ann", 16.0), ("Bob", 16.0), ("Cid", -16.0), ("Dee", -16.0),
    ]  # fmt: skip
    rows = teams.get("/categories/main/leaderboard?include=all")["items"]
    assert {row["player"]: row["record"]["wins"] for row in rows} == {
        "Ann": 1, "Bob": 1, "Cid": 0, "Dee": 0,
    }  # fmt: skip
    listed = teams.get("/results?player=Dee")["items"]
    assert [one["id"] for one in listed] == [1]


@pytest.mark.parametrize("value", [["clay"], {"a": 1}, True, None])
def test_facts_that_are_none(teams, value):
    """A fact is a number or a text: one fault, in words of the API; so of constants."""
    told = report(teams, 422, sides=DOUBLES, facts={"surface": value})
    fault = {"code": "bad_value", "message": "give a number or a text"}
    assert told["errors"] == [fault | {"field": "facts.surface"}]
    assert told["detail"].startswith("one value cannot be taken")
    answer = teams.ask("PATCH", "/categories/main", "admin", json={"params": {"k": value}})
    if isinstance(value, list):  # values of a bank
        fault = {
            "code": "bad_setting",
            "message": "give k as a number from 0 to 10000 (points), not 'clay'",
        }
    field = "params" if isinstance(value, list) else "params.k"
    assert (answer.status_code, answer.json()["errors"]) == (422, [fault | {"field": field}])
    named = report(teams, 422, sides=DOUBLES, facts={"": 1})
    assert [one["field"] for one in named["errors"]] == ["facts"]


def test_one_number_in_two_categories(teams):
    """A source's number that names a result of another category is refused with the remedy."""
    key = {"key": "other", "system": "elo", "side_size": 2}
    assert teams.ask("POST", "/categories", "admin", json=key).status_code == 201
    report(teams, category="main", sides=DOUBLES, external_id="1")
    told = report(teams, 409, category="other", sides=DOUBLES, external_id="1")
    assert told["detail"].startswith("give it another source or external number: ")
    assert told["detail"].endswith("as result 1 of main")


def test_too_many_players_is_told_with_the_remedy(site):
    """Where side_size may be made larger."""
    told = report(site, 422, sides=DOUBLES)
    assert "make side_size larger (PATCH /categories/main)" in told["detail"]
    assert site.ask("PATCH", "/categories/main", "admin", json={"side_size": 2}).status_code == 200
    report(site, sides=DOUBLES)


def test_histories_of_names_and_shares(teams):
    """A player who is called like a team is one name; shares stand with the names."""
    report(teams, sides=SHARED, time=WHEN.format(1))
    report(teams, player_a="Ann", player_b="Cid & Dee", score=1, time=WHEN.format(2))
    alone, team = teams.get("/categories/main/players/Ann/history")["items"]
    assert alone["opponents"][0]["players"] == ["Cid & Dee"]
    assert (alone["opponents"][0]["player"], alone["partners"]) == ("Cid & Dee", [])
    assert team["opponents"][0]["players"] == ["Cid", "Dee"]
    assert "player" not in team["opponents"][0]
    assert team["partners"] == [{"player": "Bob", "share": 0.5}]
    (cid,) = teams.get("/categories/main/players/Cid/history")["items"]
    assert cid["opponents"][0]["players"] == ["Ann", {"player": "Bob", "share": 0.5}]
    text = teams.ask("GET", "/categories/main/players/Ann/history.csv").text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["opponents"], row["partners"]) for row in rows] == [
        ("Cid & Dee", ""), ("Cid & Dee", "Bob"),
    ]  # fmt: skip


def test_histories_of_contests(tmp_path):
    """Each other side of a contest is an opponent, in one order, with its own rating."""
    url = f"sqlite:///{tmp_path / 'elo.db'}"
    with Site(url, system="elo", plays="contests", side_size=2) as site:
        sides = [{"players": ["Ann", "Bob"], "place": 1}, {"players": ["Cid"], "place": 2},
                 {"players": ["Dee", "Eve"], "place": 3}]  # fmt: skip
        report(site, sides=sides, time=WHEN.format(1))
        last = site.ratings()
        report(site, sides=sides, time=WHEN.format(2))
        told = site.get("/categories/main/players/Cid/history")["items"][0]
        assert [one["players"] for one in told["opponents"]] == [["Ann", "Bob"], ["Dee", "Eve"]]
        for one in told["opponents"]:  # equal shares: the mean of the members
            mean = sum(last[name] for name in one["players"]) / 2.0
            assert one["rating"] == pytest.approx(mean, rel=1e-12)
        assert told["partners"] == []
        first = site.get("/categories/main/players/Bob/history")["items"][0]
        assert (first["partners"], first["opponents"][0]["player"]) == (["Ann"], "Cid")


def test_side_size_stays_above_what_results_hold(teams):
    """A size at which a result could not be corrected is refused, also for one that is void."""
    report(teams, sides=DOUBLES, time=WHEN.format(1))
    lower = {"json": {"side_size": 1}}
    for _ in range(2):
        answer = teams.ask("PATCH", "/categories/main", "admin", **lower)
        assert (answer.status_code, answer.json()["code"]) == (422, "sides_are_larger")
        assert "result 1 of main" in answer.json()["detail"]
        teams.ask("DELETE", "/results/1", "correct")
    teams.ask("POST", "/results/1:restore", "correct")
    single: Any = [{"players": [{"player": "Ann", "share": 0.5}], "score": 1}, {"players": ["Cid"]}]
    assert teams.ask("PUT", "/results/1", "correct", json={"sides": single}).status_code == 200
    answer = teams.ask("PATCH", "/categories/main", "admin", **lower)
    assert "a player with a share" in answer.json()["detail"]
    single = [{"players": ["Ann"], "score": 1}, {"players": ["Cid"]}]
    assert teams.ask("PUT", "/results/1", "correct", json={"sides": single}).status_code == 200
    assert teams.ask("PATCH", "/categories/main", "admin", **lower).status_code == 200


def test_three_way_forecasts(heats):
    """A system that foresees draws says win, draw and loss, for players and for teams."""
    sides = [{"players": ["Ann", "Bob"], "place": 1}, {"players": ["Cid", "Dee"], "place": 2}]
    report(heats, sides=sides)
    for query in ("a=Ann&b=Cid", "a=Ann&a=Bob&b=Cid&b=Dee", "a=Ann&a=Bob&b=Cid"):
        told = heats.get(f"/categories/main/forecast?{query}")
        assert told["win"] + told["draw"] + told["loss"] == pytest.approx(1.0)
        assert 0.0 < told["draw"] < 1.0
        assert told["expected"] == pytest.approx(told["win"] + 0.5 * told["draw"])
    assert told["a"] == ["Ann", "Bob"]
    assert told["b"] == "Cid"
    wrong = heats.get("/categories/main/forecast?a=Ann&a=Bob&b=Ann", 422)
    assert wrong["code"] == "same_player"
    assert heats.get("/categories/main/head-to-head?a=Ann&b=Cid", 422)["code"] == "unratable"


def test_news(teams):
    """What listeners and webhooks are told of results names everyone, in the order of results."""
    both = [
        {"player_a": "Eve", "player_b": "Fay", "score": 1},
        {"sides": DOUBLES},
    ]
    assert teams.ask("POST", "/results:batch", "submit", json=both).status_code == 200
    with teams.journal.store.read() as connection:
        news = build_payload(connection, teams.journal.registry.people, teams.journal.revision)
    assert news["players"] == ["Eve", "Fay", "Ann", "Bob", "Cid", "Dee"]
    assert format_sentence(news) == (
        f"main: 2 results recorded (Eve, Fay, Ann, Bob and 2 more), revision {news['revision']}"
    )
