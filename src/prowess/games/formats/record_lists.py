"""The lists of records within a JSON document: objects, arrays of arrays, columns, ballots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

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
