"""Numbers that all games share and that are learnt: a draw width, cut points, a newcomer's level.

They are rows of one matrix. A game names the rows that it reads, and when it is judged it teaches
them, one after the other, so that a later one sees what an earlier one has learnt.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.rows import StateLayout, make_function, no_op

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.system import Dynamic


class LearntRules(NamedTuple):
    """How the loop reads learnt numbers and teaches them."""

    read: Callable[..., Any]  # (p, rows, lane, game) -> what the functions get as last argument
    teach: Callable[..., None]  # (p, rows, lane, mine, theirs, game, common, last)


def first_rows(system: Dynamic, parameters: tuple[Any, ...]) -> NDArray[np.float64] | None:
    """The rows before the first game, [rows, fields * settings]; None: the system learns none."""
    if system.common is None:
        return None
    by_setting = [system.common.start(p) for p in parameters]
    rows = np.array(by_setting, dtype=np.float64)  # [settings, rows, fields]
    return np.ascontiguousarray(rows.transpose(1, 2, 0).reshape(rows.shape[1], -1))


def common_at(system: Dynamic, p: Any, rows: NDArray[np.float64], game: Any) -> tuple[Any, ...]:
    """What the functions get as a last argument for a game, of [rows, fields]; () for nothing."""
    if system.common is None:
        return ()
    make = system.common.row._make
    places = system.common.named(p, game)
    return (type(system.common.shape)(*(make(rows[int(at)].tolist()) for at in places)),)


def width_kept(system: Dynamic, lanes: int) -> int:
    """How many numbers are kept of what a game of two sides reads, as both sides see it."""
    assert system.common is not None
    return 2 * len(system.common.shape) * len(system.common.row) * lanes


def common_keep(system: Dynamic, lanes: int, bank: bool) -> Callable[..., None]:
    """A function (matrix, row, lane, common, back) that keeps both, behind the bank's weights."""
    if system.common is None:
        return no_op
    names, fields = system.common.shape._fields, system.common.row._fields
    base = lanes if bank else 0
    lines = [
        f"matrix[row, {base + k * lanes} + lane] = {one}.{name}.{field}"
        for k, (one, name, field) in enumerate(product(("common", "back"), names, fields))
    ]
    return make_function("keep(matrix, row, lane, common, back)", "\n    ".join(lines))


def common_kept(system: Dynamic, lanes: int, bank: bool, kept: Any, lane: int, second: bool) -> Any:
    """What was kept, as a side of the game saw it: a tuple of the last argument, () for nothing."""
    if system.common is None:
        return ()
    shape, row = system.common.shape, system.common.row
    base = lanes if bank else 0
    numbers = np.asarray(kept[base : base + width_kept(system, lanes)])
    of_lane = numbers.reshape(2, len(shape), len(row), lanes)
    rows = of_lane[int(second), :, :, lane].tolist()
    return (type(shape)(*map(row._make, rows)),)


def learnt_rules(system: Dynamic, layout: StateLayout, lanes: int) -> LearntRules:
    """The rules of a system; of one that learns nothing they are never called."""
    if system.common is None:
        return LearntRules(no_op, no_op)
    load, store = layout.lanes(system.common.row, lanes)
    shape, named, learn = system.common.shape, system.common.named, system.common.learn
    names, row = shape._fields, system.common.row
    unknown = make_function(
        "unknown()", f"return Shape({', '.join(['nan'] * len(row))})", row, nan=nan
    )

    def fetch(rows: Any, at: int, lane: Any) -> Any:
        if 0 <= at < len(rows):
            return load(rows, at, lane)
        return unknown()  # the ratings leave the numbers, which is reported

    terms = ", ".join(f"fetch(rows, int(at.{name}), lane)" for name in names)
    gather = make_function("gather(rows, at, lane)", f"return Shape({terms})", shape, fetch=fetch)
    places = [make_function("place(at)", f"return int(at.{name})", shape) for name in names]

    def read(p: Any, rows: Any, lane: Any, game: Any) -> Any:
        return gather(rows, named(p, game), lane)

    def teach_none(
        p: Any, rows: Any, lane: Any, mine: Any, theirs: Any, game: Any, common: Any, last: Any
    ) -> None:
        return None

    def teach_row(
        before: Callable[..., None], which: int, place: Callable[..., int]
    ) -> Callable[..., None]:
        """A function that teaches one more row of a game, after those before it."""

        def teach(
            p: Any, rows: Any, lane: Any, mine: Any, theirs: Any, game: Any, common: Any, last: Any
        ) -> None:
            before(p, rows, lane, mine, theirs, game, common, last)
            at = place(named(p, game))
            if 0 <= at <= last:
                row = load(rows, at, lane)
                below, above = load(rows, max(at - 1, 0), lane), load(rows, min(at + 1, last), lane)
                new = learn(p, which, row, below, above, mine, theirs, game, common)
                store(rows, at, lane, new)

        return teach

    teach = teach_none
    for which, place in enumerate(places):
        teach = teach_row(teach, which, place)
    return LearntRules(read, teach)
