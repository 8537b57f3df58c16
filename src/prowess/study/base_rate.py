"""The forecast that knows no player: how often does the first side win, so far?

Every comparison needs it: a system that does not beat it has learnt nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.games import Games

    Floats = NDArray[np.float64]


class BaseRate(NamedTuple):
    """What the past alone says of each game, [n] each."""

    expected: Floats
    draw: Floats


def base_rate(games: Games) -> BaseRate:
    """Of every game the mean score of the favoured side, and the share of draws, before it.

    Games with and without a side advantage are counted apart; on neutral ground the expected
    score is 1/2. Each count begins with one imagined win, draw and loss. Games of one moment know
    nothing of each other.
    """
    n = len(games)
    side = np.zeros(n) if games.side is None else games.side
    favoured = np.where(side < 0.0, 1.0 - games.score, games.score)
    first = _first_of_moment(games.time, n)
    with_side = side != 0.0
    score = np.full(n, 0.5)
    score[with_side] = _running(favoured, with_side, first, 1.5, 3.0)[with_side]
    expected = np.where(side < 0.0, 1.0 - score, score)
    drawn = (games.score == 0.5).astype(np.float64)
    draw = np.empty(n)
    for group in (with_side, ~with_side):
        draw[group] = _running(drawn, group, first, 1.0, 3.0)[group]
    # three chances of at least 0 must remain
    return BaseRate(expected, np.minimum(draw, 2.0 * np.minimum(expected, 1.0 - expected)))


def _first_of_moment(time: Floats | None, n: int) -> NDArray[np.int64]:
    """The row with which the moment of each row begins: what lies before it is the past."""
    rows = np.arange(n)
    if time is None or not n:
        return rows
    return np.maximum.accumulate(np.where(np.append(True, time[1:] != time[:-1]), rows, 0))


def _running(
    value: Floats,
    group: NDArray[np.bool_],
    first: NDArray[np.int64],
    imagined: float,
    imagined_games: float,
) -> Floats:
    """The mean of a group's values over all earlier moments, [n]."""
    total = np.append(0.0, np.cumsum(np.where(group, value, 0.0)))
    count = np.append(0.0, np.cumsum(group))
    mean: Floats = (total[first] + imagined) / (count[first] + imagined_games)
    return mean
