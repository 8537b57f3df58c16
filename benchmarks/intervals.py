"""How often do the intervals of a comparison hold the truth, and which truth?

Two settings of Elo are compared on many simulated leagues. Of the difference of their mean losses
there are two truths: its mean over replays of the same league (the same players, strengths and
schedule, other luck), and its mean over leagues of the same kind (other players and schedules).
The share of 95 % intervals that hold each is printed.

    python benchmarks/intervals.py [--leagues 40] [--replays 50]
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

from prowess.games.games import Games
from prowess.study.backtest import backtest
from prowess.study.compare import LossDifference, compare
from prowess.systems.catalogue import find

PLAYERS, GAMES = 60, 4_000
SPREAD = 200.0  # points between players, standard deviation
SETTINGS = ({"k": 16.0}, {"k": 40.0})
ROSTER = tuple(f"P{k}" for k in range(PLAYERS))


class League(NamedTuple):
    """Who plays whom, and the chance of the first."""

    a: np.ndarray
    b: np.ndarray
    chance: np.ndarray


def new_league(random: np.random.Generator) -> League:
    """Players of random strengths who meet at random."""
    strength = random.normal(0.0, SPREAD, PLAYERS)
    a = random.integers(0, PLAYERS, GAMES)
    b = (a + random.integers(1, PLAYERS, GAMES)) % PLAYERS
    return League(a, b, 1.0 / (1.0 + 10.0 ** ((strength[b] - strength[a]) / 400.0)))


def difference(league: League, random: np.random.Generator) -> LossDifference:
    """How far the second setting is behind the first in one play of a league, with its interval."""
    score = (random.random(GAMES) < league.chance).astype(np.float64)
    ids = (side.astype(np.uint32) for side in (league.a, league.b))
    table = Games(ROSTER, *ids, score)
    tests = [backtest(table, find("elo"), params=params) for params in SETTINGS]
    found = compare(tests)
    last = found.entries[-1]
    gap = last.behind
    if last.test.params["k"] == SETTINGS[1]["k"]:
        return gap
    return LossDifference(-gap.mean, -gap.high, -gap.low)


def held(found: list[LossDifference], truth: float) -> float:
    """The share of intervals that hold a value."""
    return float(np.mean([one.low <= truth <= one.high for one in found]))


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=40)
    parser.add_argument("--replays", type=int, default=50)
    asked = parser.parse_args()
    random = np.random.default_rng(1)
    every = []
    same = []
    for _ in range(asked.leagues):
        league = new_league(random)
        plays = [difference(league, random) for _ in range(asked.replays)]
        same.append(held(plays, float(np.mean([one.mean for one in plays]))))
        every += plays
    truth = float(np.mean([one.mean for one in every]))
    own = np.reshape([one.mean for one in every], (asked.leagues, asked.replays)).mean(axis=1)
    of_interval = np.mean([one.high - one.low for one in every]) / 3.92
    print(
        f"{asked.leagues} leagues of {PLAYERS} players and {GAMES:,} games, "
        f"{asked.replays} plays each"
    )
    print(f"deviation of the difference: {own.std():.5f} between leagues, {of_interval:.5f} stated")
    print(f"95 % intervals that hold the same league replayed    {np.mean(same):6.1%}")
    print(f"95 % intervals that hold other leagues of the kind   {held(every, truth):6.1%}")


if __name__ == "__main__":
    main()
