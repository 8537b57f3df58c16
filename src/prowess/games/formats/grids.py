"""Tables as they stand on a sheet or a page: find the headings, leave out what is no row.

Several tables may stand beside one another.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter
from typing import Any, Literal

from prowess.games.columns import Chunk, InputTable, Values
from prowess.games.errors import BadData, InvalidValue, quote
from prowess.games.formats.grid_rows import (
    NOTED,
    Leftovers,
    PlacedRow,
    join_scores,
    place_rows,
    read_section,
    row_text,
    take_sections,
    without_end,
    without_matches,
)
from prowess.games.formats.heading_rows import (
    QUESTIONED,
    HeadingRows,
    Row,
    check_headings,
    count_questions,
    find_heading_rows,
    heading_text,
    is_blank,
    is_known,
    kind_of,
    ragged_row,
)
from prowess.games.layout import Layout, Options
from prowess.games.limits import check_columns
from prowess.games.reading import list_some
from prowess.games.roles.headings import LETTERS
from prowess.games.roles.roles import find_layout
from prowess.games.shapes.shapes import shape_table
from prowess.games.shapes.split import read_footnotes
from prowess.games.values import plain_form

MISSING = "#N/A"


@dataclass(frozen=True)
class NoValue:
    """A cell of a sheet that has no value: an error such as #N/A, or a formula not computed."""

    what: str
    remedy: str

    def __str__(self) -> str:
        """What it is."""
        return self.what


@dataclass(frozen=True)
class Grid:
    """Rows of cells as they stand, whose headings are not known yet.

    Cells are texts, numbers, truth values, dates, NoValue or None; rows may be of any length.
    """

    name: str  # of the file, for messages
    rows: Sequence[Row]
    lines: Sequence[int]  # where each row stands there, counted from 1
    unit: Literal["line", "row"] = "line"
    sheet: str | None = None  # the table's own name, where there are several
    delimited: bool = False  # so that a row that is too short lacks a delimiter
    notes: tuple[str, ...] = ()
    guarded: bool = False

    @property
    def place(self) -> str:
        """The file and the sheet, for messages."""
        return f"{self.name}, {quote(self.sheet)}" if self.sheet else self.name


def grid_table(grid: Grid) -> InputTable:
    """A grid as a table with headings; raises BadData for one that holds no table.

    Titles above the headings, units below them, blank rows and columns, headings that are
    repeated, notes and totals at the end are left out, as notes of the table say. A row with a
    round or a day alone is a heading of the rows below it, and becomes a column.
    """
    rows = place_rows(grid.lines, grid.rows)
    if not rows:
        raise BadData.of(
            "empty_file.table" if grid.sheet else "empty_file.headings", file=grid.place
        )
    check_columns(max(len(row.cells) for row in rows), grid.place)

    def read_part(rows: Sequence[PlacedRow], notes: Sequence[str]) -> InputTable:
        cells, lines = [row.cells for row in rows], [row.line for row in rows]
        notes = (*grid.notes, *notes)
        return grid_table(replace(grid, rows=cells, lines=lines, notes=notes, delimited=False))

    if len(parts := split_below(rows)) > 1 and (chosen := choose_below(parts, read_part)):
        return chosen
    found = find_heading_rows([row.cells for row in rows])
    if found and (stacked := stack_beside(rows, found, read_part)):
        return stacked
    left = Leftovers(grid.unit)
    notes = [*grid.notes]
    if found is None:
        width = max(len(row.cells) for row in rows)
        found = HeadingRows(0, -1, [""] * width)
        notes.append("there is no row of headings: columns are named column 1, column 2, ...")
    for row in rows[: found.first]:
        left.add("above the headings", row)
    questions = count_questions([row.cells for row in rows[max(found.last, 0) :]])
    notes += [QUESTIONED] * bool(questions)
    body = [*rows[found.last + 1 + questions :]]
    body = _without_repeated(body, [row.cells for row in rows[found.first : found.last + 1]], left)
    body = without_matches(body, left)
    body = without_end(body, found.names, left, grid.delimited)
    body, emptied = _empty_missing(body, grid.unit)
    notes += emptied
    body, sections = take_sections(body, rows[: found.first], found.names, left, grid.delimited)
    body = join_scores(found.names, body)
    columns, names = _used_columns(found.names, body)
    names, renamed = distinguish_headings(names)
    notes += renamed
    heading = rows[found.last].line if found.last >= 0 else None
    in_lines = grid.unit == "line"
    check_headings(grid.place, names, heading if in_lines else None)
    places = dict(zip(names, columns, strict=True))
    width = max(columns, default=-1) + 1
    lengths = {len(row.cells) for row in body}
    least = width - _blank_tail(found.names, width) if grid.delimited else 0
    most = width if grid.delimited and len(lengths) > 1 else max(lengths, default=0)

    even = lengths == {width}
    lines, cells_of_body = [row.line for row in body], [row.cells for row in body]

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        refused: dict[int, InvalidValue] = {}
        cells: dict[str, Any] = {}
        for name in wanted:
            if name in sections:
                cells[name] = Values(sections[name])
                continue
            place = places[name]
            if even:
                values = [*map(itemgetter(place), cells_of_body)]
            else:
                values = [each[place] if place < len(each) else None for each in cells_of_body]
            column = Values(values)
            if NoValue in column.types:
                faults = {at: each for at, each in enumerate(values) if isinstance(each, NoValue)}
                for at, fault in faults.items():
                    refused[at] = InvalidValue.of(
                        "no_value", name=name, fault=fault.what, remedy=fault.remedy
                    )
                column = Values([None if at in faults else each for at, each in enumerate(values)])
            cells[name] = column
        for at, row in enumerate(() if even else body):
            count = len(row.cells)
            if not least <= count <= most or not all(map(is_blank, row.cells[width:])):
                refused[at] = ragged_row(count, width)
        yield Chunk(cells, len(body), lines.__getitem__, refused)

    return InputTable(
        grid.place, [*names, *sections], chunks, heading=heading if in_lines else None,
        unit=grid.unit, notes=(*notes, *left.notes()), guarded=grid.guarded,
        titles=(*left.texts("above the headings"), *filter(None, [grid.sheet])),
        footnotes=read_footnotes(left.texts("below the table")),
    )  # fmt: skip


