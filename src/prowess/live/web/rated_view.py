"""The view of a category for pages, and the dates and revisions of their addresses."""

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
from prowess.present.caching import cached_value
from prowess.present.players import Profile, build_profiles
from prowess.present.wording import moment
from prowess.rating import end_of_day

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings


class KnownRevision(NamedTuple):
    """A revision, and when it was made (days since 1970)."""

    revision: int
    when: float


@dataclass(frozen=True, eq=False)
class RatedView(api.CategoryView):
    """The view of a category with games; `ids` are the store's numbers of the roster."""

    ratings: Ratings
    ids: Sequence[int]
    known: KnownRevision | None  # the revision in the address

    @property
    def links(self) -> ServerLinks:
        """The addresses of the pages of the category."""
        return ServerLinks(
            self.category.key,
            self.ids,
            played=self.ratings.table.duels,
            revision=None if self.known is None else self.known.revision,
        )

    def row_of(self, number: int) -> int:
        """The roster row of a player by store number; raises NotFound."""
        rows = cached_value(
            self.ratings, "rows", lambda: {int(one): k for k, one in enumerate(self.ids)}
        )
        if number not in rows or not self.ratings.game_counts[rows[number]]:
            raise NotFound("not_rated", f"player {number} has not played in {self.category.key}")
        return rows[number]

    def profile(self, k: int) -> Profile:
        """The profile of the player of a roster row."""
        ratings, listing, among = self.ratings, self.rule, self.among
        return cached_value(
            ratings,
            ("profile", k, listing),
            lambda: build_profiles(ratings, (k,), listing, among)[k],
        )


def find_view(request: PageRequest, day: float | None = None) -> RatedView | None:
    """View the category of the path, at the `revision` of the query; None before the first game.

    Raises Refused.
    """
    known = _find_revision(request)
    view = api.view_category(
        request.journal, request.path_part("key"), day, known and known.revision
    )
    ratings = view.ratings
    if ratings is None or not int(ratings.game_counts.sum()):
        return None
    ids = getattr(ratings.players, "ids", ())  # absent for the roster of an earlier day
    return RatedView(**vars(view), ids=ids, known=known)


def _find_revision(request: PageRequest) -> KnownRevision | None:
    """The revision of the query; raises Refused, NotFound."""
    text = request.query("revision")
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > DIGITS:
        raise Refused("bad_revision", f"{text!r} is not the number of a revision")
    last = request.journal.revision
    if not 1 <= int(text) <= last:
        raise NotFound(
            "no_such_revision", f"give a revision from 1 to {last}: there is no revision {text}"
        )
    with request.journal.store.read() as connection:
        (one,) = find_revisions(connection, [int(text)])
    return KnownRevision(one.id, one.at / DAY)


def require_view(request: PageRequest) -> RatedView:
    """View the category of the path; raises NotFound before the first game."""
    found = find_view(request)
    if found is None:
        raise NotFound("no_ratings", f"nobody has played in {request.path_part('key')} yet")
    return found


def parse_since(request: PageRequest, since: str, as_of: str) -> float | None:
    """Parse the day to compare with; raises Refused unless it is past and before `as_of`."""
    day, end = parse_day(since), parse_day(as_of)
    if day is not None and since[:10] > moment(request.journal.clock() / DAY)[:10]:
        raise Refused("bad_date", f"compare with a past day: {since} is in the future")
    if day is not None and end is not None and day > end:
        raise Refused("bad_date", f"compare with an earlier day: {since} is after {as_of}")
    return day


def parse_day(text: str) -> float | None:
    """Parse a date as the end of that day; None if empty. Raises Refused."""
    if not text:
        return None
    try:
        return end_of_day(text)
    except (ValueError, OverflowError) as error:
        raise Refused("bad_date", str(error)) from None


def as_days(microseconds: int | None) -> float | None:
    """Convert microseconds to days since 1970."""
    return None if microseconds is None else microseconds / DAY
