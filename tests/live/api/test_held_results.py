"""What waits for acceptance, and what was rejected, is seen by keepers and its reporter only."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from prowess.live.journal.unit_of_work import JournalEvent
from prowess.live.journal.webhook_sender import build_payload, format_sentence
from tests.live.house import housed
from tests.live.whole import API, bearer, secret

WORD = "Zyx"  # in every name and text of the held result


@pytest.fixture
def place(sqlite_url):
    """(stranger, keeper's header, reporter's header, journal); result 14 is held."""
    with housed(sqlite_url) as house:
        keeper = bearer(secret(house.journal, "correct"))
        reporter = bearer(secret(house.journal, "submit", review=True))
        game = {"category": "chess", "player_a": f"{WORD} One", "player_b": "Ada", "score": 1,
                "round": WORD}  # fmt: skip
        answer = house.stranger.post(f"{API}/results", json=game, headers=reporter)
        assert answer.status_code == 202
        yield house.stranger, keeper, reporter, house.journal, answer.json()["id"]


ROADS = (
    "/results?state=held", "/results?state=rejected", "/results?state=void", "/results.csv",
    "/results?order=oldest&limit=1000", "/results/{n}", "/results?player=Ada", "/players",
    f"/players?query={WORD}", f"/players/{WORD}%20One", "/players.csv", "/revisions",
    "/categories", "/categories/chess/leaderboard?include=all", "/categories/chess/pairings",
    f"/categories/chess/players/{WORD}%20One", "/categories/chess/players/Ada/history",
    f"/categories/chess/head-to-head?a=Ada&b={WORD}%20One", "/categories/chess/why/{n}",
    f"/categories/chess/why/1?player={WORD}%20One", f"/results?player={WORD}%20One",
    "/export?category=chess", "/export?format=ndjson", "/export?category=chess&revision=6",
)  # fmt: skip
PAGES = ("/", "/c/chess", "/results/{n}", "/c/chess/players/5", "/c/chess/players/1",
         "/c/chess/pairings", "/categories", "/admin/queue", "/admin/players", "/admin/results",
         "/c/chess/pairs/1/5", "/c/chess/players/5.csv")  # fmt: skip


def seen(stranger: TestClient, number: int, header: dict[str, str] | None = None) -> list[str]:
    """The roads on which the held result shows."""
    found = []
    for road in [API + one for one in ROADS] + [*PAGES]:
        answer = stranger.get(road.format(n=number), headers=header, follow_redirects=False)
        assert answer.status_code < 500, road
        said = answer.text.replace(f"no player is called '{WORD} One'", "")
        if WORD in said:
            found.append(road)
    return found


@pytest.mark.parametrize("verb", [None, "reject", "void"])
def test_no_road_shows_what_never_counted(place, verb):
    """A held, rejected or void result that never counted shows neither itself nor its player."""
    stranger, keeper, _, _, number = place
    if verb is not None:
        how = {"json": {"reason": f"{WORD} was not there"}, "headers": keeper}
        address = f"{API}/results/{number}"
        answer = (
            stranger.post(f"{address}:reject", **how)
            if verb == "reject"
            else stranger.request("DELETE", address, **how)
        )
        assert answer.status_code == 200
    assert seen(stranger, number) == []
    numbers = [one["id"] for one in stranger.get(f"{API}/results?limit=1000").json()["items"]]
    assert number not in numbers
    unknown = stranger.get(f"{API}/results/999").json()
    hidden = stranger.get(f"{API}/results/{number}").json()
    assert unknown["code"] == hidden["code"]


def test_keepers_and_the_reporter_see_it(place):
    """A keeper lists it; the token that reported it follows its Location; another reporter not."""
    stranger, keeper, reporter, journal, number = place
    listed = stranger.get(f"{API}/results?state=held", headers=keeper).json()["items"]
    assert [one["id"] for one in listed] == [number]
    assert f"{WORD} One" in stranger.get(f"{API}/players", headers=keeper).text
    address = f"{API}/results/{number}"
    assert stranger.get(address, headers=reporter).json()["state"] == "held"
    other = bearer(secret(journal, "submit", source="other"))
    assert stranger.get(address, headers=other).status_code == 404


def test_it_is_public_once_it_counts(place):
    """Acceptance makes it public; what it said before a keeper corrected it stays hidden."""
    stranger, keeper, _, _, number = place
    address = f"{API}/results/{number}"
    right = {"player_a": "Eve", "player_b": "Ada", "score": 1}
    assert stranger.put(address, json=right, headers=keeper).status_code == 200
    assert stranger.post(f"{address}:accept", headers=keeper).status_code == 200
    answer = stranger.get(address)
    assert [one["state"] for one in answer.json()["versions"]] == ["held", "counts"]
    assert "Eve" in answer.text
    assert "Eve" in stranger.get(f"{API}/players").text
    assert seen(stranger, number) == []
    page = stranger.get(f"/results/{number}")
    assert page.status_code == 200
    assert WORD not in page.text
    assert stranger.request("DELETE", address, headers=keeper).status_code == 200
    assert stranger.get(address).json()["state"] == "void"  # it has counted: it stays public


def test_events_and_messages_name_no_player_of_it(place):
    """Listeners and webhooks learn that there is one, and neither names nor reasons."""
    stranger, keeper, reporter, journal, number = place
    heard: list[JournalEvent] = []
    journal.listen(heard.append)
    game = {"category": "chess", "player_a": f"{WORD} Two", "player_b": "Ben", "score": 0}
    stranger.post(f"{API}/results", json=game, headers=reporter)
    reason = {"reason": f"{WORD} is unknown"}
    stranger.post(f"{API}/results/{number}:reject", json=reason, headers=keeper)
    assert [(one.kind, one.results, one.players) for one in heard] == [
        ("record", (), ()),
        ("reject", (), ()),
    ]
    said = []
    for one in heard:
        with journal.store.read() as connection:
            event = build_payload(connection, journal.registry.people, one.revision)
        said.append(format_sentence(event))
        assert WORD not in json.dumps(event)
    assert "waits for acceptance" in said[0]


def test_names_of_hidden_players_in_events(place):
    """A keeper who renames a player of a held result tells listeners no name."""
    stranger, _, _, journal, _ = place
    heard: list[JournalEvent] = []
    journal.listen(heard.append)
    admin = bearer(secret(journal, "admin"))
    new = {"name": f"{WORD} Three"}
    answer = stranger.post(f"{API}/players/{WORD}%20One:rename", json=new, headers=admin)
    assert answer.status_code == 200
    assert heard[0].players == ()
    assert WORD not in stranger.get(f"{API}/revisions").text
