"""Lives of a server under load, and what must be true after each."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from prowess.live.client import Client
from prowess.live.journal.journal import verify_store
from prowess.live.store import access
from prowess.live.store.store import open_store
from tests.live.load_ledger import Ledger
from tests.live.load_reporters import CATEGORIES, Poster, Reporter
from tests.live.load_server import ROOT, SECONDS, Server

REPORTERS = 4
BIRTHS = 3  # kills while the store is made
LIVES = ("load", "load", "batch", "start", "end", "checkpoint")  # when a server is killed
OFTEN = 0.02  # seconds between two rounds of housekeeping, to be killed while it keeps checkpoints
MOST = 16  # answers in a life


@contextmanager
def load(ledger: Ledger, server: Server, token: str, folder: Path) -> Iterator[list[Reporter]]:
    """Clients that report while the server comes and goes; it must run at the end."""
    reporters = [
        Reporter(number, ledger, server.url, token, ledger.seed.randrange(2**32))
        for number in range(REPORTERS)
    ]
    poster = Poster(ledger, folder / "outbox", server.url, token)
    clients: list[Reporter | Poster] = [*reporters, poster]
    for one in clients:
        one.start()
    try:
        yield reporters
    finally:
        for one in clients:
            one.end.set()
        for one in clients:
            one.join()
    sound(clients)


def prepared(server: Server, seed: random.Random, births: int = BIRTHS) -> str:
    """A store with two categories, killed while it was made; a token of its administrator."""
    for _ in range(births):
        server.begin("--category", CATEGORIES[0])
        time.sleep(seed.uniform(0.0, 0.3))
        server.stopped(signal.SIGKILL)
    server.start("--category", CATEGORIES[0])
    assert server.stopped() == 0
    server.start("--category", CATEGORIES[1], "--system", "glicko2")
    assert server.stopped() == 0
    store = open_store(server.store)
    try:
        now = time.time_ns() // 1000
        return store.writer.do(
            lambda connection: access.make_token(connection, "load", [access.ADMIN_SCOPE], now=now)
        )[0]
    finally:
        store.close()


def worked(ledger: Ledger, answers: int) -> None:
    """Wait for some answers."""
    end, enough = time.monotonic() + SECONDS, ledger.told["answered"] + answers
    while ledger.told["answered"] < enough and time.monotonic() < end:
        time.sleep(0.003)


def begun(reporter: Reporter) -> None:
    """Let a client report very many at once, and wait until it begins to."""
    reporter.big.set()
    while reporter.big.is_set() and reporter.error is None:
        time.sleep(0.001)


def killed_in(life: str, server: Server, reporters: list[Reporter], ledger: Ledger) -> None:
    """Kill a running server at a random moment of some part of its life."""
    seed = ledger.seed
    if life == "checkpoint":
        assert server.stopped(signal.SIGKILL) == -signal.SIGKILL
        server.start(housekeeping=OFTEN)
    while True:
        worked(ledger, seed.randrange(MOST))
        if life == "batch":
            begun(seed.choice(reporters))
            time.sleep(seed.uniform(0.0, 0.2))
        time.sleep(seed.uniform(0.0, 0.03))
        if life == "end":
            server.tell(signal.SIGTERM)
            time.sleep(seed.uniform(0.0, 0.1))
        if life == "start":
            server.stopped(signal.SIGKILL)
            server.begin()
            time.sleep(seed.uniform(0.0, 0.2))
        if server.stopped(signal.SIGKILL) == -signal.SIGKILL:
            return
        server.start()  # it had ended by itself


def sound(clients: Sequence[Reporter | Poster]) -> None:
    """Raise what a client ran into."""
    for one in clients:
        if one.error is not None:
            raise one.error


def proved(url: str, server: Server, token: str) -> None:
    """What the server shows is what the batch program makes of the log, to the last bit."""
    with Client(server.url, token) as client:

        def shown(key: str) -> tuple[int, dict[str, dict[str, float]]]:
            revision = client.revision()
            rows = client.leaderboard(key, revision=revision, everyone=True)
            return revision, {row["player"]: row["values"] for row in rows}

        for proof in verify_store(url, shown):
            assert proof.differences == ()
            assert proof.players > 0


def checked(url: str, *words: str) -> None:
    """`prowess check` agrees."""
    command = [sys.executable, "-m", "prowess", "check", "--store", url, *words]
    told = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": "src"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stdout + told.stderr
