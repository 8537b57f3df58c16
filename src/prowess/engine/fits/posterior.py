"""The log posterior of all ratings at once: priors, gradient and information matrix.

Unknowns are one vector in points: the ratings of n players, then the advantage of the first
side, then the draw parameter. A row of the tally sees them through

    x = r_a - r_b + side * advantage,   e = the row's vector (+1 at a, -1 at b, side, 0)

    H = sum of c e e' + d (e o' + o e') + f o o' + the prior's curvatures,  o = the draw parameter

with c, d, f minus the second derivatives of `likelihood.terms` by xx, xt, tt.

Priors    normal          p = exp(-(x - mean)^2 / (2 sd^2)) / (sd sqrt(2 pi))
          extreme_value   p = q c8 exp(c8 + y - c8 e^y),  y = q (x - birth) >= 0     (EQ 60)
          histogram       p proportional to the players of a bin, x one of the bins' mid-points
          flat            p = 1
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5, 28 July 1994, sections 4 and 5, footnote 10; the histogram is the
          population table of section 7.
Units     x, mean, sd, birth: points; q: 1 / points; c8: none.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, nan, pi
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Truths
from prowess.compile.worth import compiled_once
from prowess.engine.fits.fit_rows import is_worth_compiling
from prowess.engine.system import Choice, Range
from prowess.engine.win_probability import steepness

if TYPE_CHECKING:
    from prowess.engine.fits.fit_rows import FitRows, RowCurvature
    from prowess.engine.fits.likelihood import OutcomeModel


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is to be maximised. `free` [n + 2] says which unknowns may move.

    A player whose `own_precision` [n] is above 0 has a normal prior about `own_mean` [n] in place
    of the prior of all.
    """

    rows: FitRows
    model: OutcomeModel
    prior: Prior
    free: Truths
    own_mean: Floats
    own_precision: Floats

    @property
    def players(self) -> int:
        """How many."""
        return self.rows.players

    @property
    def floating(self) -> bool:
        """Whether only differences of ratings are known."""
        return self.likelihood_alone and bool(self.free[: self.players].all())

    @property
    def likelihood_alone(self) -> bool:
        """Whether no rating has a prior."""
        return self.prior.kind == FLAT and not self.own_precision.any()

    @property
    def lowest(self) -> Floats:
        """The least each unknown may be, [n + 2]."""
        bound = np.full(self.players + 2, -np.inf)
        bound[:-2] = np.where(self.free[:-2], lowest(self.prior), -np.inf)
        return bound

    def value(self, unknown: Floats) -> float:
        """The logarithm of likelihood and prior."""
        value = self.rows.value(self.model, unknown)
        own = self.own_precision > 0.0
        shared = unknown[:-2][self.free[:-2] & ~own].tolist()
        value += sum(prior_terms(self.prior, rating)[0] for rating in shared)
        precision, apart = self.own_precision[own], (unknown[:-2] - self.own_mean)[own]
        return value + 0.5 * float(
            (np.log(precision / (2.0 * pi)) - precision * apart * apart).sum()
        )

    def at(self, unknown: Floats) -> Slopes:
        """Gradient and information at a point."""
        n = self.players
        gradient, diagonal, curvature = self.rows.at(self.model, unknown)
        of_prior = np.zeros(n)
        if not self.likelihood_alone:
            slope, of_prior = self._prior_slopes(unknown)
            gradient[:n] += slope
            diagonal[:n] += of_prior
        return Slopes(gradient, diagonal, of_prior, curvature)

    def _prior_slopes(self, unknown: Floats) -> tuple[Floats, Floats]:
        """Slopes and minus the curvatures of log p, [n]; 0 for players who are held."""
        n = self.players
        slope, curvature = np.zeros(n), np.zeros(n)
        fill = compiled_once(prior_rows) if is_worth_compiling(n) else prior_rows
        fill(self.prior, unknown, self.free[:n] & (self.own_precision == 0.0), slope, curvature)
        slope -= self.own_precision * (unknown[:n] - self.own_mean)
        return slope, curvature + self.own_precision


@dataclass(frozen=True, eq=False)
class Slopes:
    """Gradient [n + 2] and information matrix of a posterior at one point."""

    gradient: Floats
    diagonal: Floats  # of the information matrix, [n + 2]
    of_prior: Floats  # the prior's part of it, [n]
    curvature: RowCurvature

    def matrix(self) -> Floats:
        """The information matrix, [n + 2, n + 2]."""
        h = self.curvature.matrix()
        np.fill_diagonal(h, self.diagonal)
        return h

    def times(self, v: Floats) -> Floats:
        """The information matrix times a vector [n + 2], straight from the rows."""
        n = len(self.of_prior)
        out = self.curvature.times(v)
        out[n + 1] += self.diagonal[n + 1] * v[n + 1]
        out[:n] += self.of_prior * v[:n]
        return out


