"""Weng-Lin: Bayesian ratings for any number of players and sides, from Bradley-Terry pairs.

Formula   mu_i = sum of mu over the members of side i, sigma_i^2 = sum of sigma^2
          c_iq = sqrt(sigma_i^2 + sigma_q^2 + 2 beta^2),   gamma = sigma_i / c
          weng_lin, Bradley-Terry with full pairing:  p = 1 / (1 + e^((mu_q - mu_i) / c))
          Omega_i  = sum over q of (sigma_i^2 / c) (s - p)
          Delta_i  = sum over q of gamma (sigma_i^2 / c^2) p (1 - p)
          weng_lin_tm, Thurstone-Mosteller with full pairing:  x = (mu_i - mu_q) / c,
          t = epsilon / c, V and W of a normal value around x that is above t (won), below -t
          (lost), between (drawn)
          Omega_i  = sum over q of (sigma_i^2 / c) V,  Delta_i = sum of gamma (sigma_i^2 / c^2) W
          weng_lin_pl, Plackett-Luce:  c = sqrt(sum over sides of sigma_q^2 + beta^2),
          C_q the sides not placed better than q, A_q how many share the place of q,
          p_iq = e^(mu_i / c) / sum over s in C_q of e^(mu_s / c), sums over q not placed worse
          Omega_i  = (sigma_i^2 / c) sum of ([q = i] - p_iq) / A_q
          Delta_i  = gamma (sigma_i^2 / c^2) sum of p_iq (1 - p_iq) / A_q
          weng_lin_partial, weng_lin_tm_partial:  the two with pairs, but sums over those q only
          whose position is at most `window` from that of i, divided by their number (combine =
          mean) or not (sum); weng_lin_tm_partial takes 2 c for c
          of which a member with sigma^2 gets the part sigma^2 / sigma_i^2, then
          mu'      = mu + Omega,  sigma' = sigma sqrt(max(1 - Delta, kappa))
          with tau > 0, sigma^2 + tau^2 stands for sigma^2 throughout; limit_sigma = yes lets no
          sigma grow
Source    R. C. Weng and C.-J. Lin, "A Bayesian approximation method for online ranking",
          Journal of Machine Learning Research 12 (2011), algorithms 1 to 4; algorithm 1 is
          linked from "Darkcanuck/RRServer/Ratings", RoboWiki.
Units     rating (mu), deviation (sigma), beta, tau, epsilon, advantage: points, 25 and 25/3 for a
          newcomer; beta is how much one performance scatters. Time plays no part.
Differs   tau, a little uncertainty that every round brings back, is not in the paper; 0, the
          default, leaves it out. The advantage of a side is added to its rating before p; 0
          gives the paper's system. A game of weight w counts as w games. A member with share h
          brings h mu and h^2 sigma^2 to a side. Tied sides share their places; nothing is
          averaged afterwards. With Plackett-Luce five equals placed 1, 1, 2, 3, 4 leave the third
          above the joint winners: where ties are common, take another model. Pairs of neighbours
          are the paper's with window = 1, combine = sum; the defaults, and 2 c, are those of
          openskill. The position of tied sides is the mean of the positions that they hold, so
          that the order of rows decides nothing (openskill: the order of input).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import exp, sqrt
from typing import Annotated, Any, NamedTuple

from prowess.engine.numeric import logistic, normal_below, truncated_by_score
from prowess.engine.system import Chances, Choice, Dynamic, Game, Range

Start = Annotated[float, Range(-10000.0, 10000.0, "points"), "rating of a newcomer"]
StartDeviation = Annotated[float, Range(0.1, 1000.0, "points"), "deviation of a newcomer"]
Beta = Annotated[float, Range(0.1, 1000.0, "points"), "scatter of one performance"]
Epsilon = Annotated[float, Range(0.0, 1000.0, "points"), "lead below which a game is drawn"]
Kappa = Annotated[float, Range(1e-6, 1.0), "least part of a variance that a round leaves"]
Tau = Annotated[float, Range(0.0, 100.0, "points per sqrt(round)"), "uncertainty a round adds"]
Limit = Annotated[float, Choice("no", "yes"), "whether a deviation may never grow"]
Advantage = Annotated[float, Range(-100.0, 100.0, "points"), "lead of the side with the advantage"]
Window = Annotated[float, Range(1.0, 10000.0, "positions"), "most places between neighbours"]
Combine = Annotated[float, Choice("mean", "sum"), "how a side's pairs are put together"]


class Params(NamedTuple):
    """Settings; the defaults are the paper's."""

    start: Start = 25.0
    start_deviation: StartDeviation = 25.0 / 3.0
    beta: Beta = 25.0 / 6.0
    kappa: Kappa = 1e-4
    tau: Tau = 0.0
    limit_sigma: Limit = 0.0
    advantage: Advantage = 0.0


