"""Rules of listing, and intervals of ratings and ranks among the players listed.

A leaderboard lists players with enough recent games; the rule is printed with it. A fitted system
brings its own intervals. For a system with a deviation the interval is rating -+ z deviations, and
ranks are compared as if the deviations of two players were independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.fit import WholeTableRatings
from prowess.engine.params import parameters
from prowess.engine.system import Range
from prowess.engine.whole_table import Independent, Uncertainty, beyond, two_sided_quantile
from prowess.games.reading import format_count, join_names, to_plural
from prowess.present.layers import YEAR_DAYS
from prowess.present.rendering import ago
from prowess.present.svg import isolate_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.leaderboard import Leaderboard
    from prowess.engine.ratings import Ratings


MIN_LISTED_PLAYERS = 3  # a shorter leaderboard says little
MOST_RANKED = 1_500  # players whose ranks are compared, all with all
UNIT_SETTINGS = ("start", "mean", "scale")  # settings in the unit of the rating
GAMES_SHARE = 0.1  # of the mean number of games: fewer are not enough
IDLE_DAYS = 2.0 * YEAR_DAYS  # without a game after which a player is not listed


class Words(NamedTuple):
    """What readers call those who are rated, and what they play, each in the singular."""

    player: str = "player"
    game: str = "game"


@dataclass(frozen=True)
class Listing:
    """A rule: at least `min_games` games, the last of them on day `since` (1970 = 0) or later."""

    min_games: int = 0
    since: float | None = None

    def players(self, ratings: Ratings) -> NDArray[np.int64]:
        """The numbers of the listed players, ascending."""
        wanted = ratings.has_played(self.min_games)
        if self.since is not None and ratings.last is not None:
            wanted &= ratings.last >= self.since
        return np.flatnonzero(wanted)

    def board(self, ratings: Ratings, top: int | None = None) -> Leaderboard:
        """The leaderboard of the listed players."""
        return ratings.leaderboard(top, min_games=self.min_games, since=self.since)

    def describe(
        self, ratings: Ratings, rows: int | None = None, words: Words | None = None
    ) -> str:
        """Describe the rule and the number of players it lists, of whom `rows` are shown."""
        words = words or Words(game=ratings.table.unit)
        players = to_plural(words.player)
        played, left = int(ratings.has_played().sum()), len(self.players(ratings))
        first = "" if rows is None or rows >= left else f" Shown are the first {rows:,}."
        if left == played:
            return (
                f"The only {words.player} is listed."
                if left == 1
                else f"All {played:,} {players} are listed.{first}"
            )
        rules = []
        if self.min_games > 1:
            rules.append(f"at least {format_count(self.min_games, words.game)}")
        if self.since is not None:
            rules.append(f"a {words.game} since {ago(self.since)}")
        of = f"{left:,} of {played:,} {players}"
        return f"Listed are the {of} with {' and '.join(rules)}.{first}"


def usual_listing(
    ratings: Ratings, min_games: int | None = None, since: float | None = None
) -> Listing:
    """The usual rule: a tenth of the mean number of games, and a game in the last two years."""
    played = ratings.game_counts[ratings.has_played()]
    if min_games is None:
        min_games = int(GAMES_SHARE * played.mean()) if len(played) else 0
    if since is None and ratings.last is not None and len(played):
        since = float(np.floor(np.nanmax(ratings.last) - IDLE_DAYS))
    return Listing(min_games, since)


def rating_column(ratings: Ratings) -> NDArray[Any]:
    """The rating, the first column, [players]."""
    return next(iter(ratings.columns.values()))


def rating_label(ratings: Ratings) -> str:
    """The name of the rating column, with its unit where the system's parameters have one."""
    name = next(iter(ratings.columns)).replace("_", " ")
    known = parameters(ratings.system)
    for setting in UNIT_SETTINGS:
        domain = known[setting].domain if setting in known else None
        if isinstance(domain, Range) and domain.unit:
            return f"{name} ({domain.unit})"
    return name


