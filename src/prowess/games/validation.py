"""Rows that are left out of a table: how many there are, and whether so many may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.games.columns import Chunk, Column, Lookup, Table, as_text
from prowess.games.dates import day, year
from prowess.games.errors import SKIP, BadData, Refusal, quoted
from prowess.games.games import counted
from prowess.games.layout import Layout, Options
from prowess.games.values import (
    Outcomes,
    Places,
    decimal,
    draw_flag,
    missing,
    own_result,
    points_of,
    positive,
    says_draw,
    truth,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]


FEW = 3  # bad rows, also of one kind, that `skip_bad=True` leaves out of any table
SHARE = 0.05  # of the rows of a table; it leaves out no more
ALL = "all"

SkipBad = bool | int | float | str


def allowed_share(skip_bad: SkipBad) -> tuple[float, float]:
    """How many bad rows may be left out, as a number and as a share of all; inf is no limit.

    Raises BadData for what is neither True, False, a number of rows, a share nor "all".
    """
    if isinstance(skip_bad, bool):
        return inf, (1.0 if skip_bad else 0.0)
    if isinstance(skip_bad, str) and skip_bad == ALL:
        return inf, inf
    if isinstance(skip_bad, int) and skip_bad >= 0:
        return skip_bad, inf
    if isinstance(skip_bad, float) and 0.0 <= skip_bad <= 1.0:
        return inf, skip_bad
    raise BadData(
        f"skip_bad is True, a number of rows, a share from 0.0 to 1.0 or {quoted(ALL)}, "
        f"not {quoted(skip_bad)}"
    )


class LeftOut:
    """Counts the rows that are left out, hands them on, and refuses to leave out too many."""

    def __init__(self, skip_bad: SkipBad, report: Callable[[BadData], Any]) -> None:
        self.skip_bad, self.hand_on = skip_bad, report
        self.most, self.share = allowed_share(skip_bad)
        self.bad = 0  # rows that cannot be read
        self.absent = 0  # rows that are no games, such as unfinished ones
        self.byes = 0  # rows in which a player has no opponent
        self.first: BadData | None = None
        self.kinds: Counter[tuple[str | None, str]] = Counter()  # by column and cell
        self.first_of_kind: dict[tuple[str | None, str], BadData] = {}

    def __call__(self, fault: BadData) -> None:
        """Take note of a row that cannot be read."""
        self.bad += 1
        self.first = self.first or fault
        if not missing(fault.cell):
            kind = fault.column, str(fault.cell)
            self.kinds[kind] += 1
            self.first_of_kind.setdefault(kind, fault)
        self.hand_on(fault)

    def note_absent(self, fault: BadData) -> None:
        """Take note of a row that is no game."""
        self.absent += 1
        self.hand_on(fault)

    def check(self, kept: int) -> None:
        """Raise BadData where more rows are left out than may be; `kept` rows are read."""
        first = self.first
        if first is None:
            return
        rows = kept + self.bad
        if self.skip_bad is True:
            if not kept:
                return  # who asks for games finds none, and hears why
            kind, count = self.kinds.most_common(1)[0] if self.kinds else (None, 0)
            if kind is not None and count > FEW:
                raise self._refused(f"{count:,} rows with {quoted(kind[1])} would be left out",
                                    self.first_of_kind[kind])  # fmt: skip
            if self.bad > FEW and self.bad > SHARE * rows:
                raise self._refused(f"{self.bad:,} of {rows:,} rows would be left out", first)
        elif self.bad > self.most or self.bad > self.share * rows:
            may = f"{self.most:,.0f}" if self.most < inf else f"{self.share:.4g} of them"
            what = f"{self.bad:,} of {rows:,} rows would be left out, and only {may} may be"
            raise self._refused(what, first)

    def notes(self) -> Iterator[str]:
        """How many rows were left out, and why."""
        if self.absent:
            were = "game was" if self.absent == 1 else "games were"
            yield f"{self.absent:,} {were} left out: unfinished or not played"
        if self.byes:
            keep = 'byes="players" (--byes players) keeps them as games'
            yield f"{counted(self.byes, 'bye')} left out; {keep}"
        if self.bad:
            were = "row was" if self.bad == 1 else "rows were"
            yield f"{self.bad:,} {were} left out as bad"

    @property
    def count(self) -> int:
        """How many rows were left out."""
        return self.bad + self.absent + self.byes

    def _refused(self, what: str, fault: BadData) -> BadData:
        """The refusal to leave out so many rows, `fault` being the first of them."""
        mend = (fault.remedy or "").removesuffix(SKIP).removesuffix(" or ").rstrip(", ")
        allow = f"allow it with skip_bad={self.bad} (--skip-bad={self.bad})"
        return BadData(
            f"{what}: {fault.what}",
            file=fault.file,
            line=fault.line,
            row=fault.row,
            column=fault.column,
            remedy=f"{mend}, or {allow}" if mend else allow,
        )


# The rows of a chunk while they are judged: which may stay, and why the others may not.


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


# What is wrong with rows that only shows once all are gathered: where they stand, and refusal.


class Lines:
    """Where rows stand: the files of a table, and the columns `line` and `file` of its rows."""

    def __init__(self) -> None:
        self.tables: list[Table] = []

    def columns(
        self, chunk: Chunk, table: Table, some: NDArray[np.bool_] | None = None
    ) -> dict[str, NDArray[Any]]:
        """The two columns for the rows of a chunk; lines only of `some`, where that is given."""
        if not (self.tables and self.tables[-1] is table):
            self.tables.append(table)
        wanted = range(chunk.count) if some is None else np.flatnonzero(some).tolist()
        line = np.zeros(chunk.count, np.int64)
        line[wanted] = [chunk.line(row) for row in wanted]
        return {
            "line": line,
            "file": np.full(chunk.count, len(self.tables) - 1, np.int32),
        }

    def bad(self, row: int, fault: Fault, columns: Mapping[str, NDArray[Any]]) -> BadData:
        """A fault as the caller sees it."""
        table = self.tables[int(columns["file"][row])]
        return BadData(
            fault.refusal.what,
            file=table.file,
            column=fault.column,
            remedy=fault.refusal.remedy,
            **{table.unit: int(columns["line"][row])},
        )

    def refuse_rows(
        self,
        faults: Mapping[int, Fault],
        columns: Mapping[str, NDArray[Any]],
        report: Report,
        skip_bad: bool,
    ) -> NDArray[np.bool_] | None:
        """The rows that stay, None for all; the first fault is raised, or all are reported."""
        if not faults:
            return None
        for row, fault in sorted(faults.items(), key=lambda each: each[0]):
            bad = self.bad(row, fault, columns)
            if not skip_bad:
                raise bad
            report(bad)
        keep = np.ones(len(columns["line"]), np.bool_)
        keep[list(faults)] = False
        return keep
