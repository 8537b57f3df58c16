"""Voters: how much each agrees with the ratings of all others, their habits, and who votes badly.

Formula   P(first wins | voter v) = wp(theta_v d + h + b_v), d the difference of the ratings without
          the votes of v (one step of Newton's method), h the effect of position and covariates;
          theta_v ~ N(1, tau^2), b_v ~ N(0, sigma^2), both variances by EM with normal posteriors;
          informations are divided by the dispersion of the scores where draws are halves. Under
          Davidson's model the draw parameter of v is t + c_v, c_v ~ N(0, rho^2).
          Test of v: the sum over votes of (s - p) d, against permutations of these values among
          votes with |d| in one of EXCHANGE_BINS bins. Beyond the drawn permutations the tail is
          that of a gamma distribution with their mean, variance and skewness; Holm's p-values.
          alpha = 1 - D_o / D_e with squared differences; a vote counts in both orders of its sides.
Source    Judge-aware ranking, arXiv 2601.21817; voters in arenas, arXiv 2505.03475; P. Good,
          Permutation Tests (2000); S. Holm, Scandinavian J. of Statistics 6 (1979) 65;
          K. Krippendorff, Content Analysis (2004), chapter 11.
Units     d, h, b: natural units (log odds); theta: 1 for voters who tell players apart as all do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.engine.fits.comparisons import find_slopes
from prowess.engine.fits.likelihood import HALF
from prowess.engine.table import take_column
from prowess.engine.whole_table import two_sided_quantile
from prowess.games.reading import format_count, list_some
from prowess.study.diagnosis.evidence import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from prowess.engine.fits.comparisons import ComparisonFit
    from prowess.games.games import Games


EXCHANGE_BINS = 20  # of |d|, whose votes are exchanged
PERMUTATIONS = 1_999
PERMUTED_VOTES = 100_000_000  # of all permutations together: some 5 s
MIN_HITS = 10  # of permutations, for a p-value that is their share
PASSES = 40  # of EM
PRIOR_SD = 0.5  # of theta and b, where EM begins
MIN_SD = 1e-3
NAMED_THETA = 0.5  # below, a voter who agrees less than chance explains is named
MAX_SUMS = 1 << 26  # of voters times players: 512 MB


class VoterTable(NamedTuple):
    """What is known of each voter, [voters] each; `voter` is their number in the table."""

    voter: Ids
    votes: Ids
    agreement: Floats  # share of decided votes for the higher rated
    theta: Floats
    theta_low: Floats
    theta_high: Floats
    side: Floats  # b: what the voter adds to the first side
    side_low: Floats
    side_high: Floats
    draws: Floats  # share of votes
    p: Floats  # that the voter agrees no less than the others
    adjusted: Floats
    alone: Floats  # theta without its prior
    theta_sd: float  # tau
    side_sd: float  # sigma

    def bad(self, level: float) -> Truths:
        """Who agrees less than chance explains, and votes by less than half of a difference."""
        return (self.adjusted <= 1.0 - level) & (self.alone < NAMED_THETA)


def describe_named(names: Sequence[Any], voters: int) -> str:
    """How many voters agree less than chance explains, the first of them by name.

    >>> describe_named(["Ann", "Ben", "Cid", "Dan"], 124)
    '4 of 124 voters agree less than chance explains: Ann, Ben, Cid and 1 more'
    """
    agree = "agrees" if len(names) == 1 else "agree"
    found = f"{len(names):,} of {format_count(voters, 'voter')} {agree}"
    return f"{found} less than chance explains: {list_some([*map(str, names)])}"


def judge_voters(
    fit: ComparisonFit, voter: Ids, *, level: float = 0.95, seed: int = 0
) -> VoterTable:
    """Judge voters by a fit; `voter` [rows] numbers the voter of each row from 0."""
    rows = fit.rows
    known, place = np.unique(voter, return_inverse=True)
    count = len(known)
    apart = leave_own_votes_out(fit, place)
    rest = rows.x @ fit.effects
    chance = 1.0 / (1.0 + np.exp(-(apart + rest)))
    votes = np.bincount(place, minlength=count)
    surplus = rows.weight * (rows.score - chance)
    given = rows.score, rows.weight
    theta, side = fit_habits((HALF, 0.0), given, apart, rest, place, count)
    z = two_sided_quantile(level)
    decided = (rows.score != 0.5) & (apart != 0.0)
    right = decided & ((rows.score > 0.5) == (apart > 0.0))
    with np.errstate(invalid="ignore"):
        agreement = np.bincount(place, right, count) / np.bincount(place, decided, count)
    p = permutation_tails(surplus * apart, np.abs(apart), place, count, seed)
    return VoterTable(
        known, votes, agreement,
        theta.mode, theta.mode - z * theta.deviation, theta.mode + z * theta.deviation,
        side.mode, side.mode - z * side.deviation, side.mode + z * side.deviation,
        np.bincount(place, rows.score == 0.5, count) / votes,
        p, np.array(holm(p)), theta.alone(1.0), theta.prior, side.prior,
    )  # fmt: skip


def name_values(table: Games, column: str) -> list[str]:
    """The values of a column as texts, in ascending order of their numbers."""
    values, words = take_column(table, column)
    return [
        np.format_float_positional(one, trim="-") if words is None else words[int(one)]
        for one in np.unique(values).tolist()
    ]


def leave_own_votes_out(fit: ComparisonFit, voter: Ids) -> Floats:
    """The rating difference of each row in a fit without the votes of its voter, by one step."""
    rows = fit.rows
    count, p = int(voter.max()) + 1, len(fit.unknown)
    own = fit.ratings[rows.a] - fit.ratings[rows.b]
    many = max(1, MAX_SUMS // p)
    found = np.empty(len(rows))
    for first in range(0, count, many):
        among = np.flatnonzero((voter >= first) & (voter < first + many))
        group = voter[among] - first
        step = fit.scores.sum_groups(group, among) @ fit.inverse
        shift = step[group, rows.a[among]] - step[group, rows.b[among]]
        found[among] = own[among] - shift
    return found


class Habit(NamedTuple):
    """A habit of each voter, with its deviation, and the deviation of the habit among voters."""

    mode: Floats
    deviation: Floats
    prior: float

    def alone(self, center: float) -> Floats:
        """The habit without its prior about a center, from normal densities."""
        precision, prior = 1.0 / self.deviation**2, 1.0 / self.prior**2
        own = np.maximum(precision - prior, 1e-9)
        found: Floats = (self.mode * precision - center * prior) / own
        return found


def fit_habits(
    model: tuple[int, float],
    rows: tuple[Floats, Floats],
    apart: Floats,
    rest: Floats,
    voter: Ids,
    count: int,
) -> list[Habit]:
    """Theta, side bias and readiness to draw of each voter, with priors of fitted variances.

    `model` has a number of `likelihood.DRAWS` and its draw parameter, `rows` scores and weights.
    Draws as halves have no readiness; scores then vary less than the model says: the dispersion.
    """
    draws, t = model
    score, weight = rows
    first = find_slopes(draws, apart + rest, t, score)
    spread = float(weight @ first.zz)
    halves = first.t is None
    scatter = min(1.0, float(weight @ first.z**2) / spread) if halves and spread else 1.0
    center = np.array([1.0, 0.0, 0.0][: 2 if halves else 3])
    size = len(center)
    value, prior = np.tile(center, (count, 1)), np.full(size, PRIOR_SD**2)

    def total(values: Floats) -> Floats:
        return np.asarray(np.bincount(voter, weight * values, count) / scatter, dtype=np.float64)

    for _ in range(PASSES):
        ready = 0.0 if halves else value[voter, 2]
        z = value[voter, 0] * apart + rest + value[voter, 1]
        one = find_slopes(draws, z, t + ready, score)
        gradient, matrix = np.empty((count, size)), np.empty((count, size, size))
        gradient[:, 0], gradient[:, 1] = total(one.z * apart), total(one.z)
        matrix[:, 0, 0], matrix[:, 1, 1] = total(one.zz * apart * apart), total(one.zz)
        matrix[:, 0, 1] = matrix[:, 1, 0] = total(one.zz * apart)
        if one.t is not None and one.zt is not None and one.tt is not None:
            gradient[:, 2], matrix[:, 2, 2] = total(one.t), total(one.tt)
            matrix[:, 0, 2] = matrix[:, 2, 0] = total(one.zt * apart)
            matrix[:, 1, 2] = matrix[:, 2, 1] = total(one.zt)
        covariance = np.linalg.inv(matrix + np.diag(1.0 / prior))
        step = np.einsum("vij,vj->vi", covariance, gradient - (value - center) / prior)
        value = value + np.clip(step, -1.0, 1.0)
        variance = np.einsum("vii->vi", covariance)
        prior = np.maximum(MIN_SD**2, ((value - center) ** 2 + variance).mean(axis=0))
    deviation = np.sqrt(variance)
    return [Habit(value[:, k], deviation[:, k], float(prior[k] ** 0.5)) for k in range(size)]


def permutation_tails(values: Floats, size: Floats, voter: Ids, count: int, seed: int) -> Floats:
    """The chance of a sum as low as each voter's where values of like size change places."""
    from scipy.special import gammaincc, ndtr

    edges = np.quantile(size, np.linspace(0.0, 1.0, EXCHANGE_BINS + 1)[1:-1])
    inside = np.searchsorted(edges, size).astype(np.uint16)
    order = np.argsort(inside, kind="stable")
    own = np.bincount(voter, values, count)
    times = max(199, min(PERMUTATIONS, PERMUTED_VOTES // max(1, len(values))))
    random, sorted_voter = np.random.default_rng(seed), voter[order]
    hits, moments = np.zeros(count), np.zeros((3, count))
    mean = np.bincount(inside, values) / np.maximum(np.bincount(inside), 1)
    guess = np.bincount(voter, mean[inside], count)
    for _ in range(times):
        mixed = random.permutation(len(values))
        mixed = mixed[np.argsort(inside[mixed], kind="stable")]  # at random within each bin
        drawn = np.bincount(sorted_voter, values[mixed], count)
        hits += drawn <= own
        off = drawn - guess
        moments += np.stack((off, off * off, off * off * off))
    first, second, third = moments / times
    variance = np.maximum(second - first * first, 0.0)
    sd = np.sqrt(variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (own - guess - first) / sd
        skew = (third - 3.0 * first * variance - first**3) / sd**3
        shape = 4.0 / skew**2
        below = gammaincc(shape, np.maximum(shape - z * np.sqrt(shape), 0.0))
        above = 1.0 - gammaincc(shape, np.maximum(shape + z * np.sqrt(shape), 0.0))
        tail = np.where(np.abs(skew) < 0.01, ndtr(z), np.where(skew < 0.0, below, above))
    share = (1.0 + hits) / (1.0 + times)
    found: Floats = np.where((hits < MIN_HITS) & (sd > 0.0), np.minimum(tail, share), share)
    return np.clip(found, 0.0, 1.0)


def krippendorff_alpha(item: Ids, value: Floats) -> float | None:
    """The agreement of values of items [n], with squared differences; None without two values."""
    _, place = np.unique(item, return_inverse=True)
    size = np.bincount(place)
    paired = size[place] > 1
    place, value = place[paired], value[paired]
    if not len(value):
        return None
    total, squares = np.bincount(place, value), np.bincount(place, value * value)
    size = np.bincount(place)
    there = size > 1
    within = (size * squares - total * total)[there] / (size[there] - 1.0)
    n = float(len(value))
    expected = (n * float(value @ value) - float(value.sum()) ** 2) / (n - 1.0)
    return None if expected <= 0.0 else 1.0 - float(within.sum()) / expected
