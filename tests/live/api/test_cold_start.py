"""A server that was just started, on a store so large that its loops are compiled.

The server is the real command in a process of its own: nothing is imported there that the command
did not import itself.
"""

from __future__ import annotations

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import httpx2
import pytest

from tests.live.api.test_server import running

GAMES = 80_000  # enough for a compiler to pay
PLAYERS = 400
READERS = 6


def command(*words: str) -> str:
    """What a verb of the real command writes to stdout."""
    done = subprocess.run(
        [sys.executable, "-m", "prowess", *words],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return done.stdout


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Path:
    """A store with many games, made by `prowess import`, which leaves a checkpoint."""
    folder: Path = tmp_path_factory.mktemp("cold")
    seed = random.Random(1)
    rows = ["date,player_a,player_b,score"]
    for number in range(GAMES):
        a, b = seed.sample(range(PLAYERS), 2)
        day = f"{2000 + number // 9000}-{1 + number // 750 % 12:02}-{1 + number // 27 % 27:02}"
        rows.append(f"{day},player {a},player {b},{seed.choice((0, 1))}")
    file = folder / "games.csv"
    file.write_text("\n".join(rows) + "\n")
    command("import", str(file), "--store", str(folder / "ladder.db"), "--system", "glicko2")
    return folder / "ladder.db"


def test_readers_and_a_correction_at_once(store):
    """Six page readers and a correction in the first moment are all answered, and those after."""
    token = command("token", "add", "test", "--scope", "correct", "--store", str(store)).split()[-1]
    bearer = {"Authorization": f"Bearer {token}"}
    with (
        running("--store", str(store)) as server,
        ThreadPoolExecutor(READERS + 1) as pool,
        httpx2.Client(timeout=120, base_url=server.url) as client,
    ):
        together = Barrier(READERS + 1)

        def read(number: int) -> int:
            together.wait(60)
            return client.get(f"/c/main/players/{number}").status_code

        def correct() -> int:
            together.wait(60)
            return client.delete("/api/v1/results/1", headers=bearer).status_code

        first = [pool.submit(read, number) for number in range(1, READERS + 1)]
        first.append(pool.submit(correct))
        assert [one.result() for one in first] == [200] * (READERS + 1)
        assert [client.get(f"/c/main/players/{k}").status_code for k in range(1, 9)] == [200] * 8
        path = "/api/v1/categories/main/players/player 1/history"
        assert client.get(path).status_code == 200
        assert client.delete("/api/v1/results/2", headers=bearer).status_code == 200
        assert server.ended() == 0
    assert "Traceback" not in "".join(server.said)
    assert ": equal" in command("check", "--store", str(store))
