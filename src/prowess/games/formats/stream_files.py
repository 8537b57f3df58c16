"""The files of a stream: which they are, what their metadata tell, their order, and as tables."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any, NamedTuple

from prowess.compile import kernel
from prowess.games.arguments import BadArgument
from prowess.games.columns import InputTable
from prowess.games.dates import NANOSECONDS_A_DAY, format_date
from prowess.games.errors import IN_MEMORY, BadData, FallBackToSlowReader
from prowess.games.formats.byte_streams import PACKED_SUFFIXES, package_error, run_ahead
from prowess.games.formats.heading_rows import check_headings
from prowess.games.formats.locations import (
    is_remote,
    list_paths,
    measure_file,
    open_source,
    whole_path,
)
from prowess.games.formats.opened_tables import (
    add_partitions,
    find_partitions,
    open_stream,
    open_tables,
)
from prowess.games.formats.parquet import (
    decode,
    decode_part,
    find_group,
    find_span,
    open_parquet,
    opened_parquet,
    parquet_table,
    parts_of_groups,
)
from prowess.games.formats.reader_options import parse_settings
from prowess.games.formats.sources import ReaderSettings, find_format, open_bytes
from prowess.games.layout import Layout, Options
from prowess.games.reading import format_count, join_names
from prowess.games.roles.roles import find_layout
from prowess.games.shapes.shapes import shape_table

SORT = "sort the files first with sort=True (--sort)"
SORTED_TEXT = r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?Z?"  # times as texts


@dataclass(frozen=True)
class StreamFile:
    """A file of a stream.

    Args:
        path: where it is.
        size: in bytes.
        modified: when it was last changed, in nanoseconds.
        first, last: the times of its first and its last game, in days since 1970 (UTC); None where
            not known.
        metadata: of Parquet.
    """

    path: str
    size: int
    modified: int
    first: float | None = None
    last: float | None = None
    metadata: Any = field(default=None, compare=False, repr=False)

    @property
    def rows(self) -> int | None:
        """The rows, as its metadata tell; None where there are none."""
        return None if self.metadata is None else int(self.metadata.num_rows)


def list_stream_files(source: Any) -> list[str]:
    """The paths of a file, a folder, a pattern or a list of these: each once, all Parquet or none;
    raises BadData.
    """
    paths = _list_files(source)
    seen = set[str]()
    for path in paths:
        whole = whole_path(path)
        if whole in seen:
            raise BadData.of("file_twice", file=path)
        seen.add(whole)
    parquet = [path for path in paths if is_parquet(path)]
    other = next((path for path in paths if not is_parquet(path)), None)
    if parquet and other is not None:
        raise BadData.of("mixed_formats", one=parquet[0], other=other)
    return paths


def _list_files(source: Any) -> list[str]:
    if isinstance(source, str | os.PathLike):
        return list_paths(source)
    if isinstance(source, Sequence) and source and not isinstance(source, bytes):
        return [path for each in source for path in _list_files(each)]
    raise BadData.of("not_files")


def look_at_file(path: str) -> StreamFile:
    """A file with its size and when it was changed; raises BadData where there is none."""
    return StreamFile(path, *measure_file(path))


def is_parquet(path: str) -> bool:
    """Whether a file is read as Parquet."""
    return find_format(path) == "parquet"


def check_unchanged(file: StreamFile) -> None:
    """Raise BadData where a file is not what it was when the stream was opened."""
    now = look_at_file(file.path)
    if (now.size, now.modified) != (file.size, file.modified):
        raise BadData.of("file_changed", file=file.path)


def add_metadata(file: StreamFile, opened: Any, time: str | None) -> StreamFile:
    """A Parquet file with what its metadata tell; `time` is its column of dates."""
    found = replace(file, metadata=opened.metadata)
    if time is None:
        return found
    first, last = find_span(file.path, opened, time)
    return replace(found, first=first, last=last) if math.isfinite(first) else found


def order_remedy(cell: Any) -> str:
    """What brings games in order of whose times a cell is one: sorting, but not of all texts."""
    sorts = not isinstance(cell, str) or re.fullmatch(SORTED_TEXT, cell.strip())
    return SORT if sorts else IN_MEMORY


def order_files(files: Sequence[StreamFile], time: str | None) -> tuple[list[int], list[str]]:
    """The numbers of files in order of time, where that is known of all that have rows, and notes;
    `time` is the column of dates. Raises BadData for files that overlap.
    """
    spans = {
        at: (file.first, file.last)
        for at, file in enumerate(files)
        if file.first is not None and file.last is not None
    }
    empty = [at for at, file in enumerate(files) if file.rows == 0]
    if len(spans) + len(empty) < len(files):
        return list(range(len(files))), []
    order = sorted(spans, key=spans.__getitem__)
    swapped: list[tuple[str, str, float]] = []
    for before, after in pairwise(order):
        begin, end = spans[after][0], spans[before][1]
        if begin < end:
            raise BadData.of(
                "files_out_of_order",
                file=files[after].path,
                begin=format_date(begin),
                other=files[before].path,
                end=format_date(end),
                remedy=order_remedy(_first_cell(files[after].path, time)),
            )
        if begin == end and after < before:
            swapped.append((files[before].path, files[after].path, begin))
    return order + empty, [_note_swapped(*swapped[0], len(swapped) - 1)] if swapped else []


def _first_cell(path: str, column: str | None) -> Any:
    """The first cell of a column of a Parquet file that has rows."""
    with opened_parquet(path) as file:
        return (
            next(decode(path, file, range(file.num_row_groups), [str(column)])).column(0)[0].as_py()
        )


def _note_swapped(before: str, after: str, day: float, more: int) -> str:
    """A note on files that share a moment and are read in another order than their names'."""
    others = f", and {format_count(more, 'more pair')} of files so" if more else ""
    return (
        f"{before} and {after} both have games of {format_date(day)}: those of {before} are rated "
        f"first, and with --sort or --in-memory those of {after}{others}"
    )