def _empty_missing(body: list[PlacedRow], unit: str) -> tuple[list[PlacedRow], list[str]]:
    """The rows with empty cells for #N/A where a row has several, and a note that says so.

    A row whose score of both sides is #N/A is a game to come; a single #N/A is refused, because
    that is how a lookup fails.
    """
    if NoValue not in {*map(type, chain.from_iterable(row.cells for row in body))}:
        return body, []
    found, lines = [], []
    for row in body:
        missing = [isinstance(cell, NoValue) and cell.what == MISSING for cell in row.cells]
        if sum(missing) > 1:
            cells = [None if gone else cell for cell, gone in zip(row.cells, missing, strict=True)]
            found.append(PlacedRow(row.line, cells, row.filled - sum(missing)))
            lines.append(f"{unit} {row.line}")
        else:
            found.append(row)
    if not lines:
        return body, []
    return found, [f"several cells of #N/A are read as empty: {list_some(lines, NOTED)}"]


def _blank_tail(names: Sequence[str], width: int) -> int:
    """How many of the last columns have no heading."""
    named = [at for at, name in enumerate(names[:width]) if name]
    return width - 1 - max(named, default=width - 1)


def _without_repeated(
    body: list[PlacedRow], headings: Sequence[Row], left: Leftovers
) -> list[PlacedRow]:
    """The rows but those that repeat the headings."""
    repeated = {tuple(map(heading_text, cells)) for cells in headings}
    firsts = {texts[0] for texts in repeated}
    kept: list[PlacedRow] = []
    for row in body:
        first = row.cells[0]
        begins_alike = isinstance(first, str | None) and heading_text(first) in firsts
        if begins_alike and tuple(map(heading_text, row.cells)) in repeated:
            left.add("headings that are repeated", row)
            if kept and len(kept[-1].cells) == 1 and read_section(kept[-1].cells) == {}:
                left.add("above the headings", kept.pop())
        else:
            kept.append(row)
    return kept


def _used_columns(names: Sequence[str], body: Sequence[PlacedRow]) -> tuple[list[int], list[str]]:
    """The columns that have a heading or cells, and their names."""
    filled = {
        at
        for at, name in enumerate(names)
        if not name and any(not all(map(is_blank, row.cells[at : at + 1])) for row in body)
    }
    extra = Counter(
        at
        for row in body
        for at in range(len(names), len(row.cells))
        if not is_blank(row.cells[at])
    )
    more = [at for at, count in extra.items() if count > len(body) / 2]
    columns = [at for at, name in enumerate(names) if name or at in filled] + sorted(more)
    return columns, [
        names[at] if at < len(names) and names[at] else f"column {at + 1}" for at in columns
    ]


