"""Ratio Elo: the expected score is a player's share of the two ratings.

Formula   P1  = r1 / (r1 + r2),   P2 = r2 / (r1 + r2)
          r1' = r1 + k (S1 - P1)
Source    "Rating Algorithms" (lecture slides: Elo, CodeChef's contest rating, a ratio form),
          last slides: 1100 and 900 with k = 30.
Units     rating, k: points, on a ratio scale: twice the rating is odds of two to one.
Differs   draws count 1/2 (the slides have none). Ratings must stay positive, which one game
          guarantees only for k < r1 + r2: otherwise the new rating is not a number, and the
          run stops there. In a contest of n each pair counts 1 / (n - 1). There is no side
          advantage. log r is the rating scale of Zermelo and Bradley-Terry.
"""

from __future__ import annotations

from math import nan
from types import MappingProxyType
from typing import Annotated, NamedTuple

from prowess.engine.system import Dynamic, Game, Range, credit_change, negated, share_of_contest


class Params(NamedTuple):
    k: Annotated[float, Range(0, 1000, "points"), "most that one game moves a rating"] = 30.0
    start: Annotated[float, Range(1, 10000, "points"), "rating of a newcomer"] = 1000.0


class Rating(NamedTuple):
    rating: float = 1000.0


class Evidence(NamedTuple):
    change: Annotated[float, negated] = 0.0  # k (S - P)


def expected_score(p: Params, me: Rating, opponent: Rating, game: Game) -> float:
    """P: the share of the two ratings; nan unless both are positive."""
    if me.rating > 0.0 and opponent.rating > 0.0:
        return me.rating / (me.rating + opponent.rating)
    return nan


def evidence(p: Params, me: Rating, opponent: Rating, game: Game) -> Evidence:
    """The points that this game contributes; nan where one game could make a rating negative."""
    if p.k >= me.rating + opponent.rating:
        return Evidence(nan)
    return Evidence(p.k * (game.score - expected_score(p, me, opponent, game)))


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    """The rating after the points of the round; nan unless it is positive."""
    rating = me.rating + total.change
    return Rating(rating if rating > 0.0 else nan)


RATIO_ELO = Dynamic(
    name="ratio_elo",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    expected=expected_score,
    evidence=evidence,
    absorb=absorb,
    credit=credit_change,
    pair_weight=share_of_contest,
    keeps_sum=True,
    breaks=MappingProxyType(
        {"finite": "a share needs positive ratings, which k >= r1 + r2 would not keep"}
    ),
)
