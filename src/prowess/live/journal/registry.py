"""Registry: categories, players and their names, and the next free numbers, in memory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property, partial
from operator import attrgetter
from threading import Lock
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from prowess.engine.whole_table import Points, points_law
from prowess.games.names import normal_name
from prowess.live.errors import NotFound, Refused
from prowess.live.names import look_keys
from prowess.live.result import GAMES
from prowess.live.store.queries import follow_mergers
from prowess.live.store.tables import (
    category as categories,
    category_key,
    fixture,
    member,
    method,
    name as names_table,
    player,
    player as players_table,
    result,
    revision,
    setting,
)
from prowess.present.brand import Brand
from prowess.present.rendering import CATEGORY_ICONS
from prowess.systems.catalogue import find

FAR = 1_000_000_000  # players or results that may be entered while others are staged apart
SITE_SETTING = "site_"  # and the name of a field of the brand: a setting
LOOK_SETTING = "_of_category_"  # between a key of CATEGORY_LOOKS and a number: a setting
DRAFT_SETTING = "draft_"  # and the numbers of a category and a token: a half-typed sheet
SEAT_FIELD = re.compile(r"(a|b|player)(\d{1,3})(_\d{1,3})?")  # of a sheet: one that holds a name
CATEGORY_LOOKS: Mapping[str, Sequence[str]] = {  # of its pages, the usual first
    "icon": tuple(CATEGORY_ICONS),
    "noun": ("player", "team", "engine", "bot", "model"),
}


class Registry:
    """Categories, players and next numbers in memory, in agreement with the store."""

    def __init__(self, connection: Connection) -> None:
        self.people = PlayerRegistry.read(connection)
        self.categories = {one.id: one for one in categories_at(connection)}
        former = select(category_key.c.key, category_key.c.category_id)
        self.keys: dict[str, int] = {  # the number of the category that a key leads to
            **{one.key: one.category_id for one in connection.execute(former)},
            **{one.key: one.id for one in self.categories.values()},
        }
        self.members: dict[int, dict[int, int]] = {}  # by category: player, revision
        for one in connection.execute(select(member)):
            self.members.setdefault(one.category_id, {})[one.player_id] = one.revision
        to_come = select(fixture).where(fixture.c.ended_revision.is_(None))
        self.fixtures = {row.id: Fixture.of(row) for row in connection.execute(to_come)}
        self.brand = read_brand(connection)
        last = select(revision.c.id, revision.c.at).order_by(revision.c.id.desc()).limit(1)
        row = connection.execute(last).first()
        self.revision: int = 0 if row is None else row.id
        self.at: int = 0 if row is None else row.at  # microseconds
        self.next_player = 1 + (connection.scalar(select(func.max(player.c.id))) or 0)
        self.next_result = 1 + (connection.scalar(select(func.max(result.c.id))) or 0)

    def category(self, key: str | None) -> Category:
        """A category by a key it has or had, or the only one; raises NotFound, Refused."""
        if key in self.keys:
            return self.categories[self.keys[key]]
        known = ", ".join(one.key for one in tuple(self.categories.values()))
        if key is not None:
            raise NotFound.of(
                "no_such_category.unknown", key=key, known=known or "none yet", field="category"
            )
        if len(self.categories) != 1:
            raise Refused.of("missing.category", known=known or "there is none", field="category")
        return next(iter(self.categories.values()))

    def apart(self) -> Registry:
        """The same, for another thread to stage acts on that are not written.

        The numbers of what is new there are behind those that are given meanwhile.
        """
        other = copy(self)
        other.people, other.fixtures = self.people.apart(), self.fixtures.copy()
        other.categories, other.keys = self.categories.copy(), self.keys.copy()
        other.members = {category: ones.copy() for category, ones in self.members.items()}
        other.next_player, other.next_result = self.next_player + FAR, self.next_result + FAR
        return other

    def put_category(self, one: Category) -> None:
        """Add a category, or put it into the place of what it was; keys that it had lead to it."""
        self.categories[one.id] = one
        self.keys[one.key] = one.id


class Fixture(NamedTuple):
    """A game to come between two players, by their numbers as entered."""

    id: int
    created_revision: int
    category: int
    time: int  # microseconds
    a: int
    b: int
    side: float  # 1: the first has the side advantage, -1: the second, 0

    @property
    def pairing(self) -> tuple[int, int, float]:
        """Who plays whom, on which side."""
        return self.a, self.b, self.side

    @classmethod
    def of(cls, row: Any) -> Fixture:
        """A row of the store."""
        return cls(row.id, row.created_revision, row.category_id, row.time, row.a, row.b, row.side)


EARLIEST_FIRST = attrgetter("time", "id")  # the order of games to come


def read_brand(connection: Connection) -> Brand:
    """What the owner has set for the whole site."""
    keys = {f"{SITE_SETTING}{field}": field for field in Brand._fields}
    rows = connection.execute(select(setting).where(setting.c.key.in_(keys)))
    return Brand(**{keys[row.key]: row.value for row in rows})


def categories_at(connection: Connection, at: int | None = None) -> list[Category]:
    """All categories with their methods, now or as known at a revision."""
    newest = select(method.c.category_id, func.max(method.c.revision).label("since"))
    if at is not None:
        newest = newest.where(method.c.revision <= at)
    latest = newest.group_by(method.c.category_id).subquery()
    chosen = (
        select(categories, method)
        .join(latest, latest.c.category_id == categories.c.id)
        .join(
            method,
            (method.c.category_id == latest.c.category_id) & (method.c.revision == latest.c.since),
        )
        .order_by(categories.c.id)
    )
    named = setting.c.key.contains(LOOK_SETTING, autoescape=True)
    looks = {row.key: row.value for row in connection.execute(select(setting).where(named))}
    return [
        Category(
            extra=tuple(row["extra"]),
            since=row["revision"],
            **{name: row[name] for name in ("id", "key", "name", "kind", *METHOD_FIELDS)},
            **{
                name: looks.get(f"{name}{LOOK_SETTING}{row['id']}", known[0])
                for name, known in CATEGORY_LOOKS.items()
            },
        )
        for row in connection.execute(chosen).mappings()
    ]


# -- players --


class PlayerRegistry:
    """Names and numbers of all players, in memory; the store has the same."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}  # every spelling -> the player as entered
        self.otherwise: dict[str, set[str]] = {}  # how to write -> spellings that are not so
        self.looks: dict[str, tuple[str, ...]] = {}  # what is seen -> spellings; see `look_alike`
        self.shown: dict[int, str] = {}  # the present name of each number
        self.into: dict[int, int] = {}  # merged into
        # the player who has the results entered for a number
        self.canonical = partial(follow_mergers, self.into)
        self.merged: dict[int, set[int]] = {}  # the other way round
        self.changes = 0  # of names and mergers
        self._alike: tuple[int, list[tuple[str, str]]] = (-1, [])  # after so many changes
        self._lock = Lock()  # of `names` and `looks`, which readers index

    @classmethod
    def read(cls, connection: Connection) -> PlayerRegistry:
        """Everyone in the store."""
        people = cls()
        chosen = select(players_table.c.id, players_table.c.name, players_table.c.merged_into)
        for number, name, into in connection.execute(chosen).all():
            people.shown[number] = name
            if into is not None:
                people.merge(number, into)
        spellings = select(names_table.c.name, names_table.c.player_id)
        for name, number in connection.execute(spellings).all():
            people.add_name(name, number)
        return people

    def with_mergers(self, into: Iterable[tuple[int, int]]) -> PlayerRegistry:
        """A copy with other mergers."""
        other = PlayerRegistry()
        other.names, other.shown = self.names, self.shown
        other.otherwise, other.looks = self.otherwise, self.looks
        for number, target in into:
            other.merge(number, target)
        return other

    def apart(self) -> PlayerRegistry:
        """A copy that stays as it is."""
        other = self.with_mergers(self.into.items())
        other.names, other.shown = self.names.copy(), self.shown.copy()
        other.looks = self.looks.copy()
        other.otherwise = {written: known.copy() for written, known in self.otherwise.items()}
        return other

    def add_name(self, name: str, number: int) -> None:
        """Add a spelling of a player's name."""
        written = normal_name(name)
        if written != name:
            self.otherwise.setdefault(written, set()).add(name)
        with self._lock:
            self.names[name] = number
            self.changes += 1
            if self.looks:
                add_looks(self.looks, name)

    def replace_names(self, names: Mapping[int, str]) -> None:
        """Remove all spellings of the names of players, and give each one another name."""
        with self._lock:
            self.changes += 1
            for name in [name for name, one in self.names.items() if one in names]:
                self.otherwise.get(normal_name(name), set()).discard(name)
                del self.names[name]
            self.looks = {}
        for number, name in names.items():
            self.add_name(name, number)
            self.shown[number] = name

    def number_of(self, name: str) -> int | None:
        """The number a name was entered for, however its blanks and accents are written.

        None for an unknown name. The exact spelling counts first: before names were written
        in one way, two spellings could be two players.
        """
        number = self.names.get(name)
        if number is not None:
            return number
        written = normal_name(name)
        number = self.names.get(written)
        if number is not None:
            return number
        numbers = {self.names[one] for one in tuple(self.otherwise.get(written, ()))}
        return min(numbers) if len(set(map(self.canonical, numbers))) == 1 else None

    def is_known(self, name: str) -> bool:
        """Whether a name leads to a player, perhaps written in other case or with look-alikes."""
        return self.number_of(name) is not None or self.look_alike(name) is not None

    def look_alike(self, name: str, own: int = 0) -> str | None:
        """A known name that looks the same as a new one, or differs in case only; None without one.

        Names of the player `own` are left out. The index is made when it is needed first.
        """
        looks, own = self.index_looks(), self.canonical(own)
        alike = {one for key in look_keys(name) for one in looks.get(key, ())} - {name}
        others = [one for one in alike if self.canonical(self.names.get(one, own)) != own]
        return min(others, default=None)

    def index_looks(self) -> dict[str, tuple[str, ...]]:
        """The index by what is seen; one that is being made has no reader before it is whole."""
        while not (found := self.looks) and self.names:
            known, found = {*self.names}, {}
            for one in known:
                add_looks(found, one)
            with self._lock:
                if self.names.keys() >= known:  # else a name was taken away meanwhile
                    for one in self.names.keys() - known:
                        add_looks(found, one)
                    self.looks = found
        return found

    def find_look_alikes(self, most: int) -> list[tuple[str, str]]:
        """Some pairs of players whose present names look the same, or differ in case only.

        They are searched again after a change of names only; others may change meanwhile.
        """
        changes = self.changes
        if self._alike[0] != changes:
            names, shown, found = self.names.copy(), self.shown.copy(), set()
            for number, one in shown.items():
                like = None if number in self.into else self.look_alike(one, number)
                if like in names:
                    pair = shown[self.canonical(names[like])], one
                    found.add((min(pair), max(pair)))
            self._alike = changes, sorted(found)
        return self._alike[1][:most]

    def merge(self, number: int, into: int | None) -> None:
        """Merge a player into another; None undoes a merger."""
        self.changes += 1
        if number in self.into:
            self.merged[self.into.pop(number)].discard(number)
        if into is not None:
            self.into[number] = into
            self.merged.setdefault(into, set()).add(number)

    def group(self, number: int) -> list[int]:
        """The player's number, then those merged into it."""
        found = [number]
        for one in found:
            found += sorted(self.merged.get(one, ()))
        return found

    def number_as_entered(self, name: str) -> int:
        """The number a name was entered for; raises NotFound."""
        number = self.number_of(name)
        if number is None:
            raise NotFound.of("no_such_player.called", name=name)
        return number

    def find(self, name: str) -> int:
        """The player a name leads to, mergers resolved; raises NotFound."""
        return self.canonical(self.number_as_entered(name))


