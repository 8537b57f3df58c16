"""How often do the intervals of a comparison hold the truth, and which truth?

Leagues of known strengths are played many times. Of the mean loss of a system, and of the
difference of two, there are three truths:

    other games   the expected loss in other games of the same players at the same times, forecast
                  from the ratings as they stood then: what the intervals are about
    played again  the mean over replays of the league: the same players, other games, and the
                  systems learn anew
    other leagues the mean over leagues of the same kind: other players too

Players meet at random. The expected loss in other games is worked out from the true strengths,
over all pairings, at MOMENTS of the judged games. The share of 95 % intervals that hold each truth
is printed.

    python benchmarks/intervals.py [--leagues 40] [--replays 10] [--seed 1] [--smallest]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from prowess.compile import kernel
from prowess.games.games import Games
from prowess.study.backtest import Backtest, backtest
from prowess.study.compare import consecutive_blocks
from prowess.study.scores import MeanInterval, mean_interval
from prowess.systems.catalogue import find
from prowess.verbs.rating import rate

COMPILED = kernel.available() or None  # as the same games are played thousands of times
SPREAD = 200.0  # points between players, standard deviation
MOMENTS = 80  # at which the expected loss of other games is worked out
SYSTEMS = (("elo", {"k": 16.0}), ("elo", {"k": 40.0}), ("glicko", {}), ("map", {}))


class Kind(NamedTuple):
    """A kind of league."""

    players: int
    games: int


class Play(NamedTuple):
    """The intervals of one play of a league by quantity, and the expected loss in other games."""

    intervals: dict[str, MeanInterval]
    other_games: dict[str, float]


KINDS = (Kind(20, 500), Kind(30, 2_000), Kind(12, 4_000))
SMALLEST = Kind(6, 100)


def win_chance(strength: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The chance of the first."""
    return 1.0 / (1.0 + 10.0 ** ((strength[b] - strength[a]) / 400.0))


def play(kind: Kind, strength: np.ndarray, random: np.random.Generator) -> Play:
    """Play a league once and judge all systems and all differences of two."""
    a = random.integers(0, kind.players, kind.games)
    b = (a + random.integers(1, kind.players, kind.games)) % kind.players
    score = (random.random(kind.games) < win_chance(strength, a, b)).astype(np.float64)
    roster = tuple(f"P{k}" for k in range(kind.players))
    table = Games(roster, a.astype(np.uint32), b.astype(np.uint32), score)
    tests: dict[str, Backtest] = {}
    expected_loss: dict[str, float] = {}
    for name, params in SYSTEMS:
        label = ":".join([name, *(f"{key}={value:g}" for key, value in params.items())])
        tests[label] = backtest(table, find(name), params=params, compiled=COMPILED)
        losses = [
            loss_in_other_games(kind, strength, table.first(moment), name, params)
            for moment in moments(kind)
        ]
        expected_loss[label] = float(np.mean(losses))
    found = {label: test.losses["log_loss"] for label, test in tests.items()}
    truth = dict(expected_loss)
    for one, other in combinations(tests, 2):
        found[f"{other} - {one}"] = found[other] - found[one]
        truth[f"{other} - {one}"] = expected_loss[other] - expected_loss[one]
    blocks = consecutive_blocks(tests[next(iter(tests))])
    weight = np.ones(len(blocks))
    return Play(
        {name: mean_interval(loss, weight, blocks, 0.95) for name, loss in found.items()}, truth
    )


def moments(kind: Kind) -> Iterator[int]:
    """Numbers of games played, spread evenly over those that are judged."""
    judged = np.linspace(0.2 * kind.games, kind.games, MOMENTS + 1)
    yield from ((judged[1:] + judged[:-1]) / 2.0).astype(int).tolist()


def loss_in_other_games(
    kind: Kind, strength: np.ndarray, past: Games, name: str, params: dict[str, float]
) -> float:
    """The expected log loss of the next game, over all pairings, from the ratings so far."""
    ratings = rate(past, name, compiled=COMPILED, **params)
    a, b = np.array(list(combinations(range(kind.players), 2))).T
    played = np.zeros(kind.players, np.bool_)
    played[np.concatenate((past.a, past.b))] = True
    forecast = np.full(len(a), 0.5)  # the base rate stands in for those who have not played
    for at in np.flatnonzero(played[a] & played[b]).tolist():
        expected = ratings.chances(int(a[at]), int(b[at]), 0.0).expected
        forecast[at] = min(max(expected, 1e-15), 1.0 - 1e-15)
    chance = win_chance(strength, a, b)
    loss = -(chance * np.log(forecast) + (1.0 - chance) * np.log1p(-forecast))
    return float(loss.mean())


def coverage(intervals: list[MeanInterval], truths: np.ndarray) -> float:
    """The share of intervals that hold their truth."""
    pairs = zip(intervals, truths, strict=True)
    return float(np.mean([one.low <= truth <= one.high for one, truth in pairs]))


def measure(kind: Kind, leagues: int, replays: int, seed: int) -> dict[str, tuple[float, ...]]:
    """Per quantity the shares of intervals that hold the three truths."""
    random = np.random.default_rng(seed)
    plays = []
    for _ in range(leagues):
        strength = random.normal(0.0, SPREAD, kind.players)
        plays += [play(kind, strength, random) for _ in range(replays)]
    found = {}
    for name in plays[0].intervals:
        intervals = [one.intervals[name] for one in plays]
        means = np.array([one.mean for one in intervals]).reshape(leagues, replays)
        # the mean of the other replays, so that a play is not compared with itself
        again = (means.sum(axis=1, keepdims=True) - means) / max(replays - 1, 1)
        others = (means.sum() - means.sum(axis=1)) / max((leagues - 1) * replays, 1)
        found[name] = (
            coverage(intervals, np.array([one.other_games[name] for one in plays])),
            coverage(intervals, again.ravel()),
            coverage(intervals, np.repeat(others, replays)),
        )
    return found


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=40)
    parser.add_argument("--replays", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--smallest", action="store_true", help="only whether everything runs")
    asked = parser.parse_args()
    if asked.smallest:
        asked.leagues, asked.replays = 1, 2
    count = asked.leagues * asked.replays
    print(f"95 % intervals of {asked.leagues} leagues, {asked.replays} plays each ({count} plays)")
    print(f"standard error of a share: {100.0 * (0.95 * 0.05 / count) ** 0.5:.1f} points")
    for kind in (SMALLEST,) if asked.smallest else KINDS:
        print(f"\n{kind.players} players, {kind.games:,} games")
        print(f"{'':22}  other games  played again  other leagues")
        for name, shares in measure(kind, asked.leagues, asked.replays, asked.seed).items():
            print(f"{name:22}  {shares[0]:11.1%}  {shares[1]:12.1%}  {shares[2]:13.1%}", flush=True)


if __name__ == "__main__":
    main()