def check_schema(
    file: StreamFile, schema: Any, first_file: str, first_schema: Any, columns: Sequence[str]
) -> None:
    """Raise BadData where the columns of a Parquet file are not those of the first."""
    for name in columns:
        here, first = (
            each.field(name).type if name in each.names else None for each in (schema, first_schema)
        )
        if here != first:
            known = "what its folder says" if first is None else str(first)
            held = str(here) if here is not None else join_names(schema.names)
            raise BadData.of(
                "other_schema",
                file=file.path,
                name=name,
                first_file=first_file,
                known=known,
                held=held,
            )


# The files of a stream as tables, whose rows are read in their order.


LOOKS = 8  # files whose headings are looked at together; those of a store take their time


def keep_partitions(
    files: Sequence[StreamFile], settings: ReaderSettings
) -> tuple[list[StreamFile], Options]:
    """The files whose folders, such as year=2024, fit where= and exclude=, and the options without
    what they have decided.

    A folder decides where every file has one of its name, and none a column: elsewhere rows do.
    """
    options = settings.options
    of_files = [find_partitions(file.path) for file in files]
    names = {*options.where, *options.exclude}.intersection(*of_files)
    if names:
        with closing(look_at_columns([file.path for file in files], settings)) as looked_at:
            for own in looked_at:
                names -= own
                if not names:
                    break
    keep = [
        file
        for file, told in zip(files, of_files, strict=True)
        if all(told[name] in options.where.get(name, {told[name]}) for name in names)
        and not any(told[name] in options.exclude.get(name, ()) for name in names)
    ]
    where, exclude = (
        {name: values for name, values in chosen.items() if name not in names}
        for chosen in (options.where, options.exclude)
    )
    return keep, replace(options, where=where, exclude=exclude)


def look_at_columns(paths: Sequence[str], settings: ReaderSettings) -> Generator[set[str]]:
    """The columns of each file without those of its folders; several are opened together."""
    looks = [partial(_own_columns, path, settings) for path in paths]
    with closing(run_ahead(looks, LOOKS)) as looked_at:
        for found in looked_at:
            yield set[str]().union(*found)


