"""The live server beside that of an earlier commit, in one run on one machine.

    python benchmarks/live_beside.py [--commit ID] [--seconds S] [--quick | --smallest]

The earlier commit is checked out into a folder of its own and runs with this environment. Both
servers answer on the loopback and keep every result durably (SQLite, WAL, synchronous=FULL) before
they answer; clients keep their connections and are one thread of another process. Rounds of both
alternate, the better round of each counts. A start ends with the first answer, of a server whose
modules are compiled to bytecode, as installed ones are. Prints Markdown.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import random
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import urlopen

from stopwatch import machine, markdown

ROOT = Path(__file__).parent.parent
BEFORE = "dc48536b"
PLAYERS = 1_000
LOAD = 20_000  # results in a request while the ladder is filled
ROUNDS = 2
MAKE_TOKEN = """
import sys, time
from prowess.live.store import access
from prowess.live.store.store import open_store
store = open_store(sys.argv[1])
now = time.time_ns() // 1000
print(store.writer.do(lambda c: access.make_token(c, "benchmark", ["admin"], now=now))[0])
store.close()
"""
SPAWN = multiprocessing.get_context("spawn")


class Place(NamedTuple):
    """A server: where it answers, a token, its process, and how long it took to start."""

    host: str
    port: int
    token: str
    process: int
    started: float

    def cpu(self) -> float:
        """Seconds of processor that the server has taken."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Line:
    """A connection that is kept."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.open = http.client.HTTPConnection(place.host, place.port, timeout=600)

    def ask(self, method: str, path: str, sent: object = None, *, known: bool = True) -> Any:
        """Status, headers and bytes of an answer; `known` shows the token."""
        headers = {"Accept-Encoding": "gzip"}
        if known:
            headers["Authorization"] = f"Bearer {self.place.token}"
        body = None
        if sent is not None:
            body, headers["Content-Type"] = json.dumps(sent), "application/json"
        self.open.request(method, path, body, headers)
        answer = self.open.getresponse()
        return answer.status, answer.headers, answer.read()

    def post(self, seed: random.Random) -> None:
        """Report a game."""
        status, _, body = self.ask("POST", "/api/v1/results", game(seed))
        assert status == 201, body


def game(seed: random.Random, day: int | None = None) -> dict[str, object]:
    """A game between two of the players."""
    a, b = seed.sample(range(PLAYERS), 2)
    score = seed.choice((0.0, 0.5, 1.0))
    sent = {"player_a": f"player {a}", "player_b": f"player {b}", "score": score}
    return sent if day is None else sent | {"time": f"{2000 + day // 360}-01-01"}


@contextmanager
def check_out(commit: str) -> Iterator[Path]:
    """A folder with the files of a commit."""
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.Popen(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x"], cwd=folder, stdin=packed.stdout, check=True)
        assert packed.wait() == 0, f"there is no commit {commit}"
        yield Path(folder)


@contextmanager
def serve(root: Path, store: str, system: str) -> Iterator[Place]:
    """A server of the program in a folder."""
    words = [sys.executable, str(root / "benchmarks" / "live.py"), "--serve", store]
    environment = dict(os.environ, PYTHONPATH=str(root / "src"))
    began = time.perf_counter()
    process = subprocess.Popen(
        [*words, "--system", system], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout is not None
    try:
        address, _ = json.loads(process.stdout.readline())
        parts = urlsplit(address)
        with urlopen(f"{address}/healthz") as answer:
            answer.read()
        started = time.perf_counter() - began
        maker = [sys.executable, "-c", MAKE_TOKEN, store]
        token = subprocess.check_output(maker, text=True, env=environment).strip()
        yield Place(str(parts.hostname), int(parts.port or 0), token, process.pid, started)
    finally:
        process.terminate()
        process.communicate()


def fill(place: Place, games: int, seed: random.Random) -> None:
    """Give the ladder a past, in order of time."""
    line = Line(place)
    for start in range(0, games, LOAD):
        count = min(LOAD, games - start)
        sent = [game(seed) for _ in range(count)]
        status, _, body = line.ask("POST", "/api/v1/results:batch", sent)
        assert status == 200, body
    for _ in range(20):
        line.post(seed)


def repeat(place: Place, make: Callable[[Place, random.Random], bytes], clients: int,
           seconds: float, told: Any) -> None:  # fmt: skip
    """Let clients ask for some seconds, each again as soon as it is answered; tells all times.

    One thread sends bytes and waits on all sockets, so that the clients take little of the machine.
    """
    times: list[float] = []
    seeds = [random.Random(number) for number in range(clients)]
    with selectors.DefaultSelector() as waiting, ExitStack() as opened:
        lines = [opened.enter_context(socket.create_connection(place[:2])) for _ in seeds]
        began, come = [0.0] * clients, [b""] * clients

        def ask(number: int) -> None:
            began[number], come[number] = time.perf_counter(), b""
            lines[number].sendall(make(place, seeds[number]))

        for number, line in enumerate(lines):
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            waiting.register(line, selectors.EVENT_READ, number)
            ask(number)
        end = time.perf_counter() + seconds
        while waiting.get_map():
            for key, _ in waiting.select():
                number = key.data
                more = lines[number].recv(1 << 20)
                assert more, "the server ended a connection"
                come[number] += more
                if is_whole(come[number]):
                    now = time.perf_counter()
                    times.append(now - began[number])
                    if now < end:
                        ask(number)
                    else:
                        waiting.unregister(key.fileobj)
    told.put(times)


def is_whole(answer: bytes) -> bool:
    """Whether all of an answer has come, which says that the request was fulfilled."""
    head, end, body = answer.partition(b"\r\n\r\n")
    if not end:
        return False
    assert head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")), answer
    return len(body) >= int(head.lower().partition(b"content-length:")[2].split(b"\r")[0])


class Pace(NamedTuple):
    """What clients got: acts a second, seconds each took, and seconds of processor an act."""

    rate: float
    times: list[float]
    cpu: float


def measure(place: Place, make: Any, clients: int, seconds: float) -> Pace:
    """The pace of clients in a process of their own."""
    told = SPAWN.SimpleQueue()
    before = place.cpu()
    process = SPAWN.Process(target=repeat, args=(place, make, clients, seconds, told))
    process.start()
    times = told.get()
    process.join()
    return Pace(len(times) / seconds, sorted(times), (place.cpu() - before) / len(times))


def post(place: Place, seed: random.Random) -> bytes:
    """The request that reports one result."""
    sent = json.dumps(game(seed))
    return (
        f"POST /api/v1/results HTTP/1.1\r\nHost: {place.host}\r\n"
        f"Authorization: Bearer {place.token}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(sent)}\r\n\r\n{sent}"
    ).encode()


def open_board(place: Place, _: random.Random) -> bytes:
    """The request of a visitor for the leaderboard."""
    return f"GET /c/main HTTP/1.1\r\nHost: {place.host}\r\nAccept-Encoding: gzip\r\n\r\n".encode()


def correct(place: Place, number: int) -> float:
    """Seconds until a result of that number is corrected and shown."""
    line = Line(place)
    sent = game(random.Random(1_000_000 + number))
    began = time.perf_counter()
    status, _, body = line.ask("PUT", f"/api/v1/results/{number}", sent)
    assert status == 200, body
    return time.perf_counter() - began


def compare_paces(
    sides: dict[str, Place], make: Any, clients: int, seconds: float, rounds: int
) -> list[Pace]:
    """The better of some rounds of each server, in turn."""
    found = [
        [measure(place, make, clients, seconds) for place in sides.values()] for _ in range(rounds)
    ]
    return [max(paces, key=lambda pace: pace.rate) for paces in zip(*found, strict=True)]


def line_of(what: str, before: float, now: float, unit: str, aim: str, *, more: bool) -> list[str]:
    """A line of the table: both numbers and their ratio; `more` is better."""
    ratio = now / before if more else before / now
    digits = 0 if min(before, now) >= 10 else 2
    return [what, f"{before:,.{digits}f} {unit}", f"{now:,.{digits}f} {unit}", f"{ratio:.1f}", aim]


def main() -> None:
    """Measure and print."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--commit", default=BEFORE)
    words.add_argument("--seconds", type=float, default=6.0)
    words.add_argument("--quick", action="store_true", help="a fifth of the games")
    words.add_argument("--smallest", action="store_true", help="to see that it runs")
    told = words.parse_args()
    games, many = (4_000, 20_000) if told.quick else (20_000, 100_000)
    systems, rounds = ("elo", "glicko2", "trueskill"), ROUNDS
    if told.smallest:  # beside itself: both have the bytecode that is there
        told.commit, told.seconds, games, many = "itself", 0.1, 100, 200
        systems, rounds = systems[:1], 1
    lines: list[list[str]] = []
    starts: list[list[float]] = []
    older = nullcontext(ROOT) if told.smallest else check_out(told.commit)
    with tempfile.TemporaryDirectory() as folder, older as earlier:
        roots = {"before": earlier, "now": ROOT}
        if not told.smallest:
            os.environ["PYTHONPYCACHEPREFIX"] = f"{folder}/bytecode"
            os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

        @contextmanager
        def both(system: str, count: int) -> Iterator[dict[str, Place]]:
            with served_pair(roots, Path(folder), system, count) as sides:
                starts.append([place.started for place in sides.values()])
                yield sides

        with both("elo", games) as sides:
            for clients, aim in ((16, "5"), (64, "8"), (1, "1.8")):
                one, two = compare_paces(sides, post, clients, told.seconds, rounds)
                name = "1 client" if clients == 1 else f"{clients} clients"
                lines.append(line_of(f"posts, {name}", one.rate, two.rate, "/s", aim, more=True))
                cpu = f"processor a post, {name}"
                lines.append(line_of(cpu, 1e3 * one.cpu, 1e3 * two.cpu, "ms", "", more=False))
            one, two = compare_paces(sides, open_board, 8, told.seconds, rounds)
            lines.append(line_of("leaderboard", one.rate, two.rate, "/s", "40", more=True))
        for system in systems:
            with both(system, many) as sides:
                numbers = [1 + k * many // 5 for k in range(5)]
                slowest = [
                    1e3 * max(correct(place, number) for number in numbers)
                    for place in sides.values()
                ]
                what = f"slowest of five corrections in {many:,}, {system}"
                lines.append(line_of(what, *slowest, "ms", "now 100 ms", more=False))
        started = map(min, zip(*starts, strict=True))
        lines.append(line_of("start, empty store", *started, "s", "now 1.5 s", more=False))
        medians = {}
        for system in ("elo", "prowess"):
            with serve(ROOT, f"sqlite:///{folder}/{system}-post.db", system) as place:
                fill(place, games, random.Random(1))
                pace = measure(place, post, 1, told.seconds)
                medians[system] = 1e3 * statistics.median(pace.times)
        what = f"a post at {games:,}: elo, prowess"
        lines.append(line_of(what, medians["elo"], medians["prowess"], "ms", "+ 3 ms", more=False))
    facts = "; ".join(f"{name}: {fact}" for name, fact in machine().items())
    print(f"{games:,} games of {PLAYERS:,} players before, SQLite; {facts}\n")
    print(markdown(["", told.commit, "now", "times", "aim"], lines))


@contextmanager
def served_pair(
    roots: dict[str, Path], folder: Path, system: str, games: int
) -> Iterator[dict[str, Place]]:
    """Both servers with the same past."""
    names = list(roots)
    stores = [f"sqlite:///{folder}/{system}-{games}-{name}.db" for name in names]
    with (
        serve(roots[names[0]], stores[0], system) as one,
        serve(roots[names[1]], stores[1], system) as two,
    ):
        for place in (one, two):
            fill(place, games, random.Random(1))
        yield dict(zip(names, (one, two), strict=True))


if __name__ == "__main__":
    main()
