"""The view of a category for its pages, and the addresses of the pages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar, NamedTuple
from urllib.parse import urlencode

from prowess.live.api import category_view as api
from prowess.live.errors import NotFound
from prowess.present.boards import cached_value
from prowess.present.players import Profile, build_profiles
from prowess.present.rendering import static_files

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings


ROUTES = {  # of the pages of a category
    "leaderboard": "/c/{key}",
    "export": "/c/{key}/leaderboard.{form}",
    "player": "/c/{key}/players/{player}",
    "games": "/c/{key}/players/{player}.csv",
    "pair": "/c/{key}/pairs/{a}/{b}",
    "pairings": "/c/{key}/pairings",
    "method": "/c/{key}/method",
    "lists": "/c/{key}/lists",
    "list": "/c/{key}/lists/{list}",
    "enter": "/c/{key}/enter",
}
PAGES_OF_ROWS = frozenset(("player", "games", "pair"))  # whose numbers are rows of the roster
UNREVISED = frozenset(("method", "lists", "list", "enter"))  # which earlier revisions do not have
PART = re.compile(r"\{(?!key)\w+\}")  # of an address


@dataclass(frozen=True)
class ServerLinks:
    """Addresses of the pages of a category; with key None only of common pages.

    `ids` are the store's numbers of the roster, `results` the numbers of results by row of the
    table. With `revision` all links are to pages as known at that revision.
    """

    key: str | None = None
    ids: Sequence[int] = ()
    duels: bool = True  # whether there are pages of pairs
    results: Mapping[int, int] = field(default_factory=dict)
    revision: int | None = None
    live: ClassVar[bool] = True  # a server answers, so that there are forms

    def to(self, page: str, /, *numbers: object, **query: object) -> str:
        """The address of a page of `ROUTES`; parameters that are empty are left out."""
        if self.key is None:
            return "/"
        path = ROUTES["player" if page == "player_number" else page]  # by the store's number
        if page in PAGES_OF_ROWS:
            numbers = tuple(int(self.ids[k]) for k in numbers)  # type: ignore[call-overload]
        address = PART.sub("{}", path).format(*numbers, key=self.key)
        if self.revision is not None and page not in UNREVISED:
            query = {"revision": self.revision} | query
        given = {name: value for name, value in query.items() if value not in (None, "", 0)}
        return f"{address}?{urlencode(given)}" if given else address

    def static(self, file: str) -> str:
        """A file that pages load; its address changes with the content, so it is cached."""
        return f"/static/{file}?v={fingerprints()[file]}"

    def own(self, file: str, content: bytes) -> str:
        """A file of the owner."""
        return f"/brand/{file}?v={sha256(content).hexdigest()[:12]}"

    def place(self, k: int) -> str:
        """A player's place on the leaderboard; the server redirects to the right page."""
        return self.to("leaderboard", player=int(self.ids[k]))

    def game(self, row: int) -> str | None:
        """The page of a result by row of the table; None if unknown."""
        return f"/results/{self.results[row]}" if row in self.results else None


@cache
def fingerprints() -> dict[str, str]:
    """The first 12 digits of the SHA-256 of every static file."""
    return {name: sha256(content).hexdigest()[:12] for name, content in static_files().items()}


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
        revision = None if self.known is None else self.known.revision
        return ServerLinks(self.category.key, self.ids, self.ratings.table.duels, revision=revision)

    def row_of(self, number: int) -> int:
        """The roster row of a player by store number; raises NotFound."""
        rows = cached_value(
            self.ratings, "rows", lambda: {int(one): k for k, one in enumerate(self.ids)}
        )
        if number not in rows or not self.ratings.game_counts[rows[number]]:
            raise NotFound.of("not_rated.store", number=number, category=self.category.key)
        return rows[number]

    def profile(self, k: int) -> Profile:
        """The profile of the player of a roster row."""
        ratings, listing, among = self.ratings, self.rule, self.among
        return cached_value(
            ratings,
            ("profile", k, listing),
            lambda: build_profiles(ratings, (k,), listing, among)[k],
        )
