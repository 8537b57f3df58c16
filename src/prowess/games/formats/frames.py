"""DataFrames and Arrow tables of any library, and Parquet files."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from errno import EMFILE, ENFILE
from typing import Any

from prowess.games.columns import Chunk, InputTable, Values
from prowess.games.errors import BadData
from prowess.games.formats.byte_streams import ByteStream
from prowess.games.formats.heading_rows import check_headings
from prowess.games.formats.sources import ReaderSettings
from prowess.games.roles.headings import MEANINGS
from prowess.games.values import plain_form

DATE = "date"
ROWS_A_CHUNK = 1 << 17


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
        raise BadData(
            "two columns have one name", remedy="rename one of them", code="column_twice"
        ) from None
    except (TypeError, ValueError, ImportError):
        raise BadData(
            f"cannot read results from {type(frame).__module__}.{type(frame).__name__}",
            remedy="give a path, a dict of columns, a list of dicts, a DataFrame or an Arrow table",
            code="not_a_table",
        ) from None
    if not all(isinstance(name, str) for name in own_names):
        raise BadData(
            "a column's name is not a text",
            remedy="name columns by texts",
            code="heading_not_a_text",
        )
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
            f"values cannot be read: {reason}",
            column=name,
            remedy="correct or drop the column",
            code="unreadable_values",
        ) from None


def _with_dated_index(frame: Any) -> Any:
    """A pandas frame whose index are moments, with them as a column called date."""
    index: Any = getattr(frame, "index", None)
    if type(index).__name__ != "DatetimeIndex" or DATE in frame.columns:
        return frame
    dated = isinstance(index.name, str) and plain_form(index.name) in MEANINGS["date"]
    name = index.name if dated else DATE
    return frame if name in frame.columns else frame.assign(**{name: index})


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
            code="package_missing",
        ) from None
    try:
        table = feather.read_table(io.BytesIO(stream.readall()), memory_map=False)
        table.validate(full=True)  # a spoilt file would be read beyond the end of its texts
    except (pa.ArrowException, OSError, ValueError) as error:
        raise damaged_file(name, error, "Arrow file") from None
    return replace(frame_table(table), file=name)


def damaged_file(name: str, error: Exception, what: str) -> BadData:
    """The error of a file that Arrow cannot read; one that says it already stays as it is."""
    if isinstance(error, BadData):
        return error
    reason = " ".join(str(error).split())[:200]
    if isinstance(error, OSError) and error.errno in {EMFILE, ENFILE}:
        remedy = "close other programs, or allow more open files (ulimit -n)"
        return BadData(
            "too many files are open", file=name, remedy=remedy, code="too_many_open_files"
        )
    return BadData(
        f"the file is no valid {what} ({reason})",
        file=name,
        remedy="write or copy it again",
        code="damaged_file",
    )
