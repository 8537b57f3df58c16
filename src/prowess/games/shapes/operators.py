"""Operators that change the shape of a table: further columns, other rows, rows left out.

Cells are made as they are read, and lines stay those of the source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.games.cells.date_columns import MONTHS
from prowess.games.cells.places import is_unplaced
from prowess.games.columns import Chunk, InputTable, Values, WholeRows, as_name, as_text
from prowess.games.dates import is_year
from prowess.games.errors import MEND, InvalidValue, quote
from prowess.games.roles.contests import find_contestant
from prowess.games.roles.evidence import MOST_FIT, SHARED, TableEvidence
from prowess.games.roles.headings import Headings
from prowess.games.values import fold_text, is_blank, is_missing, plain_form
from prowess.games.vocabulary import read_heading
from prowess.games.words import words_for

if TYPE_CHECKING:
    from prowess.games.layout import Layout, Options


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
    """The table with further columns, which have these roles, or with other cells in its own."""

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


def rearrange_rows(
    table: InputTable,
    sources: Iterable[str],
    arrange: Callable[[WholeRows], Sequence[int]],
    *,
    made: Sequence[str] = (),
    roles: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    **changes: Any,
) -> InputTable:
    """The table with those of its rows that `arrange` finds, in this order.

    It has the cells of `sources`, adds those of the columns `made`, and may refuse rows.
    """

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        needed = dict.fromkeys(name for name in (*wanted, *sources) if name not in made)
        rows = table.gather_rows([*needed])
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


# Roles that a table tells by several columns: players by first and last names, the side at home
# by name, winners by ids or marks, missing places by words elsewhere, dates by their parts or by
# the year of a season.


# Players whose first and last names stand in columns of their own.


FIRST, LAST = words_for("first_name"), words_for("last_name")


def join_full_names(table: InputTable, headings: Headings) -> InputTable | None:
    """The table of contests with a column of whole names; None where first or last names lack."""
    first = [name for form, name in headings.plain.items() if form in FIRST]
    last = [name for form, name in headings.plain.items() if form in LAST]
    if len(first) != 1 or len(last) != 1:
        return None

    def join(*cells: Any) -> str:
        return " ".join(as_text(cell) for cell in cells if not is_missing(cell))

    columns = first[0], last[0]
    whole = name_column(table, " ".join(columns))
    return derive_columns(table, {whole: DerivedColumn(columns, join)}, {"player": whole})


# A column beside two players that names the one of them who was at home, or had white.


HOST_SIDES = frozenset({"home", "white"})
HOSTS = words_for("host")
NOWHERE = words_for("neutral") | {"none", "n"}


def name_hosts(table: InputTable, headings: Headings, layout: Layout) -> InputTable | None:
    """The table with the side that a column names as the one at home; None for another table."""
    named = [name for name in headings.names if _may_name_hosts(name)]
    if not named or table.side or headings.options.side:
        return None
    used = {*layout.columns()} - {*layout.leftover}
    if layout.kind != "games" or layout.sided or layout.side:
        return None
    rows = headings.evidence.rows
    players = [*zip(rows[layout.a], rows[layout.b], strict=True)]
    for name in named:
        if name in used or not headings.evidence[name].filled:
            continue
        try:
            sides = [_side_of(cell, *who) for cell, who in zip(rows[name], players, strict=True)]
        except InvalidValue:
            continue
        if not any(sides):
            continue
        side = name_column(table, f"{name}, side")
        derived = {side: DerivedColumn((name, layout.a, layout.b), _side_of)}
        note = f"column {quote(name)} names the side that has the advantage"
        return derive_columns(table, derived, {}, side=side, notes=[note])
    return None


def _may_name_hosts(name: str) -> bool:
    heading = read_heading(name)
    return bool(heading.sides & HOST_SIDES or {*heading.words} & HOSTS) and not heading.spoiled


def _side_of(cell: Any, a: Any, b: Any) -> int:
    """1 where a cell names the first player, -1 the second, 0 neither; raises InvalidValue."""
    if is_blank(cell) or plain_form(str(cell)) in NOWHERE:
        return 0
    who, one, other = (as_name(each).casefold() for each in (cell, a, b))
    if who not in {one, other}:
        raise InvalidValue(
            f"{quote(cell)} is neither of the two players",
            'say side="none"',
            code="host_not_a_player",
        )
    return 1 if who == one else -1


# Rows without a place whose reason stands in another column: `DQ` under Mark, `R` in a text.


UNPLACED = "DNF"


def fill_places(table: InputTable, headings: Headings) -> InputTable | None:
    """The table with words such as DNF in place of missing places, where another column has them;
    None where no place is missing or nothing says why.
    """
    place, evidence = headings.guessed["place"], headings.evidence
    places = evidence.rows[place]
    without = [row for row, cell in enumerate(places) if is_missing(cell)]
    if not without or len(without) == len(places) or not find_contestant(headings):
        return None
    for name in headings.names:
        cells = evidence.rows[name]
        if name != place and (_tells(cells, without) or _repeats(cells, places, without)):
            filled = name_column(table, place)
            shown = ", ".join(sorted({quote(cells[row]) for row in without}))
            note = (
                f"rows without {quote(place)} are unplaced: column {quote(name)} has {shown} there"
            )
            derived = {filled: DerivedColumn((place, name), _fill)}
            return derive_columns(table, derived, {"place": filled}, notes=[note])
    return None


def _tells(cells: Sequence[Any], without: Sequence[int]) -> bool:
    """Whether the cells of all rows without a place are words for that."""
    return all(is_unplaced(cells[row]) for row in without)


def _repeats(cells: Sequence[Any], places: Sequence[Any], without: Sequence[int]) -> bool:
    """Whether the cells repeat the places, and hold letters where there is none."""
    missing = {*without}
    return all(
        as_text(cell).isalpha() if row in missing else as_text(cell) == as_text(places[row])
        for row, cell in enumerate(cells)
    )


def _fill(place: Any, code: Any) -> Any:
    if not is_missing(place):
        return place
    return code if is_unplaced(code) or is_missing(code) else UNPLACED


# Winners that stand as ids, `winner_id`, beside players that stand by id and by name, or as the
# marks before the names: `A` where Ada is written `A: Ada`.


def name_winners(table: InputTable, headings: Headings, a: str, b: str) -> InputTable | None:
    """The table with the names of winners in place of their ids; None for another table."""
    winner, rows = headings.guessed["winner"], headings.evidence.rows
    named = zip(rows[winner], rows[a], rows[b], strict=True)
    if any(_same(cell, one) or _same(cell, other) for cell, one, other in named):
        return None
    others = [name for name in headings.names if name not in {a, b, winner}]
    found = [
        (x, y)
        for at, x in enumerate(others)
        for y in others[at + 1 :]
        if _share_named(rows[winner], rows[x], rows[y]) >= MOST_FIT
    ]
    if len(found) != 1:
        return None
    x, y = found[0]
    if not (_is_id_of(rows[x], rows[a]) and _is_id_of(rows[y], rows[b])):
        x, y = y, x
        if not (_is_id_of(rows[x], rows[a]) and _is_id_of(rows[y], rows[b])):
            return None
    name = name_column(table, f"{winner}, name")

    def name_of(cell: Any, one: Any, other: Any, first: Any, second: Any) -> Any:
        if is_missing(cell):
            return None
        return first if _same(cell, one) else second if _same(cell, other) else cell

    note = f"column {quote(winner)} holds what stands in {quote(x)} and {quote(y)}"
    derived = {name: DerivedColumn((winner, x, y, a, b), name_of)}
    return derive_columns(table, derived, {"winner": name}, notes=[note])


def name_marked_winners(table: InputTable, headings: Headings, a: str, b: str) -> InputTable | None:
    """The table with the names of winners in place of the marks before them; None for another."""
    winner = headings.guessed.get("winner") or headings.guessed["result"]
    rows = headings.evidence.rows
    marks = [[find_mark(cell) for cell in rows[name]] for name in (a, b)]
    if not all(map(all, marks)) or _share_named(rows[winner], *marks) < SHARED:
        return None
    name = name_column(table, f"{winner}, name")

    def name_of(cell: Any, first: Any, second: Any) -> Any:
        text, one, other = str(cell).strip(), find_mark(first), find_mark(second)
        if not text or one == other:
            return cell
        if text in {f"{one}{other}", f"{other}{one}"}:
            return "draw"
        return first if text == one else second if text == other else cell

    note = f"column {quote(winner)} holds what stands before the colon of the winner, both: a draw"
    derived = {name: DerivedColumn((winner, a, b), name_of)}
    return derive_columns(table, derived, {"winner": name}, notes=[note])


def find_mark(cell: Any) -> str:
    """What stands before the colon of a name such as `A: Ada`; empty for another."""
    mark, colon, name = str(cell).partition(":")
    return mark.strip() if colon and name.strip() else ""


def _same(one: Any, other: Any) -> bool:
    return str(one).strip().removesuffix(".0") == str(other).strip().removesuffix(".0")


def _share_named(cells: Sequence[Any], one: Sequence[Any], other: Sequence[Any]) -> float:
    """The share of cells that stand in one of two columns, 0.0 where one of them is never named."""
    told = [row for row in zip(cells, one, other, strict=True) if not is_missing(row[0])]
    firsts = sum(_same(cell, x) and not _same(x, y) for cell, x, y in told)
    seconds = sum(_same(cell, y) and not _same(x, y) for cell, x, y in told)
    return (firsts + seconds) / len(told) if firsts and seconds else 0.0


def _is_id_of(ids: Sequence[Any], names: Sequence[Any]) -> bool:
    """Whether each id stands for one name, and each name has one id."""
    pairs = {(str(one), str(name)) for one, name in zip(ids, names, strict=True)}
    return len({one for one, _ in pairs}) == len(pairs) == len({name for _, name in pairs})


# Dates whose year, month and day stand in columns of their own.


DATE_PARTS = ("year", "month", "day")


def join_dates(table: InputTable, headings: Headings) -> InputTable | None:
    """The table with a column of dates made of those of years and months, and of days if there
    are some; None for others.
    """
    found: dict[str, str] = {}
    for part in DATE_PARTS:
        named = [
            name for name in headings.names
            if part in read_heading(name).subjects and len(read_heading(name).words) == 1
            and headings.evidence[name].filled
            and headings.evidence[name].share(DATE_TESTS[part]) == 1.0
        ]  # fmt: skip
        if len(named) == 1:
            found[part] = named[0]
    if not found.keys() >= {"year", "month"}:
        return None
    columns = tuple(found.values())
    date = name_column(table, "-".join(columns))

    def join(*cells: Any) -> str:
        parts = [*map(_number, cells)]
        if None in parts:
            shown = " ".join(str(cell) for cell in cells if not is_missing(cell))
            raise InvalidValue(f"{quote(shown)} is no date", MEND, code="not_a_date")
        return "-".join(f"{part:02d}" for part in parts)

    return derive_columns(table, {date: DerivedColumn(columns, join)}, {"time": date})


def _number(cell: Any) -> int | None:
    """The number of a year, a day or a month, which may be a name."""
    text = "" if is_missing(cell) else str(cell).strip().removesuffix(".0")
    if text.isdigit():
        return int(text)
    return MONTHS.get(fold_text(text).rstrip("."))


DATE_TESTS = {
    "year": is_year,
    "month": lambda cell: 1 <= (_number(cell) or 0) <= 12,
    "day": lambda cell: 1 <= (_number(cell) or 0) <= 31,
}
