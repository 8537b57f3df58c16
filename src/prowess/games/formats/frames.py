"""DataFrames and Arrow tables of any library, and Parquet files."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from prowess import kernel
from prowess.games.cells.fields import Fields, HashedNames, as_fields, pad_bytes
from prowess.games.cells.loops import loops
from prowess.games.columns import BLANKS, CellParser, Chunk, InputTable, ParsedColumn, Values
from prowess.games.dates import MILLISECONDS, SECONDS, UNITS
from prowess.games.errors import BadData, InvalidValue
from prowess.games.formats.byte_streams import ByteStream
from prowess.games.formats.heading_rows import check_headings
from prowess.games.formats.sources import FORMATS, ReaderSettings
from prowess.games.names import Roster
from prowess.games.roles.headings import MEANINGS
from prowess.games.values import plain_form

DATE = "date"
ROWS_A_CHUNK = 1 << 16
MANY = 300_000  # rows; a longer table is read by compiled code, where there is a compiler


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
        raise BadData("two columns have one name", remedy="rename one of them") from None
    except (TypeError, ValueError, ImportError):
        raise BadData(
            f"cannot read results from {type(frame).__module__}.{type(frame).__name__}",
            remedy="give a path, a dict of columns, a list of dicts, a DataFrame or an Arrow table",
        ) from None
    if not all(isinstance(name, str) for name in own_names):
        raise BadData("a column's name is not a text", remedy="name columns by texts")
    names = check_headings("", own_names, None)
    own = dict(zip(names, own_names, strict=True))

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        columns = {name: Values(list_values(table[own[name]], name)) for name in wanted}
        yield Chunk(columns, len(table), lambda row: row + 1)

    return InputTable("", names, chunks, unit="row")


def list_values(column: Any, name: str) -> list[Any]:
    """The values of a column; raises BadData, as for a moment beyond all calendars."""
    try:
        return column.to_list()  # type: ignore[no-any-return]
    except (ValueError, OverflowError, ArithmeticError) as error:
        reason = " ".join(str(error).split())[:200]
        raise BadData(
            f"values cannot be read: {reason}", column=name, remedy="correct or drop the column"
        ) from None


def _with_dated_index(frame: Any) -> Any:
    """A pandas frame whose index are moments, with them as a column called date."""
    index: Any = getattr(frame, "index", None)
    if type(index).__name__ != "DatetimeIndex" or DATE in frame.columns:
        return frame
    dated = isinstance(index.name, str) and plain_form(index.name) in MEANINGS["date"]
    name = index.name if dated else DATE
    return frame if name in frame.columns else frame.assign(**{name: index})


def parquet_file(name: str, source: Any) -> Any:
    """An open Parquet file; raises BadData without the package that reads it."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise BadData(
            "no package that reads Parquet is installed",
            file=name,
            remedy="install prowess[files], or export it as CSV",
        ) from None
    try:
        return pq.ParquetFile(source, pre_buffer=False, buffer_size=1 << 20)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _parquet_error(name, error) from None


