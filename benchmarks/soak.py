"""Let the live server work for an hour, and see that it keeps its memory, its facts and its bits.

    python benchmarks/soak.py [--minutes 60] [--memory MIB] [--seed N]

Clients report, correct, void, restore and resend in three categories, of which one is slow, while
readers open pages and listeners follow the events; every `--life` seconds the server is stopped and
started again. In each life the server may not need more than `--memory`; in the end everything
that was acknowledged must be in the store, once, and each rating must be that of the batch program.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from threading import Event, Thread
from urllib.error import HTTPError
from urllib.request import urlopen

from stopwatch import machine, markdown

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.live.load_ledger import Ledger
from tests.live.load_lives import SLOW, finished, load, prepared, sound
from tests.live.load_server import Server

READERS, LISTENERS = 4, 8
PAGES = ("/", "/c/{key}", "/c/{key}/results", "/c/{key}/players/1", "/api/v1/results?limit=50")
KIB_IN_MIB = 1024


def read(server: Server, seed: random.Random, end: Event, told: Counter[str]) -> None:
    """Open pages until the end; while the server is away, try again."""
    while not end.wait(0.05):
        page = seed.choice(PAGES).format(key=seed.choice((*SLOW,)))
        try:
            with urlopen(server.url + page, timeout=60) as answer:
                answer.read()
            told["pages read"] += 1
        except HTTPError as error:
            error.close()
            told[f"pages answered {error.code}"] += 1
        except OSError:
            told["pages without an answer"] += 1


def listen(server: Server, end: Event, told: Counter[str]) -> None:
    """Follow the events until the end, from the last one that was heard; none may be missing."""
    last: int | None = None
    while not end.wait(0.1):
        try:
            after = "" if last is None else f"?after={last}"
            with urlopen(f"{server.url}/api/v1/events{after}", timeout=60) as stream:
                for line in stream:
                    if end.is_set():
                        return
                    if not line.startswith(b"id: "):
                        continue
                    number = int(line[4:])
                    if last is not None and number != last + 1:
                        told["events missed"] += number - last - 1
                    last = number
                    told["events heard"] += 1
        except OSError:
            continue


def memory_of(server: Server) -> float:
    """MiB that the server holds."""
    lines = Path(f"/proc/{server.pid}/status").read_text().splitlines()
    held = next(line for line in lines if line.startswith("VmRSS:"))
    return int(held.split()[1]) / KIB_IN_MIB


def main() -> None:
    """Soak and print."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--minutes", type=float, default=60.0)
    words.add_argument("--life", type=float, default=120.0, help="seconds between two restarts")
    words.add_argument("--memory", type=float, default=1_400.0, help="MiB that a server may need")
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--smallest", action="store_true", help="some seconds, to see that it runs")
    asked = words.parse_args()
    if asked.smallest:
        asked.minutes, asked.life = 0.04, 1.5
    seed, end, told = random.Random(asked.seed), Event(), Counter[str]()
    ledger, lines = Ledger(seed, (*SLOW,)), list[list[str]]()
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/ladder.db"
        with Server(url, Path(folder), cold=True) as server:
            token = prepared(server, seed, births=0, systems=SLOW)
            server.start()
            others = [
                *(Thread(target=read, args=(server, random.Random(k), end, told), daemon=True)
                  for k in range(READERS)),
                *(Thread(target=listen, args=(server, end, told), daemon=True)
                  for _ in range(LISTENERS)),
            ]  # fmt: skip
            for one in others:
                one.start()
            stop = time.monotonic() + 60.0 * asked.minutes
            with load(ledger, server, token, Path(folder)) as reporters:
                while (now := time.monotonic()) < stop:
                    until, before = min(now + asked.life, stop), ledger.told["answered"]
                    held = []
                    while time.monotonic() < until:
                        time.sleep(0.2)
                        held.append(memory_of(server))
                        sound(reporters)
                    answered, half = ledger.told["answered"] - before, held[len(held) // 2]
                    lines.append([f"{answered:,}", f"{half:.0f}", f"{max(held):.0f}"])
                    print(f"life {len(lines)}:", *lines[-1], flush=True)
                    assert max(held) <= asked.memory, f"the server holds {max(held):.0f} MiB"
                    assert server.stopped() == 0, server.log()
                    server.start()
            end.set()
            found = finished(url, server, token, ledger)
    for one in others:
        one.join(70)
    assert told["events missed"] == 0, told
    print("; ".join(f"{name}: {fact}" for name, fact in machine().items()) + "\n")
    print(markdown(["answers in a life", "MiB after half of it", "MiB at most"], lines))
    print(f"\n{found}; {dict(ledger.told)}; {dict(told)}")


if __name__ == "__main__":
    main()
