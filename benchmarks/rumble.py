"""How long a rumble takes: seconds for every system of the bots, on a made-up league.

    python benchmarks/rumble.py [--bots 1000] [--battles 1000000]

Systems over the whole field look at every opponent met at each battle, so their work is battles
times bots. The first figure of a system contains loading its compiled loop.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from prowess.engine.fit import fit_table
from prowess.engine.whole_table import WholeTable
from prowess.games.games import Games
from prowess.systems.catalogue import find

SYSTEMS = ("aps", "pl", "batch_elo", "rumble_elo", "rumble_glicko", "rumble_glicko2")


def league(bots: int, battles: int) -> Games:
    """Battles between random pairs, with shares about those that normal strengths expect."""
    random = np.random.default_rng(1)
    strength = random.normal(0.0, 1.0, bots)
    a = random.integers(0, bots, battles)
    b = (a + random.integers(1, bots, battles)) % bots
    share = 0.8 / (1.0 + np.exp(strength[b] - strength[a])) + 0.2 * random.random(battles)
    return Games(
        players=tuple(f"bot {k}" for k in range(bots)),
        a=a.astype(np.uint32),
        b=b.astype(np.uint32),
        score=np.where(share > 0.5, 1.0, 0.0),
        points_a=share,
        points_b=1.0 - share,
    )


def main() -> None:
    """Time every system twice."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--bots", type=int, default=1_000)
    options.add_argument("--battles", type=int, default=1_000_000)
    options.add_argument("--smallest", action="store_true", help="only whether it runs")
    given = options.parse_args()
    if given.smallest:
        given.bots, given.battles = 20, 500
    table = league(given.bots, given.battles)
    print(f"{given.battles:,} battles of {given.bots:,} bots; seconds, first and second run")
    for name in SYSTEMS:
        system = find(name)
        assert isinstance(system, WholeTable)
        taken = []
        for _ in range(2):
            began = time.perf_counter()
            fit_table(table, system)
            taken.append(time.perf_counter() - began)
        print(f"{name:15}{taken[0]:8.2f}{taken[1]:8.2f}", flush=True)


if __name__ == "__main__":
    main()
