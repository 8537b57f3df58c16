"""Columns that are derived from those of a table, and the roles that they have.

Cells are made as they are read, and lines stay those of the source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.games.columns import Chunk, InputTable, Values
from prowess.games.errors import InvalidValue
from prowess.games.roles.evidence import TableEvidence
from prowess.games.roles.headings import Headings

if TYPE_CHECKING:
    from prowess.games.layout import Options


class DerivedColumn(NamedTuple):
    """A column whose cells are made of those of others; `make` may raise InvalidValue."""

    sources: tuple[str, ...]
    make: Callable[..., Any]


def find_roles(
    table: InputTable, options: Options, evidence: TableEvidence | None = None
) -> Headings:
    """The headings of the layout of a table, with the roles that its shape gives to columns; the
    evidence of its columns may be known from a table with more columns.
    """
    by_shape = frozenset(table.roles.keys() - options.roles.keys())
    if table.roles or table.side:
        roles = {**table.roles, **options.roles}
        options = replace(options, roles=roles, side=options.side or table.side)
    names = [name for name in table.names if name not in table.telling]
    evidence = TableEvidence(table) if evidence is None else evidence
    headings = Headings(names, options, table.file, table.heading, evidence)
    headings.by_shape = by_shape
    return headings


def derive_columns(
    table: InputTable,
    derived: Mapping[str, DerivedColumn],
    roles: Mapping[str, str],
    *,
    side: str | None = None,
    notes: Sequence[str] = (),
) -> InputTable:
    """The table with further columns, which have these roles."""

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        made = [name for name in wanted if name in derived]
        sources = dict.fromkeys(name for name in wanted if name not in derived)
        sources |= dict.fromkeys(name for each in made for name in derived[each].sources)
        for chunk in table.chunks(list(sources)):
            columns = dict(chunk.columns)
            refused = dict(chunk.refused)
            for name in made:
                columns[name] = Values(_make_cells(derived[name], chunk, refused))
            yield Chunk(columns, chunk.count, chunk.line, refused, chunk.absent)

    names = [*table.names, *(name for name in derived if name not in table.names)]
    return replace(
        table,
        names=names,
        chunks=chunks,
        beginning=None,
        roles={**table.roles, **{role: (name,) for role, name in roles.items()}},
        side=side or table.side,
        sources={**table.sources, **{name: each.sources for name, each in derived.items()}},
        notes=(*table.notes, *notes),
    )


def _make_cells(column: DerivedColumn, chunk: Chunk, refused: dict[int, InvalidValue]) -> list[Any]:
    """The cells of a derived column; rows whose cells cannot be read are refused."""
    cells: list[Any] = []
    cell_of = [chunk.columns[name].cell for name in column.sources]
    for row in range(chunk.count):
        made = None
        if row not in refused:
            try:
                made = column.make(*(cell(row) for cell in cell_of))
            except InvalidValue as fault:
                refused[row] = fault
        cells.append(made)
    return cells


def name_column(table: InputTable, name: str) -> str:
    """A name of a further column, which none of the table has."""
    while name in table.names:
        name += "'"
    return name


def join_chunks(chunks: Sequence[Chunk], names: Sequence[str]) -> Chunk:
    """Several chunks as one."""
    if len(chunks) == 1:
        return chunks[0]
    lines = [chunk.line(row) for chunk in chunks for row in range(chunk.count)]
    refused: dict[int, Any] = {}
    absent: dict[int, Any] = {}
    before = 0
    for chunk in chunks:
        refused |= {before + row: why for row, why in chunk.refused.items()}
        absent |= {before + row: why for row, why in chunk.absent.items()}
        before += chunk.count
    cells = {
        name: Values([c for chunk in chunks for c in column_cells(chunk, name)]) for name in names
    }
    return Chunk(cells, before, lines.__getitem__, refused, absent)


def column_cells(chunk: Chunk, name: str) -> list[Any]:
    cell = chunk.columns[name].cell
    return [cell(row) for row in range(chunk.count)]


def choose_rows(chunk: Chunk, cells: Mapping[str, Sequence[Any]], rows: Sequence[int]) -> Chunk:
    """Some rows of a chunk, in this order, with these cells in place of its own."""
    place = {row: at for at, row in enumerate(rows)}
    refused, absent = (
        {place[row]: why for row, why in known.items() if row in place}
        for known in (chunk.refused, chunk.absent)
    )
    columns = {name: Values([column[row] for row in rows]) for name, column in cells.items()}
    lines = [chunk.line(row) for row in rows]
    return Chunk(columns, len(rows), lines.__getitem__, refused, absent)
