"""Records with objects and lists in them, as flat records with dotted keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from prowess.games.vocabulary import read_heading, words_for

DEEPEST_OBJECT = 12  # objects within objects that become columns
MOST_COLUMNS = 2_000  # of a record: what is beyond is no table of games
RECORDS_WITH_LISTS = 50  # records that show what their lists hold
SIDE_KEYS = ("a", "b")
SIDE_FAMILIES = (("home", "away"), ("white", "black"), ("winner", "loser"), ("first", "second"),
            ("blue", "red"))  # fmt: skip

Flat = dict[str, Any]


def is_nested(records: Any) -> bool:
    """Whether a record holds an object, or a list of objects."""
    return isinstance(records, list) and any(
        isinstance(value, Mapping) or is_list(value)
        for record in records
        if isinstance(record, Mapping)
        for value in record.values()
    )


def is_list(value: Any) -> bool:
    """Whether a value is a list of objects."""
    return (
        isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)
    )


def flatten(record: Mapping[str, Any]) -> Flat:
    """A record with dotted keys; lists stay as they are."""
    flat: Flat = {}
    pending: list[tuple[str, Any, int]] = [("", record, 0)]
    while pending:
        path, value, depth = pending.pop()
        if isinstance(value, Mapping) and depth <= DEEPEST_OBJECT:
            below = [
                (f"{path}.{key}" if path else str(key), each, depth + 1)
                for key, each in value.items()
            ]
            pending += reversed(below)
        elif path and len(flat) < MOST_COLUMNS:
            flat[path] = value
    return flat


def is_competition(records: Any) -> bool:
    """Whether records look like games or contests: they have two sides, or lists of players."""
    if not isinstance(records, list):
        return False
    flat = [flatten(each) for each in records[:RECORDS_WITH_LISTS] if isinstance(each, Mapping)]
    return bool(flat) and (has_sides(flat) or bool(_lists(flat)))


def has_sides(flat: Sequence[Flat]) -> bool:
    """Whether records have two players each, by their keys."""
    sides = {
        side
        for key in dict.fromkeys(key for each in flat for key in each)
        if not (meaning := read_heading(key)).spoiled
        and (meaning.subjects <= {"player", "match", "id", "short"})
        for side in meaning.sides
    }
    return any(sides.issuperset(family) for family in SIDE_FAMILIES)


def _lists(flat: Sequence[Flat]) -> dict[str, list[Flat]]:
    """The lists of players or of games within records, by key, and what they hold."""
    found: dict[str, list[Flat]] = {}
    for record in flat[:RECORDS_WITH_LISTS]:
        for key, value in record.items():
            if is_list(value):
                found.setdefault(key, []).extend(map(flatten, value))
    return {key: held for key, held in found.items() if _rank_list(key, held)}


def _rank_list(key: str, held: list[Flat]) -> int:
    """How surely a list holds games (4), players with what they achieved (3), players (2, 1)."""
    if has_sides(held):
        return 4
    inner = _inner_lists(held)
    keys = dict.fromkeys(key for each in held for key in each)
    meanings = [read_heading(each) for each in keys]
    if not any(each.is_of("player") for each in meanings):
        return 4 if inner else 3 if _holds_achievements(held) else 0
    if any(each.subjects & {"points", "result", "place"} and not each.spoiled for each in meanings):
        return 3
    return 2 if read_heading(key).is_of("player") else 1


def _holds_achievements(held: list[Flat]) -> bool:
    """Whether records hold one text each, a name whatever its key is, and the place of it."""
    keys = dict.fromkeys(key for each in held for key in each)
    texts = [key for key in keys if all(isinstance(each.get(key), str) for each in held)]
    places = [
        key for key in keys if read_heading(key).is_of("place")
        and all(isinstance(each.get(key), int) for each in held)
    ]  # fmt: skip
    several = len({each[texts[0]] for each in held}) < len(held) if len(texts) == 1 else False
    return several and len(places) == 1


def _inner_lists(held: list[Flat]) -> bool:
    return any(
        is_list(value) and read_heading(key).is_of("player") and len(value) > 1
        for each in held[:RECORDS_WITH_LISTS]
        for key, value in each.items()
    )


def explode_records(
    records: Sequence[Mapping[str, Any]], asked: Set[str] = frozenset()
) -> tuple[list[Flat], list[int]]:
    """Flat records, and the record of which each is; keys that are `asked` for stay as they are.

    Of the lists in them the one that most surely holds games or players is taken: two players are
    the two sides of a record, more are the rows of a contest.
    """
    flat = [flatten(record) for record in records]
    origins = list(range(len(flat)))
    for _ in range(DEEPEST_OBJECT):
        flat = _open_single([_merge_numbers(record) for record in flat])
        lists = _lists(flat)
        if not lists or has_sides([_without_lists(each) for each in flat[:RECORDS_WITH_LISTS]]):
            break
        if _are_standings(flat) and all(_rank_list(key, lists[key]) < 4 for key in lists):
            break
        if sides := _sides_of_members(lists):
            flat = [_name_sides(record, sides) for record in flat]
            break
        of_games = [each for each in lists if _holds_games(each) or _are_around(lists[each])]
        key = max(of_games or lists, key=lambda each: _rank_list(each, lists[each]))
        rank = 4 if of_games else _rank_list(key, lists[key])
        values = [each[key] for each in flat if is_list(each.get(key))]
        if rank < 4 and all(len(value) == 2 for value in values):
            flat = [_side_by_side(record, key) for record in flat]
            continue
        rows: list[Flat] = []
        places: list[int] = []
        for at, record in enumerate(flat):
            value = record.get(key)
            if not isinstance(value, list) or not is_list(value):
                continue
            rest = {name: each for name, each in record.items() if name != key}
            if rank == 4:  # what stands in lists around games is not of one game: standings
                rest = {name: each for name, each in rest.items() if not is_list(each)}
            for one in value:
                row = flatten(one)
                if rank < 4:
                    row = {"contest": at + 1, **row}
                rows.append({f"match.{name}": each for name, each in rest.items()} | row)
                places.append(origins[at])
        flat, origins = rows, places
        if rank < 4:
            break
    flat = _name_members([_without_lists(each) for each in flat])
    return shorten_keys(flat, asked), origins


def _are_standings(flat: Sequence[Flat]) -> bool:
    """Whether records are players or teams with their places, whatever lists of members they
    hold.
    """
    keys = dict.fromkeys(key for each in flat for key in each)
    meanings = {key: read_heading(key) for key in keys}
    if not any(each.is_of("player") for each in meanings.values()):
        return False
    for key in keys:
        places = [each.get(key) for each in flat]
        if meanings[key].is_of("place") and all(isinstance(place, int) for place in places):
            ranked = sorted(places)  # type: ignore[type-var]
            if len(ranked) > 1 and ranked[0] == 1 and 1 < ranked[-1] <= len(ranked):  # type: ignore[operator]
                return True
    return False


def shorten_keys(flat: list[Flat], asked: Set[str]) -> list[Flat]:
    """Records whose keys lack what is before them, `match.date`, where it says nothing."""
    keys = dict.fromkeys(key for each in flat for key in each)
    ends: dict[str, list[str]] = {}
    for key in keys:
        ends.setdefault(key.rpartition(".")[2], []).append(key)
    short = {
        alike[0]: end
        for end, alike in ends.items()
        if len(alike) == 1 and "." in alike[0] and alike[0] not in asked and end not in asked
        if says_nothing(alike[0].rpartition(".")[0])
    }
    if not short:
        return flat
    return [{short.get(key, key): value for key, value in each.items()} for each in flat]


def says_nothing(prefix: str) -> bool:
    """Whether the keys before another change nothing of its meaning."""
    meaning = read_heading(prefix)
    plain = meaning.subjects <= {"match", "result", "points"}
    return plain and not meaning.sides and not meaning.spoiled


def _without_lists(record: Flat) -> Flat:
    """A record without lists of objects; two numbers of a list are two columns."""
    row: Flat = {}
    for key, value in record.items():
        if is_list(value):
            continue
        if isinstance(value, list) and len(value) == 2 and all(
            isinstance(each, int | float) and not isinstance(each, bool) for each in value
        ):  # fmt: skip
            row |= {f"{key}.{side}": each for side, each in zip(SIDE_KEYS, value, strict=True)}
        elif not (isinstance(value, Mapping) or value == []):
            row[key] = value
    return row


def _open_single(flat: list[Flat]) -> list[Flat]:
    """Records whose lists of one object are that object, where no record has more in that list;
    a list of one game beside other lists stays one.
    """
    lists = {key for record in flat for key, value in record.items() if is_list(value)}
    several = {
        key for record in flat for key, value in record.items()
        if is_list(value) and (len(value) > 1 or (len(lists) > 1 and _are_games(key, value)))
    }  # fmt: skip
    rows = []
    for record in flat:
        row: Flat = {}
        for key, value in record.items():
            if is_list(value) and key not in several:
                row |= {f"{key}.{inner}": each for inner, each in flatten(value[0]).items()}
            else:
                row[key] = value
        rows.append(row)
    return rows


def _merge_numbers(record: Flat) -> Flat:
    """A record in which pairs of a player and the points of the match are players with a score."""
    row = dict(record)
    for key, value in record.items():
        if isinstance(value, list) and value and all(map(_is_player_with_number, value)):
            row[key] = [{**who, "score": points} for who, points in value]
    return row


def _is_player_with_number(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], Mapping):
        return False
    return isinstance(value[1], int | float) and not isinstance(value[1], bool)


def _holds_games(key: str) -> bool:
    """Whether a key is that of games or of rounds of them, whatever else stands beside it."""
    last = read_heading(key.rpartition(".")[2])
    named = not {"rounds", "round", "runden", "stages", "phases"}.isdisjoint(last.words)
    return (named or last.is_of("match")) and not last.is_of("player")


def _are_games(key: str, value: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a list holds games, by its key or by their two sides."""
    return _holds_games(key) or has_sides([*map(flatten, value)])