def read_parquet(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The rows of a Parquet file, one batch after the other."""
    name, path, compiled = stream.name, stream.path, settings.compiled
    in_parts = path is not None and path.suffix.lower() in FORMATS["parquet"].suffixes
    file = parquet_file(name, str(path) if in_parts else io.BytesIO(stream.readall()))
    columns = file.schema_arrow.names
    own = dict(zip(check_headings(name, columns, None), columns, strict=True))
    if compiled is None:
        compiled = kernel.available() and file.metadata.num_rows >= MANY

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        if compiled:
            parts = batches(name, file, [own[column] for column in wanted], ROWS_A_CHUNK)
            yield from arrow_chunks(parts, wanted)
            return
        before = 0
        for batch in batches(name, file, [own[column] for column in wanted], ROWS_A_CHUNK):
            columns = {
                column: Values(_values(name, batch.column(at))) for at, column in enumerate(wanted)
            }
            yield Chunk(columns, batch.num_rows, lambda row, before=before: before + row + 1)  # type: ignore[misc]
            before += batch.num_rows

    return InputTable(name, list(own), chunks, unit="row", expected=file.metadata.num_rows)


def read_arrow(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The rows of an Arrow or Feather file."""
    name = stream.name
    try:
        import pyarrow as pa
        from pyarrow import feather
    except ModuleNotFoundError:
        raise BadData(
            "no package that reads Arrow files is installed",
            file=name,
            remedy="install prowess[files]",
        ) from None
    try:
        table = feather.read_table(io.BytesIO(stream.readall()), memory_map=False)
        table.validate(full=True)  # a spoilt file would be read beyond the end of its texts
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _parquet_error(name, error, "Arrow file") from None
    return replace(frame_table(table), file=name)


def batches(name: str, file: Any, columns: list[str], rows: int) -> Iterator[Any]:
    """The record batches of some columns, in the order asked for."""
    import pyarrow as pa

    try:
        for batch in file.iter_batches(batch_size=rows, columns=columns, use_threads=False):
            yield batch.select(columns)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _parquet_error(name, error) from None


def _values(name: str, column: Any) -> list[Any]:
    try:
        return column.to_pylist()  # type: ignore[no-any-return]
    except (ValueError, OverflowError, ArithmeticError) as error:
        raise _parquet_error(name, error) from None


def _parquet_error(name: str, error: Exception, what: str = "Parquet") -> BadData:
    reason = " ".join(str(error).split())[:200]
    return BadData(
        f"the file is no valid {what} ({reason})", file=name, remedy="write or copy it again"
    )


# Columns of Arrow record batches, for the fast reader.


DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def arrow_chunks(batches: Iterable[Any], names: Sequence[str]) -> Iterator[Chunk]:
    """Record batches, whose columns are called `names`, as chunks."""
    before = 0
    for batch in read_ahead(iter(batches)):
        columns = {name: ArrowColumn(batch.column(at)) for at, name in enumerate(names)}
        yield Chunk(columns, batch.num_rows, lambda row, before=before: before + row + 1)  # type: ignore[misc]
        before += batch.num_rows


def read_ahead(items: Iterator[Any]) -> Iterator[Any]:
    """Yield the items; each is made while the one before it is used."""
    with ThreadPoolExecutor(1) as worker:
        following = worker.submit(next, items, None)
        while (item := following.result()) is not None:
            following = worker.submit(next, items, None)
            yield item


class ArrowColumn:
    """A column as Arrow holds it, converted to text or numbers on first use."""

    def __init__(self, array: Any) -> None:
        import pyarrow as pa

        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    @property
    def lists(self) -> bool:
        """Whether a cell holds a list of names."""
        return self.cells.lists

    def select(self, keep: Any) -> ArrowColumn:
        """The column without some rows."""
        import pyarrow as pa

        return ArrowColumn(self.array.filter(pa.array(keep)))

    def cell(self, row: int) -> Any:
        """The cell, for a message."""
        try:
            value = self.array[row].as_py()
        except UnicodeDecodeError:
            return self.cells.cell(row)
        return value.strip(BLANKS) if isinstance(value, str) else value

    def parse(self, lookup: CellParser) -> ParsedColumn:
        """Parse the cells into numbers."""
        import pyarrow as pa

        kind, types = self.array.type, pa.types
        if types.is_string(kind) or types.is_large_string(kind):
            return self.cells.parse(lookup)
        missing: Any = np.zeros(len(self), np.bool_)
        if self.array.null_count:
            missing = self.array.is_null().to_numpy(zero_copy_only=False)
        if types.is_boolean(kind):
            values, odd = np.empty(len(self)), missing
            held = self.array.fill_null(False).to_numpy(zero_copy_only=False)
            for value in (False, True):
                try:
                    values[held == value] = lookup.parse(value)
                except InvalidValue:
                    odd = odd | (held == value)
        elif (types.is_date(kind) or types.is_timestamp(kind)) and lookup.looks == "date":
            values, odd = self._days(), missing
        elif (types.is_integer(kind) or types.is_floating(kind)) and lookup.looks != "word":
            return self._parse_numbers(lookup, missing)
        else:
            return self.values.parse(lookup)
        return self._parse_odd(lookup, values, np.flatnonzero(odd), np.arange(odd.sum()))

    def _parse_numbers(self, lookup: CellParser, missing: Any) -> ParsedColumn:
        held = self._numbers()
        held[missing] = np.nan
        lookup.numbers_met = True
        odd = np.flatnonzero(_unusual(held, lookup))
        values = held
        if lookup.looks == "date":
            seconds = held < SECONDS[1]
            values = held / np.where(seconds, UNITS["seconds"], UNITS["milliseconds"])
        _, group = np.unique(held[odd], return_inverse=True)
        return self._parse_odd(lookup, values, odd, group)

    def _parse_odd(self, lookup: CellParser, values: Any, odd: Any, group: Any) -> ParsedColumn:
        """Look with care at the `odd` rows, once at each `group` of equal cells."""
        _, first = np.unique(group, return_index=True)
        meant = np.empty(len(first))
        refused: dict[int, InvalidValue] = {}
        for at, row in enumerate(odd[first].tolist()):
            try:
                meant[at] = lookup.parse(self.cell(row))
            except InvalidValue as refusal:
                meant[at] = np.nan
                refused[at] = refusal
        values[odd] = meant[group]
        if not refused:
            return ParsedColumn(values, {})
        pairs = zip(odd.tolist(), group.tolist(), strict=True)
        return ParsedColumn(values, {row: refused[at] for row, at in pairs if at in refused})

    def name_errors(self) -> Mapping[int, InvalidValue]:
        """The rows whose cell cannot be a name, and why."""
        return self.cells.name_errors()

    def equals(self, other: Any) -> Any:
        """The rows in which both columns hold the same name."""
        return self.fields().equals(other)

    def winners(self, a: Any, b: Any, lookup: CellParser, outcomes: Any) -> ParsedColumn:
        """The score of the first side, where this column names the winner."""
        return self.fields().winners(a, b, lookup, outcomes)

    def interner(self, roster: Roster) -> HashedNames:
        """Something that numbers such columns and goes on from a roster."""
        return HashedNames(roster)

    def fields(self) -> Fields:
        """The cells as bytes; what cannot be a name is empty."""
        return as_fields(self.cells)

    def _numbers(self) -> Any:
        array = self.array.fill_null(0) if self.array.null_count else self.array
        return np.array(array.to_numpy(zero_copy_only=False), np.float64)

    def _days(self) -> Any:
        """Days since 1970 of dates and moments; a moment with a zone is held as UTC."""
        import pyarrow as pa

        kind = self.array.type
        if pa.types.is_date32(kind):
            whole = self.array.fill_null(0).cast(pa.int32()).to_numpy(zero_copy_only=False)
            return whole.astype(np.float64)
        unit = DAY["ms"] if pa.types.is_date64(kind) else DAY[kind.unit]
        count = self.array.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
        day, rest = np.divmod(count, unit)
        return day + rest / unit

    @cached_property
    def values(self) -> Values:
        """The cells as Python values."""
        return Values(self.array.to_pylist())

    @cached_property
    def cells(self) -> Fields | Values:
        """The cells as bytes, where they are text or whole numbers; else as Python values."""
        import pyarrow as pa

        array, types = self.array, pa.types
        if types.is_integer(array.type):
            array = array.cast(pa.string())
        large = types.is_large_string(array.type)
        if not (large or types.is_string(array.type)):
            return self.values
        array = array.fill_null("") if array.null_count else array
        _, ends, content = array.buffers()
        places = np.frombuffer(ends, np.int64 if large else np.int32)
        places = places[array.offset : array.offset + len(array) + 1]
        low, high = (int(places[0]), int(places[-1])) if len(places) else (0, 0)
        text = b"" if content is None else content[low:high].to_pybytes()
        begin = (places[:-1] - low).astype(np.int32)
        length = np.diff(places).astype(np.int32)
        data = pad_bytes(text)
        loops().trim(data, begin, length)
        return Fields(data, begin, length, valid=text.isascii(), is_ascii=text.isascii())


def _unusual(values: Any, lookup: CellParser) -> Any:
    """The numbers that have to be looked at with more care."""
    if lookup.looks == "score":
        return ~((values >= 0.0) & (values <= 1.0))
    if lookup.looks == "positive":
        return ~((values > 0.0) & np.isfinite(values))
    if lookup.looks == "date":
        seconds = (values >= SECONDS[0]) & (values < SECONDS[1])
        return ~(seconds | ((values >= MILLISECONDS[0]) & (values < MILLISECONDS[1])))
    return ~np.isfinite(values)
