"""Listings: categories, seasons, published lists, players, revisions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path
from sqlalchemy import select
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
    cut_page,
    make_cursor,
    page_response,
    parse_cursor,
    select_format,
)
from prowess.live.api.category_view import (
    RatedPageJson,
    find_fixtures,
    find_player,
    serialize_player,
    view_category,
)
from prowess.live.api.encoding import JsonTime, format_time
from prowess.live.api.serializers import (
    CategoryItemJson,
    CategoryJson,
    ChangeJson,
    PageJson,
    PersonJson,
    describe_page,
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
    rows = [
        {
            "key": row.key,
            "name": row.name,
            "starts": format_time(row.starts),
            "ends": format_time(row.ends),
        }
        for row in found
    ]
    return page_response(call, rows)


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
        {
            "number": one.number,
            "player_a": one.names[0],
            "player_b": one.names[1],
            "time": format_time(one.time),
            "side": one.side,
        }
        | {name: one.chances.get(name) for name in ("expected", "win", "draw", "loss")}
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
    (before,) = parse_cursor(cursor, int) or (None,)
    category = call.journal.category(c).id
    with call.journal.store.read() as connection:
        found = queries.list_published(connection, category, limit + 1, before)
    part, more = cut_page(found, limit)
    return page_response(call, [_head(row) for row in part], more)


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
    data = {} if select_format(call.request) != JSON else {"list": _head(head)}
    return page_response(
        call, rows, more, revision=head.created_revision, head=data, columns=columns
    )


def _head(row: Any) -> dict[str, Any]:
    """Serialize the head of a published list."""
    return {
        "key": row.key,
        "name": row.name,
        "as_of": format_time(row.as_of),
        "known_at": row.known_at,
        "revision": row.created_revision,
        "method": row.head,
    }


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
    (after,) = parse_cursor(cursor, str) or (None,)
    now = call.journal.revision  # first: what is read afterwards is at least as new
    with call.journal.store.read() as connection:
        canonical = call.journal.registry.people.canonical
        seen = None if call.actor.may(KEEPER) else has_public_name()
        found = queries.list_players(connection, canonical, query, limit + 1, after, seen)
    part, more = cut_page(found, limit, "name")
    rows = [{"player": row.name, "anonymous": row.anonymous} for row in part]
    columns = ("player", "anonymous")
    return page_response(call, rows, more, revision=now, etag=f"r{now}", columns=columns)


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
    (before,) = parse_cursor(cursor, int) or (None,)
    now = call.journal.revision
    with call.journal.store.read() as connection:
        found = queries.list_revisions(
            connection,
            before,
            limit + 1,
            None if category is None else call.journal.category(category).id,
            newest=True,
        )
        found = hide_reasons(connection, found, call.actor)
    part, more = cut_page(found, limit)
    rows = [serialize_revision(call.journal, row) for row in part]
    return page_response(call, rows, more, revision=now, etag=f"r{now}")
