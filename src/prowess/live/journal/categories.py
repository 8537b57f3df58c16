"""Write acts on categories: new ones, their rating method, seasons and published lists."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy import func, select, update

from prowess.games.arguments import BadArgument
from prowess.live.errors import Conflict, Refused
from prowess.live.journal.record import RecordResults
from prowess.live.journal.registry import (
    CATEGORY_LOOKS,
    INACTIVE_DAYS,
    LARGEST_SIDE,
    LOOK_SETTING,
    METHOD_FIELDS,
    PROVISIONAL_GAMES,
    SITE_SETTING,
    Category,
    Registry,
    Setting,
    method_row,
)
from prowess.live.journal.submission import EXTRA_FIELDS
from prowess.live.journal.unit_of_work import UnitOfWork
from prowess.live.names import check_name
from prowess.live.result import CONTESTS, EXTRA, GAMES, days
from prowess.live.store.tables import (
    category as categories,
    category_key,
    method,
    placing,
    published,
    published_row,
    replace_setting,
    result,
    season,
)
from prowess.present.brand import SITE_CHECKS, Brand
from prowess.systems.catalogue import find_named
from prowess.verbs.tables import DEFAULT_SYSTEM

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.present.listing import Listing


SITE_LETTERS = 40
KEY = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


@dataclass(frozen=True)
class NewCategory:
    """A new category with its own ladder: kind of results, rating system and parameters."""

    kind: ClassVar[str] = "new_category"
    scope: ClassVar[str] = "admin"

    key: str
    name: str = ""
    plays: str = GAMES
    system: str = DEFAULT_SYSTEM
    params: Mapping[str, Setting] = field(default_factory=dict)
    period: str | None = None
    extra: tuple[str, ...] = ()
    provisional_games: int = PROVISIONAL_GAMES
    inactive_days: int = INACTIVE_DAYS
    side_size: int = 1  # members of a side at most

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        check_key(self.key)
        check_free_key(unit.registry, self.key)
        if self.plays not in (GAMES, CONTESTS):
            raise Refused.of(
                "bad_kind", games=GAMES, contests=CONTESTS, plays=self.plays, field="kind"
            )
        for one in self.extra:
            if one not in EXTRA or self.plays == CONTESTS:
                raise Refused.of(
                    "bad_extra.choose", extras=", ".join(EXTRA), given=one, field="extra"
                )
        number = 1 + max(unit.registry.categories, default=0)
        made = check_method(self.category(number, unit.revision))
        unit.category = made
        unit.numbers["category"] = made.id
        unit.methods[made.key] = unit.opened[made.key] = made
        unit.rows[categories].append(
            {
                "id": made.id,
                "key": made.key,
                "name": made.name,
                "kind": made.kind,
                "extra": list(made.extra),
                "created_revision": unit.revision,
            }
        )
        unit.rows[method].append(method_row(made, unit.revision))
        unit.effects.append(lambda registry: registry.put_category(made))

    def category(self, number: int, revision: int) -> Category:
        """The category it makes."""
        return Category(
            id=number,
            key=self.key,
            name=check_name(self.name or self.key, "name"),
            kind=self.plays,
            extra=tuple(dict.fromkeys((*self.extra, *needed_extras(self.system, self.plays)))),
            since=revision,
            **{name: getattr(self, name) for name in METHOD_FIELDS},
        )


@dataclass(frozen=True)
class Opening:
    """A new category and its first results, in one commit."""

    kind: ClassVar[str] = "opening"
    scope: ClassVar[str] = "admin"

    category: NewCategory
    results: RecordResults

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        self.category.stage(unit)
        self.results.stage(unit)


@dataclass(frozen=True)
class ChangeMethod:
    """Another system or other parameters; all results are rated again. None: as before."""

    kind: ClassVar[str] = "change_method"
    scope: ClassVar[str] = "admin"

    category: str
    system: str | None = None
    params: Mapping[str, Setting] | None = None
    period: str | None = None  # "none": game by game
    provisional_games: int | None = None
    inactive_days: int | None = None
    side_size: int | None = None
    reason: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        before = unit.registry.category(self.category)
        params = before.params if self.params is None else self.params
        if self.system not in (None, before.system) and self.params is None:
            params = {}  # parameters of one system mean nothing to another
        period = before.period if self.period is None else self.period
        rules: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("provisional_games", "inactive_days", "side_size")
        }
        after = check_method(
            replace(
                before,
                system=self.system or before.system,
                params=params,
                period=None if period == "none" else period,
                since=unit.revision,
                **{name: value for name, value in rules.items() if value is not None},
            )
        )
        if replace(after, since=before.since) == before:
            raise Conflict.of("nothing_changes.method", category=before.key)
        if after.side_size < before.side_size:
            check_side_size(unit, after)
        unit.category, unit.detail = after, {"category": after.id}
        if after.method != before.method:
            unit.methods[after.key] = after
        unit.rows[method].append(method_row(after, unit.revision))
        unit.effects.append(lambda registry: registry.put_category(after))


@dataclass(frozen=True)
class RenameCategory:
    """Another name, key, icon or noun of a category; former keys lead to it. None: as before."""

    kind: ClassVar[str] = "rename_category"
    scope: ClassVar[str] = "admin"

    category: str
    key: str | None = None
    name: str | None = None
    icon: str | None = None
    noun: str | None = None  # what is rated, in the words of its pages
    reason: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        registry = unit.registry
        before = registry.category(self.category)
        name = before.name if self.name is None else check_name(self.name, "name")
        looks = {word: getattr(self, word) or getattr(before, word) for word in CATEGORY_LOOKS}
        if looks["icon"] not in CATEGORY_LOOKS["icon"]:
            raise Refused.of(
                "no_such_icon",
                icons=", ".join(CATEGORY_LOOKS["icon"]),
                icon=self.icon,
                field="icon",
            )
        if looks["noun"] not in CATEGORY_LOOKS["noun"]:
            raise Refused.of(
                "no_such_noun",
                nouns=", ".join(CATEGORY_LOOKS["noun"]),
                noun=self.noun,
                field="noun",
            )
        after = replace(before, key=self.key or before.key, name=name, **looks)
        if after == before:
            raise Conflict.of("nothing_changes.category", category=before.key)
        if after.key != before.key:
            check_key(after.key)
            check_free_key(registry, after.key, before.id)
            had = select(category_key.c.key).where(category_key.c.key == before.key)
            if unit.connection.scalar(had) is None:
                row = {"key": before.key, "category_id": before.id, "revision": unit.revision}
                unit.rows[category_key].append(row)
        unit.category, unit.detail = after, {"category": after.id}
        own = update(categories).where(categories.c.id == after.id)
        unit.statements.append(own.values(key=after.key, name=after.name))
        for word, value in looks.items():
            if value != getattr(before, word):
                unit.statements += replace_setting(f"{word}{LOOK_SETTING}{after.id}", value)
        unit.effects.append(lambda registry: registry.put_category(after))


@dataclass(frozen=True)
class ChangeSite:
    """Another name, colour, logo or words of the whole site. None: as before; "": none of its own.

    The fields are those of `Brand`.
    """

    kind: ClassVar[str] = "change_site"
    scope: ClassVar[str] = "admin"

    name: str | None = None
    accent: str | None = None
    logo: str | None = None
    home: str | None = None
    links: str | None = None
    imprint: str | None = None
    reason: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        before = unit.registry.brand
        given = {
            field: check_of_site(field, value)
            for field in Brand._fields
            if (value := getattr(self, field)) is not None
        }
        after = before._replace(**given)
        if after == before:
            raise Conflict.of("nothing_changes.site", field="name")
        changed = [name for name in Brand._fields if getattr(after, name) != getattr(before, name)]
        unit.detail = {"changed": changed}
        for name in changed:
            unit.statements += replace_setting(f"{SITE_SETTING}{name}", getattr(after, name))
        unit.effects.append(lambda registry: setattr(registry, "brand", after))


def check_of_site(field: str, value: str) -> str:
    """The value of a field of a brand; raises Refused."""
    if not value.strip():
        return ""
    if field == "name":
        name = check_name(value, field)
        if len(name) > SITE_LETTERS:
            raise Refused.of("too_long.site", most=SITE_LETTERS, letters=len(name), field=field)
        return name
    try:
        return SITE_CHECKS[field](value)
    except BadArgument as error:
        raise Refused(error.code, str(error), field=field) from None


def check_side_size(unit: UnitOfWork, category: Category) -> None:
    """Raise Refused if a result, counted or not, has a side larger than the new side size."""
    current = (
        select(placing.c.result_id)
        .join(result, result.c.id == placing.c.result_id)
        .where(placing.c.revision == result.c.revision, result.c.category_id == category.id)
    )
    many = current.group_by(placing.c.result_id, placing.c.side).having(
        func.count() > category.side_size
    )
    found = unit.connection.scalar(many.limit(1))
    size = f"a side of more than {category.side_size}"
    if found is None and category.side_size == 1:
        found = unit.connection.scalar(current.where(placing.c.share != 1.0).limit(1))
        size = "a player with a share"
    if found is not None:
        raise Refused.of(
            "sides_are_larger", found=found, category=category.key, size=size, field="side_size"
        )


def needed_extras(system: str, kind: str) -> tuple[str, ...]:
    """What a system needs of games beside the score: a new category keeps it unasked."""
    needs = getattr(find_named(system), "needs", ()) if kind == GAMES else ()
    return tuple(EXTRA_FIELDS[name] for name in needs if name in EXTRA_FIELDS)


def check_method(category: Category) -> Category:
    """The category, after its system and parameters are checked; raises Refused."""
    from prowess.engine.params import BadSetting, settings
    from prowess.engine.periods import BY_LABEL, BadPeriod, parse_period
    from prowess.engine.system import BadSystem
    from prowess.systems.catalogue import UnknownSystem, find

    if category.provisional_games < 0 or category.inactive_days < 1:
        raise Refused.of("bad_rule.counts")
    if not 1 <= category.side_size <= LARGEST_SIDE:
        raise Refused.of("bad_rule.side", most=LARGEST_SIDE, field="side_size")
    try:
        if ".py" in category.system:  # would run a file of the server's machine
            raise UnknownSystem(
                "a ladder is rated by a system of the catalogue", code="not_of_the_catalogue"
            )
        system = find(category.system)
        settings(system, category.params)
        if category.period not in (None, BY_LABEL):
            parse_period(category.period)
        if category.side_size > 1 and not getattr(system, "teams", False):
            raise Refused.of("no_teams", system=system.name, field="side_size")
        for one in needed_extras(category.system, category.kind):
            if one not in category.extra:
                raise Refused.of(
                    "bad_extra.needed",
                    extra=one,
                    system=system.name,
                    category=category.key,
                    field="system",
                )
    except UnknownSystem as error:
        raise Refused("no_such_system", str(error), field="system") from None
    except (BadSetting, BadSystem) as error:
        raise Refused("bad_setting", str(error), field="params") from None
    except BadPeriod as error:
        raise Refused("bad_period", str(error), field="period") from None
    return category


def check_free_key(registry: Registry, key: str, own: int = 0) -> None:
    """Raise Conflict for a key that leads to a category already, other than the one numbered `own`.

    A key that a category had before still leads to it.
    """
    if registry.keys.get(key, own) == own:
        return
    found, message = registry.category(key).key, f"there is a category {key!r} already"
    if found != key:
        message = f"choose another key: addresses with {key!r} lead to {found!r}, which had it"
    raise Conflict("key_taken", message, field="key")


def check_key(key: str) -> None:
    """Raise Refused for a key that cannot be part of a URL."""
    if not KEY.fullmatch(key):
        raise Refused.of("bad_key", key=key, field="key")


# -- seasons and published lists --


@dataclass(frozen=True)
class NewSeason:
    """A season: a span of time of a category (microseconds, both ends included)."""

    kind: ClassVar[str] = "new_season"
    scope: ClassVar[str] = "admin"

    category: str
    key: str
    name: str
    starts: int
    ends: int

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        category = unit.registry.category(self.category)
        check_key(self.key)
        if self.starts >= self.ends:
            raise Refused.of("bad_span", field="ends")
        unit.category = category
        unit.numbers["season"] = number = _next(unit, season, category.id, self.key)
        unit.rows[season].append(
            {
                "id": number,
                "category_id": category.id,
                "key": self.key,
                "name": check_name(self.name, "name"),
                "starts": self.starts,
                "ends": self.ends,
                "created_revision": unit.revision,
            }
        )


@dataclass(frozen=True)
class Publish:
    """Publish the leaderboard after all games up to `until` (microseconds; None: all), for good.

    It lists the players whom the leaderboard page lists after these games.
    """

    kind: ClassVar[str] = "publish"
    scope: ClassVar[str] = "admin"

    category: str
    key: str
    name: str
    until: int | None = None
    reason: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        category = unit.registry.category(self.category)
        check_key(self.key)
        number = _next(unit, published, category.id, self.key)
        board = unit.board(category, None if self.until is None else days(self.until))
        if board is None:
            raise Conflict.of("nothing_to_publish", category=category.key)
        ratings, ids = board
        unit.category, unit.numbers["list"] = category, number
        listing = select_listing(category, ratings)
        summary = ratings.summary(top=0) | {"listed": listing.describe(ratings)}
        unit.rows[published].append(
            {
                "id": number,
                "category_id": category.id,
                "key": self.key,
                "name": check_name(self.name, "name"),
                "as_of": self.until,
                "known_at": unit.registry.revision,
                "head": {key: summary[key] for key in summary if key != "leaderboard"},
                "created_revision": unit.revision,
            }
        )
        rows = {name: row for row, name in enumerate(ratings.players)}
        for row in listing.board(ratings).rows():
            rest: dict[str, Any] = {k: v for k, v in row.items() if k not in ("rank", "player")}
            unit.rows[published_row].append(
                {
                    "published_id": number,
                    "player_id": int(ids[rows[row["player"]]]),
                    "rank": row["rank"],
                    "name": row["player"],
                    "data": rest,
                }
            )


def select_listing(category: Category, ratings: Ratings) -> Listing:
    """The listing rule of published lists: the same as that of the leaderboard page."""
    from prowess.present.listing import activity_listing, listing_or_everyone

    rule = activity_listing(ratings, category.provisional_games, category.inactive_days)
    return listing_or_everyone(ratings, rule)


def _next(unit: UnitOfWork, table: Any, category: int, key: str) -> int:
    """The number of a new row; raises Conflict where the key is taken."""
    taken = select(table.c.id).where(table.c.category_id == category, table.c.key == key)
    if unit.connection.execute(taken).first() is not None:
        raise Conflict.of("key_taken", key=key, field="key")
    return 1 + (unit.connection.scalar(select(func.max(table.c.id))) or 0)
