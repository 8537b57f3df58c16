"""Playing a part of a log onto a state, and what is kept on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess import kernel
from prowess.engine.meetings import watch_for
from prowess.engine.periods import Rounds
from prowess.engine.replay import play
from prowess.engine.state import State, ageing
from prowess.engine.system import Unratable
from prowess.engine.table import refuse_unratable
from prowess.games.games import Games
from prowess.live.ladder.checkpoints import Checkpoint, stations
from prowess.live.ladder.trail import columns_of

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

    Raises Unratable for teams or weights that the system cannot use.
    """
    refuse_unratable(state.system, table)
    count = len(table) if rounds.bounds is None else len(rounds.bounds) - 1
    passed: list[Checkpoint] = []
    watch = watch_for(state.system, state.p, table)
    low, compiled = 0, worth_compiling(table)
    periods = table.pairwise and rounds.bounds is not None
    with np.errstate(all="ignore"):  # what leaves the numbers is reported by name
        for stop in (*_stops(table, rounds, row), count):
            play(state, table, rounds, watch=watch, span=(low, stop), compiled=compiled)
            if stop < count:
                first = int(_bounds(rounds)[stop]) if periods else stop
                passed.append(Checkpoint(row + first, state.copied()))
            low = stop
    return Passage(passed, columns_of(state, table, watch))


def load_compiled(state: State, table: Table, rounds: Rounds) -> None:
    """Compile the loop that plays such a table (or take it from the cache), where it pays."""
    if worth_compiling(table):
        watch = watch_for(state.system, state.p, table)
        play(state.copied(), table, rounds, watch=watch, span=(0, 1), compiled=True)
        if state.system.drift is not None:
            ageing(state.system, compiled=True)


def _stops(table: Table, rounds: Rounds, row: int) -> list[int]:
    """The rounds before which a state is kept: some on the way, and where a period is open."""
    rows = [station - row for station in stations(row, row + len(table))]
    if not table.pairwise or rounds.bounds is None:
        return rows  # every result is a round
    bounds = _bounds(rounds)
    stops = {int(bounds.searchsorted(first, side="right")) - 1 for first in rows}
    return sorted(stops | {len(bounds) - 2} - {0, -1})


def _bounds(rounds: Rounds) -> Rows:
    assert rounds.bounds is not None
    return rounds.bounds


def worth_compiling(table: Table) -> bool:
    """Whether so many results are played sooner by compiled code."""
    pairs = len(table)
    if not table.pairwise:
        size = np.diff(table.start)
        pairs = int((size * (size - 1) // 2).sum())
    enough = COMPILED_FROM if kernel.loaded() else WORTH_LOADING
    return pairs >= enough and kernel.available()


def of_touched(table: Table) -> tuple[Rows, Table]:
    """Who takes part, ascending, and the table with them alone."""
    touched, number = np.unique(table.player, return_inverse=True)
    players = [""] * len(touched)
    return touched.astype(np.int64), renumbered(table, players, number.astype(np.uint32))


def renumbered(table: Table, players: Sequence[str], number: NDArray[np.uint32]) -> Table:
    """The table of another roster; `number` is the player of every member there."""
    if table.duels:
        return table.replace(players=players, a=number[0::2].copy(), b=number[1::2].copy())
    return table.replace(players=players, player=number)


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
