"""Columns that folders such as year=2024 tell of the files in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from prowess.games.columns import Chunk, InputTable, Values
from prowess.games.layout import Options


def find_partitions(path: str) -> Mapping[str, str]:
    """The columns that folders such as year=2024 tell."""
    pairs = [part.split("=", 1) for part in path.replace("\\", "/").split("/")[:-1] if "=" in part]
    if not pairs:
        return {}
    from urllib.parse import unquote

    return {unquote(key): unquote(value) for key, value in pairs}


def add_partitions(table: InputTable, path: str, options: Options) -> InputTable:
    """The table with those columns of its folders, such as year=2024, that the caller names."""
    told = find_partitions(path)
    found = {
        name: told[name] for name in sorted(options.named_columns() & told.keys() - {*table.names})
    }
    if not found:
        return table

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        for chunk in table.chunks([name for name in wanted if name not in found]):
            constant = {name: Values([found[name]] * chunk.count) for name in found}
            yield replace(chunk, columns={**chunk.columns, **constant})

    return replace(table, names=[*table.names, *found], chunks=chunks)
