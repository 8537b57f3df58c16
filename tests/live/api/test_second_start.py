"""A server that is started for the second time, as its user starts it: corrections and posts of a
long ladder are as fast as machine code, which no later process compiles again.

What is measured is the processor time of the server, which does not depend on what else runs here.
Plain Python takes 25 to 70 millionths of a second a game, machine code less than one.
"""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from prowess.compile import kernel
from tests.live.api.test_cold_start import command
from tests.live.api.test_server import Running, running

GAMES = 48_000  # below the number at which a compiler would be loaded for its own sake
PLAYERS = 300


@pytest.fixture(scope="module")
def games(tmp_path_factory) -> Path:
    """A table of games, one an hour."""
    path: Path = tmp_path_factory.mktemp("second") / "games.csv"
    rows = ["date,player_a,player_b,score"]
    for number in range(GAMES):
        a, b = number % PLAYERS, (number * 7 + 1 + number // PLAYERS) % PLAYERS
        day = f"{2000 + number // 8000}-{1 + number // 700 % 12:02}-{1 + number // 27 % 26:02}"
        rows.append(f"{day},p{a},p{b if b != a else (b + 1) % PLAYERS},{number * 5 // 3 % 2}")
    path.write_text("\n".join(rows) + "\n")
    return path


def processor_seconds(server: Running) -> float:
    """The processor time of a server so far."""
    stat = Path(f"/proc/{server.process.pid}/stat").read_text()
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100.0


def cost(server: Running, call: Callable[[], httpx2.Response]) -> float:
    """The processor time of a request."""
    before = processor_seconds(server)
    answer = call()
    assert answer.status_code in (200, 201), answer.text
    return processor_seconds(server) - before


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_corrections_on_the_second_start(games: Path, tmp_path: Path) -> None:
    """A void far back, the board of an earlier day and a post take milliseconds each."""
    if not kernel.available():
        pytest.skip("needs a compiler")
    store = ("--store", str(tmp_path / "ladder.db"))
    command("import", str(games), *store, "--system", "glicko2", "--quiet")
    words = ("--scope", "submit", "--scope", "correct")
    token = command("token", "add", "test", *words, *store).split()[-1]
    with running(*store, "--quiet") as server:
        assert server.ended() == 0
    head = {"Authorization": f"Bearer {token}"}
    with (
        running(*store, "--quiet") as server,
        httpx2.Client(base_url=server.url, headers=head, timeout=120) as client,
    ):
        rows = [2_000, 4_000, 8_000]  # entered in order of time, so 46,000 to 40,000 games back
        assert min(cost(server, lambda row=row: void(client, row)) for row in rows) < 0.2
        days = ["2005-06-01", "2005-07-01", "2005-08-01"]
        assert min(cost(server, lambda day=day: board(client, day)) for day in days) < 0.2
        posts = [cost(server, lambda: post(client)) for _ in range(20)]
        assert sum(posts) / len(posts) < 0.05
        before = processor_seconds(server)
        text = client.get("/api/v1/export").text
        assert processor_seconds(server) - before < 4.0
        assert len(list(csv.reader(io.StringIO(text)))) == 1 + GAMES - len(rows) + len(posts)
        maps = Path(f"/proc/{server.process.pid}/maps").read_text()
        assert "numba" not in maps  # it was not needed: a start stays short
        assert server.ended() == 0
    assert ": equal" in command("check", *store)


def void(client: httpx2.Client, number: int) -> httpx2.Response:
    """Void a result."""
    return client.request("DELETE", f"/api/v1/results/{number}", json={"reason": "test"})


def board(client: httpx2.Client, day: str) -> httpx2.Response:
    """The leaderboard as of a day."""
    return client.get(f"/api/v1/categories/main/leaderboard?as_of={day}&limit=10")


def post(client: httpx2.Client) -> httpx2.Response:
    """Report a result."""
    time.sleep(0.01)  # so that posts have different times
    return client.post("/api/v1/results", json={"player_a": "p1", "player_b": "p2", "score": 1})
