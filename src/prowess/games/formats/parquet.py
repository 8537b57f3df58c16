"""Files of Arrow and Parquet: rows, what metadata tell, and the decoding of row groups ahead."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from errno import EMFILE, ENFILE
from itertools import chain
from typing import Any

import numpy as np

from prowess.compile import kernel
from prowess.games.cells.arrow_columns import ArrowColumn, arrow_chunks
from prowess.games.columns import CellParser, Chunk, InputTable, Values
from prowess.games.dates import parse_date
from prowess.games.errors import BadData
from prowess.games.formats.byte_streams import ByteStream, damage_error, package_error, run_ahead
from prowess.games.formats.heading_rows import check_headings
from prowess.games.formats.locations import open_source
from prowess.games.formats.records import frame_table
from prowess.games.formats.sources import FORMATS, MANY, ReaderSettings
from prowess.games.shards import MARK

ROWS_A_CHUNK = 1 << 17
ROWS_A_PART = 1 << 20  # rows of row groups that one thread decodes


def open_parquet(name: str, source: Any, metadata: Any = None) -> Any:
    """An open Parquet file; raises BadData without the package that reads it."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise package_error(name, "reads Parquet") from None
    try:
        file = pq.ParquetFile(source, metadata=metadata, pre_buffer=False, buffer_size=1 << 20)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise damaged_file(name, error, "Parquet file") from None
    if metadata is None and MARK in (file.metadata.metadata or {}):
        raise BadData.of("part_of_shards", file=name)
    return file


@contextmanager
def opened_parquet(path: str, metadata: Any = None) -> Iterator[Any]:
    """A Parquet file, closed after use; raises BadData."""
    file = open_parquet(path, open_source(path), metadata)
    try:
        yield file
    finally:
        file.close(force=True)  # also a file of a store


