"""The view of a category: its ratings at one revision and time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from math import floor
from typing import TYPE_CHECKING, Any, NamedTuple

from typing_extensions import TypedDict

from prowess.engine.fit import NoModel
from prowess.engine.played import find_contests
from prowess.engine.system import Unratable
from prowess.live.api.encoding import (
    JsonTime,
    Value,
    Values,
    parse_time,
)
from prowess.live.api.serializers import (
    FitJson,
    PageJson,
    PersonJson,
    PlayedJson,
    method_params,
    serialize_as,
)
from prowess.live.errors import NotFound, Refused
from prowess.live.journal.journal import Journal
from prowess.live.journal.registry import EARLIEST_FIRST, Category, categories_at
from prowess.live.journal.submission import FIRST, LAST
from prowess.live.ladder.loading import LadderFit
from prowess.live.ladder.players import Players
from prowess.live.ladder.ratings import LadderRatings
from prowess.live.result import DAY_US, OVERDUE, days
from prowess.live.store import queries
from prowess.live.store.access import Actor
from prowess.live.store.visibility import KEEPER, is_hidden_player
from prowess.present.listing import Listing, activity_listing, listing_or_everyone
from prowess.present.pairs import forecast_game

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings

CHANCES = ("expected", "win", "draw", "loss")  # of the first of two players
REVISION_SECONDS = 0.5  # that a view of the present revision waits for its ratings


class HeadJson(FitJson):
    category: str
    system: str
    params: dict[str, Any]
    period: str | None
    since: int
    as_of: JsonTime | None
    games: int
    applied: int


class SeenJson(HeadJson):
    revision: int


class RatedPageJson(HeadJson, PageJson):
    pass


class RecordJson(TypedDict):
    wins: int
    draws: int
    losses: int


class IntervalJson(TypedDict):
    low: Value
    high: Value
    level: float


class RatedPlayerJson(TypedDict):
    player: str
    rating: Value
    values: Values
    games: int
    record: RecordJson | None
    last_played: str | None
    provisional: bool
    inactive: bool
    interval: IntervalJson | None
    rank_interval: IntervalJson | None


@dataclass(frozen=True, eq=False)
class CategoryView:
    """A category and its ratings at a revision; `ratings` is None before the first game.

    `revision` is the last entry in effect. If the fit of a whole-table system failed, `trouble` is
    the reason; `ratings` are then those of its last fit, at revision `applied`, or without any fit
    the `interim` ratings of the default dynamic system. `waiting` results are not fitted yet.
    """

    category: Category
    ratings: Ratings | None
    revision: int
    applied: int
    waiting: int
    trouble: str | None
    interim: bool
    day: float | None
    until: int | None  # the time in the request, in microseconds

    @property
    def etag(self) -> str:
        """A tag that changes with anything that the view shows."""
        fit = f"{self.applied} {self.waiting} {self.interim} {self.trouble}"
        mark = sha256(fit.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        day = "" if self.day is None else f"-{self.day!r}"
        return f"r{self.revision}{day}-{mark}-{self.category.key}"

    @property
    def rule(self) -> Listing:
        """The listing rule of the category: when players are provisional or inactive."""
        one = self.category
        return activity_listing(self.require_ratings(), one.provisional_games, one.inactive_days)

    @property
    def among(self) -> Listing:
        """The listing in use: the rule, or all players while it selects too few."""
        return listing_or_everyone(self.require_ratings(), self.rule)

    def head(self) -> HeadJson:
        """The fields that every response about a category has."""
        one = self.category
        head: HeadJson = serialize_as(
            HeadJson, self, category=one.key, system=one.system, params=method_params(one),
            period=one.period, since=one.since, as_of=self.moment,
            games=0 if self.ratings is None else len(self.ratings.table),
        )  # fmt: skip
        return head

    @property
    def moment(self) -> int | None:
        """The time in the request, else that of the last game, in microseconds."""
        if self.until is not None:
            return self.until
        day = self.day if self.ratings is None else self.ratings.day
        return None if day is None else day_in_microseconds(day)

    def require_ratings(self) -> Ratings:
        """The ratings; raises NotFound before the first game."""
        if self.ratings is None:
            raise NotFound.of("no_ratings.first", category=self.category.key)
        return self.ratings

    def row(self, journal: Journal, name: str, field: str = "player") -> int:
        """The roster row of a player under any of their names; raises NotFound."""
        number = journal.registry.people.find(name)
        k = find_row(self.require_ratings(), number)
        if k is None:
            check_public(journal, name, number)
            called, key = journal.name(number), self.category.key
            raise NotFound.of("not_rated.category", category=key, name=called, field=field)
        return k


def view_as_of(
    journal: Journal, key: str, as_of: str | None = None, revision: int | None = None
) -> CategoryView:
    """View a category now, after the games of a day, or as known at a revision."""
    if as_of is None:
        return view_category(journal, key, None, revision)
    until = parse_as_of(as_of)
    return replace(view_category(journal, key, days(until), revision), until=until)


def view_category(
    journal: Journal, key: str, day: float | None = None, revision: int | None = None
) -> CategoryView:
    """View a category after a day of the engine (default: now), or as known at a revision."""
    if revision is None or revision == journal.revision:
        now = journal.revision  # read first: the ladder is at least as new
        category, ladder = journal.category(key), journal.ladder(key)
        if revision is not None:
            ladder.settle(REVISION_SECONDS)
    else:
        now, ladder = revision, journal.known_at(key, revision)
        category = find_categories(journal, revision)[journal.category(key).key]
    found = ladder.view(day)
    return CategoryView(
        category,
        found.ratings,
        now,
        now if found.applied is None else found.applied,
        found.waiting,
        found.trouble,
        found.interim,
        day,
        None,
    )


def find_categories(journal: Journal, revision: int) -> dict[str, Category]:
    """The categories with their methods at a revision, by key; raises NotFound."""
    if not 1 <= revision <= journal.revision:
        raise NotFound.of("no_such_revision.range", last=journal.revision, field="revision")
    with journal.store.read() as connection:
        return {one.key: one for one in categories_at(connection, revision)}


def find_played_categories(
    journal: Journal, player: int
) -> Iterator[tuple[CategoryView, Ratings, int]]:
    """Yield the categories in which a player (by store number) has played, and the row there."""
    for category in journal.categories():
        one = view_category(journal, category.key)
        k = None if one.ratings is None else find_row(one.ratings, player)
        if one.ratings is not None and k is not None and one.ratings.game_counts[k]:
            yield one, one.ratings, k


def check_public(journal: Journal, name: str, number: int) -> None:
    """Raise NotFound for a player who is named only by results that never counted."""
    with journal.store.read() as connection:
        if is_hidden_player(connection, journal.registry.people.group(number)):
            raise NotFound.of("no_such_player.called", name=name)


def find_player(journal: Journal, actor: Actor, name: str) -> int:
    """The number of a player whom the actor may see, under any of their names; raises NotFound."""
    number = journal.registry.people.find(name)
    if not actor.may(KEEPER):
        check_public(journal, name, number)
    return number


def find_unplayed(journal: Journal, view: CategoryView) -> list[int]:
    """The players added to a category, as known in a view, who have no game in it; by name."""
    people = journal.registry.people
    since = journal.registry.members.get(view.category.id, {})
    added = {people.canonical(one) for one, at in tuple(since.items()) if at <= view.revision}
    if view.ratings is not None:
        counts = view.ratings.game_counts
        rows = {one: find_row(view.ratings, one) for one in added}
        added = {one for one, k in rows.items() if k is None or not counts[k]}
    return sorted(added, key=lambda one: (people.shown[one].casefold(), one))


def find_row(ratings: Ratings, player: int) -> int | None:
    """The roster row of a player (by store number); None if absent."""
    assert isinstance(ratings.players, Players)
    return ratings.players.find_rows((player,)).get(player)


def day_in_microseconds(day: float) -> int:
    """Convert a day of the engine to microseconds, the inverse of `days`."""
    whole = floor(day)  # the fraction of a day alone keeps full precision
    return min(max(whole * DAY_US + round((day - whole) * DAY_US), FIRST), LAST)


def parse_as_of(text: str) -> int:
    """Parse a time, or a date as its end, to microseconds; raises Refused."""
    try:
        return parse_time(text, end_of_day=True)
    except ValueError as error:
        raise Refused("bad_date", str(error), field="as_of") from None


# Games to come.


class GameToCome(NamedTuple):
    """A fixture with the present players, and what their ratings say."""

    number: int
    time: int  # microseconds
    players: tuple[int, int]  # by the store's numbers
    names: tuple[str, str]
    side: float
    chances: dict[str, float | None]  # expected, win, draw, loss of the first; empty: unknown


def find_fixtures(
    journal: Journal,
    category: Category,
    ratings: Ratings | None,
    player: int | None = None,
    most: int | None = None,
) -> list[GameToCome]:
    """The games to come of a category, or of one player in it, the earliest first; at most so many.

    A game that was not played on its day stands for `OVERDUE` longer. Without ratings chances are
    unknown.
    """
    people, found, since = journal.registry.people, list[GameToCome](), journal.clock() - OVERDUE
    for one in sorted(journal.registry.fixtures.values(), key=EARLIEST_FIRST):
        players = people.canonical(one.a), people.canonical(one.b)
        if one.category != category.id or one.time < since or players[0] == players[1]:
            continue
        if player is not None and player not in players:
            continue
        chances: dict[str, float | None] = {}
        if ratings is not None:
            a, b = (find_row(ratings, number) for number in players)
            if a is not None and b is not None:
                with suppress(NoModel, Unratable):
                    values = forecast_game(ratings, [a], [b], one.side)
                    chances = {name: values[name] for name in CHANCES}
        names = people.shown[players[0]], people.shown[players[1]]
        found.append(GameToCome(one.id, one.time, players, names, one.side, chances))
        if len(found) == most:
            break
    return found


# A player's results.


def find_results(view: CategoryView, player: int) -> list[int]:
    """The numbers of a player's results that count in these ratings, in order of play."""
    ratings = view.ratings
    k = None if ratings is None else find_row(ratings, player)
    if k is None:
        return []
    assert isinstance(ratings, LadderRatings | LadderFit)
    found: list[int] = ratings.results[find_contests(ratings.table, k)].tolist()
    return found


def serialize_player(journal: Journal, number: int) -> PersonJson:
    """Serialize a player: name, aliases, and the rating in each category."""
    with journal.store.read() as connection:
        names = queries.find_names(connection, journal.registry.people.group(number))
    name = journal.name(number)
    played: list[PlayedJson] = [
        serialize_as(
            PlayedJson,
            one,
            category=one.category.key,
            games=int(ratings.game_counts[k]),
            rating=ratings.columns[ratings.fields[0]][k].item(),
        )
        for one, ratings, k in find_played_categories(journal, number)
    ]
    others = [one for one in names if one != name]
    return PersonJson(revision=journal.revision, player=name, aliases=others, categories=played)
