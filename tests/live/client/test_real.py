"""The client and the server that is really served."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from prowess.live.client import Away, Client, Outbox, Problem, outbox as module
from tests.live.client.real import Server

GAMES = [("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.5), ("Cleo", "Ada", 0.0), ("Ada", "Ben", 1.0)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all that do not kill it."""
    one = Server(
        str(tmp_path_factory.mktemp("real") / "ladder.db"), "--category", "chess", "--system", "elo"
    )
    yield one
    assert one.stop() == 0


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    """Its administrator."""
    with Client(server.url, server.token) as one:
        yield one


def game(a: str, b: str, score: float, number: str | None = None):
    """A result."""
    told = {"player_a": a, "player_b": b, "score": score}
    return told if number is None else told | {"external_id": number}


def test_everything_once(client: Client):
    """Each method gets from the real server what its description promises."""
    coming = client.events()
    first = client.submit(game(*GAMES[0], "g0"))
    assert (first["status"], first["ratings"]["Ada"]["rating"]) == (
        "recorded",
        1516.0,
    )  # Elo, K = 32
    assert client.submit(game(*GAMES[0], "g0"))["status"] == "already"
    many = client.submit_many([game(*one, f"g{k}") for k, one in enumerate(GAMES)])
    assert many["counts"] == {"recorded": 3, "already": 1, "held": 0, "refused": 0}
    assert [event.revision for event in islice(coming, 2)] == [first["revision"], many["revision"]]
    coming.close()
    rows = client.leaderboard("chess")
    assert [row["player"] for row in rows] == ["Ada", "Cleo", "Ben"]
    assert [row["player"] for row in client.leaderboard("chess", top=1)] == ["Ada"]
    assert client.player("chess", "Ada")["player"] == "Ada"
    assert len(client.history("chess", "Ada")) == 3
    assert len(client.history("chess", "Ada", last=2)) == 2
    assert client.forecast("chess", "Ada", "Ben", side=1)["expected"] > 0.5
    assert len(client.next_games("chess", goal="coverage", budget=2)) == 2
    assert [row["external_id"] for row in client.export("chess")] == ["g0", "g1", "g2", "g3"]

    number = first["id"]
    preview = client.preview(number)
    assert preview["preview"] is True
    assert client.preview(number, game("Ada", "Ben", 0.0))["preview"] is True
    before = {row["player"]: row for row in client.leaderboard("chess")}
    void = client.void(number, "never played")
    assert (void["state"], len(void["versions"])) == ("void", 2)
    assert client.restore(number, "it was")["state"] == "counts"
    assert {row["player"]: row for row in client.leaderboard("chess")} == before
    right = client.correct(number, game("Ada", "Ben", 0.5, "g0"), "a typo")
    assert right["score"] == 0.5
    with pytest.raises(Problem) as stale:
        client.void(number, if_revision=first["revision"])
    assert stale.value.status == 412
    client.void(number, if_revision=right["revision"])
    assert client.result(number)["state"] == "void"


def test_refusals(client: Client, server: Server):
    """What is wrong comes back with its place, and nothing is written."""
    count = len(list(client.export("chess")))
    with pytest.raises(Problem) as bad:
        client.submit_many([game("Ada", "Ben", 1.0), game("Ada", "Ada", 1.0)])
    assert {(one.row, one.field) for one in bad.value.errors} == {(1, "player_b")}
    assert client.submit(game("Ada", "Ben", 1.0), dry_run=True)["dry_run"] is True
    with pytest.raises(Problem) as wrong, Client(server.url, "prw_wrong") as stranger:
        stranger.submit(game("Ada", "Ben", 1.0))
    assert (wrong.value.status, wrong.value.code) == (401, "bad_token")
    assert len(list(client.export("chess"))) == count


def test_names_of_any_kind(client: Client):
    """Names with letters of paths and markup find their player again."""
    for name in ("a/b", "50% & more?", "#1", "<b>Ben</b>", "Žofie", "..", "x:rename"):
        client.submit(game(name, "Dan", 1.0))
        assert client.player("chess", name)["player"] == name
        assert client.history("chess", name, last=1)[0]["opponents"][0]["player"] == "Dan"


def test_an_outbox_of_all_kinds(client: Client, tmp_path):
    """The good ones of a queue arrive, the bad ones stay with the server's own reason."""
    queue = Outbox(tmp_path / "outbox")
    queue.put_many([game("Ada", "Ben", 1.0, "o1"), game("Ada", "Ada", 1.0, "o2")])
    assert queue.send(client)[:2] == (1, 1)
    queue.put(game("Ada", "Ben", 7.0, "o3"))
    queue.put(game("Ada", "Ben", 0.0, "o1"))
    assert queue.send(client)[:2] == (0, 2)
    reasons = {one.external_id: one.fault.code for one in queue.refusals()}
    assert reasons.keys() == {"o1", "o2", "o3"}
    assert (reasons["o1"], reasons["o2"]) == ("duplicate", "self_play")


def test_the_server_is_killed(tmp_path, monkeypatch: pytest.MonkeyPatch):
    """While a queue is sent the server dies again and again; every result counts once."""
    monkeypatch.setattr(module, "PAUSE", 0.05)
    monkeypatch.setattr(module, "REQUEST_RESULTS", 7)
    random.seed(3)
    queue = Outbox(tmp_path / "outbox")
    server = Server(str(tmp_path / "ladder.db"))
    client = Client(server.url, server.token)
    stop = threading.Event()
    runner = threading.Thread(target=queue.run, args=(client, stop, 0.01))
    runner.start()
    numbers = []
    try:
        for _ in range(2):
            numbers += queue.put_many(
                game("Ada", "Ben", random.choice((0.0, 1.0))) for _ in range(200)
            )
            time.sleep(random.uniform(0.05, 0.2))
            server.stop(signal.SIGKILL)
            server.start()
        end = time.monotonic() + 60.0
        while len(queue) and time.monotonic() < end:
            time.sleep(0.05)
    finally:
        stop.set()
        runner.join()
    assert (len(queue), queue.refusals()) == (0, [])
    assert [row["external_id"] for row in client.export()] == numbers
    assert server.stop() == 0
    with pytest.raises(Away):
        client.player("main", "Ada")
    client.close()


def test_teams(server: Server, client: Client) -> None:
    """Results of teams go in, come back, are corrected, and are foreseen."""
    made = {"key": "doubles", "system": "elo", "side_size": 2}
    client._write("POST", "/categories", made, None)
    sides: list[Any] = [
        {"players": ["Ann", {"player": "Bob", "share": 0.5}], "score": 1},
        {"players": ["Cid", "Dee"]},
    ]
    told = client.submit({"category": "doubles", "sides": sides, "facts": {"surface": "clay"}})
    assert told["ratings"]["Bob"]["rating"] == 1508.0  # half of 32 (1 - 1/2) for half of the game
    assert client.result(told["id"])["sides"][0] == sides[0] | {"score": 1.0}
    client.correct(told["id"], {"sides": [sides[0] | {"score": 0}, sides[1]]}, "misread")
    assert client.player("doubles", "Dee")["rating"] == 1516.0
    found = client.forecast("doubles", ["Ann", "Bob"], ["Cid", "Dee"])
    assert (found["a"], found["b"]) == (["Ann", "Bob"], ["Cid", "Dee"])
    assert 0.0 < found["expected"] < 0.5
    (row,) = client.export("doubles")
    assert row["sides"][1]["players"] == ["Cid", "Dee"]
