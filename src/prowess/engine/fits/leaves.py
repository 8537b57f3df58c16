"""Rows of games in leaves: fixed pieces, each added up by itself, joined by a fixed binary tree.

For tables where hardly two games are of one pair, so that merging them would gain nothing. A row
is one game: a, b (uint32, a < b) and a score, beside it the curvatures of the present point, 13
bytes in all (17 with a draw parameter; sides take 1 more, weights 8).

What a leaf holds depends on the data alone, never on who computes: threads and workers may take
any leaves, the sums have the same bits. A whole sub-tree of leaves (a power of two of neighbours,
`leaves_per_part`) may be added up where it lies; `sum_in_tree` joins the parts to the same total.

`LeafBuilder` makes leaves of games, in whatever chunks they come. The rows of a leaf are ordered by
tiles of players, so that its sums stay in a fast cache.

`LeafParts` are leaves on a cluster: each worker holds a part, a whole sub-tree. A worker that is
lost takes its part along; the part is made again from its rows on a worker that lives, told what
all parts were told before, and asked again. When the cluster is given back, what is asked later is
answered in this process. `LeafRows` are leaves as rows of a fit, wherever they lie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from time import sleep
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.compile.worth import compiled_once
from prowess.engine.cluster.dask import RETRIES, Dask, list_workers, name_losses
from prowess.engine.cluster.machine import BadCluster, Machine, check_worker, describe_machine
from prowess.engine.fits.connectivity import EDGES
from prowess.engine.fits.fit_rows import (
    Outline,
    PairSums,
    PointSums,
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
    from prowess.games.games import Games

    Chunk = dict[str, NDArray[Any]]  # the columns of the rows of a leaf
    Chosen = NDArray[np.bool_]

LEAST_ROWS = 1 << 20  # of a leaf
ROWS_OF_A_PLAYER = 8  # of a leaf at least: its sums are vectors as long as the roster
MOST_THREADS = 8
DIGIT = 11  # bits that one pass sorts by
TILE = 15  # bits: the sums of so many players, a quarter of a megabyte, stay in a fast cache
PAUSE = 0.5  # seconds, more with each attempt
PIECE = 1 << 22  # rows that are looked at together
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
        raise BadArgument.of("no_parts")
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


class LeafPart:
    """Some neighbouring leaves, wherever they are held; on a worker, that of the same `machine`."""

    def __init__(
        self, chunks: Sequence[Chunk], players: int, sides: bool, first: int,
        machine: Machine | None = None,
    ) -> None:  # fmt: skip
        if machine is not None:
            check_worker(machine)
        self.leaves = Leaves([], players, threads=1)
        for number, chunk in enumerate(chunks, first):
            builder = LeafBuilder(sides, number)
            builder.add(**chunk)
            self.leaves.leaves = (*self.leaves.leaves, *builder.finish(players).leaves)

    def ask(self, method: Callable[..., Any], *given: Any, **options: Any) -> Any:
        """What a method of `Leaves` answers.

        Vectors are copied: what came by the network is twice as slow to gather from.
        """
        own = [np.array(one) if isinstance(one, np.ndarray) else one for one in given]
        return method(self.leaves, *own, **options)


class LeafParts:
    """All leaves of a table, asked as `Leaves` are, on a cluster; None: in this process."""

    def __init__(self, table: Games, players: int, sides: bool, workers: Dask | None) -> None:
        size = leaf_size(players)
        known: dict[str, Any] = {
            "a": table.a, "b": table.b, "score": table.score, "side": table.side,
            "weight": table.weight,
        }  # fmt: skip
        columns = {name: column for name, column in known.items() if column is not None}
        cuts = range(0, max(1, len(table)), size)
        self.chunks: list[Chunk] = [
            {name: column[low : low + size] for name, column in columns.items()} for low in cuts
        ]
        self.players, self.sides, self.workers = players, sides, workers
        self.told: list[tuple[Any, ...]] = []  # what changed the players of all parts
        self.point: tuple[Any, ...] | None = None  # the last `Leaf.at`, whose curvatures they keep
        self._cut(1 if workers is None else len(list_workers(workers.client)))

    def add_up(self, method: Callable[[Leaf, *Given], Sum], *given: *Given) -> Sum:
        """See Leaves."""
        question: tuple[Any, ...] = Leaves.add_up, method, *given
        if question[1] is Leaf.at:
            self.point = question
        total: Sum = sum_in_tree(self._ask(*question))
        return total

    def outline(self, *, sides: bool) -> Outline:
        """See Leaves."""
        whole, *others = self._ask(Leaves.outline, sides=sides)
        for other in others:
            whole.join(other)
        return whole  # type: ignore[no-any-return]

    def renumber(self, number: NDArray[np.uint32], players: int) -> None:
        """See Leaves."""
        self._ask(Leaves.renumber, number, players)
        self.told.append((Leaves.renumber, number, players))
        self.point = None

    def give_back(self) -> None:
        """Hold no leaves on the cluster any more."""
        self.workers = None
        self._cut(1)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "workers": None, "each": len(self.chunks), "parts": [None]}

    def _cut(self, most: int) -> None:
        """Share the leaves among so many parts at most; parts are made when they are asked."""
        self.each = leaves_per_part(len(self.chunks), max(1, most))
        self.parts: list[Any] = [None] * -(-len(self.chunks) // self.each)

    def _begin(self, number: int) -> Any:
        """Begin to make a part; on a worker, if there are workers."""
        first = number * self.each
        chunks, rest = self.chunks[first : first + self.each], (self.players, self.sides, first)
        if self.workers is None:
            return LeafPart(chunks, *rest)
        client = self.workers.client
        addresses = list_workers(client)
        if not addresses:
            raise BadCluster.of("workers_lost.leaves")
        where = [addresses[number % len(addresses)]]
        sent = client.scatter([chunks], workers=where, hash=False)
        options = {"workers": where, "allow_other_workers": True, "actor": True, "pure": False}
        return client.submit(LeafPart, sent[0], *rest, describe_machine(), **options)

    def _finish(self, begun: Any) -> Any:
        """A part that was begun. An actor asks by the newest client, and a copy of it by ours."""
        if self.workers is None:
            return begun
        actor = begun.result()
        with self.workers.client.as_current():
            return copy(actor)

    def _ask(self, method: Callable[..., Any], *given: Any, **options: Any) -> list[Any]:
        """What each part answers, in order; all of them are asked before the first is heard.

        A part that is lost is made again, and asked again.
        """
        waiting, answers = list(range(len(self.parts))), [None] * len(self.parts)
        for attempt in range(1 + RETRIES):
            lost = self._ask_some(waiting, answers, method, given, options)
            if not lost:
                break
            waiting = list(lost)
            if self.workers is None:
                raise lost[waiting[0]]
            if attempt == RETRIES:
                with name_losses(self.workers.client):
                    raise lost[waiting[0]]
            sleep(PAUSE * attempt)  # until the scheduler knows who is lost
        return answers

    def _ask_some(
        self, some: list[int], answers: list[Any], method: Any, given: Any, options: Any
    ) -> dict[int, Exception]:
        """Ask some parts, and make those that are not there; the errors of those that are lost."""
        lost: dict[int, Exception] = {}

        def attempt(number: int, act: Callable[[], Any]) -> Any:
            try:
                return None if number in lost else act()
            except BadCluster:
                raise
            except Exception as error:
                lost[number], self.parts[number] = error, None

        new = [number for number in some if self.parts[number] is None]
        begun = {number: attempt(number, partial(self._begin, number)) for number in new}
        for number in new:
            self.parts[number] = attempt(number, partial(self._finish, begun[number]))
        earlier = self.told if self.point is None else (*self.told, self.point)
        for told in earlier:
            asked = {one: attempt(one, partial(self._start, one, *told)) for one in new}
            for number in new:
                attempt(number, partial(_answer_of, asked[number]))
        asked = {
            one: attempt(one, partial(self._start, one, method, *given, **options)) for one in some
        }
        for number in some:
            answers[number] = attempt(number, partial(_answer_of, asked[number]))
        return lost

    def _start(self, number: int, method: Any, *given: Any, **options: Any) -> Any:
        return self.parts[number].ask(method, *given, **options)


def _answer_of(asked: Any) -> Any:
    """What a part answers, here or on a worker."""
    return asked.result() if hasattr(asked, "result") else asked


# --- where the leaves of a fit are held -----------------------------------------------------------


class LeafHome:
    """A cluster that holds the leaves of fits."""

    def __init__(self, workers: Dask) -> None:
        self.workers = workers
        self.held: list[LeafParts] = []

    def hold(self, table: Games, *, sides: bool) -> LeafParts:
        """The games of a table as leaves on the cluster."""
        self.held.append(LeafParts(table, len(table.players), sides, self.workers))
        return self.held[-1]


_home: ContextVar[LeafHome | None] = ContextVar("home", default=None)


def gather_leaves(table: Games, *, sides: bool) -> Leaves | LeafParts:
    """The games of a table as leaves, on the cluster that holds leaves or else in this process."""
    if (home := _home.get()) is not None:
        return home.hold(table, sides=sides)
    builder = LeafBuilder(sides)
    builder.add(table.a, table.b, table.score, side=table.side, weight=table.weight)
    return builder.finish(len(table.players))


@contextmanager
def hold_leaves(workers: Dask) -> Iterator[LeafHome]:
    """Let a cluster hold the leaves of the fits in this block."""
    home = LeafHome(workers)
    before = _home.set(home)
    try:
        yield home
    finally:
        _home.reset(before)
        for parts in home.held:
            parts.give_back()


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
        loop = compiled_once(add_pairs) if is_worth_compiling(n) else add_pairs
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
