"""One rating after another, the others held: the conditional mean, and where its iteration ends.

Formula   R_i := E[R_i | all other R, T], cyclically, until nothing moves           (section 8.1)
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5, 28 July 1994, sections 4.2 and 8.1.

With a logistic curve and a strictly log-concave prior the map is a contraction in the largest
difference, so there is one end from anywhere. The integral is a trapezoidal sum around the mean
of the round before, as wide as its deviation; both are exact once they stay.
"""

from __future__ import annotations

from itertools import pairwise
from math import exp, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.fits.belief import Belief, log_conditional, rating_at, starting_point
from prowess.engine.fits.priors import HISTOGRAM
from prowess.engine.scalar_loops import run
from prowess.engine.system import Unratable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

NODES = 16  # on each side of the mean
STEP = 0.5  # deviations
NARROWEST = 0.25  # share of a deviation left, at most, when the nodes were too far apart
CLOSE = 1e-11  # of the prior's spread; a change below it is rounding
MOST_ROUNDS = 20_000
MEMORY = 6  # earlier rounds from which the end is extrapolated


class Settled(NamedTuple):
    """Conditional means and deviations at the end of the iteration, both [players] in points."""

    mean: Floats
    deviation: Floats
    rounds: int


def settled(b: Belief, rating: Floats, members: Ids) -> Settled:
    """Iterate the conditional means of `members`; everybody else stays at his rating.

    For players who met nobody else of `members` this is the mean and deviation themselves.
    Raises Unratable if the iteration does not end.
    """
    players, k = len(rating), len(members)
    start, spread = starting_point(b)
    rating, deviation = rating.copy(), np.zeros(players)
    rating[members] = rating_at(b, start)[0] if b.prior.kind != HISTOGRAM else b.mids.mean()
    centre, width = np.full(players, float(start)), np.full(players, float(spread))
    size = spread / b.prior.q if b.prior.kind == HISTOGRAM else spread
    nodes = len(b.mids) if b.prior.kind == HISTOGRAM else 2 * NODES + 1
    terms = 20.0 * nodes * sum(b.first[i + 1] - b.first[i] + 1 for i in members)
    scratch = np.zeros(len(b.mids))
    tried: list[tuple[Floats, Floats]] = []
    for round_ in range(1, MOST_ROUNDS + 1):
        before, shape = rating[members].copy(), width[members].copy()
        run(round_of_means, terms, b, members, rating, deviation, centre, width, scratch)
        moved = rating[members] - before
        still = np.abs(width[members] / shape - 1.0).max() < 1e-6
        if still and np.abs(moved).max() < CLOSE * size:
            return Settled(rating, deviation, round_)
        if k > 1 and still:
            tried = [*tried[-MEMORY:], (before, moved)]
            rating[members] = _extrapolated(tried)
    raise Unratable("the conditional means do not settle; a narrower prior helps")


def _extrapolated(tried: list[tuple[Floats, Floats]]) -> Floats:
    """Where the rounds so far point to (Anderson's mixing): least squares of the last moves."""
    before, moved = tried[-1]
    if len(tried) < 2:
        return before + moved
    by_move = np.stack([later[1] - one[1] for one, later in pairwise(tried)])
    by_place = np.stack([later[0] - one[0] for one, later in pairwise(tried)])
    share = np.linalg.lstsq(by_move.T, moved, rcond=1e-10)[0]
    ahead: Floats = before + moved - share @ (by_place + by_move)
    return ahead


def round_of_means(
    b: Belief, members: Any, rating: Any, deviation: Any, centre: Any, width: Any, scratch: Any
) -> None:
    """Put every member at his conditional mean, one after another."""
    for k in range(len(members)):
        player = members[k]
        if b.prior.kind == HISTOGRAM:
            rating[player], deviation[player] = mean_of_bins(b, rating, player, scratch)
        else:
            rating[player], deviation[player], centre[player], width[player] = mean_around(
                b, rating, player, centre[player], width[player]
            )


def mean_around(
    b: Belief, rating: Any, player: int, centre: float, width: float
) -> tuple[float, float, float, float]:
    """Mean and deviation of the rating, then of the coordinate, by nodes around a centre."""
    top = -1e300
    total, u1, u2, x1, x2 = 0.0, 0.0, 0.0, 0.0, 0.0
    origin, _ = rating_at(b, centre)
    for node in range(-NODES, NODES + 1):
        u = node * STEP * width
        x, stretch = rating_at(b, centre + u)
        density = log_conditional(b, rating, player, x) + stretch
        x -= origin
        if density > top:
            fade = exp(max(top - density, -745.0))
            total, u1, u2, x1, x2 = total * fade, u1 * fade, u2 * fade, x1 * fade, x2 * fade
            top = density
        weight = exp(max(density - top, -745.0))
        total += weight
        u1, u2 = u1 + weight * u, u2 + weight * u * u
        x1, x2 = x1 + weight * x, x2 + weight * x * x
    u1, x1 = u1 / total, x1 / total
    variance = max(u2 / total - u1 * u1, NARROWEST * NARROWEST * width * width)
    return origin + x1, sqrt(max(x2 / total - x1 * x1, 0.0)), centre + u1, sqrt(variance)


def mean_of_bins(b: Belief, rating: Any, player: int, log_share: Any) -> tuple[float, float]:
    """Mean and deviation over the bins of a histogram; fills the log of their shares."""
    top = -1e300
    for bin_ in range(len(b.mids)):
        log_share[bin_] = log_conditional(b, rating, player, b.mids[bin_])
        top = max(top, log_share[bin_])
    total, first, second = 0.0, 0.0, 0.0
    for bin_ in range(len(b.mids)):
        x = b.mids[bin_] - b.mids[0]
        weight = exp(max(log_share[bin_] - top, -745.0))
        total, first, second = total + weight, first + weight * x, second + weight * x * x
    mean = first / total
    return b.mids[0] + mean, sqrt(max(second / total - mean * mean, 0.0))
