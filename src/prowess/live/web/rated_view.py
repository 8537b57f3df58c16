"""A category with ratings as pages show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from prowess.live.api import category_view as api
from prowess.live.errors import NotFound, Refused
from prowess.live.result import DAY
from prowess.live.store.queries import find_revisions
from prowess.live.web.page_request import DIGITS, PageRequest
from prowess.live.web.server_links import ServerLinks
from prowess.present.caching import compute_once
from prowess.present.listing import Listing
from prowess.present.players import Profile, build_profiles
from prowess.present.wording import moment
from prowess.rating import end_of_day

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.live.journal.registry import Category


class KnownRevision(NamedTuple):
    """A revision, and when it was made (days since 1970)."""

    revision: int
    when: float


@dataclass(frozen=True, eq=False)
class RatedView:
    """A category with ratings in it; `ids` are the store's numbers of the roster."""

    whole: api.CategoryView
    ratings: Ratings
    ids: Sequence[int]
    known: KnownRevision | None  # the revision that was asked for

    @property
    def category(self) -> Category:
        """The category as the desk keeps it."""
        return self.whole.category

    @property
    def listing(self) -> Listing:
        """Who is listed, by the category's rule."""
        return self.whole.rule

    @property
    def among(self) -> Listing:
        """Whom ranks count."""
        return self.whole.among

    @property
    def links(self) -> ServerLinks:
        """Addresses of its pages."""
        return ServerLinks(
            self.category.key,
            self.ids,
            played=self.ratings.table.duels,
            revision=None if self.known is None else self.known.revision,
        )

    def row(self, number: int) -> int:
        """The row of the roster of a player; raises NotFound."""
        rows = compute_once(
            self.ratings, "rows", lambda: {int(one): k for k, one in enumerate(self.ids)}
        )
        if number not in rows or not self.ratings.game_counts[rows[number]]:
            raise NotFound("not_rated", f"player {number} has not played in {self.category.key}")
        return rows[number]

    def profile(self, k: int) -> Profile:
        """The page of a player."""
        ratings, listing, among = self.ratings, self.listing, self.among
        return compute_once(
            ratings,
            ("profile", k, listing),
            lambda: build_profiles(ratings, (k,), listing, among)[k],
        )


def find_view(request: PageRequest, day: float | None = None) -> RatedView | None:
    """What there is to see of the category in the path; None where nobody has played.

    The address may ask for `revision`, as it was known then. Raises Refused.
    """
    known = _find_revision(request)
    whole = api.view_category(
        request.journal, request.path_part("key"), day, known and known.revision
    )
    ratings = whole.ratings
    if ratings is None or not int(ratings.game_counts.sum()):
        return None
    ids = getattr(ratings.players, "ids", ())  # of an earlier day there may be fewer
    return RatedView(whole, ratings, ids, known)


def _find_revision(request: PageRequest) -> KnownRevision | None:
    """The revision of the address; raises Refused, NotFound."""
    text = request.query("revision")
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > DIGITS:
        raise Refused("bad_revision", f"{text!r} is not the number of a revision")
    last = request.journal.revision
    if not 1 <= int(text) <= last:
        raise NotFound(
            "no_such_revision", f"there is no revision {text}: they run from 1 to {last}"
        )
    with request.journal.store.read() as connection:
        (one,) = find_revisions(connection, [int(text)])
    return KnownRevision(one.id, one.at / DAY)


def require_view(request: PageRequest) -> RatedView:
    """The same; raises NotFound where nobody has played."""
    found = find_view(request)
    if found is None:
        raise NotFound("no_ratings", f"nobody has played in {request.path_part('key')} yet")
    return found


def parse_since(request: PageRequest, since: str, as_of: str) -> float | None:
    """The day to compare with; raises Refused for one that is not before what it is compared to."""
    day, end = parse_day(since), parse_day(as_of)
    if day is not None and since[:10] > moment(request.journal.clock() / DAY)[:10]:
        raise Refused("bad_date", f"{since} has not come yet: compare with a day that is over")
    if day is not None and end is not None and day > end:
        raise Refused("bad_date", f"{since} comes after {as_of}: compare with an earlier day")
    return day


def parse_day(text: str) -> float | None:
    """A date of the address as the end of that day; None for an empty one. Raises Refused."""
    if not text:
        return None
    try:
        return end_of_day(text)
    except (ValueError, OverflowError) as error:
        raise Refused("bad_date", str(error)) from None


def as_days(microseconds: int | None) -> float | None:
    """A moment of the store in days, as pages show it."""
    return None if microseconds is None else microseconds / DAY