def _own_columns(path: str, settings: ReaderSettings) -> Iterator[set[str]]:
    """The columns of a file without those of its folders; of one that holds no single table, or
    cannot be read, the folders are called columns, so that its rows decide.
    """
    try:
        if is_parquet(path):
            with opened_parquet(path) as file:
                yield {*check_headings(path, file.schema_arrow.names, None)}
        else:
            with closing(open_bytes(open_source(path))) as stream:
                yield {*open_stream(stream, replace(settings, compiled=False)).names}
    except BadData:
        yield {*find_partitions(path)}


@dataclass(eq=False)
class StreamTable:
    """A file as a table whose rows are read in their order."""

    table: InputTable
    layout: Layout


def open_table(path: str, settings: ReaderSettings, files: ExitStack) -> StreamTable:
    """The table of a file; raises BadData where all its rows are needed to understand it."""
    options, others = settings.options, list[InputTable]()
    if is_parquet(path):
        file = open_parquet(path, open_source(path))
        opened = parquet_table(
            path, file.metadata, settings.compiled is not False and kernel.available(),
            partial(decode, path, file, range(file.num_row_groups)),
        )  # fmt: skip
        opened = add_partitions(opened, path, options)
    else:
        opened, *others = open_tables(path, settings, files)
    table, headings = shape_table(opened, options)
    if others or table.chunks is not opened.chunks:
        shape = "; ".join(table.notes[len(opened.notes) :]) or "rows are brought into another shape"
        raise BadData.of("needs_whole_table.shape", file=table.file, shape=shape)
    layout = find_layout(headings)
    settings.check_plan(table, layout)
    if layout.kind != "games":
        raise BadData.of("contests_not_streamed", file=table.file)
    return StreamTable(table, layout)


class TableReader:
    """Opens the files of a stream one after the other; Parquet is decoded ahead by threads.

    It begins with the file `start`, of which the first `row` rows are done. The last of them is
    read again, since the next one must not be earlier; row groups before it are not.
    """

    def __init__(
        self, files: Sequence[StreamFile], settings: ReaderSettings, first: StreamTable,
        decoders: int, start: int, row: int,
    ) -> None:  # fmt: skip
        self.files, self.settings, self.first = files, settings, first
        self.parts: dict[int, list[range]] = {}
        self.decoded: Generator[Iterator[Any]] | None = None
        self.decoders, self.start, self.row = decoders, start, row
        self.first_group = 0  # of that file
        self.before = 0  # rows of it that are not read

    def open(self, number: int, opened: ExitStack) -> StreamTable:
        """The table of a file, which has the columns of the first."""
        file = self.files[number]
        path = file.path
        if not is_parquet(path):
            return check_kinds(open_table(path, self.settings, opened), self.first)
        check_unchanged(file)
        compiled = self.settings.compiled is not False and kernel.available()
        first, before = 0, 0
        if number == self.start:
            first, before = find_group(file.metadata, max(0, self.row - 1))
            self.first_group, self.before = first, before

        def batches(columns: list[str]) -> Iterator[Any]:
            if self.decoded is None:
                self.decoded = self._decode(columns)
            for _ in self.parts[number]:
                yield from next(self.decoded)

        table = parquet_table(path, file.metadata, compiled, batches, before)
        return StreamTable(add_partitions(table, path, self.settings.options), self.first.layout)

    def close(self) -> None:
        """End the threads that decode ahead."""
        if self.decoded is not None:
            self.decoded.close()

    def _decode(self, columns: list[str]) -> Generator[Iterator[Any]]:
        """The batches of all parts of all files, in order, some of them made ahead."""
        makers = []
        for number in range(self.start, len(self.files)):
            file = self.files[number]
            first = self.first_group if number == self.start else 0
            self.parts[number] = parts_of_groups(file.metadata, first)
            makers += [
                partial(decode_part, file.path, file.metadata, groups, columns)
                for groups in self.parts[number]
            ]
        return run_ahead(makers, self.decoders)


def check_kinds(table: StreamTable, first: StreamTable) -> StreamTable:
    """The table of a file; raises BadData where its columns are of other kinds than the first's."""
    if table.layout.kinds() != first.layout.kinds():
        raise BadData.of(
            "other_columns", file=table.table.file, line=table.table.heading, first=first.table.file
        )
    return table


