from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from prowess.live.client import (
    Away,
    BadOutbox,
    Client,
    Outbox,
    Problem,
    Result,
    Sent,
    outbox as module,
)
from tests.live.client.fake import Answer, Fake, data, trouble
from tests.refusals import refused

ROOT = Path(__file__).parents[3]
PUTS = """
import sys
from prowess.live.client import Outbox
queue = Outbox(sys.argv[1])
for k in range(int(sys.argv[2]), 10**6):
    game = {"player_a": "Ada", "player_b": "Ben", "score": 1, "external_id": str(k)}
    print(queue.put(game), flush=True)
"""
SENDS = """
import sys, threading
from prowess.live.client import Client, Outbox, outbox
outbox.LEASE, outbox.PAUSE, outbox.REQUEST_RESULTS = 0.3, 0.01, 5
Outbox(sys.argv[1]).run(Client(sys.argv[2]), threading.Event(), idle=0.01)
"""


def game(k: int, a: str = "Ada") -> Result:
    """A result with a number of its own."""
    return {"player_a": a, "player_b": "Ben", "score": 1.0, "external_id": str(k)}


def started(code: str, *words: object) -> subprocess.Popen[str]:
    """A process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)], cwd=ROOT, stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": "src"}, text=True,
    )  # fmt: skip


@pytest.fixture
def queue(tmp_path: Path) -> Outbox:
    """An empty queue."""
    return Outbox(tmp_path / "results.outbox")


def test_what_is_put_in_is_sent_once_in_order(queue: Outbox, fake: Fake, client: Client):
    """Results arrive in the order in which they were put in, and leave the queue."""
    numbers = queue.put_many(game(k) for k in range(1200))
    assert len(Outbox(queue.path)) == 1200
    assert queue.send(client) == Sent(1200, 0, 0)
    assert list(fake.results) == numbers
    assert queue.send(client) == Sent(0, 0, 0)
    assert set(fake.copies.values()) == {1}


def test_a_lost_answer_doubles_nothing(queue: Outbox, fake: Fake, client: Client):
    """What the server took without being able to say so is sent again and counts once."""

    def lost(request) -> Answer:
        fake.taken(request)
        return Answer(0, b"", breaks=0)

    queue.put_many(game(k) for k in range(3))
    fake.mishaps = [lost]
    with pytest.raises(Away):
        queue.send(client)
    assert len(queue) == 3
    assert queue.send(client) == Sent(3, 0, 0)
    assert fake.copies == {"0": 2, "1": 2, "2": 2}
    assert len(fake.results) == 3


def test_every_result_has_a_number_and_a_time(queue: Outbox, fake: Fake, client: Client):
    """A result that is sent late keeps the moment at which it was put in, and a number."""
    before = datetime.now(UTC)
    plain = {"player_a": "Ada", "player_b": "Ben", "score": 0.5}
    first, second = queue.put(plain), queue.put(plain)
    assert first != second
    assert plain.keys() == {"player_a", "player_b", "score"}
    queue.send(client)
    for one in fake.results.values():
        moment = datetime.fromisoformat(one["time"])
        assert timedelta(0) <= moment - before < timedelta(minutes=1)


def test_a_stated_time_stays(queue: Outbox, fake: Fake, client: Client):
    """A result that says when it happened is believed."""
    number = queue.put(game(1) | {"time": "2020-02-29T12:00:00Z"})
    queue.send(client)
    assert fake.results[number]["time"] == "2020-02-29T12:00:00Z"


def test_one_number_one_result(queue: Outbox):
    """A number put in again with the same content changes nothing, with another is refused."""
    assert queue.put(game(1)) == queue.put(game(1)) == "1"
    with refused(BadOutbox, "already_queued", about="1"):
        queue.put_many([game(2), game(1) | {"score": 0.0}])
    assert len(queue) == 1  # none of the two


def test_refused_results_stay_with_the_reason(queue: Outbox, fake: Fake, client: Client):
    """What the server refuses holds up nothing, is kept with its reason, and can be sent again."""
    queue.put_many([game(1), game(2, "X"), game(3)])
    assert queue.send(client) == Sent(2, 1, 0)
    (refusal,) = queue.refusals()
    assert refusal.external_id == "2"
    assert refusal.result["player_a"] == "X"
    assert refusal.fault[:3] == ("no_such_player", "X plays no more", "player_a")
    assert queue.send(client) == Sent(0, 0, 0)
    queue.drop("3")  # was acknowledged
    queue.retry("2")
    assert len(queue) == 1
    assert queue.send(client) == Sent(0, 1, 0)
    queue.drop("2")
    assert queue.refusals() == []


def test_one_bad_result_does_not_stop_the_others(queue: Outbox, fake: Fake, client: Client):
    """Where the server refuses a whole request, all but what is bad in it arrives."""
    queue.put_many([game(k) for k in range(20)])
    fake.mishaps = [
        lambda request: trouble(400, "not_json") if '"13"' in request.body else None
    ] * 99
    assert queue.send(client) == Sent(19, 1, 0)
    assert [one.external_id for one in queue.refusals()] == ["13"]
    assert queue.refusals()[0].fault.code == "not_json"
    assert set(fake.results) == {str(k) for k in range(20)} - {"13"}


def test_all_refused_at_once(queue: Outbox, fake: Fake, client: Client):
    """Where every row of a request is refused, each keeps the reason of its own."""
    wrong = [{"code": f"c{k}", "message": "no", "row": k} for k in range(3)]
    told = {"status": 422, "code": "bad_rows", "detail": "none was taken", "errors": wrong}
    fake.mishaps = [lambda _: data(422, told)]
    queue.put_many(game(k) for k in range(3))
    assert queue.send(client) == Sent(0, 3, 0)
    assert [(one.external_id, one.fault.code) for one in queue.refusals()] == [
        ("0", "c0"), ("1", "c1"), ("2", "c2"),
    ]  # fmt: skip
    assert len(fake.requests) == 1


@pytest.mark.parametrize("status", [401, 403, 404, 408, 429, 500, 502, 503])
def test_nothing_is_given_up(status: int, queue: Outbox, fake: Fake, client: Client):
    """While the server is down, overrun or badly set up, results wait."""
    queue.put(game(1))
    fake.mishaps = [lambda _: trouble(status, "not_now")]
    with pytest.raises(Problem, match="not_now"):
        queue.send(client)
    assert (len(queue), queue.refusals()) == (1, [])
    assert queue.send(client) == Sent(1, 0, 0)


def test_it_tries_until_acknowledged(
    queue: Outbox, fake: Fake, client: Client, monkeypatch: pytest.MonkeyPatch
):
    """A queue that runs sends what comes in, again and again until it is acknowledged."""
    monkeypatch.setattr(module, "PAUSE", 0.01)
    fake.mishaps = [lambda _: Answer(0, b"", breaks=0), lambda _: trouble(503, "closing")] * 3
    stop = threading.Event()
    runner = threading.Thread(target=queue.run, args=(client, stop, 0.01))
    runner.start()
    try:
        queue.put(game(1))
        waited(lambda: "1" in fake.results)
        queue.put(game(2))
        waited(lambda: "2" in fake.results)
        waited(lambda: len(queue) == 0)
    finally:
        stop.set()
        runner.join()
    assert fake.mishaps == []


def test_attempts_grow_rarer(queue: Outbox, monkeypatch: pytest.MonkeyPatch):
    """Pauses double up to the longest, and are never shorter than the server asks."""
    pauses: list[float] = []

    class Stop(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            pauses.append(timeout)
            if len(pauses) == 15:
                self.set()
            return self.is_set()

    class Busy:
        def submit_many(self, results, on_error):
            raise Problem(429, "busy", "busy", retry_after=1000.0 if len(pauses) == 14 else None)

    queue.put(game(1))
    queue.run(Busy(), Stop())
    longest = [min(2.0**k, 300.0) for k in range(14)]
    for pause, most in zip(pauses[:14], longest, strict=True):
        assert most / 2 <= pause <= most
    assert pauses[14] == 1000.0


def waited(condition, seconds: float = 20.0) -> None:
    """Return as soon as something is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


