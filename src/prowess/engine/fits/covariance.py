"""Covariance of maximum likelihood ratings: the inverse information matrix, and the bootstrap.

Exact for up to WHOLE players. For more, the variance of a player, all opponents being free as well,

    1 / (H_ii - sum_j h_ij^2 / H_jj),

less the player's share H_ii / sum of H_jj of the group, plus the variance of the group's shift,
from the inverse of H summed over GROUPS groups of equal strength; and exact columns of the inverse,
by conjugate gradients, for chosen players.

Bootstrap: games are resampled with replacement, which for merged counts is one multinomial draw of
all cells (pair, side, outcome). Each fit is one Newton step from the fit to all results,
theta* = theta + H^-1 g*, g* being the gradient of the resampled results; `refit_resamples`
maximises again instead. Source: B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap
(1993), chapter 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess import kernel
from prowess.engine.fits.likelihood import outcome_slopes
from prowess.engine.fits.newton import Maximum, information, maximum
from prowess.engine.fits.posterior import compiling, spread
from prowess.engine.whole_table import GroupedNormal, Normal, Uncertainty

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.tally import Tally

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]


WHOLE = 2_000  # players; their matrix has 32 MB
GROUPS = 64
GROUP = 16  # players of a group at least
LEAST = 0.01  # of a player's own information that remains at least


def uncertainty(best: Maximum, place: Ids, roster: int) -> tuple[Uncertainty, Floats]:
    """How sure the ratings of a roster are, and the variances of advantage and draw parameter.

    `place` [n] is where each player of the fit stands in the roster; all others get nan.
    """
    if best.posterior.players <= WHOLE and roster <= 2 * WHOLE:
        small = covariance(best)
        n = best.posterior.players
        whole = np.full((roster, roster), np.nan)
        whole[np.ix_(place, place)] = small[:n, :n]
        return Normal(whole), np.diagonal(small)[n:].copy()
    return grouped_uncertainty(best, place, roster)


def covariance(best: Maximum) -> Floats:
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
    a, b, joint = _pairs(slopes.tally, slopes.by_row)
    square = joint * joint
    taken = np.bincount(a, square * moving[b] / own[b], n)
    taken += np.bincount(b, square * moving[a] / own[a], n)
    group, between = _between(best, a, b, joint)
    # the part shared with the shift of the group is counted there
    rest = 1.0 - own / np.bincount(group, np.where(moving, own, 0.0))[group]
    alone = np.where(moving, rest / np.maximum(own - taken, LEAST * own), 0.0)
    of_all = np.full(roster, np.nan)
    of_all[place] = alone
    group_of_all = np.zeros(roster, dtype=np.int64)
    group_of_all[place] = group

    extra = np.zeros(2)
    for k in (0, 1):
        if best.moving[n + k]:
            extra[k] = _column(best, n + k)[n + k]
    return GroupedNormal(
        of_all, group_of_all, between, partial(_columns, best, place, roster)
    ), extra


def _columns(best: Maximum, place: Ids, roster: int, players: Ids) -> Floats:
    """Exact columns of the covariance, [roster, players]."""
    n = best.posterior.players
    number = np.full(roster, -1)
    number[place] = np.arange(n)
    found = np.full((roster, len(players)), np.nan)
    for k, player in enumerate(number[players].tolist()):
        if player >= 0:
            found[place, k] = _column(best, player)[:n]
    return found


def _column(best: Maximum, which: int) -> Floats:
    """A column of the covariance, [n + 2]."""
    n = best.posterior.players
    one = np.zeros(n + 2)
    one[which] = 1.0
    if best.posterior.floating and which < n:
        one[:n] -= 1.0 / n
    column = best.solve(one)
    if best.posterior.floating:
        column[:n] -= column[:n].mean()
    return column


def _pairs(rows: Tally, by_row: Floats) -> tuple[Ids, Ids, Floats]:
    """Rows of one pair as one."""
    a, b = rows.a.astype(np.int64), rows.b.astype(np.int64)
    if not rows.side.any():
        return a, b, by_row
    pair, row = np.unique(a * rows.players + b, return_inverse=True)
    return pair // rows.players, pair % rows.players, np.bincount(row, by_row).astype(np.float64)


def _between(best: Maximum, a: Ids, b: Ids, joint: Floats) -> tuple[Ids, Floats]:
    """Groups of equally strong players, [n], and the covariance of their shifts."""
    n = best.posterior.players
    count = max(1, min(GROUPS, n // GROUP))
    order = np.argsort(best.unknown[:n], kind="stable")
    group = np.empty(n, dtype=np.int64)
    group[order] = np.arange(n) * count // n
    moving = best.moving[:n]
    both = moving[a] & moving[b]
    cell = group[a[both]] * count + group[b[both]]
    cross = np.bincount(cell, joint[both], count * count).reshape(count, count)
    h = np.diag(np.bincount(group, np.where(moving, best.slopes.diagonal[:n], 0.0), count))
    h -= cross + cross.T
    if not best.posterior.floating:
        return group, np.linalg.pinv(h, hermitian=True)
    size = np.bincount(group, minlength=count) / n
    pin = float(best.slopes.diagonal[:n].sum())
    inverse = np.linalg.inv(h + pin * np.outer(size, size)) - 1.0 / pin
    return group, 0.5 * (inverse + inverse.T)


# --- bootstrap ------------------------------------------------------------------------------------


POISSON_FROM = 100_000  # games; above, cells are drawn one by one, and the sum varies by 0.3 %


def make_resampler(
    best: Maximum, place: Ids, roster: int, shift: float = 0.0
) -> Callable[[int, int], Floats]:
    """(how many, seed) -> ratings [how many, roster], one Newton step each."""
    return partial(_one_step_fits, best, place, roster, shift)


def _one_step_fits(
    best: Maximum, place: Ids, roster: int, shift: float, count: int, seed: int
) -> Floats:
    n, rows = best.posterior.players, best.posterior.tally
    by_x, by_t = _by_cell(best)
    gradient = np.empty((count, n + 2))
    all_results = np.stack((rows.wins, rows.draws, rows.losses))  # whose gradient is 0
    for k, again in enumerate(resample_counts(rows, count, seed)):
        more = again - all_results
        gradient[k] = spread(rows, (by_x * more).sum(axis=0))
        gradient[k, n + 1] = (by_t * more).sum()
    gradient[:, ~best.moving] = 0.0
    if n <= WHOLE:
        steps = gradient @ covariance(best)
    else:
        steps = np.array([best.solve(one) for one in gradient])
    return _place_in_roster(best.unknown[:n] + shift + steps[:, :n], place, roster)


def refit_resamples(
    best: Maximum, place: Ids, roster: int, count: int, seed: int, players: Sequence[str]
) -> Floats:
    """The same by maximising every resampling, which is slower. Raises Unidentifiable."""
    rows = best.posterior.tally
    found = []
    for wins, draws, losses in resample_counts(rows, count, seed):
        again = replace(best.posterior, tally=replace(rows, wins=wins, draws=draws, losses=losses))
        found.append(maximum(again, best.unknown, players).unknown[: rows.players])
    ratings = np.array(found)
    return _place_in_roster(ratings, place, roster)


def resample_counts(rows: Tally, count: int, seed: int) -> Iterator[Floats]:
    """Resampled wins, draws and losses of every row, [3, rows], so many times."""
    cells = np.stack((rows.wins, rows.draws, rows.losses))
    seen = np.flatnonzero(cells.ravel())
    known = cells.ravel()[seen]
    total = float(known.sum())
    games = max(round(total), 1)
    random = np.random.default_rng(seed)
    for _ in range(count):
        again = np.zeros(cells.size)
        if games < POISSON_FROM:
            again[seen] = random.multinomial(games, known / total) * (total / games)
        else:
            again[seen] = random.poisson(known)
        yield again.reshape(cells.shape)


def _by_cell(best: Maximum) -> tuple[Floats, Floats]:
    """Slopes by x and t of one win, one draw, one loss in every row, each [3, rows]."""
    rows = best.posterior.tally
    by_x, by_t = np.zeros((3, len(rows))), np.zeros((3, len(rows)))
    fill = _slopes() if compiling(len(rows)) else outcome_slopes
    fill(best.posterior.model, best.unknown, rows.a, rows.b, rows.side, by_x, by_t)
    return by_x, by_t


@cache
def _slopes() -> Any:
    return kernel.compile_function(outcome_slopes)


def _place_in_roster(ratings: Floats, place: Ids, roster: int) -> Floats:
    whole = np.full((len(ratings), roster), np.nan)
    whole[:, place] = ratings
    return whole
