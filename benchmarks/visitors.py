"""What a ladder of 100,000 games costs a server: posts, corrections, exports, and many visitors.

    python benchmarks/visitors.py [--games N] [--longest N] [--visitors N] [--addresses N]
                                  [--parts PART,...]

The server is the command `prowess serve`, started twice on the same store: machine code comes from
the cache the second time, and what is measured is the second start. Posts are single results of one
client, a short and a long ladder by turns. Corrections are voids a part of the way before the end.
Then, under Elo, visitors ask for one anonymous address after the other while a client posts: the
longest wait of a post, and the memory that the server keeps a minute after they have left.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import islice, product
from pathlib import Path
from string import ascii_lowercase
from threading import Thread

import httpx2
from stopwatch import machine, markdown

PLAYERS = 1000
SERVES, TOKEN = re.compile(r"Prowess serves .* at (http\S+)"), re.compile(r"prw_\S+")
FIRST = datetime(2010, 1, 1, tzinfo=UTC)
NAMES = "&".join(map("".join, islice(product(ascii_lowercase, repeat=3), 15_500)))
ADDRESSES = (  # of a category, each asked for by all visitors
    "/", "/c/main", "/c/main?since={day}", "/c/main?as_of={day}", "/c/main?revision={n}",
    "/c/main/players/5", "/c/main/players/5.csv", "/c/main/pairings", "/c/main/method",
    "/c/main/lists", "/c/main/pairs/5/6", "/c/main/leaderboard.csv", "/c/main/leaderboard.json",
    "/results/{n}", "/api", "/login", "/api/v1/openapi.json", "/api/v1/categories",
    "/api/v1/categories/main/leaderboard", "/api/v1/categories/main/leaderboard?as_of={day}",
    "/api/v1/categories/main/leaderboard?revision={n}", "/api/v1/export",
    "/api/v1/export?format=ndjson", "/api/v1/export?as_of={day}",
    "/api/v1/categories/main/next?budget={n}", "/api/v1/categories/main/pairings?player=p5",
    "/api/v1/categories/main/calibration", "/api/v1/categories/main/players/p5",
    "/api/v1/categories/main/players/p5/history", "/api/v1/categories/main/forecast?a=p1&b=p2",
    "/api/v1/categories/main/head-to-head?a=p1&b=p2",
    "/api/v1/categories/main/assess?player=p1&opponent=p2", "/api/v1/players", "/api/v1/players/p5",
    "/api/v1/revisions", "/api/v1/results?limit=1000", "/api/v1/results?player=p5",
    "/api/v1/results?" + NAMES, "/api/v1/events?after=0",
)  # fmt: skip


def write_games(path: Path, games: int) -> None:
    """A table of games of PLAYERS players, one every quarter of an hour."""
    chance = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        file.write("date,player_a,player_b,score\n")
        for number in range(games):
            a, b = chance.sample(range(PLAYERS), 2)
            when = (FIRST + timedelta(minutes=15 * number)).isoformat()
            file.write(f"{when},p{a},p{b},{chance.choice(['1', '0', '0.5'])}\n")


def prowess(*words: object) -> str:
    """The output of a command that has to succeed."""
    command = [sys.executable, "-m", "prowess", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@contextmanager
def server(store: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`prowess serve` on a store, and its address; ended afterwards."""
    command = [sys.executable, "-m", "prowess", "serve", "--store", str(store), "--port", "0", "-q"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if found := SERVES.search(line):
                yield process, found[1]
                break
    finally:
        process.terminate()
        process.wait()


@cache
def make_store(folder: Path, system: str, games: int) -> tuple[Path, str]:
    """A store with that many games, served once before; also a token."""
    table, store = folder / f"{games}.csv", folder / f"{system}_{games}.db"
    if not table.exists():
        write_games(table, games)
    prowess("import", table, "--store", store, "--system", system, "-q")
    scopes = (word for scope in ("read", "submit", "correct") for word in ("--scope", scope))
    made = prowess("token", "add", "benchmark", "--store", store, *scopes)
    found = TOKEN.search(made)
    assert found is not None, made
    with server(store):
        pass
    return store, found[0]


def seconds_of(call: object, *arguments: object) -> float:
    """How long a call takes."""
    began = time.perf_counter()
    call(*arguments)  # type: ignore[operator]
    return time.perf_counter() - began


class Poster:
    """A client that posts results after all others."""

    def __init__(self, address: str, token: str) -> None:
        head = {"Authorization": f"Bearer {token}"}
        self.client = httpx2.Client(base_url=address, headers=head, timeout=600)
        self.when = FIRST + timedelta(days=3_500)
        self.chance = random.Random(2)

    def post(self) -> None:
        """Post one result."""
        a, b = self.chance.sample(range(PLAYERS), 2)
        self.when += timedelta(minutes=1)
        body = {"player_a": f"p{a}", "player_b": f"p{b}", "score": 1}
        answer = self.client.post("/api/v1/results", json=body | {"time": self.when.isoformat()})
        answer.raise_for_status()

    def void(self, number: int) -> None:
        """Void a result."""
        answer = self.client.request(
            "DELETE", f"/api/v1/results/{number}", json={"reason": "benchmark"}
        )
        answer.raise_for_status()


def memory(process: subprocess.Popen[str]) -> float:
    """The resident memory of a process in MB."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else float("nan")


def posts_a_second(folder: Path, lengths: tuple[int, int], seconds: float) -> list[list[object]]:
    """Posts of one client at two lengths of the log, measured by turns."""
    rows = []
    stores = [make_store(folder, "elo", games) for games in lengths]
    with server(stores[0][0]) as (_, short), server(stores[1][0]) as (_, long):
        clients = [Poster(short, stores[0][1]), Poster(long, stores[1][1])]
        counts, spent = [0, 0], [0.0, 0.0]
        for client in clients * 2:
            client.post()
        while min(spent) < seconds:
            for at, client in enumerate(clients):
                spent[at] += sum(seconds_of(client.post) for _ in range(20))
                counts[at] += 20
    rates = [count / time_ for count, time_ in zip(counts, spent, strict=True)]
    for games, rate in zip(lengths, rates, strict=True):
        rows.append([f"posts a second at {games:,} games", f"{rate:.0f}"])
    return [*rows, ["the long ladder as a share of the short one", f"{rates[1] / rates[0]:.2f}"]]


def corrections(folder: Path, system: str, games: int) -> list[list[object]]:
    """Voids at some distances from the end, and an export."""
    store, token = make_store(folder, system, games)
    rows: list[list[object]] = []
    with server(store) as (process, address):
        client = Poster(address, token)
        client.post()
        for part in (0.1, 0.45, 0.9):
            row = int(games * (1 - part))
            name = f"{system}: void {int(games * part):,} games before the end"
            times = [seconds_of(client.void, row + again) for again in range(3)]
            rows.append([name, f"{min(times):.3f}"])
        before = processor_seconds(process)
        client.client.get("/api/v1/export").raise_for_status()
        rows.append([f"{system}: export, s of CPU", f"{processor_seconds(process) - before:.2f}"])
    return rows


def processor_seconds(process: subprocess.Popen[str]) -> float:
    """The processor time of a process so far."""
    fields = (
        Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    )
    return (int(fields[11]) + int(fields[12])) / 100.0


def visit(folder: Path, chosen: argparse.Namespace) -> list[list[object]]:
    """The longest wait of a post while visitors ask for each address, and what stays behind."""
    store, token = make_store(folder, "elo", chosen.games)
    rows: list[list[object]] = []
    with server(store) as (process, address):
        client = Poster(address, token)
        for path in ("/c/main", "/c/main/players/5"):
            client.client.get(path)
        for _ in range(20):
            client.post()
        before = memory(process)
        for path in ADDRESSES[: chosen.addresses]:
            longest, answers = longest_post(client, address, path, chosen)
            more = memory(process) - before
            rows.append([path[:60], f"{longest:.2f}", answers, f"{more:.0f}"])
        time.sleep(chosen.rest)
        rows.append([f"after {chosen.rest:.0f} s", "", "", f"{memory(process) - before:.0f}"])
    return rows


def longest_post(
    client: Poster, address: str, path: str, chosen: argparse.Namespace
) -> tuple[float, str]:
    """The longest of the posts of some seconds while visitors, in a process of their own, ask for
    a path, each once; and the answers that they got whole, as a count of each status.
    """
    command = [
        sys.executable,
        __file__,
        "--visit",
        address,
        path,
        "--visitors",
        str(chosen.visitors),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    longest, began = 0.0, time.perf_counter()
    while time.perf_counter() - began < chosen.watch:
        longest = max(longest, seconds_of(client.post))
    process.terminate()
    answers, _ = process.communicate()
    counts = Counter(answers.split())
    return longest, ", ".join(f"{count} x {status}" for status, count in sorted(counts.items()))


def ask(address: str, path: str, visitors: int) -> None:
    """Ask for a path as many visitors, each in a thread."""

    def ask_once(number: int) -> None:
        day = (FIRST + timedelta(days=20 + number)).date().isoformat()
        place = httpx2.HTTPTransport(local_address=f"127.0.0.{2 + number}")  # limits are by address
        with (
            suppress(httpx2.HTTPError),
            httpx2.Client(base_url=address, timeout=60, transport=place) as visitor,
            visitor.stream("GET", path.format(n=number + 1, day=day)) as answer,
        ):
            for _ in answer.iter_raw():
                pass
            print(answer.status_code, flush=True)

    threads = [Thread(target=ask_once, args=(number,)) for number in range(visitors)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main() -> None:
    """Measure and print."""
    words = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    words.add_argument("--games", type=int, default=100_000)
    words.add_argument("--longest", type=int, default=290_000)
    words.add_argument("--visitors", type=int, default=40)
    words.add_argument("--addresses", type=int, help="the first of the list; all, if left out")
    words.add_argument("--seconds", type=float, default=10.0)
    words.add_argument("--rest", type=float, default=60.0)
    words.add_argument("--watch", type=float, default=5.0, help="seconds at each address")
    words.add_argument("--parts", default="posts,corrections,visitors")
    words.add_argument("--visit", nargs=2, metavar=("ADDRESS", "PATH"), help=argparse.SUPPRESS)
    words.add_argument("--smallest", action="store_true", help="only whether it runs")
    chosen = words.parse_args()
    systems = ("elo", "glicko2")
    if chosen.smallest:
        chosen.games, chosen.longest, chosen.visitors, chosen.addresses = 1_000, 1_000, 2, 2
        chosen.seconds, chosen.rest, chosen.watch, systems = 0.1, 0.1, 0.1, systems[:1]
    if chosen.visit:
        ask(*chosen.visit, chosen.visitors)
        return
    parts = chosen.parts.split(",")
    print("; ".join(f"{name}: {fact}" for name, fact in machine().items()), "\n")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if "posts" in parts:
            lengths = (chosen.games // 5, chosen.longest)
            print(markdown(["what", "figure"], posts_a_second(folder, lengths, chosen.seconds)))
        for system in systems if "corrections" in parts else ():
            print(markdown(["what", "s"], corrections(folder, system, chosen.games)))
        if "visitors" in parts:
            head = ["address", "longest post, s", "answers", "memory, MB more"]
            print(markdown(head, visit(folder, chosen)))


if __name__ == "__main__":
    main()
