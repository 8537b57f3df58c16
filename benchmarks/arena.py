"""Audits of votes: time of a large fit and of an audit, coverage of intervals, planted voters.

    python benchmarks/arena.py [--smallest] [--peers PYTHON]

Times are processor time of one process; of arena-rank, by a Python that has it (--peers), that of a
fit with covariates and errors of single votes, without compiling. Coverage: 40 voters who share
habits (a voter prefers some models by N(0, 0.5), and votes 60 times); the share of intervals of the
differences of neighbours that hold the truth, with errors by voter and without, and the leagues in
which simultaneous ranks would be wrong. Voters: one of 50 votes at random, 200 votes each; how
often they are named, and how often anybody else is.
"""

from __future__ import annotations

import argparse
import json
from itertools import pairwise
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

from prowess.engine.cluster.machine import one_thread
from prowess.engine.fits.comparisons import Comparisons, fit_comparisons
from prowess.games.games import Games
from prowess.study.arena import AuditRequest, audit_votes, reach_of, tell_apart
from prowess.study.voters import judge_voters


def draw_rows(
    random: Any, true: Any, count: int, voter: Any, taste: Any, effects: Any
) -> Comparisons:
    """Votes between players drawn at random; a voter adds their taste [voters, players]."""
    n = len(true)
    a = random.integers(0, n, count)
    b = (a + random.integers(1, n, count)) % n
    x = random.normal(size=(count, len(effects)))
    z = true[a] - true[b] + x @ effects
    if taste is not None:
        z += taste[voter, a] - taste[voter, b]
    score = (random.random(count) < 1.0 / (1.0 + np.exp(-z))).astype(float)
    return Comparisons(n, a, b, score, x, np.ones(count))


def time_fit(votes: int, models: int, peers: str | None) -> None:
    """A fit with four covariates, and its errors by voter."""
    random = np.random.default_rng(1)
    voter = random.integers(0, max(2, votes // 20), votes)
    true = random.normal(0.0, 0.7, models)
    rows = draw_rows(random, true, votes, voter, None, np.array([0.3, -0.1, 0.05, 0.0]))
    begun = process_time()
    fit = fit_comparisons(rows)
    fitted = process_time()
    fit.covariance([voter])
    done = process_time()
    print(
        f"{votes:,} votes, {models} models, 4 covariates, {votes // 20:,} voters: fit "
        f"{fitted - begun:.2f} s, errors {done - fitted:.2f} s, together {done - begun:.2f} s"
    )
    if peers is not None:
        time_peer(peers, rows, fit.ratings)


def time_peer(python: str, rows: Comparisons, ratings: Any) -> None:
    """The same fit by arena-rank, and how far its ratings differ."""
    name = "arena-rank covariates"
    with TemporaryDirectory() as folder:
        np.savez(
            Path(folder) / "votes.npz",
            a=rows.a, b=rows.b, score=rows.score, x=rows.x, players=rows.players,
        )  # fmt: skip
        script = Path(__file__).parent / "peers" / "fit.py"
        command = [python, str(script), name, folder, "1"]
        told = json.loads(run(command, capture_output=True, check=True, text=True).stdout)
        if "failed" in told:
            print(f"arena-rank: {told['failed']}")
            return
        off = np.abs(np.load(Path(folder) / f"{name}.npy") - ratings).max()
    print(
        f"arena-rank {told['version']}, errors of single votes: {told['of the processor']:.2f} s; "
        f"ratings differ by {off:.0e}"
    )


def time_audit(votes: int, models: int) -> None:
    """An audit with a covariate, voters and categories."""
    random = np.random.default_rng(2)
    voter = random.integers(0, max(5, votes // 50), votes)
    rows = draw_rows(random, random.normal(0.0, 0.7, models), votes, voter, None, np.array([0.3]))
    table = Games(
        [f"model {k}" for k in range(models)],
        rows.a.astype(np.uint32),
        rows.b.astype(np.uint32),
        rows.score,
        facts={
            "length": rows.x[:, 0],
            "voter": voter.astype(float),
            "task": random.integers(0, 5, votes).astype(float),
        },
    )
    begun = process_time()
    audit_votes(table, AuditRequest(("length",), "voter", (), "task"))
    print(f"audit of {votes:,} votes on {models} models: {process_time() - begun:.1f} s")


def measure_coverage(leagues: int) -> None:
    """Intervals of neighbours, 95 %, with voters who share habits."""
    held, wrong = {"by voter": 0, "by vote": 0}, 0
    count, voters, each = 0, 40, 60
    true = np.linspace(0.8, -0.8, 6)
    # the population's own differences: what a fit to endless voters finds
    voter = np.repeat(np.arange(20_000), each)
    random = np.random.default_rng(3)
    taste = random.normal(0.0, 0.5, (20_000, 6))
    rows = draw_rows(random, true, len(voter), voter, taste, np.zeros(1))
    whole = fit_comparisons(rows).ratings
    for seed in range(leagues):
        random = np.random.default_rng([4, seed])
        voter = np.repeat(np.arange(voters), each)
        taste = random.normal(0.0, 0.5, (voters, 6))
        rows = draw_rows(random, true, voters * each, voter, taste, np.zeros(1))
        fit = fit_comparisons(rows)
        found = {
            "by voter": (fit.covariance([voter]), reach_of(0.95, voters - 1.0)),
            "by vote": (fit.covariance(), reach_of(0.95, np.inf)),
        }
        off = fit.ratings - whole  # of players who are alike every pair told apart is an error
        wrong += bool(
            tell_apart(off, found["by voter"][0], voters - 1.0, 0.95, seed).together.any()
        )
        for i, j in pairwise(range(6)):
            count += 1
            off = abs(fit.ratings[i] - fit.ratings[j] - whole[i] + whole[j])
            for name, (c, z) in found.items():
                held[name] += off <= z * np.sqrt(c[i, i] + c[j, j] - 2.0 * c[i, j])
    shares = ", ".join(f"{name} {one / count:.1%}" for name, one in held.items())
    print(f"95 % intervals of neighbours that hold the truth, of {count:,}: {shares}")
    print(f"leagues with a wrong rank, all pairs together, of {leagues}: {wrong / leagues:.1%}")


def plant_voters(leagues: int) -> None:
    """One of 50 voters votes at random."""
    found = alarms = 0
    for seed in range(leagues):
        random = np.random.default_rng([5, seed])
        voter = np.repeat(np.arange(50), 200)
        true = random.normal(0.0, 0.8, 10)
        rows = draw_rows(random, true, len(voter), voter, None, np.zeros(1))
        random_votes = voter == 17
        rows.score[random_votes] = random.integers(0, 2, int(random_votes.sum()))
        named = np.flatnonzero(judge_voters(fit_comparisons(rows), voter, seed=seed).bad(0.95))
        found += 17 in named
        alarms += bool(len(named) - (17 in named))
    print(f"a voter at random among 50: named in {found} of {leagues}, others in {alarms}")


def main() -> None:
    """Print the figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--smallest", action="store_true")
    options.add_argument("--peers", metavar="PYTHON", help="has arena-rank")
    given = options.parse_args()
    small = given.smallest
    fit_comparisons(draw_rows(np.random.default_rng(0), np.zeros(3), 99, None, None, np.ones(1)))
    with one_thread:
        time_fit(20_000 if small else 2_000_000, 130, given.peers)
    time_audit(2_000 if small else 100_000, 10 if small else 100)
    with one_thread:
        measure_coverage(5 if small else 400)
        plant_voters(1 if small else 100)


if __name__ == "__main__":
    main()
