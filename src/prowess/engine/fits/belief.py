"""What is believed of a league: the prior of every player, and what the results say.

Formula   log post(R) = sum T_ij log wp(R_i - R_j + side) + sum log p(R_k) + const   (EQ 48)
          T_ij: wins of i over j and half the draws, as weights
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5, 28 July 1994, section 4.

Integrals run over a coordinate u without ends: u is the rating itself, or, where ratings begin
at a birth rating, x = birth + log(1 + e^v) / q with v = u - e^-u, which approaches the birth
rating so fast that nothing is left at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, inf, log, log1p
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.fits.priors import EXTREME_VALUE, HISTOGRAM, Prior, prior_terms, report_bins
from prowess.engine.numeric import log_logistic
from prowess.engine.win_probability import log_win_probability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.tally import Tally

    Floats = NDArray[np.float64]

DEEPEST = -500.0  # of the coordinate; a player there is at the birth rating to the last bit


class Belief(NamedTuple):
    """One thing to ask for densities; lists or arrays, so that both loops can read it."""

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


def belief(
    tally: Tally,
    curve: int,
    q: float,
    prior: Prior,
    *,
    advantage: float = 0.0,
    literal: bool = False,
    known: Mapping[int, float] | None = None,
    histogram: tuple[Floats, Floats] | None = None,
) -> Belief:
    """The belief after the results of a tally; `literal` counts a draw as a win and a loss.

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
    return Belief(
        curve,
        q,
        advantage,
        prior,
        mids,
        log_share,
        fixed,
        np.concatenate(([0], np.cumsum(np.bincount(player, minlength=tally.players)))),
        np.concatenate((tally.b, tally.a)).astype(np.int64)[order],
        np.concatenate((tally.side, -tally.side))[order],
        np.concatenate((up, down))[order],
        np.concatenate((down, up))[order],
    )


def row_value(b: Belief, row: int, x: float) -> float:
    """The log-likelihood of a row's results at a rating difference in points."""
    x += b.advantage * b.side[row]
    value = 0.0
    if b.won[row] > 0.0:
        value += b.won[row] * log_win_probability(b.curve, x, b.q)
    if b.lost[row] > 0.0:
        value += b.lost[row] * log_win_probability(b.curve, -x, b.q)
    return value


def log_prior(b: Belief, x: float) -> float:
    """log p(x); of a histogram, of the bin whose mid-point is nearest."""
    if b.prior.kind == HISTOGRAM:
        width = b.mids[1] - b.mids[0] if len(b.mids) > 1 else 1.0
        bin_ = int((x - b.mids[0]) / width + 1000.5) - 1000
        return b.log_share[bin_] if 0 <= bin_ < len(b.mids) else -inf
    density, _, _ = prior_terms(b.prior, x)
    return density


def log_conditional(b: Belief, rating: Any, player: int, x: float) -> float:
    """The log density of one player's rating, given everybody else's, up to a constant."""
    value = log_prior(b, x)
    for row in range(b.first[player], b.first[player + 1]):
        value += row_value(b, row, x - rating[b.opponent[row]])
    return value


def rating_at(b: Belief, u: float) -> tuple[float, float]:
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


def starting_point(b: Belief) -> tuple[float, float]:
    """A coordinate in the middle of the prior, and a spread of its size."""
    if b.prior.kind == EXTREME_VALUE:
        return max(0.5, log1p(log(2.0) / b.prior.c8)), 1.0
    return b.prior.mean, b.prior.sd
