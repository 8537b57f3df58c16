"""Glicko-2: Glicko with a volatility of each player, which surprises raise.

Formula   mu = (r - 1500) / S,  phi = RD / S,  S = 400 / ln 10 = 173.7178
          g(phi)   = 1 / sqrt(1 + 3 phi^2 / pi^2)
          E        = 1 / (1 + e^(-g(phi_j) (mu - mu_j)))
          v        = 1 / sum g^2 E (1 - E),   Delta = v sum g (s - E)
          f(x)     = e^x (Delta^2 - phi^2 - v - e^x) / (2 (phi^2 + v + e^x)^2)
                     - (x - ln sigma^2) / tau^2
          sigma'   = e^(x / 2)  where f(x) = 0
          phi*^2   = phi^2 + sigma'^2,   phi'^2 = 1 / (1 / phi*^2 + 1 / v)
          mu'      = mu + phi'^2 sum g (s - E)
          idle     phi^2 grows by sigma^2 a period
          forecast E with g(sqrt(phi^2 + phi_j^2))
          a side of several is its mean: mu = sum mu_i / n, phi^2 = sum phi_i^2 / n^2; for member
          i g is that of everything unknown but the own part, sqrt(phi^2 + phi_j^2 - phi_i^2 / n^2);
          1 / v gets 1 / n^2 of the term, Delta / v gets 1 / n; shares weigh the means
Source    M. E. Glickman, "Example of the Glicko-2 system", steps 1 to 8; start volatility 0.06
          as there.
Units     rating, deviation, advantage: points (S points = odds of e to one); volatility and
          tau: natural units a period; time: rating periods.
Differs   S is exact where the paper has four decimals. The root of f is found by Halley's
          method where f is known to have one root only; otherwise, and always with solver =
          illinois, by the paper's regula falsi in a bracket walked outwards from the old
          volatility, so that of several roots the nearest is taken. The volatility stops at
          volatility_max (10 is 1700 points a period), so hundreds of impossible results in one
          period give finite numbers, if absurd ones: take shorter periods. Idle time raises no
          deviation above deviation_max (the paper sets no limit). The advantage of a side is added
          to its rating before E; 0 gives the paper's system. A game of weight w counts as w games.
          The paper rates players only: sides are judged by the one model above, of which the paper
          is the case n = 1.
"""

from __future__ import annotations

from math import exp, log, pi, sqrt
from typing import Annotated, NamedTuple

from prowess.engine.numeric import LN10, logistic
from prowess.engine.params import (
    DeviationMax,
    PeriodAdvantage,
    Start,
    StartDeviation,
    StartVolatility,
    VolatilityChange,
)
from prowess.engine.system import Choice, Dynamic, Game, Range
from prowess.systems.glicko import Q, Side, deviation_of, gap, joint_deviation, part

LOGIT = 400.0 / LN10  # points, the paper's 173.7178
VOLATILITY2_MAX = 100.0  # sigma^2, natural units squared a period
HALLEY_STEPS = 20
ROOT_TOLERANCE = 1e-14  # in ln sigma^2
SERIES_STEP = 1e-3  # five terms of e^z differ from it by less than 1e-17
ILLINOIS_STEPS = 100
MIN_BRACKET_WIDTH = 1e-13  # in ln sigma^2


class Params(NamedTuple):
    """Settings; the defaults are the paper's."""

    tau: VolatilityChange = 0.5
    deviation_max: DeviationMax = 350.0
    advantage: PeriodAdvantage = 0.0
    start: Start = 1500.0
    start_deviation: StartDeviation = 350.0
    start_volatility: StartVolatility = 0.06
    solver: Annotated[int, Choice("halley", "illinois"), "the method for the volatility"] = 0
    volatility_max: Annotated[
        float, Range(0.01, 10, "natural units a period"), "where the volatility stops"
    ] = 10.0


class Rating(NamedTuple):
    """A player's rating, its standard deviation and its volatility."""

    rating: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06


class Evidence(NamedTuple):
    """Sums over games, in natural units; fields that only `due` reads are 0 for a member."""

    precision: float = 0.0  # sum of g^2 E (1 - E), the paper's 1 / v
    surplus: float = 0.0  # sum of g (s - E), the paper's Delta / v
    lead: float = 0.0
    unknown: float = 0.0  # variance of the other sides


