"""What a reader sees: of which revision, of which day, by which system, and whether it is a fit."""

from __future__ import annotations

from threading import current_thread
from typing import Any

import prowess
from tests.live.api.site import API, Site

ONE_SIDED = [
    {
        "player_a": "Ada",
        "player_b": "Ben",
        "score": 1,
        "time": "2024-01-01T12:00:00Z",
        "external_id": "1",
    }
]
BOARD = "/categories/main/leaderboard"
SAID = ("waiting", "trouble", "interim")
# Ada never lost, so there is no maximum of the likelihood: L. R. Ford, Solution of a Ranking
# Problem from Binary Comparisons (1957). By Elo with K = 32 she gains 32 (1 - 1/2).
INTERIM = {"Ada": 1516.0, "Ben": 1484.0}


def told(site: Site, path: str = BOARD) -> tuple[Any, ...]:
    """What the head of an answer says of the fit."""
    site.journal.ladder("main").settle()
    head = site.get(path)
    return tuple(head[name] for name in SAID)


def everywhere(site: Site) -> list[tuple[Any, ...]]:
    """The same, from every address that shows ratings."""
    player = "/categories/main/players/Ada"
    found = [told(site, path) for path in (BOARD, player, "/categories/main")]
    for rows in (site.get("/categories")["items"], site.get("/players/Ada")["categories"]):
        found += [tuple(row[name] for name in SAID) for row in rows]
    return found


def test_never_fitted(sqlite_url):
    """Preview, commit, leaderboard, category and player agree, also after a restart."""
    with Site(sqlite_url, system="bradley_terry") as site:
        (sent,) = ONE_SIDED
        answer = site.ask("POST", "/results", "submit", json=sent)
        assert answer.status_code == 201
        before = everywhere(site)
        waiting, trouble, interim = before[0]
        assert (waiting, interim) == (1, True)
        assert trouble
        assert set(before) == {(waiting, trouble, interim)}
        assert site.ratings() == INTERIM
        head = site.get(BOARD)
        assert (head["games"], head["applied"]) == (1, site.journal.revision)
        again = site.ask("POST", "/results", "submit", json=sent).json()
        assert (again["applied"], again["interim"], again["trouble"]) == (True, True, trouble)
        assert again["ratings"]["Ada"]["rating"] == INTERIM["Ada"]
        for old in (f"{BOARD}?revision={site.journal.revision}", f"{BOARD}?as_of=2024-01-01"):
            assert told(site, old) == (1, trouble, True)
    with Site(sqlite_url) as site:
        site.journal.ladder("main").settle()
        assert everywhere(site) == before
        assert site.ratings() == INTERIM


def test_no_longer_fitted(sqlite_url):
    """The last fit stays, said to be that; a preview says so before, and the tag changes."""
    with Site(sqlite_url, system="bradley_terry") as site:
        site.filled()
        assert told(site) == (0, None, False)
        ratings, revision = site.ratings(), site.journal.revision
        assert site.get(BOARD)["applied"] == revision
        preview = site.ask("DELETE", "/results/4?preview=1", "correct")
        assert preview.status_code == 200, preview.text
        shown = preview.json()["categories"]["main"]
        assert shown["trouble"]  # Ada has no defeat left
        assert (shown["movers"], shown["interim"]) == ([], False)
        assert site.ask("DELETE", "/results/4", "correct").status_code == 200
        assert told(site) == (1, shown["trouble"], False)
        head = site.ask("GET", BOARD)
        assert (head.json()["applied"], head.json()["revision"]) == (revision, revision + 1)
        page = site.get("/categories/main/fixtures")  # so are the chances of games to come
        assert [page[name] for name in ("applied", "revision", *SAID)] == [
            revision, revision + 1, 1, shown["trouble"], False,
        ]  # fmt: skip
        assert site.ratings() == ratings
        assert site.ask("POST", "/results/4:restore", "correct").status_code == 200
        assert told(site) == (0, None, False)
        assert site.get(BOARD)["applied"] == revision + 2


def test_tag_changes_with_the_fit(sqlite_url):
    """Whoever saw the interim is not told that nothing changed once there is a fit."""
    with Site(sqlite_url, system="bradley_terry") as site:
        ladder: Any = site.journal.ladder("main")
        ladder._wake = lambda: None  # no fit begins
        site.filled()
        tag = site.ask("GET", BOARD).headers["etag"]
        assert site.get(BOARD)["interim"]
        del ladder._wake
        ladder.settle()
        answer = site.ask("GET", BOARD, headers={"If-None-Match": tag})
        assert (answer.status_code, answer.json()["interim"]) == (200, False)


def test_another_system_that_cannot_be_fitted(site):
    """The preview of a change of system says what is wrong; the change itself is taken."""
    (sent,) = ONE_SIDED
    site.report("Ada", "Ben", time=sent["time"])
    change = {"system": "bradley_terry"}
    preview = site.ask("PATCH", "/categories/main?preview=1", "admin", json=change)
    shown = preview.json()["categories"]["main"]
    assert (preview.status_code, shown["interim"], shown["movers"]) == (200, True, [])
    assert site.ask("PATCH", "/categories/main", "admin", json=change).status_code == 200
    assert told(site) == (1, shown["trouble"], True)
    assert site.ratings() == INTERIM


