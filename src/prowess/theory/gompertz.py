"""How ratings are spread over a population that learns: the extreme-value law of EQ 60.

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

import numpy as np

from prowess.engine.fits.posterior import EXTREME_VALUE, HIGHEST, Prior, prior_terms
from prowess.engine.params import BadSetting
from prowess.theory.quadrature import Floats

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
