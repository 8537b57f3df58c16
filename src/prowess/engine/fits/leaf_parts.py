"""Leaves of a fit on a cluster: each worker holds neighbouring leaves and adds up what they say.

A part is a whole sub-tree of leaves, so that the sums of all parts, joined in order, have the bits
of one process. A worker that is lost takes its part along; the part is made again from its rows on
a worker that lives, told what all parts were told before, and asked again.

When the cluster is given back, what is asked later is answered in this process.
`LeafRows` are leaves as rows of a fit, wherever they lie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from time import sleep
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.compile.worth import compiled_once
from prowess.engine.cluster.dask import RETRIES, Dask, list_workers, name_losses
from prowess.engine.cluster.machine import (
    BadCluster,
    Machine,
    check_worker,
    describe_machine,
)
from prowess.engine.fits.fit_rows import PairSums, PointSums, is_worth_compiling
from prowess.engine.fits.leaves import (
    Given,
    Leaf,
    LeafBuilder,
    Leaves,
    Sum,
    leaf_size,
    leaves_per_part,
    sum_in_tree,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.fits.fit_rows import Outline
    from prowess.engine.fits.likelihood import OutcomeModel
    from prowess.games.games import Games

    Chunk = dict[str, NDArray[Any]]  # the columns of the rows of a leaf
    Chosen = NDArray[np.bool_]

PAUSE = 0.5  # seconds, more with each attempt
PIECE = 1 << 22  # rows that are looked at together


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
            raise BadCluster(
                "start workers (dask worker): the cluster lost all of them", code="workers_lost"
            )
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
