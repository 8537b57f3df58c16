"""Glicko: a rating and how sure we are of it.

Formula   g(RD)  = 1 / sqrt(1 + 3 q^2 RD^2 / pi^2),   q = ln 10 / 400
          E      = 1 / (1 + 10^(-g(RD_j) (r - r_j) / 400))
          1/d^2  = q^2 sum g^2 E (1 - E)
          RD'^2  = 1 / (1 / RD^2 + 1 / d^2)
          r'     = r + q RD'^2 sum g (s - E)
          between rounds  RD = min(sqrt(RD^2 + c^2 t), 350)
          forecast        E with g(sqrt(RD^2 + RD_j^2))
Source    M. E. Glickman, "Parameter estimation in large dynamic paired comparison
          experiments", Applied Statistics 48 (1999), and "The Glicko system", steps 1 and 2.
Units     rating, deviation, advantage: points (400 = odds of ten to one); time: rating periods;
          drift (the paper's c): points per square root of a period; 34.6 takes a deviation of
          50 to 350 in a hundred periods. 0 is "no decay".
Differs   the advantage of a side is added to its rating before E; 0, the default, gives the
          paper's system. A game of weight w counts as w games.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Annotated, NamedTuple

from prowess.engine.numeric import LN10, logistic
from prowess.engine.system import Dynamic, Game, Range

Q = LN10 / 400.0  # natural units per point


class Params(NamedTuple):
    """Settings; the defaults are the paper's."""

    drift: Annotated[float, Range(0.0, 200.0, "points per sqrt(period)")] = 34.6
    deviation_max: Annotated[float, Range(50.0, 500.0, "points")] = 350.0
    advantage: Annotated[float, Range(-100.0, 200.0, "points")] = 0.0
    start: Annotated[float, Range(-10000.0, 10000.0, "points")] = 1500.0
    start_deviation: Annotated[float, Range(10.0, 500.0, "points")] = 350.0


class Rating(NamedTuple):
    """What is known of a player: the number and its standard deviation."""

    rating: float = 1500.0
    deviation: float = 350.0


class Evidence(NamedTuple):
    """What games say about a player."""

    precision: float = 0.0  # sum of q^2 g^2 E (1 - E), 1 / points^2
    surplus: float = 0.0  # sum of q g (s - E), 1 / points


def g(deviation: float) -> float:
    """How much of a rating difference is left when it is known this badly, in (0, 1]."""
    spread = Q * deviation / pi
    return 1.0 / sqrt(1.0 + 3.0 * spread * spread)


def chance(p: Params, me: Rating, opponent: Rating, game: Game, deviation: float) -> float:
    """The expected score of `me` when the difference is known to `deviation` points."""
    gap = me.rating + game.side * p.advantage - opponent.rating
    return logistic(Q * g(deviation) * gap)


def newcomer(p: Params) -> Rating:
    """A player nobody has seen yet."""
    return Rating(p.start, p.start_deviation)


def drift(p: Params, me: Rating, elapsed: float) -> Rating:
    """The rating after `elapsed` periods without a game: the same number, known less well."""
    grown = sqrt(me.deviation * me.deviation + p.drift * p.drift * elapsed)
    return Rating(me.rating, max(me.deviation, min(grown, p.deviation_max)))


def expected(p: Params, me: Rating, opponent: Rating, game: Game) -> float:
    """The forecast, which allows for both deviations."""
    both = sqrt(me.deviation * me.deviation + opponent.deviation * opponent.deviation)
    return chance(p, me, opponent, game, both)


def evidence(p: Params, me: Rating, opponent: Rating, game: Game) -> Evidence:
    """The precision a game adds and the surplus it shows, discounted by the opponent's g."""
    weight = Q * g(opponent.deviation)
    e = chance(p, me, opponent, game, opponent.deviation)
    return Evidence(weight * weight * e * (1.0 - e), weight * (game.score - e))


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    """Precisions add; the rating moves by the new variance times the surplus."""
    known = me.deviation * me.deviation
    variance = known / (1.0 + known * total.precision)  # 1 / (1 / known + precision)
    return Rating(me.rating + variance * total.surplus, sqrt(variance))


def credit(p: Params, me: Rating, after: Rating, one: Evidence) -> float:
    """The points one game brought: the new variance times its surplus."""
    return after.deviation * after.deviation * one.surplus


GLICKO = Dynamic(
    name="glicko",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    expected=expected,
    evidence=evidence,
    absorb=absorb,
    drift=drift,
    newcomer=newcomer,
    credit=credit,
    clock="30d",
    follows_period=True,
    by_period=True,
)
