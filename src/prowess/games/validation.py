"""Validation of rows: their errors, the rows that are left out, and the limit of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.games.columns import CellParser, Chunk, InputTable, Looks, as_text
from prowess.games.dates import parse_date, parse_year
from prowess.games.errors import SKIP, BadData, InvalidValue, quote
from prowess.games.games import format_count
from prowess.games.layout import Layout, Options
from prowess.games.values import (
    OutcomeParser,
    is_missing,
    parse_bool,
    parse_chance,
    parse_decimal,
    parse_draw_flag,
    parse_draw_result,
    parse_odds,
    parse_own_result,
    parse_positive,
    points_parser,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.places import PlaceParser

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]


FEW = 3  # bad rows, also of one kind, that `skip_bad=True` leaves out of any table
SHARE = 0.05  # of the rows of a table; it leaves out no more
ALL = "all"

SkipBad = bool | int | float | str


def parse_skip_bad(skip_bad: SkipBad) -> tuple[float, float]:
    """The limit of bad rows, as a number and as a share of all; inf is no limit.

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
        f"skip_bad is True, a number of rows, a share from 0.0 to 1.0 or {quote(ALL)}, "
        f"not {quote(skip_bad)}"
    )


@dataclass(eq=False)
class SkippedRows:
    """Counts the rows that are left out, hands them on, and refuses to leave out too many."""

    skip_bad: SkipBad
    report: Callable[[BadData], Any] | None
    reported: set[tuple[str | None, int | None]] = field(default_factory=set)  # by file and place
    bad: int = 0  # rows that cannot be read
    absent: int = 0  # rows that are no games, such as unfinished ones
    byes: int = 0  # rows in which a player has no opponent
    first: BadData | None = None
    kinds: Counter[tuple[str | None, str]] = field(default_factory=Counter)  # by column and cell
    first_of_kind: dict[tuple[str | None, str], BadData] = field(default_factory=dict)

    def __call__(self, fault: BadData) -> None:
        """Take note of a row that cannot be read."""
        self.bad += 1
        self.first = self.first or fault
        if not is_missing(fault.cell):
            kind = fault.column, str(fault.cell)
            self.kinds[kind] += 1
            self.first_of_kind.setdefault(kind, fault)
        self._report(fault)

    def note_absent(self, fault: BadData) -> None:
        """Take note of a row that is no game."""
        self.absent += 1
        self._report(fault)

    def _report(self, fault: BadData) -> None:
        place = fault.file, fault.row if fault.line is None else fault.line
        if self.report is not None and place not in self.reported:
            self.reported.add(place)
            self.report(fault)

    def check(self, kept: int) -> None:
        """Raise BadData where more rows are left out than may be; `kept` rows are read."""
        first = self.first
        if first is None:
            return
        rows = kept + self.bad
        most, share = parse_skip_bad(self.skip_bad)
        if self.skip_bad is True:
            if not kept:
                return  # the caller reports that there are no games
            kind, count = self.kinds.most_common(1)[0] if self.kinds else (None, 0)
            if kind is not None and count > FEW:
                raise self._refusal(f"{count:,} rows with {quote(kind[1])} would be left out",
                                    self.first_of_kind[kind])  # fmt: skip
            if self.bad > FEW and self.bad > SHARE * rows:
                raise self._refusal(f"{self.bad:,} of {rows:,} rows would be left out", first)
        elif self.bad > most or self.bad > share * rows:
            may = f"{most:,.0f}" if most < inf else f"{share:.4g} of them"
            what = f"{self.bad:,} of {rows:,} rows would be left out, and only {may} may be"
            raise self._refusal(what, first)

    def notes(self) -> Iterator[str]:
        """Notes on the number of rows left out, and on the reasons."""
        if self.absent:
            were = "game was" if self.absent == 1 else "games were"
            yield f"{self.absent:,} {were} left out: unfinished or not played"
        if self.byes:
            keep = 'byes="players" (--byes players) keeps them as games'
            yield f"{format_count(self.byes, 'bye')} left out; {keep}"
        if self.bad:
            were = "row was" if self.bad == 1 else "rows were"
            yield f"{self.bad:,} {were} left out as bad"

    @property
    def count(self) -> int:
        """The number of rows left out."""
        return self.bad + self.absent + self.byes

    def _refusal(self, what: str, fault: BadData) -> BadData:
        """The refusal to leave out so many rows, `fault` being the first of them."""
        mend = (fault.remedy or "").removesuffix(SKIP).removesuffix(" or ").rstrip(", ")
        allow = f"allow it with skip_bad={self.bad} (--skip-bad={self.bad})"
        return fault.reword(f"{what}: {fault.what}", f"{mend}, or {allow}" if mend else allow)


