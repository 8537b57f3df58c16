"""Records whose players stand in parallel lists, `agents` and `scores`, or are the keys of several
objects, `points` and `places`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from prowess.games.formats.nested_records import SIDES, is_list
from prowess.games.vocabulary import read_heading


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
