"""The error of a rating, and the h that minimises it.

Formula   noise^2 = transient^2 + fluctuation^2 + T^2

    model       transient^2            fluctuation^2       best h
    published   s^4 / (12 G^2 h^2)     (h/2) (p q)^2 / w   3^(-1/3) (sqrt(w) s^2 / (p q G))^(2/3)
    corrected   s^4 / (12 G^2 h^2)     h p q / (4 w)       (2 w s^4 / (3 p q G^2))^(1/3)
    lifetime    s_0^2 (1 - e^-u) / u   h p q / (4 w)       near 2 s_0 sqrt(w / (p q v G))
          u = h v G, v = the mean of wp' over N(0, 2 s^2)
          s: the typical difference of two players, G: games in a player's life, T: triangle noise,
          s_0: the error a player starts with (s if the start is the mean),
          p = 1 - q = wp(d), w = wp'(d) at the difference d of two who meet: s, or 0 of footnote 13

Fluctuation: ratings move about constant strengths because every game moves them.

          x' = x + h (S - wp(x)), S = 1 with the chance wp(R_0)                  (EQ 82)
          Var x  = h p q / (2 w)                   a difference of two who play one another
          linear = h p q / (w (2 - h w))           the same, exact if wp were a straight line
          bias   = (2 p - 1) h / 4                 by which the mean of x exceeds R_0
          Var R  = (1 - 1/N) h p q / (4 w)         a player of a league of N under EQ 66
          F      = sum (R - S)^2 has the mean (N - 1) h p q / (4 w)
          p = 1 - q = wp(R_0), w = wp'(R_0)
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), section 6.2 (EQ 81 to 98, footnote 13) and Claim 10.
Units     s, s_0, T, d, h, R_0, deviations, bias: points; F: points squared; G: games.
Differs   `published` reproduces every number the report prints. Errata: EQ 81 as printed is twice
          the transient that EQ 95 and 98 use. Between EQ 83 and EQ 87 the second derivative gets
          p^2 (...)^2 + q^2 (...)^2 where the expansion has p (...)^2 + q (...)^2, so that EQ 91,
          kept here as `published_difference`, is too small by the factor sqrt(2 p q);
          `corrected`, the default, mends that alone. The transient itself averages errors where
          squares should be averaged and lets players move by h a game, where they move by h/2 at
          most and ever slower; `lifetime`, not in the report, follows an exponential approach and
          is the only one near simulated leagues: within 7 percent at G = 35, 14 at G = 160, 6 at
          G = 1000 for h up to 128. With (G_1 G_2)^(1/2) for G the best h of `published` is the h
          of games played (8.2).
          All fluctuations are of first order in h; at h = 64 in chess simulated deviations are 3
          to 5 percent larger. For the logistic curve p q / w = 1 / Q at every difference, so the
          formulas hold for leagues of unequal players and every pairing; on other curves R_0 is
          the typical difference of two who meet. Claim 10 (F < N h kappa^2 almost surely) fails: F
          fluctuates like h p q / (4 w) times chi-square of N - 1 degrees of freedom, which is
          above that bound 4 times in 10.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, inf, pi, sqrt

import numpy as np

from prowess.engine.numeric import LN10
from prowess.engine.params import BadSetting
from prowess.theory.updates import largest_h, spread
from prowess.theory.wp import WinProbability, find_curve

NOISE_MODELS = ("corrected", "published", "lifetime")
ERROR_PARTS = ("transient", "fluctuation", "triangle")  # of `Noise`
CHESS = find_curve("logistic", LN10 / 400.0)  # points of 400 for odds of ten to one
MAX_Z = 9.0  # deviations, for the mean of wp'; the rest is below 1e-18


@dataclass(frozen=True)
class PlayerLife:
    """The games and strengths of a player's life: all that noise depends on besides h."""

    games: float  # G, in a life
    spread: float  # s: the typical difference of two players
    wp: WinProbability = CHESS
    difference: float | None = None  # d; None: as the spread
    start_error: float | None = None  # s_0, of `lifetime` alone; None: as the spread
    triangle: float = 0.0  # T

    def __post_init__(self) -> None:
        """Check the values; raises BadSetting."""
        for name, least in (("games", 1.0), ("spread", 0.0), ("triangle", 0.0)):
            value = getattr(self, name)
            above = value > 0.0 if name == "spread" else value >= least
            if not (above and value < inf):
                word = "above" if name == "spread" else "at least"
                raise BadSetting.of(
                    "constant_out_of_range.noise", name=name, word=word, least=least, value=value
                )
        if self.start_error is not None and not 0.0 <= self.start_error < inf:
            raise BadSetting.of("constant_out_of_range.start_error", start_error=self.start_error)

    @property
    def met(self) -> float:
        """d: the difference of two who meet."""
        return self.spread if self.difference is None else self.difference

    @property
    def first_error(self) -> float:
        """s_0: the error of a newcomer's rating."""
        return self.spread if self.start_error is None else self.start_error


@dataclass(frozen=True)
class Noise:
    """The parts of a rating's error, as deviations in points."""

    transient: float  # the rating still approaches the strength
    fluctuation: float  # results by chance
    triangle: float  # results that no order of players explains

    @property
    def total(self) -> float:
        """The root of the sum of squares (EQ 92)."""
        return sqrt(
            self.transient * self.transient
            + self.fluctuation * self.fluctuation
            + self.triangle * self.triangle
        )


def noise(career: PlayerLife, h: float, model: str = "corrected") -> Noise:
    """Return the error of an average player's rating, averaged over their life."""
    fluctuation = sqrt(check_h(career.wp, h) * fluctuation_per_h(career, model))
    if model == "lifetime":
        transient = career.first_error * sqrt(_mean_decay(h * mean_slope(career) * career.games))
    else:
        transient = career.spread * career.spread / (sqrt(12.0) * career.games * h)
    return Noise(transient, fluctuation, career.triangle)


