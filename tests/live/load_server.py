"""A server that is killed and started again, at one address."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from email.message import Message
from pathlib import Path
from types import TracebackType
from typing import Any

from prowess.live.client import Result

ROOT = Path(__file__).parents[2]
SECONDS = 240.0  # to start in, on a busy machine and while loops are compiled
RARELY = 3600.0  # seconds between two rounds of housekeeping: none in a test
IN_USE = 4  # the exit code of a server whose store has another one
NEVER_EPHEMERAL = range(20_000, 32_000)  # else a client might be connected to itself


class Server:
    """`prowess serve` in a process of its own, forked by a nursery, or started `cold` by it."""

    def __init__(self, store: str, folder: Path, *, cold: bool = False) -> None:
        self.store, self.said = store, folder / "server.log"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.pid: int | None = None
        self.waits = 0  # starts that found the store in the hands of the one killed before
        self._nursery = subprocess.Popen(
            [sys.executable, "-m", "tests.live.load_nursery", *(["--cold"] if cold else [])],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": f"src{os.pathsep}.", "OPENBLAS_NUM_THREADS": "1"},
            text=True,
        )
        try:
            self._told()
        except BaseException:
            self._nursery.communicate()
            raise

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._nursery.communicate()

    def begin(self, *options: str, housekeeping: float = RARELY) -> None:
        """Start it, without waiting."""
        words = ["serve", "--store", self.store, "--port", str(self.port), "-q", *options]
        assert self._nursery.stdin is not None
        self._nursery.stdin.write(json.dumps([words, str(self.said), housekeeping]) + "\n")
        self._nursery.stdin.flush()
        self.pid = int(self._told())

    def start(self, *options: str, housekeeping: float = RARELY) -> None:
        """Start it, and wait until it is ready.

        PostgreSQL lets go of the claim of a killed server as soon as it notices; until then a
        new one says that the store is in use, and whoever keeps servers running starts it again.
        """
        end = time.monotonic() + SECONDS
        self.begin(*options, housekeeping=housekeeping)
        while not self.ready():
            if time.monotonic() > end:
                raise RuntimeError(f"the server is not ready:\n{self.log()}")
            if not self.tell(0):
                code = self.ended()
                if code != IN_USE or "is in use" not in self.log():
                    raise RuntimeError(f"the server did not start, {code}:\n{self.log()}")
                self.waits += 1
                self.begin(*options, housekeeping=housekeeping)
            time.sleep(0.005)

    def ready(self) -> bool:
        """Whether it answers that it is."""
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=SECONDS) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def tell(self, how: int) -> bool:
        """Send a signal, 0 none at all; whether the server was there."""
        assert self.pid is not None
        try:
            os.kill(self.pid, how)
        except ProcessLookupError:
            return False
        return True

    def ended(self) -> int:
        """Wait for its end; how it ended, -9 where it was killed."""
        self.pid = None
        return int(self._told())

    def stopped(self, how: signal.Signals = signal.SIGTERM) -> int:
        """End it; how it ended."""
        self.tell(how)
        return self.ended()

    def log(self) -> str:
        """The end of what it said."""
        return self.said.read_text(encoding="utf-8")[-4000:] if self.said.exists() else ""

    def _told(self) -> str:
        assert self._nursery.stdout is not None
        line = self._nursery.stdout.readline()
        if not line:
            raise RuntimeError("the nursery ended")
        return line.strip()


def refusal(url: str, token: str, result: Result) -> tuple[int, Mapping[str, str], Any]:
    """What the server answers to a result, as it comes: status, headers in small letters, body."""
    sent = urllib.request.Request(
        f"{url}/api/v1/results",
        json.dumps(result).encode(),
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(sent, timeout=SECONDS) as answer:
            return answer.status, small(answer.headers), json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, small(error.headers), json.load(error)


def small(headers: Message) -> dict[str, str]:
    """Headers by their names in small letters."""
    return {name.lower(): value for name, value in headers.items()}


def free_port() -> int:
    """A port that nothing listens at, and that no client is given as its own."""
    for port in random.SystemRandom().sample(NEVER_EPHEMERAL, 100):
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("no port is free")
