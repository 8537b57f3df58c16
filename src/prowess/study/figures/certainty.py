"""How sure a leaderboard is, from whatever the system knows of that.

A fitted system brings its own intervals. For a system with a deviation the interval is rating -+ z
deviations, and ranks are compared as if the deviations of two players were independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.fit import WholeTableRatings
from prowess.engine.uncertainty import Independent, Uncertainty, beyond, normal_quantile
from prowess.study.figures.listing import Listing
from prowess.study.figures.unit import shown_column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

    Floats = NDArray[np.float64]

MOST_RANKED = 1_500  # players whose ranks are compared, all with all


@dataclass(frozen=True, eq=False)
class Ranking:
    """Who is ranked among whom, and how sure their ratings are."""

    players: NDArray[np.int64]  # who is ranked, by number
    rating: Floats  # theirs
    joint: Uncertainty
    asked: NDArray[np.int64]  # the number of each in `joint`
    level: float

    @cached_property
    def ranks(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The best and the worst rank of each, compared all with all."""
        rating = np.zeros(int(self.asked.max(initial=-1)) + 1)
        rating[self.asked] = self.rating
        better = self.joint.stands_above(rating, self.asked, self.level)
        return 1 + better.sum(axis=0), len(self.players) - better.sum(axis=1)

    def ranks_of(self, k: int) -> tuple[int, int]:
        """The same of one player, by number; 0 and 0 of one who is not ranked."""
        found = np.flatnonzero(self.players == k)
        if not len(found):
            return 0, 0
        at = int(found[0])
        if not isinstance(self.joint, Independent) or "ranks" in vars(self):
            return int(self.ranks[0][at]), int(self.ranks[1][at])
        square = self.joint.deviation**2
        apart, spread = self.rating - self.rating[at], np.sqrt(square + square[at])
        above, below = (beyond(one, spread, self.level).sum() for one in (apart, -apart))
        return 1 + int(above), len(self.players) - int(below)


@dataclass(frozen=True, eq=False)
class Certainty:
    """Intervals of rating and of rank, one entry per player; None where nothing is known.

    `level` is their probability, `words` say where they come from.
    """

    level: float
    words: str
    low: Floats | None = None
    high: Floats | None = None
    ranking: Ranking | None = None

    @property
    def known(self) -> bool:
        """Whether there are intervals."""
        return self.low is not None

    def interval(self, k: int) -> tuple[float, float] | tuple[None, None]:
        """The interval of the rating of a player, by number."""
        if self.low is None or self.high is None:
            return None, None
        return float(self.low[k]), float(self.high[k])

    def ranks(self, k: int) -> tuple[int, int] | None:
        """The interval of the rank of a listed player, by number."""
        return None if self.ranking is None else self.ranking.ranks_of(k)


def certainty(ratings: Ratings, level: float = 0.95, listing: Listing | None = None) -> Certainty:
    """What is known of how sure these ratings are; ranks are those among the players listed.

    Intervals of fitted ratings have the probability they were fitted with.
    """
    columns = ratings.columns
    joint: Uncertainty
    chosen = (listing or Listing()).chosen(ratings)
    if isinstance(ratings, WholeTableRatings) and ratings.fit.uncertainty is not None:
        level, joint, asked = ratings.level, ratings.fit.uncertainty, chosen
        words = f"the {level:.0%} interval that {ratings.system.name} gives by itself"
        low, high = columns["low"], columns["high"]
    elif "deviation" in columns:
        z = normal_quantile(level)
        rating, deviation = columns["rating"], columns["deviation"]
        words = f"the {level:.0%} interval, rating \N{PLUS-MINUS SIGN} {z:.2f} deviations"
        low, high = rating - z * deviation, rating + z * deviation
        few = chosen[:MOST_RANKED]
        joint, asked = Independent(deviation[few]), np.arange(len(few))
    else:
        return Certainty(level, f"{ratings.system.name} does not say how sure it is")
    if len(chosen) > MOST_RANKED:
        return Certainty(level, words, low, high)
    rating = shown_column(ratings)[chosen]
    return Certainty(level, words, low, high, Ranking(chosen, rating, joint, asked, level))
