"""Sources as tables of cells: files of every format, frames, JSON, and Python values."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Literal

from prowess.games.columns import Chunk, InputTable, Values
from prowess.games.delimited import check_headings, csv_table, scan_csv_table
from prowess.games.errors import BadData, quote
from prowess.games.layout import Options
from prowess.games.sources import ByteStream, Source, decode_text, source_of


def json_table(name: str, content: str) -> InputTable:
    """A JSON array of objects, or one object a line; raises BadData."""
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


FAST = 8_000_000  # bytes; a longer table is read by compiled code, where there is a compiler
HEADINGS = 1 << 16  # bytes in which the headings of a large file end
HEAD = 512  # bytes in which the format of a file shows


@dataclass
class Opener:
    """Opens sources as tables, one after the other."""

    options: Options
    format: str | None
    delimiter: str | None
    encoding: str | None
    compiled: bool | None
    streams: list[tuple[Any, int | None]] = field(default_factory=list)  # and where they began
    texts: int = 0  # how many of the tables were CSV or TSV

    def rewind(self) -> None:
        """Go back to where the streams began, for the slow reader; raises BadData where that
        cannot be done.
        """
        self.compiled, self.texts = False, 0
        for stream, start in self.streams:
            if start is None:
                raise BadData(
                    "a stream that cannot go back has to be read a second time",
                    remedy="save it as a file first",
                )
            stream.seek(start)
        self.streams.clear()

    def tables(self, source: Any, files: ExitStack) -> Iterator[InputTable]:
        """The tables of a source, opened one after the other."""
        if isinstance(source, str | os.PathLike) or hasattr(source, "read"):
            yield self.file(source, files)
        elif isinstance(source, Mapping):
            yield column_table(source)
        elif isinstance(source, Sequence | Iterator):
            parts = list(source)
            if parts and all(
                isinstance(part, str | os.PathLike) or hasattr(part, "read") for part in parts
            ):
                for part in parts:
                    yield self.file(part, files)
            elif parts:
                yield record_table("", parts, None)
        else:
            from prowess.games.frames import frame_table

            yield frame_table(source)

    def file(self, given: Any, files: ExitStack) -> InputTable:
        """One file, or an open stream, as a table."""
        source = source_of(given)
        if source.path is None:
            self.streams.append((source.given, source.place()))
        stream = source.open()
        files.callback(stream.close)
        head = stream.look(HEAD)
        form = self.format or ("parquet" if head[:4] == b"PAR1" else None)
        form = form or source.suffix_format or sniff_format(head)
        if form == "pgn":
            from prowess.games.pgn import pgn_table

            return pgn_table(source.name, stream, self.options.named_columns(), self.encoding)
        if form == "parquet":
            return self.parquet(source, stream)
        if form in {"csv", "tsv"}:
            return self.text_table(source, stream, "\t" if form == "tsv" else self.delimiter)

        return json_table(source.name, decode_text(source.name, stream.read(), self.encoding))

    def parquet(self, source: Source, stream: ByteStream) -> InputTable:
        """A Parquet file."""
        from prowess.games.frames import parquet_table

        path = source.path
        if path is not None and path.suffix.lower() in {".parquet", ".pq"}:  # read in parts
            return parquet_table(source.name, str(path), self.compiled)
        return parquet_table(source.name, io.BytesIO(stream.read()), self.compiled)

    def text_table(self, source: Source, stream: ByteStream, delimiter: str | None) -> InputTable:
        """A CSV or TSV file."""
        self.texts += 1
        usual = delimiter is None or (len(delimiter) == 1 and delimiter.isascii())
        if self.compiled is not False and self.encoding is None and usual:
            least = 0 if self.compiled else FAST
            head = stream.look(least + HEADINGS)
            if self.compiled or len(head) > least:
                from prowess import kernel

                if kernel.available():
                    return scan_csv_table(source.name, head, stream, delimiter, source.size())
        content = stream.read()
        return csv_table(source.name, decode_text(source.name, content, self.encoding), delimiter)


def sniff_format(head: bytes) -> str:
    """The format of a file whose name does not say it."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"{"):
        return "jsonl"
    if start.startswith(b"["):
        return "jsonl" if start[1:].lstrip()[:1] in {b"{", b"]"} else "pgn"
    return "pgn" if start.startswith((b"%", b";")) else "csv"
