"""What is believed of a player before he has played: priors of a rating.

Formula   normal          p = exp(-(x - mean)^2 / (2 sd^2)) / (sd sqrt(2 pi))
          extreme_value   p = q c8 exp(c8 + y - c8 e^y),  y = q (x - birth) >= 0     (EQ 60)
          histogram       p proportional to the players of a bin, x one of the bins' mid-points
          flat            p = 1
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5, 28 July 1994, sections 4 and 5, footnote 10; the histogram is the
          population table of section 7.
Units     x, mean, sd, birth: points; q: 1 / points; c8: none.
"""

from __future__ import annotations

from math import exp, inf, log, nan, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PRIORS = ("normal", "extreme_value", "histogram", "flat")
NORMAL, EXTREME_VALUE, HISTOGRAM, FLAT = range(len(PRIORS))

BIN = 100.0  # points between the mid-points of the histogram
LOWEST_BIN = 950.0  # points: the mid-point of 900 to 999
BIN_PLAYERS = (16, 72, 195, 440, 614, 844, 869, 837, 850, 686, 535, 466, 281, 176, 82, 42, 10, 15)
HIGHEST = 700.0  # natural units above birth; e^y is finite below, and p is 0 long before


class Prior(NamedTuple):
    """A prior of one kind; the fields of other kinds are not looked at."""

    kind: int = NORMAL
    mean: float = 0.0
    sd: float = 1.0
    birth: float = 0.0
    c8: float = 0.5
    q: float = 1.0


def prior_terms(prior: Prior, x: float) -> tuple[float, float, float]:
    """log p(x) and its first and second derivatives, per point.

    -inf below the birth rating; nan for a histogram, which has no density.
    """
    if prior.kind == FLAT:
        return 0.0, 0.0, 0.0
    if prior.kind == NORMAL:
        z = (x - prior.mean) / prior.sd
        density = -0.5 * z * z - log(prior.sd) - 0.5 * log(2.0 * pi)
        return density, -z / prior.sd, -1.0 / (prior.sd * prior.sd)
    if prior.kind == EXTREME_VALUE:
        y = min(prior.q * (x - prior.birth), HIGHEST)
        if y < 0.0:
            return -inf, nan, nan
        growth = prior.c8 * exp(y)
        density = log(prior.c8 * prior.q) + prior.c8 + y - growth
        return density, prior.q * (1.0 - growth), -prior.q * prior.q * growth
    return nan, nan, nan


def lowest(prior: Prior) -> float:
    """The lowest rating there can be, in points; -inf where there is none."""
    return prior.birth if prior.kind == EXTREME_VALUE else -inf


def report_bins() -> tuple[Floats, Floats]:
    """Mid-points of the report's histogram in points, and the share of the players in each."""
    players = np.array(BIN_PLAYERS, dtype=np.float64)
    mids = np.arange(len(players), dtype=np.float64) * BIN + LOWEST_BIN
    return mids, players / players.sum()


def bins_of(rating: Floats) -> tuple[Floats, Floats]:
    """The same of a league's own ratings, [n] in points: bins of 100 points, empty ones too."""
    number = np.floor(rating / BIN).astype(np.int64)
    players = np.bincount(number - number.min())
    mids = (np.arange(len(players), dtype=np.float64) + number.min() + 0.5) * BIN
    return mids, players / players.sum()