def prior_rows(prior: Prior, unknown: Any, free: Any, slope: Any, curvature: Any) -> None:
    """Fill the slopes and minus the curvatures of log p of the free players."""
    for player in range(len(free)):
        if free[player]:
            _, first, second = prior_terms(prior, unknown[player])
            slope[player], curvature[player] = first, -second


# --- priors of one rating -------------------------------------------------------------------------


PRIORS = ("normal", "extreme_value", "histogram", "flat")
NORMAL, EXTREME_VALUE, HISTOGRAM, FLAT = range(len(PRIORS))
PriorKind = Annotated[int, Choice(*PRIORS[:3]), "what is believed before any game"]
PriorMean = Annotated[float, Range(-10000, 10000, "points"), "mean of the prior (normal)"]
PriorSd = Annotated[float, Range(1, 2000, "points"), "standard deviation of the prior (normal)"]
Birth = Annotated[float, Range(-10000, 10000, "points"), "lowest rating (extreme_value)"]
C8 = Annotated[float, Range(0.0001, 10), "share lost per 1/q of strength (extreme_value)"]
Seed = Annotated[float, Range(0, 1000000), "number from which the draws are made"]

BIN = 100.0  # points between the mid-points of the histogram
LOWEST_BIN = 950.0  # points: the mid-point of 900 to 999
BIN_PLAYERS = (16, 72, 195, 440, 614, 844, 869, 837, 850, 686, 535, 466, 281, 176, 82, 42, 10, 15)
HIGHEST = 700.0  # natural units above birth; e^y is finite below, and p is 0 long before


class Prior(NamedTuple):
    """A prior of one kind; the fields of other kinds are not looked at."""

    kind: int = NORMAL
    mean: float = 0.0
    sd: float = 1.0
    birth: float = 0.0
    c8: float = 0.5
    q: float = 1.0


def prior_of(p: Any) -> Prior:
    """The prior of every player by the parameters of a system; `q` is that of its curve."""
    return Prior(p.prior, p.mean, p.sd, p.birth, p.c8, steepness(p.curve, p.scale))


def prior_terms(prior: Prior, x: float) -> tuple[float, float, float]:
    """log p(x) and its first and second derivatives, per point.

    -inf below the birth rating; nan for a histogram, which has no density.
    """
    if prior.kind == FLAT:
        return 0.0, 0.0, 0.0
    if prior.kind == NORMAL:
        z = (x - prior.mean) / prior.sd
        density = -0.5 * z * z - log(prior.sd) - 0.5 * log(2.0 * pi)
        return density, -z / prior.sd, -1.0 / (prior.sd * prior.sd)
    if prior.kind == EXTREME_VALUE:
        y = min(prior.q * (x - prior.birth), HIGHEST)
        if y < 0.0:
            return -inf, nan, nan
        growth = prior.c8 * exp(y)
        density = log(prior.c8 * prior.q) + prior.c8 + y - growth
        return density, prior.q * (1.0 - growth), -prior.q * prior.q * growth
    return nan, nan, nan


def draw_prior(prior: Prior, below: Floats) -> Floats:
    """The ratings below which these shares of all players are, by the prior."""
    from scipy.special import ndtri

    if prior.kind == NORMAL:
        drawn: Floats = prior.mean + prior.sd * ndtri(below)
        return drawn
    if prior.kind == EXTREME_VALUE:
        return prior.birth + np.log1p(-np.log1p(-below) / prior.c8) / prior.q
    mids, share = report_bins()
    return np.asarray(mids[np.searchsorted(np.cumsum(share, dtype=np.float64), below)])


def prior_mode(prior: Prior) -> tuple[float, float]:
    """The rating of highest density, and its deviation as the curvature there has it."""
    if prior.kind == NORMAL:
        return prior.mean, prior.sd
    return prior.birth + max(0.0, -log(prior.c8)) / prior.q, max(prior.c8, 1.0) ** -0.5 / prior.q


def lowest(prior: Prior) -> float:
    """The lowest rating there can be, in points; -inf where there is none."""
    return prior.birth if prior.kind == EXTREME_VALUE else -inf


def report_bins() -> tuple[Floats, Floats]:
    """Mid-points of the report's histogram in points, and the share of the players in each."""
    players = np.array(BIN_PLAYERS, dtype=np.float64)
    mids = np.arange(len(players), dtype=np.float64) * BIN + LOWEST_BIN
    return mids, players / players.sum()


def bins_of(rating: Floats) -> tuple[Floats, Floats]:
    """The same of a league's own ratings, [n] in points: bins of 100 points, empty ones too."""
    number = np.floor(rating / BIN).astype(np.int64)
    players = np.bincount(number - number.min())
    mids = (np.arange(len(players), dtype=np.float64) + number.min() + 0.5) * BIN
    return mids, players / players.sum()
