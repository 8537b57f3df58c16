"""The files of a stream as tables, whose rows are read in their order."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from prowess.compile import kernel
from prowess.games.columns import InputTable
from prowess.games.errors import IN_MEMORY, BadData, FallBackToSlowReader
from prowess.games.formats.heading_rows import check_headings
from prowess.games.formats.locations import open_source
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
    open_parquet,
    opened_parquet,
    parquet_table,
    parts_of_groups,
)
from prowess.games.formats.read_ahead import run_ahead
from prowess.games.formats.sources import ReaderSettings, open_bytes
from prowess.games.formats.stream_files import (
    StreamFile,
    add_metadata,
    check_schema,
    check_unchanged,
    is_parquet,
)
from prowess.games.layout import Layout, Options
from prowess.games.roles.roles import find_layout
from prowess.games.shapes.shapes import shape_table

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
        raise BadData(
            f"all rows are needed: {shape}",
            file=table.file,
            remedy=IN_MEMORY,
            code="needs_whole_table",
        )
    layout = find_layout(headings)
    settings.check_plan(table, layout)
    if layout.kind != "games":
        raise BadData(
            "a stream is of games between two sides, and these are contests",
            file=table.file,
            remedy=IN_MEMORY,
            code="contests_not_streamed",
        )
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
        raise BadData(
            f"the file has other kinds of columns than {first.table.file}",
            file=table.table.file,
            line=table.table.heading,
            remedy="read the files one by one, or name their columns",
            code="other_columns",
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
