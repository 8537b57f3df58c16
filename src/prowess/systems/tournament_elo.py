"""Tournament Elo: one update after a tournament, against its average opponent.

Formula   Rbar = mean rating of the n opponents, each counted as often as met
          R'   = R + K (W - n wp(R - Rbar)),   wp(x) = 1 / (1 + 10^(-x / 400))
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5, 28 July 1994, section 8.2.
Units     rating, K, advantage: points; scale: points of odds of ten to one; a round is a
          tournament, or a rating period taken as one.
Differs   all opponents have their rating before the tournament. The side advantage is taken
          off the opponent's rating; 0 gives the source's system. In a contest of n players,
          which has places and no games, each pair counts 1 / (n - 1). The average is poor
          where opponents differ much (1400, 1400 and 2000 against 1500: 1513.4 for 1505.3
          with each game judged by itself), so that one more win over a far weaker opponent
          can lower a rating. The report itself advises to remember each game.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

from prowess.engine.numeric import score_by_points
from prowess.engine.params import Advantage, EloStart, K, Scale
from prowess.engine.system import Dynamic, Game, share_of_contest


class Params(NamedTuple):
    k: K = 32.0
    scale: Scale = 400.0
    advantage: Advantage = 0.0
    start: EloStart = 1500.0


class Rating(NamedTuple):
    rating: float = 1500.0
    opposition: float = 0.0  # Rbar of the last tournament


class Evidence(NamedTuple):
    games: float = 0.0  # n
    opponents: float = 0.0  # sum of their ratings
    score: float = 0.0  # W


def expected_score(p: Params, me: Rating, opponent: Rating, game: Game) -> float:
    """The expected score of one game."""
    return score_by_points(me.rating - opponent.rating + p.advantage * game.side, p.scale)


def evidence(p: Params, me: Rating, opponent: Rating, game: Game) -> Evidence:
    """One game, its opponent's rating and its score, summed over the round."""
    return Evidence(1.0, opponent.rating - p.advantage * game.side, game.score)


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    """The rating after the tournament."""
    if total.games <= 0.0:
        return me
    opposition = total.opponents / total.games
    surplus = total.score - total.games * score_by_points(me.rating - opposition, p.scale)
    return Rating(me.rating + p.k * surplus, opposition)


def credit(p: Params, me: Rating, after: Rating, one: Evidence) -> float:
    """The points of one game: its score less the one expected against the average opponent."""
    expected = one.games * score_by_points(me.rating - after.opposition, p.scale)
    return p.k * (one.score - expected)


TOURNAMENT_ELO = Dynamic(
    name="tournament_elo",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    expected=expected_score,
    evidence=evidence,
    absorb=absorb,
    credit=credit,
    inner=("opposition",),
    rounds="period",
    pair_weight=share_of_contest,
    breaks=MappingProxyType({"sum": "no player meets the average opponent"}),
)
