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
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, log
from typing import Protocol

import numpy as np

from prowess.engine.params import BadSetting
from prowess.theory.gompertz import Gompertz
from prowess.theory.quadrature import Curve, Floats, integral

MOST_EXPONENT = 700.0  # of a finite e^x


class Law(Protocol):
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
