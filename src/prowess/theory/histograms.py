"""Learning rates estimated from histograms of ratings, with the tables of an Internet chess server.

EQ 54 with a constant death rate:

Formula   L / D = (A + n / 2) / n    n players in a bin, A in all higher bins, a bin as the unit
          se    = sqrt((A / n^2) (1 + A / n))                   n, A independent Poisson counts
          se of log(L / D) = se / (L / D)
          D     = mean gain of tracked players / (days times mean L / D times the bin's width)
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), sections 5.1 and 7.
Units     bins: 100 points in the tables, by their lower ends; L / D: bins, so points after
          multiplication by the width; ratings and gains: points; days: any unit of time.
Differs   Erratum: the report divides points by bins when it estimates the death rate, a slip by
          the width, 100: "D = 4.06, 1/19 per day" is 1/1908. The standard errors are ours (the
          delta method); those of the report follow no formula it gives. Snapshots of one league at
          several times are not independent: their sum has larger errors than its counts say. The
          population is the sum of five snapshots of about 1,406 established players.
          Errata of the tables: the row of 2600 prints 0.83 and -0.231 where its counts give 0.5
          and -0.693 (and log 0.83 is -0.186). The gain at 2000 is legible as 563.9; only 53.9
          gives the means that the report states. "It was 20.1" should be 21.1, the table's own
          mean. The row of 1100 prints +- 2.66 where its own +- 0.0739 of the logarithm gives 2.59.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
from typing import NamedTuple

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.fits.posterior import BIN, BIN_PLAYERS, LOWEST_BIN
from prowess.engine.params import BadSetting


@dataclass(frozen=True)
class Histogram:
    """Players by rating, the lowest bin first; every array has one value a bin."""

    bins: Floats  # lower ends, equally far from one another
    players: Floats
    beyond: float = 0.0  # players above the last bin

    def __post_init__(self) -> None:
        """Check the widths and the counts; raises BadSetting."""
        bins = np.asarray(self.bins, np.float64)
        players = np.asarray(self.players, np.float64)
        object.__setattr__(self, "bins", bins)
        object.__setattr__(self, "players", players)
        if bins.ndim != 1 or bins.shape != players.shape or len(bins) < 2:
            raise BadSetting.of("too_few_bins.histogram")
        widths = np.diff(bins)
        if not np.allclose(widths, widths[0], rtol=1e-9) or not widths[0] > 0.0:
            raise BadSetting.of("bins_uneven")
        empty = np.flatnonzero(~((players > 0.0) & np.isfinite(players)))
        if len(empty):
            raise BadSetting.of("bins_too_empty.ratio", at=bins[empty[0]], count=players[empty[0]])

    @property
    def width(self) -> float:
        """Points a bin."""
        return float(self.bins[1] - self.bins[0])

    @property
    def above(self) -> Floats:
        """A: players in all higher bins."""
        total: Floats = np.cumsum(self.players[::-1], dtype=np.float64)[::-1]
        return total - self.players + self.beyond

    @property
    def learning(self) -> Floats:
        """L / D in bins (EQ 54)."""
        return (self.above + 0.5 * self.players) / self.players

    @property
    def deviation(self) -> Floats:
        """The standard error of L / D; 0, and meaningless, in the highest bin."""
        more = self.above / self.players
        return np.sqrt(more / self.players * (1.0 + more))

    @property
    def log_deviation(self) -> Floats:
        """The standard error of log(L / D)."""
        return self.deviation / self.learning

    @property
    def rows(self) -> HistogramRows:
        """All bins, for sums over them."""
        return HistogramRows(self.bins + 0.5 * self.width, self.players, self.learning)

    def between(self, low: float, high: float) -> HistogramRows:
        """Return the bins within [low, high), for sums over a part of the table."""
        inside = (self.bins >= low) & (self.bins + self.width <= high + 1e-9 * self.width)
        if not inside.any():
            raise BadSetting.of("no_bin_in_range", low=low, high=high)
        rows = self.rows
        return HistogramRows(rows.ratings[inside], rows.players[inside], rows.learning[inside])


@dataclass(frozen=True)
class HistogramRows:
    """Some rows of a histogram, one value a row."""

    ratings: Floats  # middles of the bins
    players: Floats
    learning: Floats  # L / D in bins

    @property
    def mean_learning(self) -> float:
        """The mean of L / D over the players, in bins."""
        return float(np.average(self.learning, weights=self.players))

    @property
    def points_per_e(self) -> float:
        """The points that make learning e times slower: -1 / slope of log(L / D), by players.

        The learning model expects 1 / Q: 400 / ln 10 = 174 points in chess.
        """
        if len(self.ratings) < 2:
            raise BadSetting.of("too_few_bins.slope")
        x = self.ratings - np.average(self.ratings, weights=self.players)
        fall = -float((self.players * x * np.log(self.learning)).sum())
        return float((self.players * x * x).sum()) / fall if fall else inf


def histogram(ratings: Floats, width: float, low: float = -inf, high: float = inf) -> Histogram:
    """Count ratings into bins that start at multiples of `width`, those that lie in [low, high).

    Players below the range are ignored, those above count in A. Raises BadSetting if a bin would
    be empty.
    """
    ratings = np.asarray(ratings, np.float64)
    if not (width > 0.0 and isfinite(width)):
        raise BadSetting.of("not_above_zero.width", width=width)
    if not len(ratings) or not np.all(np.isfinite(ratings)):
        raise BadSetting.of("not_finite.histograms")
    place = np.floor(ratings / width)
    kept = (place * width >= low) & ((place + 1.0) * width <= high)
    if not kept.any():
        raise BadSetting.of("no_rating_in_bin", width=width, low=low, high=high)
    first, last = place[kept].min(), place[kept].max()
    if last - first > len(ratings):
        raise BadSetting.of(
            "bins_too_empty.width", width=width, low=width * first, high=width * last
        )
    counts = np.bincount((place[kept] - first).astype(np.int64)).astype(np.float64)
    beyond = float((place > last).sum())
    return Histogram(width * np.arange(first, last + 1, dtype=np.int64), counts, beyond)


def death_rate(gain: float, days: float, mean_learning: float, width: float) -> float:
    """Return D per day: tracked players gained `gain` points each in `days`.

    mean_learning: the mean of L / D in bins; width: points a bin.
    """
    for name, value in (("days", days), ("mean_learning", mean_learning), ("width", width)):
        if not value > 0.0:
            raise BadSetting.of("not_above_zero.option", name=name, value=value)
    return gain / (mean_learning * width) / days


def mean_of_lower(values: Floats, players: Floats, share: float = 0.5) -> float:
    """Return the mean over the lower `share` of all players, the bins lowest first.

    A bin that the limit divides counts in proportion.
    """
    below = np.cumsum(players, dtype=np.float64) - players
    counted = np.clip(share * players.sum() - below, 0.0, players)
    return float(np.average(values, weights=counted))


class PrintedRow(NamedTuple):
    """A row of the population table as printed, without the count of players."""

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


TRACKED_DAYS = 77.0  # the time of tracking
FITTED = (1200.0, 2500.0)  # where the report finds log(L / D) linear

PRINTED = (
    PrintedRow(900, 438.9, 117, 6.0842, 0.2738),
    PrintedRow(1000, 96.9, 12, 4.5739, 0.1212),
    PrintedRow(1100, 35.1, 2.66, 3.5582, 0.0739),
    PrintedRow(1200, 14.83, 0.75, 2.6969, 0.0507),
    PrintedRow(1300, 9.77, 0.43, 2.2795, 0.0441),
    PrintedRow(1400, 6.25, 0.25, 1.8318, 0.0393),
    PrintedRow(1500, 5.08, 0.20, 1.6253, 0.0399),
    PrintedRow(1600, 4.26, 0.18, 1.4481, 0.0418),
    PrintedRow(1700, 3.20, 0.14, 1.1624, 0.0438),
    PrintedRow(1800, 2.84, 0.14, 1.0447, 0.0501),
    PrintedRow(1900, 2.50, 0.15, 0.9178, 0.0586),
    PrintedRow(2000, 1.80, 0.12, 0.5880, 0.0692),
    PrintedRow(2100, 1.66, 0.15, 0.5048, 0.0919),
    PrintedRow(2200, 1.35, 0.17, 0.2976, 0.1259),
    PrintedRow(2300, 1.32, 0.25, 0.2754, 0.1885),
    PrintedRow(2400, 1.10, 0.31, 0.0910, 0.2929),
    PrintedRow(2500, 2.00, 1.01, 0.6931, 0.5568),
    PrintedRow(2600, 0.83, 0.70, -0.231, 0.8),
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


class TrackedGains(NamedTuple):
    """Mean gains of the tracking table, in points."""

    players: float
    mean: float
    lower: float  # of the lower half of the players
    higher: float


def printed_population() -> Histogram:
    """Return the population table as a histogram; its L / D are computed, not printed."""
    lower_ends = np.arange(len(BIN_PLAYERS), dtype=np.float64) * BIN + LOWEST_BIN - 0.5 * BIN
    return Histogram(lower_ends, np.array(BIN_PLAYERS, np.float64))


def tracked_gains(rows: tuple[Gain, ...] = TRACKING) -> TrackedGains:
    """Return the mean gains of all, of the lower half of the players and of the higher half."""
    _, players, points = np.array(rows, np.float64).T
    return TrackedGains(
        float(players.sum()),
        float(np.average(points, weights=players)),
        mean_of_lower(points, players),
        mean_of_lower(points[::-1], players[::-1]),
    )
