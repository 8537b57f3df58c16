"""Online logistic regression on log odds: a Bayesian bank that needs no tuning.

The chance of an event is mixed from the features x of a game, mostly log odds of forecasters:

    z = x . w,   w ~ N(m, C)              begun at the centre m0, C0 = spread^2 diag(scale)
    a game       m <- m0 + keep (m - m0),   C <- C0 + keep^2 (C - C0)
    chance       p = logistic(kappa z),     kappa = 1 / sqrt(1 + pi V / 8),   V = x . C x
    learning     u = kappa^2 p (1 - p)
                 m <- m + C x kappa (s - p) / (1 + u V)
                 C <- C - (C x) (C x)' u / (1 + u V)

with s = 1 if the event happened, 0 if not, a share of it in between. An event of weight n counts
as n: u is n times as large, and so are the steps. The weights w follow an
Ornstein-Uhlenbeck process around their centre, one step a game; keep = 1 never forgets. A setting
is a pair (spread, keep); the spread 0 stays at the centre. All SETTINGS learn side by side, and the
forecast is the mean of their chances by the product of the chances that each gave to what happened.
Its total log loss is therefore at most ln(number of settings) above that of the best setting (Vovk
1990). Within a setting the update is Laplace's approximation of Bayes' rule. With scale 1 and keep
1 the exact rule loses over n games of d features, |x| <= R, at most

    |w - m0|^2 / (2 spread^2) + (d / 2) ln(1 + n R^2 spread^2 / (4 d))

more than any fixed weights w (Kakade and Ng 2004); the approximation has no such proof.

Sources: D. J. Spiegelhalter and S. L. Lauritzen, "Sequential updating of conditional probabilities
on directed graphical structures", Networks 20 (1990); D. J. C. MacKay, "The evidence framework
applied to classification networks", Neural Computation 4 (1992), for kappa; V. Vovk, "Aggregating
strategies", COLT (1990); S. M. Kakade and A. Y. Ng, "Online bounds for Bayesian algorithms", NIPS
17 (2004).
"""

from __future__ import annotations

from copy import deepcopy
from itertools import product
from math import exp, pi, sqrt
from typing import Any

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.compile.worth import run_loop
from prowess.engine.numeric import log_logistic, logistic

WEIGHT_DEVIATIONS = (0.1, 0.3, 1.0, 3.0)  # at the start
KEEPS = (1.0, 1.0 - 1e-5, 1.0 - 1e-4, 1.0 - 1e-3)  # memory: all, 100,000, 10,000, 1,000 games
SETTINGS = ((0.0, 1.0), *product(WEIGHT_DEVIATIONS, KEEPS))  # the first: the centre itself
LOG_ODDS_MARGIN = 1e-4  # chances are held this far from 0 and 1 before their log odds are taken


def log_odds(chance: Floats, sure: float = LOG_ODDS_MARGIN) -> Floats:
    """Return ln(p / (1 - p)) of chances held inside [sure, 1 - sure], [n]; nan stays nan."""
    held = np.clip(chance, sure, 1.0 - sure)
    odds: Floats = np.log(held) - np.log1p(-held)
    return odds


