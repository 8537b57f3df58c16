"""The keywords of a stream: those of `read_games` that need no more than one row after another."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from prowess.games.cells.skipped_rows import SkippedRows
from prowess.games.errors import IN_MEMORY, BadData
from prowess.games.formats.reader_options import parse_options
from prowess.games.formats.sources import ReaderSettings
from prowess.games.layout import Options
from prowess.games.read import read_games


def parse_settings(function: str, options: Mapping[str, Any]) -> tuple[ReaderSettings, SkippedRows]:
    """The settings of a reader that sees a table once; raises BadData and TypeError."""
    known = {name: one.default for name, one in signature(read_games).parameters.items()}
    del known["source"]
    for name in options.keys() - known.keys():
        raise TypeError(f"{function}() has no keyword {name}=")
    given = {**known, **options}
    chosen = parse_options(given)
    _refuse_whole_tables(chosen, given)
    settings = ReaderSettings(
        chosen,
        given["format"],
        given["delimiter"],
        given["encoding"],
        given["compiled"],
        given["table"],
    )
    return settings, SkippedRows(given["skip_bad"], given["report"])


def _refuse_whole_tables(options: Options, given: Mapping[str, Any]) -> None:
    """Refuse options that need all rows of a table; raises BadData."""
    needs = {
        "per": options.per, "with_": options.along, "family": options.family,
        "forecast": given["forecast"], "odds": given["odds"], "names": given["names"],
        "sql": given["sql"], "share": "share" in options.roles,
        "order": options.order not in {None, "file"},
    }  # fmt: skip
    for name, needed in needs.items():
        if needed:
            raise BadData(
                f"{name}= needs all rows of a table", remedy=IN_MEMORY, code="needs_whole_table"
            )
