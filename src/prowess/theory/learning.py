"""How players learn: the learning rate L(R) and the development curve R(t) that follows from it.

Formula   dR/dt = L(R), R(0) = R_0;   t(R) = integral from R_0 to R of du / L(u)   (EQ 55, 56)

    law             L(R)                                R(t)
    Exponential     c7 e^-y, y = Q (R - R_birth)        R_birth + log(1 + Q c7 t) / Q  (EQ 59, 61)
    LinearFallible  c9 (R_max - R)                      R_max (1 - e^(-c9 t))          (EQ 62, 63)
    Fallible        k (p_max - p)^2 / (p (1 - p)) / Q   logit of p(t) / Q
                    p = 1 / (1 + e^(-Q R))              p(t) = p_max - 1/(1/(p_max - p_0) + k t)

Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), sections 5.1 to 5.4.
Units     R: points (of Fallible: above the rating that is right half of the time); t: any unit of
          time; c7: points per unit of time, c9, k: 1 / unit of time; Q: 1 / points.
Differs   Erratum: EQ 62 to 64 do not follow from the change of EQ 57 that the report states.
          Its postulates give Fallible: near the highest rating L falls with the square of the
          distance, and the approach is like 1 / t, not exponential. LinearFallible is what is
          printed; EQ 64's exponent is illegible and follows from EQ 53: D / c9 - 1.
          The report has Q = 1 and R_birth = 0, the defaults here.

How ratings are spread over a population that learns: the extreme-value law of EQ 60.

Formula   p(R) = Q c8 exp(c8 + y - c8 e^y),  y = Q (R - R_birth) >= 0             (EQ 60)
          cdf  = 1 - exp(-c8 (e^y - 1))
          c8   = D / (c7 Q)
          for players who learn at the rate L(R) = c7 e^-y (EQ 59) and leave at the rate D
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), section 5.2. The law is Gompertz's.
Units     R, R_birth: points; Q: 1 / points; c7: points per unit of time; D: 1 / the same unit;
          c8: none.
Differs   the report has Q = 1 and R_birth = 0, the defaults here.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, isfinite, log, log1p
from typing import Protocol

import numpy as np

from prowess.engine.fits.posterior import EXTREME_VALUE, HIGHEST, Prior, prior_terms
from prowess.engine.params import BadSetting
from prowess.theory.population import Curve, Floats, integral

MOST_EXPONENT = 700.0  # of a finite e^x


class LearningLaw(Protocol):
    """A law of learning; arrays in, arrays of the same shape out."""

    def rate(self, rating: Floats) -> Floats:
        """L(R): points per unit of time."""

    def rating(self, time: Floats) -> Floats:
        """R(t): where an average player stands after that time."""


@dataclass(frozen=True)
class Exponential:
    """The harder the better one plays: L = c7 e^(-Q (R - R_birth)) (EQ 59), without end."""

    c7: float
    q: float = 1.0
    birth: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what is no law."""
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
        """The ratings of such players when they leave at a constant rate: EQ 60."""
        _above_zero(death=death)
        return Gompertz(death / (self.c7 * self.q), self.q, self.birth)


@dataclass(frozen=True)
class LinearFallible:
    """A highest rating, approached exponentially: L = c9 (R_max - R), as EQ 62 prints it."""

    c9: float
    top: float

    def __post_init__(self) -> None:
        """Refuse what is no law."""
        _above_zero(c9=self.c9, top=self.top)

    def rate(self, rating: Floats) -> Floats:
        """L(R) (EQ 62); nobody learns at the top or above it."""
        return self.c9 * np.maximum(self.top - np.asarray(rating, np.float64), 0.0)

    def rating(self, time: Floats) -> Floats:
        """R(t) (EQ 63)."""
        return -self.top * np.expm1(-self.c9 * _times(time))

    def density(self, rating: Floats, death: float) -> Floats:
        """p(R) on [0, R_max] where D is constant: a power of the distance to the top (EQ 64)."""
        _above_zero(death=death)
        x = np.asarray(rating, np.float64) / self.top
        power = death / self.c9
        inside = (x >= 0.0) & (x < 1.0)
        left = np.where(inside, 1.0 - x, 1.0)
        return np.where(inside, power / self.top * left ** (power - 1.0), 0.0)