# The rows of a chunk while they are judged: which may stay, and why the others may not.


Report = SkippedRows


class RowError(NamedTuple):
    """The error of a row."""

    column: str | None
    refusal: InvalidValue
    row: int | None = None  # of the chunk, where the row is in it
    cell: Any = None  # what stands in the column, where that alone is wrong

    def in_file(self, file: str, unit: str, line: int) -> BadData:
        """The error as the caller sees it; `unit` says whether the number is of a line or a row."""
        return BadData(
            self.refusal.what,
            file=file,
            column=self.column,
            remedy=self.refusal.remedy,
            cell=self.cell,
            **{unit: line},
        )


class CellParsers(dict[tuple[str, str], CellParser]):
    """The parsers of one file's columns by role and column, remembered from chunk to chunk."""

    def __init__(self, layout: Layout, options: Options) -> None:
        super().__init__()
        self.layout, self.options = layout, options
        self.outcomes = OutcomeParser(layout.a, layout.b, layout.family)
        self.filters = [
            (column, CellParser(_among(texts, chosen), "word"))
            for chosen, columns in ((True, layout.where), (False, layout.exclude))
            for column, texts in columns.items()
        ]

    @cached_property
    def places(self) -> PlaceParser:
        """The parser of places and points: tables of games need none."""
        from prowess.games.places import PlaceParser

        return PlaceParser(self.options.unplaced)

    def __missing__(self, key: tuple[str, str]) -> CellParser:
        layout, form = self.layout, self.options.date_format
        parse: Callable[[Any], float]
        looks: Looks = "word"
        match key[0]:
            case "result":
                parse, looks = self.outcomes.result, "score"
            case "winner":
                parse = self.outcomes.winner
            case "side":
                parse = self.outcomes.side
            case "neutral":
                parse = parse_bool
            case "draw":
                parse = parse_draw_result if layout.outcome else parse_draw_flag
            case "own result":
                parse = parse_own_result
            case "place":
                parse, looks = self.places.place, "positive"
            case "chance":
                parse = parse_chance
            case "odds":
                parse = parse_odds
            case "points":
                parse, looks = self.places.points, "number"
            case "behind":
                from prowess.games.places import is_gap

                parse = is_gap
            case "points or times":
                parse, looks = self.places.amount, "number"
            case "above 0":
                parse, looks = parse_positive, "positive"
            case "time" if form is not None:
                parse = partial(parse_date, form=form)
            case "time" if layout.years:
                parse = parse_year
            case "time":
                parse, looks = parse_date, "date"
            case "first points" | "second points":
                parse = points_parser(int(key[0] == "second points"))
            case _:
                parse, looks = parse_decimal, "number"
        self[key] = parser = CellParser(parse, looks)
        return parser


def _among(texts: frozenset[str], wanted: bool) -> Callable[[Any], float]:
    return lambda value: float((as_text(value) in texts) is wanted)


