"""Changes of results as an edit of columns: which rows go, which come, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prowess.live.facts import Changes, Fact, days
from prowess.live.ladder.block import Block, Splice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.live.ladder.columns import Columns
    from prowess.live.ladder.players import Roster

NO_ROWS = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Edit:
    """New results in order of play, and the rows of the log they replace."""

    splice: Splice
    columns: Columns  # of the new results
    newcomers: tuple[int, ...]  # players to be added to the roster, by the store's number


def placed(results: Block, highest: int, changes: Changes) -> tuple[Splice, list[Fact]] | None:
    """Where changed results stand in order of play, and the new ones in that order.

    `results` has the columns id and time; no id is above `highest`. None: nothing changes.
    """
    facts = sorted(
        (fact for fact in changes.values() if fact is not None),
        key=lambda fact: (days(fact.time), fact.id),
    )
    known = [number for number in changes if number <= highest]
    gone = NO_ROWS
    if known:
        gone = np.flatnonzero(np.isin(results["id"], np.array(known, dtype=np.int64)))
    if not facts and not len(gone):
        return None
    return Splice(gone, _rows_for(results, facts)), facts


def _rows_for(results: Block, facts: list[Fact]) -> NDArray[np.int64]:
    """The rows before which results are to stand: by time, those of equal time by number."""
    if not facts:
        return NO_ROWS
    number, time, count = results["id"], results["time"], results.count
    first = facts[0]
    if not count or (days(first.time), first.id) > (time[-1], number[-1]):
        return np.full(len(facts), count, dtype=np.int64)
    day = np.array([days(fact.time) for fact in facts])
    low, high = time.searchsorted(day), time.searchsorted(day, side="right")
    within = [
        int(number[start:stop].searchsorted(fact.id)) if start < stop else 0
        for fact, start, stop in zip(facts, low.tolist(), high.tolist(), strict=True)
    ]
    return low.astype(np.int64) + np.array(within, dtype=np.int64)


class Numbering:
    """The rows of players, those of newcomers given on the way."""

    def __init__(self, roster: Roster) -> None:
        self.roster, self.newcomers = roster, dict[int, int]()

    def row(self, player: int) -> int:
        """The row of a player, a new one if the roster does not have the player."""
        row = self.roster.row(player)
        if row is not None:
            return row
        return self.newcomers.setdefault(player, len(self.roster) + len(self.newcomers))
