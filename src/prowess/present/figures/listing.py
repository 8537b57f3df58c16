"""Who is listed: a leaderboard is about those who have played enough, and lately.

A name on top that played three games, or none for forty years, tells nobody who is best now.
Whoever is left out is counted and the rule is said in words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.periods import date_text
from prowess.engine.ratings import Ratings
from prowess.present.figures.scales import YEAR

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.leaderboard import Leaderboard

PART = 0.1  # of the mean number of games: fewer are not enough
IDLE = 2.0 * YEAR  # days without a game after which nobody is listed


@dataclass(frozen=True)
class Listing:
    """A rule: at least `min_games` games, the last of them on day `since` (1970 = 0) or later."""

    min_games: int = 0
    since: float | None = None

    def chosen(self, ratings: Ratings) -> NDArray[np.int64]:
        """The numbers of those who are listed, ascending."""
        wanted = ratings.played(self.min_games)
        if self.since is not None and ratings.last is not None:
            wanted &= ratings.last >= self.since
        return np.flatnonzero(wanted)

    def board(self, ratings: Ratings, top: int | None = None) -> Leaderboard:
        """The leaderboard of those who are listed."""
        return ratings.leaderboard(top, min_games=self.min_games, since=self.since)

    def words(self, ratings: Ratings) -> str:
        """The rule and how many it leaves."""
        played, left = int(ratings.played().sum()), len(self.chosen(ratings))
        if left == played:
            return f"All {played:,} players are listed."
        rules = []
        if self.min_games > 1:
            rules.append(f"at least {self.min_games:,} games")
        if self.since is not None:
            rules.append(f"a game since {date_text(self.since)[:10]}")
        return f"Listed are the {left:,} of {played:,} players with {' and '.join(rules)}."


def usual_listing(
    ratings: Ratings, min_games: int | None = None, since: float | None = None
) -> Listing:
    """What is not said: a tenth of the mean number of games, and a game in the last two years."""
    played = ratings.game_counts[ratings.played()]
    if min_games is None:
        min_games = int(PART * played.mean()) if len(played) else 0
    if since is None and ratings.last is not None and len(played):
        since = float(np.floor(np.nanmax(ratings.last) - IDLE))
    return Listing(min_games, since)
