"""Ratings of resampled results: the bootstrap on merged counts.

Games are drawn again with replacement, which for merged counts is one multinomial draw of all
cells (pair, side, outcome). Each fit is one Newton step from the fit to all results,
theta* = theta + H^-1 g*, g* being the gradient of the resampled results there; `refitted`
maximises anew instead. Source: B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap
(1993), chapter 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess import kernel
from prowess.engine.fits.information import WHOLE, covariance
from prowess.engine.fits.likelihood import outcome_slopes
from prowess.engine.fits.newton import Maximum, maximum
from prowess.engine.fits.posterior import compiling, spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.tally import Tally

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

POISSON_FROM = 100_000  # games; above, cells are drawn one by one, and the sum varies by 0.3 %


def resampled(
    best: Maximum, place: Ids, roster: int, shift: float = 0.0
) -> Callable[[int, int], Floats]:
    """(how many, seed) -> ratings [how many, roster], one Newton step each."""
    return partial(_draws, best, place, roster, shift)


def _draws(best: Maximum, place: Ids, roster: int, shift: float, count: int, seed: int) -> Floats:
    n, rows = best.posterior.players, best.posterior.tally
    by_x, by_t = _by_cell(best)
    gradient = np.empty((count, n + 2))
    all_results = np.stack((rows.wins, rows.draws, rows.losses))  # whose gradient is 0
    for k, again in enumerate(drawn(rows, count, seed)):
        more = again - all_results
        gradient[k] = spread(rows, (by_x * more).sum(axis=0))
        gradient[k, n + 1] = (by_t * more).sum()
    gradient[:, ~best.moving] = 0.0
    if n <= WHOLE:
        steps = gradient @ covariance(best)
    else:
        steps = np.array([best.solved(one) for one in gradient])
    return _placed(best.unknown[:n] + shift + steps[:, :n], place, roster)


def refitted(
    best: Maximum, place: Ids, roster: int, count: int, seed: int, players: Sequence[str]
) -> Floats:
    """The slow way to the same: every resampling maximised. Raises Unidentifiable."""
    rows = best.posterior.tally
    found = []
    for wins, draws, losses in drawn(rows, count, seed):
        again = replace(best.posterior, tally=replace(rows, wins=wins, draws=draws, losses=losses))
        found.append(maximum(again, best.unknown, players).unknown[: rows.players])
    ratings = np.array(found)
    return _placed(ratings, place, roster)


def drawn(rows: Tally, count: int, seed: int) -> Iterator[Floats]:
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
    return kernel.compiled(outcome_slopes)


def _placed(ratings: Floats, place: Ids, roster: int) -> Floats:
    whole = np.full((len(ratings), roster), np.nan)
    whole[:, place] = ratings
    return whole
