"""Smith: Elo with any win probability curve, and a step that may shrink.

Formula   dyn(x)  = h wp(-x), x = R_winner - R_loser                              (EQ 68)
          winner  + dyn / 2, loser - dyn / 2                                      (EQ 66)
          draw    h (1/2 - wp(x)) / 2, which is the same formula: h (S - wp) / 2
          h       constant, or by the games G1, G2 played before this one:
          h       = min(h_cap, C (max(1, G1) max(1, G2))^(-1/3))
          C       = 3^(-1/3) (sqrt(wp'(s)) s^2 / (p q))^(2/3), p = 1 - q = wp(s)    (EQ 95)
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5, 28 July 1994, sections 3, 5 and 8.2; wp: EQ 17 to 42.
Units     rating, h, sigma (s: the typical difference of two players): points. Scale: points of
          ten to one odds on the logistic curve (400: the form of the Internet chess server),
          two standard deviations of a player on the normal one (400: 200 each, chess);
          timesharing and stob curves have the logistic slope of that scale at 0.
Differs   h is Elo's 2 K: each of the two moves by half of dyn. G is at least 1 and both players
          use the same h, so the sum of ratings stays. A cap above 2 / max wp' (EQ 79) or of 0
          means that bound, below which every game is expected to shrink the error; h_min is an
          optional least h. `model`: published is EQ 95; lifetime follows the error of a player
          who starts at the mean and approaches their strength exponentially,
          h = 2 s sqrt(wp'(s) / (p q w)) (G1 G2)^(-1/4), w the mean of wp' over differences of
          standard deviation s sqrt 2. A side advantage is added to x; 0 gives the report's
          system. In a contest of n each pair counts 1 / (n - 1).
"""

from __future__ import annotations

from dataclasses import replace
from math import exp, log, pi, sqrt
from typing import Annotated, NamedTuple

from prowess.engine.params import Advantage, EloStart, H, HOf, Sigma
from prowess.engine.system import Choice, Dynamic, Game, Range, credit_change, share_of_contest
from prowess.engine.win_probability import (
    LOGISTIC,
    NORMAL,
    Curve,
    CurveScale,
    log_win_probability,
    slope,
    steepness,
    win_probability,
)

CONSTANT, GAMES = range(2)  # of h_of
PUBLISHED, LIFETIME = range(2)  # of model
NODE = 0.25  # standard deviations between the nodes of the mean slope
NODES_PER_SIDE = 32  # out to 8 standard deviations


class Params(NamedTuple):
    h: H = 64.0
    curve: Curve = LOGISTIC
    scale: CurveScale = 400.0
    h_of: HOf = CONSTANT
    model: Annotated[int, Choice("published", "lifetime"), "how h shrinks with games"] = PUBLISHED
    sigma: Sigma = 324.0
    h_cap: Annotated[float, Range(0, 2000, "points; 0: the bound 2 / max wp'"), "greatest h"] = 0.0
    h_min: Annotated[float, Range(0, 400, "points"), "least h"] = 0.0
    advantage: Advantage = 0.0
    start: EloStart = 1500.0


class Rating(NamedTuple):
    rating: float = 1500.0
    games: float = 0.0


class Evidence(NamedTuple):
    change: float = 0.0  # h (S - wp) / 2
    games: float = 0.0


def expected_score(p: Params, me: Rating, opponent: Rating, game: Game) -> float:
    """wp(x): the expected score."""
    x = me.rating - opponent.rating + p.advantage * game.side
    return win_probability(p.curve, x, steepness(p.curve, p.scale))


def h_bound(p: Params) -> float:
    """2 / max wp' (EQ 79): below it every game is expected to shrink the error."""
    return 2.0 / slope(p.curve, 0.0, steepness(p.curve, p.scale))


def mean_slope(p: Params) -> float:
    """The mean of wp'(D) over normal D of standard deviation sigma sqrt 2."""
    q, wide = steepness(p.curve, p.scale), NODE * p.sigma * sqrt(2.0)
    total = 0.5 * slope(p.curve, 0.0, q)
    for node in range(1, NODES_PER_SIDE + 1):
        z = node * NODE
        total += slope(p.curve, node * wide, q) * exp(-0.5 * z * z)
    return 2.0 * NODE / sqrt(2.0 * pi) * total


def first_h(p: Params) -> float:
    """C: what h would be for two players with one game each, if nothing capped it."""
    q = steepness(p.curve, p.scale)
    log_slope = log(slope(p.curve, p.sigma, q))
    log_pq = log_win_probability(p.curve, p.sigma, q) + log_win_probability(p.curve, -p.sigma, q)
    if p.model == PUBLISHED:
        return exp((log_slope + 4.0 * log(p.sigma) - log(3.0) - 2.0 * log_pq) / 3.0)
    return 2.0 * p.sigma * exp(0.5 * (log_slope - log_pq - log(mean_slope(p))))


def h_of_game(p: Params, mine: float, theirs: float) -> float:
    """h, the most that a game can move a difference, after so many games of both."""
    if p.h_of == CONSTANT:
        return p.h
    power = 1.0 / 3.0 if p.model == PUBLISHED else 0.25
    h = first_h(p) * exp(-power * log(max(1.0, mine) * max(1.0, theirs)))
    bound = h_bound(p)
    cap = min(p.h_cap, bound) if p.h_cap > 0.0 else bound
    return min(cap, max(p.h_min, h))


def evidence(p: Params, me: Rating, opponent: Rating, game: Game) -> Evidence:
    """Half of dyn, won or lost."""
    h = h_of_game(p, me.games, opponent.games)
    return Evidence(0.5 * h * (game.score - expected_score(p, me, opponent, game)), 1.0)


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    """The rating after the points of the round."""
    return Rating(me.rating + total.change, me.games + total.games)


SMITH = Dynamic(
    name="smith",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    expected=expected_score,
    evidence=evidence,
    absorb=absorb,
    credit=credit_change,
    pair_weight=share_of_contest,
    keeps_sum=True,
)
SMITH_BY_GAMES = replace(
    SMITH,
    name="smith_by_games",
    summary="Smith by games: the step shrinks with the games that both have played.",
    params=Params(h_of=GAMES),
)
NORMAL_ELO = replace(
    SMITH,
    name="normal_elo",
    summary="Normal Elo: Elo on the normal curve in place of the logistic one.",
    params=Params(curve=NORMAL),
    normal=True,
)
