"""One table of several: the sheets of a workbook, the tables of a database, the files of a zip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from prowess.games.columns import InputTable
from prowess.games.errors import BadData, quote
from prowess.games.formats.sources import ReaderSettings
from prowess.games.layout import Options
from prowess.games.limits import MEMBER_LIMIT
from prowess.games.reading import list_some
from prowess.games.roles.roles import find_layout

TABLES_SHOWN = 12  # tables that a message names


class Candidate(NamedTuple):
    """A table that may be meant."""

    name: str
    open: Callable[[], InputTable]
    hidden: bool = False


def choose_table(
    file: str, word: str, candidates: Sequence[Candidate], settings: ReaderSettings
) -> InputTable:
    """The table that the caller names, or the only one that holds games; raises BadData.

    Args:
        file: for messages.
        word: what a table is called there: sheet, table or file.
        candidates: all tables, in their order.
        settings: `table` names one.
    """
    if settings.table is not None:
        settings.table_used = True
        return _named_table(file, word, candidates, settings.table).open()
    if len(candidates) == 1:
        return candidates[0].open()
    found: list[tuple[str, InputTable]] = []
    for candidate in candidates:
        if candidate.hidden:
            continue
        try:
            table = candidate.open()
            if holds_games(table, settings.options):
                found.append((candidate.name, table))
        except BadData:
            continue  # not a table of games
    if len(found) == 1:
        name, table = found[0]
        others = ", ".join(quote(each.name) for each in candidates if each.name != name)
        return replace(table, notes=(*table.notes, f"{word} {quote(name)} is read, not {others}"))
    known = [name for name, _ in found] or [each.name for each in candidates]
    names = list_some([*map(quote, known)], TABLES_SHOWN)
    if found:
        raise BadData(
            f"there are {len(found)} {word}s of games: {names}",
            file=file,
            remedy=f'name one with table="{found[0][0]}" (--table)',
            code="several_tables",
        )
    raise BadData(
        f"no {word} looks like a table of games; there are {names}",
        file=file,
        remedy="name one with table= (--table), and its columns",
        code="no_table_of_games",
    )


def check_tables(count: int, word: str, file: str) -> None:
    """Refuse a file of more tables than anybody looks through; raises BadData."""
    if count > MEMBER_LIMIT:
        raise BadData(
            f"more than {MEMBER_LIMIT} {word}s", file=file, remedy="save one as CSV",
            code="too_many_tables",
        )  # fmt: skip


def _named_table(file: str, word: str, candidates: Sequence[Candidate], name: str) -> Candidate:
    plain = name.strip().casefold()
    found = [each for each in candidates if each.name == name]
    found = found or [each for each in candidates if each.name.casefold() == plain]
    if found:
        return found[0]
    names = list_some([quote(each.name) for each in candidates], TABLES_SHOWN)
    raise BadData(
        f"there is no {word} {quote(name)}",
        file=file,
        remedy=f"name one of {names} with table=",
        code="no_such_table",
    )


def holds_games(table: InputTable, options: Options) -> bool:
    """Whether a table can be read as games or contests and has rows."""
    from prowess.games.shapes.shapes import shape_table

    try:
        shaped, headings = shape_table(table, options)
        find_layout(headings)
    except BadData:
        return False
    return bool(shaped.names) and any(chunk.count for chunk in table.chunks(table.names[:1]))
