"""Operators that change the shape of a table: further columns, other rows, rows left out.

Cells are made as they are read, and lines stay those of the source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.games.columns import Chunk, InputTable, Values, WholeRows
from prowess.games.errors import BadData, InvalidValue
from prowess.games.roles.evidence import TableEvidence
from prowess.games.roles.headings import Headings
from prowess.games.roles.roles import NAMED_ROLES, find_layout

if TYPE_CHECKING:
    from prowess.games.layout import Layout, Options


def find_whole_layout(headings: Headings) -> tuple[Layout] | None:
    """The layout, None where it is refused, which is said where the table is read."""
    try:
        return (find_layout(headings),)
    except BadData:
        return None


class DerivedColumn(NamedTuple):
    """A column whose cells are made of those of others; `make` may raise InvalidValue."""

    sources: tuple[str, ...]
    make: Callable[..., Any]


def find_roles(
    table: InputTable, options: Options, evidence: TableEvidence | None = None
) -> Headings:
    """The headings of the layout of a table, with the roles that its shape gives to columns; the
    evidence of its columns may be known from a table with more columns. Raises ValueError for a
    role that is no keyword of `read_games`, which a shape gave.
    """
    by_shape = frozenset(table.roles.keys() - options.roles.keys())
    if unknown := sorted(by_shape - NAMED_ROLES):
        raise ValueError(f"give a role of {', '.join(sorted(NAMED_ROLES))}: {', '.join(unknown)}")
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
    """The table with further columns, or with other cells in its own; `roles` maps keywords of
    `read_games`, such as `player_a` and `score_a`, to columns.
    """

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
        sources={
            **table.sources,
            **{name: each.sources for name, each in derived.items() if each.sources != (name,)},
        },
        notes=(*table.notes, *notes),
    )


def derive_role(
    table: InputTable, role: str, name: str, sources: Sequence[str], make: Callable[..., Any],
    note: str = "",
) -> InputTable:  # fmt: skip
    """The table with a further column, called so or alike, for a role or for the `side` that has
    the advantage.
    """
    made = name_column(table, name)
    of_side = role == "side"
    return derive_columns(
        table, {made: DerivedColumn(tuple(sources), make)}, {} if of_side else {role: made},
        side=made if of_side else None, notes=[note] if note else [],
    )  # fmt: skip


def _make_cells(column: DerivedColumn, chunk: Chunk, refused: dict[int, InvalidValue]) -> list[Any]:
    """The cells of a derived column; rows whose cells cannot be read are refused."""
    cells: list[Any] = []
    cell_of = [chunk.columns[name].cell for name in column.sources]
    for row in range(chunk.count):
        made = None
        if row not in refused and row not in chunk.absent:
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


def rearrange_rows(
    table: InputTable,
    needed: Iterable[str],
    arrange: Callable[[WholeRows], Sequence[int]],
    *,
    made: Sequence[str] = (),
    roles: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    **changes: Any,
) -> InputTable:
    """The table with those of its rows that `arrange` finds, in this order.

    It has the cells of the columns `needed`, adds those of the columns `made`, may refuse rows, and
    add further ones at the end.
    """

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        read = dict.fromkeys(name for name in (*wanted, *needed) if name not in made)
        rows = table.gather_rows([*read])
        kept = arrange(rows)
        place = {row: at for at, row in enumerate(kept)}
        columns = {name: Values([rows.cells[name][row] for row in kept]) for name in wanted}
        lines = [rows.lines[row] for row in kept]
        refused, absent = (
            {place[row]: why for row, why in known.items() if row in place}
            for known in (rows.refused, rows.absent)
        )
        yield Chunk(columns, len(kept), lines.__getitem__, refused, absent)

    return replace(table, **{
        "names": [*table.names, *made],
        "chunks": chunks,
        "beginning": None,
        "roles": {**table.roles, **{role: (name,) for role, name in (roles or {}).items()}},
        "notes": (*table.notes, *notes),
        **changes,
    })  # fmt: skip


def leave_out_rows(
    table: InputTable,
    tests: Mapping[str, Callable[[Any], InvalidValue | None]],
    notes: Sequence[str],
    **changes: Any,
) -> InputTable:
    """The table without the rows of which the test of a column says why they do not count."""

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        for chunk in table.chunks([*dict.fromkeys([*wanted, *tests])]):
            absent = dict(chunk.absent)
            for name, test in tests.items():
                cell = chunk.columns[name].cell
                for row in range(chunk.count):
                    if not (row in absent or row in chunk.refused) and (why := test(cell(row))):
                        absent[row] = why
            yield replace(chunk, absent=absent)

    return replace(table, chunks=chunks, notes=(*table.notes, *notes), **changes)
