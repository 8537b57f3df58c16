"""What is gathered of the rows of a table, chunk by chunk and file by file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.assembly.facts import FactColumns, TextColumns
from prowess.games.assembly.scores import Scorelines
from prowess.games.cells.skipped_rows import SkippedRows
from prowess.games.cells.validation import CellParsers, RowError, raise_or_report
from prowess.games.columns import Chunk, Growing, InputTable, NameIndex, PlainNames
from prowess.games.errors import quote
from prowess.games.layout import Layout, Options
from prowess.games.reading import format_count
from prowess.games.roles.lineups import CellReader, GrowingLineups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


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
        wanted = np.arange(chunk.count) if some is None else np.flatnonzero(some)
        line = np.zeros(chunk.count, np.int64)
        line[wanted] = [*map(chunk.line, wanted.tolist())]
        return {
            "line": line,
            "file": np.full(chunk.count, len(self.tables) - 1, np.int32),
        }

    def refuse_rows(
        self,
        faults: Mapping[int, RowError],
        columns: Mapping[str, NDArray[Any]],
        report: SkippedRows,
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


@dataclass(eq=False)
class GatheredRows:
    """Rows of a table that are being gathered, chunk by chunk and file by file."""

    options: Options
    report: SkippedRows
    skip_bad: bool
    layout: Layout  # of the first file
    seen: int = 0  # rows read, with those filtered out
    count: int = 0  # rows gathered so far
    rows: int = 0  # rows that are kept
    names: NameIndex = field(default_factory=PlainNames)
    columns: dict[str, Growing] = field(default_factory=dict)
    facts: FactColumns = field(default_factory=FactColumns)
    labels: TextColumns = field(default_factory=TextColumns)
    lines: RowLocations = field(default_factory=RowLocations)
    details: dict[str, str] = field(default_factory=dict)  # of columns, how cells were read
    decisions: dict[str, None] = field(default_factory=dict)  # notes on columns read as a whole
    decided: dict[str, Any] = field(default_factory=dict)  # options that cells decide

    def keep_decisions(self, parsers: CellParsers) -> None:
        """Keep how the cells of a file were read, and the options that say so."""
        self.decisions |= dict.fromkeys((*parsers.found.said, *parsers.notes))
        self.details |= parsers.details
        self.decided |= parsers.decided_options()

    @cached_property
    def cells(self) -> CellReader:
        """The reader of cells of sides that may have several members."""
        commas = self.options.teams == "commas"
        return CellReader(self.options.splits_teams, self.options.byes, commas)


@dataclass(eq=False)
class GatheredGames(GatheredRows):
    """Rows of games between two sides that are being gathered."""

    members: GrowingLineups | None = None  # where sides may have several
    scorelines: Scorelines = field(default_factory=Scorelines)
    dated: bool | None = None  # whether a column that may hold dates does, once known
    first_date: Any = None  # the first cell of one that does not
    file: str = ""  # the first
    places: list[str] = field(default_factory=list)  # `line 2`, of the first games
    no_clock: bool = False  # whether times of the day are not read
    piecewise: bool = False  # whether games are taken before all rows are read
    strays: bool = False  # whether names were numbered of which no row is kept
    level: int = 0  # games of a winner with as many points as the loser

    def notes(self) -> Iterator[str]:
        """Notes on what was guessed and left out."""
        layout = self.layout
        yield from self.decisions
        if layout.maybe_time and not self.dated:
            yield (
                f"column {quote(layout.time)} is not used, as its first cell is no date: "
                f"{quote(self.first_date)}"
            )
        elif layout.dates_by_cells:
            yield f"the dates are those of column {quote(layout.time)}, as its cells tell"
        elif layout.time and layout.years and self.options.date_format is None:
            yield (
                f"the dates are the years of column {quote(layout.time)}; "
                "games of one year are taken in the order of the rows"
            )
        if layout.clock and self.no_clock:
            yield (
                f"column {quote(layout.clock)} is not used: games of one day are taken in the "
                "order of the file"
            )
        if layout.turned and layout.form == "result":
            yield (
                f"column {quote(layout.b)} stands before {quote(layout.a)}: results are read as "
                f"those of {quote(layout.a)} first"
            )
        if self.level:
            by_column = (
                f"that column {quote(layout.draw)} calls a draw, or" if layout.outcome else ""
            )
            yield (
                f"{format_count(self.level, 'game')} {by_column + ' ' if by_column else ''}"
                "with equal points of winner and loser: a draw "
                '(draw="none", --draw none, makes each a win)'
            )
