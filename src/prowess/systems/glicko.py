"""Glicko: Elo with a deviation of each rating; uncertain ratings move more.

Formula   g(RD)  = 1 / sqrt(1 + 3 q^2 RD^2 / pi^2),   q = ln 10 / 400
          E      = 1 / (1 + 10^(-g(RD_j) (r - r_j) / 400))
          1/d^2  = q^2 sum g^2 E (1 - E)
          RD'^2  = 1 / (1 / RD^2 + 1 / d^2)
          r'     = r + q RD'^2 sum g (s - E)
          between rounds  RD = min(sqrt(RD^2 + c^2 t), 350)
          forecast        E with g(sqrt(RD^2 + RD_j^2))
          a side of several is its mean: r = sum r_i / n, RD^2 = sum RD_i^2 / n^2; for member i
          g is that of everything unknown but the own part, sqrt(RD^2 + RD_j^2 - RD_i^2 / n^2);
          the precision gets 1 / n^2 of the term, the rating 1 / n; shares weigh the means
Source    M. E. Glickman, "Parameter estimation in large dynamic paired comparison
          experiments", Applied Statistics 48 (1999), and "The Glicko system", steps 1 and 2.
Units     rating, deviation, advantage: points (400 = odds of ten to one); time: rating periods;
          drift (the paper's c): points per square root of a period; 34.6 takes a deviation of
          50 to 350 in a hundred periods. 0 is "no decay".
Differs   the advantage of a side is added to its rating before E; 0, the default, gives the
          paper's system. A game of weight w counts as w games. The paper rates players only:
          sides are judged by the one model above, of which the paper is the case n = 1.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Annotated, Any, NamedTuple

from prowess.engine.numeric import LN10, logistic
from prowess.engine.params import DeviationMax, PeriodAdvantage, Start, StartDeviation
from prowess.engine.system import Dynamic, Game, Range

Q = LN10 / 400.0  # natural units per point


class Params(NamedTuple):
    """Settings; the defaults are the paper's."""

    drift: Annotated[
        float, Range(0, 200, "points per sqrt(period)"), "how fast idle ratings get uncertain"
    ] = 34.6
    deviation_max: DeviationMax = 350.0
    advantage: PeriodAdvantage = 0.0
    start: Start = 1500.0
    start_deviation: StartDeviation = 350.0


class Rating(NamedTuple):
    """A player's rating and its standard deviation."""

    rating: float = 1500.0
    deviation: float = 350.0


class Side(NamedTuple):
    """Sums over the members of a side."""

    rating: float = 0.0  # of share x rating
    deviation: float = 0.0  # of share x deviation; of one member no root has to be taken
    variance: float = 0.0  # of share^2 x deviation^2
    shares: float = 0.0
    members: float = 0.0


class Evidence(NamedTuple):
    """Sums over games of a side or a member; fields that only `due` reads are 0 for a member."""

    precision: float = 0.0  # sum of q^2 g^2 E (1 - E), 1 / points^2
    surplus: float = 0.0  # sum of q g (s - E), 1 / points
    lead: float = 0.0  # points
    unknown: float = 0.0  # variance of the other sides, points^2


def g(deviation: float) -> float:
    """The factor in (0, 1] by which uncertainty shrinks a rating difference."""
    spread = Q * deviation / pi
    return 1.0 / sqrt(1.0 + 3.0 * spread * spread)


def gap(p: Any, mine: Side, theirs: Side, game: Game) -> float:
    """The lead of the mean of `mine` over that of `theirs`, in points."""
    ahead: float = mine.rating / mine.shares + game.side * p.advantage
    return ahead - theirs.rating / theirs.shares


def deviation_of(side: Side) -> float:
    """RD of a side's mean."""
    return (side.deviation if side.members < 2.0 else sqrt(side.variance)) / side.shares


def joint_deviation(mine: Side, theirs: Side) -> float:
    """The standard deviation of the difference of two sides' means, in points."""
    one, other = deviation_of(mine), deviation_of(theirs)
    return sqrt(one * one + other * other)


def drift(p: Params, me: Rating, elapsed: float) -> Rating:
    """The rating after `elapsed` idle periods: the rating stays, the deviation grows."""
    grown = sqrt(me.deviation * me.deviation + p.drift * p.drift * elapsed)
    return Rating(me.rating, max(me.deviation, min(grown, p.deviation_max)))


def part(p: Any, me: Any, share: float) -> Side:
    """A member's part of a side."""
    deviation = share * me.deviation
    return Side(share * me.rating, deviation, deviation * deviation, share, 1.0)


def expected_score(p: Params, mine: Side, theirs: Side, game: Game) -> float:
    """The expected score, which allows for both deviations."""
    return logistic(Q * g(joint_deviation(mine, theirs)) * gap(p, mine, theirs, game))


def evidence(p: Params, mine: Side, theirs: Side, game: Game) -> Evidence:
    """The precision a game adds and the surplus it shows, discounted by the opponent's g."""
    unknown, lead = deviation_of(theirs), gap(p, mine, theirs, game)
    weight = Q * g(unknown)
    e = logistic(weight * lead)
    precision, surplus = weight * weight * e * (1.0 - e), weight * (game.score - e)
    return Evidence(precision, surplus, lead, unknown * unknown)


def due(p: Params, me: Rating, share: float, mine: Side, one: Evidence) -> Evidence:
    """A member's part of the evidence, discounted also by the other members' deviations."""
    if mine.members < 2.0:  # alone
        return Evidence(one.precision, one.surplus, 0.0, 0.0)
    part_of = share / mine.shares
    own, all_members = part_of * me.deviation, deviation_of(mine)
    rest = one.unknown + all_members * all_members - own * own
    side_weight, member_weight = Q * g(sqrt(one.unknown)), Q * g(sqrt(rest))
    e = logistic(member_weight * one.lead)
    score = one.surplus / side_weight + logistic(side_weight * one.lead)
    return Evidence(
        part_of * part_of * member_weight * member_weight * e * (1.0 - e),
        part_of * member_weight * (score - e),
        0.0,
        0.0,
    )


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    """Precisions add; the rating moves by the new variance times the surplus."""
    known = me.deviation * me.deviation
    variance = known / (1.0 + known * total.precision)  # 1 / (1 / known + precision)
    return Rating(me.rating + variance * total.surplus, sqrt(variance))


def credit(p: Params, me: Rating, after: Rating, one: Evidence) -> float:
    """The points that one game contributed: the new variance times its surplus."""
    return after.deviation * after.deviation * one.surplus


GLICKO = Dynamic(
    name="glicko",
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
)
