"""What is wrong with rows that only shows once all are gathered: where they stand, and refusal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.cells import Chunk, Table
from prowess.games.judgement import Fault, Report
from prowess.games.refusal import BadData

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
