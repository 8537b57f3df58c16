"""From points to places, in many simulated tournaments at once.

Who has more points stands higher; equals are told apart by the rules asked for, in their order

    wins          games won
    head_to_head  points from the games among those still level
    berger        Sonneborn-Berger: the points of those beaten and half of those drawn with
    buchholz      the points of all opponents

and who is still level shares the places: two on places 3 and 4 have half of each, as if lots
were drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.params import BadSetting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

RULES = ("wins", "head_to_head", "berger", "buchholz")
DIGITS = 9  # decimals; sums of the same games in another order are equal


@dataclass(frozen=True)
class Scale:
    """Points for a win, a draw, a loss."""

    win: float = 1.0
    draw: float = 0.5
    loss: float = 0.0

    def points(self, score: Floats) -> Floats:
        """Points of each game; a score above 1/2 is a win, 1/2 a draw."""
        return np.where(score > 0.5, self.win, np.where(score == 0.5, self.draw, self.loss))


@dataclass(frozen=True, eq=False)
class Tables:
    """Final tables of many runs: points and wins [runs, n], and pair by pair [runs, n, n].

    `brought` are the points that i made against j, `share` the wins and half the draws, `met` the
    games; all three are None where no rule needs them.
    """

    points: Floats
    wins: Floats
    brought: Floats | None = None
    share: Floats | None = None
    met: Floats | None = None


def pairwise(rules: Sequence[str]) -> bool:
    """Whether the rules look at games pair by pair. Raises BadSetting for unknown ones."""
    for rule in rules:
        if rule not in RULES:
            raise BadSetting(f"no tie-break {rule!r}; there are {', '.join(RULES)}")
    return bool(set(rules) - {"wins"})


def levels(tables: Tables, rules: Sequence[str]) -> Ids:
    """A number per player, [runs, n]: 0 is the best, equal numbers are tied."""
    level = _refined(np.zeros(tables.points.shape, dtype=np.int64), tables.points)
    for rule in rules:
        level = _refined(level, _value(tables, rule, level))
    return level


def _value(tables: Tables, rule: str, level: Ids) -> Floats:
    """What a rule compares, [runs, n], more is better."""
    if rule == "wins":
        return tables.wins
    assert tables.brought is not None
    assert tables.share is not None
    assert tables.met is not None
    if rule == "head_to_head":
        tied = level[:, :, None] == level[:, None, :]
        value: Floats = np.where(tied, tables.brought, 0.0).sum(axis=2)
        return value
    weight = tables.share if rule == "berger" else tables.met
    total: Floats = np.matmul(weight, tables.points[:, :, None])[:, :, 0]
    return total


def _refined(level: Ids, value: Floats) -> Ids:
    """Levels told further apart by a value."""
    value = -value.round(DIGITS)
    order = np.lexsort((value, level), axis=-1)
    first, then = np.take_along_axis(level, order, 1), np.take_along_axis(value, order, 1)
    step = np.zeros(order.shape, dtype=np.int64)
    step[:, 1:] = (np.diff(first) != 0) | (np.diff(then) != 0.0)
    finer = np.empty_like(level)
    np.put_along_axis(finer, order, np.cumsum(step, axis=1), 1)
    return finer


def shares(level: Ids) -> Floats:
    """How often each player had each place, summed over the runs, [n players, n places]."""
    n = level.shape[1]
    ordered = np.sort(level, axis=1)
    begins = np.concatenate((np.ones((len(level), 1), dtype=bool), np.diff(ordered) != 0), axis=1)
    place = np.arange(n)
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    order = np.argsort(level, axis=1, kind="stable")
    better = np.empty_like(level)
    np.put_along_axis(better, order, first, 1)
    tied = np.zeros_like(level)
    np.put_along_axis(tied, order, _sizes(first), 1)
    count = np.zeros((n, n + 1))
    row = np.broadcast_to(place, level.shape) * (n + 1)
    part = (1.0 / tied).ravel()
    count += np.bincount((row + better).ravel(), part, n * (n + 1)).reshape(n, n + 1)
    count -= np.bincount((row + better + tied).ravel(), part, n * (n + 1)).reshape(n, n + 1)
    return np.cumsum(count, axis=1)[:, :n]


def _sizes(first: Ids) -> Ids:
    """How many share the group that begins at `first`, in the order of the table."""
    runs, n = first.shape
    flat = (np.arange(runs)[:, None] * n + first).ravel()
    sizes: Ids = np.bincount(flat, minlength=runs * n)[flat].reshape(runs, n)
    return sizes
