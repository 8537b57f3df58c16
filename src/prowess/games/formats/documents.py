"""JSON: arrays, lines, columns and nested documents, as tables.

A document of a known site becomes rows by its own function. In any other one the list of records
is found, and what is nested in them becomes columns such as `home.name`: two competitors of each
record are its two sides, a list of many is a contest, a list of games is a table of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from typing import Any, Literal, NamedTuple

from prowess.games.columns import InputTable
from prowess.games.errors import BadData, quote
from prowess.games.formats.byte_streams import ByteStream
from prowess.games.formats.encodings import decode_text
from prowess.games.formats.nested_records import (
    SIDE_KEYS,
    explode_records,
    is_competition,
    is_list,
    is_nested,
)
from prowess.games.formats.opened_tables import Candidate, choose_table
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
from prowess.games.roles.roles import DATE_LIKE
from prowess.games.vocabulary import is_date, read_heading

RECORDS_LOOKED_AT = 20  # records that show what a list holds
KEYS_OF_NAMES = (
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
        raise BadData.of("nested_too_deeply", file=name) from None


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
        raise BadData.of(
            "not_json.line", file=name, line=at, error=error.msg, at=error.colno
        ) from None
    except KeyTwice as twice:
        raise BadData.of("key_twice", file=name, line=line, key=twice.args[0]) from None
    except (ValueError, RecursionError) as error:
        raise BadData.of("not_json.document", file=name, line=line, error=error) from None


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
            found = (find_path(record, path) for path in KEYS_OF_NAMES)
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
    looked_at = [each for each in records[:RECORDS_LOOKED_AT] if isinstance(each, Mapping)]
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


# The records of a JSON document: lists of them, players in parallel lists or under keys, and the
# key that holds the moment of a game.


DEEPEST_LIST = 8  # objects within objects in which lists of records are looked for


class RecordList(NamedTuple):
    """A list of records of a document: where it stands, and the objects around it."""

    path: str
    records: list[Any]
    around: Mapping[str, Any]


def find_table(value: Any) -> list[Any] | None:
    """The records of an array of arrays or of columns, or of an object of records by id."""
    if isinstance(value, list):
        return ballot_records(value) or array_records(value)
    if not isinstance(value, dict) or not value:
        return None
    if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        return array_records([value["columns"], *value["data"]])
    parts = list(value.values())
    if len(value) > 1 and all(isinstance(part, list) for part in parts):
        lengths = {len(part) for part in parts}
        if (
            lengths != {0}
            and len(lengths) == 1
            and not any(isinstance(each, dict | list) for part in parts for each in part)
        ):
            return [dict(zip(value, row, strict=True)) for row in zip(*parts, strict=True)]
    if len(value) > 1 and all(isinstance(part, dict) and part for part in parts):
        inner = {key for part in parts for key in part}
        if all(map(str.isdigit, inner)):
            if all(map(str.isdigit, value)):
                return None
            return [{key: value[key].get(at) for key in value} for at in sorted(inner, key=int)]
        common = set(parts[0]).intersection(*parts)
        if len(common) > 1 and 2 * len(common) > len(inner) and is_record(parts[0]):
            return parts
    return None


def is_record(value: Mapping[str, Any]) -> bool:
    """Whether an object has values of its own, not only objects within it."""
    return any(not isinstance(each, dict | list) for each in value.values())


def array_records(rows: list[Any]) -> list[Any] | None:
    """The records of an array of arrays of which the first is the headings; else None."""
    if len(rows) < 2 or not all(isinstance(row, list) for row in rows):
        return None
    head = rows[0]
    if not head or not all(isinstance(each, str) for each in head) or len(set(head)) < len(head):
        return None
    if any(len(row) > len(head) for row in rows):
        return None
    return [dict(zip(head, row, strict=False)) for row in rows[1:]]


def ballot_records(rows: list[Any]) -> list[Any] | None:
    """The rows of ballots, which are lists of names, best first; those of a list in it are tied."""
    if len(rows) < 2 or not all(isinstance(row, list) and len(row) > 1 for row in rows):
        return None
    groups = [[each if isinstance(each, list) else [each] for each in row] for row in rows]
    if not all(isinstance(one, str) for row in groups for group in row for one in group):
        return None
    named = [[one for group in row for one in group] for row in groups]
    everybody = {one for row in named for one in row}
    if any(len(set(row)) < len(row) for row in named) or not set(named[0]) & {
        one for row in named[1:] for one in row
    }:
        return None
    if 3 * len(everybody) > 2 * sum(map(len, named)):
        return None  # hardly anyone stands in two of them
    records: list[Any] = []
    for at, row in enumerate(groups, 1):
        place = 1
        for group in row:
            records += [{"contest": at, "player": one, "place": place} for one in group]
            place += len(group)
    return records


def find_lists(document: Any, path: str = "", depth: int = 0) -> list[RecordList]:
    """All lists of records within an object."""
    found = []
    if depth <= DEEPEST_LIST and isinstance(document, Mapping):
        for key, value in document.items():
            here = f"{path}.{key}" if path else str(key)
            if isinstance(value, list) and value:
                if all(isinstance(each, Mapping) for each in value):
                    found.append(RecordList(here, value, document))
                elif (table := find_table(value)) is not None:
                    found.append(RecordList(here, table, document))
            elif isinstance(value, Mapping) and value:
                table = find_table(value) if all(map(str.isdigit, value)) else None
                if table is not None:
                    found.append(RecordList(here, table, document))
                else:
                    found += find_lists(value, here, depth + 1)
    return found


def unwrap(records: Any) -> Any:
    """Records of which each is the only value of an object, `{"match": {...}}`, by themselves."""
    while (
        isinstance(records, list)
        and records
        and all(isinstance(each, Mapping) and len(each) == 1 for each in records)
        and len({key for each in records for key in each}) == 1
        and all(isinstance(value, Mapping) for each in records for value in each.values())
    ):
        records = [next(iter(each.values())) for each in records]
    return records


def find_inner(records: Any) -> list[list[Any]]:
    """The lists that stand in each of some records, `dates[].games[]`, each as one list."""
    inner: dict[str, list[Any]] = {}
    for record in records if isinstance(records, list) else ():
        for key, value in record.items() if isinstance(record, Mapping) else ():
            if isinstance(value, list):
                inner.setdefault(key, []).extend(value)
    return list(inner.values())


# Players in parallel lists, `agents` and `scores`, or as the keys of several objects


def pair_lists(records: Sequence[Any], asked: Set[str] = frozenset()) -> Sequence[Any]:
    """Records with a list of players in place of parallel lists: of their names, and of what each
    achieved, `agents` and `scores`. Two names beside a result are such a list, too.
    """
    if not records or not all(isinstance(each, Mapping) for each in records):
        return records
    lists = [
        key for key in records[0]
        if key not in asked and all(_is_plain_list(each.get(key)) for each in records)
    ]  # fmt: skip
    players = [key for key in lists if read_heading(_singular(key)).is_of("player")]
    players = [key for key in players if all(_are_names(each[key]) for each in records)]
    if len(players) != 1:
        return records
    name = players[0]
    beside = [
        key for key in lists
        if key != name and all(len(each[key]) == len(each[name]) for each in records)
        and read_heading(_singular(key)).subjects & {"points", "place", "result"}
        and not any(isinstance(value, str | list) for each in records for value in each[key])
    ]  # fmt: skip
    told = [
        key for key in dict.fromkeys(key for each in records for key in each) if key not in lists
        and ("winner" in read_heading(key).sides or read_heading(key).is_of("result"))
    ]  # fmt: skip
    if not beside and not (told and all(len(each[name]) == len(SIDE_KEYS) for each in records)):
        return records
    return [
        {key: value for key, value in each.items() if key not in beside} | {
            name: [
                {"player": who, **dict(_achievement(key, each[key], at) for key in beside)}
                for at, who in enumerate(each[name])
            ]
        }
        for each in records
    ]  # fmt: skip


def _achievement(key: str, values: Sequence[Any], at: int) -> tuple[str, Any]:
    """What one of several achieved; of the places of two the score."""
    own = _singular(key)
    numbers = all(isinstance(value, int | float) for value in values)
    if len(values) != len(SIDE_KEYS) or not numbers or "place" not in read_heading(own).subjects:
        return own, values[at]
    one, other = values[at], values[1 - at]
    return "score", 0.5 if one == other else float(one < other)


def _is_plain_list(value: Any) -> bool:
    return isinstance(value, list) and len(value) >= len(SIDE_KEYS) and not is_list(value)


def _are_names(values: Sequence[Any]) -> bool:
    """Whether values are names, or lists of the names of members."""
    return all(
        isinstance(each, str)
        or (isinstance(each, list) and bool(each) and all(isinstance(one, str) for one in each))
        for each in values
    )


def _singular(key: str) -> str:
    """The key of one of several: rank of `ranks`."""
    bare = key.removesuffix("s")
    return bare if read_heading(bare).subjects else key


def list_keyed_players(records: Sequence[Any], asked: Set[str] = frozenset()) -> Sequence[Any]:
    """Records with a list of players in place of objects keyed by them, of which each has what the
    players achieved: `{"points": {"ann": 1, "ben": 0}, "places": {"ann": 1, "ben": 2}}`.

    One such object alone is a row of a wide table, and stays, as do those of which a column such
    as `points.ann` is `asked` for.
    """
    if not records or not all(isinstance(each, Mapping) for each in records):
        return records
    keyed = [
        key for key in records[0]
        if not any(name.startswith(f"{key}.") for name in asked)
        and all(_holds_numbers(each.get(key)) for each in records)
    ]  # fmt: skip
    keyed = [
        key for key in keyed
        if all(each[key].keys() == each[keyed[0]].keys() for each in records)
    ]  # fmt: skip
    if len(keyed) < 2 or not _are_players([each[keyed[0]] for each in records]):
        return records
    made = []
    for each in records:
        names = [*each[keyed[0]]]
        rest = {key: value for key, value in each.items() if key not in keyed}
        rest = {key: value for key, value in rest.items() if not _lists(value, names)}
        players = [{"player": who, **{key: each[key][who] for key in keyed}} for who in names]
        made.append({**rest, "players": players})
    return made


def _holds_numbers(value: Any) -> bool:
    return isinstance(value, Mapping) and len(value) > 1 and all(
        isinstance(one, int | float) and not isinstance(one, bool) for one in value.values()
    )  # fmt: skip


def _are_players(objects: Sequence[Mapping[str, Any]]) -> bool:
    """Whether keys may be names: no word of a heading, and others in one record than another."""
    keys = {key for each in objects for key in each}
    known = [key for key in keys if (meaning := read_heading(key)).subjects or meaning.spoiled]
    return not known and any({*each} != keys for each in objects)


def _lists(value: Any, names: Sequence[str]) -> bool:
    """Whether a value is a list of these names."""
    return isinstance(value, list) and sorted(map(str, value)) == sorted(names)


# The key that holds the moment of a game


TIMES_OF = ("ended", "finished", "completed", "played", "closed", "", "when", "started", "created")
MOMENT_LIKE = re.compile(r"[12][0-9]{3}-[01][0-9]-[0-3][0-9]")
EARLIEST = 1e8  # seconds since 1970 that are a moment and no count


def name_moment(flat: list[dict[str, Any]], asked: Set[str]) -> list[dict[str, Any]]:
    """Records whose moment, such as `finished_at`, is called a date, where no key says it."""
    keys = dict.fromkeys(key for each in flat for key in each)
    if "date" in keys or any(DATE_LIKE.search(key) and is_date(key) for key in keys):
        return flat
    plain = {moment_word(key): key for key in keys if key not in asked}
    for word in TIMES_OF:
        key = plain.get(word)
        if key is not None and all(map(is_moment, (each.get(key) for each in flat))):
            return [{"date" if key == name else name: value for name, value in each.items()}
                    for each in flat]  # fmt: skip
    return flat


def moment_word(key: str) -> str | None:
    """The word of a key that may be a moment: `finished` of `match.finishedAt`."""
    last = key.rpartition(".")[2].lower()
    for ending in ("_at", "at", "_time", "time", "_on"):
        if last.endswith(ending) and last.removesuffix(ending) in TIMES_OF:
            return last.removesuffix(ending)
    return last if last in TIMES_OF[:5] + TIMES_OF[6:] else None


def is_moment(value: Any) -> bool:
    """Whether a value is missing, an ISO date, or so many seconds that it may be a moment."""
    if isinstance(value, str):
        return MOMENT_LIKE.match(value) is not None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value is None or (number and value >= EARLIEST)
