"""Random leagues played out under EQ 66, to test the formulas of noise and of generations.

In every game the winner gains and the loser loses h wp(-x) / 2, x the winner's lead (EQ 66, 68).
Strengths are known here, so errors can be measured. The same seed gives the same result. Units:
ratings, strengths and h in points.

Generations: inflation that ends by itself. N beginners of strength 1 are rated 1. A generation
learns one point, N new beginners come, rated 1 as well, and the 2N play until their ratings differ
by one point. Then the old ones leave and it begins again. Games keep the sum of ratings, so each
generation halves what the survivors have:

Formula   young r_g = 2^-g, old r_g + 1, mean 2^-g + 1/2;   r_g = r_(g-1) / 2, r_0 = 1
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), section 8.3; g is counted from 1 for the first 2N players. Ratings
          and strengths of generations are in the report's points: Q is theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prowess.compile.numbers import Floats
from prowess.games.runs import repeat_rows
from prowess.theory.noise import check_h
from prowess.theory.population import Curve
from prowess.theory.wp import WinProbability, grid, reach

Ids = NDArray[np.int64]
Truths = NDArray[np.bool_]

FAR_MULTIPLE = 4.0  # times the difference at which 999 of 1000 games are won
WP_NODES = 2**15  # of the table of wp: errors of 1e-6, far below chance
SETTLING = 5.0  # relaxation times before measuring: e^-10 of a variance is still missing
GAMES_DRAWN = 64  # games that are drawn at once


@dataclass(frozen=True)
class ErrorSpread:
    """Measured errors of ratings."""

    mean: float  # rating minus truth
    deviation: float
    standard_error: float  # of `deviation`, from independent runs


def tabulate(wp: WinProbability) -> Curve:
    """Return wp as a function of arrays, by linear interpolation in a table."""
    nodes = np.array(grid(FAR_MULTIPLE * reach(wp), WP_NODES + 1))
    values = np.array([wp(x) for x in nodes.tolist()])
    return lambda x: np.interp(x, nodes, values)


def measure_errors(errors: Floats) -> ErrorSpread:
    """Return mean and deviation of errors; rows of the first axis are independent."""
    runs = errors.reshape(len(errors), -1)
    mean = float(runs.mean())
    squares = ((runs - mean) ** 2).mean(axis=1)
    deviation = sqrt(squares.mean())
    spread = float(squares.std(ddof=1)) / sqrt(len(runs))
    return ErrorSpread(mean, deviation, spread / (2.0 * deviation) if deviation > 0.0 else 0.0)


def simulate_difference(
    wp: WinProbability, h: float, difference: float, seed: int, chains: int = 4000, looks: int = 25
) -> ErrorSpread:
    """Simulate the difference of two players who meet again and again (EQ 82)."""
    pause = ceil(1.0 / (check_h(wp, h) * wp.slope(difference)))
    chance, curve = wp(difference), tabulate(wp)
    rng = np.random.default_rng(seed)
    x = np.full(chains, difference, np.float64)
    seen = np.empty((chains, looks))
    for look in range(looks):
        for _ in range(pause if look else ceil(SETTLING * pause)):
            x += h * ((rng.random(chains) < chance) - curve(x))
        seen[:, look] = x - difference
    return measure_errors(seen)


def simulate_league(
    wp: WinProbability,
    h: float,
    strengths: Floats,
    seed: int,
    leagues: int = 500,
    looks: int = 10,
) -> Floats:
    """Simulate errors of all ratings, [leagues, looks, players]; strengths are constant.

    Two random players meet in every game; looks are a relaxation time apart. Errors are measured
    from their mean, which no game moves.
    """
    truth = np.asarray(strengths, np.float64) - np.mean(strengths)
    players = len(truth)
    apart = float(np.std(truth)) * sqrt(2.0)
    pause = ceil(players / (check_h(wp, h) * wp.slope(apart)))  # 2 / (h w) games of each player
    curve = tabulate(wp)
    rng = np.random.default_rng(seed)
    rating = np.tile(truth, leagues)
    base = np.arange(leagues, dtype=np.int64) * players
    chance = curve(truth[:, None] - truth[None, :])
    seen = np.empty((leagues, looks, players))
    for look in range(looks):
        left = pause if look else ceil(SETTLING * pause)
        while left > 0:
            block = min(GAMES_DRAWN, left)
            first = rng.integers(players, size=(block, leagues))
            other = (first + rng.integers(1, players, size=(block, leagues))) % players
            won = rng.random((block, leagues)) < chance[first, other]
            for a, b, score in zip(base + first, base + other, won, strict=True):
                move_ratings(curve, h, rating, a, b, score)
            left -= block
        seen[:, look] = rating.reshape(leagues, players) - truth
    return seen


def play_round(
    curve: Curve, h: float, rating: Floats, strength: Floats, rng: np.random.Generator
) -> None:
    """Let everyone play one game against a random opponent, in place (EQ 66)."""
    a, b = rng.permutation(len(rating)).reshape(2, -1)
    won = rng.random(len(a)) < curve(strength[a] - strength[b])
    move_ratings(curve, h, rating, a, b, won)


def move_ratings(curve: Curve, h: float, rating: Floats, a: Ids, b: Ids, score: Truths) -> None:
    """Move the ratings of disjoint pairs of players after a game each, in place (EQ 66)."""
    gain = 0.5 * h * (score - curve(rating[a] - rating[b]))
    rating[a] += gain
    rating[b] -= gain


def simulate_lives(
    wp: WinProbability, h: float, spread: float, games: int, seed: int, players: int = 2000
) -> ErrorSpread:
    """Simulate a league where players leave after `games` games, replaced by newcomers.

    Strengths are normal with the deviation `spread`; newcomers start at their mean. Everyone
    plays once a round against a random opponent; ages are spread evenly. The league settles
    for two lives and is measured in every round of two more.
    """
    check_h(wp, h)
    curve = tabulate(wp)
    rng = np.random.default_rng(seed)
    strength = rng.normal(0.0, spread, players)
    rating = np.zeros(players)
    age = np.arange(players, dtype=np.int64) % games
    squares, total = np.zeros(players), 0.0
    rounds = 4 * games
    for played in range(rounds):
        play_round(curve, h, rating, strength, rng)
        age += 1
        if 2 * played >= rounds:
            error = rating - strength
            squares += error * error
            total += float(error.mean())
        leaving = np.flatnonzero(age == games)
        age[leaving], rating[leaving] = 0, 0.0
        strength[leaving] = rng.normal(0.0, spread, len(leaving))
    squares /= rounds // 2
    deviation = sqrt(squares.mean())
    scatter = float(squares.std(ddof=1)) / sqrt(players) / (2.0 * deviation)
    return ErrorSpread(2.0 * total / rounds, deviation, scatter)


BEGINNER = 1.0  # the strength of beginners and the rating they are given
LEARNT = 1.0  # points a generation learns before the next one comes


class Generation(NamedTuple):
    """Mean ratings of a league of 2N players after many games."""

    mean: float
    young: float
    old: float


def generation(g: int) -> Generation:
    """Return the mean ratings that the g-th league converges to, g = 1, 2, ..."""
    young = 0.5**g
    return Generation(young + 0.5, young, young + LEARNT)


def simulate_generations(
    wp: WinProbability, h: float, generations: int, rounds: int, players: int, seed: int
) -> list[Generation]:
    """Simulate that league: `players` beginners a generation, everyone once a round (EQ 66).

    `rounds` should be many times 2 / (h wp'), the games in which an error shrinks e times.
    """
    curve = tabulate(wp)
    rng = np.random.default_rng(seed)
    old = np.full(players, BEGINNER)
    strength = repeat_rows([BEGINNER, BEGINNER + LEARNT], players)
    seen = []
    for _ in range(generations):
        rating = np.concatenate([np.full(players, BEGINNER), old])
        for _ in range(rounds):
            play_round(curve, h, rating, strength, rng)
        young, elder = rating[:players], rating[players:]
        seen.append(Generation(float(rating.mean()), float(young.mean()), float(elder.mean())))
        old = young
    return seen
