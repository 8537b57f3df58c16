"""Corrections: the preview says exactly what then happens, and nothing is ever lost."""

from __future__ import annotations

from tests.live.api.site import GAMES, Site


def standings(site):
    """Everybody's rating, rank and number of games."""
    rows = site.get("/categories/main/leaderboard")["items"]
    return {row["player"]: (row["rating"], row["rank"]) for row in rows}


def moved(outlook):
    """Who moves, from where, to where, by a preview."""
    return {
        one["player"]: (
            None if one["before"] is None else (one["before"]["rating"], one["rank_before"]),
            None if one["after"] is None else (one["after"]["rating"], one["rank_after"]),
        )
        for one in outlook["categories"]["main"]["movers"]
    }


def test_preview_is_what_happens(site):
    """A preview names everyone whose rating changes, with the ranks; doing it does just that."""
    site.filled()
    before = standings(site)
    sent = {"player_a": "Ada", "player_b": "Fay", "score": 0.0}  # Fay is new
    outlook = site.ask("PUT", "/results/1?preview=1", "correct", json=sent)
    assert standings(site) == before
    done = site.ask("PUT", "/results/1", "correct", json=sent)
    assert done.status_code == 200, done.text
    after = standings(site)
    told = moved(outlook.json())
    for player in before.keys() | after.keys():
        was, now = before.get(player), after.get(player)
        if player in told:
            assert told[player] == (was, now)
        else:
            assert was is not None
            assert now is not None
            assert was[0] == now[0]
    assert told["Fay"][0] is None


def test_only_if_unchanged(site):
    """With the ETag of an older version a correction is 412 and changes nothing."""
    site.filled()
    tag = site.ask("GET", "/results/2").headers["etag"]
    sent = {"player_a": "Ben", "player_b": "Cleo", "score": 1.0}
    ask = {"json": sent, "headers": {"If-Match": tag}}
    assert site.ask("PUT", "/results/2", "correct", **ask).status_code == 200
    late = site.ask("PUT", "/results/2", "correct", **ask | {"json": sent | {"score": 0.0}})
    assert (late.status_code, late.json()["code"]) == (412, "stale")
    assert site.get("/results/2")["score"] == 1.0


def test_only_if_nothing_was_entered(site):
    """With the ETag of a preview the entry is 412 once anything else was entered."""
    site.filled()
    tag = site.ask("DELETE", "/results/2?preview=1", "correct").headers["etag"]
    site.report("Ada", "Eve")
    late = site.ask("DELETE", "/results/2", "correct", headers={"If-Match": tag})
    assert (late.status_code, site.get("/results/2")["state"]) == (412, "counts")


def test_void_and_restore(site):
    """A void result counts no longer, and restored everything is as it was, to the last bit."""
    site.filled()
    before = site.ratings()
    gone = site.ask("DELETE", "/results/3?reason=wrong+board", "correct").json()
    assert gone["state"] == "void"
    assert gone["versions"][-1]["change"]["reason"] == "wrong board"
    assert site.ratings() != before
    back = site.ask("POST", "/results/3:restore", "correct").json()
    assert [one["state"] for one in back["versions"]] == ["counts", "void", "counts"]
    assert site.ratings() == before


def test_void_many(site):
    """All results of a player can be voided in one revision."""
    site.filled()
    revision = site.journal.revision
    answer = site.ask("POST", "/results:void", "correct", json={"player": "Ada"})
    assert answer.json()["revision"] == revision + 1
    left = site.get("/results?state=counts")["items"]
    assert len(left) == sum("Ada" not in game[:2] for game in GAMES)


def test_other_constants(site):
    """A change of constants is previewed, plays everything anew, and leaves the log alone."""
    site.filled()
    outlook = site.ask(
        "PATCH", "/categories/main?preview=1", "admin", json={"params": {"k": 16.0}}
    ).json()
    done = site.ask("PATCH", "/categories/main", "admin", json={"params": {"k": 16.0}})
    assert done.json()["params"]["k"] == 16.0
    told = {player: after[0] for player, (_, after) in moved(outlook).items()}
    assert told == site.ratings()
    assert len(site.get("/results")["items"]) == len(GAMES)


def test_merge_and_split(site):
    """Merged players have one row, and a split undoes it to the last bit."""
    site.filled()
    before = site.ratings()
    merge = site.ask("POST", "/players/Eve:merge?preview=1", "admin", json={"into": "Dan"})
    assert merge.status_code == 200
    assert site.ratings() == before
    assert site.ask("POST", "/players/Eve:merge", "admin", json={"into": "Dan"}).is_success
    assert "Eve" not in site.ratings()
    assert site.get("/players/Eve")["player"] == "Dan"
    assert site.ask("POST", "/players/Eve:split", "admin").is_success
    assert site.ratings() == before


