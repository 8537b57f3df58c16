"""How long a whole table takes to fit, beside other programs, all in one run.

    python benchmarks/fits.py [--quick | --smallest] [--huge] [--rounds N] [--peers PYTHON]
        [--json FILE]

Votes are ready in memory as arrays. Our time is everything from there to the ratings: merging,
looking whether ratings exist, Newton; then standard errors; then the bootstrap. Other programs get
merged votes, and only their fit is timed. The largest difference of any rating from ours is stated
in points. `--huge` adds a million players and 100 million games (4 GB). Prints Markdown.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core for everybody, as elsewhere

import numpy as np
from stopwatch import machine, markdown, peak_memory

from prowess.compile import kernel
from prowess.engine.cluster.workers import SERIAL
from prowess.engine.fits.covariance import make_resampler, uncertainty
from prowess.engine.fits.likelihood import HALF, OutcomeModel
from prowess.engine.fits.posterior import FLAT, Prior
from prowess.engine.fits.strengths import Solved, solve
from prowess.engine.win_probability import LOGISTIC, steepness
from prowess.games.games import Games
from prowess.games.tally import tally

HERE = Path(__file__).parent
MILLION = 1_000_000
SIZES = ((130, 2 * MILLION), (2_000, MILLION), (20_000, MILLION), (200_000, 10 * MILLION))
HUGE = (MILLION, 100 * MILLION)
PEERS = ("choix", "evalica", "arena-rank", "scikit-learn")
PATIENCE = 300  # seconds for another program
Q = steepness(LOGISTIC, 400.0)


def drawn(players: int, games: int) -> Games:
    """Random pairings by a logistic law, strengths of one natural unit; one in ten is drawn."""
    random = np.random.default_rng(players)
    strength = random.normal(0.0, 1.0, players)
    a = random.integers(0, players, games, dtype=np.uint32)
    b = (a + random.integers(1, players, games, dtype=np.uint32)) % np.uint32(players)
    score = np.empty(games)
    for at in range(0, games, MILLION):  # so that a hundred million need little beside themselves
        part = slice(at, at + MILLION)
        chance = 1.0 / (1.0 + np.exp(strength[b[part]] - strength[a[part]]))
        score[part] = random.random(len(chance)) < chance
        score[part][random.random(len(chance)) < 0.1] = 0.5
    return Games(range(players), a, b, score)  # type: ignore[arg-type] # names play no part


def solved(table: Games) -> Solved:
    """The likeliest ratings."""
    model = OutcomeModel(LOGISTIC, HALF, Q)
    return solve(table, {}, model, Prior(kind=FLAT), mean=0.0, advantage=False)


def load_compiler() -> None:
    """Have it loaded, as it is in any process that has rated a large table before."""
    if kernel.available():
        importlib.import_module("llvmlite.binding")


def best_of(rounds: int, run: Any) -> tuple[float, float, Any]:
    """The least seconds of some runs, by the clock and of the processor, and the last result."""
    clock, processor = [], []
    for _ in range(rounds):
        began, worked = time.perf_counter(), time.process_time()
        result = run()
        clock.append(time.perf_counter() - began)
        processor.append(time.process_time() - worked)
    return min(clock), min(processor), result


def ours(table: Games, rounds: int) -> tuple[dict[str, Any], Solved]:
    """Seconds of the fit, of the standard errors, of 100 and 1,000 resamplings."""
    row: dict[str, Any] = {"players": len(table.players), "games": len(table)}
    if "llvmlite.binding" not in sys.modules:
        row["fit, plain loops"], _, _ = best_of(rounds, lambda: solved(table))
        load_compiler()
    solved(table)  # loads what was compiled
    row["fit"], row["of the processor"], found = best_of(rounds, lambda: solved(table))
    row["steps"] = found.best.steps
    errors = lambda: uncertainty(found.best, found.place, found.roster)  # noqa: E731
    row["errors"], _, _ = best_of(rounds, errors)
    draw = make_resampler(found.best, found.place, found.roster)
    draw(2, 1, SERIAL)  # loads what was compiled
    for count, most in ((100, 2_000), (1_000, 130)):
        if len(table.players) <= most:
            row[f"bootstrap {count}"], _, _ = best_of(1, lambda count=count: draw(count, 1, SERIAL))
    row["peak, GiB"] = peak_memory() / 1024
    if len(table.players) <= 130:
        sys.path.insert(0, str(HERE.parent))
        from tests.engine.leagues import refit_resamples

        again = refit_resamples(found.best, found.place, found.roster, 100, 1, table.players)
        row["spread, one step / refit"] = float(
            np.median(draw(100, 1, SERIAL).std(axis=0) / again.std(axis=0))
        )
    return row, found


def beside_peers(python: str, table: Games, found: Solved, rounds: int) -> Iterator[dict[str, Any]]:
    """Other programs on the merged votes, and how far their ratings are from ours."""
    rows = tally(table)
    up, down = rows.wins + 0.5 * rows.draws, rows.losses + 0.5 * rows.draws
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "votes.npz", a=rows.a, b=rows.b, up=up, down=down, players=rows.players)
        for peer in PEERS:
            command = [python, HERE / "peers" / "fit.py", peer, folder, str(rounds)]
            try:
                child = subprocess.run(
                    command, capture_output=True, text=True, check=False, timeout=PATIENCE
                )
            except subprocess.TimeoutExpired:
                yield {"peer": peer, "failed": f"not ready after {PATIENCE} s"}
                continue
            said = child.stdout.strip().splitlines()
            if child.returncode or not said:
                yield {"peer": peer, "failed": child.stderr.strip().splitlines()[-1][:80]}
                continue
            row = {"peer": peer, **json.loads(said[-1])}
            if "failed" not in row:
                theirs = np.load(folder / f"{peer}.npy") / Q
                row["differs by"] = float(np.abs(theirs - found.best.unknown[:-2]).max())
            yield row


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--quick", action="store_true", help="a tenth of the games, no large table")
    asked.add_argument("--huge", action="store_true", help="a million players as well")
    asked.add_argument("--rounds", type=int, default=3, help="how often everything runs")
    asked.add_argument("--peers", default=sys.executable, metavar="PYTHON", help="has the others")
    asked.add_argument("--json", type=Path, metavar="FILE", help="the figures as JSON")
    asked.add_argument("--smallest", action="store_true", help="one table: only whether it runs")
    given = asked.parse_args()
    report: dict[str, Any] = {"machine": machine(), "ours": [], "peers": []}
    sizes = [(n, m // 10) for n, m in SIZES[:3]] if given.quick else [*SIZES]
    if given.smallest:
        sizes, given.rounds = [(20, 1_000)], 1
    for players, games in sizes + ([HUGE] if given.huge else []):
        table = drawn(players, games)
        row, found = ours(table, given.rounds if games < 50 * MILLION else 1)
        report["ours"].append(row)
        print(json.dumps(row), file=sys.stderr)
        if games <= 10 * MILLION:
            for peer in beside_peers(
                given.peers, table, found, 1 if games > MILLION * 5 else given.rounds
            ):
                times = {"times as long": peer["seconds"] / row["fit"]} if "seconds" in peer else {}
                report["peers"].append({"players": players, "games": games, **peer, **times})
                print(json.dumps(report["peers"][-1]), file=sys.stderr)
        del table, found
    print("".join(f"{name}: {fact}\n" for name, fact in report["machine"].items()))
    for rows in (report["ours"], report["peers"]):
        head = list(dict.fromkeys(name for row in rows for name in row))
        print(markdown(head, [[shown(row.get(name, "")) for name in head] for row in rows]))
    if given.json:
        given.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


def shown(value: object) -> str:
    """A number as one reads it."""
    if isinstance(value, float):
        return f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    main()
