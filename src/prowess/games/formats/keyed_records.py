"""Records with several objects whose keys are the players of each record: `points` and `places`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from prowess.games.vocabulary import read_heading


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
    return record[key].keys() == record[other].keys()


def _are_players(objects: Sequence[Mapping[str, Any]]) -> bool:
    """Whether keys may be names: no word of a heading, and others in one record than another."""
    keys = {key for each in objects for key in each}
    known = [key for key in keys if (meaning := read_heading(key)).subjects or meaning.spoiled]
    return not known and any({*each} != keys for each in objects)


def _lists(value: Any, names: Sequence[str]) -> bool:
    """Whether a value is a list of these names."""
    return isinstance(value, list) and sorted(map(str, value)) == sorted(names)
