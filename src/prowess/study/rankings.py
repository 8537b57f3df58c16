"""Rankings of one league under several systems: places, values, and rank correlations.

An order does not determine ratings. If a system has no model of a game, the gap to the leader has
no chance of winning beside it.

Kendall's tau-b: M. G. Kendall, "The Treatment of Ties in Ranking Problems", Biometrika 33 (1945).
Spearman's rho: the correlation of mean ranks, C. Spearman, American Journal of Psychology 15
(1904).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import nan, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids, Truths
from prowess.engine.fit import NoModel
from prowess.engine.leaderboard import find_player
from prowess.engine.tabular import ResultTable
from prowess.games.arguments import BadArgument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from prowess.engine.ratings import Ratings

    Numbers = AnyArray


class RankingEntry(NamedTuple):
    """A player under one system."""

    place: int  # equal players share the better place
    tied: bool
    value: float  # the first column of the system


class Gap(NamedTuple):
    """The gap of a player to the leader under one system."""

    leader: str
    gap: float  # between their values
    chance: float | None  # the player's expected score against the leader
    reason: str | None = None  # why chance is None


@dataclass(frozen=True, eq=False)
class SystemRanking:
    """All players of a table under one system; `place`, `tied`, `value` have one entry each."""

    name: str
    ratings: Ratings
    place: Ids
    tied: Truths
    value: AnyArray

    @property
    def column(self) -> str:
        """The name of the value."""
        return self.ratings.fields[0]

    def entry(self, player: int) -> RankingEntry:
        """Return the entry of one player, by number."""
        return RankingEntry(
            int(self.place[player]), bool(self.tied[player]), self.value[player].item()
        )

    def gap(self, player: int) -> Gap:
        """Return the gap of a player, by number, to the first; of several first, the first seen."""
        first = int(np.flatnonzero(self.place == 1)[0])
        if self.place[player] == 1:
            first = player
        leader = self.ratings.players[first]
        apart = abs(float(self.value[first] - self.value[player]))  # levels count downwards
        if first == player:
            return Gap(leader, 0.0, None, "leads")
        try:
            chance = self.ratings.chances(player, first, 0.0).expected
        except NoModel:
            return Gap(leader, apart, None, "no model of a game")
        return Gap(leader, apart, chance)


@dataclass(frozen=True, eq=False)
class RankingComparison:
    """The rankings of one table, in the order requested."""

    players: Sequence[str]
    rankings: tuple[SystemRanking, ...]
    played: Ids  # numbers of players with games

    @property
    def order(self) -> list[int]:
        """Players by their place in the first ranking; of equals, the first seen first."""
        place = self.rankings[0].place[self.played]
        return [int(k) for k in self.played[np.argsort(place, kind="stable")]]

    def index(self, player: str) -> int:
        """Return the number of a player; raises UnknownPlayer, also for one without games."""
        names = [self.players[k] for k in self.played.tolist()]
        return int(self.played[find_player(names, player)])

    def to_table(self, top: int | None = None) -> ResultTable:
        """Place and value of each player under each system, a row a player."""
        order = self.order[:top]
        shown: dict[str, Any] = {"player": [self.players[k] for k in order]}
        for one in self.rankings:
            shown[f"{one.name}_place"] = one.place[order]
            shown[one.name] = one.value[order]
        return ResultTable(shown, "Places and values")

    @cached_property
    def tau(self) -> Floats:
        """Kendall's tau-b between the rankings, [systems, systems]; nan if all are level in one."""
        return self._matrix(kendall)

    @cached_property
    def rho(self) -> Floats:
        """Spearman's rank correlation between the rankings, [systems, systems]."""
        return self._matrix(spearman)

    def _matrix(self, likeness: Callable[[Any, Any], float]) -> Floats:
        places = [ranking.place[self.played] for ranking in self.rankings]
        matrix = np.empty((len(places), len(places)))
        for i, one in enumerate(places):
            for j in range(i + 1):
                matrix[i, j] = matrix[j, i] = likeness(one, places[j])
        return matrix


def compare_rankings(rated: Mapping[str, Ratings]) -> RankingComparison:
    """Rank one table under several systems; the names are the headings.

    All ratings must be of the same table: one roster. Raises ValueError for none at all.
    """
    if not rated:
        raise BadArgument.of("no_systems.rankings")
    first = next(iter(rated.values()))
    played = np.flatnonzero(first.has_played())
    rankings = tuple(rank_players(name, ratings, played) for name, ratings in rated.items())
    return RankingComparison(first.players, rankings, played)


def rank_players(name: str, ratings: Ratings, played: Ids) -> SystemRanking:
    """Rank the players with games from 1; the others have place 0."""
    strength = ratings.strength[played]
    _, level, count = np.unique(-strength, return_inverse=True, return_counts=True)
    place, tied = np.zeros(len(ratings), dtype=np.int64), np.zeros(len(ratings), dtype=bool)
    place[played] = (1 + np.cumsum(count, dtype=np.int64) - count)[level]
    tied[played] = count[level] > 1
    return SystemRanking(name, ratings, place, tied, ratings.column(ratings.fields[0]))


def kendall(x: Numbers, y: Numbers) -> float:
    """tau-b = (C - D) / sqrt((C + D + X)(C + D + Y)), X and Y the pairs tied in one column only.

    Each [n]; nan where one of them has all players level.
    """
    agreeing = untied_x = untied_y = 0
    for k in range(len(x) - 1):
        one, other = np.sign(x[k + 1 :] - x[k]), np.sign(y[k + 1 :] - y[k])
        agreeing += int(one @ other)
        untied_x += int(np.count_nonzero(one))
        untied_y += int(np.count_nonzero(other))
    if not untied_x or not untied_y:
        return nan
    return agreeing / sqrt(untied_x * untied_y)


def spearman(x: Numbers, y: Numbers) -> float:
    """Return the correlation of mean ranks, each [n]; nan if all are level in one."""
    one, other = mean_ranks(x), mean_ranks(y)
    one, other = one - one.mean(), other - other.mean()
    scale = sqrt((one @ one) * (other @ other))
    return float(one @ other) / scale if scale else nan


def mean_ranks(x: Numbers) -> Floats:
    """Return the rank of each value from below, [n], from 1; equal ones share the mean."""
    _, where, count = np.unique(x, return_inverse=True, return_counts=True)
    last = np.cumsum(count, dtype=np.int64)
    ranks: Floats = (last - 0.5 * (count - 1))[where]
    return ranks