def distinguish_headings(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Headings of which no two are the same, and notes that say how that was done.

    `Home, Goals, Away, Goals` become `Home`, `Home Goals`, `Away`, `Away Goals`; others are
    numbered.
    """
    counts = Counter(names)
    if max(counts.values(), default=0) < 2:
        return [*names], []
    found, notes = [*names], []
    for name in [name for name, count in counts.items() if count > 1]:
        places = [at for at, each in enumerate(names) if each == name]
        owners = [_owner(names, counts, at, -1) for at in places]
        if len(places) == 2 and owners[0] == owners[1]:
            owners[1] = _owner(names, counts, places[1], 1)
        new = [f"{owner} {name}" if owner else "" for owner in owners]
        if len(set(new) - {*names, ""}) < len(new) or not all(map(is_known, filter(None, owners))):
            new = [f"{name} {at}" for at in range(1, len(places) + 1)]
            if set(new) & {*found} or plain_form(name) in LETTERS:
                continue
        for at, text in zip(places, new, strict=True):
            found[at] = text
        notes.append(f"columns called {quote(name)} are read as {', '.join(map(quote, new))}")
    return found, notes


def _owner(names: Sequence[str], counts: Counter[str], at: int, step: int) -> str:
    """The nearest heading to the left or the right that stands there once."""
    at += step
    while 0 <= at < len(names):
        if names[at] and counts[names[at]] == 1:
            return names[at]
        at += step
    return ""


# Several tables on one sheet or page: beside one another, or below one another.
#
# Tables of the same headings beside one another are put below one another. Of tables below one
# another the one that holds games is read; several are read as one where they have the same
# columns.


Read = Callable[[Sequence[PlacedRow], Sequence[str]], "InputTable"]  # rows, and notes on them

FEWEST_COLUMNS_BESIDE = 2  # columns of one of the tables beside one another
GROUP_COLUMN = "group"  # the column of the labels above such tables


def guess_layout(table: InputTable) -> Layout | None:
    """The layout of a table without options; None where it holds no games."""
    try:
        _shaped, headings = shape_table(table, Options())
        return find_layout(headings)
    except BadData:
        return None


# Beside one another


def stack_beside(rows: Sequence[PlacedRow], found: HeadingRows, read: Read) -> InputTable | None:
    """The tables beside one another as one, with the labels above them in a column; None where
    headings do not repeat as a whole, or hold no games so.
    """
    lower = rows[found.last].cells
    if not (starts := find_starts([heading_text(cell) for cell in lower])):
        return None
    width = starts[1] - starts[0]
    labels = _find_labels(rows[: found.last], starts, width)
    sections = [read_section([label]) or {} for label in labels]
    told = next((what for what in ("date", "round") if all(what in each for each in sections)), "")
    labels = [each[told] for each in sections] if told else labels
    head = [*lower[: starts[1]], *[told or GROUP_COLUMN] * bool(labels)]
    stacked = [*rows[: found.first], PlacedRow.of(rows[found.last].line, head)]
    for at, start in enumerate(starts):
        for row in rows[found.last + 1 :]:
            cells = [*row.cells[start : start + width]]
            if not all(map(is_blank, cells)):
                cells = [*[None] * starts[0], *cells, *[None] * (width - len(cells))]
                stacked.append(PlacedRow.of(row.line, [*cells, *labels[at : at + 1]]))
    table = read(stacked, (f"{len(starts)} tables beside one another are read as one",))
    layout = guess_layout(table)
    if layout is None or not (layout.kind == "games" or (labels and layout.place)):
        return None
    return table


def find_starts(texts: Sequence[str]) -> list[int]:
    """Where each of the tables begins whose headings are these, empty where there is only one."""
    first = next((at for at, text in enumerate(texts) if text), None)
    if first is None:
        return []
    starts = [at for at, text in enumerate(texts) if text == texts[first]]
    steps = {after - before for before, after in itertools.pairwise(starts)}
    if len(steps) != 1:
        return []
    width = steps.pop()
    blocks = [[*texts[at : at + width], *[""] * (at + width - len(texts))] for at in starts]
    filled = [text for text in blocks[0] if text]
    if len(filled) < FEWEST_COLUMNS_BESIDE or len({*filled}) < len(filled):
        return []
    return starts if all(block == blocks[0] for block in blocks) else []


def _find_labels(above: Sequence[PlacedRow], starts: Sequence[int], width: int) -> list[str]:
    """The labels above tables that stand beside one another, empty where there are none."""
    for row in reversed(above):
        labels = [
            [heading_text(cell) for cell in row.cells[at : at + width] if not is_blank(cell)]
            for at in starts
        ]
        if all(len(each) == 1 for each in labels):
            return [each[0] for each in labels]
    return []


# Below one another


def split_below(rows: Sequence[PlacedRow]) -> list[list[PlacedRow]]:
    """The tables below one another, each with the titles above it.

    A table begins with headings of its own behind a blank row or a row of one cell.
    """
    parts: list[list[PlacedRow]] = []
    known: set[tuple[str, ...]] = set()
    waiting: list[PlacedRow] = []  # titles, notes and headings of sections
    for at, row in enumerate(rows):
        several = row.filled > 1
        apart = several and (not parts or waiting or row.line > rows[at - 1].line + 1)
        if apart and _are_headings(row.cells) and (texts := _heading_texts(row.cells)) not in known:
            known.add(texts)
            parts.append([*waiting, row])
        elif several and parts:
            parts[-1] += [*waiting, row]
        else:
            waiting.append(row)
            continue
        waiting = []
    if parts:
        parts[-1] += waiting
    return parts


def _heading_texts(cells: Row) -> tuple[str, ...]:
    """The filled cells of a row as headings."""
    return tuple(heading_text(cell) for cell in cells if not is_blank(cell))


def _are_headings(cells: Row) -> bool:
    """Whether a row holds nothing but texts, two of them usual headings, half of them such or as
    short as those of standings.
    """
    if not all(kind_of(cell) in {"text", "blank"} for cell in cells):
        return False
    texts = _heading_texts(cells)
    short = sum(len(text) < 3 and not is_known(text) for text in texts)
    known = sum(map(is_known, texts))
    return known >= 2 and 2 * (known + short) >= len(texts) and len({*texts}) == len(texts)


def choose_below(parts: Sequence[Sequence[PlacedRow]], read: Read) -> InputTable | None:
    """The table that holds games among those below one another, or those of the same columns as
    one; None where none does. Raises BadData for games in tables of other columns.
    """
    found: dict[int, tuple[InputTable, Layout]] = {}
    for at, part in enumerate(parts):
        try:
            table = read(part, ())
        except BadData:
            continue
        if (layout := guess_layout(table)) is not None:
            found[at] = table, layout
    if not found:
        return None
    if any(layout.kind == "games" for _, layout in found.values()):
        found = {at: each for at, each in found.items() if each[1].kind == "games"}
    tables = [table for table, _ in found.values()]
    if len({(layout.kind, tuple(layout.columns())) for _, layout in found.values()}) > 1:
        lines = " and ".join(str(table.heading) for table in tables if table.heading)
        raise BadData.of(
            "several_tables.columns",
            file=tables[0].file,
            count=len(found),
            place=f", in lines {lines}" if lines else "",
        )
    table = tables[0] if len(tables) == 1 else _join_tables(tables, read)
    others = [
        f"{quote(row_text(part[0].cells))} ({table.unit} {part[0].line})"
        for at, part in enumerate(parts) if at not in found
    ]  # fmt: skip
    note = f"other tables left out: {', '.join(others)}"
    return replace(table, notes=(*table.notes, note)) if others else table


def _join_tables(tables: Sequence[InputTable], read: Read) -> InputTable:
    """Several tables as one with all their columns."""
    names = list(dict.fromkeys(name for table in tables for name in table.names))
    rows = [PlacedRow.of(tables[0].heading or 1, names)]
    for table in tables:
        for chunk in table.chunks(table.names):
            cells = {name: chunk.columns[name].cell for name in table.names}
            rows += [
                PlacedRow.of(
                    chunk.line(row), [cells[n](row) if n in cells else None for n in names]
                )
                for row in range(chunk.count)
            ]
    note = f"{len(tables)} tables below one another are read as one"
    return read(rows, (note,))


# Columns of a text that are aligned by blanks.


COLUMN_GAP = re.compile(r"\S(?: {2,}|\t+)\S")


def aligned_grid(name: str, content: str) -> Grid | None:
    """The columns of a text that are aligned by blanks; None where there are none."""
    lines = [line.expandtabs(8).rstrip() for line in content.splitlines()]
    spread = [line for line in lines if COLUMN_GAP.search(line.strip())]
    full = [line for line in lines if line.strip()]
    if len(spread) < 2 or len(spread) < 0.5 * len(full):
        return None
    rules = [line for line in full if set(line) <= set("-=+ ")]
    spread = [line for line in spread if line not in rules]
    width = max(map(len, spread))
    blank = [all(len(line) <= at or line[at] == " " for line in spread) for at in range(width)]
    cuts = _cut_places(blank, spread)
    if cuts:
        rows = [_cut(line, cuts) for line in lines if line not in rules]
    else:
        rows = [re.split(r" {2,}", line.strip()) for line in lines if line not in rules]
    places = [at for at, line in enumerate(lines, 1) if line not in rules]
    return Grid(name, rows, places)


def _cut_places(blank: Sequence[bool], lines: Sequence[str]) -> list[int]:
    """Where columns begin: behind blanks that all lines have, two of them at least in some line."""
    first = next((at for at, each in enumerate(blank) if not each), 0)
    cuts, at = [], first
    while at < len(blank):
        if blank[at]:
            end = at
            while end < len(blank) and blank[end]:
                end += 1
            if end < len(blank) and (end - at > 1 or len(lines) >= 6):
                cuts.append(end)
            at = end
        else:
            at += 1
    return cuts


def _cut(line: str, cuts: Sequence[int]) -> list[str]:
    bounds = [0, *cuts, max(len(line), cuts[-1])]
    return [line[start:end].strip() for start, end in itertools.pairwise(bounds)]
