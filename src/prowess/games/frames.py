"""DataFrames and Arrow tables of any library, and Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from prowess import kernel
from prowess.games.cells import Chunk, Table, Values
from prowess.games.delimited import checked_names
from prowess.games.headings import TIME
from prowess.games.outcomes import plain
from prowess.games.refusal import BadData

DATE = "date"
ROWS_A_CHUNK = 1 << 16
MANY = 300_000  # rows; a longer table is read by compiled code, where there is a compiler


def frame_table(frame: Any) -> Table:
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
    names = checked_names("", own_names, None)
    own = dict(zip(names, own_names, strict=True))

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        columns = {name: Values(table[own[name]].to_list()) for name in wanted}
        yield Chunk(columns, len(table), lambda row: row + 1)

    return Table("", names, chunks, unit="row")


def _with_dated_index(frame: Any) -> Any:
    """A pandas frame whose index are moments, with them as a column called date."""
    index: Any = getattr(frame, "index", None)
    if type(index).__name__ != "DatetimeIndex" or DATE in frame.columns:
        return frame
    name = index.name if isinstance(index.name, str) and plain(index.name) in TIME else DATE
    return frame if name in frame.columns else frame.assign(**{name: index})


def parquet_file(name: str, source: Any) -> Any:
    """An open Parquet file; raises BadData without the package that reads it."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise BadData(
            "is Parquet, and no package to read it is installed",
            file=name,
            remedy="install prowess[files], or export it as CSV",
        ) from None
    try:
        return pq.ParquetFile(source, pre_buffer=False, buffer_size=1 << 20)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _broken(name, error) from None


def parquet_table(name: str, source: str | BinaryIO, compiled: bool | None) -> Table:
    """The rows of a Parquet file, one batch after the other."""
    file = parquet_file(name, source)
    own = _names(name, file)
    if compiled is None:
        compiled = kernel.available() and file.metadata.num_rows >= MANY

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        if compiled:
            from prowess.games.arrow import arrow_chunks

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

    return Table(name, list(own), chunks, unit="row", expected=file.metadata.num_rows)


def _names(name: str, file: Any) -> dict[str, str]:
    own = file.schema_arrow.names
    return dict(zip(checked_names(name, own, None), own, strict=True))


def batches(name: str, file: Any, columns: list[str], rows: int) -> Iterator[Any]:
    """The record batches of some columns, in the order asked for."""
    import pyarrow as pa

    try:
        for batch in file.iter_batches(batch_size=rows, columns=columns, use_threads=False):
            yield batch.select(columns)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _broken(name, error) from None


def _values(name: str, column: Any) -> list[Any]:
    try:
        return column.to_pylist()  # type: ignore[no-any-return]
    except (ValueError, OverflowError, ArithmeticError) as error:
        raise _broken(name, error) from None


def _broken(name: str, error: Exception) -> BadData:
    reason = " ".join(str(error).split())[:200]
    return BadData(
        f"cannot be read as Parquet ({reason})", file=name, remedy="write or copy it again"
    )