def test_forgetting(site):
    """An anonymised name is nowhere any more: not in results, boards, revisions or the audit."""
    site.filled()
    assert site.ask("POST", "/players/Cleo:anonymise", "admin").is_success
    for path in ("/results", "/categories/main/leaderboard", "/players", "/revisions", "/audit"):
        assert "Cleo" not in site.ask("GET", path, "admin").text
    assert site.get("/players/Cleo", status=404)["code"] == "no_such_player"


def test_noted(site):
    """Every correction, also a refused one, stands in the audit log with who asked."""
    site.filled()
    site.ask("DELETE", "/results/3", "correct")
    site.ask("DELETE", "/results/3", "correct")
    lines = site.get("/audit", scope="admin")["items"][:2]
    assert [one["outcome"] for one in lines] == ["refused: wrong_state", "done"]
    assert {one["name"] for one in lines} == {"correct"}


def test_restore_what_one_entry_made_void(site):
    """What a bulk void took out comes back by its revision, as the preview says."""
    site.filled()
    before = standings(site)
    sent = {"player": "Ada", "since": "2024-01-01"}
    gone = site.ask("POST", "/results:void", "correct", json=sent).json()
    assert standings(site) != before
    back = {"revision": gone["revision"]}
    told = site.ask("POST", "/results:restore?preview=1", "correct", json=back)
    assert told.json()["categories"]["main"]["games_after"] == len(GAMES)
    assert site.ask("POST", "/results:restore", "correct", json=back).status_code == 200
    assert standings(site) == before
    again = site.ask("POST", "/results:restore", "correct", json=back)
    assert (again.status_code, again.json()["code"]) == (409, "nothing_changes")


def test_a_correction_says_everything_but_the_time(site):
    """What a correction leaves out is reset; only the time stays."""
    made = site.report("Ada", "Ben", time="2024-01-01T12:00:00Z", weight=2, side=1, round="one")
    sent = {"player_a": "Ada", "player_b": "Ben", "score": 0.5}
    told = site.ask("PUT", f"/results/{made['id']}", "correct", json=sent).json()
    assert (told["weight"], told["side"], told.get("round")) == (1.0, 0.0, None)
    assert told["time"] == "2024-01-01T12:00:00Z"


def test_the_reason_of_a_void(site):
    """A reason in the body counts like one in the address; two that differ are refused."""
    numbers = [site.report("Ada", "Ben")["id"] for _ in range(4)]
    ways = ({"json": {"reason": "typed twice"}}, {"params": {"reason": "typed twice"}},
            {"json": {"reason": "typed twice"}, "params": {"reason": "typed twice"}})  # fmt: skip
    for number, way in zip(numbers, ways, strict=False):
        answer = site.ask("DELETE", f"/results/{number}", "correct", **way)
        assert answer.status_code == 200, answer.text
        assert answer.json()["versions"][-1]["change"]["reason"] == "typed twice"
    two = {"json": {"reason": "typed twice"}, "params": {"reason": "another"}}
    answer = site.ask("DELETE", f"/results/{numbers[3]}", "correct", **two)
    assert (answer.status_code, answer.json()["code"]) == (422, "two_reasons")
    answer = site.ask("DELETE", f"/results/{numbers[3]}", "correct", json={"reasons": "x"})
    assert answer.status_code == 422
    assert site.get(f"/results/{numbers[3]}")["state"] == "counts"


def test_score_and_points(sqlite_url):
    """A score that the points contradict is refused, in a preview too, and says what to do."""
    with Site(sqlite_url, extra=("points",)) as site:
        good = {"player_a": "Ada", "player_b": "Ben", "points_a": 2, "points_b": 1, "score": 1}
        sent = site.ask("POST", "/results", "submit", json=good)
        assert sent.status_code == 201
        address = f"/results/{sent.json()['id']}?preview=1"
        for score, a, b in ((1, 0, 0), (0, 2, 2), (0.5, 3, 1), (0, 3, 1), (1, 1, 3)):
            wrong = good | {"score": score, "points_a": a, "points_b": b}
            for answer in (
                site.ask("PUT", address, "correct", json=wrong),
                site.ask("POST", "/results", "submit", json=wrong),
            ):
                assert (answer.status_code, answer.json()["code"]) == (422, "bad_score"), wrong
                assert "leave the score out" in answer.json()["detail"]
        kept: tuple[tuple[float | None, int, int], ...]
        kept = ((0.5, 0, 0), (0.75, 3, 1), (0.2, 1, 4), (None, 0, 0))
        for given, a, b in kept:
            right = good | {"score": given, "points_a": a, "points_b": b}
            assert site.ask("PUT", address, "correct", json=right).status_code == 200, right
