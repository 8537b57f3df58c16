"""Exact means, deviations and evidence of a few ratings at once, by quadrature.

The trapezoidal rule on a lattice of steps of the distribution's own deviations: for a density as
smooth as these it errs by about e^(-2 pi^2 / step^2). The lattice is not known beforehand; it
follows the mean and the covariance that it finds, from the prior's, until they stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.fits.posterior import HISTOGRAM
from prowess.engine.fits.posterior_model import (
    PosteriorModel,
    log_prior,
    rating_at,
    row_value,
    starting_point,
)
from prowess.engine.scalar_loops import run_loop
from prowess.engine.system import Unratable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

MOST_UNKNOWN = 3  # ratings at once
COARSE, COARSE_REACH = 1.0, 6.0  # deviations; to find the place
FINE, FINE_REACH = 0.5, 8.0  # to integrate
NARROWER = 1.0 / 9.0  # variance left of a direction at most shrunk, when the lattice is too wide
SETTLED = 0.1  # deviations, and share of the variance
MOST_PASSES = 60


class Moments(NamedTuple):
    """Of k ratings, given the known ones: mean [k], covariance [k, k], both in points."""

    mean: Floats
    covariance: Floats
    log_evidence: float  # of their results: the log of the integral of likelihood times prior
    error: float  # of the means, points: what twice the step would change


def exact_moments(b: PosteriorModel, rating: Floats, members: Ids) -> Moments:
    """Moments of at most three ratings; their opponents besides one another are known.

    Raises Unratable if the lattice finds no place to stay.
    """
    if b.prior.kind == HISTOGRAM:
        return _on_bins(b, rating, members)
    k = len(members)
    start, spread = starting_point(b)
    centre, root = np.full(k, start), np.eye(k) * spread
    coarse = lattice(k, COARSE, COARSE_REACH)
    for _ in range(MOST_PASSES):
        weight, _, _ = _weights(b, rating, members, centre + coarse @ root)
        mean, covariance = _moments(coarse, weight)
        value, axes = np.linalg.eigh(covariance)
        settled = np.abs(mean).max() < SETTLED and np.abs(value - 1.0).max() < SETTLED
        centre = centre + mean @ root
        grown = root @ (axes * np.maximum(value, NARROWER)) @ axes.T @ root
        value, axes = np.linalg.eigh(grown)
        root = (axes * np.sqrt(value)) @ axes.T
        if settled:
            return _integral(b, rating, members, centre, root)
    raise Unratable("the posterior has no place where it can be integrated: a narrower prior helps")


def lattice(k: int, step: float, reach: float) -> Floats:
    """All points of k coordinates at multiples of `step` within `reach`, [points, k]."""
    line = np.arange(-round(reach / step), round(reach / step) + 1) * step
    return np.stack(np.meshgrid(*[line] * k, indexing="ij"), axis=-1).reshape(-1, k)


def _integral(
    b: PosteriorModel, rating: Floats, members: Ids, centre: Floats, root: Floats
) -> Moments:
    k = len(members)
    fine = lattice(k, FINE, FINE_REACH)
    weight, x, top = _weights(b, rating, members, centre + fine @ root)
    mean, covariance = _moments(x, weight)
    even = (np.round(fine / FINE) % 2 == 0).all(axis=1)
    rough, _ = _moments(x[even], weight[even])
    cell = FINE**k * abs(float(np.linalg.det(root)))
    evidence = top + float(np.log(weight.sum() * cell))
    return Moments(mean, covariance, evidence, float(np.abs(rough - mean).max()))


def _on_bins(b: PosteriorModel, rating: Floats, members: Ids) -> Moments:
    """The sum over all ways to put the players into bins."""
    k = len(members)
    points = np.stack(np.meshgrid(*[b.mids] * k, indexing="ij"), axis=-1).reshape(-1, k)
    weight, x, top = _weights(b, rating, members, points)
    mean, covariance = _moments(x, weight)
    return Moments(mean, covariance, top + float(np.log(weight.sum())), 0.0)


def _moments(points: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance of weighted points."""
    share = weight / weight.sum()
    mean = share @ points
    apart = points - mean
    return mean, (apart * share[:, None]).T @ apart


def _weights(
    b: PosteriorModel, rating: Floats, members: Ids, u: Floats
) -> tuple[Floats, Floats, float]:
    """exp(log density - its top) at coordinates u [points, k], the ratings there, the top."""
    x, density = np.empty_like(u), np.empty(len(u))
    rows = int(sum(b.first[i + 1] - b.first[i] for i in members))
    place = np.full(len(rating), -1)
    place[members] = np.arange(len(members))
    run_loop(densities, len(u) * (rows + len(members)), b, rating, members, place, u, x, density)
    top = float(density.max())
    return np.exp(density - top), x, top


def densities(
    b: PosteriorModel, rating: Any, members: Any, place: Any, u: Any, x: Any, density: Any
) -> None:
    """Fill the ratings x and their joint log density, per unit of u, at every point."""
    for point in range(len(u)):
        value = 0.0
        for k in range(len(members)):
            x[point][k], stretch = rating_at(b, u[point][k])
            value += log_prior(b, x[point][k]) + stretch
        for k in range(len(members)):
            player = members[k]
            for row in range(b.first[player], b.first[player + 1]):
                other = b.opponent[row]
                if place[other] < 0:
                    value += row_value(b, row, x[point][k] - rating[other])
                elif other > player:
                    value += row_value(b, row, x[point][k] - x[point][place[other]])
        density[point] = value
