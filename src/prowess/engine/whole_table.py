"""The contract of whole-table systems: one function that fits all games at once.

    fit(p, table, anchors) -> Fit      every player's values, from all results together

Static ratings, league tables, voting methods and ratings over a whole field have this form. A
system with a model of a game declares beside it what to expect of one, either the chances of its
result, or of every score, from which those of the result follow::

    chances(p, fit, a, b, side) -> Chances
    scores(p, fit, a, b, side) -> Scores

Where strengths move with time, `fit` gives their `Path`, the system says `moves=True`, and
`chances` gets the moment as a last argument::

    chances(p, fit, a, b, side, when) -> Chances
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids, Truths
from prowess.engine.half_life import with_half_life
from prowess.engine.numeric import normal_below
from prowess.engine.params import parameters, settings
from prowess.engine.system import Declared, PointsChoice
from prowess.games.arguments import BadArgument

if TYPE_CHECKING:
    from prowess.engine.cluster.workers import Workers
    from prowess.engine.places import Scores
    from prowess.engine.system import Chances


GAMES, BALLOTS = "games", "ballots"  # what a system can read; a contest is a ballot


class Points(NamedTuple):
    """The points of a side in a game that a system takes: from 0 on, and in what unit."""

    unit: str = "points"
    most: float = inf
    whole: bool = False

    @property
    def wanted(self) -> str:
        """What to give, in words."""
        what = f"whole numbers of {self.unit}" if self.whole else self.unit
        return f"{what} from 0 to {self.most:,.0f}" if self.most < inf else f"{what} of 0 or more"

    def take(self, values: Floats) -> Truths:
        """Whether the system takes each number, [games]."""
        kept = (values >= 0.0) & (values <= self.most)
        return kept & (values == np.floor(values)) if self.whole else kept


def points_law(system: Any, given: Mapping[str, Any]) -> Points | None:
    """The points of a side in a game that a system takes under some settings; None: any."""
    declared: Points | None = getattr(system, "points", None)
    if declared is not None:
        return declared
    p = settings(system, given)
    by_share = (
        isinstance(one.domain, PointsChoice) and one.display(getattr(p, name)) == "share"
        for name, one in parameters(system).items()
    )
    return Points() if any(by_share) else None


@dataclass(frozen=True, eq=False)
class Path:
    """Strengths that move: the values of players at moments, by player and then by time.

    A value holds from its moment to the player's next one. With `wander` strengths are Wiener
    processes, of which the first column has the means and `deviation` the deviations at the
    points, given all games, and `joint` the covariance of each point with the player's next one.
    Between two points, d days apart, they are then those of a bridge: a share u of the way on
    (1 - u) m + u m', and (1 - u)^2 v + 2 u (1 - u) joint + u^2 v' + u (1 - u) d wander. Before
    the first point and after the last one the variance grows by `wander` a day.
    """

    player: AnyArray  # [points] numbers, ascending
    time: Floats  # [points] days since 1970, ascending for each player
    columns: Mapping[str, Floats]  # [points] by name, as the columns of the fit
    wander: float = 0.0  # variance that a day adds, in points squared
    joint: Floats | None = None  # [points]; the last one of a player is not read

    def rows_of(self, player: int) -> slice:
        """The points of one player."""
        low, high = self.player.searchsorted([player, player + 1]).tolist()
        return slice(low, high)

    def value(self, player: int, when: float) -> dict[str, float]:
        """The values of a player at a moment; without `wander` those of the last point before."""
        columns = self.values(player, np.array([when], dtype=np.float64))
        return {name: float(column[0]) for name, column in columns.items()}

    def values(self, player: int, when: Floats) -> dict[str, Floats]:
        """The same at several moments, [moments] each."""
        rows = self.rows_of(player)
        if rows.start == rows.stop:
            raise KeyError(f"player {player} has no point")
        time = self.time[rows]
        last = rows.start + np.maximum(time.searchsorted(when, side="right") - 1, 0)
        found = {name: column[last] for name, column in self.columns.items()}
        if self.joint is None:
            return found
        following = np.minimum(last + 1, rows.stop - 1)
        span = self.time[following] - self.time[last]
        gone = np.where(span > 0.0, when - self.time[last], 0.0)
        u = np.clip(np.divide(gone, span, out=np.zeros(len(when)), where=span > 0.0), 0.0, 1.0)
        first, spread = next(iter(self.columns)), self.columns["deviation"] ** 2
        outside = np.maximum(0.0, np.maximum(time[0] - when, when - time[-1]))
        found[first] = (1.0 - u) * self.columns[first][last] + u * self.columns[first][following]
        found["deviation"] = np.sqrt(
            (1.0 - u) ** 2 * spread[last] + 2.0 * u * (1.0 - u) * self.joint[last]
            + u * u * spread[following] + (u * (1.0 - u) * span + outside) * self.wander
        )  # fmt: skip
        return found


@dataclass(frozen=True, eq=False)
class Fit:
    """What a system made of a table.

    `columns` have one entry per player under the names the system declares, in its order; what
    the table says nothing about (goals, say) may be left out, the first may not.
    `order` ranks the players in place of the first column where that alone does not (tie-breaks
    of a league table): higher first, equal ones share a rank.
    `figures` are numbers of the league as a whole (a fitted advantage, the log-likelihood).
    `notes` are sentences that a reader of the numbers must know.
    """

    columns: Mapping[str, AnyArray]
    order: AnyArray | None = field(default=None, kw_only=True)
    notes: tuple[str, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)
    uncertainty: Uncertainty | None = None  # of the first column
    # (how many, seed, workers) -> [how many, players]: the first column of resampled fits
    resampled: Callable[[int, int, Workers], Floats] | None = None
    # table -> fits.comparisons.ScoredRatings: what errors by cluster are made of
    scored: Callable[[Any], Any] | None = None
    model: Any = None  # whatever `chances` wants to find again
    path: Path | None = None  # strengths that move; `columns` are then those of the last moment


@dataclass(frozen=True, eq=False)
class WholeTable(Declared):
    """A system that looks at the whole table at once.

    The first of `columns` ranks the players, the highest first unless `lowest_first` (levels).
    `reads` says which tables it takes: games between two, ballots (contests of many), or both.
    `anchors` are players whose rating is known and stays: {number: rating}; a system that cannot
    hold any says `anchored=False` and never receives one. With `priors` it also gets players of
    whom a rating is believed, `{number: (mean, deviation)}`, as a last argument.
    """

    name: str
    params: Any  # a NamedTuple; a field is annotated with a Range or a Choice, and its meaning
    columns: tuple[str, ...]
    fit: Callable[[Any, Any, Mapping[int, float]], Fit]
    chances: Callable[..., Chances] | None = None
    scores: Callable[[Any, Fit, int, int, float], Scores] | None = (
        None  # the chance of every score of a game
    )
    chances_of_pairs: Callable[..., Any] | None = None  # of many games: their expected scores
    newcomer: Callable[[Any], Sequence[float]] | None = None  # (p) -> the columns before any game
    normal: bool = False  # performances in a contest of many are; else they follow Gumbel's law
    summary: str = ""  # of a variant: how it differs, in a sentence; else the module's first line
    family: str = "static"  # as it is listed: static, goals, rumble, votes, tables, dynamic
    moves: bool = False  # strengths move with time: fits have a path
    reads: tuple[str, ...] = (GAMES,)
    lowest_first: bool = False
    anchored: bool = False
    priors: bool = False  # `fit` gets normal priors of single players, after the anchors
    ordered: bool = False  # the order of the games matters
    weights: bool = True  # a game of weight w counts as w games
    needs: tuple[str, ...] = ()  # columns beside the score without which it cannot work
    byes: bool = False  # a bye counts: see `prowess.games.games.BYE`
    uses: tuple[str, ...] = ()  # columns beside the score that it reads where they are
    narrow: bool = False  # it reads no others but a, b, side, weight: a stream drops the rest
    breaks: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    points: Points | None = None  # of a side in a game that it takes; None: any

    def __post_init__(self) -> None:
        if self.has_half_life:
            object.__setattr__(self, "params", with_half_life(self.params))
        if self.scores is not None and self.chances is None:
            object.__setattr__(self, "chances", _chances_of(self.scores))

    @property
    def has_half_life(self) -> bool:
        """Whether the engine can let games count less with age: see `engine.half_life`."""
        return self.weights and not (self.ordered or self.moves)

    @property
    def home(self) -> str:
        """The module that declares it."""
        return self.fit.__module__


def _chances_of(scores: Callable[..., Scores]) -> Callable[..., Chances]:
    """The function that the chances of scores give."""

    def chances(p: Any, fit: Fit, a: int, b: int, side: float) -> Chances:
        return scores(p, fit, a, b, side).chances

    return chances


# --- joint uncertainty: deviations, intervals, ranks, probabilities of superiority ----------------


COMPARED_EXACTLY = 50  # players, by exact columns of a covariance that is too large to keep


def two_sided_quantile(level: float) -> float:
    """The z with P(|Z| <= z) = level for a standard normal Z: 1.96 for 0.95."""
    if not 0.0 < level < 1.0:
        what = "a probability between 0 and 1, such as 0.95"
        raise BadArgument.of("not_a_level.whole_table", what=what, level=level)
    from statistics import NormalDist

    return NormalDist().inv_cdf(0.5 + 0.5 * level)


class Uncertainty(ABC):
    """The joint distribution of the ratings of n players, in points.

    Ratings have a zero of their own: the mean of all (where only differences can be known), the
    anchors or the prior. A `reference` is the player from whom differences are measured instead.
    """

    @abstractmethod
    def deviations(self, reference: int | None = None) -> Floats:
        """Standard deviations, [n]: of the ratings, or of their differences from a player."""

    @abstractmethod
    def interval(
        self, rating: Floats, level: float, reference: int | None = None
    ) -> tuple[Floats, Floats]:
        """Low and high ends, each [n], that hold the true value with probability `level`."""

    @abstractmethod
    def about_mean(self, players: Ids) -> Uncertainty:
        """The same about the mean of these players, without the uncertainty of their level."""

    @abstractmethod
    def superiority(self, rating: Floats, players: Ids) -> Floats:
        """The chance that one is better than another, [k, k] for k players; 1/2 on the diagonal."""

    def stands_above(self, rating: Floats, players: Ids, level: float) -> Truths:
        """Whether one is better than another with probability (1 + level) / 2, [k, k]."""
        return self.superiority(rating, players) >= 0.5 + 0.5 * level

    def rank_interval(self, rating: Floats, level: float) -> tuple[Ids, Ids]:
        """The best and worst rank of each player that the results leave open, each [n].

        A player counts as above (below) another with probability (1 + level) / 2.
        """
        better = self.stands_above(rating, np.arange(len(rating), dtype=np.int64), level)
        return 1 + better.sum(axis=0), len(rating) - better.sum(axis=1)


class GaussianUncertainty(Uncertainty):
    """A normal distribution, however its covariance is kept."""

    @abstractmethod
    def _of_ratings(self) -> Floats:
        """Sd of every rating, [n]."""

    @abstractmethod
    def _of_differences(self, players: Ids) -> Floats:
        """Sd of r_i - r_j, [n, k] for every i and the chosen j."""

    def deviations(self, reference: int | None = None) -> Floats:
        """See Uncertainty."""
        if reference is None:
            return self._of_ratings()
        return self._of_differences(np.array([reference]))[:, 0]

    def interval(
        self, rating: Floats, level: float, reference: int | None = None
    ) -> tuple[Floats, Floats]:
        """Rating -+ z deviations."""
        reach = two_sided_quantile(level) * self.deviations(reference)
        return rating - reach, rating + reach

    def superiority(self, rating: Floats, players: Ids) -> Floats:
        """P(i > j) = Phi((r_i - r_j) / sd(r_i - r_j))."""
        return normal_tails(*self._apart(rating, players))

    def stands_above(self, rating: Floats, players: Ids, level: float) -> Truths:
        """See Uncertainty."""
        return beyond(*self._apart(rating, players), level)

    def _apart(self, rating: Floats, players: Ids) -> tuple[Floats, Floats]:
        """r_i - r_j and its sd, [k, k]."""
        spread = self._of_differences(players)[players]
        return rating[players][:, None] - rating[players][None, :], spread


@dataclass(frozen=True, eq=False)
class Independent(GaussianUncertainty):
    """Ratings that are unsure each by itself, with these standard deviations, [n]."""

    deviation: Floats

    def about_mean(self, players: Ids) -> Normal:
        """See Uncertainty."""
        return Normal(np.diag(self.deviation**2)).about_mean(players)

    def _of_ratings(self) -> Floats:
        """As they are kept."""
        return self.deviation

    def _of_differences(self, players: Ids) -> Floats:
        """sqrt(d_i^2 + d_j^2), 0 between a player and themselves."""
        square = self.deviation**2
        spread: Floats = np.sqrt(square[:, None] + square[players][None, :])
        spread[players, np.arange(len(players), dtype=np.int64)] = 0.0
        return spread


@dataclass(frozen=True, eq=False)
class Normal(GaussianUncertainty):
    """A normal distribution with this covariance, [n, n] in points squared."""

    covariance: Floats

    def about_mean(self, players: Ids) -> Normal:
        """cov(r_i - m, r_j - m), m the mean of the players."""
        with_mean = self.covariance[:, players].mean(axis=1)
        mean = with_mean[players].mean()
        return Normal(self.covariance - with_mean[:, None] - with_mean[None, :] + mean)

    def _of_ratings(self) -> Floats:
        """Roots of the diagonal."""
        return np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0))

    def _of_differences(self, players: Ids) -> Floats:
        """Sd of r_i - r_j, [n, k] for every i and the chosen j."""
        own = np.diagonal(self.covariance)
        square = own[:, None] + own[players][None, :] - 2.0 * self.covariance[:, players]
        return np.sqrt(np.maximum(square, 0.0))


@dataclass(frozen=True, eq=False)
class Draws(Uncertainty):
    """Equally likely joint draws of all ratings, [draws, n]: a posterior's, or a bootstrap's."""

    ratings: Floats

    @cached_property
    def _deviations(self) -> Floats:
        spread: Floats = self.ratings.std(axis=0, ddof=1)
        return spread

    def deviations(self, reference: int | None = None) -> Floats:
        """The standard deviation of the draws."""
        if reference is None:
            return self._deviations
        apart = self.ratings - self.ratings[:, [reference]]
        spread: Floats = apart.std(axis=0, ddof=1)
        return spread

    def interval(
        self, rating: Floats, level: float, reference: int | None = None
    ) -> tuple[Floats, Floats]:
        """Quantiles of the draws; about a reference, of the differences from it."""
        draws = self.ratings
        if reference is not None:
            draws = draws - draws[:, [reference]] + rating[reference]
        low, high = np.quantile(draws, [0.5 - 0.5 * level, 0.5 + 0.5 * level], axis=0)
        return low, high

    def about_mean(self, players: Ids) -> Draws:
        """Every draw moved to one mean of the players."""
        mean = self.ratings[:, players].mean(axis=1)
        return Draws(self.ratings - mean[:, None] + mean.mean())

    def superiority(self, rating: Floats, players: Ids) -> Floats:
        """The share of draws in which one is above the other; equal ones count half."""
        better = np.empty((len(players), len(players)))
        chosen = self.ratings[:, players]
        for k in range(len(players)):
            column = chosen[:, [k]]
            better[k] = (column > chosen).mean(axis=0) + 0.5 * (column == chosen).mean(axis=0)
        return better


@dataclass(frozen=True, eq=False)
class GroupedNormal(GaussianUncertainty):
    """A normal distribution of too many players for all their covariances.

    Each player has an own variance and shares that of a group: own [n], group [n] (numbers),
    between [groups, groups], in points squared. `columns(players)` returns exact columns of the
    covariance, [n, k]; up to COMPARED_EXACTLY players are compared by them, more by groups.
    """

    own: Floats
    group: Ids
    between: Floats
    columns: Callable[[Ids], Floats]

    def about_mean(self, players: Ids) -> GroupedNormal:
        """By groups: what a player alone adds to the mean of so many is let go."""
        share = np.bincount(self.group[players], minlength=len(self.between)) / len(players)
        with_mean = self.between @ share
        mean = share @ with_mean
        between = self.between - with_mean[:, None] - with_mean[None, :] + mean
        every = np.zeros(len(self.own))
        every[players] = 1.0 / len(players)
        columns = partial(_columns_about_mean, self, every, with_mean, float(mean))
        return GroupedNormal(self.own, self.group, between, columns)

    def _of_ratings(self) -> Floats:
        """By groups."""
        return np.sqrt(np.maximum(self.own + np.diagonal(self.between)[self.group], 0.0))

    def _of_differences(self, players: Ids) -> Floats:
        """Of players by groups, of the chosen by their exact columns."""
        square, columns = self.own + np.diagonal(self.between)[self.group], self.columns(players)
        alone = players, np.arange(len(players), dtype=np.int64)
        apart = square[:, None] + columns[alone] - 2.0 * columns
        apart[alone] = 0.0
        return np.sqrt(np.maximum(apart, 0.0))

    def _apart(self, rating: Floats, players: Ids) -> tuple[Floats, Floats]:
        """r_i - r_j and its sd, [k, k]; the chosen few by their exact columns."""
        if len(players) <= COMPARED_EXACTLY:
            covariance = self.columns(players)[players]
        else:
            group = self.group[players]
            covariance = self.between[group][:, group] + np.diag(self.own[players])
        own = np.diagonal(covariance)
        square = own[:, None] + own[None, :] - covariance - covariance.T
        apart = rating[players][:, None] - rating[players][None, :]
        return apart, np.sqrt(np.maximum(square, 0.0))


def _columns_about_mean(
    whole: GroupedNormal, every: Floats, with_mean: Floats, mean: float, chosen: Ids
) -> Floats:
    """Exact columns of the covariance about the mean; `every` is each player's share in it."""
    exact = whole.columns(chosen)
    level = np.nansum(exact * every[:, None], axis=0)  # cov(m, r_j)
    column: Floats = exact - with_mean[whole.group][:, None] - level[None, :] + mean
    return column


def beyond(apart: Floats, spread: Floats, level: float) -> Truths:
    """Whether Phi(apart / spread) is at least (1 + level) / 2, without one Phi for each."""
    return (apart > 0.0) & (apart >= two_sided_quantile(level) * spread)


def normal_tails(apart: Floats, spread: Floats) -> Floats:
    """Phi(apart / spread); where the spread is 0, whether the first is better (1/2 if equal)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(apart == 0.0, 0.0, apart / spread)
    return np.asarray(np.frompyfunc(normal_below, 1, 1)(z), np.float64)
