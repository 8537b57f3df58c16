"""Mix forecasts by the likelihood that each has gathered, so that none is far ahead of the mixture.

A forecast counts with the chance that it gave to all results before, times its prior share. The
total log loss of the mixture is therefore at most ln(1 / prior share) above that of each forecast
(V. Vovk, "Aggregating strategies", COLT 1990).

A forecaster without a model of draws is completed: of the forecasts with its expected score E the
one whose draws are as frequent as those of another forecast, in the sense of Davidson's model
(R. R. Davidson, J. Amer. Stat. Assoc. 65, 1970),

    P(win) : P(draw) : P(loss) = e^x : 2 k : e^-x,    k = P(draw) / (2 sqrt(P(win) P(loss)))
    x = artanh e + arsinh(e k / sqrt(1 - e^2)),       e = 2 E - 1

with k of the other forecast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.losses import outcome_chances
from prowess.study.log_odds import LOG_ODDS_MARGIN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def likelihood_shares(
    prior: Floats, log_chance: Floats, start: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Return the share of each forecast before every entry, [forecasts, entries], and at the end.

    `log_chance` [forecasts, entries] is the log of the chance that was given to what happened.
    `start` are the bounds of groups of entries, which are all forecast before any is known.
    """
    groups = np.add.reduceat(log_chance, start[:-1], axis=1)
    total = np.cumsum(np.column_stack([np.log(prior), groups]), axis=1)
    share = np.exp(total - total.max(axis=0))
    share /= share.sum(axis=0)
    return np.repeat(share[:, :-1], np.diff(start), axis=1), share[:, -1]


def chances_of_members(mixed: Floats, expected: Floats, draw: Floats) -> Floats:
    """Return chances of win, draw and loss by each member, [members, games, 3].

    `mixed` [games, 3] completes members without draws, `expected` and `draw` are [members, games],
    nan where a member says nothing; without an expected score the chances are those of `mixed`.
    """
    win, even, loss = mixed.T
    k = even / (2.0 * np.sqrt(win * loss))
    held = np.clip(expected, LOG_ODDS_MARGIN, 1.0 - LOG_ODDS_MARGIN)
    e = 2.0 * held - 1.0
    x = np.arctanh(e) + np.arcsinh(e * k / np.sqrt(1.0 - e * e))
    completed = np.stack([np.exp(x), np.broadcast_to(2.0 * k, x.shape), np.exp(-x)], axis=2)
    own = np.stack([outcome_chances(*one) for one in zip(held, draw, strict=True)])
    found = np.where(np.isfinite(draw)[:, :, None], np.maximum(own, LOG_ODDS_MARGIN), completed)
    found = np.where(np.isfinite(expected)[:, :, None], found, mixed)
    chances: Floats = found / found.sum(axis=2, keepdims=True)
    return chances


def log_chance_of_results(chances: Floats, score: Floats) -> Floats:
    """Return the log of the chance of each result, [..., games], of chances [..., games, 3].

    A score other than 1, 1/2 and 0 counts as that share of a win in a game without a draw.
    """
    win, draw, loss = (chances[..., outcome] for outcome in range(3))
    decided = score * np.log(win) + (1.0 - score) * np.log(loss)
    found: Floats = np.where(score == 0.5, np.log(draw), decided)
    return found