def read_parquet(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The rows of a Parquet file, one batch after the other."""
    name, path, compiled = stream.name, stream.path, settings.compiled
    in_parts = path is not None and path.suffix.lower() in FORMATS["parquet"].suffixes
    file = open_parquet(name, str(path) if in_parts else io.BytesIO(stream.readall()))
    if compiled is None:
        compiled = kernel.available() and (settings.long or file.metadata.num_rows >= MANY)

    def batches(columns: list[str]) -> Iterator[Any]:
        parts = decode(name, file, range(file.num_row_groups), columns)
        return (
            chain.from_iterable(run_ahead([lambda: parts], 1)) if compiled else _join_batches(parts)
        )

    return parquet_table(name, file.metadata, compiled, batches)


def _join_batches(batches: Iterator[Any]) -> Iterator[Any]:
    """All rows as one batch: the plain reader decides from them what a column holds."""
    import pyarrow as pa

    if found := list(batches):
        yield pa.Table.from_batches(found)


def parquet_table(
    name: str, metadata: Any, compiled: bool, batches: Callable[[list[str]], Iterator[Any]],
    before: int = 0,
) -> InputTable:  # fmt: skip
    """The table of a file whose `batches` hold the columns asked for, of the rows after the first
    `before`.
    """
    columns = metadata.schema.to_arrow_schema().names
    own = dict(zip(check_headings(name, columns, None), columns, strict=True))

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        found = batches([own[column] for column in wanted])
        if compiled:
            return arrow_chunks(found, wanted, before)
        return _value_chunks(name, found, wanted, before)

    return InputTable(name, list(own), chunks, unit="row", expected=metadata.num_rows)


def _value_chunks(
    name: str, batches: Iterator[Any], wanted: Sequence[str], before: int
) -> Iterator[Chunk]:
    for batch in batches:
        columns = {
            column: Values(_values(name, batch.column(at))) for at, column in enumerate(wanted)
        }
        yield Chunk(columns, batch.num_rows, lambda row, before=before: before + row + 1)  # type: ignore[misc]
        before += batch.num_rows


def _values(name: str, column: Any) -> list[Any]:
    try:
        return column.to_pylist()  # type: ignore[no-any-return]
    except (ValueError, OverflowError, ArithmeticError) as error:
        raise damaged_file(name, error, "Parquet file") from None


def decode(name: str, file: Any, groups: Sequence[int], columns: list[str]) -> Iterator[Any]:
    """The record batches of some row groups and columns, in the order asked for."""
    import pyarrow as pa

    rows = 0
    try:
        for batch in file.iter_batches(
            batch_size=ROWS_A_CHUNK, row_groups=list(groups), columns=columns, use_threads=False
        ):
            rows += batch.num_rows
            yield batch.select(columns)
    except (pa.ArrowException, OSError, ValueError) as error:
        while len(groups) > 1 and (size := file.metadata.row_group(groups[0]).num_rows) <= rows:
            groups, rows = groups[1:], rows - size
        raise damaged_file(f"{name}, row group {groups[0] + 1}", error, "Parquet file") from None


def decode_part(name: str, metadata: Any, groups: range, columns: list[str]) -> Iterator[Any]:
    """The record batches of some row groups of a file, which is opened for them."""
    with opened_parquet(name, metadata) as file:
        yield from decode(name, file, groups, columns)


def parts_of_groups(metadata: Any, first: int) -> list[range]:
    """Neighbouring row groups from the one called `first` on, about a million rows a part."""
    parts: list[range] = []
    begin, rows = first, 0
    for at in range(first, metadata.num_row_groups):
        rows += metadata.row_group(at).num_rows
        if rows >= ROWS_A_PART or at + 1 == metadata.num_row_groups:
            parts.append(range(begin, at + 1))
            begin, rows = at + 1, 0
    return parts


def find_group(metadata: Any, row: int) -> tuple[int, int]:
    """The row group in which a row stands, and how many rows stand before it."""
    before = 0
    for at in range(metadata.num_row_groups):
        if row < before + metadata.row_group(at).num_rows:
            return at, before
        before += metadata.row_group(at).num_rows
    return metadata.num_row_groups, before


def find_span(name: str, file: Any, column: str) -> tuple[float, float]:
    """The first and the last time of a file in days, nan without: of its statistics, or where they
    are missing of the column itself.
    """
    leaves = [file.schema.column(at).path for at in range(len(file.schema))]
    at = leaves.index(column) if column in leaves else None  # columns of fields have several
    limits: list[Any] = []
    for group in range(file.num_row_groups):
        found = None if at is None else file.metadata.row_group(group).column(at).statistics
        if found is None or not found.has_min_max or isinstance(found.min, str | bytes):
            batches = decode(name, file, range(file.num_row_groups), [column])
            spans = [_span_of(ArrowColumn(batch.column(0))) for batch in batches]
            return (
                min((low for low, _ in spans), default=math.nan),
                max((high for _, high in spans), default=math.nan),
            )
        limits += [found.min, found.max]
    return _span_of(Values(limits))  # to make an array of them, Arrow would import pandas


def _span_of(times: ArrowColumn | Values) -> tuple[float, float]:
    days, _ = times.parse(CellParser(parse_date, "date"))
    return float(np.nanmin(days, initial=math.inf)), float(np.nanmax(days, initial=-math.inf))


def read_arrow(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The rows of an Arrow or Feather file."""
    name = stream.name
    try:
        import pyarrow as pa
        from pyarrow import feather
    except ModuleNotFoundError:
        raise package_error(name, "reads Arrow files") from None
    try:
        table = feather.read_table(io.BytesIO(stream.readall()), memory_map=False)
        table.validate(full=True)  # a spoilt file would be read beyond the end of its texts
    except (pa.ArrowException, OSError, ValueError) as error:
        raise damaged_file(name, error, "Arrow file") from None
    return replace(frame_table(table), file=name)


def damaged_file(name: str, error: Exception, what: str) -> BadData:
    """The error of a file that Arrow cannot read; one that says it already stays as it is."""
    if isinstance(error, OSError) and error.errno in {EMFILE, ENFILE}:
        remedy = "close other programs, or allow more open files (ulimit -n)"
        return BadData.of("too_many_open_files", file=name, remedy=remedy)
    return damage_error(name, what, error, "write or copy it again")
