"""Arimaa: Elo in whole numbers; K shrinks with every game and grows with every idle week.

Formula   p  = 1 / (1 + 10^((R_j - R) / 400))
          R' = int(R + K (s - p) + 0.5)
          K' = int(0.98 K + 0.6)
          every week  K + 1 while 30 <= K < 120
Source    "Arimaa Rating System", arimaa.com.
Units     rating, K (the page's "rating uncertainty"): points; a newcomer has 1400 and 120.
          waited: weeks since K last grew or could have grown, below 1. Time: weeks.
Differs   int(x + 0.5) is floor(x + 1/2), also below zero. K' is floor((98 K + 60) / 100) in whole
          numbers, so that 30 stays 30. K grows once per whole week since the first game, and
          not at 120, the page's "between 30 and 120" taken as never reaching 121. In a rating
          period the changes of all games are added and rounded once, and K shrinks once a game.
          uncertainty = fixed holds K, as the page does in one of its examples; growth = off
          leaves the weeks out.
"""

from __future__ import annotations

from math import ceil, floor
from types import MappingProxyType
from typing import Annotated, NamedTuple

from prowess.engine.numeric import score_by_points
from prowess.engine.params import Start
from prowess.engine.system import Choice, Dynamic, Game, Range

POINTS_AT_TEN_TO_ONE = 400.0
TIME_TOLERANCE_WEEKS = 1e-9  # under a millisecond: a difference of two times is not exact


class Params(NamedTuple):
    """Settings; the defaults are the page's."""

    start: Start = 1400.0
    start_k: Annotated[float, Range(0.0, 1000.0, "points"), "K of a newcomer"] = 120.0
    k_min: Annotated[float, Range(0.0, 1000.0, "points"), "K from which idle weeks raise it"] = 30.0
    k_max: Annotated[float, Range(0, 1000, "points"), "K up to which idle weeks raise it"] = 120.0
    uncertainty: Annotated[int, Choice("shrinking", "fixed"), "K with each game"] = 0
    growth: Annotated[int, Choice("on", "off"), "whether K grows with each idle week"] = 0


class Rating(NamedTuple):
    """A player's rating, K, and weeks waited."""

    rating: float = 1400.0
    k: float = 120.0
    waited: float = 0.0  # part of a week that has not raised K yet


class Evidence(NamedTuple):
    """Sums over the games of a round."""

    surplus: float = 0.0  # sum of s - p
    games: float = 0.0


def round_half_up(x: float) -> float:
    """The nearest whole number, halves upwards."""
    return floor(x + 0.5) * 1.0


def shrink_k(k: float) -> float:
    """K after one game; hundredths are exact where 0.98 is not."""
    return floor((98.0 * k + 60.0) / 100.0) * 1.0


def newcomer(p: Params) -> Rating:
    """The rating of a player without a game."""
    return Rating(round_half_up(p.start), p.start_k, 0.0)


def drift(p: Params, me: Rating, elapsed: float) -> Rating:
    """The rating after `elapsed` weeks: K grows by one for each that is complete."""
    waited = me.waited + elapsed
    weeks = floor(waited + TIME_TOLERANCE_WEEKS) * 1.0
    k = me.k
    if p.growth == 0 and p.uncertainty == 0 and p.k_min <= k < p.k_max:
        k += min(weeks, ceil(p.k_max - k) * 1.0)
    return Rating(me.rating, k, waited - weeks)


def expected_score(p: Params, me: Rating, opponent: Rating, game: Game) -> float:
    """The page's winning probability."""
    return score_by_points(me.rating - opponent.rating, POINTS_AT_TEN_TO_ONE)


def evidence(p: Params, me: Rating, opponent: Rating, game: Game) -> Evidence:
    """The surplus of one game."""
    return Evidence(game.score - expected_score(p, me, opponent, game), 1.0)


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    """K times the surplus, rounded; then K shrinks once for every game."""
    if total.games < 1.0:
        return me
    k = me.k
    if p.uncertainty == 0:
        for _ in range(int(total.games)):
            k = shrink_k(k)
    return Rating(round_half_up(me.rating + me.k * total.surplus), k, me.waited)


def credit(p: Params, me: Rating, after: Rating, one: Evidence) -> float:
    """The points that one game contributed; the rest of the change is rounding."""
    return me.k * one.surplus


ARIMAA = Dynamic(
    name="arimaa",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    expected=expected_score,
    evidence=evidence,
    absorb=absorb,
    drift=drift,
    newcomer=newcomer,
    credit=credit,
    inner=("waited",),
    clock="7d",
    follows_period=False,
    weights=False,  # K shrinks once a game, and games are whole
    rest="rounding",
    breaks=MappingProxyType(
        {"sum": "Ratings are whole numbers; what the rounding adds belongs to no game."}
    ),
)
