"""Leaves as rows of a fit, wherever the leaves lie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile import kernel
from prowess.engine.fits.fit_rows import PairSums, PointSums, is_worth_compiling
from prowess.engine.fits.leaves import Leaf

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.fits.fit_rows import Outline
    from prowess.engine.fits.leaf_parts import LeafParts
    from prowess.engine.fits.leaves import Leaves
    from prowess.engine.fits.likelihood import OutcomeModel

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]
    Chosen = NDArray[np.bool_]

PIECE = 1 << 22  # rows that are looked at together


@dataclass(eq=False)
class LeafRows:
    """Leaves as rows of a fit."""

    leaves: Leaves | LeafParts
    players: int
    points: int = 0  # that were looked at

    def at(self, model: OutcomeModel, unknown: Floats) -> PointSums:
        """See FitRows."""
        self.points += 1
        gradient, diagonal = self.leaves.add_up(Leaf.at, model, unknown)
        return PointSums(gradient, diagonal, LeafCurvature(self, self.points))

    def value(self, model: OutcomeModel, unknown: Floats) -> float:
        """See FitRows."""
        return self.leaves.add_up(Leaf.value, model, unknown)

    def outline(self, *, sides: bool) -> Outline:
        """See FitRows."""
        return self.leaves.outline(sides=sides)

    def totals(self) -> Floats:
        """See FitRows."""
        return self.leaves.add_up(Leaf.totals)

    def select(self, place: Ids) -> LeafRows:
        """See FitRows; the rows before are given up."""
        if len(place) < self.players:
            number = np.zeros(self.players, dtype=np.uint32)
            number[place] = np.arange(len(place), dtype=np.int64)
            self.leaves.renumber(number, len(place))
        return LeafRows(self.leaves, len(place))

    def resampler(self, model: OutcomeModel, unknown: Floats) -> Callable[[int, int], Floats]:
        """See FitRows."""
        add_up, gradient = self.leaves.add_up, Leaf.resampled_gradient
        return lambda seed, k: add_up(gradient, model, unknown, seed, k)


@dataclass(frozen=True, eq=False)
class LeafCurvature:
    """The curvatures that the leaves keep, of the last point only."""

    rows: LeafRows
    point: int

    def times(self, v: Floats) -> Floats:
        """See RowCurvature."""
        if self.point != self.rows.points:
            raise RuntimeError("ask `at` again: the leaves keep the curvatures of the last point")
        return self.rows.leaves.add_up(Leaf.times, v)

    def matrix(self) -> Floats:
        """See RowCurvature."""
        raise TypeError("solve by conjugate gradients: rows in leaves have no matrix")

    def sum_pairs(self, own: Floats, moving: Chosen, group: Ids, count: int) -> PairSums:
        """See RowCurvature."""
        n, leaves = self.rows.players, self.rows.leaves
        sums = PairSums(np.zeros(n), np.zeros((count, count)))
        loop = _pair_loop() if is_worth_compiling(n) else add_pairs
        for tile, size in enumerate(leaves.add_up(Leaf.tile_sizes).tolist()):
            pieces = 1 + size // PIECE
            cuts = [n * k // pieces for k in range(pieces + 1)]
            for low, high in pairwise(cuts):
                rows = leaves.add_up(Leaf.pair_rows, tile, low, high)
                a, b, c = (np.concatenate(column) for column in zip(*rows, strict=True))
                if not len(a):
                    continue
                first = int(b.min())
                start, order = np.zeros(high - low + 1, np.int64), np.empty(len(a), np.int64)
                joint = np.zeros(int(b.max()) - first + 1)
                loop(a, b, c, low, first, start, order, joint, own, moving, group, *sums)
        return sums


@cache
def _pair_loop() -> Any:
    return kernel.compile_if_possible(add_pairs)


def add_pairs(
    a: Any, b: Any, c: Any, low: int, first: int, start: Any, order: Any, joint: Any,
    own: Any, moving: Any, group: Any, squares: Any, between: Any,
) -> None:  # fmt: skip
    """Add up what pairs of players say; the rows of a pair, in whatever leaves, count as one.

    `low` and `first` are the lowest a and b; `start` [players of a + 1] and `joint` [players of b]
    are zeros, `order` [rows] is filled.
    """
    for row in range(len(a)):
        start[a[row] - low + 1] += 1
    for k in range(len(start) - 1):
        start[k + 1] += start[k]
    for row in range(len(a)):
        k = a[row] - low
        order[start[k]] = row
        start[k] += 1  # in the end where the next player begins
    begun = 0
    for k in range(len(start) - 1):
        i = low + k
        for at in range(begun, start[k]):
            joint[b[order[at]] - first] += c[order[at]]
        for at in range(begun, start[k]):
            j = b[order[at]]
            h = joint[j - first]
            joint[j - first] = 0.0
            if h > 0.0:
                if moving[j]:
                    squares[i] += h * h / own[j]
                if moving[i]:
                    squares[j] += h * h / own[i]
                if moving[i] and moving[j]:
                    between[group[i], group[j]] += h
        begun = start[k]