def test_another_method_is_rated_beside_the_writer(site, monkeypatch):
    """The ladder of a change is made in the thread of the request, so that results do not wait."""
    site.filled()
    ladders, threads = site.journal.ladders, []
    rate_ahead = ladders.rate_ahead

    def note_thread(*asked):
        threads.append(current_thread().name)
        return rate_ahead(*asked)

    monkeypatch.setattr(ladders, "rate_ahead", note_thread)
    change = {"params": {"k": 16.0}}
    assert site.ask("PATCH", "/categories/main", "admin", json=change).status_code == 200
    assert len(threads) == 1
    assert threads != ["prowess-writer"]


def test_dry_run_agrees(sqlite_url):
    """A dry run takes what the report itself takes."""
    with Site(sqlite_url, system="bradley_terry") as site:
        (sent,) = ONE_SIDED
        assert site.ask("POST", "/results?dry_run=1", "submit", json=sent).status_code == 200


def test_an_earlier_revision_says_how_it_was_rated(site):
    """System, constants, period and marks are those of the revision that is asked for."""
    site.filled()
    revision = site.journal.revision
    change = {"system": "glicko", "period": "1mo", "provisional_games": 1, "inactive_days": 1}
    assert site.ask("PATCH", "/categories/main", "admin", json=change).status_code == 200
    everybody = f"{BOARD}?include=all"
    now, then = site.get(everybody), site.get(f"{everybody}&revision={revision}")
    assert [(one["system"], one["period"]) for one in (now, then)] == [
        ("glicko", "1mo"), ("elo", None),
    ]  # fmt: skip
    assert (then["params"]["k"], "k" in now["params"]) == (32.0, False)
    assert {row["provisional"] for row in then["items"]} == {True}  # fewer than 10 games
    assert {row["provisional"] for row in now["items"]} == {False}
    assert not any(row["inactive"] for row in then["items"])
    assert any(row["inactive"] for row in now["items"])


def test_ties_across_pages_of_an_earlier_revision(site):
    """Of equals the lower number comes first, whoever replays the log: none lost, none twice."""
    pairs = [("Ada", "Ben"), ("Cleo", "Dan"), ("Eve", "Fay")]
    for day, (a, b) in zip((3, 2, 1), pairs, strict=True):  # the last reported played first
        site.report(a, b, 0.5, time=f"2024-01-0{day}T12:00:00Z")
    revision, names = site.journal.revision, [name for pair in pairs for name in pair]
    found: list[str] = []
    address: Any = f"{API}{BOARD}?revision={revision}&limit=1"
    for step in range(len(names)):
        answer = site.client.get(address).json()
        found += [row["player"] for row in answer["items"]]
        address = answer["next"]
        if step == 2:
            site.report("Gil", "Hal", 0.5, time="2023-01-01T12:00:00Z")  # now it is a replay
    assert found == names
    assert address is None


def test_as_of_comes_back(site):
    """The time of an answer asks for the same answer again, to the microsecond and far away."""
    site.report("Ada", "Ben", time="2024-01-01T12:00:00.123456Z")
    site.report("Ada", "Ben", time="2024-01-01T12:00:00.123457Z")
    assert site.get(BOARD)["as_of"] == "2024-01-01T12:00:00.123457Z"
    for given, back, games in (
        ("2024-01-01T12:00:00.123456Z", None, 1),
        ("2024-01-01T13:00:00.123456+01:00", "2024-01-01T12:00:00.123456Z", 1),
        ("2024-01-01", "2024-01-01T23:59:59.999999Z", 2),
        ("9999-12-31", "9999-12-31T23:59:59.999999Z", 2),
        ("0001-01-01T00:00:00Z", None, 0),
    ):
        head = site.ask("GET", BOARD, params={"as_of": given}).json()
        assert head["as_of"] == (back or given)
        again = site.ask("GET", BOARD, params={"as_of": head["as_of"]}).json()
        assert again == head
        assert head["games"] == games
    for wrong in ("9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00+05:00"):
        answer = site.ask("GET", BOARD, params={"as_of": wrong})
        assert (answer.status_code, answer.json()["code"]) == (422, "bad_date")


def test_games_are_counted_beside_what_a_system_calls_so(sqlite_url):
    """Smith's `games` are a value of the system, heavy ones count more: both numbers are told."""
    with Site(sqlite_url, system="smith") as site:
        made = site.report("Ada", "Ben", weight=2)
        table = {"player_a": ["Ada"], "player_b": ["Ben"], "score": [1.0], "weight": [2.0]}
        batch = prowess.rate(table, "smith")
        assert (made["ratings"]["Ada"]["games"], batch.columns["games"][0]) == (1, 2.0)
        assert made["ratings"]["Ada"]["own_games"] == 2.0
        lines = site.ask("GET", f"{BOARD}.csv").text.splitlines()
        row = dict(zip(lines[0].split(","), lines[1].split(","), strict=True))
        assert (row["games"], row["own_games"]) == ("1", "2.0")
