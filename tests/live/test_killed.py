"""Nothing lost, nothing doubled: the server is killed under load, and what it stands on fails.

`benchmarks/kills.py` is the long run; with `pytest -s` the tests say how much was done.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from http.client import HTTPException
from itertools import count
from pathlib import Path
from threading import Timer
from typing import Any
from urllib.request import Request, urlopen

import pytest
from sqlalchemy import create_engine, text

from prowess.live.journal.journal import verify_store
from prowess.live.journal.stored_log import collect_values
from tests.live.journal.journals import game, open_journal, record_games
from tests.live.load_audit import audited
from tests.live.load_ledger import Ledger
from tests.live.load_lives import SLOW, checked, lived, load, prepared, proved, sound, worked
from tests.live.load_server import Server, refusal
from tests.live.postgres import SECONDS, programs, served

pytestmark = pytest.mark.slow
KILLS = 6
OUTAGES = 2
DISK = 16  # MiB
DISCONNECTS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND datname = current_database()
"""
Away = Callable[[], AbstractContextManager[None]]


def test_killed(tmp_path: Path):
    """However often the server is killed, the log is what was meant, and ratings its replay.

    On PostgreSQL as it comes, with fsync; on SQLite `benchmarks/kills.py --smallest` does the same.
    """
    with served() as url:
        said(lived(url, tmp_path, KILLS, random.Random(0), SLOW))


def test_added_players_and_names_survive(tmp_path: Path):
    """Players and keys that were acknowledged are there after every kill, each once."""
    url = f"sqlite:///{tmp_path / 'ladder.db'}"
    seed = random.Random(0)
    with Server(url, tmp_path) as server:
        token = prepared(server, seed, births=0)
        added: list[str] = []
        keys = ["chess"]

        def ask(path: str, data: Any = None) -> bytes:
            body = None if data is None else json.dumps(data).encode()
            head = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            with urlopen(Request(server.url + path, body, head), timeout=60) as answer:
                return bytes(answer.read())

        for life in range(KILLS):
            server.start()
            killer = Timer(seed.uniform(0.0, 0.1), lambda: server.tell(signal.SIGKILL))
            last = seed.randint(1, 12)  # by what was answered, not by time: the machine may be busy
            with suppress(OSError, HTTPException):  # killed: what was asked may have been taken
                for number in count():
                    name, key = f"Player {life} {number}", f"key-{life}-{number}"
                    ask(f"/api/v1/categories/{keys[0]}/players", {"names": [name]})
                    added.append(name)
                    ask(f"/api/v1/categories/{keys[0]}:rename", {"key": key})
                    keys.append(key)
                    if number == last:
                        killer.start()
            killer.join()
            server.ended()
        server.start()
        there = json.loads(ask(f"/api/v1/categories/{keys[0]}/leaderboard"))["unplayed"]
        assert set(added) <= set(there)
        assert len(set(there)) == len(there) <= len(added) + KILLS
        assert all(ask(f"/c/{key}") for key in keys)
        assert server.stopped() == 0
    assert len(added) > KILLS
    checked(url)


def test_the_database_is_killed(tmp_path: Path):
    """While PostgreSQL is away writers are told to come back; then it goes on, nothing lost."""
    with served() as url, database(url) as restart:
        outages(url, tmp_path, restart)


def test_another_server_was_there(postgres_url: str):
    """A server that lost its claim and gets it back knows what another one entered meanwhile."""
    journal = open_journal(postgres_url)
    record_games(journal, game("Ada", "Ben"))
    engine = create_engine(postgres_url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        connection.execute(text(DISCONNECTS))
    engine.dispose()
    other = open_journal(postgres_url)
    record_games(other, game("Ben", "Ada"), game("Ada", "Ben", 0.5))
    revision = other.revision
    other.close()
    record_games(journal, game("Ada", "Ben"))
    assert journal.revision == revision + 1
    shown = collect_values(journal.ratings("main"))
    journal.close()
    (proof,) = verify_store(postgres_url, lambda _: (revision + 1, shown))
    assert (proof.results, proof.differences) == (4, ())


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small disk: needs root")
def test_the_disk_is_full(tmp_path: Path):
    """While the disk is full writers are told to come back; then it goes on, nothing lost."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", f"size={DISK}m", "tmpfs", str(disk)]
    if subprocess.run(mounted, capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here")

    @contextmanager
    def full() -> Iterator[None]:
        ballast = disk / "ballast"
        try:
            with ballast.open("wb", buffering=0) as file:
                while file.write(b"-" * 4096):
                    pass
        except OSError:
            pass
        yield
        ballast.unlink()

    try:
        outages(f"sqlite:///{disk / 'ladder.db'}", tmp_path, full)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def outages(url: str, folder: Path, away: Away) -> None:
    """One server lives through times in which its store cannot be written to."""
    ledger = Ledger(random.Random(2))
    with Server(url, folder) as server:
        token = prepared(server, ledger.seed, births=0)
        server.start()
        with load(ledger, server, token, folder) as reporters:
            for _ in range(OUTAGES):
                worked(ledger, 20)
                refused = ledger.told["answered 503"]
                with away():
                    while ledger.told["answered 503"] < refused + 10:
                        sound(reporters)
                        time.sleep(0.01)
                    status, headers, problem = first_refusal(ledger, server, token)
                    assert status == 503, problem
                    assert headers["content-type"] == "application/problem+json"
                    assert int(headers["retry-after"]) > 0
                    assert problem["code"] == "store_out_of_reach"
                sound(reporters)
                worked(ledger, 5)
                audited(url, ledger)
        audited(url, ledger, whole=True)
        proved(url, server, token)
        assert ledger.told["lost"] == 0  # the server was there all the time
        assert server.stopped() == 0
    said(f"{url.partition(':')[0]}: {dict(ledger.told)}")


def first_refusal(
    ledger: Ledger, server: Server, token: str
) -> tuple[int, Mapping[str, str], Mapping[str, Any]]:
    """What the server answers to the first result that it does not take.

    On a full disk SQLite writes on in the room that its log has, and a checkpoint gives it room
    again, so results may be taken between others that are refused; these are in the ledger.
    """
    while True:
        one = ledger.game("chess")
        status, headers, answer = refusal(server.url, token, one.said)
        if status != 201:
            one.versions.clear()
            return status, headers, answer
        ledger.acknowledged(one, answer["id"])


@contextmanager
def database(url: str) -> Iterator[Away]:
    """A time without PostgreSQL: it is ended as if it had crashed, and started again."""
    folder = Path(url.partition("host=")[2])
    own = folder / "programs" / "bin"
    where = own if own.exists() else programs()
    user = "nobody" if os.geteuid() == 0 else None

    @contextmanager
    def away() -> Iterator[None]:
        words = [f"{where}/pg_ctl", "-D", f"{folder}/data"]
        crash = [*words, "stop", "-m", "immediate"]
        subprocess.run(crash, user=user, cwd="/", check=True, capture_output=True)
        yield
        again = [*words, "start", "-w", "-t", f"{SECONDS:.0f}", "-l", f"{folder}/again"]
        subprocess.run(
            [*again, "-o", f"-k {folder} -h ''"], user=user, cwd="/", check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    try:
        yield away
    finally:
        subprocess.run(
            [f"{where}/pg_ctl", "-D", f"{folder}/data", "stop", "-m", "fast"], user=user, cwd="/",
            check=False, capture_output=True,
        )  # fmt: skip


def said(line: str) -> None:
    """Tell whoever looks on."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
