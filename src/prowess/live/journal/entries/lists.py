"""Seasons, and lists that stay as they were published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy import func, select

from prowess.live.errors import Conflict, Refused
from prowess.live.facts import days
from prowess.live.journal.entries.methods import check_key, check_title
from prowess.live.journal.registry import Category
from prowess.live.journal.unit_of_work import UnitOfWork
from prowess.live.store.tables import published, published_row, season

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.present.figures.listing import Listing


@dataclass(frozen=True)
class NewSeason:
    """A span of time of a category (microseconds, both ends belong to it)."""

    kind: ClassVar[str] = "new_season"
    scope: ClassVar[str] = "admin"

    category: str
    key: str
    name: str
    starts: int
    ends: int

    def drafted(self, draft: UnitOfWork) -> None:
        """See Entry."""
        category = draft.books.category(self.category)
        check_key(self.key)
        if self.starts >= self.ends:
            raise Refused("bad_span", "a season ends after it starts", field="ends")
        draft.category = category
        draft.numbers["season"] = number = _next(draft, season, category.id, self.key)
        draft.insert(
            season,
            {
                "id": number,
                "category_id": category.id,
                "key": self.key,
                "name": check_title(self.name),
                "starts": self.starts,
                "ends": self.ends,
                "created_revision": draft.revision,
            },
        )


@dataclass(frozen=True)
class Publish:
    """The leaderboard after all games up to `until` (microseconds; None: all), for ever.

    Listed are those whom the page lists after these games.
    """

    kind: ClassVar[str] = "publish"
    scope: ClassVar[str] = "admin"

    category: str
    key: str
    name: str
    until: int | None = None
    reason: str | None = None

    def drafted(self, draft: UnitOfWork) -> None:
        """See Entry."""
        category = draft.books.category(self.category)
        check_key(self.key)
        number = _next(draft, published, category.id, self.key)
        board = draft.board(category, None if self.until is None else days(self.until))
        if board is None:
            raise Conflict("nothing_to_publish", f"{category.key} has no ratings yet")
        ratings, ids = board
        draft.category, draft.reason = category, self.reason
        draft.numbers["list"] = number
        listing = select_listing(category, ratings)
        summary = ratings.summary(top=0) | {"listed": listing.words(ratings)}
        draft.insert(
            published,
            {
                "id": number,
                "category_id": category.id,
                "key": self.key,
                "name": check_title(self.name),
                "as_of": self.until,
                "known_at": draft.books.revision,
                "head": {key: summary[key] for key in summary if key != "leaderboard"},
                "created_revision": draft.revision,
            },
        )
        rows = {name: row for row, name in enumerate(ratings.players)}
        for row in listing.board(ratings).rows():
            rest: dict[str, Any] = {k: v for k, v in row.items() if k not in ("rank", "player")}
            draft.insert(
                published_row,
                {
                    "published_id": number,
                    "player_id": int(ids[rows[row["player"]]]),
                    "rank": row["rank"],
                    "name": row["player"],
                    "data": rest,
                },
            )


def select_listing(category: Category, ratings: Ratings) -> Listing:
    """Whom a list of a category shows: those whom its page shows."""
    from prowess.present.views.boards import enough, usual

    rule = usual(ratings, category.provisional_games, category.inactive_days)
    return enough(ratings, rule)


def _next(draft: UnitOfWork, table: Any, category: int, key: str) -> int:
    """The number of a new row; raises Conflict where the key is taken."""
    taken = select(table.c.id).where(table.c.category_id == category, table.c.key == key)
    if draft.connection.execute(taken).first() is not None:
        raise Conflict("key_taken", f"there is one with the key {key!r} already", field="key")
    return 1 + (draft.connection.scalar(select(func.max(table.c.id))) or 0)
