"""How long a bank takes, beside as many runs of one setting each.

    python benchmarks/banks.py [--quick | --smallest] [--rounds N] [--json FILE]

Random pairings of 1,000 players, game by game, with forecasts; ratings that drift get dates. The
bank mixes its settings in the same pass, the single runs are not mixed; "apart" is what `tune`
plays: several settings, not mixed. Runs are interleaved and minima of processor time count. Beside
it, how long three contests of 20,000 sides take to rate, all sums over the field.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from stopwatch import interleaved, machine, markdown
from throughput import drawn

from prowess.engine.params import settings
from prowess.engine.periods import Rounds
from prowess.engine.rate import rate
from prowess.engine.replay import play
from prowess.engine.state import initial_state
from prowess.engine.system import Dynamic
from prowess.games.games import Games
from prowess.systems.catalogue import find

PLAYERS, GAMES = 1_000, 100_000
SETTINGS = (8, 16, 32)
SIDES, CONTESTS = 20_000, ("prowess", "elo", "glicko2", "trueskill", "codeforces")
VARIED = {
    "elo": ("k", 5.0, 60.0),
    "glicko": ("drift", 5.0, 60.0),
    "glicko2": ("tau", 0.2, 1.2),
    "weng_lin": ("beta", 2.0, 8.0),
}


def timed(system: Dynamic, p: Any, table: Games, mixed: bool = True) -> Callable[[], float]:
    """A run that returns the processor seconds of the loop."""
    clock = None if system.drift is None else np.linspace(0.0, 100.0, len(table))
    lanes = 1 if mixed else len(p.rows)
    forecasts = np.zeros((len(table), lanes) if lanes > 1 else len(table))

    def run() -> float:
        state = initial_state(system, p, len(table.players), {})
        if not mixed:
            state.logs = None
        began = time.process_time()
        play(state, table, Rounds(None, None, clock), forecasts=forecasts, compiled=True)
        return time.process_time() - began

    return run


def measured(
    name: str, games: int, rounds: int, counts: Sequence[int] = SETTINGS
) -> list[dict[str, Any]]:
    """Nanoseconds a setting and game of one system, by the number of settings."""
    system, (parameter, low, high) = find(name), VARIED[name]
    assert isinstance(system, Dynamic)
    table = drawn(PLAYERS, games)
    banks = {
        count: settings(system, {parameter: np.linspace(low, high, count).tolist()})
        for count in counts
    }
    runs = {"single": timed(system, banks[counts[0]].rows[-1], table)}
    for count, bank in banks.items():
        runs[f"bank {count}"] = timed(system, bank, table)
        runs[f"apart {count}"] = timed(system, bank, table, mixed=False)
    found = interleaved(runs, rounds)
    ns = {key: timing.minimum / games * 1e9 for key, timing in found.items()}
    return [
        {
            "system": name,
            "settings": count,
            "single": round(ns["single"], 1),
            "bank": round(ns[f"bank {count}"] / count, 1),
            "apart": round(ns[f"apart {count}"] / count, 1),
            "times": round(ns["single"] * count / ns[f"bank {count}"], 2),
            "times apart": round(ns["single"] * count / ns[f"apart {count}"], 2),
        }
        for count in counts
    ]


def contest_seconds(name: str, sides: int, contests: int = 3) -> float:
    """Processor seconds of rating contests of so many sides, a week apart, in a further call."""
    random = np.random.default_rng(1)
    ability = random.normal(size=sides)
    order = [np.argsort(ability + random.gumbel(size=sides)) for _ in range(contests)]
    table = Games(
        [f"p{k}" for k in range(sides)],
        player=np.concatenate(order).astype(np.uint32),
        start=np.arange(contests + 1) * sides,
        place=np.tile(np.arange(1.0, sides + 1.0), contests),
        time=np.linspace(19_700.0, 19_714.0, contests),
    )
    system = find(name)
    assert isinstance(system, Dynamic)
    rate(table, system)
    began = time.process_time()
    rate(table, system)
    return time.process_time() - began


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--quick", action="store_true", help="a tenth of the games")
    asked.add_argument("--smallest", action="store_true", help="only whether it runs")
    asked.add_argument("--rounds", type=int, default=0, help="how often everything runs")
    asked.add_argument("--json", type=Path, metavar="FILE", help="the figures as JSON")
    given = asked.parse_args()
    games = GAMES // (1_000 if given.smallest else 10 if given.quick else 1)
    rounds = given.rounds or (1 if given.smallest else 20)
    print("Machine: " + ", ".join(f"{k} {v}" for k, v in machine().items()) + "\n")
    names, counts = (("elo",), SETTINGS[:1]) if given.smallest else (tuple(VARIED), SETTINGS)
    rows = [row for name in names for row in measured(name, games, rounds, counts)]
    print("Nanoseconds a setting and game, and how many single runs the pass is as fast as\n")
    head = list(rows[0])
    print(markdown(head, [[row[name] for name in head] for row in rows]))
    sides, of_contests = (
        1_000 if given.smallest else SIDES,
        CONTESTS[: 1 if given.smallest else None],
    )
    print(f"Seconds of three contests of {sides} sides\n")
    seconds = [[name, round(contest_seconds(name, sides), 2)] for name in of_contests]
    print(markdown(["system", "seconds"], seconds))
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
