"""Weng-Lin, Bradley-Terry with full pairing: Bayesian ratings for any number of players.

Formula   c_ij     = sqrt(sigma_i^2 + sigma_j^2 + 2 beta^2)
          p_ij     = 1 / (1 + e^((mu_j - mu_i) / c_ij))
          Omega_i  = sum over j of (sigma_i^2 / c_ij) (s_ij - p_ij)
          Delta_i  = sum over j of (sigma_i / c_ij)^3 p_ij (1 - p_ij)
          mu_i'    = mu_i + Omega_i
          sigma_i' = sigma_i sqrt(max(1 - Delta_i, kappa))
          with tau > 0, sigma^2 + tau^2 stands for sigma^2 throughout
Source    R. C. Weng and C.-J. Lin, "A Bayesian approximation method for online ranking",
          Journal of Machine Learning Research 12 (2011), algorithm 1, for sides of one player,
          with gamma = sigma_i / c_ij; linked from "Darkcanuck/RRServer/Ratings", RoboWiki.
Units     rating (mu), deviation (sigma), beta, tau, advantage: points, 25 and 25/3 for a
          newcomer; beta is how much one performance scatters. Time plays no part.
Differs   tau, a little uncertainty that every round brings back, is not in the paper; 0, the
          default, leaves it out. The advantage of a side is added to its rating before p; 0
          gives the paper's system. A game of weight w counts as w games.
"""

from __future__ import annotations

from math import sqrt
from typing import Annotated, NamedTuple

from prowess.engine.numeric import logistic
from prowess.engine.system import Dynamic, Game, Range


class Params(NamedTuple):
    """Settings; the defaults are the paper's."""

    start: Annotated[float, Range(-10000.0, 10000.0, "points")] = 25.0
    start_deviation: Annotated[float, Range(0.1, 1000.0, "points")] = 25.0 / 3.0
    beta: Annotated[float, Range(0.1, 1000.0, "points")] = 25.0 / 6.0
    kappa: Annotated[float, Range(1e-6, 1.0, "least factor of sigma^2")] = 1e-4
    tau: Annotated[float, Range(0.0, 100.0, "points per sqrt(round)")] = 0.0
    advantage: Annotated[float, Range(-100.0, 100.0, "points")] = 0.0


class Rating(NamedTuple):
    """What is known of a player: mu and sigma."""

    rating: float = 25.0
    deviation: float = 25.0 / 3.0


class Evidence(NamedTuple):
    """What the opponents of a round say about a player."""

    omega: float = 0.0  # points of mu
    delta: float = 0.0  # part of sigma^2 that is lost


def variance(p: Params, player: Rating) -> float:
    """sigma^2 as a round begins."""
    return player.deviation * player.deviation + p.tau * p.tau


def scatter(p: Params, me: Rating, opponent: Rating) -> float:
    """c: the deviation of the difference of two performances."""
    return sqrt(variance(p, me) + variance(p, opponent) + 2.0 * p.beta * p.beta)


def chance(p: Params, me: Rating, opponent: Rating, game: Game, c: float) -> float:
    """p: the probability of performing better."""
    return logistic((me.rating + game.side * p.advantage - opponent.rating) / c)


def newcomer(p: Params) -> Rating:
    """A player nobody has seen yet."""
    return Rating(p.start, p.start_deviation)


def expected(p: Params, me: Rating, opponent: Rating, game: Game) -> float:
    """The forecast, which is the probability the update uses."""
    return chance(p, me, opponent, game, scatter(p, me, opponent))


def evidence(p: Params, me: Rating, opponent: Rating, game: Game) -> Evidence:
    """One opponent's part of Omega and Delta."""
    c = scatter(p, me, opponent)
    e = chance(p, me, opponent, game, c)
    mine = variance(p, me)
    gamma = sqrt(mine) / c
    return Evidence(
        mine / c * (game.score - e),
        gamma * mine / (c * c) * e * (1.0 - e),
    )


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    """mu moves by Omega; sigma shrinks by Delta, never to nothing."""
    shrunk = variance(p, me) * max(1.0 - total.delta, p.kappa)
    return Rating(me.rating + total.omega, sqrt(shrunk))


def credit(p: Params, me: Rating, after: Rating, one: Evidence) -> float:
    """The points one opponent brought: his part of Omega."""
    return one.omega


WENG_LIN = Dynamic(
    name="weng_lin",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    expected=expected,
    evidence=evidence,
    absorb=absorb,
    newcomer=newcomer,
    credit=credit,
)