def look_into_parquet(
    files: Sequence[StreamFile], settings: ReaderSettings, first: StreamTable, time: str | None
) -> list[StreamFile]:
    """Parquet files with what their metadata tell, each opened for a moment; raises BadData where
    one has other columns than the first. `time` is the column of dates, where spans are wanted.
    """
    found: list[StreamFile] = []
    schemas: list[Any] = []  # of the first file
    for file in files:
        with opened_parquet(file.path) as opened:
            schema = opened.schema_arrow
            schemas = schemas or [schema]
            check_schema(file, schema, files[0].path, schemas[0], first.layout.columns())
            found.append(add_metadata(file, opened, time))
        if {*schema.names} != {*schemas[0].names}:  # a column may have a meaning
            with ExitStack() as files_opened:
                check_kinds(open_table(file.path, settings, files_opened), first)
    return found


def open_first(path: str, settings: ReaderSettings, opened: ExitStack) -> StreamTable:
    """The table of the first file, by the slow reader where the fast one cannot read it."""
    try:
        return open_table(path, settings, opened)
    except FallBackToSlowReader:
        settings.compiled = False
        return open_table(path, settings, opened)


# Put files of games in order of time before they are read as a stream.


# Sort files of games by time in bounded memory, by DuckDB.


SHARE_OF_MEMORY = 0.6  # of the memory; DuckDB takes a little more than its limit
UTF_8 = {"utf-8", "utf8", "utf-8-sig"}
NOT_UNPACKED = tuple({*PACKED_SUFFIXES} - {".gz", ".zst"})
ROWS_A_GROUP = 1 << 20
PLACE_COLUMN = "prowess_place"  # columns that are not kept: the number of a file, a row of it
ROW = "prowess_row"
FULL_DISK = (  # of what DuckDB says where a disk, a quota or the size of a file ends
    "No space left", "quota exceeded", "File too large", "max_temp_directory_size"
)  # fmt: skip


class TextForm(NamedTuple):
    """How CSV is written, where the caller says so."""

    delimiter: str | None = None
    encoding: str | None = None


def sort_by_time(
    paths: Sequence[str], column: str, folder: Path, memory: int, temp: str | None,
    headings: Sequence[str], text: TextForm, folders: Mapping[str, Sequence[str]],
) -> list[Path]:  # fmt: skip
    """Write the rows of files in order of a column of times; rows of one time as they stand.

    `headings` are those of the first file, `folders` further columns with a value for each file.
    Returns the files that were written, in order. Raises BadData.
    """
    try:
        import duckdb
    except ImportError:
        raise package_error(paths[0], "sorts files") from None
    for path in filter(is_remote, paths):
        raise BadData.of("not_local", file=path)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "games.parquet"
    with make_temporary_folder(temp) as spill:
        settings: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": f"{int(SHARE_OF_MEMORY * memory) >> 20} MiB",
            "temp_directory": spill,
            "preserve_insertion_order": True,
        }
        try:
            with pass_interrupts(), closing(duckdb.connect(config=settings)) as connection:
                rows = _rows_of(paths, text, folders)
                order = _order_of(connection, rows, paths, column, headings)
                wanted = f"SELECT * EXCLUDE ({PLACE_COLUMN}, {ROW}) FROM ({rows}) ORDER BY {order}"
                connection.execute(
                    f"COPY ({wanted}, {PLACE_COLUMN}, {ROW}) TO {_text(str(target))} "
                    f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROWS_A_GROUP})"
                )
        except duckdb.Error as error:
            raise _refuse(error, paths[0], folder, temp) from None
    return [target]


def make_temporary_folder(temp: str | None) -> TemporaryDirectory[str]:
    """A folder that is removed after use, in `temp` or the system's; raises BadArgument."""
    try:
        return TemporaryDirectory(prefix="prowess-sort-", dir=temp)
    except OSError as error:
        where = "the system's folder for them" if temp is None else repr(temp)
        why = error.strerror or error
        raise BadArgument.of("folder_not_writable.temporary", where=where, why=why) from None