def add_looks(looks: dict[str, tuple[str, ...]], name: str) -> None:
    """Add a name to an index of names by what is seen of them."""
    for key in look_keys(name):
        looks[key] = (*looks.get(key, ()), name)


# -- categories --


PROVISIONAL_GAMES = 10  # fewer: a rating is shown as provisional
LARGEST_SIDE = 100  # players
INACTIVE_DAYS = 365  # longer without a game: a player is shown as inactive
METHOD_FIELDS = ("system", "params", "period", "provisional_games", "inactive_days", "side_size")
# of a category, which change with its method: columns of the table `method`


Setting = float | str | Sequence[float | str]  # of a parameter; several values make a bank


@dataclass(frozen=True)
class Category:
    """A category and its rating method since revision `since`."""

    id: int
    key: str
    name: str
    kind: str  # games, contests
    system: str
    params: Mapping[str, Setting] = field(default_factory=dict)  # what differs from defaults
    period: str | None = None
    extra: tuple[str, ...] = ()  # of margin, length, points: asked of every game
    provisional_games: int = PROVISIONAL_GAMES
    inactive_days: int = INACTIVE_DAYS
    side_size: int = 1  # members that a side may have at most
    since: int = 0
    icon: str = CATEGORY_LOOKS["icon"][0]
    noun: str = CATEGORY_LOOKS["noun"][0]  # what is rated

    @property
    def duels(self) -> bool:
        """Whether its results are games between two players alone, so that they have pairs."""
        return self.kind == GAMES and self.side_size == 1

    @property
    def method(self) -> tuple[str, str, str | None]:
        """The part of the category that ratings depend on."""
        return self.system, json.dumps(dict(self.params), sort_keys=True), self.period

    @cached_property
    def points_law(self) -> Points | None:
        """The points of a side in a game that its system takes; None: any."""
        return points_law(find(self.system), self.params)


def method_row(category: Category, revision: int) -> dict[str, Any]:
    """The row of the table `method`."""
    return {
        "category_id": category.id,
        "revision": revision,
        **{name: getattr(category, name) for name in METHOD_FIELDS},
        "params": dict(category.params),
    }
