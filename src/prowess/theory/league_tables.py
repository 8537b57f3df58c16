"""Tables of the Internet chess server, 1994: how its players were spread and how they learnt.

Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), section 7.
Units     ratings and gains: points; bins: 100 points, by their lower ends; L / D: bins.
Differs   Errata. The row of 2600 prints 0.83 and -0.231 where its counts give 0.5 and -0.693
          (and log 0.83 is -0.186). The gain at 2000 is legible as 563.9; only 53.9 gives the
          means that the report states. "It was 20.1" should be 21.1, the table's own mean.
          "D = 4.06, 1/19 per day" forgets that L / D counts bins of 100 points: 1/1908.
          The row of 1100 prints +- 2.66 where its own +- 0.0739 of the logarithm says 2.59.
          The population is the sum of five snapshots of about 1,406 established players.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from prowess.engine.fits.posterior import BIN, BIN_PLAYERS, LOWEST_BIN
from prowess.theory.histogram import Histogram, mean_of_lower, weighted_mean


class Printed(NamedTuple):
    """A row of the population table as it is printed, but for the count of players."""

    rating: float
    learning: float  # L / D
    deviation: float
    log_learning: float
    log_deviation: float


class Gain(NamedTuple):
    """A row of the tracking table: 136 active players, followed for 77 days."""

    rating: float
    players: float
    points: float  # the mean gain


DAYS = 77.0  # the time of tracking
SNAPSHOTS = 5.0
FITTED = (1200.0, 2500.0)  # where the report finds log(L / D) linear

PRINTED = (
    Printed(900, 438.9, 117, 6.0842, 0.2738),
    Printed(1000, 96.9, 12, 4.5739, 0.1212),
    Printed(1100, 35.1, 2.66, 3.5582, 0.0739),
    Printed(1200, 14.83, 0.75, 2.6969, 0.0507),
    Printed(1300, 9.77, 0.43, 2.2795, 0.0441),
    Printed(1400, 6.25, 0.25, 1.8318, 0.0393),
    Printed(1500, 5.08, 0.20, 1.6253, 0.0399),
    Printed(1600, 4.26, 0.18, 1.4481, 0.0418),
    Printed(1700, 3.20, 0.14, 1.1624, 0.0438),
    Printed(1800, 2.84, 0.14, 1.0447, 0.0501),
    Printed(1900, 2.50, 0.15, 0.9178, 0.0586),
    Printed(2000, 1.80, 0.12, 0.5880, 0.0692),
    Printed(2100, 1.66, 0.15, 0.5048, 0.0919),
    Printed(2200, 1.35, 0.17, 0.2976, 0.1259),
    Printed(2300, 1.32, 0.25, 0.2754, 0.1885),
    Printed(2400, 1.10, 0.31, 0.0910, 0.2929),
    Printed(2500, 2.00, 1.01, 0.6931, 0.5568),
    Printed(2600, 0.83, 0.70, -0.231, 0.8),
)

TRACKING = (
    Gain(1200, 5, 115.2),
    Gain(1300, 7, 40.3),
    Gain(1400, 18, 49.3),
    Gain(1500, 21, 20.4),
    Gain(1600, 12, -3.9),
    Gain(1700, 15, -18.6),
    Gain(1800, 13, 38.2),
    Gain(1900, 22, 21.3),
    Gain(2000, 9, 53.9),  # legible as 563.9
    Gain(2100, 5, -9.0),
    Gain(2200, 5, -57.2),
    Gain(2300, 2, -52.0),
    Gain(2400, 2, 2.5),
)


class Tracked(NamedTuple):
    """What the tracking table comes to, in points."""

    players: float
    mean: float
    lower: float  # of the lower half of the players
    higher: float


def population() -> Histogram:
    """The population table as a histogram; its L / D are computed, not those of the print."""
    lower_ends = np.arange(len(BIN_PLAYERS), dtype=np.float64) * BIN + LOWEST_BIN - 0.5 * BIN
    return Histogram(lower_ends, np.array(BIN_PLAYERS, np.float64))


def tracked(rows: tuple[Gain, ...] = TRACKING) -> Tracked:
    """The mean gain of all, of the lower half of the players and of the higher half."""
    _, players, points = np.array(rows, np.float64).T
    return Tracked(
        float(players.sum()),
        weighted_mean(points, players),
        mean_of_lower(points, players),
        mean_of_lower(points[::-1], players[::-1]),
    )
