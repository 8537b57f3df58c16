"""How a game between two known strengths ends.

    x           s_a - s_b + advantage (a has the side) + cyclic sin(style_a - style_b)
    p           wp(x), q = 1 - p, any curve of `engine.win_probability`

    model       draw                                win
    even        2 d min(p, q)                       p - draw / 2: the expected score stays wp(x)
    davidson    nu r / (1 + nu r), r = sqrt(p q)    p / (1 + nu r), nu = 2 d / (1 - d)
    threshold   1 - win - loss                      wp(x - t), loss wp(-x - t), wp(-t) = (1 - d) / 2

d is the share of draws among equals in every model.

Sources   R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired
          comparison experiments", J. Am. Stat. Assoc. 65 (1970); P. V. Rao and L. L. Kupper,
          "Ties in paired-comparison experiments", J. Am. Stat. Assoc. 62 (1967) for the threshold.
          `even` and the styles on a circle are ours.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from prowess.engine.system import Chances
from prowess.engine.win_probability import rating_difference, steepness, win_probability
from prowess.study.simulated.settings import DAVIDSON, EVEN, Settings

SMALLEST = 2.0**-53  # of a chance drawn: no margin is infinite


class Law(NamedTuple):
    """The constants of the outcome."""

    curve: int
    q: float  # per point
    draw_model: int
    draws: float  # d
    nu: float  # of Davidson
    threshold: float  # points


def law_of(p: Settings) -> Law:
    """The constants that the settings of a league ask for."""
    q = steepness(p.curve, p.scale)
    return Law(
        p.curve,
        q,
        p.draw_model,
        p.draws,
        2.0 * p.draws / (1.0 - p.draws),
        rating_difference(p.curve, 0.5 * (1.0 + p.draws), q),
    )


def chances(law: Law, x: float) -> Chances:
    """How a game ends between players whose true difference is x points."""
    p = win_probability(law.curve, x, law.q)
    loss = win_probability(law.curve, -x, law.q)  # exact where 1 - p is not
    if law.draw_model == EVEN:
        draw = 2.0 * law.draws * min(p, loss)
        return Chances(p - 0.5 * draw, draw)
    if law.draw_model == DAVIDSON:
        tie = law.nu * sqrt(p * loss)
        return Chances(p / (1.0 + tie), tie / (1.0 + tie))
    win = win_probability(law.curve, x - law.threshold, law.q)
    return Chances(win, 1.0 - win - win_probability(law.curve, -x - law.threshold, law.q))


def scored(of: Chances, u: float) -> float:
    """The score of the first side, for a uniform u in [0, 1)."""
    if u < of.win:
        return 1.0
    return 0.5 if u < of.win + of.draw else 0.0  # type: ignore[operator]


def margin(law: Law, x: float, u: float, score: float) -> float:
    """By how many points the first side's performance was the better one; 0 for a draw.

    The same u that gave the score: a game is won when the difference of performances,
    x minus a variable with the distribution wp, is above 0.
    """
    if 0.0 < score < 1.0:
        return 0.0
    return x - rating_difference(law.curve, max(u, SMALLEST), law.q)
