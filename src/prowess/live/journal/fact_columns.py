"""Tables with columns `fact_NAME`, which are read as facts without being asked for.

The reader takes a column of numbers only where no cell is empty, and 007 for 7. Here each cell
stands for itself, so before a CSV or Parquet file is read the cells of these columns get a mark in
front, with which they are words to the reader.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.games import sources
from prowess.games.columns import BLANKS
from prowess.games.delimited import rows_of, sniffed
from prowess.games.frames import parquet_file
from prowess.games.layout import several
from prowess.games.read import HEAD, HEADINGS, sniffed_format
from prowess.live.journal.imports import PREFIX, fact_as_typed

if TYPE_CHECKING:
    from prowess.games.games import Games

MARK = "~"  # in every encoding, and in no number
NONE = "none"
TEXTS = {"csv": None, "tsv": "\t"}  # formats, and what stands between their cells
ELSEWHERE = {"facts", "where", "exclude"}  # options whose columns may be facts


class Marked(NamedTuple):
    """A table whose columns of facts are marked, and how it is to be read."""

    files: tuple[Any, ...]
    options: dict[str, Any]
    columns: tuple[str, ...]  # that are marked

    def unmarked(self, table: Games) -> Games:
        """The table that was read, with its words as they were."""
        labels = {
            name: [word.removeprefix(MARK) for word in words] if name in self.columns else words
            for name, words in table.labels.items()
        }
        return table.replace(labels=labels) if self.columns else table


def mark_facts(files: Sequence[Any], options: Mapping[str, Any]) -> Marked:
    """Files (paths, or - for standard input) and the options of `read_games`, with `fact_` columns
    among its `facts`; facts="none" leaves them out. Raises BadData.
    """
    given = dict(options)
    if given.get("facts") == NONE:
        return Marked(tuple(files), given | {"facts": ()}, ())
    named = _names_elsewhere(given)
    parts, found = [], dict[str, None]()
    for file in files:
        part, columns = _marked(file, given, named)
        parts.append(part)
        found.update(dict.fromkeys(columns))
    if not found:
        return Marked(tuple(parts), given, ())
    given["facts"] = tuple(dict.fromkeys((*several(given.get("facts")), *found)))
    for role in ("where", "exclude"):
        if given.get(role):
            given[role] = {
                column: [_with_mark(str(value)) for value in _as_list(values)]
                if column in found
                else values
                for column, values in given[role].items()
            }
    return Marked(tuple(parts), given, tuple(found))


def _names_elsewhere(options: Mapping[str, Any]) -> set[str]:
    """Everything that options other than those of facts name."""
    found: set[str] = set()
    for role, value in options.items():
        if role not in ELSEWHERE and value:
            values = value.values() if isinstance(value, Mapping) else (value,)
            for one in values:
                names = (name for name in _as_list(one) if isinstance(name, str))
                found.update(name.removeprefix("-") for name in names)
    return found


def _as_list(value: Any) -> list[Any]:
    return [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)


def _marked(
    file: Any, options: Mapping[str, Any], taken: Collection[Any]
) -> tuple[Any, tuple[str, ...]]:
    """A file with marks in its columns of facts, and these columns; itself where it has none."""
    source = sources.source_of(file)
    with source.open() as stream:
        head, whole = sources.peeked(stream, HEADINGS)
        encoding = options.get("encoding")
        sniffed_form = "parquet" if head.startswith(b"PAR1") else sniffed_format(head[:HEAD])
        form = options.get("format") or source.suffix_format or sniffed_form
        # where standard input is not rewritten it is handed on as it was
        given = file if source.path is not None else None
        if form == "parquet":
            data = whole.read()
            rewritten, chosen = _marked_parquet(source.name, data, taken)
            return (rewritten if chosen else given or _named_bytes(source.name, data)), chosen
        if form not in TEXTS or PREFIX not in _decoded(head, encoding):
            return given or _named_bytes(source.name, whole.read()), ()
        data = whole.read()
    content = sources.text(source.name, data, encoding)
    delimiter = TEXTS[form] or options.get("delimiter") or sniffed(content)
    try:
        rows = list(rows_of(content, delimiter))
    except csv.Error:  # the reader tells it better
        return given or _named_bytes(source.name, data), ()
    header: list[str] = next((row for row in rows if row), [])
    names = {at: name.strip(BLANKS) for at, name in enumerate(header)}
    places = {at: name for at, name in names.items() if _is_fact(name, taken)}
    if not places:
        return given or _named_bytes(source.name, data), ()
    text = io.StringIO()
    write = csv.writer(text, delimiter=delimiter, lineterminator="\n").writerow
    for row in rows:
        marks = () if row is header else places
        write([_with_mark(cell) if at in marks else cell for at, cell in enumerate(row)])
    errors = "surrogateescape" if encoding is None else "strict"
    data = text.getvalue().encode(encoding or "utf-8", errors)
    return _named_bytes(source.name, data), tuple(places.values())


def _marked_parquet(
    name: str, data: bytes, taken: Collection[Any]
) -> tuple[io.BytesIO, tuple[str, ...]]:
    """A Parquet file with its facts as marked texts, and their columns; empty where it has none."""
    file = parquet_file(name, io.BytesIO(data))
    chosen = tuple(column for column in file.schema_arrow.names if _is_fact(column, taken))
    if not chosen:
        return io.BytesIO(), ()
    import pyarrow as pa
    from pyarrow import parquet

    table = file.read()
    for column in chosen:
        cells = [_with_mark(_text(value)) for value in table[column].to_pylist()]
        at = table.schema.get_field_index(column)
        table = table.set_column(at, column, pa.array(cells, pa.string()))
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return _named_bytes(name, sink.getvalue()), chosen


def _is_fact(column: str, taken: Collection[Any]) -> bool:
    """Whether a column is a fact by its heading, and none of those named as something else."""
    return column.startswith(PREFIX) and len(column) > len(PREFIX) and column not in taken


def _text(value: Any) -> str:
    if value is None:
        return ""
    return fact_as_typed(float(value)) if isinstance(value, int | float) else str(value)


def _decoded(head: bytes, encoding: str | None) -> str:
    """The beginning of a file; empty in an unknown encoding, which the reader refuses."""
    try:
        return head.decode(encoding or "utf-8", "replace")
    except LookupError:
        return ""


def _with_mark(cell: str) -> str:
    text = cell.strip(BLANKS)
    return MARK + text if text else ""


def _named_bytes(name: str, data: bytes) -> io.BytesIO:
    """Bytes as an open file of that name."""
    stream = io.BytesIO(data)
    stream.name = name
    return stream
