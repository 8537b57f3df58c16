"""A real server process on the loopback: it starts, streams, and ends in good order."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest

import prowess

STARTED = re.compile(r"Prowess serves .* at (http://\S+)")
SECRET = re.compile(r"prw_\S{43}")


class Running:
    """A server process: where it is, the token it printed, and what it said."""

    def __init__(self, *options: str, files: int | None = None) -> None:
        command = [sys.executable, "-m", "prowess", "serve", "--port", "0", *options]
        if files is not None:  # that may be open at a time
            command = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *command]
        self.process = subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            text=True,
            env=dict(os.environ),
        )
        self.url, self.secret, self.said = "", "", []
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            if found := SECRET.search(line):
                self.secret = found[0]
            if found := STARTED.search(line):
                self.url = found[1]
                break
        self.reader = threading.Thread(target=self.listen, daemon=True)
        self.reader.start()

    def listen(self) -> None:
        """Take note of what it says."""
        self.said.extend(self.process.stderr or ())

    def ended(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Tell it to end; its exit code."""
        self.process.send_signal(how)
        code = self.process.wait(30)
        self.reader.join(10)
        self.process.stderr.close()
        return code


@contextmanager
def running(*options: str, files: int | None = None) -> Iterator[Running]:
    """A server that is gone afterwards."""
    server = Running(*options, files=files)
    try:
        assert server.url, "".join(server.said)
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait(30)
            server.reader.join(10)
            server.process.stderr.close()


def events(answer) -> Iterator[dict[str, str]]:
    """The events of a stream."""
    one: dict[str, str] = {}
    for line in answer.iter_lines():
        name, sign, value = line.partition(": ")
        if not line and "data" in one:
            yield one
            one = {}
        elif sign and name:
            one[name] = value


def report(server: Running, client: httpx2.Client, a: str, b: str) -> int:
    """Report a game; its revision."""
    bearer = {"Authorization": f"Bearer {server.secret}"}
    sent = {"player_a": a, "player_b": b, "score": 1}
    answer = client.post(f"{server.url}/api/v1/results", json=sent, headers=bearer)
    assert answer.status_code == 201, answer.text
    return int(answer.json()["revision"])


def test_stream(tmp_path):
    """Events come as they happen; Last-Event-ID brings those that were missed; SIGTERM ends all."""
    store = str(tmp_path / "ladder.db")
    with running("--store", store) as server, httpx2.Client(timeout=20) as client:
        first = report(server, client, "Ada", "Ben")
        address = f"{server.url}/api/v1/events"
        resume = {"Last-Event-ID": str(first - 1)}
        with client.stream("GET", address, headers=resume) as answer:
            flow = events(answer)
            assert next(flow)["id"] == str(first)
            second = report(server, client, "Ben", "Cleo")
            told = next(flow)
            assert (told["id"], told["event"]) == (str(second), "record")
            assert json.loads(told["data"])["players"] == ["Ben", "Cleo"]
            assert server.ended() == 0
            assert list(flow) == []
        lines = [json.loads(line) for line in server.said if line.startswith("{")]
        assert {"request", "method", "route", "status", "ms"} <= set(lines[0])
        assert server.secret not in "".join(server.said[2:])


def test_started_again(tmp_path):
    """What was acknowledged is there after a restart, and the token is not printed again."""
    store = str(tmp_path / "ladder.db")
    asked = ("--store", store, "--category", "main", "--sample")
    with running(*asked) as server, httpx2.Client(timeout=20) as client:
        report(server, client, "Ada", "Ben")
        path = "/api/v1/categories/main/leaderboard?limit=1000"
        before = client.get(server.url + path).json()["items"]
        assert server.ended(signal.SIGINT) in (0, 130)
    with running("--store", store, "--quiet") as again, httpx2.Client(timeout=20) as client:
        assert again.secret == ""
        assert client.get(again.url + path).json()["items"] == before
        assert client.get(f"{again.url}/", follow_redirects=True).status_code == 200
        assert client.get(f"{again.url}/readyz").json()["status"] == "ready"
        assert again.ended() == 0
        assert [line for line in again.said if line.startswith("{")] == []


def test_a_match_without_a_token(tmp_path):
    """A real server rates a match for anybody, with the numbers of the library."""
    sent = {"system": "elo", "sides": ["Ann", "Bob"], "result": "1-0", "ratings": {"Ann": 1600}}
    with running("--store", str(tmp_path / "ladder.db")) as server:
        answer = httpx2.post(f"{server.url}/api/v1/rate", json=sent, timeout=20)
        assert answer.status_code == 200, answer.text
        found = prowess.system("elo").update(["Ann", "Bob"], "1-0", ratings={"Ann": 1600})
        assert answer.json() == {"system": "elo", **found.to_dict()}
        address = f"{server.url}/api/v1/categories/main/leaderboard"
        assert httpx2.get(address, timeout=20).json()["items"] == []
    with running("--store", str(tmp_path / "other.db"), "--private") as server:
        assert httpx2.post(f"{server.url}/api/v1/rate", json=sent, timeout=20).status_code == 401


@pytest.mark.parametrize("how", ["store", "port"])
def test_taken(tmp_path, how):
    """A second server for the same store or port ends with one clear line and no traceback."""
    store = str(tmp_path / "ladder.db")
    with running("--store", store) as server:
        port = server.url.rpartition(":")[2] if how == "port" else "0"
        other = store if how == "store" else str(tmp_path / "other.db")
        second = subprocess.run(
            [sys.executable, "-m", "prowess", "serve", "--store", other, "--port", port],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env=dict(os.environ),
        )
        assert second.returncode == (4 if how == "store" else 1)
        assert len(second.stderr.strip().splitlines()) == 1
        assert "Traceback" not in second.stderr