@dataclass(frozen=True)
class Fallible:
    """Even who knows all errs: dp/dt = k (p_max - p)^2 for p, the chance to be right."""

    p_max: float
    p_start: float
    k: float
    q: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what is no law."""
        _above_zero(k=self.k, q=self.q)
        if not 0.0 < self.p_start < self.p_max < 1.0:
            raise BadSetting(
                f"p_start = {self.p_start:g} and p_max = {self.p_max:g} must be chances, "
                "0 < p_start < p_max < 1"
            )

    @property
    def top(self) -> float:
        """R_max, which nobody reaches."""
        return log(self.p_max / (1.0 - self.p_max)) / self.q

    @property
    def start(self) -> float:
        """The rating of a beginner."""
        return log(self.p_start / (1.0 - self.p_start)) / self.q

    @property
    def quadratic_coefficient(self) -> float:
        """What L / (R_max - R)^2 tends to at the top: k Q p_max (1 - p_max)."""
        return self.k * self.q * self.p_max * (1.0 - self.p_max)

    def rate(self, rating: Floats) -> Floats:
        """L(R); nobody learns at the top or above it."""
        x = np.asarray(rating, np.float64)
        t = np.exp(-np.minimum(self.q * np.abs(x), MOST_EXPONENT))
        p = np.where(x >= 0.0, 1.0, t) / (1.0 + t)
        left = np.maximum(self.p_max - p, 0.0)
        return self.k * left * left * ((1.0 + t) * (1.0 + t) / t) / self.q

    def chance(self, time: Floats) -> Floats:
        """p(t): how often an average player is right after that time."""
        return self.p_max - 1.0 / (1.0 / (self.p_max - self.p_start) + self.k * _times(time))

    def rating(self, time: Floats) -> Floats:
        """R(t)."""
        p = self.chance(time)
        return np.log(p / (1.0 - p)) / self.q


def development_time(learning: Curve, start: float, rating: float, panels: int = 64) -> float:
    """t(R): how long an average player takes from `start` to `rating` under any L(R) (EQ 56).

    `learning` takes and returns arrays; infinite where L comes to 0 on the way.
    """
    _finite(start=start, rating=rating)
    if rating < start:
        raise BadSetting(f"players learn: a rating of {rating:g} is below the start, {start:g}")
    edges = np.linspace(start, rating, panels + 1)
    if np.any(learning(edges) <= 0.0):
        return inf if rating > start else 0.0
    return integral(lambda u: 1.0 / learning(u), edges)


def _times(time: Floats) -> Floats:
    times = np.asarray(time, np.float64)
    if np.any(~(times >= 0.0)):
        raise BadSetting("times are counted from birth: none may be below 0")
    return times


def _above_zero(**settings: float) -> None:
    for name, value in settings.items():
        if not 0.0 < value < inf:
            raise BadSetting(f"{name} = {value:g} must be above 0 and finite")


def _finite(**settings: float) -> None:
    for name, value in settings.items():
        if not isfinite(value):
            raise BadSetting(f"{name} = {value:g} must be finite")


EULER = 0.57721566490153286061  # the constant of the series of E1
LEAST = 1e-100


@dataclass(frozen=True)
class Gompertz:
    """The law of EQ 60; arrays in, arrays of the same shape out."""

    c8: float
    q: float = 1.0
    birth: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what is no law."""
        for name in ("c8", "q"):
            if not LEAST <= getattr(self, name) <= 1.0 / LEAST:
                raise BadSetting(
                    f"{name} = {getattr(self, name):g} must lie between {LEAST:g} and {1 / LEAST:g}"
                )
        if not isfinite(self.birth):
            raise BadSetting(f"birth = {self.birth:g} must be a finite rating")

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
        """Half of the players are above it."""
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
        """The share of players at or below a rating."""
        y = np.clip(self.q * (np.asarray(rating, np.float64) - self.birth), 0.0, HIGHEST)
        return -np.expm1(-self.c8 * np.expm1(y))

    def quantile(self, share: Floats) -> Floats:
        """The rating with that share of players below: the inverse of `cdf`; nan outside [0, 1]."""
        share = np.asarray(share, np.float64)
        share = np.where((share >= 0.0) & (share <= 1.0), share, np.nan)
        with np.errstate(divide="ignore"):  # everybody is below infinity
            return self.birth + np.log1p(-np.log1p(-share) / self.c8) / self.q

    def sample(self, players: int, seed: int) -> Floats:
        """Ratings of so many players, drawn at random."""
        return self.quantile(np.random.default_rng(seed).random(players))


def scaled_exponential_integral(c: float) -> float:
    """e^c E1(c) = the integral of e^-u / (u + c) over u > 0, for c > 0.

    The power series up to 1, the continued fraction c + 1/(1 + 1/(c + 2/(1 + ...))) above.
    """
    if c <= 1.0:
        total, term = -EULER - log(c), 1.0
        for k in range(1, 30):
            term *= -c / k
            total -= term / k
        return exp(c) * total
    fraction = c
    for k in range(120, 0, -1):
        fraction = c + k / (1.0 + k / fraction)
    return 1.0 / fraction


def learning_constant(c1: float, c3: float, c4: float, effort: float, half: float) -> float:
    """c7 = log(1/c2) c6 e^R_half: how fast a beginner learns, natural units of rating per time.

    c1: the share of unknown moves that one heuristic decides, c2 = 1 - c1; c3: the chance of
    erring where none applies; c4: the chance that a proposed heuristic is valid; `effort`: E,
    the work of confirming one with c1 = 1; half: R_half, the rating that is right half of the
    time (EQ 57 to 59).
    """
    for name, value in (("c1", c1), ("c3", c3), ("c4", c4)):
        if not 0.0 < value <= 1.0 or value == c1 == 1.0:
            raise BadSetting(f"{name} = {value:g} must be above 0 and below 1")
    if not 0.0 < effort < inf:
        raise BadSetting(f"effort = {effort:g} must be above 0")
    c5 = c4 * c1 / effort
    return -log1p(-c1) * c5 / c3 * exp(half)
