"""Kill the live server again and again under load: nothing is lost or doubled, all bits are equal.

    python benchmarks/kills.py [--count 500] [--seed N] [--postgres]

`prowess serve` on SQLite, or on a PostgreSQL server from a wheel, is killed with SIGKILL while
clients report, correct, void, restore and resend in three categories, of which one is slow; after
each kill it starts again, and everything that was acknowledged must be in the store, once. Every
few lives each rating that the server shows must be that of the batch program, to the last bit. The
run ends at the first that is not so.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

from stopwatch import machine

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.live.load_lives import LIVES, SLOW, lived
from tests.live.postgres import served

KILLS_OF_STORE = 100  # the next ones are of a new store


def main() -> None:
    """Kill and print what was done."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--count", type=int, default=500, help="of kills")
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--smallest", action="store_true", help="one kill in each part of a life")
    words.add_argument("--postgres", action="store_true", help="on PostgreSQL")
    asked = words.parse_args()
    if asked.smallest:
        asked.count = len(LIVES)
    print("; ".join(f"{name}: {fact}" for name, fact in machine().items()))
    for start in range(0, asked.count, KILLS_OF_STORE):
        kills = min(KILLS_OF_STORE, asked.count - start)
        with (
            tempfile.TemporaryDirectory() as folder,
            served() if asked.postgres else nullcontext(f"sqlite:///{folder}/ladder.db") as url,
        ):
            seed = random.Random(f"{asked.seed} {start}")
            print(
                f"{kills} kills:",
                lived(url, Path(folder), kills, seed, SLOW, cold=not asked.smallest),
                flush=True,
            )


if __name__ == "__main__":
    main()
