"""Several tables on one sheet or page: beside one another, or below one another.

Tables of the same headings beside one another are put below one another. Of tables below one
another the one that holds games is read; several are read as one where they have the same columns.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from prowess.games.errors import BadData, quote
from prowess.games.formats.grid_rows import PlacedRow, read_section, row_text
from prowess.games.formats.heading_rows import (
    HeadingRows,
    Row,
    heading_text,
    is_blank,
    is_known,
    kind_of,
)
from prowess.games.layout import Layout, Options
from prowess.games.roles.roles import find_layout
from prowess.games.shapes.shapes import shape_table

if TYPE_CHECKING:
    from prowess.games.columns import InputTable

Read = Callable[[Sequence[PlacedRow], Sequence[str]], "InputTable"]  # rows, and notes on them

FEWEST = 2  # columns of one of the tables beside one another
GROUP = "group"  # the column of the labels above such tables


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
    head = [*lower[: starts[1]], *[told or GROUP] * bool(labels)]
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
    if len(filled) < FEWEST or len({*filled}) < len(filled):
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
        raise BadData(
            f"there are {len(found)} tables of games with other columns"
            + (f", in lines {lines}" if lines else ""),
            file=tables[0].file,
            remedy="save each as a file of its own and read all of them",
            code="several_tables",
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