@contextmanager
def pass_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt again, of which DuckDB makes an error of its own."""
    try:
        yield
    except Exception as error:
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise


def _refuse(error: Exception, file: str, folder: Path, temp: str | None) -> BadData:
    """The error of files that DuckDB cannot sort."""
    reason, place = " ".join(str(error).split()), Path(temp or gettempdir())
    if any(text in reason for text in FULL_DISK):
        if str(folder) in reason and place not in folder.parents:
            return BadData.of("sorting_fails.full_run", file=file, place=folder)
        return BadData.of("sorting_fails.full_temp", file=file, place=place)
    if "utf-8" in reason:
        return BadData.of("sorting_fails.encoding", file=file)
    if "Out of Memory" in reason:
        return BadData.of("sorting_fails.memory", file=file)
    return BadData.of("sorting_fails", file=file, reason=reason[:200])


def find_row(sorted_file: Path, row: int, paths: Sequence[str]) -> tuple[str, int] | None:
    """Where a row of sorted files, counted from 1, stood before: the file and the row in it.

    Reads all files once. None where that is not found.
    """
    import duckdb

    rows = _rows_of(paths, TextForm(), {})
    first = f"min({ROW}) OVER (PARTITION BY {PLACE_COLUMN})"
    with suppress(duckdb.Error), pass_interrupts(), closing(duckdb.connect()) as connection:
        held = f"read_parquet({_text(str(sorted_file))}, file_row_number = true)"
        described = connection.execute(f"DESCRIBE {rows}").fetchall()
        names = [_column(each[0]) for each in described if each[0] not in {PLACE_COLUMN, ROW}]
        same = " AND ".join(f"one.{name} IS NOT DISTINCT FROM other.{name}" for name in names)
        found = connection.execute(
            f"SELECT {PLACE_COLUMN}, nth "
            f"FROM (SELECT *, {ROW} - {first} AS nth FROM ({rows})) AS one "
            f"JOIN (SELECT * FROM {held} WHERE file_row_number = {row - 1}) AS other ON {same} "
            f"ORDER BY {PLACE_COLUMN}, {ROW} LIMIT 1"
        ).fetchone()
        if found is not None:
            return paths[found[0] - 1], found[1] + 1
    return None


def _rows_of(paths: Sequence[str], text: TextForm, folders: Mapping[str, Sequence[str]]) -> str:
    """The query of all rows with their places, and with the columns of their folders."""
    files = _texts(paths)
    at = f"list_position({files}, filename)"
    told = (f"{_texts(held)}[{at}] AS {_column(name)}" for name, held in folders.items())
    place = ", ".join([*told, f"{at} AS {PLACE_COLUMN}"])
    if all(map(is_parquet, paths)):
        return (
            f"SELECT * EXCLUDE (filename, file_row_number), {place}, file_row_number AS {ROW} "
            f"FROM read_parquet({files}, filename = true, file_row_number = true, "
            "hive_partitioning = false)"
        )
    odd = next((path for path in paths if find_format(path) not in {"csv", "tsv"}), None)
    if odd is not None:
        raise BadData.of("not_sortable_format", file=odd)
    packed = next((path for path in paths if path.lower().endswith(NOT_UNPACKED)), None)
    if packed is not None:
        raise BadData.of("not_sortable_packing", file=packed)
    if text.encoding and text.encoding.lower().replace("_", "-") not in UTF_8:
        raise BadData.of("not_utf_8.sorting", file=paths[0])
    delimiter = f", delim = {_text(text.delimiter)}" if text.delimiter else ""
    return (
        f"SELECT * EXCLUDE (filename), {place}, row_number() OVER () AS {ROW} "
        f"FROM read_csv({files}, filename = true, header = true, all_varchar = true, "
        f"hive_partitioning = false, comment = '', quote = '\"', escape = '\"'{delimiter})"
    )


def _order_of(
    connection: Any, rows: str, paths: Sequence[str], column: str, headings: Sequence[str]
) -> str:
    """The expression by which rows are ordered as their times are; raises BadData for texts whose
    order is not that of their times, and where DuckDB reads other headings.
    """
    name = _column(column)
    kinds = {each[0]: str(each[1]) for each in connection.execute(f"DESCRIBE {rows}").fetchall()}
    if other := next((heading for heading in headings if heading not in kinds), None):
        raise BadData.of("column_of_other_name", file=paths[0], column=other)
    kind = kinds[column]
    if kind == "TIMESTAMP_NS":  # as a float of days, which several nanoseconds share
        count = f"epoch_ns({name})"
        day = NANOSECONDS_A_DAY
        rest = f"((({count} % {day}) + {day}) % {day})"
        return f"((({count} - {rest}) // {day}) + {rest}::DOUBLE / {day}) NULLS LAST"
    if kind != "VARCHAR":
        return f"{name} NULLS LAST"
    text = f"trim({name})"
    (plain,) = connection.execute(
        f"SELECT bool_and(regexp_full_match({text}, '{SORTED_TEXT}')) FROM ({rows}) "
        f"WHERE {text} <> ''"
    ).fetchone()
    if plain is False:
        raise BadData.of("unsortable_times", file=paths[0], times=column)
    moment = f"TRY_CAST(rtrim({text}, 'Z') AS TIMESTAMP)"  # of one moment the texts may differ
    return f"{moment} NULLS LAST"


def _column(name: str) -> str:
    """The name of a column in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _texts(values: Sequence[str]) -> str:
    """A list of texts in SQL."""
    return f"[{', '.join(map(_text, values))}]"