def _are_around(held: Sequence[Flat]) -> bool:
    """Whether records are around lists of games, as groups are: they are no players."""
    return any(
        is_list(value) and _are_games(key, value)
        for each in held[:RECORDS_WITH_LISTS] for key, value in each.items()
    )  # fmt: skip


def _sides_of_members(lists: Mapping[str, list[Flat]]) -> dict[str, str] | None:
    """The two lists that are the sides of a game, each with its members, `side_a` and `side_b`:
    what each is called as a column.
    """
    pairs = [
        dict(zip((one, other), ("player_a", "player_b") if first in ("first", "blue")
                 else (first, second), strict=True))
        for first, second in SIDE_FAMILIES for one in lists for other in lists
        if first in read_heading(one).sides and second in read_heading(other).sides
    ]  # fmt: skip
    return pairs[0] if len(pairs) == 1 else None


def _name_sides(record: Flat, sides: Mapping[str, str]) -> Flat:
    """A record with the names of the members of both sides."""
    row = dict(record)
    for key, name in sides.items():
        value = row.pop(key, None)
        names = [_member(each) for each in value] if is_list(value) else []
        row[name] = names if names and all(names) else None
    return row


def _side_by_side(record: Flat, key: str) -> Flat:
    """A record with the columns of its two players, `a.name` and `b.name`."""
    row = {name: each for name, each in record.items() if name != key}
    if not is_list(record.get(key)):
        return row
    for side, one in zip(SIDE_KEYS, record[key], strict=True):
        for name, value in _name_person(flatten(one)).items():
            if is_list(value):  # of the members of a team
                names = [_member(each) for each in value]
                row[f"{side}.{name}"] = names if all(names) else None
            else:
                row[f"{side}.{name}"] = value
    return row


