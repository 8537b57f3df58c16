"""Put files of games in order of time before they are read as a stream."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from prowess.games.errors import IN_MEMORY, BadData, quote
from prowess.games.formats.external_sort import TextForm, find_row, sort_by_time
from prowess.games.formats.opened_tables import find_partitions
from prowess.games.formats.sources import ReaderSettings
from prowess.games.formats.stream_files import SORT, is_parquet, list_stream_files, look_at_file
from prowess.games.formats.stream_tables import (
    check_kinds,
    look_at_columns,
    look_into_parquet,
    open_first,
    open_table,
)
from prowess.games.stream_options import parse_settings


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
