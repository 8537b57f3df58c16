"""How sure a leaderboard is, from whatever the system knows of that.

A fitted system brings its own intervals. For a system with a deviation the interval is rating -+ z
deviations, and ranks are compared as if the deviations of two players were independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.fitted import Fitted
from prowess.engine.uncertainty import Independent, Uncertainty, normal_quantile
from prowess.study.figures.listing import Listing
from prowess.study.figures.unit import shown_column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

    Floats = NDArray[np.float64]

MOST_RANKED = 1_500  # players whose ranks are compared, all with all


@dataclass(frozen=True, eq=False)
class Certainty:
    """Intervals of rating and of rank, one entry per player; None where nothing is known.

    `level` is their probability, `words` say where they come from.
    """

    level: float
    words: str
    low: Floats | None = None
    high: Floats | None = None
    rank_low: NDArray[np.int64] | None = None
    rank_high: NDArray[np.int64] | None = None

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
        if self.rank_low is None or self.rank_high is None:
            return None
        return int(self.rank_low[k]), int(self.rank_high[k])


def certainty(ratings: Ratings, level: float = 0.95, listing: Listing | None = None) -> Certainty:
    """What is known of how sure these ratings are; ranks are those among the players listed.

    Intervals of fitted ratings have the probability they were fitted with.
    """
    columns = ratings.columns
    joint: Uncertainty
    chosen = (listing or Listing()).chosen(ratings)
    if isinstance(ratings, Fitted) and ratings.fit.uncertainty is not None:
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
    rating = shown_column(ratings)
    own = rating if asked is chosen else rating[chosen]
    better = joint.stands_above(own, asked, level)
    best, worst = (np.zeros(len(rating), dtype=np.int64) for _ in range(2))
    best[chosen] = 1 + better.sum(axis=0)
    worst[chosen] = len(chosen) - better.sum(axis=1)
    return Certainty(level, words, low, high, best, worst)
