"""What a replay is to remember: the ratings before chosen games, and after them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.loops import Snapshots
from prowess.engine.params import Bank
from prowess.engine.rows import width_kept
from prowess.engine.system import Dynamic
from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(eq=False)
class Watch:
    """Which games (or rows of contests) to remember the ratings before, and those ratings."""

    slots: NDArray[np.int64]  # per game, or per row of a contest: where to keep, -1 nowhere
    memory: Snapshots
    learnt: bool = False  # whether what a game read of the numbers that all share is kept

    def clear(self) -> None:
        """Forget all ratings, so that other games can be kept in their place."""
        self.memory.rating[:] = self.memory.sums[:] = self.memory.expected[:] = 0.0
        self.memory.after[:] = np.nan


def plays_straight(system: Dynamic, p: Any, table: Games) -> bool:
    """Whether the loops of duels play this table, and not the one over sides."""
    one_by_one = system.common is None and system.evidence is not None
    return table.duels and one_by_one and not isinstance(p, Bank)


def watch_for(
    system: Dynamic,
    p: Any,
    table: Games,
    chosen: NDArray[np.bool_] | None = None,
    *,
    among: NDArray[np.bool_] | None = None,
    follow: bool = False,
    learnt: bool = True,
    step: int | None = None,
) -> Watch:
    """What keeps the ratings before the contests that are chosen (default: all) of a table.

    Games of one player against one have a slot each with two ratings, others a slot a member, or
    only those `among` the members. `follow` keeps the ratings after them too, `learnt` what they
    read of the numbers that all share, as explanations need it. Every `step` contests, where it is
    given, begin with the first slot again, for who clears the memory between them.
    """
    lanes = p.lanes if isinstance(p, Bank) else 1
    straight = plays_straight(system, p, table)
    if chosen is None:
        chosen = np.ones(len(table), dtype=bool)
    if not straight:
        chosen = chosen[table.contest_of_member]
        chosen = chosen if among is None else chosen & among
    slots = np.where(chosen, np.cumsum(chosen) - 1, -1)
    if step is not None and len(slots):
        first = np.arange(0, len(table), step)
        first = first if straight else table.ends[table.start[first]]
        size = np.diff(first, append=len(slots))
        earlier: NDArray[np.int64] = np.repeat((np.cumsum(chosen) - chosen)[first], size)
        slots = np.where(chosen, slots - earlier, -1)
    count = int(slots.max(initial=-1)) + 1
    width = 2 * lanes if system.league is None else len(system.league.empty)
    learnt = learnt and system.common is not None
    if learnt:
        width += width_kept(system, lanes)
    entries = (2 if straight else 1) * count
    rating = np.zeros((entries, len(system.rating) * lanes))
    memory = Snapshots(rating, np.zeros((count, width)))
    if follow:
        after, expected = np.full(rating.shape, np.nan), np.zeros(entries if straight else 0)
        memory = memory._replace(after=after, expected=expected)
    return Watch(slots, memory, learnt)
