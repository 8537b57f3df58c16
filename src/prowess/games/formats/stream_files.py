"""The files of a stream: which they are, what their metadata tell, and their order."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from prowess.games.dates import format_date
from prowess.games.errors import IN_MEMORY, BadData, quote
from prowess.games.formats.locations import list_paths, measure_file, whole_path
from prowess.games.formats.parquet import decode, find_span, opened_parquet
from prowess.games.formats.sources import find_format
from prowess.games.reading import format_count, join_names

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
            raise BadData(
                "a file is named twice", file=path, remedy="name each file once", code="file_twice"
            )
        seen.add(whole)
    parquet = [path for path in paths if is_parquet(path)]
    other = next((path for path in paths if not is_parquet(path)), None)
    if parquet and other is not None:
        raise BadData(
            f"{parquet[0]} is Parquet, and {other} is not",
            remedy="name files of one format, all Parquet or all CSV",
            code="mixed_formats",
        )
    return paths


def _list_files(source: Any) -> list[str]:
    if isinstance(source, str | os.PathLike):
        return list_paths(source)
    if isinstance(source, Sequence) and source and not isinstance(source, bytes):
        return [path for each in source for path in _list_files(each)]
    raise BadData(
        "a stream is read from files",
        remedy="give paths, or read the games with read_games",
        code="not_files",
    )


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
        raise BadData(
            "the file has changed while it was read",
            file=file.path,
            remedy="read it again when nothing writes to it",
            code="file_changed",
        )


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
            raise BadData(
                f"games of {format_date(begin)} follow those of {files[before].path}, which "
                f"end at {format_date(end)}",
                file=files[after].path,
                remedy=order_remedy(_first_cell(files[after].path, time)),
                code="files_out_of_order",
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
            raise BadData(
                f"column {quote(name)} of {first_file} holds {known}, and here is {held}",
                file=file.path,
                remedy="write the files with one schema, or read them one by one",
                code="other_schema",
            )
