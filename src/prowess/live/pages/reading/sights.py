"""The ratings of a category as a page shows them, and what is worked out from them once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prowess.face import end_of_day
from prowess.games.games import Games
from prowess.live.desk.refusals import NotFound, Refused
from prowess.live.facts import DAY
from prowess.live.pages.addresses import ServerLinks
from prowess.live.pages.boards import LEVEL
from prowess.live.pages.profiles import Profile, profile
from prowess.live.pages.visits import Visit
from prowess.live.store import lookups
from prowess.live.store.lookups import ResultRow
from prowess.live.views.remembered import remembered
from prowess.study.figures.certainty import Certainty, certainty
from prowess.study.figures.listing import Listing

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.live.desk.category import Category

ALL = 10**9  # results


@dataclass(frozen=True, eq=False)
class Sight:
    """A category with ratings in it; `ids` are the store's numbers of the roster."""

    category: Category
    ratings: Ratings
    ids: Sequence[int]
    revision: int
    waiting: int

    @property
    def listing(self) -> Listing:
        """Who is listed, by the category's rule."""
        since = None
        if self.ratings.day is not None:
            since = float(int(self.ratings.day) - self.category.inactive_days)
        return Listing(self.category.provisional_games, since)

    @property
    def sure(self) -> Certainty:
        """The intervals of those listed."""
        ratings, listing = self.ratings, self.listing
        return remembered(
            ratings, ("certainty", listing), lambda: certainty(ratings, LEVEL, listing)
        )

    @property
    def links(self) -> ServerLinks:
        """Addresses of its pages."""
        return ServerLinks(
            self.category.key, self.ids, played=isinstance(self.ratings.table, Games)
        )

    def row(self, number: int) -> int:
        """The row of the roster of a player; raises NotFound."""
        rows = remembered(
            self.ratings, "rows", lambda: {int(one): k for k, one in enumerate(self.ids)}
        )
        if number not in rows or not self.ratings.games[rows[number]]:
            raise NotFound("not_rated", f"player {number} has not played in {self.category.key}")
        return rows[number]

    def profile(self, k: int) -> Profile:
        """The page of a player."""
        ratings, listing, sure = self.ratings, self.listing, self.sure
        return remembered(
            ratings, ("profile", k, listing), lambda: profile(ratings, k, listing, sure)
        )


def sight(visit: Visit, day: float | None = None) -> Sight | None:
    """What there is to see of the category in the path; None where nobody has played."""
    category = visit.category
    revision = visit.desk.revision
    ratings = visit.desk.ratings(category.key, day)
    if ratings is None or not int(ratings.games.sum()):
        return None
    ids = getattr(ratings.players, "ids", ())  # of an earlier day there may be fewer
    waiting = int(getattr(visit.desk.ladder(category.key), "waiting", 0))
    return Sight(category, ratings, ids, revision, waiting)


def seen(visit: Visit) -> Sight:
    """The same; raises NotFound where nobody has played."""
    found = sight(visit)
    if found is None:
        raise NotFound("no_ratings", f"nobody has played in {visit.part('key')} yet")
    return found


def day_asked(text: str) -> float | None:
    """A date of the address as the end of that day; None for an empty one. Raises Refused."""
    if not text:
        return None
    try:
        return end_of_day(text)
    except (ValueError, OverflowError) as error:
        raise Refused("bad_date", str(error)) from None


def results_of(visit: Visit, category: Category, number: int) -> list[ResultRow]:
    """The results of a player that count, in order of play."""
    with visit.desk.store.read() as connection:
        found = lookups.results(connection, category.id, number, lookups.COUNTS, limit=ALL)
    return sorted(found, key=lambda one: (one.time, one.id))


def told(microseconds: int | None) -> float | None:
    """A moment of the store in days, as pages show it."""
    return None if microseconds is None else microseconds / DAY
