"""The error of a rating, and the h that makes it least.

Formula   noise^2 = transient^2 + fluctuation^2 + T^2

    model       transient^2            fluctuation^2       best h
    published   s^4 / (12 G^2 h^2)     (h/2) (p q)^2 / w   3^(-1/3) (sqrt(w) s^2 / (p q G))^(2/3)
    corrected   s^4 / (12 G^2 h^2)     h p q / (4 w)       (2 w s^4 / (3 p q G^2))^(1/3)
    lifetime    s_0^2 (1 - e^-u) / u   h p q / (4 w)       near 2 s_0 sqrt(w / (p q v G)),
                                                           by halving
          u = h v G, v = the mean of wp' over N(0, 2 s^2)
          s: the typical difference of two players, G: games in a player's life, T: triangle noise,
          s_0: the error a player starts with (s for one who starts at the mean),
          p = 1 - q = wp(d), w = wp'(d) at the difference d of two who meet: s, or 0 of footnote 13
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), section 6.2 (EQ 81, 91 to 95, 98, footnote 13).
Units     s, s_0, T, d, h, noise: points; G: games.
Differs   `published` reproduces every number the report prints. Errata: EQ 81 as printed is twice
          the transient that EQ 95 and 98 use. EQ 91's fluctuation is too small by sqrt(2 p q), see
          `fluctuation`; `corrected`, the default, mends that alone. The transient itself averages
          errors where squares should be averaged and lets players move by h a game, where they
          move by h/2 at most and ever slower; `lifetime`, not in the report, follows an
          exponential approach and is the only one near simulated leagues: within 7 percent at
          G = 35, 14 at G = 160, 6 at G = 1000 for h up to 128.
          With (G_1 G_2)^(1/2) for G the best h of `published` is the h of games played (8.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, inf, pi, sqrt

import numpy as np

from prowess.engine.numeric import LN10
from prowess.engine.params import BadSetting
from prowess.theory.bounds import largest_h
from prowess.theory.fluctuation import step, variance_of_score, variance_per_h
from prowess.theory.quadrature import integral
from prowess.theory.wp import WinProbability, named

MODELS = ("corrected", "published", "lifetime")
CHESS = named("logistic", LN10 / 400.0)  # points of 400 for odds of ten to one
FARTHEST, PANELS = 9.0, 24  # deviations, for the mean of wp': what is beyond is below 1e-18


@dataclass(frozen=True)
class Career:
    """Who plays whom how often: all that noise depends on besides h."""

    games: float  # G, in a life
    spread: float  # s: the typical difference of two players
    wp: WinProbability = CHESS
    difference: float | None = None  # d; None: as the spread
    start_error: float | None = None  # s_0, of `lifetime` alone; None: as the spread
    triangle: float = 0.0  # T

    def __post_init__(self) -> None:
        """Refuse what is no career."""
        for name, least in (("games", 1.0), ("spread", 0.0), ("triangle", 0.0)):
            value = getattr(self, name)
            above = value > 0.0 if name == "spread" else value >= least
            if not (above and value < inf):
                word = "above" if name == "spread" else "at least"
                raise BadSetting(f"{name} = {value:g} must be {word} {least:g} and finite")
        if self.start_error is not None and not 0.0 <= self.start_error < inf:
            raise BadSetting(f"start_error = {self.start_error:g} must be at least 0 and finite")

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

    transient: float  # not there yet
    fluctuation: float  # moved by chance
    triangle: float  # players who cannot be put in a line

    @property
    def total(self) -> float:
        """The root of the sum of squares (EQ 92)."""
        return sqrt(
            self.transient * self.transient
            + self.fluctuation * self.fluctuation
            + self.triangle * self.triangle
        )


def noise(career: Career, h: float, model: str = "corrected") -> Noise:
    """The error of an average player's rating, averaged over his life."""
    fluctuation = sqrt(step(career.wp, h) * fluctuation_per_h(career, model))
    if model == "lifetime":
        transient = career.first_error * sqrt(_left(h * mean_slope(career) * career.games))
    else:
        transient = career.spread * career.spread / (sqrt(12.0) * career.games * h)
    return Noise(transient, fluctuation, career.triangle)


def best_h(career: Career, model: str = "corrected") -> float:
    """The h with the least noise, not above the bound of EQ 79; 0 where starts beat all games.

    Under `lifetime` that is so when s_0^2 v G / 2 < p q / (4 w): few games, good starts.
    """
    per_h = fluctuation_per_h(career, model)
    most = largest_h(career.wp)
    if model != "lifetime":
        s = career.spread * career.spread / career.games
        return min(most, float(np.cbrt(s * s / (6.0 * per_h))))
    gain = career.first_error * career.first_error * mean_slope(career) * career.games
    low, high = 0.0, most * mean_slope(career) * career.games  # of u = h v G
    while low < (u := 0.5 * (low + high)) < high:
        low, high = (u, high) if gain * _fall(u) > per_h else (low, u)
    return low / (mean_slope(career) * career.games)


def best_h_of_many_games(career: Career) -> float:
    """What the best h of `lifetime` tends to as G grows: 2 s_0 sqrt(w / (p q v G))."""
    per_h = variance_per_h(career.wp, career.met)
    return career.first_error / sqrt(per_h * mean_slope(career) * career.games)


def printed_transient(career: Career, h: float) -> float:
    """EQ 81 as it is printed, s^2 / (sqrt(3) G h): twice what EQ 95 and 98 use."""
    return 2.0 * noise(career, h, "published").transient


def fluctuation_per_h(career: Career, model: str) -> float:
    """The variance that games bring for each point of h."""
    if model not in MODELS:
        raise BadSetting(f"no model {model!r} of noise; there are: {', '.join(MODELS)}")
    per_h = variance_per_h(career.wp, career.met)
    if model == "published":  # smaller by 2 p q: erratum
        return 2.0 * variance_of_score(career.wp, career.met) * per_h
    return per_h


def mean_slope(career: Career) -> float:
    """v: the mean of wp' over differences of two players whose strengths have deviation s."""
    wide = sqrt(2.0) * career.spread
    slopes = np.frompyfunc(lambda z: career.wp.slope(wide * z) * exp(-0.5 * z * z), 1, 1)
    half = integral(lambda z: slopes(z).astype(np.float64), np.linspace(0.0, FARTHEST, PANELS))
    return 2.0 * half / sqrt(2.0 * pi)


def _left(u: float) -> float:
    """(1 - e^-u) / u: the mean of e^-t over a life of u."""
    return -expm1(-u) / u


def _fall(u: float) -> float:
    """How fast that falls: (1 - (1 + u) e^-u) / u^2, 1/2 at 0."""
    if u < 1e-4:  # where the difference would lose digits
        return 0.5 - u / 3.0
    return (-expm1(-u) - u * exp(-u)) / (u * u)