class Surprise(NamedTuple):
    """The inputs of the volatility update; 1 / v may be 0, so v and Delta are not formed."""

    phi2: float  # phi^2
    precision: float
    surplus: float
    old: float  # sigma^2 before the round
    pull: float  # 1 / tau^2


def g(phi: float) -> float:
    """The factor in (0, 1] by which uncertainty shrinks a rating difference."""
    return 1.0 / sqrt(1.0 + 3.0 / (pi * pi) * phi * phi)


def score_terms(z: float) -> tuple[float, float, float]:
    """E, and two numbers t and s with E (1 - E) = t s s: one exponential, no cancellation."""
    t = exp(-abs(z))
    s = 1.0 / (1.0 + t)
    return (s if z >= 0.0 else t * s), t, s


def drift(p: Params, me: Rating, elapsed: float) -> Rating:
    """The rating after `elapsed` idle periods: the rating stays, the deviation grows."""
    step = LOGIT * me.volatility
    grown = sqrt(me.deviation * me.deviation + step * step * elapsed)
    return Rating(me.rating, max(me.deviation, min(grown, p.deviation_max)), me.volatility)


def expected_score(p: Params, mine: Side, theirs: Side, game: Game) -> float:
    """The expected score, which allows for both deviations."""
    lead = Q * gap(p, mine, theirs, game)
    return logistic(g(Q * joint_deviation(mine, theirs)) * lead)


def evidence(p: Params, mine: Side, theirs: Side, game: Game) -> Evidence:
    """The precision a game adds and the surplus it shows, discounted by the opponent's g."""
    unknown, lead = deviation_of(theirs), Q * gap(p, mine, theirs, game)
    weight = g(Q * unknown)
    e, t, s = score_terms(weight * lead)
    precision, surplus = weight * weight * t * s * s, weight * (game.score - e)
    return Evidence(precision, surplus, lead, unknown * unknown)


def due(p: Params, me: Rating, share: float, mine: Side, one: Evidence) -> Evidence:
    """A member's part of the evidence, discounted also by the other members' deviations."""
    if mine.members < 2.0:  # alone
        return Evidence(one.precision, one.surplus, 0.0, 0.0)
    part_of = share / mine.shares
    own, all_members = part_of * me.deviation, deviation_of(mine)
    rest = one.unknown + all_members * all_members - own * own
    side_weight, member_weight = g(Q * sqrt(one.unknown)), g(Q * sqrt(rest))
    before, _, _ = score_terms(side_weight * one.lead)
    e, t, s = score_terms(member_weight * one.lead)
    score = one.surplus / side_weight + before
    return Evidence(
        part_of * part_of * member_weight * member_weight * t * s * s,
        part_of * member_weight * (score - e),
        0.0,
        0.0,
    )


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    """Steps 5 to 8: the volatility, one period of it, then precisions add as in Glicko."""
    phi2 = Q * Q * me.deviation * me.deviation
    old = me.volatility * me.volatility
    surprise = Surprise(phi2, total.precision, total.surplus, old, 1.0 / (p.tau * p.tau))
    most = min(VOLATILITY2_MAX, p.volatility_max * p.volatility_max)
    new = min(volatility2(surprise, p.solver), max(old, most))
    widened = phi2 + new
    variance = widened / (1.0 + widened * total.precision)  # 1 / (1 / widened + precision)
    return Rating(me.rating + LOGIT * variance * total.surplus, LOGIT * sqrt(variance), sqrt(new))


def credit(p: Params, me: Rating, after: Rating, one: Evidence) -> float:
    """The points that one game contributed: the new variance times its surplus."""
    return Q * after.deviation * after.deviation * one.surplus


# The root of f, written in z = x - ln sigma^2 so that no logarithm is needed and a small change
# keeps its digits, and multiplied out by P = 1 / v, S = Delta / v so that P = 0 is no trouble:
#
#     f   = (t - u) / 2 - z / tau^2,   u = P y / d,   t = S^2 y / d^2,
#           y = sigma^2 e^z,   d = 1 + P (phi^2 + y)
#     f'  = (t (1 - 2u) - u (1 - u)) / 2 - 1 / tau^2      as dt/dz = t (1 - 2u), du/dz = u (1 - u)
#     f'' = (t (1 - 6u (1 - u)) - u (1 - u) (1 - 2u)) / 2
#
# (t - u) / 2 is above -1/2, so when f(0) <= 0 there is a root in (-tau^2 / 2, 0], and one only.
# Its slope is below (2/27) (S^2 / P c - 1), c = 1 + P phi^2, so f falls everywhere, at least half
# as fast as -z / tau^2, when tau^2 (S^2 - P c) <= 6.75 P c; the root is then below 1.
#
# There Halley's method leaves an error below tau^2 (t + u) step^3, since the second and the third
# derivative are at most (t + u) / 2 in size: after an ordinary game below 1e-14 at the first step.


