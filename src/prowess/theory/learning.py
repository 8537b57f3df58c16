"""Learning of players: the learning rate L(R), the development curve R(t), the spread p(R).

Formula   dR/dt = L(R), R(0) = R_0;   t(R) = integral from R_0 to R of du / L(u)   (EQ 55, 56)

    law             L(R)                                R(t)
    Exponential     c7 e^-y, y = Q (R - R_birth)        R_birth + log(1 + Q c7 t) / Q  (EQ 59, 61)
    LinearFallible  c9 (R_max - R)                      R_max (1 - e^(-c9 t))          (EQ 62, 63)
    Fallible        k (p_max - p)^2 / (p (1 - p)) / Q   logit of p(t) / Q
                    p = 1 / (1 + e^(-Q R))              p(t) = p_max - 1/(1/(p_max - p_0) + k t)

Gompertz's extreme-value law is the spread of ratings of players who learn at the rate c7 e^-y
(EQ 59) and leave at the rate D:

          p(R) = Q c8 exp(c8 + y - c8 e^y),  y = Q (R - R_birth) >= 0             (EQ 60)
          cdf  = 1 - exp(-c8 (e^y - 1))
          c8   = D / (c7 Q)
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), sections 5.1 to 5.4.
Units     R, R_birth: points (of Fallible: above the rating that is right half of the time); t: any
          unit of time; c7: points per unit of time, c9, k, D: 1 / unit of time; Q: 1 / points.
Differs   Erratum: EQ 62 to 64 do not follow from the change of EQ 57 that the report states.
          Its postulates give Fallible: near the highest rating L falls with the square of the
          distance, and the approach is like 1 / t, not exponential. LinearFallible is what is
          printed; EQ 64's exponent is illegible and follows from EQ 53: D / c9 - 1.
          The report has Q = 1 and R_birth = 0, the defaults here.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, isfinite, log, log1p
from typing import Protocol

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.fits.posterior import EXTREME_VALUE, HIGHEST, Prior, prior_terms
from prowess.engine.params import BadSetting
from prowess.theory.population import Curve, integral

MOST_EXPONENT = 700.0  # of a finite e^x


class LearningLaw(Protocol):
    """A law of learning; methods take and return arrays of one shape."""

    def rate(self, rating: Floats) -> Floats:
        """L(R): points per unit of time."""

    def rating(self, time: Floats) -> Floats:
        """R(t): the rating of an average player after that time."""


@dataclass(frozen=True)
class Exponential:
    """Learning slows as ratings rise, without end: L = c7 e^(-Q (R - R_birth)) (EQ 59)."""

    c7: float
    q: float = 1.0
    birth: float = 0.0

    def __post_init__(self) -> None:
        """Check the values; raises BadSetting."""
        _above_zero(c7=self.c7, q=self.q)
        _finite(birth=self.birth)

    def rate(self, rating: Floats) -> Floats:
        """L(R)."""
        y = self.q * (np.asarray(rating, np.float64) - self.birth)
        return self.c7 * np.exp(np.minimum(-y, MOST_EXPONENT))

    def rating(self, time: Floats) -> Floats:
        """R(t) (EQ 61)."""
        return self.birth + np.log1p(self.q * self.c7 * _times(time)) / self.q

    def time(self, rating: Floats) -> Floats:
        """t(R) = (e^y - 1) / (Q c7)."""
        y = self.q * (np.asarray(rating, np.float64) - self.birth)
        return np.expm1(np.minimum(y, MOST_EXPONENT)) / (self.q * self.c7)

    def population(self, death: float) -> Gompertz:
        """Return the spread of such players who leave at a constant rate: EQ 60."""
        _above_zero(death=death)
        return Gompertz(death / (self.c7 * self.q), self.q, self.birth)


@dataclass(frozen=True)
class LinearFallible:
    """A highest rating, approached exponentially: L = c9 (R_max - R), as EQ 62 prints it."""

    c9: float
    top: float

    def __post_init__(self) -> None:
        """Check the values; raises BadSetting."""
        _above_zero(c9=self.c9, top=self.top)

    def rate(self, rating: Floats) -> Floats:
        """L(R) (EQ 62); 0 at the top and above."""
        return self.c9 * np.maximum(self.top - np.asarray(rating, np.float64), 0.0)

    def rating(self, time: Floats) -> Floats:
        """R(t) (EQ 63)."""
        return -self.top * np.expm1(-self.c9 * _times(time))

    def density(self, rating: Floats, death: float) -> Floats:
        """Return p(R) on [0, R_max], D constant: a power of the distance to the top (EQ 64)."""
        _above_zero(death=death)
        x = np.asarray(rating, np.float64) / self.top
        power = death / self.c9
        inside = (x >= 0.0) & (x < 1.0)
        left = np.where(inside, 1.0 - x, 1.0)
        return np.where(inside, power / self.top * left ** (power - 1.0), 0.0)


@dataclass(frozen=True)
class Fallible:
    """Even the best players err: dp/dt = k (p_max - p)^2 for p, the chance of a right move."""

    p_max: float
    p_start: float
    k: float
    q: float = 1.0

    def __post_init__(self) -> None:
        """Check the values; raises BadSetting."""
        _above_zero(k=self.k, q=self.q)
        if not 0.0 < self.p_start < self.p_max < 1.0:
            raise BadSetting.of("chances_out_of_order", p_start=self.p_start, p_max=self.p_max)

    @property
    def top(self) -> float:
        """R_max, the limit of R(t)."""
        return log(self.p_max / (1.0 - self.p_max)) / self.q

    @property
    def start(self) -> float:
        """The rating of a beginner."""
        return log(self.p_start / (1.0 - self.p_start)) / self.q

    @property
    def quadratic_coefficient(self) -> float:
        """The limit of L / (R_max - R)^2 at the top: k Q p_max (1 - p_max)."""
        return self.k * self.q * self.p_max * (1.0 - self.p_max)

    def rate(self, rating: Floats) -> Floats:
        """L(R); 0 at the top and above."""
        x = np.asarray(rating, np.float64)
        t = np.exp(-np.minimum(self.q * np.abs(x), MOST_EXPONENT))
        p = np.where(x >= 0.0, 1.0, t) / (1.0 + t)
        left = np.maximum(self.p_max - p, 0.0)
        return self.k * left * left * ((1.0 + t) * (1.0 + t) / t) / self.q

    def chance(self, time: Floats) -> Floats:
        """p(t): the chance of a right move of an average player after that time."""
        return self.p_max - 1.0 / (1.0 / (self.p_max - self.p_start) + self.k * _times(time))

    def rating(self, time: Floats) -> Floats:
        """R(t)."""
        p = self.chance(time)
        return np.log(p / (1.0 - p)) / self.q


def development_time(learning: Curve, start: float, rating: float, panels: int = 64) -> float:
    """Return t(R): the time of an average player from `start` to `rating` under any L(R) (EQ 56).

    `learning` takes and returns arrays; infinite if L reaches 0 in between.
    """
    _finite(start=start, rating=rating)
    if rating < start:
        raise BadSetting.of("rating_below_start", start=start, rating=rating)
    edges = np.linspace(start, rating, panels + 1)
    if np.any(learning(edges) <= 0.0):
        return inf if rating > start else 0.0
    return integral(lambda u: 1.0 / learning(u), edges)


def _times(time: Floats) -> Floats:
    times = np.asarray(time, np.float64)
    if np.any(~(times >= 0.0)):
        raise BadSetting.of("negative_time.learning")
    return times


def _above_zero(**settings: float) -> None:
    for name, value in settings.items():
        if not 0.0 < value < inf:
            raise BadSetting.of("not_above_zero.finite", name=name, value=value)


def _finite(**settings: float) -> None:
    for name, value in settings.items():
        if not isfinite(value):
            raise BadSetting.of("not_finite.option", name=name, value=value)


TINY = 1e-100


@dataclass(frozen=True)
class Gompertz:
    """The law of EQ 60; arrays in, arrays of the same shape out."""

    c8: float
    q: float = 1.0
    birth: float = 0.0

    def __post_init__(self) -> None:
        """Check the values; raises BadSetting."""
        for name in ("c8", "q"):
            if not TINY <= getattr(self, name) <= 1.0 / TINY:
                raise BadSetting(
                    f"give {name} between {TINY:g} and {1 / TINY:g}, not {getattr(self, name):g}",
                    code="constant_out_of_range",
                )
        if not isfinite(self.birth):
            raise BadSetting.of("not_finite.birth", birth=self.birth)

    @property
    def mean(self) -> float:
        """R_birth + e^c8 E1(c8) / Q."""
        return self.birth + scaled_exponential_integral(self.c8) / self.q

    @property
    def mode(self) -> float:
        """The densest rating: max(0, -log c8) natural units above birth."""
        return self.birth + max(0.0, -log(self.c8)) / self.q

    @property
    def median(self) -> float:
        """The rating that half of the players exceed."""
        return float(self.quantile(np.array(0.5)))

    def log_density(self, rating: Floats) -> Floats:
        """log p(R), per point; -inf below the birth rating."""
        prior = Prior(EXTREME_VALUE, birth=self.birth, c8=self.c8, q=self.q)
        rating = np.asarray(rating, np.float64)
        logs = [prior_terms(prior, x)[0] for x in rating.ravel().tolist()]
        return np.array(logs, np.float64).reshape(rating.shape)

    def density(self, rating: Floats) -> Floats:
        """p(R): players per point, of one in all (EQ 60)."""
        return np.exp(self.log_density(rating))

    def cdf(self, rating: Floats) -> Floats:
        """Return the share of players at or below a rating."""
        y = np.clip(self.q * (np.asarray(rating, np.float64) - self.birth), 0.0, HIGHEST)
        return -np.expm1(-self.c8 * np.expm1(y))

    def quantile(self, share: Floats) -> Floats:
        """Return the inverse of `cdf`; nan outside [0, 1]."""
        share = np.asarray(share, np.float64)
        share = np.where((share >= 0.0) & (share <= 1.0), share, np.nan)
        with np.errstate(divide="ignore"):  # quantile(1) is infinite
            return self.birth + np.log1p(-np.log1p(-share) / self.c8) / self.q

    def sample(self, players: int, seed: int) -> Floats:
        """Sample the ratings of `players` players."""
        return self.quantile(np.random.default_rng(seed).random(players))


def scaled_exponential_integral(c: float) -> float:
    """Return e^c E1(c) = the integral of e^-u / (u + c) over u > 0, for c > 0."""
    from scipy.special import exp1, hyperu

    return float(exp(c) * exp1(c) if c <= 1.0 else hyperu(1.0, 1.0, c))


def learning_constant(c1: float, c3: float, c4: float, effort: float, half: float) -> float:
    """Return c7 = log(1/c2) c6 e^R_half: a beginner's learning rate, natural units per time.

    c1: the share of unknown moves that one heuristic decides, c2 = 1 - c1; c3: the chance of
    erring where none applies; c4: the chance that a proposed heuristic is valid; `effort`: E,
    the work of confirming one with c1 = 1; half: R_half, the rating that is right half of the
    time (EQ 57 to 59).
    """
    for name, value in (("c1", c1), ("c3", c3), ("c4", c4)):
        if not 0.0 < value <= 1.0 or value == c1 == 1.0:
            raise BadSetting.of("not_a_share.learning", name=name, value=value)
    if not 0.0 < effort < inf:
        raise BadSetting.of("not_above_zero.effort", effort=effort)
    c5 = c4 * c1 / effort
    return -log1p(-c1) * c5 / c3 * exp(half)
