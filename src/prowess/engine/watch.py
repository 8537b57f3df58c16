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
    follow: bool = False,
) -> Watch:
    """What keeps the ratings before the contests that are chosen (default: all) of a table.

    Games of one player against one have a slot each with two ratings, others a slot a member.
    `follow` keeps the ratings after them too.
    """
    lanes = p.lanes if isinstance(p, Bank) else 1
    straight = plays_straight(system, p, table)
    if chosen is None:
        chosen = np.ones(len(table), dtype=bool)
    if not straight:
        chosen = chosen[table.contest_of_member]
    count = int(chosen.sum())
    slots = np.where(chosen, np.cumsum(chosen) - 1, -1)
    width = 2 * lanes if system.league is None else len(system.league.empty)
    if system.common is not None:
        width += width_kept(system, lanes)
    entries = (2 if straight else 1) * count
    rating = np.zeros((entries, len(system.rating) * lanes))
    memory = Snapshots(rating, np.zeros((count, width)))
    if follow:
        after, expected = np.full(rating.shape, np.nan), np.zeros(entries if straight else 0)
        memory = memory._replace(after=after, expected=expected)
    return Watch(slots, memory)
