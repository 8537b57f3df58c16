"""How much a stack of systems gains on real tables, beside its members and other ways to mix.

    python benchmarks/stack.py [FILE ...] [--systems LIST] [--smallest]

Without files: the tables of games of two sides in `examples`. The first table has the log loss of
the best member (chosen afterwards), of that member stacked alone, and of the stack of all, with the
gain over the other two and its 95 % interval; the second the same for win, draw and loss, where the
best may be the base rate. The third has the log loss of other ways to mix the same forecasts
online: the plain average of log odds, the mean of chances weighted by the likelihood of each member
(Vovk 1990), and logistic regression on the log odds by AdaGrad (Duchi, Hazan and Singer 2011) and
by online Newton steps (Hazan, Agarwal and Kale 2007), begun at the average.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import prowess
from prowess.cli.verbs.judge import STACK_MEMBERS
from prowess.engine.losses import log_loss
from prowess.study.backtest import Backtest
from prowess.study.compare import compare
from prowess.study.judging import run_trials
from prowess.study.log_odds import log_odds
from prowess.study.stack import stack
from prowess.verbs.tables import parse_selections

EXAMPLES = Path(__file__).parent.parent / "examples"
TABLES = ("international_football_results", "league_football", "llmfao_votes", "axelrod_bot_rumble")
WARM_UP = 0.2


def mix_evenly(odds: np.ndarray, chance: np.ndarray, score: np.ndarray) -> np.ndarray:
    """The plain average of log odds."""
    return 1.0 / (1.0 + np.exp(-odds.mean(axis=1)))


def mix_by_likelihood(odds: np.ndarray, chance: np.ndarray, score: np.ndarray) -> np.ndarray:
    """The mean of chances, each weighted by the likelihood that its member has gathered."""
    loss = log_loss(score[:, None], chance)
    before = np.vstack([np.zeros(loss.shape[1]), np.cumsum(loss, axis=0)[:-1]])
    weight = np.exp(before.min(axis=1, keepdims=True) - before)
    return (weight * chance).sum(axis=1) / weight.sum(axis=1)


def learn(step: Callable[[np.ndarray], np.ndarray]) -> Callable[..., np.ndarray]:
    """A logistic regression on log odds whose weights move by `step` of a game's gradient."""

    def mix(odds: np.ndarray, chance: np.ndarray, score: np.ndarray) -> np.ndarray:
        weight = np.full(odds.shape[1], 1.0 / odds.shape[1])
        found = np.empty(len(odds))
        for row, x in enumerate(odds):
            found[row] = 1.0 / (1.0 + np.exp(-(weight @ x)))
            weight = weight - step((found[row] - score[row]) * x)
        return found

    return mix


def adagrad(rate: float) -> Callable[[np.ndarray], np.ndarray]:
    """Steps of g / sqrt(sum of g^2), feature by feature."""
    total: float | np.ndarray = 1e-8

    def step(gradient: np.ndarray) -> np.ndarray:
        nonlocal total
        total = total + gradient * gradient
        return rate * gradient / np.sqrt(total)

    return step


def online_newton(rate: float) -> Callable[[np.ndarray], np.ndarray]:
    """Steps of (I m + sum of g g')^-1 g, m the number of members."""
    inverse: np.ndarray | None = None

    def step(gradient: np.ndarray) -> np.ndarray:
        nonlocal inverse
        if inverse is None:
            inverse = np.eye(len(gradient)) / len(gradient)
        along = inverse @ gradient
        inverse = inverse - np.outer(along, along) / (1.0 + gradient @ along)
        return inverse @ gradient / rate

    return step


METHODS: dict[str, Callable[[], Callable[..., np.ndarray]]] = {
    "average": lambda: mix_evenly,
    "by likelihood": lambda: mix_by_likelihood,
    "AdaGrad .01": lambda: learn(adagrad(0.01)),
    "AdaGrad .03": lambda: learn(adagrad(0.03)),
    "Newton .25": lambda: learn(online_newton(0.25)),
    "Newton .5": lambda: learn(online_newton(0.5)),
}


def find_best(tests: list[Backtest], score: str) -> Backtest:
    """The backtest with the lowest score, of those that have it."""
    return min((test for test in tests if score in test.scores), key=lambda one: one.scores[score])


def format_gain(stacked: Backtest, other: Backtest, score: str) -> str:
    """How much lower the score of the stack is, with its interval."""
    found = compare([other, stacked], metric=score)
    behind = found.entries[-1].behind
    ends = (behind.mean, behind.low, behind.high)
    if found.entries[-1].test.name == stacked.name:
        ends = (-behind.mean, -behind.high, -behind.low)
    return "{:.4f} ({:.4f} to {:.4f})".format(*ends)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--systems", default=STACK_MEMBERS)
    parser.add_argument("--smallest", action="store_true")
    given = parser.parse_args()
    names = TABLES[-1:] if given.smallest else TABLES
    files = given.files or [EXAMPLES / f"{name}.csv.gz" for name in names]
    warnings.simplefilter("ignore", prowess.DataWarning)
    gains: dict[str, list[str]] = {"log_loss": [], "log_loss_3": []}
    mixtures = []
    for file in files:
        table = prowess.read_games(file)
        systems = given.systems if table.time is not None else given.systems.replace("@1mo", "")
        base, *members = run_trials(table, parse_selections(systems), WARM_UP).tests
        stacked = stack(members).test
        alone = replace(stack([find_best(members, "log_loss")]).test, name="alone")
        name = file.name.partition(".")[0]
        for score, rows in gains.items():
            best = find_best([*members, base], score)
            tests = [test.only(stacked.judged) for test in (best, alone, stacked)]
            losses = " | ".join(f"{test.scores[score]:.4f}" for test in tests)
            differences = (format_gain(stacked, test, score) for test in tests[:2])
            rows.append(
                f"| {name} | {stacked.count:,} | {best.name} {losses} | {' | '.join(differences)} |"
            )
        chance = np.column_stack([one.expected for one in members])
        losses_of_methods = [
            log_loss(table.score, method()(log_odds(chance), chance, table.score))[stacked.judged]
            for method in METHODS.values()
        ]
        means = [*(float(loss.mean()) for loss in losses_of_methods), stacked.scores["log_loss"]]
        mixtures.append(f"| {name} | {' | '.join(f'{mean:.4f}' for mean in means)} |")
    for score, rows in gains.items():
        print(f"{score}\n\n| table | games | best | stacked alone | stack | gain | over it alone |")
        print("|---|---:|---|---:|---:|---|---|", *rows, sep="\n")
        print()
    print(f"log_loss\n\n| table | {' | '.join(METHODS)} | stack |")
    print(f"|---|{'---:|' * (len(METHODS) + 1)}", *mixtures, sep="\n")


if __name__ == "__main__":
    main()
