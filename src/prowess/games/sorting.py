"""Put files of games in order of time before they are read as a stream."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any, NamedTuple

from prowess.games.arguments import BadArgument
from prowess.games.dates import NANOSECONDS_A_DAY
from prowess.games.errors import IN_MEMORY, BadData, quote
from prowess.games.formats.byte_streams import PACKED_SUFFIXES, package_error
from prowess.games.formats.locations import is_remote
from prowess.games.formats.opened_tables import find_partitions
from prowess.games.formats.reader_options import parse_settings
from prowess.games.formats.sources import ReaderSettings, find_format
from prowess.games.formats.stream_files import (
    SORT,
    SORTED_TEXT,
    is_parquet,
    list_stream_files,
    look_at_file,
)
from prowess.games.formats.stream_tables import (
    check_kinds,
    look_at_columns,
    look_into_parquet,
    open_first,
    open_table,
)

# Sort files of games by time in bounded memory, by DuckDB.


SHARE_OF_MEMORY = 0.6  # of the memory; DuckDB takes a little more than its limit
UTF_8 = {"utf-8", "utf8", "utf-8-sig"}
UNSORTED_TEXT, AS_UTF_8 = "texts of another encoding are not sorted", "write the files as UTF-8"
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
        raise BadData(
            "only local files are sorted",
            file=path,
            remedy="copy the files first",
            code="not_local",
        )
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
        raise BadArgument(
            f"name another folder for temporary files (temp=, --temp): {where} cannot be written "
            f"to ({error.strerror or error})",
            code="folder_not_writable",
        ) from None


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
    what, remedy = f"the files cannot be sorted ({reason[:200]})", "correct the file, or sort it"
    if any(text in reason for text in FULL_DISK):
        of_run = str(folder) in reason and place not in folder.parents
        what = f"{folder if of_run else place} is full, and the sorted rows do not fit"
        remedy = "give a folder with room for all rows with temp= (--temp)"
        if of_run:
            remedy = "make room, or name another folder with resume= (--resume)"
    elif "utf-8" in reason:
        what, remedy = UNSORTED_TEXT, AS_UTF_8
    elif "Out of Memory" in reason:
        what, remedy = "so little memory sorts no files", "give more with memory= (--memory)"
    return BadData(what, file=file, remedy=remedy, code="sorting_fails")


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
        raise BadData(
            "other files than Parquet and CSV are not sorted",
            file=odd,
            remedy="write it as Parquet or CSV",
            code="not_sortable_format",
        )
    packed = next((path for path in paths if path.lower().endswith(NOT_UNPACKED)), None)
    if packed is not None:
        raise BadData(
            "sorting unpacks .gz and .zst only",
            file=packed,
            remedy="unpack it first",
            code="not_sortable_packing",
        )
    if text.encoding and text.encoding.lower().replace("_", "-") not in UTF_8:
        raise BadData(UNSORTED_TEXT, file=paths[0], remedy=AS_UTF_8, code="not_utf_8")
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
        raise BadData(
            "sorting reads the column by another name", file=paths[0], column=other,
            remedy="rename it, or put all headings into the first line",
            code="column_of_other_name",
        )  # fmt: skip
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
        raise BadData(
            f"the times of {quote(column)} are texts that no sort puts in order",
            file=paths[0],
            remedy=f"write them all as 2024-06-30 or 2024-06-30 17:05:00, or {IN_MEMORY}",
            code="unsortable_times",
        )
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
        what = "no column holds the times of the games"
        if layout.clock:
            what = f"{layout.time} and {layout.clock} hold a time in two columns"
        raise BadData(
            what,
            file=paths[0],
            remedy="name one column with time= (--time)",
            code="no_time_to_sort",
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
            raise BadData(
                f"{quote(name)} is a column of some files and a folder of others",
                file=paths[0],
                remedy=IN_MEMORY,
                code="column_and_folder",
            )
    return found
