"""Databases in one file: SQLite and DuckDB, opened to be read only."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import Any

from prowess.games.columns import InputTable
from prowess.games.errors import BadData
from prowess.games.formats.byte_streams import ByteStream
from prowess.games.formats.opened_tables import Candidate, check_tables, choose_table
from prowess.games.formats.records import column_table
from prowess.games.formats.sources import ReaderSettings
from prowess.games.limits import ARCHIVE, check_size

SQLITE, DUCKDB = b"SQLite format 3\x00", b"DUCK"  # how such files begin, the latter at byte 8
HELD_ROWS = 10_000_000  # of a table, which are held in memory
QUERY_SECONDS = 120.0  # for a query, or for a view that a file declares
ZONED = "TIMESTAMP WITH TIME ZONE"
AS_CSV = "export the table as CSV"
SHOWN_AS = ("name", "title", "username", "nickname", "handle", "player", "team", "club", "label")

Rows = Callable[[str], tuple[list[str], list[Any]]]  # of a query: headings and rows


def read_sqlite(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The table of a SQLite file that holds games, or a query of it; raises BadData."""
    import sqlite3

    name = stream.name
    check_size("the database", stream.size(), ARCHIVE, name, AS_CSV)
    log = None if stream.path is None else Path(f"{stream.path}-wal")
    if log is not None and log.is_file() and log.stat().st_size:
        raise BadData.of("database_in_use", file=name, log=log.name)
    content = bytearray(stream.readall())
    if len(content) > 20:
        content[18:20] = b"\x01\x01"  # a copy in memory has no log beside it
    with closing(sqlite3.connect(":memory:")) as connection:
        allowed = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION,
                   sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_PRAGMA}  # fmt: skip

        def ask(query: str) -> tuple[list[str], list[Any]]:
            try:
                cursor = connection.execute(query)
                rows = cursor.fetchmany(HELD_ROWS + 1)
            except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
                raise query_error(name, query, error, settings) from None
            return [each[0] for each in cursor.description or ()], rows

        try:
            connection.deserialize(bytes(content))
        except sqlite3.Error as error:
            raise query_error(name, "", error, settings) from None
        began = monotonic()
        connection.set_progress_handler(lambda: monotonic() - began > QUERY_SECONDS, 1_000_000)
        connection.set_authorizer(
            lambda action, *_: sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY
        )
        found = ask(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
            "AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
        )[1]
        keys = partial(_sqlite_keys, ask)
        return _read_tables(name, [str(row[0]) for row in found], ask, keys, settings)


