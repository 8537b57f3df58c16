"""Games become leaves, in whatever chunks they come.

The rows of a leaf are ordered by tiles of players, so that its sums stay in a fast cache.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile import kernel
from prowess.engine.fits.fit_rows import is_worth_compiling
from prowess.engine.fits.leaves import (
    LEAST_ROWS,
    Leaf,
    Leaves,
    count_threads,
    leaf_size,
    share_among_threads,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TILE = 15  # bits: the sums of so many players, a quarter of a megabyte, stay in a fast cache
DIGIT = 11  # bits that one pass sorts by


@dataclass(eq=False)
class LeafBuilder:
    """Takes games in chunks and makes leaves of them, however they were cut into chunks.

    Chunks are kept as they come (9 bytes a game, or 16 with scores between loss, draw and win)
    until `finish`.
    """

    sides: bool = False  # whether they are looked at
    first: int = 0  # number of the first leaf: of a part of a table, its place in the whole
    chunks: list[dict[str, NDArray[Any]]] = field(default_factory=list)
    rows: int = 0

    def add(
        self,
        a: NDArray[np.uint32],
        b: NDArray[np.uint32],
        score: NDArray[Any],
        *,
        side: NDArray[Any] | None = None,
        weight: Floats | None = None,
    ) -> None:
        """Add games, [games] each: ids, the score of a in [0, 1], side and weight as in Games."""
        chunk: dict[str, NDArray[Any]] = {"a": a, "b": b, "score": halve_scores(score)}
        if self.sides and side is not None:
            chunk["side"] = side.astype(np.int8)
        if weight is not None:
            chunk["weight"] = weight
        self.chunks.append(chunk)
        self.rows += len(a)

    def finish(self, players: int) -> Leaves:
        """The leaves of all games; the chunks are given up as they are taken."""
        size = leaf_size(players)
        columns = {"a": np.empty(self.rows, np.uint32), "b": np.empty(self.rows, np.uint32)}
        whole = all(chunk["score"].dtype == np.uint8 for chunk in self.chunks)
        columns["score"] = np.empty(self.rows, np.uint8 if whole else np.float64)
        for name, dtype in (("side", np.int8), ("weight", np.float64)):
            some = any(name in chunk for chunk in self.chunks)
            columns[name] = np.empty(self.rows if some else 0, dtype)
        filled = 0
        while self.chunks:
            chunk = self.chunks.pop(0)
            part = slice(filled, filled := filled + len(chunk["a"]))
            columns["a"][part], columns["b"][part] = chunk["a"], chunk["b"]
            score = chunk["score"]
            half = not whole and score.dtype == np.uint8
            columns["score"][part] = 0.5 * score if half else score
            if len(columns["side"]):
                columns["side"][part] = chunk.get("side", 0)
            if len(columns["weight"]):
                columns["weight"][part] = chunk.get("weight", 1.0)
        cuts = [slice(at, min(at + size, self.rows)) for at in range(0, max(self.rows, 1), size)]

        def cut_leaf(k: int) -> Leaf:
            piece: list[Any] = [column[cuts[k]] for column in columns.values()]
            a, b, score, side, weight = piece
            order_rows(players, a, b, score, side, weight)
            tiles = count_tiles(players, b)
            return Leaf(players, a, b, score, side, weight, self.first + k, tiles)

        threads = count_threads()
        leaves = share_among_threads(cut_leaf, range(len(cuts)), threads)
        return Leaves(list(leaves), players, threads)


def count_tiles(players: int, b: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Where the rows of each tile begin, and their number, [tiles + 1]."""
    counts = np.zeros((max(players - 1, 0) >> TILE) + 2, np.int64)
    for at in range(0, len(b), LEAST_ROWS):
        tile = b[at : at + LEAST_ROWS] >> TILE
        counts[1:] += np.bincount(tile, minlength=len(counts) - 1)
    return np.cumsum(counts, dtype=np.int64)


def halve_scores(score: NDArray[Any]) -> NDArray[Any]:
    """Twice the scores as uint8 where all are loss, draw or win, else the scores."""
    double = np.empty(len(score), np.uint8)
    for at in range(0, len(score), LEAST_ROWS):  # little beside them
        part = slice(at, at + LEAST_ROWS)
        exact = 2.0 * score[part]
        double[part] = exact
        if (double[part] != exact).any():
            return score
    return double


def order_rows(players: int, *columns: NDArray[Any]) -> None:
    """Put the rows of a leaf in order, in place: a < b; by tiles of b, in them by a.

    The sums of the players of a tile stay in the processor's cache while its rows are added, and
    those of a are walked through in order: four times as fast as rows as they come. `columns` are
    a, b, score, side and weight; the latter two may be empty.
    """
    turn, move = _ordering() if is_worth_compiling(len(columns[0])) else (turn_rows, move_rows)
    bits = max(0, (players - 1).bit_length())
    passes = [(0, low) for low in range(0, bits, DIGIT)] + [
        (1, low) for low in range(TILE, bits, DIGIT)
    ]
    turn(2.0 if columns[2].dtype == np.uint8 else 1.0, *columns)
    taken, other = columns, tuple(np.empty_like(column) for column in columns)
    for key, low in passes:
        place = np.zeros((1 << min(DIGIT, bits - low)) + 1, np.int64)
        move(key, low, place, *taken, *other)
        taken, other = other, taken
    if taken is not columns:
        for column, ordered in zip(columns, taken, strict=True):
            column[:] = ordered


@cache
def _ordering() -> tuple[Callable[..., None], Callable[..., None]]:
    return kernel.compile_if_possible(turn_rows), kernel.compile_if_possible(move_rows)


def turn_rows(top: float, a: Any, b: Any, score: Any, side: Any, weight: Any) -> None:
    """Let a be the lower player of every row; `top` is the score of a win."""
    for row in range(len(a)):
        low, high = a[row], b[row]
        if low > high:
            a[row], b[row] = high, low
            score[row] = top - score[row]
            if len(side) > 0:
                side[row] = -side[row]


def move_rows(
    key: int, low: int, place: Any, a: Any, b: Any, score: Any, side: Any, weight: Any,
    to_a: Any, to_b: Any, to_score: Any, to_side: Any, to_weight: Any,
) -> None:  # fmt: skip
    """Sort rows by a digit of a (key 0) or b (key 1), those of equal digits as they come.

    The digit begins at bit `low`; `place` [digits + 1] are zeros.
    """
    digits = len(place) - 1
    for row in range(len(a)):
        player = a[row] if key == 0 else b[row]
        place[((player >> low) & (digits - 1)) + 1] += 1
    for digit in range(digits):
        place[digit + 1] += place[digit]
    for row in range(len(a)):
        player = a[row] if key == 0 else b[row]
        digit = (player >> low) & (digits - 1)
        to = place[digit]
        place[digit] += 1
        to_a[to], to_b[to], to_score[to] = a[row], b[row], score[row]
        if len(side) > 0:
            to_side[to] = side[row]
        if len(weight) > 0:
            to_weight[to] = weight[row]
