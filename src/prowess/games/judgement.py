"""The rows of a chunk while they are judged: which may stay, and why the others may not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.games.cells import Chunk, Column, Lookup, as_text
from prowess.games.dates import day, year
from prowess.games.layout import Layout, Options
from prowess.games.left_out import LeftOut
from prowess.games.numbers import decimal, positive, truth
from prowess.games.outcomes import Outcomes, draw_flag, own_result, points_of, says_draw
from prowess.games.places import Places
from prowess.games.refusal import BadData, Refusal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

Report = LeftOut


class Fault(NamedTuple):
    """What is wrong with a row."""

    column: str | None
    refusal: Refusal
    row: int | None = None  # of the chunk, where the row is in it
    cell: Any = None  # what stands in the column, where that alone is wrong


class Lookups:
    """What the words of one file's columns mean, remembered from chunk to chunk."""

    def __init__(self, layout: Layout, options: Options) -> None:
        self.outcomes = Outcomes(layout.a, layout.b)
        self.result = Lookup(self.outcomes.result, "score")
        self.points = tuple(Lookup(points_of(side), "word") for side in (0, 1))
        self.winner = Lookup(self.outcomes.winner, "word")
        self.side = Lookup(self.outcomes.side, "word")
        self.neutral = Lookup(truth, "word")
        self.draw = Lookup(says_draw if layout.outcome else draw_flag, "word")
        form = options.date_format
        self.time = Lookup(lambda value: day(value, form), "date" if form is None else "word")
        if layout.years and form is None:
            self.time = Lookup(year, "word")
        places = Places(options.unplaced)
        self.place = Lookup(places.place, "positive")
        self.own_result = Lookup(own_result, "word")
        self._places = places
        self._amounts: dict[str, Lookup] = {}
        self._numbers: dict[tuple[str, bool], Lookup] = {}
        self.kept = [
            (column, Lookup(_among(texts, chosen), "word"))
            for chosen, columns in ((True, layout.where), (False, layout.exclude))
            for column, texts in columns.items()
        ]

    def numbers(self, column: str, above_zero: bool = False) -> Lookup:
        """The meaning of a column of numbers."""
        key = (column, above_zero)
        if key not in self._numbers:
            self._numbers[key] = (
                Lookup(positive, "positive") if above_zero else Lookup(decimal, "number")
            )
        return self._numbers[key]

    def amounts(self, column: str, times: bool) -> Lookup:
        """The meaning of a column that decides contests: points, or times."""
        parse = self._places.amount if times else self._places.points
        return self._amounts.setdefault(column, Lookup(parse, "number"))


def _among(texts: frozenset[str], wanted: bool) -> Callable[[Any], float]:
    return lambda value: float((as_text(value) in texts) is wanted)


class Judgement:
    """A chunk, and what is wrong with its rows: the first fault found in each."""

    def __init__(self, chunk: Chunk, lookups: Lookups, file: str, unit: str) -> None:
        self.file, self.unit = file, unit
        self.faults: dict[int, Fault] = {}  # by line
        self.excused: set[int] = set()  # lines of rows that are no games, whatever is wrong there
        self.absent = [
            self.bad(chunk.line(row), Fault(None, refusal)) for row, refusal in chunk.absent.items()
        ]
        for row, refusal in chunk.refused.items():
            self.faults[chunk.line(row)] = Fault(None, refusal)
        if gone := {*chunk.refused, *chunk.absent}:
            keep = np.ones(chunk.count, np.bool_)
            keep[list(gone)] = False
            chunk = chunk.taken(keep)
        for column, lookup in lookups.kept:
            keep = chunk.columns[column].judged(lookup).values > 0.0
            if not keep.all():
                chunk = chunk.taken(keep)
        self.chunk = chunk

    def column(self, name: str) -> Column:
        """One of the chunk's columns."""
        return self.chunk.columns[name]

    def refuse(self, column: str | None, wrong: Mapping[int, Refusal]) -> None:
        """Take note of what is wrong with some rows."""
        for row, refusal in wrong.items():
            self.faults.setdefault(self.chunk.line(row), Fault(column, refusal, row))

    def refuse_cells(self, column: str, wrong: Mapping[int, Refusal]) -> None:
        """Take note of cells that nobody can read, whatever else stands in their rows."""
        shown = self.column(column).shown
        for row, refusal in wrong.items():
            self.faults.setdefault(self.chunk.line(row), Fault(column, refusal, row, shown(row)))

    def refuse_where(self, mask: Mask, column: str | None, why: Callable[[int], Refusal]) -> None:
        """Take note that something is wrong with the rows where the mask is true."""
        if mask.any():
            self.refuse(column, {row: why(row) for row in np.flatnonzero(mask).tolist()})

    def judged(self, name: str, lookup: Lookup) -> Floats:
        """The numbers of a column; what is no number is refused."""
        values, wrong = self.column(name).judged(lookup)
        self.refuse_cells(name, wrong)
        return values

    def named(self, *names: str) -> None:
        """Refuse rows without a name."""
        for name in names:
            self.refuse(name, self.column(name).unnamed())

    def excuse(self, is_bye: Callable[[int], bool]) -> int:
        """Forgive what is wrong with rows that are byes, and leave them out: so many."""
        byes = [
            line
            for line, fault in self.faults.items()
            if fault.row is not None and is_bye(fault.row)
        ]
        for line in byes:
            del self.faults[line]
        self.excused.update(byes)
        return len(byes)

    def settled(self, report: Report, skip_bad: bool) -> Mask | None:
        """The rows that stay, None for all of them.

        The first fault is raised, or with `skip_bad` all are handed to `report`.
        """
        for absent in self.absent:
            report.note_absent(absent)
        if not self.faults and not self.excused:
            return None
        for line, fault in sorted(self.faults.items(), key=lambda each: each[0]):
            bad = self.bad(line, fault)
            if not skip_bad:
                raise bad
            report(bad)
        line_of = self.chunk.line
        faulty = self.faults.keys() | self.excused
        return np.fromiter(
            (line_of(row) not in faulty for row in range(self.chunk.count)),
            np.bool_,
            self.chunk.count,
        )

    def bad(self, line: int, fault: Fault) -> BadData:
        """A fault as the caller sees it."""
        return BadData(
            fault.refusal.what,
            file=self.file,
            column=fault.column,
            remedy=fault.refusal.remedy,
            cell=fault.cell,
            **{self.unit: line},
        )
