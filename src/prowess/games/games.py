"""Results between two sides, and contests of many, as columns that were checked once.

Nothing behind this door checks again: ids are in range, scores are in [0, 1], times are finite
and ascending, nobody plays himself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.uint32]


@dataclass(frozen=True, eq=False, repr=False)
class Games:
    """Games between two sides, one row each, in order of time (rows of equal time keep theirs).

    All columns have length n and are C-contiguous. `None` means that the table does not say.
    """

    players: Sequence[str]  # the roster; ids index it, in order of first appearance
    a: Ids  # id of the first side
    b: Ids  # id of the second side
    score: Floats  # of a, in [0, 1]
    time: Floats | None = None  # days since 1970-01-01 UTC
    round: NDArray[np.int32] | None = None  # number of the table's own round label
    side: Floats | None = None  # +1 a has the side advantage (White, home), -1 b has, 0 neutral
    weight: Floats | None = None  # > 0; a game of weight w counts as w games
    margin: Floats | None = None  # by how much a won, negative when b did
    length: Floats | None = None  # rounds, moves or minutes, > 0
    points_a: Floats | None = None  # what a scored
    points_b: Floats | None = None  # what b scored
    notes: tuple[str, ...] = ()  # what the reader guessed, left out or found suspicious
    left_out: int = 0  # rows of the source that could not be read or were no games

    def __len__(self) -> int:
        return len(self.a)

    def __repr__(self) -> str:
        also = [name for name in columns_of(self) if name not in {"a", "b", "score", "time"}]
        known = f", with {', '.join(also)}" if also else ""
        return f"<Games: {counted(len(self), 'game')}, {_extent(self)}{known}>"

    def before(self, day: float) -> Games:
        """The games up to this day (days since 1970, inclusive); all where there are no dates."""
        if self.time is None:
            return self
        count = int(self.time.searchsorted(day, side="right"))
        return self.first(count)

    def first(self, count: int) -> Games:
        """The first so many games."""
        return self.select(slice(count))

    def select(self, rows: slice | NDArray[Any]) -> Games:
        """These rows (a slice, a mask or row numbers) as a table of the same roster."""
        return replace(self, **{name: values[rows] for name, values in columns_of(self).items()})


@dataclass(frozen=True, eq=False, repr=False)
class Contests:
    """Events of many players: contest c is the rows `start[c]:start[c + 1]`, in order of time."""

    players: Sequence[str]
    start: NDArray[np.int64]  # length m + 1, start[0] = 0, start[m] = number of rows
    player: Ids  # id per row, no player twice in one contest
    place: Floats  # per row; 1 is best, equal places are ties
    time: Floats | None = None  # per contest, days since 1970-01-01 UTC
    weight: Floats | None = None  # per contest
    points: Floats | None = None  # per row, as the table gives them
    notes: tuple[str, ...] = ()  # what the reader guessed, left out or found suspicious
    left_out: int = 0  # rows of the source that could not be read

    def __len__(self) -> int:
        return len(self.start) - 1

    def __repr__(self) -> str:
        rows = counted(len(self.player), "row")
        return f"<Contests: {counted(len(self), 'contest')}, {rows}, {_extent(self)}>"

    def before(self, day: float) -> Contests:
        """The contests up to this day (inclusive); all where there are no dates."""
        if self.time is None:
            return self
        return self.first(int(self.time.searchsorted(day, side="right")))

    def first(self, count: int) -> Contests:
        """The first so many contests."""
        rows = int(self.start[count])
        length = {"start": count + 1, "player": rows, "place": rows, "points": rows}
        columns = columns_of(self).items()
        return replace(
            self, **{name: column[: length.get(name, count)] for name, column in columns}
        )


def columns_of(table: Games | Contests) -> dict[str, Any]:
    """The columns that a table has, by name."""
    every = {
        column.name: getattr(table, column.name)
        for column in fields(table)
        if column.name not in {"players", "notes", "left_out"}
    }
    return {name: values for name, values in every.items() if values is not None}


def counted(number: int, thing: str) -> str:
    """`1 game`, `2 games`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def _extent(table: Games | Contests) -> str:
    """How many players, and from when to when."""
    players = counted(len(table.players), "player")
    if table.time is None or not len(table.time):
        return f"{players}, no dates"
    return f"{players}, {day_of(table.time[0])} to {day_of(table.time[-1])}"


def day_of(time: float) -> str:
    """The day of a moment, as 2024-06-30."""
    from datetime import date

    return date.fromordinal(719163 + int(time // 1)).isoformat()  # that of 1970-01-01
