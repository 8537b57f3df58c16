"""Reporting results: once, durably, all or nothing, in any of three forms."""

from __future__ import annotations

import json

import pytest

import prowess
from tests.live.api.site import API

GAME = {"player_a": "Ada", "player_b": "Ben", "score": 1.0, "time": "2024-01-01T12:00:00Z"}


def test_one_result(site):
    """A result is answered with its address, its revision and the ratings of who played."""
    answer = site.ask("POST", "/results", "submit", json=GAME)
    told = answer.json()
    assert answer.status_code == 201
    assert answer.headers["location"] == f"{API}/results/{told['id']}"
    assert told["applied"] is True
    # Elo by hand: equal ratings expect 1/2, so K = 32 moves 16 points
    assert told["ratings"]["Ada"]["rating"] == 1516.0
    assert told["ratings"]["Ben"]["rating"] == 1484.0
    assert site.get(f"/results/{told['id']}")["player_a"] == "Ada"
    assert told["revision"] == site.journal.revision


def test_same_result_again(site):
    """The same external number is taken once: the same again is 200, something else 409."""
    site.secret("submit", source="club")
    sent = GAME | {"source": "club", "external_id": "7"}
    first = site.ask("POST", "/results", "submit", json=sent)
    again = site.ask("POST", "/results", "submit", json=sent)
    other = site.ask("POST", "/results", "submit", json=sent | {"score": 0.0})
    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 409)
    assert again.json()["id"] == first.json()["id"]
    assert other.json()["code"] == "duplicate"
    assert len(site.journal.ladder("main")) == 1


def test_same_key_again(site):
    """The same Idempotency-Key brings the same answer; with another request it is 409."""
    key = {"Idempotency-Key": "evening-1"}
    first = site.ask("POST", "/results", "submit", json=GAME, headers=key)
    again = site.ask("POST", "/results", "submit", json=GAME, headers=key)
    other = site.ask("POST", "/results", "submit", json=GAME | {"score": 0.5}, headers=key)
    assert first.json()["id"] == again.json()["id"]
    assert first.json()["revision"] == again.json()["revision"]
    assert (again.status_code, other.status_code) == (201, 409)
    assert other.json()["code"] == "key_reused"
    assert len(site.journal.ladder("main")) == 1


def test_dry_run(site):
    """A dry run says what would be and leaves everything as it is."""
    before = site.journal.revision
    one = site.ask("POST", "/results?dry_run=1", "submit", json=GAME)
    many = site.ask("POST", "/results:batch?dry_run=1", "submit", json=[GAME, GAME])
    assert one.status_code == many.status_code == 200
    assert many.json()["counts"]["recorded"] == 2
    assert site.journal.revision == before
    assert site.get("/results")["items"] == []


CSV = "player_a,player_b,score,time\nAda,Ben,1,2024-01-01\nBen,Cleo,0.5,2024-01-02\n"
LINES = (
    '{"player_a":"Ada","player_b":"Ben","score":1,"time":"2024-01-01"}\n\n'
    '{"player_a":"Ben","player_b":"Cleo","score":0.5,"time":"2024-01-02"}'
)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/csv", CSV),
        ("application/x-ndjson", LINES),
        ("application/json", json.dumps([json.loads(one) for one in LINES.split("\n\n")])),
    ],
)
def test_forms_of_many(site, kind, body):
    """The same results in JSON, JSON lines and CSV give what the batch run gives."""
    answer = site.ask(
        "POST", "/results:batch", "submit", content=body, headers={"Content-Type": kind}
    )
    assert answer.status_code == 200, answer.text
    batch = prowess.rate(
        {
            "player_a": ["Ada", "Ben"],
            "player_b": ["Ben", "Cleo"],
            "score": [1.0, 0.5],
            "date": ["2024-01-01", "2024-01-02"],
        },
        "elo",
    )
    assert site.ratings() == {name: batch[name].rating for name in batch}


def test_all_or_nothing(site):
    """One bad row and none is taken; the answer says which, and which field."""
    rows = [GAME, GAME | {"player_b": "Ada"}, GAME | {"score": 2.0}]
    answer = site.ask("POST", "/results:batch", "submit", json=rows)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert {(one["row"], one["field"]) for one in answer.json()["errors"]} == {
        (1, "player_b"),
        (2, "score"),
    }
    answer = site.ask("POST", "/results:batch", "submit", json=rows[:2])
    assert {(one["row"], one["field"]) for one in answer.json()["errors"]} == {(1, "player_b")}
    assert site.get("/results")["items"] == []


def test_skipping(site):
    """With on_error=skip the good rows are taken and every other is told with its number."""
    rows = [GAME | {"score": 2.0}, GAME, GAME | {"player_b": "Ada"}, GAME | {"score": 0.5}]
    answer = site.ask("POST", "/results:batch?on_error=skip", "submit", json=rows)
    told = answer.json()
    assert answer.status_code == 207
    assert [one["status"] for one in told["results"]] == [
        "refused", "recorded", "refused", "recorded",
    ]  # fmt: skip
    assert [one["row"] for one in told["results"]] == [0, 1, 2, 3]
    assert told["results"][2]["error"]["code"] == "self_play"
    assert len(site.journal.ladder("main")) == 2


def test_contests(sqlite_url):
    """A contest is reported with its placings, in CSV as a row for each player."""
    from tests.live.api.site import Site

    with Site(sqlite_url, plays="contests") as site:
        placings = [{"player": "Ada", "place": 1}, {"player": "Ben", "place": 2, "points": 3}]
        answer = site.ask("POST", "/results", "submit", json={"placings": placings})
        assert answer.status_code == 201, answer.text
        assert site.get("/results/1")["placings"][1] == {
            "player": "Ben",
            "place": 2.0,
            "points": 3.0,
        }
        table = "contest,player,place\nspring,Ada,1\nspring,Ben,2\nsummer,Ben,1\nsummer,Cleo,2\n"
        kind = {"Content-Type": "text/csv"}
        answer = site.ask("POST", "/results:batch", "submit", content=table, headers=kind)
        assert answer.json()["counts"]["recorded"] == 2
        assert len(site.journal.ladder("main")) == 3


