"""How far ratings wander about constant strengths when every game moves them.

Formula   x' = x + h (S - wp(x)), S = 1 with the chance wp(R_0)                  (EQ 82)
          Var x  = h p q / (2 w)                   a difference of two who play one another
          linear = h p q / (w (2 - h w))           the same, exact if wp were a straight line
          bias   = (2 p - 1) h / 4                 by which the mean of x exceeds R_0
          Var R  = (1 - 1/N) h p q / (4 w)         a player of a league of N under EQ 66
          F      = sum (R - S)^2 has the mean (N - 1) h p q / (4 w)
          p = 1 - q = wp(R_0), w = wp'(R_0)
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), section 6.2 (EQ 82 to 91) and Claim 10 (EQ 96, 97).
Units     h, R_0, deviations, bias: points; F: points squared.
Differs   Erratum: between EQ 83 and EQ 87 the second derivative gets p^2 (...)^2 + q^2 (...)^2
          where the expansion has p (...)^2 + q (...)^2, so that EQ 91, kept here as
          `published_difference`, is too small by the factor sqrt(2 p q). All are results to
          first order in h; at h = 64 in chess simulated deviations are 3 to 5 percent larger.
          For the logistic curve p q / w = 1 / Q wherever it is taken, so every formula holds for
          leagues of unequal players and for every way of pairing them; on other curves R_0 is the
          typical difference of two who meet.
          Claim 10 (F < N h kappa^2 almost surely) fails: F fluctuates like h p q / (4 w) times
          chi-square of N - 1 degrees of freedom, which is above that bound 4 times in 10.
"""

from __future__ import annotations

from math import sqrt

from prowess.engine.params import BadSetting
from prowess.theory.bounds import largest_h, spread
from prowess.theory.wp import WinProbability


def variance_of_score(wp: WinProbability, difference: float) -> float:
    """p q: the variance of the score of one game."""
    return wp(difference) * wp(-difference)


def variance_per_h(wp: WinProbability, difference: float) -> float:
    """p q / (4 w) in points: of a player of a large league; 1 / (4 Q) anywhere on the logistic."""
    if not wp.slope(difference) > 0.0:
        raise BadSetting(
            f"at a difference of {difference:g} the {wp.name} curve does not rise any more, "
            "so games say nothing there: take a smaller one"
        )
    return spread(wp, difference)


def difference_deviation(wp: WinProbability, h: float, difference: float) -> float:
    """The deviation of the difference of two players who play one another, sqrt(h p q / 2 w)."""
    return sqrt(2.0 * step(wp, h) * variance_per_h(wp, difference))


def linear_difference(wp: WinProbability, h: float, difference: float) -> float:
    """The same to all orders in h if wp were straight: sqrt(h p q / (w (2 - h w)))."""
    left = 2.0 - step(wp, h) * wp.slope(difference)
    return sqrt(4.0 * h * variance_per_h(wp, difference) / left)


def published_difference(wp: WinProbability, h: float, difference: float) -> float:
    """The same as EQ 91 has it, too small by sqrt(2 p q): p q sqrt(h / w)."""
    score = variance_of_score(wp, difference)
    return sqrt(4.0 * step(wp, h) * score * variance_per_h(wp, difference))


def overstretch(wp: WinProbability, h: float, difference: float) -> float:
    """By how much the mean difference exceeds the true one, to second order: (2 p - 1) h / 4."""
    return 0.25 * step(wp, h) * (2.0 * wp(difference) - 1.0)


def player_deviation(
    wp: WinProbability, h: float, players: float, difference: float = 0.0
) -> float:
    """The deviation of one player's rating in a league of so many; `inf` players are allowed."""
    if not players >= 2.0:
        raise BadSetting(f"a league of {players:g} players plays no games: two at least")
    return sqrt((1.0 - 1.0 / players) * step(wp, h) * variance_per_h(wp, difference))


def error_figure(wp: WinProbability, h: float, players: float, difference: float = 0.0) -> float:
    """The mean of F, the sum of all players' squared errors (EQ 96), after a long time."""
    deviation = player_deviation(wp, h, players, difference)
    return players * deviation * deviation


def step(wp: WinProbability, h: float) -> float:
    """h itself, if games shrink the error with it; raises BadSetting otherwise."""
    most = largest_h(wp)
    if not 0.0 < h < most:
        raise BadSetting(
            f"h = {h:g} must be above 0 and below 2 / max wp' = {most:.5g} (EQ 79): "
            "with more, games do not make ratings better"
        )
    return h
