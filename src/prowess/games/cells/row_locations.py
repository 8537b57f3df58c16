"""What is wrong with rows that only shows once all are gathered: where they stand, and refusal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.cells.skipped_rows import SkippedRows
from prowess.games.cells.validation import RowError, raise_or_report
from prowess.games.columns import Chunk, InputTable

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
