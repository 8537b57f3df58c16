"""What was published and stays as it was: lists, and the seasons they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from starlette.responses import Response

from prowess.live.errors import NotFound
from prowess.live.journal.registry import Category
from prowess.live.pages.addresses import ServerLinks
from prowess.live.pages.reading.sights import told
from prowess.live.pages.visits import Visit
from prowess.live.result import DAY
from prowess.live.store.tables import published, published_row, season

NEWEST = 50  # lists on the page of a player


def lists(visit: Visit) -> Response:
    """Published lists, which never change, and seasons."""
    category = visit.category
    with visit.desk.store.read() as connection:
        found = connection.execute(
            select(published)
            .where(published.c.category_id == category.id)
            .order_by(published.c.id.desc())
        ).all()
        seasons = connection.execute(
            select(season)
            .where(season.c.category_id == category.id)
            .order_by(season.c.starts.desc())
        ).all()
    return visit.page(
        "live/lists.html",
        links=ServerLinks(category.key),
        here="lists",
        site=category.name,
        today=visit.desk.clock() / DAY,
        lists=[(one, told(one.as_of)) for one in found],
        seasons=[(one, told(one.starts), told(one.ends)) for one in seasons],
    )


def published_list(visit: Visit) -> Response:
    """One list as it was published."""
    category = visit.category
    with visit.desk.store.read() as connection:
        one = connection.execute(
            select(published).where(
                published.c.category_id == category.id, published.c.key == visit.part("list")
            )
        ).one_or_none()
        if one is None:
            raise NotFound("no_such_list", f"{category.key} has no list {visit.part('list')!r}")
        rows = connection.execute(
            select(published_row)
            .where(published_row.c.published_id == one.id)
            .order_by(published_row.c.rank, published_row.c.player_id)
        ).all()
    columns = [name for name in (rows[0].data if rows else {}) if name != "games"]
    return visit.page(
        "live/list.html",
        links=ServerLinks(category.key),
        here="lists",
        site=category.name,
        one=one,
        rows=rows,
        columns=[*columns, "games"],
        as_of=told(one.as_of),
    )


def published_ranks(visit: Visit, category: Category, numbers: Sequence[int]) -> list[Any]:
    """The newest lists a player (by all his numbers) stands on: key, name, day, rank, rating."""
    chosen = (
        select(published, published_row.c.rank, published_row.c.data)
        .join(published_row, published_row.c.published_id == published.c.id)
        .where(published.c.category_id == category.id, published_row.c.player_id.in_(numbers))
        .order_by(published.c.id.desc())
        .limit(NEWEST)
    )
    with visit.desk.store.read() as connection:
        found = connection.execute(chosen).all()
    return [(one, told(one.as_of), next(iter(one.data.values()))) for one in found]