def best_h(career: PlayerLife, model: str = "corrected") -> float:
    """Return the h with the least noise, at most the bound of EQ 79; 0 if no h improves the start.

    Under `lifetime` that is so when s_0^2 v G / 2 < p q / (4 w): few games, good starts.
    """
    from scipy.optimize import brentq

    per_h = fluctuation_per_h(career, model)
    most = largest_h(career.wp)
    if model != "lifetime":
        s = career.spread * career.spread / career.games
        return min(most, float(np.cbrt(s * s / (6.0 * per_h))))
    gain = career.first_error * career.first_error * mean_slope(career) * career.games
    low, high = 0.0, most * mean_slope(career) * career.games  # of u = h v G
    if gain * _fall(low) <= per_h or gain * _fall(high) >= per_h:
        u = low if gain * _fall(low) <= per_h else high
    else:
        u = brentq(lambda u: gain * _fall(u) - per_h, low, high, xtol=1e-14)
    return float(u) / (mean_slope(career) * career.games)


def best_h_of_many_games(career: PlayerLife) -> float:
    """Return the limit of the best h of `lifetime` as G grows: 2 s_0 sqrt(w / (p q v G))."""
    per_h = variance_per_h(career.wp, career.met)
    return career.first_error / sqrt(per_h * mean_slope(career) * career.games)


def printed_transient(career: PlayerLife, h: float) -> float:
    """EQ 81 as it is printed, s^2 / (sqrt(3) G h): twice what EQ 95 and 98 use."""
    return 2.0 * noise(career, h, "published").transient


def fluctuation_per_h(career: PlayerLife, model: str) -> float:
    """Return the variance that games bring for each point of h."""
    if model not in NOISE_MODELS:
        raise BadSetting.of("unknown_model", noise_models=NOISE_MODELS, model=model)
    per_h = variance_per_h(career.wp, career.met)
    if model == "published":  # smaller by 2 p q: erratum
        return 2.0 * variance_of_score(career.wp, career.met) * per_h
    return per_h


def mean_slope(career: PlayerLife) -> float:
    """Return v: the mean of wp' over differences of two players of deviation s each."""
    from scipy.integrate import quad

    wide = sqrt(2.0) * career.spread
    half, _ = quad(
        lambda z: career.wp.slope(wide * z) * exp(-0.5 * z * z), 0.0, MAX_Z, epsabs=1e-15
    )
    return 2.0 * float(half) / sqrt(2.0 * pi)


def _mean_decay(u: float) -> float:
    """Return (1 - e^-u) / u: the mean of e^-t over a life of u."""
    return -expm1(-u) / u


def _fall(u: float) -> float:
    """Return minus its derivative: (1 - (1 + u) e^-u) / u^2, 1/2 at 0."""
    if u < 1e-4:  # where the difference would lose digits
        return 0.5 - u / 3.0
    return (-expm1(-u) - u * exp(-u)) / (u * u)


def variance_of_score(wp: WinProbability, difference: float) -> float:
    """Return p q: the variance of the score of one game."""
    return wp(difference) * wp(-difference)


def variance_per_h(wp: WinProbability, difference: float) -> float:
    """p q / (4 w) in points: of a player of a large league; 1 / (4 Q) anywhere on the logistic."""
    if not wp.slope(difference) > 0.0:
        raise BadSetting.of("curve_flat", difference=difference, wp=wp.name)
    return spread(wp, difference)


def difference_deviation(wp: WinProbability, h: float, difference: float) -> float:
    """The deviation of the difference of two players who play one another, sqrt(h p q / 2 w)."""
    return sqrt(2.0 * check_h(wp, h) * variance_per_h(wp, difference))


def linear_difference(wp: WinProbability, h: float, difference: float) -> float:
    """The same to all orders in h if wp were straight: sqrt(h p q / (w (2 - h w)))."""
    left = 2.0 - check_h(wp, h) * wp.slope(difference)
    return sqrt(4.0 * h * variance_per_h(wp, difference) / left)


def published_difference(wp: WinProbability, h: float, difference: float) -> float:
    """The same as EQ 91 has it, too small by sqrt(2 p q): p q sqrt(h / w)."""
    score = variance_of_score(wp, difference)
    return sqrt(4.0 * check_h(wp, h) * score * variance_per_h(wp, difference))


def overstretch(wp: WinProbability, h: float, difference: float) -> float:
    """By how much the mean difference exceeds the true one, to second order: (2 p - 1) h / 4."""
    return 0.25 * check_h(wp, h) * (2.0 * wp(difference) - 1.0)


def player_deviation(
    wp: WinProbability, h: float, players: float, difference: float = 0.0
) -> float:
    """The deviation of one player's rating in a league of so many; `inf` players are allowed."""
    if not players >= 2.0:
        raise BadSetting.of("too_few_players.noise", players=players)
    return sqrt((1.0 - 1.0 / players) * check_h(wp, h) * variance_per_h(wp, difference))


def error_figure(wp: WinProbability, h: float, players: float, difference: float = 0.0) -> float:
    """The mean of F, the sum of all players' squared errors (EQ 96), after a long time."""
    deviation = player_deviation(wp, h, players, difference)
    return players * deviation * deviation


def check_h(wp: WinProbability, h: float) -> float:
    """Return h if games shrink the error with it; raises BadSetting otherwise."""
    most = largest_h(wp)
    if not 0.0 < h < most:
        raise BadSetting.of("step_too_large", most=most, h=h)
    return h
