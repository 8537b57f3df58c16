"""JSON: arrays, lines, columns and nested documents, as tables.

A document of a known site becomes rows by its own function. In any other one the list of records
is found, and what is nested in them becomes columns such as `home.name`: two competitors of each
record are its two sides, a list of many is a contest, a list of games is a table of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from typing import Any, Literal

from prowess.games.columns import InputTable
from prowess.games.errors import BadData, quote
from prowess.games.formats.byte_streams import ByteStream
from prowess.games.formats.choice import Candidate, choose_table
from prowess.games.formats.encodings import decode_text
from prowess.games.formats.nested_records import (
    explode_records,
    is_competition,
    is_nested,
)
from prowess.games.formats.record_lists import (
    RecordList,
    find_inner,
    find_lists,
    find_table,
    list_keyed_players,
    name_moment,
    pair_lists,
    unwrap,
)
from prowess.games.formats.records import Row, record_table, refuse_row, told_table
from prowess.games.formats.sites import (
    Names,
    ResultSite,
    find_path,
    has_path,
    load_sites,
)
from prowess.games.formats.sources import ReaderSettings
from prowess.games.formats.transcripts import choose_games

LOOKED_AT = 20  # records that show what a list holds
NAMES = (
    "name", "username", "display_name", "displayName", "nickname", "handle", "title", "teamName",
    "attributes.name", "attributes.username",
)  # fmt: skip


def read_json(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """A JSON array of objects, one object a line, or a document that holds them; raises BadData."""
    name = stream.name
    content = decode_text(name, stream.readall(), settings.encoding)
    document, lines = parse_document(name, content)
    try:
        if lines is not None:
            return document_table(name, RecordList("", document, {}), lines, {}, settings)
        names = find_names(document)
        lists = find_records(document)
        if len(lists) == 1 and settings.table is None:
            return document_table(name, lists[0], None, names, settings)
        candidates = [
            Candidate(each.path, partial(document_table, name, each, None, names, settings))
            for each in lists
        ]
        return choose_table(name, "list", candidates, settings)
    except RecursionError:
        raise BadData(
            "the objects are nested too deeply", file=name, code="nested_too_deeply"
        ) from None


def document_table(
    name: str, found: RecordList, lines: list[int] | None, names: Names, settings: ReaderSettings
) -> InputTable:
    """A list of records as a table: by its site, by what is nested in it, or as it is."""
    notes: tuple[str, ...] = (
        (f"the records are those of {quote(found.path)}",) if found.path else ()
    )
    records = unwrap(found.records)
    site = find_site(records)
    if site is None and lines is None:
        inner = (each for each in find_inner(records) if find_site(each) is not None)
        records = next(inner, records)
        site = find_site(records)
    if site is not None:
        return site_table(name, site, records, lines, found.around, names, settings)
    asked = settings.options.named_columns()
    if isinstance(records, list):
        kept, said = choose_games(records)
        if said and not asked:
            places = lines or range(1, len(records) + 1)
            lines = [places[at] for at in kept]
            records, notes = [records[at] for at in kept], (*notes, *said)
        records = list_keyed_players(pair_lists(records, asked), asked)
    if is_nested(records):
        return nested_table(name, records, lines, names, notes, asked)
    if isinstance(records, list) and all(isinstance(each, Mapping) for each in records):
        records, said = name_ids(records, names)
        records = name_moment(records, asked)
        notes += said
    return record_table(name, records, lines, notes=notes)


# Parsing


def parse_document(name: str, content: str) -> tuple[Any, list[int] | None]:
    """A document, or records with their lines; raises BadData."""
    start = content.lstrip()
    if start.startswith("[") or not is_lines(start):
        return parse_json(name, content, None), None
    records, lines = [], []
    for at, line in enumerate(content.replace("\r\n", "\n").split("\n"), 1):
        if line.strip():
            records.append(parse_json(name, line, at))
            lines.append(at)
    if len(records) == 1 and isinstance(records[0], dict) and is_document(records[0]):
        return records[0], None
    return records, lines


def is_lines(start: str) -> bool:
    """Whether the first line of a text is a value of its own, or no value at all."""
    first, _, rest = start.partition("\n")
    if not rest.strip():
        return True
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return first.rstrip().endswith("}")
    return True


def is_document(value: Mapping[str, Any]) -> bool:
    """Whether an object holds records, and is not the only one of them."""
    return find_lists(value) != [] or find_table(value) is not None


def parse_json(name: str, content: str, line: int | None) -> Any:
    """A value; raises BadData."""
    try:
        return json.loads(content, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        at = error.lineno if line is None else line
        raise BadData(
            f"not JSON: {error.msg} at character {error.colno}",
            file=name,
            line=at,
            remedy="write each line as one object, such as "
            '{"player_a": "Ann", "player_b": "Bob", "result": "1-0"}',
            code="not_json",
        ) from None
    except KeyTwice as twice:
        raise BadData(
            f"the key {quote(twice.args[0])} stands twice in one object",
            file=name,
            line=line,
            code="key_twice",
        ) from None
    except (ValueError, RecursionError) as error:
        raise BadData(f"not JSON: {error}", file=name, line=line, code="not_json") from None


class KeyTwice(Exception):
    """A key that stands twice in one object."""


def _object(pairs: list[tuple[str, Any]]) -> Any:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise KeyTwice(next(key for key in keys if keys.count(key) > 1))
    if len(found) == 1:
        ((key, value),) = pairs
        if key in EXTENDED:  # as MongoDB writes what JSON has no word for
            return EXTENDED[key](value)
    return found


def _as_number(value: Any) -> Any:
    try:
        return float(value) if "." in value else int(value)
    except (TypeError, ValueError):
        return value


EXTENDED: Mapping[str, Callable[[Any], Any]] = {
    "$oid": str, "$date": lambda value: value, "$numberInt": _as_number,
    "$numberLong": _as_number, "$numberDouble": _as_number, "$numberDecimal": _as_number,
}  # fmt: skip


# The records of a document


def find_records(document: Any) -> list[RecordList]:
    """The lists of records that may be meant: those of a known site, else those of competitions."""
    if isinstance(document, list):
        table = find_table(document)
        return [RecordList("", document if table is None else table, {})]
    if (table := find_table(document)) is not None:
        return [RecordList("", table, {})]
    found = find_lists(document)
    told = [each for each in found if find_site(unwrap(each.records)) is not None]
    if not told and len(found) > 1:
        told = [each for each in found if is_competition(unwrap(each.records))]
    return told or found or [RecordList("", [document], {})]


def find_names(document: Any) -> dict[Any, str]:
    """The names of what has an id and a name, in all lists of a document.

    An id that stands for two names in lists of different kinds is that of the list of players,
    participants or teams.
    """
    names: dict[Any, str] = {}
    for each in find_lists(document):
        weight = any(word in each.path.lower() for word in ("player", "participant", "team"))
        for record in unwrap(each.records):
            key = record.get("id") if isinstance(record, Mapping) else None
            if not isinstance(key, int | str):
                continue
            found = (find_path(record, path) for path in NAMES)
            text = next((text for text in found if isinstance(text, str) and text.strip()), None)
            if text is not None and (weight or key not in names):
                names[key] = text
                if weight:
                    names.setdefault(str(key), text)
    return names


# Tables of records


def find_site(records: Any) -> ResultSite | None:
    """The site whose games these are, None if it is none that is known."""
    if not isinstance(records, list):
        return None
    looked_at = [each for each in records[:LOOKED_AT] if isinstance(each, Mapping)]
    return next((site for site in load_sites() if any(map(site.fits, looked_at))), None)


def site_table(
    name: str, site: ResultSite, records: list[Any], lines: list[int] | None,
    around: Mapping[str, Any], names: Names, settings: ReaderSettings,
) -> InputTable:  # fmt: skip
    """The games of a site as a table; columns of its own are there where the caller names them."""
    told: list[tuple[int, Row]] = []
    asked = settings.options.named_columns()
    for at, record in enumerate(records):
        try:
            rows = [*site.rows(record, names, around)]
        except (TypeError, ValueError, AttributeError, KeyError, IndexError):
            what = f"{quote(record)} is not one of {site.name}"
            rows = [refuse_row(what, code="not_of_the_site")]
        own = {path: find_path(record, path) for path in asked if has_path(record, path)}
        told += [(at + 1 if lines is None else lines[at], {**own, **row}) for row in rows]
    unit: Literal["row", "line"] = "row" if lines is None else "line"
    return told_table(name, told, (f"read as {site.name}",), unit, asked)


def nested_table(
    name: str, records: Sequence[Any], lines: list[int] | None, names: Names,
    notes: tuple[str, ...], asked: Set[str],
) -> InputTable:  # fmt: skip
    """Nested records as a table with columns such as `home.name`."""
    if not all(isinstance(record, Mapping) for record in records):
        return record_table(name, records, lines)  # which refuses it
    flat, origins = explode_records(records, asked)
    places = [at + 1 if lines is None else lines[at] for at in origins]
    named, said = name_ids(flat, names)
    named = name_moment(named, asked)
    return record_table(
        name, named, places, notes=(*notes, *said), unit="row" if lines is None else "line"
    )


def name_ids(
    records: list[dict[str, Any]], names: Names
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Records whose ids of players are the names that stand beside them."""
    if not names:
        return records, ()
    headings = dict.fromkeys(key for record in records for key in record)
    by_id = [key for key in headings if is_reference(key) and _all_named(records, key, names)]
    for key in by_id:
        for record in records:
            if record.get(key) is not None:
                record[key] = names[record[key]]
    if not by_id:
        return records, ()
    shown = ", ".join(map(quote, by_id[:4]))
    renamed = {key: bare_heading(key) for key in by_id if bare_heading(key) not in headings}
    changed = [{renamed.get(key, key): value for key, value in each.items()} for each in records]
    return changed, (f"the ids of {shown} are replaced by the names beside them",)


REFERENCES = ("_id", "Id", "RefId", "_ref", "ID", ".id")


def is_reference(heading: str) -> bool:
    """Whether a heading is that of ids of something else, such as `player1_id`."""
    return heading.endswith(REFERENCES)


def bare_heading(heading: str) -> str:
    """The heading of an id without the word for it."""
    for ending in sorted(REFERENCES, key=len, reverse=True):
        if heading.endswith(ending) and len(heading) > len(ending):
            return heading.removesuffix(ending)
    return heading


def _all_named(records: list[dict[str, Any]], key: str, names: Names) -> bool:
    held = [record.get(key) for record in records]
    keys = [each for each in held if each is not None]
    return bool(keys) and all(isinstance(each, int | str) and each in names for each in keys)
