"""Covariance of maximum likelihood ratings: the inverse information matrix, and the bootstrap.

Where draws count as halves it is the sandwich I^-1 (sum of squared scores) I^-1 (P. J. Huber, Proc.
5th Berkeley Symp. 1 (1967) 221; H. White, Econometrica 50 (1982) 1); above DENSE_PLAYERS players
each variance is taken in the part that squared scores are of the player's information.

Exact for up to DENSE_PLAYERS players. For more, the variance of a player, all opponents
being free as well,

    1 / (H_ii - sum_j h_ij^2 / H_jj),

less the player's share H_ii / sum of H_jj of the group, plus the variance of the group's shift,
from the inverse of H summed over GROUPS groups of equal strength; and exact columns of the inverse,
by conjugate gradients, for chosen players.

Bootstrap: games are resampled with replacement, which for merged counts is one multinomial draw of
all cells (pair, side, outcome). Each fit is one Newton step from the fit to all results,
theta* = theta + H^-1 g*, g* being the gradient of the resampled results. Source: B. Efron and
R. J. Tibshirani, An Introduction to the Bootstrap (1993), chapter 6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.engine.cluster.machine import one_thread
from prowess.engine.fits.fit_rows import MergedRows, SquaredScores
from prowess.engine.fits.likelihood import HALF
from prowess.engine.fits.newton import Maximum, has_matrix, information
from prowess.engine.system import Unratable
from prowess.engine.whole_table import GroupedNormal, Normal, Uncertainty

if TYPE_CHECKING:
    from prowess.engine.cluster.workers import Workers


DENSE_PLAYERS = 2_000  # players; their matrix has 32 MB
MOST_NUMBERS = 1 << 28  # of all resamplings together: 2 GB
GROUPS = 64
GROUP = 16  # players of a group at least
MIN_INFORMATION = 0.01  # of a player's own information that remains at least


def uncertainty(best: Maximum, place: Ids, roster: int) -> tuple[Uncertainty, Floats]:
    """How sure the ratings of a roster are, and the variances of advantage and draw parameter.

    `place` [n] is where each player of the fit stands in the roster; all others get nan.
    """
    if has_matrix(best.posterior, DENSE_PLAYERS) and roster <= 2 * DENSE_PLAYERS:
        small = covariance(best)
        n = best.posterior.players
        whole = np.full((roster, roster), np.nan)
        whole[np.ix_(place, place)] = small[:n, :n]
        return Normal(whole), np.diagonal(small)[n:].copy()
    return grouped_uncertainty(best, place, roster)


def covariance(best: Maximum) -> Floats:
    """The covariance of what was fitted, [n + 2, n + 2]; 0 for what does not move.

    The inverse information I^-1. Where draws count as halves, no game is half won, and I overstates
    how much results vary: I^-1 (sum of squared scores) I^-1.
    """
    inverse = inverse_information(best)
    squares = squared_scores(best)
    return inverse if squares is None else inverse @ squares.matrix() @ inverse


def squared_scores(best: Maximum) -> SquaredScores | None:
    """The sums of squared scores where draws count as halves; None where the model has draws, or
    the table has none, or a prior holds the ratings.
    """
    posterior, rows = best.posterior, best.posterior.rows
    if posterior.model.draws != HALF or not posterior.likelihood_alone or not rows.totals()[0]:
        return None
    if not isinstance(rows, MergedRows):
        return None
    return SquaredScores.of(rows, posterior.model, best.unknown)


def inverse_information(best: Maximum) -> Floats:
    """The inverse of the information matrix, [n + 2, n + 2]; 0 for what does not move."""
    posterior = best.posterior
    n = posterior.players
    chosen = np.flatnonzero(best.moving)
    whole = np.zeros((n + 2, n + 2))
    inverse = np.linalg.inv(information(posterior, best.slopes, best.moving))
    inverse = 0.5 * (inverse + inverse.T)
    whole[np.ix_(chosen, chosen)] = inverse
    if posterior.floating:  # the sum is a convention, so it has no uncertainty
        own = whole[:n, :n]
        own -= own.mean(axis=0)
        own -= own.mean(axis=1)[:, None]
    return whole


def grouped_uncertainty(best: Maximum, place: Ids, roster: int) -> tuple[Uncertainty, Floats]:
    """Own and group variances, [roster], with exact columns on demand."""
    slopes, n = best.slopes, best.posterior.players
    moving = best.moving[:n]
    own = slopes.diagonal[:n]
    count = max(1, min(GROUPS, n // GROUP))
    group = np.empty(n, dtype=np.int64)
    group[np.argsort(best.unknown[:n], kind="stable")] = np.arange(n, dtype=np.int64) * count // n
    squares, pairs = slopes.curvature.sum_pairs(own, moving, group, count)
    between = _between(best, group, pairs)
    scores = squared_scores(best)
    part = np.ones(n) if scores is None else scores.part_of(own)
    # the part shared with the shift of the group is counted there
    rest = 1.0 - own / np.bincount(group, np.where(moving, own, 0.0))[group]
    alone = np.where(moving, rest / np.maximum(own - squares, MIN_INFORMATION * own), 0.0)
    of_all = np.full(roster, np.nan)
    of_all[place] = part * alone
    group_of_all = np.zeros(roster, dtype=np.int64)
    group_of_all[place] = group

    extra = np.zeros(2)
    for k in (0, 1):
        if best.moving[n + k]:
            extra[k] = _column(best, n + k, scores)[n + k]
    return GroupedNormal(
        of_all,
        group_of_all,
        float(part.mean()) * between,
        partial(_columns, best, place, roster, scores),
    ), extra


def _columns(
    best: Maximum, place: Ids, roster: int, scores: SquaredScores | None, players: Ids
) -> Floats:
    """Exact columns of the covariance, [roster, players]."""
    n = best.posterior.players
    number = np.full(roster, -1)
    number[place] = np.arange(n, dtype=np.int64)
    found = np.full((roster, len(players)), np.nan)
    for k, player in enumerate(number[players].tolist()):
        if player >= 0:
            found[place, k] = _column(best, player, scores)[:n]
    return found


def _column(best: Maximum, which: int, scores: SquaredScores | None) -> Floats:
    """A column of the covariance, [n + 2]."""
    n = best.posterior.players
    one = np.zeros(n + 2)
    one[which] = 1.0
    if best.posterior.floating and which < n:
        one[:n] -= 1.0 / n
    column = best.solve(one)
    if scores is not None:
        column = best.solve(scores.times(column))
    if best.posterior.floating:
        column[:n] -= column[:n].mean()
    return column


def _between(best: Maximum, group: Ids, pairs: Floats) -> Floats:
    """The covariance of the shifts of groups, of which `pairs` are the sums of `sum_pairs`."""
    n, count = best.posterior.players, len(pairs)
    own = np.where(best.moving[:n], best.slopes.diagonal[:n], 0.0)
    h: Floats = np.diag(np.bincount(group, own, count)).astype(np.float64)
    h -= pairs + pairs.T
    if not best.posterior.floating:
        return np.linalg.pinv(h, hermitian=True).astype(np.float64)
    size = np.bincount(group, minlength=count) / n
    pin = float(best.slopes.diagonal[:n].sum())
    inverse = np.linalg.inv(h + pin * np.outer(size, size)) - 1.0 / pin
    between: Floats = 0.5 * (inverse + inverse.T)
    return between


# --- bootstrap ------------------------------------------------------------------------------------


TASK = 2_000_000  # cells drawn in a task of workers: some 50 ms


def make_resampler(
    best: Maximum, place: Ids, roster: int, shift: float = 0.0
) -> Callable[[int, int, Workers], Floats]:
    """(how many, seed, workers) -> ratings [how many, roster], one Newton step each."""
    return partial(_one_step_fits, best, place, roster, shift)


def _one_step_fits(
    best: Maximum, place: Ids, roster: int, shift: float, count: int, seed: int, workers: Workers
) -> Floats:
    rows, n = best.posterior.rows, best.posterior.players
    refuse_numbers(count, roster)
    dense = has_matrix(best.posterior, DENSE_PLAYERS)
    group = 1
    if isinstance(rows, MergedRows):
        group = min(100, 1 + TASK // (3 * len(rows.tally)))
    else:  # rows in leaves stay where they are
        from prowess.engine.cluster.workers import SERIAL

        workers = SERIAL
    given = Resampling(best, seed, dense)
    ratings = np.full((count, roster), np.nan)
    with one_thread:
        exact = inverse_information(best) if dense else None
    for k, found in enumerate(
        workers.map(Resampling.step, range(count), shared=given, group=group)
    ):
        with one_thread:
            step = found if exact is None else found @ exact
        ratings[k, place] = best.unknown[:n] + shift + step[:n]
    return ratings


@dataclass(frozen=True, eq=False)
class Resampling:
    """What the tasks of a bootstrap share: the fit to all results."""

    best: Maximum
    seed: int
    dense: bool

    @cached_property
    def resample(self) -> Callable[[int, int], Floats]:
        """(seed, k) -> the gradient of the k-th resampling."""
        return self.best.posterior.rows.resampler(self.best.posterior.model, self.best.unknown)

    def step(self, k: int) -> Floats:
        """Return the gradient of the k-th resampling, [n + 2]; of many players the Newton step."""
        more = self.resample(self.seed, k) - self.best.slopes.gradient
        gradient = np.where(self.best.moving, more, 0.0)
        return gradient if self.dense else self.best.solve(gradient)


def refuse_numbers(count: int, players: int) -> None:
    """Raise Unratable where resamplings would not fit into memory."""
    if count * players > MOST_NUMBERS:
        raise Unratable(
            f"take at most {max(MOST_NUMBERS // players, 2):,} resamplings: {count:,} ratings of "
            f"each of {players:,} players are {8e-9 * count * players:.1f} GB",
            code="too_many_resamplings",
        )
