"""CodeChef's contest rating: the rating follows the actual against the expected place in a contest.

Formula   E_ab  = 1 / (1 + 4^((R_a - R_b) / sqrt(V_a^2 + V_b^2)))   a does worse than b
          ERank = sum over all b of E_ab, a itself included (+1/2)
          ARank = mean place of the tied group - 1/2
          Perf(r) = log_4(N / r - 1)
          Cf    = sqrt(sum V^2 / N + sum (R - Ravg)^2 / (N - 1))
          RW    = (0.4 t + 0.2) / (0.7 t + 0.6),  VW = (0.5 t + 0.8) / (t + 0.6)
          d     = (Perf(ARank) - Perf(ERank)) Cf RW, at most
                  100 + 75 / (t + 1) + 50000 / (|R - 1500| + 500) either way
          R'    = R + d
          V'    = sqrt((VW d^2 + V^2) / (VW + 1.1)), within [75, 200]
          t'    = t + 1
Source    "Rating Algorithms" (lecture slides: Elo, CodeChef's contest rating, a ratio form).
Units     rating, volatility (a standard deviation): points, a newcomer has 1500 and 125; t:
          contests before this one. Time plays no part.
Differs   The slides print Perf = log_4(N / (rank - 1)), which is infinite for the winner;
          log_4(N / rank - 1) is the inverse of E_ab and is meant. ERank counts the player
          too, and so ARank is the players ahead plus half of the tied, the player included:
          both lie within [1/2, N - 1/2], and the ratings of equal players who tie do not
          change. The limits of V are closed; volatility_from = uncapped takes d
          before its limit. A player alone in a contest is not rated. A game of two is a contest
          of two. The four tracks (long, short, lunchtime, combined) are four tables: a track's
          own contests, and all of them.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Annotated, NamedTuple

from prowess.engine.numeric import logistic
from prowess.engine.params import Start
from prowess.engine.system import Choice, Dynamic, Game, Range

LN4 = log(4.0)


class Params(NamedTuple):
    """Settings; the defaults are the slides'."""

    start: Start = 1500.0
    start_volatility: Annotated[float, Range(1, 1000, "points"), "volatility of a newcomer"] = 125.0
    v_min: Annotated[float, Range(1.0, 1000.0, "points"), "least volatility"] = 75.0
    v_max: Annotated[float, Range(1.0, 1000.0, "points"), "greatest volatility"] = 200.0
    volatility_from: Annotated[
        int, Choice("capped", "uncapped"), "the change that moves it: limited, or all of it"
    ] = 0


class Rating(NamedTuple):
    """A player's rating, volatility and contests, and the surplus of the last contest."""

    rating: float = 1500.0
    volatility: float = 125.0
    times: float = 0.0  # contests played
    surplus: float = 0.0  # ERank - ARank of the last contest: places gained on the forecast


class Evidence(NamedTuple):
    """Sums over the other players of a contest."""

    others: float = 0.0
    worse: float = 0.0  # sum of E_ab
    ahead: float = 0.0  # others ahead, and half of the tied
    volatility2: float = 0.0  # sum of V_b^2
    gap: float = 0.0  # sum of R_b - R_a
    gap2: float = 0.0  # sum of (R_b - R_a)^2; differences keep the digits that squares of R lose


def erank(total: Evidence) -> float:
    """The expected place, the player included as half."""
    return total.worse + 0.5


def arank(total: Evidence) -> float:
    """The actual place, the player included as half."""
    return total.ahead + 0.5


def performance(rank: float, n: float) -> float:
    """Perf: a place among n players as a difference of ratings, in units of log 4."""
    return log(n / rank - 1.0) / LN4


def competition_factor(me: Rating, total: Evidence) -> float:
    """Cf: how much the players of this contest scatter, in points."""
    n = total.others + 1.0
    squares = max(total.gap2 - total.gap * total.gap / n, 0.0)  # sum of (R - Ravg)^2
    volatility2 = total.volatility2 + me.volatility * me.volatility
    return sqrt(volatility2 / n + squares / total.others)


def rating_weight(times: float) -> float:
    """RW: how much of a contest counts after `times` others."""
    return (0.4 * times + 0.2) / (0.7 * times + 0.6)


def volatility_weight(times: float) -> float:
    """VW: how much of a change enters the volatility after `times` contests."""
    return (0.5 * times + 0.8) / (times + 0.6)


def cap(me: Rating) -> float:
    """The largest change of the rating, in points."""
    return 100.0 + 75.0 / (me.times + 1.0) + 50000.0 / (abs(me.rating - 1500.0) + 500.0)


def change(me: Rating, total: Evidence) -> float:
    """d before its limit, in points."""
    n = total.others + 1.0
    gained = performance(arank(total), n) - performance(erank(total), n)
    return gained * competition_factor(me, total) * rating_weight(me.times)


def unbounded_volatility(me: Rating, d: float) -> float:
    """V' after a change of d points, before its limits."""
    weight = volatility_weight(me.times)
    return sqrt((weight * d * d + me.volatility * me.volatility) / (weight + 1.1))


def expected_score(p: Params, me: Rating, opponent: Rating, game: Game) -> float:
    """The chance of finishing ahead of one other: 1 - E_ab."""
    both = sqrt(me.volatility * me.volatility + opponent.volatility * opponent.volatility)
    return logistic(LN4 * (me.rating - opponent.rating) / both)


def evidence(p: Params, me: Rating, opponent: Rating, game: Game) -> Evidence:
    """One other player of the contest."""
    gap = opponent.rating - me.rating
    return Evidence(
        1.0,
        1.0 - expected_score(p, me, opponent, game),
        1.0 - game.score,
        opponent.volatility * opponent.volatility,
        gap,
        gap * gap,
    )


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    """The whole contest: d, R', V', t'."""
    if total.others < 1.0:
        return me
    raw = change(me, total)
    limit = cap(me)
    d = max(-limit, min(limit, raw))
    volatility = unbounded_volatility(me, d if p.volatility_from == 0 else raw)
    return Rating(
        me.rating + d,
        max(p.v_min, min(p.v_max, volatility)),
        me.times + 1.0,
        erank(total) - arank(total),
    )


def credit(p: Params, me: Rating, after: Rating, one: Evidence) -> float:
    """One opponent's share of the change, in proportion to the places gained on the forecast."""
    if after.surplus == 0.0:
        return 0.0
    return (after.rating - me.rating) * ((one.worse - one.ahead) / after.surplus)


CODECHEF = Dynamic(
    name="codechef",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    expected=expected_score,
    evidence=evidence,
    absorb=absorb,
    credit=credit,
    inner=("surplus",),
    rounds="game",
    weights=False,  # a place is a place: a contest cannot count twice at once
)
