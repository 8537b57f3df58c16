"""Rows of games in leaves: fixed pieces, each added up by itself, joined by a fixed binary tree.

For tables where hardly two games are of one pair, so that merging them would gain nothing. A row
is one game: a, b (uint32, a < b) and a score, beside it the curvatures of the present point, 13
bytes in all (17 with a draw parameter; sides take 1 more, weights 8).

What a leaf holds depends on the data alone, never on who computes: threads and workers may take
any leaves, the sums have the same bits. A whole sub-tree of leaves (a power of two of neighbours,
`leaves_per_part`) may be added up where it lies; `sum_in_tree` joins the parts to the same total.

`LeafBuilder` makes leaves of games, in whatever chunks they come. The rows of a leaf are ordered by
tiles of players, so that its sums stay in a fast cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.compile.worth import compiled_once
from prowess.engine.fits.connectivity import EDGES
from prowess.engine.fits.fit_rows import (
    Outline,
    RowLoops,
    add_products,
    is_worth_compiling,
    make_row_loops,
)
from prowess.engine.fits.likelihood import FITTED_DRAWS
from prowess.games.arguments import BadArgument
from prowess.games.formats.byte_streams import count_cores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.fits.likelihood import OutcomeModel


LEAST_ROWS = 1 << 20  # of a leaf
ROWS_OF_A_PLAYER = 8  # of a leaf at least: its sums are vectors as long as the roster
MOST_THREADS = 8
DIGIT = 11  # bits that one pass sorts by
TILE = 15  # bits: the sums of so many players, a quarter of a megabyte, stay in a fast cache
Given = TypeVarTuple("Given")
Sum = TypeVar("Sum")
Item = TypeVar("Item")
Result = TypeVar("Result")


def count_threads() -> int:
    """One for each processor that this process may use, but not many."""
    return min(MOST_THREADS, count_cores())


def leaf_size(players: int) -> int:
    """The rows of every leaf but the last, a power of two, for a roster of so many players."""
    return max(LEAST_ROWS, 1 << (ROWS_OF_A_PLAYER * players - 1).bit_length())


def leaves_per_part(leaves: int, parts: int) -> int:
    """How many neighbouring leaves make a whole sub-tree, so that there are at most `parts`."""
    return 1 << max(0, (-(-leaves // parts) - 1).bit_length())


def sum_in_tree(parts: Iterable[Sum]) -> Sum:
    """The sum of parts by a binary tree over neighbours, which only their number determines.

    >>> sum_in_tree(["a", "b", "c"])
    'abc'
    """
    waiting: list[tuple[int, Any]] = []  # sums of whole sub-trees and their heights
    for part in parts:
        height, total = 0, part
        while waiting and waiting[-1][0] == height:
            total = waiting.pop()[1] + total
            height += 1
        waiting.append((height, total))
    if not waiting:
        raise BadArgument("give at least one part: there is nothing to add up", code="no_parts")
    total = waiting.pop()[1]
    while waiting:
        total = waiting.pop()[1] + total
    return total


@dataclass(eq=False)
class Leaf:
    """Some rows, and their part of every sum."""

    players: int
    a: NDArray[np.uint32]
    b: NDArray[np.uint32]
    score: NDArray[Any]  # of a: twice the score (uint8), or the score (float64)
    side: NDArray[np.int8]  # +1 a has the advantage, -1 b has; empty: no row has a side
    weight: Floats  # empty: 1 each
    number: int  # of the leaf, in the table
    tiles: Ids  # [tiles + 1] where the rows of every tile of b begin; in a tile a ascends
    c: NDArray[np.float32] = field(init=False)  # minus the curvature by x, at the last point
    d: NDArray[np.float32] = field(init=False)  # by x and t; empty: draws have no parameter

    def __post_init__(self) -> None:
        self.c, self.d = np.empty(len(self.a), np.float32), np.empty(0, np.float32)

    @property
    def results(self) -> tuple[Any, ...]:
        """The results as the loops take them."""
        return self.score, self.weight, self.weight[:0]

    def loops(self, model: OutcomeModel) -> RowLoops:
        """The loops for these rows."""
        counts = COUNTING_LOOPS[self.score.dtype == np.uint8, model.draws in FITTED_DRAWS]
        return make_row_loops(counts, model.curve, model.draws, is_worth_compiling(len(self.a)))

    def at(self, model: OutcomeModel, unknown: Floats) -> Floats:
        """Gradient and diagonal of the information at a point, [2, n + 2]; keeps c and d."""
        sums = np.zeros((2, self.players + 2))
        if model.draws in FITTED_DRAWS and not len(self.d):
            self.d = np.empty_like(self.c)
        self.loops(model).slopes(
            model.q, unknown, self.a, self.b, self.side, self.results, self.c, self.d, *sums
        )
        return sums

    def times(self, v: Floats) -> Floats:
        """The information of the last point times a vector, [n + 2], without f."""
        out = np.zeros(self.players + 2)
        multiply = compiled_once(add_products) if is_worth_compiling(len(self.a)) else add_products
        multiply(self.a, self.b, self.side, self.c, self.d, v, out)
        return out

    def value(self, model: OutcomeModel, unknown: Floats) -> float:
        """The log-likelihood at a point."""
        rows = self.a, self.b, self.side
        return float(self.loops(model).values(model.q, unknown, *rows, self.results))

    def totals(self) -> Floats:
        """The draws and the games, [2], by weight."""
        draw = self.score == (1 if self.score.dtype == np.uint8 else 0.5)
        if len(self.weight):
            return np.array([self.weight[draw].sum(), self.weight.sum()])
        return np.array([np.count_nonzero(draw), len(draw)], dtype=np.float64)

    def add_to(self, outline: Outline) -> None:
        """Add the rows to what is looked at before a fit."""
        win = 2 if self.score.dtype == np.uint8 else 1.0
        for at in range(0, len(self.a), EDGES):
            part = slice(at, at + EDGES)
            a, b, score = self.a[part], self.b[part], self.score[part]
            outline.graph.add(a, b, score > 0, score < win)
            if outline.sides is not None:
                side = self.side[part] if len(self.side) else np.zeros(len(a), np.int8)
                outline.sides.add(a, b, side)

    def renumber(self, number: NDArray[np.uint32], players: int) -> None:
        """Give all players new numbers in the same order."""
        self.players = players
        for column in (self.a, self.b):
            column[:] = number[column]

    def resampled_gradient(self, model: OutcomeModel, unknown: Floats, seed: int, k: int) -> Floats:
        """The gradient of the k-th resampling of the results, [n + 2].

        A game of weight w is taken as often as a Poisson variable with the mean w says.
        """
        random = np.random.default_rng([seed, k, self.number])
        mean = self.weight if len(self.weight) else 1.0
        often = random.poisson(mean, len(self.a)).astype(np.float64)
        other = replace(self, weight=often)  # with curvatures of its own, which are thrown away
        gradient: Floats = other.at(model, unknown)[0]
        return gradient

    def tile_sizes(self) -> Ids:
        """The rows of every tile, [tiles]."""
        return np.diff(self.tiles)

    def pair_rows(self, tile: int, low: int, high: int) -> list[tuple[Any, Any, Any]]:
        """[(a, b, c)] of the rows of a tile of b with a from `low` to `high`."""
        part = slice(*self.tiles[tile : tile + 2].tolist())
        part = slice(*(part.start + self.a[part].searchsorted([low, high])).tolist())
        return [(self.a[part], self.b[part], self.c[part])]


@dataclass(eq=False)
class Leaves:
    """Neighbouring leaves, whose sums are joined in a tree; threads share the leaves.

    The curvatures of the last point stay in the leaves: `Leaf.times` is of the last `Leaf.at`.
    """

    leaves: Sequence[Leaf]
    players: int
    threads: int = field(default_factory=count_threads)

    def __len__(self) -> int:
        return len(self.leaves)

    def add_up(self, method: Callable[[Leaf, *Given], Sum], *given: *Given) -> Sum:
        """The sum over leaves of a method of theirs: `leaves.add_up(Leaf.times, v)`."""
        parts = share_among_threads(lambda leaf: method(leaf, *given), self.leaves, self.threads)
        return sum_in_tree(parts)

    def outline(self, *, sides: bool) -> Outline:
        """What is looked at before a fit; `sides`: also who had the advantage."""
        outline = Outline.of(self.players, sides=sides)
        for leaf in self.leaves:
            leaf.add_to(outline)
        return outline

    def renumber(self, number: NDArray[np.uint32], players: int) -> None:
        """Give all players new numbers in the same order, [players before]."""
        for leaf in self.leaves:
            leaf.renumber(number, players)
        self.players = players


def share_among_threads(
    ask: Callable[[Item], Result], items: Sequence[Item], threads: int
) -> Iterator[Result]:
    """The results of a function, in the order of its arguments."""
    if threads < 2 or len(items) < 2:
        yield from map(ask, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(ask, items)


def counts_of_score(score: float, weight: float, _: float) -> tuple[float, float, float]:
    """Wins, draws and losses of one game: a score between is a share of a win and a loss."""
    draws = weight if score == 0.5 else 0.0
    return weight * score - 0.5 * draws, draws, weight * (1.0 - score) - 0.5 * draws


def halves_of_score(score: float, weight: float, _: float) -> tuple[float, float, float]:
    """The same for models that count a draw as half a win and half a loss."""
    return weight * score, 0.0, weight * (1.0 - score)


def counts_of_double(double: float, weight: float, _: float) -> tuple[float, float, float]:
    """`counts_of_score` of twice a score."""
    return counts_of_score(0.5 * double, weight, 0.0)


def halves_of_double(double: float, weight: float, _: float) -> tuple[float, float, float]:
    """`halves_of_score` of twice a score."""
    return halves_of_score(0.5 * double, weight, 0.0)


COUNTING_LOOPS = {
    (True, True): counts_of_double, (True, False): halves_of_double,
    (False, True): counts_of_score, (False, False): halves_of_score,
}  # fmt: skip


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
    turn, move = turn_rows, move_rows
    if is_worth_compiling(len(columns[0])):
        turn, move = compiled_once(turn_rows), compiled_once(move_rows)
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
