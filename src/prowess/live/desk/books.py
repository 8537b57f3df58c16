"""What the desk knows by heart: categories, people, and the next free numbers."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from prowess.live.desk.category import Category
from prowess.live.desk.people import People
from prowess.live.desk.refusals import NotFound, Refused
from prowess.live.store.tables import (
    category as categories,
    method,
    player,
    result,
    revision,
)


class Books:
    """The present state of everything but the results themselves; the store has the same."""

    def __init__(self, connection: Connection) -> None:
        self.people = People.read(connection)
        self.categories = {one.key: one for one in categories_at(connection)}
        last = select(revision.c.id, revision.c.at).order_by(revision.c.id.desc()).limit(1)
        row = connection.execute(last).first()
        self.revision: int = 0 if row is None else row.id
        self.at: int = 0 if row is None else row.at  # microseconds
        self.next_player = 1 + (connection.scalar(select(func.max(player.c.id))) or 0)
        self.next_result = 1 + (connection.scalar(select(func.max(result.c.id))) or 0)

    def category(self, key: str | None) -> Category:
        """A category by its key, or the only one; raises NotFound, Refused."""
        if key is None:
            if len(self.categories) == 1:
                return next(iter(self.categories.values()))
            raise Refused(
                "missing", "say which category: " + (", ".join(self.categories) or "there is none"),
                field="category",
            )  # fmt: skip
        try:
            return self.categories[key]
        except KeyError:
            known = ", ".join(self.categories) or "none yet"
            raise NotFound(
                "no_such_category", f"there is no category {key!r}; there is {known}",
                field="category",
            ) from None  # fmt: skip

    def category_numbered(self, number: int) -> Category:
        """A category by its number."""
        return next(one for one in self.categories.values() if one.id == number)


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
    return [
        Category(
            id=row["id"],
            key=row["key"],
            name=row["name"],
            kind=row["kind"],
            system=row["system"],
            params=row["params"],
            period=row["period"],
            extra=tuple(row["extra"]),
            provisional_games=row["provisional_games"],
            inactive_days=row["inactive_days"],
            side_size=row["side_size"],
            since=row["revision"],
        )
        for row in connection.execute(chosen).mappings()
    ]
