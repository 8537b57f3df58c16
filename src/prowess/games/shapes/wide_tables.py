"""Tables whose headings or cells hold what other tables keep in rows: they become rows.

`unfolding.py` finds them: crosstables, wall charts, and contests or ballots with a column for each
place, for each player or for each contest.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from prowess.games.cells.places import bare_letters, parse_ordinal
from prowess.games.columns import BLANKS, REMEMBERED, Chunk, InputColumn, InputTable, Values
from prowess.games.errors import BadData, InvalidValue
from prowess.games.values import is_missing
from prowess.games.vocabulary import is_task, read_heading
from prowess.games.words import words_for

NUMBERS = words_for("number") | {"pos", "rank", "rang", "platz", "pl"}
PERSONS = words_for("player", "skipper")
LONGEST = 60  # letters of a name
LEAST = 3  # players of a wide table
LIST_MARK = "\x1f"  # between the texts of a cell that is a list: no text holds it
MOST_ROWS = 2_000  # of a table that may be unfolded; longer tables hold rows
MOST_BALLOTS = 1_000_000  # rows of a table whose headings are places


@dataclass
class WideTable:
    """All cells of a small table as texts, and the line of each row."""

    table: InputTable
    columns: dict[str, list[str]]
    lines: list[int]

    @property
    def names(self) -> list[str]:
        """The headings."""
        return [*self.columns]

    @cached_property
    def rows(self) -> list[list[str]]:
        """The cells by row."""
        return [*map(list, zip(*self.columns.values(), strict=True))]

    def bad(
        self,
        what: str,
        remedy: str,
        row: int | None = None,
        column: str = "",
        *,
        code: str | None = None,
    ) -> BadData:
        """An error about the table, or about a row of it."""
        place: dict[str, Any] = {"file": self.table.file or None, "column": column or None}
        line = self.table.heading if row is None else self.lines[row]
        place[self.table.unit if row is not None else "line"] = line
        return BadData(what, remedy=remedy, code=code, **place)

    def unfold(
        self, columns: Mapping[str, list[Any]], rows: Sequence[int], notes: Sequence[str],
        absent: Mapping[int, InvalidValue] | None = None, used: Collection[str] = (),
    ) -> InputTable:  # fmt: skip
        """A table of these columns; `rows` says from which row of this one each comes, and they are
        made of those that are `used`.
        """
        lines = [*map(self.lines.__getitem__, rows)]

        def chunks(wanted: Sequence[str]) -> list[Chunk]:
            held = {name: Values(list(columns[name])) for name in wanted}
            return [Chunk(held, len(lines), lines.__getitem__, absent=absent or {})]

        return InputTable(
            self.table.file,
            list(columns),
            chunks,
            heading=self.table.heading,
            unit=self.table.unit,
            guarded=self.table.guarded,
            notes=(*self.table.notes, *notes),
            unread=[name for name in self.names if name not in {*used, *columns}],
        )


def gather_cells(table: InputTable, most: int) -> WideTable | None:
    """All cells of a table; None if it has more than `most` rows. Raises BadData for a row that is
    none.
    """
    columns: dict[str, list[str]] = {name: [] for name in table.names}
    lines: list[int] = []
    for chunk in table.chunks(table.names):
        if len(lines) + chunk.count > most:
            return None
        for row, refusal in sorted(chunk.refused.items()):
            place: dict[str, Any] = {table.unit: chunk.line(row)}
            raise BadData(
                refusal.what,
                remedy=refusal.remedy,
                code=refusal.code,
                file=table.file or None,
                **place,
            )
        for name, cells in columns.items():
            cells.extend(texts_of(chunk.columns[name], chunk.count))
        lines += map(chunk.line, range(chunk.count))
    return WideTable(table, columns, lines)


def texts_of(column: InputColumn, count: int) -> list[str]:
    """The first cells of a column as texts; each different text is made once."""
    column = column if isinstance(column, Values) else Values([*map(column.cell, range(count))])
    cells, kinds = column.values, column.types
    if len(kinds) > 1 or not kinds <= REMEMBERED:
        return [*map(text_of, cells)]
    if kinds == {int}:
        return [*map(str, cells)]
    known = {cell: text_of(cell) for cell in {*cells}}
    return [*map(known.__getitem__, cells)]


def text_of(cell: Any) -> str:
    """A cell as a text, also a whole number that a sheet holds as a float.

    A list of names, and of lists of names that are equal, is `A<mark>B = C`.
    """
    if isinstance(cell, list | tuple):
        groups = (each if isinstance(each, list | tuple) else [each] for each in cell)
        return LIST_MARK.join(" = ".join(map(text_of, group)) for group in groups)
    if is_missing(cell):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return " ".join(str(cell).replace("\xa0", " ").strip(BLANKS).split(" "))


def find_label(wide: WideTable) -> str | None:
    """The column of players: its cells are words, all different, and no ordinals.

    Of several a heading such as Name decides, then one such as Boat, then the first.
    """
    found = []
    for name, cells in wide.columns.items():
        words = sum(bool(re.search(r"[^\W\d_]{2}|[^\W\d_]$", cell)) for cell in cells)
        ordinals = sum(parse_ordinal(cell) is not None for cell in cells)
        different = len({cell.casefold() for cell in cells}) == len(cells)
        named = different and not is_task(name) and not _are_sentences(cells)
        if words == len(cells) and named and 2 * ordinals <= len(cells):
            found.append(name)
    return min(found, key=_rank_label, default=None)


def _are_sentences(cells: Sequence[str]) -> bool:
    """Whether half of the cells are too long for names, or end as sentences of several words."""
    told = [
        len(cell) > LONGEST or (len(cell.split()) > 2 and cell.rstrip().endswith((".", "?", "!")))
        for cell in cells
    ]
    return 2 * sum(told) >= len(cells) > 0


def _rank_label(name: str) -> int:
    heading = read_heading(name)
    if not PERSONS.isdisjoint(heading.words):
        return 0
    return 1 if heading.is_of("player") else 2


def find_numbers(wide: WideTable, label: str, count: int) -> list[tuple[str, list[int]]]:
    """The columns that number the rows from 1, those with such a heading first."""
    found = []
    for name, cells in wide.columns.items():
        bare = [cell.rstrip(".") for cell in cells]
        if name != label and all(cell.isdigit() for cell in bare):
            numbers = [int(cell) for cell in bare]
            if sorted(numbers) == list(range(1, count + 1)):
                found.append((name, numbers))
    return sorted(found, key=lambda each: bare_letters(each[0]) not in NUMBERS)