class MarginParams(NamedTuple):
    """Settings of the model with draws."""

    start: Start = 25.0
    start_deviation: StartDeviation = 25.0 / 3.0
    beta: Beta = 25.0 / 6.0
    epsilon: Epsilon = 0.1
    kappa: Kappa = 1e-4
    tau: Tau = 0.0
    limit_sigma: Limit = 0.0
    advantage: Advantage = 0.0


class PartialParams(NamedTuple):
    """Settings of pairs of neighbours."""

    start: Start = 25.0
    start_deviation: StartDeviation = 25.0 / 3.0
    beta: Beta = 25.0 / 6.0
    window: Window = 4.0
    combine: Combine = 0.0
    kappa: Kappa = 1e-4
    tau: Tau = 0.0
    limit_sigma: Limit = 0.0
    advantage: Advantage = 0.0


class PartialMarginParams(NamedTuple):
    """Settings of pairs of neighbours in the model with draws."""

    start: Start = 25.0
    start_deviation: StartDeviation = 25.0 / 3.0
    beta: Beta = 25.0 / 6.0
    epsilon: Epsilon = 0.1
    window: Window = 4.0
    combine: Combine = 0.0
    kappa: Kappa = 1e-4
    tau: Tau = 0.0
    limit_sigma: Limit = 0.0
    advantage: Advantage = 0.0


AnyParams = Params | MarginParams | PartialParams | PartialMarginParams


class Rating(NamedTuple):
    """A player's rating mu and deviation sigma."""

    rating: float = 25.0
    deviation: float = 25.0 / 3.0


class Side(NamedTuple):
    """Sums over the members of a side."""

    rating: float = 0.0  # mu_i
    variance: float = 0.0  # sigma_i^2


class Evidence(NamedTuple):
    """The update of a side or a member, summed over the other sides of a round."""

    omega: float = 0.0  # points of mu
    delta: float = 0.0  # part of sigma^2 that is lost


def variance(p: AnyParams, player: Rating) -> float:
    """sigma^2 as a round begins."""
    return player.deviation * player.deviation + p.tau * p.tau


def part(p: AnyParams, me: Rating, share: float) -> Side:
    """A member's part of a side."""
    return Side(share * me.rating, share * share * variance(p, me))


def due(p: AnyParams, me: Rating, share: float, mine: Side, one: Evidence) -> Evidence:
    """A member's part: evidence is divided in proportion to the variances."""
    known = share * variance(p, me) / mine.variance
    return Evidence(known * one.omega, share * known * one.delta)


def absorb(p: AnyParams, me: Rating, total: Evidence) -> Rating:
    """mu moves by Omega; sigma^2 shrinks by the factor 1 - Delta, at least kappa."""
    shrunk = variance(p, me) * max(1.0 - total.delta, p.kappa)
    deviation = sqrt(shrunk)
    if p.limit_sigma == 1.0:
        deviation = min(deviation, me.deviation)
    return Rating(me.rating + total.omega, deviation)


def credit(p: AnyParams, me: Rating, after: Rating, one: Evidence) -> float:
    """The points that one game contributed: its part of Omega."""
    return one.omega


def scatter(p: AnyParams, mine: Side, theirs: Side) -> float:
    """c: the deviation of the difference of two performances."""
    return sqrt(mine.variance + theirs.variance + 2.0 * p.beta * p.beta)


def lead(p: AnyParams, mine: Side, theirs: Side, game: Game, c: float) -> float:
    """(mu_i - mu_q) / c, with the advantage of a side."""
    return (mine.rating + game.side * p.advantage - theirs.rating) / c


def expected_score(p: Params, mine: Side, theirs: Side, game: Game) -> float:
    """The expected score, the probability that the update uses."""
    return logistic(lead(p, mine, theirs, game, scatter(p, mine, theirs)))


def evidence(p: Params, mine: Side, theirs: Side, game: Game) -> Evidence:
    """Bradley-Terry: one other side's part of Omega and Delta."""
    c = scatter(p, mine, theirs)
    e = logistic(lead(p, mine, theirs, game, c))
    return of_side(mine, c, game.score - e, e * (1.0 - e))


def of_side(mine: Side, c: float, shift: float, lost: float) -> Evidence:
    """Omega and Delta from the shift and the lost variance of a pair on the scale of c."""
    gamma = sqrt(mine.variance) / c
    return Evidence(mine.variance / c * shift, gamma * mine.variance / (c * c) * lost)


WENG_LIN = Dynamic(
    name="weng_lin",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    expected=expected_score,
    side=Side(),
    part=part,
    evidence=evidence,
    due=due,
    absorb=absorb,
    credit=credit,
)


class MarginModel(NamedTuple):
    """The functions of Thurstone-Mosteller's model."""

    chances: Callable[..., Chances]
    evidence: Callable[..., Evidence]
    performance: Callable[..., tuple[float, float]]