def read_duckdb(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The table of a DuckDB file that holds games, or a query of it; raises BadData."""
    import duckdb

    name = stream.name
    with tempfile.TemporaryDirectory() as folder:
        path = stream.path
        if path is None or stream.file is not None:
            path = Path(folder, "copy.duckdb")
            path.write_bytes(stream.readall())
        try:
            connection = duckdb.connect(
                str(path), read_only=True, config={"enable_external_access": "false"}
            )
        except duckdb.Error as error:
            raise query_error(name, "", error, settings) from None
        with closing(connection):

            def ask(query: str) -> tuple[list[str], list[Any]]:
                watch = Timer(QUERY_SECONDS, connection.interrupt)
                watch.start()
                try:
                    cursor = connection.execute(query)
                    if zoned := [each[0] for each in cursor.description or () if each[1] == ZONED]:
                        cursor = connection.execute(_in_utc(query, zoned))
                    rows = cursor.fetchmany(HELD_ROWS + 1)
                except duckdb.Error as error:
                    raise query_error(name, query, error, settings) from None
                finally:
                    watch.cancel()
                return [each[0] for each in cursor.description or ()], rows

            found = ask(
                "SELECT table_name FROM information_schema.tables "
                "WHERE table_schema NOT IN ('information_schema', 'pg_catalog')"
            )[1]
            return _read_tables(name, [row[0] for row in found], ask, lambda _: {}, settings)


def _in_utc(query: str, columns: Sequence[str]) -> str:
    """A query of DuckDB with moments of a zone as those of UTC, which need no further package."""
    named = map(quote_identifier, columns)
    made = ", ".join(f"make_timestamp(epoch_us({name})) AS {name}" for name in named)
    return f"SELECT * REPLACE ({made}) FROM ({query.rstrip().rstrip(';')})"


def query_error(name: str, query: str, error: Exception, settings: ReaderSettings) -> BadData:
    reason = " ".join(str(error).partition("Traceback")[0].split())[:200]
    if reason.casefold().startswith("interrupt"):
        reason = f"it takes more than {QUERY_SECONDS:.0f} seconds"
    if settings.sql is not None and query == settings.sql:
        return BadData.of("query_fails", file=name, reason=reason)
    return BadData.of("damaged_file", file=name, reason=reason)


def _read_tables(
    file: str,
    names: Sequence[str],
    ask: Rows,
    keys: Callable[[str], dict[str, str]],
    settings: ReaderSettings,
) -> InputTable:
    """The table that is meant, with names in place of the numbers that stand for them."""
    if settings.sql is not None:
        if not re.match(r"\s*(?:SELECT|WITH|FROM|VALUES|TABLE)\b", settings.sql, re.IGNORECASE):
            raise BadData.of("not_a_query")
        settings.table_used = True
        return _table(file, *ask(settings.sql))
    if not names:
        raise BadData.of("no_table.database", file=file)
    check_tables(len(names), "table", file)
    columns = {name: ask(f"SELECT * FROM {quote_identifier(name)} LIMIT 0")[0] for name in names}

    def open_one(name: str) -> InputTable:
        headings, rows = ask(f"SELECT * FROM {quote_identifier(name)}")
        lookups = _known_keys(keys(name), headings, columns)
        lookups = lookups or _keys_by_name(headings, name, columns)
        for column, other in lookups.items():
            if pair := _name_columns(columns[other]):
                wanted = ", ".join(map(quote_identifier, pair))
                known = dict(ask(f"SELECT {wanted} FROM {quote_identifier(other)}")[1])
                at = headings.index(column)
                if all(row[at] is None or row[at] in known for row in rows):
                    rows = [(*row[:at], known.get(row[at]), *row[at + 1 :]) for row in rows]
        return _table(file, headings, rows)

    return choose_table(
        file, "table", [Candidate(name, partial(open_one, name)) for name in names], settings
    )


def quote_identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _table(file: str, headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> InputTable:
    if len(rows) > HELD_ROWS:
        raise BadData.of("too_many_rows", file=file, limit=HELD_ROWS)
    columns = list(zip(*rows, strict=True)) or [()] * len(headings)
    if len(set(headings)) < len(headings):
        twice = next(each for each in headings if list(headings).count(each) > 1)
        raise BadData.of("column_twice.query", file=file, twice=twice)
    table = column_table({
        name: [cell.decode("utf-8", "replace") if isinstance(cell, bytes) else cell
               for cell in column]
        for name, column in zip(headings, columns, strict=True)
    })  # fmt: skip
    table.file = file
    return table


def _sqlite_keys(ask: Rows, table: str) -> dict[str, str]:
    """The columns of a table that are keys of other tables, as it declares them."""
    return {row[3]: row[2] for row in ask(f"PRAGMA foreign_key_list({quote_identifier(table)})")[1]}


def _known_keys(
    declared: Mapping[str, str], headings: Sequence[str], columns: Mapping[str, list[str]]
) -> dict[str, str]:
    """The declared keys that point to a table which is there: names have no case in SQLite."""
    tables = {name.casefold(): name for name in columns}
    own = {heading.casefold(): heading for heading in headings}
    return {
        own[column.casefold()]: tables[table.casefold()]
        for column, table in declared.items()
        if column.casefold() in own and table.casefold() in tables
    }


def _keys_by_name(
    headings: Sequence[str], table: str, columns: dict[str, list[str]]
) -> dict[str, str]:
    """The columns called `..._id` for which one other table alone has an id and a name."""
    lookups = [name for name, own in columns.items() if name != table and _name_columns(own)]
    found = {}
    for heading in headings:
        if not re.search(r"(?:_id|Id|_ID)\d?$|^id_", heading) or heading.lower() == "id":
            continue
        own = [name for name in lookups if name.lower().rstrip("s") in heading.lower()] or (
            lookups if len(lookups) == 1 else []
        )
        if len(own) == 1:
            found[heading] = own[0]
    return found


def _name_columns(columns: Sequence[str]) -> tuple[str, str] | None:
    """The columns of a table that hold its keys and the names of what they are of."""
    key = next((each for each in columns if each.lower() == "id"), None)
    key = key or next((each for each in columns if each.lower().endswith("id")), None)
    plain = {re.sub(r"^(?:player|team|club|full|display)_?", "", c.lower()): c for c in columns}
    name = next((plain[each] for each in SHOWN_AS if each in plain), None)
    name = name or next((c for c in columns if c.lower().endswith("name")), None)
    return (key, name) if key and name and key != name else None
