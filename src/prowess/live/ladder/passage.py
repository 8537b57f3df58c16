"""Playing a part of a log onto a state, and what is kept on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess import kernel
from prowess.engine.replay import State, Unratable, ageing, play
from prowess.engine.rounds import Rounds
from prowess.engine.table import refuse_weights
from prowess.games.games import Games
from prowess.live.ladder.checkpoints import Checkpoint, stations
from prowess.live.ladder.trail import columns_of, watch_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Table = Games
    Rows = NDArray[np.int64]

COMPILED_FROM = 5_000  # pairs, where the compiler is loaded already
WORTH_LOADING = 50_000  # pairs, where it is not


class Passage(NamedTuple):
    """What is kept of playing a part of a log."""

    checkpoints: list[Checkpoint]  # the states worth keeping on the way
    trail: Mapping[str, NDArray[Any]]  # columns of a Trail, of that part


def played(state: State, table: Table, rounds: Rounds, row: int) -> Passage:
    """Play a table whose first row is `row` of the log.

    Raises Unratable for weights that the system cannot use.
    """
    refuse_weights(state.system, table)
    count = len(table) if rounds.bounds is None else len(rounds.bounds) - 1
    passed: list[Checkpoint] = []
    watch = watch_all(state.system, table)
    low, compiled = 0, worth_compiling(table)
    with np.errstate(all="ignore"):  # what leaves the numbers is reported by name
        for stop in (*_stops(table, rounds, row), count):
            play(state, table, rounds, watch=watch, span=(low, stop), compiled=compiled)
            if stop < count:
                first = stop if _single(table, rounds) else int(_bounds(rounds)[stop])
                passed.append(Checkpoint(row + first, state.copied()))
            low = stop
    return Passage(passed, columns_of(state.system, table, watch))


def load_compiled(state: State, table: Table, rounds: Rounds) -> None:
    """Compile the loop that plays such a table (or take it from the cache), where it pays."""
    if worth_compiling(table):
        watch = watch_all(state.system, table)
        play(state.copied(), table, rounds, watch=watch, span=(0, 1), compiled=True)
        if state.system.drift is not None:
            ageing(state.system, compiled=True)


def _stops(table: Table, rounds: Rounds, row: int) -> list[int]:
    """The rounds before which a state is kept: some on the way, and where a period is open."""
    rows = [station - row for station in stations(row, row + len(table))]
    if _single(table, rounds):
        return rows
    bounds = _bounds(rounds)
    stops = {int(bounds.searchsorted(first, side="right")) - 1 for first in rows}
    return sorted(stops | {len(bounds) - 2} - {0, -1})


def _single(table: Table, rounds: Rounds) -> bool:
    """Whether every result is a round."""
    return not table.pairwise or rounds.bounds is None


def _bounds(rounds: Rounds) -> Rows:
    assert rounds.bounds is not None
    return rounds.bounds


def worth_compiling(table: Table) -> bool:
    """Whether so many results are played sooner by compiled code."""
    if not table.pairwise:
        size = np.diff(table.start)
        pairs = int((size * (size - 1) // 2).sum())
    else:
        pairs = len(table)
    enough = COMPILED_FROM if kernel.loaded() else WORTH_LOADING
    return pairs >= enough and kernel.available()


def who(table: Table) -> NDArray[np.uint32]:
    """The players of all rows, of games the first ones first."""
    return table.player if not table.pairwise else np.concatenate((table.a, table.b))


def renumbered(table: Table) -> tuple[Rows, Any]:
    """Who takes part, ascending, and the table with them alone."""
    touched, inverse = np.unique(who(table), return_inverse=True)
    number, players = inverse.astype(np.uint32), [""] * len(touched)
    rows = touched.astype(np.int64)
    if not table.pairwise:
        return rows, table.replace(players=players, player=number)
    count = len(table)
    return rows, table.replace(players=players, a=number[:count], b=number[count:])


def refuse_lost(state: State, players: Sequence[str], rows: Rows | None = None) -> None:
    """Raise Unratable, naming the player, if a rating is no longer a finite number.

    `rows` are the rows of `players` that the state holds, None all of them.
    """
    finite = np.isfinite(state.rating)
    if finite.all():
        return
    at = int(np.flatnonzero(~finite.all(axis=1))[0])
    name = players[at if rows is None else int(rows[at])]
    reason = state.system.breaks.get("finite", "try shorter periods or smaller constants")
    raise Unratable(
        f"{state.system.name}: the rating of {name!r} would be no finite number: {reason}"
    )
