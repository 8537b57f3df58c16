"""How many games a second, beside C and beside other programs, all in one run.

    python benchmarks/throughput.py [--quick | --smallest] [--rounds N] [--peers PYTHON]
        [--json FILE]

Only the rating is timed: players and games are ready in memory. Pairings are uniformly random,
which is the worst case for caches; scores follow a logistic law of hidden strengths. C is compiled
here and now with `gcc -O3 -march=native`; its ratings must be ours (the tolerance is printed), or
the run fails. Other programs are measured by the Python given with `--peers` (default: this one)
on fewer games, and skipped with a word where they are missing. Prints Markdown.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from peers.peer import PEERS
from stopwatch import Timing, interleaved, machine, markdown

from prowess.engine.periods import Rounds
from prowess.engine.replay import play
from prowess.engine.state import initial_state
from prowess.engine.system import Dynamic
from prowess.games.games import Games
from prowess.systems.catalogue import catalogue, find

HERE = Path(__file__).parent
SIZES = (1_000, 20_000, 1_000_000)  # players
FIELD = 10  # players in a contest
SAME = 1e-6  # points; what C may differ by where it does the same arithmetic in another order
NEAR = 0.05  # points; what the volatility to 1e-6 in its logarithm may make of the rating
MILLION = 1_000_000
FEW = ("elo", "glicko", "glicko2", "weng_lin")  # of the catalogue, where only whether it runs

Run = Callable[[], float]  # does its work, returns the seconds of it


def drawn(players: int, games: int) -> Games:
    """A table of games between random players; one in ten is drawn."""
    random = np.random.default_rng(players)
    strength = random.normal(0.0, 1.0, players)
    a = random.integers(0, players, games).astype(np.uint32)
    b = ((a + random.integers(1, players, games)) % players).astype(np.uint32)
    chance = 1.0 / (1.0 + np.exp(strength[b] - strength[a]))
    score = (random.random(games) < chance).astype(np.float64)
    score[random.random(games) < 0.1] = 0.5
    return Games(range(players), a, b, score)  # type: ignore[arg-type] # names play no part


def contested(players: int, contests: int) -> Games:
    """Contests of ten random players each."""
    random = np.random.default_rng(players)
    step = random.integers(1, max(2, players // FIELD), contests)
    first = random.integers(0, players, contests)
    field = (first[:, None] + step[:, None] * np.arange(FIELD)) % players
    place = np.argsort(random.random((contests, FIELD)), axis=1) + 1.0
    start = np.arange(0, contests * FIELD + 1, FIELD)
    names: Any = range(players)  # names play no part
    player = field.ravel().astype(np.uint32)
    return Games(names, start=start, player=player, place=place.ravel())


def timed(
    system: Dynamic, table: Games, rounds: Rounds, compiled: bool = True, **more: Any
) -> Callable[[], tuple[float, Any]]:
    """A run of the loop on a fresh state: seconds of the loop, ratings."""

    def run() -> tuple[float, Any]:
        state = initial_state(system, system.params, len(table.players), {})
        began = time.perf_counter()
        play(state, table, rounds, compiled=compiled, **more)
        return time.perf_counter() - began, state.rating

    return run


def one_by_one() -> Rounds:
    """Every game is judged by itself."""
    return Rounds(None, None, None)


def in_periods(games: int, size: int) -> Rounds:
    """Rounds of so many games."""
    return Rounds(None, np.append(np.arange(0, games, size), games), None)


def seconds_of(run: Callable[[], tuple[float, Any]]) -> Run:
    """The run without its ratings."""
    return lambda: run()[0]


# --- C -------------------------------------------------------------------------------------------


class C:
    """The loops in benchmarks/c, compiled for this machine."""

    def __init__(self, folder: Path) -> None:
        self.elo_loop = self.built("elo", folder).elo
        self.elo_loop.argtypes = [*[ctypes.c_void_p] * 4, ctypes.c_size_t, *[ctypes.c_double] * 2]
        self.glicko2 = self.built("glicko2", folder)
        for way in ("halley", "newton", "illinois"):
            loop = getattr(self.glicko2, f"glicko2_{way}")
            loop.argtypes = [*[ctypes.c_void_p] * 4, ctypes.c_size_t, ctypes.c_double]

    @staticmethod
    def built(name: str, folder: Path) -> ctypes.CDLL:
        """One source as a library."""
        library = folder / f"{name}.so"
        flags = ["-O3", "-march=native", "-shared", "-fPIC"]
        source = HERE / "c" / f"{name}.c"
        subprocess.run(["gcc", *flags, "-o", library, source, "-lm"], check=True)
        return ctypes.CDLL(str(library))

    def run(self, way: str, games: Games) -> Callable[[], tuple[float, Any]]:
        """`elo`, or Glicko-2 by `halley`, `newton` or `illinois`."""
        given = (games.a.ctypes.data, games.b.ctypes.data, games.score.ctypes.data, len(games))

        def elo() -> tuple[float, Any]:
            rating = np.full((len(games.players), 1), 1500.0)
            began = time.perf_counter()
            self.elo_loop(rating.ctypes.data, *given, 32.0, 400.0)
            return time.perf_counter() - began, rating

        def glicko2() -> tuple[float, Any]:
            rating = np.tile([1500.0, 350.0, 0.06], (len(games.players), 1))
            began = time.perf_counter()
            getattr(self.glicko2, f"glicko2_{way}")(rating.ctypes.data, *given, 0.5)
            return time.perf_counter() - began, rating

        return elo if way == "elo" else glicko2


def beside_c(c: C, sizes: list[tuple[int, int, int]]) -> Iterator[dict[str, Any]]:
    """Elo and Glicko-2 game by game at (players, games, rounds); fails when ratings differ."""
    for players, count, rounds in sizes:
        games = drawn(players, count)
        for name, ways in (("elo", ["elo"]), ("glicko2", ["halley", "newton", "illinois"])):
            runs = {"prowess": timed(find(name), games, one_by_one())}
            runs |= {way: c.run(way, games) for way in ways}
            ours = runs["prowess"]()[1]
            differ = {way: float(np.abs(runs[way]()[1] - ours).max()) for way in ways}
            for way, most in differ.items():
                if most > (NEAR if way == "illinois" else SAME):
                    raise SystemExit(f"C ({way}) and Prowess differ by {most} points")
            timings = interleaved({key: seconds_of(run) for key, run in runs.items()}, rounds)
            yield {
                "system": name,
                "players": players,
                "games": count,
                "rounds": rounds,
                "differ": differ,
                "ns": {key: _ns(timing, count) for key, timing in timings.items()},
            }


def _ns(timing: Timing, games: int) -> dict[str, float]:
    return {
        "minimum": round(timing.minimum / games * 1e9, 2),
        "median": round(timing.median / games * 1e9, 2),
    }


# --- every system --------------------------------------------------------------------------------


def tables(system: Dynamic, players: int, games: int) -> Iterator[tuple[str, Any, Rounds, int]]:
    """How a system is played: (how, table, rounds, pairs)."""
    if system.rounds != "period":
        yield "game by game", drawn(players, games), one_by_one(), games
    if system.rounds == "period" or system.by_period:
        size = min(players, games // 2)
        yield "in periods", drawn(players, games), in_periods(games, size), games
    if system.name == "weng_lin":
        pairs = FIELD * (FIELD - 1) // 2
        contests = contested(players, max(1, games // pairs))
        rounds = Rounds(None, contests.start, None)
        yield "contests of 10, per pair", contests, rounds, len(contests) * pairs


def every_system(
    names: Iterable[str], games: dict[int, int], rounds: int, plain_games: int
) -> Iterator[dict[str, Any]]:
    """Games a second of these systems, compiled at each size and as plain Python."""
    for system in map(find, names):
        if not isinstance(system, Dynamic):  # whole tables are measured by fits.py and rumble.py
            continue
        rows: dict[str, dict[str, Any]] = {}
        for players, count in games.items():
            for how, table, cut, pairs in tables(system, players, count):
                run = timed(system, table, cut)
                often = max(4, min(rounds, rounds * MILLION // 10 // count))
                found = interleaved({"": seconds_of(run)}, often)[""]
                rows.setdefault(how, {"system": system.name, "how": how})[str(players)] = _ns(
                    found, pairs
                )
        for how, table, cut, pairs in tables(system, 1_000, plain_games):
            run = timed(system, table, cut, compiled=False)
            rows[how]["plain"] = _ns(interleaved({"": seconds_of(run)}, 3)[""], pairs)
        yield from rows.values()


def with_more(games: int, rounds: int) -> Iterator[dict[str, Any]]:
    """What forecasts and dates cost on top of a pass, at 1,000 players."""
    table = drawn(1_000, games)
    clock = np.linspace(0.0, 100.0, games)
    forecasts = np.empty(games)
    for name in ("elo", "glicko2"):
        system = find(name)
        runs = {
            "alone": timed(system, table, one_by_one()),
            "with forecasts": timed(system, table, one_by_one(), forecasts=forecasts),
        }
        if system.drift is not None:
            runs["with dates"] = timed(system, table, Rounds(None, None, clock))
        found = interleaved({key: seconds_of(run) for key, run in runs.items()}, rounds)
        yield {"system": name, "ns": {key: _ns(timing, games) for key, timing in found.items()}}


# --- other programs ------------------------------------------------------------------------------

SAME_FORMULA = {
    "riix elo": "elo",
    "evalica elo": "elo",
    "elote elo": "elo",
    "openskill weng_lin": "weng_lin",
}
PEER_GAMES = {"trueskill": 2_000, "elote glicko2": 5_000, "openskill weng_lin": 10_000}


def beside_peers(python: str, folder: Path, less: int) -> Iterator[dict[str, Any]]:
    """Other programs, each on its own number of games, 1,000 players, and Prowess on the same."""
    for name in PEERS:
        count = max(20, PEER_GAMES.get(name, 100_000) // less)
        games = drawn(1_000, count)
        np.savez(folder / "games.npz", a=games.a, b=games.b, score=games.score, players=1_000)
        child = subprocess.run(
            [python, HERE / "peers" / "peer.py", name, folder, "3" if less == 1 else "2"],
            capture_output=True,
            text=True,
            check=False,
        )
        if child.returncode:
            yield {"peer": name, "failed": child.stderr.strip().splitlines()[-1]}
            continue
        found = json.loads(child.stdout)
        if "seconds" not in found:
            yield {"peer": name, "failed": "not installed"}
            continue
        row = {"peer": name, "version": found["version"], "games": count}
        row["games a second"] = round(count / min(found["seconds"]))
        if name in SAME_FORMULA:
            ours = timed(find(SAME_FORMULA[name]), games, one_by_one(), compiled=True)()[1][:, 0]
            row["differs by"] = float(np.abs(np.load(folder / f"{name}.npy") - ours).max())
        yield row


# --- the report ----------------------------------------------------------------------------------


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--quick", action="store_true", help="a tenth of everything")
    asked.add_argument("--smallest", action="store_true", help="a thousandth: only whether it runs")
    asked.add_argument("--rounds", type=int, default=0, help="how often everything runs")
    asked.add_argument("--peers", default=sys.executable, metavar="PYTHON", help="has the others")
    asked.add_argument("--json", type=Path, metavar="FILE", help="the figures as JSON")
    given = asked.parse_args()
    less = 1_000 if given.smallest else 10 if given.quick else 1
    rounds = given.rounds or {1: 60, 10: 5, 1_000: 1}[less]
    few = max(2, rounds // 12)
    report: dict[str, Any] = {"machine": machine()}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("Machine: " + ", ".join(f"{k} {v}" for k, v in report["machine"].items()) + "\n")
        try:
            c = C(folder)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"Beside C: skipped, no gcc ({error})\n")
        else:
            sizes = [(players, MILLION // 5 // less, rounds) for players in SIZES[:2]]
            sizes += [(SIZES[2], 4 * MILLION // less, few), (SIZES[2], 20 * MILLION // less, few)]
            report["c"] = list(beside_c(c, sizes))
            print(c_table(report["c"]))
        report["more"] = list(with_more(MILLION // 5 // less, rounds))
        print(more_table(report["more"]))
        games = {1_000: MILLION // 5, 20_000: MILLION // 5, 1_000_000: 2 * MILLION}
        games = {players: count // less for players, count in games.items()}
        names = FEW if given.smallest else catalogue()
        report["systems"] = list(every_system(names, games, rounds // 2, 20_000 // less))
        print(systems_table(report["systems"]))
        report["peers"] = list(beside_peers(given.peers, folder, less))
        print(peers_table(report["peers"], report["systems"]))
    if given.json:
        given.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


def _rate(ns: dict[str, float]) -> str:
    return f"{1e3 / ns['minimum']:.2f}"


def c_table(rows: list[dict[str, Any]]) -> str:
    """Nanoseconds a game, minimum (median), and Prowess / C."""
    head = ["system", "players", "games", "Prowess ns", "C", "C ns", "Prowess / C", "differ by"]
    lines = [
        [
            row["system"],
            f"{row['players']:,}",
            f"{row['games'] / MILLION:g} M",
            _both(row["ns"]["prowess"]),
            "the same formula" if way == "elo" else way,
            _both(row["ns"][way]),
            f"{row['ns']['prowess']['minimum'] / row['ns'][way]['minimum']:.2f}",
            f"{most:.0e}",
        ]
        for row in rows
        for way, most in row["differ"].items()
    ]
    return "Beside C, game by game, minimum (median) of the rounds\n\n" + markdown(head, lines)


def _both(ns: dict[str, float]) -> str:
    return f"{ns['minimum']:.1f} ({ns['median']:.1f})"


def more_table(rows: list[dict[str, Any]]) -> str:
    """What is asked of a pass beside the ratings."""
    lines = [
        [row["system"], what, _both(ns), f"{ns['minimum'] / row['ns']['alone']['minimum']:.2f}"]
        for row in rows
        for what, ns in row["ns"].items()
    ]
    return "A pass and what is added to it, 1,000 players\n\n" + markdown(
        ["system", "what", "ns a game", "to alone"], lines
    )


def systems_table(rows: list[dict[str, Any]]) -> str:
    """Million games a second of every system."""
    sizes = [str(players) for players in SIZES]
    head = ["system", "how", *(f"{players:,} players" for players in SIZES), "plain Python"]
    lines = [
        [row["system"], row["how"], *(_rate(row[size]) for size in sizes), _rate(row["plain"])]
        for row in rows
    ]
    return "Million games a second, by the minimum of the rounds\n\n" + markdown(head, lines)


def peers_table(rows: list[dict[str, Any]], systems: list[dict[str, Any]]) -> str:
    """Games a second of other programs, and how many times Prowess is as fast."""
    ours = {row["system"]: row["1000"]["minimum"] for row in reversed(systems)}
    lines = []
    for row in rows:
        if "failed" in row:
            lines.append([row["peer"], "", "", "", "", f"skipped: {row['failed']}"])
            continue
        system = row["peer"].split()[-1]
        own = ours.get(system, ours["weng_lin"])
        lines.append([
            row["peer"],
            row["version"],
            f"{row['games']:,}",
            f"{row['games a second']:,}",
            f"{1e9 / own / row['games a second']:,.0f}",
            f"{row['differs by']:.0e}" if "differs by" in row else "another formula",
        ])  # fmt: skip
    return "Other programs, 1,000 players\n\n" + markdown(
        ["program", "version", "games", "games a second", "Prowess is faster", "ratings differ by"],
        lines,
    )


if __name__ == "__main__":
    main()