def margin_model(width: float) -> MarginModel:
    """Thurstone-Mosteller with `width` times c for c."""

    def chances(p: MarginParams, mine: Side, theirs: Side, game: Game) -> Chances:
        c = width * scatter(p, mine, theirs)
        x, t = lead(p, mine, theirs, game, c), p.epsilon / c
        return Chances(normal_below(x - t), normal_below(t - abs(x)) - normal_below(-t - abs(x)))

    def evidence(p: MarginParams, mine: Side, theirs: Side, game: Game) -> Evidence:
        c = width * scatter(p, mine, theirs)
        seen = truncated_by_score(lead(p, mine, theirs, game, c), p.epsilon / c, game.score)
        return of_side(mine, c, seen.shift, seen.lost)

    def performance(p: MarginParams, mine: Side) -> tuple[float, float]:
        return mine.rating, width * sqrt(mine.variance + p.beta * p.beta)

    return MarginModel(chances, evidence, performance)


margin = margin_model(1.0)
WENG_LIN_TM = replace(
    WENG_LIN,
    name="weng_lin_tm",
    summary="Weng-Lin by Thurstone-Mosteller: normal performances, and forecasts of draws.",
    params=MarginParams(),
    expected=None,  # type: ignore[arg-type] # follows from the chances
    chances=margin.chances,
    evidence=margin.evidence,
    performance=margin.performance,
    normal=True,
)


def ranking(p: Params, sides: Any, place: Any, out: Any) -> None:
    """Plackett-Luce: Omega and Delta of every side of a contest."""
    n, total = len(place), 0.0
    for s in range(n):
        total += sides.variance[s] + p.beta * p.beta
    c = sqrt(total)
    for q in range(n):
        best, tied = sides.rating[q], 0.0
        for s in range(n):
            if place[s] >= place[q]:
                best = max(best, sides.rating[s])
            if place[s] == place[q]:
                tied += 1.0
        left = 0.0  # sum over C_q, e^(best / c) taken out so that nothing overflows
        for s in range(n):
            if place[s] >= place[q]:
                left += exp((sides.rating[s] - best) / c)
        for i in range(n):
            if place[i] >= place[q]:
                chance = exp((sides.rating[i] - best) / c) / left
                won = 1.0 if i == q else 0.0
                out.omega[i] += (won - chance) / tied
                out.delta[i] += chance * (1.0 - chance) / tied
    for i in range(n):
        gamma = sqrt(sides.variance[i]) / c
        out.omega[i] *= sides.variance[i] / c
        out.delta[i] *= gamma * sides.variance[i] / (c * c)


# of two sides it is Bradley-Terry's
WENG_LIN_PL = replace(
    WENG_LIN,
    name="weng_lin_pl",
    summary="Weng-Lin by Plackett-Luce: the order of a contest as a whole, not its pairs.",
    contest=ranking,
)


def position(place: Any, i: int) -> float:
    """The position of a side in its contest; of tied sides the mean of theirs."""
    better, tied = 0.0, 0.0
    for q in range(len(place)):
        if place[q] < place[i]:
            better += 1.0
        elif place[q] == place[i]:
            tied += 1.0
    return better + 0.5 * (tied - 1.0)


def against(place: float, other: float) -> Game:
    """The game between two sides of a contest, as the first sees it."""
    score = 1.0 if place < other else 0.5 if place == other else 0.0
    return Game(score, 0.0, 0.0, 0.0, 0.0, 0.0)


class Room(NamedTuple):
    """Columns that a contest works on."""

    position: float = 0.0


def by_neighbours(evidence: Callable[..., Evidence]) -> Callable[..., None]:
    """The function that judges a whole contest by pairs of neighbours."""

    def judge(p: PartialParams, sides: Any, place: Any, out: Any, room: Any) -> None:
        n, at = len(place), room.position
        for i in range(n):
            at[i] = position(place, i)
        for i in range(n):
            mine, count = Side(sides.rating[i], sides.variance[i]), 0.0
            for q in range(n):
                if q != i and abs(at[q] - at[i]) <= p.window:
                    theirs = Side(sides.rating[q], sides.variance[q])
                    one = evidence(p, mine, theirs, against(place[i], place[q]))
                    out.omega[i] += one.omega
                    out.delta[i] += one.delta
                    count += 1.0
            if p.combine == 0.0 and count > 0.0:
                out.omega[i] /= count
                out.delta[i] /= count

    return judge


WENG_LIN_PARTIAL = replace(
    WENG_LIN,
    name="weng_lin_partial",
    summary="Weng-Lin by neighbours: of a contest only the pairs placed close together.",
    params=PartialParams(),
    contest=by_neighbours(evidence),
    room=Room(),
)
wide_margin = margin_model(2.0)
WENG_LIN_TM_PARTIAL = replace(
    WENG_LIN_TM,
    name="weng_lin_tm_partial",
    summary="Weng-Lin by Thurstone-Mosteller and neighbours: draws, and only pairs placed close.",
    params=PartialMarginParams(),
    chances=wide_margin.chances,
    evidence=wide_margin.evidence,
    performance=wide_margin.performance,
    contest=by_neighbours(wide_margin.evidence),
    room=Room(),
)