class LogOddsBank:
    """The bank of SETTINGS for one kind of event; `play` learns.

    `centre` and `scale` have one entry a feature, `mean` is [settings, features], `covariance`
    [settings, features, features], `evidence` [settings] the log chance given to what happened.
    """

    def __init__(self, centre: Floats, scale: Floats) -> None:
        spread, _ = np.array(SETTINGS).T
        self.centre, self.scale = centre, scale
        self.mean = np.tile(centre, (len(SETTINGS), 1))
        self.covariance = np.square(spread)[:, None, None] * np.diag(scale)
        self.evidence = np.zeros(len(SETTINGS))

    def play(
        self,
        features: Floats,
        happened: Floats,
        weight: Floats,
        start: Ids | None = None,
    ) -> Floats:
        """Forecast one event after another, each before it is learnt from; chances, [events].

        `features` is [events, features], `happened` [events] 1, 0 or a share, `weight` [events] how
        much an event counts, 0 for one that is only forecast. `start` are the bounds of groups of
        events that are all forecast before any of them is learnt; None: each event alone.
        """
        width = len(self.centre)
        spread, keep = np.array(SETTINGS).T
        chance, scratch = np.zeros(len(features)), np.empty(width)
        state = [array.ravel() for array in (self.mean, self.covariance, self.evidence)]
        run_loop(
            learning_loop,
            float(len(features) * len(SETTINGS) * width * width),
            np.arange(len(features) + 1, dtype=np.int64) if start is None else start,
            features.ravel(),
            happened,
            weight,
            self.centre,
            self.scale,
            spread,
            keep,
            *state,
            scratch,
            chance,
        )
        return chance

    def forecast(self, features: Floats) -> float:
        """Return the chance in the next game, [features], without learning from it."""
        return float(deepcopy(self).play(features[None, :], np.zeros(1), np.zeros(1))[0])

    @property
    def share(self) -> Floats:
        """The weight of each setting in the mixture, [settings]; they add up to 1."""
        likelihood = np.exp(self.evidence - self.evidence.max())
        share: Floats = likelihood / likelihood.sum()
        return share

    @property
    def weights(self) -> Floats:
        """The weights of the features, the mean over the bank, [features]."""
        mean: Floats = self.share @ self.mean
        return mean

    @property
    def deviations(self) -> Floats:
        """The standard deviation of each weight, within and between settings, [features]."""
        within = np.diagonal(self.covariance, axis1=1, axis2=2)
        second = self.share @ (within + np.square(self.mean))
        deviation: Floats = np.sqrt(np.maximum(second - np.square(self.weights), 0.0))
        return deviation


def learning_loop(
    start: Any,
    x: Any,
    happened: Any,
    weight: Any,
    centre: Any,
    scale: Any,
    spread: Any,
    keep: Any,
    mean: Any,
    covariance: Any,
    evidence: Any,
    gain: Any,
    chance: Any,
) -> None:
    """Forecast and learn group by group, by the formulas above; matrices are flat.

    `gain` [features] is scratch for C x; `chance` [events] is added to.
    """
    width, settings = len(centre), len(spread)
    for group in range(len(start) - 1):
        first, last = start[group], start[group + 1]
        top = evidence[0]
        for one in range(1, settings):
            top = max(top, evidence[one])
        total = 0.0
        for one in range(settings):
            total += exp(evidence[one] - top)
        for one in range(settings):
            share = exp(evidence[one] - top) / total
            m, c = one * width, one * width * width
            revert(m, c, centre, scale, spread[one], keep[one], mean, covariance)
            z = variance = kappa = p = 0.0
            for row in range(first, last):
                z, variance = find_odds(row * width, m, c, x, mean, covariance, gain)
                kappa = 1.0 / sqrt(1.0 + pi * variance / 8.0)
                p = logistic(kappa * z)
                chance[row] += share * p
            for row in range(first, last):
                s, n = happened[row], weight[row]
                if n == 0.0:
                    continue
                if last - first > 1:
                    z, variance = find_odds(row * width, m, c, x, mean, covariance, gain)
                    kappa = 1.0 / sqrt(1.0 + pi * variance / 8.0)
                    p = logistic(kappa * z)
                evidence[one] += n * (
                    s * log_logistic(kappa * z) + (1.0 - s) * log_logistic(-kappa * z)
                )
                information = n * kappa * kappa * p * (1.0 - p)
                part = 1.0 / (1.0 + information * variance)
                for i in range(width):
                    mean[m + i] += gain[i] * n * kappa * (s - p) * part
                    for j in range(width):
                        covariance[c + i * width + j] -= gain[i] * gain[j] * information * part


def find_odds(
    at: int, m: int, c: int, x: Any, mean: Any, covariance: Any, gain: Any
) -> tuple[float, float]:
    """Return z = x . m and V = x . C x of an event under one setting, and fill in C x."""
    width = len(gain)
    z = variance = 0.0
    for i in range(width):
        along = 0.0
        for j in range(width):
            along += covariance[c + i * width + j] * x[at + j]
        gain[i] = along
        variance += along * x[at + i]
        z += mean[m + i] * x[at + i]
    return z, variance


def revert(
    m: int, c: int, centre: Any, scale: Any, spread: float, keep: float, mean: Any, covariance: Any
) -> None:
    """Let the weights of one setting move towards their centre, and become less certain."""
    if keep == 1.0:
        return
    width = len(centre)
    for i in range(width):
        mean[m + i] = centre[i] + keep * (mean[m + i] - centre[i])
        for j in range(width):
            first = spread * spread * scale[i] if i == j else 0.0
            k = c + i * width + j
            covariance[k] = first + keep * keep * (covariance[k] - first)