def _name_person(record: Flat) -> Flat:
    """A player with one name in place of a first and a last name."""
    parts = {"".join(read_heading(key).words): key for key in record}
    first = next((parts[key] for key in parts if key in words_for("first_name")), None)
    last = next((parts[key] for key in parts if key in words_for("last_name")), None)
    if not first or not last or "name" in record:
        return record
    rest = {key: value for key, value in record.items() if key not in {first, last}}
    return {"name": f"{record[first]} {record[last]}", **rest}


def _name_members(flat: list[Flat]) -> list[Flat]:
    """Records whose two sides are lists of members: the players, where the names of the teams are
    missing or always the same, T1 and T2; else the teams are the players.
    """
    keys = dict.fromkeys(key for each in flat for key in each if key.startswith(("a.", "b.")))
    members = [key for key in keys if any(isinstance(each.get(key), list) for each in flat)]
    members = [key for key in members if read_heading(key).is_of("player")]
    named = [key for key in keys if key not in members and read_heading(key).is_of("player")]
    if len(members) != len(SIDE_KEYS):
        return flat
    texts = {repr(each.get(key)) for key in named for each in flat}
    unwanted, renamed = members, {}
    if len(texts) <= len(SIDE_KEYS) or not named:
        unwanted, renamed = named, {key: f"player_{key[0]}" for key in members}
    return [
        {renamed.get(key, key): value for key, value in each.items() if key not in unwanted}
        for each in flat
    ]


def _member(record: Mapping[str, Any]) -> str | None:
    """The name of a member of a team."""
    texts = {key: value for key, value in flatten(record).items() if isinstance(value, str)}
    named = (value for key, value in texts.items() if read_heading(key).is_of("player"))
    return next(named, next(iter(texts.values())) if len(texts) == 1 else None)
