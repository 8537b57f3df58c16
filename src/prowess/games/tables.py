"""Sources as tables of cells: files of every format, frames, JSON, and Python values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib import import_module
from typing import Any, Literal

from prowess.games.columns import Chunk, InputTable, Values
from prowess.games.delimited import check_headings
from prowess.games.errors import BadData, quote
from prowess.games.sources import (
    FORMATS,
    STDIN,
    ByteStream,
    ReaderSettings,
    decode_text,
    file_name,
    find_format,
    open_bytes,
    stream_position,
)


def read_json(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """A JSON array of objects, or one object a line; raises BadData."""
    name = stream.name
    content = decode_text(name, stream.readall(), settings.encoding)
    if content.lstrip().startswith("["):
        records = _parse_json(name, content, None)
        return record_table(name, records, None)
    records, lines = [], []
    for at, line in enumerate(content.replace("\r\n", "\n").split("\n"), 1):
        if line.strip():
            records.append(_parse_json(name, line, at))
            lines.append(at)
    return record_table(name, records, lines)


def _parse_json(name: str, content: str, line: int | None) -> Any:
    try:
        return json.loads(content, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        at = error.lineno if line is None else line
        raise BadData(
            f"not JSON: {error.msg} at character {error.colno}",
            file=name,
            line=at,
            remedy="write each line as one object, such as "
            '{"player_a": "Ann", "player_b": "Bob", "result": "1-0"}',
        ) from None
    except _Twice as twice:
        raise BadData(
            f"the key {quote(twice.args[0])} stands twice in one object", file=name, line=line
        ) from None
    except (ValueError, RecursionError) as error:
        raise BadData(f"not JSON: {error}", file=name, line=line) from None


class _Twice(Exception):
    """A key that stands twice in one object."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _Twice(next(key for key in keys if keys.count(key) > 1))
    return found


def record_table(name: str, records: Any, lines: Sequence[int] | None) -> InputTable:
    """A sequence of mappings as a table: a key that a record lacks is a missing value."""
    unit: Literal["line", "row"] = "row" if lines is None else "line"
    names: dict[str, None] = {}
    for at, record in enumerate(records):
        if not isinstance(record, Mapping):
            place = {unit: at + 1 if lines is None else lines[at]}
            raise BadData(
                f"{quote(record)} is not an object with keys and values",
                file=name or None,
                remedy='write rows as {"player_a": "Ann", "player_b": "Bob", "result": "1-0"}',
                **place,  # type: ignore[arg-type]
            )
        names.update(dict.fromkeys(record))
    if not names:
        raise BadData("the table is empty", file=name or None)
    keys = dict(zip(_check_names(name, names), names, strict=True))

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        columns = {
            heading: Values([each.get(keys[heading]) for each in records]) for heading in wanted
        }
        where = (lambda row: row + 1) if lines is None else lines.__getitem__
        yield Chunk(columns, len(records), where)

    return InputTable(name, list(keys), chunks, unit=unit)


def column_table(columns: Mapping[Any, Any]) -> InputTable:
    """A mapping of names to columns of equal length as a table."""
    keys = dict(zip(_check_names("", columns), columns, strict=True))
    held: dict[Any, list[Any]] = {}
    for name, column in columns.items():
        if isinstance(column, str | bytes | Mapping) or not hasattr(column, "__iter__"):
            raise BadData(
                f"column {quote(name)} is {type(column).__name__}, not a sequence of values",
                remedy="give lists or arrays of equal length",
            )
        values = column.tolist() if hasattr(column, "tolist") else list(column)
        if not isinstance(values, list):
            raise BadData(f"column {quote(name)} has no length", remedy="give a list of values")
        held[name] = values
    lengths = {name: len(values) for name, values in held.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} {length:,}" for name, length in lengths.items())
        raise BadData(
            f"the columns are not of equal length: {shown}", remedy="give one value a row"
        )

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        count = next(iter(lengths.values()), 0)
        cells = {name: Values(held[keys[name]]) for name in wanted}
        yield Chunk(cells, count, lambda row: row + 1)

    return InputTable("", list(keys), chunks, unit="row")


def _check_names(file: str, names: Any) -> list[str]:
    for name in names:
        if not isinstance(name, str):
            raise BadData(
                f"a column is called {quote(name)}, which is not a text",
                file=file or None,
                remedy="name columns by texts",
            )
    return check_headings(file, list(names), None)


HEAD = 512  # bytes in which the format of a file shows


def open_tables(source: Any, settings: ReaderSettings, files: ExitStack) -> Iterator[InputTable]:
    """The tables of a source, opened one after the other; `files` closes their files."""
    if file_name(source) is not None:
        yield open_table(source, settings, files)
    elif isinstance(source, Mapping):
        yield column_table(source)
    elif isinstance(source, Sequence | Iterator):
        parts = list(source)
        if parts and all(file_name(part) is not None for part in parts):
            for part in parts:
                yield open_table(part, settings, files)
        elif parts:
            yield record_table("", parts, None)
    else:
        from prowess.games.frames import frame_table

        yield frame_table(source)


def open_table(given: Any, settings: ReaderSettings, files: ExitStack) -> InputTable:
    """One file, or an open stream, as a table."""
    if hasattr(given, "read") or given == STDIN:
        settings.streams.append((given, stream_position(given)))
    stream = open_bytes(given)
    files.callback(stream.close)
    head = stream.look(HEAD)
    form = settings.format or ("parquet" if head[:4] == b"PAR1" else None)
    form = form or find_format(stream.name) or sniff_format(head)
    module, _, reader = FORMATS[form].reader.partition(".")
    table: InputTable = getattr(import_module(f"prowess.games.{module}"), reader)(stream, settings)
    return table


def sniff_format(head: bytes) -> str:
    """The format of a file whose name does not say it."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"{"):
        return "jsonl"
    if start.startswith(b"["):
        return "jsonl" if start[1:].lstrip()[:1] in {b"{", b"]"} else "pgn"
    return "pgn" if start.startswith((b"%", b";")) else "csv"
