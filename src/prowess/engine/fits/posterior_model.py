"""The posterior of a league: the prior of every player and the likelihood of the results.

Formula   log post(R) = sum T_ij log wp(R_i - R_j + side) + sum log p(R_k) + const   (EQ 48)
          T_ij: wins of i over j and half the draws, as weights
          R_i := E[R_i | all other R, T], cyclically, until convergence              (section 8.1)
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5, 28 July 1994, sections 4, 4.2 and 8.1.

Integrals run over an unbounded coordinate u: u is the rating itself, or, where ratings begin at a
birth rating, x = birth + log(1 + e^v) / q with v = u - e^-u, which approaches the birth rating so
fast that nothing is left at the end.

The iteration of conditional means is a contraction in the largest difference for a logistic curve
and a strictly log-concave prior, so it converges to one point from any start. Its integral is a
trapezoidal sum around the mean of the previous round, as wide as its deviation; both are exact
once they no longer change.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import exp, inf, log, log1p, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.compile.worth import run_loop
from prowess.engine.fits.posterior import EXTREME_VALUE, HISTOGRAM, Prior, prior_terms, report_bins
from prowess.engine.numeric import log_logistic
from prowess.engine.system import Unratable
from prowess.engine.win_probability import log_win_probability
from prowess.games.runs import bounds_of

if TYPE_CHECKING:
    from prowess.games.tally import Tally


DEEPEST = -500.0  # of the coordinate; a player there is at the birth rating to the last bit


class PosteriorModel(NamedTuple):
    """The data of log densities; lists or arrays, so that plain and compiled loops read it."""

    curve: int
    q: float  # steepness, 1 / points
    advantage: float  # points
    prior: Prior
    mids: Any  # of a histogram, points, ascending and equally far apart
    log_share: Any  # of its bins
    fixed: Any  # [players] 1.0 for those of known rating
    first: Any  # [players + 1] player i's results are rows first[i]:first[i + 1]
    opponent: Any  # per row
    side: Any  # per row, as the player sees it
    won: Any  # per row, T of the player against the opponent
    lost: Any  # per row, T of the opponent


def posterior_model(
    tally: Tally,
    curve: int,
    q: float,
    prior: Prior,
    *,
    advantage: float = 0.0,
    literal: bool = False,
    known: Mapping[int, float] | None = None,
    histogram: tuple[Floats, Floats] | None = None,
) -> PosteriorModel:
    """The posterior of a tally of results; `literal` counts a draw as a win and a loss.

    `known` are players whose rating is fixed, `histogram` mid-points and shares of a prior of
    that kind (None: the report's).
    """
    each = 2.0 if literal else 1.0
    up, down = each * (tally.wins + 0.5 * tally.draws), each * (tally.losses + 0.5 * tally.draws)
    player = np.concatenate((tally.a, tally.b)).astype(np.int64)
    order = np.argsort(player, kind="stable")
    fixed = np.zeros(tally.players)
    fixed[list(known or ())] = 1.0
    mids, share = report_bins() if histogram is None else histogram
    with np.errstate(divide="ignore"):
        log_share = np.log(share)
    return PosteriorModel(
        curve,
        q,
        advantage,
        prior,
        mids,
        log_share,
        fixed,
        bounds_of(np.bincount(player, minlength=tally.players)),
        np.concatenate((tally.b, tally.a)).astype(np.int64)[order],
        np.concatenate((tally.side, -tally.side))[order],
        np.concatenate((up, down))[order],
        np.concatenate((down, up))[order],
    )


def row_value(b: PosteriorModel, row: int, x: float) -> float:
    """The log-likelihood of a row's results at a rating difference in points."""
    x += b.advantage * b.side[row]
    value = 0.0
    if b.won[row] > 0.0:
        value += b.won[row] * log_win_probability(b.curve, x, b.q)
    if b.lost[row] > 0.0:
        value += b.lost[row] * log_win_probability(b.curve, -x, b.q)
    return value


def log_prior(b: PosteriorModel, x: float) -> float:
    """log p(x); of a histogram, of the bin whose mid-point is nearest."""
    if b.prior.kind == HISTOGRAM:
        width = b.mids[1] - b.mids[0] if len(b.mids) > 1 else 1.0
        bin_ = int((x - b.mids[0]) / width + 1000.5) - 1000
        return b.log_share[bin_] if 0 <= bin_ < len(b.mids) else -inf
    density, _, _ = prior_terms(b.prior, x)
    return density


def log_conditional(b: PosteriorModel, rating: Any, player: int, x: float) -> float:
    """The log density of one rating given all other ratings, up to a constant."""
    value = log_prior(b, x)
    for row in range(b.first[player], b.first[player + 1]):
        value += row_value(b, row, x - rating[b.opponent[row]])
    return value


def rating_at(b: PosteriorModel, u: float) -> tuple[float, float]:
    """The rating at a coordinate, and the log of how fast it changes there."""
    if b.prior.kind != EXTREME_VALUE:
        return u, 0.0
    deep = max(u, DEEPEST)
    decay = exp(-deep)
    v = deep - decay
    return (
        b.prior.birth - log_logistic(-v) / b.prior.q,
        log_logistic(v) + log1p(decay) - log(b.prior.q),
    )


def starting_point(b: PosteriorModel) -> tuple[float, float]:
    """A coordinate in the middle of the prior, and a spread of its size."""
    if b.prior.kind == EXTREME_VALUE:
        return max(0.5, log1p(log(2.0) / b.prior.c8)), 1.0
    return b.prior.mean, b.prior.sd


# --- the iteration of conditional means -----------------------------------------------------------


NODES = 16  # on each side of the mean
STEP = 0.5  # deviations
LEAST_LEFT = 0.25  # share of a deviation left, at most, when the nodes were too far apart
CLOSE = 1e-11  # of the prior's spread; a change below it is rounding
MOST_ROUNDS = 20_000
MEMORY = 6  # earlier rounds from which the end is extrapolated


class ConditionalMeans(NamedTuple):
    """Conditional means and deviations at the end of the iteration, both [players] in points."""

    mean: Floats
    deviation: Floats
    rounds: int


def iterate_means(b: PosteriorModel, rating: Floats, members: Ids) -> ConditionalMeans:
    """Iterate the conditional means of `members`; all other players keep their rating.

    For players who met no other of `members` this is the mean and deviation themselves.
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
        run_loop(round_of_means, terms, b, members, rating, deviation, centre, width, scratch)
        moved = rating[members] - before
        still = np.abs(width[members] / shape - 1.0).max() < 1e-6
        if still and np.abs(moved).max() < CLOSE * size:
            return ConditionalMeans(rating, deviation, round_)
        if k > 1 and still:
            tried = [*tried[-MEMORY:], (before, moved)]
            rating[members] = _extrapolate(tried)
    raise Unratable.of("means_do_not_settle")


def _extrapolate(tried: list[tuple[Floats, Floats]]) -> Floats:
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
    b: PosteriorModel,
    members: Any,
    rating: Any,
    deviation: Any,
    centre: Any,
    width: Any,
    scratch: Any,
) -> None:
    """Move every member to the conditional mean, one after another."""
    for k in range(len(members)):
        player = members[k]
        if b.prior.kind == HISTOGRAM:
            rating[player], deviation[player] = mean_of_bins(b, rating, player, scratch)
        else:
            rating[player], deviation[player], centre[player], width[player] = mean_around(
                b, rating, player, centre[player], width[player]
            )


def mean_around(
    b: PosteriorModel, rating: Any, player: int, centre: float, width: float
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
    variance = max(u2 / total - u1 * u1, LEAST_LEFT * LEAST_LEFT * width * width)
    return origin + x1, sqrt(max(x2 / total - x1 * x1, 0.0)), centre + u1, sqrt(variance)


def mean_of_bins(
    b: PosteriorModel, rating: Any, player: int, log_share: Any
) -> tuple[float, float]:
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


# --- exact means, deviations and evidence of a few ratings at once --------------------------------
#
# The trapezoidal rule on a lattice of steps of the distribution's own deviations: for a density as
# smooth as these it errs by about e^(-2 pi^2 / step^2). The lattice is not known beforehand; it
# follows the mean and the covariance that it finds, from the prior's, until they stay.


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
    raise Unratable.of("prior_too_wide")


def lattice(k: int, step: float, reach: float) -> Floats:
    """All points of k coordinates at multiples of `step` within `reach`, [points, k]."""
    line = np.arange(-round(reach / step), round(reach / step) + 1, dtype=np.int64) * step
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
    place[members] = np.arange(len(members), dtype=np.int64)
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
