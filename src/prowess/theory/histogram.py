"""The learning rate that a histogram of ratings shows: EQ 54 with a constant death rate.

Formula   L / D = (A + n / 2) / n    n players in a bin, A in all higher bins, a bin as the unit
          se    = sqrt((A / n^2) (1 + A / n))                   n, A independent Poisson counts
          se of log(L / D) = se / (L / D)
          D     = mean gain of tracked players / (days times mean L / D times the bin's width)
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), sections 5.1 and 7.
Units     bins: points, by their lower ends; L / D: bins, so points after multiplication by the
          width. Days: any unit of time.
Differs   Erratum: the report divides points by bins when it estimates the death rate, a slip by
          the width, 100. The standard errors are ours (the delta method); those of the report
          follow no formula it gives. Snapshots of one league at several times are not
          independent: their sum has larger errors than its counts say.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, inf, isfinite

import numpy as np

from prowess.engine.params import BadSetting
from prowess.theory.quadrature import Floats


@dataclass(frozen=True)
class Histogram:
    """Players by rating, the lowest bin first; every array has one value a bin."""

    bins: Floats  # lower ends, equally far from one another
    players: Floats
    beyond: float = 0.0  # players above the last bin

    def __post_init__(self) -> None:
        """Refuse bins of several widths and counts that are none."""
        bins = np.asarray(self.bins, np.float64)
        players = np.asarray(self.players, np.float64)
        object.__setattr__(self, "bins", bins)
        object.__setattr__(self, "players", players)
        if bins.ndim != 1 or bins.shape != players.shape or len(bins) < 2:
            raise BadSetting("a histogram needs two bins or more, and one count for each")
        widths = np.diff(bins)
        if not np.allclose(widths, widths[0], rtol=1e-9) or not widths[0] > 0.0:
            raise BadSetting("the bins of a histogram must rise by one width")
        empty = np.flatnonzero(~((players > 0.0) & np.isfinite(players)))
        if len(empty):
            raise BadSetting(
                f"the bin at {bins[empty[0]]:g} holds {players[empty[0]]:g} players, and L / D "
                "divides by them: take wider bins or a narrower range"
            )

    @property
    def width(self) -> float:
        """Points a bin."""
        return float(self.bins[1] - self.bins[0])

    @property
    def above(self) -> Floats:
        """A: players in all higher bins."""
        total: Floats = np.cumsum(self.players[::-1])[::-1]
        return total - self.players + self.beyond

    @property
    def learning(self) -> Floats:
        """L / D in bins (EQ 54)."""
        return (self.above + 0.5 * self.players) / self.players

    @property
    def deviation(self) -> Floats:
        """The standard error of L / D; 0 where nobody is above, and says nothing there."""
        more = self.above / self.players
        return np.sqrt(more / self.players * (1.0 + more))

    @property
    def log_deviation(self) -> Floats:
        """The standard error of log(L / D)."""
        return self.deviation / self.learning

    @property
    def rows(self) -> Rows:
        """All bins, for sums over them."""
        return Rows(self.bins + 0.5 * self.width, self.players, self.learning)

    def between(self, low: float, high: float) -> Rows:
        """The bins that lie within [low, high), for sums over a part of the table."""
        inside = (self.bins >= low) & (self.bins + self.width <= high + 1e-9 * self.width)
        if not inside.any():
            raise BadSetting(f"no bin lies within {low:g} to {high:g}")
        rows = self.rows
        return Rows(rows.ratings[inside], rows.players[inside], rows.learning[inside])


@dataclass(frozen=True)
class Rows:
    """Some rows of a histogram, one value a row."""

    ratings: Floats  # middles of the bins
    players: Floats
    learning: Floats  # L / D in bins

    @property
    def mean_learning(self) -> float:
        """The mean of L / D over the players, in bins."""
        return weighted_mean(self.learning, self.players)

    @property
    def points_per_e(self) -> float:
        """How many points make learning e times slower: -1 / slope of log(L / D), by players.

        The learning model expects 1 / Q: 400 / ln 10 = 174 points in chess.
        """
        if len(self.ratings) < 2:
            raise BadSetting("a slope needs two bins or more")
        x = self.ratings - weighted_mean(self.ratings, self.players)
        fall = -float((self.players * x * np.log(self.learning)).sum())
        return float((self.players * x * x).sum()) / fall if fall else inf


def histogram(ratings: Floats, width: float, low: float = -inf, high: float = inf) -> Histogram:
    """Count ratings into bins that start at multiples of `width`, those that lie in [low, high).

    Players below count nowhere, those above as higher ones. Raises BadSetting where a bin would
    be empty.
    """
    ratings = np.asarray(ratings, np.float64)
    if not (width > 0.0 and isfinite(width)):
        raise BadSetting(f"a bin of {width:g} points is none: the width must be above 0")
    if not len(ratings) or not np.all(np.isfinite(ratings)):
        raise BadSetting("a histogram needs ratings, all of them finite")
    place = np.floor(ratings / width)
    kept = (place * width >= low) & ((place + 1.0) * width <= high)
    if not kept.any():
        raise BadSetting(f"no rating lies in a bin of {width:g} within {low:g} to {high:g}")
    first, last = place[kept].min(), place[kept].max()
    if last - first > len(ratings):
        raise BadSetting(
            f"bins of {width:g} points leave most bins empty between {width * first:g} and "
            f"{width * last:g}: take wider ones"
        )
    counts = np.bincount((place[kept] - first).astype(np.int64)).astype(np.float64)
    beyond = float((place > last).sum())
    return Histogram(width * np.arange(first, last + 1), counts, beyond)


def death_rate(gain: float, days: float, mean_learning: float, width: float) -> float:
    """D per day: tracked players gained `gain` points each in that time.

    mean_learning: the mean of L / D in bins; width: points a bin.
    """
    for name, value in (("days", days), ("mean_learning", mean_learning), ("width", width)):
        if not value > 0.0:
            raise BadSetting(f"{name} = {value:g} must be above 0")
    return gain / (mean_learning * width) / days


def weighted_mean(values: Floats, weights: Floats) -> float:
    """The mean of values that count by weights."""
    return fsum(values * weights) / fsum(weights)


def mean_of_lower(values: Floats, players: Floats, share: float = 0.5) -> float:
    """The mean over the lower `share` of all players, the bins lowest first.

    Who of a divided bin belongs to them is not known, so the bin counts by the part needed.
    """
    below = np.cumsum(players) - players
    counted = np.clip(share * players.sum() - below, 0.0, players)
    return weighted_mean(values, counted)
