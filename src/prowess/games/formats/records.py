"""Tables of Python values: records, columns, tuples, and frames of any library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Literal

from prowess.games.cells.outcome_words import Reason
from prowess.games.columns import InputTable, hold_cells
from prowess.games.errors import MEND, BadData, InvalidValue, NoGame
from prowess.games.formats.heading_rows import check_headings
from prowess.games.roles.headings import ROLES
from prowess.games.values import plain_form

DATE_KEY = "date"


def value_table(source: Any) -> InputTable:
    """A value of Python as a table: columns, records, tuples, a frame; raises BadData."""
    if isinstance(source, Mapping):
        return column_table(source)
    if isinstance(source, Sequence):
        rows = list(source)
        if rows and isinstance(rows[0], list | tuple):
            return column_table(columns_of_tuples(rows))
        return record_table("", rows, None)
    return frame_table(source)


def record_table(
    name: str,
    records: Any,
    lines: Sequence[int] | None,
    *,
    unit: Literal["line", "row"] | None = None,
    refused: Mapping[int, InvalidValue] | None = None,
    absent: Mapping[int, InvalidValue] | None = None,
    notes: Sequence[str] = (),
) -> InputTable:
    """A sequence of mappings as a table: a key that a record lacks is a missing value.

    `lines` are those of the records, or their rows, as `unit` says; some records may be refused,
    or absent because they never count.
    """
    unit = unit or ("row" if lines is None else "line")
    names: dict[str, None] = {}
    for at, record in enumerate(records):
        if not isinstance(record, Mapping):
            place = {unit: at + 1 if lines is None else lines[at]}
            raise BadData.of("not_an_object", file=name, record=record, **place)
        names.update(dict.fromkeys(record))
    if not names:
        raise BadData.of("empty_table", file=name)
    keys = dict(zip(_check_names(name, names), names, strict=True))
    where = count_from_one if lines is None else lines.__getitem__
    chunks = hold_cells(
        lambda name: [each.get(keys[name]) for each in records],
        len(records), where, refused, absent,
    )  # fmt: skip
    return InputTable(name, list(keys), chunks, unit=unit, notes=notes)


NO_ADVANTAGE = ("player_a", "player_b")  # the columns of two sides
ABSENCE_KEY = "absent"  # the key of a row that is no game; why
Row = dict[str, Any]


def absent(why: str, reason: Reason | None = None) -> Row:
    """A row that never counts; `reason` says that it is a walkover."""
    if reason is not None:
        return {ABSENCE_KEY: NoGame(why, reason)}
    return {ABSENCE_KEY: InvalidValue(why, code="game_not_played")}


def refuse_row(why: str, code: str = "unread_line") -> Row:
    """A row that cannot be read."""
    return {ABSENCE_KEY: InvalidValue(why, MEND, code=code)}


def told_table(
    name: str, told: Sequence[tuple[int, Row]], notes: Sequence[str],
    unit: Literal["line", "row"] = "line", asked: Set[str] = frozenset(),
) -> InputTable:  # fmt: skip
    """Rows with their lines as a table, without columns that are empty and not `asked` for. A row
    may be `absent`, or refused.
    """
    gone = {at: row.pop(ABSENCE_KEY) for at, (_, row) in enumerate(told) if ABSENCE_KEY in row}
    refused = {at: why for at, why in gone.items() if why.remedy}
    keys = dict.fromkeys(key for _, row in told for key in row)
    filled = {key for _, row in told for key, value in row.items() if value is not None}
    kept = [key for key in keys if key in filled | asked] or [*NO_ADVANTAGE, "result"]
    return record_table(
        name, [{key: row.get(key) for key in kept} for _, row in told], [at for at, _ in told],
        unit=unit, refused=refused, notes=notes,
        absent={at: why for at, why in gone.items() if at not in refused},
    )  # fmt: skip


def count_from_one(row: int) -> int:
    """The number of a row in messages."""
    return row + 1


def column_table(columns: Mapping[Any, Any]) -> InputTable:
    """A mapping of names to columns of equal length as a table."""
    keys = dict(zip(_check_names("", columns), columns, strict=True))
    held: dict[Any, list[Any]] = {}
    for name, column in columns.items():
        if isinstance(column, str | bytes | Mapping) or not hasattr(column, "__iter__"):
            raise BadData.of("not_a_column.kind", name=name, kind=type(column).__name__)
        values = column.tolist() if hasattr(column, "tolist") else list(column)
        if not isinstance(values, list):
            raise BadData.of("not_a_column.length", name=name)
        held[name] = values
    lengths = {name: len(values) for name, values in held.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} {length:,}" for name, length in lengths.items())
        raise BadData.of("unequal_columns", shown=shown)
    count = next(iter(lengths.values()), 0)
    chunks = hold_cells(lambda name: held[keys[name]], count, count_from_one)
    return InputTable("", list(keys), chunks, unit="row")


def columns_of_tuples(games: Sequence[Any]) -> dict[str, list[Any]]:
    """Games as tuples in columns; raises BadData for tuples of other lengths.

    >>> columns_of_tuples([("Ann", "Ben", 1), ("Ben", "Cleo", 0.5)])
    {'a': ['Ann', 'Ben'], 'b': ['Ben', 'Cleo'], 'result': [1, 0.5]}
    """
    columns = {2: ("winner", "loser"), 3: ("a", "b", "result"), 4: ("a", "b", "result", "date")}
    width = len(games[0])
    for row, game in enumerate(games, start=1):
        if not isinstance(game, list | tuple) or len(game) != width or width not in columns:
            what = "(a, b, result), (a, b, result, date) or (winner, loser), all alike"
            raise BadData.of("unequal_tuples", row=row, game=game, what=what)
    return dict(zip(columns[width], map(list, zip(*games, strict=True)), strict=True))


def _check_names(file: str, names: Any) -> list[str]:
    for name in names:
        if not isinstance(name, str):
            raise BadData.of("heading_not_a_text.columns", file=file, name=name)
    return check_headings(file, list(names), None)


def frame_table(frame: Any) -> InputTable:
    """A table held by another library; raises BadData for what is none."""
    import narwhals as nw

    try:
        if hasattr(frame, "__arrow_c_array__"):  # a record batch
            import pyarrow as pa

            frame = pa.table(frame)
        table = nw.from_native(_with_dated_index(frame))
        if isinstance(table, nw.LazyFrame):
            table = table.collect()
        own_names = list(table.columns)
    except nw.exceptions.DuplicateError:
        raise BadData.of("column_twice.frame") from None
    except (TypeError, ValueError, ImportError):
        raise BadData.of(
            "not_a_table.value", module=type(frame).__module__, kind=type(frame).__name__
        ) from None
    if not all(isinstance(name, str) for name in own_names):
        raise BadData.of("heading_not_a_text.frame")
    names = check_headings("", own_names, None)
    own = dict(zip(names, own_names, strict=True))
    chunks = hold_cells(
        lambda name: list_values(table[own[name]], name), len(table), count_from_one
    )
    return InputTable("", names, chunks, unit="row")


def list_values(column: Any, name: str) -> list[Any]:
    """The values of a column; raises BadData, as for a moment beyond all calendars."""
    try:
        return column.to_list()  # type: ignore[no-any-return]
    except (ValueError, OverflowError, ArithmeticError) as error:
        reason = " ".join(str(error).split())[:200]
        raise BadData.of("unreadable_values", column=name, reason=reason) from None


def _with_dated_index(frame: Any) -> Any:
    """A pandas frame whose index are moments, with them as a column called date."""
    index: Any = getattr(frame, "index", None)
    if type(index).__name__ != "DatetimeIndex" or DATE_KEY in frame.columns:
        return frame
    dated = isinstance(index.name, str) and plain_form(index.name) in ROLES["date"].headings
    name = index.name if dated else DATE_KEY
    return frame if name in frame.columns else frame.assign(**{name: index})