def _text(value: str) -> str:
    """A text of SQL."""
    return "'" + value.replace("'", "''") + "'"


@contextmanager
def name_first_place(source: Any, files: Sequence[Path]) -> Iterator[None]:
    """Name in errors about sorted files where the row stood before it was sorted."""
    try:
        yield
    except BadData as error:
        held = next((file for file in files if str(file) == error.file), None)
        if held is not None:
            paths = list_stream_files(source)
            place = None if error.row is None else find_row(held, error.row, paths)
            several = f"one of {paths[0]} to {paths[-1]}"
            error.file, error.row = place or (paths[0] if len(paths) == 1 else several, None)
            if error.remedy == SORT:  # the texts are sorted by another meaning than theirs
                error.remedy = IN_MEMORY
        raise


def sort_files(
    source: Any,
    folder: str | os.PathLike[str],
    *,
    memory: int,
    temp: str | None = None,
    **options: Any,
) -> list[Path]:
    """Write the rows of files into a folder, in order of time, those of one time as they stand.

    `memory` is in bytes, `temp` a folder for what is larger; `options` are
    those of `read_games`. Returns the Parquet files, which `open_stream` reads. Raises BadData for
    files without dates, and where DuckDB is not installed.
    """
    settings, _ = parse_settings("sort_files", options)
    paths = list_stream_files(source)
    with ExitStack() as opened:
        first = open_first(paths[0], settings, opened)
    layout = first.layout
    if layout.time is None or layout.clock:
        if layout.clock is None:
            raise BadData.of("no_time_to_sort", file=paths[0])
        raise BadData.of(
            "no_time_to_sort.two_columns", file=paths[0], time=layout.time, clock=layout.clock
        )
    if is_parquet(paths[0]):
        look_into_parquet([look_at_file(path) for path in paths], settings, first, None)
    else:
        for path in paths[1:]:  # of another file a column that has a meaning would be dropped
            with ExitStack() as opened:
                check_kinds(open_table(path, settings, opened), first)
    text = TextForm(settings.delimiter, settings.encoding)
    folders = _find_folders(paths, settings)
    headings = [name for name in first.table.names if name not in folders]
    return sort_by_time(paths, layout.time, Path(folder), memory, temp, headings, text, folders)


def _find_folders(paths: Sequence[str], settings: ReaderSettings) -> dict[str, list[str]]:
    """The columns that the caller names, that folders such as year=2024 tell of all files, and that
    no file has itself; raises BadData for one that some files have.
    """
    told = [find_partitions(path) for path in paths]
    names = settings.options.named_columns().intersection(set[str]().union(*told))
    own = [*look_at_columns(paths, settings)] if names else []
    found = dict[str, list[str]]()
    for name in sorted(names):
        having = sum(name in columns for columns in own)
        if not having and all(name in each for each in told):
            found[name] = [each[name] for each in told]
        elif having < len(paths):
            raise BadData.of("column_and_folder", file=paths[0], name=name)
    return found
