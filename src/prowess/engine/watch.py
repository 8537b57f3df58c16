"""What a replay is to keep: the ratings before chosen contests, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.engine.loops import NO_NUMBERS, NO_ROWS, Snapshots
from prowess.engine.params import Bank
from prowess.engine.rows import width_kept
from prowess.engine.system import Dynamic
from prowess.games.games import Games


@dataclass(eq=False)
class Watch:
    """Where the ratings before a contest are kept, and those ratings.

    `slots` has an entry a member (-1: nothing is kept), or, where `paired`, an entry a game, whose
    slot s has the rows 2 s and 2 s + 1 of its two players.
    """

    slots: Ids
    memory: Snapshots
    learnt: bool = False  # whether what a game read of the numbers that all share is kept
    paired: bool = False

    def rows(self, members: Ids) -> Ids:
        """The rows of these members, by number in the table, in `memory.rating`."""
        if not self.paired:
            return self.slots[members]
        found: Ids = 2 * self.slots[members // 2] + members % 2
        return found

    def sums(self, rows: Ids) -> Floats:
        """What is kept of the league, of a bank, of learnt numbers beside these rows."""
        found: Floats = self.memory.sums[rows // 2 if self.paired else rows]
        return found


def uses_duel_loops(system: Dynamic, p: Any, table: Games) -> bool:
    """Whether the loops of duels play this table, and not the one over sides."""
    alone = system.passes == 1 and system.common is None and system.evidence is not None
    return table.duels and alone and not isinstance(p, Bank)


def keeps_own_forecasts(system: Dynamic, p: Any, table: Games) -> bool:
    """Whether a loop can keep what each member was expected to score, beside their rating.

    Elsewhere the forecast of a side is known, or of a game that of its first side.
    """
    by_pairs = not table.pairwise and system.contest is None and system.common is None
    plain = table.single and table.role is None and not isinstance(p, Bank)
    return uses_duel_loops(system, p, table) or (by_pairs and plain)


def choose_slots(
    system: Dynamic, p: Any, table: Games, chosen: Truths,
    members: Truths | None = None,
) -> Ids:  # fmt: skip
    """The slots of a `Watch` of these contests alone; where a member has a slot, of `members`."""
    if not uses_duel_loops(system, p, table):
        chosen = chosen[table.contest_of_member]
        if members is not None:
            chosen &= members
    return np.where(chosen, np.cumsum(chosen, dtype=np.int64) - 1, -1)


def watch_for(
    system: Dynamic, p: Any, table: Games, slots: Ids | None = None,
    *, follow: bool = False, credit: bool = False, learnt: bool = True,
) -> Watch:  # fmt: skip
    """What keeps the ratings before the contests of a table, of all or in these slots.

    `follow` keeps the ratings after them too, and what each member was expected to score where a
    loop can; `credit` what each game of a round of duels brought; `learnt` what the contests read
    of the numbers that all share, as explanations need it.
    """
    paired, lanes = uses_duel_loops(system, p, table), p.lanes if isinstance(p, Bank) else 1
    if slots is None:
        slots = np.arange(len(table) if paired else len(table.player), dtype=np.int64)
    count, learnt = int(slots.max(initial=-1)) + 1, learnt and system.common is not None
    width = 2 * lanes if system.league is None else len(system.league.empty)
    rating = np.zeros((2 * count if paired else count, len(system.rating) * lanes))
    own = follow and keeps_own_forecasts(system, p, table)
    credit = credit and paired and system.credit is not None
    memory = Snapshots(
        rating,
        np.zeros((count, width + (width_kept(system, lanes) if learnt else 0))),
        np.full(rating.shape, np.nan) if follow else NO_ROWS,
        np.zeros(len(rating)) if own else NO_NUMBERS,
        np.zeros(len(rating)) if credit else NO_NUMBERS,
        np.zeros((count, lanes)) if learnt and system.common and system.common.factor else NO_ROWS,
        rating.copy() if system.passes > 1 else NO_ROWS,
    )
    return Watch(slots, memory, learnt, paired)
