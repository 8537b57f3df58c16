"""Results of games as classes: draws, and wins by the size of their margin."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CLASSES = 8  # of margins, at most
GOALS = 5  # classes of margins that are small whole numbers: 1, 2, 3, 4, 5 and more
SMALL = 3.0  # mean margin up to which whole numbers are goals


class ResultClasses(NamedTuple):
    """The results of games as classes, [games]."""

    result: Floats | None  # +-j: a win by a margin of class j, 0 a draw; None: scores alone
    drawn: Floats | None  # 1: a draw was possible; None: the table has no draws
    margins: bool  # whether wins have classes
    share: Floats  # of the opening games in class j or nearer to a draw, j from 0


def classify_results(table: Games, opening: int) -> ResultClasses:
    """The classes of all results; those of margins are taken from the first `opening` games."""
    score = table.score
    sign = np.where(score == 1.0, 1.0, np.where(score == 0.0, -1.0, 0.0))
    drawn = None
    if (score == 0.5).any():
        drawn = ((sign != 0.0) | (score == 0.5)).astype(np.float64)
    sizes = None
    if table.margin is not None and len(table):
        sizes = margin_classes(np.abs(table.margin), sign != 0.0, opening)
    if sizes is None and drawn is None:
        return ResultClasses(None, None, False, np.zeros(1))
    result, count = (sign, 1) if sizes is None else (sign * sizes, int(sizes.max(initial=1.0)))
    early = np.abs(result[:opening])
    share = np.array([(early <= j).mean() for j in range(count)])
    return ResultClasses(result, drawn, sizes is not None, share)


def margin_classes(size: Floats, decided: NDArray[np.bool_], opening: int) -> Floats | None:
    """The class of each margin, from 1; None where the opening has no two of them.

    Small whole numbers are goals: 1, 2, 3, 4, 5 and more. Others are cut at seven quantiles.
    """
    early = size[:opening][decided[:opening] & (size[:opening] > 0.0)]
    if not len(early) or early.min() == early.max():
        return None
    if (size == np.floor(size)).all() and early.mean() <= SMALL:
        found: Floats = np.clip(size, 1.0, GOALS)
        return found
    cut = np.unique(np.quantile(early, np.arange(1, CLASSES) / CLASSES))
    if (early == early.min()).mean() < 1.0 / CLASSES:
        cut = cut[cut > early.min()]
    return np.digitize(size, cut).astype(np.float64) + 1.0
