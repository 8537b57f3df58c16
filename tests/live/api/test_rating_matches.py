"""One match over HTTP: the numbers of the library, no token, no trace in the store."""

from __future__ import annotations

from typing import Any

import pytest

import prowess
from tests.live.api.site import Site

TEAMS = [["Ann", "Bob"], ["Cid", {"player": "Dee", "share": 0.5}, "Eve"]]


def rate(site: Site, status: int = 200, **sent: Any) -> Any:
    """The answer to a match that nobody has signed."""
    answer = site.ask("POST", "/rate", json=sent)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_a_match_has_the_numbers_of_the_library(site):
    """Teams by places, from given ratings, with time passed: every number is the library's."""
    before = site.journal.revision
    known = {"Ann": {"rating": 30.5, "deviation": 4.0}, "Cid": 22}
    sent = {"ratings": known, "places": [2, 1], "days": {"Ann": 30.0}}
    told = rate(site, system="trueskill", params={"tau": 0.1}, sides=TEAMS, **sent)
    sides = [["Ann", "Bob"], ["Cid", ("Dee", 0.5), "Eve"]]
    found = prowess.system("trueskill", tau=0.1).update(sides, **sent)
    assert told == {"system": "trueskill", **found.to_dict()}
    again = rate(site, system="trueskill", sides=["Ann", "Bob"], result=1, ratings=told["ratings"])
    assert again["ratings"]["Ann"]["rating"] > told["ratings"]["Ann"]["rating"]
    assert site.journal.revision == before
    assert site.get("/players")["items"] == []


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        ({"sides": ["Ann"]}, 422, "invalid"),
        ({"sides": [f"P{k}" for k in range(2_001)]}, 422, "invalid"),
        ({"sides": ["Ann", []]}, 422, "invalid"),
        ({"sides": ["Ann", "Bob"], "more": 1}, 422, "invalid"),
        ({"sides": ["Ann", "Bob"], "system": "mine.py:MINE"}, 422, "invalid"),
        ({"sides": ["Ann", "Bob"], "system": "elon"}, 422, "no_such_system"),
        ({"sides": ["Ann", "Bob"], "system": "colley"}, 422, "bad_value"),
        ({"sides": ["Ann", "Bob"], "params": {"tau": 9}}, 422, "bad_setting"),
        ({"sides": ["Ann", "Bob"]}, 422, "bad_value"),
        ({"sides": ["Ann", "Ann"]}, 422, "bad_value"),
        (
            {"sides": ["Ann", "Bob"], "ratings": {"Ann": {"sigma": 1}}, "result": 1},
            422,
            "unratable",
        ),
        ({"sides": ["Anna", "Bob"], "ratings": {"Ann": 1500}, "result": 1}, 409, "look_alike"),
    ],
)
def test_a_wrong_match_is_a_problem(site, sent, status, code):
    """What cannot be taken is refused with a code, before anything is computed."""
    assert rate(site, status, **sent)["code"] == code


@pytest.mark.parametrize("outcome", [{}, {"result": 1, "places": [1, 2]}])
def test_a_match_has_one_outcome(site, outcome):
    """Without an outcome, or with two, the answer names the two fields of which one is wanted."""
    told = rate(site, 422, sides=["Ann", "Bob"], **outcome)
    assert told["detail"].startswith("give either result or places")
    assert told["errors"][0]["field"] == "result"


def test_the_limit_of_members_holds(site):
    """A match of 2,000 players is rated, one more is not looked at."""
    names = [f"player {k:04d}" for k in range(2_001)]
    sent = {"system": "elo", "result": 0.5}
    told = rate(site, sides=[names[:1000], names[1000:2000]], **sent)
    assert len(told["ratings"]) == 2_000
    assert rate(site, 422, sides=[names[:1000], names[1000:]], **sent)["code"] == "invalid"


def test_a_contest_of_hundreds_is_a_table_of_it(site):
    """More sides than a loop over lists takes are played as a table is: the same bits."""
    names = [f"player {k:03d}" for k in range(600)]
    places = [1 + 7 * k % 600 // 2 for k in range(600)]
    told = rate(site, system="elo", sides=names, places=places, new=names)["ratings"]
    table = {"race": [1] * 600, "player": names, "place": places}
    found = prowess.rate(prowess.read_games(table, warn=False), "elo")
    assert {name: told[name]["rating"] for name in names} == {
        name: found[name].rating for name in names
    }
