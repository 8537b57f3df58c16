"""Inflation that ends by itself: generations of beginners who are rated too high.

N beginners of strength 1 are rated 1. A generation learns one point, N new beginners come, rated
1 as well, and the 2N play until their ratings say how far apart they are: one point. Then the old
ones leave and it begins again. Games keep the sum of ratings, so each generation halves what the
survivors have:

Formula   young r_g = 2^-g, old r_g + 1, mean 2^-g + 1/2;   r_g = r_(g-1) / 2, r_0 = 1
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), section 8.3; g is counted from 1 for the first 2N players.
Units     ratings and strengths in the report's points: Q is theirs.
Differs   nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from prowess.engine.params import BadSetting
from prowess.theory.leagues import tabulated
from prowess.theory.wp import WinProbability

BEGINNER = 1.0  # the strength of beginners and the rating they are given
LEARNT = 1.0  # points a generation learns before the next one comes


class Generation(NamedTuple):
    """Mean ratings of a league of 2N players once they have played enough."""

    mean: float
    young: float
    old: float


def generation(g: int) -> Generation:
    """What the g-th league comes to, g = 1, 2, ..."""
    if g < 1:
        raise BadSetting(f"generations are counted from 1, not {g}")
    young = 0.5**g
    return Generation(young + 0.5, young, young + LEARNT)


def simulated_generations(
    wp: WinProbability, h: float, generations: int, rounds: int, players: int, seed: int
) -> list[Generation]:
    """The same league played out: `players` beginners a generation, everyone once a round (EQ 66).

    `rounds` should be many times 2 / (h wp'), the games in which an error shrinks e times.
    """
    if generations < 1 or players < 1 or rounds < 1:
        raise BadSetting("a simulation needs a generation, a round and a player at least")
    curve = tabulated(wp)
    rng = np.random.default_rng(seed)
    old = np.full(players, BEGINNER)
    strength = np.repeat([BEGINNER, BEGINNER + LEARNT], players)
    seen = []
    for _ in range(generations):
        rating = np.concatenate([np.full(players, BEGINNER), old])
        for _ in range(rounds):
            a, b = rng.permutation(2 * players).reshape(2, -1)
            won = rng.random(players) < curve(strength[a] - strength[b])
            gain = 0.5 * h * (won - curve(rating[a] - rating[b]))
            rating[a] += gain
            rating[b] -= gain
        young, elder = rating[:players], rating[players:]
        seen.append(Generation(float(rating.mean()), float(young.mean()), float(elder.mean())))
        old = young
    return seen