class RowValidation:
    """A chunk, and what is wrong with its rows: the first fault found in each."""

    def __init__(self, chunk: Chunk, parsers: CellParsers, file: str, unit: str) -> None:
        self.parsers, self.file, self.unit = parsers, file, unit
        self.faults: dict[int, RowError] = {}  # by line
        self.excused: set[int] = set()  # lines of rows that are no games, whatever is wrong there
        self.absent = [
            RowError(None, refusal).in_file(file, unit, chunk.line(row))
            for row, refusal in chunk.absent.items()
        ]
        for row, refusal in chunk.refused.items():
            self.faults[chunk.line(row)] = RowError(None, refusal)
        if gone := {*chunk.refused, *chunk.absent}:
            keep = np.ones(chunk.count, np.bool_)
            keep[list(gone)] = False
            chunk = chunk.select(keep)
        for column, lookup in parsers.filters:
            keep = chunk.columns[column].parse(lookup).values > 0.0
            if not keep.all():
                chunk = chunk.select(keep)
        self.chunk, self.columns = chunk, chunk.columns

    def refuse(self, column: str | None, wrong: Mapping[int, InvalidValue]) -> None:
        """Take note of what is wrong with some rows."""
        for row, refusal in wrong.items():
            self.faults.setdefault(self.chunk.line(row), RowError(column, refusal, row))

    def refuse_cells(self, column: str, wrong: Mapping[int, InvalidValue]) -> None:
        """Note cells that cannot be read, whatever else stands in their rows."""
        shown = self.columns[column].cell
        for row, refusal in wrong.items():
            self.faults.setdefault(self.chunk.line(row), RowError(column, refusal, row, shown(row)))

    def refuse_where(
        self, mask: Mask, column: str | None, why: Callable[[int], InvalidValue]
    ) -> None:
        """Take note that something is wrong with the rows where the mask is true."""
        if mask.any():
            self.refuse(column, {row: why(row) for row in np.flatnonzero(mask).tolist()})

    def parse(self, name: str, role: str) -> Floats:
        """The numbers that a column means in a role; cells that mean none are refused."""
        values, wrong = self.columns[name].parse(self.parsers[role, name])
        if wrong:
            self.refuse_cells(name, wrong)
        return values

    def forgive(self, is_bye: Callable[[int], bool]) -> int:
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

    def valid_rows(self, report: Report, skip_bad: bool) -> Mask:
        """The rows that stay; the first fault is raised, or with `skip_bad` all are reported."""
        for absent in self.absent:
            report.note_absent(absent)
        raise_or_report(
            {line: self.bad(line, fault) for line, fault in self.faults.items()}, report, skip_bad
        )
        line_of = self.chunk.line
        faulty = self.faults.keys() | self.excused
        return np.fromiter(
            (line_of(row) not in faulty for row in range(self.chunk.count)),
            np.bool_,
            self.chunk.count,
        )

    def bad(self, line: int, fault: RowError) -> BadData:
        """A fault as the caller sees it."""
        return fault.in_file(self.file, self.unit, line)


def raise_or_report(errors: Mapping[int, BadData], report: Report, skip_bad: bool) -> None:
    """Raise the first of some errors by line, or with `skip_bad` hand on all of them."""
    for _, bad in sorted(errors.items(), key=lambda each: each[0]):
        if not skip_bad:
            raise bad
        report(bad)


# What is wrong with rows that only shows once all are gathered: where they stand, and refusal.


@dataclass
class RowLocations:
    """The places of rows: the files of a table, and the columns `line` and `file` of its rows."""

    tables: list[InputTable] = field(default_factory=list)

    def columns(
        self, chunk: Chunk, table: InputTable, some: NDArray[np.bool_] | None = None
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

    def refuse_rows(
        self,
        faults: Mapping[int, RowError],
        columns: Mapping[str, NDArray[Any]],
        report: Report,
        skip_bad: bool,
    ) -> NDArray[np.bool_] | None:
        """The rows that stay, None for all; the first fault is raised, or all are reported."""
        if not faults:
            return None
        errors = {}
        for row, fault in faults.items():
            table = self.tables[int(columns["file"][row])]
            errors[row] = fault.in_file(table.file, table.unit, int(columns["line"][row]))
        raise_or_report(errors, report, skip_bad)
        keep = np.ones(len(columns["line"]), np.bool_)
        keep[list(faults)] = False
        return keep
