"""The records of a JSON document: lists of them, players in parallel lists or under keys, and the
key that holds the moment of a game.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple

from prowess.games.formats.nested_records import SIDES, is_list
from prowess.games.roles.date_headings import DATE_LIKE
from prowess.games.vocabulary import is_date, read_heading

DEEPEST = 8  # objects within objects in which lists of records are looked for


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
        if lengths != {0} and len(lengths) == 1 and not any(map(_holds_more, parts)):
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


def _holds_more(column: list[Any]) -> bool:
    return any(isinstance(each, dict | list) for each in column)


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
    if depth <= DEEPEST and isinstance(document, Mapping):
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
    if not beside and not (told and all(len(each[name]) == len(SIDES) for each in records)):
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
    if len(values) != len(SIDES) or not numbers or "place" not in read_heading(own).subjects:
        return own, values[at]
    one, other = values[at], values[1 - at]
    return "score", 0.5 if one == other else float(one < other)


def _is_plain_list(value: Any) -> bool:
    return isinstance(value, list) and len(value) >= len(SIDES) and not is_list(value)


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
    keyed = [key for key in keyed if all(_have_keys(each, key, keyed[0]) for each in records)]
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


def _have_keys(record: Mapping[str, Any], key: str, other: str) -> bool:
    return {*record[key]} == {*record[other]}


def _are_players(objects: Sequence[Mapping[str, Any]]) -> bool:
    """Whether keys may be names: no word of a heading, and others in one record than another."""
    keys = {key for each in objects for key in each}
    known = [key for key in keys if (meaning := read_heading(key)).subjects or meaning.spoiled]
    return not known and any({*each} != keys for each in objects)


def _lists(value: Any, names: Sequence[str]) -> bool:
    """Whether a value is a list of these names."""
    return isinstance(value, list) and sorted(map(str, value)) == sorted(names)


# The key that holds the moment of a game


MOMENTS = ("ended", "finished", "completed", "played", "closed", "", "when", "started", "created")
MOMENT = re.compile(r"[12][0-9]{3}-[01][0-9]-[0-3][0-9]")
EARLIEST = 1e8  # seconds since 1970 that are a moment and no count


def name_moment(flat: list[dict[str, Any]], asked: Set[str]) -> list[dict[str, Any]]:
    """Records whose moment, such as `finished_at`, is called a date, where no key says it."""
    keys = dict.fromkeys(key for each in flat for key in each)
    if "date" in keys or any(DATE_LIKE.search(key) and is_date(key) for key in keys):
        return flat
    plain = {moment_word(key): key for key in keys if key not in asked}
    for word in MOMENTS:
        key = plain.get(word)
        if key is not None and all(map(is_moment, (each.get(key) for each in flat))):
            return [{"date" if key == name else name: value for name, value in each.items()}
                    for each in flat]  # fmt: skip
    return flat


def moment_word(key: str) -> str | None:
    """The word of a key that may be a moment: `finished` of `match.finishedAt`."""
    last = key.rpartition(".")[2].lower()
    for ending in ("_at", "at", "_time", "time", "_on"):
        if last.endswith(ending) and last.removesuffix(ending) in MOMENTS:
            return last.removesuffix(ending)
    return last if last in MOMENTS[:5] + MOMENTS[6:] else None


def is_moment(value: Any) -> bool:
    """Whether a value is missing, an ISO date, or so many seconds that it may be a moment."""
    if isinstance(value, str):
        return MOMENT.match(value) is not None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value is None or (number and value >= EARLIEST)