@pytest.mark.parametrize("attempt", range(5))
def test_kill_while_putting(attempt: int, queue: Outbox):
    """Every number that a killed process had been given is in the queue, in a sound file."""
    process = started(PUTS, queue.path, attempt * 1000)
    random.seed(attempt)
    printed = [process.stdout.readline().strip() for _ in range(random.randint(1, 40))]
    process.send_signal(signal.SIGKILL)
    printed += process.communicate()[0].split()
    kept = sqlite3.connect(queue.path)
    numbers = [row[0] for row in kept.execute("SELECT external_id FROM result ORDER BY number")]
    assert kept.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    kept.close()
    assert numbers[: len(printed)] == printed
    assert len(numbers) <= len(printed) + 1  # one may not have been told any more


def test_kill_while_sending(queue: Outbox, fake: Fake):
    """Senders are killed again and again, several at a time; all arrives, and counts once."""
    random.seed(7)
    queue.put_many(game(k) for k in range(100))
    for _ in range(4):
        senders = [started(SENDS, queue.path, fake.url) for _ in range(2)]
        before = len(fake.requests)
        waited(lambda n=before: len(fake.requests) > n or len(queue) == 0)
        time.sleep(random.uniform(0.0, 0.03))
        for sender in senders:
            sender.send_signal(signal.SIGKILL)
            sender.communicate()
    waited(lambda: _emptied(queue, fake))
    assert set(fake.results) == {str(k) for k in range(100)}


def _emptied(queue: Outbox, fake: Fake) -> bool:
    with Client(fake.url) as client:
        return queue.send(client).waiting == 0


def test_processes_share_the_work(queue: Outbox, fake: Fake):
    """Two processes that send from one queue send nothing twice."""
    queue.put_many(game(k) for k in range(100))
    senders = [started(SENDS.replace("0.3,", "60,"), queue.path, fake.url) for _ in range(2)]
    waited(lambda: len(queue) == 0)
    for sender in senders:
        sender.kill()
        sender.communicate()
    assert set(fake.copies.values()) == {1}
    assert len(fake.results) == 100


def test_no_queue(tmp_path: Path):
    """A file that is something else is left alone, with a word."""
    other = tmp_path / "notes.txt"
    other.write_text("not a database, and rather longer than a header would have to be\n" * 20)
    with refused(BadOutbox, "queue_not_opened", about="notes.txt"):
        Outbox(other)
    with refused(BadOutbox, "queue_not_opened"):
        Outbox(tmp_path / "missing" / "queue")
