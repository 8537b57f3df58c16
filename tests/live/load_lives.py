"""Lives of a server under load, and what must be true after each."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from unittest.mock import patch

from prowess.live.client import Client, outbox
from prowess.live.journal.categories import NewCategory
from prowess.live.journal.journal import Journal, verify_store
from prowess.live.store import access
from tests.cli.command import answered
from tests.live.load_audit import Found, audited
from tests.live.load_ledger import Ledger
from tests.live.load_reporters import Poster, Reporter
from tests.live.load_server import SECONDS, Server

REPORTERS = 4
FAST = {"chess": "prowess", "go": "glicko2"}  # systems of categories
SLOW = FAST | {"shogi": "prowess"}
PROOF = 25  # lives between two proofs of the ratings
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
    with patch.multiple(outbox, PAUSE=0.02, LONGEST_PAUSE=0.2):  # it tries again at once
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


def lived(
    url: str,
    folder: Path,
    kills: int,
    seed: random.Random,
    systems: Mapping[str, str] = FAST,
    *,
    cold: bool = False,
) -> str:
    """Kill the servers of a new store, one after the other; says what was done."""
    ledger = Ledger(seed, (*systems,))
    killed, lives = Counter[str](), list[str]()
    began = time.monotonic()
    with Server(url, folder, cold=cold) as server:
        token = prepared(server, seed, systems=systems)
        server.start()
        with load(ledger, server, token, folder) as reporters:
            for turn in range(1, kills + 1):
                lives = lives or seed.sample(LIVES, len(LIVES))
                life = lives.pop()
                killed_in(life, server, reporters, ledger)
                killed[life] += 1
                server.start()
                audited(url, ledger)
                if turn % PROOF == 0:
                    proved(url, server, token)
                sound(reporters)
        found = finished(url, server, token, ledger)
    assert found.results > 5 * kills
    assert ledger.told["lost"] > 0
    return f"{dict(killed)} in {time.monotonic() - began:.0f} s; {found}; {dict(ledger.told)}"


def finished(url: str, server: Server, token: str, ledger: Ledger) -> Found:
    """What is there at the end, when nobody reports any more; the server ends."""
    found = audited(url, ledger, whole=True)
    proved(url, server, token)
    checked(url, "--url", server.url, "--token", token)
    assert server.stopped() == 0, server.log()
    checked(url)
    return found


def prepared(
    server: Server,
    seed: random.Random,
    births: int = BIRTHS,
    systems: Mapping[str, str] = FAST,
) -> str:
    """A store with these categories, killed while it was made; a token of its administrator."""
    (first, system), *others = systems.items()
    for _ in range(births):
        server.begin("--category", first)
        time.sleep(seed.uniform(0.0, 0.3))
        server.stopped(signal.SIGKILL)
    server.start("--category", first, "--system", system)
    assert server.stopped() == 0, server.log()
    with closing(Journal.open(server.store)) as journal:
        for category, system in others:
            journal.commit(NewCategory(category, "", system=system), access.Actor.console())
        now = journal.clock()
        return journal.store.writer.do(
            lambda connection: access.make_token(connection, "load", [access.ADMIN_SCOPE], now=now)
        )[0]


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
            applied, revision = -1, 0
            while applied < revision:  # results that are durable may not be rated yet
                revision = client.revision()
                asked = {"revision": revision, "limit": 1}
                applied = client._read(f"/categories/{key}/leaderboard", **asked)["applied"]
            rows = client.leaderboard(key, revision=revision, everyone=True)
            return revision, {row["player"]: row["values"] for row in rows}

        for proof in verify_store(url, shown):
            assert proof.differences == ()
            assert proof.players > 0


def checked(url: str, *words: str) -> None:
    """`prowess check` agrees."""
    answered("check", "--store", url, *words)
