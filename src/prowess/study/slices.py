"""Where do forecasts serve well, and where not? The same scores over parts of the games.

year         of the game
experience   games that the least experienced of the players had played before
gap          what the favourite was expected to score
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.engine.system import Unratable
from prowess.games.games import Games
from prowess.study.backtest import Backtest
from prowess.study.entries import of_entries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.games import Games

    Floats = NDArray[np.float64]

KINDS = ("year", "experience", "gap")
EXPERIENCE = (0, 1, 5, 20, 100)  # games from which each class begins
GAPS = (0.5, 0.6, 0.7, 0.8, 0.9)  # expected scores from which each class begins


class Slice(NamedTuple):
    """A part of the judged games."""

    label: str
    judged: int
    scores: dict[str, float]


def slices(test: Backtest, kind: str) -> list[Slice]:
    """The scores of a backtest over the parts of its judged games, in order; empty parts left out.

    Raises Unratable where the table does not say (dates, two sides), ValueError for another kind.
    """
    if kind == "year":
        part, labels = _years(test)
    elif kind == "experience":
        part, labels = _classes(experience(_games(test)), EXPERIENCE)
    elif kind == "gap":
        _games(test)
        part, labels = _classes(np.maximum(test.expected, 1.0 - test.expected), GAPS)
    else:
        raise ValueError(f"no slices by {kind!r}: {', '.join(KINDS)}")
    found = []
    for number, label in enumerate(labels):
        here = test.only(part == number)
        if here.count:
            found.append(Slice(label, here.count, here.scores))
    return found


def experience(games: Games) -> NDArray[np.int64]:
    """How many games the least experienced player of each game had played before it, [n]."""
    who = games.player.astype(np.int64)
    order = np.argsort(who, kind="stable")  # members are in order of play
    chain, entry = who[order], np.arange(len(who))
    first = np.maximum.accumulate(np.where(np.append(True, chain[1:] != chain[:-1]), entry, 0))
    before = np.empty(len(who), dtype=np.int64)
    before[order] = entry - first
    return np.minimum.reduceat(before, games.ends[games.start[:-1]])


def _games(test: Backtest) -> Games:
    if not test.table.pairwise:
        raise Unratable("contests of many can be looked at by year only")
    return test.table


def _years(test: Backtest) -> tuple[NDArray[np.int64], list[str]]:
    time = test.table.time
    if time is None:
        raise Unratable("there are no dates to look at forecasts by year")
    year = time.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970
    year = of_entries(test.table, year)
    known, part = np.unique(year, return_inverse=True)
    return part, [str(one) for one in known.tolist()]


def _classes(
    value: NDArray[np.float64] | NDArray[np.int64], starts: Sequence[float]
) -> tuple[NDArray[np.int64], list[str]]:
    """The class of each value, and what the classes are called."""
    part = np.searchsorted(np.array(starts), value, side="right") - 1
    whole = all(isinstance(start, int) for start in starts)
    labels = []
    for low, high in pairwise(starts):
        last = high - 1 if whole else high
        labels.append(f"{low:g}" if last == low else f"{low:g} to {last:g}")
    return part, [*labels, f"{starts[-1]:g} and more"]
