"""The rounds in which a log is played, kept up to date from the first result that changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.periods import Rounds, rounds_of
from prowess.games.games import Games
from prowess.live.ladder.block import Block

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.system import Dynamic


@dataclass(frozen=True, eq=False)
class Detour:
    """Rounds that replace all from the `kept`-th on; `first` is the first to be played again."""

    kept: int
    more: dict[str, NDArray[Any]]
    first: int

    def last(self, name: str, course: Course) -> NDArray[Any] | None:
        """What a column says of the last round, as a column; None where there is none."""
        if name not in course.rounds:
            return None
        return np.concatenate((course.rounds[name][: self.kept][-1:], self.more[name]))[-1:]


@dataclass(frozen=True, eq=False)
class Course:
    """When rounds begin: without a period every result is one, else `start` has their first rows.

    `clock` is what the system's clock shows at each round, where it has use for it.
    """

    system: Dynamic
    period: str | None
    rounds: Block  # start, clock

    @classmethod
    def of(cls, system: Dynamic, period: str | None, table: Games) -> Course:
        """The course of a whole table; raises BadRounds, BadPeriod."""
        columns = _columns(rounds_of(system, table, period), period)
        return cls(system, period, Block(columns, _length(columns)))

    def detour(self, first: int, rows: Callable[[int], Games]) -> Detour:
        """How it goes on when rows change from `first` on; `rows(k)` are those from k on."""
        if self.period is None:
            return Detour(first, _columns(rounds_of(self.system, rows(first), None), None), first)
        # The round of the row before may go on, or have ended here.
        before = max(first - 1, 0)
        columns = _columns(rounds_of(self.system, rows(before), self.period), self.period)
        if not first:
            return Detour(0, columns, 0)
        kept = int(self.rounds["start"].searchsorted(first))
        more = {name: column[1:] for name, column in columns.items()}
        more["start"] = more["start"] + before
        return Detour(kept, more, kept - 1)

    def taken(self, detour: Detour) -> Course:
        """The course after a detour."""
        if not self.rounds.held:
            return self
        return Course(self.system, self.period, self.rounds.headed(detour.kept, detour.more))

    def row(self, number: int) -> int:
        """The first row of a round."""
        return number if self.period is None else int(self.rounds["start"][number])

    def number(self, row: int) -> int:
        """The round that begins with a row."""
        return row if self.period is None else int(self.rounds["start"].searchsorted(row))

    def from_row(self, row: int, detour: Detour, table: Games) -> Rounds:
        """The rounds of a table that begins at a row and follows the detour."""
        number = self.number(row)
        columns = {
            name: np.concatenate((self.rounds[name][number : detour.kept], detour.more[name]))
            for name in self.rounds.held
        }
        if "start" in columns:
            columns["start"] -= row
        return _rounds(columns, table)

    def whole(self, table: Games) -> Rounds:
        """All rounds."""
        return _rounds(self.rounds.part(0), table)


def _columns(rounds: Rounds, period: str | None) -> dict[str, NDArray[Any]]:
    columns: dict[str, NDArray[Any]] = {}
    if period is not None:
        assert rounds.bounds is not None
        columns["start"] = rounds.bounds[:-1]
    if rounds.clock is not None:
        columns["clock"] = rounds.clock
    return columns


def _rounds(columns: dict[str, NDArray[Any]], table: Games) -> Rounds:
    bounds = None
    if not table.pairwise:
        bounds = table.start
    elif "start" in columns:
        bounds = np.append(columns["start"], len(table))
    return Rounds(None, bounds, columns.get("clock"))


def _length(columns: dict[str, NDArray[Any]]) -> int:
    return len(next(iter(columns.values()))) if columns else 0
