"""Audits of votes: time of a large fit and of an audit, coverage of intervals, planted voters.

    python benchmarks/arena.py [--smallest] [--peers PYTHON]

Times are processor time of one process; of arena-rank, by a Python that has it (--peers), that of a
fit with covariates and errors of single votes, without compiling. Coverage: six models, 20 to 400
voters who share habits (a voter prefers some models by N(0, 0.5)) and vote 60 times each, or with
unequal zeal (60 times a log-normal number of deviation 1); the share of intervals of models and of
differences of neighbours that hold the truth, with errors by voter and by vote, and the leagues in
which simultaneous ranks would be wrong. Voters: one of 50 votes at random, 200 votes each; how
often they are named, and how often anybody else is. Sequential tests: of 0 against 40 Elo, half of
the games drawn; how often they err, and how long they last.
"""

from __future__ import annotations

import argparse
import json
from itertools import combinations, product
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

from prowess.engine.cluster.machine import one_thread
from prowess.engine.fits.comparisons import Comparisons, fit_comparisons, measure_gaps
from prowess.games.games import Games
from prowess.study.arena import AuditRequest, audit_votes, reach_of, tell_apart
from prowess.study.sequential import EloModel, Hypotheses, foresee, law_of_games
from prowess.study.voters import judge_voters

TASTE = 0.5  # deviation of what a voter adds to a model
STEP = 50  # observations of sequential tests at a time


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


def find_population(true: Any) -> Any:
    """The ratings that a fit to endless voters with tastes finds."""
    pairs = np.array([*combinations(range(len(true)), 2)])
    taste, part = np.polynomial.hermite_e.hermegauss(60)
    z = (true[pairs[:, 0]] - true[pairs[:, 1]])[:, None] + TASTE * np.sqrt(2.0) * taste
    score = (part / (1.0 + np.exp(-z))).sum(axis=1) / part.sum()
    none = np.zeros((len(pairs), 0))
    return fit_comparisons(
        Comparisons(len(true), *pairs.T, score, none, np.ones(len(pairs)))
    ).ratings


def measure_coverage(leagues: int, voters: int, unequal: bool) -> None:
    """Intervals of 95 % and simultaneous ranks, with voters who share habits."""
    true, wrong = np.linspace(0.8, -0.8, 6), {"max-t": 0, "Holm": 0}
    held: dict[str, list[Any]] = {"players": [], "neighbours": [], "neighbours by vote": []}
    whole, upper = find_population(true), np.arange(5)
    for seed in range(leagues):
        random = np.random.default_rng([4, voters, unequal, seed])
        each = np.full(voters, 60)
        if unequal:
            each = np.maximum(3, (60 * np.exp(random.normal(-0.5, 1.0, voters))).astype(int))
        voter = np.repeat(np.arange(voters), each)
        taste = random.normal(0.0, TASTE, (voters, 6))
        rows = draw_rows(random, true, len(voter), voter, taste, np.zeros(0))
        fit = fit_comparisons(rows)
        sure, off = fit.certainty([voter]), fit.ratings - whole
        above = tell_apart(off, sure.covariance, sure.of_gaps, 0.95, seed, sure.of_tails)
        wrong["max-t"] += bool(above.together.any())  # of equal players each is an error
        wrong["Holm"] += bool(above.holm.any())
        apart = np.abs(np.diff(off))
        own = np.sqrt(np.diagonal(sure.covariance))
        held["players"].append(np.abs(off) <= reach_of(0.95, sure.of_unknowns) * own)
        for name, covariance, freedom in (
            ("neighbours", sure.covariance, sure.of_gaps[upper, upper + 1]),
            ("neighbours by vote", fit.covariance(), np.inf),
        ):
            deviation = measure_gaps(covariance)[upper, upper + 1]
            held[name].append(apart <= reach_of(0.95, freedom) * deviation)
    shares = ", ".join(f"{name} {np.mean(one):.1%}" for name, one in held.items())
    errors = ", ".join(f"{name} {one / leagues:.1%}" for name, one in wrong.items())
    size = "unequal" if unequal else "equal"
    print(
        f"{voters} voters, {size}, {leagues:,} leagues: intervals that hold the truth: {shares}; "
        f"leagues with a wrong rank: {errors}",
        flush=True,
    )


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


def simulate_tests(tests: int, elo: float) -> None:
    """Sequential tests of 0 against a difference, under either: how often they err, how long."""
    kinds: list[tuple[EloModel, bool]] = [
        ("logistic", True), ("logistic", False), ("normalised", True), ("normalised", False),
        ("bayeselo", False),
    ]  # fmt: skip
    for (model, paired), (alpha, beta) in product(kinds, ((0.05, 0.05), (0.01, 0.05))):
        test, said = Hypotheses(0.0, elo, alpha, beta, model), []
        for truth, bound in ((0.0, alpha), (elo, beta)):
            law = law_of_games(truth, 0.5, paired=paired, model=model)
            random = np.random.default_rng([6, paired, int(1000 * bound), int(truth)])
            wrong, length = 0, 0
            counts = np.zeros((tests, len(law)))
            while len(counts):
                drawn = np.eye(len(law))[random.choice(len(law), (len(counts), STEP), p=law)]
                paths = counts[:, None] + drawn.cumsum(axis=1)
                llr = test.measure(paths.reshape(-1, len(law))).reshape(len(counts), STEP)
                over = (llr <= test.bounds[0]) | (llr >= test.bounds[1])
                ended, first = over.any(axis=1), over.argmax(axis=1)
                accepted = np.take_along_axis(llr, first[:, None], axis=1)[ended, 0] > 0.0
                wrong += int((accepted != (truth > 0.0)).sum())
                length += int((first[ended] + 1).sum()) + STEP * int((~ended).sum())
                counts = paths[~ended, -1]
            games = length / tests * (2 if paired else 1)
            foreseen = foresee(test, law).games
            said.append(
                f"at {truth:g} wrong {wrong / tests:.2%} of {bound:.0%}, {games:.0f} games "
                f"({foreseen:.0f} foreseen)"
            )
        unit = "pairs" if paired else "games"
        print(f"SPRT {model} by {unit}, {tests:,} tests: {'; '.join(said)}", flush=True)


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
        for voters, unequal in product((20,) if small else (20, 40, 100, 400), (False, True)):
            measure_coverage(5 if small else 1_000, voters, unequal)
        plant_voters(1 if small else 100)
        simulate_tests(5 if small else 4_000, 200.0 if small else 40.0)


if __name__ == "__main__":
    main()
