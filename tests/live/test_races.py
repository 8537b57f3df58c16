"""Many at once, against a real uvicorn: each thing happens once, and one of two wins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, NamedTuple

import httpx2
import pytest

from prowess.live.journal.journal import Journal
from tests.live.whole import API, bearer, proof_fails, secret, served, whole

THREADS = 16
GAME = {"category": "chess", "player_a": "Ada", "player_b": "Ben", "score": 1.0}


class Race(NamedTuple):
    """A server, and runners that are connected to it already."""

    store: str
    journal: Journal
    runners: list[httpx2.Client]

    def run(self, ask: Callable[[httpx2.Client, int], httpx2.Response]) -> list[httpx2.Response]:
        """What every runner was answered."""
        with ThreadPoolExecutor(THREADS) as pool:
            return list(pool.map(ask, self.runners, range(THREADS)))


@pytest.fixture
def race(store_url: str) -> Iterator[Race]:
    """Sixteen administrators at once, on each of the databases."""
    with whole(store_url) as (app, journal), served(app) as url, ExitStack() as stack:
        headers = bearer(secret(journal, "admin"))
        runners = [
            stack.enter_context(httpx2.Client(base_url=url + API, headers=headers, timeout=60))
            for _ in range(THREADS)
        ]
        yield Race(store_url, journal, runners)
        assert proof_fails(store_url) == []


def statuses(answers: list[Any]) -> Counter[int]:
    """How many answers had which status."""
    return Counter(one.status_code for one in answers)


def test_one_key(race: Race):
    """The same key from everybody at once enters one result, and all are told of that one."""
    for k in range(5):
        key = {"Idempotency-Key": f"key {k}"}
        answers = race.run(lambda one, _, key=key: one.post("/results", json=GAME, headers=key))
        assert statuses(answers) == {201: THREADS}
        assert len({one.json()["id"] for one in answers}) == 1
    assert len(race.journal.ladder("chess")) == 12 + 5


def test_one_key_and_many_requests(race: Race):
    """Of different requests under one key one is entered, the others are refused."""
    key = {"Idempotency-Key": "key"}

    def ask(one: httpx2.Client, k: int) -> httpx2.Response:
        return one.post("/results", json=GAME | {"round": str(k)}, headers=key)

    assert statuses(race.run(ask)) == {201: 1, 409: THREADS - 1}
    assert len(race.journal.ladder("chess")) == 13


def test_one_external_id(race: Race):
    """The same external number from everybody at once is recorded once, alone and in bulk."""
    for k in range(5):
        game = GAME | {"source": "club", "external_id": str(k)}

        def ask(one: httpx2.Client, n: int, game: dict[str, Any] = game) -> httpx2.Response:
            if n % 2:
                return one.post("/results:batch", json=[game])
            return one.post("/results", json=game)

        answers = race.run(ask)
        assert set(statuses(answers)) <= {200, 201}
        told = [one.json() for one in answers]
        words = Counter(one.get("status") or one["results"][0]["status"] for one in told)
        assert words == {"recorded": 1, "already": THREADS - 1}
    assert len(race.journal.ladder("chess")) == 12 + 5


def test_one_correction_wins(race: Race):
    """Of corrections of the same version exactly one is entered; the others must look again."""
    for number in (1, 2, 3):
        tag = race.runners[0].get(f"/results/{number}").headers["etag"]

        def ask(
            one: httpx2.Client, k: int, number: int = number, tag: str = tag
        ) -> httpx2.Response:
            if k % 4 == 3:
                return one.delete(f"/results/{number}", headers={"If-Match": tag})
            sent = GAME | {"score": k / THREADS, "time": "2022-01-01"}
            return one.put(f"/results/{number}", json=sent, headers={"If-Match": tag})

        answers = race.run(ask)
        assert statuses(answers) == {200: 1, 412: THREADS - 1}
        assert len(race.runners[0].get(f"/results/{number}").json()["versions"]) == 2


def test_mergers(race: Race):
    """Everybody merges everybody at once: no circle arises, and nobody is lost."""
    pairs = [(a, b) for a in ("Ada", "Ben", "Cleo", "Dan") for b in ("Ada", "Ben", "Cleo", "Dan")]

    def ask(one: httpx2.Client, k: int) -> httpx2.Response:
        a, b = pairs[k]
        return one.post(f"/players/{a}:merge", json={"into": b})

    answers = race.run(ask)
    assert all(one.status_code < 500 for one in answers), [one.text for one in answers]
    for name in ("Ada", "Ben", "Cleo", "Dan"):
        assert race.runners[0].get(f"/players/{name}").status_code == 200
    people = race.journal.registry.people
    assert all(people.canonical(people.canonical(n)) == people.canonical(n) for n in people.shown)


def test_names(race: Race):
    """One name asked for by everybody at once is given to one player."""

    def ask(one: httpx2.Client, k: int) -> httpx2.Response:
        who = ("Ada", "Ben", "Cleo", "Dan")[k % 4]
        return one.post(f"/players/{who}:alias", json={"name": "Eve"})

    answers = race.run(ask)
    assert set(statuses(answers)) <= {200, 409, 422}
    assert statuses(answers)[200] >= 1
    told = {one.json()["player"]["player"] for one in answers if one.status_code == 200}
    assert len(told) == 1


def test_everything_at_once(race: Race):
    """Reports, corrections and reads side by side: revisions have no gap, nothing is lost."""
    kept: list[int] = []

    def ask(one: httpx2.Client, k: int) -> httpx2.Response:
        for n in range(6):
            sent = GAME | {"source": "club", "external_id": f"{k}.{n}", "player_b": f"new {k}"}
            answer = one.post("/results", json=sent)
            assert answer.status_code == 201, answer.text
            kept.append(answer.json()["id"])
            others = (
                one.delete("/results/1"),
                one.post("/results/1:restore", json={}),
                one.get("/categories/chess/leaderboard"),
                one.put("/results/2", json=GAME | {"score": n / 6}),
            )
            assert all(each.status_code in (200, 409) for each in others)
        return answer

    race.run(ask)
    assert len(set(kept)) == len(kept) == 6 * THREADS
    revisions: list[int] = []
    page = "/revisions?limit=1000"
    while page:
        told = race.runners[0].get(page.removeprefix(API)).json()
        revisions += [one["revision"] for one in told["items"]]
        page = told["next"]
    assert revisions == list(range(race.journal.revision, 0, -1))
    told = race.runners[0].get("/results?source=club&limit=1000").json()["items"]
    assert sorted(one["id"] for one in told) == sorted(kept)