def test_held(site):
    """What a token on probation reports is held, moves nobody, and counts once accepted."""
    site.secret("submit", review=True)
    answer = site.ask("POST", "/results", "submit", json=GAME)
    assert answer.status_code == 202
    assert (answer.json()["applied"], site.ratings()) == (False, {})
    number = answer.json()["id"]
    assert site.ask("POST", f"/results/{number}:accept", "correct").status_code == 200
    assert site.ratings() == {"Ada": 1516.0, "Ben": 1484.0}  # as above, by hand


def test_an_unbound_token_reports_under_its_name(site):
    """A token that submits and was given no source speaks for itself; the administrator for all."""
    assert site.ask("POST", "/results", "submit", json=GAME).json()["result"]["source"] == "submit"
    for sent, status in ((GAME | {"source": "club"}, 403), (GAME | {"source": "submit"}, 201)):
        assert site.ask("POST", "/results", "submit", json=sent).status_code == status
    many = site.ask("POST", "/results:batch", "submit", json=[GAME, GAME | {"source": "club"}])
    assert many.status_code in {403, 422}
    assert "leave the source out" in many.text
    other = site.ask("POST", "/results", "admin", json=GAME | {"source": "club"})
    assert other.json()["result"]["source"] == "club"
    rows = {one["name"]: one["source"] for one in site.get("/tokens", scope="admin")["items"]}
    assert rows == {"submit": "submit", "admin": None}


def test_bound_source(site):
    """A token that is bound to a source cannot speak for another."""
    site.secret("submit", source="club")
    answer = site.ask("POST", "/results", "submit", json=GAME | {"source": "other"})
    assert (answer.status_code, answer.json()["code"]) == (403, "not_your_source")
    assert site.ask("POST", "/results", "submit", json=GAME).json()["result"]["source"] == "club"


def test_all_that_is_wrong_at_once(site):
    """With on_error=stop rows that cannot be read and rows that are refused are one list."""
    rows = [
        GAME,
        GAME | {"time": "yesterday"},
        GAME | {"player_b": "Ada"},
        GAME | {"score": 3},
        GAME | {"side": 7},
    ]
    answer = site.ask("POST", "/results:batch", "submit", json=rows)
    told = answer.json()
    assert (answer.status_code, told["code"]) == (422, "bad_rows")
    assert [(one["row"], one["code"]) for one in told["errors"]] == [
        (1, "bad_time"), (2, "self_play"), (3, "less_than_equal"), (4, "bad_side"),
    ]  # fmt: skip
    assert told["detail"].startswith("4 of 5 rows are refused")
    assert "alue error" not in answer.text
    assert len(site.journal.ladder("main")) == 0


@pytest.mark.parametrize("on_error", ["skip", "stop"])
@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ({"score": 3}, "less_than_equal"),  # found by the parser
        ({"player_b": "Ada"}, "self_play"),  # found when the row is recorded
    ],
)
def test_a_thousand_bad_rows(site, bad, code, on_error):
    """After a thousand bad rows the others are not looked at, and none is recorded."""
    rows = [GAME, GAME, *([GAME | bad] * 998), GAME]
    path = f"/results:batch?on_error={on_error}&dry_run=true"
    answer = site.ask("POST", path, "submit", json=rows)
    assert answer.status_code == (207 if on_error == "skip" else 422)
    if on_error == "skip":
        assert answer.json()["counts"]["recorded"] == 3
    answer = site.ask("POST", path, "submit", json=[*rows, *([GAME | bad] * 20_000)])
    told = answer.json()
    assert (answer.status_code, told["code"]) == (422, "too_many_bad_rows")
    assert told["detail"].startswith("mend the rows and send them again: 1,000 of the first 1,003")
    assert (told["errors"][0]["row"], told["errors"][0]["code"]) == (2, code)


def test_a_name_that_looks_like_a_known_one(site):
    """A twin in other letters is a conflict that names the known player, unless it is confirmed."""
    site.report("Ada", "Ben")
    twin = {"player_a": "\u0410da", "player_b": "Ben", "score": 1}  # a Cyrillic A
    answer = site.ask("POST", "/results", "submit", json=twin)
    assert answer.status_code == 409
    assert answer.json()["code"] == "look_alike"
    assert answer.json()["detail"].startswith("write 'Ada', or confirm with look_alikes")
    assert answer.json()["errors"][0]["field"] == "player_a"
    many = site.ask("POST", "/results:batch", "submit", json=[twin, twin])
    assert (many.status_code, len(many.json()["errors"])) == (409, 2)
    assert set(site.ratings()) <= {"Ada", "Ben"}
    site.report("Ada ", "Zoe\u0308")
    assert site.get("/players/Zo%C3%AB")["player"] == site.get("/players/Zoe%CC%88")["player"]
    confirmed = site.ask("POST", "/results?look_alikes=true", "submit", json=twin)
    assert confirmed.status_code == 201
    assert set(confirmed.json()["ratings"]) == {"\u0410da", "Ben"}
    rename = "/players/Ben:rename?look_alikes=true"
    assert (
        site.ask("POST", "/players/Ben:rename", "admin", json={"name": "Z\u043e\u00eb"}).status_code
        == 409
    )
    assert site.ask("POST", rename, "admin", json={"name": "Z\u043e\u00eb"}).status_code == 200
