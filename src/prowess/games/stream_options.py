"""The keywords of a stream: those of `read_games` that need no more than one row after another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prowess.games.cells.skipped_rows import SkippedRows
from prowess.games.errors import IN_MEMORY, BadData
from prowess.games.formats.reader_options import ReaderOptions, make_settings
from prowess.games.formats.sources import ReaderSettings
from prowess.games.layout import Options


def parse_settings(function: str, options: Mapping[str, Any]) -> tuple[ReaderSettings, SkippedRows]:
    """The settings of a reader that sees a table once; raises BadData and TypeError."""
    given = ReaderOptions.of(function, options)
    settings = make_settings(given)
    _refuse_whole_tables(settings.options, given)
    return settings, SkippedRows(given.skip_bad, given.report)


def _refuse_whole_tables(options: Options, given: ReaderOptions) -> None:
    """Refuse options that need all rows of a table; raises BadData."""
    needs = {
        "per": options.per, "with_": options.along, "family": options.family,
        "forecast": given.forecast, "odds": given.odds, "names": given.names,
        "sql": given.sql, "share": "share" in options.roles,
        "order": options.order not in {None, "file"},
    }  # fmt: skip
    for name, needed in needs.items():
        if needed:
            raise BadData(
                f"{name}= needs all rows of a table", remedy=IN_MEMORY, code="needs_whole_table"
            )
