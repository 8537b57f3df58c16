"""Listings: categories, seasons, published lists, players, revisions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

from fastapi import Path
from sqlalchemy import Connection, select
from starlette.responses import Response
from typing_extensions import TypedDict

from prowess.live.api.calls import (
    JSON,
    CategoryKey,
    Cursor,
    JsonResponse,
    Limit,
    Player,
    Reader,
    Text,
    build_router,
    csv_route,
    make_cursor,
    page_response,
    parse_cursor,
    read_page,
    select_format,
)
from prowess.live.api.category_view import (
    CHANCES,
    RatedPageJson,
    find_fixtures,
    find_player,
    serialize_player,
    view_category,
)
from prowess.live.api.encoding import JsonTime
from prowess.live.api.serializers import (
    CategoryItemJson,
    CategoryJson,
    ChangeJson,
    PageJson,
    PersonJson,
    describe_page,
    serialize_as,
    serialize_category,
    serialize_revision,
)
from prowess.live.store import queries
from prowess.live.store.tables import published_row
from prowess.live.store.visibility import KEEPER, has_public_name, hide_reasons

router = build_router("categories")
players_router = build_router("players")
journal_router = build_router("journal")
site_router = build_router("site")
ListKey = Annotated[str, Path(max_length=40, description="The key of the list.")]


class SiteJson(TypedDict):
    revision: int
    name: str | None
    accent: str | None
    logo: str | None
    home: str | None
    links: str | None
    imprint: str | None


class PlayerNameJson(TypedDict):
    player: str
    anonymous: bool


class SeasonJson(TypedDict):
    key: str
    name: str
    starts: JsonTime
    ends: JsonTime


class FixtureJson(TypedDict):
    number: int
    player_a: str
    player_b: str
    time: JsonTime
    side: float
    expected: float | None
    win: float | None
    draw: float | None
    loss: float | None


class FixturePageJson(RatedPageJson):
    items: list[FixtureJson]


class ListHeadJson(TypedDict):
    key: str
    name: str
    as_of: JsonTime | None
    known_at: int
    revision: int
    method: dict[str, Any]


class ListRowJson(TypedDict):
    rank: int
    player: str


class ListJson(PageJson):
    list: ListHeadJson
    items: list[ListRowJson]


@router.get(
    "/categories",
    name="listing",
    summary="List categories",
    response_model=describe_page("CategoryPage", CategoryItemJson),
)
def list_categories(call: Reader) -> Response:
    """All categories with kind, system, parameters, and the revision of the method."""
    rows = [serialize_category(call.journal, one) for one in call.journal.categories()]
    return page_response(call, rows)


@site_router.get("/site", name="site", summary="Show the site", response_model=SiteJson)
def show_site(call: Reader) -> Response:
    """Name, accent colour, logo (a data URL) and texts of the site; null where there is none."""
    now = call.journal.revision
    brand = call.journal.registry.brand._asdict()
    data = {"revision": now} | {name: value or None for name, value in brand.items()}
    return JsonResponse(data, headers={"ETag": f'"r{now}"'})


@router.get("/categories/{c}", name="one", summary="Show a category", response_model=CategoryJson)
def show_category(c: CategoryKey, call: Reader) -> Response:
    """One category."""
    now = call.journal.revision
    data = serialize_category(call.journal, call.journal.category(c)) | {"revision": now}
    return JsonResponse(data, headers={"ETag": f'"r{now}"'})


@router.get(
    "/categories/{c}/seasons",
    name="seasons",
    summary="List seasons",
    response_model=describe_page("SeasonPage", SeasonJson),
)
def list_seasons(c: CategoryKey, call: Reader) -> Response:
    """The seasons of a category, earliest first."""
    with call.journal.store.read() as connection:
        found = queries.list_seasons(connection, call.journal.category(c).id)
    return page_response(call, [serialize_as(SeasonJson, row) for row in found])


@router.get(
    "/categories/{c}/fixtures",
    name="fixtures",
    summary="List games to come",
    response_model=FixturePageJson,
)
def list_fixtures(c: CategoryKey, call: Reader) -> Response:
    """The games to come, earliest first, with the expected score and the chances of player_a.

    Chances are by the ratings of revision `applied`, without `waiting` results. They are null
    where a player has no rating yet, or the system has no model.
    """
    view = view_category(call.journal, c)
    rows = [
        serialize_as(
            FixtureJson,
            one,
            player_a=one.names[0],
            player_b=one.names[1],
            **dict.fromkeys(CHANCES) | one.chances,
        )
        for one in find_fixtures(call.journal, view.category, view.ratings)
    ]
    return page_response(call, rows, revision=view.revision, head=view.head())


@router.get(
    "/categories/{c}/lists",
    name="lists",
    summary="List what was published",
    response_model=describe_page("ListPage", ListHeadJson),
)
def list_published(
    c: CategoryKey,
    call: Reader,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """The published lists, newest first."""
    category = call.journal.category(c).id

    def read(connection: Connection, most: int, before: int | None) -> Sequence[Any]:
        return queries.list_published(connection, category, most, before)

    return read_page(call, limit, cursor, read, serialize_head)


@csv_route(
    router, "/categories/{c}/lists/{key}", "Show a published list", ListJson, name="one_list"
)
def show_list(
    c: CategoryKey,
    key: ListKey,
    call: Reader,
    limit: Limit = 1000,
    cursor: Cursor = None,
) -> Response:
    """A list as it was published; JSON or CSV."""
    place = parse_cursor(cursor, int, int)
    with call.journal.store.read() as connection:
        category = call.journal.category(c)
        head = queries.find_published(connection, category.id, category.key, key)
        chosen = select(published_row).where(published_row.c.published_id == head.id)
        rank, player = published_row.c.rank, published_row.c.player_id
        if place is not None:
            later = (rank == place[0]) & (player > place[1])
            chosen = chosen.where((rank > place[0]) | later)
        found = connection.execute(chosen.order_by(rank, player).limit(limit + 1)).all()
    last = found[limit - 1] if len(found) > limit else None
    more = None if last is None else make_cursor(last.rank, last.player_id)
    rows = [{"rank": row.rank, "player": row.name} | row.data for row in found[:limit]]
    columns = list(rows[0]) if rows else ["rank", "player"]
    data = {} if select_format(call.request) != JSON else {"list": serialize_head(head)}
    return page_response(
        call, rows, more, revision=head.created_revision, head=data, columns=columns
    )


def serialize_head(row: Any) -> Any:
    """Serialize the head of a published list."""
    return serialize_as(ListHeadJson, row, revision=row.created_revision, method=row.head)


@csv_route(
    players_router,
    "/players",
    "List players",
    describe_page("PlayerPage", PlayerNameJson),
    name="listing",
)
def list_players(
    call: Reader,
    query: Text = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """Players by name; `query` selects names that contain it, in any case."""
    canonical = call.journal.registry.people.canonical
    seen = None if call.actor.may(KEEPER) else has_public_name()

    def read(connection: Connection, most: int, after: str | None) -> Sequence[Any]:
        return queries.list_players(connection, canonical, query, most, after, seen)

    def serialize(row: Any) -> dict[str, Any]:
        return {"player": row.name, "anonymous": row.anonymous}

    columns = tuple(PlayerNameJson.__annotations__)
    return read_page(
        call, limit, cursor, read, serialize, by="name", kind=str, tagged=True, columns=columns
    )


@players_router.get(
    "/players/{player}", name="one", summary="Show a player", response_model=PersonJson
)
def show_player(player: Player, call: Reader) -> Response:
    """A player under any of their names: all names, and the rating in each category."""
    return JsonResponse(
        serialize_player(call.journal, find_player(call.journal, call.actor, player))
    )


@journal_router.get(
    "/revisions",
    name="revisions",
    summary="List every change",
    response_model=describe_page("RevisionPage", ChangeJson),
)
def list_revisions(
    call: Reader,
    category: Text = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """All revisions, newest first: time, kind, actor and reason."""
    chosen = None if category is None else call.journal.category(category).id

    def read(connection: Connection, most: int, before: int | None) -> Sequence[Any]:
        found = queries.list_revisions(connection, before, most, chosen, newest=True)
        return hide_reasons(connection, found, call.actor)

    serialize = partial(serialize_revision, call.journal)
    return read_page(call, limit, cursor, read, serialize, tagged=True)
