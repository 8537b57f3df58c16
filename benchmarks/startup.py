"""How long a command takes from the first key to the leaderboard, and how much memory a game takes.

    python benchmarks/startup.py [--quick | --smallest] [--json FILE]

Every figure is a process of its own (the live update excepted); rounds are interleaved, minimum and
median are printed. `warm` has its compiled loop in the cache, `cold` has no cache at all. Memory is
the peak of a process that reads a CSV file and prints the leaderboard, less that of one that does
so for 100 games, per game. First calls are seconds of the processor of commands under each system
of the catalogue, with no cache: the ten slowest are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from stopwatch import Timing, interleaved, machine, markdown

import prowess
from prowess.systems.catalogue import catalogue

PROWESS = [sys.executable, "-m", "prowess"]


def csv_file(path: Path, games: int, players: int) -> Path:
    """A file of random games with dates in order."""
    random = np.random.default_rng(games)
    a = random.integers(0, players, games)
    b = (a + random.integers(1, players, games)) % players
    day = np.datetime64("2000-01-01") + np.arange(games) * 8_000 // games
    result = random.choice(["1-0", "0-1", "1/2-1/2"], games)
    with path.open("w", encoding="utf-8") as file:
        file.write("date,player_a,player_b,result\n")
        file.writelines(
            f"{when},player{i:06},player{j:06},{who}\n"
            for when, i, j, who in zip(day, a, b, result, strict=True)
        )
    return path


def process(*command: str | Path, **settings: str) -> Callable[[], float]:
    """A run of one process with these environment variables; returns its seconds."""

    def run() -> float:
        began = time.perf_counter()
        environment = os.environ | settings
        subprocess.run(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True
        )
        return time.perf_counter() - began

    return run


def started(folder: Path, rounds: int) -> dict[str, Timing]:
    """Seconds of commands, the bare interpreter first."""
    hundred = csv_file(folder / "100.csv", 100, 20)
    thousand = csv_file(folder / "1000.csv", 1_000, 50)
    cache = str(folder / "cache")

    def compiled(system: str) -> list[str]:
        code = f"import prowess; prowess.rate({str(thousand)!r}, {system!r}, compiled=True)"
        return [sys.executable, "-c", code]

    runs = {
        "python -c pass": process(sys.executable, "-c", "pass"),
        "import numpy": process(sys.executable, "-c", "import numpy"),
        "prowess --help": process(*PROWESS, "--help"),
        "prowess rate, 100 games": process(*PROWESS, "rate", hundred),
        "prowess rate, 1,000 games": process(*PROWESS, "rate", thousand),
    }
    for system in ("elo", "glicko2"):
        runs[f"rate, 1,000 games, {system} compiled, warm"] = process(
            *compiled(system), PROWESS_CACHE=cache
        )
        runs[f"rate, 1,000 games, {system} compiled, cold"] = process(
            *compiled(system), PROWESS_CACHE="off"
        )
    return interleaved(runs, rounds)


def matches_file(path: Path, games: int, players: int) -> Path:
    """A file of random matches with dates, sides, margins and draws."""
    random = np.random.default_rng(games)
    home = random.integers(0, players, games)
    away = (home + random.integers(1, players, games)) % players
    day = np.datetime64("2000-01-01") + np.arange(games) * 8_000 // games
    goals = random.poisson(1.4, (2, games))
    with path.open("w", encoding="utf-8") as file:
        file.write("date,home_team,away_team,home_score,away_score\n")
        file.writelines(
            f"{when},player{i:06},player{j:06},{x},{y}\n"
            for when, i, j, x, y in zip(day, home, away, *goals, strict=True)
        )
    return path


def races_file(path: Path, races: int, players: int) -> Path:
    """A file of random races of ten with dates."""
    random = np.random.default_rng(races)
    with path.open("w", encoding="utf-8") as file:
        file.write("date,race,driver,place\n")
        for race in range(races):
            day = np.datetime64("2000-01-01") + race * 7
            drivers = random.choice(players, 10, replace=False)
            file.writelines(f"{day},{race},player{i:06},{k + 1}\n" for k, i in enumerate(drivers))
    return path


def first_calls(folder: Path, systems: Iterable[str]) -> dict[str, float]:
    """Seconds of the processor of commands under each system that takes them, slowest first."""
    matches = str(matches_file(folder / "matches.csv", 3_000, 100))
    races = str(races_file(folder / "races.csv", 200, 50))
    commands = {
        "rate, matches": ("rate", matches), "rate, races": ("rate", races),
        "history, matches": ("history", matches, "player000001"),
        "history, races": ("history", races, "player000001"),
    }  # fmt: skip
    seconds = {}
    for (what, command), system in product(commands.items(), systems):
        before = os.times()
        done = subprocess.run(
            [*PROWESS, *command, "--system", system], env=os.environ | {"PROWESS_CACHE": "off"},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        after = os.times()
        if done.returncode == 0:
            seconds[f"{what}, {system}"] = sum(after[2:4]) - sum(before[2:4])
    return dict(sorted(seconds.items(), key=lambda one: -one[1]))


def live_updates(rounds: int) -> dict[str, Timing]:
    """Seconds of one more game on ratings of 1,000 players, as a live table meets it."""
    random = np.random.default_rng(1)
    roster = [f"player{k}" for k in range(1_000)]
    a = random.integers(0, 1_000, 20_000)
    b = (a + random.integers(1, 1_000, 20_000)) % 1_000
    games = prowess.read_games({
        "player_a": [roster[i] for i in a],
        "player_b": [roster[i] for i in b],
        "score": random.choice([0.0, 0.5, 1.0], 20_000).tolist(),
    })  # fmt: skip
    one = prowess.read_games({"player_a": [roster[0]], "player_b": [roster[1]], "score": [1.0]})
    runs = {}
    for system in ("elo", "glicko2", "weng_lin"):
        ratings = prowess.rate(games, system)

        def run(ratings: Any = ratings) -> float:
            began = time.perf_counter()
            prowess.rate_on(ratings, one)
            return time.perf_counter() - began

        runs[f"one more game, {system}"] = run
    return interleaved(runs, rounds * 20)


def peak(system: str, file: Path) -> int:
    """Peak bytes of a process from file to leaderboard."""
    code = (
        f"import sys, prowess; sys.path.append({str(Path(__file__).parent)!r}); "
        "from stopwatch import peak_memory; "
        f"prowess.rate({str(file)!r}, {system!r}).leaderboard(10); print(peak_memory())"
    )
    command = [sys.executable, "-c", code]
    output = subprocess.run(command, capture_output=True, text=True, check=True)
    return round(float(output.stdout) * 1024 * 1024)


def memory(folder: Path, games: int, players: int) -> dict[str, float]:
    """Bytes a game from a CSV file to the leaderboard, beside the file's own."""
    small, large = folder / "100.csv", csv_file(folder / "large.csv", games, players)
    found = {"bytes a row of the file": large.stat().st_size / games}
    for system in ("elo", "glicko2"):
        base, most = peak(system, small), peak(system, large)
        found[f"{system}: peak of the process, MB"] = most / 1e6
        found[f"{system}: bytes a game"] = (most - base) / games
    return found


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--quick", action="store_true", help="fewer rounds, a tenth of the games")
    asked.add_argument("--json", type=Path, metavar="FILE", help="the figures as JSON")
    asked.add_argument("--smallest", action="store_true", help="one round: only whether it runs")
    given = asked.parse_args()
    rounds, games = (3, 200_000) if given.quick else (15, 2_000_000)
    if given.smallest:
        rounds, games = 0, 2_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        facts = machine()
        print("Machine: " + ", ".join(f"{k} {v}" for k, v in facts.items()) + "\n")
        seconds = started(folder, rounds)
        lines = [[f"`{what}`" if " -" in what else what, *_milli(t)] for what, t in seconds.items()]
        print(markdown(["process", "ms, minimum", "median"], lines))
        systems = ("elo",) if given.smallest else catalogue()
        first = first_calls(folder, systems)
        lines = [[what, f"{spent:.1f}"] for what, spent in [*first.items()][:10]]
        print(markdown(["first call", "seconds of the processor"], lines))
        live = live_updates(rounds)
        lines = [[what, *_micro(timing)] for what, timing in live.items()]
        print(markdown(["live", "µs, minimum", "median"], lines))
        bytes_ = memory(folder, games, games // 20)
        lines = [[what, f"{value:.0f}"] for what, value in bytes_.items()]
        print(markdown([f"memory, {games:,} games, {games // 20:,} players", ""], lines))
    if given.json:
        timings = {what: timing._asdict() for what, timing in (seconds | live).items()}
        report = {"machine": facts, "seconds": timings, "memory": bytes_, "first calls": first}
        given.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


def _milli(timing: Timing) -> list[str]:
    return [f"{1e3 * seconds:.0f}" for seconds in timing]


def _micro(timing: Timing) -> list[str]:
    return [f"{1e6 * seconds:.0f}" for seconds in timing]


if __name__ == "__main__":
    main()