@dataclass(frozen=True, eq=False)
class RankUncertainty:
    """Ranked players, their ratings and the uncertainty of these."""

    players: NDArray[np.int64]  # who is ranked, by number
    rating: Floats  # theirs
    joint: Uncertainty
    asked: NDArray[np.int64]  # the number of each in `joint`
    level: float

    @cached_property
    def ranks(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The best and the worst rank of each player, from all pairs."""
        rating = np.zeros(int(self.asked.max(initial=-1)) + 1)
        rating[self.asked] = self.rating
        better = self.joint.stands_above(rating, self.asked, self.level)
        return 1 + better.sum(axis=0), len(self.players) - better.sum(axis=1)

    def ranks_of(self, k: int) -> tuple[int, int]:
        """The best and the worst rank of one player, by number; (0, 0) if not ranked."""
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
    ranking: RankUncertainty | None = None

    @property
    def known(self) -> bool:
        """Whether there are intervals."""
        return self.low is not None

    def interval(self, k: int) -> tuple[float, float] | None:
        """The interval of the rating of a player, by number."""
        if self.low is None or self.high is None:
            return None
        return float(self.low[k]), float(self.high[k])


def certainty(ratings: Ratings, level: float = 0.95, listing: Listing | None = None) -> Certainty:
    """The intervals of ratings and of ranks, these among the players listed.

    Intervals of fitted ratings have the probability they were fitted with.
    """
    columns = ratings.columns
    joint: Uncertainty
    chosen = (listing or Listing()).players(ratings)
    if isinstance(ratings, WholeTableRatings) and ratings.fit.uncertainty is not None:
        level, joint, asked = ratings.level, ratings.fit.uncertainty, chosen
        words = f"the {level:.0%} interval of {ratings.system.name}"
        low, high = columns["low"], columns["high"]
    elif "deviation" in columns:
        z = two_sided_quantile(level)
        rating, deviation = rating_column(ratings), ratings.rank_deviation
        assert deviation is not None
        words = f"the {level:.0%} interval, rating \N{PLUS-MINUS SIGN} {z:.2f} deviations"
        low, high = rating - z * deviation, rating + z * deviation
        few = chosen[:MOST_RANKED]
        joint, asked = Independent(deviation[few]), np.arange(len(few), dtype=np.int64)
    else:
        return Certainty(level, f"{ratings.system.name} gives no deviations")
    if len(chosen) > MOST_RANKED:
        return Certainty(level, words, low, high)
    rating = rating_column(ratings)[chosen]
    return Certainty(level, words, low, high, RankUncertainty(chosen, rating, joint, asked, level))


def activity_listing(ratings: Ratings, provisional_games: int, inactive_days: int) -> Listing:
    """The rule by which players are provisional (fewer games) or inactive (days without one).

    Days are whole days: a player with a game on the first of them, at any hour, is active.
    """
    since = None if ratings.day is None else float(int(ratings.day) - inactive_days)
    return Listing(provisional_games, since)


def listing_or_everyone(ratings: Ratings, rule: Listing) -> Listing:
    """The rule, or none where it leaves fewer than MIN_LISTED_PLAYERS players."""
    return rule if len(rule.players(ratings)) >= MIN_LISTED_PLAYERS else Listing()


MAX_RIVALS_NAMED = 3
NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
         "eleven", "twelve")  # fmt: skip


def state_leader(
    leaders: Sequence[str],
    others: Sequence[str],
    rivals: Sequence[str] | None,
    gap: str | None,
    *,
    is_new: bool,
) -> str:
    """Who leads and who else could be first, as a sentence without its end.

    Args:
        leaders: those of the first rank, the first of them before all others.
        others: the ranked players after the first.
        rivals: those of them whose interval of ranks begins at 1; None where it is not known.
        gap: how far the first is ahead of the second.
        is_new: whether somebody else led a week before.

    >>> state_leader(["Ada"], ["Ben", "Cleo"], ["Ben"], "12", is_new=False)
    'Ada leads, and Ben could still be first'
    >>> state_leader(["Ada"], ["Ben", "Cleo"], [], "212", is_new=False)
    'Ada is first for sure'
    """
    if len(leaders) > 1:
        return f"{spell_count(len(leaders)).capitalize()} share the first place"
    leader = isolate_name(leaders[0])
    if is_new:
        return f"{leader} is the new leader"
    if rivals is None:
        return f"{leader} leads" + (f", {gap} ahead of {isolate_name(others[0])}" if others else "")
    if not rivals:
        return f"{leader} is first for sure"
    if len(rivals) <= MAX_RIVALS_NAMED:
        some = join_names([isolate_name(name) for name in rivals])
        return f"{leader} leads, and {some} could still be first"
    if len(rivals) == len(others):
        return f"{leader} leads, but any of the {len(others) + 1:,} could be first"
    return f"{leader} leads, but {spell_count(len(rivals))} others could still be first"


def spell_count(count: int) -> str:
    """A small count in words."""
    return NUMBER_WORDS[count] if count < len(NUMBER_WORDS) else f"{count:,}"
