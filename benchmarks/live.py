"""How many results a second the live server takes, and how long each waits, while it is read.

    python benchmarks/live.py [--games N] [--seconds S] [--system NAME] [--postgres URL] [--pages]

Server, reporting clients and a reader are processes of their own on one machine and share its
cores. Every answer comes after its results are durable (SQLite: WAL and synchronous=FULL;
PostgreSQL: fsync as it comes). The reader asks for the top of the leaderboard 20 times a second.
PostgreSQL is a server from a wheel unless `--postgres` names an empty database; without either
that part is skipped with a word. Then, with nobody else about, each page is asked for right after
a result, of others and of this player. Prints Markdown.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx2
from stopwatch import machine, markdown

from prowess.live.client import Client, Result

ROOT = Path(__file__).parent.parent
PLAYERS = 1000
READS = 20  # a second
LOAD = 20_000  # results in a request while the ladder is filled
TIMES = 30  # that a page is asked for
PAGES = {
    "player": "/c/main/players/5",
    "history (API)": "/api/v1/categories/main/players/{name}/history",
    "leaderboard": "/c/main",
    "next (API)": "/api/v1/categories/main/next?player={name}",
}
LOADS = [(1, 1), (16, 1), (1, 500), (4, 500)]  # clients, results in a request


class Load(NamedTuple):
    """What was measured: times of answers in seconds."""

    results: int
    seconds: float
    writes: list[float]
    reads: list[float]


def serve(url: str, system: str) -> None:
    """A server of a ladder, made where there is none; says its address and a token."""
    gc.set_threshold(20_000)  # as `prowess serve` does
    from prowess.cli.verbs.serve import build_application
    from prowess.live.api.middleware import Allowance, ServerSettings
    from prowess.live.api.server import configure_logging, open_socket, serve, socket_url
    from prowess.live.journal.categories import NewCategory
    from prowess.live.journal.journal import Journal
    from prowess.live.store import access
    from prowess.live.store.access import Actor

    journal = Journal.open(url)
    if not journal.categories():
        journal.commit(NewCategory("main", system=system), Actor.console())
    secret, _ = journal.store.writer.do(
        lambda c: access.make_token(c, "benchmark", ["read", "submit"], now=journal.clock())
    )
    listener = open_socket("127.0.0.1", 0)
    unlimited = Allowance(1e9, 10**9)
    app, end = build_application(journal, ServerSettings(by_address=unlimited, by_token=unlimited))
    configure_logging(False)
    address = json.dumps([socket_url(listener), secret])
    serve(app, journal, listener, lambda: print(address, flush=True))
    end()
    journal.close()


@contextmanager
def server(url: str, system: str) -> Iterator[tuple[str, str]]:
    """Its address and a token; ended afterwards."""
    words = [sys.executable, __file__, "--serve", url, "--system", system]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        address, secret = json.loads(process.stdout.readline())
        yield address, secret
    finally:
        process.terminate()
        process.communicate()


def game(seed: random.Random) -> Result:
    """A game between two of the players, now."""
    a, b = seed.sample(range(PLAYERS), 2)
    score = seed.choice((0.0, 0.5, 1.0))
    return {"player_a": f"player {a}", "player_b": f"player {b}", "score": score}


def fill(client: Client, games: int) -> None:
    """Give the ladder a past."""
    seed = random.Random(1)
    for start in range(0, games, LOAD):
        client.submit_many(game(seed) for _ in range(min(LOAD, games - start)))


def report(number: int, place: tuple[str, str], size: int, end: float, told: Queue) -> None:
    """One client: reports as fast as it is answered."""
    seed = random.Random(number)
    times = []
    with Client(*place) as client:
        while not times or time.time() < end:  # once where it started late
            games = [game(seed) for _ in range(size)]
            start = time.perf_counter()
            if size == 1:
                client.submit(games[0])
            else:
                client.submit_many(games)
            times.append(time.perf_counter() - start)
    told.put(("write", times))


def read(place: tuple[str, str], end: float, told: Queue) -> None:
    """The reader."""
    times = []
    with Client(*place) as client:
        due = time.time()
        while not times or due < end:
            time.sleep(max(0.0, due - time.time()))
            start = time.perf_counter()
            client.leaderboard("main", top=50)
            times.append(time.perf_counter() - start)
            due = max(due + 1.0 / READS, time.time())
    told.put(("read", times))


Queue = multiprocessing.SimpleQueue


def measured(place: tuple[str, str], clients: int, size: int, seconds: float) -> Load:
    """Let clients report for some seconds."""
    told: Queue = multiprocessing.SimpleQueue()
    begin = time.time()
    end = begin + seconds
    processes = [multiprocessing.Process(target=read, args=(place, end, told))]
    processes += [
        multiprocessing.Process(target=report, args=(k, place, size, end, told))
        for k in range(clients)
    ]
    for process in processes:
        process.start()
    found = [told.get() for _ in processes]
    spent = time.time() - begin
    for process in processes:
        process.join()
    writes = [one for kind, times in found if kind == "write" for one in times]
    reads = [one for kind, times in found if kind == "read" for one in times]
    return Load(size * len(writes), spent, writes, reads)


def after_results(place: tuple[str, str], count: int) -> Iterator[list[object]]:
    """Milliseconds of each page, asked for so many times right after a result."""
    address, _ = place
    name = httpx2.get(f"{address}/c/main/players/5").text.partition("<h1><bdi>")[2]
    name = name.partition("</bdi>")[0]
    seed = random.Random(5)
    with Client(*place) as client, httpx2.Client(base_url=address, timeout=60.0) as visitor:
        for what, path in PAGES.items():
            for whose in ("others'", "this player's"):
                times = []
                for _ in range(count):
                    played = game(seed)
                    while name in (played["player_a"], played["player_b"]):
                        played = game(seed)
                    if whose != "others'":
                        played["player_a"] = name
                    client.submit(played)
                    start = time.perf_counter()
                    answer = visitor.get(path.format(name=name))
                    times.append(time.perf_counter() - start)
                    answer.raise_for_status()
                yield [what, whose, percentile(times, 0.5), percentile(times, 0.9)]


def percentile(times: list[float], share: float) -> str:
    """Milliseconds below which a share of the answers came."""
    ordered = sorted(times)
    return f"{1000.0 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]:.1f}"


def row(store: str, clients: int, size: int, load: Load) -> list[object]:
    """A line of the table."""
    writes, reads = load.writes, load.reads
    return [
        store, clients, size, f"{load.results / load.seconds:,.0f}",
        percentile(writes, 0.5), percentile(writes, 0.99),
        percentile(reads, 0.5), percentile(reads, 0.99),
    ]  # fmt: skip


@contextmanager
def postgres(url: str | None) -> Iterator[str | None]:
    """The address of a PostgreSQL, None where there is none."""
    if url is not None:
        yield url
        return
    sys.path.insert(0, str(ROOT))
    try:
        from tests.live.postgres import programs, served

        programs()
    except ModuleNotFoundError as error:
        sys.stderr.write(f"PostgreSQL is left out: {error}\n")
        yield None
        return
    with served() as address:
        yield address


def main() -> None:
    """Measure and print."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--games", type=int, default=100_000)
    words.add_argument("--seconds", type=float, default=8.0)
    words.add_argument("--system", default="glicko2")
    words.add_argument("--postgres")
    words.add_argument("--pages", action="store_true", help="only the pages, on SQLite")
    words.add_argument("--smallest", action="store_true", help="only whether it runs")
    words.add_argument("--serve", help=argparse.SUPPRESS)
    told = words.parse_args()
    if told.serve:
        serve(told.serve, told.system)
        return
    head = ["store", "clients", "results a request", "results a second", "median ms", "99 % ms",
            "read median ms", "read 99 % ms"]  # fmt: skip
    rows, pages = [], []
    loads, times = LOADS, TIMES
    if told.smallest:
        told.games, told.seconds, loads, times = 300, 0.1, LOADS[-1:], 1
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        stores = {"SQLite": f"sqlite:///{folder}/ladder.db"}
        other = None if told.pages else stack.enter_context(postgres(told.postgres))
        if other is not None:
            stores["PostgreSQL"] = other
        for store, url in stores.items():
            with server(url, told.system) as place:
                with Client(*place, timeout=600.0) as client:
                    fill(client, told.games)
                for clients, size in [] if told.pages else loads:
                    rows.append(
                        row(store, clients, size, measured(place, clients, size, told.seconds))
                    )
                pages += [[store, *row] for row in after_results(place, times)]
    facts = "; ".join(f"{name}: {fact}" for name, fact in machine().items())
    print(f"{told.system}, {told.games:,} games of {PLAYERS:,} players before; {facts}\n")
    if rows:
        print(markdown(head, rows) + "\n")
    print(markdown(["store", "page", "after a result of", "median ms", "90 % ms"], pages))


if __name__ == "__main__":
    main()