def parts(q: Surprise, y: float) -> tuple[float, float]:
    """u and t where e^x = y."""
    share = 1.0 / (1.0 + q.precision * (q.phi2 + y))
    return q.precision * y * share, q.surplus * q.surplus * y * share * share


def f(q: Surprise, z: float, u: float, t: float) -> float:
    """The paper's f at x = ln sigma^2 + z."""
    return 0.5 * (t - u) - z * q.pull


def slope(q: Surprise, u: float, t: float) -> float:
    """The first derivative of f by z."""
    return 0.5 * (t * (1.0 - 2.0 * u) - u * (1.0 - u)) - q.pull


def bend(u: float, t: float) -> float:
    """The second derivative of f by z."""
    own = u * (1.0 - u)
    return 0.5 * (t * (1.0 - 6.0 * own) - own * (1.0 - 2.0 * u))


def has_one_root(q: Surprise) -> bool:
    """Whether f falls everywhere, by the bound above."""
    pc = q.precision * (1.0 + q.precision * q.phi2)
    return q.surplus * q.surplus - pc <= 6.75 * pc * q.pull


def volatility2(q: Surprise, solver: int) -> float:
    """sigma'^2: e^x at the root of f."""
    found = halley(q) if solver == 0 and has_one_root(q) else 0.0
    return found if found > 0.0 else illinois(q)


def halley(q: Surprise) -> float:
    """e^x by Halley's method from the old volatility; 0 if that fails."""
    z, y = 0.0, q.old
    for _ in range(HALLEY_STEPS):
        u, t = parts(q, y)
        value, first = f(q, z, u, t), slope(q, u, t)
        step = 2.0 * value * first / (value * bend(u, t) - 2.0 * first * first)
        if abs(step) < SERIES_STEP and (t + u) * abs(step * step * step) < ROOT_TOLERANCE * q.pull:
            return y * (1.0 + step * (1.0 + step / 2.0 * (1.0 + step / 3.0 * (1.0 + step / 4.0))))
        z += step
        if z * q.pull < -0.5 or z > 1.0:
            break
        y = q.old * exp(z)
    return 0.0


def illinois(q: Surprise) -> float:
    """e^x by regula falsi, halving the value of an end that stays."""
    low, high = -0.5 / q.pull, 0.0
    f_high = f(q, 0.0, *parts(q, q.old))
    if f_high > 0.0:  # the volatility rises: walk until f falls below 0
        limit = log(max(VOLATILITY2_MAX / q.old, 1.0))
        stride = max(f_high / q.pull, MIN_BRACKET_WIDTH)
        while f_high > 0.0:
            if high >= limit:
                return q.old * exp(limit)
            low = high
            high = min(high + stride, limit)
            f_high = f(q, high, *parts(q, q.old * exp(high)))
            stride *= 2.0
    f_low = f(q, low, *parts(q, q.old * exp(low)))
    z, kept = low, 0
    for _ in range(ILLINOIS_STEPS):
        if high - low < MIN_BRACKET_WIDTH:
            break
        z = low + (high - low) * f_low / (f_low - f_high)
        value = f(q, z, *parts(q, q.old * exp(z)))
        if value > 0.0:
            low, f_low = z, value
            f_high *= 0.5 if kept > 0 else 1.0
            kept = 1
        elif value < 0.0:
            high, f_high = z, value
            f_low *= 0.5 if kept < 0 else 1.0
            kept = -1
        else:
            break
    return q.old * exp(z)


GLICKO2 = Dynamic(
    name="glicko2",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    expected=expected_score,
    side=Side(),
    part=part,
    evidence=evidence,
    due=due,
    absorb=absorb,
    drift=drift,
    credit=credit,
    clock="30d",
    follows_period=True,
    by_period=True,
    absorb_takes=1.0,  # absorb holds one phi* step
)
