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

from prowess.engine.rows import (
    StateLayout,
    execute_source,
    game_rules,
    make_function,
    make_mirror,
    no_op,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.system import Dynamic


class LearntRules(NamedTuple):
    """What the loop does with the functions of a system, with learnt numbers or without."""

    read: Callable[..., Any]  # (p, rows, lane, game) -> what the functions get as last argument
    newcomer: Callable[..., Any]  # (p, common) -> Rating
    expected: Callable[..., float]  # (p, mine, theirs, game, common)
    draw: Callable[..., float]  # likewise: the chance of a draw
    judge: Callable[..., tuple[Any, Any]]  # (p, mine, theirs, game, common, back) -> both sides'
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
    if system.common is None:
        return 0
    return 2 * len(system.common.shape) * len(system.common.row) * lanes


def common_keep(system: Dynamic, lanes: int, bank: bool) -> Callable[..., None]:
    """A function (matrix, row, lane, common, back) that keeps both, behind the bank's weights."""
    if system.common is None:
        return no_op
    names, fields = system.common.shape._fields, system.common.row._fields
    base = lanes if bank else 0
    lines = [
        f"    matrix[row, {base + k * lanes} + lane] = {one}.{name}.{field}"
        for k, (one, name, field) in enumerate(product(("common", "back"), names, fields))
    ]
    return execute_source("keep", "def keep(matrix, row, lane, common, back):\n" + "\n".join(lines))


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
    """The rules of a system; those of one that learns nothing pass nothing on."""
    mirror = game_rules(system.game).mirror
    derived, opposite = (
        system.mirrors is not None,
        make_mirror(system.evidence_zero, system.mirrors),
    )
    forecast, evidence = system.expected, system.evidence
    chances = system.chances or no_op
    if system.common is None:
        newcomer_of = system.newcomer or no_op

        def newcomer(p: Any, common: Any) -> Any:
            return newcomer_of(p)

        def expected_score(p: Any, mine: Any, theirs: Any, game: Any, common: Any) -> float:
            return forecast(p, mine, theirs, game)

        def draw(p: Any, mine: Any, theirs: Any, game: Any, common: Any) -> float:
            return chances(p, mine, theirs, game).draw  # type: ignore[return-value]

        def judge(
            p: Any, mine: Any, theirs: Any, game: Any, common: Any, back: Any
        ) -> tuple[Any, Any]:
            one = evidence(p, mine, theirs, game)
            return one, (opposite(one) if derived else evidence(p, theirs, mine, mirror(game)))

        return LearntRules(_nothing, newcomer, expected_score, draw, judge, no_op)

    common_newcomer = system.newcomer or no_op
    common_chances: Callable[..., Any] = system.chances or no_op

    def common_expected(p: Any, mine: Any, theirs: Any, game: Any, common: Any) -> float:
        return forecast(p, mine, theirs, game, common)

    def common_draw(p: Any, mine: Any, theirs: Any, game: Any, common: Any) -> float:
        return common_chances(p, mine, theirs, game, common).draw  # type: ignore[no-any-return]

    def common_judge(
        p: Any, mine: Any, theirs: Any, game: Any, common: Any, back: Any
    ) -> tuple[Any, Any]:
        one = evidence(p, mine, theirs, game, common)
        return one, (opposite(one) if derived else evidence(p, theirs, mine, mirror(game), back))

    load, store = layout.lanes(system.common.row, lanes)
    shape, named, learn = system.common.shape, system.common.named, system.common.learn
    names, row = shape._fields, system.common.row
    unknown = make_function("unknown()", f"Shape({', '.join(['nan'] * len(row))})", row, nan=nan)

    def fetch(rows: Any, at: int, lane: Any) -> Any:
        if 0 <= at < len(rows):
            return load(rows, at, lane)
        return unknown()  # the ratings leave the numbers, which is reported

    terms = ", ".join(f"fetch(rows, int(at.{name}), lane)" for name in names)
    gather = make_function("gather(rows, at, lane)", f"Shape({terms})", shape, fetch=fetch)
    steps = [make_function("place(at)", f"int(at.{name})", shape) for name in names]

    def read(p: Any, rows: Any, lane: Any, game: Any) -> Any:
        return gather(rows, named(p, game), lane)

    teach = _teaching(steps, load, store, named, learn)
    return LearntRules(read, common_newcomer, common_expected, common_draw, common_judge, teach)


def _teaching(
    places: list[Callable[..., int]],
    load: Callable[..., Any],
    store: Callable[..., None],
    named: Callable[..., Any],
    learn: Callable[..., Any],
) -> Callable[..., None]:
    """The function that teaches the rows of a game one after the other."""

    def first(
        p: Any, rows: Any, lane: Any, mine: Any, theirs: Any, game: Any, common: Any, last: Any
    ) -> None:
        return None

    teach = first
    for which, place in enumerate(places):
        teach = _teach_row(teach, which, place, load, store, named, learn)
    return teach


def _teach_row(
    before: Callable[..., None],
    which: int,
    place: Callable[..., int],
    load: Callable[..., Any],
    store: Callable[..., None],
    named: Callable[..., Any],
    learn: Callable[..., Any],
) -> Callable[..., None]:
    def teach(
        p: Any, rows: Any, lane: Any, mine: Any, theirs: Any, game: Any, common: Any, last: Any
    ) -> None:
        before(p, rows, lane, mine, theirs, game, common, last)
        at = place(named(p, game))
        if 0 <= at <= last:
            row = load(rows, at, lane)
            below, above = load(rows, max(at - 1, 0), lane), load(rows, min(at + 1, last), lane)
            store(rows, at, lane, learn(p, which, row, below, above, mine, theirs, game, common))

    return teach


def _nothing(p: Any, rows: Any, lane: Any, game: Any) -> float:
    return 0.0
