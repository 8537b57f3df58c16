"""The ratings of a category as a page shows them, and what is worked out from them once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prowess.face import end_of_day
from prowess.games.games import Games
from prowess.live.api import sight as api
from prowess.live.desk.refusals import NotFound, Refused
from prowess.live.facts import DAY
from prowess.live.pages.addresses import ServerLinks
from prowess.live.pages.profiles import Profile, profiles
from prowess.live.pages.visits import Visit
from prowess.live.views.remembered import remembered
from prowess.study.figures.listing import Listing

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.live.desk.category import Category


@dataclass(frozen=True, eq=False)
class Sight:
    """A category with ratings in it; `ids` are the store's numbers of the roster."""

    whole: api.Sight
    ratings: Ratings
    ids: Sequence[int]

    @property
    def category(self) -> Category:
        """The category as the desk keeps it."""
        return self.whole.category

    @property
    def listing(self) -> Listing:
        """Who is listed, by the category's rule."""
        return self.whole.rule

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
        ratings, listing = self.ratings, self.listing
        return remembered(
            ratings, ("profile", k, listing), lambda: profiles(ratings, (k,), listing)[k]
        )


def sight(visit: Visit, day: float | None = None) -> Sight | None:
    """What there is to see of the category in the path; None where nobody has played."""
    whole = api.sight(visit.desk, visit.part("key"), day)
    ratings = whole.ratings
    if ratings is None or not int(ratings.games.sum()):
        return None
    ids = getattr(ratings.players, "ids", ())  # of an earlier day there may be fewer
    return Sight(whole, ratings, ids)


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


def told(microseconds: int | None) -> float | None:
    """A moment of the store in days, as pages show it."""
    return None if microseconds is None else microseconds / DAY
